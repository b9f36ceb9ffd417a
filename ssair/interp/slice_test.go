package interp_test

import (
	"fmt"
	"go/types"
	"math/rand/v2"
	"testing"

	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/interp"
)

type small struct {
	A float32
	B [2]int8
}

type line struct {
	From, To struct{ X, Y float64 }
	Name     string
}

// A twin runs random ops on slices twice: in Go, at once, and in a function
// that is built on the way.
type twin[T any] struct {
	t      testing.TB
	r      *rand.Rand
	b      *ssair.Builder
	slices [][]T
	values []*ssair.Value
	ptrs   []*[3]T
	ptrVal []*ssair.Value
	random func(*rand.Rand) T
	params []any
	sums   []int // lengths and capacities, copy counts
	sumVal []*ssair.Value
}

func (w *twin[T]) pick() int { return w.r.IntN(len(w.slices)) }

// index returns a small int, mostly a valid bound for n.
func (w *twin[T]) index(n int) (int, *ssair.Value) {
	i := w.r.IntN(n + 1)
	if w.rarely() {
		i = w.r.IntN(12) - 4
	}
	return i, w.b.Int(i)
}

// rarely is true when something is done that may well panic.
func (w *twin[T]) rarely() bool { return w.r.IntN(150) == 0 }

func (w *twin[T]) add(s []T, v *ssair.Value) {
	w.slices, w.values = append(w.slices, s), append(w.values, v)
	w.note(len(s), w.b.Len(v))
	w.note(cap(s), w.b.Cap(v))
}

func (w *twin[T]) note(n int, v *ssair.Value) {
	w.sums, w.sumVal = append(w.sums, n), append(w.sumVal, v)
}

// element returns a random element as a parameter of the function.
func (w *twin[T]) element() (T, *ssair.Value) {
	x := w.random(w.r)
	t := ssair.ElemType(w.values[0].Type)
	w.params = append(w.params, x)
	return x, w.b.Func().AddParam("", t)
}

// step does one random op. It panics where Go does, when the op has been
// built.
func (w *twin[T]) step() {
	b, t := w.b, w.values[0].Type
	i := w.pick()
	s, v := w.slices[i], w.values[i]
	switch w.r.IntN(12) {
	case 0:
		x, xv := w.element()
		y, yv := w.element()
		o := b.Op(ssair.Append, []*ssair.Value{v, xv, yv}, t)
		w.add(append(s, x, y), o.Result())
	case 1:
		o := b.Op(ssair.Append, []*ssair.Value{v}, t)
		for range w.r.IntN(4) {
			x, xv := w.element()
			o.Args = append(o.Args, xv)
			s = append(s[:len(s):len(s)], x)
		}
		// Go grows once for all of them.
		s = append(w.slices[i], s[len(w.slices[i]):]...)
		w.add(s, o.Result())
	case 2:
		j := w.pick()
		if len(s)+len(w.slices[j]) > 3000 {
			return
		}
		o := b.Op(ssair.AppendSlice, []*ssair.Value{v, w.values[j]}, t)
		w.add(append(s, w.slices[j]...), o.Result())
	case 3, 4:
		lo, lov := w.index(len(s))
		hi, hiv := w.index(cap(s))
		limit, limitv := w.index(cap(s))
		if !w.rarely() {
			hi = min(max(hi, 0), cap(s))
			lo = min(max(lo, 0), hi)
			limit = max(hi, min(limit, cap(s)))
			lov, hiv, limitv = b.Int(lo), b.Int(hi), b.Int(limit)
		}
		switch w.r.IntN(4) {
		case 0:
			if lo > len(s) && !w.rarely() {
				return
			}
			o := b.Slice(v, lov, nil, nil)
			w.add(s[lo:], o)
		case 1:
			o := b.Slice(v, nil, hiv, nil)
			w.add(s[:hi], o)
		case 2:
			o := b.Slice(v, lov, hiv, nil)
			w.add(s[lo:hi], o)
		case 3:
			o := b.Slice(v, lov, hiv, limitv)
			w.add(s[lo:hi:limit], o)
		}
	case 5, 6:
		j := w.pick()
		o := b.Op(ssair.Copy, []*ssair.Value{v, w.values[j]}, ssair.Int)
		w.note(copy(s, w.slices[j]), o.Result())
	case 7:
		if len(s) == 0 && !w.rarely() {
			return
		}
		k, kv := w.index(max(0, len(s)-1))
		x, xv := w.element()
		b.Store(v, []ssair.Step{ssair.Elem}, xv, kv)
		s[k] = x
	case 8:
		j, jv := w.index(max(0, len(s)-1))
		l := w.pick()
		if min(len(s), len(w.slices[l])) == 0 && !w.rarely() {
			return
		}
		k, kv := w.index(max(0, len(w.slices[l])-1))
		xv := b.Load(v, []ssair.Step{ssair.Elem}, jv)
		x := s[j]
		b.Store(w.values[l], []ssair.Step{ssair.Elem}, xv, kv)
		w.slices[l][k] = x
	case 9:
		n, nv := w.index(6)
		c, cv := w.index(8)
		if !w.rarely() {
			n, c = max(n, 0), max(c, 0)
			nv = b.Int(n)
			c, cv = max(n, c), b.Int(max(n, c))
		}
		o := b.MakeSlice(t, nv, cv)
		w.add(make([]T, n, c), o)
	case 10:
		if w.r.IntN(4) == 0 {
			b.Op(ssair.Clear, []*ssair.Value{v})
			clear(s)
		}
	case 11:
		if w.r.IntN(2) == 0 && len(w.ptrs) > 0 {
			k := w.r.IntN(len(w.ptrs))
			lo, lov := w.index(3)
			if !w.rarely() {
				lo = min(max(lo, 0), 3)
				lov = b.Int(lo)
			}
			o := b.Slice(w.ptrVal[k], lov, nil, nil)
			w.add(w.ptrs[k][lo:], o)
			return
		}
		if len(s) < 3 && !w.rarely() {
			return
		}
		pv := b.Op(ssair.Conv, []*ssair.Value{v}, pointerTo3(t)).Result()
		p := (*[3]T)(s)
		w.ptrs, w.ptrVal = append(w.ptrs, p), append(w.ptrVal, pv)
	}
}

