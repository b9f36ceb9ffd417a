package rt

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"unsafe"
)

// SameShape panics if d has not the shape of x: where x has memory with floats, d
// has some of the same length, and what is one piece of memory in x is one in d, and
// the other way round. Then a derivative that follows x can follow d. The message
// begins with what, which names a function, and calls d and x dn and xn.
//
// D is T, or *T for the destination of a value that holds references.
func SameShape[D, T any](what, dn, xn string, d D, x T) {
	m := matchers.Get().(*matcher)
	m.what, m.dn, m.xn = what, dn, xn
	l := layoutOf(reflect.TypeFor[T]())
	db, xb := box(d), box(x)
	p := unsafe.Pointer(db)
	if reflect.TypeFor[D]() != l.typ {
		if p = pointer(p); p == nil {
			m.panic("%s is nil", dn)
		}
	}
	m.place(p, unsafe.Pointer(xb), l)
	m.sharing()
	unbox(db)
	unbox(xb)
	m.seen.empty()
	m.pairs, m.path = m.pairs[:0], m.path[:0]
	matchers.Put(m) // one that has panicked is not used again
}

var matchers = sync.Pool{New: func() any { return new(matcher) }}

// A matcher walks through two values at once.
type matcher struct {
	seen         visited // memory of x, and where d has it
	pairs        []pair
	what, dn, xn string
	path         []stepTo // what leads to the place being looked at
}

// A stepTo leads to a part: by a name, or to the element with an index.
type stepTo struct {
	name  string
	index int
}

// A pair is a piece of memory of x and the one of d that belongs to it.
type pair struct{ x, d memory }

func (m *matcher) panic(format string, args ...any) {
	panic(m.what + ": " + fmt.Sprintf(format, args...))
}

// disagree panics since parts of one value share memory and those of the other do
// not.
func (m *matcher) disagree(one, other string) {
	m.panic("parts of %s share memory where those of %s do not", one, other)
}

// names returns what the place being looked at is called.
func (m *matcher) names() (d, x string) {
	path := ""
	for _, p := range m.path {
		if path += p.name; p.name == "" {
			path += fmt.Sprintf("[%d]", p.index)
		}
	}
	return m.dn + path, m.xn + path
}

// enter reports whether memory is met for the first time, and notes it.
func (m *matcher) enter(d, x unsafe.Pointer, l *layout, n int) bool {
	other, first := m.seen.enter(visit{x, l, n}, d)
	if other != d {
		m.disagree(m.xn, m.dn)
	}
	if !first {
		return false
	}
	if size := uintptr(n) * l.typ.Size(); size > 0 {
		m.pairs = append(m.pairs, pair{memory{uintptr(x), uintptr(x) + size}, memory{uintptr(d), uintptr(d) + size}})
	}
	return true
}

// place compares what the values at d and x refer to.
func (m *matcher) place(d, x unsafe.Pointer, l *layout) {
	for _, r := range l.refs {
		if r.name == "" { // the value itself
			m.ref(unsafe.Add(d, r.at), unsafe.Add(x, r.at), r)
			continue
		}
		m.path = append(m.path, stepTo{name: r.name})
		m.ref(unsafe.Add(d, r.at), unsafe.Add(x, r.at), r)
		m.path = m.path[:len(m.path)-1]
	}
}

func (m *matcher) ref(d, x unsafe.Pointer, r ref) {
	switch r.typ.Kind() {
	case reflect.Pointer:
		dp, xp := pointer(d), pointer(x)
		if xp == nil {
			return
		}
		if dp == nil {
			dn, _ := m.names()
			m.panic("%s is nil", dn)
		}
		if m.enter(dp, xp, r.elem, 1) {
			m.place(dp, xp, r.elem)
		}
	case reflect.Slice:
		ds, xs := slice(d), slice(x)
		if ds.len != xs.len {
			dn, xn := m.names()
			m.panic("len(%s) != len(%s)", dn, xn)
		}
		if xs.len > 0 && m.enter(ds.data, xs.data, r.elem, xs.len) {
			m.elements(ds, xs, r.elem)
		}
	case reflect.Map:
		m.entries(at(r.typ, d), at(r.typ, x), r.elem)
	case reflect.Interface:
		m.inside(d, x, r.typ)
	}
}

func (m *matcher) elements(d, x header, l *layout) {
	if len(l.refs) == 0 {
		return
	}
	for i := range x.len {
		off := uintptr(i) * l.typ.Size()
		m.path = append(m.path, stepTo{index: i})
		m.place(unsafe.Add(d.data, off), unsafe.Add(x.data, off), l)
		m.path = m.path[:len(m.path)-1]
	}
}

func (m *matcher) entries(d, x reflect.Value, elem *layout) {
	if x.IsNil() {
		return
	}
	if d.IsNil() {
		dn, _ := m.names()
		m.panic("%s is nil", dn)
	}
	if !m.enter(d.UnsafePointer(), x.UnsafePointer(), elem, 0) || len(elem.refs) == 0 {
		return
	}
	for it := x.MapRange(); it.Next(); {
		m.path = append(m.path, stepTo{name: fmt.Sprintf("[%v]", it.Key())})
		y := d.MapIndex(it.Key())
		if !y.IsValid() {
			dn, _ := m.names()
			m.panic("%s is missing", dn)
		}
		m.place(variable(y), variable(it.Value()), elem)
		m.path = m.path[:len(m.path)-1]
	}
}

func (m *matcher) inside(d, x unsafe.Pointer, t reflect.Type) {
	v, isRef, ok := held(t, x)
	if !ok {
		return
	}
	l := layoutOf(v.Type())
	if !l.reach {
		return
	}
	want := v.Type()
	if !isRef {
		want = reflect.PointerTo(want)
	}
	w, _, ok := held(t, d)
	if !ok || w.Type() != want {
		dn, xn := m.names()
		got := "nothing"
		if ok {
			got = "a " + w.Type().String()
		}
		m.panic("%s holds %s, want a %s as %s holds a %s", dn, got, want, xn, v.Type())
	}
	p := w.Addr().UnsafePointer()
	if !isRef {
		if p = pointer(p); p == nil {
			dn, _ := m.names()
			m.panic("%s is nil", dn)
		}
	}
	m.place(p, v.Addr().UnsafePointer(), l)
}

// sharing checks that pieces of memory overlap in d as they do in x.
func (m *matcher) sharing() {
	sides := []func(p pair) (memory, memory){
		func(p pair) (memory, memory) { return p.x, p.d },
		func(p pair) (memory, memory) { return p.d, p.x },
	}
	for k, side := range sides {
		slices.SortFunc(m.pairs, func(p, q pair) int {
			a, _ := side(p)
			b, _ := side(q)
			return cmp.Compare(a.lo, b.lo)
		})
		var end, first, image uintptr // of the pieces so far that overlap
		for _, p := range m.pairs {
			a, b := side(p)
			if a.lo >= end {
				first, image = a.lo, b.lo
			} else if b.lo-image != a.lo-first {
				one, other := m.xn, m.dn
				if k == 1 {
					one, other = other, one
				}
				m.disagree(one, other)
			}
			end = max(end, a.hi)
		}
	}
}
