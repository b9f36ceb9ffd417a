package deriv

import (
	"fmt"
	"go/token"
	"go/types"
	"strings"
	"unicode"

	"github.com/quabla/quabla/ssair"
)

// shadowType returns the type of the shadow of a value of type t with n lanes.
// With one lane it is t itself. A struct with several has a type of its own in
// the module, with the same fields.
func shadowType(m *ssair.Module, t types.Type, n int) types.Type {
	if n == 1 {
		return t
	}
	lanes := func(t types.Type) types.Type { return types.NewArray(t, int64(n)) }
	u := ssair.MapScalars(t, lanes, func(t *types.Named, s *types.Struct) types.Type { return laneStruct(m, t, s, n) })
	if u == nil {
		refuse(token.NoPos, "ask for one lane", "cannot carry %d lanes in a value of type %s", n, t)
	}
	return u
}

// laneStruct returns the type that holds n lanes for each float of a struct.
func laneStruct(m *ssair.Module, t *types.Named, s *types.Struct, n int) *types.Named {
	name := fmt.Sprintf("%s%sLanes%d", m.Prefix, upperFirst(strings.TrimPrefix(t.Obj().Name(), m.Prefix)), n)
	for a := range t.TypeArgs().Types() {
		name += upperFirst(identifier(types.TypeString(a, func(*types.Package) string { return "" })))
	}
	key := fmt.Sprintf("%d lanes of %s", n, types.TypeString(t, nil))
	if l, ok := m.Lanes[key]; ok {
		return l
	}
	if m.Lanes == nil {
		m.Lanes = map[string]*types.Named{}
	}
	l := m.AddType(name, fmt.Sprintf("holds %d lanes for each float of %s.", n, t.Obj().Name()), token.NoPos)
	m.Lanes[key] = l
	l.SetUnderlying(laneFields(m, s, n))
	return l
}

// identifier drops what cannot stand in an identifier.
func identifier(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}

func laneFields(m *ssair.Module, s *types.Struct, n int) *types.Struct {
	fields := make([]*types.Var, s.NumFields())
	for i := range fields {
		f := s.Field(i)
		if !f.Exported() && f.Pkg() != m.Pkg {
			refuse(token.NoPos, "ask for one lane", "cannot carry %d lanes in a struct with the field %s of package %s", n, f.Name(), f.Pkg().Name())
		}
		fields[i] = types.NewField(f.Pos(), m.Pkg, f.Name(), shadowType(m, f.Type(), n), false)
	}
	return types.NewStruct(fields, nil)
}

// sweep copies a function op by op and builds the shadows of its references
// beside it. Forward mode and the forward sweep of reverse mode both rest on
// it.
type sweep struct {
	f, g *ssair.Func
	act  *activity
	a    *arith
	b    *ssair.Builder
	m    ssair.ValueMap                  // values of f to their copies in g
	sh   map[*ssair.Value]*ssair.Value   // references and aggregates of f to their shadows in g
	tan  map[*ssair.Value][]*ssair.Value // forward mode: scalars of f to their tangents in g
	// origin holds, for loads in g, the load of f that they copy or shadow.
	origin map[*ssair.Op]*ssair.Op
	lanes  int
	// tangents is set in forward mode: shadows hold tangents. In the forward
	// sweep of reverse mode their numbers stay zero.
	tangents bool
	bar      bool // adjoints are spelled xBar, not dx
}

func newSweep(f, g *ssair.Func, act *activity, lanes int, bar bool) *sweep {
	b := ssair.NewBuilder(g.Body)
	b.Safe = true
	return &sweep{
		f: f, g: g, act: act, b: b, a: &arith{b}, m: ssair.ValueMap{},
		sh: map[*ssair.Value]*ssair.Value{}, tan: map[*ssair.Value][]*ssair.Value{}, lanes: lanes,
		origin: map[*ssair.Op]*ssair.Op{}, bar: bar,
	}
}

// in runs build with the builder at the end of region r.
func (s *sweep) in(r *ssair.Region, build func()) {
	region, before := s.b.Region, s.b.Before
	s.b.Region, s.b.Before = r, nil
	build()
	s.b.Region, s.b.Before = region, before
}

