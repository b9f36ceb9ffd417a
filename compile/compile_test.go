package compile_test

import (
	"strings"
	"testing"
)

// rows generates the sources of a table and calls check for each.
func rows[R any](t *testing.T, table []R, text func(R) string, check func(R, *source)) {
	t.Helper()
	var texts []string
	for _, r := range table {
		texts = append(texts, text(r))
	}
	for i, s := range generated(t, texts) {
		check(table[i], s)
	}
}

// TestDocs holds the comments of derived functions, and what their sentences
// depend on.
func TestDocs(t *testing.T) {
	type row struct{ directive, src, name, want string }
	rows(t, []row{
		{"grad", "func F(x float64) float64 { return x * x }", "FGrad",
			"FGrad returns [F](x) and its gradient with respect to x as dx. It does not allocate."},
		{"grad", "func F(x []float64) float64 { return x[0] }", "FGrad",
			"FGrad returns [F](x) and stores its gradient with respect to x in dx, overwriting what was there. It panics if len(dx) != len(x) or if dx and x share memory. It does not allocate."},
		{"grad add", "func F(x []float64) float64 { return x[0] }", "FGrad",
			"FGrad returns [F](x) and stores its gradient with respect to x in dx, adding to what was there. It panics if len(dx) != len(x) or if dx and x share memory. It does not allocate."},
		{"grad wrt=x,a", "func F(x []float64, a float64) float64 { return x[0] * a }", "FGrad",
			"FGrad returns [F](x, a) and its gradient with respect to x and a: the part for a as da, that for x stored in dx, overwriting what was there. It panics if len(dx) != len(x) or if dx and x share memory. It does not allocate."},
		{"grad wrt=x", "func F(x []float64, y []float64, z []float64, m *float64) float64 { return x[0] * y[0] * z[0] * *m }", "FGrad",
			"FGrad returns [F](x, y, z, m) and stores its gradient with respect to x in dx, overwriting what was there. It panics if shapes disagree or what it writes to shares memory with something else. It does not allocate."},
		{"grad", "func F(x []float64) float64 { z := make([]float64, len(x)); for i := range z { z[i] = x[i] * x[0] }; s := 1.0; for _, v := range z { s *= v }; return s }", "FGrad",
			"FGrad returns [F](x) and stores its gradient with respect to x in dx, overwriting what was there. It panics if len(dx) != len(x) or if dx and x share memory. Its memory comes from a pool; FGradIn takes a work space of the caller."},
		{"grad", "func F(x []float64) float64 { z := make([]float64, len(x)); for i := range z { z[i] = x[i] * x[0] }; s := 1.0; for _, v := range z { s *= v }; return s }", "FGradIn",
			"FGradIn is FGrad with a work space of the caller. It allocates nothing once the work space has grown to the size of the input."},
		{"jvp", "func F(x float64, n int) float64 { return x * float64(n) }", "FJVP",
			"FJVP returns [F](x, n) and its derivative in the direction xDot. It does not allocate."},
		{"jvp wrt=x,y", "func F(x, y float64) float64 { return x * y }", "FJVP",
			"FJVP returns [F](x, y) and its derivative in the direction xDot and yDot. It does not allocate."},
		{"jvp wrt=x lanes=4", "func F(x float64) float64 { return x * x }", "FJVP4",
			"FJVP4 returns [F](x) and its derivatives in 4 directions: each number of xDot has 4 lanes. It does not allocate."},
		{"jvp of=dst wrt=x", "func F(dst, x []float64) { dst[0] = x[0] }", "FJVP",
			"FJVP runs [F](dst, x) and its derivative in the direction xDot. It panics if shapes disagree or what it writes to shares memory with something else. It does not allocate."},
		{"vjp", "func F(x float64) float64 { return x * x }", "FVJP",
			"FVJP returns [F](x) and the product of valueBar and its Jacobian with respect to x as xBar. It does not allocate."},
		{"vjp of=dst wrt=x", "func F(dst, x []float64) { dst[0] = x[0] }", "FVJP",
			"FVJP runs [F](dst, x) and stores the product of the cotangents and its Jacobian with respect to x in dstBar and xBar, overwriting what was there. dstBar holds the cotangent of the final state of dst on entry and of its initial state on return. It panics if shapes disagree or what it writes to shares memory with something else. It does not allocate."},
		{"pullback", "func F(x float64) float64 { return x * x }", "FPullback",
			"FPullback returns [F](x) and its pullback with respect to x: a function that takes the cotangents of the results and computes their product with the Jacobian. It can be called repeatedly, by one goroutine at a time, and owns what it needs: the parameters may change before."},
		{"hvp", "func F(x []float64) float64 { return x[0] * x[1] }", "FHVP",
			"FHVP returns [F](x) and stores the product of its Hessian with respect to x and the direction v in hv, overwriting what was there. It panics if shapes disagree or what it writes to shares memory with something else. It does not allocate."},
		{"hessian", "func F(x []float64) float64 { return x[0] * x[1] }", "FHessian",
			"FHessian returns [F](x) and stores its Hessian with respect to x in h, which must be empty or have the right size: one row and one column for each float of x, in order of parameters, indices and fields. Its memory comes from a pool; FHessianIn takes a work space of the caller."},
		{"jacobian of=dst wrt=x", "func F(dst, x []float64) { dst[0] = x[0] }", "FJacobian",
			"FJacobian runs [F](dst, x) and stores its Jacobian with respect to x in jac, which must be empty or have the right size: one row for each float of dst, one column for each float of x, in order of parameters, indices and fields. It panics if dst and x share memory. Its memory comes from a pool; FJacobianIn takes a work space of the caller."},
		{"derive G = grad(grad(F, x), x)", "func F(x float64) float64 { return x * x * x }", "G",
			"G is grad(grad(F, x), x), derived from [F]. It returns dx and dx2. It does not allocate."},
		{"grad wrt=x", "func (m *M) F(x float64) float64 { return x * m.W }\n\ntype M struct{ W float64 }", "FGrad",
			"FGrad returns m.[M.F](x) and its gradient with respect to x as dx. It does not allocate."},
	}, func(r row) string { return "// F is tested.\n//\n//quabla:" + r.directive + "\n" + r.src + "\n" },
		func(r row, s *source) {
			if got := s.doc(r.name); got != r.want {
				t.Errorf("%s of %s: got\n%s\nwant\n%s\n%s", r.directive, r.src, got, r.want, s.diagnostics)
			}
		})
}

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
		{"grad", "func F(p *float64) float64 { return *p * *p }", "dp is nil; NoAlias: dp and p"},
		{"grad", "func F(p *float64) float64 { if p == nil { return 1 }; return *p * *p }", "dp is nil; NoAlias: dp and p"},
		{"grad", "type P struct { A []float64; N int; B *float64 }\nfunc F(p P) float64 { return p.A[0] * *p.B }", "dp is nil; len(dp.A) != len(p.A); dp.B is nil; Distinct: parts of dp; NoOverlap: dp and p; NotIn: dp and p; NotIn: dp and p; NoAlias: dp and p"},
		{"grad", "type P struct { A []float64; N int }\nfunc F(p *P) float64 { return p.A[0] }", "dp is nil; len(dp.A) != len(p.A); NoAlias: dp and p; NoOverlap: dp and p"},
		{"grad", "func F(m map[string]float64) float64 { return m[\"a\"] }", "dm is nil; Separate: dm and m"},
		{"grad", "func F(x []float64) float64 { x[0] = x[1]; return x[0] }", "len(dx) != len(x); NoOverlap: dx and x"},
		{"vjp of=dst wrt=x", "func F(dst, x []float64) { dst[0] = x[0] }", "len(dstBar) != len(dst); len(xBar) != len(x); NoOverlap: dstBar and xBar; NoOverlap: dstBar and dst; NoOverlap: dstBar and x; NoOverlap: xBar and dst; NoOverlap: xBar and x; NoOverlap: dst and x"},
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

