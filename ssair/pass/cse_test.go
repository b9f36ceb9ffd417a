package pass_test

import (
	"testing"

	"github.com/quabla/quabla/ssair/pass"
)

// TestCSEValues holds ops that compute a value a second time.
func TestCSEValues(t *testing.T) {
	rewrite(t, pass.CSE, "func F(%1:x float64, %2:y float64, %3:c bool, %4:n int, %5:s string) (float64)", []row{
		{"one product", `
		%6 float64 = bin * %1, %2
		%7 float64 = bin * %1, %2
		%8 float64 = bin + %6, %7
		return %8`, `
		%6 float64 = bin * %1, %2
		%8 float64 = bin + %6, %6
		return %8`},
		{"operands in another order", `
		%6 float64 = bin - %1, %2
		%7 float64 = bin - %2, %1
		%8 float64 = bin + %6, %7
		return %8`, ``},
		{"constants of two ops", `
		%6 float64 = const 2
		%7 float64 = bin * %6, %2
		%8 float64 = const 2
		%9 float64 = bin * %8, %2
		%10 float64 = bin + %7, %9
		return %10`, `
		%6 float64 = const 2
		%7 float64 = bin * %6, %2
		%10 float64 = bin + %7, %7
		return %10`},
		{"another function", `
		%6 float64 = apply math.Sin %1
		%7 float64 = apply math.Cos %1
		%8 float64 = bin + %6, %7
		return %8`, ``},
		{"an explicit conversion is not the plain value", `
		%6 float64 = bin * %1, %2
		%7 float64 = conv explicit %6
		%8 float64 = conv explicit %6
		%9 float64 = bin + %7, %8
		%10 float64 = bin + %9, %6
		return %10`, `
		%6 float64 = bin * %1, %2
		%7 float64 = conv explicit %6
		%9 float64 = bin + %7, %7
		%10 float64 = bin + %9, %6
		return %10`},
		{"a value of the region around", `
		%6 float64 = bin * %1, %2
		%7 float64 = if %3 {
		then:
			%8 float64 = bin * %1, %2
			yield %8
		else:
			yield %1
		}
		%9 float64 = bin + %6, %7
		return %9`, `
		%6 float64 = bin * %1, %2
		%7 float64 = if %3 {
		then:
			yield %6
		else:
			yield %1
		}
		%9 float64 = bin + %6, %7
		return %9`},
		{"the other arm does not count", `
		%7 float64 = if %3 {
		then:
			%8 float64 = bin * %1, %2
			yield %8
		else:
			%9 float64 = bin * %1, %2
			yield %9
		}
		%10 float64 = bin * %1, %2
		%11 float64 = bin + %10, %7
		return %11`, ``},
		{"two variables are two", `
		%6 *float64 = alloc (float64)
		%7 *float64 = alloc (float64)
		%8 bool = cmp == %6, %7
		if %8 {
		then:
			store * %6, %1
			yield
		else:
			yield
		}
		return %1`, ``},
		{"a conversion that makes memory", `
		%6 []byte = conv %5
		%7 []byte = conv %5
		%8 int = const 0
		%9 uint8 = load [] %7, %8
		store [] %6, %8, %9
		return %1`, ``},
	})
}

