package rt

import (
	"fmt"
	"strings"
	"testing"
)

type ring struct {
	v    float64
	id   int
	next *ring
	back **ring
	kids []*ring
}

type pot interface{ at(x float64) float64 }

type well struct {
	depth float64
	name  string
	table []float64
}

func (w well) at(x float64) float64 { return w.depth * x }

type wall struct{ height float64 }

func (w *wall) at(x float64) float64 { return w.height }

type world struct {
	pots  map[string]pot
	any   any
	f     func(float64) float64
	all   []float64
	part  []float64
	first *float64
	rows  [2][]ring
	peers map[int]*world
	grid  *[3]float64
	cell  *float64
	n     int
	none  map[string]int
}

func makeWorld() *world {
	w := &world{
		pots: map[string]pot{"a": well{1, "w", []float64{1, 2}}, "b": &wall{3}}, any: 4.0,
		f: func(x float64) float64 { return x }, all: make([]float64, 4, 6), n: 7, grid: &[3]float64{1, 2, 3},
	}
	w.part, w.first, w.cell = w.all[2:5], &w.all[1], &w.grid[2]
	w.peers = map[int]*world{1: w}
	w.rows[1] = make([]ring, 2)
	w.rows[1][0].next = &w.rows[1][1]
	w.rows[1][1].back = &w.rows[1][0].next
	w.rows[1][1].kids = []*ring{&w.rows[1][0]}
	for i := range w.all {
		w.all[i] = float64(i + 1)
	}
	return w
}

func TestZeroLikeKeepsSharing(t *testing.T) {
	w := makeWorld()
	s := ZeroLike[*world](w)
	if s == w || s.peers[1] != s || len(s.all) != 4 || cap(s.all) != 6 || s.n != 0 || s.none != nil || s.f != nil {
		t.Fatalf("shadow %+v", s)
	}
	for _, x := range s.all {
		if x != 0 {
			t.Errorf("all holds %v", s.all)
		}
	}
	s.all[1], s.all[2], s.grid[2] = 5, 6, 7
	if *s.first != 5 || s.part[0] != 6 || *s.cell != 7 {
		t.Errorf("memory is not shared: %v %v %v", *s.first, s.part, *s.cell)
	}
	r := s.rows[1]
	if s.rows[0] != nil || r[0].next != &r[1] || r[1].back != &r[0].next || r[1].kids[0] != &r[0] {
		t.Errorf("rows %v", s.rows)
	}
	a, ok := s.pots["a"].(*well)
	if !ok || a.depth != 0 || a.name != "" || len(a.table) != 2 {
		t.Errorf("pots[a] is %#v", s.pots["a"])
	}
	if b, ok := s.pots["b"].(*wall); !ok || b == w.pots["b"] || b.height != 0 {
		t.Errorf("pots[b] is %#v", s.pots["b"])
	}
	if x, ok := s.any.(*float64); !ok || *x != 0 {
		t.Errorf("any is %#v", s.any)
	}
	if w.all[1] != 2 || w.grid[2] != 3 {
		t.Error("the value itself was changed")
	}
}

type lanes struct {
	V    [2]float64
	id   int
	next *lanes
	back **lanes
	kids []*lanes
}

func TestZeroLikeWithLanes(t *testing.T) {
	a, b := &ring{v: 1}, &ring{v: 2, id: 3}
	a.next, b.next = b, a
	b.back, b.kids = &a.next, []*ring{b, a}
	s := ZeroLike[*lanes](a)
	if s.next.next != s || s.next.back != &s.next || s.next.kids[1] != s || s.next.id != 0 {
		t.Errorf("shadow %+v", s)
	}
}

func TestClearAll(t *testing.T) {
	a, b := &ring{v: 1, id: 5}, &ring{v: 2}
	a.next, b.next, b.kids = b, a, []*ring{{v: 3}}
	ClearAll(a)
	if a.v != 0 || b.v != 0 || b.kids[0].v != 0 || a.id != 5 || a.next != b {
		t.Errorf("%+v %+v", a, b)
	}
	w := makeWorld()
	w.pots["a"], w.any = &well{2, "w", []float64{1}}, new(float64)
	ClearAll(w)
	if w.all[3] != 0 || w.pots["a"].at(1) != 0 || w.pots["a"].(*well).table[0] != 0 || w.pots["b"].at(1) != 0 || w.grid[1] != 0 || w.f == nil || w.n != 7 {
		t.Errorf("%+v", w)
	}
	m := map[string][2]float64{"x": {1, 2}}
	ClearAll(m)
	if m["x"] != [2]float64{} {
		t.Errorf("%v", m)
	}
	ClearAll[*ring](nil)
	mustPanic(t, "holds a rt.well, want a *rt.well", func() { ClearAll(makeWorld()) })
}

func TestSameShape(t *testing.T) {
	same := func(d, x *world) func() {
		return func() { SameShape("p.F", "dw", "w", d, x) }
	}
	w := makeWorld()
	same(ZeroLike[*world](w), w)()
	same(nil, nil)()
	mustPanic(t, "p.F: dw is nil", same(nil, w))
	for _, c := range []struct {
		want   string
		change func(d *world)
	}{
		{"p.F: len(dw.all) != len(w.all)", func(d *world) { d.all = d.all[:3] }},
		{"p.F: dw.first is nil", func(d *world) { d.first = nil }},
		{"p.F: dw.rows[1][0].next is nil", func(d *world) { d.rows[1][0].next = nil }},
		{"p.F: parts of w share memory where those of dw do not", func(d *world) { d.first = new(float64) }},
		{"p.F: parts of w share memory where those of dw do not", func(d *world) { n := *d.rows[1][0].next; d.rows[1][0].next = &n }},
		{"p.F: parts of dw share memory where those of w do not", func(d *world) { d.grid = (*[3]float64)(d.all[:3]); d.cell = &d.grid[2] }},
		{"p.F: dw.pots[a] holds nothing, want a *rt.well", func(d *world) { d.pots["a"] = nil }},
		{"p.F: dw.pots[b] holds a *rt.well, want a *rt.wall", func(d *world) { d.pots["b"] = d.pots["a"] }},
		{"p.F: dw.peers[1] is missing", func(d *world) { d.peers = map[int]*world{} }},
		{"p.F: dw.peers is nil", func(d *world) { d.peers = nil }},
	} {
		d := ZeroLike[*world](w)
		c.change(d)
		mustPanic(t, c.want, same(d, w))
	}
}

func mustPanic(t *testing.T, want string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if r := recover(); r == nil || !strings.Contains(fmt.Sprint(r), want) {
			t.Errorf("panics with %v, want %q", r, want)
		}
	}()
	f()
}
