package deriv

import (
	"go/token"
	"go/types"

	"github.com/quabla/quabla/rules"
	"github.com/quabla/quabla/ssair"
)

// A complex number is a pair of reals. Its tangent is the number of the tangents of its
// parts, its adjoint d/dRe + i d/dIm: a factor f of a tangent is a factor conj(f) of an
// adjoint.

// parts returns the real and the imaginary part of z, nil for a structural zero.
func (a *arith) parts(z *ssair.Value) (re, im *ssair.Value) {
	if z == nil {
		return nil, nil
	}
	t := partType(z.Type)
	return a.b.Apply("real", []types.Type{t}, z).Result(), a.b.Apply("imag", []types.Type{t}, z).Result()
}

// number returns the number of type t with the given parts.
func (a *arith) number(t types.Type, re, im *ssair.Value) *ssair.Value {
	if re == nil && im == nil {
		return nil
	}
	or := func(x *ssair.Value) *ssair.Value {
		if x == nil {
			return a.b.Zero(partType(t))
		}
		return x
	}
	z := types.Typ[types.Complex128]
	if types.Identical(partType(t), types.Typ[types.Float32]) {
		z = types.Typ[types.Complex64]
	}
	return a.b.Conv(a.b.Apply("complex", []types.Type{z}, or(re), or(im)).Result(), t)
}

// conj returns the complex conjugate of v; a real v is its own.
func (s *reverseSweep) conj(v *ssair.Value) *ssair.Value {
	if !ssair.IsComplex(v.Type) {
		return v
	}
	re, im := s.a.parts(v)
	return s.a.number(v.Type, re, s.b.Un(token.SUB, im))
}

// partType returns the type of the parts of a complex type.
func partType(t types.Type) types.Type {
	if b, ok := t.Underlying().(*types.Basic); ok && b.Kind() == types.Complex64 {
		return types.Typ[types.Float32]
	}
	return ssair.Float64
}

// isHolomorphic reports whether o applies a function of complex numbers.
func isHolomorphic(o *ssair.Op) bool {
	row := rules.Lookup(o.Fn)
	return row != nil && row.Complex != nil
}

// slope returns the parts of the derivative of a holomorphic function in argument i,
// and how to multiply with them.
func (a *arith) slope(o *ssair.Op, i int, args []*ssair.Value, result *ssair.Value) (re, im *ssair.Value, g rules.Guard) {
	row := rules.Lookup(o.Fn)
	env := map[string]*ssair.Value{}
	for j, z := range args {
		env[row.Vars()[2*j]], env[row.Vars()[2*j+1]] = a.parts(z)
	}
	env[row.ResultVars()[0]], env[row.ResultVars()[1]] = a.parts(result)
	x, g := row.Partial(0, 2*i)
	y, _ := row.Partial(1, 2*i)
	return a.expr(x, env), a.expr(y, env), g
}

// rotated returns d (a+ib) with the strong zeros of g for each part of d.
func (a *arith) rotated(d, re, im *ssair.Value, g rules.Guard) *ssair.Value {
	x, y := a.parts(d)
	return a.number(d.Type,
		a.sub(a.guarded(x, re, g), a.guarded(y, im, g)),
		a.add(a.guarded(x, im, g), a.guarded(y, re, g)))
}

// complexTangent handles the built-ins on complex numbers, which are linear, and
// holomorphic functions.
func (s *sweep) complexTangent(o, c *ssair.Op, dot func(*ssair.Value) *ssair.Value) (*ssair.Value, bool) {
	switch o.Fn {
	case "real", "imag":
		d := dot(o.Args[0])
		if d == nil {
			return nil, true
		}
		return s.b.Apply(o.Fn, []types.Type{o.Result().Type}, d).Result(), true
	case "complex":
		return s.a.number(o.Result().Type, dot(o.Args[0]), dot(o.Args[1])), true
	}
	if !isHolomorphic(o) {
		return nil, false
	}
	var sum *ssair.Value
	for i, x := range o.Args {
		if d := dot(x); d != nil {
			re, im, g := s.a.slope(o, i, c.Args, c.Result())
			sum = s.a.add(sum, s.a.rotated(d, re, im, g))
		}
	}
	return sum, true
}

// reverseComplex is complexTangent for adjoints.
func (s *reverseSweep) reverseComplex(o *ssair.Op, bars []*ssair.Value) bool {
	switch o.Fn {
	case "real":
		s.add(o.Args[0], s.a.number(o.Args[0].Type, bars[0], nil))
		return true
	case "imag":
		s.add(o.Args[0], s.a.number(o.Args[0].Type, nil, bars[0]))
		return true
	case "complex":
		re, im := s.a.parts(bars[0])
		s.add(o.Args[0], re)
		s.add(o.Args[1], im)
		return true
	}
	if !isHolomorphic(o) {
		return false
	}
	args := make([]*ssair.Value, len(o.Args))
	for i, x := range o.Args {
		args[i] = s.m.Get(x)
	}
	for i, x := range o.Args {
		if s.act.value(x) {
			re, im, g := s.a.slope(o, i, args, s.m.Get(o.Result()))
			s.add(x, s.a.rotated(bars[0], re, s.a.neg(im), g))
		}
	}
	return true
}
