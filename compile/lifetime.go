package compile

import (
	"go/types"
	"slices"

	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// lifetimes tells how long the memory that a function makes is in use.
type lifetimes struct {
	f  *ssair.Func
	al *pass.Aliases
	// keeps says that a function called may put memory where later calls find it.
	keeps bool
}

func (u *unit) lifetimes(f *ssair.Func) *lifetimes {
	return &lifetimes{f: f, al: pass.FindAliases(f), keeps: slices.ContainsFunc(u.reach(f), keepsMemory)}
}

// keepsMemory reports whether f may put references into package-level variables, or
// give them to code that may do so.
func keepsMemory(f *ssair.Func) bool {
	al := pass.FindAliases(f)
	found := false
	f.Body.Walk(func(o *ssair.Op) bool {
		switch o.Kind {
		case ssair.Store, ssair.MapSet:
			for r := range al.Pts(o.Args[0]) {
				found = found || r.Obj != nil && holdsRef(o.Args[1:])
			}
		case ssair.Opaque:
			p := (*types.Package)(nil)
			if o.Obj != nil {
				p = o.Obj.Pkg()
			}
			foreign := !o.Plain && (p == nil || !stdPath(p.Path()) && p.Path() != rtPath)
			found = found || foreign && holdsRef(o.Args)
		case ssair.MakeClosure:
			found = found || holdsRef(o.Args)
		}
		return !found
	})
	return found
}

func holdsRef(vs []*ssair.Value) bool {
	return slices.ContainsFunc(vs, func(v *ssair.Value) bool { return v != nil && ssair.HoldsRef(v.Type) })
}

// scope returns the loop in whose trips the memory that o makes is not used beyond
// the trip that made it, the innermost one, or nil if there is none. It reports
// false if the memory may be in use after the call.
func (l *lifetimes) scope(o *ssair.Op) (loop *ssair.Op, local bool) {
	site := l.al.Site(o)
	if l.returned(site) || l.escapes(site) {
		return nil, false
	}
	for p := o.Parent.Parent; p != nil; p = p.Parent.Parent {
		if p.Kind != ssair.Loop {
			continue
		}
		if !l.al.Lasting(p)[site] && (p == o.Parent.Loop() || p.BodyRegion().Contains(o.Parent)) {
			return p, true
		}
	}
	return nil, true
}

// returned reports whether memory can be reached from the results.
func (l *lifetimes) returned(site *pass.Root) bool {
	t := l.f.Body.Term()
	return t.Kind == ssair.Return && slices.ContainsFunc(t.Args, func(v *ssair.Value) bool {
		return l.al.Reach(l.al.Pts(v))[site]
	})
}

// escapes reports whether memory may be found after the call in another way than through
// the results.
func (l *lifetimes) escapes(site *pass.Root) bool {
	for _, r := range l.al.Roots {
		if r != site && (r.Alloc == nil || l.keeps) && l.al.Reach(pass.RootSet{r: true})[site] {
			return true
		}
	}
	return l.keeps && l.passed(site)
}

// measured reports whether the capacity of a slice of the memory plays a role.
func (l *lifetimes) measured(site *pass.Root) bool {
	found := false
	l.f.Body.Walk(func(o *ssair.Op) bool {
		found = found || o.Kind == ssair.Cap && l.al.Pts(o.Args[0])[site]
		return !found
	})
	return found
}

// ends reports whether a tape, of which v is the last state, is not used beyond the
// trip of the innermost loop around zero, where it starts, or beyond the call.
func (l *lifetimes) ends(v *ssair.Value, zero *ssair.Op) bool {
	for r := range l.al.Pts(v) {
		if r.Alloc == nil || r.Alloc.Kind != ssair.Append && r.Alloc.Kind != ssair.AppendSlice {
			return false
		}
		if loop, local := l.scope(r.Alloc); !local || loop != zero.Parent.Loop() {
			return false
		}
	}
	return true
}

// passed reports whether the memory is given to another function.
func (l *lifetimes) passed(site *pass.Root) bool {
	found := false
	l.f.Body.Walk(func(o *ssair.Op) bool {
		switch o.Kind {
		case ssair.Call, ssair.MakeClosure, ssair.Opaque:
			for _, a := range o.Args {
				found = found || a != nil && l.al.Reach(l.al.Pts(a))[site]
			}
		}
		return !found
	})
	return found
}

// outlives reports whether what o makes may be in use after the call, or after the
// trip of the innermost loop around o.
func (l *lifetimes) outlives(o *ssair.Op) bool {
	loop, local := l.scope(o)
	return !local || loop != o.Parent.Loop()
}
