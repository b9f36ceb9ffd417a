package deriv

import (
	"fmt"
	"go/token"
	"go/types"

	"github.com/quabla/quabla/rules"
	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// A ReverseSpec says what reverse mode is asked for.
type ReverseSpec struct {
	Active []bool // the parameters to differentiate by
	// Result and Param say which results and parameters are outputs.
	Result, Param []bool
	// Unit seeds the only scalar output with 1; otherwise each output has a
	// cotangent parameter.
	Unit bool
	// Add leaves what destinations hold and adds to it.
	Add bool
	// Bar spells the adjoint of x xBar rather than dx.
	Bar bool
	// SaveAll saves every value that the reverse sweep needs instead of
	// recomputing some; it is for tests.
	SaveAll bool
}

// Reverse returns the reverse-mode derivative of f. Its parameters are
//
//   - a destination for each active parameter that refers to memory, and for
//     each output parameter (whose destination holds the cotangent of its
//     final state on entry and of its initial state on return);
//   - the parameters of f;
//   - unless Unit is set, a cotangent for each output result.
//
// Its results are those of f, followed by the adjoints of the active
// parameters that are values.
func Reverse(f *ssair.Func, spec ReverseSpec, name string) (g *ssair.Func, err error) {
	defer recoverRefusal(&err)
	t := newTransforms(f.Mod)
	t.saveAll = spec.SaveAll
	return t.reverse(f, spec, name), nil
}

// reverseSweep is the state of one reverse-mode transform.
type reverseSweep struct {
	*sweep
	t    *transforms
	spec ReverseSpec

	// adj holds, for each number or aggregate of f, the cell in which its
	// adjoint is collected.
	adj map[*ssair.Value]*ssair.Value
	// home holds, for each region of f, the region of the reverse sweep that
	// undoes it, and head the op in front of which its cells are made.
	home map[*ssair.Region]*ssair.Region

	structDest map[*ssair.Value]*ssair.Value // struct parameters to their destinations

	had   map[*ssair.Op]*ssair.Value // whether an entry of a map is there that an op sets or deletes
	boxes map[*ssair.Op]*ssair.Value // cells that the shadows of interfaces point to
	calls map[*ssair.Op]*callState
	ruled map[*ssair.Op]*ruledCall

	shells []shell
	loops  map[*ssair.Op]*loopState
	ops    map[*ssair.Op]*ssair.Op // copies of ops of f

	known map[*ssair.Value]*ssair.Value // loop variables of the forward sweep to those of the reverse sweep
	front map[*ssair.Op]bool            // loads of saved values, which stay in front
	mem   *stability
	scope *scope
	uses  ssair.Uses // of f
	pair  bool       // building an augmented primal and a pullback
	// repeat is set when the reverse sweep may run several times: it leaves the
	// shadows that it works on as it finds them.
	repeat bool
	seed   map[int]*ssair.Value // cotangents of the results of f
}

func (t *transforms) reverse(f *ssair.Func, spec ReverseSpec, name string) *ssair.Func {
	f = t.prepare(f)
	g := t.mod.NewFunc(name)
	g.Obj, g.Pos = f.Obj, f.Pos
	s := t.newReverse(f, g, spec)
	s.signature()
	s.scope = &scope{region: g.Body}
	s.home[f.Body] = g.Body
	s.b.Safe = false
	s.forwardRegion(f.Body)
	s.b.Safe = true
	ret := f.Body.Term()
	if ret.Kind == ssair.Unreachable {
		s.b.Op(ssair.Unreachable, nil)
		return g
	}
	results := make([]*ssair.Value, len(ret.Args))
	for i, v := range ret.Args {
		results[i] = s.m.Get(v)
	}
	s.scope.start, s.scope.rstart = s.marker(), s.marker()
	s.b.Reverse = true
	s.seeds(ret)
	s.reverseRegion(f.Body)
	for _, sh := range s.shells {
		sh.finish(s.b)
	}
	s.b.Reverse = false
	s.b.Pos = f.Pos
	results = append(results, s.adjoints()...)
	s.b.Return(results...)
	return g
}

func (t *transforms) newReverse(f, g *ssair.Func, spec ReverseSpec) *reverseSweep {
	had := findKeys(f)
	s := &reverseSweep{
		had:   had,
		sweep: newSweep(f, g, findActivity(f, spec.Active, &outputs{spec.Result, spec.Param}), 1, spec.Bar),
		t:     t, spec: spec,
		adj: map[*ssair.Value]*ssair.Value{}, home: map[*ssair.Region]*ssair.Region{},
		boxes: map[*ssair.Op]*ssair.Value{}, calls: map[*ssair.Op]*callState{}, ruled: map[*ssair.Op]*ruledCall{},
		loops: map[*ssair.Op]*loopState{}, ops: map[*ssair.Op]*ssair.Op{},
		known: map[*ssair.Value]*ssair.Value{}, front: map[*ssair.Op]bool{},
	}
	s.uses = ssair.UsesIn(f.Body)
	s.seed = map[int]*ssair.Value{}
	s.mem = findStability(f, s.act.al)
	s.mem.disjoint = true
	return s
}

// hasDest reports whether parameter i has a destination.
func (s *reverseSweep) hasDest(i int) bool {
	p := s.f.Params[i]
	return (s.spec.Active[i] || s.spec.Param[i]) && ssair.HoldsRef(p.Type) && ssair.ReachesScalar(p.Type)
}

// adjointName spells the adjoint of a variable.
func (s *reverseSweep) adjointName(name string) string {
	if s.spec.Bar {
		return name + "Bar"
	}
	return "d" + name
}

// destType returns the type of the destination of a parameter.
func destType(t types.Type) types.Type {
	if ssair.IsAggregate(t) {
		return types.NewPointer(t)
	}
	return t
}

// signature makes the parameters of g and the shadows of those of f.
func (s *reverseSweep) signature() {
	space := maxSpace(s.f)
	dest := make([]*ssair.Value, len(s.f.Params))
	for i, p := range s.f.Params {
		if s.hasDest(i) {
			space++
			dest[i] = s.g.AddParam(s.adjointName(p.Name()), destType(p.Type))
			dest[i].Space = space
		}
	}
	for _, p := range s.f.Params {
		q := s.g.AddParam(p.Name(), p.Type)
		q.Space = p.Space
		s.m[p] = q
	}
	if !s.spec.Unit {
		s.cotangents()
	}
	s.g.Results = append(s.g.Results, s.f.Results...)
	for i, p := range s.f.Params {
		if s.spec.Active[i] && !s.hasDest(i) {
			s.g.Results = append(s.g.Results, ssair.Result{Name: s.adjointName(p.Name()), Type: p.Type})
		}
	}
	relinked := pass.Relinked(s.f)
	written := pass.Written(s.f)
	for i, p := range s.f.Params {
		switch {
		case dest[i] != nil:
			if s.spec.Add && written[i] && !s.spec.Param[i] {
				refuse(s.f.Pos, "leave out add, and add the result yourself",
					"cannot add to the destination for %s, which %s writes: the reverse sweep needs it", p.Name(), s.f.Name)
			}
			if !s.spec.Add && !s.spec.Param[i] {
				clearNumbers(s.b, dest[i], s.f.Pos)
			}
			d := dest[i]
			if ssair.IsAggregate(p.Type) {
				d = s.b.Load(d, nil)
				s.dests(p, dest[i])
			}
			if relinked[i] {
				if s.spec.Param[i] {
					refuse(s.f.Pos, "copy the numbers instead, or leave it out of the outputs",
						"%s replaces references inside of its parameter %s, which is an output: its cotangent has no fixed shape", s.f.Name, p.Name())
				}
				sh := newShell(s.b, d, p.Type, s.f, nil)
				d = sh.value
				s.shells = append(s.shells, sh)
			}
			s.sh[p] = d
		case s.shadowed(p):
			s.sh[p] = s.zeroLike(s.m[p], s.f.Pos)
		}
	}
}

// dests remembers where the adjoints of the numbers in a struct parameter go.
func (s *reverseSweep) dests(p, dest *ssair.Value) {
	if s.structDest == nil {
		s.structDest = map[*ssair.Value]*ssair.Value{}
	}
	s.structDest[p] = dest
}

// clearNumbers sets the numbers that can be reached from the destination d to
// zero.
func clearNumbers(b *ssair.Builder, d *ssair.Value, pos token.Pos) {
	clearRef(b, d, pos, nil)
}

func clearRef(b *ssair.Builder, d *ssair.Value, pos token.Pos, seen []types.Type) {
	if !ssair.ReachesScalar(d.Type) {
		return
	}
	for _, t := range seen {
		if types.Identical(t, d.Type) {
			refuse(pos, "ask with add, as in //quabla:grad add: then the derivative is added to the destination, which you clear", "cannot clear a destination of the recursive type %s", d.Type)
		}
	}
	seen = append(seen, d.Type)
	switch u := d.Type.Underlying().(type) {
	case *types.Slice:
		if ssair.IsScalar(u.Elem()) || !ssair.HoldsRef(u.Elem()) && onlyScalars(u.Elem()) {
			b.Op(ssair.Clear, []*ssair.Value{d})
			return
		}
		b.Each(b.Len(d), "i", func(i *ssair.Value) {
			clearPlace(b, d, []ssair.Step{ssair.Elem}, []*ssair.Value{i}, u.Elem(), pos, seen)
		})
	case *types.Pointer:
		notNil := b.Cmp(token.NEQ, d, b.Zero(d.Type))
		op := b.If(notNil)
		in := b.At(op.Regions[0])
		clearPlace(in, d, nil, nil, u.Elem(), pos, seen)
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
				clearRef(b, e, pos, seen)
				return
			}
			c := b.Alloc(u.Elem(), nil)
			b.Store(c, nil, e)
			clearPlace(b, c, nil, nil, u.Elem(), pos, seen)
			b.Op(ssair.MapSet, []*ssair.Value{d, k, b.Load(c, nil)})
		})
	default:
		refuse(pos, "use a struct, slice, array or map of numbers", "cannot clear a destination of type %s", d.Type)
	}
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

