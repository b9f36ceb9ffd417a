package interp

import (
	"go/constant"
	"go/token"
	"math"

	"github.com/quabla/quabla/ssair"
)

// constantValue returns the value of a constant of type t.
func constantValue(c constant.Value, t *typ) (Value, bool) {
	if c == nil {
		return Value{}, false
	}
	switch t.kind {
	case kindBool:
		if c.Kind() == constant.Bool {
			return Bool(constant.BoolVal(c)), true
		}
	case kindInt:
		if x := constant.ToInt(c); x.Kind() == constant.Int {
			if n, exact := constant.Int64Val(x); exact && wrap(t)(uint64(n)) == uint64(n) {
				return Int(n), true
			}
		}
	case kindUint:
		if x := constant.ToInt(c); x.Kind() == constant.Int {
			if n, exact := constant.Uint64Val(x); exact && wrap(t)(n) == n {
				return Uint(n), true
			}
		}
	case kindFloat:
		if x := constant.ToFloat(c); x.Kind() == constant.Float || x.Kind() == constant.Int {
			return Float(floatVal(x, t.bits)), true
		}
	case kindComplex:
		if x := constant.ToComplex(c); x.Kind() != constant.Unknown {
			re, im := floatVal(constant.Real(x), t.bits/2), floatVal(constant.Imag(x), t.bits/2)
			return Complex(complex(re, im)), true
		}
	case kindString:
		if c.Kind() == constant.String {
			return String(constant.StringVal(c)), true
		}
	}
	return Value{}, false
}

// floatVal rounds c to a float of the given size, once.
func floatVal(c constant.Value, bits int) float64 {
	if bits == 32 {
		f, _ := constant.Float32Val(c)
		return float64(f)
	}
	f, _ := constant.Float64Val(c)
	return f
}

// wrap returns the function that reduces a number to the integer type t.
func wrap(t *typ) func(uint64) uint64 {
	shift := 64 - t.bits
	switch {
	case shift == 0:
		return func(n uint64) uint64 { return n }
	case t.kind == kindInt:
		return func(n uint64) uint64 { return uint64(int64(n<<shift) >> shift) }
	}
	return func(n uint64) uint64 { return n << shift >> shift }
}

// bin compiles a binary op.
func (c *compiler) bin(o *ssair.Op) code {
	r, x, y := c.slot(o.Result()), c.slot(o.Args[0]), c.slot(o.Args[1])
	t := c.typ(o.Args[0])
	switch t.kind {
	case kindFloat:
		if run := floatBin(o.Tok, t.bits, r, x, y); run != nil {
			return run
		}
	case kindInt, kindUint:
		if o.Tok == token.SHL || o.Tok == token.SHR {
			return c.shift(o, t)
		}
		if run := intBin(o, t, r, x, y); run != nil {
			return run
		}
	}
	if f := binFunc(o.Tok, t); f != nil {
		return func(fr *frame) { fr.s[r] = f(fr.s[x], fr.s[y]) }
	}
	return c.unsupported(o, "the operator "+o.Tok.String()+" of "+t.String())
}

// floatBin returns the code of an operator on floats. The conversions keep the
// Go compiler from fusing an op with the one that uses its result.
func floatBin(tok token.Token, bits, r, x, y int) code {
	if bits == 32 {
		var f func(x, y float64) float64
		switch tok {
		case token.ADD:
			f = func(x, y float64) float64 { return float64(float32(x + y)) }
		case token.SUB:
			f = func(x, y float64) float64 { return float64(float32(x - y)) }
		case token.MUL:
			f = func(x, y float64) float64 { return float64(float32(x * y)) }
		case token.QUO:
			f = func(x, y float64) float64 { return float64(float32(x / y)) }
		default:
			return nil
		}
		return func(fr *frame) { fr.s[r].n = math.Float64bits(f(fr.s[x].Float(), fr.s[y].Float())) }
	}
	switch tok {
	case token.ADD:
		return func(fr *frame) { fr.s[r].n = math.Float64bits(float64(fr.s[x].Float() + fr.s[y].Float())) }
	case token.SUB:
		return func(fr *frame) { fr.s[r].n = math.Float64bits(float64(fr.s[x].Float() - fr.s[y].Float())) }
	case token.MUL:
		return func(fr *frame) { fr.s[r].n = math.Float64bits(float64(fr.s[x].Float() * fr.s[y].Float())) }
	case token.QUO:
		return func(fr *frame) { fr.s[r].n = math.Float64bits(float64(fr.s[x].Float() / fr.s[y].Float())) }
	}
	return nil
}

// intBin returns the code of an operator on integers other than a shift.
func intBin(o *ssair.Op, t *typ, r, x, y int) code {
	if o.Tok == token.ADD && t.bits == 64 {
		return func(fr *frame) { fr.s[r].n = fr.s[x].n + fr.s[y].n }
	}
	w := wrap(t)
	var f func(x, y uint64) uint64
	switch o.Tok {
	case token.ADD:
		f = func(x, y uint64) uint64 { return x + y }
	case token.SUB:
		f = func(x, y uint64) uint64 { return x - y }
	case token.MUL:
		f = func(x, y uint64) uint64 { return x * y }
	case token.AND:
		f = func(x, y uint64) uint64 { return x & y }
	case token.OR:
		f = func(x, y uint64) uint64 { return x | y }
	case token.XOR:
		f = func(x, y uint64) uint64 { return x ^ y }
	case token.AND_NOT:
		f = func(x, y uint64) uint64 { return x &^ y }
	case token.QUO, token.REM:
		quo := o.Tok == token.QUO
		signed := t.kind == kindInt
		return func(fr *frame) {
			a, b := fr.s[x].n, fr.s[y].n
			if b == 0 {
				fr.m.throw(o, divideByZero)
			}
			switch {
			case signed && quo:
				a = uint64(int64(a) / int64(b))
			case signed:
				a = uint64(int64(a) % int64(b))
			case quo:
				a /= b
			default:
				a %= b
			}
			fr.s[r].n = w(a)
		}
	default:
		return nil
	}
	return func(fr *frame) { fr.s[r].n = w(f(fr.s[x].n, fr.s[y].n)) }
}

