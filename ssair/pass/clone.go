package pass

import (
	"slices"

	"github.com/quabla/quabla/ssair"
)

// Clones turns an append to an empty slice without capacity, which copies what is appended,
// into a make and a copy, if nothing depends on the capacity of the copy and on whether it
// is nil. So a transform has no growing memory to follow. Inner says that functions which are
// not seen here call f.
func Clones(f *ssair.Func, inner bool) {
	var found []*ssair.Op
	f.Body.Walk(func(o *ssair.Op) bool {
		if o.Kind == ssair.AppendSlice && empty(o.Args[0]) && ssair.ElemType(o.Args[1].Type) != nil {
			found = append(found, o)
		}
		return true
	})
	if len(found) == 0 {
		return
	}
	al := FindAliases(f)
	for _, o := range found {
		if grown(f, al, RootSet{al.Site(o): true}, nil, inner) {
			continue
		}
		b := ssair.NewBuilder(o.Parent)
		b.Before, b.Pos = o, o.Pos
		src := o.Args[1]
		if d := o.Args[0].Def; d.Kind == ssair.Slice && ssair.Deref(d.Args[0].Type) == nil {
			d.Safe = true // x[:0:0]
		}
		made := b.MakeSlice(o.Result().Type, b.Len(src), nil)
		made.Var = o.Result().Var
		b.Op(ssair.Copy, []*ssair.Value{made, src}, ssair.Int)
		f.Body.ReplaceAll(map[*ssair.Value]*ssair.Value{o.Result(): made})
		o.Remove()
	}
}

// CopiesAll reports whether o copies to a new slice that is made as long as the other.
func CopiesAll(o *ssair.Op) bool {
	m, from := o.Args[0].Def, o.Args[1]
	if m == nil || m.Kind != ssair.MakeSlice {
		return false
	}
	n := m.Args[0]
	return isLen(n, from) || from.Def != nil && from.Def.Kind == ssair.MakeSlice && from.Def.Args[0] == n
}

// isLen reports whether n is len(x).
func isLen(n, x *ssair.Value) bool {
	return n.Def != nil && n.Def.Kind == ssair.Len && n.Def.Args[0] == x
}

// empty reports whether the slice v is nil, or has no elements and no capacity.
func empty(v *ssair.Value) bool {
	zero := func(v *ssair.Value) bool {
		if v == nil {
			return false
		}
		n, ok := ConstInt(v)
		return ok && n == 0
	}
	d := v.Def
	switch {
	case d == nil:
		return false
	case d.Kind == ssair.Conv:
		return empty(d.Args[0])
	case d.Kind == ssair.MakeSlice:
		return zero(d.Args[0]) && (d.Args[1] == nil || zero(d.Args[1]))
	case d.Kind == ssair.Slice:
		return zero(d.Args[2]) && zero(d.Args[3])
	}
	return d.Kind == ssair.Zero && d.Text == ""
}

// grown reports whether f, or if it is an inner function code that is not seen here, may ask
// for the capacity of a slice of one of the memories, append to it or compare it with nil.
// What the appends own do does not count.
func grown(f *ssair.Func, al *Aliases, sites RootSet, own map[*ssair.Op]bool, inner bool) bool {
	is := func(v *ssair.Value) bool { return al.Pts(v).Meets(sites) }
	reaches := func(v *ssair.Value) bool { return v != nil && al.Reach(al.Pts(v)).Meets(sites) }
	found := false
	f.Body.Walk(func(o *ssair.Op) bool {
		switch o.Kind {
		case ssair.Cap, ssair.Append, ssair.AppendSlice:
			found = found || !own[o] && is(o.Args[0])
		case ssair.Cmp:
			found = found || is(o.Args[0]) || is(o.Args[1])
		case ssair.Call:
			found = found || slices.ContainsFunc(o.Args, reaches) && grows(o.Callee)
		case ssair.MakeClosure, ssair.JVP, ssair.Grad:
			found = found || slices.ContainsFunc(o.Args, reaches)
		case ssair.Opaque:
			found = found || !o.Plain && !ReadsOnly(o) && slices.ContainsFunc(o.Args, reaches)
		case ssair.Return:
			found = found || inner && slices.ContainsFunc(o.Args, reaches)
		}
		return !found
	})
	if inner {
		for _, r := range al.Roots {
			found = found || r.Alloc == nil && al.Reach(RootSet{r: true}).Meets(sites)
		}
	}
	return found
}

// grows reports whether f, or a function that it calls, may do so with what it is given.
func grows(f *ssair.Func) bool {
	found := false
	f.EachCallee(true, func(g *ssair.Func) {
		g.Body.Walk(func(o *ssair.Op) bool {
			switch o.Kind {
			case ssair.Cap, ssair.Append, ssair.AppendSlice, ssair.MakeClosure:
				found = true
			case ssair.Cmp:
				found = found || ssair.HoldsRef(o.Args[0].Type)
			case ssair.Opaque:
				found = found || !o.Plain && !ReadsOnly(o)
			}
			return !found
		})
	})
	return found
}
