package interp

import (
	"fmt"
	"go/types"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/quabla/quabla/ssair"
)

// Format spells v, of type t, much as fmt.Sprint spells Go values, but follows
// pointers and shows nil as such.
func Format(v Value, t types.Type) string {
	f := &formatter{types: newTypeTable(nil), open: map[*Cell]bool{}}
	f.value(v, f.types.of(t))
	return f.b.String()
}

type formatter struct {
	b     strings.Builder
	types *typeTable
	open  map[*Cell]bool
}

func (f *formatter) value(v Value, t *typ) {
	b := &f.b
	list := func(open string, n int, at func(i int)) {
		b.WriteString(open)
		for i := range n {
			if i > 0 {
				b.WriteByte(' ')
			}
			at(i)
		}
	}
	switch t.kind {
	case kindBool:
		b.WriteString(strconv.FormatBool(v.Bool()))
	case kindInt:
		b.WriteString(strconv.FormatInt(v.Int(), 10))
	case kindUint:
		b.WriteString(strconv.FormatUint(v.n, 10))
	case kindFloat:
		if t.bits == 32 {
			fmt.Fprint(b, float32(v.Float()))
		} else {
			fmt.Fprint(b, v.Float())
		}
	case kindComplex:
		if t.bits == 64 {
			fmt.Fprint(b, complex64(v.Complex()))
		} else {
			fmt.Fprint(b, v.Complex())
		}
	case kindString:
		b.WriteString(v.Str())
	case kindStruct, kindArray:
		open, end := "{", "}"
		if t.kind == kindArray {
			open, end = "[", "]"
		}
		parts := v.parts()
		list(open, len(parts), func(i int) { f.value(parts[i], partType(t, i)) })
		b.WriteString(end)
	case kindSlice:
		cells := v.cells()
		list("[", len(cells), func(i int) { f.value(load(&cells[i], t.elem), t.elem) })
		b.WriteString("]")
	case kindMap:
		es := v.Map().entries(t.key)
		list("map[", len(es), func(i int) {
			f.value(es[i].key, t.key)
			b.WriteByte(':')
			f.value(es[i].val, t.elem)
		})
		b.WriteString("]")
	case kindPtr:
		f.pointer(v.Pointer(), t)
	case kindIface:
		switch i := v.Iface(); {
		case i == nil:
			b.WriteString("<nil>")
		case i.Type == nil:
			fmt.Fprint(b, i.Val.goValue())
		default:
			f.value(i.Val, f.types.of(i.Type))
		}
	case kindFunc:
		switch c := v.Closure(); {
		case c == nil:
			b.WriteString("<nil>")
		case c.Fn != nil:
			b.WriteString("func " + c.Fn.Name)
		case c.Obj != nil:
			b.WriteString("func " + c.Obj.FullName())
		default:
			b.WriteString("func")
		}
	case kindHost:
		fmt.Fprint(b, v.r.(hostValue).v)
	case kindNil:
		b.WriteString("<nil>")
	default:
		b.WriteString("?")
	}
}

func (f *formatter) pointer(c *Cell, t *typ) {
	switch {
	case c == nil:
		f.b.WriteString("<nil>")
	case f.open[c]:
		f.b.WriteString("&...")
	case t.elem.kind == kindHost:
		fmt.Fprintf(&f.b, "&%v", t.elem)
	default:
		f.open[c] = true
		f.b.WriteByte('&')
		f.value(load(c, t.elem), t.elem)
		delete(f.open, c)
	}
}

// Trace makes m print each op that it executes, with its results, under the
// numbers that they have in the printed form of the function. It sets
// m.Watch, and is to be called before the first call of a function.
func (m *Machine) Trace(w io.Writer) {
	numbers := map[*ssair.Func]map[*ssair.Value]int{}
	m.Watch = func(o *ssair.Op, results []Value) {
		f := o.Parent.Func
		if numbers[f] == nil {
			numbers[f] = f.Numbers()
		}
		num := func(v *ssair.Value) string {
			if v == nil {
				return "_"
			}
			s := "%" + strconv.Itoa(numbers[f][v])
			if v.Name() != "" {
				s += ":" + v.Name()
			}
			return s
		}
		var rs, as []string
		for i, v := range o.Results {
			rs = append(rs, num(v)+" = "+Format(results[i], v.Type))
		}
		for _, a := range o.Args {
			as = append(as, num(a))
		}
		op := o.Kind.String()
		switch {
		case o.Fn != "":
			op += " " + o.Fn
		case o.Tok != 0:
			op += " " + o.Tok.String()
		case o.Callee != nil:
			op += " @" + o.Callee.Name
		case o.Obj != nil:
			op += " " + o.Obj.Name()
		}
		if len(as) > 0 {
			op += " " + strings.Join(as, ", ")
		}
		if len(rs) > 0 {
			op = strings.Join(rs, ", ") + "   " + op
		}
		fmt.Fprintf(w, "%s%s: %s\n", strings.Repeat("  ", o.Parent.Depth()), f.Name, op)
	}
}

// A NonFinite is an op that computed a float that is infinite or NaN.
type NonFinite struct {
	Op    *ssair.Op
	Value float64
}

// FirstNonFinite runs f and returns the first op that computed an infinity or a
// NaN, or nil if none did. It sets m.Watch, and m must not have run a function
// before.
func (m *Machine) FirstNonFinite(f *ssair.Func, args ...Value) (*NonFinite, error) {
	var first *NonFinite
	m.Watch = func(o *ssair.Op, results []Value) {
		switch o.Kind {
		case ssair.Bin, ssair.Un, ssair.Conv, ssair.Apply, ssair.Accum, ssair.Opaque:
		default:
			return
		}
		for i, r := range results {
			t := o.Results[i].Type
			if first != nil || !ssair.IsScalar(t) {
				continue
			}
			for _, x := range Flatten(r, t) {
				if math.IsNaN(x) || math.IsInf(x, 0) {
					first = &NonFinite{Op: o, Value: x}
				}
			}
		}
	}
	_, err := m.Call(f, args...)
	return first, err
}