// TestCSEMemory holds loads that find what a store or a load left.
func TestCSEMemory(t *testing.T) {
	rewrite(t, pass.CSE, "func F(%1:p []float64, %2:q []float64, %3:i int, %4:x float64, %5:s *Seg, %6:k []int) (float64)", []row{
		{"a load behind a store", `
		store [] %1, %3, %4
		%7 float64 = load [] %1, %3
		return %7`, `
		store [] %1, %3, %4
		return %4`},
		{"a load behind a load", `
		%7 float64 = load [] %1, %3
		%8 float64 = load [] %1, %3
		%9 float64 = bin + %7, %8
		return %9`, `
		%7 float64 = load [] %1, %3
		%9 float64 = bin + %7, %7
		return %9`},
		{"parameters may share memory", `
		store [] %1, %3, %4
		%7 float64 = const 1
		store [] %2, %3, %7
		%8 float64 = load [] %1, %3
		return %8`, ``},
		{"another type of element", `
		store [] %1, %3, %4
		store [] %6, %3, %3
		%8 float64 = load [] %1, %3
		return %8`, `
		store [] %1, %3, %4
		store [] %6, %3, %3
		return %4`},
		{"the next element is apart", `
		store [] %1, %3, %4
		%7 int = const 1
		%8 int = bin + %3, %7
		%9 float64 = const 1
		store [] %1, %8, %9
		%10 float64 = load [] %1, %3
		return %10`, `
		store [] %1, %3, %4
		%7 int = const 1
		%8 int = bin + %3, %7
		%9 float64 = const 1
		store [] %1, %8, %9
		return %4`},
		{"another element may be the same", `
		%12 int = load [] %6, %3
		store [] %1, %3, %4
		%9 float64 = const 1
		store [] %1, %12, %9
		%10 float64 = load [] %1, %3
		return %10`, ``},
		{"another field is apart", `
		store .0.1 %5, %4
		%9 float64 = const 1
		store .1.1 %5, %9
		%10 float64 = load .0.1 %5
		return %10`, `
		store .0.1 %5, %4
		%9 float64 = const 1
		store .1.1 %5, %9
		return %4`},
		{"a pointer to a float may point into the struct", `
		store .0.1 %5, %4
		%9 float64 = const 1
		store [] %1, %3, %9
		%10 float64 = load .0.1 %5
		return %10`, ``},
		{"an accumulation is a write", `
		store [] %1, %3, %4
		accum [] %1, %3, %4
		%7 float64 = load [] %1, %3
		return %7`, ``},
		{"copy is a write", `
		%7 float64 = load [] %1, %3
		%8 int = copy %1, %2
		%9 float64 = load [] %1, %3
		%10 float64 = bin + %7, %9
		return %10`, ``},
		{"clear is a write", `
		store [] %1, %3, %4
		clear %1
		%9 float64 = load [] %1, %3
		return %9`, ``},
		{"append is a write", `
		%7 float64 = load [] %1, %3
		%8 []float64 = append %2, %4
		%9 float64 = load [] %1, %3
		%10 float64 = bin + %7, %9
		store [] %8, %3, %10
		return %10`, ``},
		{"an opaque call is a write", `
		%7 float64 = load [] %1, %3
		opaque "demo".Touch %1
		%9 float64 = load [] %1, %3
		%10 float64 = bin + %7, %9
		return %10`, ``},
		{"an opaque call may write what it does not get", `
		%7 float64 = load [] %1, %3
		%8 float64 = opaque "demo".Known %4
		%9 float64 = load [] %1, %3
		%10 float64 = bin + %7, %9
		%11 float64 = bin + %10, %8
		return %11`, ``},
		{"an opaque call may write new memory that it gets", `
		%7 []float64 = makeslice %3, _
		store [] %7, %3, %4
		opaque "demo".Touch %7
		%9 float64 = load [] %7, %3
		return %9`, ``},
		{"but not new memory that it does not get", `
		%7 []float64 = makeslice %3, _
		store [] %7, %3, %4
		opaque "demo".Touch %1
		%9 float64 = load [] %7, %3
		return %9`, `
		%7 []float64 = makeslice %3, _
		store [] %7, %3, %4
		opaque "demo".Touch %1
		return %4`},
		{"new memory is apart", `
		%7 []float64 = makeslice %3, _
		store [] %1, %3, %4
		%9 float64 = const 1
		store [] %7, %3, %9
		%10 float64 = load [] %1, %3
		return %10`, `
		%7 []float64 = makeslice %3, _
		store [] %1, %3, %4
		%9 float64 = const 1
		store [] %7, %3, %9
		return %4`},
		{"a write in an arm", `
		store [] %1, %3, %4
		%7 float64 = const 1
		%8 bool = cmp < %4, %7
		if %8 {
		then:
			store [] %1, %3, %7
			yield
		else:
			yield
		}
		%10 float64 = load [] %1, %3
		return %10`, ``},
		{"a write in the next trip", `
		store [] %1, %3, %4
		%8 float64 = loop while %4 {
		cond(%9 float64):
			%10 bool = cmp < %9, %4
			yield %10
		body(%11 float64):
			%12 float64 = load [] %1, %3
			store [] %1, %3, %11
			yield %12
		post(%13 float64):
			yield %13
		}
		return %8`, ``},
	})
}
