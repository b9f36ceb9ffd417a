package rt

import "unsafe"

// NoOverlap panics with what, which names a function and two of its
// parameters, if a and b share memory. Slices that do not share memory may lie
// next to each other.
func NoOverlap[T any](what string, a, b []T) {
	if overlap(a, b) {
		panic(what + " share memory")
	}
}

func overlap[T any](a, b []T) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	size := unsafe.Sizeof(a[0])
	x, y := uintptr(unsafe.Pointer(&a[0])), uintptr(unsafe.Pointer(&b[0]))
	return x < y+uintptr(len(b))*size && y < x+uintptr(len(a))*size
}

// NoOverlapRows is NoOverlap for a slice and each row of b.
func NoOverlapRows[T any](what string, a []T, b [][]T) {
	for _, row := range b {
		if overlap(a, row) {
			panic(what + " share memory")
		}
	}
}
