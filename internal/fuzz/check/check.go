package check

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// A Checker checks the functions of a plan in a world.
type Checker struct {
	World World
	Plan  *Plan
	// Fail is told what is wrong with a function.
	Fail func(f *Func, seed uint64, format string, args ...any)
	// Saw, if not nil, is told the outcomes of derived functions, for comparison with
	// other worlds.
	Saw func(f *Func, seed uint64, out Outcome)
	// Skipped counts points that tell nothing, by reason.
	Skipped map[string]int
	// Checked counts comparisons with differences.
	Checked int
}

// A point is a place where derivatives are compared.
type point struct {
	c    *Checker
	seed uint64
	n    []int       // number of floats by parameter
	x    [][]float64 // of the parameters
	v, w [][]float64 // two directions
	base Outcome     // of F at x
	u    [][]float64 // cotangents
	outs []output
	// slopes holds the derivatives of the outputs along v for sets of parameters.
	slopes map[string]*slope
}

// A slope is the derivative of the outputs in one direction.
type slope struct {
	v       [][]float64 // zero where parameters are left out
	diff    [][]float64 // by differences
	forward [][]float64 // by forward mode, or nil
	why     string      // why there are no differences
}

// An output is one that is differentiated.
type output struct {
	param bool
	index int
}

func (o output) of(out Outcome) []float64 {
	if o.param {
		return out.Params[o.index]
	}
	return out.Results[o.index]
}

// Run checks all functions at all points.
func (c *Checker) Run() {
	c.Skipped = map[string]int{}
	for _, seed := range c.Plan.Seeds {
		p := &point{c: c, seed: seed, n: c.World.Count(seed)}
		if why := p.prepare(); why != "" {
			c.Skipped[why]++
			continue
		}
		for i := range c.Plan.Funcs {
			p.check(&c.Plan.Funcs[i])
		}
	}
}

func vectors(n []int, f func() float64) [][]float64 {
	out := make([][]float64, len(n))
	for i, k := range n {
		out[i] = make([]float64, k)
		for j := range out[i] {
			out[i][j] = f()
		}
	}
	return out
}

// Inputs returns the point of a seed: the floats in the parameters of F, of which
// there are n.
func Inputs(plan *Plan, seed uint64, n []int) [][]float64 {
	rng := rand.New(rand.NewPCG(seed, 3))
	return vectors(n, func() float64 {
		x := 2.6*rng.Float64() - 1.3
		if plan.Positive {
			x = math.Abs(x) + 0.5
		}
		return x
	})
}

// prepare chooses the point and calls F. It returns why the point is no good.
func (p *point) prepare() string {
	p.x = Inputs(p.c.Plan, p.seed, p.n)
	rng := rand.New(rand.NewPCG(p.seed, 4))
	unit := func() float64 { return 2*rng.Float64() - 1 }
	p.v, p.w = vectors(p.n, unit), vectors(p.n, unit)
	p.base = p.primal(p.x)
	if p.base.Panic != "" {
		return "F panics"
	}
	for i := range p.base.Params {
		p.outs = append(p.outs, output{true, i})
	}
	for i := range p.base.Results {
		p.outs = append(p.outs, output{false, i})
	}
	for _, o := range p.outs {
		y := o.of(p.base)
		p.u = append(p.u, vectors([]int{len(y)}, unit)[0])
		for _, y := range y {
			if !(math.Abs(y) < 1e6) {
				return "large values"
			}
		}
	}
	p.slopes = map[string]*slope{}
	return ""
}

// along returns the slope for the parameters of f.
func (p *point) along(f *Func) *slope {
	key := fmt.Sprint(f.Wrt)
	if s := p.slopes[key]; s != nil {
		return s
	}
	s := &slope{v: p.only(f, p.v)}
	p.slopes[key] = s
	flat, why := p.differences(s.v, func(x [][]float64) ([]float64, bool) {
		out := p.primal(x)
		if out.Panic != "" {
			return nil, false
		}
		return p.flatten(out), true
	})
	if s.why = why; why != "" {
		return s
	}
	for _, o := range p.outs {
		k := len(o.of(p.base))
		s.diff, flat = append(s.diff, flat[:k]), flat[k:]
	}
	return s
}

