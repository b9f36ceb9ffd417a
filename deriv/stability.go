package deriv

import (
	"go/types"

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

func findStability(f *ssair.Func, al *pass.Aliases) *stability {
	s := &stability{al: al, order: map[*ssair.Op]int{}, outside: pass.RootSet{}}
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
		case ssair.Call, ssair.Opaque:
			if o.Reads() {
				break
			}
			set := pass.RootSet{}
			for _, a := range o.Args {
				for r := range al.Pts(a) {
					set[r] = true
				}
			}
			set = al.Reach(set)
			if o.Plain {
				set = set.Made()
			}
			s.writes = append(s.writes, write{o, nil, nil, set})
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
	for r := range roots {
		if s.leaves && s.outside[r] {
			return false
		}
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
			if w.dst.Meets(roots) || !w.op.Plain && outside(roots) {
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
// is as it is when o runs for the rest of the function.
func (s *stability) unchanged(o *ssair.Op, v *ssair.Value) bool {
	if !ssair.HoldsRef(v.Type) {
		return true
	}
	reach := s.al.Reach(s.al.Pts(v))
	for r := range reach {
		if s.leaves && s.outside[r] {
			return false
		}
	}
	for _, w := range s.writes {
		if s.after(o, w, reach) && (w.dst.Meets(reach) || w.base == nil && !w.op.Plain && outside(reach)) {
			return false
		}
	}
	return true
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
// on the same memory: a loop around both does not count if each trip allocates the
// memory anew and leaves it behind.
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
		if !inside || fresh(p, w.base) {
			continue
		}
		for r := range roots {
			if r.Alloc == nil || !within(p, r.Alloc) || escapes(s.al, p, r.Alloc) {
				return true
			}
		}
	}
	return false
}

// fresh reports whether the reference v is to memory that was allocated in the same
// trip of loop o: what a later trip writes there, an earlier one has not seen.
func fresh(o *ssair.Op, v *ssair.Value) bool {
	for v != nil && v.Def != nil && (v.Def.Kind == ssair.Slice || v.Def.Kind == ssair.Addr) {
		v = v.Def.Args[0]
	}
	return v != nil && v.Def != nil && within(o, v.Def) && (v.Def.Kind == ssair.Alloc || v.Def.Kind == ssair.MakeSlice)
}

// escapes reports whether the memory that a allocates inside loop o may be seen
// after the trip: a reference to it is carried or stored elsewhere.
func escapes(al *pass.Aliases, o, a *ssair.Op) bool {
	site := al.Site(a)
	for _, r := range o.Results {
		if al.Reach(al.Pts(r))[site] {
			return true
		}
	}
	for _, root := range al.Roots {
		if al.Contents(root)[site] && (root.Alloc == nil || !within(o, root.Alloc)) {
			return true
		}
	}
	return false
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
