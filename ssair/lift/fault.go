package lift

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// A fault is a way in which an op may panic by itself: when, and with what.
type fault struct {
	when, with func(b *ssair.Builder) *ssair.Value
}

// runtime calls a function of package rt that makes the value of a run-time panic.
func (fr *frame) runtime(b *ssair.Builder, name string, args ...*ssair.Value) *ssair.Value {
	fn := fr.l.Env.Runtime(name)
	if fn == nil {
		panic("lift: package rt has no " + name)
	}
	o := b.Op(ssair.Opaque, args, ssair.Any)
	o.Obj, o.Plain, o.Safe = fn, true, true
	o.Certain = name != "CompareFault" && name != "KeyFault"
	return o.Result()
}

// simple is a fault whose value depends on nothing.
func (g *guard) simple(name string, when func(b *ssair.Builder) *ssair.Value) fault {
	return fault{when, func(b *ssair.Builder) *ssair.Value { return g.fr.runtime(b, name) }}
}

// faults lists what o may panic by, in the order in which Go finds it.
func (g *guard) faults(o *ssair.Op) []fault {
	if o.Safe {
		return nil
	}
	switch o.Kind {
	case ssair.Load, ssair.Store, ssair.Accum, ssair.Addr:
		return g.placeFaults(o)
	case ssair.StrIndex:
		return g.indexFaults(o, o.Args[1], func(b *ssair.Builder) *ssair.Value { return b.Len(o.Args[0]) })
	case ssair.Slice:
		return g.sliceFaults(o)
	case ssair.MakeSlice:
		return g.makeFaults(o)
	case ssair.Bin:
		y := o.Args[1]
		switch {
		case !ssair.IsInteger(o.Result().Type) || isConst(y) && !constIs(y, 0):
		case o.Tok == token.QUO || o.Tok == token.REM:
			return []fault{g.simple("DivideFault", isZero(y))}
		case (o.Tok == token.SHL || o.Tok == token.SHR) && !unsigned(y.Type) && !isConst(y):
			return []fault{g.simple("ShiftFault", func(b *ssair.Builder) *ssair.Value { return b.Cmp(token.LSS, y, b.Zero(y.Type)) })}
		}
	case ssair.TypeAssert:
		return []fault{{
			when: func(b *ssair.Builder) *ssair.Value {
				is := b.Op(ssair.TypeIs, o.Args, ssair.Bool)
				is.Type = o.Type
				return b.Un(token.NOT, is.Result())
			},
			with: func(b *ssair.Builder) *ssair.Value {
				return g.fr.runtime(b, "AssertFault", b.Conv(o.Args[0], ssair.Any), b.Zero(types.NewPointer(o.Type)))
			},
		}}
	case ssair.Cmp:
		x, y := o.Args[0], o.Args[1]
		if mayDiffer(x.Type) && !plainBox(x) && !plainBox(y) {
			return []fault{g.tried("CompareFault", x, y)}
		}
	case ssair.MapGet, ssair.MapSet, ssair.MapDelete:
		var fs []fault
		if k := o.Args[1]; !plainKey(k.Type) && !plainBox(k) {
			fs = append(fs, g.tried("KeyFault", k))
		}
		if o.Kind == ssair.MapSet {
			fs = append(fs, g.simple("MapFault", isZero(o.Args[0])))
		}
		return fs
	}
	return nil
}

// tried is a fault that a function of package rt finds by doing the same.
func (g *guard) tried(name string, args ...*ssair.Value) fault {
	try := func(b *ssair.Builder) *ssair.Value {
		as := make([]*ssair.Value, len(args))
		for i, a := range args {
			if as[i] = b.Conv(a, ssair.Any); !isInterface(a.Type) {
				as[i] = b.Op(ssair.MakeIface, []*ssair.Value{a}, ssair.Any).Result()
			}
		}
		return g.fr.runtime(b, name, as...)
	}
	return fault{func(b *ssair.Builder) *ssair.Value { return b.Cmp(token.NEQ, try(b), b.Zero(ssair.Any)) }, try}
}

// plainBox reports whether the interface value v is nil, or of a type known to have
// values that can be compared.
func plainBox(v *ssair.Value) bool {
	return v.Def != nil && (v.Def.Kind == ssair.Zero || v.Def.Kind == ssair.MakeIface && plainKey(v.Def.Args[0].Type))
}

