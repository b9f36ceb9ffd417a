package interp

import (
	"fmt"
	"go/types"
	"math"
	"reflect"

	"github.com/quabla/quabla/ssair"
)

// A Value is the value of one operand. What it holds depends on its type,
// which it does not know itself, but for an interface:
//
//	bool, integers    the number, extended to 64 bits
//	floats            the bits of a float64, rounded to the type
//	complex, string   a complex128 or a string
//	struct, array     the parts as an immutable list
//	pointer           a *Cell
//	slice             a []Cell, whose length and capacity are the slice's
//	map               a *Map
//	func              a *Closure
//	interface         an *Iface
//
// The zero Value is the zero value of every type except structs and arrays;
// see [Zero].
type Value struct {
	n uint64
	r any
}

// An agg is a struct or array value. It is never changed.
type agg []Value

// A Cell is a piece of memory.
type Cell struct {
	v    Value
	kids []Cell // the fields of a struct, the elements of an array
}

// An Iface is a value in an interface.
type Iface struct {
	// Type is the dynamic type, or nil when Val holds a Go value of a type
	// that the module does not know.
	Type types.Type
	Val  Value
}

// A Closure is a function value.
type Closure struct {
	Fn    *ssair.Func // the function, or nil
	Bound []Value     // its first arguments
	Obj   *types.Func // the function when it has no body in the module
	goFn  reflect.Value
}

// A hostValue holds a Go value of a type that the machine does not look into.
type hostValue struct{ v reflect.Value }

// A hostCell is what a cell of such a type holds: a pointer to the value.
type hostCell struct{ p reflect.Value }

// Float returns a value of a floating-point type, which x must fit.
func Float(x float64) Value { return Value{n: math.Float64bits(x)} }

// Int returns a value of a signed integer type, which x must fit.
func Int(x int64) Value { return Value{n: uint64(x)} }

// Uint returns a value of an unsigned integer type, which x must fit.
func Uint(x uint64) Value { return Value{n: x} }

// Bool returns a value of a boolean type.
func Bool(x bool) Value {
	if x {
		return Value{n: 1}
	}
	return Value{}
}

// String returns a value of a string type.
func String(s string) Value { return Value{r: s} }

// Complex returns a value of a complex type, which x must fit.
func Complex(x complex128) Value { return Value{r: x} }

// Pointer returns a pointer to c.
func Pointer(c *Cell) Value {
	if c == nil {
		return Value{}
	}
	return Value{r: c}
}

// Float returns the value of a floating-point type.
func (v Value) Float() float64 { return math.Float64frombits(v.n) }

// Int returns the value of a signed integer type.
func (v Value) Int() int64 { return int64(v.n) }

// Uint returns the value of an unsigned integer type.
func (v Value) Uint() uint64 { return v.n }

// Bool returns the value of a boolean type.
func (v Value) Bool() bool { return v.n != 0 }

// Str returns the value of a string type.
func (v Value) Str() string {
	s, _ := v.r.(string)
	return s
}

// Complex returns the value of a complex type.
func (v Value) Complex() complex128 {
	c, _ := v.r.(complex128)
	return c
}

// IsNil reports whether a reference or an interface is nil.
func (v Value) IsNil() bool { return v.r == nil }

// Pointer returns the cell that a pointer points to, or nil.
func (v Value) Pointer() *Cell {
	c, _ := v.r.(*Cell)
	return c
}

// Len returns the length of a slice or map, or the number of parts of a struct
// or array.
func (v Value) Len() int {
	switch r := v.r.(type) {
	case []Cell:
		return len(r)
	case agg:
		return len(r)
	case *Map:
		return r.Len()
	case string:
		return len(r)
	}
	return 0
}

// Cap returns the capacity of a slice.
func (v Value) Cap() int { return cap(v.cells()) }

// Part returns field or element i of a struct or array, or a pointer to
// element i of a slice.
func (v Value) Part(i int) Value {
	switch r := v.r.(type) {
	case agg:
		return r[i]
	case []Cell:
		return Value{r: &r[i]}
	}
	panic(fmt.Sprintf("interp: a %T has no parts", v.r))
}

