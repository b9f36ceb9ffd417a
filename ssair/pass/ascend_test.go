package pass_test

import (
	"testing"

	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// TestAscend holds loops of a reverse sweep, which count down. They count up
// where no trip can tell the difference.
func TestAscend(t *testing.T) {
	// loopOf is a loop over i from n-1 down to 0 that carries a value, which
	// body leaves in %20.
	loopOf := func(body string) string {
		return `
		%4 int = const 1
		%5 int = bin - %1, %4
		%6:i int, %7 float64 = loop while down %5, %2 {
		cond(%8:i int, %9 float64):
			%10 int = const 0
			%11 bool = cmp >= %8, %10
			yield %11
		body(%12:i int, %13 float64):` + body + `
			yield %12, %20
		post(%14:i int, %15 float64):
			%16 int = const 1
			%17 int = bin - %14, %16
			yield %17, %15
		}
		return %7`
	}
	up := func(kind, body string) string {
		return `
		%4 int = const 0
		%6:i int, %7 float64 = loop ` + kind + ` %4, %2 | %1 {
		cond(%8:i int, %9 float64):
			%11 bool = cmp < %8, %1
			yield %11
		body(%12:i int, %13 float64):` + body + `
			yield %12, %20
		post(%14:i int, %15 float64):
			%16 int = const 1
			%17 int = bin + %14, %16
			yield %17, %15
		}
		return %7`
	}
	ascend := func(f *ssair.Func) bool {
		before := f.String()
		pass.Ascend(f)
		if f.String() == before {
			return false
		}
		return pass.Dead(f) || true
	}
	stays := func(name, body string) row { return row{name, loopOf(body), ""} }
	rises := func(name, kind, body string) row { return row{name, loopOf(body), up(kind, body)} }
	params := "func F(%1:n int, %2:x float64, %3:p []float64, %22:q []float64, %21:k []int) (float64)"
	rewrite(t, ascend, params, []row{
		rises("a sum", "int independent", `
			%18 float64 = load [] %3, %12
			%20 float64 = bin + %13, %18 // loose`),
		rises("an accumulation into other memory", "int independent", `
			%18 int = load [] %21, %12
			accum [] %3, %18, %2
			%20 float64 = bin + %13, %2 // loose`),
		rises("trips that do not look at the index", "int", `
			%20 float64 = bin * %13, %13 // loose`),
		stays("a primal sum", `
			%18 float64 = load [] %3, %12
			%20 float64 = bin + %13, %18`),
		stays("a product", `
			%18 float64 = load [] %3, %12
			%20 float64 = bin * %13, %18 // loose`),
		stays("a sum that the trip reads", `
			%18 float64 = load [] %3, %12
			%19 float64 = bin * %13, %18 // loose
			%20 float64 = bin + %13, %19 // loose`),
		stays("a sum that goes elsewhere too", `
			%18 int = load [] %21, %12
			%20 float64 = bin + %13, %2 // loose
			accum [] %3, %18, %13`),
		stays("a store", `
			store [] %3, %12, %2
			%20 float64 = bin + %13, %2 // loose`),
		stays("an accumulation into memory that the trips read", `
			%18 float64 = load [] %22, %12
			accum [] %3, %12, %18
			%20 float64 = bin + %13, %18 // loose`),
		stays("a call", `
			%18 float64 = conv %12
			%19 float64 = opaque "demo".Known %18
			%20 float64 = bin + %13, %19 // loose`),
	})
}
