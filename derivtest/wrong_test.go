package derivtest

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/quabla/quabla/derivtest/testdata/sample"
	"github.com/quabla/quabla/rt"
)

// A recorder collects what a checker says.
type recorder struct {
	errors, fatal, logs, skips []string
}

func (r *recorder) Helper()         {}
func (r *recorder) Log(args ...any) { r.logs = append(r.logs, fmt.Sprint(args...)) }
func (r *recorder) Logf(format string, args ...any) {
	r.logs = append(r.logs, fmt.Sprintf(format, args...))
}
func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}
func (r *recorder) Fatal(args ...any)        { r.Fatalf("%s", fmt.Sprint(args...)) }
func (r *recorder) Failed() bool             { return len(r.errors)+len(r.fatal) > 0 }
func (r *recorder) skipped(name, why string) { r.skips = append(r.skips, name+": "+why) }

func (r *recorder) Fatalf(format string, args ...any) {
	r.fatal = append(r.fatal, fmt.Sprintf(format, args...))
	runtime.Goexit()
}

func (r *recorder) Skipf(format string, args ...any) {
	r.skips = append(r.skips, fmt.Sprintf(format, args...))
	runtime.Goexit()
}

// check checks a function of package sample and returns what was said.
func check(t *testing.T, fn Func, docs map[string]string) *recorder {
	t.Helper()
	r := new(recorder)
	done := make(chan bool)
	go func() {
		defer close(done)
		src := load(r, "testdata/sample", "sample.go")
		for name, doc := range docs {
			src.docs[name] = doc
		}
		newChecker(r, src, &File{Source: "sample.go", Funcs: []Func{fn}}, &fn).run()
	}()
	<-done
	return r
}

// squareGrad is the derivative of Square as it should be, but for what spoil does
// to it at the end.
func squareGrad(spoil func(dx, x, w []float64)) func(dx, x, w []float64) float64 {
	return func(dx, x, w []float64) float64 {
		shapes("dx", dx, x)
		rt.NoOverlap("sample.SquareGrad: dx and x", dx, x)
		rt.NoOverlap("sample.SquareGrad: dx and w", dx, w)
		clear(dx)
		for i := range x {
			dx[i] += 3 * w[i] * x[i] * x[i]
		}
		spoil(dx, x, w)
		return sample.Square(x, w)
	}
}

func shapes(name string, dx, x []float64) {
	if len(dx) != len(x) {
		panic("sample: len(" + name + ") != len(x)")
	}
}

func rightSquareGrad(dx, x, w []float64) float64 {
	return squareGrad(func(dx, x, w []float64) {})(dx, x, w)
}

func squareJVP(x, xDot, w []float64) (float64, float64) {
	shapes("xDot", xDot, x)
	t := 0.0
	for i := range x {
		t += 3 * w[i] * x[i] * x[i] * xDot[i]
	}
	return sample.Square(x, w), t
}

func squareJVP2(factor float64) func(x []float64, xDot [][2]float64, w []float64) (float64, [2]float64) {
	return func(x []float64, xDot [][2]float64, w []float64) (float64, [2]float64) {
		if len(xDot) != len(x) {
			panic("sample: len(xDot) != len(x)")
		}
		var t [2]float64
		for i := range x {
			t[0] += 3 * w[i] * x[i] * x[i] * xDot[i][0]
			t[1] += factor * w[i] * x[i] * x[i] * xDot[i][1]
		}
		return sample.Square(x, w), t
	}
}

func squareVJP(xBar, x, w []float64, valueBar float64) float64 {
	shapes("xBar", xBar, x)
	rt.NoOverlap("xBar and x", xBar, x)
	rt.NoOverlap("xBar and w", xBar, w)
	v := rightSquareGrad(xBar, x, w)
	for i := range xBar {
		xBar[i] *= valueBar
	}
	return v
}

// squareVMap is the batched form of Square, where spoil may change what it stores for
// member i.
func squareVMap(spoil func(i int, value []float64)) func(value []float64, x [][]float64, w []float64) {
	return func(value []float64, x [][]float64, w []float64) {
		if len(value) != len(x) {
			panic("sample: len(value) != len(x)")
		}
		rt.NoOverlapRows("value and x", value, x)
		rt.NoOverlap("value and w", value, w)
		for i := range x {
			value[i] = sample.Square(x[i], w)
			spoil(i, value)
		}
	}
}

