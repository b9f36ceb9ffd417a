package pass_test

import (
	"testing"

	"github.com/quabla/quabla/ssair/pass"
)

// TestDeadKinds holds which unused ops go. What may panic stays: leaving it out
// would change what the function does.
func TestDeadKinds(t *testing.T) {
	rewrite(t, pass.Dead, "func F(%1:n int, %2:x float64, %3:s []float64, %4:p *float64, %5:e any, %6:f any, %7:u uint, %8:m map[string]float64, %9:k string) ()", []row{
		{"a product", `
		%10 float64 = bin * %2, %2
		return`, `
		return`},
		{"an int division", `
		%10 int = bin / %1, %1
		return`, ``},
		{"an int division by a constant", `
		%10 int = const 2
		%11 int = bin % %1, %10
		return`, `
		return`},
		{"an int division by zero", `
		%10 int = const 0
		%11 int = bin / %1, %10
		return`, ``},
		{"an int division that is safe", `
		%10 int = bin / %1, %1 // safe
		return`, `
		return`},
		{"a shift by an int", `
		%10 int = bin << %1, %1
		return`, ``},
		{"a shift by a uint", `
		%10 int = bin << %1, %7
		return`, `
		return`},
		{"a slice of unknown size", `
		%10 []float64 = makeslice %1, _
		return`, ``},
		{"a slice of negative size", `
		%10 int = const -1
		%11 []float64 = makeslice %10, _
		return`, ``},
		{"a slice as long as another", `
		%10 int = len %3
		%11 []float64 = makeslice %10, _
		return`, `
		return`},
		{"a slice whose capacity may be too small", `
		%10 int = len %3
		%11 int = cap %3
		%12 []float64 = makeslice %11, %10
		return`, ``},
		{"a load from a pointer", `
		%10 float64 = load * %4
		return`, ``},
		{"a load that is safe", `
		%10 float64 = load * %4 // safe
		return`, `
		return`},
		{"slicing", `
		%10 []float64 = slice %3, %1, _, _
		return`, ``},
		{"a comparison of interfaces", `
		%10 bool = cmp == %5, %6
		return`, ``},
		{"a comparison of pointers", `
		%10 bool = cmp == %4, %4
		return`, `
		return`},
		{"a type assertion", `
		%10 float64 = typeassert (float64) %5
		return`, ``},
		{"an index of a string", `
		%10 uint8 = strindex %9, %1
		return`, ``},
		{"a slice as an array", `
		%10 [2]float64 = conv %3
		return`, ``},
		{"a look into a map", `
		%10 float64, %11 bool = mapget %8, %9
		return`, `
		return`},
		{"a write to a map", `
		mapset %8, %9, %2
		return`, ``},
		{"append writes", `
		%10 []float64 = append %3, %2
		return`, ``},
		{"an opaque call", `
		%10 float64 = opaque "demo".Known %2
		return`, ``},
	})
}

// TestDeadControl holds ifs and loops.
func TestDeadControl(t *testing.T) {
	rewrite(t, pass.Dead, "func F(%1:c bool, %2:x float64, %3:n int, %4:s []float64) (float64)", []row{
		{"an if without effect", `
		%5 float64 = if %1 {
		then:
			%6 float64 = bin * %2, %2
			yield %6
		else:
			yield %2
		}
		return %2`, `
		return %2`},
		{"an if that may panic", `
		%5 float64 = if %1 {
		then:
			%6 float64 = load [] %4, %3
			yield %6
		else:
			yield %2
		}
		return %2`, `
		if %1 {
		then:
			%6 float64 = load [] %4, %3
			yield
		else:
			yield
		}
		return %2`},
		{"one result of two", `
		%5 float64, %6 float64 = if %1 {
		then:
			%7 float64 = bin * %2, %2
			yield %2, %7
		else:
			%8 float64 = un - %2
			yield %8, %2
		}
		return %6`, `
		%6 float64 = if %1 {
		then:
			%7 float64 = bin * %2, %2
			yield %7
		else:
			yield %2
		}
		return %6`},
		{"a carried value that feeds itself", `
		%5 float64, %6 float64 = loop while %2, %2 {
		cond(%7 float64, %8 float64):
			%9 bool = cmp < %7, %2
			yield %9
		body(%10 float64, %11 float64):
			%12 float64 = bin * %11, %2
			%13 float64 = bin + %10, %2
			yield %13, %12
		post(%14 float64, %15 float64):
			yield %14, %15
		}
		return %5`, `
		%5 float64 = loop while %2 {
		cond(%7 float64):
			%9 bool = cmp < %7, %2
			yield %9
		body(%10 float64):
			%13 float64 = bin + %10, %2
			yield %13
		post(%14 float64):
			yield %14
		}
		return %5`},
		{"a loop without effect", `
		%5 float64 = loop while %2 {
		cond(%7 float64):
			%9 bool = cmp < %7, %2
			yield %9
		body(%10 float64):
			yield %10
		post(%14 float64):
			yield %14
		}
		return %2`, `
		return %2`},
		{"a loop that stores", `
		%5 float64 = loop while break %2 {
		cond(%7 float64):
			%8 bool = const true
			yield %8
		body(%10 float64):
			store [] %4, %3, %2
			%11 bool = cmp < %10, %2
			%12 float64 = bin * %10, %2
			yield %11, %12
		post(%14 float64):
			yield %14
		}
		return %2`, ``},
	})
}

