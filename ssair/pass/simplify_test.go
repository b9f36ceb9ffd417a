package pass_test

import (
	"testing"

	"github.com/quabla/quabla/ssair/pass"
)

// TestSimplifyInts holds the identities of integers, which wrap around.
func TestSimplifyInts(t *testing.T) {
	rewrite(t, pass.Simplify, "func F(%1:n int, %2:k int) (int)", []row{
		{"n plus 0", `
		%3 int = const 0
		%4 int = bin + %1, %3
		return %4`, `
		return %1`},
		{"0 plus n", `
		%3 int = const 0
		%4 int = bin + %3, %1
		return %4`, `
		return %1`},
		{"n minus 0", `
		%3 int = const 0
		%4 int = bin - %1, %3
		return %4`, `
		return %1`},
		{"0 minus n is no identity", `
		%3 int = const 0
		%4 int = bin - %3, %1
		return %4`, ``},
		{"n times 1", `
		%3 int = const 1
		%4 int = bin * %1, %3
		return %4`, `
		return %1`},
		{"1 times n", `
		%3 int = const 1
		%4 int = bin * %3, %1
		return %4`, `
		return %1`},
		{"n over 1", `
		%3 int = const 1
		%4 int = bin / %1, %3
		return %4`, `
		return %1`},
		{"1 over n may panic", `
		%3 int = const 1
		%4 int = bin / %3, %1
		return %4`, ``},
		{"constants", `
		%3 int = const 7
		%4 int = const 3
		%5 int = bin / %3, %4
		return %5`, `
		%3 int = const 2
		return %3`},
		{"constants with a remainder", `
		%3 int = const -7
		%4 int = const 3
		%5 int = bin % %3, %4
		return %5`, `
		%3 int = const -1
		return %3`},
		{"division by 0 stays", `
		%3 int = const 7
		%4 int = const 0
		%5 int = bin / %3, %4
		return %5`, ``},
		{"remainder by 0 stays", `
		%3 int = const 7
		%4 int = const 0
		%5 int = bin % %3, %4
		return %5`, ``},
		{"what could overflow stays", `
		%3 int = const 9223372036854775807
		%4 int = const 1
		%5 int = bin + %3, %4
		return %5`, ``},
		{"offsets add up", `
		%3 int = const 3
		%4 int = bin + %1, %3
		%5 int = const 5
		%6 int = bin - %4, %5
		return %6`, `
		%3 int = const 3
		%4 int = bin + %1, %3
		%5 int = const 2
		%6 int = bin - %1, %5
		return %6`},
		{"offsets cancel", `
		%3 int = const 3
		%4 int = bin - %1, %3
		%5 int = bin + %4, %3
		return %5`, `
		%3 int = const 3
		%4 int = bin - %1, %3
		return %1`},
		{"one behind a named constant stays in sight", `
		%3 int = const 3 // named
		%4 int = const 1
		%5 int = bin - %3, %4
		return %5`, ``},
		{"negated", `
		%3 int = const 3
		%4 int = un - %3
		return %4`, `
		%3 int = const -3
		return %3`},
		{"max with a length", `
		%3 []float64 = makeslice %1, _
		%4 int = cap %3
		%5 int = const 0
		%6 int = apply max %4, %5
		return %6`, `
		%3 []float64 = makeslice %1, _
		%4 int = const 0
		%5 int = apply max %1, %4
		return %5`},
		{"max of a variable", `
		%5 int = const 0
		%6 int = apply max %1, %5
		return %6`, ``},
		{"min of constants", `
		%3 int = const 3
		%4 int = const -4
		%5 int = apply min %3, %4
		return %5`, `
		%3 int = const -4
		return %3`},
	})
}

// TestSimplifySmallInts holds results that a narrow type cannot hold.
func TestSimplifySmallInts(t *testing.T) {
	rewrite(t, pass.Simplify, "func F(%1:n int) (uint8)", []row{
		{"what fits", `
		%2 uint8 = const 200
		%3 uint8 = const 55
		%4 uint8 = bin + %2, %3
		return %4`, `
		%2 uint8 = const 255
		return %2`},
		{"what wraps", `
		%2 uint8 = const 200
		%3 uint8 = const 56
		%4 uint8 = bin + %2, %3
		return %4`, ``},
		{"below zero", `
		%2 uint8 = const 1
		%3 uint8 = const 2
		%4 uint8 = bin - %2, %3
		return %4`, ``},
		{"conversion of what fits", `
		%2 int = const 255
		%3 uint8 = conv %2
		return %3`, `
		%2 uint8 = const 255
		return %2`},
		{"conversion of what does not", `
		%2 int = const 256
		%3 uint8 = conv %2
		return %3`, ``},
	})
}

