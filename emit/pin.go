package emit

import (
	"go/constant"
	"go/token"
	"go/types"
	"math"

	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// pin keeps constants under a name where the Go compiler would refuse them: it
// does not accept a constant index out of range or a division by the constant
// zero, but the program that has these in variables, where a pass has found them,
// panics only if it comes there.
func pin(f *ssair.Func) {
	var ops []*ssair.Op
	f.Body.Walk(func(o *ssair.Op) bool {
		ops = append(ops, o)
		return true
	})
	for _, o := range ops {
		bad := refused(o)
		for i := range o.Args {
			if name, ok := bad[i]; ok {
				o.Args[i] = pinned(o, o.Args[i], name)
			}
		}
	}
}

// pinned returns a variable with the value of the constant v, in front of o.
func pinned(o *ssair.Op, v *ssair.Value, name string) *ssair.Value {
	b := ssair.NewBuilder(o.Parent)
	b.Before, b.Pos = o, o.Pos
	if v.Def.Kind != ssair.Const && ssair.IsInteger(v.Type) {
		c, _ := pass.ConstInt(v)
		v = b.Const(constant.MakeInt64(c), v.Type)
	}
	x := b.Op(ssair.Conv, []*ssair.Value{v}, v.Type).Result()
	x.Def.Explicit = true
	x.Var = &ssair.Var{Name: name}
	return x
}

// refused returns the operands of o that are constants which Go would refuse, each
// with a name for a variable.
func refused(o *ssair.Op) map[int]string {
	bad := map[int]string{}
	// below is the length that an index or bound must not reach, or -1.
	index := func(i int, below int64, name string) {
		if n, ok := constInt(o.Args[i]); ok && (n < 0 || below >= 0 && n >= below) {
			bad[i] = name
		}
	}
	switch o.Kind {
	case ssair.Load, ssair.Store, ssair.Accum, ssair.Addr:
		t := o.Args[0].Type
		if e := ssair.Deref(t); e != nil {
			t = e
		}
		k := 1
		for _, s := range o.Path {
			if !s.IsField() {
				index(k, arrayLen(t), "index")
				k++
			}
			t = ssair.StepType(t, s)
		}
	case ssair.StrIndex:
		index(1, stringLen(o.Args[0]), "index")
	case ssair.Slice:
		limit := stringLen(o.Args[0])
		if e := ssair.Deref(o.Args[0].Type); e != nil {
			limit = arrayLen(e)
		}
		if limit >= 0 {
			limit++
		}
		for i := 1; i < len(o.Args); i++ {
			if o.Args[i] == nil {
				continue
			}
			index(i, limit, "bound")
			// Constant bounds must also be in order.
			for j := 1; j < i; j++ {
				if descend(o.Args[j], o.Args[i]) {
					bad[i] = "bound"
				}
			}
		}
	case ssair.MakeSlice:
		index(0, -1, "size")
		if o.Args[1] != nil {
			index(1, -1, "size")
			if descend(o.Args[0], o.Args[1]) {
				bad[1] = "size"
			}
		}
	case ssair.Un:
		if n, ok := constInt(o.Args[0]); ok && o.Tok != token.NOT && ssair.IsInteger(o.Result().Type) {
			z := constant.UnaryOp(o.Tok, constant.MakeInt64(n), 0)
			if !representable(z, o.Result().Type) {
				bad[0] = "x"
			}
		}
	case ssair.Bin:
		refusedOperands(o, bad)
	case ssair.Conv:
		d := o.Args[0].Def
		for d != nil && d.Kind == ssair.Un && ssair.IsFloat(o.Args[0].Type) {
			d = d.Args[0].Def // -c is a constant, too
		}
		if d != nil && d.Kind == ssair.Const && !pass.IsNamed(o.Result()) && ssair.IsInteger(o.Result().Type) &&
			(ssair.IsFloat(o.Args[0].Type) || !representable(d.Val, o.Result().Type)) {
			bad[0] = "x"
		}
		if d != nil && d.Kind == ssair.Const && isFloat32(o.Result().Type) {
			if f, _ := constant.Float32Val(constant.ToFloat(d.Val)); math.IsInf(float64(f), 0) {
				bad[0] = "x"
			}
		}
	}
	return bad
}

func isFloat32(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.Float32
}

// refusedOperands is refused for operators.
func refusedOperands(o *ssair.Op, bad map[int]string) {
	if !ssair.IsInteger(o.Result().Type) {
		return
	}
	x, okX := constInt(o.Args[0])
	y, okY := constInt(o.Args[1])
	switch {
	case (o.Tok == token.QUO || o.Tok == token.REM) && okY && y == 0:
		bad[1] = "divisor"
	case o.Tok == token.SHL || o.Tok == token.SHR:
		if okY && y < 0 {
			bad[1] = "count"
		} else if okX && okY && o.Tok == token.SHL && (y > 64 || !representable(constant.Shift(constant.MakeInt64(x), token.SHL, uint(y)), o.Result().Type)) {
			bad[0] = "x"
		}
	case okX && okY:
		// Sums of constants are exact, and must fit.
		tok := o.Tok
		if tok == token.QUO {
			tok = token.QUO_ASSIGN // the division of integers
		}
		z := constant.BinaryOp(constant.MakeInt64(x), tok, constant.MakeInt64(y))
		if y == -1 && tok == token.QUO_ASSIGN {
			z = constant.UnaryOp(token.SUB, constant.MakeInt64(x), 0) // BinaryOp overflows
		}
		if !representable(z, o.Result().Type) {
			bad[0] = "x"
		}
	}
}

// constInt returns the value of an integer that prints as a constant.
func constInt(v *ssair.Value) (int64, bool) {
	if v.Def != nil && v.Def.Kind == ssair.Zero && ssair.IsInteger(v.Type) {
		return 0, true
	}
	return pass.ConstInt(v)
}

// descend reports whether lo and hi are constants, and lo the larger.
func descend(lo, hi *ssair.Value) bool {
	if lo == nil || hi == nil {
		return false
	}
	l, okL := constInt(lo)
	h, okH := constInt(hi)
	return okL && okH && l > h
}

// arrayLen returns the length of an array type, or -1.
func arrayLen(t types.Type) int64 {
	if a, ok := t.Underlying().(*types.Array); ok {
		return a.Len()
	}
	return -1
}

// stringLen returns the length of a constant string, or -1.
func stringLen(v *ssair.Value) int64 {
	switch d := v.Def; {
	case d == nil || !ssair.IsString(v.Type):
	case d.Kind == ssair.Zero:
		return 0
	case d.Kind == ssair.Const:
		return int64(len(constant.StringVal(d.Val)))
	}
	return -1
}

// representable reports whether an integer fits into a type.
func representable(z constant.Value, t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		return false
	}
	if b.Info()&types.IsUnsigned != 0 && constant.Sign(z) < 0 {
		return false
	}
	bits := int(types.SizesFor("gc", "amd64").Sizeof(b)) * 8
	if b.Info()&types.IsUnsigned == 0 {
		bits--
		if constant.Sign(z) < 0 { // as many negative numbers as others
			z = constant.UnaryOp(token.SUB, constant.BinaryOp(z, token.ADD, constant.MakeInt64(1)), 0)
		}
	}
	return constant.BitLen(z) <= bits
}