// only returns v with zeros for the parameters that f does not differentiate.
func (p *point) only(f *Func, v [][]float64) [][]float64 {
	out := vectors(p.n, func() float64 { return 0 })
	for _, i := range f.Wrt {
		out[i] = v[i]
	}
	return out
}

func (p *point) primal(x [][]float64) Outcome { return p.c.World.Call(&p.c.Plan.Primal, p.seed, x) }

// flatten lists all outputs of F.
func (p *point) flatten(out Outcome) []float64 {
	var ys []float64
	for _, o := range p.outs {
		ys = append(ys, o.of(out)...)
	}
	return ys
}

// differences returns the derivative of f along v by central differences of
// three step sizes, extrapolated. Where they disagree, f has a kink or a jump
// nearby.
func (p *point) differences(v [][]float64, f func(x [][]float64) ([]float64, bool)) ([]float64, string) {
	const h = 1.0 / 512
	var d [3][]float64
	size := 1.0
	for k := range d {
		step := h / float64(int(1)<<k)
		ys := make([][]float64, 2)
		for s := range ys {
			x := make([][]float64, len(p.x))
			for i := range x {
				x[i] = make([]float64, len(p.x[i]))
				for j := range x[i] {
					x[i][j] = p.x[i][j] + float64(1-2*s)*step*v[i][j]
				}
			}
			var ok bool
			if ys[s], ok = f(x); !ok {
				return nil, "F panics nearby"
			}
		}
		if len(ys[0]) != len(ys[1]) || k > 0 && len(ys[0]) != len(d[0]) {
			return nil, "the shape of the outputs changes nearby"
		}
		d[k] = make([]float64, len(ys[0]))
		for i := range d[k] {
			d[k][i] = (ys[0][i] - ys[1][i]) / (2 * step)
			size = max(size, math.Abs(ys[0][i]))
		}
	}
	out := make([]float64, len(d[0]))
	for i := range out {
		a := (4*d[1][i] - d[0][i]) / 3
		b := (4*d[2][i] - d[1][i]) / 3
		out[i] = (16*b - a) / 15
		if !(math.Abs(a-b) <= 1e-6*(1+math.Abs(b))+1e-9*size) {
			return nil, "a kink or strong curvature nearby"
		}
	}
	return out, ""
}

// near compares with a value from differences.
func near(got, want, size float64) bool {
	return math.Abs(got-want) <= 2e-6*(1+math.Abs(want))+1e-7*size
}

// args returns the arguments of f: the point in primal slots, and what give says
// in the others.
func (p *point) args(f *Func, give func(s Slot) []float64) [][]float64 {
	in := make([][]float64, len(f.Params))
	for i, s := range f.Params {
		if s.Role == Primal {
			in[i] = p.x[s.Of]
		} else {
			in[i] = give(s)
		}
	}
	return in
}

// call calls f and compares its primal outputs with those of F.
func (p *point) call(f *Func, in [][]float64) (Outcome, bool) {
	out := p.c.World.Call(f, p.seed, in)
	if p.c.Saw != nil {
		p.c.Saw(f, p.seed, out)
	}
	if out.Panic != "" {
		p.c.Fail(f, p.seed, "panics: %s", out.Panic)
		return out, false
	}
	ok := true
	same := func(what string, i int, got, want []float64) {
		if len(got) != len(want) {
			p.c.Fail(f, p.seed, "%s %d ends with %d numbers, of F with %d", what, i, len(got), len(want))
			ok = false
			return
		}
		for k := range got {
			if got[k] != want[k] && ok {
				p.c.Fail(f, p.seed, "%s %d: number %d is %v, of F %v", what, i, k, got[k], want[k])
				ok = false
			}
		}
	}
	for i, s := range f.Params {
		if s.Role == Primal {
			same("parameter", s.Of, out.Params[i], p.base.Params[s.Of])
			if ok && out.States != nil && p.base.States != nil {
				same("the state of parameter", s.Of, out.States[i], p.base.States[s.Of])
			}
		}
	}
	for i, s := range f.Results {
		if s.Role == Primal {
			same("result", s.Of, out.Results[i], p.base.Results[s.Of])
		}
	}
	return out, ok
}