// TestSimplifyFloats holds what is allowed on primal floats: folding constants,
// and no identity. x+0 is not x for minus zero, x*1 may be a signalling NaN's,
// x-x is no zero for infinities, and sums do not associate.
func TestSimplifyFloats(t *testing.T) {
	rewrite(t, pass.Simplify, "func F(%1:x float64, %2:y float64) (float64)", []row{
		{"constants", `
		%3 float64 = const 1/2
		%4 float64 = const 3
		%5 float64 = bin * %3, %4
		return %5`, `
		%3 float64 = const 3/2
		return %3`},
		{"constants are rounded first", `
		%3 float64 = const 1/10
		%4 float64 = const 1/5
		%5 float64 = bin + %3, %4
		return %5`, `
		%3 float64 = const 1351079888211149/4503599627370496
		return %3`},
		{"the zero value", `
		%3 float64 = zero
		%4 float64 = const 3
		%5 float64 = bin - %3, %4
		return %5`, `
		%3 float64 = const -3
		return %3`},
		{"infinity has no constant", `
		%3 float64 = const 1
		%4 float64 = const 0
		%5 float64 = bin / %3, %4
		return %5`, ``},
		{"nor has minus zero", `
		%3 float64 = const -1
		%4 float64 = const 0
		%5 float64 = bin * %3, %4
		return %5`, ``},
		{"x plus 0", `
		%3 float64 = const 0
		%4 float64 = bin + %1, %3
		return %4`, ``},
		{"x times 0", `
		%3 float64 = const 0
		%4 float64 = bin * %1, %3
		return %4`, ``},
		{"x minus x", `
		%4 float64 = bin - %1, %1
		return %4`, ``},
		{"x over x", `
		%4 float64 = bin / %1, %1
		return %4`, ``},
		{"constant factors", `
		%3 float64 = const 3
		%4 float64 = bin * %3, %1
		%5 float64 = bin * %3, %4
		return %5`, ``},
		{"constant terms", `
		%3 float64 = const 3
		%4 float64 = bin + %1, %3
		%5 float64 = bin - %4, %3
		return %5`, ``},
		{"minus of minus", `
		%3 float64 = un - %1
		%4 float64 = un - %3
		return %4`, ``},
		{"plus of minus", `
		%3 float64 = un - %2
		%4 float64 = bin + %1, %3
		return %4`, ``},
		{"conversion of an int", `
		%3 int = const 3
		%4 float64 = conv %3
		return %4`, `
		%3 float64 = const 3
		return %3`},
		{"conversion of an int that may be rounded", `
		%3 int = const 9007199254740993
		%4 float64 = conv %3
		return %4`, ``},
		{"explicit conversion forbids fusing", `
		%3 float64 = bin * %1, %2
		%4 float64 = conv explicit %3
		%5 float64 = bin + %4, %1
		return %5`, ``},
		{"min of floats", `
		%3 float64 = const 1
		%4 float64 = const 2
		%5 float64 = apply min %3, %4
		return %5`, ``},
	})
}

// TestSimplifyConditions holds comparisons and logic.
func TestSimplifyConditions(t *testing.T) {
	rewrite(t, pass.Simplify, "func F(%1:a bool, %2:n int, %3:x float64, %4:p *float64) (bool)", []row{
		{"not not", `
		%5 bool = un ! %1
		%6 bool = un ! %5
		return %6`, `
		%5 bool = un ! %1
		return %1`},
		{"not true", `
		%5 bool = const true
		%6 bool = un ! %5
		return %6`, `
		%5 bool = const false
		return %5`},
		{"and true", `
		%5 bool = const true
		%6 bool = bin & %1, %5
		return %6`, `
		return %1`},
		{"and false", `
		%5 bool = const false
		%6 bool = bin & %5, %1
		return %6`, `
		%5 bool = const false
		return %5`},
		{"or false", `
		%5 bool = const false
		%6 bool = bin | %5, %1
		return %6`, `
		return %1`},
		{"n is n", `
		%5 bool = cmp <= %2, %2
		return %5`, `
		%5 bool = const true
		return %5`},
		{"n is not less than n", `
		%5 bool = cmp < %2, %2
		return %5`, `
		%5 bool = const false
		return %5`},
		{"x need not be x", `
		%5 bool = cmp == %3, %3
		return %5`, ``},
		{"constants are compared as rounded", `
		%5 float64 = const 1/10
		%6 float64 = const 3602879701896397/36028797018963968
		%7 bool = cmp == %5, %6
		return %7`, `
		%5 bool = const true
		return %5`},
		{"a variable is not nil", `
		%5 *float64 = alloc (float64)
		%6 *float64 = zero
		%7 bool = cmp != %5, %6
		return %7`, `
		%5 *float64 = alloc (float64)
		%7 bool = const true
		return %7`},
		{"a parameter may be nil", `
		%6 *float64 = zero
		%7 bool = cmp != %4, %6
		return %7`, ``},
		{"nil is asked once", `
		%5 *float64 = zero
		%6 bool = cmp != %4, %5
		%7 bool = if %6 {
		then:
			%8 bool = cmp == %4, %5
			yield %8
		else:
			yield %1
		}
		return %7`, `
		%5 *float64 = zero
		%6 bool = cmp != %4, %5
		%7 bool = if %6 {
		then:
			%8 bool = const false
			yield %8
		else:
			yield %1
		}
		return %7`},
	})
}

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
