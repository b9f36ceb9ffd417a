package deriv

import (
	"fmt"
	"go/token"
	"go/types"

	"github.com/quabla/quabla/ssair"
)

// Forward rules with several lanes. A lifted rule for that many takes the tangents
// as they are; the rule for one direction is called once for each lane.

// forwardRule calls the forward rule. Where the function changes no numbers the
// value is always its own; where it does, the rule does its work.
func (s *forwardSweep) forwardRule(o *ssair.Op, active []bool) {
	rule := o.Callee.Rule
	writes, scalars := false, true
	for i, v := range o.Args {
		writes = writes || rule.Writes[i]
		scalars = scalars && (!rule.Covers[i] || ssair.IsScalar(v.Type))
	}
	for _, v := range o.Results {
		scalars = scalars && (ssair.IsScalar(v.Type) || !differentiable(v.Type))
	}
	g := (*ssair.Func)(nil)
	switch {
	case s.lanes == 1:
		g = s.t.jvpOf(o.Callee)
	case rule.Lifted != nil:
		g = rule.Lifted(s.lanes)
	}
	switch {
	case g != nil:
		s.wholeRule(o, g, active, writes)
	case scalars && !writes:
		s.ruleByLane(o, active)
	default:
		s.ruleInLoop(o, active, writes)
	}
}

// differentiable reports whether a result of type t has a tangent.
func differentiable(t types.Type) bool { return ssair.ReachesScalar(t) && !ssair.IsErrorType(t) }

// tangentsOf returns the tangents of the results that a call of a forward rule
// returns; the rule may leave out the results themselves.
func tangentsOf(f *ssair.Func, c *ssair.Op) []*ssair.Value {
	n := 0
	for _, r := range f.Results {
		if differentiable(r.Type) {
			n++
		}
	}
	return c.Results[len(c.Results)-n:]
}

// wholeRule calls the rule g, which carries as many lanes as the sweep.
func (s *forwardSweep) wholeRule(o *ssair.Op, g *ssair.Func, active []bool, writes bool) {
	rule := o.Callee.Rule
	if !writes {
		s.b.CloneOp(o, s.m)
	}
	var args []*ssair.Value
	for i, v := range o.Args {
		x := s.m.Get(v)
		args = append(args, x)
		switch {
		case !rule.Covers[i]:
		case ssair.IsScalar(v.Type):
			args = append(args, s.tangentOf(v))
		case active[i]:
			args = append(args, s.shadow(v))
		default:
			args = append(args, s.zeroLike(x, o.Pos))
		}
	}
	c := call1(s.b, g, args)
	if writes {
		for k, v := range o.Results {
			s.m[v] = c.Results[k]
			c.Results[k].Var = v.Var
		}
	}
	ds := tangentsOf(o.Callee, c)
	for _, v := range o.Results {
		if !differentiable(v.Type) {
			continue
		}
		if ssair.IsScalar(v.Type) {
			s.setTan(v, s.spread(ds[0], v.Type))
		} else if s.shadowed(v) {
			s.setShadow(v, ds[0])
		}
		ds = ds[1:]
	}
}

// ruleByLane calls a rule between numbers once for each lane.
func (s *forwardSweep) ruleByLane(o *ssair.Op, active []bool) {
	rule, g := o.Callee.Rule, s.t.jvpOf(o.Callee)
	s.b.CloneOp(o, s.m)
	tangents := make([][]*ssair.Value, len(o.Results))
	for lane := range s.lanes {
		var args []*ssair.Value
		for i, v := range o.Args {
			args = append(args, s.m.Get(v))
			if rule.Covers[i] {
				args = append(args, s.num(s.dot(v, lane), v.Type))
			}
		}
		ds := tangentsOf(o.Callee, call1(s.b, g, args))
		for k, v := range o.Results {
			if differentiable(v.Type) {
				tangents[k] = append(tangents[k], ds[0])
				ds = ds[1:]
			}
		}
	}
	for k, v := range o.Results {
		if tangents[k] != nil {
			s.setTan(v, tangents[k])
		}
	}
}

