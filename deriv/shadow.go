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
	u := ssair.MapScalars(t, lanes, func(t *types.Named, s *types.Struct) types.Type { return laneStruct(m, t, s, n) },
		func(types.Type) types.Type { return ssair.Any }) // no method of a shadow is called
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
	key := ssair.LaneKey(t, n)
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
	if plainError(v) {
		return s.b.Zero(shadowType(s.g.Mod, v.Type, s.lanes)) // nobody finds anything in it
	}
	if ssair.IsErrorType(v.Type) {
		if d := v.Def; s.lanes == 1 && d != nil && (d.Kind == ssair.Opaque || ofGlobal(d)) { // holds no active number
			return s.b.Op(ssair.ZeroLike, []*ssair.Value{s.m.Get(v)}, v.Type).Result()
		}
		if v.Def != nil && ofGlobal(v.Def) {
			refuse(posOf(v), "ask for one lane", "cannot carry several lanes in an error of which a package-level variable may be one")
		}
		refuse(posOf(v), "return the numbers beside the error", "cannot follow the numbers in an error that comes out of a function which is not inlined")
	}
	name := v.Name()
	if name == "" {
		name = "this value"
	}
	refuse(posOf(v), "keep its numbers in slices, structs and pointers that are not behind an interface", "cannot follow the memory that %s refers to", name)
	return nil
}

// plainError reports whether v is an error, or what a function panics with, that holds
// no numbers which code can reach: no type that an assertion finds in it has any.
func plainError(v *ssair.Value) bool {
	o := v.Def
	if o == nil || o.Kind != ssair.Opaque || o.Obj == nil || o.Obj.Pkg() == nil || !ssair.IsRef(v.Type) {
		return false
	}
	switch o.Obj.Pkg().Path() + "." + o.Obj.Name() {
	case "errors.New", "fmt.Errorf":
		return true
	}
	return o.Plain && o.Safe && types.IsInterface(v.Type)
}

// ofGlobal reports whether o loads from a package-level variable.
func ofGlobal(o *ssair.Op) bool {
	return o.Kind == ssair.Load && o.Base().Def != nil && o.Base().Def.Kind == ssair.Global
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
			oneLane(s.lanes, o.Result().Type, o.Pos)
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
		if s.shadowed(o.Result()) && !(ssair.IsErrorType(o.Result().Type) && ofGlobal(o)) {
			v := s.b.Load(s.shadow(o.Base()), o.Path, s.idx(o)...)
			s.origin[v.Def] = o
			s.setShadow(o.Result(), v)
		}
	case ssair.Store:
		if s.act.ref(o.Base()) && (s.shadowed(o.Stored()) || ssair.RefersToScalar(o.Stored().Type)) && !ssair.IsScalar(o.Stored().Type) {
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
	return ssair.MayReferToScalar(t) || s.tangents && ssair.HoldsScalar(t)
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
	v, t := o.Args[0], shadowType(s.g.Mod, o.Result().Type, s.lanes)
	if ssair.IsRef(v.Type) {
		x := s.shadow(v)
		if types.Identical(x.Type, t) {
			return x
		}
		return s.b.Op(ssair.MakeIface, []*ssair.Value{x}, t).Result()
	}
	cell := s.b.Alloc(shadowType(s.g.Mod, v.Type, s.lanes), nil)
	switch {
	case ssair.IsScalar(v.Type):
		if s.tangents {
			s.b.Store(cell, nil, s.tangentOf(v))
		}
	case s.shadowed(v):
		s.b.Store(cell, nil, s.shadow(v))
	}
	return s.b.Op(ssair.MakeIface, []*ssair.Value{cell}, t).Result()
}

// unbox returns the cell that the shadow of an interface points to.
func (s *sweep) unbox(o *ssair.Op) *ssair.Value {
	return s.assert(s.shadow(o.Args[0]), types.NewPointer(shadowType(s.g.Mod, o.Type, s.lanes)))
}

func (s *sweep) assert(x *ssair.Value, t types.Type) *ssair.Value {
	p := s.b.Op(ssair.TypeAssert, []*ssair.Value{x}, t)
	p.Type = t
	return p.Result()
}

func (s *sweep) unboxShadow(o *ssair.Op) *ssair.Value {
	if x, t := s.shadow(o.Args[0]), shadowType(s.g.Mod, o.Type, s.lanes); types.Identical(x.Type, t) {
		return x
	} else if ssair.IsRef(o.Type) {
		return s.assert(x, t)
	}
	return s.b.Load(s.unbox(o), nil)
}
