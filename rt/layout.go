package rt

import (
	"fmt"
	"reflect"
	"sync"
	"unsafe"
)

// A layout says where the floats of a type lie, and its references to memory that
// may hold floats.
type layout struct {
	typ    reflect.Type
	floats []bytes
	refs   []ref
	reach  bool // there is a float in it or behind it
}

// A bytes is a run of bytes in a value.
type bytes struct{ at, size uintptr }

// A ref is a reference in a value, as the layout of its type describes it.
type ref struct {
	at   uintptr
	name string // what it adds to the name of the value: .next, [3]
	typ  reflect.Type
	elem *layout // of what a pointer, slice or map leads to
}

var layouts = struct {
	sync.RWMutex
	of map[reflect.Type]*layout
}{of: map[reflect.Type]*layout{}}

// layoutOf returns the layout of t.
func layoutOf(t reflect.Type) *layout {
	layouts.RLock()
	l := layouts.of[t]
	layouts.RUnlock()
	if l == nil {
		layouts.Lock()
		l = makeLayout(t)
		layouts.Unlock()
	}
	return l
}

// makeLayout makes the layouts of t and of what it refers to. They are made under
// one lock, so that nobody sees half of a recursive type.
func makeLayout(t reflect.Type) *layout {
	if l := layouts.of[t]; l != nil {
		return l
	}
	l := &layout{typ: t, reach: reachesFloats(t, map[reflect.Type]bool{})}
	layouts.of[t] = l
	l.add(t, 0, "")
	return l
}

// add adds a part of type t.
func (l *layout) add(t reflect.Type, at uintptr, name string) {
	if isGenerator(t) {
		return
	}
	switch t.Kind() {
	case reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		if n := len(l.floats) - 1; n >= 0 && l.floats[n].at+l.floats[n].size == at {
			l.floats[n].size += t.Size()
			return
		}
		l.floats = append(l.floats, bytes{at, t.Size()})
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			l.add(f.Type, at+f.Offset, name+"."+f.Name)
		}
	case reflect.Array:
		if !reachesFloats(t.Elem(), map[reflect.Type]bool{}) {
			return
		}
		for i := range t.Len() {
			l.add(t.Elem(), at+uintptr(i)*t.Elem().Size(), fmt.Sprintf("%s[%d]", name, i))
		}
	case reflect.Pointer, reflect.Slice, reflect.Map:
		if reachesFloats(t.Elem(), map[reflect.Type]bool{}) {
			l.refs = append(l.refs, ref{at, name, t, makeLayout(t.Elem())})
		}
	case reflect.Interface:
		l.refs = append(l.refs, ref{at, name, t, nil})
	}
}

// A header is what a slice is in memory.
type header struct {
	data     unsafe.Pointer
	len, cap int
}

// at returns the place of type t at p.
func at(t reflect.Type, p unsafe.Pointer) reflect.Value { return reflect.NewAt(t, p).Elem() }

// pointer and slice return what the reference at p holds.
func pointer(p unsafe.Pointer) unsafe.Pointer { return *(*unsafe.Pointer)(p) }
func slice(p unsafe.Pointer) header           { return *(*header)(p) }

// inside returns the address of what the interface at p holds, and its type. It is not to be
// written to.
func inside(t reflect.Type, p unsafe.Pointer) (unsafe.Pointer, reflect.Type) {
	i := at(t, p)
	if i.IsNil() {
		return nil, nil
	}
	u := i.Elem().Type()
	word := unsafe.Add(p, unsafe.Sizeof(p)) // behind the word that tells the type
	switch u.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return word, u // such values lie in the interface itself
	case reflect.Struct, reflect.Array:
		if u.Size() <= unsafe.Sizeof(p) { // these may do
			return variable(i.Elem()), u
		}
	}
	return pointer(word), u
}

// held returns what an interface holds, in a variable: its address and type, and
// whether that is a reference itself.
func held(t reflect.Type, p unsafe.Pointer) (v reflect.Value, ref, ok bool) {
	i := at(t, p)
	if i.IsNil() {
		return v, false, false
	}
	x := i.Elem()
	v = reflect.New(x.Type()).Elem()
	v.Set(x)
	switch v.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Func, reflect.Chan, reflect.UnsafePointer:
		ref = true
	}
	return v, ref, true
}
