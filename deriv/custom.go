package deriv

import (
	"go/token"
	"go/types"

	"github.com/quabla/quabla/ssair"
)

// Calls of functions with a rule of the user. Where the rule is of the other
// mode, its matrix is built up: a reverse rule gives the rows of the Jacobian,
// one call for each float of the outputs, a forward rule the columns.

// covered refuses a call whose rule says nothing about an argument that varies,
// while something useful comes out of it.
func (s *sweep) covered(o *ssair.Op) {
	useful := false
	for _, r := range o.Results {
		useful = useful || s.act.value(r) || s.shadowed(r)
	}
	for i, v := range o.Args {
		useful = useful || o.Callee.Rule.Writes[i] && s.shadowed(v)
	}
	for i, v := range o.Args {
		if useful && !o.Callee.Rule.Covers[i] && s.act.touches(v) {
			refuse(o.Pos, "let the rule cover it, or wrap the argument in rt.Stop if it is a constant here",
				"the rule of %s does not cover its parameter %s, which is active here", o.Callee.Name, o.Callee.Params[i].Name())
		}
	}
}

// call1 builds a call of a function of the IR.
func call1(b *ssair.Builder, f *ssair.Func, args []*ssair.Value) *ssair.Op {
	ts := make([]types.Type, len(f.Results))
	for i, r := range f.Results {
		ts[i] = r.Type
	}
	c := b.Op(ssair.Call, args, ts...)
	c.Callee = f
	return c
}

// A reverseRule is one call of the reverse rule of a function, about to be made.
type reverseRule struct {
	f        *ssair.Func // the function that the rule is for
	entry    []*ssair.Value
	residual *ssair.Value
	dest     func(i int) *ssair.Value
	inOut    func(i int) *ssair.Value
	bar      func(j int) *ssair.Value
}

// call makes the call and returns the cotangents of parameters that are values.
func (r *reverseRule) call(b *ssair.Builder) map[int]*ssair.Value {
	rule := r.f.Rule
	g, layout := rule.VJP, rule.VJPArgs
	if r.residual != nil {
		g, layout = rule.Bwd, rule.BwdArgs
	}
	var args []*ssair.Value
	for _, a := range layout {
		switch a.Kind {
		case ssair.RuleDest:
			args = append(args, r.dest(a.Of))
		case ssair.RuleParam:
			args = append(args, r.entry[a.Of])
		case ssair.RuleResidual:
			args = append(args, r.residual)
		case ssair.RuleInOut:
			args = append(args, r.inOut(a.Of))
		case ssair.RuleBar:
			args = append(args, r.bar(a.Of))
		}
	}
	c := call1(b, g, args)
	cots := map[int]*ssair.Value{}
	k := 0
	for i, p := range r.f.Params {
		if rule.Covers[i] && ssair.HoldsScalar(p.Type) && !ssair.HoldsRef(p.Type) {
			cots[i] = c.Results[k]
			k++
		}
	}
	return cots
}

// duplicate copies the memory that v refers to, as deep as it goes.
func duplicate(b *ssair.Builder, v *ssair.Value, f *ssair.Func) *ssair.Value {
	if !ssair.HoldsRef(v.Type) {
		return v
	}
	switch u := v.Type.Underlying().(type) {
	case *types.Slice:
		y := b.MakeSlice(v.Type, b.Len(v), nil)
		if !ssair.HoldsRef(u.Elem()) {
			b.Op(ssair.Copy, []*ssair.Value{y, v}, ssair.Int)
			return y
		}
		b.Each(b.Len(v), "i", func(i *ssair.Value) {
			b.Store(y, elem(), duplicate(b, b.Load(v, elem(), i), f), i)
		})
		return y
	case *types.Pointer:
		op := b.If(b.Cmp(token.EQL, v, b.Zero(v.Type)))
		in := b.At(op.Regions[0])
		in.Yield(in.Zero(v.Type))
		in = b.At(op.Regions[1])
		y := in.Alloc(u.Elem(), nil)
		in.Store(y, nil, duplicate(in, in.Load(v, nil), f))
		in.Yield(y)
		return op.AddResult(v.Type, nil)
	case *types.Struct, *types.Array:
		n := 0
		if s, ok := u.(*types.Struct); ok {
			n = s.NumFields()
		} else {
			n = int(u.(*types.Array).Len())
		}
		parts := make([]*ssair.Value, n)
		for i := range parts {
			parts[i] = duplicate(b, b.Extract(v, i), f)
		}
		return b.Build(v.Type, parts...)
	case *types.Basic, *types.Signature:
		return v
	}
	refuse(b.Pos, "let it refer to slices, structs and pointers only", "cannot keep what %s, which has a rule, gets as a value of type %s", f.Name, v.Type)
	return nil
}

