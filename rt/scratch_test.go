package rt

import "testing"

func TestBuf(t *testing.T) {
	var b Buf[float64]
	s := b.Make(3)
	s[1] = 7
	if got := b.Take(3); got[1] != 7 {
		t.Errorf("Take cleared the memory: %v", got)
	}
	if got := b.Make(2); len(got) != 2 || cap(got) != 2 || got[1] != 0 {
		t.Errorf("Make(2) = %v with capacity %d", got, cap(got))
	}
	if n := testing.AllocsPerRun(100, func() { b.Make(3) }); n != 0 {
		t.Errorf("Make allocates %v times", n)
	}
	defer func() {
		if recover() == nil {
			t.Error("Make(-1) does not panic")
		}
	}()
	b.Make(-1)
}

func TestNoOverlap(t *testing.T) {
	x := make([]float64, 10)
	panics := func(f func()) (is bool) {
		defer func() { is = recover() != nil }()
		f()
		return false
	}
	for _, c := range []struct {
		a, b []float64
		want bool
	}{
		{x[:5], x[5:], false}, {x[:6], x[5:], true}, {x, x, true}, {x[:0], x, false}, {nil, x, false},
		{x[2:3], x, true}, {x, make([]float64, 3), false},
	} {
		if got := panics(func() { NoOverlap("f: a and b", c.a, c.b) }); got != c.want {
			t.Errorf("NoOverlap(%d, %d) panics: %v", len(c.a), len(c.b), got)
		}
		if got := panics(func() { NoOverlapRows("f: a and b", c.a, [][]float64{nil, c.b}) }); got != c.want {
			t.Errorf("NoOverlapRows(%d, %d) panics: %v", len(c.a), len(c.b), got)
		}
	}
}