// shadowed reports whether v has a shadow: a reference that derivatives pass
// through, or in forward mode an aggregate that holds active numbers.
func (s *sweep) shadowed(v *ssair.Value) bool {
	if v == nil || ssair.IsScalar(v.Type) {
		return false
	}
	return s.act.ref(v) || s.tangents && ssair.IsAggregate(v.Type) && s.act.value(v)
}

// shadow returns the shadow of v; what has none gets a zero one.
func (s *sweep) shadow(v *ssair.Value) *ssair.Value {
	if x, ok := s.sh[v]; ok {
		return x
	}
	isNil := v.Def != nil && v.Def.Kind == ssair.Zero
	if s.act.stopped[v] && !isNil && ssair.ReachesScalar(v.Type) {
		return s.zeroLike(s.m.Get(v), posOf(v))
	}
	if d := v.Def; d != nil && d.Kind == ssair.MakeIface && ssair.IsRef(d.Args[0].Type) && ssair.ReachesScalar(d.Args[0].Type) && !s.shadowed(v) {
		return s.boxShadow(d) // of nil: who asks for the type finds it
	}
	if isNil || !s.shadowed(v) {
		z := s.b.Zero(shadowType(s.g.Mod, v.Type, s.lanes))
		if isNil {
			z.Def.Text = v.Def.Text
		}
		return z
	}
	refuse(posOf(v), "keep its numbers in slices, structs and pointers that are not behind an interface", "cannot follow the memory that %s refers to", v.Name())
	return nil
}

func posOf(v *ssair.Value) token.Pos {
	if v.Def != nil {
		return v.Def.Pos
	}
	return v.Func.Pos
}

func (s *sweep) setShadow(v, x *ssair.Value) {
	if x.Var == nil && v.Var != nil {
		x.Var = s.shadowVar(v.Var)
	}
	s.sh[v] = x
}

// shadowVar names the shadow or derivative of a variable.
func (s *sweep) shadowVar(v *ssair.Var) *ssair.Var {
	switch {
	case v == nil:
		return nil
	case s.tangents:
		return &ssair.Var{Name: v.Name + "Dot"}
	case s.bar:
		return &ssair.Var{Name: v.Name + "Bar"}
	}
	return &ssair.Var{Name: "d" + v.Name}
}

// idx returns the copies of index operands.
func (s *sweep) idx(o *ssair.Op) []*ssair.Value {
	is := o.Indices()
	out := make([]*ssair.Value, len(is))
	for i, v := range is {
		out[i] = s.m.Get(v)
	}
	return out
}