// shadowSum adds up products of numbers and of lanes of their tangents.
type shadowSum struct {
	lanes int
	acc   []spot // by lane
	typ   types.Type
}

func newShadowSum(b *ssair.Builder, t types.Type, lanes int) *shadowSum {
	s := &shadowSum{lanes: lanes, typ: t}
	for range lanes {
		s.acc = append(s.acc, cell(b, b.Zero(t)))
	}
	return s
}

func (s *shadowSum) term(b *ssair.Builder, lane int, x, y *ssair.Value) {
	p := (&arith{b}).mul(x, y)
	if !types.Identical(p.Type, s.typ) {
		p = b.Conv(p, s.typ)
	}
	b.Accum(s.acc[lane].base, nil, p).Loose = true
}

// dot adds the numbers at x times those at d, which hold the tangents of a place
// of type t.
func (s *shadowSum) dot(b *ssair.Builder, x, d spot, t types.Type) {
	eachPlace(b, []spot{x, d}, t, func(b *ssair.Builder, at []spot, _ types.Type) {
		for k := range s.acc {
			s.term(b, k, at[0].load(b), (&lanes{n: s.lanes}).at(at[1], b.Int(k)).load(b))
		}
	})
}

// ruled is forward mode for a call of a function with a rule.
func (s *forwardSweep) ruled(o *ssair.Op, active []bool) {
	rule := o.Callee.Rule
	if rule.JVP == nil && rule.Lifted == nil {
		s.rowsRule(o, active)
		return
	}
	s.forwardRule(o, active)
}

