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
	covered(o, active)
	f, rule := o.Callee, o.Callee.Rule
	st := &ruledCall{active: active, entry: make([]*ssair.Value, len(o.Args))}
	s.ruled[o] = st
	if rule.VJP == nil && rule.Fwd != nil {
		var args []*ssair.Value
		for _, v := range o.Args {
			args = append(args, s.m.Get(v))
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
		return zeroLike(b, x, 1, false, o.Pos, nil)
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
			d = cell(b, d).base
		}
		dests[i] = d
		return d
	}
	call.inOut = func(i int) *ssair.Value {
		if s.shadowed(o.Args[i]) {
			return s.shadow(o.Args[i])
		}
		return scratch(i)
	}
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

// resultBar returns the cotangent of a result of a call.
func (s *reverseSweep) resultBar(v *ssair.Value) *ssair.Value {
	if ssair.IsScalar(v.Type) || !ssair.HoldsRef(v.Type) {
		if c, ok := s.adj[v]; ok {
			return s.b.Load(c, nil)
		}
		return s.b.Zero(v.Type)
	}
	if s.shadowed(v) {
		return s.shadow(v)
	}
	return zeroLike(s.b, s.m.Get(v), 1, false, s.b.Pos, nil)
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

// columnsRule calls the forward rule for each float of the active parameters: it
// gives the column of the Jacobian, which is multiplied with the cotangents.
func (s *reverseSweep) columnsRule(o *ssair.Op, st *ruledCall) {
	f, rule, b := o.Callee, o.Callee.Rule, s.b
	for i := range o.Args {
		if rule.Writes[i] {
			refuse(o.Pos, "give it a reverse rule too", "%s has only a forward rule and writes to its parameter %s: reverse mode cannot build its Jacobian", f.Name, f.Params[i].Name())
		}
	}
	// column computes the cotangent of the float whose tangent is set.
	column := func(t types.Type, which int, tangent *ssair.Value) *ssair.Value {
		var args []*ssair.Value
		for i, x := range st.entry {
			args = append(args, x)
			switch {
			case !rule.Covers[i]:
			case i == which:
				args = append(args, tangent)
			default:
				args = append(args, zeroLike(b, x, 1, false, o.Pos, nil))
			}
		}
		c := call1(b, rule.JVP, args)
		sum := newShadowSum(b, t, 1)
		k := len(o.Results)
		for _, v := range o.Results {
			if !ssair.ReachesScalar(v.Type) || ssair.IsErrorType(v.Type) {
				continue
			}
			sum.dot(b, cell(b, s.resultBar(v)), cell(b, c.Results[k]), v.Type)
			k++
		}
		return sum.acc[0].load(b)
	}
	for i, v := range o.Args {
		if !st.active[i] {
			continue
		}
		if !ssair.HoldsRef(v.Type) {
			if !s.act.value(v) {
				continue
			}
			cot := cell(b, b.Zero(v.Type))
			eachNumber(b, v.Type, func(_ *ssair.Builder, path []ssair.Step, idx []*ssair.Value) {
				leaf := ssair.PlaceType(types.NewPointer(v.Type), path)
				d := cell(b, b.Zero(v.Type))
				spot{d.base, path, idx}.store(b, b.Float(1, leaf))
				spot{cot.base, path, idx}.store(b, column(leaf, i, d.load(b)))
			})
			if ssair.IsScalar(v.Type) {
				s.add(v, cot.load(b))
			} else {
				s.addAggregate(v, cot.load(b))
			}
			continue
		}
		sl, ok := v.Type.Underlying().(*types.Slice)
		if !ok || !ssair.IsScalar(sl.Elem()) {
			refuse(o.Pos, "give it a reverse rule too", "%s has only a forward rule, and reverse mode cannot build the Jacobian by a parameter of type %s from it", f.Name, v.Type)
		}
		if !s.shadowed(v) {
			continue
		}
		d := s.shadow(v)
		b.Each(b.Len(d), "k", func(k *ssair.Value) {
			one := zeroLike(b, st.entry[i], 1, false, o.Pos, nil)
			b.Store(one, elem(), b.Float(1, sl.Elem()), k)
			s.accum(d, elem(), column(sl.Elem(), i, one), k)
		})
	}
	s.releaseResults(o)
}