// mirror builds the shadow of what o computes or stores, when o is an op on
// references. It is called after o has been copied to c.
func (s *sweep) mirror(o, c *ssair.Op) {
	switch o.Kind {
	case ssair.Alloc, ssair.MakeSlice, ssair.MakeMap:
		if s.shadowed(o.Result()) {
			s.setShadow(o.Result(), s.allocShadow(o, c))
		}
	case ssair.ZeroLike:
		if s.shadowed(o.Result()) {
			t := shadowType(s.g.Mod, o.Result().Type, s.lanes)
			s.setShadow(o.Result(), s.b.Op(ssair.ZeroLike, []*ssair.Value{s.m.Get(o.Args[0])}, t).Result())
		}
	case ssair.Slice, ssair.Addr:
		if s.shadowed(o.Result()) {
			s.setShadow(o.Result(), s.view(o, c))
		}
	case ssair.Conv:
		if s.shadowed(o.Result()) {
			s.setShadow(o.Result(), s.b.Conv(s.shadow(o.Args[0]), shadowType(s.g.Mod, o.Result().Type, s.lanes)))
		}
	case ssair.Load:
		if s.shadowed(o.Result()) {
			v := s.b.Load(s.shadow(o.Base()), o.Path, s.idx(o)...)
			s.origin[v.Def] = o
			s.setShadow(o.Result(), v)
		}
	case ssair.Store:
		if s.act.ref(o.Base()) && (s.shadowed(o.Stored()) || ssair.HoldsRef(o.Stored().Type) && ssair.ReachesScalar(o.Stored().Type)) && !ssair.IsScalar(o.Stored().Type) {
			s.b.Store(s.shadow(o.Base()), o.Path, s.shadow(o.Stored()), s.idx(o)...)
		}
	case ssair.Append:
		if s.shadowed(o.Result()) {
			s.setShadow(o.Result(), s.appendShadow(o, c))
		}
	case ssair.AppendSlice:
		if s.shadowed(o.Result()) {
			s.setShadow(o.Result(), s.appendShadow(o, c))
		}
	case ssair.Copy:
		switch t := ssair.ElemType(o.Args[0].Type); {
		case !s.act.ref(o.Args[0]) || !s.copies(t):
		case !s.act.ref(o.Args[1]):
			// Constants take the place of what was there.
			if s.tangents && ssair.HoldsScalar(t) {
				s.clearTangents(s.b.Slice(s.shadow(o.Args[0]), nil, c.Result(), nil), t)
			}
		default:
			s.b.Op(ssair.Copy, []*ssair.Value{s.shadow(o.Args[0]), s.shadow(o.Args[1])}, ssair.Int)
		}
	case ssair.MapGet:
		if s.shadowed(o.Results[0]) {
			v := s.b.Op(ssair.MapGet, []*ssair.Value{s.shadow(o.Args[0]), s.m.Get(o.Args[1])}, shadowType(s.g.Mod, o.Results[0].Type, s.lanes), ssair.Bool)
			s.setShadow(o.Results[0], v.Results[0])
		}
	case ssair.MapSet:
		if t := o.Args[2].Type; s.act.ref(o.Args[0]) && !ssair.IsScalar(t) && (s.tangents || ssair.HoldsRef(t)) {
			s.b.Op(ssair.MapSet, []*ssair.Value{s.shadow(o.Args[0]), s.m.Get(o.Args[1]), s.shadow(o.Args[2])})
		}
	case ssair.Build:
		if s.shadowed(o.Result()) {
			s.setShadow(o.Result(), s.buildShadow(o))
		}
	case ssair.Extract:
		if s.shadowed(o.Result()) {
			s.setShadow(o.Result(), s.extract(s.shadow(o.Args[0]), o.Path))
		}
	case ssair.MakeIface:
		if s.shadowed(o.Result()) {
			s.setShadow(o.Result(), s.boxShadow(o))
		}
	case ssair.TypeAssert:
		if s.shadowed(o.Result()) {
			s.setShadow(o.Result(), s.unboxShadow(o))
		}
	}
}

// clearTangents sets the numbers in the elements of d to zero; t is the primal
// type of an element.
func (s *sweep) clearTangents(d *ssair.Value, t types.Type) {
	if !ssair.HoldsRef(t) {
		s.b.Op(ssair.Clear, []*ssair.Value{d})
		return
	}
	s.b.Each(s.b.Len(d), "i", func(i *ssair.Value) {
		eachNumber(s.b, t, func(b *ssair.Builder, p []ssair.Step, more []*ssair.Value) {
			path := join(elem(), p)
			b.Store(d, path, b.Zero(ssair.PlaceType(d.Type, path)), joinV([]*ssair.Value{i}, more)...)
		})
	})
}

// copies reports whether copying elements of type t copies anything on the
// shadows: references always, numbers in forward mode.
func (s *sweep) copies(t types.Type) bool {
	return ssair.HoldsRef(t) && ssair.ReachesScalar(t) || s.tangents && ssair.HoldsScalar(t)
}

func (s *sweep) allocShadow(o, c *ssair.Op) *ssair.Value {
	t := shadowType(s.g.Mod, o.Result().Type, s.lanes)
	switch o.Kind {
	case ssair.Alloc:
		x := s.b.Alloc(ssair.Deref(t), s.shadowVar(o.Result().Var))
		x.Def.Explicit = o.Explicit
		return x
	case ssair.MakeSlice:
		x := s.b.MakeSlice(t, c.Args[0], c.Args[1])
		if s.tangents {
			x.Def.Text = o.Text // tangents are written with the records
		}
		return x
	}
	return s.b.Op(ssair.MakeMap, nil, t).Result()
}

// view mirrors slicing and taking an address.
func (s *sweep) view(o, c *ssair.Op) *ssair.Value {
	x := s.shadow(o.Args[0])
	if o.Kind == ssair.Addr {
		return s.b.Addr(x, o.Path, s.idx(o)...)
	}
	return s.b.Slice(x, c.Args[1], c.Args[2], c.Args[3])
}

