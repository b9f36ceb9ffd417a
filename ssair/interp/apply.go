package interp

import (
	"cmp"
	"math"
	"slices"

	"github.com/quabla/quabla/ssair"
)

// apply compiles an elementary function. The built-in functions that are
// lifted as such are done here, the others by Machine.Elementary.
func (c *compiler) apply(o *ssair.Op) code {
	if run := c.builtinApply(o); run != nil {
		return run
	}
	var f func([]float64) []float64
	if c.m.Elementary != nil {
		f = c.m.Elementary(o.Fn)
	}
	if f == nil {
		return c.unsupported(o, "the elementary function "+o.Fn)
	}
	args, results := c.slotsOf(o.Args), c.slotsOf(o.Results)
	var in, out []*typ
	n, width := 0, 0
	for _, a := range o.Args {
		in = append(in, c.typ(a))
		n += scalars(c.typ(a))
	}
	for _, r := range o.Results {
		out = append(out, c.typ(r))
		width += scalars(c.typ(r))
	}
	return func(fr *frame) {
		xs := make([]float64, 0, 8)
		if n > cap(xs) {
			xs = make([]float64, 0, n)
		}
		for i, a := range args {
			switch t := in[i]; t.kind {
			case kindComplex:
				z := fr.s[a].Complex()
				xs = append(xs, real(z), imag(z))
			case kindInt:
				xs = append(xs, float64(fr.s[a].Int()))
			case kindUint, kindBool:
				xs = append(xs, float64(fr.s[a].n))
			default:
				xs = append(xs, fr.s[a].Float())
			}
		}
		ys := f(xs)
		if len(ys) != width {
			fr.m.unsupported(o, "the elementary function %s with %d results", o.Fn, width)
		}
		for i, r := range results {
			switch t := out[i]; t.kind {
			case kindComplex:
				fr.s[r].r = complex(round(ys[0], t.bits/2), round(ys[1], t.bits/2))
				ys = ys[1:]
			case kindInt:
				fr.s[r].n = uint64(int64(ys[0]))
			case kindUint:
				fr.s[r].n = uint64(ys[0])
			case kindBool:
				fr.s[r] = Bool(ys[0] != 0)
			default:
				fr.s[r].n = math.Float64bits(round(ys[0], t.bits))
			}
			ys = ys[1:]
		}
	}
}

// scalars returns the number of float64 that stand for a value of type t.
func scalars(t *typ) int {
	if t.kind == kindComplex {
		return 2
	}
	return 1
}

// round rounds x to a float of the given size.
func round(x float64, bits int) float64 {
	if bits == 32 {
		return float64(float32(x))
	}
	return x
}

// builtinApply compiles the built-in functions min, max, complex, real and
// imag for operands of any type; otherwise it returns nil.
func (c *compiler) builtinApply(o *ssair.Op) code {
	if len(o.Args) == 0 || len(o.Results) != 1 {
		return nil
	}
	t := c.typ(o.Args[0])
	switch o.Fn {
	case "min", "max":
		less := lessFor(t)
		if less == nil {
			return nil
		}
		args, r, largest := c.slotsOf(o.Args), c.slot(o.Result()), o.Fn == "max"
		return func(fr *frame) {
			best := fr.s[args[0]]
			for _, a := range args[1:] {
				best = extreme(t, less, largest, best, fr.s[a])
			}
			fr.s[r] = best
		}
	case "complex":
		if len(o.Args) == 2 {
			r, x, y := c.slot(o.Result()), c.slot(o.Args[0]), c.slot(o.Args[1])
			return func(fr *frame) { fr.s[r].r = complex(fr.s[x].Float(), fr.s[y].Float()) }
		}
	case "real":
		return c.unary(o, func(v Value) Value { return Float(real(v.Complex())) })
	case "imag":
		return c.unary(o, func(v Value) Value { return Float(imag(v.Complex())) })
	}
	return nil
}

// extreme returns the largest or smallest of two values of type t. For floats it
// is Go's own, which knows NaNs and signed zeros.
func extreme(t *typ, less func(x, y Value) bool, largest bool, x, y Value) Value {
	switch {
	case t.kind == kindFloat && largest:
		return Float(max(x.Float(), y.Float()))
	case t.kind == kindFloat:
		return Float(min(x.Float(), y.Float()))
	case largest && less(x, y), !largest && less(y, x):
		return y
	}
	return x
}

// lessFor returns the order of the values of type t, or nil if it has none.
// NaNs come first, as in package slices.
func lessFor(t *typ) func(x, y Value) bool {
	switch t.kind {
	case kindInt:
		return func(x, y Value) bool { return x.Int() < y.Int() }
	case kindUint:
		return func(x, y Value) bool { return x.n < y.n }
	case kindFloat:
		return func(x, y Value) bool { return cmp.Less(x.Float(), y.Float()) }
	case kindString:
		return func(x, y Value) bool { return x.Str() < y.Str() }
	case kindStruct, kindArray: // part by part
		parts := t.fields
		if t.kind == kindArray {
			parts = slices.Repeat([]*typ{t.elem}, t.n)
		}
		less := make([]func(x, y Value) bool, len(parts))
		for i, p := range parts {
			if less[i] = lessFor(p); less[i] == nil {
				return nil
			}
		}
		return func(x, y Value) bool {
			xs, ys := x.parts(), y.parts()
			for i, before := range less {
				if before(xs[i], ys[i]) || before(ys[i], xs[i]) {
					return before(xs[i], ys[i])
				}
			}
			return false
		}
	}
	return nil
}