// emptiedJVP is what line by line derivation gives, rounding included.
func emptiedJVP(y, yDot []float64, x, xDot float64, n int) (value, valueDot float64) {
	if len(yDot) != len(y) {
		panic("sample: len(yDot) != len(y)")
	}
	rt.NoOverlap("sample.EmptiedJVP: y and yDot", y, yDot)
	for i := range y {
		q := y[i] / x
		qDot := (yDot[i] - q*xDot) / x
		yDot[i] -= xDot*q + x*qDot
		y[i] -= x * q
	}
	return float64(n) * x, float64(n) * xDot
}

// emptiedVMap compares lengths with that of what is only read.
func emptiedVMap(value []float64, y [][]float64, x []float64, n []int) {
	if len(value) != len(x) || len(y) != len(x) || len(n) != len(x) {
		panic("sample: value, y, n and x differ in length")
	}
	rt.DistinctRows("sample.EmptiedVMap: parts of y", y)
	rt.NoOverlapRows("sample.EmptiedVMap: value and y", value, y)
	rt.NoOverlap("sample.EmptiedVMap: value and x", value, x)
	for i := range y {
		value[i] = sample.Emptied(y[i], x[i], n[i])
	}
}

func squareEach(dx, x [][]float64, w []float64) {
	if len(dx) != len(x) {
		panic("sample: len(dx) != len(x)")
	}
	rt.DistinctRows("dx", dx)
	rt.SeparateRows("dx and x", dx, x)
	rt.NoOverlapRows("dx and w", w, dx)
	for i := range x {
		rightSquareGrad(dx[i], x[i], w)
	}
}

func squareHVP(factor float64) func(hv, x, v, w []float64) float64 {
	return func(hv, x, v, w []float64) float64 {
		shapes("hv", hv, x)
		shapes("v", v, x)
		rt.NoOverlap("hv and x", hv, x)
		rt.NoOverlap("hv and v", hv, v)
		rt.NoOverlap("hv and w", hv, w)
		for i := range x {
			hv[i] = factor * w[i] * x[i] * v[i]
		}
		if factor == 6.5 && len(x) > 1 {
			hv[0] += x[0] * v[1] // and not symmetric
		}
		return sample.Square(x, w)
	}
}

func squarePullback(keeps bool) func(x, w []float64) (float64, func(xBar []float64, valueBar float64)) {
	return func(x, w []float64) (float64, func(xBar []float64, valueBar float64)) {
		g := make([]float64, len(x))
		v := rightSquareGrad(g, x, w)
		return v, func(xBar []float64, valueBar float64) {
			shapes("xBar", xBar, x)
			for i := range g {
				xBar[i] = g[i] * valueBar
				if keeps {
					g[i] = xBar[i] // the record is spoiled
				}
			}
		}
	}
}

func squareAdd(dx, x, w []float64) float64 {
	shapes("dx", dx, x)
	rt.NoOverlap("dx and x", dx, x)
	rt.NoOverlap("dx and w", dx, w)
	for i := range x {
		dx[i] += 3 * w[i] * x[i] * x[i]
	}
	return sample.Square(x, w)
}

func addGrad(count bool) func(c *sample.Counter, x float64) (float64, float64) {
	return func(c *sample.Counter, x float64) (float64, float64) {
		if count {
			c.N++
		}
		return c.Rate * x * x, 2 * c.Rate * x
	}
}

func positiveGrad(x float64) (float64, float64, error) {
	v, err := sample.Positive(x)
	return v, 1 / x, err
}

// A work is the work space of squareGradIn.
type work struct{ dirty []float64 }

var sink []float64