func (s *sweep) extract(x *ssair.Value, path []ssair.Step) *ssair.Value {
	idx := make([]int, len(path))
	for i, p := range path {
		idx[i] = p.Field
	}
	return s.b.Extract(x, idx...)
}

// buildShadow is the aggregate of the shadows (and tangents) of the parts.
func (s *sweep) buildShadow(o *ssair.Op) *ssair.Value {
	parts := make([]*ssair.Value, len(o.Args))
	for i, v := range o.Args {
		if ssair.IsScalar(v.Type) {
			parts[i] = s.tangentOf(v)
		} else {
			parts[i] = s.shadow(v)
		}
	}
	return s.b.Build(shadowType(s.g.Mod, o.Result().Type, s.lanes), parts...)
}

// tangentOf returns the tangent of a scalar as one value: the tangent itself,
// or the array of its lanes.
func (s *sweep) tangentOf(v *ssair.Value) *ssair.Value {
	ls := s.tan[v]
	if ls == nil {
		return s.b.Zero(shadowType(s.g.Mod, v.Type, s.lanes))
	}
	if s.lanes == 1 {
		return s.num(ls[0], v.Type)
	}
	parts := make([]*ssair.Value, s.lanes)
	for k := range parts {
		parts[k] = s.num(ls[k], v.Type)
	}
	return s.b.Build(shadowType(s.g.Mod, v.Type, s.lanes), parts...)
}

// num returns x, or a zero of type t for a structural zero.
func (s *sweep) num(x *ssair.Value, t types.Type) *ssair.Value {
	if x == nil {
		return s.b.Zero(t)
	}
	return x
}

// appendShadow mirrors append. The shadow moves exactly when the primal did,
// to memory of the primal's capacity.
func (s *sweep) appendShadow(o, c *ssair.Op) *ssair.Value {
	if o.Text == tapeMark {
		return s.appendTape(o)
	}
	old, res := s.m.Get(o.Args[0]), c.Result()
	t := shadowType(s.g.Mod, o.Result().Type, s.lanes)
	x := s.shadow(o.Args[0])
	n := s.b.Len(res)
	var y *ssair.Value
	if old.Def != nil && old.Def.Kind == ssair.Zero {
		y = s.b.MakeSlice(t, n, s.b.Cap(res)) // append(nil, ...) is new memory
	} else {
		op := s.b.If(s.b.Cmp(token.LSS, s.b.Cap(old), n))
		s.in(op.Regions[0], func() {
			y := s.b.MakeSlice(t, n, s.b.Cap(res))
			if s.copies(ssair.ElemType(o.Result().Type)) {
				s.b.Op(ssair.Copy, []*ssair.Value{y, x}, ssair.Int)
			}
			s.b.Yield(y)
		})
		s.in(op.Regions[1], func() { s.b.Yield(s.b.Slice(x, nil, n, nil)) })
		y = op.AddResult(t, nil)
	}
	m := s.b.Len(old)
	if o.Kind == ssair.AppendSlice {
		if s.copies(ssair.ElemType(o.Result().Type)) && s.act.ref(o.Args[1]) {
			s.b.Op(ssair.Copy, []*ssair.Value{s.b.Slice(y, m, nil, nil), s.shadow(o.Args[1])}, ssair.Int)
		} else if s.tangents && ssair.HoldsScalar(ssair.ElemType(o.Result().Type)) {
			s.b.Op(ssair.Clear, []*ssair.Value{s.b.Slice(y, m, nil, nil)})
		}
		return y
	}
	for k, v := range o.Args[1:] {
		i := m
		if k > 0 {
			i = s.b.Bin(token.ADD, m, s.b.Int(k))
		}
		switch {
		case ssair.IsScalar(v.Type):
			if s.tangents {
				s.b.Store(y, []ssair.Step{ssair.Elem}, s.tangentOf(v), i)
			}
		case s.copies(v.Type):
			s.b.Store(y, []ssair.Step{ssair.Elem}, s.shadow(v), i)
		}
	}
	return y
}

