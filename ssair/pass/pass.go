// Package pass holds the optimisation passes of the IR. Each is a function
// that rewrites one ssair.Func and reports whether it changed anything. No
// pass changes the bits of a primal value.
package pass

import (
	"fmt"

	"github.com/quabla/quabla/ssair"
)

// Check makes Tidy and Finish verify the function after every pass, and panic
// with the pass that broke it. It is for tests.
var Check bool

// A step is a pass with its name.
type step struct {
	name string
	run  func(*ssair.Func) bool
}

var tidy = []step{
	{"FoldAddrs", FoldAddrs},
	{"Unroll", Unroll},
	{"SplitCells", SplitCells},
	{"Promote", Promote},
	{"Simplify", Simplify},
	{"Straighten", Straighten},
	{"Thread", Thread},
	{"Hoist", Hoist},
	{"CSE", CSE},
	{"Settled", Settled},
	{"Dead", Dead},
	{"DeadStores", DeadStores},
	{"Refill", Refill},
}

func (s step) on(f *ssair.Func) bool {
	changed := s.run(f)
	if Check {
		if err := f.Verify(); err != nil {
			panic(fmt.Sprintf("pass: %s broke %s: %v\n%s", s.name, f.Name, err, f))
		}
	}
	return changed
}

// Tidy brings a function into the form that the transforms expect and the
// emitter prints: cells promoted, constants folded, common and dead ops gone.
func Tidy(f *ssair.Func) {
	for _, s := range []step{{"FoldAddrs", FoldAddrs}, {"Explode", Explode}, {"Simplify", Simplify}} {
		s.on(f)
	}
	for range 8 {
		changed := false
		for _, s := range tidy {
			changed = s.on(f) || changed
		}
		if !changed {
			return
		}
	}
}

// Finish brings a function into the form in which it is printed, after all
// transforms.
func Finish(f *ssair.Func) {
	step{"Dissolve", Dissolve}.on(f)
	Tidy(f)
	for (step{"MergeIfs", MergeIfs}).on(f) {
		Tidy(f)
	}
	ascend := step{"Ascend", func(f *ssair.Func) bool {
		Ascend(f)
		return true
	}}
	ascend.on(f)
	Tidy(f)
	Spell(f)
}