// mayDiffer reports whether values of type t can be compared, but may hold some that
// cannot.
func mayDiffer(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Interface, *types.Struct, *types.Array:
		return !plainKey(t)
	}
	return false
}

// plainKey reports whether all values of type t can be compared.
func plainKey(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic, *types.Pointer, *types.Chan:
		return true
	case *types.Array:
		return plainKey(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if !plainKey(f.Type()) {
				return false
			}
		}
		return true
	}
	return false
}

// safe marks an op that cannot panic once its faults are excluded.
func (g *guard) safe(o *ssair.Op) {
	switch o.Kind {
	case ssair.Load, ssair.Store, ssair.Accum, ssair.Addr, ssair.StrIndex, ssair.Slice, ssair.MakeSlice, ssair.Bin, ssair.TypeAssert,
		ssair.Cmp, ssair.MapSet:
		o.Safe = true
	}
}

// isZero asks whether v is nil or zero.
func isZero(v *ssair.Value) func(b *ssair.Builder) *ssair.Value {
	return func(b *ssair.Builder) *ssair.Value { return b.Cmp(token.EQL, v, b.Zero(v.Type)) }
}

func isConst(v *ssair.Value) bool { return v.Def != nil && v.Def.Kind == ssair.Const }

func constIs(v *ssair.Value, n int64) bool {
	x, ok := pass.ConstInt(v)
	return ok && x == n
}

func unsigned(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsUnsigned != 0
}

// placeFaults is faults for an op on a place.
func (g *guard) placeFaults(o *ssair.Op) []fault {
	var fs []fault
	base, idx := o.Base(), o.Indices()
	t := base.Type
	if e := ssair.Deref(t); e != nil {
		if t = e; !g.isSolid(base) && (o.Kind != ssair.Addr || len(o.Path) > 0) {
			fs = append(fs, g.simple("NilFault", isZero(base)))
		}
	}
	for _, s := range o.Path {
		if s.IsField() {
			t = ssair.StepType(t, s)
			continue
		}
		i := idx[0]
		idx = idx[1:]
		if a, ok := t.Underlying().(*types.Array); ok {
			if n, ok := pass.ConstInt(i); !(ok && 0 <= n && n < a.Len()) && !g.inRange(o, i, nil, a.Len()) {
				fs = append(fs, g.indexFaults(o, i, func(b *ssair.Builder) *ssair.Value { return b.Int(int(a.Len())) })...)
			}
		} else if !g.inRange(o, i, base, 0) {
			fs = append(fs, g.indexFaults(o, i, func(b *ssair.Builder) *ssair.Value { return b.Len(base) })...)
		}
		t = ssair.StepType(t, s)
	}
	return fs
}

// indexFaults is the fault of an index that is not below n.
func (g *guard) indexFaults(_ *ssair.Op, i *ssair.Value, n func(b *ssair.Builder) *ssair.Value) []fault {
	return []fault{{
		when: func(b *ssair.Builder) *ssair.Value {
			if _, ok := pass.ConstInt(i); ok {
				return b.Cmp(token.LEQ, n(b), b.Conv(i, ssair.Int))
			}
			return b.Cmp(token.GEQ, asUint(b, i), asUint(b, n(b)))
		},
		with: func(b *ssair.Builder) *ssair.Value {
			return g.fr.runtime(b, "IndexFault", b.Conv(i, ssair.Int), n(b))
		},
	}}
}

// asUint converts i so that a negative number becomes a large one.
func asUint(b *ssair.Builder, i *ssair.Value) *ssair.Value {
	if n, ok := pass.ConstInt(i); ok {
		return b.Const(constant.MakeInt64(n), types.Typ[types.Uint])
	}
	if !unsigned(i.Type) {
		i = b.Conv(i, ssair.Int)
	}
	return b.Conv(i, types.Typ[types.Uint])
}