// TestDeclared holds the names that generated files declare.
func TestDeclared(t *testing.T) {
	const power = "func power(x float64, n int) float64 { if n == 0 { return 1 }; return x * power(x, n-1) }\n"
	const tape = "{ z := make([]float64, len(x)); for i := range z { z[i] = x[i] * x[0] }; s := 1.0; for _, v := range z { s *= v }; return s }\n"
	type row struct{ name, src, want string }
	rows(t, []row{
		{"a function", "//quabla:grad\nfunc F(x float64) float64 { return x * x }", "FGrad"},
		{"not exported", "//quabla:grad\nfunc f(x float64) float64 { return x * x }", "fGrad"},
		{"another name", "//quabla:grad name=G\nfunc F(x float64) float64 { return x * x }", "G"},
		{"helpers", power + "//quabla:grad\nfunc F(x float64) float64 { return power(x, 3) }", "fGradPowerRecord FGrad fGradPowerAug fGradPowerPull"},
		{"helpers of two functions", power + "//quabla:jvp\nfunc F(x float64) float64 { return power(x, 3) }\n\n//quabla:jvp\nfunc G(x float64) float64 { return power(x, 4) }", "FJVP fjvpPowerJVP GJVP gjvpPowerJVP"},
		{"helpers of an abbreviation", power + "//quabla:jvp\nfunc HTTPLoss(x float64) float64 { return power(x, 3) }", "HTTPLossJVP httpLossJVPPowerJVP"},
		{"a helper with a name that is taken", power + "//quabla:jvp\nfunc F(x float64) float64 { return power(x, 3) }\n\nfunc fjvpPowerJVP() {}", "FJVP fjvpPowerJVP2"},
		{"names that differ in one letter", power + "//quabla:jvp\nfunc F(x float64) float64 { return power(x, 3) }\n\n//quabla:jvp\nfunc f(x float64) float64 { return power(x, 4) }", "FJVP fjvpPowerJVP fJVP fJVPPowerJVP"},
		{"a method", power + "type M struct{ W float64 }\n\n//quabla:jvp wrt=x\nfunc (m *M) F(x float64) float64 { return power(x, 3) * m.W }", "FJVP mfjvpPowerJVP"},
		{"a work space", "//quabla:grad\nfunc F(x []float64) float64 " + tape, "FGradWork fGradPool FGrad FGradIn"},
		{"a pool whose name is taken", "var fGradPool int\n\n//quabla:grad\nfunc F(x []float64) float64 " + tape, "FGradWork fGradPool2 FGrad FGradIn"},
	}, func(r row) string { return r.src + "\n" }, func(r row, s *source) {
		if got := s.names(); got != r.want {
			t.Errorf("%s: declares %q, want %q\n%s", r.name, got, r.want, s.diagnostics)
		}
	})
}

