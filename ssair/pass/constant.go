package pass

import (
	"go/constant"
	"go/token"
	"go/types"
	"math"

	"github.com/quabla/quabla/ssair"
)

// constOrZero is ConstInt for an operand that may be left out.
func constOrZero(v *ssair.Value) (int64, bool) {
	if v == nil {
		return 0, true
	}
	return ConstInt(v)
}

func boolConst(v *ssair.Value) (value, ok bool) {
	if v.Def != nil && v.Def.Kind == ssair.Const && v.Def.Val.Kind() == constant.Bool {
		return constant.BoolVal(v.Def.Val), true
	}
	if v.Def != nil && v.Def.Kind == ssair.Zero && ssair.IsBool(v.Type) {
		return false, true
	}
	return false, false
}

func isBool(v *ssair.Value, want bool) bool {
	c, ok := boolConst(v)
	return ok && c == want
}

// sameConst reports whether x and y are equal constants of one type.
func sameConst(x, y *ssair.Value) bool {
	a, b := constVal(x), constVal(y)
	return a != nil && b != nil && types.Identical(x.Type, y.Type) && constant.Compare(a, token.EQL, b)
}

// constVal returns the value of a constant, or of the zero of a basic type.
func constVal(v *ssair.Value) constant.Value {
	if v == nil || v.Def == nil {
		return nil
	}
	switch v.Def.Kind {
	case ssair.Const:
		return v.Def.Val
	case ssair.Zero:
		switch {
		case ssair.IsBool(v.Type):
			return constant.MakeBool(false)
		case ssair.IsString(v.Type):
			return constant.MakeString("")
		case ssair.IsInteger(v.Type):
			return constant.MakeInt64(0)
		case ssair.IsFloat(v.Type):
			return constant.MakeFloat64(0)
		}
	}
	return nil
}

// ConstInt returns the value of an integer constant.
func ConstInt(v *ssair.Value) (int64, bool) {
	if d := v.Def; d != nil && d.Kind == ssair.Bin && ofNamed(d) {
		m, _ := ConstInt(d.Args[0])
		n, _ := ConstInt(d.Args[1])
		return intOp(d.Tok, m, n)
	}
	c := constVal(v)
	if c == nil || c.Kind() != constant.Int {
		return 0, false
	}
	return constant.Int64Val(c)
}

// ofNamed reports whether o adds one to or subtracts one from a constant that has
// a name in the source, which then stays in sight.
func ofNamed(o *ssair.Op) bool {
	x, y := o.Args[0].Def, o.Args[1].Def
	if x == nil || y == nil || x.Kind != ssair.Const || y.Kind != ssair.Const || x.Obj == nil || y.Val == nil || !ssair.IsInteger(o.Result().Type) {
		return false
	}
	return (o.Tok == token.ADD || o.Tok == token.SUB) && constant.Compare(y.Val, token.EQL, constant.MakeInt64(1))
}

// ConstFloat returns the value of a floating-point constant, rounded to its
// type.
func ConstFloat(v *ssair.Value) (float64, bool) {
	c := constVal(v)
	if c == nil || !ssair.IsFloat(v.Type) {
		return 0, false
	}
	return roundTo(v.Type, c), true
}

func roundTo(t types.Type, c constant.Value) float64 {
	if b, ok := t.Underlying().(*types.Basic); ok && b.Kind() == types.Float32 {
		f, _ := constant.Float32Val(constant.ToFloat(c))
		return float64(f)
	}
	f, _ := constant.Float64Val(constant.ToFloat(c))
	return f
}

func small(n int64) bool { return n > -1<<31 && n < 1<<31 }

// floatConst returns a constant of type t, or nil when x is no finite number
// or is minus zero, which constants cannot express.
func floatConst(b *ssair.Builder, x float64, t types.Type) *ssair.Value {
	if bt, ok := t.Underlying().(*types.Basic); ok && bt.Kind() == types.Float32 {
		x = float64(float32(x))
	}
	if math.IsInf(x, 0) || math.IsNaN(x) || x == 0 && math.Signbit(x) {
		return nil
	}
	return b.Const(constant.MakeFloat64(x), t)
}

// Arithmetic returns x op y.
func Arithmetic[T float64 | complex64 | complex128](tok token.Token, x, y T) T {
	switch tok {
	case token.ADD:
		return x + y
	case token.SUB:
		return x - y
	case token.MUL:
		return x * y
	case token.QUO:
		return x / y
	}
	panic("pass: numbers have no operator " + tok.String())
}

func intOp(tok token.Token, x, y int64) (int64, bool) {
	if !small(x) || !small(y) {
		return 0, false
	}
	switch tok {
	case token.ADD:
		return x + y, true
	case token.SUB:
		return x - y, true
	case token.MUL:
		return x * y, true
	case token.QUO:
		if y != 0 {
			return x / y, true
		}
	case token.REM:
		if y != 0 {
			return x % y, true
		}
	}
	return 0, false
}

// fits reports whether n is a value of the integer type t.
func fits(n int64, t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		return false
	}
	switch b.Kind() {
	case types.Int, types.Int64:
		return true
	case types.Int32:
		return n == int64(int32(n))
	case types.Int16:
		return n == int64(int16(n))
	case types.Int8:
		return n == int64(int8(n))
	case types.Uint, types.Uint64, types.Uintptr:
		return n >= 0
	case types.Uint32:
		return n == int64(uint32(n))
	case types.Uint16:
		return n == int64(uint16(n))
	case types.Uint8:
		return n == int64(uint8(n))
	}
	return false
}

// IsZero reports whether v is the zero value of its type, or a constant that is 0.
func IsZero(v *ssair.Value) bool {
	if v.Def == nil {
		return false
	}
	if v.Def.Kind == ssair.Zero {
		return true
	}
	if v.Def.Kind != ssair.Const {
		return false
	}
	if n, ok := ConstInt(v); ok {
		return n == 0
	}
	x, ok := ConstFloat(v)
	return ok && x == 0
}
