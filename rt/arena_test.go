package rt

import "testing"

func TestArena(t *testing.T) {
	var a Arena[float64]
	run := func(n int) {
		a.Reset()
		var all [][]float64
		for i := range n {
			s := a.Make(i)
			for k, v := range s {
				if v != 0 {
					t.Fatalf("element %d of slice %d is %v", k, i, v)
				}
				s[k] = float64(i)
			}
			all = append(all, s)
		}
		for i, s := range all {
			if len(s) != i || cap(s) != i {
				t.Errorf("slice %d has length %d and capacity %d", i, len(s), cap(s))
			}
			for _, v := range s {
				if v != float64(i) {
					t.Errorf("slices share memory: slice %d holds %v", i, v)
				}
			}
		}
	}
	for _, n := range []int{0, 1, 20, 20, 5} {
		run(n)
	}
	a.Reset()
	if n := testing.AllocsPerRun(10, func() {
		a.Reset()
		for i := range 20 {
			a.Take(i)
		}
	}); n != 0 {
		t.Errorf("%v allocations with memory of the right size", n)
	}
	defer func() {
		if recover() == nil {
			t.Error("Make(-1) does not panic")
		}
	}()
	a.Make(-1)
}

// TestArenaStack takes memory of several calls, each of which gives back what is its own
// while the arena grows.
func TestArenaStack(t *testing.T) {
	var a Arena[int]
	var call func(depth int) int
	call = func(depth int) int {
		defer a.Release(a.Mark())
		s := a.Make(3)
		for k := range s {
			s[k] = depth
		}
		n := 1
		if depth > 0 {
			n += call(depth - 1)
			n += call(depth - 1)
		}
		more := a.Make(5)
		for k := range more {
			more[k] = -1
		}
		for _, v := range s {
			if v != depth {
				t.Errorf("memory of depth %d holds %d", depth, v)
			}
		}
		return n
	}
	for range 3 {
		a.Reset()
		call(8)
		if a.used != 0 || a.asked != 0 {
			t.Errorf("%d elements in use, %d asked for, after all were given back", a.used, a.asked)
		}
	}
	if n := testing.AllocsPerRun(10, func() { a.Reset(); call(8) }); n != 0 {
		t.Errorf("%v allocations with memory of the right size", n)
	}
}

func TestArenaAppend(t *testing.T) {
	var a Arena[int]
	run := func() {
		a.Reset()
		var x, y []int
		for i := range 100 {
			x = a.Append(x, i)
			if i%3 == 0 {
				y = a.Append(y, -i)
			}
		}
		for i, v := range x {
			if v != i {
				t.Errorf("element %d is %d", i, v)
			}
		}
		for i, v := range y {
			if v != -3*i {
				t.Errorf("element %d of the other is %d", i, v)
			}
		}
	}
	for range 3 {
		run()
	}
	if n := testing.AllocsPerRun(10, run); n != 0 {
		t.Errorf("%v allocations with memory of the right size", n)
	}
}

func TestArenaNew(t *testing.T) {
	var a Arena[[2]int]
	p := a.New()
	p[1] = 5
	a.Reset()
	if q := a.New(); *q != [2]int{} {
		t.Errorf("a new element is %v", *q)
	}
}
