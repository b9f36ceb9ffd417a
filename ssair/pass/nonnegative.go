package pass

import (
	"go/token"

	"github.com/quabla/quabla/ssair"
)

// NonNegative reports whether the integer v cannot be negative, as far as that is known from
// how it is counted.
func NonNegative(v *ssair.Value) bool { return nonNegative(v, map[*ssair.Value]bool{}) }

// nonNegative is NonNegative where what seen holds is not negative.
func nonNegative(v *ssair.Value, seen map[*ssair.Value]bool) bool {
	if n, ok := ConstInt(v); ok {
		return n >= 0
	}
	if seen[v] {
		return true
	}
	seen[v] = true
	d := v.Def
	if d == nil {
		o := v.Region().Parent
		if o == nil || o.Kind != ssair.Loop {
			return false
		}
		return nonNegative(o.Results[indexOf(v.Home.Params, v)], seen)
	}
	switch d.Kind {
	case ssair.Len, ssair.Cap:
		return true
	case ssair.Bin:
		if d.Tok == token.SUB || d.Tok == token.QUO {
			n, ok := ConstInt(d.Args[1])
			return ok && (d.Tok == token.QUO && n > 0 || n == 0) && nonNegative(d.Args[0], seen)
		}
		return d.Tok == token.ADD && nonNegative(d.Args[0], seen) && nonNegative(d.Args[1], seen)
	case ssair.If:
		k := indexOf(d.Results, v)
		for _, r := range d.Regions {
			if t := r.Term(); t == nil || t.Kind == ssair.Yield && !nonNegative(t.Args[k], seen) {
				return false // it is being built
			}
		}
		return true
	case ssair.Loop: // by induction over the trips
		k := indexOf(d.Results, v)
		for _, r := range d.Regions[1:] {
			t := r.Term()
			if t == nil {
				return false
			}
			if t.Kind != ssair.Yield {
				continue
			}
			i := k
			if r == d.BodyRegion() && d.Loop.Break {
				i++
			}
			if !nonNegative(t.Args[i], seen) {
				return false
			}
		}
		return nonNegative(d.Args[k], seen)
	}
	return false
}
