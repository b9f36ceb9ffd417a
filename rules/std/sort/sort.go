// Package sort holds rules for the functions of the standard library's package sort
// that sort what they know only through functions. The order comes from the function
// itself; what it did is then done again where derivatives see it.
package sort

import (
	"sort"

	"github.com/quabla/quabla/rt"
)

//quabla:rule for=sort.Slice as=slice
func slice[S ~[]E, E any](x S, less func(i, j int) bool) {
	permute(x, rt.SliceOrder(x, less))
}

//quabla:rule for=sort.SliceStable as=sliceStable
func sliceStable[S ~[]E, E any](x S, less func(i, j int) bool) {
	permute(x, rt.SliceStableOrder(x, less))
}

//quabla:rule for=sort.SliceIsSorted as=sliceIsSorted
func sliceIsSorted[S ~[]E, E any](x S, less func(i, j int) bool) bool {
	for i := len(x) - 1; i > 0; i-- {
		if less(i, i-1) {
			return false
		}
	}
	return true
}

func permute[S ~[]E, E any](x S, perm []int) {
	unsorted := make(S, len(x))
	copy(unsorted, x)
	for i, k := range perm {
		x[i] = unsorted[k]
	}
}

//quabla:rule for=sort.Sort as=sortData
func sortData(data sort.Interface) {
	for _, s := range rt.SortSwaps(data.Len(), data.Less, data.Swap) {
		data.Swap(s[0], s[1])
	}
}

//quabla:rule for=sort.Stable as=stable
func stable(data sort.Interface) {
	for _, s := range rt.StableSwaps(data.Len(), data.Less, data.Swap) {
		data.Swap(s[0], s[1])
	}
}

// Reversed is what sort.Reverse returns.
type Reversed struct{ sort.Interface }

func (r Reversed) Less(i, j int) bool { return r.Interface.Less(j, i) }

//quabla:rule for=sort.Reverse as=reverse
func reverse(data sort.Interface) sort.Interface { return &Reversed{data} }