func clearPlace(b *ssair.Builder, base *ssair.Value, path []ssair.Step, idx []*ssair.Value, t types.Type, pos token.Pos, seen []types.Type) {
	eachPart(b, t, func(b *ssair.Builder, p []ssair.Step, more []*ssair.Value, leaf types.Type) {
		path := append(path[:len(path):len(path)], p...)
		idx := append(idx[:len(idx):len(idx)], more...)
		switch {
		case ssair.IsScalar(leaf):
			b.Store(base, path, b.Zero(leaf), idx...)
		case ssair.IsRef(leaf) && ssair.ReachesScalar(leaf):
			clearRef(b, b.Load(base, path, idx...), pos, seen)
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

// cell returns the cell that collects the adjoint of v.
func (s *reverseSweep) cell(v *ssair.Value) *ssair.Value {
	if c, ok := s.adj[v]; ok {
		return c
	}
	r := s.home[s.regionOf(v)]
	if r == nil {
		panic(fmt.Sprintf("deriv: adjoint of %s (%%%d) outside of its region", v.Name(), v.ID))
	}
	c := r.Func.NewValue(types.NewPointer(v.Type), s.shadowVar(v.Var))
	o := &ssair.Op{Kind: ssair.Alloc, Type: v.Type, Results: []*ssair.Value{c}, Parent: r, Pos: posOf(v), Safe: true}
	c.Def = o
	r.Ops = append([]*ssair.Op{o}, r.Ops...)
	s.adj[v] = c
	return c
}

// regionOf returns the region of f that v belongs to.
func (s *reverseSweep) regionOf(v *ssair.Value) *ssair.Region {
	if r := v.Region(); r != nil {
		return r
	}
	return s.f.Body
}

// bar returns the adjoint of the number v, or nil if nothing has contributed
// to it.
func (s *reverseSweep) bar(v *ssair.Value) *ssair.Value {
	c, ok := s.adj[v]
	if !ok {
		return nil
	}
	x := s.b.Load(c, nil)
	return x
}

// add adds x to the adjoint of v.
func (s *reverseSweep) add(v, x *ssair.Value) {
	if x == nil || !s.act.value(v) {
		return
	}
	s.accum(s.cell(v), nil, x)
}

func (s *reverseSweep) accum(base *ssair.Value, path []ssair.Step, x *ssair.Value, idx ...*ssair.Value) {
	s.b.Accum(base, path, x, idx...).Loose = true
}

// move adds the numbers at one place to those at another.
func (s *reverseSweep) move(t types.Type, to *ssair.Value, toPath []ssair.Step, toIdx []*ssair.Value, from *ssair.Value, fromPath []ssair.Step, fromIdx []*ssair.Value, clear bool) {
	saved := s.b.Region
	eachNumber(s.b, t, func(b *ssair.Builder, p []ssair.Step, idx []*ssair.Value) {
		fp, fi := join(fromPath, p), joinV(fromIdx, idx)
		x := b.Load(from, fp, fi...)
		if clear {
			b.Store(from, fp, b.Zero(x.Type), fi...)
		}
		b.Accum(to, join(toPath, p), x, joinV(toIdx, idx)...).Loose = true
	})
	s.b.Region = saved
}

func join(a, b []ssair.Step) []ssair.Step      { return append(a[:len(a):len(a)], b...) }
func joinV(a, b []*ssair.Value) []*ssair.Value { return append(a[:len(a):len(a)], b...) }
func elem() []ssair.Step                       { return []ssair.Step{ssair.Elem} }

// cotangents makes a parameter for the cotangent of each output result.
func (s *reverseSweep) cotangents() {
	for i, r := range s.f.Results {
		if !s.spec.Result[i] {
			continue
		}
		name := r.Name
		if name == "" {
			name = "value"
			if len(s.f.Results) > 1 {
				name += fmt.Sprint(i)
			}
		}
		s.seed[i] = s.g.AddParam(name+"Bar", r.Type)
		s.seed[i].Space = maxSpace(s.g) + 1
	}
}

// seeds adds the cotangents of the outputs.
func (s *reverseSweep) seeds(ret *ssair.Op) {
	for i, v := range ret.Args {
		if !s.spec.Result[i] {
			continue
		}
		if s.spec.Unit {
			if s.act.value(v) {
				s.add(v, s.a.constant(1, v.Type))
			}
			continue
		}
		bar := s.seed[i]
		switch {
		case ssair.IsScalar(v.Type):
			s.add(v, bar)
		case ssair.IsAggregate(v.Type) && s.act.value(v):
			s.addAggregate(v, bar)
			fallthrough
		default:
			if ssair.HoldsRef(v.Type) {
				s.t.check(s.b, bar, s.m.Get(v), bar.Name(), resultName(s.f, i))
			}
			if s.shadowed(v) {
				addInto(s.b, s.shadow(v), bar, v.Type, s.f.Pos)
			}
		}
	}
}

// addAggregate adds the numbers of the aggregate value x to the adjoint of v.
func (s *reverseSweep) addAggregate(v, x *ssair.Value) {
	tmp := s.b.Alloc(x.Type, nil)
	s.b.Store(tmp, nil, x)
	s.move(v.Type, s.cell(v), nil, nil, tmp, nil, nil, false)
}

// adjoints returns the adjoints of the active parameters that are values, and
// adds those of the numbers in struct parameters to their destinations.
func (s *reverseSweep) adjoints() []*ssair.Value {
	var vs []*ssair.Value
	for i, p := range s.f.Params {
		if d := s.structDest[p]; d != nil {
			if c, ok := s.adj[p]; ok {
				s.move(p.Type, d, nil, nil, c, nil, nil, false)
			}
			continue
		}
		if !s.spec.Active[i] || s.hasDest(i) {
			continue
		}
		var bar *ssair.Value
		if c, ok := s.adj[p]; ok {
			bar = s.b.Load(c, nil)
		} else {
			bar = s.b.Zero(p.Type)
		}
		vs = append(vs, withRest(s.b, bar, s.m.Get(p)))
	}
	return vs
}

// forwardRegion copies the ops of r for the forward sweep.
func (s *reverseSweep) forwardRegion(r *ssair.Region) {
	for _, o := range r.Ops {
		s.b.Pos, s.b.Stmt, s.b.Call = o.Pos, o.Stmt, o.Call
		switch o.Kind {
		case ssair.If:
			s.forwardIf(o)
		case ssair.Loop:
			s.forwardLoop(o)
		case ssair.Call:
			s.forwardCall(o)
		case ssair.Return, ssair.Yield:
		case ssair.Deriv:
			refuse(o.Pos, "", "internal: inner derivative was not resolved")
		default:
			s.b.Safe = o.Safe
			c := s.b.CloneOp(o, s.m)
			s.ops[o] = c
			s.origin[c] = o
			s.b.Safe = true
			s.mirror(o, c)
			s.forwardExtra(o)
			if o.Kind == ssair.Opaque {
				s.act.checkOpaque(o)
			}
		}
	}
}

// forwardExtra builds what the reverse rule of o needs beyond its shadow.
func (s *reverseSweep) forwardExtra(o *ssair.Op) {
	switch o.Kind {
	case ssair.TypeAssert:
		if !ssair.IsRef(o.Result().Type) && s.act.value(o.Result()) {
			s.boxes[o] = s.unbox(o)
		}
	case ssair.MakeIface:
		if !ssair.IsRef(o.Args[0].Type) && s.shadowed(o.Result()) {
			s.boxes[o] = s.sh[o.Result()].Def.Args[0]
		}
	}
}

// give returns the copies of what a region yields, followed by the shadows of
// those that have one.
func (s *reverseSweep) give(results, vs []*ssair.Value) []*ssair.Value {
	var out []*ssair.Value
	for _, v := range vs {
		out = append(out, s.m.Get(v))
	}
	for k, r := range results {
		if s.shadowed(r) {
			out = append(out, s.shadow(vs[len(vs)-len(results)+k]))
		}
	}
	return out
}

func (s *reverseSweep) forwardIf(o *ssair.Op) {
	c := s.b.If(s.m.Get(o.Args[0]))
	s.ops[o] = c
	for i, r := range o.Regions {
		s.in(c.Regions[i], func() {
			s.forwardRegion(r)
			t := r.Term()
			if t.Kind == ssair.Unreachable {
				return
			}
			s.b.Yield(s.give(o.Results, t.Args)...)
		})
	}
	for _, v := range o.Results {
		s.m[v] = c.AddResult(v.Type, v.Var)
	}
	for _, v := range o.Results {
		if s.shadowed(v) {
			s.setShadow(v, c.AddResult(v.Type, nil))
		}
	}
}

// reverseRegion undoes the ops of r, from the last to the first.
func (s *reverseSweep) reverseRegion(r *ssair.Region) {
	for i := len(r.Ops) - 1; i >= 0; i-- {
		o := r.Ops[i]
		s.b.Pos, s.b.Stmt, s.b.Call = o.Pos, o.Stmt, o.Call
		s.reverseOp(o)
	}
}

// reverseOp adds the contributions of o to the adjoints of its operands.
func (s *reverseSweep) reverseOp(o *ssair.Op) {
	switch o.Kind {
	case ssair.Bin, ssair.Un, ssair.Conv, ssair.Apply:
		s.reverseArith(o)
	case ssair.Build:
		s.reverseBuild(o)
	case ssair.Extract:
		s.reverseExtract(o)
	case ssair.Load, ssair.Store, ssair.Accum, ssair.Copy, ssair.Clear, ssair.Append, ssair.AppendSlice,
		ssair.MapGet, ssair.MapSet, ssair.MapDelete, ssair.Alloc, ssair.MakeSlice, ssair.MakeMap:
		s.reverseMemory(o)
	case ssair.MakeIface:
		if c := s.boxes[o]; c != nil {
			v := o.Args[0]
			if s.act.value(v) {
				s.move(v.Type, s.cell(v), nil, nil, c, nil, nil, true)
			}
		}
	case ssair.TypeAssert:
		if c, ok := s.adj[o.Result()]; ok && s.boxes[o] != nil {
			s.move(o.Result().Type, s.boxes[o], nil, nil, c, nil, nil, false)
		}
	case ssair.If:
		s.reverseIf(o)
	case ssair.Loop:
		s.reverseLoop(o)
	case ssair.Call:
		s.reverseCall(o)
	}
}

// reverseArith applies the rules of arithmetic and elementary functions.
func (s *reverseSweep) reverseArith(o *ssair.Op) {
	if c, ok := s.adj[o.Results[0]]; ok && o.Kind == ssair.Conv && ssair.IsAggregate(o.Result().Type) {
		// Types that can be converted have the same parts.
		s.move(o.Result().Type, s.cell(o.Args[0]), nil, nil, c, nil, nil, false)
		return
	}
	a := s.a
	bars := make([]*ssair.Value, len(o.Results))
	any := false
	for k, r := range o.Results {
		if ssair.IsScalar(r.Type) {
			bars[k] = s.bar(r)
			any = any || bars[k] != nil
		}
	}
	if !any {
		return
	}
	bar := bars[0]
	arg := func(i int) *ssair.Value { return s.m.Get(o.Args[i]) }
	switch o.Kind {
	case ssair.Un:
		s.add(o.Args[0], a.neg(bar))
	case ssair.Conv:
		if ssair.IsScalar(o.Args[0].Type) && s.act.value(o.Args[0]) {
			s.add(o.Args[0], s.b.Conv(bar, o.Args[0].Type))
		}
	case ssair.Bin:
		x, y := o.Args[0], o.Args[1]
		conj := func(v *ssair.Value) *ssair.Value { return s.conj(v) }
		switch o.Tok {
		case token.ADD:
			s.add(x, bar)
			s.add(y, bar)
		case token.SUB:
			s.add(x, bar)
			s.add(y, a.neg(bar))
		case token.MUL:
			// Data may hold what is not finite, to be sorted out by what follows.
			real := !ssair.IsComplex(bar.Type)
			product := func(i int) *ssair.Value {
				guard := rules.Plain
				if real && (!s.act.value(o.Args[i]) && s.unused(o.Result(), 1, false) || singular(o.Args[i], 6) && s.unused(o.Result(), 8, false)) {
					guard = rules.ZeroBar
				}
				if real && o.Loose && selected(o.Args[i]) {
					guard |= rules.ZeroCoef // the cotangent of an inner sweep that is not used
				}
				if guard == rules.Plain {
					return a.mul(conj(arg(i)), bar)
				}
				return a.guarded(bar, arg(i), guard)
			}
			if s.act.value(x) {
				s.add(x, product(1))
			}
			if s.act.value(y) {
				s.add(y, product(0))
			}
		case token.QUO:
			// y = u/v: du += dy/v, dv -= (dy/v) y
			var q *ssair.Value
			times := a.mul
			if v := conj(arg(1)); ssair.IsComplex(bar.Type) && s.unused(o.Result(), 8, false) {
				// A strong zero: what is not used may be a division by zero.
				op := s.b.If(s.b.Cmp(token.EQL, bar, s.b.Zero(bar.Type)))
				q = op.AddResult(bar.Type, nil)
				zero, div := s.b.At(op.Regions[0]), s.b.At(op.Regions[1])
				zero.Yield(zero.Zero(bar.Type))
				div.Yield(div.Bin(token.QUO, bar, v))
				times = func(q, y *ssair.Value) *ssair.Value {
					op := s.b.If(s.b.Cmp(token.EQL, q, s.b.Zero(q.Type)))
					r := op.AddResult(q.Type, nil)
					zero, mul := s.b.At(op.Regions[0]), s.b.At(op.Regions[1])
					zero.Yield(zero.Zero(q.Type))
					mul.Yield(mul.Bin(token.MUL, q, y))
					return r
				}
			} else if ssair.IsComplex(bar.Type) || a.nonzero(o.Args[1]) {
				q = a.div(bar, v)
			} else {
				q = a.apply("rt.Div0", bar, v)
				if o.Loose || s.unused(o.Result(), 8, true) {
					times = func(q, y *ssair.Value) *ssair.Value { return a.guarded(q, y, rules.ZeroBar) }
				}
			}
			s.add(x, q)
			if s.act.value(y) {
				s.add(y, a.neg(times(q, conj(s.m.Get(o.Result())))))
			}
		default:
			refuse(o.Pos, "", "cannot differentiate %v", o.Tok)
		}
	case ssair.Apply:
		if s.reverseComplex(o, bars) {
			return
		}
		var args, results []*ssair.Value
		for i := range o.Args {
			args = append(args, arg(i))
		}
		for _, r := range o.Results {
			results = append(results, s.m.Get(r))
		}
		for i, x := range o.Args {
			if !s.act.value(x) {
				continue
			}
			for k := range o.Results {
				if bars[k] == nil {
					continue
				}
				coef, g := a.partial(o, k, i, args, results)
				s.add(x, a.guarded(bars[k], coef, g))
			}
		}
	}
}

// unused reports whether the cotangent of v may be zero because nothing takes v:
// all that takes it is inside of ifs behind it or, with stored, puts it where it may
// stay unread. It follows arithmetic through some steps, of which v is the first.
func (s *reverseSweep) unused(v *ssair.Value, steps int, stored bool) bool {
	found := false
	for _, u := range s.uses[v] {
		if u.Op.Kind == ssair.Cmp {
			continue
		}
		if u.Op.Parent == v.Def.Parent {
			active := len(u.Op.Results) == 0
			for _, r := range u.Op.Results {
				active = active || s.act.value(r)
			}
			if !active {
				continue
			}
			switch u.Op.Kind {
			case ssair.Bin, ssair.Un, ssair.Conv, ssair.Apply:
				if steps > 1 && len(u.Op.Results) == 1 && s.unused(u.Op.Result(), steps-1, stored) {
					found = true
					continue
				}
			case ssair.Store, ssair.Accum, ssair.Build, ssair.Append, ssair.MapSet, ssair.MakeIface, ssair.Call:
				if stored {
					found = true
					continue
				}
			case ssair.Return:
				if stored && !s.spec.Unit {
					found = true
					continue
				}
			}
			return false
		}
		always := true
		for r := u.Op.Parent; r != v.Def.Parent; r = r.Parent.Parent {
			always = always && r.Parent.Kind != ssair.If
		}
		if always {
			return false
		}
		found = true
	}
	return found
}

// conj returns the complex conjugate of v; a real v is its own. The adjoint of
// a complex number is d/dRe + i d/dIm, so that a factor f of a tangent is a
// factor conj(f) of an adjoint.
func (s *reverseSweep) conj(v *ssair.Value) *ssair.Value {
	if !ssair.IsComplex(v.Type) {
		return v
	}
	t := partType(v.Type)
	re := s.b.Apply("real", []types.Type{t}, v).Result()
	im := s.b.Apply("imag", []types.Type{t}, v).Result()
	return s.b.Apply("complex", []types.Type{v.Type}, re, s.b.Un(token.SUB, im)).Result()
}

// partType returns the type of the parts of a complex type.
func partType(t types.Type) types.Type {
	if b, ok := t.Underlying().(*types.Basic); ok && b.Kind() == types.Complex64 {
		return types.Typ[types.Float32]
	}
	return ssair.Float64
}

func (s *reverseSweep) reverseComplex(o *ssair.Op, bars []*ssair.Value) bool {
	switch o.Fn {
	case "real", "imag":
		z := o.Args[0]
		if !s.act.value(z) {
			return true
		}
		zero := s.b.Zero(bars[0].Type)
		re, im := bars[0], zero
		if o.Fn == "imag" {
			re, im = zero, bars[0]
		}
		s.add(z, s.b.Apply("complex", []types.Type{z.Type}, re, im).Result())
		return true
	case "complex":
		for i, fn := range []string{"real", "imag"} {
			if s.act.value(o.Args[i]) {
				s.add(o.Args[i], s.b.Apply(fn, []types.Type{o.Args[i].Type}, bars[0]).Result())
			}
		}
		return true
	}
	return false
}

func (s *reverseSweep) reverseBuild(o *ssair.Op) {
	c, ok := s.adj[o.Result()]
	if !ok {
		return
	}
	_, isArray := o.Result().Type.Underlying().(*types.Array)
	for i, v := range o.Args {
		if !s.act.value(v) {
			continue
		}
		path, idx := []ssair.Step{ssair.Field(i)}, []*ssair.Value(nil)
		if isArray {
			path, idx = elem(), []*ssair.Value{s.b.Int(i)}
		}
		if ssair.IsScalar(v.Type) {
			s.add(v, s.b.Load(c, path, idx...))
			continue
		}
		s.move(v.Type, s.cell(v), nil, nil, c, path, idx, false)
	}
}

func (s *reverseSweep) reverseExtract(o *ssair.Op) {
	r, x := o.Result(), o.Args[0]
	c, ok := s.adj[r]
	if !ok || !s.act.value(x) {
		return
	}
	path, idx := place(s.b, x.Type, o.Path)
	s.move(r.Type, s.cell(x), path, idx, c, nil, nil, false)
}

// place turns the constant path of an Extract into steps and indices.
func place(b *ssair.Builder, t types.Type, path []ssair.Step) ([]ssair.Step, []*ssair.Value) {
	var steps []ssair.Step
	var idx []*ssair.Value
	for _, p := range path {
		switch u := t.Underlying().(type) {
		case *types.Struct:
			steps = append(steps, p)
			t = u.Field(p.Field).Type()
		case *types.Array:
			steps = append(steps, ssair.Elem)
			idx = append(idx, b.Int(p.Field))
			t = u.Elem()
		}
	}
	return steps, idx
}
