package probe

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unsafe"
)

// A leafWalk visits the floats that can be reached from a value, in the order of
// the bank.
type leafWalk struct {
	visit func(x float64) float64
	set   bool // store what visit returns
	name  string
	open  map[any]bool // what is being followed
}

// settable returns v, which is addressable, without the mark of unexported fields.
func settable(v reflect.Value) reflect.Value {
	if v.CanSet() || !v.CanAddr() {
		return v
	}
	return reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
}

// variable returns a new variable that holds v.
func variable(v reflect.Value) reflect.Value {
	x := reflect.New(v.Type()).Elem()
	x.Set(v)
	return x
}

// value visits the leaves of v and returns v as it is then. Memory that v refers to
// is changed in place.
func (w *leafWalk) value(v reflect.Value) reflect.Value {
	if !v.IsValid() {
		return v
	}
	x := variable(v)
	w.place(x)
	return x
}

// place visits the leaves of a variable.
func (w *leafWalk) place(v reflect.Value) {
	v = settable(v)
	switch v.Kind() {
	case reflect.Float32, reflect.Float64:
		if x := w.visit(v.Float()); w.set {
			v.SetFloat(x)
		}
	case reflect.Complex64, reflect.Complex128:
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
			w.at("."+v.Type().Field(i).Name, func() { w.place(v.Field(i)) })
		}
	case reflect.Array:
		for i := range v.Len() {
			w.at(fmt.Sprintf("[%d]", i), func() { w.place(v.Index(i)) })
		}
	case reflect.Slice:
		if v.Len() > 0 {
			w.follow([2]any{v.Pointer(), v.Type()}, func() {
				for i := range v.Len() {
					w.at(fmt.Sprintf("[%d]", i), func() { w.place(v.Index(i)) })
				}
			})
		}
	case reflect.Pointer:
		if !v.IsNil() {
			w.follow([2]any{v.Pointer(), v.Type()}, func() { w.place(v.Elem()) })
		}
	case reflect.Map:
		w.follow([2]any{v.Pointer(), v.Type()}, func() {
			for _, k := range sortedKeys(v) {
				w.at("["+fmt.Sprint(k.Interface())+"]", func() {
					x := variable(v.MapIndex(k))
					w.place(x)
					if w.set {
						v.SetMapIndex(k, x)
					}
				})
			}
		})
	case reflect.Interface:
		if !v.IsNil() {
			x := variable(v.Elem())
			w.place(x)
			if w.set && x.Kind() != reflect.Pointer {
				v.Set(x)
			}
		}
	}
}

func (w *leafWalk) at(name string, f func()) {
	before := w.name
	w.name += name
	f()
	w.name = before
}

// follow visits what a reference leads to, unless that is being visited.
func (w *leafWalk) follow(ref any, f func()) {
	if w.open[ref] {
		return
	}
	if w.open == nil {
		w.open = map[any]bool{}
	}
	w.open[ref] = true
	f()
	delete(w.open, ref)
}

// sortedKeys returns the keys of a map in order.
func sortedKeys(m reflect.Value) []reflect.Value {
	keys := m.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int {
		switch {
		case a.CanInt():
			return cmp.Compare(a.Int(), b.Int())
		case a.CanUint():
			return cmp.Compare(a.Uint(), b.Uint())
		case a.CanFloat():
			return cmp.Compare(a.Float(), b.Float())
		}
		return strings.Compare(fmt.Sprint(a), fmt.Sprint(b))
	})
	return keys
}

// A copier copies values with their memory, with zeros for floats. What the
// originals share, the copies share.
type copier map[any]reflect.Value

func (c copier) copy(v reflect.Value) reflect.Value {
	if !v.IsValid() {
		return v
	}
	x := variable(v)
	c.place(x)
	return x
}

