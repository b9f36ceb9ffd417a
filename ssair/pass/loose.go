package pass

import (
	"go/constant"
	"go/token"
	"go/types"
	"math"

	"github.com/quabla/quabla/ssair"
)

// loose simplifies derivative arithmetic by algebra. Constant factors are
// collected in front of a product, and terms that differ only in them are
// added, so that the adjoint of 100*a*a reads 200*a. Nothing else is
// reassociated, and a constant is not moved if that could overflow.
func (s *simplifier) loose(b *ssair.Builder, o *ssair.Op) *ssair.Value {
	if len(o.Results) == 1 && o.Loose && ssair.IsComplex(o.Result().Type) {
		return complexSum(o)
	}
	if len(o.Results) != 1 || !ssair.IsFloat(o.Result().Type) {
		return nil
	}
	lb := *b
	lb.Loose, lb.Safe = true, true
	l := looser{&lb}
	switch {
	case o.Kind == ssair.Un && o.Tok == token.SUB:
		return l.neg(o)
	case o.Kind != ssair.Bin:
		return nil
	case o.Tok == token.MUL:
		return l.mul(o)
	case o.Tok == token.ADD, o.Tok == token.SUB:
		return l.sum(o)
	case o.Tok == token.QUO:
		return l.quo(o)
	}
	return nil
}

// complexSum drops a complex zero from a sum.
func complexSum(o *ssair.Op) *ssair.Value {
	if o.Kind != ssair.Bin || o.Tok != token.ADD {
		return nil
	}
	x, y := o.Args[0], o.Args[1]
	switch isNone := func(v *ssair.Value) bool { return v.Def != nil && v.Def.Kind == ssair.Zero }; {
	case isNone(x):
		return y
	case isNone(y):
		return x
	}
	return nil
}

type looser struct{ b *ssair.Builder }

// split writes v as a constant times the rest; the rest is nil for a constant.
func split(v *ssair.Value) (float64, *ssair.Value) {
	if c, ok := ConstFloat(v); ok {
		return c, nil
	}
	d := v.Def
	if d == nil || v.Var != nil && !d.Loose {
		return 1, v
	}
	switch {
	case d.Kind == ssair.Un && d.Tok == token.SUB:
		c, r := split(d.Args[0])
		return -c, r
	case d.Kind == ssair.Bin && d.Tok == token.MUL:
		if c, ok := ConstFloat(d.Args[0]); ok && plain(c) {
			k, r := split(d.Args[1])
			return c * k, r
		}
	}
	return 1, v
}

// plain reports whether a constant factor may be moved without danger of
// overflow or underflow.
func plain(c float64) bool {
	a := math.Abs(c)
	return c == 0 || a < 1e100 && a > 1e-100
}

// extreme reports whether v is a constant that keeps its place in a product.
func extreme(v *ssair.Value) bool {
	c, ok := ConstFloat(v)
	return ok && !plain(c)
}

func (l looser) constant(c float64, like *ssair.Value) *ssair.Value {
	return l.b.Const(constant.MakeFloat64(c), like.Type)
}

// scale builds c*r.
func (l looser) scale(c float64, r *ssair.Value) *ssair.Value {
	switch c {
	case 1:
		return r
	case -1:
		return l.b.Un(token.SUB, r)
	}
	return l.b.Bin(token.MUL, l.constant(c, r), r)
}

func (l looser) neg(o *ssair.Op) *ssair.Value {
	x := o.Args[0]
	c, r := split(x)
	switch {
	case r == nil:
		return l.constant(-c, x)
	case c != 1:
		return l.scale(-c, r)
	}
	if d := x.Def; d != nil && d.Loose && d.Kind == ssair.Bin && d.Tok == token.SUB {
		return l.b.Bin(token.SUB, d.Args[1], d.Args[0])
	}
	return nil
}

func (l looser) mul(o *ssair.Op) *ssair.Value {
	x, y := o.Args[0], o.Args[1]
	cx, rx := split(x)
	cy, ry := split(y)
	c := cx * cy
	switch {
	case rx == nil && ry == nil:
		if plain(c) {
			return l.constant(c, x)
		}
		return nil
	case rx == nil && cx == 0 || ry == nil && cy == 0:
		return l.constant(0, x)
	case rx == nil && cx == 1:
		return y
	case ry == nil && cy == 1:
		return x
	case !plain(cx) || !plain(cy) || !plain(c):
		return nil
	case rx == nil:
		if cy == 1 && cx != -1 {
			return nil // in normal form
		}
		return l.scale(c, ry)
	case ry == nil:
		return l.scale(c, rx)
	}
	if v := l.cancel(rx, ry); v != nil {
		return l.scale(c, v)
	}
	if v := l.cancel(ry, rx); v != nil {
		return l.scale(c, v)
	}
	if v := l.signed(rx, ry); v != nil {
		return l.scale(c, v)
	}
	if v := l.signed(ry, rx); v != nil {
		return l.scale(c, v)
	}
	if cx == 1 && cy == 1 {
		return nil
	}
	return l.scale(c, l.b.Bin(token.MUL, rx, ry))
}

