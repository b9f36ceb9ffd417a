package interp

import (
	"go/token"
	"go/types"
	"reflect"

	"github.com/quabla/quabla/ssair"
)

// cmp compiles a comparison.
func (c *compiler) cmp(o *ssair.Op) code {
	r, x, y := c.slot(o.Result()), c.slot(o.Args[0]), c.slot(o.Args[1])
	t, u := c.typ(o.Args[0]), c.typ(o.Args[1])
	if t.kind == kindNil || u.kind == kindNil {
		other := x
		if t.kind == kindNil {
			other = y
		}
		eq := o.Tok == token.EQL
		return func(fr *frame) { fr.s[r] = Bool((fr.s[other].r == nil) == eq) }
	}
	if t.kind != u.kind && (t.kind == kindIface || u.kind == kindIface) {
		return c.cmpMixed(o, t, u)
	}
	if run := scalarCmp(o.Tok, t, r, x, y); run != nil {
		return run
	}
	switch {
	case o.Tok == token.EQL || o.Tok == token.NEQ:
		eq := o.Tok == token.EQL
		return func(fr *frame) { fr.s[r] = Bool(fr.m.equal(o, t, fr.s[x], fr.s[y]) == eq) }
	case t.kind == kindString:
		var f func(x, y string) bool
		switch o.Tok {
		case token.LSS:
			f = func(x, y string) bool { return x < y }
		case token.LEQ:
			f = func(x, y string) bool { return x <= y }
		case token.GTR:
			f = func(x, y string) bool { return x > y }
		case token.GEQ:
			f = func(x, y string) bool { return x >= y }
		}
		return func(fr *frame) { fr.s[r] = Bool(f(fr.s[x].Str(), fr.s[y].Str())) }
	}
	return c.unsupported(o, "the comparison "+o.Tok.String()+" of "+t.String())
}

// cmpMixed compares a value in an interface with one that is not.
func (c *compiler) cmpMixed(o *ssair.Op, t, u *typ) code {
	r, x, y := c.slot(o.Result()), c.slot(o.Args[0]), c.slot(o.Args[1])
	iface, eq := t, o.Tok == token.EQL
	if u.kind == kindIface {
		iface = u
	}
	return func(fr *frame) {
		a, b := fr.s[x], fr.s[y]
		if t.kind != kindIface {
			a = MakeIface(t.t, a)
		} else {
			b = MakeIface(u.t, b)
		}
		fr.s[r] = Bool(fr.m.equal(o, iface, a, b) == eq)
	}
}

// scalarCmp compiles comparisons of numbers and bools; nil for other types.
func scalarCmp(tok token.Token, t *typ, r, x, y int) code {
	switch t.kind {
	case kindInt:
		f := ordered[int64](tok)
		return func(fr *frame) { fr.s[r].n = f(int64(fr.s[x].n), int64(fr.s[y].n)) }
	case kindUint, kindBool:
		f := ordered[uint64](tok)
		return func(fr *frame) { fr.s[r].n = f(fr.s[x].n, fr.s[y].n) }
	case kindFloat:
		f := ordered[float64](tok)
		return func(fr *frame) { fr.s[r].n = f(fr.s[x].Float(), fr.s[y].Float()) }
	}
	return nil
}

// ordered returns a comparison that yields 0 or 1.
func ordered[T int64 | uint64 | float64](tok token.Token) func(x, y T) uint64 {
	b := func(x bool) uint64 {
		if x {
			return 1
		}
		return 0
	}
	switch tok {
	case token.EQL:
		return func(x, y T) uint64 { return b(x == y) }
	case token.NEQ:
		return func(x, y T) uint64 { return b(x != y) }
	case token.LSS:
		return func(x, y T) uint64 { return b(x < y) }
	case token.LEQ:
		return func(x, y T) uint64 { return b(x <= y) }
	case token.GTR:
		return func(x, y T) uint64 { return b(x > y) }
	}
	return func(x, y T) uint64 { return b(x >= y) }
}

