//go:build !race

package rt

import "testing"

func TestSeparateAllocs(t *testing.T) {
	m, n := newNet(), newNet()
	m.ByName, n.ByName = nil, nil // iterating over a map allocates
	s := [][][]float64{{{1}, {2}}, {{3}}}
	if a := testing.AllocsPerRun(100, func() {
		Separate("f: a and b", m, n)
		Separate("f: a and b", s, n.Layers[0].W)
		Distinct("f: parts of a", *m)
	}); a > 0.5 { // a collection may empty the pools
		t.Errorf("%v allocations", a)
	}
}

func TestTreeAllocs(t *testing.T) {
	type tree struct {
		v     float64
		left  *tree
		right *tree
	}
	var grow func(depth int) *tree
	grow = func(depth int) *tree {
		if depth == 0 {
			return nil
		}
		return &tree{1, grow(depth - 1), grow(depth - 1)}
	}
	x, d := grow(8), grow(8)
	if a := testing.AllocsPerRun(100, func() {
		SameShape("f", "d", "x", d, x)
		Separate("f: d and x", d, x)
		ClearAll(d)
	}); a > 0.5 {
		t.Errorf("%v allocations", a)
	}
	if d.left.v != 0 {
		t.Error("not cleared")
	}
}