// TestRight checks that right functions pass.
func TestRight(t *testing.T) {
	promise := map[string]string{"SquareGrad": "It does not allocate."}
	for _, fn := range []Func{
		{Name: "SquareGrad", Derived: rightSquareGrad, Primal: sample.Square},
		{Name: "SquareGrad", Derived: rightSquareGrad, Primal: sample.Square, Points: squarePoints},
		{Name: "SquareGrad", Derived: rightSquareGrad},
		{Name: "SquareJVP", Derived: squareJVP, Primal: sample.Square},
		{Name: "SquareJVP2", Derived: squareJVP2(3), Primal: sample.Square},
		{Name: "SquareVJP", Derived: squareVJP, Primal: sample.Square},
		{Name: "SquareHVP", Derived: squareHVP(6), Primal: sample.Square},
		{Name: "SquarePullback", Derived: squarePullback(false), Primal: sample.Square},
		{Name: "SquareAdd", Derived: squareAdd, Primal: sample.Square},
		{Name: "SquareVMap", Derived: squareVMap(func(int, []float64) {}), Primal: sample.Square},
		{Name: "SquareEach", Derived: squareEach, Primal: sample.Square},
		{Name: "EmptiedJVP", Derived: emptiedJVP, Primal: sample.Emptied},
		{Name: "EmptiedVMap", Derived: emptiedVMap, Primal: sample.Emptied},
		{Name: "Counter.AddGrad", Derived: addGrad(true), Primal: (*sample.Counter).Add},
		{Name: "PositiveGrad", Derived: positiveGrad, Primal: sample.Positive},
	} {
		r := check(t, fn, promise)
		for _, e := range append(r.errors, r.fatal...) {
			t.Errorf("%s: %s", fn.Name, e)
		}
		if len(r.skips) > 0 {
			t.Errorf("%s: %s", fn.Name, r.skips)
		}
		if len(r.logs) < 4 {
			t.Errorf("%s: only %s", fn.Name, r.logs)
		}
	}
}

func squarePoints(r *rand.Rand) (x, w []float64) {
	for range 1 + r.IntN(4) {
		x, w = append(x, r.NormFloat64()), append(w, 1+r.Float64())
	}
	return x, w
}

var lastPoint float64