// equal reports x == y for values of type t.
func (m *Machine) equal(o *ssair.Op, t *typ, x, y Value) bool {
	switch t.kind {
	case kindBool, kindInt, kindUint:
		return x.n == y.n
	case kindFloat:
		return x.Float() == y.Float()
	case kindComplex:
		return x.Complex() == y.Complex()
	case kindString:
		return x.Str() == y.Str()
	case kindStruct:
		for i, f := range t.fields {
			if isBlank(t, i) {
				continue
			}
			if !m.equal(o, f, x.parts()[i], y.parts()[i]) {
				return false
			}
		}
		return true
	case kindArray:
		for i := range t.n {
			if !m.equal(o, t.elem, x.parts()[i], y.parts()[i]) {
				return false
			}
		}
		return true
	case kindPtr:
		return pointerKey(x.Pointer()) == pointerKey(y.Pointer())
	case kindSlice, kindMap, kindFunc:
		// Go compares these with nil only.
		return x.r == nil && y.r == nil
	case kindIface:
		return m.equalIface(o, x.Iface(), y.Iface())
	case kindHost:
		return x.r.(hostValue).v.Interface() == y.r.(hostValue).v.Interface()
	}
	m.unsupported(o, "a comparison of %s", t)
	return false
}

func (m *Machine) equalIface(o *ssair.Op, a, b *Iface) bool {
	if a == nil || b == nil {
		return a == b
	}
	if a.Type == nil || b.Type == nil {
		x, ok1 := m.hostInterface(a)
		y, ok2 := m.hostInterface(b)
		return ok1 && ok2 && reflect.TypeOf(x) == reflect.TypeOf(y) && reflect.TypeOf(x).Comparable() && x == y
	}
	if !types.Identical(a.Type, b.Type) {
		return false
	}
	t := m.types.of(a.Type)
	if bad := uncomparable(t); bad != nil {
		m.throw(o, "runtime error: comparing uncomparable type %s", bad)
	}
	return m.equal(o, t, a.Val, b.Val)
}

// uncomparable returns t when its values cannot be compared, or the array
// element that the runtime would name. It is nil for comparable types.
func uncomparable(t *typ) *typ {
	switch t.kind {
	case kindSlice, kindMap, kindFunc:
		return t
	case kindArray:
		if uncomparable(t.elem) != nil {
			return t
		}
	case kindStruct:
		for _, f := range t.fields {
			if uncomparable(f) != nil {
				return t
			}
		}
	case kindHost:
		if !t.host.Comparable() {
			return t
		}
	}
	return nil
}

func isBlank(t *typ, field int) bool {
	return t.t.Underlying().(*types.Struct).Field(field).Name() == "_"
}

// pointerKey returns what identifies the memory that a pointer points to. Two
// pointers to one array are equal although their cells may differ, and a Go
// value that was wrapped twice is one value.
func pointerKey(c *Cell) any {
	switch {
	case c == nil:
		return nil
	case len(c.kids) > 0:
		return &c.kids[0]
	}
	if h, ok := c.v.r.(*hostCell); ok {
		return h.p.Pointer()
	}
	return c
}

// A pair makes one comparable value of two.
type pair struct{ a, b any }

// A hasher makes keys of maps.
type hasher struct {
	m     *Machine
	o     *ssair.Op
	empty bool // the map is empty, where Go has another message
}

// key returns a Go value such that two keys of type t are equal in the program
// just when theirs are.
func (h hasher) key(t *typ, v Value) any {
	switch t.kind {
	case kindBool, kindInt, kindUint:
		return v.n
	case kindFloat:
		return v.Float()
	case kindComplex:
		return v.Complex()
	case kindString:
		return v.Str()
	case kindPtr:
		return pointerKey(v.Pointer())
	case kindHost:
		return v.r.(hostValue).v.Interface()
	case kindStruct:
		var key any
		for i, f := range t.fields {
			if !isBlank(t, i) {
				key = pair{key, h.key(f, v.parts()[i])}
			}
		}
		return key
	case kindArray:
		var key any
		for _, p := range v.parts() {
			key = pair{key, h.key(t.elem, p)}
		}
		return key
	case kindIface:
		i := v.Iface()
		if i == nil {
			return nil
		}
		if i.Type == nil {
			x, _ := h.m.hostInterface(i)
			return x
		}
		d := h.m.types.of(i.Type)
		if bad := uncomparable(d); bad != nil {
			if h.empty {
				h.m.throw(h.o, "hash of unhashable type: %s", bad)
			}
			h.m.throw(h.o, "runtime error: hash of unhashable type %s", bad)
		}
		return pair{typeKey(i.Type), h.key(d, i.Val)}
	}
	h.m.unsupported(h.o, "a map with keys of type %s", t)
	return nil
}

// typeKey returns a Go value that identifies a type.
func typeKey(t types.Type) any {
	t = types.Unalias(t)
	if n, ok := t.(*types.Named); ok && n.TypeArgs().Len() == 0 {
		return n.Obj()
	}
	return types.TypeString(t, nil)
}
