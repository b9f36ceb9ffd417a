// Package use calls the functions of the standard library that have rules, or that are
// differentiated from their source although they know their arguments through
// interfaces. Its generated tests compare the derivatives with differences and with one
// another.
package use

//go:generate go tool quablagen -tests

import (
	"cmp"
	"container/heap"
	"maps"
	oldrand "math/rand"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
)

type item struct{ key, value float64 }

// weigh uses the order of items.
func weigh(items []item) float64 {
	s := 0.0
	for i, it := range items {
		s += float64(i+1) * it.key * it.value * it.value
	}
	return s
}

// SortFunc sorts with a comparison that captures scale.
//
//quabla:grad wrt=items,scale
//quabla:hvp wrt=items,scale
func SortFunc(items []item, scale float64) float64 {
	s := slices.Clone(items)
	slices.SortFunc(s, func(a, b item) int { return cmp.Compare(scale*a.key, scale*b.key) })
	return scale * weigh(s)
}

// SortStableFunc sorts by whole numbers: many are equal.
//
//quabla:grad
//quabla:jvp
func SortStableFunc(items []item) float64 {
	s := slices.Clone(items)
	slices.SortStableFunc(s, func(a, b item) int { return int(a.key) - int(b.key) })
	return weigh(s)
}

// SortSlice sorts by positions, in place.
//
//quabla:vjp of=items
//quabla:jvp of=items
func SortSlice(items []item) {
	sort.Slice(items, func(i, j int) bool { return items[i].key < items[j].key })
	for i := range items {
		items[i].value *= items[i].key
	}
}

// SortSliceStable sorts a copy of another slice.
//
//quabla:grad wrt=x
//quabla:jvp wrt=x lanes=2
func SortSliceStable(x []float64, by []int) float64 {
	y, k := slices.Clone(x), slices.Clone(by)
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(i, j int) bool { return k[order[i]] < k[order[j]] })
	s := 0.0
	for i, o := range order {
		s += float64(i+1) * y[o] * y[o]
	}
	return s
}

// pairs sorts two slices at once.
type pairs struct{ keys, values []float64 }

func (p pairs) Len() int           { return len(p.keys) }
func (p pairs) Less(i, j int) bool { return p.keys[i] < p.keys[j] }
func (p pairs) Swap(i, j int) {
	p.keys[i], p.keys[j] = p.keys[j], p.keys[i]
	p.values[i], p.values[j] = p.values[j], p.values[i]
}

// SortData sorts through sort.Interface, once by a value and once by a pointer, backwards.
//
//quabla:grad wrt=keys,values
//quabla:hvp wrt=keys,values
func SortData(keys, values []float64) float64 {
	p := pairs{slices.Clone(keys), slices.Clone(values)}
	sort.Sort(p)
	q := &pairs{slices.Clone(values), slices.Clone(keys)}
	sort.Stable(sort.Reverse(q))
	s := 0.0
	for i := range p.keys {
		s += float64(i+1) * p.keys[i] * p.values[i] * q.keys[i] * q.values[i]
	}
	return s
}

type floatHeap []float64

func (h floatHeap) Len() int           { return len(h) }
func (h floatHeap) Less(i, j int) bool { return h[i] < h[j] }
func (h floatHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *floatHeap) Push(x any)        { *h = append(*h, x.(float64)) }
func (h *floatHeap) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

// Heap joins the two smallest numbers until one is left.
//
//quabla:grad
//quabla:jvp
func Heap(x []float64) float64 {
	h := floatHeap(slices.Clone(x))
	heap.Init(&h)
	s := 0.0
	for h.Len() > 1 {
		a, b := heap.Pop(&h).(float64), heap.Pop(&h).(float64)
		s += a * b
		heap.Push(&h, a+b)
	}
	h[0] *= 2
	heap.Fix(&h, 0)
	return s * h[0]
}

// Slices goes through functions that move elements.
//
//quabla:grad
//quabla:hvp
func Slices(x []float64) float64 {
	y := slices.Insert(slices.Clone(x), 1, x[0]*x[1], x[1])
	y = slices.Insert(slices.Grow(y, 8), 2, y[:2]...)
	y = slices.Delete(y, 0, 1)
	slices.Reverse(y)
	y = slices.Concat(y, slices.Repeat(x, 2))
	y = append(y, slices.Collect(slices.Values(x))...)
	y = append(y, slices.Sorted(slices.Values(x))...)
	i, _ := slices.BinarySearch(slices.Sorted(slices.Values(x)), x[0])
	k := slices.IndexFunc(x, func(v float64) bool { return v > 0 })
	s := slices.Max(x) * slices.MinFunc(x, func(a, b float64) int { return cmp.Compare(a, b) })
	for i, v := range y {
		s += float64(i) * v * v
	}
	return s * x[max(k, 0)] * x[i]
}

// Maps goes through functions of package maps.
//
//quabla:grad
//quabla:hvp
func Maps(m map[string]float64) float64 {
	c := maps.Clone(m)
	s := 1.0
	for _, k := range slices.Sorted(maps.Keys(c)) {
		c[k] *= s
		s += c[k] * m[k]
	}
	for v := range maps.Values(m) {
		s += v * v * v
	}
	return s
}

// Shuffled shuffles with both generators.
//
//quabla:grad wrt=x
//quabla:hvp wrt=x
//quabla:jvp wrt=x lanes=2
func Shuffled(x []float64, seed uint64) float64 {
	y, z := slices.Clone(x), slices.Clone(x)
	rand.New(rand.NewPCG(seed, 1)).Shuffle(len(y), func(i, j int) { y[i], y[j] = y[j], y[i] })
	oldrand.New(oldrand.NewSource(int64(seed))).Shuffle(len(z), func(i, j int) { z[i], z[j] = z[j], z[i] })
	s := 0.0
	for i := range y {
		s += float64(i+1) * y[i] * y[i] * z[i]
	}
	return s
}

// Words goes through the words and lines of a text.
//
//quabla:grad wrt=x
//quabla:hvp wrt=x
func Words(x []float64, text string) float64 {
	s := 0.0
	at := func(w string) float64 { return x[len(w)%len(x)] }
	for line := range strings.Lines(text) {
		p := at(line)
		for w := range strings.FieldsSeq(line) {
			if w == "end" {
				return s
			}
			p *= at(w)
			for part := range strings.SplitSeq(w, ",") {
				s += at(part) * p
			}
			for part := range strings.SplitAfterSeq(w, "") {
				p += at(part)
			}
		}
		for w := range strings.FieldsFuncSeq(line, func(r rune) bool { return r == ',' || r == ' ' }) {
			s += p * at(w)
		}
	}
	return s
}