// place makes a variable that holds a shallow copy a deep one.
func (c copier) place(v reflect.Value) {
	v = settable(v)
	switch v.Kind() {
	case reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		v.SetZero()
	case reflect.Struct:
		for i := range v.NumField() {
			c.place(v.Field(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			c.place(v.Index(i))
		}
	case reflect.Slice:
		if v.IsNil() {
			return
		}
		// up to the capacity, since the memory behind the length may be used
		full := v.Slice3(0, v.Cap(), v.Cap())
		key := [3]any{full.Pointer(), v.Cap(), v.Type()}
		y, ok := c[key]
		if !ok || v.Cap() == 0 {
			y = reflect.MakeSlice(v.Type(), v.Cap(), v.Cap())
			reflect.Copy(y, full)
			c[key] = y
			for i := range y.Len() {
				c.place(y.Index(i))
			}
		}
		v.Set(y.Slice3(0, v.Len(), v.Cap()))
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		key := [2]any{v.Pointer(), v.Type()}
		y, ok := c[key]
		if !ok {
			y = reflect.New(v.Type().Elem())
			y.Elem().Set(v.Elem())
			c[key] = y
			c.place(y.Elem())
		}
		v.Set(y)
	case reflect.Map:
		if v.IsNil() {
			return
		}
		key := [2]any{v.Pointer(), v.Type()}
		y, ok := c[key]
		if !ok {
			y = reflect.MakeMap(v.Type())
			c[key] = y
			for _, k := range v.MapKeys() {
				x := variable(v.MapIndex(k))
				c.place(x)
				y.SetMapIndex(k, x)
			}
		}
		v.Set(y)
	case reflect.Interface:
		if !v.IsNil() {
			x := variable(v.Elem())
			c.place(x)
			v.Set(x)
		}
	}
}

// spread fills dst, whose type is that of src with an array for each float, in the
// shape of src.
func spread(dst, src reflect.Value, next func() []float64) error {
	switch src.Kind() {
	case reflect.Float32, reflect.Float64:
		xs := next()
		if dst.Kind() != reflect.Array || dst.Len() != len(xs) {
			return fmt.Errorf("%s is no type for %d lanes of %s", dst.Type(), len(xs), src.Type())
		}
		for i, x := range xs {
			dst.Index(i).SetFloat(x)
		}
	case reflect.Complex64, reflect.Complex128:
		re, im := next(), next()
		if dst.Kind() != reflect.Array || dst.Len() != len(re) {
			return fmt.Errorf("%s is no type for %d lanes of %s", dst.Type(), len(re), src.Type())
		}
		for i := range re {
			dst.Index(i).SetComplex(complex(re[i], im[i]))
		}
	case reflect.Slice:
		if src.IsNil() {
			return nil
		}
		full := src.Slice3(0, src.Cap(), src.Cap())
		dst.Set(reflect.MakeSlice(dst.Type(), src.Cap(), src.Cap()))
		for i := range src.Len() {
			if err := spread(dst.Index(i), full.Index(i), next); err != nil {
				return err
			}
		}
		dst.SetLen(src.Len())
	case reflect.Array:
		for i := range src.Len() {
			if err := spread(dst.Index(i), src.Index(i), next); err != nil {
				return err
			}
		}
	case reflect.Pointer:
		if src.IsNil() {
			return nil
		}
		dst.Set(reflect.New(dst.Type().Elem()))
		return spread(dst.Elem(), src.Elem(), next)
	case reflect.Map:
		if src.IsNil() {
			return nil
		}
		dst.Set(reflect.MakeMap(dst.Type()))
		for _, k := range sortedKeys(src) {
			x := reflect.New(dst.Type().Elem()).Elem()
			if err := spread(x, src.MapIndex(k), next); err != nil {
				return err
			}
			dst.SetMapIndex(k, x)
		}
	default:
		if src.Type() != dst.Type() {
			return fmt.Errorf("lanes for %s are not supported by the harness", src.Type())
		}
		dst.Set(src)
	}
	return nil
}

// A stateWalk describes a value with everything that can be reached from it, but
// for functions and channels.
type stateWalk struct {
	b    strings.Builder
	open map[any]bool
}

func (w *stateWalk) value(v reflect.Value) {
	if !v.IsValid() {
		w.b.WriteString("nil")
		return
	}
	switch v.Kind() {
	case reflect.Float32, reflect.Float64:
		w.b.WriteString(strconv.FormatFloat(v.Float(), 'g', -1, 64))
	case reflect.Complex64, reflect.Complex128:
		fmt.Fprint(&w.b, v.Complex())
	case reflect.Struct:
		w.list("{", "}", v.NumField(), func(i int) { w.value(v.Field(i)) })
	case reflect.Array:
		w.list("[", "]", v.Len(), func(i int) { w.value(v.Index(i)) })
	case reflect.Slice:
		if v.IsNil() {
			w.b.WriteString("nil")
			return
		}
		w.follow([3]any{v.Pointer(), v.Len(), v.Type()}, func() {
			w.list("[", "]", v.Len(), func(i int) { w.value(v.Index(i)) })
		})
	case reflect.Pointer:
		if v.IsNil() {
			w.b.WriteString("nil")
			return
		}
		w.b.WriteString("&")
		w.follow([2]any{v.Pointer(), v.Type()}, func() { w.value(v.Elem()) })
	case reflect.Map:
		w.follow([2]any{v.Pointer(), v.Type()}, func() {
			keys := sortedKeys(v)
			w.list("map[", "]", len(keys), func(i int) {
				fmt.Fprintf(&w.b, "%v:", keys[i])
				w.value(v.MapIndex(keys[i]))
			})
		})
	case reflect.Interface:
		if v.IsNil() {
			w.b.WriteString("nil")
			return
		}
		fmt.Fprintf(&w.b, "%s:", v.Elem().Type())
		w.value(v.Elem())
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		fmt.Fprintf(&w.b, "%s(%t)", v.Kind(), v.IsNil())
	default:
		fmt.Fprint(&w.b, v)
	}
}

func (w *stateWalk) list(open, end string, n int, f func(i int)) {
	w.b.WriteString(open)
	for i := range n {
		if i > 0 {
			w.b.WriteString(" ")
		}
		f(i)
	}
	w.b.WriteString(end)
}

func (w *stateWalk) follow(ref any, f func()) {
	if w.open[ref] {
		w.b.WriteString("...")
		return
	}
	w.open[ref] = true
	f()
	delete(w.open, ref)
}
