package interp

import (
	"fmt"
	"go/types"
)

// A leafWalk visits the floats that can be reached from a value: in the order
// of parameters, of fields and of indices, through pointers, slices up to their
// length, maps in the order of their keys and interfaces. A complex number is
// two of them. What a cycle leads back to is not visited again, but what two
// references share is visited twice.
type leafWalk struct {
	types *typeTable
	// visit returns the new value of a leaf, which is the old one if it is
	// not to change.
	visit func(x float64) float64
	// name is the path to the leaf, kept if names is set.
	names bool
	name  string
	open  map[any]bool // pointers, slices and maps being followed
}

// value visits the leaves of v and returns v as it is then. Memory that v
// refers to is changed in place.
func (w *leafWalk) value(v Value, t *typ) Value {
	switch t.kind {
	case kindFloat:
		return Float(round(w.visit(v.Float()), t.bits))
	case kindComplex:
		z := v.Complex()
		re := w.part("Re ", func() float64 { return w.visit(real(z)) })
		im := w.part("Im ", func() float64 { return w.visit(imag(z)) })
		return Complex(complex(round(re, t.bits/2), round(im, t.bits/2)))
	case kindStruct, kindArray:
		parts := make(agg, v.Len())
		for i, p := range v.parts() {
			w.at(partName(t, i), func() { parts[i] = w.value(p, partType(t, i)) })
		}
		return Value{r: parts}
	case kindSlice:
		cells := v.cells()
		if len(cells) == 0 {
			break
		}
		w.follow(sliceAt{&cells[0], len(cells)}, func() {
			for i := range cells {
				w.at(fmt.Sprintf("[%d]", i), func() { w.cell(&cells[i], t.elem) })
			}
		})
	case kindPtr:
		if c := v.Pointer(); c != nil {
			w.follow(c, func() { w.cell(c, t.elem) })
		}
	case kindMap:
		w.follow(v.Map(), func() {
			for _, e := range v.Map().entries(t.key) {
				w.at("["+Format(e.key, t.key.t)+"]", func() { e.val = w.value(e.val, t.elem) })
			}
		})
	case kindIface:
		if i := v.Iface(); i != nil && i.Type != nil {
			d := w.types.of(i.Type)
			if d.kind == kindPtr {
				w.value(i.Val, d)
				break
			}
			val := w.value(i.Val, d)
			return MakeIface(i.Type, val)
		}
	}
	return v
}

// A sliceAt identifies a slice.
type sliceAt struct {
	first *Cell
	len   int
}

// follow visits what a reference leads to, unless it is being visited.
func (w *leafWalk) follow(ref any, visit func()) {
	if w.open[ref] {
		return
	}
	if w.open == nil {
		w.open = map[any]bool{}
	}
	w.open[ref] = true
	visit()
	delete(w.open, ref)
}

// cell visits the leaves of what a cell holds.
func (w *leafWalk) cell(c *Cell, t *typ) {
	switch t.kind {
	case kindStruct, kindArray:
		for i := range c.kids {
			w.at(partName(t, i), func() { w.cell(&c.kids[i], partType(t, i)) })
		}
	case kindHost:
	default:
		c.v = w.value(c.v, t)
	}
}

func (w *leafWalk) at(name string, f func()) {
	if !w.names {
		f()
		return
	}
	before := w.name
	w.name += name
	f()
	w.name = before
}

func (w *leafWalk) part(name string, f func() float64) (x float64) {
	before := w.name
	w.name = name + before
	x = f()
	w.name = before
	return x
}

func partType(t *typ, i int) *typ {
	if t.kind == kindArray {
		return t.elem
	}
	return t.fields[i]
}

func partName(t *typ, i int) string {
	if t.kind == kindArray {
		return fmt.Sprintf("[%d]", i)
	}
	return "." + t.t.Underlying().(*types.Struct).Field(i).Name()
}

// Flatten returns the floats that can be reached from v, of type t: the value
// itself, fields and elements in order, what pointers, slices and interfaces
// refer to, and the values of maps in the order of their keys. A complex number
// is its real and its imaginary part. What two references share is there twice,
// except that a reference is not followed within what it refers to.
func Flatten(v Value, t types.Type) []float64 { return FlattenAll([]Value{v}, []types.Type{t}) }

// FlattenAll is Flatten of several values, one behind the other.
func FlattenAll(vs []Value, ts []types.Type) []float64 {
	var xs []float64
	tt := newTypeTable(nil)
	w := &leafWalk{types: tt, visit: func(x float64) float64 {
		xs = append(xs, x)
		return x
	}}
	for i, v := range vs {
		w.value(v, tt.of(ts[i]))
	}
	return xs
}

// LeafNames names the floats of Flatten, if name is a variable that holds v:
// x[0].Pos, or Re z and Im z. Pointers are followed silently, and keys of maps
// are not quoted.
func LeafNames(name string, v Value, t types.Type) []string {
	var names []string
	tt := newTypeTable(nil)
	w := &leafWalk{types: tt, names: true, name: name}
	w.visit = func(x float64) float64 {
		names = append(names, w.name)
		return x
	}
	w.value(v, tt.of(t))
	return names
}

// SetLeaf sets leaf i of v, in the order of Flatten, to x. It changes the
// memory that v refers to in place and returns v as it is then; where the leaf
// is part of v itself, v as it was is not changed.
func SetLeaf(v Value, t types.Type, i int, x float64) Value {
	return changeLeaf(v, t, i, func(float64) float64 { return x })
}

// AddLeaf adds dx to leaf i of v; see [SetLeaf].
func AddLeaf(v Value, t types.Type, i int, dx float64) Value {
	return changeLeaf(v, t, i, func(x float64) float64 { return x + dx })
}

func changeLeaf(v Value, t types.Type, i int, f func(float64) float64) Value {
	tt, n := newTypeTable(nil), 0
	w := &leafWalk{types: tt, visit: func(x float64) float64 {
		n++
		if n == i+1 {
			return f(x)
		}
		return x
	}}
	out := w.value(v, tt.of(t))
	if i < 0 || i >= n {
		panic(fmt.Sprintf("interp: no leaf %d in a value with %d", i, n))
	}
	return out
}

// SetLeaves sets all leaves of the values, in the order of FlattenAll; see
// [SetLeaf].
func SetLeaves(vs []Value, ts []types.Type, xs []float64) []Value {
	tt, n := newTypeTable(nil), 0
	w := &leafWalk{types: tt, visit: func(float64) float64 {
		if n++; n > len(xs) {
			panic(fmt.Sprintf("interp: only %d values for the leaves", len(xs)))
		}
		return xs[n-1]
	}}
	out := make([]Value, len(vs))
	for i, v := range vs {
		out[i] = w.value(v, tt.of(ts[i]))
	}
	if n != len(xs) {
		panic(fmt.Sprintf("interp: %d values for %d leaves", len(xs), n))
	}
	return out
}