// sliceFaults is faults for x[lo:hi:most].
func (g *guard) sliceFaults(o *ssair.Op) []fault {
	x := o.Args[0]
	var fs []fault
	size := func(b *ssair.Builder) *ssair.Value { return b.Cap(x) } // what hi is bounded by
	length := func(b *ssair.Builder) *ssair.Value { return b.Len(x) }
	text := ssair.IsString(x.Type)
	array := int64(-1)
	if e := ssair.Deref(x.Type); e != nil {
		array = e.Underlying().(*types.Array).Len()
		if !g.isSolid(x) {
			fs = append(fs, g.simple("NilFault", isZero(x)))
		}
		size = func(b *ssair.Builder) *ssair.Value { return b.Int(int(array)) }
		length = size
	} else if text {
		size = length
	}
	at := func(k int) *ssair.Value { return o.Args[k] }
	value := func(b *ssair.Builder, k int) *ssair.Value {
		switch v := at(k); {
		case v != nil:
			return b.Conv(v, ssair.Int)
		case k == 1:
			return b.Int(0)
		}
		return length(b)
	}
	// lo <= hi <= most <= size, from the right to the left
	upper := size
	for k := 3; k >= 1; k-- {
		v := at(k)
		above := upper
		if v == nil && (k != 2 || at(3) != nil) {
			continue
		}
		if v == nil {
			upper = length
			continue
		}
		upper = func(b *ssair.Builder) *ssair.Value { return b.Conv(v, ssair.Int) }
		if constIs(v, 0) {
			continue
		}
		fs = append(fs, fault{
			when: func(b *ssair.Builder) *ssair.Value { return b.Cmp(token.GTR, asUint(b, v), asUint(b, above(b))) },
			with: func(b *ssair.Builder) *ssair.Value {
				switch {
				case text:
					return g.fr.runtime(b, "StringFault", b.Conv(x, ssair.String), value(b, 1), value(b, 2))
				case array >= 0 && at(3) == nil:
					return g.fr.runtime(b, "ArrayFault", size(b), value(b, 1), value(b, 2))
				case at(3) != nil:
					return g.fr.runtime(b, "SliceFault3", size(b), value(b, 1), value(b, 2), value(b, 3))
				}
				return g.fr.runtime(b, "SliceFault", length(b), size(b), value(b, 1), value(b, 2))
			},
		})
	}
	return fs
}

// makeFaults is faults for make.
func (g *guard) makeFaults(o *ssair.Op) []fault {
	n, c := o.Args[0], o.Args[1]
	room := c
	if room == nil {
		room = n
	}
	with := func(b *ssair.Builder) *ssair.Value { return g.fr.runtime(b, "MakeFault", n, room) }
	negative := func(v *ssair.Value) fault {
		return fault{func(b *ssair.Builder) *ssair.Value { return b.Cmp(token.LSS, v, b.Int(0)) }, with}
	}
	var fs []fault
	if !g.isSize(n) {
		fs = append(fs, negative(n))
	}
	if c != nil && c != n {
		fs = append(fs, fault{func(b *ssair.Builder) *ssair.Value { return b.Cmp(token.LSS, c, n) }, with})
	}
	return fs
}

// isSize reports whether v is never negative.
func (g *guard) isSize(v *ssair.Value) bool {
	v = g.cells.resolve(v)
	if n, ok := pass.ConstInt(v); ok {
		return n >= 0
	}
	return v.Def != nil && (v.Def.Kind == ssair.Len || v.Def.Kind == ssair.Cap)
}

// follow takes note that control has got beyond o.
func (g *guard) follow(o *ssair.Op) {
	switch o.Kind {
	case ssair.Load, ssair.Store, ssair.Accum, ssair.Addr:
		if ssair.Deref(o.Base().Type) != nil && (o.Kind != ssair.Addr || len(o.Path) > 0) {
			g.solid[g.cells.resolve(o.Base())] = true
		}
	case ssair.Slice:
		if ssair.Deref(o.Args[0].Type) != nil {
			g.solid[g.cells.resolve(o.Args[0])] = true
		}
	}
}

// isSolid reports whether v is not nil.
func (g *guard) isSolid(v *ssair.Value) bool {
	v = g.cells.resolve(v)
	if g.solid[v] {
		return true
	}
	if v.Def == nil {
		return false
	}
	switch v.Def.Kind {
	case ssair.Alloc, ssair.Addr, ssair.Global:
		return true
	case ssair.Conv:
		return ssair.Deref(v.Def.Args[0].Type) != nil && g.isSolid(v.Def.Args[0])
	}
	return false
}

