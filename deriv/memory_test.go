package deriv_test

import (
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/quabla/quabla/deriv"
	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/interp"
	"github.com/quabla/quabla/ssair/pass"
)

// memories are functions of memory: their arguments, the value there and the
// gradient by all floats of the arguments, in their order.
var memories = []struct {
	name, src string
	args      []any
	value     float64
	grad      []float64
}{
	{"dot product", `func F(x, y []float64) float64 { s := 0.0; for i, v := range x { s += v * y[i] }; return s }`,
		[]any{[]float64{2, 3}, []float64{5, 7}}, 31, []float64{5, 7, 2, 3}},
	{"elements that are used twice", `func F(x []float64) float64 { s := 0.0; for i := range x { s += x[i] * x[len(x)-1-i] }; return s }`,
		[]any{[]float64{2, 3, 5}}, 29, []float64{10, 6, 4}},
	{"recurrence in place", `func F(x []float64) float64 { for i := 1; i < len(x); i++ { x[i] *= x[i-1] }; return x[len(x)-1] }`,
		[]any{[]float64{2, 3, 5}}, 30, []float64{15, 10, 6}},
	{"overwritten element", `func F(x []float64) float64 { y := x[0]; x[0] = 1; return y * x[1] * x[0] }`,
		[]any{[]float64{2, 3}}, 6, []float64{3, 2}},
	{"clear", `func F(x []float64) float64 { y := x[0]; clear(x[:1]); return y*x[1] + x[0] }`,
		[]any{[]float64{2, 3}}, 6, []float64{3, 2}},
	{"copy", `func F(x []float64) float64 { copy(x[1:], x); return x[0] * x[1] * x[2] }`,
		[]any{[]float64{2, 3, 5}}, 12, []float64{12, 4, 0}},
	{"append to a copy", `func F(x []float64, y float64) float64 { z := append([]float64(nil), x...); z = append(z, y); z[0] *= z[len(z)-1]; return z[0] * x[0] }`,
		[]any{[]float64{2, 3}, 5.0}, 20, []float64{20, 0, 4}},
	{"slices of one array", `func F(x []float64) float64 { a, b := x[:2], x[1:]; a[1] *= x[0]; return b[0] }`,
		[]any{[]float64{2, 3}}, 6, []float64{3, 2}},
	{"rows", `func F(x [][]float64) float64 { s := 1.0; for _, r := range x { for _, v := range r { s *= v } }; return s }`,
		[]any{[][]float64{{2, 3}, {5}}}, 30, []float64{15, 10, 6}},
	{"pointer", `func F(p *float64, y float64) float64 { *p *= y; return *p * *p }`,
		[]any{new(float64), 3.0}, 0, []float64{0, 0}},
	{"struct", `type P struct{ A, B float64; N int }; func F(p *P) float64 { p.A *= p.B; return p.A * float64(p.N) }`,
		[]any{&struct {
			A, B float64
			N    int
		}{2, 3, 4}}, 24, []float64{12, 8}},
	{"struct as a value", `type P struct{ A, B float64 }; func F(p P) float64 { q := p; q.A *= q.B; return q.A * p.A }`,
		[]any{struct{ A, B float64 }{2, 3}}, 12, []float64{12, 4}},
	{"array as a value", `func F(a [3]float64) float64 { s := 0.0; for i := range a { s += a[i] * a[i] }; return s }`,
		[]any{[3]float64{2, 3, 5}}, 38, []float64{4, 6, 10}},
	{"map", `func F(m map[string]float64) float64 { m["a"] *= m["b"]; return m["a"] * m["a"] }`,
		[]any{map[string]float64{"a": 2, "b": 3}}, 36, []float64{36, 24}},
	{"early return", `func F(x []float64) float64 { s := 0.0; for _, v := range x { if v > 4 { return s * v }; s += v }; return s }`,
		[]any{[]float64{2, 3, 5, 7}}, 25, []float64{5, 5, 5, 0}},
	{"continue", `func F(x []float64) float64 { s := 1.0; for _, v := range x { if v < 0 { continue }; s *= v }; return s }`,
		[]any{[]float64{2, -3, 5}}, 10, []float64{5, 0, 2}},
	{"nested loops", `func F(x []float64) float64 { s := 0.0; for i := range x { for j := 0; j <= i; j++ { s += x[i] * x[j] } }; return s }`,
		[]any{[]float64{2, 3}}, 19, []float64{7, 8}},
	{"a call in a loop", `func g(p []float64, i int) float64 { p[i] *= p[0]; return p[i] }; func F(x []float64) float64 { s := 0.0; for i := range x { s += g(x, i) }; return s }`,
		[]any{[]float64{2, 3}}, 16, []float64{4 + 2*2*3, 4}},
	{"floats beside ints", `func F(x []float64, k []int, n int) float64 { s := 0.0; for i := 0; i < n; i++ { s += x[k[i]] * float64(i+1) }; return s }`,
		[]any{[]float64{2, 3}, []int{1, 0, 1}, 3}, 16, []float64{2, 4}},
	{"while with a tape", `func F(x []float64) float64 { v := x[0]; for v < 20 { v = v*v + x[1] }; return v }`,
		[]any{[]float64{2, 1}}, 26, []float64{2 * 5 * 2 * 2, 2*5 + 1}},
}

