package pass_test

import (
	"testing"

	"github.com/quabla/quabla/ssair/pass"
)

// TestFoldAddrs holds loads and stores through addresses.
func TestFoldAddrs(t *testing.T) {
	rewrite(t, pass.FoldAddrs, "func F(%1:s []Seg, %2:i int, %3:p *float64, %4:x float64) (float64)", []row{
		{"a load of a field", `
		%5 *Seg = addr [] %1, %2
		%6 *Point = addr .1 %5
		%7 float64 = load .0 %6
		return %7`, `
		%5 *Seg = addr [] %1, %2
		%6 *Point = addr [].1 %1, %2
		%7 float64 = load [].1.0 %1, %2
		return %7`},
		{"a store keeps its operand last", `
		%5 *Seg = addr [] %1, %2
		store .0.1 %5, %4
		return %4`, `
		%5 *Seg = addr [] %1, %2
		store [].0.1 %1, %2, %4
		return %4`},
		{"a pointer from elsewhere", `
		%7 float64 = load * %3
		return %7`, ``},
	})
}

// TestExplode holds loads, stores and comparisons of small aggregates.
func TestExplode(t *testing.T) {
	rewrite(t, pass.Explode, "func F(%1:p *Point, %2:v Point, %3:w Point, %4:a *[2]float64) (bool)", []row{
		{"all parts are read before the first is written", `
		%5 Point = load * %1
		store * %1, %2
		%6 bool = cmp == %5, %3
		return %6`, `
		%5 float64 = load .0 %1
		%6 float64 = load .1 %1
		%7 Point = build %5, %6
		%8 float64 = extract .0 %2
		%9 float64 = extract .1 %2
		store .0 %1, %8
		store .1 %1, %9 // safe
		%10 float64 = extract .0 %7
		%11 float64 = extract .0 %3
		%12 bool = cmp == %10, %11
		%13 float64 = extract .1 %7
		%14 float64 = extract .1 %3
		%15 bool = cmp == %13, %14
		%16 bool = bin & %12, %15
		return %16`},
		{"an array", `
		%5 [2]float64 = load * %4
		store * %4, %5
		%6 bool = cmp != %2, %3
		return %6`, `
		%5 int = const 0
		%6 float64 = load [] %4, %5
		%7 int = const 1
		%8 float64 = load [] %4, %7
		%9 [2]float64 = build %6, %8
		%10 float64 = extract .0 %9
		%11 float64 = extract .1 %9
		%12 int = const 0
		store [] %4, %12, %10
		%13 int = const 1
		store [] %4, %13, %11 // safe
		%14 float64 = extract .0 %2
		%15 float64 = extract .0 %3
		%16 bool = cmp == %14, %15
		%17 float64 = extract .1 %2
		%18 float64 = extract .1 %3
		%19 bool = cmp == %17, %18
		%20 bool = bin & %16, %19
		%21 bool = un ! %20
		return %21`},
	})
	rewrite(t, pass.Explode, "func F(%1:p *[17]float64) ([17]float64)", []row{
		{"what is too large", `
		%5 [17]float64 = load * %1
		return %5`, ``},
	})
}

// TestSplitCells holds variables of struct and array type.
func TestSplitCells(t *testing.T) {
	rewrite(t, pass.SplitCells, "func F(%1:x float64, %2:i int) (float64)", []row{
		{"fields", `
		%3:p *Point = alloc (Point)
		store .1 %3, %1
		%4 float64 = load .1 %3
		return %4`, `
		%3:pX *float64 = alloc (float64)
		%4:pY *float64 = alloc (float64)
		store * %4, %1 // safe
		%5 float64 = load * %4
		return %5`},
		{"elements", `
		%3:a *[2]float64 = alloc ([2]float64)
		%4 int = const 1
		store [] %3, %4, %1
		%5 float64 = load [] %3, %4
		return %5`, `
		%3:a0 *float64 = alloc (float64)
		%4:a1 *float64 = alloc (float64)
		store * %4, %1 // safe
		%5 float64 = load * %4
		return %5`},
		{"an index that is not known", `
		%3:a *[2]float64 = alloc ([2]float64)
		store [] %3, %2, %1
		%5 float64 = load [] %3, %2
		return %5`, ``},
		{"an index that is out of range", `
		%3:a *[2]float64 = alloc ([2]float64)
		%4 int = const 2
		store [] %3, %4, %1
		return %1`, ``},
		{"an access to the whole", `
		%3:p *Point = alloc (Point)
		%4 Point = build %1, %1
		store * %3, %4
		%5 float64 = load .0 %3
		return %5`, ``},
		{"a pointer that escapes", `
		%3:p *Point = alloc (Point)
		store .1 %3, %1
		%4 *float64 = addr .0 %3
		%5 float64 = load * %4
		return %5`, ``},
	})
}

