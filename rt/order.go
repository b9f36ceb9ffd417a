package rt

import "sort"

// SliceOrder returns the order in which sort.Slice(x, less) would leave the elements of
// x: element i would be the one that is at perm[i] now. It leaves x as it is; while it
// runs, x is sorted.
func SliceOrder[S ~[]E, E any](x S, less func(i, j int) bool) (perm []int) {
	return order(x, less, sort.Sort)
}

// SliceStableOrder is SliceOrder for sort.SliceStable.
func SliceStableOrder[S ~[]E, E any](x S, less func(i, j int) bool) (perm []int) {
	return order(x, less, sort.Stable)
}

func order[S ~[]E, E any](x S, less func(i, j int) bool, by func(sort.Interface)) []int {
	perm := make([]int, len(x))
	for i := range perm {
		perm[i] = i
	}
	old := append(S(nil), x...)
	by(&sorter{n: len(x), less: less, swap: func(i, j int) {
		x[i], x[j] = x[j], x[i]
		perm[i], perm[j] = perm[j], perm[i]
	}})
	copy(x, old)
	return perm
}

// SortSwaps returns the swaps that sort.Sort makes of n things, in order. They are made
// and taken back again: swap(i, j) must undo itself.
func SortSwaps(n int, less func(i, j int) bool, swap func(i, j int)) [][2]int {
	return swaps(n, less, swap, sort.Sort)
}

// StableSwaps is SortSwaps for sort.Stable.
func StableSwaps(n int, less func(i, j int) bool, swap func(i, j int)) [][2]int {
	return swaps(n, less, swap, sort.Stable)
}

func swaps(n int, less func(i, j int) bool, swap func(i, j int), by func(sort.Interface)) (made [][2]int) {
	by(&sorter{n: n, less: less, swap: func(i, j int) {
		swap(i, j)
		made = append(made, [2]int{i, j})
	}})
	for k := len(made) - 1; k >= 0; k-- {
		swap(made[k][0], made[k][1])
	}
	return made
}

// A sorter is a sort.Interface made of functions.
type sorter struct {
	n    int
	less func(i, j int) bool
	swap func(i, j int)
}

func (s *sorter) Len() int           { return s.n }
func (s *sorter) Less(i, j int) bool { return s.less(i, j) }
func (s *sorter) Swap(i, j int)      { s.swap(i, j) }