// TestHidden holds declarations of the package that generated code must not
// stumble over.
func TestHidden(t *testing.T) {
	type row struct{ name, decl, body, diagnostics, has string }
	rows(t, []row{
		{"a builtin that is needed", "func len() {}", "s := 0.0; for _, v := range x { s += v }; return s",
			"error: this declaration hides the predeclared len, which generated code needs\n", ""},
		{"a builtin that is not", "func cap() {}", "return x[0]", "", ""},
		{"min has a double", "func min() int { return 1 }", "return max(x[0], x[1])", "", ""},
		{"true", "const true = 1 == 1", "return x[0]", "error: this declaration hides the predeclared true, which generated code needs\n", ""},
		{"a parameter of the derivative", "const dx = 2.0", "return x[0] * dx", "", "func FGrad(dx2, x []float64)"},
		{"a result of the derivative", "var value = 2.0", "return x[0] * value", "", "func FGrad(dx, x []float64) (value2 float64)"},
		{"a package that does not hide anything", "const other = 2.0", "return x[0] * other", "", "func FGrad(dx, x []float64) (value float64)"},
	}, func(r row) string {
		return r.decl + "\n\n//quabla:grad\nfunc F(x []float64) float64 { " + r.body + " }\n"
	}, func(r row, s *source) {
		if s.diagnostics != r.diagnostics {
			t.Errorf("%s: diagnostics %q, want %q", r.name, s.diagnostics, r.diagnostics)
		}
		if !strings.Contains(s.out, r.has) {
			t.Errorf("%s: no %q in\n%s", r.name, r.has, s.out)
		}
	})
}