// ruleInLoop calls a rule in a loop over the lanes, each time with copies of the
// tangents of one lane, and, if the function writes to its parameters, with copies
// of these. In the end the function itself runs, once.
func (s *forwardSweep) ruleInLoop(o *ssair.Op, active []bool, writes bool) {
	f, rule, g, b := o.Callee, o.Callee.Rule, s.t.jvpOf(o.Callee), s.b
	s.apart(o)
	all := &lanes{n: s.lanes}
	var tans []spot // of the parameters that the rule covers
	for i, v := range o.Args {
		switch {
		case !rule.Covers[i]:
		case active[i] || s.shadowed(v):
			tans = append(tans, cell(b, s.tangentValue(v)))
		default:
			tans = append(tans, cell(b, zeroLike(b, s.m.Get(v), s.lanes, false, o.Pos)))
		}
	}
	var results []spot // the tangents of the results, by lane
	for _, v := range o.Results {
		if differentiable(v.Type) {
			results = append(results, spot{base: b.Alloc(types.NewArray(v.Type, int64(s.lanes)), nil)})
		}
	}
	b.Each(b.Int(s.lanes), "lane", func(k *ssair.Value) {
		var args []*ssair.Value
		one := make([]spot, len(o.Args))
		rest := tans
		for i, v := range o.Args {
			x := s.m.Get(v)
			if rule.Writes[i] {
				x = duplicate(b, x, f)
			}
			args = append(args, x)
			if rule.Covers[i] {
				one[i] = cell(b, all.take(b, rest[0], k, v.Type))
				args = append(args, one[i].load(b))
				rest = rest[1:]
			}
		}
		c := call1(b, g, args)
		for j, d := range tangentsOf(f, c) {
			results[j].elem(k).store(b, d)
		}
		rest = tans
		for i, v := range o.Args {
			if rule.Covers[i] && rule.Writes[i] {
				all.put(b, rest[0], k, one[i], v.Type)
			}
			if rule.Covers[i] {
				rest = rest[1:]
			}
		}
	})
	b.CloneOp(o, s.m)
	for _, v := range o.Results {
		if !differentiable(v.Type) {
			continue
		}
		d := cell(b, zeroLike(b, s.m.Get(v), s.lanes, false, o.Pos))
		b.Each(b.Int(s.lanes), "lane", func(k *ssair.Value) {
			all.put(b, d, k, results[0].elem(k), v.Type)
		})
		results = results[1:]
		if ssair.IsScalar(v.Type) {
			s.setTan(v, s.spread(d.load(b), v.Type))
		} else if s.shadowed(v) {
			s.setShadow(v, d.load(b))
		}
	}
}

// apart refuses a call that writes to memory which another argument may refer to
// as well: copies of the two would have nothing in common.
func (s *sweep) apart(o *ssair.Op) {
	al := s.act.al
	for i, v := range o.Args {
		if !o.Callee.Rule.Writes[i] {
			continue
		}
		mine := al.Reach(al.Pts(v))
		for j, w := range o.Args {
			if i == j || !ssair.RefersToScalar(w.Type) {
				continue
			}
			for r := range al.Reach(al.Pts(w)) {
				if mine[r] {
					refuse(o.Pos, "give it a rule of the mode that is asked for, lifted if there are several lanes, or pass memory that is not shared",
						"%s, whose rule has to be called with copies of its arguments, writes to %s, which may share memory with %s",
						o.Callee.Name, o.Callee.Params[i].Name(), o.Callee.Params[j].Name())
				}
			}
		}
	}
}

// lanes describes tangents: each number has n lanes, in an array unless n is 1 and
// boxed is false.
type lanes struct {
	n     int
	boxed bool
}

func (l *lanes) at(p spot, k *ssair.Value) spot {
	if l.n == 1 && !l.boxed {
		return p
	}
	return p.elem(k)
}

// take returns a copy of lane k of the tangent at d of a value of type t: a tangent
// in one direction.
func (l *lanes) take(b *ssair.Builder, d spot, k *ssair.Value, t types.Type) *ssair.Value {
	to := spot{base: b.Alloc(t, nil)}
	copyTangent(b, to, d, t, func(e types.Type) types.Type { return e }, func(b *ssair.Builder, to, d spot) {
		to.store(b, l.at(d, k).load(b))
	})
	return to.load(b)
}

