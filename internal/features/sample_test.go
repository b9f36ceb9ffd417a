package features

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/quabla/quabla/internal/features/sample"
	"github.com/quabla/quabla/internal/leaves"
)

// strs returns a list of strings of a case.
func strs(v any) []string {
	var list []string
	for _, e := range v.([]any) {
		list = append(list, e.(string))
	}
	return list
}

// panicOf calls f and returns what it panics with.
func panicOf(f func()) (text string) {
	defer func() { text = fmt.Sprint(recover()) }()
	f()
	return ""
}

// columns computes a Jacobian with many columns from directional derivatives of w
// directions at a time; the last time some of them may be zero.
func columns[L any](n int, one func(l *L, lane int), call func(dirs []L) func(out, lane int) float64, outs, w int) [][]float64 {
	jac := make([][]float64, outs)
	for i := range jac {
		jac[i] = make([]float64, n)
	}
	for first := 0; first < n; first += w {
		dirs := make([]L, n)
		for lane := 0; lane < w && first+lane < n; lane++ {
			one(&dirs[first+lane], lane)
		}
		get := call(dirs)
		for lane := 0; lane < w && first+lane < n; lane++ {
			for o := range outs {
				jac[o][first+lane] = get(o, lane)
			}
		}
	}
	return jac
}

