package deriv

import (
	"go/token"
	"go/types"

	"github.com/quabla/quabla/ssair"
)

// fresh returns a new value of the shape of x whose numbers are zero. What is no number
// is that of x; with full its slices have the capacity of those of x. The type of x is
// one that lift lets a derivative be taken by: it holds no interfaces and is not
// recursive.
func fresh(b *ssair.Builder, x *ssair.Value, full bool) *ssair.Value {
	t := x.Type
	if !ssair.ReachesScalar(t) {
		return x
	}
	if !hasRest(t) {
		return b.Zero(t)
	}
	switch u := t.Underlying().(type) {
	case *types.Slice:
		var c *ssair.Value
		if full {
			c = b.Cap(x)
		}
		y := b.MakeSlice(t, b.Len(x), c)
		if hasRest(u.Elem()) {
			b.Each(b.Len(x), "i", func(i *ssair.Value) {
				b.Store(y, elem(), fresh(b, b.Load(x, elem(), i), full), i)
			})
		}
		return y
	case *types.Pointer:
		op := b.If(b.Cmp(token.EQL, x, b.Zero(t)))
		in := b.At(op.Regions[0])
		in.Yield(in.Zero(t))
		in = b.At(op.Regions[1])
		y := in.Alloc(u.Elem(), nil)
		if hasRest(u.Elem()) {
			in.Store(y, nil, fresh(in, in.Load(x, nil), full))
		}
		in.Yield(y)
		return op.AddResult(t, nil)
	case *types.Map:
		y := b.Op(ssair.MakeMap, nil, t).Result()
		keys := b.Op(ssair.MapKeys, []*ssair.Value{x}, types.NewSlice(u.Key())).Result()
		b.Each(b.Len(keys), "i", func(i *ssair.Value) {
			k := b.Load(keys, elem(), i)
			e := b.Op(ssair.MapGet, []*ssair.Value{x, k}, u.Elem(), ssair.Bool).Results[0]
			b.Op(ssair.MapSet, []*ssair.Value{y, k, fresh(b, e, full)})
		})
		return y
	case *types.Struct, *types.Array:
		n := 0
		if s, ok := u.(*types.Struct); ok {
			n = s.NumFields()
		} else {
			n = int(u.(*types.Array).Len())
		}
		parts := make([]*ssair.Value, n)
		for i := range parts {
			parts[i] = fresh(b, b.Extract(x, i), full)
		}
		return b.Build(t, parts...)
	}
	refuse(b.Pos, "", "internal: a derivative by a value of type %s", t)
	return nil
}