// copyTangent copies the tangent at from, of a value of type t, to the zeros at to, in
// memory of its own. typ gives the type of the copy, number copies a number.
func copyTangent(b *ssair.Builder, to, from spot, t types.Type, typ func(types.Type) types.Type, number func(b *ssair.Builder, to, from spot)) {
	if !ssair.ReachesScalar(t) {
		return
	}
	if ssair.IsScalar(t) {
		number(b, to, from)
		return
	}
	down := func(b *ssair.Builder, to, from spot, t types.Type) { copyTangent(b, to, from, t, typ, number) }
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for i := range u.NumFields() {
			down(b, to.field(i), from.field(i), u.Field(i).Type())
		}
	case *types.Array:
		b.Each(b.Int(int(u.Len())), "i", func(i *ssair.Value) { down(b, to.elem(i), from.elem(i), u.Elem()) })
	case *types.Slice:
		d := from.load(b)
		y := b.MakeSlice(typ(t), b.Len(d), nil)
		to.store(b, y)
		b.Each(b.Len(d), "i", func(i *ssair.Value) { down(b, spot{base: y}.elem(i), spot{base: d}.elem(i), u.Elem()) })
	case *types.Pointer:
		d := from.load(b)
		when(b, b.Cmp(token.NEQ, d, b.Zero(d.Type)), func(b *ssair.Builder) {
			y := b.Alloc(ssair.Deref(typ(t)), nil)
			to.store(b, y)
			down(b, spot{base: y}, spot{base: d}, u.Elem())
		})
	default:
		refuse(b.Pos, "ask for one lane", "cannot take the lanes of a value of type %s apart for a rule that carries one", t)
	}
}

// put copies the tangent in one direction at from to lane k of the tangent at d.
func (l *lanes) put(b *ssair.Builder, d spot, k *ssair.Value, from spot, t types.Type) {
	eachPlace(b, []spot{from, d}, t, func(b *ssair.Builder, at []spot, _ types.Type) {
		l.at(at[1], k).store(b, at[0].load(b))
	})
}

// jvpOf returns the rule of f for one direction. If there is only a lifted one, it
// is a function that calls that with one lane.
func (t *transforms) jvpOf(f *ssair.Func) *ssair.Func {
	if f.Rule.JVP != nil {
		return f.Rule.JVP
	}
	key := fmt.Sprintf("%p one lane", f)
	if g := t.fwd[key]; g != nil {
		return g
	}
	h := f.Rule.Lifted(1)
	g := t.mod.NewFunc(t.helper(f) + "JVP")
	t.fwd[key] = g
	g.Obj, g.Pos, g.Doc = f.Obj, f.Pos, "calls the lifted rule of "+f.Name+" with one lane"
	b := ssair.NewBuilder(g.Body)
	b.Pos, b.Safe = f.Pos, true
	one := &lanes{n: 1, boxed: true}
	box := func(t types.Type) types.Type {
		return ssair.MapScalars(t, func(t types.Type) types.Type { return types.NewArray(t, 1) },
			func(*types.Named, *types.Struct) types.Type { return nil }, nil)
	}
	var args []*ssair.Value
	tangents, boxes := map[int]*ssair.Value{}, map[int]spot{}
	zero := b.Int(0)
	for i, p := range f.Params {
		args = append(args, g.AddParam(p.Name(), p.Type))
		if !f.Rule.Covers[i] {
			continue
		}
		tangents[i] = g.AddParam(p.Name()+"Dot", p.Type)
		boxes[i] = spot{base: b.Alloc(box(p.Type), nil)}
		copyTangent(b, boxes[i], cell(b, tangents[i]), p.Type, box, func(b *ssair.Builder, to, from spot) {
			one.at(to, zero).store(b, from.load(b))
		})
		args = append(args, boxes[i].load(b))
	}
	c := call1(b, h, args)
	for i, p := range f.Params {
		if f.Rule.Covers[i] && f.Rule.Writes[i] {
			d := cell(b, tangents[i])
			eachPlace(b, []spot{d, boxes[i]}, p.Type, func(b *ssair.Builder, at []spot, _ types.Type) {
				at[0].store(b, one.at(at[1], zero).load(b))
			})
		}
	}
	ds := tangentsOf(f, c)
	out := append([]*ssair.Value{}, c.Results[:len(c.Results)-len(ds)]...)
	if len(out) > 0 {
		g.Results = append(g.Results, f.Results...)
	}
	for _, r := range f.Results {
		if differentiable(r.Type) {
			out = append(out, one.take(b, cell(b, ds[0]), zero, r.Type))
			g.Results = append(g.Results, ssair.Result{Type: r.Type})
			ds = ds[1:]
		}
	}
	b.Return(out...)
	return g
}
