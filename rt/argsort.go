package rt

import (
	"cmp"
	"slices"
)

// Argsort returns the permutation that sorts x in ascending order, NaNs first,
// as [slices.Sort] does: x[perm[0]] is the smallest element. Equal elements keep
// their order. It allocates the permutation and leaves x as it is.
func Argsort[S ~[]E, E cmp.Ordered](x S) (perm []int) {
	perm = make([]int, len(x))
	for i := range perm {
		perm[i] = i
	}
	slices.SortStableFunc(perm, func(i, j int) int { return cmp.Compare(x[i], x[j]) })
	return perm
}
