package deriv_test

import (
	"go/types"
	"slices"
	"strings"
	"testing"

	"github.com/quabla/quabla/deriv"
	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/interp"
)

// rowsForm is a matrix as a slice of rows, which the caller makes.
var rowsForm = deriv.MatrixForm{
	Type:   types.NewSlice(types.NewSlice(ssair.Float64)),
	Resize: func(b *ssair.Builder, m, rows, cols *ssair.Value) {},
	Set: func(b *ssair.Builder, m, i, j, v *ssair.Value) {
		b.Store(b.Load(m, []ssair.Step{ssair.Elem}, i), []ssair.Step{ssair.Elem}, v, j)
	},
}

// TestMatrices fills matrices of a few columns, of more than are computed at a
// time, and of several parameters.
func TestMatrices(t *testing.T) {
	for _, c := range []struct {
		name, src string
		hessian   bool
		wrt       []bool
		param     []bool
		args      []any
		want      [][]float64
	}{
		{"jacobian of an output parameter", `func F(dst, x []float64) { dst[0] = x[0] * x[1]; dst[1] = x[1] }`, false,
			[]bool{false, true}, []bool{true, false}, []any{[]float64{0, 0}, []float64{2, 3}}, [][]float64{{3, 2}, {0, 1}}},
		{"jacobian of a result by two parameters", `func F(x []float64, y float64) [2]float64 { return [2]float64{x[0] * y, x[1] - y} }`, false,
			[]bool{true, true}, []bool{false, false}, []any{[]float64{2, 3}, 5.0}, [][]float64{{5, 0, 2}, {0, 1, -1}}},
		{"jacobian with more columns than lanes", `func F(x []float64) float64 { s := 0.0; for i, v := range x { s += v * float64(i) }; return s }`, false,
			[]bool{true}, []bool{false}, []any{[]float64{1, 1, 1, 1, 1, 1, 1}}, [][]float64{{0, 1, 2, 3, 4, 5, 6}}},
		{"jacobian of a function that writes", `func F(x []float64) { x[0] *= x[1] }`, false,
			[]bool{true}, []bool{true}, []any{[]float64{2, 3}}, [][]float64{{3, 2}, {0, 1}}},
		{"hessian", `func F(x []float64) float64 { return x[0] * x[0] * x[1] + x[2] }`, true,
			[]bool{true}, []bool{false}, []any{[]float64{2, 3, 5}}, [][]float64{{6, 4, 0}, {4, 0, 0}, {0, 0, 0}}},
		{"hessian of pairs", `func F(x []float64) float64 { s := 0.0; for i := range x { s += x[i] * x[len(x)-1-i] * x[i] }; return s }`, true,
			[]bool{true}, []bool{false}, []any{[]float64{2, 3}}, [][]float64{{6, 10}, {10, 4}}},
		{"hessian of values", `func F(x, y float64) float64 { return x * x * y }`, true,
			[]bool{true, true}, []bool{false, false}, []any{2.0, 3.0}, [][]float64{{6, 4}, {4, 0}}},
	} {
		t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
			f := load(t, c.src)
			r := deriv.Request{Wrt: c.wrt, Param: c.param, Result: all(len(f.Results))}
			d := deriv.New(f.Mod)
			derive := d.Jacobian
			if c.hessian {
				derive = d.Hessian
			}
			g, err := derive(f, r, rowsForm, "FMatrix")
			if err != nil {
				t.Fatal(err)
			}
			old := make([][]float64, len(c.want))
			for i := range old {
				old[i] = slices.Repeat([]float64{-7}, len(c.want[0]))
			}
			m, err := interp.FromGo(rowsForm.Type, old)
			if err != nil {
				t.Fatal(err)
			}
			prim := arguments(t, f, c.args)
			var args []any
			for _, s := range g.Params {
				if s.Role == deriv.Matrix {
					args = append(args, m)
				} else {
					args = append(args, prim[s.Of])
				}
			}
			call(t, g.Func, args...)
			got := interp.Flatten(m, rowsForm.Type)
			k := 0
			for i, row := range c.want {
				for j, want := range row {
					if c.hessian && j < i { // a symmetric matrix has one half
						k++
						continue
					}
					if !near(got[k], want) {
						t.Errorf("at %d, %d: %v, want %v\n%s", i, j, got[k], want, g.Func)
					}
					k++
				}
			}
		})
	}
}
