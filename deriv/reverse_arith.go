package deriv

import (
	"go/token"

	"github.com/quabla/quabla/rules"
	"github.com/quabla/quabla/ssair"
)

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
				if real && s.zeroWins(o, i) {
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
				if o.Loose || s.unused(o.Result(), 8, true) || s.levelled(o.Result(), 4) {
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
				if row := rules.Lookup(o.Fn); row.LevelsOff() && s.farOff(x, 4) {
					g |= rules.ZeroCoef // what differentiates again may be infinite
				}
				s.add(x, a.guarded(bars[k], coef, g))
			}
		}
	}
}

// zeroWins reports whether the factor i of the product o may be infinite where the cotangent
// of the product is zero because nothing takes it, or only what levels off.
func (s *reverseSweep) zeroWins(o *ssair.Op, i int) bool {
	f := o.Args[i]
	switch {
	case endless(f):
		return true
	case !s.act.value(f) && s.unused(o.Result(), 1, false), singular(f, 6) && s.unused(o.Result(), 8, false):
		return true
	}
	pole := f.Def != nil && f.Def.Kind == ssair.Apply && ends(rules.Lookup(f.Def.Fn))
	return (pole || o.Args[0] != o.Args[1] && masked(f, false)) && s.levelled(o.Result(), 4)
}

// selects reports whether a function with several pieces, such as min, may leave the
// operand of u out.
func selects(u ssair.Use) bool {
	row := rules.Lookup(u.Op.Fn)
	return row != nil && len(u.Op.Results) == 1 && row.D[u.Arg].Guard&rules.ZeroCoef != 0
}

// unused reports whether the cotangent of v may be zero because nothing takes v:
// all that takes it is inside of ifs behind it, or in a min or max, or, with stored, puts
// it where it may stay unread. It follows arithmetic through some steps, of which v is the first.
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
			if u.Op.Kind == ssair.Apply && selects(u) {
				found = true
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
