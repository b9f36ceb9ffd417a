package rt

import (
	"cmp"
	"reflect"
	"slices"
	"sync"
	"unsafe"
)

// Separate panics with what, which names a function and two of its parameters, if
// memory that holds floats can be reached from both a and b. It is NoOverlap for
// values of any type: it follows slices, pointers, maps and interfaces. It takes
// time n log n for n pieces of memory, and does not allocate when it is called
// again for values as large.
func Separate[S, T any](what string, a S, b T) {
	w := walkers.Get().(*walker)
	walk(w, a, false)
	walk(w, b, true)
	shared := w.shared()
	w.release()
	if shared {
		panic(what + " share memory")
	}
}

// Distinct panics with what, which names a function and the parts of one of its
// parameters, if memory that holds floats can be reached from a in two ways. It is
// DistinctRows for values of any type.
func Distinct[T any](what string, a T) {
	w := walkers.Get().(*walker)
	walk(w, a, false)
	shared := w.twice || w.meet()
	w.release()
	if shared {
		panic(what + " share memory")
	}
}

// walk collects what x refers to. Reflection needs x on the heap: boxes for that
// are kept in pools by type.
func walk[T any](w *walker, x T, second bool) {
	pool := Pool[T]()
	box := pool.Get().(*T)
	*box = x
	w.walk(reflect.ValueOf(box).Elem(), second)
	var zero T
	*box = zero
	pool.Put(box)
}

// A piece is memory that is reached from one of two values.
type piece struct {
	memory
	second bool
}

// A walker collects the memory that values reach.
type walker struct {
	pieces []piece
	seen   map[place]bool // what pointers point to
	twice  bool           // something was reached a second time
}

type place struct {
	at     unsafe.Pointer
	typ    reflect.Type
	second bool
}

var walkers = sync.Pool{New: func() any { return &walker{seen: map[place]bool{}} }}

func (w *walker) release() {
	w.pieces, w.twice = w.pieces[:0], false
	clear(w.seen)
	walkers.Put(w)
}

func (w *walker) add(at unsafe.Pointer, size uintptr, second bool) {
	if size > 0 {
		lo := uintptr(at)
		w.pieces = append(w.pieces, piece{memory{lo, lo + size}, second})
	}
}

// walk collects what v refers to.
func (w *walker) walk(v reflect.Value, second bool) {
	t := v.Type()
	if !refers(t) {
		return
	}
	switch t.Kind() {
	case reflect.Slice:
		n := v.Len()
		if n == 0 {
			return
		}
		w.add(v.UnsafePointer(), uintptr(n)*t.Elem().Size(), second)
		if refers(t.Elem()) {
			for i := range n {
				w.walk(v.Index(i), second)
			}
		}
	case reflect.Pointer:
		if v.IsNil() || !w.visit(v.UnsafePointer(), t, second) {
			return
		}
		w.add(v.UnsafePointer(), t.Elem().Size(), second)
		w.walk(v.Elem(), second)
	case reflect.Map:
		if v.IsNil() || !w.visit(v.UnsafePointer(), t, second) {
			return
		}
		w.add(v.UnsafePointer(), 1, second)
		if refers(t.Elem()) {
			for it := v.MapRange(); it.Next(); {
				w.walk(it.Value(), second)
			}
		}
	case reflect.Interface:
		if !v.IsNil() {
			w.walk(v.Elem(), second)
		}
	case reflect.Struct:
		for i := range t.NumField() {
			w.walk(v.Field(i), second)
		}
	case reflect.Array:
		for i := range t.Len() {
			w.walk(v.Index(i), second)
		}
	}
}

// visit reports whether it is the first time that a pointer is followed.
func (w *walker) visit(at unsafe.Pointer, t reflect.Type, second bool) bool {
	p := place{at, t, second}
	if w.seen[p] {
		w.twice = true
		return false
	}
	w.seen[p] = true
	return true
}

func (w *walker) sort() {
	slices.SortFunc(w.pieces, func(a, b piece) int { return cmp.Compare(a.lo, b.lo) })
}

// shared reports whether pieces of the two values meet.
func (w *walker) shared() bool {
	w.sort()
	var end [2]uintptr // of the pieces so far
	for _, p := range w.pieces {
		own, other := 0, 1
		if p.second {
			own, other = 1, 0
		}
		if p.lo < end[other] {
			return true
		}
		end[own] = max(end[own], p.hi)
	}
	return false
}

// meet reports whether any pieces meet.
func (w *walker) meet() bool {
	w.sort()
	var end uintptr
	for _, p := range w.pieces {
		if p.lo < end {
			return true
		}
		end = max(end, p.hi)
	}
	return false
}

var refer sync.Map // from reflect.Type to bool

// refers reports whether values of type t hold references to floats.
func refers(t reflect.Type) bool {
	if r, ok := refer.Load(t); ok {
		return r.(bool)
	}
	r := false
	switch k := t.Kind(); {
	case isGenerator(t):
	case k == reflect.Interface: // may hold anything
		r = true
	case k == reflect.Slice, k == reflect.Pointer, k == reflect.Map:
		r = reachesFloats(t.Elem(), map[reflect.Type]bool{})
	case k == reflect.Array:
		r = refers(t.Elem())
	case k == reflect.Struct:
		for i := range t.NumField() {
			r = r || refers(t.Field(i).Type)
		}
	}
	refer.Store(t, r)
	return r
}

// reachesFloats reports whether there is a float in values of type t, or behind
// their references; seen holds the types that were looked at.
func reachesFloats(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] || isGenerator(t) {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128, reflect.Interface:
		return true
	case reflect.Slice, reflect.Pointer, reflect.Map, reflect.Array:
		return reachesFloats(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			if reachesFloats(t.Field(i).Type, seen) {
				return true
			}
		}
	}
	return false
}

// isGenerator reports whether t is a type of package math/rand or math/rand/v2, whose
// state has no derivative.
func isGenerator(t reflect.Type) bool {
	return t.PkgPath() == "math/rand" || t.PkgPath() == "math/rand/v2"
}