// cancel uses 1/y*y = 1, which the derivative of log(a/b) leads to: it returns the
// product of p and y, where p has the factor 1/y, or nil.
func (l looser) cancel(p, y *ssair.Value) *ssair.Value {
	d := p.Def
	if d == nil || !d.Loose && d.Kind != ssair.Apply {
		return nil
	}
	switch {
	case reciprocal(p, y):
		return l.constant(1, p)
	case d.Kind == ssair.Apply && d.Fn == "rt.Mul0" && reciprocal(d.Args[1], y):
		return d.Args[0]
	case d.Kind == ssair.Apply && d.Fn == "rt.Div0":
		if v := l.cancel(d.Args[0], y); v != nil {
			return l.b.Apply("rt.Div0", []types.Type{p.Type}, v, d.Args[1]).Result()
		}
	case d.Kind == ssair.Bin && d.Tok == token.QUO:
		if v := l.cancel(d.Args[0], y); v != nil {
			return l.b.Bin(token.QUO, v, d.Args[1])
		}
	case d.Kind == ssair.Bin && d.Tok == token.MUL && reciprocal(d.Args[1], y):
		return d.Args[0]
	}
	return nil
}

// reciprocal reports whether v is 1/y.
func reciprocal(v, y *ssair.Value) bool {
	d := v.Def
	if d == nil || d.Kind != ssair.Bin || d.Tok != token.QUO || !d.Loose || d.Args[1] != y {
		return false
	}
	c, ok := ConstFloat(d.Args[0])
	return ok && c == 1
}

// signed uses |x|*sign(x) = x, so that the second derivative of |x|*|x| is
// right at 0 too: it returns the product of p and q, where p has the factor
// |x| and q is sign(x), or nil.
func (l looser) signed(p, q *ssair.Value) *ssair.Value {
	if q.Def == nil || q.Def.Kind != ssair.Apply || p.Def == nil {
		return nil
	}
	if q.Def.Fn == "rt.Switch" { // a guarded product with sign(x)
		if v := l.signed(p, q.Def.Args[1]); v != nil {
			return l.b.Bin(token.MUL, v, q.Def.Args[0])
		}
		return nil
	}
	if q.Def.Fn != "rt.Sign" {
		return nil
	}
	x := q.Def.Args[0]
	if p.Def.Kind == ssair.Apply && p.Def.Fn == "math.Abs" && p.Def.Args[0] == x {
		return x
	}
	if p.Def.Loose && p.Def.Kind == ssair.Bin && p.Def.Tok == token.MUL {
		for i, f := range p.Def.Args {
			if v := l.signed(f, q); v != nil {
				return l.b.Bin(token.MUL, v, p.Def.Args[1-i])
			}
		}
	}
	return nil
}

func (l looser) sum(o *ssair.Op) *ssair.Value {
	x, y := o.Args[0], o.Args[1]
	sign := 1.0
	if o.Tok == token.SUB {
		sign = -1
	}
	cx, rx := split(x)
	cy, ry := split(y)
	switch {
	case rx == nil && ry == nil:
		return l.constant(cx+sign*cy, x)
	case rx == nil && cx == 0:
		return l.scale(sign*cy, ry)
	case ry == nil && cy == 0:
		return x
	case rx == ry:
		if c := cx + sign*cy; plain(c) && plain(cx) && plain(cy) {
			if c == 0 {
				return l.constant(0, x)
			}
			return l.scale(c, rx)
		}
	}
	// (p + c*r) + d*r is p + (c+d)*r, where r is found one level down.
	if v := l.like(x, sign*cy, ry); v != nil {
		return v
	}
	if o.Tok == token.ADD {
		if v := l.like(y, cx, rx); v != nil {
			return v
		}
	}
	switch {
	case o.Tok == token.ADD && cy < 0 && ry != nil:
		return l.b.Bin(token.SUB, x, l.scale(-cy, ry))
	case o.Tok == token.ADD && cx < 0 && rx != nil:
		return l.b.Bin(token.SUB, y, l.scale(-cx, rx))
	case o.Tok == token.SUB && cy < 0 && ry != nil:
		return l.b.Bin(token.ADD, x, l.scale(-cy, ry))
	case o.Tok == token.SUB && cx < 0 && rx != nil:
		return l.b.Un(token.SUB, l.b.Bin(token.ADD, l.scale(-cx, rx), y))
	}
	return nil
}

// like adds c*r to the sum x if that has a term with the same rest r; else it
// returns nil.
func (l looser) like(x *ssair.Value, c float64, r *ssair.Value) *ssair.Value {
	d := x.Def
	if r == nil || d == nil || !d.Loose || d.Kind != ssair.Bin || d.Tok != token.ADD && d.Tok != token.SUB || x.Var != nil {
		return nil
	}
	sign := 1.0
	if d.Tok == token.SUB {
		sign = -1
	}
	if k, q := split(d.Args[1]); q == r && plain(k) && plain(c) {
		return l.plus(d.Args[0], sign*k+c, r)
	}
	if k, q := split(d.Args[0]); q == r && plain(k) && plain(c) {
		p := d.Args[1]
		if sign < 0 {
			p = l.b.Un(token.SUB, p)
		}
		return l.plus(p, k+c, r)
	}
	return nil
}

