package compile_test

import "testing"

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
			"FJVP runs [F](dst, x) and its derivative in the direction xDot. dstDot is overwritten with the tangent of dst. It panics if shapes disagree or what it writes to shares memory with something else. It does not allocate."},
		{"vjp", "func F(x float64) float64 { return x * x }", "FVJP",
			"FVJP returns [F](x) and the product of valueBar and its Jacobian with respect to x as xBar. It does not allocate."},
		{"vjp of=dst wrt=x", "func F(dst, x []float64) { dst[0] = x[0] }", "FVJP",
			"FVJP runs [F](dst, x) and stores the product of the cotangents and its Jacobian with respect to x in xBar, overwriting what was there. dstBar holds the cotangent of the final state of dst on entry and of its initial state on return. It panics if shapes disagree or what it writes to shares memory with something else. It does not allocate."},
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
		{"jvp", "func F(l *L) float64 { return l.W * l.W }\n\ntype L struct{ W float64; Next *L }", "FJVP",
			"FJVP returns [F](l) and its derivative in the direction lDot. It panics if lDot has another shape than l. It does not allocate."},
		{"grad wrt=x", "func (m *M) F(x float64) float64 { return x * m.W }\n\ntype M struct{ W float64 }", "FGrad",
			"FGrad returns m.[M.F](x) and its gradient with respect to x as dx. It does not allocate."},
	}, func(r row) string { return "// F is tested.\n//\n//quabla:" + r.directive + "\n" + r.src + "\n" },
		func(r row, s *source) {
			if got := s.doc(r.name); got != r.want {
				t.Errorf("%s of %s: got\n%s\nwant\n%s\n%s", r.directive, r.src, got, r.want, s.diagnostics)
			}
		})
}
