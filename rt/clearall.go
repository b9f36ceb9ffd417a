package rt

import (
	"reflect"
	"sync"
	"unsafe"
)

// ClearAll sets the floats that can be reached from d to zero. It follows pointers,
// slices, the values of maps and interfaces, each once, so that d may be a tree, a
// list or a ring. Everything else stays. It is for destinations of types that a few
// loops cannot clear.
//
// In a destination, an interface whose primal holds a T that is no reference holds
// a *T; ClearAll panics if it holds floats itself.
func ClearAll[T any](d T) {
	c := clearers.Get().(*clearer)
	p := box(d)
	c.place(unsafe.Pointer(p), layoutOf(reflect.TypeFor[T]()))
	unbox(p)
	c.seen.empty()
	clearers.Put(c)
}

type clearer struct{ seen visited }

var clearers = sync.Pool{New: func() any { return new(clearer) }}

// first reports whether the memory is met for the first time.
func (c *clearer) first(p unsafe.Pointer, l *layout, n int) bool {
	return p != nil && c.seen.first(visit{p, l, n})
}

// place clears the value at p.
func (c *clearer) place(p unsafe.Pointer, l *layout) {
	for _, f := range l.floats {
		clear(unsafe.Slice((*byte)(unsafe.Add(p, f.at)), f.size))
	}
	for _, r := range l.refs {
		q := unsafe.Add(p, r.at)
		switch r.typ.Kind() {
		case reflect.Pointer:
			if to := pointer(q); c.first(to, r.elem, 1) {
				c.place(to, r.elem)
			}
		case reflect.Slice:
			if s := slice(q); s.len > 0 && c.first(s.data, r.elem, s.len) {
				for i := range s.len {
					c.place(unsafe.Add(s.data, uintptr(i)*r.elem.typ.Size()), r.elem)
				}
			}
		case reflect.Map:
			c.entries(at(r.typ, q), r.elem)
		case reflect.Interface:
			c.inside(r.typ, q)
		}
	}
}

// entries clears the values of a map.
func (c *clearer) entries(m reflect.Value, elem *layout) {
	if m.IsNil() || !c.first(m.UnsafePointer(), elem, 0) {
		return
	}
	for _, k := range m.MapKeys() {
		x := reflect.New(elem.typ)
		x.Elem().Set(m.MapIndex(k))
		c.place(x.UnsafePointer(), elem)
		m.SetMapIndex(k, x.Elem())
	}
}

// inside clears what an interface holds.
func (c *clearer) inside(t reflect.Type, p unsafe.Pointer) {
	v, isRef, ok := held(t, p)
	if !ok {
		return
	}
	l := layoutOf(v.Type())
	if l.reach && !isRef {
		panic("rt.ClearAll: an interface in a destination holds a " + v.Type().String() + ", want a *" + v.Type().String())
	}
	c.place(v.Addr().UnsafePointer(), l)
}