// TestDeadMemory holds memory that is written and never read.
func TestDeadMemory(t *testing.T) {
	rewrite(t, pass.Dead, "func F(%1:x float64, %2:n int, %3:s []float64) ([]float64)", []row{
		{"a slice", `
		%4 int = len %3
		%5 []float64 = makeslice %4, _
		store [] %5, %2, %1 // safe
		clear %5
		return %3`, `
		return %3`},
		{"a store that may panic", `
		%4 int = len %3
		%5 []float64 = makeslice %4, _
		store [] %5, %2, %1
		return %3`, ``},
		{"a slice that is read", `
		%4 int = len %3
		%5 []float64 = makeslice %4, _
		store [] %5, %2, %1 // safe
		%6 int = copy %3, %5
		return %3`, ``},
		{"a slice that is returned", `
		%4 int = len %3
		%5 []float64 = makeslice %4, _
		store [] %5, %2, %1 // safe
		return %5`, ``},
		{"a pointer that is stored", `
		%4 *float64 = alloc (float64)
		%5 **float64 = alloc (*float64)
		store * %5, %4 // safe
		store * %4, %1 // safe
		%6 *float64 = load * %5
		store * %6, %1
		return %3`, ``},
	})
}

// TestDeadCalls holds calls whose results are not used.
func TestDeadCalls(t *testing.T) {
	const callee = `
func Pure(%1:x float64) (float64) {
	%2 float64 = bin * %1, %1
	return %2
}
func Panics(%1:x float64) (float64) {
	%2 string = const "no"
	panic %2
	unreachable
}
func Writes(%1:x float64) (float64) {
	%2 *float64 = global "demo".G
	store * %2, %1
	return %1
}
func Again(%1:x float64) (float64) {
	%2 float64 = call @Again %1
	return %2
}
`
	for _, c := range []struct {
		callee string
		gone   bool
	}{{"Pure", true}, {"Panics", false}, {"Writes", false}, {"Again", true}} {
		fs := parseAll(t, callee+"func F(%1:x float64) (float64) {\n%2 float64 = call @"+c.callee+" %1\nreturn %1\n}")
		f := fs[len(fs)-1]
		pass.Dead(f)
		if gone := len(f.Body.Ops) == 1; gone != c.gone {
			t.Errorf("a call of %s is gone: %v, want %v", c.callee, gone, c.gone)
		}
	}
}

// TestDeadStores holds stores that nothing reads afterwards.
func TestDeadStores(t *testing.T) {
	rewrite(t, pass.DeadStores, "func F(%1:x float64, %2:n int, %3:s []float64) (float64)", []row{
		{"behind the last load", `
		%4 []float64 = makeslice %2, _
		store [] %4, %2, %1 // safe
		%5 float64 = load [] %4, %2
		store [] %4, %2, %1 // safe
		clear %4
		return %5`, `
		%4 []float64 = makeslice %2, _
		store [] %4, %2, %1 // safe
		%5 float64 = load [] %4, %2
		return %5`},
		{"an accumulation that nothing reads", `
		%4 []float64 = makeslice %2, _
		accum [] %4, %2, %1 // safe
		return %1`, `
		%4 []float64 = makeslice %2, _
		return %1`},
		{"a store that may panic", `
		%4 []float64 = makeslice %2, _
		store [] %4, %2, %1
		return %1`, ``},
		{"memory of the caller", `
		store [] %3, %2, %1 // safe
		return %1`, ``},
		{"memory that the caller will see", `
		%4 *Node = alloc (Node)
		%5 **Node = alloc (*Node)
		store * %5, %4 // safe
		store .0 %4, %1 // safe
		%6 *Node = load * %5
		%7 float64 = load .0 %6
		return %7`, ``},
		{"what the next trip reads", `
		%4 []float64 = makeslice %2, _
		%5 float64 = loop while %1 {
		cond(%6 float64):
			%7 bool = cmp < %6, %1
			yield %7
		body(%8 float64):
			%9 float64 = load [] %4, %2
			store [] %4, %2, %8 // safe
			yield %9
		post(%10 float64):
			yield %10
		}
		return %5`, ``},
		{"what one arm reads", `
		%4 []float64 = makeslice %2, _
		store [] %4, %2, %1 // safe
		%5 bool = cmp < %1, %1
		%6 float64 = if %5 {
		then:
			%9 float64 = load [] %4, %2
			yield %9
		else:
			yield %1
		}
		return %6`, ``},
		{"what a call may read", `
		%4 []float64 = makeslice %2, _
		store [] %4, %2, %1 // safe
		opaque "demo".Touch %4
		return %1`, ``},
	})
	rewrite(t, pass.DeadStores, "func F(%1:x float64) (*Node)", []row{
		{"what is returned", `
		%2 *Node = alloc (Node)
		store .0 %2, %1 // safe
		return %2`, ``},
		{"what is reached from what is returned", `
		%2 *Node = alloc (Node)
		%3 *Node = alloc (Node)
		store .1 %3, %2 // safe
		store .0 %2, %1 // safe
		return %3`, ``},
	})
	rewrite(t, pass.DeadStores, "func F(%1:x float64, %2:n *Node) ()", []row{
		{"what the caller reaches afterwards", `
		%3 *Node = alloc (Node)
		store .1 %2, %3 // safe
		store .0 %3, %1 // safe
		return`, ``},
	})
}
