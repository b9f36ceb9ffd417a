package pass

import (
	"slices"

	"github.com/quabla/quabla/ssair"
)

// Refill turns a store of zero and the addition to the same place right behind it, as of an
// adjoint that a statement takes and gives part of back, into one store. It leaves primal
// numbers alone, since 0 + -0 is not -0.
func Refill(f *ssair.Func) bool {
	changed := false
	var region func(r *ssair.Region)
	region = func(r *ssair.Region) {
		for i := 0; i < len(r.Ops); i++ {
			o := r.Ops[i]
			for _, n := range o.Regions {
				region(n)
			}
			if o.Kind != ssair.Store || !IsZero(o.Stored()) {
				continue
			}
			k := i + 1
			for r.Ops[k].Kind.IsPure() {
				k++
			}
			if a := r.Ops[k]; a.Kind == ssair.Accum && a.Loose && samePlace(o, a) {
				a.Kind, a.Safe = ssair.Store, a.Safe || o.Safe
				o.Remove()
				changed = true
				i--
			}
		}
	}
	region(f.Body)
	return changed
}

// samePlace reports whether the stores or accumulations a and b are spelled as ones to the
// same place.
func samePlace(a, b *ssair.Op) bool {
	return a.Base() == b.Base() && slices.Equal(a.Path, b.Path) && slices.Equal(a.Indices(), b.Indices())
}
