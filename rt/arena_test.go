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
