package leaves

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"unsafe"
)

// Of returns the leaves of v.
func Of(v reflect.Value) []float64 {
	var xs []float64
	w := &walk{visit: func(x float64) float64 {
		xs = append(xs, x)
		return x
	}}
	w.value(v)
	return xs
}

// Names names the leaves of v if name is a variable that holds it: x[0].Pos, or
// Re z and Im z. Pointers are followed silently, and keys of maps are not quoted.
func Names(name string, v reflect.Value) []string {
	var names []string
	w := &walk{names: true, name: name}
	w.visit = func(x float64) float64 {
		names = append(names, w.name)
		return x
	}
	w.value(v)
	return names
}

// Set sets the first leaves of v. Memory that v refers to is changed in place;
// where leaves are part of v itself, v is not changed, but what Set returns is v
// as it is then.
func Set(v reflect.Value, xs []float64) reflect.Value {
	at := 0
	w := &walk{set: true, visit: func(x float64) float64 {
		if at == len(xs) {
			return x
		}
		at++
		return xs[at-1]
	}}
	return w.value(v)
}

// Shared reports whether two of the leaves of v are the same variable, so that
// they cannot change apart from each other.
func Shared(v reflect.Value) bool {
	w := &walk{at: map[unsafe.Pointer]bool{}, visit: func(x float64) float64 { return x }}
	w.value(v)
	return w.twice
}

// A walk visits the leaves of a value.
type walk struct {
	visit func(x float64) float64
	set   bool // store what visit returns

	names bool // keep name, the path to the leaf
	name  string

	at    map[unsafe.Pointer]bool // addresses of leaves, if it is not nil
	twice bool                    // one of them was met twice

	open map[any]bool // references that are being followed
}

// Settable returns v, if it is addressable, without the mark of fields that are
// not exported.
func Settable(v reflect.Value) reflect.Value {
	if v.CanSet() || !v.CanAddr() {
		return v
	}
	return reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
}

// Variable returns a new variable that holds v.
func Variable(v reflect.Value) reflect.Value {
	x := reflect.New(v.Type()).Elem()
	x.Set(v)
	return x
}

// value visits the leaves of v and returns v as it is then. Memory that v refers to
// is changed in place.
func (w *walk) value(v reflect.Value) reflect.Value {
	if !v.IsValid() {
		return v
	}
	x := Variable(v)
	w.place(x)
	return x
}

// place visits the leaves of a variable.
func (w *walk) place(v reflect.Value) {
	v = Settable(v)
	switch v.Kind() {
	case reflect.Float32, reflect.Float64:
		w.note(v)
		if x := w.visit(v.Float()); w.set {
			v.SetFloat(x)
		}
	case reflect.Complex64, reflect.Complex128:
		w.note(v)
		z := v.Complex()
		name := w.name
		w.name = "Re " + name
		re := w.visit(real(z))
		w.name = "Im " + name
		im := w.visit(imag(z))
		w.name = name
		if w.set {
			v.SetComplex(complex(re, im))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			w.part(func() string { return "." + v.Type().Field(i).Name }, v.Field(i))
		}
	case reflect.Array:
		w.elements(v)
	case reflect.Slice:
		if v.Len() > 0 {
			w.follow([2]any{v.Pointer(), v.Type()}, func() { w.elements(v) })
		}
	case reflect.Pointer:
		if !v.IsNil() {
			w.follow([2]any{v.Pointer(), v.Type()}, func() { w.place(v.Elem()) })
		}
	case reflect.Map:
		w.follow([2]any{v.Pointer(), v.Type()}, func() {
			for _, k := range sortedKeys(v) {
				x := Variable(v.MapIndex(k))
				w.part(func() string { return "[" + fmt.Sprint(k.Interface()) + "]" }, x)
				if w.set {
					v.SetMapIndex(k, x)
				}
			}
		})
	case reflect.Interface:
		if !v.IsNil() {
			x := Variable(v.Elem())
			w.place(x)
			if w.set && x.Kind() != reflect.Pointer {
				v.Set(x)
			}
		}
	}
}

func (w *walk) elements(v reflect.Value) {
	for i := range v.Len() {
		w.part(func() string { return fmt.Sprintf("[%d]", i) }, v.Index(i))
	}
}

// part visits a part of a value; step is what it adds to the name.
func (w *walk) part(step func() string, v reflect.Value) {
	if !w.names {
		w.place(v)
		return
	}
	before := w.name
	w.name += step()
	w.place(v)
	w.name = before
}

// note remembers the variable that holds a leaf.
func (w *walk) note(v reflect.Value) {
	if w.at != nil {
		p := v.Addr().UnsafePointer()
		w.twice = w.twice || w.at[p]
		w.at[p] = true
	}
}

// follow visits what a reference leads to, unless that is being visited.
func (w *walk) follow(ref any, visit func()) {
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

// sortedKeys returns the keys of a map in order.
func sortedKeys(m reflect.Value) []reflect.Value {
	keys := m.MapKeys()
	slices.SortFunc(keys, compare)
	return keys
}

// compare orders values: structs and arrays part by part, what has no order by
// its text.
func compare(a, b reflect.Value) int {
	switch {
	case a.CanInt():
		return cmp.Compare(a.Int(), b.Int())
	case a.CanUint():
		return cmp.Compare(a.Uint(), b.Uint())
	case a.CanFloat():
		return cmp.Compare(a.Float(), b.Float())
	case a.Kind() == reflect.String:
		return cmp.Compare(a.String(), b.String())
	case a.Kind() == reflect.Struct:
		for i := range a.NumField() {
			if c := compare(a.Field(i), b.Field(i)); c != 0 {
				return c
			}
		}
		return 0
	case a.Kind() == reflect.Array:
		for i := range a.Len() {
			if c := compare(a.Index(i), b.Index(i)); c != 0 {
				return c
			}
		}
		return 0
	}
	return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b))
}
