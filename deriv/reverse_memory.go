package deriv

import (
	"go/token"
	"go/types"

	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// reverseMemory undoes the ops on memory. The shadows of references were built
// in the forward sweep; here only numbers move.
func (s *reverseSweep) reverseMemory(o *ssair.Op) {
	switch o.Kind {
	case ssair.Load:
		// v = p[i]: dp[i] += dv
		if c, ok := s.adj[o.Result()]; ok && s.act.ref(o.Base()) {
			s.move(o.Result().Type, s.shadow(o.Base()), o.Path, s.idx(o), c, nil, nil, false)
		}
	case ssair.Store:
		s.reverseStore(o)
	case ssair.Accum:
		// p[i] += v: dv += dp[i]
		if v := o.Stored(); s.act.value(v) && s.act.ref(o.Base()) {
			s.add(v, s.b.Load(s.shadow(o.Base()), o.Path, s.idx(o)...))
		}
	case ssair.Clear:
		if s.act.ref(o.Args[0]) {
			s.clearShadow(o.Args[0])
		}
	case ssair.ClearAll:
		s.reverseClearAll(o)
	case ssair.Copy:
		s.reverseCopy(o)
	case ssair.Append, ssair.AppendSlice:
		s.reverseAppend(o)
	case ssair.MapGet:
		s.reverseMapGet(o)
	case ssair.MapSet:
		s.reverseMapSet(o)
	case ssair.MapDelete:
		if s.act.ref(o.Args[0]) && ssair.HoldsScalar(ssair.ElemType(o.Args[0].Type)) {
			s.undoEntry(o)
		}
	case ssair.Alloc, ssair.MakeSlice, ssair.MakeMap:
		if s.repeat && s.act.ref(o.Result()) {
			s.release(o.Result())
		}
	}
}

// release sets the adjoints of the numbers in new memory, which are those of
// the zeros that it began with, to zero: then the reverse sweep finds the shadow
// as it was before when it runs again.
func (s *reverseSweep) release(v *ssair.Value) {
	d := s.shadow(v)
	switch v.Type.Underlying().(type) {
	case *types.Map:
		t := ssair.ElemType(v.Type)
		if !ssair.HoldsScalar(t) {
			return
		}
		key := d.Type.Underlying().(*types.Map).Key()
		keys := s.b.Op(ssair.MapKeys, []*ssair.Value{d}, types.NewSlice(key)).Result()
		s.b.Each(s.b.Len(keys), "i", func(i *ssair.Value) { s.resetEntry(d, s.b.Load(keys, elem(), i)) })
	case *types.Slice:
		s.clearElems(s.b.Slice(d, nil, s.b.Cap(d), nil), ssair.ElemType(v.Type))
	default:
		t := ssair.Deref(v.Type)
		region := s.b.Region
		eachNumber(s.b, t, func(b *ssair.Builder, p []ssair.Step, idx []*ssair.Value) {
			b.Store(d, p, b.Zero(ssair.PlaceType(d.Type, p)), idx...)
		})
		s.b.Region = region
	}
}

// reverseStore undoes p[i] = v: take the adjoint of the place, clear it, add
// it to that of v.
func (s *reverseSweep) reverseStore(o *ssair.Op) {
	v := o.Stored()
	if !s.act.ref(o.Base()) || !ssair.HoldsScalar(v.Type) {
		return
	}
	d, idx := s.shadow(o.Base()), s.idx(o)
	if s.act.value(v) {
		s.move(v.Type, s.cell(v), nil, nil, d, o.Path, idx, true)
		return
	}
	region := s.b.Region
	eachNumber(s.b, v.Type, func(b *ssair.Builder, p []ssair.Step, more []*ssair.Value) {
		path := join(o.Path, p)
		b.Store(d, path, b.Zero(ssair.PlaceType(d.Type, path)), joinV(idx, more)...)
	})
	s.b.Region = region
}

// reverseClearAll sets the adjoints of what was cleared to zero. It finds them
// through the references in the shadow, which must be those of then.
func (s *reverseSweep) reverseClearAll(o *ssair.Op) {
	d := o.Args[0]
	if !s.act.ref(d) {
		return
	}
	if relinks(s.f, o, s.pair) {
		refuse(o.Pos, "derive the inner function with add, and clear the destination in a loop",
			"cannot differentiate the clearing of %s, whose references are changed", d.Name())
	}
	s.b.Op(ssair.ClearAll, []*ssair.Value{s.shadow(d)})
}

// clearShadow sets the numbers in the elements of a slice or map to zero.
func (s *reverseSweep) clearShadow(v *ssair.Value) {
	d := s.shadow(v)
	if m, ok := v.Type.Underlying().(*types.Map); ok {
		if !ssair.HoldsScalar(m.Elem()) {
			return // what its references point to stays as it is
		}
		keys := s.b.Op(ssair.MapKeys, []*ssair.Value{d}, types.NewSlice(m.Key())).Result()
		s.b.Each(s.b.Len(keys), "i", func(i *ssair.Value) {
			k := s.b.Load(keys, []ssair.Step{ssair.Elem}, i)
			e := s.b.Op(ssair.MapGet, []*ssair.Value{d, k}, m.Elem(), ssair.Bool).Results[0]
			c := cell(s.b, e)
			s.zero(c.base)
			s.b.Op(ssair.MapSet, []*ssair.Value{d, k, s.b.Load(c.base, nil)})
		})
		return
	}
	s.clearElems(d, ssair.ElemType(v.Type))
}

func (s *reverseSweep) clearElems(d *ssair.Value, elemType types.Type) {
	switch {
	case !ssair.HoldsScalar(elemType):
	case onlyScalars(elemType):
		s.b.Op(ssair.Clear, []*ssair.Value{d})
	default:
		s.b.Each(s.b.Len(d), "i", func(i *ssair.Value) {
			region := s.b.Region
			eachNumber(s.b, elemType, func(b *ssair.Builder, p []ssair.Step, more []*ssair.Value) {
				path := join(elem(), p)
				b.Store(d, path, b.Zero(ssair.PlaceType(d.Type, path)), joinV([]*ssair.Value{i}, more)...)
			})
			s.b.Region = region
		})
	}
}

// transfer moves the adjoints of the first n elements of from to those of to:
// they are cleared in from and added in to. Where the two may overlap, they go
// through a copy.
func (s *reverseSweep) transfer(to, from, n *ssair.Value, elemType types.Type, overlap bool) {
	if !ssair.HoldsScalar(elemType) {
		return
	}
	src := from
	if overlap {
		src = s.b.MakeSlice(from.Type, n, nil)
		s.b.Op(ssair.Copy, []*ssair.Value{src, from}, ssair.Int)
		s.clearElems(s.b.Slice(from, nil, n, nil), elemType)
	}
	s.b.Each(n, "i", func(i *ssair.Value) {
		s.move(elemType, to, elem(), []*ssair.Value{i}, src, elem(), []*ssair.Value{i}, false)
	}).Loop.Independent = true
	if !overlap {
		s.clearElems(s.b.Slice(from, nil, n, nil), elemType)
	}
}

func (s *reverseSweep) mayOverlap(x, y *ssair.Value) bool {
	return s.act.al.Pts(x).Meets(s.act.al.Pts(y))
}

func (s *reverseSweep) reverseCopy(o *ssair.Op) {
	dst, src := o.Args[0], o.Args[1]
	t := ssair.ElemType(dst.Type)
	if !s.act.ref(dst) || t == nil || !ssair.HoldsScalar(t) {
		return
	}
	n := s.m.Get(o.Result())
	if !s.act.ref(src) {
		s.clearElems(s.b.Slice(s.shadow(dst), nil, n, nil), t)
		return
	}
	s.transfer(s.shadow(src), s.shadow(dst), n, t, s.mayOverlap(dst, src))
}

// reverseAppend undoes r = append(x, ...): the adjoints of the new elements
// are taken; if the slice has moved, those of the old ones go back to x.
func (s *reverseSweep) reverseAppend(o *ssair.Op) {
	r, x := o.Result(), o.Args[0]
	t := ssair.ElemType(r.Type)
	if !s.act.ref(r) || !ssair.HoldsScalar(t) {
		return
	}
	d := s.shadow(r)
	n := s.b.Len(s.m.Get(x))
	if o.Kind == ssair.AppendSlice {
		y := o.Args[1]
		k := s.b.Len(s.m.Get(y))
		end := s.b.Slice(d, n, nil, nil)
		if s.act.ref(y) {
			s.transfer(s.shadow(y), end, k, t, s.mayOverlap(r, y))
		} else {
			s.clearElems(end, t)
		}
	} else {
		for k := len(o.Args) - 2; k >= 0; k-- {
			i := n
			if k > 0 {
				i = s.b.Bin(token.ADD, n, s.b.Int(k))
			}
			v := o.Args[1+k]
			if s.act.value(v) {
				s.move(t, s.cell(v), nil, nil, d, elem(), []*ssair.Value{i}, true)
				continue
			}
			region := s.b.Region
			eachNumber(s.b, t, func(b *ssair.Builder, p []ssair.Step, more []*ssair.Value) {
				path := join(elem(), p)
				b.Store(d, path, b.Zero(ssair.PlaceType(d.Type, path)), joinV([]*ssair.Value{i}, more)...)
			})
			s.b.Region = region
		}
	}
	if !s.act.ref(x) {
		return
	}
	if z := x.Def; z != nil && z.Kind == ssair.Zero {
		return // nothing was there
	}
	moved := s.b.Cmp(token.LSS, s.b.Cap(s.m.Get(x)), s.b.Len(s.m.Get(r)))
	if o.Text == tapeMark { // the shadow of a tape grows on its own
		moved = s.b.Cmp(token.LSS, s.b.Cap(s.shadow(x)), s.b.Len(d))
	}
	op := s.b.If(moved)
	s.in(op.Regions[0], func() {
		s.transfer(s.shadow(x), d, n, t, false)
		s.b.Yield()
	})
	s.in(op.Regions[1], func() { s.b.Yield() })
}

// reverseMapGet undoes v = m[k]: dm[k] += dv, if the entry was there.
func (s *reverseSweep) reverseMapGet(o *ssair.Op) {
	c, ok := s.adj[o.Results[0]]
	if !ok || !s.act.ref(o.Args[0]) {
		return
	}
	d, k := s.shadow(o.Args[0]), s.m.Get(o.Args[1])
	t := o.Results[0].Type
	op := s.b.If(s.m.Get(o.Results[1]))
	s.in(op.Regions[0], func() {
		tmp := s.b.Alloc(t, nil)
		s.b.Store(tmp, nil, s.b.Op(ssair.MapGet, []*ssair.Value{d, k}, t, ssair.Bool).Results[0])
		s.move(t, tmp, nil, nil, c, nil, nil, false)
		s.b.Op(ssair.MapSet, []*ssair.Value{d, k, s.b.Load(tmp, nil)})
		s.b.Yield()
	})
	s.in(op.Regions[1], func() { s.b.Yield() })
}

// reverseMapSet undoes m[k] = v.
func (s *reverseSweep) reverseMapSet(o *ssair.Op) {
	v := o.Args[2]
	if !s.act.ref(o.Args[0]) || !ssair.HoldsScalar(v.Type) {
		return
	}
	d, k := s.shadow(o.Args[0]), s.m.Get(o.Args[1])
	if s.act.value(v) {
		tmp := s.b.Alloc(v.Type, nil)
		s.b.Store(tmp, nil, s.b.Op(ssair.MapGet, []*ssair.Value{d, k}, v.Type, ssair.Bool).Results[0])
		s.move(v.Type, s.cell(v), nil, nil, tmp, nil, nil, false)
	}
	s.undoEntry(o)
}

// undoEntry gives the shadow the entry that it had before o set or deleted that of
// the map: one with zeros, or none.
func (s *reverseSweep) undoEntry(o *ssair.Op) {
	d, k := s.shadow(o.Args[0]), s.m.Get(o.Args[1])
	had := s.had[o]
	if had == nil {
		s.resetEntry(d, k)
		return
	}
	op := s.b.If(s.m.Get(had))
	s.in(op.Regions[0], func() {
		s.resetEntry(d, k)
		s.b.Yield()
	})
	s.in(op.Regions[1], func() {
		s.b.Op(ssair.MapDelete, []*ssair.Value{d, k})
		s.b.Yield()
	})
}

// findKeys looks up, in front of each op of f that sets or deletes an entry of a
// map of the caller, whether the entry is there: the keys of a shadow end as those
// that the map has on entry.
func findKeys(f *ssair.Func) map[*ssair.Op]*ssair.Value {
	var ops []*ssair.Op
	f.Body.Walk(func(o *ssair.Op) bool {
		if (o.Kind == ssair.MapSet || o.Kind == ssair.MapDelete) && ssair.HoldsScalar(ssair.ElemType(o.Args[0].Type)) {
			ops = append(ops, o)
		}
		return true
	})
	if len(ops) == 0 {
		return nil
	}
	had := map[*ssair.Op]*ssair.Value{}
	al := pass.FindAliases(f)
	for _, o := range ops {
		for r := range al.Pts(o.Args[0]) {
			if !r.Local() {
				b := ssair.NewBuilder(o.Parent)
				b.Before, b.Pos = o, o.Pos
				had[o] = b.Op(ssair.MapGet, []*ssair.Value{o.Args[0], o.Args[1]}, ssair.ElemType(o.Args[0].Type), ssair.Bool).Results[1]
				break
			}
		}
	}
	return had
}

// resetEntry sets the numbers of a map entry to zero.
func (s *reverseSweep) resetEntry(d, k *ssair.Value) {
	t := ssair.ElemType(d.Type)
	if !ssair.HoldsRef(t) {
		s.b.Op(ssair.MapSet, []*ssair.Value{d, k, s.b.Zero(t)})
		return
	}
	tmp := s.b.Alloc(t, nil)
	s.b.Store(tmp, nil, s.b.Op(ssair.MapGet, []*ssair.Value{d, k}, t, ssair.Bool).Results[0])
	region := s.b.Region
	eachNumber(s.b, t, func(b *ssair.Builder, p []ssair.Step, idx []*ssair.Value) {
		b.Store(tmp, p, b.Zero(ssair.PlaceType(tmp.Type, p)), idx...)
	})
	s.b.Region = region
	s.b.Op(ssair.MapSet, []*ssair.Value{d, k, s.b.Load(tmp, nil)})
}
