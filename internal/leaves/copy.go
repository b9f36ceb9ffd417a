package leaves

import "reflect"

// Clone copies values with all memory that can be reached from them. What the
// originals share, the copies share; between the length and the capacity of a
// slice they are copies, too.
func Clone(vs ...reflect.Value) []reflect.Value { return copyAll(&copier{}, vs) }

// ZeroLike is Clone with zeros for all floats.
func ZeroLike(vs ...reflect.Value) []reflect.Value { return copyAll(&copier{zero: true}, vs) }

func copyAll(c *copier, vs []reflect.Value) []reflect.Value {
	c.done = map[any]reflect.Value{}
	out := make([]reflect.Value, len(vs))
	for i, v := range vs {
		out[i] = c.copy(v)
	}
	return out
}

// A copier copies values with their memory.
type copier struct {
	zero bool // leave the floats out
	done map[any]reflect.Value
}

func (c *copier) copy(v reflect.Value) reflect.Value {
	if !v.IsValid() {
		return v
	}
	x := Variable(v)
	c.place(x)
	return x
}

// place makes a variable that holds a shallow copy a deep one.
func (c *copier) place(v reflect.Value) {
	v = Settable(v)
	switch v.Kind() {
	case reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		if c.zero {
			v.SetZero()
		}
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
		y, ok := c.done[key]
		if !ok || v.Cap() == 0 {
			y = reflect.MakeSlice(v.Type(), v.Cap(), v.Cap())
			reflect.Copy(y, full)
			c.done[key] = y
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
		y, ok := c.done[key]
		if !ok {
			y = reflect.New(v.Type().Elem())
			y.Elem().Set(v.Elem())
			c.done[key] = y
			c.place(y.Elem())
		}
		if y.Type() != v.Type() { // a named pointer type
			y = y.Convert(v.Type())
		}
		v.Set(y)
	case reflect.Map:
		if v.IsNil() {
			return
		}
		key := [2]any{v.Pointer(), v.Type()}
		y, ok := c.done[key]
		if !ok {
			y = reflect.MakeMap(v.Type())
			c.done[key] = y
			for _, k := range v.MapKeys() {
				x := Variable(v.MapIndex(k))
				c.place(x)
				y.SetMapIndex(k, x)
			}
		}
		v.Set(y)
	case reflect.Interface:
		if !v.IsNil() {
			x := Variable(v.Elem())
			c.place(x)
			v.Set(x)
		}
	}
}
