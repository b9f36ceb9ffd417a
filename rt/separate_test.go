package rt

import (
	"fmt"
	"strings"
	"testing"
)

type layer struct {
	W     [][]float64
	B     []float64
	Shape []int
	Name  string
	Scale *float64
}

type net struct {
	Layers []*layer
	ByName map[string][]float64
	Any    any
}

type list struct {
	Value float64
	Next  *list
}

// panics reports whether f panics with the text of a check.
func panics(f func()) (did bool) {
	defer func() {
		if r := recover(); r != nil {
			did = strings.HasSuffix(fmt.Sprint(r), " share memory")
		}
	}()
	f()
	return false
}

func newNet() *net {
	l := func() *layer {
		return &layer{W: [][]float64{{1, 2}, {3, 4}}, B: []float64{5, 6}, Shape: []int{2}, Scale: new(float64)}
	}
	return &net{Layers: []*layer{l(), l()}, ByName: map[string][]float64{"a": {1}, "b": {2}}, Any: []float64{7}}
}

func TestSeparate(t *testing.T) {
	separate := func(a, b any) bool { return panics(func() { Separate("f: a and b", a, b) }) }
	for _, c := range []struct {
		name  string
		share func(m, n *net)
		want  bool
	}{
		{"nothing", func(m, n *net) {}, false},
		{"ints", func(m, n *net) { m.Layers[0].Shape = n.Layers[1].Shape }, false},
		{"a layer", func(m, n *net) { m.Layers[0] = n.Layers[1] }, true},
		{"rows", func(m, n *net) { m.Layers[0].W[1] = n.Layers[1].W[0] }, true},
		{"part of a row", func(m, n *net) { m.Layers[0].W[1] = n.Layers[1].W[0][1:] }, true},
		{"no part of a row", func(m, n *net) { m.Layers[0].W[1] = n.Layers[1].W[0][1:1] }, false},
		{"neighbours", func(m, n *net) { m.Layers[0].B, n.Layers[0].B = n.Layers[0].B[:1], n.Layers[0].B[1:] }, false},
		{"a pointer into a slice", func(m, n *net) { m.Layers[0].Scale = &n.Layers[1].B[1] }, true},
		{"a map", func(m, n *net) { m.ByName = n.ByName }, true},
		{"an entry", func(m, n *net) { m.ByName["a"] = n.ByName["b"] }, true},
		{"an interface", func(m, n *net) { m.Any = n.Layers[0].B }, true},
		{"its own memory", func(m, n *net) { m.Any = m.Layers[0].B }, false},
	} {
		m, n := newNet(), newNet()
		c.share(m, n)
		if got := separate(m, n); got != c.want {
			t.Errorf("%s: panics: %v", c.name, got)
		}
		if got := separate(*n, *m); got != c.want {
			t.Errorf("%s: the other way round, panics: %v", c.name, got)
		}
	}
	if separate((*net)(nil), &net{}) || separate(map[string]float64(nil), map[string]float64(nil)) {
		t.Error("nil shares memory")
	}
	rows := [][]float64{make([]float64, 2), make([]float64, 3), make([]float64, 4), nil}
	back := [][]float64{rows[2], rows[1], rows[0]}
	for _, c := range []struct {
		a, b [][]float64
		want bool
	}{
		{rows, back, true}, {rows, rows, true}, {rows[:1], rows[1:], false}, {back[:1], rows[:2], false},
		{back[1:], rows[2:], false}, {back[1:], rows[1:], true}, {rows[:2], [][]float64{nil, {1}, rows[1][1:2]}, true}, {nil, rows, false},
	} {
		if got := panics(func() { SeparateRows("f: a and b", c.a, c.b) }); got != c.want {
			t.Errorf("rows: panics: %v", got)
		}
	}
	m := map[string]float64{}
	if !separate(m, m) || separate(m, map[string]float64{}) {
		t.Error("maps")
	}
	a, b := &list{}, &list{}
	a.Next, b.Next = a, b
	if separate(a, b) || !separate(a, &list{Next: &list{Next: a}}) {
		t.Error("lists")
	}
}

func TestDistinct(t *testing.T) {
	for _, c := range []struct {
		name  string
		share func(n *net)
		want  bool
	}{
		{"nothing", func(n *net) {}, false},
		{"layers", func(n *net) { n.Layers[0] = n.Layers[1] }, true},
		{"rows", func(n *net) { n.Layers[0].W[0] = n.Layers[1].W[1] }, true},
		{"overlap", func(n *net) { n.Layers[0].B = make([]float64, 3); n.Layers[1].B = n.Layers[0].B[2:] }, true},
		{"entries", func(n *net) { n.ByName["a"] = n.ByName["b"] }, true},
		{"pointers", func(n *net) { n.Layers[0].Scale = n.Layers[1].Scale }, true},
		{"ints", func(n *net) { n.Layers[0].Shape = n.Layers[1].Shape }, false},
	} {
		n := newNet()
		c.share(n)
		if got := panics(func() { Distinct("f: parts of a", n) }); got != c.want {
			t.Errorf("%s: panics: %v", c.name, got)
		}
	}
}