// fill returns a destination of type t like v, of which all floats are x.
func fill(v interp.Value, f *ssair.Func, i int, x float64) interp.Value {
	t := f.Params[i].Type
	z := interp.ZeroLike(v, t)
	for k := range interp.Flatten(z, t) {
		z = interp.SetLeaf(z, t, k, x)
	}
	return z
}

// arguments builds the arguments of f.
func arguments(t *testing.T, f *ssair.Func, args []any) []interp.Value {
	t.Helper()
	vs := make([]interp.Value, len(args))
	for i, a := range args {
		v, err := interp.FromGo(f.Params[i].Type, a)
		if err != nil {
			t.Fatal(err)
		}
		vs[i] = interp.Clone(v)
	}
	return vs
}

func TestMemoryReverse(t *testing.T) {
	for _, c := range memories {
		for _, mode := range []string{"grad", "add", "save all"} {
			t.Run(strings.ReplaceAll(c.name+" "+mode, " ", "_"), func(t *testing.T) {
				f := load(t, c.src)
				if mode == "add" && len(pass.Written(f)) > 0 {
					return // what the destination holds meets the cotangents of what is written
				}
				d, r := deriv.New(f.Mod), request(f)
				r.Add = mode == "add"
				if mode == "save all" {
					d.SaveAll()
				}
				g, err := d.Grad(f, r, "FGrad")
				if err != nil {
					t.Fatal(err)
				}
				prim := arguments(t, f, c.args)
				garbage, extra := 7.0, 0.0
				if mode == "add" {
					extra = garbage
				}
				var args []any
				dests := map[int]interp.Value{}
				for _, s := range g.Params {
					if s.Role == deriv.Adjoint {
						dests[s.Of] = fill(prim[s.Of], f, s.Of, garbage)
						args = append(args, dests[s.Of])
					} else {
						args = append(args, prim[s.Of])
					}
				}
				out := call(t, g.Func, args...)
				byParam := map[int][]float64{}
				for i, d := range dests {
					byParam[i] = interp.Flatten(d, f.Params[i].Type)
					for k := range byParam[i] {
						byParam[i][k] -= extra
					}
				}
				for k, s := range g.Results {
					if s.Role == deriv.Adjoint {
						byParam[s.Of] = floats(g.Func, k, out[k])
					}
				}
				var got []float64
				for i := range f.Params {
					got = append(got, byParam[i]...)
				}
				if v := out[0].Float(); !near(v, c.value) {
					t.Errorf("value %v, want %v", v, c.value)
				}
				if !nearAll(got, c.grad) {
					t.Errorf("gradient %v, want %v\n%s", got, c.grad, g.Func)
				}
			})
		}
	}
}

