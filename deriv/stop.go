package deriv

import (
	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// A reference that rt.Stop returns refers to the memory that it is given, but what is
// read through it is constant. Such a reference has no shadow of its own: a load
// through it has no derivative, and where a shadow is needed, because it is stored,
// returned or merged with another reference, that is new memory full of zeros. A write
// through it would leave the shadow of the memory behind, so it is refused.

// findStopped returns the references, and the aggregates with references, that come
// from rt.Stop whichever way was taken.
func findStopped(f *ssair.Func) map[*ssair.Value]bool {
	if !stops(f) {
		return nil
	}
	// The greatest solution: loops carry what they begin with until something else
	// comes round.
	stopped := map[*ssair.Value]bool{}
	f.EachValue(func(v *ssair.Value) { stopped[v] = ssair.HoldsRef(v.Type) })
	for changed := true; changed; {
		changed = false
		f.EachValue(func(v *ssair.Value) {
			if stopped[v] && !staysStopped(v, stopped) {
				delete(stopped, v)
				changed = true
			}
		})
	}
	return stopped
}

// staysStopped reports whether v comes from rt.Stop if stopped is right about what it
// is made of. Nil counts as stopped.
func staysStopped(v *ssair.Value, stopped map[*ssair.Value]bool) bool {
	all := func(vs ...*ssair.Value) bool {
		for _, x := range vs {
			if !stopped[x] {
				return false
			}
		}
		return true
	}
	if v.Def == nil { // a parameter of a region of a loop
		loop := v.Home.Parent
		if loop == nil {
			return false
		}
		for k, p := range v.Home.Params {
			if p == v {
				return all(carriedFrom(loop, k)...)
			}
		}
		return false
	}
	switch o := v.Def; o.Kind {
	case ssair.Stop, ssair.Zero:
		return true
	case ssair.Addr, ssair.Slice, ssair.Conv, ssair.Extract, ssair.Load, ssair.MapGet, ssair.MakeIface, ssair.TypeAssert:
		return all(o.Args[0])
	case ssair.If:
		for k, r := range o.Results {
			if r != v {
				continue
			}
			for _, g := range o.Regions {
				if t := g.Term(); t.Kind == ssair.Yield && !all(t.Args[k]) {
					return false
				}
			}
		}
		return true
	case ssair.Loop:
		for k, r := range o.Results {
			if r == v {
				return all(carriedFrom(o, k)...)
			}
		}
	}
	return false
}

// stops reports whether f stops a reference to numbers.
func stops(f *ssair.Func) bool {
	found := false
	f.Body.Walk(func(o *ssair.Op) bool {
		if o.Kind == ssair.Stop {
			t := o.Result().Type
			found = found || ssair.RefersToScalar(t)
		}
		return !found
	})
	return found
}

// checkStopped refuses writes through references that may come from rt.Stop to memory
// that holds active numbers.
func (a *activity) checkStopped() {
	any := false
	a.f.EachCallee(true, func(g *ssair.Func) { any = any || stops(g) })
	if !any {
		return
	}
	s := &stopTaint{a: a, may: map[*ssair.Value]bool{}, held: map[*pass.Root]bool{}}
	for s.changed = true; s.changed; {
		s.changed = false
		a.f.Body.Walk(func(o *ssair.Op) bool {
			s.op(o)
			return true
		})
	}
	a.f.Body.Walk(func(o *ssair.Op) bool {
		s.check(o)
		return true
	})
}

// stopTaint finds the references that may come from rt.Stop on some way.
type stopTaint struct {
	a       *activity
	may     map[*ssair.Value]bool
	held    map[*pass.Root]bool // memory that may hold such references
	changed bool
}

func (s *stopTaint) mark(v *ssair.Value) {
	if ssair.RefersToScalar(v.Type) && !s.may[v] {
		s.may[v] = true
		s.changed = true
	}
}

func (s *stopTaint) hold(roots pass.RootSet) {
	for r := range roots {
		if !s.held[r] {
			s.held[r] = true
			s.changed = true
		}
	}
}

func (s *stopTaint) holds(roots pass.RootSet) bool {
	for r := range roots {
		if s.held[r] {
			return true
		}
	}
	return false
}

func (s *stopTaint) op(o *ssair.Op) {
	al := s.a.al
	any := false
	for _, v := range o.Args {
		any = any || v != nil && s.may[v]
	}
	results := func() {
		for _, r := range o.Results {
			s.mark(r)
		}
	}
	switch o.Kind {
	case ssair.Stop:
		results()
	case ssair.Load, ssair.MapGet, ssair.TypeAssert:
		if any || s.holds(al.Pts(o.Args[0])) {
			results()
		}
	case ssair.Store, ssair.MapSet:
		if s.may[o.Stored()] {
			s.hold(al.Pts(o.Base()))
		}
	case ssair.Copy:
		if s.holds(al.Pts(o.Args[1])) || s.may[o.Args[1]] {
			s.hold(al.Pts(o.Args[0]))
		}
	case ssair.Append, ssair.AppendSlice:
		// New memory holds the elements of what is appended, which may be stopped
		// references; it is itself that of its first operand.
		for k, v := range o.Args {
			if s.may[v] && (k > 0 && o.Kind == ssair.Append || ssair.HoldsRef(ssair.ElemType(o.Result().Type))) || s.holds(al.Pts(v)) {
				s.hold(al.Pts(o.Result()))
			}
		}
		if s.may[o.Args[0]] {
			results()
		}
	case ssair.MakeIface:
		if any {
			results()
			s.hold(al.Pts(o.Result()))
		}
	case ssair.If:
		for _, r := range o.Regions {
			if t := r.Term(); t.Kind == ssair.Yield {
				for k, v := range t.Args {
					if s.may[v] {
						s.mark(o.Results[k])
					}
				}
			}
		}
	case ssair.Loop:
		s.a.carried(o, func(from, to *ssair.Value) {
			if s.may[from] {
				s.mark(to)
			}
		})
	case ssair.Call, ssair.Opaque:
		reach := pass.RootSet{}
		for _, v := range o.Args {
			for r := range al.Reach(al.Pts(v)) {
				reach[r] = true
			}
		}
		if o.Callee != nil {
			o.Callee.EachCallee(true, func(g *ssair.Func) { any = any || stops(g) })
		}
		if any || s.holds(reach) {
			results()
			s.hold(reach)
		}
	default:
		if any {
			results()
		}
	}
}

// check refuses o if it writes through a reference that may come from rt.Stop. What a
// reverse sweep writes is shadows, which never do.
func (s *stopTaint) check(o *ssair.Op) {
	if o.Reverse {
		return
	}
	const hint = "write to a copy, or stop the numbers where they are read"
	refuseFor := func(v *ssair.Value, roots pass.RootSet) {
		if !s.may[v] {
			return
		}
		for r := range roots {
			if s.a.shadowed[r] {
				refuse(o.Pos, hint, "cannot write through a reference that comes from rt.Stop: the memory holds active numbers, and what is read through it is constant")
			}
		}
	}
	pts := s.a.al.Pts
	switch o.Kind {
	case ssair.Store, ssair.Accum:
		if ssair.ReachesScalar(o.Stored().Type) {
			refuseFor(o.Base(), pts(o.Base()))
		}
	case ssair.Copy, ssair.Clear, ssair.MapSet, ssair.MapDelete, ssair.Append, ssair.AppendSlice:
		if t := ssair.ElemType(o.Args[0].Type); t == nil || ssair.ReachesScalar(t) {
			refuseFor(o.Args[0], pts(o.Args[0]))
		}
	case ssair.Call:
		for i := range pass.WrittenNumbers(o.Callee) {
			refuseFor(o.Args[i], s.a.al.Reach(pts(o.Args[i])))
		}
	case ssair.Opaque:
		if !pass.ReadsOnly(o) {
			for _, v := range o.Args {
				if v != nil {
					refuseFor(v, s.a.al.Reach(pts(v)))
				}
			}
		}
	}
}
