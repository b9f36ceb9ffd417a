package deriv

import (
	"go/types"
	"maps"

	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// stability tells which loads the reverse sweep may repeat: those from memory
// that is not written after them. "After" includes later trips of a loop that
// holds both the load and the write.
type stability struct {
	al     *pass.Aliases
	order  map[*ssair.Op]int
	writes []write
	// disjoint is set when the parameters are known not to share memory: the
	// derivative checks that on entry.
	disjoint bool
	// leaves is set when the memory may be changed between the two sweeps, as
	// when they are separate functions.
	leaves bool
	// frozen holds the memory of parameters that nothing changes from the call to the
	// end of the reverse sweep, as the caller knows.
	frozen pass.RootSet
	// outside holds the memory that others can reach once the function has
	// returned.
	outside pass.RootSet
}

type write struct {
	op   *ssair.Op
	base *ssair.Value // nil: anything that the operands of a call reach
	typ  types.Type
	dst  pass.RootSet
}

// findStability collects the writes of f; writes tells those of the functions that
// it calls, by parameter.
func findStability(f *ssair.Func, al *pass.Aliases, writes func(*ssair.Func) []bool) *stability {
	s := &stability{al: al, order: map[*ssair.Op]int{}, outside: pass.RootSet{}, frozen: pass.RootSet{}}
	seen := pass.RootSet{}
	if t := f.Body.Term(); t.Kind == ssair.Return {
		for _, v := range t.Args {
			for r := range al.Pts(v) {
				seen[r] = true
			}
		}
	}
	for _, r := range al.Roots {
		if !r.Local() {
			seen[r] = true
		}
	}
	s.outside = al.Reach(seen)
	n := 0
	f.Body.Walk(func(o *ssair.Op) bool {
		n++
		s.order[o] = n
		switch o.Kind {
		case ssair.Store, ssair.Accum:
			s.writes = append(s.writes, write{o, o.Base(), o.Stored().Type, al.Pts(o.Base())})
		case ssair.Copy, ssair.Clear, ssair.Append, ssair.AppendSlice:
			s.writes = append(s.writes, write{o, o.Args[0], ssair.ElemType(o.Args[0].Type), al.Pts(o.Args[0])})
		case ssair.MapSet, ssair.MapDelete:
			s.writes = append(s.writes, write{o, o.Args[0], nil, al.Pts(o.Args[0])})
		case ssair.Call, ssair.Opaque, ssair.ClearAll:
			if o.Reads() {
				break
			}
			var changed []bool
			if o.Callee != nil {
				changed = writes(o.Callee)
			}
			set := pass.RootSet{}
			for i, a := range o.Args {
				for r := range al.Pts(a) {
					set[r] = set[r] || changed == nil || changed[i]
				}
			}
			maps.DeleteFunc(set, func(_ *pass.Root, changed bool) bool { return !changed })
			set = al.Reach(set)
			if o.Plain && !o.Alters {
				set = set.Made()
			}
			if len(set) > 0 || o.Callee == nil {
				s.writes = append(s.writes, write{o, nil, nil, set})
			}
		}
		return true
	})
	return s
}

// reload reports whether the load or map read o finds the same value again
// after the function has run.
func (s *stability) reload(o *ssair.Op) bool {
	base := o.Args[0]
	roots := s.al.Pts(base)
	if s.isFrozen(roots) {
		return true
	}
	if s.leaves && s.escaped(roots) {
		return false
	}
	var t types.Type
	if o.Kind == ssair.Load {
		t = o.Result().Type
	}
	for _, w := range s.writes {
		if !s.after(o, w, roots) {
			continue
		}
		if w.base == nil {
			if s.mayTouch(w, roots) {
				return false
			}
			continue
		}
		if s.al.MayAlias(base, t, w.base, w.typ) && !(s.disjoint && distinct(roots, w.dst)) {
			return false
		}
	}
	return true
}

// unchanged reports whether the memory that the argument v of the call o reaches
// is as it is when o begins, until the end of the reverse sweep.
func (s *stability) unchanged(o *ssair.Op, v *ssair.Value) bool {
	if !ssair.HoldsRef(v.Type) {
		return true
	}
	reach := s.al.Reach(s.al.Pts(v))
	if s.isFrozen(reach) {
		return true
	}
	if s.leaves && s.escaped(reach) {
		return false
	}
	for _, w := range s.writes {
		if (w.op == o || s.after(o, w, reach)) && s.mayTouch(w, reach) {
			return false
		}
	}
	return true
}

// freeze says that parameter p is frozen.
func (s *stability) freeze(p *ssair.Value) {
	for _, r := range s.al.Roots {
		if r.Param == p {
			s.frozen[r] = true
		}
	}
}

// isFrozen reports whether all roots are frozen.
func (s *stability) isFrozen(roots pass.RootSet) bool {
	for r := range roots {
		if !s.frozen[r] {
			return false
		}
	}
	return len(roots) > 0
}

// escaped reports whether others can reach one of the roots, and may change it.
func (s *stability) escaped(roots pass.RootSet) bool {
	for r := range roots {
		if s.outside[r] && !s.frozen[r] {
			return true
		}
	}
	return false
}

// mayTouch reports whether w may write to one of the roots.
func (s *stability) mayTouch(w write, roots pass.RootSet) bool {
	if w.dst.Meets(roots) {
		return true
	}
	if w.op.Kind == ssair.Opaque {
		return (!w.op.Plain || w.op.Alters) && outside(roots)
	}
	return outside(roots) && outside(w.dst) && !(s.disjoint && distinct(roots, w.dst))
}

// distinct reports whether x and y are different parameters and local
// allocations only.
func distinct(x, y pass.RootSet) bool {
	for _, set := range []pass.RootSet{x, y} {
		for r := range set {
			if r.Param == nil && !r.Local() {
				return false
			}
		}
	}
	return !x.Meets(y)
}

// outside reports whether some root is not local to the function.
func outside(s pass.RootSet) bool {
	for r := range s {
		if !r.Local() {
			return true
		}
	}
	return false
}

// after reports whether w may run after o and before the end of the function,
// on the same memory: a loop around both does not count if each trip makes that
// memory for itself and leaves it behind.
func (s *stability) after(o *ssair.Op, w write, roots pass.RootSet) bool {
	if s.order[w.op] > s.order[o] {
		return true
	}
	for p := o.Parent.Parent; p != nil; p = p.Parent.Parent {
		if p.Kind != ssair.Loop {
			continue
		}
		inside := false
		for _, r := range p.Regions {
			inside = inside || r.Contains(w.op.Parent)
		}
		if !inside || madeInTrip(p, w.base) {
			continue
		}
		if s.al.Lasting(p).Meets(roots) {
			return true
		}
	}
	return false
}

// madeInTrip reports whether the reference v is to memory that was allocated in the same
// trip of loop o: what a later trip writes there, an earlier one has not seen.
func madeInTrip(o *ssair.Op, v *ssair.Value) bool {
	for v != nil && v.Def != nil && (v.Def.Kind == ssair.Slice || v.Def.Kind == ssair.Addr) {
		v = v.Def.Args[0]
	}
	return v != nil && v.Def != nil && within(o, v.Def) && (v.Def.Kind == ssair.Alloc || v.Def.Kind == ssair.MakeSlice)
}

// within reports whether o is nested in p.
func within(p, o *ssair.Op) bool {
	for _, r := range p.Regions {
		if r.Contains(o.Parent) {
			return true
		}
	}
	return false
}