// testSlices compares random programs on slices with Go: contents, lengths,
// capacities and panics.
func testSlices[T any](t *testing.T, slice string, random func(*rand.Rand) T) {
	mod := newModule(t)
	st := typeOf(t, mod, slice)
	panics := 0
	for seed := range uint64(400) {
		f := mod.NewFunc("F")
		w := &twin[T]{t: t, r: rand.New(rand.NewPCG(seed, 7)), b: ssair.NewBuilder(f.Body), random: random}
		w.add(nil, w.b.Zero(st))
		w.add([]T{}, w.b.MakeSlice(st, w.b.Int(0), nil))
		want := outcome(func() any {
			for range 60 {
				w.step()
			}
			return ""
		})
		if len(w.values) > len(w.slices) {
			t.Fatal("a value without a slice")
		}
		var results []*ssair.Value
		if want == "" {
			results = append(append(results, w.values...), w.sumVal...)
		} else {
			panics++
		}
		for _, v := range results {
			f.Results = append(f.Results, ssair.Result{Type: v.Type})
		}
		if want == "" {
			w.b.Return(results...)
		} else {
			w.b.Op(ssair.Unreachable, nil)
		}
		if err := f.Verify(); err != nil {
			t.Fatal(err)
		}
		got, err := interp.New(mod).Call(f, convert(t, f, w.params)...)
		if want != "" {
			if g := show(f, got, err); g != want {
				t.Errorf("seed %d: got %s, want %s", seed, g, want)
			}
			continue
		}
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
			continue
		}
		for i, s := range w.slices {
			if g, want := interp.Format(got[i], st), fmt.Sprint(s); g != want || got[i].IsNil() != (s == nil) {
				t.Errorf("seed %d: slice %d: got %s, want %s", seed, i, g, want)
			}
		}
		for i, n := range w.sums {
			if g := got[len(w.slices)+i].Int(); g != int64(n) {
				t.Errorf("seed %d: length, capacity or count %d: got %d, want %d", seed, i, g, n)
			}
		}
	}
	if panics < 20 || panics > 380 {
		t.Errorf("%d of 400 programs panic", panics)
	}
}

func pointerTo3(t types.Type) types.Type {
	return types.NewPointer(types.NewArray(ssair.ElemType(t), 3))
}

func TestRandomSlices(t *testing.T) {
	testSlices(t, "[]float64", func(r *rand.Rand) float64 { return r.Float64() })
	testSlices(t, "[]byte", func(r *rand.Rand) byte { return byte(r.Uint32()) })
	testSlices(t, "[]string", func(r *rand.Rand) string { return fmt.Sprint(r.IntN(100)) })
	testSlices(t, "[][3]int32", func(r *rand.Rand) [3]int32 { return [3]int32{r.Int32(), 2, 3} })
	testSlices(t, "[]Small", func(r *rand.Rand) small { return small{r.Float32(), [2]int8{int8(r.IntN(100)), 1}} })
	testSlices(t, "[]Line", func(r *rand.Rand) (l line) {
		l.From.X, l.Name = r.Float64(), fmt.Sprint(r.IntN(100))
		return l
	})
	testSlices(t, "[]struct{}", func(r *rand.Rand) struct{} { return struct{}{} })
}

// TestGrowth compares capacities with Go's for slices that grow in steps, far
// beyond the sizes that the allocator rounds to its classes.
func TestGrowth(t *testing.T) {
	testGrowth[byte](t, "byte", 1)
	testGrowth[float64](t, "float64", 1)
	testGrowth[string](t, "string", 7)
	testGrowth[[3]int32](t, "[3]int32", 100)
	testGrowth[line](t, "Line", 13)
	testGrowth[*float64](t, "*float64", 3)
}

func testGrowth[T any](t *testing.T, elem string, n int) {
	mod := newModule(t)
	f := parse(t, mod, fmt.Sprintf("func F(%%1 []%s, %%2 []%s) ([]%s) {\n%%3 []%s = appendslice %%1, %%2\nreturn %%3\n}", elem, elem, elem, elem))[0]
	m := interp.New(mod)
	more := make([]T, n)
	rest, err := interp.FromGo(f.Params[1].Type, more)
	if err != nil {
		t.Fatal(err)
	}
	var s []T
	v := interp.Value{}
	for len(s) < 20000 {
		s = append(s, more...)
		results, err := m.Call(f, v, rest)
		if err != nil {
			t.Fatal(err)
		}
		v = results[0]
		if v.Len() != len(s) || v.Cap() != cap(s) {
			t.Fatalf("%s: got length %d and capacity %d, want %d and %d", elem, v.Len(), v.Cap(), len(s), cap(s))
		}
	}
}
