package deriv

import (
	"go/types"
	"slices"

	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// relinks reports whether f, or a function that it calls, may change references in
// memory that the op o reaches through its operand; with all, whether any function of
// the module may.
func relinks(f *ssair.Func, o *ssair.Op, all bool) bool {
	d := o.Args[0]
	reached := map[types.Type]bool{}
	reachTypes(d.Type, reached)
	seen := map[*ssair.Func]bool{}
	found := false
	var visit func(g *ssair.Func)
	visit = func(g *ssair.Func) {
		if seen[g] || found {
			return
		}
		seen[g] = true
		al := pass.FindAliases(g)
		var mine pass.RootSet
		if g == f {
			mine = al.Reach(al.Pts(d))
			for _, r := range al.Roots {
				if r.Local() && madeAfter(r.Alloc, o) {
					delete(mine, r)
				}
			}
		}
		g.Body.Walk(func(o *ssair.Op) bool {
			if o.Callee != nil {
				visit(o.Callee)
			}
			found = found || relinksOp(o, al, mine, reached)
			return !found
		})
	}
	visit(f)
	if all {
		for _, g := range f.Mod.Funcs {
			visit(g)
		}
	}
	return found
}

// madeAfter reports whether a runs only when o has run for the last time.
func madeAfter(a, o *ssair.Op) bool {
	after := false
	for _, x := range o.Parent.Func.Body.Ops {
		switch {
		case x == o:
			after = true
		case x == a || within(x, a):
			return after
		}
	}
	return false
}

// relinksOp reports whether o may change a reference in memory of the types in
// reached: if mine is not nil, in that memory, and else in any that the function has
// not made itself.
func relinksOp(o *ssair.Op, al *pass.Aliases, mine pass.RootSet, reached map[types.Type]bool) bool {
	var t types.Type
	switch o.Kind {
	case ssair.Store, ssair.Accum:
		t = o.Stored().Type
	case ssair.Copy, ssair.Append, ssair.AppendSlice, ssair.MapSet, ssair.MapDelete, ssair.Clear:
		t = ssair.ElemType(o.Args[0].Type)
	default:
		return false
	}
	if !ssair.RefersToScalar(t) {
		return false
	}
	if isRecord(o) {
		return false
	}
	roots := al.Pts(o.Args[0])
	foreign := false
	for r := range roots {
		foreign = foreign || !r.Local()
	}
	if mine != nil && !roots.Meets(mine) || mine == nil && !foreign {
		return false
	}
	for r := range reached {
		if pass.Overlap(r, t) {
			return true
		}
	}
	return false
}

// isRecord reports whether o works on a record that a transform has made: only
// what made it has references into it.
func isRecord(o *ssair.Op) bool {
	t := ssair.Deref(o.Args[0].Type)
	if t == nil {
		t = ssair.ElemType(o.Args[0].Type)
	}
	named, ok := types.Unalias(t).(*types.Named)
	return ok && slices.Contains(o.Parent.Func.Mod.Types, named.Obj())
}

// reachTypes adds the types of the variables that a value of type t refers to; nil
// stands for any.
func reachTypes(t types.Type, list map[types.Type]bool) {
	switch u := t.Underlying().(type) {
	case *types.Slice, *types.Pointer, *types.Map:
		e := u.(interface{ Elem() types.Type }).Elem()
		if !list[e] {
			list[e] = true
			reachTypes(e, list)
		}
	case *types.Array:
		reachTypes(u.Elem(), list)
	case *types.Struct:
		for f := range u.Fields() {
			reachTypes(f.Type(), list)
		}
	case *types.Interface:
		list[nil] = true
	}
}
