package deriv

import (
	"fmt"
	"go/types"

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
	// plain is set while ops are copied that are not undone themselves, since they
	// are replayed; replay while they are.
	plain  bool
	replay *checkpoint
}

func (t *transforms) reverse(f *ssair.Func, spec ReverseSpec, name string) *ssair.Func {
	f = t.prepare(f)
	return t.reverseInto(t.mod.NewFunc(name), f, spec)
}

// reverseInto builds the reverse-mode derivative of f, which has been prepared, in g.
func (t *transforms) reverseInto(g, f *ssair.Func, spec ReverseSpec) *ssair.Func {
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
		return g // f always panics, and so does the copy
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
		sweep: newSweep(f, g, findActivity(f, spec.Active, &outputs{spec.Result, spec.Param}, t.bares[f]), 1, spec.Bar),
		t:     t, spec: spec,
		adj: map[*ssair.Value]*ssair.Value{}, home: map[*ssair.Region]*ssair.Region{},
		boxes: map[*ssair.Op]*ssair.Value{}, calls: map[*ssair.Op]*callState{}, ruled: map[*ssair.Op]*ruledCall{},
		loops: map[*ssair.Op]*loopState{}, ops: map[*ssair.Op]*ssair.Op{},
		known: map[*ssair.Value]*ssair.Value{}, front: map[*ssair.Op]bool{},
	}
	s.uses = ssair.UsesIn(f.Body)
	s.seed = map[int]*ssair.Value{}
	s.mem = findStability(f, s.act.al, t.writes)
	s.mem.disjoint = true
	return s
}

// hasDest reports whether parameter i has a destination.
func (s *reverseSweep) hasDest(i int) bool {
	p := s.f.Params[i]
	return (s.spec.Active[i] || s.spec.Param[i]) && ssair.RefersToScalar(p.Type)
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
				s.t.check(s.b, bar, s.m.Get(v), bar.Name(), resultName(s.f, i), false)
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
		if s.replay != nil && s.replay.skip[o] {
			continue
		}
		s.b.Pos, s.b.Stmt, s.b.Call = o.Pos, o.Stmt, o.Call
		switch o.Kind {
		case ssair.If:
			s.forwardIf(o)
		case ssair.Loop:
			s.forwardLoop(o)
		case ssair.Call:
			s.forwardCall(o)
		case ssair.Return, ssair.Yield:
		case ssair.JVP, ssair.Grad:
			refuse(o.Pos, "", "internal: inner derivative was not resolved")
		default:
			s.b.Safe = o.Safe
			c := s.b.CloneOp(o, s.m)
			c.Safe = c.Safe || s.replay != nil // it has been run before
			s.ops[o] = c
			s.origin[c] = o
			s.b.Safe = true
			s.mirror(o, c)
			s.forwardExtra(o)
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
	case ssair.Load, ssair.Store, ssair.Accum, ssair.Copy, ssair.Clear, ssair.ClearAll, ssair.Append, ssair.AppendSlice,
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
