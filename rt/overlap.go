package rt

import (
	"cmp"
	"slices"
	"unsafe"
)

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

// DistinctRows panics with what if two rows of a share memory. It takes time
// proportional to the number of rows if they lie in memory in order, and sorts
// them otherwise.
func DistinctRows[T any](what string, a [][]T) {
	last := memory{}
	inOrder := true
	for _, row := range a {
		s := span(row)
		if s.lo == s.hi {
			continue
		}
		if s.lo < last.hi {
			inOrder = false
			break
		}
		last = s
	}
	if inOrder {
		return
	}
	spans := make([]memory, 0, len(a))
	for _, row := range a {
		if s := span(row); s.lo != s.hi {
			spans = append(spans, s)
		}
	}
	slices.SortFunc(spans, func(s, t memory) int { return cmp.Compare(s.lo, t.lo) })
	for i := 1; i < len(spans); i++ {
		if spans[i-1].meets(spans[i]) {
			panic(what + " share memory")
		}
	}
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