func init() {
	tests["st-grad-mirrors-struct"] = func(t *testing.T) {
		l := &sample.Layer{W: []float64{0.5, -1}, B: 0.25, Act: "tanh"}
		d := &sample.Layer{W: make([]float64, 2), Act: "as it was"}
		sample.LossGrad(d, l, []float64{1, 2})
		if want := (sample.Layer{W: []float64{1.5, -7}, B: -2, Act: "as it was"}); !reflect.DeepEqual(*d, want) {
			t.Errorf("the destination is %+v", *d)
		}
		if l.Act != "tanh" {
			t.Errorf("the parameter is %+v", *l)
		}
		// A gradient that is a result takes over what is no float.
		if _, g := sample.ReadGrad(sample.Gauge{W: [2]float64{1, 2}, Name: "east"}, [2]float64{3, 4}); g != (sample.Gauge{W: [2]float64{66, 88}, Name: "east"}) {
			t.Errorf("the result is %+v", g)
		}
	}
	tests["st-structure-mismatch"] = func(t *testing.T) {
		l := &sample.Layer{W: []float64{0.5, -1}}
		text := panicOf(func() { sample.LossGrad(&sample.Layer{W: make([]float64, 3)}, l, []float64{1, 2}) })
		if text != "sample.LossGrad: len(dl.W) != len(l.W)" {
			t.Errorf("a gradient of another shape: %q", text)
		}
	}
	tests["st-map-sorted-order"] = func(t *testing.T) {
		names := leaves.Names("m", reflect.ValueOf(map[string]float64{"b": 2, "a": 3}))
		for i, k := range strs(featureOf(t, "st-map-sorted-order").Expect["order"]) {
			if names[i] != "m["+k+"]" {
				t.Errorf("leaf %d is %s", i, names[i])
			}
		}
	}
	tests["st-int-keys-order"] = func(t *testing.T) {
		names := leaves.Names("m", reflect.ValueOf(map[int]float64{10: 1, 2: 1}))
		for i, k := range featureOf(t, "st-int-keys-order").Expect["order"].([]any) {
			if names[i] != fmt.Sprintf("m[%v]", k) {
				t.Errorf("leaf %d is %s", i, names[i])
			}
		}
	}
	tests["st-paths"] = func(t *testing.T) {
		// Maps sort their keys, and fields keep their order, in the notation of Go.
		v := map[string][]map[string]float64{"layers": {{"w": 1, "b": 2}, {"w": 3, "b": 4}}}
		names := leaves.Names("", reflect.ValueOf(v))
		for i, path := range strs(featureOf(t, "st-paths").Expect["paths"]) {
			if want := "[" + strings.ReplaceAll(path, "/", "][") + "]"; names[i] != want {
				t.Errorf("leaf %d is %s, want %s", i, names[i], want)
			}
		}
		type layer struct{ W, B float64 }
		if names := leaves.Names("net", reflect.ValueOf(struct{ layers []layer }{make([]layer, 1)})); fmt.Sprint(names) != "[net.layers[0].W net.layers[0].B]" {
			t.Error(names)
		}
	}
	tests["tr-bool-arg"] = func(t *testing.T) {
		var _ func(dx, x []float64, m []bool) float64 = sample.MaskedGrad // no dm
	}
	tests["tr-jacobian-chunks"] = func(t *testing.T) {
		for _, size := range featureOf(t, "tr-jacobian-chunks").Inputs["n"].([]any) {
			testWidths(t, int(size.(float64)))
		}
	}
	tests["cf-checkpoint-bits"] = func(t *testing.T) {
		in := featureOf(t, "cf-checkpoint-bits").Inputs
		for _, size := range in["T"].([]any) {
			for _, carry := range in["carry"].([]any) {
				n := int(size.(float64))
				x, ok := carry.(float64)
				if !ok { // the string "-0"
					x = math.Copysign(0, -1)
				}
				bits := func(xs ...float64) string { return fmt.Sprintf("%x", xs) } // with the sign of a zero
				v, dx, dw := sample.Taped64Grad(x, 0.8, n)
				if w, ex, ew := sample.Replayed64Grad(x, 0.8, n); bits(w, ex, ew) != bits(v, dx, dw) {
					t.Errorf("T=%d, carry %v: %v %v %v with checkpoints, %v %v %v with a tape", n, x, w, ex, ew, v, dx, dw)
				}
				v2, dx2, dw2 := sample.Taped32Grad(float32(x), 0.8, n)
				w2, ex2, ew2 := sample.Replayed32Grad(float32(x), 0.8, n)
				if bits(float64(w2), float64(ex2), float64(ew2)) != bits(float64(v2), float64(dx2), float64(dw2)) {
					t.Errorf("float32, T=%d, carry %v: other bits", n, x)
				}
			}
		}
	}
	tests["cf-checkpoint-memory"] = func(t *testing.T) {
		f := featureOf(t, "cf-checkpoint-memory")
		rel, abs, err := f.within()
		if err != nil {
			t.Fatal(err)
		}
		for i, size := range f.Inputs["T"].([]any) {
			// What is alive at the end: the snapshots, and the tape of one block.
			ws := new(sample.Replayed64GradWork)
			sample.Replayed64GradIn(ws, 0.5, 0.8, int(size.(float64)))
			v := reflect.ValueOf(ws).Elem()
			n := float64(v.FieldByName("snaps").Len() + v.FieldByName("tape").FieldByName("mem").Len())
			want := f.Expect["max_live_carries_about"].([]any)[i].(float64)
			if math.Abs(n-want) > abs+rel*want {
				t.Errorf("T=%v: %v carries, want about %v", size, n, want)
			}
		}
	}
	tests["cp-concurrency"] = func(t *testing.T) {
		x := make([]float64, 300)
		for i := range x {
			x[i] = math.Sin(float64(i)) * 3
		}
		want := make([]float64, len(x))
		value := sample.ChainGrad(want, x, 0.9)
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				got := make([]float64, len(x))
				for range 50 {
					if v := sample.ChainGrad(got, x, 0.9); v != value || !reflect.DeepEqual(got, want) {
						t.Error("calls at the same time give other bits")
						return
					}
				}
			})
		}
		wg.Wait()
	}
}

