package pass

import (
	"go/types"
	"slices"

	"github.com/quabla/quabla/ssair"
)

// What a callee may store where is not looked into, but types tell that memory of
// one kind holds no references to memory of another.

// mix lets the memory of every root in s hold references to any of them, as far as
// its type allows.
func (a *Aliases) mix(s RootSet) {
	for r := range s {
		for x := range s {
			held := a.contents[r]
			if r.isStruct() {
				held = a.loose[r]
			}
			if !held[x] && a.mayHold(r, x) {
				a.fill(RootSet{r: true}, RootSet{x: true})
			}
		}
	}
}

// mayHold reports whether the memory of r can hold a reference to that of x.
func (a *Aliases) mayHold(r, x *Root) bool {
	key := [2]*Root{r, x}
	may, ok := a.holds[key]
	if !ok {
		may = holdsAny(r.Memory(), x.Memory())
		a.holds[key] = may
	}
	return may
}

// holdsAny reports whether memory of one of the types ts can hold a reference to
// memory of one of us. A nil list stands for all types.
func holdsAny(ts, us []types.Type) bool {
	if ts == nil || us == nil {
		return true
	}
	return slices.ContainsFunc(ts, func(t types.Type) bool {
		return slices.ContainsFunc(us, func(u types.Type) bool { return refersTo(t, u) })
	})
}

// Memory returns the types that the memory of r may have, or nil if those may be
// any.
func (r *Root) Memory() []types.Type {
	switch {
	case r.Param != nil && r.Deep:
		switch m := pointee(r.Param.Type).(type) {
		case nil, *types.Map:
			return reachedTypes(nil, r.Param.Type)
		default:
			return reachedTypes([]types.Type{}, m)
		}
	case r.Param != nil:
		return direct(r.Param.Type)
	case r.Obj != nil && r.Deep:
		return reachedTypes(nil, r.Obj.Type())
	case r.Obj != nil:
		return []types.Type{r.Obj.Type()}
	}
	switch r.Alloc.Kind {
	case ssair.Alloc:
		return []types.Type{r.Alloc.Type}
	case ssair.MakeSlice, ssair.MakeMap, ssair.MapKeys, ssair.Append, ssair.AppendSlice:
		return direct(r.Alloc.Result().Type)
	}
	var ts []types.Type
	vs := r.Alloc.Results
	if r.Stored {
		vs = slices.Concat(vs, r.Alloc.Args)
	}
	for _, v := range vs {
		if v == nil {
			continue
		}
		if ts = reachedTypes(ts, v.Type); ts == nil && ssair.HoldsRef(v.Type) {
			return nil
		}
	}
	return ts
}

// direct returns the type of the memory that a reference of type t points to.
func direct(t types.Type) []types.Type {
	if u := pointee(t); u != nil {
		return []types.Type{u}
	}
	return nil
}

// reachedTypes adds the types of the memory that can be reached from a value of type t
// to ts. It returns nil if there may be any.
func reachedTypes(ts []types.Type, t types.Type) []types.Type {
	ok := true
	var visit func(t types.Type)
	visit = func(t types.Type) {
		switch u := t.Underlying().(type) {
		case *types.Basic:
			ok = ok && u.Kind() != types.UnsafePointer
		case *types.Struct:
			for f := range u.Fields() {
				visit(f.Type())
			}
		case *types.Array:
			visit(u.Elem())
		case *types.Pointer, *types.Slice, *types.Map:
			m := pointee(u)
			if slices.ContainsFunc(ts, func(t types.Type) bool { return types.Identical(t, m) }) {
				return
			}
			ts = append(ts, m)
			if v, isMap := m.(*types.Map); isMap {
				visit(v.Key())
				visit(v.Elem())
			} else {
				visit(m)
			}
		default:
			ok = false
		}
	}
	visit(t)
	if !ok {
		return nil
	}
	return ts
}

// TypesReach reports whether memory of type u, or a part of it, can be reached from a value
// of type t as far as types tell.
func TypesReach(t, u types.Type) bool {
	ts := reachedTypes([]types.Type{}, t)
	return ts == nil || slices.ContainsFunc(ts, func(m types.Type) bool { return Overlap(m, u) })
}

// pointee returns the type of the memory that a reference of type t points to: that
// of a slice is an array, that of a map is the map.
func pointee(t types.Type) types.Type {
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return u.Elem()
	case *types.Slice:
		return types.NewArray(u.Elem(), 1)
	case *types.Map:
		return u
	}
	return nil
}

// refersTo reports whether memory of type t can hold a reference to memory of type u.
func refersTo(t, u types.Type) bool {
	switch v := t.Underlying().(type) {
	case *types.Basic:
		return v.Kind() == types.UnsafePointer
	case *types.Struct:
		for f := range v.Fields() {
			if refers(f.Type(), u) {
				return true
			}
		}
		return false
	case *types.Array:
		return refers(v.Elem(), u)
	case *types.Map:
		// As memory; a map in other memory is a reference to it.
		return refers(v.Key(), u) || refers(v.Elem(), u)
	}
	return refers(t, u)
}

// refers reports whether a value of type t can be or contain a reference to memory
// of type u.
func refers(t, u types.Type) bool {
	switch v := t.Underlying().(type) {
	case *types.Struct, *types.Array, *types.Basic:
		return refersTo(t, u)
	case *types.Slice:
		return holdsArray(u, v.Elem())
	case *types.Pointer, *types.Map:
		// It may point into the memory. A pointer to an array may come from a slice.
		e := pointee(v)
		for a, ok := e.Underlying().(*types.Array); ok; a, ok = e.Underlying().(*types.Array) {
			e = a.Elem()
		}
		return contains(u, e)
	}
	return true // an interface or a function, or a type parameter
}

// holdsArray reports whether memory of type t is or contains an array with elements
// of type e.
func holdsArray(t, e types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for f := range u.Fields() {
			if holdsArray(f.Type(), e) {
				return true
			}
		}
	case *types.Array:
		return types.Identical(u.Elem().Underlying(), e.Underlying()) || holdsArray(u.Elem(), e)
	}
	return false
}
