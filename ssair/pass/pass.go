// Package pass holds the optimisation passes of the IR. Each is a function
// that rewrites one ssair.Func and reports whether it changed anything. No
// pass changes the bits of a primal value.
package pass

import "github.com/quabla/quabla/ssair"

// Tidy brings a function into the form that the transforms expect and the
// emitter prints: cells promoted, constants folded, common and dead ops gone.
func Tidy(f *ssair.Func) {
	FoldAddrs(f)
	Explode(f)
	Simplify(f)
	for range 8 {
		changed := FoldAddrs(f)
		changed = Unroll(f) || changed
		changed = SplitCells(f) || changed
		changed = Promote(f) || changed
		changed = Simplify(f) || changed
		changed = Hoist(f) || changed
		changed = CSE(f) || changed
		changed = Dead(f) || changed
		changed = DeadStores(f) || changed
		if !changed {
			return
		}
	}
}

// Finish brings a function into the form in which it is printed, after all
// transforms.
func Finish(f *ssair.Func) {
	Tidy(f)
	for MergeIfs(f) {
		Tidy(f)
	}
	Ascend(f)
	Tidy(f)
	Spell(f)
}
