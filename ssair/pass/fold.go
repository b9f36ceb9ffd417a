package pass

import (
	"go/constant"
	"go/token"
	"go/types"

	"github.com/quabla/quabla/ssair"
)

// fold returns a simpler value that equals the result of o bit for bit, or
// nil.
func (s *simplifier) fold(b *ssair.Builder, o *ssair.Op) *ssair.Value {
	if o.Loose {
		if v := s.loose(b, o); v != nil {
			return v
		}
	}
	switch o.Kind {
	case ssair.Bin:
		return s.bin(b, o)
	case ssair.Un:
		x := o.Args[0]
		if o.Tok == token.NOT {
			if c, ok := boolConst(x); ok {
				return b.Bool(!c)
			}
			if x.Def != nil && x.Def.Kind == ssair.Un && x.Def.Tok == token.NOT {
				return x.Def.Args[0]
			}
		}
		if o.Tok == token.SUB && ssair.IsInteger(x.Type) {
			if n, ok := ConstInt(x); ok && n != -n && fits(-n, o.Result().Type) {
				return b.Const(constant.MakeInt64(-n), o.Result().Type)
			}
		}
	case ssair.Cmp:
		return s.cmp(b, o)
	case ssair.Conv:
		x := o.Args[0]
		if o.Explicit || !ssair.IsInteger(o.Result().Type) || !ssair.IsInteger(x.Type) {
			if ssair.IsFloat(o.Result().Type) && ssair.IsInteger(x.Type) {
				if n, ok := ConstInt(x); ok && n < 1<<50 && n > -(1<<50) {
					return b.Const(constant.MakeInt64(n), o.Result().Type)
				}
			}
			return nil
		}
		if n, ok := ConstInt(x); ok && fits(n, o.Result().Type) {
			return b.Const(constant.MakeInt64(n), o.Result().Type)
		}
	case ssair.Apply:
		if o.Fn == "rt.Mul0" || o.Fn == "rt.Div0" || o.Fn == "rt.Switch" || o.Fn == "rt.Mul00" {
			return guardedProduct(b, o)
		}
		if (o.Fn == "min" || o.Fn == "max") && ssair.IsInteger(o.Result().Type) {
			return extremum(b, o)
		}
	case ssair.Extract:
		return extract(b, o)
	case ssair.Len, ssair.Cap:
		return length(b, o)
	case ssair.Slice:
		// x[0:] is x.
		if n, ok := constOrZero(o.Args[1]); ok && n == 0 && o.Args[2] == nil && o.Args[3] == nil && types.Identical(o.Args[0].Type, o.Result().Type) {
			return o.Args[0]
		}
	case ssair.TypeIs:
		if m := o.Args[0].Def; m != nil && m.Kind == ssair.MakeIface {
			dyn := m.Args[0].Type
			if iface, ok := o.Type.Underlying().(*types.Interface); ok {
				return b.Bool(types.Implements(dyn, iface))
			}
			return b.Bool(types.Identical(dyn, o.Type))
		}
		if m := o.Args[0].Def; m != nil && m.Kind == ssair.Zero {
			return b.Bool(false)
		}
	case ssair.TypeAssert:
		if m := o.Args[0].Def; m != nil && m.Kind == ssair.MakeIface && types.Identical(m.Args[0].Type, o.Type) {
			return m.Args[0]
		}
	}
	return nil
}

