package deriv

import (
	"go/types"

	"github.com/quabla/quabla/ssair"
)

// ruledCall is what the reverse sweep knows of a call of a function with a rule.
type ruledCall struct {
	active   []bool
	entry    []*ssair.Value // the arguments as they were at entry
	residual *ssair.Value
}

// forwardRuled runs a function with a rule and keeps what its rule needs.
func (s *reverseSweep) forwardRuled(o *ssair.Op, active []bool) {
	f, rule := o.Callee, o.Callee.Rule
	st := &ruledCall{active: active, entry: make([]*ssair.Value, len(o.Args))}
	s.ruled[o] = st
	if rule.VJP == nil && rule.Fwd != nil {
		var args []*ssair.Value
		for i, v := range o.Args {
			x := s.m.Get(v)
			if !rule.Writes[i] && !s.mem.unchanged(o, v) {
				x = duplicate(s.b, x, f) // what the residual refers to must stay
			}
			args = append(args, x)
		}
		c := call1(s.b, rule.Fwd, args)
		for k, v := range o.Results {
			s.m[v] = c.Results[k]
			c.Results[k].Var = v.Var
		}
		st.residual = c.Results[len(o.Results)]
		s.ops[o] = c
	} else {
		for i, v := range o.Args {
			st.entry[i] = s.m.Get(v)
			if rule.Writes[i] || !s.mem.unchanged(o, v) {
				st.entry[i] = duplicate(s.b, st.entry[i], f)
			}
		}
		s.ops[o] = s.b.CloneOp(o, s.m)
	}
	for _, v := range o.Results {
		if shadowParam(v.Type, true) && s.shadowed(v) {
			s.setShadow(v, s.zeroLike(s.m.Get(v), o.Pos))
		}
	}
}

// reverseRuled calls the rule.
func (s *reverseSweep) reverseRuled(o *ssair.Op, st *ruledCall) {
	f, rule, b := o.Callee, o.Callee.Rule, s.b
	if rule.VJP == nil && rule.Fwd == nil {
		s.columnsRule(o, st)
		return
	}
	dests := map[int]*ssair.Value{}
	call := &reverseRule{f: f, entry: st.entry, residual: st.residual}
	scratch := func(i int) *ssair.Value {
		x := st.entry[i]
		if x == nil {
			x = s.m.Get(o.Args[i])
		}
		return zeroLike(b, x, 1, false, o.Pos)
	}
	call.dest = func(i int) *ssair.Value {
		v := o.Args[i]
		d := (*ssair.Value)(nil)
		if s.shadowed(v) {
			d = s.shadow(v)
		} else {
			d = scratch(i)
		}
		if ssair.IsAggregate(v.Type) {
			d = cell(b, d).base // its own numbers are zeros
		}
		dests[i] = d
		return d
	}
	call.inOut = call.dest
	call.bar = func(j int) *ssair.Value { return s.resultBar(o.Results[j]) }
	cots := call.call(b)
	for i, v := range o.Args {
		if !st.active[i] || !s.act.value(v) {
			continue
		}
		switch {
		case ssair.IsScalar(v.Type):
			s.add(v, cots[i])
		case cots[i] != nil:
			s.addAggregate(v, cots[i])
		case ssair.IsAggregate(v.Type) && dests[i] != nil:
			s.move(v.Type, s.cell(v), nil, nil, dests[i], nil, nil, false)
		}
	}
	s.releaseResults(o)
}

// resultBar returns the cotangent of a result of a call. That of an aggregate that
// refers to memory has its own numbers and what it refers to from two places.
func (s *reverseSweep) resultBar(v *ssair.Value) *ssair.Value {
	c, has := s.adj[v]
	if !ssair.HoldsRef(v.Type) {
		if has {
			return s.b.Load(c, nil)
		}
		return s.b.Zero(v.Type)
	}
	d := (*ssair.Value)(nil)
	if s.shadowed(v) {
		d = s.shadow(v)
	} else {
		d = zeroLike(s.b, s.m.Get(v), 1, false, s.b.Pos)
	}
	if !has || !ssair.IsAggregate(v.Type) {
		return d
	}
	bar := cell(s.b, d)
	eachNumber(s.b, v.Type, func(b *ssair.Builder, p []ssair.Step, idx []*ssair.Value) {
		b.Store(bar.base, p, b.Load(c, p, idx...), idx...)
	})
	return bar.load(s.b)
}