// shift compiles a shift; the count has an integer type of its own.
func (c *compiler) shift(o *ssair.Op, t *typ) code {
	r, x, y := c.slot(o.Result()), c.slot(o.Args[0]), c.slot(o.Args[1])
	signedCount := c.typ(o.Args[1]).kind == kindInt
	left, signed, w := o.Tok == token.SHL, t.kind == kindInt, wrap(t)
	return func(fr *frame) {
		a, n := fr.s[x].n, fr.s[y].n
		if signedCount && int64(n) < 0 {
			fr.m.throw(o, negativeShift)
		}
		switch {
		case left:
			a = w(a << n)
		case signed:
			a = uint64(int64(a) >> n)
		default:
			a >>= n
		}
		fr.s[r].n = a
	}
}

// binFunc returns an operator on strings, bools, complex or other numbers.
func binFunc(tok token.Token, t *typ) func(x, y Value) Value {
	switch t.kind {
	case kindString:
		if tok == token.ADD {
			return func(x, y Value) Value { return String(x.Str() + y.Str()) }
		}
	case kindBool:
		switch tok {
		case token.AND:
			return func(x, y Value) Value { return Value{n: x.n & y.n} }
		case token.OR:
			return func(x, y Value) Value { return Value{n: x.n | y.n} }
		}
	case kindComplex:
		if t.bits == 64 {
			if f := complex64Bin(tok); f != nil {
				return func(x, y Value) Value {
					return Complex(complex128(f(complex64(x.Complex()), complex64(y.Complex()))))
				}
			}
			return nil
		}
		switch tok {
		case token.ADD:
			return func(x, y Value) Value { return Complex(x.Complex() + y.Complex()) }
		case token.SUB:
			return func(x, y Value) Value { return Complex(x.Complex() - y.Complex()) }
		case token.MUL:
			return func(x, y Value) Value { return Complex(x.Complex() * y.Complex()) }
		case token.QUO:
			return func(x, y Value) Value { return Complex(x.Complex() / y.Complex()) }
		}
	}
	return nil
}

// complex64Bin returns an operator on complex64. It is Go's own: a product is
// computed in float64 and rounded once.
func complex64Bin(tok token.Token) func(x, y complex64) complex64 {
	switch tok {
	case token.ADD:
		return func(x, y complex64) complex64 { return x + y }
	case token.SUB:
		return func(x, y complex64) complex64 { return x - y }
	case token.MUL:
		return func(x, y complex64) complex64 { return x * y }
	case token.QUO:
		return func(x, y complex64) complex64 { return x / y }
	}
	return nil
}

// un compiles a unary op.
func (c *compiler) un(o *ssair.Op) code {
	t := c.typ(o.Args[0])
	r, x := c.slot(o.Result()), c.slot(o.Args[0])
	switch {
	case o.Tok == token.ADD && (t.isInt() || t.kind == kindFloat || t.kind == kindComplex):
		return c.unary(o, func(v Value) Value { return v })
	case o.Tok == token.SUB && t.kind == kindFloat:
		return func(fr *frame) { fr.s[r].n = math.Float64bits(-fr.s[x].Float()) }
	case o.Tok == token.SUB && t.kind == kindComplex:
		return c.unary(o, func(v Value) Value { return Complex(-v.Complex()) })
	case o.Tok == token.SUB && t.isInt():
		w := wrap(t)
		return func(fr *frame) { fr.s[r].n = w(-fr.s[x].n) }
	case o.Tok == token.XOR && t.isInt():
		w := wrap(t)
		return func(fr *frame) { fr.s[r].n = w(^fr.s[x].n) }
	case o.Tok == token.NOT && t.kind == kindBool:
		return func(fr *frame) { fr.s[r].n = fr.s[x].n ^ 1 }
	}
	return c.unsupported(o, "the operator "+o.Tok.String()+" of "+t.String())
}

// add returns the function that adds values of type t: numbers and strings,
// and structs and arrays part by part, where parts that are not floats or
// complex stay as they are in the first operand. It is nil for other types.
func add(t *typ) func(x, y Value) Value {
	switch t.kind {
	case kindFloat:
		if t.bits == 32 {
			return func(x, y Value) Value { return Float(float64(float32(x.Float() + y.Float()))) }
		}
		return func(x, y Value) Value { return Float(x.Float() + y.Float()) }
	case kindInt, kindUint:
		w := wrap(t)
		return func(x, y Value) Value { return Value{n: w(x.n + y.n)} }
	case kindComplex, kindString:
		return binFunc(token.ADD, t)
	case kindStruct, kindArray:
		part := func(i int) *typ {
			if t.kind == kindArray {
				return t.elem
			}
			return t.fields[i]
		}
		return func(x, y Value) Value {
			sum := make(agg, len(x.parts()))
			for i, p := range x.parts() {
				sum[i] = p
				if e := part(i); e.kind == kindFloat || e.kind == kindComplex || e.kind == kindStruct || e.kind == kindArray {
					sum[i] = add(e)(p, y.parts()[i])
				}
			}
			return Value{r: sum}
		}
	}
	return nil
}