// appendTape extends the shadow of a tape. Nobody shares its memory, so that it
// grows on its own.
func (s *sweep) appendTape(o *ssair.Op) *ssair.Value {
	v := o.Args[1]
	if o.Kind == ssair.AppendSlice {
		return s.appendBank(o)
	}
	var x *ssair.Value
	if ssair.IsScalar(v.Type) {
		x = s.tangentOf(v) // in reverse mode there is none, which gives zero
	} else {
		x = s.shadow(v)
	}
	y := s.b.Op(ssair.Append, []*ssair.Value{s.shadow(o.Args[0]), x}, shadowType(s.g.Mod, o.Result().Type, s.lanes))
	y.Text = tapeMark
	return y.Result()
}

// appendBank is appendTape for several records at once.
func (s *sweep) appendBank(o *ssair.Op) *ssair.Value {
	t := shadowType(s.g.Mod, o.Result().Type, s.lanes)
	var x *ssair.Value
	if s.copies(ssair.ElemType(o.Result().Type)) && s.act.ref(o.Args[1]) {
		x = s.shadow(o.Args[1])
	} else {
		x = s.b.MakeSlice(t, s.b.Len(s.m.Get(o.Args[1])), nil)
	}
	y := s.b.Op(ssair.AppendSlice, []*ssair.Value{s.shadow(o.Args[0]), x}, t)
	y.Text = tapeMark
	return y.Result()
}

// boxShadow is the shadow of an interface that holds v: for a reference an
// interface with its shadow, for a value a pointer to a cell in which
// adjoints can be collected.
func (s *sweep) boxShadow(o *ssair.Op) *ssair.Value {
	v := o.Args[0]
	if s.lanes != 1 {
		refuse(o.Pos, "ask for one lane", "cannot carry several lanes in an interface")
	}
	if ssair.IsRef(v.Type) {
		return s.b.Op(ssair.MakeIface, []*ssair.Value{s.shadow(v)}, o.Result().Type).Result()
	}
	cell := s.b.Alloc(v.Type, nil)
	switch {
	case ssair.IsScalar(v.Type):
		if s.tangents {
			s.b.Store(cell, nil, s.tangentOf(v))
		}
	case s.shadowed(v):
		s.b.Store(cell, nil, s.shadow(v))
	}
	return s.b.Op(ssair.MakeIface, []*ssair.Value{cell}, o.Result().Type).Result()
}

// unbox returns the cell that the shadow of an interface points to.
func (s *sweep) unbox(o *ssair.Op) *ssair.Value {
	return s.assert(s.shadow(o.Args[0]), types.NewPointer(o.Type))
}

func (s *sweep) assert(x *ssair.Value, t types.Type) *ssair.Value {
	p := s.b.Op(ssair.TypeAssert, []*ssair.Value{x}, t)
	p.Type = t
	return p.Result()
}

func (s *sweep) unboxShadow(o *ssair.Op) *ssair.Value {
	if types.IsInterface(o.Type) || ssair.IsRef(o.Type) {
		return s.assert(s.shadow(o.Args[0]), o.Type)
	}
	return s.b.Load(s.unbox(o), nil)
}

// zeroLike builds a zero shadow for x: memory of the same shape whose numbers
// are zero.
func (s *sweep) zeroLike(x *ssair.Value, pos token.Pos) *ssair.Value {
	return zeroLike(s.b, x, s.lanes, needsCap(s.f), pos)
}

// zeroLike builds a zero shadow of x; with full its slices have the capacity of
// those of x, else their length.
func zeroLike(b *ssair.Builder, x *ssair.Value, lanes int, full bool, pos token.Pos) *ssair.Value {
	t := shadowType(b.Func().Mod, x.Type, lanes)
	if !ssair.ReachesScalar(x.Type) || ssair.IsScalar(x.Type) {
		return b.Zero(t)
	}
	if ssair.Irregular(x.Type) {
		return b.Op(ssair.ZeroLike, []*ssair.Value{x}, t).Result()
	}
	switch u := x.Type.Underlying().(type) {
	case *types.Slice:
		var c *ssair.Value
		if full {
			c = b.Cap(x)
		}
		y := b.MakeSlice(t, b.Len(x), c)
		if ssair.HoldsRef(u.Elem()) && ssair.ReachesScalar(u.Elem()) {
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
		if ssair.HoldsRef(u.Elem()) && ssair.ReachesScalar(u.Elem()) {
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
