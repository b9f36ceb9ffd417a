package pass_test

import (
	"testing"

	"github.com/quabla/quabla/ssair/pass"
)

// TestSimplifyIfs holds ifs whose results or conditions are known.
func TestSimplifyIfs(t *testing.T) {
	rewrite(t, pass.Simplify, "func F(%1:c bool, %2:x float64, %3:y float64, %4:n int) (float64)", []row{
		{"decided", `
		%5 bool = const false
		%6 float64 = if %5 {
		then:
			yield %2
		else:
			%7 float64 = bin * %2, %3
			yield %7
		}
		return %6`, `
		%7 float64 = bin * %2, %3
		return %7`},
		{"decided by the if around it", `
		%5 float64 = if %1 {
		then:
			%6 bool = un ! %1
			%7 float64 = if %6 {
			then:
				yield %2
			else:
				yield %3
			}
			yield %7
		else:
			yield %2
		}
		return %5`, `
		%5 float64 = if %1 {
		then:
			yield %3
		else:
			yield %2
		}
		return %5`},
		{"both arms yield one value", `
		%5 float64 = if %1 {
		then:
			yield %2
		else:
			yield %2
		}
		return %5`, `
		if %1 {
		then:
			yield
		else:
			yield
		}
		return %2`},
		{"both arms compute one value", `
		%5 float64 = if %1 {
		then:
			%6 float64 = bin - %2, %3
			yield %6
		else:
			%7 float64 = bin - %2, %3
			yield %7
		}
		return %5`, `
		if %1 {
		then:
			%6 float64 = bin - %2, %3
			yield
		else:
			%7 float64 = bin - %2, %3
			yield
		}
		%5 float64 = bin - %2, %3
		return %5`},
		{"the arms swap operands", `
		%5 float64 = if %1 {
		then:
			%6 float64 = bin - %2, %3
			yield %6
		else:
			%7 float64 = bin - %3, %2
			yield %7
		}
		return %5`, ``},
		{"the arms add and subtract", `
		%5 float64 = if %1 {
		then:
			%6 float64 = bin + %2, %3
			yield %6
		else:
			%7 float64 = bin - %2, %3
			yield %7
		}
		return %5`, ``},
		{"an int division is not moved", `
		%5 int = if %1 {
		then:
			%6 int = bin / %4, %4
			yield %6
		else:
			%7 int = bin / %4, %4
			yield %7
		}
		%8 float64 = conv %5
		return %8`, ``},
		{"behind a panic", `
		%5 string = const "no"
		if %1 {
		then:
			panic %5
			unreachable
		else:
			panic %5
			unreachable
		}
		return %2`, `
		%5 string = const "no"
		if %1 {
		then:
			panic %5
			unreachable
		else:
			panic %5
			unreachable
		}
		unreachable`},
	})
	rewrite(t, pass.Simplify, "func F(%1:c bool) (bool)", []row{
		{"true and false", `
		%2 bool = if %1 {
		then:
			%3 bool = const true
			yield %3
		else:
			%4 bool = const false
			yield %4
		}
		return %2`, `
		if %1 {
		then:
			yield
		else:
			yield
		}
		return %1`},
		{"false and true", `
		%2 bool = if %1 {
		then:
			%3 bool = const false
			yield %3
		else:
			%4 bool = const true
			yield %4
		}
		return %2`, `
		if %1 {
		then:
			yield
		else:
			yield
		}
		%2 bool = un ! %1
		return %2`},
		{"a choice compared in its arms", `
		%2 int = if %1 {
		then:
			%3 int = const 1
			yield %3
		else:
			%4 int = const 2
			yield %4
		}
		%5 int = const 2
		%6 bool = cmp == %2, %5
		return %6`, `
		%2 int = if %1 {
		then:
			%3 int = const 1
			yield %3
		else:
			%4 int = const 2
			yield %4
		}
		%5 bool = un ! %1
		return %5`},
	})
}

