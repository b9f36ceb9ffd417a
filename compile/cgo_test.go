package compile_test

import (
	"strings"
	"testing"
)

// TestCgo refuses code in C where it is called, whether or not a C compiler is at
// hand, but not in a function that has a rule.
func TestCgo(t *testing.T) {
	t.Setenv("CGO_ENABLED", "1")
	t.Setenv("CC", "none")
	const sine = "// #include <math.h>\nimport \"C\"\n\nfunc sine(x float64) float64 { return float64(C.sin(C.double(x))) }\n\n"
	rule := "//quabla:custom_vjp sine rule=sineVJP\nfunc sineVJP(x, bar float64) float64 { return float64(C.cos(C.double(x))) * bar }\n\n"
	f := "//quabla:grad\nfunc F(x float64) float64 { return x * sine(2*x) }\n"
	all := generated(t, []string{sine + f, sine + rule + f})
	if want := "error: cannot differentiate C.sin: it is code in C\n"; all[0].diagnostics != want {
		t.Errorf("got %q, want %q", all[0].diagnostics, want)
	}
	if all[1].diagnostics != "" || !strings.Contains(all[1].out, "sineVJP(") {
		t.Errorf("the rule is not called: %s\n%s", all[1].diagnostics, all[1].out)
	}
}
