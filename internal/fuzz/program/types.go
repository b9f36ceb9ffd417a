package program

import (
	"fmt"
	"strings"
)

type kind int

const (
	float kind = iota
	integer
	boolean
	slice
	array
	structure
	pointer
	function // func(float64) float64
	action   // func(float64), with effects
	mapping  // map[int]float64
	iface    // S
	complexNumber
)

// A typ is a type of the programs. Types are compared by their text.
type typ struct {
	kind   kind
	text   string
	elem   *typ // of a slice, an array or a pointer
	n      int  // length of an array
	fields []field
}

type field struct {
	name     string
	t        *typ
	embedded bool
}

var (
	floatType = &typ{kind: float, text: "float64"}
	intType   = &typ{kind: integer, text: "int"}
	boolType  = &typ{kind: boolean, text: "bool"}
	funcType  = &typ{kind: function, text: "func(float64) float64"}
	actType   = &typ{kind: action, text: "func(float64)"}
	mapType   = &typ{kind: mapping, text: "map[int]float64", elem: floatType}
	ifaceType = &typ{kind: iface, text: "S"}
	cplxType  = &typ{kind: complexNumber, text: "complex128"}
	floats    = sliceOf(floatType)
)

func sliceOf(t *typ) *typ { return &typ{kind: slice, text: "[]" + t.text, elem: t} }
func ptrTo(t *typ) *typ   { return &typ{kind: pointer, text: "*" + t.text, elem: t} }
func arrayOf(n int, t *typ) *typ {
	return &typ{kind: array, text: fmt.Sprintf("[%d]%s", n, t.text), elem: t, n: n}
}

func (t *typ) is(u *typ) bool { return t.text == u.text }

// refers reports whether a value of type t shares memory with its copies.
func (t *typ) refers() bool {
	switch t.kind {
	case slice, pointer, function, action, mapping, iface:
		return true
	case array:
		return t.elem.refers()
	case structure:
		for _, f := range t.fields {
			if f.t.refers() {
				return true
			}
		}
	}
	return false
}

// declaration returns the declaration of a struct type.
func (t *typ) declaration() string {
	var b strings.Builder
	fmt.Fprintf(&b, "type %s struct {\n", t.text)
	for _, f := range t.fields {
		if f.embedded {
			fmt.Fprintf(&b, "\t%s\n", f.t.text)
		} else {
			fmt.Fprintf(&b, "\t%s %s\n", f.name, f.t.text)
		}
	}
	b.WriteString("}\n")
	return b.String()
}

// structs chooses the struct types of a program. Their fields are exported, for
// the checker sets them by reflection.
func (g *gen) structs() {
	if !g.on(useStructs) {
		return
	}
	p := &typ{kind: structure, text: "P", fields: []field{{name: "A", t: floatType}, {name: "B", t: floatType}}}
	if g.chance(40) {
		p.fields = append(p.fields, field{name: "N", t: intType})
	}
	if g.chance(30) {
		p.fields = append(p.fields, field{name: "W", t: arrayOf(g.between(2, 3), floatType)})
	}
	g.types = append(g.types, p)
	if !g.on(useNested) {
		return
	}
	q := &typ{kind: structure, text: "Q", fields: []field{{name: "P", t: p, embedded: g.chance(50)}}}
	q.fields = append(q.fields, field{name: "C", t: floatType})
	if g.on(useSlices) && g.chance(60) {
		q.fields = append(q.fields, field{name: "V", t: floats})
	}
	if g.on(usePointers) && g.chance(25) {
		q.fields = append(q.fields, field{name: "R", t: ptrTo(p)})
	}
	g.types = append(g.types, q)
}

// minLen is the least length of slices in parameters, structs and slices.
const minLen = 2
