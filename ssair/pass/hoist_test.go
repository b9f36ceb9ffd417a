package pass_test

import (
	"testing"

	"github.com/quabla/quabla/ssair/pass"
)

// TestHoist holds what moves in front of a loop. Each row is a loop that computes
// %20 in its body.
func TestHoist(t *testing.T) {
	// loopOf returns a loop with the given ops in front of it and in its body.
	loopOf := func(before, body string) string {
		return `
		%4 int = const 0` + before + `
		%5:i int, %6:t float64 = loop int %4, %2 | %1 {
		cond(%7:i int, %8:t float64):
			%9 bool = cmp < %7, %1
			yield %9
		body(%10:i int, %11:t float64):` + body + `
			%30 float64 = bin + %11, %20
			yield %10, %30
		post(%12:i int, %13:t float64):
			%14 int = const 1
			%15 int = bin + %12, %14
			yield %15, %13
		}
		return %6`
	}
	stays := func(name, body string) row { return row{name, loopOf("", body), ""} }
	moves := func(name, body string) row { return row{name, loopOf("", body), loopOf(body, "")} }
	rewrite(t, pass.Hoist, "func F(%1:n int, %2:x float64, %3:p []float64) (float64)", []row{
		moves("a product", `
			%20 float64 = bin * %2, %2`),
		moves("a quotient", `
			%20 float64 = bin / %2, %2`),
		moves("a function", `
			%20 float64 = apply math.Log %2`),
		moves("a conversion", `
			%20 float64 = conv %1`),
		moves("a chain", `
			%19 float64 = un - %2
			%20 float64 = bin * %19, %2`),
		moves("a product with a constant", `
			%19 float64 = const 2
			%20 float64 = bin * %19, %2`),
		stays("what the trip changes", `
			%20 float64 = bin * %11, %2`),
		stays("what the trip counts", `
			%20 float64 = conv %10`),
		stays("a load", `
			%19 int = const 0
			%20 float64 = load [] %3, %19`),
		stays("an int division may panic", `
			%18 int = bin / %1, %1
			%20 float64 = conv %18`),
		stays("an explicit conversion", `
			%20 float64 = conv explicit %2`),
		stays("an opaque call", `
			%20 float64 = opaque "demo".Known %2`),
	})
}

// TestHoistNames holds constants that are kept under a name: they move to the
// start, with what is computed from them alone.
func TestHoistNames(t *testing.T) {
	rewrite(t, pass.Hoist, "func F(%1:c bool, %2:x float64) (float64)", []row{
		{"from an arm", `
		%3 float64 = if %1 {
		then:
			%4 float64 = const 1/10
			%5 float64 = conv explicit %4
			%6 float64 = const 2
			%7 float64 = bin * %6, %5
			yield %7
		else:
			yield %2
		}
		return %3`, `
		%4 float64 = const 1/10
		%5 float64 = conv explicit %4
		%6 float64 = const 2
		%7 float64 = bin * %6, %5
		%3 float64 = if %1 {
		then:
			yield %7
		else:
			yield %2
		}
		return %3`},
		{"what is computed from other constants stays", `
		%3 float64 = if %1 {
		then:
			%4 float64 = const 1
			%5 float64 = const 0
			%7 float64 = bin / %4, %5
			yield %7
		else:
			yield %2
		}
		return %3`, ``},
		{"what is computed from a variable stays", `
		%3 float64 = if %1 {
		then:
			%7 float64 = bin * %2, %2
			yield %7
		else:
			yield %2
		}
		return %3`, ``},
	})
}
