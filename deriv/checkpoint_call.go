package deriv

import (
	"fmt"

	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// runOnce copies the only trip of the loop o, the body of a function.
func (s *reverseSweep) runOnce(o *ssair.Op) {
	body := o.BodyRegion()
	for i, p := range body.Params {
		s.m[p] = s.m.Get(o.Args[i])
		if s.shadowed(p) {
			s.setShadow(p, s.shadow(o.Args[i]))
		}
	}
	s.forwardRegion(body)
	t := body.Term()
	first := len(t.Args) - o.Carried() // behind the flag that ends the loop
	for i, r := range o.Results {
		y := t.Args[first+i]
		s.m[r] = s.m.Get(y)
		if s.shadowed(r) {
			s.setShadow(r, s.shadow(y))
		}
	}
}

// keepOnce copies the body of a function that is computed again: of the forward
// sweep only its arguments are kept.
func (s *reverseSweep) keepOnce(o *ssair.Op) {
	k := s.newCheckpoint(o)
	both := &keeper{
		refs: append(k.mem.refs, k.still.refs...), parts: append(k.mem.parts, k.still.parts...),
		sites: append(k.mem.sites, k.still.sites...), full: k.mem.full,
	}
	k.entry = s.copyOf(both, s.refs(both, o.Args), "Entry")
	s.plain = true
	s.runOnce(o)
	s.plain = false
	s.loops[o] = &loopState{check: k}
}

// redoOnce computes the body of a function again and undoes it.
func (s *reverseSweep) redoOnce(o *ssair.Op, k *checkpoint, carried []int) {
	restore := s.beginRedo(o, k, o.Args)
	old := map[int]*ssair.Value{}
	for i, r := range o.Results {
		if s.shadowed(r) && s.allocates(o, r) {
			old[i] = s.shadow(r)
		}
	}
	end := s.beginReplay(k, nil)
	n := len(s.b.Region.Ops)
	s.runOnce(o)
	for _, x := range s.b.Region.Ops[n:] {
		if x.Note == "" {
			x.Note = fmt.Sprintf("Run the function at %s again, then undo it.", s.where(o))
		}
	}
	s.replayed()
	for i, r := range o.Results {
		if old[i] != nil {
			s.hand(r.Type, s.shadow(r), old[i], r, nil)
		}
	}
	s.undoTrip(o, carried)
	end()
	restore()
}

// plainCall copies a call that is replayed later as a call of the function itself,
// if its results need no shadows that only the augmented function makes.
func (s *reverseSweep) plainCall(o *ssair.Op) bool {
	for _, v := range o.Results {
		if s.shadowed(v) {
			return false
		}
	}
	if len(pass.Relinked(o.Callee)) > 0 {
		return false
	}
	s.ops[o] = s.b.CloneOp(o, s.m)
	return true
}

// replayable refuses a loop whose trips do something that must not be done twice.
func (s *reverseSweep) replayable(o *ssair.Op) {
	what := "this loop"
	if o.Loop.Checkpoint.Once {
		what = "this function"
	}
	seen := map[*ssair.Func]bool{}
	var visit func(r *ssair.Region)
	visit = func(r *ssair.Region) {
		r.Walk(func(x *ssair.Op) bool {
			if x.Kind == ssair.Opaque && !pureCall(x) {
				name := "a function value"
				if x.Obj != nil {
					name = x.Obj.Name()
					if x.Obj.Pkg() != nil {
						name = x.Obj.Pkg().Name() + "." + name
					}
				}
				refuse(x.Pos, "call it before and keep its results, or leave out quabla:checkpoint",
					"cannot replay %s: it calls %s, which has effects or depends on more than its arguments", what, name)
			}
			if f := x.Callee; f != nil && !seen[f] {
				seen[f] = true
				visit(f.Body)
			}
			return true
		})
	}
	for _, r := range o.Regions {
		visit(r)
	}
}
