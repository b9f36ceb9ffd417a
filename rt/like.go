package rt

import "reflect"

// Like returns a value of the shape of x whose floats are 0, as a destination for
// a derivative by x. It has memory of its own wherever floats can be reached:
// slices get the length and capacity of those of x and share nothing; what two
// pointers of x share, two of the result share, so that cyclic values work. The
// rest, strings, numbers without derivative, functions and what holds no floats,
// is that of x. Nil stays nil.
func Like[T any](x T) T {
	if s, ok := any(x).([]float64); ok {
		if s == nil {
			return x
		}
		return any(make([]float64, len(s), cap(s))).(T)
	}
	l := liker{}
	v := reflect.ValueOf(&x).Elem() // x is a copy already
	l.place(v)
	return x
}

// A liker holds, by type and address, what has taken the place of what pointers and
// maps refer to.
type liker map[place]reflect.Value

// place makes a variable that holds a shallow copy like what it is a copy of.
func (l liker) place(v reflect.Value) {
	t := v.Type()
	if !reachesFloats(t, map[reflect.Type]bool{}) {
		return
	}
	if !v.CanSet() { // a field that is not exported
		v = reflect.NewAt(t, v.Addr().UnsafePointer()).Elem()
	}
	switch t.Kind() {
	case reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		v.SetZero()
	case reflect.Struct:
		for i := range t.NumField() {
			l.place(v.Field(i))
		}
	case reflect.Array:
		for i := range t.Len() {
			l.place(v.Index(i))
		}
	case reflect.Slice:
		if v.IsNil() {
			return
		}
		s := reflect.MakeSlice(t, v.Len(), v.Cap())
		if k := t.Elem().Kind(); k != reflect.Float64 && k != reflect.Float32 {
			reflect.Copy(s, v)
			for i := range s.Len() {
				l.place(s.Index(i))
			}
		}
		v.Set(s)
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		at := place{at: v.UnsafePointer(), typ: t}
		p, ok := l[at]
		if !ok {
			p = reflect.New(t.Elem())
			p.Elem().Set(v.Elem())
			p = p.Convert(t)
			l[at] = p
			l.place(p.Elem())
		}
		v.Set(p)
	case reflect.Map:
		if v.IsNil() {
			return
		}
		at := place{at: v.UnsafePointer(), typ: t}
		m, ok := l[at]
		if !ok {
			m = reflect.MakeMapWithSize(t, v.Len())
			l[at] = m
			for it := v.MapRange(); it.Next(); {
				m.SetMapIndex(it.Key(), l.copy(it.Value()))
			}
		}
		v.Set(m)
	case reflect.Interface:
		if !v.IsNil() {
			v.Set(l.copy(v.Elem()))
		}
	}
}

// copy returns a value like v, which cannot be set.
func (l liker) copy(v reflect.Value) reflect.Value {
	x := reflect.New(v.Type()).Elem()
	x.Set(v)
	l.place(x)
	return x
}
