package pass

import (
	"go/types"

	"github.com/quabla/quabla/ssair"
)

// A place is a field of a struct that an op allocates.
type place struct {
	in    *Root
	field int
}

// isStruct reports whether r is a struct that an op allocates.
func (r *Root) isStruct() bool {
	if r.Alloc == nil || r.Alloc.Kind != ssair.Alloc {
		return false
	}
	_, ok := r.Alloc.Type.Underlying().(*types.Struct)
	return ok
}

// fieldOf returns the field of r that the load or store o goes to, where it is known that
// the base of o points to the beginning of r if it points there at all.
func fieldOf(o *ssair.Op, r *Root) (f place, ok bool) {
	if len(o.Path) == 0 || !o.Path[0].IsField() || !r.isStruct() {
		return place{}, false
	}
	d := ssair.Deref(o.Base().Type)
	return place{r, o.Path[0].Field}, d != nil && types.Identical(d, r.Alloc.Type)
}

// store lets the memory that o writes hold what it stores.
func (a *Aliases) store(o *ssair.Op) {
	what := a.pts[o.Stored()]
	if len(what) == 0 {
		return
	}
	for r := range a.pts[o.Base()] {
		f, ok := fieldOf(o, r)
		if !ok {
			a.fill(RootSet{r: true}, what)
		} else if include(a.fields, f, what) {
			a.hold(r, what)
			a.grows(r)
		}
	}
}

// loaded returns what references that o loads may point to.
func (a *Aliases) loaded(o *ssair.Op) RootSet {
	out := RootSet{}
	for r := range a.pts[o.Base()] {
		if f, ok := fieldOf(o, r); ok {
			out.addAll(a.fields[f])
			out.addAll(a.loose[r])
		} else {
			out.addAll(a.contents[r])
		}
	}
	return out
}
