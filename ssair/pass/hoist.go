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
			if o.Kind != ssair.Loop || o.Loop.Checkpoint != nil && o.Loop.Checkpoint.Once {
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
	return hoistNames(f) || changed
}

// hoistNames moves the constants that are kept under a name, and what is computed
// from them alone, to the start of the function.
func hoistNames(f *ssair.Func) bool {
	var moved []*ssair.Op
	atStart := map[*ssair.Value]bool{}
	var visit func(r *ssair.Region)
	visit = func(r *ssair.Region) {
		var stay []*ssair.Op
		for _, o := range r.Ops {
			if constantly(o, atStart) {
				atStart[o.Result()] = true
				if r != f.Body {
					moved = append(moved, o)
					continue
				}
			}
			stay = append(stay, o)
			for _, g := range o.Regions {
				visit(g)
			}
		}
		r.Ops = stay
	}
	visit(f.Body)
	if len(moved) == 0 {
		return false
	}
	// Behind what they are computed from.
	b := ssair.NewBuilder(f.Body)
	for _, x := range moved {
		at := 0
		for i, o := range f.Body.Ops {
			for _, a := range x.Args {
				if a.Def == o {
					at = i + 1
				}
			}
		}
		b.Before = f.Body.Ops[at]
		for k, a := range x.Args {
			if a.Def.Kind == ssair.Const {
				x.Args[k] = b.CloneOp(a.Def, ssair.ValueMap{}).Result()
			}
		}
		b.Insert(x)
	}
	return true
}

// constantly reports whether o computes a float from constants, one of them kept
// under a name, and from what is in atStart.
func constantly(o *ssair.Op, atStart map[*ssair.Value]bool) bool {
	if len(o.Results) != 1 || !ssair.IsFloat(o.Results[0].Type) {
		return false
	}
	if IsNamed(o.Result()) {
		return true
	}
	if o.Kind != ssair.Bin {
		return false
	}
	named := false
	for _, a := range o.Args {
		named = named || atStart[a]
		if !atStart[a] && (a.Def == nil || a.Def.Kind != ssair.Const) {
			return false
		}
	}
	return named
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
		if !ssair.IsScalar(x.Result().Type) || x.Explicit && !IsNamed(x.Result()) {
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

// IsNamed reports whether v is a constant that is kept under a name.
func IsNamed(v *ssair.Value) bool {
	return v.Def != nil && v.Def.Kind == ssair.Conv && v.Def.Explicit && v.Def.Args[0].Def != nil && v.Def.Args[0].Def.Kind == ssair.Const
}