// rowsRule calls the reverse rule for each float of the outputs: it gives the
// row of the Jacobian, which is multiplied with the tangents.
func (s *forwardSweep) rowsRule(o *ssair.Op, active []bool) {
	f, rule, b := o.Callee, o.Callee.Rule, s.b
	entry := make([]*ssair.Value, len(o.Args))
	tans := make([]spot, len(o.Args)) // the tangents at entry
	for i, v := range o.Args {
		entry[i] = s.m.Get(v)
		if rule.Writes[i] {
			entry[i] = duplicate(b, entry[i], f)
		}
		if !active[i] {
			continue
		}
		d := s.tangentValue(v)
		if rule.Writes[i] {
			d = duplicate(b, d, f)
		}
		tans[i] = cell(b, d)
	}
	call := &reverseRule{f: f, entry: entry}
	if rule.VJP == nil {
		var args []*ssair.Value
		for _, v := range o.Args {
			args = append(args, s.m.Get(v))
		}
		c := call1(b, rule.Fwd, args)
		for k, v := range o.Results {
			s.m[v] = c.Results[k]
			c.Results[k].Var = v.Var
		}
		call.residual = c.Results[len(o.Results)]
	} else {
		b.CloneOp(o, s.m)
	}
	// row computes the tangents of the output whose bar is set.
	row := func(b *ssair.Builder, t types.Type, setBar func(j int) *ssair.Value, setInOut func(i int) *ssair.Value) *shadowSum {
		dests := map[int]*ssair.Value{}
		call.dest = func(i int) *ssair.Value {
			z := zeroLike(b, entry[i], 1, false, o.Pos)
			if ssair.IsAggregate(z.Type) {
				z = cell(b, z).base
			}
			dests[i] = z
			return z
		}
		call.inOut = func(i int) *ssair.Value {
			z := setInOut(i)
			if ssair.IsAggregate(z.Type) {
				z = cell(b, z).base
			}
			dests[i] = z
			return z
		}
		call.bar = setBar
		cots := call.call(b)
		sum := newShadowSum(b, t, s.lanes)
		for i, v := range o.Args {
			if !active[i] {
				continue
			}
			var x spot
			switch {
			case cots[i] != nil:
				x = cell(b, cots[i])
			case ssair.IsAggregate(v.Type):
				x = spot{base: dests[i]}
			default:
				x = cell(b, dests[i])
			}
			sum.dot(b, x, tans[i], v.Type)
		}
		return sum
	}
	put := func(b *ssair.Builder, p spot, sum *shadowSum) {
		for k, a := range sum.acc {
			(&lanes{n: s.lanes}).at(p, b.Int(k)).store(b, a.load(b))
		}
	}
	// rows computes the tangents of all numbers of one output: unit holds zeros, of
	// which one after the other becomes one, and d takes the tangents.
	rows := func(unit, d spot, t types.Type, bar func(b *ssair.Builder) (func(j int) *ssair.Value, func(i int) *ssair.Value)) {
		eachPlace(b, []spot{unit, d}, t, func(b *ssair.Builder, at []spot, t types.Type) {
			noComplex(o, t, "reverse", "forward")
			at[0].store(b, b.Float(1, t))
			results, written := bar(b)
			put(b, at[1], row(b, t, results, written))
			at[0].store(b, b.Zero(t))
		})
	}
	noBar := func(b *ssair.Builder) func(j int) *ssair.Value {
		return func(j int) *ssair.Value { return zeroLike(b, s.m.Get(o.Results[j]), 1, false, o.Pos) }
	}
	noInOut := func(b *ssair.Builder) func(i int) *ssair.Value {
		return func(i int) *ssair.Value { return zeroLike(b, entry[i], 1, false, o.Pos) }
	}
	for j, v := range o.Results {
		if !ssair.ReachesScalar(v.Type) || ssair.IsErrorType(v.Type) {
			continue
		}
		unit := cell(b, noBar(b)(j))
		d := cell(b, zeroLike(b, s.m.Get(v), s.lanes, false, o.Pos))
		rows(unit, d, v.Type, func(b *ssair.Builder) (func(j int) *ssair.Value, func(i int) *ssair.Value) {
			none := noBar(b)
			return func(k int) *ssair.Value {
				if k == j {
					return unit.load(b)
				}
				return none(k)
			}, noInOut(b)
		})
		if ssair.IsScalar(v.Type) {
			s.setTan(v, s.spread(d.load(b), v.Type))
		} else {
			s.setShadow(v, d.load(b))
		}
	}
	for i, v := range o.Args {
		if !rule.Writes[i] || !s.shadowed(v) {
			continue
		}
		unit := noInOut(b)(i)
		rows(cell(b, unit), cell(b, s.shadow(v)), v.Type, func(b *ssair.Builder) (func(j int) *ssair.Value, func(i int) *ssair.Value) {
			none := noInOut(b)
			return noBar(b), func(j int) *ssair.Value {
				if j == i {
					return duplicate(b, unit, f)
				}
				return none(j)
			}
		})
	}
}

// tangentValue returns the tangent of v as one value.
func (s *forwardSweep) tangentValue(v *ssair.Value) *ssair.Value {
	if ssair.IsScalar(v.Type) {
		return s.tangentOf(v)
	}
	return s.shadow(v)
}
