package rt

import "unsafe"

// NoOverlap panics with what, which names a function and two of its
// parameters, if a and b share memory. Slices that do not share memory may lie
// next to each other.
func NoOverlap[S, T any](what string, a []S, b []T) {
	if span(a).meets(span(b)) {
		panic(what + " share memory")
	}
}

// NoOverlapRows is NoOverlap for a slice and each row of b.
func NoOverlapRows[S, T any](what string, a []S, b [][]T) {
	s := span(a)
	for _, row := range b {
		if s.meets(span(row)) {
			panic(what + " share memory")
		}
	}
}

// NotIn panics with what if the variable that p points to lies inside of a.
func NotIn[S, T any](what string, p *S, a []T) {
	if p != nil && one(p).meets(span(a)) {
		panic(what + " share memory")
	}
}

// NoAlias panics with what if the variables that p and q point to share memory.
func NoAlias[S, T any](what string, p *S, q *T) {
	if p != nil && q != nil && one(p).meets(one(q)) {
		panic(what + " share memory")
	}
}

// SeparateRows panics with what if a row of a and a row of b share memory. It takes
// time proportional to the number of rows if those of each lie in memory in order,
// and sorts them otherwise.
func SeparateRows[S, T any](what string, a [][]S, b [][]T) {
	w := walkers.Get().(*walker)
	addRows(w, a, false)
	m := len(w.pieces)
	addRows(w, b, true)
	shared := false
	if as, bs := w.pieces[:m], w.pieces[m:]; inOrder(as) && inOrder(bs) {
		for len(as) > 0 && len(bs) > 0 && !shared {
			shared = as[0].meets(bs[0].memory)
			if as[0].hi < bs[0].hi {
				as = as[1:]
			} else {
				bs = bs[1:]
			}
		}
	} else {
		shared = w.shared()
	}
	w.release()
	if shared {
		panic(what + " share memory")
	}
}

// DistinctRows panics with what if two rows of a share memory. It takes time
// proportional to the number of rows if they lie in memory in order, and sorts
// them otherwise.
func DistinctRows[T any](what string, a [][]T) {
	w := walkers.Get().(*walker)
	addRows(w, a, false)
	shared := !inOrder(w.pieces) && w.meet()
	w.release()
	if shared {
		panic(what + " share memory")
	}
}

func addRows[T any](w *walker, a [][]T, second bool) {
	for _, row := range a {
		if s := span(row); s.lo != s.hi {
			w.pieces = append(w.pieces, piece{s, second})
		}
	}
}

// inOrder reports whether each piece ends before the next begins.
func inOrder(ps []piece) bool {
	for i := 1; i < len(ps); i++ {
		if ps[i].lo < ps[i-1].hi {
			return false
		}
	}
	return true
}

// memory is a range of addresses, without hi.
type memory struct{ lo, hi uintptr }

func (m memory) meets(n memory) bool { return m.lo < n.hi && n.lo < m.hi }

func span[T any](a []T) memory {
	if len(a) == 0 {
		return memory{}
	}
	lo := uintptr(unsafe.Pointer(&a[0]))
	return memory{lo, lo + uintptr(len(a))*unsafe.Sizeof(a[0])}
}

func one[T any](p *T) memory {
	lo := uintptr(unsafe.Pointer(p))
	return memory{lo, lo + unsafe.Sizeof(*p)}
}
