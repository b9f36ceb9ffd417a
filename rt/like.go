package rt

import (
	"reflect"
	"slices"
	"unsafe"
)

// Like returns a value of the shape of x whose floats are 0, as a destination for
// a derivative by x. It is [ZeroLike] of the same type, but what is no float and
// leads to none, strings, numbers without derivative and functions, is that of x.
// Nil stays nil. Slices share nothing, unless T is recursive or holds interfaces: a
// destination shares there what x shares.
func Like[T any](x T) T {
	if s, ok := any(x).([]float64); ok {
		if s == nil {
			return x
		}
		return any(make([]float64, len(s), cap(s))).(T)
	}
	return zeroLike[T](x, true)
}

// copyRest copies the value at p to its shadow, but for the floats.
func (z *zeroer) copyRest(p, to unsafe.Pointer, l *layout) {
	at(l.typ, to).Set(at(l.typ, p))
	for _, f := range l.floats {
		clear(unsafe.Slice((*byte)(unsafe.Add(to, f.at)), f.size))
	}
}

// irregular reports whether values of type t have a shape that t does not tell: t is
// recursive, or there is an interface in it. The generator has the same test.
func irregular(t reflect.Type, open []reflect.Type) bool {
	if !reachesFloats(t, map[reflect.Type]bool{}) {
		return false
	}
	if slices.Contains(open, t) {
		return true
	}
	open = append(open[:len(open):len(open)], t)
	switch t.Kind() {
	case reflect.Interface:
		return true
	case reflect.Struct:
		for i := range t.NumField() {
			if irregular(t.Field(i).Type, open) {
				return true
			}
		}
	case reflect.Slice, reflect.Array, reflect.Pointer, reflect.Map:
		return irregular(t.Elem(), open)
	}
	return false
}