// inRange reports whether the index i, which o uses, is that of a loop over the
// slice x, or over n numbers, as far as can be seen at once.
func (g *guard) inRange(o *ssair.Op, i, x *ssair.Value, n int64) bool {
	i = g.cells.resolve(i)
	if i.Def == nil || i.Def.Kind != ssair.Load || len(i.Def.Path) > 0 {
		return false
	}
	c := i.Def.Base()
	end, ok := g.cells.counts(c, i.Def)
	if !ok {
		return false
	}
	end = g.cells.resolve(end)
	if m, ok := pass.ConstInt(end); ok {
		return x == nil && m <= n
	}
	return x != nil && end.Def != nil && end.Def.Kind == ssair.Len && g.cells.resolve(end.Def.Args[0]) == g.cells.resolve(x)
}

// cells knows what is stored in the variables of a function.
type cells struct {
	stores map[*ssair.Value][]*ssair.Op
	taken  map[*ssair.Value]bool // used in another way than by loads and stores
}

func findCells(r *ssair.Region) *cells {
	c := &cells{map[*ssair.Value][]*ssair.Op{}, map[*ssair.Value]bool{}}
	r.Walk(func(o *ssair.Op) bool {
		for i, a := range o.Args {
			switch {
			case a == nil || a.Def == nil || a.Def.Kind != ssair.Alloc:
			case o.Kind == ssair.Load && i == 0:
			case o.Kind == ssair.Store && i == 0 && len(o.Path) == 0:
				c.stores[a] = append(c.stores[a], o)
			default:
				c.taken[a] = true
			}
		}
		return true
	})
	return c
}

// resolve follows v through variables that are set once.
func (c *cells) resolve(v *ssair.Value) *ssair.Value {
	for range 20 {
		o := v.Def
		if o == nil || o.Kind != ssair.Load || len(o.Path) > 0 {
			return v
		}
		cell := o.Base()
		if cell.Def == nil || cell.Def.Kind != ssair.Alloc || c.taken[cell] || len(c.stores[cell]) != 1 {
			return v
		}
		st := c.stores[cell][0]
		if !st.Parent.Contains(o.Parent) || !inFront(st, o) {
			return v
		}
		v = st.Stored()
	}
	return v
}

// inFront reports whether st stands in front of what holds o in its region.
func inFront(st, o *ssair.Op) bool {
	for o.Parent != st.Parent {
		o = o.Parent.Parent
	}
	return slices.Index(st.Parent.Ops, st) < slices.Index(st.Parent.Ops, o)
}

// counts reports whether the variable c counts from a number that is not negative
// up to what is returned, in a loop around the load at.
func (c *cells) counts(cell *ssair.Value, at *ssair.Op) (end *ssair.Value, ok bool) {
	if cell.Def == nil || cell.Def.Kind != ssair.Alloc || c.taken[cell] || len(c.stores[cell]) != 2 {
		return nil, false
	}
	for r := at.Parent; r.Parent != nil; r = r.Parent.Parent {
		o := r.Parent
		if o.Kind != ssair.Loop || r != o.BodyRegion() {
			continue
		}
		var start, step *ssair.Op
		for _, st := range c.stores[cell] {
			if st.Parent == o.Post() {
				step = st
			} else if st.Parent == o.Parent && inFront(st, o) {
				start = st
			}
		}
		if start == nil || step == nil {
			continue
		}
		if n, ok := pass.ConstInt(start.Stored()); !ok || n < 0 {
			return nil, false
		}
		inc := step.Stored().Def
		if inc == nil || inc.Kind != ssair.Bin || inc.Tok != token.ADD || !loads(inc.Args[0], cell) {
			return nil, false
		}
		if n, ok := pass.ConstInt(inc.Args[1]); !ok || n != 1 {
			return nil, false
		}
		t := o.Cond().Term()
		if t == nil || len(t.Args) == 0 || t.Args[0].Def == nil {
			return nil, false
		}
		cond := t.Args[0].Def
		if cond.Kind != ssair.Cmp || cond.Tok != token.LSS || !loads(cond.Args[0], cell) {
			return nil, false
		}
		return cond.Args[1], true
	}
	return nil, false
}

func loads(v, cell *ssair.Value) bool {
	return v.Def != nil && v.Def.Kind == ssair.Load && len(v.Def.Path) == 0 && v.Def.Base() == cell
}
