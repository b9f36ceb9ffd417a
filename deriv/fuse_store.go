package deriv

import (
	"go/token"

	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// fills reports whether the store x in loop o fills an output element by element:
// each trip has an element of its own, and nothing else touches the output. Then its
// adjoint is the cotangent that the caller passed, whenever the trip is undone.
func (s *reverseSweep) fills(o, x *ssair.Op) bool {
	if x.Kind != ssair.Store || len(x.Path) != 1 || x.Path[0].IsField() || ssair.HoldsRef(x.Stored().Type) {
		return false
	}
	base := x.Base()
	if base.Def != nil || base.Home != s.f.Body || !s.mem.disjoint || s.mem.leaves || !steps(o, x.Indices()[0]) {
		return false
	}
	roots := s.act.al.Pts(base)
	for r := range roots {
		if r.Param != base || r.Deep {
			return false
		}
	}
	alone := true
	s.f.Body.Walk(func(y *ssair.Op) bool {
		for _, a := range y.Args {
			if a != nil && y != x && y.Kind != ssair.Len && s.act.al.Pts(a).Meets(roots) {
				alone = false
			}
		}
		return alone
	})
	return alone
}

// steps reports whether i is the counter of loop o, which has another value in each
// trip.
func steps(o *ssair.Op, i *ssair.Value) bool {
	post := o.Post()
	for k, p := range o.BodyRegion().Params {
		if p != i {
			continue
		}
		t := post.Term()
		if o.Loop.Break || o.BodyRegion().Term().Kind != ssair.Yield || o.BodyRegion().Term().Args[k] != p || t.Kind != ssair.Yield {
			return false
		}
		d := t.Args[k].Def
		if d == nil || d.Kind != ssair.Bin || d.Tok != token.ADD && d.Tok != token.SUB || d.Args[0] != post.Params[k] {
			return false
		}
		n, ok := pass.ConstInt(d.Args[1])
		return ok && n != 0
	}
	return false
}