// testWidths compares Jacobians of n inputs, computed with lanes of several widths,
// with what they are.
func testWidths(t *testing.T, n int) {
	x := make([]float64, n)
	cubes, squares := make([]float64, n), make([]float64, n)
	for i := range x {
		x[i] = float64(i)/7 - 3
		cubes[i], squares[i] = 3*(x[i]*x[i]), 2*x[i]
	}
	check := func(what string, jac func(i, j int) float64, rows int) {
		for i := range rows {
			for j := range n {
				want := cubes[j]
				if rows > 1 {
					want = 0
					if i == j {
						want = squares[j]
					}
				}
				if got := jac(i, j); math.Abs(got-want) > 1e-13*math.Abs(want) {
					t.Fatalf("%s, n=%d: entry %d, %d is %v, want %v", what, n, i, j, got, want)
				}
			}
		}
	}
	var m mat.Dense
	sample.CubesJacobian(&m, x)
	check("cubes jacobian", m.At, 1)
	var m2 mat.Dense
	sample.SquaresJacobian(&m2, make([]float64, n), x)
	check("squares jacobian", m2.At, n)

	first := make([][]float64, 2)
	width := func(w int, cubes, squares [][]float64) {
		check(fmt.Sprint("cubes, width ", w), func(i, j int) float64 { return cubes[i][j] }, 1)
		check(fmt.Sprint("squares, width ", w), func(i, j int) float64 { return squares[i][j] }, n)
		if w == 1 {
			first[0], first[1] = cubes[0], squares[0]
		} else if !reflect.DeepEqual(first[0], cubes[0]) || !reflect.DeepEqual(first[1], squares[0]) {
			t.Errorf("width %d, n=%d: other bits than with width 1", w, n)
		}
	}
	dst := make([]float64, n)
	width(1,
		columns(n, func(l *float64, _ int) { *l = 1 }, func(dirs []float64) func(int, int) float64 {
			_, d := sample.CubesJVP(x, dirs)
			return func(int, int) float64 { return d }
		}, 1, 1),
		columns(n, func(l *float64, _ int) { *l = 1 }, func(dirs []float64) func(int, int) float64 {
			d := make([]float64, n)
			sample.SquaresJVP(dst, d, x, dirs)
			return func(o, _ int) float64 { return d[o] }
		}, n, 1))
	width(2,
		columns(n, func(l *[2]float64, k int) { l[k] = 1 }, func(dirs [][2]float64) func(int, int) float64 {
			_, d := sample.CubesJVP2(x, dirs)
			return func(_, k int) float64 { return d[k] }
		}, 1, 2),
		columns(n, func(l *[2]float64, k int) { l[k] = 1 }, func(dirs [][2]float64) func(int, int) float64 {
			d := make([][2]float64, n)
			sample.SquaresJVP2(dst, d, x, dirs)
			return func(o, k int) float64 { return d[o][k] }
		}, n, 2))
	width(3,
		columns(n, func(l *[3]float64, k int) { l[k] = 1 }, func(dirs [][3]float64) func(int, int) float64 {
			_, d := sample.CubesJVP3(x, dirs)
			return func(_, k int) float64 { return d[k] }
		}, 1, 3),
		columns(n, func(l *[3]float64, k int) { l[k] = 1 }, func(dirs [][3]float64) func(int, int) float64 {
			d := make([][3]float64, n)
			sample.SquaresJVP3(dst, d, x, dirs)
			return func(o, k int) float64 { return d[o][k] }
		}, n, 3))
	width(8,
		columns(n, func(l *[8]float64, k int) { l[k] = 1 }, func(dirs [][8]float64) func(int, int) float64 {
			_, d := sample.CubesJVP8(x, dirs)
			return func(_, k int) float64 { return d[k] }
		}, 1, 8),
		columns(n, func(l *[8]float64, k int) { l[k] = 1 }, func(dirs [][8]float64) func(int, int) float64 {
			d := make([][8]float64, n)
			sample.SquaresJVP8(dst, d, x, dirs)
			return func(o, k int) float64 { return d[o][k] }
		}, n, 8))
	width(64,
		columns(n, func(l *[64]float64, k int) { l[k] = 1 }, func(dirs [][64]float64) func(int, int) float64 {
			_, d := sample.CubesJVP64(x, dirs)
			return func(_, k int) float64 { return d[k] }
		}, 1, 64),
		columns(n, func(l *[64]float64, k int) { l[k] = 1 }, func(dirs [][64]float64) func(int, int) float64 {
			d := make([][64]float64, n)
			sample.SquaresJVP64(dst, d, x, dirs)
			return func(o, k int) float64 { return d[o][k] }
		}, n, 64))
}
