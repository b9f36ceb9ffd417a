package emit

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"math"
	"strconv"
	"strings"

	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

func isDigits(s string) bool {
	s = strings.TrimPrefix(s, "-")
	for _, r := range s {
		if r < '0' || r > '9' {
			return false
		}
	}
	return s != ""
}

// constType is the default type of the constant o as it is printed.
func constType(o *ssair.Op, text string) types.Type {
	if c, ok := o.Obj.(*types.Const); ok {
		if b, ok := c.Type().(*types.Basic); ok && b.Info()&types.IsUntyped != 0 {
			return types.Default(c.Type())
		}
		return c.Type()
	}
	switch o.Val.Kind() {
	case constant.Bool:
		return ssair.Bool
	case constant.String:
		return ssair.String
	}
	if isDigits(text) || o.Val.Kind() != constant.Bool && strings.Contains(text, " ") && !o.Explicit {
		return ssair.Int
	}
	return ssair.Float64
}

func (w *writer) constant(o *ssair.Op) expr {
	t := o.Result().Type
	if o.Obj != nil {
		s := w.object(o.Obj)
		// A typed constant converted to another type.
		if ct := o.Obj.Type(); !types.Identical(ct, t) {
			if b, ok := ct.(*types.Basic); !ok || b.Info()&types.IsUntyped == 0 {
				return primary("%s", w.convert(t, s))
			}
		}
		return primary("%s", s)
	}
	s := constText(o, t)
	if strings.Contains(s, "math.") && w.im.name("math", "math") != "math" {
		c := *o
		c.Text = ""
		s = constText(&c, t)
	}
	if x, err := parser.ParseExpr(s); err == nil {
		if b, ok := x.(*ast.BinaryExpr); ok {
			return expr{s, b.Op.Precedence()}
		}
	}
	if strings.HasPrefix(s, "-") {
		return expr{s, precUnary}
	}
	return primary("%s", s)
}

func constText(o *ssair.Op, t types.Type) string {
	if o.Text != "" {
		return o.Text
	}
	switch {
	case ssair.IsFloat(t):
		bits := floatBits(t)
		x, _ := constant.Float64Val(constant.ToFloat(o.Val))
		s := strconv.FormatFloat(x, 'g', -1, bits)
		if x == math.Trunc(x) && math.Abs(x) < 1e15 {
			s = strconv.FormatFloat(x, 'f', -1, bits)
		}
		return s
	case ssair.IsComplex(t):
		re, _ := constant.Float64Val(constant.Real(o.Val))
		im, _ := constant.Float64Val(constant.Imag(o.Val))
		return fmt.Sprintf("complex(%s, %s)", strconv.FormatFloat(re, 'g', -1, 64), strconv.FormatFloat(im, 'g', -1, 64))
	}
	return o.Val.ExactString()
}

func (w *writer) zero(t types.Type) expr {
	switch {
	case ssair.IsScalar(t), ssair.IsInteger(t):
		return primary("0")
	case ssair.IsBool(t):
		return primary("false")
	case ssair.IsString(t):
		return primary(`""`)
	case ssair.IsRef(t):
		return primary("nil")
	}
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return primary("*new(%s)", w.im.typ(t))
	}
	return primary("%s{}", w.im.typ(t))
}

// floatConst returns the value of v, which prints as an untyped constant or is
// an operation on such ones, which prints as one number.
func floatConst(w *writer, v *ssair.Value) (float64, bool) {
	if v = w.alias.get(v); !w.p.inline[v] {
		return 0, false
	}
	return floatConstOp(w, v.Def)
}

func floatConstOp(w *writer, o *ssair.Op) (float64, bool) {
	v := o.Results[0]
	if !ssair.IsFloat(v.Type) {
		return 0, false
	}
	switch o.Kind {
	case ssair.Zero:
		return 0, true
	case ssair.Const:
		return pass.ConstFloat(v)
	case ssair.Un:
		x, ok := floatConst(w, o.Args[0])
		return -x, ok && o.Tok == token.SUB
	case ssair.Bin:
		if _, open := types.Unalias(v.Type).(*types.TypeParam); open {
			return 0, false // each instance rounds in its own way
		}
		x, okX := floatConst(w, o.Args[0])
		y, okY := floatConst(w, o.Args[1])
		if !okX || !okY {
			return 0, false
		}
		z := pass.Arithmetic(o.Tok, x, y)
		if floatBits(v.Type) == 32 {
			z = float64(float32(z)) // a double has enough digits to be rounded twice
		}
		return z, true
	}
	return 0, false
}

// complexConstOp is floatConstOp for complex numbers.
func complexConstOp(w *writer, o *ssair.Op) (complex128, bool) {
	t := o.Results[0].Type
	if !ssair.IsComplex(t) {
		return 0, false
	}
	if _, open := types.Unalias(t).(*types.TypeParam); open {
		return 0, false
	}
	arg := func(k int) (complex128, bool) {
		v := w.alias.get(o.Args[k])
		if !w.p.inline[v] {
			return 0, false
		}
		return complexConstOp(w, v.Def)
	}
	switch o.Kind {
	case ssair.Zero:
		return 0, true
	case ssair.Const:
		re, _ := constant.Float64Val(constant.Real(o.Val))
		im, _ := constant.Float64Val(constant.Imag(o.Val))
		return complex(re, im), true
	case ssair.Un:
		x, ok := arg(0)
		return -x, ok && o.Tok == token.SUB
	case ssair.Bin:
		x, okX := arg(0)
		y, okY := arg(1)
		if !okX || !okY {
			return 0, false
		}
		if b, ok := t.Underlying().(*types.Basic); ok && b.Kind() == types.Complex64 {
			return complex128(pass.Arithmetic(o.Tok, complex64(x), complex64(y))), true
		}
		return pass.Arithmetic(o.Tok, x, y), true
	}
	return 0, false
}

// specialComplex prints a complex number that is the value of an expression of
// constants.
func (w *writer) specialComplex(x complex128, t types.Type) expr {
	s := fmt.Sprintf("complex(%s, %s)", w.special(real(x), ssair.Float64).s, w.special(imag(x), ssair.Float64).s)
	if !types.Identical(t, types.Typ[types.Complex128]) {
		s = w.convert(t, s)
	}
	return primary("%s", s)
}

func floatBits(t types.Type) int {
	if b, ok := t.Underlying().(*types.Basic); ok && b.Kind() == types.Float32 {
		return 32
	}
	return 64
}

// special prints a float that is the value of an expression of constants.
func (w *writer) special(x float64, t types.Type) expr {
	s := ""
	switch {
	case math.IsNaN(x):
		s = w.im.name("math", "math") + ".NaN()"
	case math.IsInf(x, 1):
		s = w.im.name("math", "math") + ".Inf(1)"
	case math.IsInf(x, -1):
		s = w.im.name("math", "math") + ".Inf(-1)"
	case x == 0 && math.Signbit(x):
		s = w.im.name("math", "math") + ".Copysign(0, -1)"
	default:
		s = strconv.FormatFloat(x, 'g', -1, floatBits(t))
	}
	if !types.Identical(t, ssair.Float64) {
		s = w.convert(t, s)
	}
	return primary("%s", s)
}

// isUntyped reports whether v prints as an untyped constant.
func isUntyped(w *writer, v *ssair.Value) bool {
	if !w.p.inline[v] {
		return false
	}
	return v.Def.Kind == ssair.Const || v.Def.Kind == ssair.Zero && !ssair.IsAggregate(v.Type)
}