func (s *simplifier) bin(b *ssair.Builder, o *ssair.Op) *ssair.Value {
	x, y := o.Args[0], o.Args[1]
	t := o.Result().Type
	if ssair.IsBool(t) {
		for k, v := range []*ssair.Value{x, y} {
			if c, ok := boolConst(v); ok {
				other := []*ssair.Value{y, x}[k]
				if (o.Tok == token.AND) == c {
					return other
				}
				return v
			}
		}
		return nil
	}
	if ssair.IsInteger(t) {
		m, okx := ConstInt(x)
		n, oky := ConstInt(y)
		switch {
		case oky && n == 0 && (o.Tok == token.ADD || o.Tok == token.SUB), oky && n == 1 && (o.Tok == token.MUL || o.Tok == token.QUO):
			return x
		case okx && oky && ofNamed(o):
			return nil
		case okx && oky && (x.Def.Kind != ssair.Bin || o.Tok != token.ADD && o.Tok != token.SUB):
			if r, ok := intOp(o.Tok, m, n); ok && fits(r, t) {
				return b.Const(constant.MakeInt64(r), t)
			}
		case okx && m == 0 && o.Tok == token.ADD, okx && m == 1 && o.Tok == token.MUL:
			return y
		case oky && (o.Tok == token.ADD || o.Tok == token.SUB):
			// (z + c) + n is z + (c + n): integers wrap around.
			if d := x.Def; d != nil && d.Kind == ssair.Bin && (d.Tok == token.ADD || d.Tok == token.SUB) {
				if c, ok := ConstInt(d.Args[1]); ok && small(c) && small(n) {
					if d.Tok == token.SUB {
						c = -c
					}
					if o.Tok == token.SUB {
						n = -n
					}
					switch c += n; {
					case !fits(c, t) || !fits(-c, t) && c < 0:
					case c == 0:
						return d.Args[0]
					case c > 0:
						return b.Bin(token.ADD, d.Args[0], b.Const(constant.MakeInt64(c), t))
					default:
						return b.Bin(token.SUB, d.Args[0], b.Const(constant.MakeInt64(-c), t))
					}
				}
			}
		}
		return nil
	}
	if ssair.IsFloat(t) {
		u, okx := ConstFloat(x)
		v, oky := ConstFloat(y)
		if okx && oky {
			return floatConst(b, Arithmetic(o.Tok, u, v), t)
		}
	}
	return nil
}

// extremum computes min or max of integers, as far as that is known.
func extremum(b *ssair.Builder, o *ssair.Op) *ssair.Value {
	if len(o.Args) != 2 {
		return nil
	}
	x, okX := ConstInt(o.Args[0])
	y, okY := ConstInt(o.Args[1])
	switch {
	case okX && okY && o.Fn == "max":
		return b.Const(constant.MakeInt64(max(x, y)), o.Result().Type)
	case okX && okY:
		return b.Const(constant.MakeInt64(min(x, y)), o.Result().Type)
	case okY && y == 0 && isSize(o.Args[0]):
		if o.Fn == "max" {
			return o.Args[0]
		}
		return o.Args[1]
	case okX && x == 0 && isSize(o.Args[1]):
		if o.Fn == "max" {
			return o.Args[1]
		}
		return o.Args[0]
	}
	return nil
}

// extract takes a part of an aggregate that was just built.
func extract(b *ssair.Builder, o *ssair.Op) *ssair.Value {
	x := o.Args[0]
	if len(o.Path) == 0 {
		return x
	}
	if x.Def == nil {
		return nil
	}
	switch x.Def.Kind {
	case ssair.Build:
		part := x.Def.Args[o.Path[0].Field]
		if len(o.Path) == 1 {
			return part
		}
		return extractSteps(b, part, o.Path[1:])
	case ssair.Extract:
		return extractSteps(b, x.Def.Args[0], append(x.Def.Path[:len(x.Def.Path):len(x.Def.Path)], o.Path...))
	case ssair.Zero:
		return b.Zero(o.Result().Type)
	}
	return nil
}

func extractSteps(b *ssair.Builder, x *ssair.Value, path []ssair.Step) *ssair.Value {
	idx := make([]int, len(path))
	for i, s := range path {
		idx[i] = s.Field
	}
	return b.Extract(x, idx...)
}

// length computes the length or capacity of a slice that was just made.
func length(b *ssair.Builder, o *ssair.Op) *ssair.Value {
	d := o.Args[0].Def
	if d == nil {
		return nil
	}
	switch d.Kind {
	case ssair.MakeSlice:
		if o.Kind == ssair.Cap && d.Args[1] != nil {
			return d.Args[1]
		}
		return d.Args[0]
	case ssair.Zero:
		if _, ok := o.Args[0].Type.Underlying().(*types.Slice); ok {
			return b.Int(0)
		}
	case ssair.Slice:
		if o.Kind == ssair.Len && d.Args[2] != nil && d.Args[1] == nil && types.Identical(d.Args[2].Type, ssair.Int) {
			return d.Args[2]
		}
	}
	return nil
}
