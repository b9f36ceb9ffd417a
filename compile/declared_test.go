package compile_test

import (
	"strings"
	"testing"
)

// TestDeclared holds the names that generated files declare.
func TestDeclared(t *testing.T) {
	const power = "func power(x float64, n int) float64 { if n == 0 { return 1 }; return x * power(x, n-1) }\n"
	const tape = "{ z := make([]float64, len(x)); for i := range z { z[i] = x[i] * x[0] }; s := 1.0; for _, v := range z { s *= v }; return s }\n"
	type row struct{ name, src, want string }
	rows(t, []row{
		{"a function", "//quabla:grad\nfunc F(x float64) float64 { return x * x }", "FGrad"},
		{"not exported", "//quabla:grad\nfunc f(x float64) float64 { return x * x }", "fGrad"},
		{"another name", "//quabla:grad name=G\nfunc F(x float64) float64 { return x * x }", "G"},
		{"helpers", power + "//quabla:grad\nfunc F(x float64) float64 { return power(x, 3) }", "fGradPowerRecord FGradWork fGradPool FGrad FGradIn fGradPowerAug fGradPowerPull"},
		{"helpers of two functions", power + "//quabla:jvp\nfunc F(x float64) float64 { return power(x, 3) }\n\n//quabla:jvp\nfunc G(x float64) float64 { return power(x, 4) }", "FJVP fjvpPowerJVP GJVP gjvpPowerJVP"},
		{"helpers of an abbreviation", power + "//quabla:jvp\nfunc HTTPLoss(x float64) float64 { return power(x, 3) }", "HTTPLossJVP httpLossJVPPowerJVP"},
		{"a helper with a name that is taken", power + "//quabla:jvp\nfunc F(x float64) float64 { return power(x, 3) }\n\nfunc fjvpPowerJVP() {}", "FJVP fjvpPowerJVP2"},
		{"names that differ in one letter", power + "//quabla:jvp\nfunc F(x float64) float64 { return power(x, 3) }\n\n//quabla:jvp\nfunc f(x float64) float64 { return power(x, 4) }", "FJVP fjvpPowerJVP fJVP fJVPPowerJVP"},
		{"names that differ in case", power + "//quabla:jvp\nfunc HTTPLoss(x float64) float64 { return power(x, 3) }\n\n//quabla:jvp\nfunc HttpLoss(x float64) float64 { return power(x, 4) }", "HTTPLossJVP httpLossJVPPowerJVP HttpLossJVP httpLossJVP2PowerJVP"},
		{"a method", power + "type M struct{ W float64 }\n\n//quabla:jvp wrt=x\nfunc (m *M) F(x float64) float64 { return power(x, 3) * m.W }", "FJVP mfjvpPowerJVP"},
		{"a work space", "//quabla:grad\nfunc F(x []float64) float64 " + tape, "FGradWork fGradPool FGrad FGradIn FNewGrad"},
		{"a pool whose name is taken", "var fGradPool int\n\n//quabla:grad\nfunc F(x []float64) float64 " + tape, "FGradWork fGradPool2 FGrad FGradIn FNewGrad"},
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
