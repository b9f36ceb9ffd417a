package deriv

import (
	"go/token"
	"go/types"

	"github.com/quabla/quabla/ssair"
)

// eachPlace visits the numbers at places of the primal type t that have the same
// shape, that of the first; t is passed on as the type of the number.
func eachPlace(b *ssair.Builder, at []spot, t types.Type, visit func(b *ssair.Builder, at []spot, t types.Type)) {
	if !ssair.ReachesScalar(t) {
		return
	}
	if ssair.IsScalar(t) {
		visit(b, at, t)
		return
	}
	each := func(b *ssair.Builder, to func(p spot) spot, t types.Type) {
		next := make([]spot, len(at))
		for k, p := range at {
			next[k] = to(p)
		}
		eachPlace(b, next, t, visit)
	}
	// Through a reference the walk goes on where it points to.
	behind := func(b *ssair.Builder) []spot {
		next := make([]spot, len(at))
		for k, p := range at {
			next[k] = spot{base: p.load(b)}
		}
		return next
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for i := range u.NumFields() {
			each(b, func(p spot) spot { return p.field(i) }, u.Field(i).Type())
		}
	case *types.Array:
		b.Each(b.Int(int(u.Len())), "i", func(i *ssair.Value) {
			each(b, func(p spot) spot { return p.elem(i) }, u.Elem())
		})
	case *types.Slice:
		at = behind(b)
		b.Each(b.Len(at[0].base), "i", func(i *ssair.Value) {
			each(b, func(p spot) spot { return p.elem(i) }, u.Elem())
		})
	case *types.Pointer:
		p := at[0].load(b)
		when(b, b.Cmp(token.NEQ, p, b.Zero(p.Type)), func(b *ssair.Builder) {
			eachPlace(b, behind(b), u.Elem(), visit)
		})
	default:
		refuse(b.Pos, "give it rules of both modes, and ask for one lane", "cannot go through the numbers of a value of type %s one by one, as the rule at hand needs", t)
	}
}

// noComplex refuses to build the Jacobian by complex numbers, of which the rule
// would have to be asked for the real and the imaginary part.
func noComplex(o *ssair.Op, t types.Type, has, needs string) {
	if ssair.IsComplex(t) {
		refuse(o.Pos, "give it a "+needs+" rule too", "%s has only a %s rule, and complex numbers need one of each mode", o.Callee.Name, has)
	}
}
