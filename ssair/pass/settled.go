package pass

import "github.com/quabla/quabla/ssair"

// Settled replaces a condition by its value behind an if that goes on in one case
// only: once "if n != m { panic }" is passed, n != m is false.
func Settled(f *ssair.Func) bool {
	uses := ssair.UsesIn(f.Body)
	changed := false
	f.Body.Walk(func(o *ssair.Op) bool {
		if o.Kind != ssair.If || o.Args[0].Def == nil || always(o.Args[0].Def) {
			return true
		}
		then, other := ends(o.Regions[0]), ends(o.Regions[1])
		if then == other {
			return true
		}
		var value *ssair.Value
		for _, u := range uses[o.Args[0]] {
			if !behind(u.Op, o) {
				continue
			}
			if value == nil {
				b := ssair.NewBuilder(o.Parent)
				b.Before = o
				value = b.Bool(other)
			}
			u.Op.Args[u.Arg] = value
			changed = true
		}
		return true
	})
	return changed
}

func always(o *ssair.Op) bool { return o.Kind == ssair.Const || o.Kind == ssair.Zero }

// ends reports whether control does not leave r at its end.
func ends(r *ssair.Region) bool {
	t := r.Term()
	return t != nil && t.Kind == ssair.Unreachable
}

// behind reports whether u is behind o in the region of o, or inside an op that is.
func behind(u, o *ssair.Op) bool {
	for u.Parent != o.Parent {
		if u.Parent.Parent == nil {
			return false
		}
		u = u.Parent.Parent
	}
	return indexOfOp(o.Parent.Ops, u) > indexOfOp(o.Parent.Ops, o)
}