// releaseResults clears the cotangents of results in memory, so that the reverse
// sweep can run again.
func (s *reverseSweep) releaseResults(o *ssair.Op) {
	if !s.repeat {
		return
	}
	for _, v := range o.Results {
		if shadowParam(v.Type, true) && s.shadowed(v) {
			clearReach(s.b, s.shadow(v), o.Pos)
		}
	}
}

// columnsRule calls the forward rule for each float of the parameters: it gives the
// column of the Jacobian, which is multiplied with the cotangents.
func (s *reverseSweep) columnsRule(o *ssair.Op, st *ruledCall) {
	f, rule, g, b := o.Callee, o.Callee.Rule, s.t.jvpOf(o.Callee), s.b
	s.apart(o)
	// The cotangents of the outputs: of the results, and of the final states of what
	// the function writes.
	type output struct {
		bar spot
		typ types.Type
	}
	var outs []output
	for _, v := range o.Results {
		if differentiable(v.Type) {
			outs = append(outs, output{cell(b, s.resultBar(v)), v.Type})
		}
	}
	for i, v := range o.Args {
		if rule.Writes[i] && s.shadowed(v) {
			outs = append(outs, output{cell(b, s.shadow(v)), v.Type})
		}
	}
	// column computes the cotangent of the float whose tangent in unit, that of
	// parameter which, is one.
	column := func(b *ssair.Builder, t types.Type, which int, unit spot) *ssair.Value {
		var args []*ssair.Value
		var tangents []spot
		for i, x := range st.entry {
			d := (*ssair.Value)(nil)
			switch {
			case !rule.Covers[i]:
			case i == which:
				d = unit.load(b)
				if rule.Writes[i] {
					d = duplicate(b, d, f)
				}
			default:
				d = zeroLike(b, x, 1, false, o.Pos)
			}
			if rule.Writes[i] {
				x = duplicate(b, x, f)
			}
			args = append(args, x)
			if d != nil {
				args = append(args, d)
			}
			if rule.Writes[i] && s.shadowed(o.Args[i]) {
				tangents = append(tangents, cell(b, d))
			}
		}
		var all []spot
		for _, d := range tangentsOf(f, call1(b, g, args)) {
			all = append(all, cell(b, d))
		}
		all = append(all, tangents...)
		sum := newShadowSum(b, t, 1)
		for k, out := range outs {
			sum.dot(b, out.bar, all[k], out.typ)
		}
		return sum.acc[0].load(b)
	}
	// The cotangents of initial states take the place of those of final states when
	// all are known.
	var after []func()
	for i, v := range o.Args {
		written := rule.Writes[i] && s.shadowed(v)
		if !st.active[i] && !written {
			continue
		}
		add := func(b *ssair.Builder, to spot, x *ssair.Value) { b.Accum(to.base, to.path, x, to.idx...).Loose = true }
		var to spot
		switch {
		case written:
			next := zeroLike(b, st.entry[i], 1, false, o.Pos)
			to = cell(b, next)
			after = append(after, func() {
				eachPlace(b, []spot{to, cell(b, s.shadow(v))}, v.Type, func(b *ssair.Builder, at []spot, _ types.Type) {
					at[1].store(b, at[0].load(b))
				})
			})
		case !ssair.HoldsRef(v.Type):
			if !s.act.value(v) {
				continue
			}
			to = cell(b, b.Zero(v.Type))
			after = append(after, func() {
				if ssair.IsScalar(v.Type) {
					s.add(v, to.load(b))
				} else {
					s.addAggregate(v, to.load(b))
				}
			})
		case s.shadowed(v):
			to = cell(b, s.shadow(v))
		default:
			continue
		}
		unit := cell(b, zeroLike(b, st.entry[i], 1, false, o.Pos))
		eachPlace(b, []spot{unit, to}, v.Type, func(b *ssair.Builder, at []spot, t types.Type) {
			noComplex(o, t, "forward", "reverse")
			at[0].store(b, b.Float(1, t))
			add(b, at[1], column(b, t, i, unit))
			at[0].store(b, b.Zero(t))
		})
	}
	for _, f := range after {
		f()
	}
	s.releaseResults(o)
}
