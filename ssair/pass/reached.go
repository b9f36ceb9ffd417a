package pass

import (
	"slices"

	"github.com/quabla/quabla/ssair"
)

// indexed reports whether the path of o has an index that may be out of range.
func indexed(o *ssair.Op) bool { return slices.Contains(o.Path, ssair.Elem) }

// reached reports whether the address o need not be computed to see that it does
// not panic: another op on the same place, or on a part of it, panics where it would,
// and nothing that could be seen happens in between.
func reached(o *ssair.Op) bool {
	ops := o.Parent.Ops
	at := slices.Index(ops, o)
	for _, x := range ops[at+1:] {
		if within(x, o) {
			return true
		}
		if len(x.Regions) > 0 || x.Kind.Writes() || x.Kind.IsTerm() || !Removable(x) && x.Kind != ssair.Addr {
			break
		}
	}
	for i := at - 1; i >= 0; i-- {
		if within(ops[i], o) {
			return true
		}
	}
	return false
}

// within reports whether x reads or writes the place whose address o is, or a part
// of it.
func within(x, o *ssair.Op) bool {
	switch x.Kind {
	case ssair.Load, ssair.Store, ssair.Accum:
	default:
		return false
	}
	n := len(o.Path)
	if x.Base() != o.Base() || len(x.Path) < n || !slices.Equal(x.Path[:n], o.Path) {
		return false
	}
	idx := o.Indices()
	return slices.Equal(x.Indices()[:len(idx)], idx)
}
