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