// TestSimplifyLoops holds loops that carry too much or run too little.
func TestSimplifyLoops(t *testing.T) {
	rewrite(t, pass.Simplify, "func F(%1:n int, %2:x float64) (float64)", []row{
		{"a value that never changes", `
		%3 int = const 0
		%4:i int, %5 float64 = loop while %3, %2 {
		cond(%6:i int, %7 float64):
			%8 bool = cmp < %6, %1
			yield %8
		body(%9:i int, %10 float64):
			%19 []float64 = makeslice %9, _
			yield %9, %10
		post(%11:i int, %12 float64):
			%13 int = const 1
			%14 int = bin + %11, %13
			yield %14, %12
		}
		return %5`, `
		%3 int = const 0
		%4:i int = loop while %3 {
		cond(%6:i int):
			%8 bool = cmp < %6, %1
			yield %8
		body(%9:i int):
			%19 []float64 = makeslice %9, _
			yield %9
		post(%11:i int):
			%13 int = const 1
			%14 int = bin + %11, %13
			yield %14
		}
		return %2`},
		{"a loop that never runs", `
		%3 bool = const false
		%4 float64 = loop while %2 {
		cond(%5 float64):
			%6 bool = const false
			yield %6
		body(%7 float64):
			%8 float64 = bin * %7, %7
			yield %8
		post(%9 float64):
			yield %9
		}
		return %4`, `
		return %2`},
		{"a loop that always breaks is an if", `
		%4 float64 = loop while break %2 {
		cond(%5 float64):
			%6 bool = cmp > %5, %2
			yield %6
		body(%7 float64):
			%8 float64 = bin * %7, %7
			%10 bool = const false
			yield %10, %8
		post(%9 float64):
			yield %9
		}
		return %4`, `
		%6 bool = cmp > %2, %2
		%4 float64 = if %6 {
		then:
			%8 float64 = bin * %2, %2
			yield %8
		else:
			yield %2
		}
		return %4`},
		{"a loop that never breaks", `
		%4 float64 = loop while break %2 {
		cond(%5 float64):
			%6 bool = cmp > %5, %2
			yield %6
		body(%7 float64):
			%8 float64 = bin * %7, %7
			%10 bool = const true
			yield %10, %8
		post(%9 float64):
			yield %9
		}
		return %4`, `
		%4 float64 = loop while %2 {
		cond(%5 float64):
			%6 bool = cmp > %5, %2
			yield %6
		body(%7 float64):
			%8 float64 = bin * %7, %7
			yield %8
		post(%9 float64):
			yield %9
		}
		return %4`},
	})
}

// TestSimplifyParts holds aggregates, lengths and interfaces.
func TestSimplifyParts(t *testing.T) {
	rewrite(t, pass.Simplify, "func F(%1:x float64, %2:n int, %3:s []float64) (float64, int)", []row{
		{"a part of what was built", `
		%4 Point = build %1, %1
		%5 Seg = build %4, %4, %2
		%6 float64 = extract .1.0 %5
		return %6, %2`, `
		%4 Point = build %1, %1
		%5 Seg = build %4, %4, %2
		return %1, %2`},
		{"a part of the zero value", `
		%4 Seg = zero
		%6 float64 = extract .1.0 %4
		return %6, %2`, `
		%6 float64 = zero
		return %6, %2`},
		{"the length of what was made", `
		%4 []float64 = makeslice %2, _
		%5 int = len %4
		return %1, %5`, `
		%4 []float64 = makeslice %2, _
		return %1, %2`},
		{"the capacity of what was made", `
		%4 int = const 3
		%5 []float64 = makeslice %4, %2
		%6 int = cap %5
		return %1, %6`, `
		%4 int = const 3
		%5 []float64 = makeslice %4, %2
		return %1, %2`},
		{"the length beside a capacity", `
		%4 int = const 3
		%5 []float64 = makeslice %2, %4
		%6 int = len %5
		return %1, %6`, `
		%4 int = const 3
		%5 []float64 = makeslice %2, %4
		return %1, %2`},
		{"the length of a slice up to n", `
		%5 []float64 = slice %3, _, %2, _
		%6 int = len %5
		return %1, %6`, `
		%5 []float64 = slice %3, _, %2, _
		return %1, %2`},
		{"the length of a slice from somewhere", `
		%4 int = const 1
		%5 []float64 = slice %3, %4, %2, _
		%6 int = len %5
		return %1, %6`, ``},
		{"slicing that changes nothing", `
		%4 int = const 0
		%5 []float64 = slice %3, %4, _, _
		%6 int = cap %5
		return %1, %6`, `
		%6 int = cap %3
		return %1, %6`},
		{"an interface with a known type", `
		%4 any = makeiface %1
		%5 float64, %6 bool = typeassert (float64) %4
		%7 bool = typeis (float64) %4
		%8 int = if %7 {
		then:
			%9 int = const 1
			yield %9
		else:
			yield %2
		}
		%10 float64 = typeassert (float64) %4
		return %10, %8`, `
		%4 any = makeiface %1
		%5 int = const 1
		return %1, %5`},
	})
}