// Iface returns what an interface holds, or nil.
func (v Value) Iface() *Iface {
	i, _ := v.r.(*Iface)
	return i
}

// Map returns the map that a value of a map type refers to, or nil.
func (v Value) Map() *Map {
	m, _ := v.r.(*Map)
	return m
}

// Closure returns the function that a value of a function type stands for, or
// nil.
func (v Value) Closure() *Closure {
	c, _ := v.r.(*Closure)
	return c
}

func (v Value) cells() []Cell {
	c, _ := v.r.([]Cell)
	return c
}

func (v Value) parts() agg {
	a, _ := v.r.(agg)
	return a
}

// MakeIface returns v, of type t, as a value of an interface type.
func MakeIface(t types.Type, v Value) Value { return Value{r: &Iface{Type: t, Val: v}} }

// Load returns what the cell holds, given its type.
func (c *Cell) Load(t types.Type) Value { return load(c, newTypeTable(nil).of(t)) }

// Store makes the cell, of type t, hold v.
func (c *Cell) Store(t types.Type, v Value) { store(c, newTypeTable(nil).of(t), v) }

// NewCell returns a cell of type t that holds v.
func NewCell(t types.Type, v Value) *Cell {
	c := new(Cell)
	desc := newTypeTable(nil).of(t)
	initCell(c, desc)
	store(c, desc, v)
	return c
}

// Zero returns the zero value of type t.
func Zero(t types.Type) Value { return newTypeTable(nil).of(t).zero() }

// load returns what a cell of type t holds.
func load(c *Cell, t *typ) Value {
	switch t.kind {
	case kindStruct:
		parts := make(agg, len(t.fields))
		for i, f := range t.fields {
			parts[i] = load(&c.kids[i], f)
		}
		return Value{r: parts}
	case kindArray:
		parts := make(agg, t.n)
		for i := range parts {
			parts[i] = load(&c.kids[i], t.elem)
		}
		return Value{r: parts}
	case kindHost:
		cp := reflect.New(t.host)
		cp.Elem().Set(c.v.r.(*hostCell).p.Elem())
		return Value{r: hostValue{cp.Elem()}}
	}
	return c.v
}

// store makes a cell of type t hold v. Cells inside it stay the same.
func store(c *Cell, t *typ, v Value) {
	switch t.kind {
	case kindStruct:
		parts := v.r.(agg)
		for i, f := range t.fields {
			store(&c.kids[i], f, parts[i])
		}
	case kindArray:
		for i, p := range v.r.(agg) {
			store(&c.kids[i], t.elem, p)
		}
	case kindHost:
		c.v.r.(*hostCell).p.Elem().Set(v.r.(hostValue).v)
	default:
		c.v = v
	}
}

// initCell gives a new cell the shape of t, holding zeros.
func initCell(c *Cell, t *typ) {
	switch t.kind {
	case kindStruct:
		c.kids = make([]Cell, len(t.fields))
		for i, f := range t.fields {
			initCell(&c.kids[i], f)
		}
	case kindArray:
		c.kids = newCells(t.elem, t.n, t.n)
	case kindHost:
		c.v.r = &hostCell{reflect.New(t.host)}
	}
}

// newCells returns n cells of type t with room for c, all holding zeros.
func newCells(t *typ, n, c int) []Cell {
	cells := make([]Cell, c)
	if t.hasParts() {
		for i := range cells {
			initCell(&cells[i], t)
		}
	}
	return cells[:n]
}

// copyCells copies src to dst, which have the same length and may overlap.
func copyCells(dst, src []Cell, t *typ) {
	if len(src) == 0 || &dst[0] == &src[0] {
		return
	}
	if !t.hasParts() {
		copy(dst, src)
		return
	}
	if address(&dst[0]) < address(&src[0]) {
		for i := range src {
			store(&dst[i], t, load(&src[i], t))
		}
		return
	}
	for i := len(src) - 1; i >= 0; i-- {
		store(&dst[i], t, load(&src[i], t))
	}
}
