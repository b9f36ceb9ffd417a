package deriv

import (
	"go/types"

	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// An access is an op in a loop that reads or writes memory.
type access struct {
	op    *ssair.Op
	roots pass.RootSet
	typ   types.Type // nil: whatever is there
}

// accesses is what the trips of a loop do to memory.
type accesses struct {
	s             *reverseSweep
	o             *ssair.Op
	reads, writes []access
}

func (s *reverseSweep) findAccesses(o *ssair.Op) *accesses {
	a := &accesses{s: s, o: o}
	al := s.act.al
	read := func(x *ssair.Op, v *ssair.Value, t types.Type) { a.reads = append(a.reads, access{x, al.Pts(v), t}) }
	write := func(x *ssair.Op, v *ssair.Value, t types.Type) {
		a.writes = append(a.writes, access{x, al.Pts(v), t})
	}
	visit := func(x *ssair.Op) bool {
		switch x.Kind {
		case ssair.Load:
			read(x, x.Base(), x.Result().Type)
		case ssair.Store, ssair.Accum:
			write(x, x.Base(), x.Stored().Type)
		case ssair.Clear:
			write(x, x.Args[0], ssair.ElemType(x.Args[0].Type))
		case ssair.Copy:
			write(x, x.Args[0], ssair.ElemType(x.Args[0].Type))
			if !ssair.IsString(x.Args[1].Type) {
				read(x, x.Args[1], ssair.ElemType(x.Args[1].Type))
			}
		case ssair.Append, ssair.AppendSlice:
			t := ssair.ElemType(x.Result().Type)
			write(x, x.Args[0], t)
			read(x, x.Args[0], t)
			if x.Kind == ssair.AppendSlice && !ssair.IsString(x.Args[1].Type) {
				read(x, x.Args[1], t)
			}
		case ssair.MapGet, ssair.MapKeys, ssair.MapLen:
			read(x, x.Args[0], nil)
		case ssair.MapSet, ssair.MapDelete:
			write(x, x.Args[0], nil)
		case ssair.Call:
			changed := pass.Written(x.Callee)
			for i, v := range x.Args {
				if !ssair.HoldsRef(v.Type) {
					continue
				}
				reach := al.Reach(al.Pts(v))
				a.reads = append(a.reads, access{x, reach, nil})
				if changed[i] {
					a.writes = append(a.writes, access{x, reach, nil})
				}
			}
		case ssair.Opaque:
			for _, v := range x.Args {
				if v != nil && ssair.HoldsRef(v.Type) {
					reach := al.Reach(al.Pts(v))
					a.reads = append(a.reads, access{x, reach, nil})
					if x.Alters {
						a.writes = append(a.writes, access{x, reach, nil})
					} else if x.Plain && !x.Reads() {
						a.writes = append(a.writes, access{x, reach.Made(), nil})
					}
				}
			}
		}
		return true
	}
	o.BodyRegion().Walk(visit)
	o.Post().Walk(visit)
	return a
}

// meet reports whether memory of x and y can be the same.
func (s *reverseSweep) meet(x, y pass.RootSet) bool {
	return pass.MayMeet(x, y) && !(s.mem.disjoint && distinct(x, y))
}

// among returns the accesses of list to memory of type t in roots.
func (a *accesses) among(list []access, roots pass.RootSet, t types.Type) []access {
	var out []access
	for _, x := range list {
		if a.s.meet(roots, x.roots) && (t == nil || x.typ == nil || pass.Overlap(t, x.typ)) {
			out = append(out, x)
		}
	}
	return out
}

// skippable reports whether a replay may leave out the write w, if the loop does not
// read what it writes.
func (a *accesses) skippable(w access) bool {
	switch w.op.Kind {
	case ssair.Store, ssair.Accum, ssair.Clear:
		return true
	case ssair.Copy:
		return len(a.s.uses[w.op.Result()]) == 0
	}
	return false
}

// changing reports whether a snapshot must hold what memory of type t in roots holds.
func (a *accesses) changing(roots pass.RootSet, t types.Type) bool {
	writes := a.among(a.writes, roots, t)
	if len(writes) == 0 {
		return false
	}
	for _, w := range writes {
		if !a.skippable(w) {
			return true
		}
	}
	return len(a.among(a.reads, roots, t)) > 0
}

// unstable reports whether the loop reads memory of type t in roots, leaves it alone,
// and something else may change it before the trips are replayed.
func (a *accesses) unstable(roots pass.RootSet, t types.Type) bool {
	if len(a.among(a.writes, roots, t)) > 0 || len(a.among(a.reads, roots, t)) == 0 {
		return false
	}
	m := a.s.mem
	for r := range roots {
		if m.leaves && m.outside[r] {
			return true
		}
	}
	for _, w := range m.writes {
		if within(a.o, w.op) || !m.after(a.o, w, roots) {
			continue
		}
		if a.s.meet(roots, w.dst) && (t == nil || w.typ == nil || pass.Overlap(t, w.typ)) {
			return true
		}
	}
	return false
}
