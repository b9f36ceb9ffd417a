package emit

import "github.com/quabla/quabla/ssair"

// A liveSet is a set of values, one bit for each number that an interference
// has given to a value.
type liveSet []uint64

func (s liveSet) has(i int) bool { return i>>6 < len(s) && s[i>>6]>>(i&63)&1 != 0 }

func (s *liveSet) add(i int) {
	for len(*s) <= i>>6 {
		*s = append(*s, 0)
	}
	(*s)[i>>6] |= 1 << (i & 63)
}

func (s liveSet) remove(i int) {
	if i>>6 < len(s) {
		s[i>>6] &^= 1 << (i & 63)
	}
}

func (s *liveSet) addAll(t liveSet) {
	for len(*s) < len(t) {
		*s = append(*s, 0)
	}
	for k, w := range t {
		(*s)[k] |= w
	}
}

func (s liveSet) copy() liveSet { return append(liveSet(nil), s...) }

// An interference says which values are alive at the same time, so that they
// cannot share a variable.
type interference struct {
	number map[*ssair.Value]int
	rows   []liveSet // those alive where a value is defined: half of a symmetric relation
}

func (g *interference) of(v *ssair.Value) int {
	i, ok := g.number[v]
	if !ok {
		i = len(g.rows)
		g.number[v] = i
		g.rows = append(g.rows, nil)
	}
	return i
}

// defined records that v is assigned while those of live are alive.
func (g *interference) defined(v *ssair.Value, live liveSet) { g.rows[g.of(v)].addAll(live) }

// between reports whether v and w are alive at the same time.
func (g *interference) between(v, w *ssair.Value) bool {
	i, okI := g.number[v]
	j, okJ := g.number[w]
	return okI && okJ && i != j && (g.rows[i].has(j) || g.rows[j].has(i))
}

// all returns the set of vs.
func (g *interference) all(vs []*ssair.Value) liveSet {
	var s liveSet
	for _, v := range vs {
		s.add(g.of(v))
	}
	return s
}
