package deriv

import (
	"go/token"
	"go/types"

	"github.com/quabla/quabla/ssair"
)

// clearNumbers sets the numbers that can be reached from the destination d to
// zero.
func clearNumbers(b *ssair.Builder, d *ssair.Value, pos token.Pos) {
	if !ssair.ReachesScalar(d.Type) {
		return
	}
	if ssair.Irregular(d.Type) {
		b.Op(ssair.ClearAll, []*ssair.Value{d})
		return
	}
	switch u := d.Type.Underlying().(type) {
	case *types.Slice:
		if ssair.IsScalar(u.Elem()) || !ssair.HoldsRef(u.Elem()) && onlyScalars(u.Elem()) {
			b.Op(ssair.Clear, []*ssair.Value{d})
			return
		}
		b.Each(b.Len(d), "i", func(i *ssair.Value) {
			clearPlace(b, d, []ssair.Step{ssair.Elem}, []*ssair.Value{i}, u.Elem(), pos)
		})
	case *types.Pointer:
		notNil := b.Cmp(token.NEQ, d, b.Zero(d.Type))
		op := b.If(notNil)
		in := b.At(op.Regions[0])
		clearPlace(in, d, nil, nil, u.Elem(), pos)
		in.Yield()
		b.At(op.Regions[1]).Yield()
	case *types.Map:
		keys := b.Op(ssair.MapKeys, []*ssair.Value{d}, types.NewSlice(u.Key())).Result()
		b.Each(b.Len(keys), "i", func(i *ssair.Value) {
			k := b.Load(keys, []ssair.Step{ssair.Elem}, i)
			if ssair.IsScalar(u.Elem()) {
				b.Op(ssair.MapSet, []*ssair.Value{d, k, b.Zero(u.Elem())})
				return
			}
			e := b.Op(ssair.MapGet, []*ssair.Value{d, k}, u.Elem(), ssair.Bool).Results[0]
			if ssair.IsRef(u.Elem()) {
				clearNumbers(b, e, pos)
				return
			}
			c := b.Alloc(u.Elem(), nil)
			b.Store(c, nil, e)
			clearPlace(b, c, nil, nil, u.Elem(), pos)
			b.Op(ssair.MapSet, []*ssair.Value{d, k, b.Load(c, nil)})
		})
	case *types.Signature:
		// It stays, like all that is no number.
	default:
		refuse(pos, "use a struct, slice, array or map of numbers", "cannot clear a destination of type %s", d.Type)
	}
}

// withoutNumbers sets the numbers that can be reached from d to zero and returns d;
// of an aggregate it returns a copy whose own numbers are zero, too.
func withoutNumbers(b *ssair.Builder, d *ssair.Value, pos token.Pos) *ssair.Value {
	if !ssair.IsAggregate(d.Type) {
		clearNumbers(b, d, pos)
		return d
	}
	c := cell(b, d)
	clearPlace(b, c.base, nil, nil, d.Type, pos)
	return b.Load(c.base, nil)
}

// onlyScalars reports whether a value of type t consists of numbers only.
func onlyScalars(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for i := range u.NumFields() {
			if !onlyScalars(u.Field(i).Type()) {
				return false
			}
		}
		return u.NumFields() > 0
	case *types.Array:
		return onlyScalars(u.Elem())
	}
	return ssair.IsScalar(t)
}

func clearPlace(b *ssair.Builder, base *ssair.Value, path []ssair.Step, idx []*ssair.Value, t types.Type, pos token.Pos) {
	eachPart(b, t, func(b *ssair.Builder, p []ssair.Step, more []*ssair.Value, leaf types.Type) {
		path := append(path[:len(path):len(path)], p...)
		idx := append(idx[:len(idx):len(idx)], more...)
		switch {
		case ssair.IsScalar(leaf):
			b.Store(base, path, b.Zero(leaf), idx...)
		case ssair.IsRef(leaf) && ssair.ReachesScalar(leaf):
			clearNumbers(b, b.Load(base, path, idx...), pos)
		}
	})
}

// eachPart calls visit for every part of a place of type t that is no
// aggregate. Long arrays are walked by a loop.
func eachPart(b *ssair.Builder, t types.Type, visit func(b *ssair.Builder, path []ssair.Step, idx []*ssair.Value, leaf types.Type)) {
	var walk func(b *ssair.Builder, t types.Type, path []ssair.Step, idx []*ssair.Value)
	walk = func(b *ssair.Builder, t types.Type, path []ssair.Step, idx []*ssair.Value) {
		switch u := t.Underlying().(type) {
		case *types.Struct:
			for i := range u.NumFields() {
				walk(b, u.Field(i).Type(), append(path[:len(path):len(path)], ssair.Field(i)), idx)
			}
		case *types.Array:
			if !ssair.ReachesScalar(u.Elem()) {
				return
			}
			p := append(path[:len(path):len(path)], ssair.Elem)
			if u.Len() <= 16 {
				for i := range int(u.Len()) {
					walk(b, u.Elem(), p, append(idx[:len(idx):len(idx)], b.Int(i)))
				}
				return
			}
			b.Each(b.Int(int(u.Len())), "i", func(i *ssair.Value) {
				walk(b, u.Elem(), p, append(idx[:len(idx):len(idx)], i))
			})
		default:
			visit(b, path, idx, t)
		}
	}
	walk(b, t, nil, nil)
}

// eachNumber calls visit for every number of a place of type t.
func eachNumber(b *ssair.Builder, t types.Type, visit func(b *ssair.Builder, path []ssair.Step, idx []*ssair.Value)) {
	eachPart(b, t, func(b *ssair.Builder, path []ssair.Step, idx []*ssair.Value, leaf types.Type) {
		if ssair.IsScalar(leaf) {
			visit(b, path, idx)
		}
	})
}
