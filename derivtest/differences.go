package derivtest

import (
	"errors"
	"math"
	"reflect"

	"github.com/quabla/quabla/internal/leaves"
)

// An estimate is a derivative from differences.
type estimate struct {
	x   float64
	err float64 // how far off it may be
	why string  // if not "", it says nothing, and this is why
}

// There are steps step sizes, each shrink times smaller than the one before. They
// are relative to the size of what is changed. Were shrink an integer, a function
// with a period could look smooth at all of them.
const (
	steps     = 8
	firstStep = 1.0 / 64
	shrink    = 1.9
)

// size is the size that a step for x is relative to.
func size(x float64) float64 {
	if a := math.Abs(x); a > 1e-6 {
		return a
	}
	return 1
}

// A blackBox is a function from floats to floats. It fails where it panics, or
// where the number of its outputs changes.
type blackBox func(x []float64) ([]float64, error)

// slope returns the derivative of f at x, where it is y, along v: central
// differences of several step sizes h, extrapolated to h = 0 by Richardson. Of
// the entries of the table the one is chosen that agrees best with its
// neighbours, as Ridders does ("Accurate computation of F'(x) and F'(x)F”(x)",
// 1982); large steps may meet a kink that small ones do not, and small ones
// suffer from rounding. noise is the relative error of the values of f.
func slope(f blackBox, x, y, v []float64, noise float64) []estimate {
	out := make([]estimate, len(y))
	var up, down [][]float64
	var hs []float64
	h := firstStep
	for range steps {
		a, errA := moved(f, x, v, h)
		b, errB := moved(f, x, v, -h)
		if err := errors.Join(errA, errB); err != nil || len(a) != len(y) || len(b) != len(y) {
			up, down, hs = nil, nil, nil // too large
		} else {
			up, down, hs = append(up, a), append(down, b), append(hs, h)
		}
		h /= shrink
	}
	if len(hs) < 3 {
		for i := range out {
			out[i] = estimate{why: "the function is not defined nearby"}
		}
		return out
	}
	for i := range out {
		a, b := make([]float64, len(hs)), make([]float64, len(hs))
		for k := range hs {
			a[k], b[k] = up[k][i], down[k][i]
		}
		out[i] = extrapolate(hs, a, b, y[i], noise)
		if out[i].x == 0 && out[i].err == 0 {
			// Terms that cancel in the values leave rounding in the derivative.
			out[i].err = noise * largest(v)
		}
	}
	return out
}

func moved(f blackBox, x, v []float64, h float64) ([]float64, error) {
	z := make([]float64, len(x))
	for j := range x {
		z[j] = x[j] + h*v[j]
	}
	return f(z)
}

// extrapolate returns the derivative of a function with the values up and down at
// the steps h and -h and the value y at zero.
func extrapolate(hs, up, down []float64, y, noise float64) estimate {
	best := estimate{err: math.Inf(1)}
	var row []float64
	for k, h := range hs {
		d := (up[k] - down[k]) / (2 * h)
		if !finite(d) {
			row = nil
			continue
		}
		next := []float64{d}
		for j := range row {
			next = append(next, next[j]+(next[j]-row[j])/(math.Pow(shrink, 2*float64(j+1))-1))
			e := max(math.Abs(next[j+1]-next[j]), math.Abs(next[j+1]-row[j]))
			// Rounding of the values is in both and may cancel.
			e = max(e, noise*(max(math.Abs(up[k]), math.Abs(down[k]), math.Abs(y))+math.Abs(d))/h)
			if e < best.err {
				best.x, best.err = next[j+1], e
			}
		}
		row = next
	}
	last := len(hs) - 1
	h := hs[last]
	switch {
	case math.IsInf(best.err, 1):
		best.why = "the function is not finite nearby"
	case best.err > 1e-4*math.Abs(best.x)+30*noise*math.Abs(y)/hs[0]:
		best.why = "a kink, a jump or strong curvature nearby"
	default:
		// At a kink the slopes of the two sides differ by as much for every step,
		// while for a smooth function they differ by less for smaller steps.
		bend := func(k int) float64 { return math.Abs(up[k]-2*y+down[k]) / hs[k] }
		small, before := max(bend(last), bend(last-1)), 0.0
		for k := range last - 1 {
			before = max(before, bend(k))
		}
		if !(small <= 0.4*before) && small > 1e-5*math.Abs(best.x)+100*noise*math.Abs(y)/h {
			best.why = "a kink at the point"
		}
	}
	return best
}

// agrees reports whether a derivative is the estimated one.
func (e estimate) agrees(got float64, narrow bool) bool {
	rel := 1e-6
	if narrow {
		rel = 2e-3
	}
	return math.Abs(got-e.x) <= rel*max(math.Abs(e.x), math.Abs(got))+20*e.err
}

// blackBox returns what a verb differentiates at a point: the function of the
// level below as one from the floats that it is differentiated by to the floats of
// the outputs.
func (l *level) blackBox(p *point, lay *layout) blackBox {
	return func(x []float64) ([]float64, error) {
		args, err := l.of.inputs(p, nil)
		if err != nil {
			return nil, err
		}
		l.set(args, lay, x)
		out, err := l.of.run().call(args)
		if err != nil {
			return nil, err
		}
		var y []float64
		for _, o := range l.sig().Of {
			y = append(y, out.slot(o).xs...)
		}
		return y, nil
	}
}

// set puts the floats that a verb differentiates by into the arguments of the
// level below.
func (l *level) set(args []reflect.Value, lay *layout, x []float64) {
	for _, i := range l.sig().Wrt {
		args[i] = leaves.Set(args[i], lay.wrt[i].of(x))
	}
}

// gradientBox returns the gradient of what a verb of second order differentiates.
// grad is the gradient as a level of its own.
func gradientBox(grad *level, p *point, lay *layout) blackBox {
	return func(x []float64) ([]float64, error) {
		s := grad.adjointSeeds(lay, 1)
		args, err := grad.inputs(p, s)
		if err != nil {
			return nil, err
		}
		// The arguments of the function stand among those of its gradient.
		for k, sl := range grad.sig().All() {
			if at, ok := lay.wrt[sl.Of]; ok && sl.Role == 0 && !sl.OfResult {
				args[k] = leaves.Set(args[k], at.of(x))
			}
		}
		out, err := grad.run().call(args)
		if err != nil {
			return nil, err
		}
		return grad.adjoints(lay, out)
	}
}

// unitVector returns a vector of length n with h at i.
func unitVector(n, i int, h float64) []float64 {
	v := make([]float64, n)
	v[i] = h
	return v
}
