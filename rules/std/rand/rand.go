// Package rand holds rules for those functions of the standard library's package
// math/rand that move elements.
package rand

import "math/rand"

// Which elements are exchanged the function itself says, once.

//quabla:rule for=rand.Shuffle as=shuffle
func shuffle(n int, swap func(i, j int)) {
	var swaps [][2]int
	rand.Shuffle(n, func(i, j int) { swaps = append(swaps, [2]int{i, j}) })
	for _, s := range swaps {
		swap(s[0], s[1])
	}
}

//quabla:rule for=(*rand.Rand).Shuffle as=shuffleOf
func shuffleOf(r *rand.Rand, n int, swap func(i, j int)) {
	var swaps [][2]int
	r.Shuffle(n, func(i, j int) { swaps = append(swaps, [2]int{i, j}) })
	for _, s := range swaps {
		swap(s[0], s[1])
	}
}
