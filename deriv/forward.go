package deriv

import (
	"fmt"
	"go/token"
	"go/types"

	"github.com/quabla/quabla/rules"
	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// Forward returns the forward-mode derivative of f in the active parameters:
// each of them is followed by its tangent, and the results are followed by the
// tangents of those that reach numbers. With several lanes every number of a
// tangent is an array of that many.
func Forward(f *ssair.Func, active []bool, lanes int, name string) (g *ssair.Func, err error) {
	defer recoverRefusal(&err)
	t := newTransforms(f.Mod)
	return t.forward(f, active, lanes, name), nil
}

// transforms holds the derivatives of called functions that one request has
// made so far.
type transforms struct {
	mod     *ssair.Module
	fwd     map[string]*ssair.Func
	pairs   map[string]*pair
	written map[*ssair.Func][]bool
	saveAll bool
	bares   map[*ssair.Func]bool // see bare
	repeat  bool                 // reverse sweeps may run several times
	// resolved holds functions with their inner derivatives resolved; nested lists
	// those whose are being.
	resolved map[*ssair.Func]*ssair.Func
	nested   []*ssair.Func
	replays  int                           // so far
	runtime  func(name string) *types.Func // of package rt
	check    func(b *ssair.Builder, x, y *ssair.Value, xn, yn string, shadow bool)
	apart    func(b *ssair.Builder, dests, others []*ssair.Value)
}

func newTransforms(m *ssair.Module) *transforms {
	return &transforms{
		mod: m, fwd: map[string]*ssair.Func{}, pairs: map[string]*pair{}, written: map[*ssair.Func][]bool{}, bares: map[*ssair.Func]bool{}, resolved: map[*ssair.Func]*ssair.Func{},
		check:   func(*ssair.Builder, *ssair.Value, *ssair.Value, string, string, bool) {},
		apart:   func(*ssair.Builder, []*ssair.Value, []*ssair.Value) {},
		runtime: func(string) *types.Func { return nil },
	}
}

// forwardSweep is the state of one forward-mode transform.
type forwardSweep struct {
	*sweep
	t *transforms
}

func (t *transforms) forward(f *ssair.Func, active []bool, lanes int, name string) *ssair.Func {
	g := t.mod.NewFunc(name)
	t.forwardInto(g, t.prepare(f), active, lanes)
	return g
}

func (t *transforms) forwardInto(g, f *ssair.Func, active []bool, lanes int) {
	t.forwardSpec(g, f, active, active, lanes)
}

// forwardSpec builds the forward-mode derivative of f in g. Of the active
// parameters, those that are not in wrt have tangents that are only written.
func (t *transforms) forwardSpec(g, f *ssair.Func, active, wrt []bool, lanes int) {
	g.Obj, g.Pos = f.Obj, f.Pos
	pass.Dissolve(f) // nothing is computed again
	out := &outputs{result: make([]bool, len(f.Results)), param: active}
	for i, r := range f.Results {
		out.result[i] = ssair.ReachesScalar(r.Type)
	}
	s := &forwardSweep{newSweep(f, g, findActivity(f, active, out, t.bares[f]), lanes, false), t}
	s.tangents = true
	// The signature depends on types only.
	g.Results = append(g.Results, f.Results...)
	for i, r := range f.Results {
		if out.result[i] {
			d := ssair.Result{Type: shadowType(g.Mod, r.Type, lanes)}
			if r.Name != "" {
				d.Name = r.Name + "Dot"
			}
			g.Results = append(g.Results, d)
		}
	}
	space := maxSpace(f) + 1
	for i, p := range f.Params {
		q := g.AddParam(p.Name(), p.Type)
		q.Space = p.Space
		s.m[p] = q
		if !active[i] {
			continue
		}
		d := g.AddParam(p.Name()+"Dot", shadowType(g.Mod, p.Type, lanes))
		d.Space = space
		if ssair.IsScalar(p.Type) {
			s.tan[p] = s.spread(d, p.Type)
			continue
		}
		s.sh[p] = d
		if !wrt[i] {
			s.sh[p] = withoutNumbers(s.b, d, f.Pos)
		}
	}
	for i, p := range f.Params {
		if !active[i] && s.shadowed(p) {
			s.sh[p] = s.zeroLike(s.m[p], f.Pos)
		}
	}
	s.region(f.Body)
}

func maxSpace(f *ssair.Func) int {
	n := 0
	for _, p := range f.Params {
		n = max(n, p.Space)
	}
	return n
}

// spread takes the lanes of a tangent apart.
func (s *sweep) spread(d *ssair.Value, t types.Type) []*ssair.Value {
	if s.lanes == 1 {
		return []*ssair.Value{d}
	}
	ls := make([]*ssair.Value, s.lanes)
	for k := range ls {
		ls[k] = s.b.Extract(d, k)
		if d.Var != nil {
			ls[k].Var = &ssair.Var{Name: fmt.Sprintf("%s%d", d.Var.Name, k)}
		}
	}
	return ls
}

// region copies the ops of r to the builder's place.
func (s *forwardSweep) region(r *ssair.Region) {
	for _, o := range r.Ops {
		s.b.Pos, s.b.Stmt, s.b.Call = o.Pos, o.Stmt, o.Call
		s.op(o)
	}
}

// setTan records the tangents of v. All-zero tangents are not recorded.
func (s *forwardSweep) setTan(v *ssair.Value, ls []*ssair.Value) {
	for _, x := range ls {
		if x == nil {
			continue
		}
		for k, x := range ls {
			if x != nil && x.Var == nil && v.Var != nil && x.Def != nil && !isConst(x) {
				x.Var = s.laneVar(v.Var, k)
			}
		}
		s.tan[v] = ls
		return
	}
}

func (s *forwardSweep) laneVar(v *ssair.Var, k int) *ssair.Var {
	n := s.shadowVar(v)
	if s.lanes > 1 {
		n.Name = fmt.Sprintf("%s%d", n.Name, k)
	}
	return n
}

// each builds the tangents of v lane by lane.
func (s *forwardSweep) each(v *ssair.Value, lane func(k int) *ssair.Value) {
	ls := make([]*ssair.Value, s.lanes)
	for k := range ls {
		ls[k] = lane(k)
	}
	s.setTan(v, ls)
}

// dot returns the tangent of v in lane k, nil for a structural zero.
func (s *forwardSweep) dot(v *ssair.Value, k int) *ssair.Value {
	if ls := s.tan[v]; ls != nil {
		return ls[k]
	}
	return nil
}

func (s *forwardSweep) op(o *ssair.Op) {
	switch o.Kind {
	case ssair.If:
		s.ifOp(o)
		return
	case ssair.Loop:
		s.loop(o)
		return
	case ssair.Yield:
		refuse(o.Pos, "", "internal: stray yield")
	case ssair.Return:
		s.ret(o)
		return
	case ssair.Call:
		s.call(o)
		return
	}
	s.b.Safe = false
	c := s.b.CloneOp(o, s.m)
	s.b.Safe = true
	s.mirror(o, c)
	s.rule(o, c)
}

// rule builds the tangents of the scalar results of o, and stores those of
// scalars that o stores.
func (s *forwardSweep) rule(o, c *ssair.Op) {
	switch o.Kind {
	case ssair.Bin, ssair.Un, ssair.Conv, ssair.Apply:
		for k, r := range o.Results {
			if ssair.IsScalar(r.Type) && s.act.value(r) {
				s.each(r, func(l int) *ssair.Value {
					return s.scalar(o, c, k, func(v *ssair.Value) *ssair.Value { return s.dot(v, l) })
				})
			}
		}
	case ssair.Extract:
		if r := o.Result(); ssair.IsScalar(r.Type) && s.act.value(r) {
			d := s.extract(s.shadow(o.Args[0]), o.Path)
			s.setTan(r, s.spread(d, r.Type))
		}
	case ssair.Load:
		r := o.Result()
		if ssair.IsScalar(r.Type) && s.act.ref(o.Base()) && s.act.varied[r] {
			s.loadTan(r, s.shadow(o.Base()), o.Path, s.idx(o))
		}
	case ssair.Store, ssair.Accum:
		if v := o.Stored(); ssair.IsScalar(v.Type) && s.act.ref(o.Base()) {
			s.storeTan(o.Kind, s.shadow(o.Base()), o.Path, v, s.idx(o))
		}
	case ssair.Clear:
		if s.act.ref(o.Args[0]) {
			s.b.Op(ssair.Clear, []*ssair.Value{s.shadow(o.Args[0])})
		}
	case ssair.ClearAll:
		if s.act.ref(o.Args[0]) {
			s.b.Op(ssair.ClearAll, []*ssair.Value{s.shadow(o.Args[0])})
		}
	case ssair.MapGet:
		r := o.Results[0]
		if ssair.IsScalar(r.Type) && s.act.ref(o.Args[0]) {
			d := s.b.Op(ssair.MapGet, []*ssair.Value{s.shadow(o.Args[0]), s.m.Get(o.Args[1])}, shadowType(s.g.Mod, r.Type, s.lanes), ssair.Bool)
			s.setTan(r, s.spread(d.Results[0], r.Type))
		}
	case ssair.MapSet:
		if ssair.IsScalar(o.Args[2].Type) && s.act.ref(o.Args[0]) {
			s.b.Op(ssair.MapSet, []*ssair.Value{s.shadow(o.Args[0]), s.m.Get(o.Args[1]), s.tangentOf(o.Args[2])})
		}
	case ssair.MapDelete:
		if s.act.ref(o.Args[0]) {
			s.b.Op(ssair.MapDelete, []*ssair.Value{s.shadow(o.Args[0]), s.m.Get(o.Args[1])})
		}
	case ssair.TypeAssert:
		if r := o.Result(); ssair.IsScalar(r.Type) && s.act.ref(o.Args[0]) {
			d := s.b.Load(s.unbox(o), nil)
			s.setTan(r, s.spread(d, r.Type))
		}
	case ssair.JVP, ssair.Grad:
		refuse(o.Pos, "", "internal: inner derivative was not resolved")
	}
}

// loadTan reads the tangents of a number from its shadow.
func (s *forwardSweep) loadTan(r, base *ssair.Value, path []ssair.Step, idx []*ssair.Value) {
	if s.lanes == 1 {
		s.setTan(r, []*ssair.Value{s.b.Load(base, path, idx...)})
		return
	}
	s.each(r, func(k int) *ssair.Value {
		return s.b.Load(base, append(path[:len(path):len(path)], ssair.Elem), append(idx[:len(idx):len(idx)], s.b.Int(k))...)
	})
}

// storeTan writes or adds the tangents of v to a shadow.
func (s *forwardSweep) storeTan(kind ssair.Kind, base *ssair.Value, path []ssair.Step, v *ssair.Value, idx []*ssair.Value) {
	for k := range s.lanes {
		d := s.dot(v, k)
		p, i := path, idx
		if s.lanes > 1 {
			p = append(path[:len(path):len(path)], ssair.Elem)
			i = append(idx[:len(idx):len(idx)], s.b.Int(k))
		}
		if kind == ssair.Accum {
			if d != nil {
				s.b.Accum(base, p, d, i...)
			}
			continue
		}
		s.b.Store(base, p, s.num(d, v.Type), i...)
	}
}

// scalar builds the tangent of result k of an arithmetic op, where c is the
// copy of o and dot gives the tangents of its operands.
func (s *sweep) scalar(o, c *ssair.Op, k int, dot func(*ssair.Value) *ssair.Value) *ssair.Value {
	a := s.a
	switch o.Kind {
	case ssair.Un:
		return a.neg(dot(o.Args[0]))
	case ssair.Conv:
		d := dot(o.Args[0])
		if d == nil {
			return nil
		}
		return s.b.Conv(d, o.Result().Type)
	case ssair.Bin:
		x, y := o.Args[0], o.Args[1]
		xc, yc := c.Args[0], c.Args[1]
		switch o.Tok {
		case token.ADD:
			return a.add(dot(x), dot(y))
		case token.SUB:
			return a.sub(dot(x), dot(y))
		case token.MUL:
			// A factor may be infinite where it is not used: x*log(x) at 0.
			times := func(coef, d *ssair.Value, of *ssair.Value) *ssair.Value {
				if f := of.Def; d != nil && !o.Loose && f != nil && !ssair.IsComplex(coef.Type) && (f.Kind == ssair.Apply && singular(of, 1) || endless(of)) {
					return a.guarded(d, coef, rules.ZeroBar)
				}
				return a.mul(coef, d)
			}
			return a.add(times(yc, dot(x), y), times(xc, dot(y), x))
		case token.QUO:
			// (x/y)' = (x' - (x/y) y') / y
			p := a.mul(c.Result(), dot(y))
			if p != nil && a.hot(y, 12) {
				p = a.apply("rt.Mul00", dot(y), c.Result()) // 1/Inf is 0, however fast y grows
			}
			n := a.sub(dot(x), p)
			if n == nil || ssair.IsComplex(n.Type) || a.nonzero(y) {
				return a.div(n, yc)
			}
			return a.apply("rt.Div0", n, yc)
		}
	case ssair.Apply:
		if d, ok := s.complexTangent(o, c, dot); ok {
			return d
		}
		var sum *ssair.Value
		for i, x := range o.Args {
			d := dot(x)
			if d == nil {
				continue
			}
			coef, g := a.partial(o, k, i, c.Args, c.Results)
			if rules.Lookup(o.Fn).LevelsOff() && s.steep(x, 4) {
				g |= rules.ZeroCoef
			}
			sum = a.add(sum, a.guarded(d, coef, g))
		}
		return sum
	}
	refuse(o.Pos, "", "cannot differentiate %v", o.Tok)
	return nil
}

// extra lists the additional values that carry the derivative of v out of a
// region: its tangents, or its shadow.
func (s *forwardSweep) extras(v *ssair.Value) []types.Type {
	switch {
	case ssair.IsScalar(v.Type) && s.act.value(v):
		ts := make([]types.Type, s.lanes)
		for k := range ts {
			ts[k] = v.Type
		}
		return ts
	case s.shadowed(v):
		return []types.Type{shadowType(s.g.Mod, v.Type, s.lanes)}
	}
	return nil
}

// give returns the values that stand for extras of a value of the kind of as.
func (s *forwardSweep) give(as, v *ssair.Value) []*ssair.Value {
	switch {
	case ssair.IsScalar(as.Type) && s.act.value(as):
		out := make([]*ssair.Value, s.lanes)
		for k := range out {
			out[k] = s.num(s.dot(v, k), v.Type)
		}
		return out
	case s.shadowed(as):
		return []*ssair.Value{s.shadow(v)}
	}
	return nil
}

// take records the values that stand for the extras of v.
func (s *forwardSweep) take(v *ssair.Value, vs []*ssair.Value) {
	if ssair.IsScalar(v.Type) {
		s.setTan(v, vs)
		for k, x := range vs {
			x.Var = s.laneVarOrNil(v.Var, k)
		}
		return
	}
	s.setShadow(v, vs[0])
}

func (s *forwardSweep) laneVarOrNil(v *ssair.Var, k int) *ssair.Var {
	if v == nil {
		return nil
	}
	return s.laneVar(v, k)
}

func (s *forwardSweep) ifOp(o *ssair.Op) {
	c := s.b.If(s.m.Get(o.Args[0]))
	for i, r := range o.Regions {
		s.in(c.Regions[i], func() { s.inner(r, o.Results, 0) })
	}
	for _, v := range o.Results {
		s.m[v] = c.AddResult(v.Type, v.Var)
	}
	for _, v := range o.Results {
		var vs []*ssair.Value
		for _, t := range s.extras(v) {
			vs = append(vs, c.AddResult(t, nil))
		}
		if vs != nil {
			s.take(v, vs)
		}
	}
}

// inner copies a nested region. Its terminator yields the values and then
// their extras; skip leading values have none.
func (s *forwardSweep) inner(r *ssair.Region, results []*ssair.Value, skip int) {
	for _, o := range r.Ops {
		s.b.Pos, s.b.Stmt, s.b.Call = o.Pos, o.Stmt, o.Call
		if o.Kind != ssair.Yield {
			s.op(o)
			continue
		}
		var vs []*ssair.Value
		for _, v := range o.Args {
			vs = append(vs, s.m.Get(v))
		}
		for k, v := range o.Args[skip:] {
			vs = append(vs, s.give(results[k], v)...)
		}
		s.b.Yield(vs...)
	}
}

func (s *forwardSweep) loop(o *ssair.Op) {
	n := o.Carried()
	var inits []*ssair.Value
	for _, v := range o.Args[:n] {
		inits = append(inits, s.m.Get(v))
	}
	for k, r := range o.Results {
		inits = append(inits, s.give(r, o.Args[k])...)
	}
	c := s.b.Loop(inits...)
	*c.Loop = *o.Loop
	for _, v := range o.Args[n:] {
		c.Args = append(c.Args, s.m.Get(v))
	}
	bind := func(from, to []*ssair.Value) {
		for k, v := range from {
			s.m[v] = to[k]
			to[k].Var = v.Var
		}
		rest := to[n:]
		for _, v := range from {
			m := len(s.extras(v))
			if m > 0 {
				s.take(v, rest[:m:m])
				rest = rest[m:]
			}
		}
	}
	for i, r := range o.Regions {
		bind(r.Params, c.Regions[i].Params)
		s.in(c.Regions[i], func() {
			switch {
			case i == 0:
				// The condition reads primal values only.
				for _, x := range r.Ops {
					s.b.CloneOp(x, s.m)
				}
			case i == 1 && o.Loop.Break:
				s.inner(r, o.Results, 1)
			default:
				s.inner(r, o.Results, 0)
			}
		})
	}
	bind(o.Results, c.Results)
}

func (s *forwardSweep) ret(o *ssair.Op) {
	var vs []*ssair.Value
	for _, v := range o.Args {
		vs = append(vs, s.m.Get(v))
	}
	for _, v := range o.Args {
		if !ssair.ReachesScalar(v.Type) {
			continue
		}
		if ssair.IsScalar(v.Type) {
			vs = append(vs, s.tangentOf(v))
		} else {
			vs = append(vs, s.shadow(v))
		}
	}
	s.b.Return(vs...)
}

// call turns a call into one of the derivative of the callee.
func (s *forwardSweep) call(o *ssair.Op) {
	if o.Callee.Rule != nil {
		s.covered(o)
	}
	active := make([]bool, len(o.Args))
	any := false
	for i, v := range o.Args {
		active[i] = s.tan[v] != nil || s.shadowed(v)
		any = any || active[i]
	}
	for _, v := range o.Results {
		any = any || s.shadowed(v) // new memory that active numbers come into later
	}
	if !any {
		s.b.CloneOp(o, s.m)
		return
	}
	if o.Callee.Rule != nil {
		s.ruled(o, active)
		return
	}
	s.passNil(o.Args, active)
	key := fmt.Sprintf("%p %v %d", o.Callee, active, s.lanes)
	g := s.t.fwd[key]
	if g == nil {
		name := s.t.helper(o.Callee) + "JVP"
		if s.lanes > 1 {
			name += fmt.Sprint(s.lanes)
		}
		g = s.t.mod.NewFunc(name)
		s.t.fwd[key] = g
		s.t.forwardInto(g, s.t.prepare(o.Callee), active, s.lanes)
	}
	var args []*ssair.Value
	for i, v := range o.Args {
		args = append(args, s.m.Get(v))
		if !active[i] {
			continue
		}
		if ssair.IsScalar(v.Type) {
			args = append(args, s.tangentOf(v))
		} else {
			args = append(args, s.shadow(v))
		}
	}
	var ts []types.Type
	for _, r := range o.Callee.Results {
		ts = append(ts, r.Type)
	}
	for _, r := range o.Callee.Results {
		if ssair.ReachesScalar(r.Type) {
			ts = append(ts, shadowType(s.g.Mod, r.Type, s.lanes))
		}
	}
	c := s.b.Op(ssair.Call, args, ts...)
	c.Callee = g
	rest := c.Results[len(o.Results):]
	for k, v := range o.Results {
		s.m[v] = c.Results[k]
		c.Results[k].Var = v.Var
		if !ssair.ReachesScalar(v.Type) {
			continue
		}
		d := rest[0]
		rest = rest[1:]
		if ssair.IsScalar(v.Type) {
			s.setTan(v, s.spread(d, v.Type))
		} else if s.shadowed(v) {
			s.setShadow(v, d)
		}
	}
}