// plus returns p + c*r.
func (l looser) plus(p *ssair.Value, c float64, r *ssair.Value) *ssair.Value {
	if c == 0 {
		return p
	}
	return l.b.Bin(token.ADD, p, l.scale(c, r))
}

func (l looser) quo(o *ssair.Op) *ssair.Value {
	x, y := o.Args[0], o.Args[1]
	if c, ok := ConstFloat(y); ok {
		switch c {
		case 1:
			return x
		case -1:
			return l.b.Un(token.SUB, x)
		}
	}
	if c, ok := ConstFloat(x); ok && c == 0 {
		return l.constant(0, x)
	}
	if d := x.Def; d != nil && d.Loose && d.Kind == ssair.Un && d.Tok == token.SUB {
		return l.b.Un(token.SUB, l.b.Bin(token.QUO, d.Args[0], y))
	}
	return nil
}

// guardedProduct drops the guard of a product whose guarded factor is a
// constant other than zero.
func guardedProduct(b *ssair.Builder, o *ssair.Op) *ssair.Value {
	lb := *b
	lb.Loose, lb.Safe = true, true
	x, y := o.Args[0], o.Args[1]
	cx, okx := ConstFloat(x)
	cy, oky := ConstFloat(y)
	zero := func() *ssair.Value { return looser{&lb}.constant(0, x) }
	product := func() *ssair.Value {
		if o.Fn == "rt.Div0" {
			return lb.Bin(token.QUO, x, y)
		}
		return lb.Bin(token.MUL, x, y)
	}
	// A constant factor of the first operand goes in front.
	if c, r := split(x); r != nil && c != 1 && plain(c) {
		in := lb.Apply(o.Fn, []types.Type{o.Result().Type}, r, y).Result()
		return (looser{&lb}).scale(c, in)
	}
	switch o.Fn {
	case "rt.Mul0", "rt.Div0":
		if okx && cx == 0 {
			return zero()
		}
		if okx || oky && (cy != 0 || o.Fn == "rt.Mul0") {
			return product()
		}
	case "rt.Switch":
		if v := (looser{&lb}).signed(x, y); v != nil {
			return v // x has the factor |z|, and y is sign(z)
		}
		if oky && cy == 0 {
			return zero()
		}
		if okx || oky {
			return product()
		}
	case "rt.Mul00":
		if okx && cx == 0 || oky && cy == 0 {
			return zero()
		}
		if okx || oky {
			return product()
		}
	}
	return nil
}

// Spell puts the products and sums of derivative arithmetic into the form in
// which they are written: from the left, without parentheses. Aggregates that are
// copied come in one piece.
func Spell(f *ssair.Func) {
	uses := ssair.UsesIn(f.Body)
	f.Body.Walk(func(o *ssair.Op) bool {
		divided(o, uses)
		for leftward(o, uses) {
		}
		return true
	})
	gather(f)
	Dead(f)
}

// divided turns x * (1/y) into x/y, if the quotient serves nothing else.
func divided(o *ssair.Op, uses ssair.Uses) {
	if !o.Loose || o.Kind != ssair.Bin || o.Tok != token.MUL || !ssair.IsFloat(o.Result().Type) {
		return
	}
	for i, v := range o.Args {
		d := v.Def
		if d == nil || !d.Loose || d.Kind != ssair.Bin || d.Tok != token.QUO || len(uses[v]) != 1 || d.Parent != o.Parent {
			continue
		}
		if one, ok := ConstFloat(d.Args[0]); ok && one == 1 {
			o.Tok = token.QUO
			o.Args = []*ssair.Value{o.Args[1-i], d.Args[1]}
			return
		}
	}
}

// leftward turns x*(y*z) into (x*y)*z, if the inner product serves nothing
// else.
func leftward(o *ssair.Op, uses ssair.Uses) bool {
	if !o.Loose || o.Kind != ssair.Bin || o.Tok != token.MUL && o.Tok != token.ADD || !ssair.IsFloat(o.Result().Type) {
		return false
	}
	y := o.Args[1]
	d := y.Def
	if d == nil || !d.Loose || d.Kind != ssair.Bin || d.Tok != o.Tok || len(uses[y]) != 1 || y.Var != nil || d.Parent != o.Parent {
		return false
	}
	if o.Tok == token.MUL && (extreme(o.Args[0]) || extreme(d.Args[0]) || extreme(d.Args[1])) {
		return false
	}
	b := ssair.NewBuilder(o.Parent)
	b.Before, b.Loose, b.Safe, b.Pos = o, true, true, o.Pos
	xy := b.Bin(o.Tok, o.Args[0], d.Args[0])
	uses[xy] = []ssair.Use{{Op: o, Arg: 0}}
	o.Args = []*ssair.Value{xy, d.Args[1]}
	// The new product may itself have a product on its right.
	for leftward(xy.Def, uses) {
	}
	return true
}
