package pass_test

import (
	"testing"

	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

func TestClones(t *testing.T) {
	clones := func(inner bool) func(*ssair.Func) bool {
		return func(f *ssair.Func) bool {
			before := spell(f)
			pass.Clones(f, inner)
			pass.Dead(f)
			return spell(f) != before
		}
	}
	const sig = "func F(%1:p []float64, %2:x float64, %3:i int, %4:q *[]float64) ([]float64)"
	const clone = `
		%5 []float64 = zero
		%6 []float64 = appendslice %5, %1`
	const made = `
		%5 int = len %1
		%6 []float64 = makeslice %5, _
		%7 int = copy %6, %1`
	rewrite(t, clones(false), sig, []row{
		{"a copy", clone + `
		store [] %6, %3, %2
		return %6`, made + `
		store [] %6, %3, %2
		return %6`},
		{"an append to a part without capacity", `
		%5 int = const 0
		%6 []float64 = slice %1, %5, %5, %5
		%7 []float64 = appendslice %6, %1
		return %7`, `
		%5 int = len %1
		%6 []float64 = makeslice %5, _
		%7 int = copy %6, %1
		return %6`},
		{"kept by the caller", clone + `
		store * %4, %6
		return %1`, made + `
		store * %4, %6
		return %1`},
		{"appended to", clone + `
		%7 []float64 = append %6, %2
		return %7`, ""},
		{"appended to after it was kept", clone + `
		store * %4, %6
		%7 []float64 = load * %4
		%8 []float64 = append %7, %2
		return %8`, ""},
		{"its capacity counts", clone + `
		%7 int = cap %6
		store [] %6, %7, %2
		return %6`, ""},
		{"compared with nil", clone + `
		%7 []float64 = zero
		%8 bool = cmp == %6, %7
		%9 []float64 = if %8 {
		then:
			yield %1
		else:
			yield %6
		}
		return %9`, ""},
		{"an append to what has capacity", `
		%5 int = const 0
		%6 []float64 = slice %1, %5, %5, _
		%7 []float64 = appendslice %6, %1
		return %7`, ""},
	})
	rewrite(t, clones(true), sig, []row{
		{"returned to who may append", clone + `
		return %6`, ""},
		{"kept by who may append", clone + `
		store * %4, %6
		return %1`, ""},
		{"of the function itself", clone + `
		store [] %6, %3, %2
		%7 float64 = load [] %6, %3
		store [] %1, %3, %7
		return %1`, made + `
		store [] %6, %3, %2
		%8 float64 = load [] %6, %3
		store [] %1, %3, %8
		return %1`},
	})
}
