package deriv

import (
	"go/token"
	"go/types"

	"github.com/quabla/quabla/ssair"
)

// zeroLike builds a zero shadow for x: memory of the same shape whose numbers
// are zero.
func (s *sweep) zeroLike(x *ssair.Value, pos token.Pos) *ssair.Value {
	return zeroLike(s.b, x, s.lanes, needsCap(s.f), pos)
}

// oneLane refuses several lanes in a shadow that rt.ZeroLike makes, which looks like its
// primal in all but the numbers.
func oneLane(lanes int, t types.Type, pos token.Pos) {
	if lanes > 1 {
		refuse(pos, "ask for one lane", "cannot make a shadow with %d lanes for a value of type %s", lanes, t)
	}
}

// zeroLike builds a zero shadow of x; with full its slices have the capacity of
// those of x, else their length.
func zeroLike(b *ssair.Builder, x *ssair.Value, lanes int, full bool, pos token.Pos) *ssair.Value {
	t := shadowType(b.Func().Mod, x.Type, lanes)
	if !ssair.ReachesScalar(x.Type) || ssair.IsScalar(x.Type) {
		return b.Zero(t)
	}
	if ssair.Irregular(x.Type) {
		oneLane(lanes, x.Type, pos)
		return b.Op(ssair.ZeroLike, []*ssair.Value{x}, t).Result()
	}
	switch u := x.Type.Underlying().(type) {
	case *types.Slice:
		var c *ssair.Value
		if full {
			c = b.Cap(x)
		}
		y := b.MakeSlice(t, b.Len(x), c)
		if ssair.RefersToScalar(u.Elem()) {
			b.Each(b.Len(x), "i", func(i *ssair.Value) {
				e := b.Load(x, []ssair.Step{ssair.Elem}, i)
				b.Store(y, []ssair.Step{ssair.Elem}, zeroLike(b, e, lanes, full, pos), i)
			})
		}
		return y
	case *types.Pointer:
		isNil := b.Cmp(token.EQL, x, b.Zero(x.Type))
		op := b.If(isNil)
		in := b.At(op.Regions[0])
		in.Yield(in.Zero(t))
		in = b.At(op.Regions[1])
		y := in.Alloc(ssair.Deref(t), nil)
		if ssair.RefersToScalar(u.Elem()) {
			in.Store(y, nil, zeroLike(in, in.Load(x, nil), lanes, full, pos))
		}
		in.Yield(y)
		return op.AddResult(t, nil)
	case *types.Struct:
		parts := make([]*ssair.Value, u.NumFields())
		for i := range parts {
			parts[i] = zeroLike(b, b.Extract(x, i), lanes, full, pos)
		}
		return b.Build(t, parts...)
	case *types.Array:
		if !ssair.HoldsRef(u.Elem()) {
			return b.Zero(t)
		}
		parts := make([]*ssair.Value, u.Len())
		for i := range parts {
			parts[i] = zeroLike(b, b.Extract(x, i), lanes, full, pos)
		}
		return b.Build(t, parts...)
	case *types.Map:
		y := b.Op(ssair.MakeMap, nil, t).Result()
		keys := b.Op(ssair.MapKeys, []*ssair.Value{x}, types.NewSlice(u.Key())).Result()
		b.Each(b.Len(keys), "i", func(i *ssair.Value) {
			k := b.Load(keys, []ssair.Step{ssair.Elem}, i)
			e := b.Op(ssair.MapGet, []*ssair.Value{x, k}, u.Elem(), ssair.Bool).Results[0]
			b.Op(ssair.MapSet, []*ssair.Value{y, k, zeroLike(b, e, lanes, full, pos)})
		})
		return y
	case *types.Signature:
		return b.Zero(t) // nobody calls the functions of a shadow
	}
	refuse(pos, "make the parameter active with wrt, so that the caller passes its shadow",
		"cannot make a shadow for a value of type %s", x.Type)
	return nil
}

// passNil makes the arguments that can only be nil active where their type is recursive:
// the shadow of nil is nil, while the callee could not make one.
func (s *sweep) passNil(args []*ssair.Value, active []bool) {
	for i, v := range args {
		if ssair.IsRef(v.Type) && ssair.ReachesScalar(v.Type) && len(s.act.al.Pts(v)) == 0 && recursive(v.Type, nil) {
			active[i] = true
		}
	}
}

// recursive reports whether values of type t can hold references to others of it.
func recursive(t types.Type, seen []types.Type) bool {
	for _, u := range seen {
		if types.Identical(u, t) {
			return true
		}
	}
	seen = append(seen[:len(seen):len(seen)], t)
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return recursive(u.Elem(), seen)
	case *types.Slice:
		return recursive(u.Elem(), seen)
	case *types.Array:
		return recursive(u.Elem(), seen)
	case *types.Map:
		return recursive(u.Elem(), seen)
	case *types.Struct:
		for f := range u.Fields() {
			if recursive(f.Type(), seen) {
				return true
			}
		}
	}
	return false
}

// needsCap reports whether f, or a function that it calls, may use elements of a
// slice beyond its length.
func needsCap(f *ssair.Func) bool {
	found := false
	seen := map[*ssair.Func]bool{}
	var visit func(f *ssair.Func)
	visit = func(f *ssair.Func) {
		if seen[f] {
			return
		}
		seen[f] = true
		f.Body.Walk(func(o *ssair.Op) bool {
			switch o.Kind {
			case ssair.Append, ssair.AppendSlice, ssair.Cap, ssair.Opaque:
				found = true
			case ssair.Slice:
				found = found || o.Args[2] != nil || o.Args[3] != nil
			}
			if o.Callee != nil {
				visit(o.Callee)
			}
			return !found
		})
	}
	visit(f)
	return found
}
