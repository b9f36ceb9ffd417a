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

// walk collects what x refers to.
func walk[T any](w *walker, x T, second bool) {
	p := box(x)
	w.place(unsafe.Pointer(p), layoutOf(reflect.TypeFor[T]()), second)
	unbox(p)
}

// A piece is memory that is reached from one of two values.
type piece struct {
	memory
	second bool
}

// A walker collects the memory that values reach.
type walker struct {
	pieces []piece
	seen   [2]visited // what pointers and maps of the first and of the second value refer to
	twice  bool       // something was reached a second time
}

var walkers = sync.Pool{New: func() any { return new(walker) }}

func (w *walker) release() {
	w.pieces, w.twice = w.pieces[:0], false
	w.seen[0].empty()
	w.seen[1].empty()
	walkers.Put(w)
}

func (w *walker) add(at unsafe.Pointer, size uintptr, second bool) {
	if size > 0 {
		lo := uintptr(at)
		w.pieces = append(w.pieces, piece{memory{lo, lo + size}, second})
	}
}

// place collects what the value at p refers to.
func (w *walker) place(p unsafe.Pointer, l *layout, second bool) {
	for _, r := range l.refs {
		q := unsafe.Add(p, r.at)
		switch r.typ.Kind() {
		case reflect.Slice:
			s := slice(q)
			w.add(s.data, uintptr(s.len)*r.elem.typ.Size(), second)
			if len(r.elem.refs) > 0 {
				for i := range s.len {
					w.place(unsafe.Add(s.data, uintptr(i)*r.elem.typ.Size()), r.elem, second)
				}
			}
		case reflect.Pointer:
			if to := pointer(q); w.visit(to, r.elem, second) {
				w.add(to, r.elem.typ.Size(), second)
				w.place(to, r.elem, second)
			}
		case reflect.Map:
			if to := pointer(q); w.visit(to, r.elem, second) {
				w.add(to, 1, second)
				if len(r.elem.refs) > 0 {
					for it := at(r.typ, q).MapRange(); it.Next(); {
						w.place(variable(it.Value()), r.elem, second)
					}
				}
			}
		case reflect.Interface:
			if to, t := inside(r.typ, q); to != nil {
				w.place(to, layoutOf(t), second)
			}
		}
	}
}

// visit reports whether a reference that is not nil is followed for the first time.
func (w *walker) visit(to unsafe.Pointer, l *layout, second bool) bool {
	if to == nil {
		return false
	}
	k := 0
	if second {
		k = 1
	}
	if w.seen[k].first(visit{to, l, 0}) {
		return true
	}
	w.twice = true
	return false
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