func (p *point) check(f *Func) {
	if s := p.along(f); s.why != "" {
		p.c.Skipped[s.why]++
		return
	}
	switch f.Verb {
	case "jvp":
		p.jvp(f)
	case "grad", "vjp":
		p.vjp(f)
	case "hvp":
		p.hvp(f)
	}
}

// interleave puts the numbers of n directions side by side, as lanes are.
func interleave(dirs ...[]float64) []float64 {
	var out []float64
	for i := range dirs[0] {
		for _, d := range dirs {
			out = append(out, d[i])
		}
	}
	return out
}

func lane(xs []float64, k, n int) []float64 {
	out := make([]float64, 0, len(xs)/n)
	for i := k; i < len(xs); i += n {
		out = append(out, xs[i])
	}
	return out
}

func (p *point) jvp(f *Func) {
	zero := vectors(p.n, func() float64 { return 0 })
	dirs := [][][]float64{p.v, p.w, zero, p.v, p.w, p.v, p.w, p.v}[:f.Lanes]
	in := p.args(f, func(s Slot) []float64 {
		var ds [][]float64
		for _, d := range dirs {
			ds = append(ds, d[s.Of])
		}
		return interleave(ds...)
	})
	out, ok := p.call(f, in)
	if !ok {
		return
	}
	along := p.along(f)
	forward := make([][]float64, len(p.outs))
	take := func(s Slot, got []float64) {
		at := s.Of
		if s.OfResult {
			at += len(p.base.Params)
		}
		first := lane(got, 0, f.Lanes)
		want := along.diff[at]
		if len(first) != len(want) {
			p.c.Fail(f, p.seed, "the tangent of %s has %d numbers, want %d", p.name(at), len(first), len(want))
			return
		}
		forward[at] = first
		for k := range want {
			p.c.Checked++
			if !near(first[k], want[k], 1) {
				p.c.Fail(f, p.seed, "the tangent of %s, number %d, is %v, by differences %v", p.name(at), k, first[k], want[k])
				return
			}
		}
		for l := 1; l < f.Lanes; l++ {
			same := 0
			if l == 2 {
				for k, x := range lane(got, l, f.Lanes) {
					if x != 0 {
						p.c.Fail(f, p.seed, "the tangent of %s, number %d, is %v in the lane without direction", p.name(at), k, x)
						return
					}
				}
				continue
			}
			if l%2 == 0 {
				same = 1
			}
			if l == 1 {
				continue
			}
			a, b := lane(got, l, f.Lanes), lane(got, same, f.Lanes)
			for k := range a {
				if a[k] != b[k] {
					p.c.Fail(f, p.seed, "the tangent of %s, number %d: lanes %d and %d, of equal direction, differ: %v and %v", p.name(at), k, same, l, b[k], a[k])
					return
				}
			}
		}
	}
	for i, s := range f.Params {
		if s.Role == Tangent {
			take(s, out.Params[i])
		}
	}
	for i, s := range f.Results {
		if s.Role == Tangent {
			take(s, out.Results[i])
		}
	}
	if f.Lanes == 1 && along.forward == nil {
		along.forward = forward
	}
}

func (p *point) name(at int) string {
	if at < len(p.base.Params) {
		return fmt.Sprintf("parameter %d", at)
	}
	return fmt.Sprintf("result %d", at-len(p.base.Params))
}

