package compile_test

import (
	"strings"
	"testing"
)

// TestChecks holds the checks that derived functions make on entry: which
// depends on the types of their parameters.
func TestChecks(t *testing.T) {
	type row struct{ directive, src, want string }
	rows(t, []row{
		{"grad", "func F(x float64) float64 { return x * x }", ""},
		{"grad", "func F(x [3]float64) float64 { return x[0] }", ""},
		{"grad", "func F(x []float64) float64 { return x[0] }", "len(dx) != len(x); NoOverlap: dx and x"},
		{"jvp", "func F(x []float64) float64 { return x[0] }", "len(xDot) != len(x)"},
		{"grad", "func F(x [][]float64) float64 { return x[0][0] }", "len(dx) != len(x); len(dx[i]) != len(x[i]); DistinctRows: parts of dx; SeparateRows: dx and x"},
		{"grad", "func F(x []float64, k []int) float64 { return x[k[0]] }", "len(dx) != len(x); NoOverlap: dx and x"},
		{"grad wrt=x", "func F(x, y []float64) float64 { return x[0] * y[0] }", "len(dx) != len(x); NoOverlap: dx and x; NoOverlap: dx and y"},
		{"grad wrt=x,y", "func F(x, y []float64) float64 { return x[0] * y[0] }", "len(dx) != len(x); len(dy) != len(y); NoOverlap: dx and dy; NoOverlap: dx and x; NoOverlap: dx and y; NoOverlap: dy and x; NoOverlap: dy and y"},
		{"grad", "func F(p *float64) float64 { return *p * *p }", "dp == nil; NoAlias: dp and p"},
		{"grad", "func F(p *float64) float64 { if p == nil { return 1 }; return *p * *p }", "dp == nil && ok; NoAlias: dp and p"},
		{"grad", "type P struct { A []float64; N int; B *float64 }\nfunc F(p P) float64 { return p.A[0] * *p.B }", "dp == nil; len(dp.A) != len(p.A); dp.B == nil && pB != nil; Distinct: parts of dp; Separate: dp and p"},
		{"grad", "type P struct { A []float64; N int }\nfunc F(p *P) float64 { return p.A[0] }", "dp == nil; len(dp.A) != len(p.A); Separate: dp and p"},
		{"grad", "func F(p *float64, n int) float64 { if n == 0 { return 1 }; return *p * *p }", "dp == nil && ok; NoAlias: dp and p"},
		{"grad", "type P struct { A []float64; K []int }\nfunc F(p *P) float64 { return p.A[p.K[0]] }", "dp == nil; len(dp.A) != len(p.A); Separate: dp and p"},
		{"grad", "func F(m map[string]float64) float64 { return m[\"a\"] }", "dm == nil && m != nil; Separate: dm and m"},
		{"grad", "func F(x []float64) float64 { x[0] = x[1]; return x[0] }", "len(dx) != len(x); NoOverlap: dx and x"},
		{"vjp of=dst wrt=x", "func F(dst, x []float64) { dst[0] = x[0] }", "len(dstBar) != len(dst); len(xBar) != len(x); NoOverlap: dstBar and xBar; NoOverlap: dstBar and dst; NoOverlap: dstBar and x; NoOverlap: xBar and dst; NoOverlap: xBar and x; NoOverlap: dst and x"},
		{"pullback wrt=x,y", "func F(x, y []float64) float64 { return x[0] * y[0] }", "NoOverlap: xBar and yBar; len(xBar) != len(x); len(yBar) != len(y)"},
		{"hvp", "func F(x []float64) float64 { return x[0] * x[1] }", "len(hv) != len(x); len(v) != len(x); NoOverlap: hv and x; NoOverlap: hv and v"},
	}, func(r row) string {
		decls, f := "", r.src
		if i := strings.LastIndex(r.src, "func F"); i > 0 {
			decls, f = r.src[:i], r.src[i:]
		}
		return decls + "\n// F is tested.\n//\n//quabla:" + r.directive + "\n" + f + "\n"
	}, func(r row, s *source) {
		if s.out == "" {
			t.Fatalf("%s of %s: %s", r.directive, r.src, s.diagnostics)
		}
		if got := s.checks(); got != r.want {
			t.Errorf("%s of %s: checks %q, want %q", r.directive, r.src, got, r.want)
		}
	})
}