// TestPromote holds cells that become values.
func TestPromote(t *testing.T) {
	rewrite(t, pass.Promote, "func F(%1:x float64, %2:c bool, %3:n int) (float64)", []row{
		{"in a line", `
		%4:s *float64 = alloc (float64)
		store * %4, %1
		%5 float64 = load * %4
		%6 float64 = bin * %5, %1
		store * %4, %6
		%7 float64 = load * %4
		return %7`, `
		%6:s float64 = bin * %1, %1
		return %6`},
		{"before the first store", `
		%4:s *float64 = alloc (float64)
		%7 float64 = load * %4
		return %7`, `
		%4 float64 = zero
		return %4`},
		{"accumulation", `
		%4:s *float64 = alloc (float64)
		store * %4, %1
		accum * %4, %1
		%7 float64 = load * %4
		return %7`, `
		%4:s float64 = bin + %1, %1
		return %4`},
		{"accumulation of a derivative", `
		%4:s *float64 = alloc (float64)
		store * %4, %1
		accum * %4, %1 // loose
		%7 float64 = load * %4
		return %7`, `
		%4:s float64 = bin + %1, %1 // loose
		return %4`},
		{"an if", `
		%4:s *float64 = alloc (float64)
		store * %4, %1
		if %2 {
		then:
			%5 float64 = un - %1
			store * %4, %5
			yield
		else:
			yield
		}
		%7 float64 = load * %4
		return %7`, `
		%4:s float64 = if %2 {
		then:
			%5:s float64 = un - %1
			yield %5
		else:
			yield %1
		}
		return %4`},
		{"an arm that panics", `
		%4:s *float64 = alloc (float64)
		store * %4, %1
		if %2 {
		then:
			%5 string = const "no"
			store * %4, %1
			panic %5
			unreachable
		else:
			%6 float64 = un - %1
			store * %4, %6
			yield
		}
		%7 float64 = load * %4
		return %7`, `
		%4:s float64 = if %2 {
		then:
			%5 string = const "no"
			panic %5
			unreachable
		else:
			%6:s float64 = un - %1
			yield %6
		}
		return %4`},
		{"a loop", `
		%4:s *float64 = alloc (float64)
		store * %4, %1
		loop while break {
		cond:
			%5 float64 = load * %4
			%6 bool = cmp < %5, %1
			yield %6
		body:
			accum * %4, %1
			yield %2
		post:
			yield
		}
		%7 float64 = load * %4
		return %7`, `
		%4:s float64 = loop while break %1 {
		cond(%5:s float64):
			%6 bool = cmp < %5, %1
			yield %6
		body(%7:s float64):
			%8:s float64 = bin + %7, %1
			yield %2, %8
		post(%9:s float64):
			yield %9
		}
		return %4`},
		{"a cell that lives in one trip", `
		loop while {
		cond:
			yield %2
		body:
			%4:s *float64 = alloc (float64)
			store * %4, %1
			%5 float64 = load * %4
			%6 float64 = bin * %5, %5
			yield
		post:
			yield
		}
		return %1`, `
		loop while {
		cond:
			yield %2
		body:
			%6 float64 = bin * %1, %1
			yield
		post:
			yield
		}
		return %1`},
		{"a cell whose address is passed on", `
		%4:s *float64 = alloc (float64)
		%5 **float64 = alloc (*float64)
		%6 []*float64 = zero
		%7 []*float64 = append %6, %4
		store * %4, %1
		%8 float64 = load * %4
		return %8`, `
		%4:s *float64 = alloc (float64)
		%6 []*float64 = zero
		%7 []*float64 = append %6, %4
		store * %4, %1
		%8 float64 = load * %4
		return %8`},
	})
}