// vjp checks a gradient or a vector-Jacobian product: u'(Jv) = (J'u)'v.
func (p *point) vjp(f *Func) {
	cot := make([][]float64, len(p.outs))
	give := func(s Slot) []float64 { return nil }
	if f.Verb == "grad" {
		for _, i := range f.OfResults {
			cot[len(p.base.Params)+i] = []float64{1}
		}
	} else {
		give = func(s Slot) []float64 {
			at := s.Of
			if s.OfResult {
				at += len(p.base.Params)
			} else if !s.InOut {
				return nil
			}
			cot[at] = p.u[at]
			return p.u[at]
		}
	}
	in := p.args(f, give)
	for i, s := range f.Params {
		if s.InOut && len(in[i]) != p.n[s.Of] {
			p.c.Skipped["the shape of a parameter changes"]++
			return
		}
	}
	out, ok := p.call(f, in)
	if !ok {
		return
	}
	// The left side, by differences and by forward mode.
	along := p.along(f)
	left, left2, size := 0.0, 0.0, 0.0
	have := along.forward != nil
	for at, u := range cot {
		for k := range u {
			t := u[k] * along.diff[at][k]
			left += t
			size += math.Abs(t)
			if have && along.forward[at] != nil {
				left2 += u[k] * along.forward[at][k]
			} else {
				have = false
			}
		}
	}
	right, rsize := 0.0, 0.0
	take := func(s Slot, got []float64) {
		if len(got) != p.n[s.Of] {
			p.c.Fail(f, p.seed, "the derivative with respect to parameter %d has %d numbers, want %d", s.Of, len(got), p.n[s.Of])
			ok = false
			return
		}
		for k, g := range got {
			right += g * p.v[s.Of][k]
			rsize += math.Abs(g * p.v[s.Of][k])
		}
	}
	for i, s := range f.Params {
		if s.Role == Adjoint {
			take(s, out.Params[i])
		}
	}
	for i, s := range f.Results {
		if s.Role == Adjoint {
			take(s, out.Results[i])
		}
	}
	if !ok {
		return
	}
	p.c.Checked++
	switch {
	case !near(right, left, size+rsize):
		p.c.Fail(f, p.seed, "the dot test gives %v, by differences %v", right, left)
	case have && !(math.Abs(right-left2) <= 1e-8*(1+size+rsize)):
		p.c.Fail(f, p.seed, "the dot test gives %v, forward mode %v", right, left2)
	}
}

// hvp compares the product with differences of the gradient.
func (p *point) hvp(f *Func) {
	var grad *Func
	for i := range p.c.Plan.Funcs {
		if g := &p.c.Plan.Funcs[i]; g.Verb == "grad" && slices.Equal(g.Wrt, f.Wrt) {
			grad = g
			break
		}
	}
	if grad == nil {
		return
	}
	// collect lists the derivatives, by parameter of F.
	collect := func(g *Func, role Role, out Outcome) []float64 {
		by := make([][]float64, len(p.n))
		for i, s := range g.Params {
			if s.Role == role {
				by[s.Of] = out.Params[i]
			}
		}
		for i, s := range g.Results {
			if s.Role == role {
				by[s.Of] = out.Results[i]
			}
		}
		var all []float64
		for _, b := range by {
			all = append(all, b...)
		}
		return all
	}
	want, why := p.differences(p.along(f).v, func(x [][]float64) ([]float64, bool) {
		in := make([][]float64, len(grad.Params))
		for i, s := range grad.Params {
			if s.Role == Primal {
				in[i] = x[s.Of]
			}
		}
		out := p.c.World.Call(grad, p.seed, in)
		if out.Panic != "" {
			return nil, false
		}
		return collect(grad, Adjoint, out), true
	})
	out, ok := p.call(f, p.args(f, func(s Slot) []float64 {
		if s.Role == Direction {
			return p.v[s.Of]
		}
		return nil
	}))
	if !ok {
		return
	}
	if why != "" {
		p.c.Skipped["second order: "+why]++
		return
	}
	got := collect(f, Product, out)
	if len(got) != len(want) {
		p.c.Fail(f, p.seed, "the product has %d numbers, want %d", len(got), len(want))
		return
	}
	for k := range got {
		p.c.Checked++
		if !near(got[k], want[k], 1) {
			p.c.Fail(f, p.seed, "number %d of the product is %v, by differences of the gradient %v", k, got[k], want[k])
			return
		}
	}
}