// TestWrong checks that every kind of fault is found, and what is said about it.
func TestWrong(t *testing.T) {
	grad := func(spoil func(dx, x, w []float64)) Func {
		return Func{Name: "SquareGrad", Derived: squareGrad(spoil), Primal: sample.Square}
	}
	calls := 0.0
	for _, c := range []struct {
		name string
		fn   Func
		doc  string
		want []string // messages hold these
	}{
		{
			name: "wrong sign", fn: grad(func(dx, _, _ []float64) {
				if len(dx) > 2 {
					dx[2] = -dx[2]
				}
			}), want: []string{
				"SquareGrad (grad): interpreter, size 3: dx[2] is ", ", want ", "\n\tat x = [", "w = [",
				"SquareGrad (grad): differences, size 3: the derivative by x[2] is ", "SquareGrad (grad): dot test, size 3: u'(Jv) is ",
			},
		},
		{
			name: "missing term", fn: grad(func(dx, _, _ []float64) { clear(dx[:min(1, len(dx))]) }),
			want: []string{"interpreter, size 3: dx[0] is 0, want ", "differences, size 3: the derivative by x[0] is 0, by differences "},
		},
		{
			name: "small error", fn: grad(func(dx, _, _ []float64) {
				for i := range dx {
					dx[i] *= 1 + 1e-5
				}
			}), want: []string{"interpreter, size 3: dx[0] is ", "3 of 3 numbers differ", "differences, size 3: the derivative by x[0] is "},
		},
		{
			name: "accumulation", fn: Func{Name: "SquareGrad", Derived: squareAdd, Primal: sample.Square},
			want: []string{"interpreter, size 3: dx[0] is ", "second call, size 3: dx[0] is "},
		},
		{
			name: "no accumulation", fn: Func{Name: "SquareAdd", Derived: rightSquareGrad, Primal: sample.Square},
			want: []string{"SquareAdd (grad): interpreter, size 3: dx[0] is ", "second call, size 3: dx[0] is "},
		},
		{
			name: "forgotten overwrite", fn: Func{Name: "SquareGrad", Primal: sample.Square, Derived: func(dx, x, w []float64) float64 {
				shapes("dx", dx, x)
				rt.NoOverlap("dx and x", dx, x)
				rt.NoOverlap("dx and w", dx, w)
				for i := 1; i < len(x); i++ {
					dx[i] = 3 * w[i] * x[i] * x[i]
				}
				return sample.Square(x, w)
			}}, want: []string{"interpreter, size 3: dx[0] is 777.25, want ", "by x[0] is 777.25, by differences "},
		},
		{
			name: "state between calls", fn: grad(func(dx, _, _ []float64) {
				if calls++; len(dx) > 0 {
					dx[0] += calls * 1e-3
				}
			}), want: []string{"second call, size 3: dx[0] is "},
		},
		{
			name: "changed argument", fn: grad(func(_, x, _ []float64) {
				if len(x) > 1 {
					x[1]++
				}
			}), want: []string{"state, size 3: x[1] is "},
		},
		{
			name: "wrong value", fn: Func{Name: "SquareGrad", Primal: sample.Square, Derived: func(dx, x, w []float64) float64 {
				return rightSquareGrad(dx, x, w) + 1e-6
			}}, want: []string{"values, size 3: value is "},
		},
		{
			name: "allocation", fn: grad(func(dx, _, _ []float64) { sink = append([]float64(nil), dx...) }), doc: "It does not allocate.",
			want: []string{"allocations, size 3: SquareGrad promises not to allocate, but allocates 1 objects in a call at wrong_test.go:"},
		},
		{
			name: "no checks", fn: Func{Name: "SquareGrad", Primal: sample.Square, Derived: func(dx, x, w []float64) float64 {
				clear(dx)
				for i := range x {
					dx[i%max(1, len(dx))] += 3 * w[i] * x[i] * x[i]
				}
				return sample.Square(x, w)
			}}, want: []string{
				"panics, size 3: does not panic although the length of dx is off by 1", "although dx is the memory of x", "although dx is the memory of w",
			},
		},
		{
			name: "message without names", fn: Func{Name: "SquareGrad", Primal: sample.Square, Derived: func(dx, x, w []float64) float64 {
				if len(dx) != len(x) {
					panic("wrong dx")
				}
				return rightSquareGrad(dx, x, w)
			}}, want: []string{`panics with "wrong dx" where the length of dx is off by 1; the message should name dx and x`},
		},
		{
			name: "panic", fn: grad(func(dx, _, _ []float64) {
				if len(dx) == 4 {
					panic("index out of range")
				}
			}), want: []string{"size 4: panic: index out of range"},
		},
		{
			name: "lane", fn: Func{Name: "SquareJVP2", Derived: squareJVP2(2.9), Primal: sample.Square},
			want: []string{"SquareJVP2 (jvp with 2 lanes): interpreter, size 3: valueDot[1] is ", "the tangent of value in lane 1 is "},
		},
		{
			name: "product", fn: Func{Name: "SquareHVP", Derived: squareHVP(6.5), Primal: sample.Square},
			want: []string{"differences, size 3: the product for x[0] is ", "the Hessian is not symmetric"},
		},
		{
			name: "member", fn: Func{Name: "SquareVMap", Primal: sample.Square, Derived: squareVMap(func(i int, value []float64) {
				if i == 2 {
					value[2] = value[1] // of another member
				}
			})}, want: []string{"SquareVMap (vmap): interpreter, size 3: value[2] is ", "SquareVMap (vmap): values, size 3: value[2] is "},
		},
		{
			name: "batch without checks", fn: Func{Name: "SquareVMap", Primal: sample.Square, Derived: func(value []float64, x [][]float64, w []float64) {
				for i := range min(len(x), len(value)) {
					value[i] = sample.Square(x[i], w)
				}
			}}, want: []string{"panics, size 3: does not panic although the length of value is off by 1", "although value is the memory of w"},
		},
		{
			name: "members that share memory", fn: Func{Name: "SquareEach", Primal: sample.Square, Derived: func(dx, x [][]float64, w []float64) {
				squareEach(dx, x, w)
				if len(x) > 1 && len(x[1]) > 0 {
					dx[0][0], dx[1][0] = dx[1][0], dx[0][0]
				}
			}}, want: []string{"SquareEach (vmap): interpreter, size 3: dx[0][0] is ", "SquareEach (vmap): values, size 3: dx[0][0] is "},
		},
		{
			name: "pullback", fn: Func{Name: "SquarePullback", Derived: squarePullback(true), Primal: sample.Square},
			want: []string{"in call 2 of the pullback xBar[0] is "},
		},
		{
			name: "work space", fn: Func{
				Name: "SquareGrad", Derived: rightSquareGrad, Primal: sample.Square,
				In: func(ws *work, dx, x, w []float64) float64 {
					v := rightSquareGrad(dx, x, w)
					for i := range min(len(dx), len(ws.dirty)) {
						dx[i] += ws.dirty[i]
					}
					ws.dirty = append(ws.dirty[:0], dx...)
					return v
				},
			}, want: []string{"work space, size 1: dx[0] is "},
		},
		{
			name: "count", fn: Func{Name: "Counter.AddGrad", Derived: addGrad(false), Primal: (*sample.Counter).Add},
			want: []string{"Counter.AddGrad (grad): state, size 3: c ends as &{0 3}, want &{0 4}"},
		},
		{
			name: "stale", fn: Func{Name: "SquareGrad", Primal: sample.Square, Derived: func(dx, x, w []float64) float64 {
				for i := range x { // when Square was one
					dx[i] = 2 * w[i] * x[i]
				}
				return sample.Square(x, w)
			}}, want: []string{"interpreter, size 3: dx[0] is ", "differences, size 3: the derivative by x[0] is "},
		},
		{
			name: "stale signature", fn: Func{Name: "SquareGrad", Primal: sample.Square, Derived: func(dx, x []float64) float64 { return 0 }},
			want: []string{"SquareGrad: the compiled function does not fit the source (2 parameters and 1 results, not 3 and 1): run go generate"},
		},
		{
			name: "stale type", fn: Func{Name: "SquareGrad", Primal: sample.Square, Derived: func(dx []float32, x, w []float64) float64 { return 0 }},
			want: []string{"parameter dx has the type []float32, not []float64"},
		},
		{
			name: "stale directive", fn: Func{Name: "SquareGrad2", Derived: rightSquareGrad, Primal: sample.Square},
			want: []string{"no directive in sample.go gives SquareGrad2 any more: run go generate"},
		},
		{
			name: "no points", fn: Func{Name: "PickyGrad", Primal: sample.Picky, Derived: func(dx, x []float64, n int) float64 { return 0 }},
			want: []string{
				"PickyGrad: no arguments were found for which Picky works (the last ones: with x = [], n = 0: panic: n is not 12345)",
				"func quablaPointsPicky(r *rand.Rand) (x []float64, n int)",
			},
		},
		{
			name: "bad points", fn: Func{
				Name: "PickyGrad", Primal: sample.Picky, Derived: func(dx, x []float64, n int) float64 { return 0 },
				Points: func(r *rand.Rand) ([]float64, int) { return []float64{r.Float64()}, 1 },
			}, want: []string{"Picky works at none of the points that quablaPointsPicky gives"},
		},
		{
			name: "points of chance", fn: Func{
				Name: "SquareGrad", Derived: rightSquareGrad, Primal: sample.Square,
				Points: func(r *rand.Rand) (x, w []float64) { lastPoint++; return []float64{lastPoint}, []float64{1} },
			}, want: []string{"it must take all its randomness from its parameter"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := check(t, c.fn, map[string]string{c.fn.Name: c.doc})
			said := strings.Join(append(r.errors, r.fatal...), "\n")
			for _, w := range c.want {
				if !strings.Contains(said, w) {
					t.Errorf("no %q in:\n%s", w, said)
				}
			}
		})
	}
}

// TestSkipped checks that a check which compares nothing says so.
func TestSkipped(t *testing.T) {
	r := check(t, Func{Name: "KinksGrad", Primal: sample.Kinks, Derived: func(x float64) (float64, float64) {
		return sample.Kinks(x), 0 // wrong, but nothing can be said about it
	}}, nil)
	said := strings.Join(r.skips, "\n")
	if !strings.Contains(said, "differences: nothing could be compared (") || !strings.Contains(said, "nearby") {
		t.Errorf("%q %q %q %q", said, r.logs, r.errors, r.fatal)
	}
}
