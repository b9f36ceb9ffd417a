package rt

import (
	"reflect"
	"testing"
)

func TestLike(t *testing.T) {
	type point struct {
		X, y float64
		Name string
	}
	type node struct {
		value float64
		next  *node
		label []int
	}
	type shape interface{ area() float64 }
	type model struct {
		W      [][]float64
		b      []float32
		Points map[string]*point
		F      func()
		Any    any
		Shape  shape
		Z      complex128
	}
	if got := Like([]float64(nil)); got != nil {
		t.Errorf("Like(nil) = %v", got)
	}
	s := append(make([]float64, 0, 8), 1, 2)
	if got := Like(s); len(got) != 2 || cap(got) != 8 || got[0] != 0 || s[0] != 1 {
		t.Errorf("Like(%v) = %v with capacity %d", s, got, cap(got))
	}
	if got := Like([2][]float64{{1}, nil}); len(got[0]) != 1 || got[0][0] != 0 || got[1] != nil {
		t.Errorf("Like of an array = %v", got)
	}

	p := &point{1, 2, "p"}
	row := []float64{3, 4}
	m := &model{W: [][]float64{row, row, nil}, b: []float32{5}, Points: map[string]*point{"a": p, "b": p}, Any: []float64{6}, Z: 1i}
	got := Like(m)
	if !reflect.DeepEqual(got.W, [][]float64{{0, 0}, {0, 0}, nil}) || got.b[0] != 0 || got.Z != 0 {
		t.Errorf("Like(m) = %+v", got)
	}
	if got.W[0][0] = 1; got.W[1][0] != 1 || row[0] != 3 {
		t.Error("beside an interface, rows share what they share in the original")
	}
	if rows := Like([][]float64{row, row}); &rows[0][0] == &rows[1][0] {
		t.Error("rows share memory")
	}
	if c, ok := Like(any(point{1, 2, "p"})).(*point); !ok || *c != (point{Name: "p"}) {
		t.Error("an interface that holds a value has no pointer to one as destination")
	}
	if a := got.Points["a"]; *a != (point{Name: "p"}) || a != got.Points["b"] || a == p {
		t.Errorf("Points = %v", got.Points)
	}
	if x := got.Any.([]float64); len(x) != 1 || x[0] != 0 {
		t.Errorf("Any = %v", got.Any)
	}
	if *p != (point{1, 2, "p"}) || m.Any.([]float64)[0] != 6 || m.Z != 1i {
		t.Errorf("the original has changed: %+v", m)
	}

	a := &node{value: 1, label: []int{7}}
	a.next = &node{value: 2, next: a}
	b := Like(a)
	if b == a || b.value != 0 || b.next.value != 0 || b.next.next != b || b.label[0] != 7 || a.next.value != 2 {
		t.Error("a cycle is not kept")
	}
	type id int
	if got := Like(id(3)); got != 3 {
		t.Errorf("Like(3) = %v", got)
	}
}
