package leaves

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// State describes v with everything that can be reached from it, but for
// functions and channels.
func State(v reflect.Value) string {
	w := &stateWalk{open: map[any]bool{}}
	w.value(v)
	return w.b.String()
}

// A stateWalk writes the description of a value.
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
	case reflect.Float32:
		w.b.WriteString(strconv.FormatFloat(v.Float(), 'g', -1, 32))
	case reflect.Float64:
		w.b.WriteString(strconv.FormatFloat(v.Float(), 'g', -1, 64))
	case reflect.Complex64, reflect.Complex128:
		fmt.Fprint(&w.b, v.Complex())
	case reflect.String:
		w.b.WriteString(strconv.Quote(v.String()))
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
