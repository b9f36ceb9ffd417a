package pass_test

import (
	"testing"

	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// simplify is Simplify without what it leaves unused.
func simplify(f *ssair.Func) bool {
	changed := pass.Simplify(f)
	return pass.Dead(f) || changed
}

// TestSimplifyLoose holds the algebra of derivative arithmetic. TestSimplifyFloats
// shows that the same ops stay as they are where they are primal.
func TestSimplifyLoose(t *testing.T) {
	rewrite(t, simplify, "func F(%1:x float64, %2:y float64, %3:z float64) (float64)", []row{
		{"x plus 0", `
		%4 float64 = const 0
		%5 float64 = bin + %1, %4 // loose
		return %5`, `
		return %1`},
		{"x times 0", `
		%4 float64 = const 0
		%5 float64 = bin * %1, %4 // loose
		return %5`, `
		%4 float64 = const 0
		return %4`},
		{"0 over x", `
		%4 float64 = const 0
		%5 float64 = bin / %4, %1 // loose
		return %5`, `
		%4 float64 = const 0
		return %4`},
		{"x over 0 stays", `
		%4 float64 = const 0
		%5 float64 = bin / %1, %4 // loose
		return %5`, ``},
		{"x times 1", `
		%4 float64 = const 1
		%5 float64 = bin * %1, %4 // loose
		return %5`, `
		return %1`},
		{"x times minus 1", `
		%4 float64 = const -1
		%5 float64 = bin * %1, %4 // loose
		return %5`, `
		%4 float64 = un - %1
		return %4`},
		{"factors are collected", `
		%4 float64 = const 3
		%5 float64 = bin * %4, %1 // loose
		%6 float64 = const 2
		%7 float64 = bin * %6, %5 // loose
		return %7`, `
		%4 float64 = const 6
		%5 float64 = bin * %4, %1 // loose
		return %5`},
		{"factors of both operands", `
		%4 float64 = const 3
		%5 float64 = bin * %4, %1 // loose
		%6 float64 = const 2
		%7 float64 = bin * %6, %2 // loose
		%8 float64 = bin * %5, %7 // loose
		return %8`, `
		%4 float64 = bin * %1, %2 // loose
		%5 float64 = const 6
		%6 float64 = bin * %5, %4 // loose
		return %6`},
		{"factors that may overflow", `
		%4 float64 = const 1e200
		%5 float64 = bin * %4, %1 // loose
		%6 float64 = const 2
		%7 float64 = bin * %6, %5 // loose
		return %7`, ``},
		{"a named primal factor is not looked into", `
		%4 float64 = const 3
		%5:w float64 = bin * %4, %1
		%6 float64 = const 2
		%7 float64 = bin * %6, %5 // loose
		return %7`, ``},
		{"like terms", `
		%4 float64 = const 3
		%5 float64 = bin * %4, %1 // loose
		%6 float64 = bin + %5, %1 // loose
		return %6`, `
		%4 float64 = const 4
		%5 float64 = bin * %4, %1 // loose
		return %5`},
		{"like terms that cancel", `
		%5 float64 = bin - %1, %1 // loose
		return %5`, `
		%4 float64 = const 0
		return %4`},
		{"like terms one level down", `
		%4 float64 = bin + %2, %1 // loose
		%5 float64 = bin + %4, %1 // loose
		return %5`, `
		%4 float64 = const 2
		%5 float64 = bin * %4, %1 // loose
		%6 float64 = bin + %2, %5 // loose
		return %6`},
		{"unlike terms", `
		%4 float64 = bin + %2, %3 // loose
		%5 float64 = bin + %4, %1 // loose
		return %5`, ``},
		{"minus in a sum", `
		%4 float64 = un - %2 // loose
		%5 float64 = bin + %1, %4 // loose
		return %5`, `
		%4 float64 = bin - %1, %2 // loose
		return %4`},
		{"minus in a difference", `
		%4 float64 = un - %2 // loose
		%5 float64 = bin - %1, %4 // loose
		return %5`, `
		%4 float64 = bin + %1, %2 // loose
		return %4`},
		{"minus of a difference", `
		%4 float64 = bin - %1, %2 // loose
		%5 float64 = un - %4 // loose
		return %5`, `
		%4 float64 = bin - %2, %1 // loose
		return %4`},
		{"minus of a primal difference", `
		%4 float64 = bin - %1, %2
		%5 float64 = un - %4 // loose
		return %5`, ``},
		{"minus of minus", `
		%4 float64 = un - %1 // loose
		%5 float64 = un - %4 // loose
		return %5`, `
		return %1`},
		{"minus of a quotient", `
		%4 float64 = un - %1 // loose
		%5 float64 = bin / %4, %2 // loose
		return %5`, `
		%4 float64 = bin / %1, %2 // loose
		%5 float64 = un - %4
		return %5`},
		{"1 over y times y", `
		%4 float64 = const 1
		%5 float64 = bin / %4, %2 // loose
		%6 float64 = bin * %1, %5 // loose
		%7 float64 = bin * %6, %2 // loose
		return %7`, `
		return %1`},
		{"a primal reciprocal stays", `
		%4 float64 = const 1
		%5 float64 = bin / %4, %2
		%6 float64 = bin * %1, %5 // loose
		%7 float64 = bin * %6, %2 // loose
		return %7`, ``},
		{"a primal product with a reciprocal stays", `
		%4 float64 = const 1
		%5 float64 = bin / %4, %2 // loose
		%6 float64 = bin * %1, %5
		%7 float64 = bin * %6, %2 // loose
		return %7`, ``},
		{"abs times sign", `
		%4 float64 = apply math.Abs %1
		%5 float64 = apply rt.Sign %1
		%6 float64 = bin * %4, %5 // loose
		return %6`, `
		return %1`},
		{"abs times the sign of another", `
		%4 float64 = apply math.Abs %1
		%5 float64 = apply rt.Sign %2
		%6 float64 = bin * %4, %5 // loose
		return %6`, ``},
	})
}

// TestSimplifyGuards holds guarded products, in which a zero is stronger than an
// infinite coefficient.
func TestSimplifyGuards(t *testing.T) {
	rewrite(t, simplify, "func F(%1:x float64, %2:y float64) (float64)", []row{
		{"zero times y", `
		%3 float64 = const 0
		%4 float64 = apply rt.Mul0 %3, %2
		return %4`, `
		%3 float64 = const 0
		return %3`},
		{"a constant needs no guard", `
		%3 float64 = const 3
		%4 float64 = apply rt.Mul0 %1, %3
		return %4`, `
		%3 float64 = const 3
		%4 float64 = bin * %3, %1 // loose
		return %4`},
		{"nor does a seed", `
		%3 float64 = const 1
		%4 float64 = apply rt.Div0 %3, %2
		return %4`, `
		%3 float64 = const 1
		%4 float64 = bin / %3, %2 // loose
		return %4`},
		{"division by a constant zero is guarded", `
		%3 float64 = const 0
		%4 float64 = apply rt.Div0 %1, %3
		return %4`, ``},
		{"a factor goes in front", `
		%3 float64 = const 2
		%4 float64 = bin * %3, %1 // loose
		%5 float64 = apply rt.Mul0 %4, %2
		return %5`, `
		%3 float64 = apply rt.Mul0 %1, %2
		%4 float64 = const 2
		%5 float64 = bin * %4, %3 // loose
		return %5`},
		{"a constant on one side needs no guard on both", `
		%3 float64 = const 3
		%4 float64 = apply rt.Mul00 %1, %3
		return %4`, `
		%3 float64 = const 3
		%4 float64 = bin * %3, %1 // loose
		return %4`},
		{"nor does one in front of a switch", `
		%3 float64 = const 3
		%4 float64 = apply rt.Switch %3, %1
		return %4`, `
		%3 float64 = const 3
		%4 float64 = bin * %3, %1 // loose
		return %4`},
		{"guarded on both sides", `
		%4 float64 = apply rt.Mul00 %1, %2
		return %4`, ``},
		{"a switch that is off", `
		%3 float64 = const 0
		%4 float64 = apply rt.Switch %1, %3
		return %4`, `
		%3 float64 = const 0
		return %3`},
		{"abs behind a switch", `
		%3 float64 = apply math.Abs %1
		%4 float64 = apply rt.Sign %1
		%5 float64 = apply rt.Switch %3, %4
		return %5`, `
		return %1`},
	})
}

// TestSpell holds the order in which derivative arithmetic is written.
func TestSpell(t *testing.T) {
	spell := func(f *ssair.Func) bool {
		pass.Spell(f)
		return true
	}
	rewrite(t, spell, "func F(%1:x float64, %2:y float64, %3:z float64) (float64)", []row{
		{"products associate to the left", `
		%4 float64 = bin * %2, %3 // loose
		%5 float64 = bin * %1, %4 // loose
		return %5`, `
		%4 float64 = bin * %1, %2 // loose
		%5 float64 = bin * %4, %3 // loose
		return %5`},
		{"primal products do not", `
		%4 float64 = bin * %2, %3
		%5 float64 = bin * %1, %4 // loose
		return %5`, `
		%4 float64 = bin * %2, %3
		%5 float64 = bin * %1, %4 // loose
		return %5`},
		{"nor do those of extreme constants", `
		%4 float64 = const 1e+200
		%5 float64 = bin * %4, %1 // loose
		%6 float64 = bin * %4, %5 // loose
		return %6`, `
		%4 float64 = const 1e+200
		%5 float64 = bin * %4, %1 // loose
		%6 float64 = bin * %4, %5 // loose
		return %6`},
		{"nor does what has another use", `
		%4 float64 = bin + %2, %3 // loose
		%5 float64 = bin + %1, %4 // loose
		%6 float64 = bin * %5, %4 // loose
		return %6`, `
		%4 float64 = bin + %2, %3 // loose
		%5 float64 = bin + %1, %4 // loose
		%6 float64 = bin * %5, %4 // loose
		return %6`},
		{"a reciprocal becomes a quotient", `
		%4 float64 = const 1
		%5 float64 = bin / %4, %2 // loose
		%6 float64 = bin * %5, %1 // loose
		return %6`, `
		%4 float64 = bin / %1, %2 // loose
		return %4`},
		{"a primal reciprocal stays one", `
		%4 float64 = const 1
		%5 float64 = bin / %4, %2
		%6 float64 = bin * %5, %1 // loose
		return %6`, `
		%4 float64 = const 1
		%5 float64 = bin / %4, %2
		%6 float64 = bin * %5, %1 // loose
		return %6`},
	})
}
