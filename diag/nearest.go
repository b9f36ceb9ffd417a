package diag

import (
	"slices"
	"strings"
)

// Nearest returns the candidate that name was most likely meant to be, or "" if
// none is close: at most one edit for every three letters, where an edit inserts,
// deletes or changes a letter or swaps two neighbours, and letter case is free.
// Of several equally close candidates the first in alphabetical order wins.
func Nearest(name string, candidates []string) string {
	best, bestDist := "", max(1, len([]rune(name))/3)+1
	for _, c := range slices.Sorted(slices.Values(candidates)) {
		if c == name || c == "" {
			continue
		}
		if d := distance(strings.ToLower(name), strings.ToLower(c)); d < bestDist && d < len(c) {
			best, bestDist = c, d
		}
	}
	return best
}

// distance is the edit distance of a and b with swaps of neighbours
// (optimal string alignment).
func distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	// rows i-2, i-1 and i of the table of distances between prefixes
	before, prev, cur := make([]int, len(t)+1), make([]int, len(t)+1), make([]int, len(t)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(s); i++ {
		cur[0] = i
		for j := 1; j <= len(t); j++ {
			cost := 1
			if s[i-1] == t[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
		}
		before, prev, cur = prev, cur, before
	}
	return prev[len(t)]
}
