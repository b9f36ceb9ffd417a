// Package slices holds rules for functions of the standard library's package slices
// whose source says more than what they do to numbers. The others are differentiated
// from their source.
package slices

import "slices"

// Sorting is a permutation, which the function itself finds: it sorts positions, and
// compares what lies there.

//quabla:rule for=slices.SortFunc as=sortFunc
func sortFunc[S ~[]E, E any](x S, cmp func(a, b E) int) {
	unsorted := make(S, len(x))
	copy(unsorted, x)
	perm := make([]int, len(x))
	for i := range perm {
		perm[i] = i
	}
	slices.SortFunc(perm, func(i, j int) int { return cmp(unsorted[i], unsorted[j]) })
	for i, k := range perm {
		x[i] = unsorted[k]
	}
}

//quabla:rule for=slices.SortStableFunc as=sortStableFunc
func sortStableFunc[S ~[]E, E any](x S, cmp func(a, b E) int) {
	unsorted := make(S, len(x))
	copy(unsorted, x)
	perm := make([]int, len(x))
	for i := range perm {
		perm[i] = i
	}
	slices.SortStableFunc(perm, func(i, j int) int { return cmp(unsorted[i], unsorted[j]) })
	for i, k := range perm {
		x[i] = unsorted[k]
	}
}

// clone is slices.Clone without a test for nil.
//
//quabla:rule for=slices.Clone as=clone
func clone[S ~[]E, E any](s S) S { return append(s[:0:0], s...) }

// insert allocates when slices.Insert does, to the same capacity.
//
//quabla:rule for=slices.Insert as=insert
func insert[S ~[]E, E any](s S, i int, v ...E) S {
	_ = s[i:]
	m, n := len(v), len(s)
	if m == 0 {
		return s
	}
	if i == n {
		return append(s, v...)
	}
	if n+m > cap(s) {
		longer := append(s[:i], make(S, n+m-i)...)
		copy(longer[i:], v)
		copy(longer[i+m:], s[i:])
		return longer
	}
	added := make([]E, m) // v may lie in s
	copy(added, v)
	s = s[:n+m]
	copy(s[i+m:], s[i:])
	copy(s[i:], added)
	return s
}

//quabla:rule for=slices.Replace as=replace
func replace[S ~[]E, E any](s S, i, j int, v ...E) S {
	_ = s[i:j]
	if i == j {
		return insert(s, i, v...)
	}
	if j == len(s) {
		r := append(s[:i], v...)
		if len(r) < len(s) {
			clear(s[len(r):])
		}
		return r
	}
	n := i + len(v) + len(s) - j
	if n > cap(s) {
		longer := append(s[:i], make(S, n-i)...)
		copy(longer[i:], v)
		copy(longer[i+len(v):], s[j:])
		return longer
	}
	added := make([]E, len(v)) // v may lie in s
	copy(added, v)
	r := s[:n]
	copy(r[i+len(v):], s[j:])
	copy(r[i:], added)
	if n < len(s) {
		clear(s[n:])
	}
	return r
}
