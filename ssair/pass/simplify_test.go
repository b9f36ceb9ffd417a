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
