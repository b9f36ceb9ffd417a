package pass_test

import (
	"fmt"
	"testing"

	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// threaded is Thread without what it leaves unused.
func threaded(f *ssair.Func) bool {
	changed := pass.Thread(f)
	pass.Dead(f)
	return changed
}

// TestThread holds ifs that ask what an if before them has decided.
func TestThread(t *testing.T) {
	rewrite(t, threaded, "func F(%1:c bool, %2:x float64, %3:s []float64, %4:n int) (float64)", []row{
		{"a flag", `
		%5 bool = if %1 {
		then:
			store [] %3, %4, %2
			%6 bool = const true
			yield %6
		else:
			%7 bool = const false
			yield %7
		}
		%8 float64 = if %5 {
		then:
			%9 float64 = un - %2
			yield %9
		else:
			%10 float64 = bin * %2, %2
			yield %10
		}
		return %8`, `
		%5 float64 = if %1 {
		then:
			store [] %3, %4, %2
			%6 float64 = un - %2
			yield %6
		else:
			%7 float64 = bin * %2, %2
			yield %7
		}
		return %5`},
		{"a flag that an if combines with another", `
		%5 bool = if %1 {
		then:
			%6 bool = const true
			yield %6
		else:
			%7 bool = cmp < %2, %2
			yield %7
		}
		%8 float64 = if %5 {
		then:
			yield %2
		else:
			%10 float64 = bin * %2, %2
			yield %10
		}
		return %8`, ``},
		{"a number", `
		%5 int = if %1 {
		then:
			store [] %3, %4, %2
			%6 int = const 1
			yield %6
		else:
			%7 int = const 2
			yield %7
		}
		%11 int = const 2
		%12 bool = cmp == %5, %11
		%8 float64 = if %12 {
		then:
			%9 float64 = un - %2
			yield %9
		else:
			%10 float64 = bin * %2, %2
			yield %10
		}
		return %8`, `
		%5 float64 = if %1 {
		then:
			store [] %3, %4, %2
			%6 float64 = bin * %2, %2
			yield %6
		else:
			%7 float64 = un - %2
			yield %7
		}
		return %5`},
		{"a write between", `
		%5 bool = if %1 {
		then:
			store [] %3, %4, %2
			%6 bool = const true
			yield %6
		else:
			%7 bool = const false
			yield %7
		}
		store [] %3, %4, %2
		%8 float64 = if %5 {
		then:
			%9 float64 = un - %2
			yield %9
		else:
			%10 float64 = bin * %2, %2
			yield %10
		}
		return %8`, ``},
		{"the same condition is for MergeIfs", `
		if %1 {
		then:
			store [] %3, %4, %2
			yield
		else:
			yield
		}
		%8 float64 = if %1 {
		then:
			%9 float64 = un - %2
			yield %9
		else:
			%10 float64 = bin * %2, %2
			yield %10
		}
		return %8`, ``},
		{"a float that could be NaN", `
		%5 float64 = if %1 {
		then:
			store [] %3, %4, %2
			%6 float64 = const 1
			yield %6
		else:
			%7 float64 = const 2
			yield %7
		}
		%11 float64 = const 2
		%12 bool = cmp == %5, %11
		%8 float64 = if %12 {
		then:
			%9 float64 = un - %2
			yield %9
		else:
			%10 float64 = bin * %2, %2
			yield %10
		}
		return %8`, ``},
		{"an if that panics on the way", `
		%5 bool = if %1 {
		then:
			%20 string = const "no"
			panic %20
			unreachable
		else:
			store [] %3, %4, %2
			%7 bool = const false
			yield %7
		}
		%8 float64 = if %5 {
		then:
			%9 float64 = un - %2
			yield %9
		else:
			%10 float64 = bin * %2, %2
			yield %10
		}
		return %8`, `
		%5 float64 = if %1 {
		then:
			%6 string = const "no"
			panic %6
			unreachable
		else:
			store [] %3, %4, %2
			%7 float64 = bin * %2, %2
			yield %7
		}
		return %5`},
	})
}

// TestMergeIfs holds ifs that follow each other and decide by one condition.
func TestMergeIfs(t *testing.T) {
	rewrite(t, pass.MergeIfs, "func F(%1:c bool, %2:x float64, %3:s []float64, %4:n int, %5:d bool, %6:k []int) (float64)", []row{
		{"side by side", `
		%7 float64 = if %1 {
		then:
			yield %2
		else:
			%8 float64 = un - %2
			yield %8
		}
		%9 float64 = if %1 {
		then:
			%10 float64 = bin * %7, %2
			yield %10
		else:
			yield %7
		}
		%11 float64 = bin + %7, %9
		return %11`, `
		%7 float64, %9 float64 = if %1 {
		then:
			%10 float64 = bin * %2, %2
			yield %2, %10
		else:
			%8 float64 = un - %2
			yield %8, %8
		}
		%11 float64 = bin + %7, %9
		return %11`},
		{"what the second needs goes in front", `
		if %1 {
		then:
			store [] %3, %4, %2
			yield
		else:
			yield
		}
		%7 float64 = bin * %2, %2
		if %1 {
		then:
			store [] %3, %4, %7
			yield
		else:
			yield
		}
		return %2`, `
		%7 float64 = bin * %2, %2
		if %1 {
		then:
			store [] %3, %4, %2
			store [] %3, %4, %7
			yield
		else:
			yield
		}
		return %2`},
		{"what comes from the first does not", `
		%8 float64 = if %1 {
		then:
			yield %2
		else:
			%9 float64 = un - %2
			yield %9
		}
		%7 float64 = bin * %8, %2
		if %1 {
		then:
			store [] %3, %4, %7
			yield
		else:
			yield
		}
		return %2`, ``},
		{"another condition", `
		if %1 {
		then:
			store [] %3, %4, %2
			yield
		else:
			yield
		}
		if %5 {
		then:
			store [] %3, %4, %2
			yield
		else:
			yield
		}
		return %2`, ``},
		{"a load that the first disturbs", `
		if %1 {
		then:
			store [] %3, %4, %2
			yield
		else:
			yield
		}
		%7 float64 = load [] %3, %4
		if %1 {
		then:
			store [] %3, %4, %7
			yield
		else:
			yield
		}
		return %2`, ``},
		{"a load of another type", `
		if %1 {
		then:
			store [] %3, %4, %2
			yield
		else:
			yield
		}
		%7 int = load [] %6, %4 // safe
		if %1 {
		then:
			store [] %3, %7, %2
			yield
		else:
			yield
		}
		return %2`, `
		%7 int = load [] %6, %4
		if %1 {
		then:
			store [] %3, %4, %2
			store [] %3, %7, %2
			yield
		else:
			yield
		}
		return %2`},
		{"a load that the second disturbs", `
		if %1 {
		then:
			store [] %6, %4, %4
			yield
		else:
			yield
		}
		%7 float64 = load [] %3, %4
		if %1 {
		then:
			store [] %3, %4, %2
			yield
		else:
			yield
		}
		return %7`, ``},
		{"a write between", `
		if %1 {
		then:
			store [] %3, %4, %2
			yield
		else:
			yield
		}
		store [] %3, %4, %2
		if %1 {
		then:
			store [] %3, %4, %2
			yield
		else:
			yield
		}
		return %2`, ``},
		{"an arm that panics", `
		%20 string = const "no"
		if %1 {
		then:
			panic %20
			unreachable
		else:
			yield
		}
		if %1 {
		then:
			store [] %3, %4, %2
			yield
		else:
			yield
		}
		return %2`, ``},
	})
}

// TestThreadDeep threads through ifs that are nested deeply: going through their ways must
// not take time that doubles with each level.
func TestThreadDeep(t *testing.T) {
	in, next := "", 5
	var nest func(depth int) (out int)
	nest = func(depth int) int {
		n := next
		next++
		in += fmt.Sprintf("%%%d bool = if %%1 {\nthen:\n", n)
		v := next
		if depth > 0 {
			v = nest(depth - 1)
		} else {
			next++
			in += fmt.Sprintf("%%%d bool = const true\n", v)
		}
		w := next
		next++
		in += fmt.Sprintf("yield %%%d\nelse:\n%%%d bool = cmp < %%2, %%2\nyield %%%d\n}\n", v, w, w)
		return n
	}
	v := nest(40)
	f := parse(t, fmt.Sprintf("func F(%%1:c bool, %%2:x float64, %%3:s []float64, %%4:n int) (float64) {\n%s%%%d float64 = if %%%d {\nthen:\nyield %%2\nelse:\n%%%d float64 = bin * %%2, %%2\nyield %%%d\n}\nreturn %%%d\n}", in, next, v, next+1, next+1, next))
	threaded(f)
	if err := f.Verify(); err != nil {
		t.Error(err)
	}
}
