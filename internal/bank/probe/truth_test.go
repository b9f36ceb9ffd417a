package probe

import (
	"math"
	"testing"
)

var (
	inf = math.Inf(1)
	nan = math.NaN()
)

func TestNear(t *testing.T) {
	for _, c := range []struct {
		got, want, scale float64
		good             bool
	}{
		{1, 1, 0, true}, {1 + 1e-13, 1, 0, true}, {1 + 1e-11, 1, 0, false}, {1e6 + 1e-7, 1e6, 0, true}, {1e6 + 1e-5, 1e6, 0, false},
		{0, 1e-14, 0, true}, {1e-12, 0, 0, false}, {1e-10, 0, 1e3, true}, {1e-8, 0, 1e3, false},
		{nan, nan, 0, true}, {nan, 1, 0, false}, {1, nan, 0, false}, {inf, inf, 0, true}, {-inf, inf, 0, false}, {inf, 1, 0, false},
		{1, inf, inf, false}, {nan, inf, 0, false}, {math.Copysign(0, -1), 0, 0, true},
	} {
		if near(c.got, c.want, c.scale, 1e-12, 1e-13) != c.good {
			t.Errorf("%v for %v at scale %v: %t", c.got, c.want, c.scale, !c.good)
		}
	}
}

// pointOf returns the truth of x0^2 x1 + 3 x1 and x1 at (1, 2).
func pointOf() *truth {
	return newTruth(&Point{
		Leaves: []string{"x[0]", "x[1]"}, Outs: []string{"r0", "r1"}, Val: []float64{8, 2}, RTol: 1e-12,
		Jac:  map[string][]float64{"r0": {4, 4}, "r1": {0, 1}},
		Hess: map[string][][]float64{"r0": {{4, 2}, {2, 0}}},
		High: []High{{Out: "r0", By: []int{0, 0, 1}, Value: 2}},
	})
}

func TestContract(t *testing.T) {
	tr := pointOf()
	for _, c := range []struct {
		name string
		w    []float64
		dirs [][]float64
		x    float64
		ok   bool
		pure bool
	}{
		{"value", []float64{1, 0}, nil, 8, true, true},
		{"entry", []float64{0, 1}, [][]float64{{0, 1}}, 1, true, true},
		{"weighted", []float64{2, -3}, [][]float64{{1, 10}}, 2*44 - 3*10, true, false},
		{"second", []float64{1, 0}, [][]float64{{1, 2}, {3, 4}}, 4*3 + 2*4 + 2*2*3, true, false},
		{"unknown", []float64{1, 1}, [][]float64{{1, 2}, {3, 4}}, 0, false, false},
		{"third", []float64{1, 0}, [][]float64{{1, 0}, {0, 1}, {1, 0}}, 2, true, true},
		{"third unknown", []float64{1, 0}, [][]float64{{0, 1}, {0, 1}, {1, 0}}, 0, false, true},
	} {
		w := tr.contract(c.w, c.dirs)
		if w.ok != c.ok || c.ok && (w.x != c.x || w.pure != c.pure) {
			t.Errorf("%s: %+v", c.name, w)
		}
	}
	// A zero does not meet an infinity.
	tr.d1[0][0] = inf
	if w := tr.contract([]float64{1, 0}, [][]float64{{0, 1}}); w.x != 4 {
		t.Errorf("%+v", w)
	}
	if w := tr.contract([]float64{1, 0}, [][]float64{{1, 1}}); w.x != inf {
		t.Errorf("%+v", w)
	}
	tr.d1[0][1] = -inf
	if w := tr.contract([]float64{1, 0}, [][]float64{{1, 1}}); !math.IsNaN(w.x) {
		t.Errorf("%+v", w)
	}
}

// TestAccepts checks that a choice is open once, and only within the interval.
func TestAccepts(t *testing.T) {
	tr := pointOf()
	tr.p.Allow = []Allow{{"r0", "x[0]", -1, 6}}
	entry := func(i int) want { return tr.contract([]float64{1, 0}, [][]float64{oneHot(2, i)}) }
	if tr.accepts(7, entry(0), 1) || tr.accepts(nan, entry(0), 1) || tr.accepts(5, entry(1), 1) {
		t.Error("accepts what is not allowed")
	}
	if !tr.accepts(5, entry(0), 1) {
		t.Error("does not accept what is allowed")
	}
	if tr.accepts(4, entry(0), 1) || !tr.accepts(5, entry(0), 1) {
		t.Error("the modes need not agree")
	}
	if w := tr.contract([]float64{1, 0}, [][]float64{{1, 1}}); !tr.accepts(9, w, 1) || tr.accepts(8, w, 1) {
		t.Error("sums do not agree with the choice")
	}

	tr = pointOf()
	tr.p.NaNToo = true
	if !tr.accepts(nan, entry(0), 1) || tr.accepts(5, entry(1), 1) {
		t.Error("NaN is accepted too")
	}

	tr = pointOf()
	tr.p.Either = []float64{-1. / 3, 7}
	second := tr.contract([]float64{1, 0}, [][]float64{oneHot(2, 0), oneHot(2, 0)})
	if tr.accepts(6, second, 2) || !tr.accepts(7, second, 2) {
		t.Error("either of two")
	}
	if second = tr.contract([]float64{1, 0}, [][]float64{oneHot(2, 0), oneHot(2, 0)}); tr.accepts(4, second, 2) || !tr.accepts(7, second, 2) {
		t.Error("the choice between two is open twice")
	}
}

func TestLevels(t *testing.T) {
	for _, c := range []struct {
		roles []Role
		set   uint
	}{
		{[]Role{Primal, Primal}, 0}, {[]Role{Adjoint, Primal}, 1}, {[]Role{Primal, Tangent}, 2}, {[]Role{Adjoint, Tangent}, 3},
		{[]Role{Tangent, Tangent}, 3}, {[]Role{Primal, Adjoint}, 3}, {[]Role{Tangent, Primal, Adjoint}, 7}, {[]Role{Tangent, Primal, Tangent}, 5},
	} {
		if s := (&Slot{Roles: c.roles}); s.levels() != c.set {
			t.Errorf("%v: %b", c.roles, s.levels())
		}
	}
}
