package pass

import (
	"fmt"
	"go/types"

	"github.com/quabla/quabla/ssair"
)

// A Root is a piece of memory that a function can tell apart from others: what
// one parameter points to, what can be reached through it, what one op
// allocates, a package-level variable.
type Root struct {
	Param *ssair.Value // a parameter of the function
	Deep  bool         // what is reached through the references in its memory
	Alloc *ssair.Op    // an allocation, or a call that may return new memory
	Obj   types.Object // a package-level variable
	// Stored says of a call that its callee may store references to new memory in
	// what it is given.
	Stored bool
	// Error says that Alloc, a call, has returned the memory as an error.
	Error bool
}

// String describes r for messages and tests.
func (r *Root) String() string {
	switch {
	case r.Param != nil && r.Deep:
		return r.Param.Name() + " (deep)"
	case r.Param != nil:
		return r.Param.Name()
	case r.Obj != nil:
		return r.Obj.Name()
	}
	return fmt.Sprintf("%v", r.Alloc.Kind)
}

// Local reports whether r is allocated by the function itself.
func (r *Root) Local() bool {
	return r.Alloc != nil && r.Alloc.Kind != ssair.Call && r.Alloc.Kind != ssair.Opaque
}

// holdsRefs reports whether there may be references in the memory of r.
func (r *Root) holdsRefs() bool {
	switch {
	case r.Deep || r.Obj != nil:
		return true
	case r.Param != nil:
		return refersToRefs(r.Param.Type)
	}
	switch o := r.Alloc; o.Kind {
	case ssair.Alloc, ssair.MakeSlice, ssair.MakeMap, ssair.MapKeys, ssair.Append, ssair.AppendSlice:
		return refersToRefs(o.Result().Type)
	}
	return true
}

// refersToRefs reports whether what values of type t refer to may hold references.
func refersToRefs(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return ssair.HoldsRef(u.Elem())
	case *types.Pointer:
		return ssair.HoldsRef(u.Elem())
	case *types.Map:
		return ssair.HoldsRef(u.Key()) || ssair.HoldsRef(u.Elem())
	case *types.Array:
		return refersToRefs(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if refersToRefs(f.Type()) {
				return true
			}
		}
		return false
	case *types.Basic:
		return false
	}
	return true
}

// A RootSet is a set of roots.
type RootSet map[*Root]bool

// Made returns those of s that the function itself allocates.
func (s RootSet) Made() RootSet {
	made := RootSet{}
	for r := range s {
		if r.Local() {
			made[r] = true
		}
	}
	return made
}

func (s RootSet) addAll(t RootSet) bool {
	changed := false
	for r := range t {
		if !s[r] {
			s[r] = true
			changed = true
		}
	}
	return changed
}

// Meets reports whether s and t have a root in common.
func (s RootSet) Meets(t RootSet) bool {
	for r := range s {
		if t[r] {
			return true
		}
	}
	return false
}
