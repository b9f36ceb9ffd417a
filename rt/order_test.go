package rt

import (
	"math/rand/v2"
	"slices"
	"sort"
	"testing"
)

// The orders are those of package sort, among equal elements too, and what is sorted
// ends as it was.
func TestOrders(t *testing.T) {
	type pair struct{ key, id int }
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 2, 11, 12, 13, 50, 100, 1000} {
		x := make([]pair, n)
		for i := range x {
			x[i] = pair{r.IntN(1 + n/4), i}
		}
		old := slices.Clone(x)
		less := func(i, j int) bool { return x[i].key < x[j].key }
		swap := func(i, j int) { x[i], x[j] = x[j], x[i] }
		for name, c := range map[string]struct {
			order func() []int
			swaps func() [][2]int
			sort  func(x any, less func(i, j int) bool)
		}{
			"Slice":       {func() []int { return SliceOrder(x, less) }, func() [][2]int { return SortSwaps(n, less, swap) }, sort.Slice},
			"SliceStable": {func() []int { return SliceStableOrder(x, less) }, func() [][2]int { return StableSwaps(n, less, swap) }, sort.SliceStable},
		} {
			want := slices.Clone(old)
			c.sort(want, func(i, j int) bool { return want[i].key < want[j].key })
			got := make([]pair, 0, n)
			for _, k := range c.order() {
				got = append(got, old[k])
			}
			if !slices.Equal(got, want) || !slices.Equal(x, old) {
				t.Errorf("%s: %d elements end in another order", name, n)
			}
			got = slices.Clone(old)
			for _, s := range c.swaps() {
				got[s[0]], got[s[1]] = got[s[1]], got[s[0]]
			}
			if !slices.Equal(got, want) || !slices.Equal(x, old) {
				t.Errorf("%s: the swaps of %d elements lead to another order", name, n)
			}
		}
	}
}
