package interp

import (
	"math"

	"github.com/quabla/quabla/ssair"
)

// conv compiles a conversion.
func (c *compiler) conv(o *ssair.Op) code {
	src, dst := c.typ(o.Args[0]), c.typ(o.Result())
	if f := numericConv(src, dst); f != nil {
		return c.unary(o, f)
	}
	switch {
	case src.kind == kindNil:
		return c.unary(o, func(Value) Value { return dst.zero() })
	case dst.kind == kindIface && src.kind != kindIface:
		return c.unary(o, func(v Value) Value { return MakeIface(src.t, v) })
	case src.isInt() && dst.kind == kindString:
		return c.unary(o, func(v Value) Value { return String(runeString(v, src)) })
	case src.kind == kindString && dst.kind == kindSlice && dst.elem.isInt():
		return c.stringToSlice(o, dst)
	case src.kind == kindSlice && src.elem.isInt() && dst.kind == kindString:
		return c.unary(o, func(v Value) Value { return String(sliceString(v.cells(), src.elem)) })
	case src.kind == kindSlice && dst.kind == kindArray:
		return c.sliceToArray(o, dst)
	case src.kind == kindSlice && dst.kind == kindPtr && dst.elem.kind == kindArray:
		return c.sliceToPointer(o, dst)
	case src.kind == dst.kind && src.kind != kindOther:
		return c.unary(o, func(v Value) Value { return v })
	}
	return c.unsupported(o, "a conversion of "+src.String()+" to "+dst.String())
}

// numericConv returns the conversion between two numeric types, or nil.
func numericConv(src, dst *typ) func(Value) Value {
	switch {
	case src.isInt() && dst.isInt():
		w := wrap(dst)
		return func(v Value) Value { return Value{n: w(v.n)} }
	case src.kind == kindInt && dst.kind == kindFloat:
		if dst.bits == 32 { // one rounding, not two
			return func(v Value) Value { return Float(float64(float32(v.Int()))) }
		}
		return func(v Value) Value { return Float(float64(v.Int())) }
	case src.kind == kindUint && dst.kind == kindFloat:
		if dst.bits == 32 {
			return func(v Value) Value { return Float(float64(float32(v.n))) }
		}
		return func(v Value) Value { return Float(float64(v.n)) }
	case src.kind == kindFloat && dst.kind == kindFloat:
		if dst.bits == 32 {
			return func(v Value) Value { return Float(float64(float32(v.Float()))) }
		}
		return func(v Value) Value { return v }
	case src.kind == kindFloat && dst.isInt():
		f := floatToInt(dst)
		return func(v Value) Value { return Value{n: f(v.Float())} }
	case src.kind == kindComplex && dst.kind == kindComplex:
		if dst.bits == 64 {
			return func(v Value) Value { return Complex(complex128(complex64(v.Complex()))) }
		}
		return func(v Value) Value { return v }
	}
	return nil
}

// floatToInt returns Go's own conversion to the integer type t, so that values
// that do not fit give what they give in Go on this machine.
func floatToInt(t *typ) func(float64) uint64 {
	if t.kind == kindInt {
		switch t.bits {
		case 8:
			return func(x float64) uint64 { return uint64(int8(x)) }
		case 16:
			return func(x float64) uint64 { return uint64(int16(x)) }
		case 32:
			return func(x float64) uint64 { return uint64(int32(x)) }
		}
		return func(x float64) uint64 { return uint64(int64(x)) }
	}
	switch t.bits {
	case 8:
		return func(x float64) uint64 { return uint64(uint8(x)) }
	case 16:
		return func(x float64) uint64 { return uint64(uint16(x)) }
	case 32:
		return func(x float64) uint64 { return uint64(uint32(x)) }
	}
	return func(x float64) uint64 { return uint64(x) }
}

func runeString(v Value, t *typ) string {
	if t.kind == kindInt && (v.Int() < 0 || v.Int() > math.MaxInt32) || v.n > math.MaxInt32 {
		return "\uFFFD"
	}
	return string(rune(v.n))
}

// stringToSlice compiles []byte(s) and []rune(s).
func (c *compiler) stringToSlice(o *ssair.Op, dst *typ) code {
	r, x := c.slot(o.Result()), c.slot(o.Args[0])
	return func(fr *frame) {
		var ns []uint64
		s := fr.s[x].Str()
		if dst.elem.bits == 8 {
			for i := range len(s) {
				ns = append(ns, uint64(s[i]))
			}
		} else {
			for _, u := range s {
				ns = append(ns, uint64(u))
			}
		}
		size := 0
		if len(ns) > 0 {
			size = fr.m.grown(dst.elem, 0, len(ns))
		}
		fr.m.alloc(o, dst.elem, size)
		cells := newCells(dst.elem, len(ns), size)
		for i, n := range ns {
			cells[i].v.n = n
		}
		fr.s[r] = Value{r: cells}
	}
}

func sliceString(cells []Cell, elem *typ) string {
	if elem.bits == 8 {
		b := make([]byte, len(cells))
		for i := range cells {
			b[i] = byte(cells[i].v.n)
		}
		return string(b)
	}
	rs := make([]rune, len(cells))
	for i := range cells {
		rs[i] = rune(cells[i].v.n)
	}
	return string(rs)
}

func (m *Machine) checkArrayLen(o *ssair.Op, cells []Cell, want int) {
	if len(cells) < want {
		m.throw(o, "runtime error: cannot convert slice with length %d to array or pointer to array with length %d", len(cells), want)
	}
}

func (c *compiler) sliceToArray(o *ssair.Op, dst *typ) code {
	r, x := c.slot(o.Result()), c.slot(o.Args[0])
	return func(fr *frame) {
		cells := fr.s[x].cells()
		fr.m.checkArrayLen(o, cells, dst.n)
		fr.s[r] = load(&Cell{kids: cells}, dst)
	}
}

// sliceToPointer compiles the conversion of a slice to a pointer to an array,
// which shares the cells of the slice.
func (c *compiler) sliceToPointer(o *ssair.Op, dst *typ) code {
	r, x := c.slot(o.Result()), c.slot(o.Args[0])
	return func(fr *frame) {
		cells := fr.s[x].cells()
		fr.m.checkArrayLen(o, cells, dst.elem.n)
		if cells == nil {
			fr.s[r] = Value{}
			return
		}
		fr.s[r] = Value{r: &Cell{kids: cells[:dst.elem.n:dst.elem.n]}}
	}
}
