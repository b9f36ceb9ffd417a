package pass

import (
	"go/token"

	"github.com/quabla/quabla/ssair"
)

// Hoist moves floating-point arithmetic that gives the same result in every
// trip of a loop in front of the loop. Nothing that can panic is moved, and
// nothing that reads memory.
func Hoist(f *ssair.Func) bool {
	changed := false
	var visit func(r *ssair.Region)
	visit = func(r *ssair.Region) {
		for i := 0; i < len(r.Ops); i++ {
			o := r.Ops[i]
			for _, g := range o.Regions {
				visit(g)
			}
			if o.Kind != ssair.Loop {
				continue
			}
			var moved []*ssair.Op
			for _, g := range o.Regions {
				var stay []*ssair.Op
				for _, x := range g.Ops {
					if invariant(x, o) {
						moved = append(moved, x)
						x.Parent = r
					} else {
						stay = append(stay, x)
					}
				}
				g.Ops = stay
			}
			if len(moved) > 0 {
				changed = true
				b := ssair.NewBuilder(r)
				b.Before = o
				for _, x := range moved {
					for k, a := range x.Args {
						if inside(o, a) { // a constant
							x.Args[k] = b.CloneOp(a.Def, ssair.ValueMap{}).Result()
						}
					}
					b.Insert(x)
				}
				i = indexOfOp(r.Ops, o)
			}
		}
	}
	visit(f.Body)
	return changed
}

// invariant reports whether x, in a region of loop o, computes a number from
// values outside of the loop. Those that were just moved count as outside.
func invariant(x *ssair.Op, o *ssair.Op) bool {
	switch x.Kind {
	case ssair.Bin:
		if !ssair.IsScalar(x.Result().Type) {
			return false
		}
	case ssair.Un:
		if x.Tok != token.SUB || !ssair.IsScalar(x.Result().Type) {
			return false
		}
	case ssair.Conv:
		if !ssair.IsScalar(x.Result().Type) || x.Explicit {
			return false
		}
	case ssair.Apply:
		for _, r := range x.Results {
			if !ssair.IsScalar(r.Type) {
				return false
			}
		}
	case ssair.Const:
		return false
	default:
		return false
	}
	for _, a := range x.Args {
		if a.Def != nil && (a.Def.Kind == ssair.Const || a.Def.Kind == ssair.Zero) {
			continue
		}
		if inside(o, a) {
			return false
		}
	}
	return true
}
