package probe

import (
	"fmt"
	"math"
	"slices"
)

// A truth holds what is known about the derivatives at a point: the numbers of the
// case, and where the case accepts several, the one that the first mode gave, so
// that the others must agree with it.
type truth struct {
	p     *Point
	val   []float64
	d1    [][]float64   // by output; nil if not stated
	d2    [][][]float64 // by output; nil if not stated
	high  map[string]float64
	fixed map[string]bool // entries with a choice that have been made
}

func newTruth(p *Point) *truth {
	t := &truth{p: p, val: p.Val, high: map[string]float64{}, fixed: map[string]bool{}}
	for _, out := range p.Outs {
		var d2 [][]float64
		for _, row := range p.Hess[out] {
			d2 = append(d2, slices.Clone(row))
		}
		if _, ok := p.Hess[out]; ok && d2 == nil {
			d2 = [][]float64{}
		}
		row, ok := p.Jac[out]
		if row = slices.Clone(row); ok && row == nil {
			row = []float64{} // no leaves
		}
		t.d1 = append(t.d1, row)
		t.d2 = append(t.d2, d2)
	}
	for _, h := range p.High {
		t.high[highKey(slices.Index(p.Outs, h.Out), h.By)] = h.Value
	}
	return t
}

func highKey(out int, by []int) string {
	by = slices.Clone(by)
	slices.Sort(by)
	return fmt.Sprint(out, by)
}

// entry returns the derivative of an output by some leaves.
func (t *truth) entry(out int, by []int) (float64, bool) {
	x, ok := t.look(out, by)
	return x, ok && !unstated(x)
}

func (t *truth) look(out int, by []int) (float64, bool) {
	switch len(by) {
	case 0:
		return t.val[out], true
	case 1:
		if t.d1[out] != nil {
			return t.d1[out][by[0]], true
		}
	case 2:
		if t.d2[out] != nil {
			return t.d2[out][by[0]][by[1]], true
		}
	}
	x, ok := t.high[highKey(out, by)]
	return x, ok
}

// A want is an expected number.
type want struct {
	x     float64
	scale float64 // sum of the absolute values of the terms
	ok    bool    // whether it is known

	// If the number is one entry of the truth, that is it.
	out  int
	by   []int
	pure bool
}

// contract returns the derivative of the outputs, weighted with w, in the
// directions dirs. Terms with the weight or a direction 0 do not count, whatever
// they are multiplied with. If exactly one term counts, with factor 1, the result
// is pure.
func (t *truth) contract(w []float64, dirs [][]float64) want {
	sum := want{ok: true, out: -1}
	terms, unit := 0, true
	var visit func(out int, by []int, f float64)
	visit = func(out int, by []int, f float64) {
		if !sum.ok {
			return
		}
		if k := len(by); k < len(dirs) {
			for i, d := range dirs[k] {
				if d != 0 {
					visit(out, append(by[:k:k], i), f*d)
				}
			}
			return
		}
		x, ok := t.entry(out, by)
		sum.ok = ok
		if terms == 0 {
			sum.x = f * x // the sign of a zero stays
		} else {
			sum.x += f * x
		}
		sum.scale += math.Abs(f * x)
		terms++
		unit = unit && f == 1
		sum.out, sum.by = out, by
	}
	for o, f := range w {
		if f != 0 {
			visit(o, nil, f)
		}
	}
	sum.pure = terms == 1 && unit
	return sum
}

// oneHot returns a vector of length n with a 1 at i.
func oneHot(n, i int) []float64 {
	v := make([]float64, n)
	v[i] = 1
	return v
}

// tolerance returns the relative and the absolute tolerance for a derivative of an
// order.
func (t *truth) tolerance(order int) (rel, abs float64) {
	switch order {
	case 0:
		// The same arithmetic; but sums over maps have no order.
		return 1e-13, 1e-300
	case 1:
		return t.p.RTol, 1e-13
	}
	return max(1e-10, t.p.RTol), 1e-12
}

// near reports whether got is the number wanted: within the tolerance, or the same
// infinity, or NaN where NaN is wanted.
func near(got, want, scale, rel, abs float64) bool {
	if math.IsNaN(want) {
		return math.IsNaN(got)
	}
	if got == want {
		return true
	}
	if math.IsInf(want, 0) || math.IsInf(got, 0) || math.IsNaN(got) {
		return false
	}
	return math.Abs(got-want) <= abs+rel*max(scale, math.Abs(want))
}

// accepts reports whether got is right. Where the case leaves a choice, the first
// answer is noted, and the others must be equal to it.
func (t *truth) accepts(got float64, w want, order int) bool {
	rel, abs := t.tolerance(order)
	if t.p.Within != nil {
		rel, abs = max(rel, t.p.Within[0]), max(abs, t.p.Within[1])
	}
	good := near(got, w.x, w.scale, rel, abs)
	if !w.pure {
		return good
	}
	if t.p.Within != nil && order == 0 {
		return got == w.x && math.Signbit(got) == math.Signbit(w.x) || got != got && w.x != w.x
	}
	if t.p.Within != nil {
		return near(got, w.x, 0, t.p.Within[0], t.p.Within[1])
	}
	key := highKey(w.out, w.by)
	switch order {
	case 1:
		a, ok := t.p.allowed(t.p.Outs[w.out], t.p.Leaves[w.by[0]])
		if !ok && !t.p.NaNToo {
			return good
		}
		if !good && !t.fixed[key] {
			good = ok && got >= a.Lo-abs-rel*math.Abs(a.Lo) && got <= a.Hi+abs+rel*math.Abs(a.Hi) || t.p.NaNToo && math.IsNaN(got)
			if good {
				t.d1[w.out][w.by[0]] = got
			}
		}
	case 2:
		if len(t.p.Either) == 0 {
			return good
		}
		if !good && !t.fixed[key] {
			good = slices.ContainsFunc(t.p.Either, func(x float64) bool { return near(got, x, 0, rel, abs) })
			if good {
				i, j := w.by[0], w.by[1]
				t.d2[w.out][i][j], t.d2[w.out][j][i] = got, got
			}
		}
	}
	if good {
		t.fixed[key] = true
	}
	return good
}