// TestMemoryForward takes the derivative in the direction of each float.
func TestMemoryForward(t *testing.T) {
	for _, c := range memories {
		t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
			f := load(t, c.src)
			g, err := deriv.New(f.Mod).JVP(f, request(f), "FJVP")
			if err != nil {
				t.Fatal(err)
			}
			k := 0
			for i, p := range f.Params {
				prim := arguments(t, f, c.args)
				for leaf := range interp.Flatten(prim[i], p.Type) {
					prim := arguments(t, f, c.args)
					var args []any
					for _, s := range g.Params {
						switch {
						case s.Role == deriv.Primal:
							args = append(args, prim[s.Of])
						case s.Of == i:
							d := interp.ZeroLike(prim[s.Of], f.Params[s.Of].Type)
							args = append(args, interp.SetLeaf(d, p.Type, leaf, 1))
						default:
							args = append(args, interp.ZeroLike(prim[s.Of], f.Params[s.Of].Type))
						}
					}
					out := call(t, g.Func, args...)
					if v, d := out[0].Float(), out[1].Float(); !near(v, c.value) || !near(d, c.grad[k]) {
						t.Errorf("in direction %d: %v, %v, want %v, %v\n%s", k, v, d, c.value, c.grad[k], g.Func)
					}
					k++
				}
			}
			if k != len(c.grad) {
				t.Errorf("%d floats, %d derivatives", k, len(c.grad))
			}
		})
	}
}

// TestOutputs gives parameters that are outputs cotangents of their final state,
// which come back as those of their initial state.
func TestOutputs(t *testing.T) {
	f := load(t, `func F(dst, x []float64) { for i, v := range x { dst[i] = dst[i]*2 + v*v } }`)
	g, err := deriv.New(f.Mod).VJP(f, deriv.Request{Wrt: []bool{false, true}, Param: []bool{true, false}, Result: nil}, "FVJP")
	if err != nil {
		t.Fatal(err)
	}
	vs := arguments(t, f, []any{[]float64{1, 1}, []float64{3, 5}})
	bars := arguments(t, f, []any{[]float64{10, 100}, []float64{7, 7}})
	call(t, g.Func, bars[0], bars[1], vs[0], vs[1])
	if got := interp.FlattenAll(append(vs, bars...), []types.Type{f.Params[0].Type, f.Params[1].Type, f.Params[0].Type, f.Params[1].Type}); !nearAll(got, []float64{11, 27, 3, 5, 20, 200, 60, 1000}) {
		t.Errorf("got %v", got)
	}
}

// TestPullback calls what a pullback returns twice.
func TestPullback(t *testing.T) {
	f := load(t, `func F(x []float64, y float64) float64 {
		z := make([]float64, 2)
		z[0] += x[0] // the adjoint of the zero that was there must not stay
		z[1] += y
		for i := range z {
			z[i] *= z[0]
		}
		x[0] = z[0] * z[1]
		return x[0]
	}`)
	d := deriv.New(f.Mod)
	sig := signature("func(xBar []float64, valueBar float64) (yBar float64)")
	g, err := d.Pullback(f, request(f),
		[]deriv.Slot{{Role: deriv.Adjoint, Of: 0}, {Role: deriv.Cotangent, Of: 0, OfResult: true}},
		[]deriv.Slot{{Role: deriv.Adjoint, Of: 1}}, sig, "FPullback")
	if err != nil {
		t.Fatal(err)
	}
	vs := arguments(t, f, []any{[]float64{2}, 3.0})
	out := call(t, g.Func, vs[0], vs[1])
	if v := out[0].Float(); v != 48 {
		t.Errorf("value %v, want 48", v)
	}
	bar := arguments(t, f, []any{[]float64{0}, 3.0})[0]
	m := interp.New(f.Mod)
	for _, seed := range []float64{1, 2} {
		// The cotangent of the final state of x is 0 on entry.
		bar = interp.SetLeaf(bar, f.Params[0].Type, 0, 0)
		res, err := m.CallClosure(out[1].Closure(), bar, interp.Float(seed))
		if err != nil {
			t.Fatal(err)
		}
		if x, y := interp.Flatten(bar, f.Params[0].Type)[0], res[0].Float(); x != seed*96 || y != seed*16 {
			t.Errorf("seed %v gives %v and %v", seed, x, y)
		}
	}
}

// signature returns the type that text spells.
func signature(text string) types.Type {
	tv, err := types.Eval(token.NewFileSet(), nil, token.NoPos, text)
	if err != nil {
		panic(err)
	}
	return tv.Type
}
