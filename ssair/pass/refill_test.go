package pass_test

import (
	"testing"

	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

func TestRefill(t *testing.T) {
	const sig = "func F(%1:p []float64, %2:q []float64, %3:i int, %4:x float64) (float64)"
	loose := func(f *ssair.Func) bool {
		f.Body.Walk(func(o *ssair.Op) bool {
			o.Loose = o.Kind == ssair.Accum
			return true
		})
		return pass.Refill(f)
	}
	rewrite(t, pass.Refill, sig, []row{
		{"a primal number may be -0", `
		%5 float64 = zero
		store [] %1, %3, %5
		accum [] %1, %3, %4
		return %4`, ""},
	})
	rewrite(t, loose, sig, []row{
		{"an adjoint taken and given back", `
		%5 float64 = load [] %1, %3
		%6 float64 = const 0
		store [] %1, %3, %6
		%7 float64 = bin * %5, %4
		accum [] %1, %3, %7
		return %5`, `
		%5 float64 = load [] %1, %3
		%6 float64 = const 0
		%7 float64 = bin * %5, %4
		store [] %1, %3, %7
		return %5`},
		{"read in between", `
		%5 float64 = zero
		store [] %1, %3, %5
		%6 float64 = load [] %2, %3
		accum [] %1, %3, %6
		return %6`, ""},
		{"another slice", `
		%5 float64 = zero
		store [] %1, %3, %5
		accum [] %2, %3, %4
		return %4`, ""},
		{"not zero", `
		%5 float64 = const 1
		store [] %1, %3, %5
		accum [] %1, %3, %4
		return %4`, ""},
	})
}
