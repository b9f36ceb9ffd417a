package deriv

import (
	"go/token"
	"go/types"

	"github.com/quabla/quabla/ssair"
)

// addInto adds the numbers that can be reached from src to those that can be
// reached from dst, which has the same shape.
func addInto(b *ssair.Builder, dst, src *ssair.Value, t types.Type, pos token.Pos) {
	carry(b, dst, src, t, true, pos)
}

// carry brings the numbers that can be reached from src, of type t, to those
// that can be reached from dst, which has the same shape: it adds them or takes
// their place.
func carry(b *ssair.Builder, dst, src *ssair.Value, t types.Type, add bool, pos token.Pos) {
	if ssair.Irregular(t) {
		refuse(pos, "use jvp, or return numbers, slices or structs of them", "cannot take a cotangent for a value of type %s, whose shape the type does not tell", t)
	}
	switch u := t.Underlying().(type) {
	case *types.Slice:
		if !add && onlyScalars(u.Elem()) {
			b.Op(ssair.Copy, []*ssair.Value{dst, src}, ssair.Int)
			return
		}
		b.Each(b.Len(src), "i", func(i *ssair.Value) {
			carryPlace(b, dst, src, elem(), []*ssair.Value{i}, u.Elem(), add, pos)
		})
	case *types.Pointer:
		when(b, b.Cmp(token.NEQ, src, b.Zero(t)), func(b *ssair.Builder) {
			carryPlace(b, dst, src, nil, nil, u.Elem(), add, pos)
		})
	case *types.Map:
		keys := b.Op(ssair.MapKeys, []*ssair.Value{src}, types.NewSlice(u.Key())).Result()
		b.Each(b.Len(keys), "i", func(i *ssair.Value) {
			k := b.Load(keys, elem(), i)
			get := func(m *ssair.Value) *ssair.Value {
				return b.Op(ssair.MapGet, []*ssair.Value{m, k}, u.Elem(), ssair.Bool).Results[0]
			}
			if ssair.IsRef(u.Elem()) {
				carry(b, get(dst), get(src), u.Elem(), add, pos)
				return
			}
			to, from := cell(b, get(dst)), cell(b, get(src))
			carryPlace(b, to.base, from.base, nil, nil, u.Elem(), add, pos)
			b.Op(ssair.MapSet, []*ssair.Value{dst, k, to.load(b)})
		})
	case *types.Struct, *types.Array:
		x, y := cell(b, dst), cell(b, src)
		eachPart(b, t, func(b *ssair.Builder, p []ssair.Step, idx []*ssair.Value, leaf types.Type) {
			if ssair.IsRef(leaf) && ssair.ReachesScalar(leaf) {
				carry(b, b.Load(x.base, p, idx...), b.Load(y.base, p, idx...), leaf, add, pos)
			}
		})
	default:
		refuse(pos, "return numbers, slices or structs of them", "cannot take a cotangent for a value of type %s", t)
	}
}

func carryPlace(b *ssair.Builder, dst, src *ssair.Value, path []ssair.Step, idx []*ssair.Value, t types.Type, add bool, pos token.Pos) {
	eachPart(b, t, func(b *ssair.Builder, p []ssair.Step, more []*ssair.Value, leaf types.Type) {
		q, i := join(path, p), joinV(idx, more)
		switch {
		case ssair.IsScalar(leaf) && add:
			b.Accum(dst, q, b.Load(src, q, i...), i...).Loose = true
		case ssair.IsScalar(leaf):
			b.Store(dst, q, b.Load(src, q, i...), i...)
		case ssair.IsRef(leaf) && ssair.ReachesScalar(leaf):
			carry(b, b.Load(dst, q, i...), b.Load(src, q, i...), leaf, add, pos)
		}
	})
}

// deliver brings the adjoint of an aggregate of type t to the destination dest,
// a pointer: bar holds the adjoints of its own numbers, or is nil if it has none,
// and shadow those of what it refers to.
func deliver(b *ssair.Builder, dest, bar, shadow *ssair.Value, t types.Type, add bool, pos token.Pos) {
	var bars, refs spot
	if bar != nil {
		bars = cell(b, bar)
	}
	if shadow != nil {
		refs = cell(b, shadow)
	}
	eachPart(b, t, func(b *ssair.Builder, p []ssair.Step, idx []*ssair.Value, leaf types.Type) {
		switch {
		case ssair.IsScalar(leaf) && add:
			b.Accum(dest, p, b.Load(bars.base, p, idx...), idx...).Loose = true
		case ssair.IsScalar(leaf):
			b.Store(dest, p, b.Load(bars.base, p, idx...), idx...)
		case ssair.IsRef(leaf) && ssair.ReachesScalar(leaf):
			carry(b, b.Load(dest, p, idx...), b.Load(refs.base, p, idx...), leaf, add, pos)
		}
	})
}

// clearReach sets the numbers that can be reached from d to zero; d may be an
// aggregate, whose own numbers stay.
func clearReach(b *ssair.Builder, d *ssair.Value, pos token.Pos) {
	if !ssair.IsAggregate(d.Type) {
		clearNumbers(b, d, pos)
		return
	}
	c := cell(b, d)
	eachPart(b, d.Type, func(b *ssair.Builder, p []ssair.Step, idx []*ssair.Value, leaf types.Type) {
		if ssair.IsRef(leaf) && ssair.ReachesScalar(leaf) {
			clearNumbers(b, b.Load(c.base, p, idx...), pos)
		}
	})
}

// withRest returns the derivative d, of the type of the primal value x, with what
// is no number taken from x, so that its methods work. It is x itself with other
// numbers.
func withRest(b *ssair.Builder, d, x *ssair.Value) *ssair.Value {
	if !hasRest(d.Type) {
		return d
	}
	to, from := cell(b, x), cell(b, d)
	eachNumber(b, d.Type, func(b *ssair.Builder, p []ssair.Step, idx []*ssair.Value) {
		b.Store(to.base, p, b.Load(from.base, p, idx...), idx...)
	})
	return to.load(b)
}

// hasRest reports whether a value of type t has parts that are no numbers.
func hasRest(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for i := range u.NumFields() {
			if hasRest(u.Field(i).Type()) {
				return true
			}
		}
		return false
	case *types.Array:
		return hasRest(u.Elem())
	}
	return !ssair.IsScalar(t)
}
