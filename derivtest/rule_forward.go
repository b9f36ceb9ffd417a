package derivtest

import (
	"fmt"
	"math/rand/v2"
	"reflect"

	"github.com/quabla/quabla/internal/leaves"
)

// A forwardFunc is a rule in forward mode: for one direction, without lanes, or for
// several.
type forwardFunc struct {
	f     reflect.Value
	lanes int // 0 for a rule without lanes
}

func (c *ruleChecker) one(f any) *forwardFunc { return &forwardFunc{f: reflect.ValueOf(f)} }

// lifted finds out how many lanes an instance of a lifted rule has.
func (c *ruleChecker) lifted(f any) (*forwardFunc, bool) {
	g := &forwardFunc{f: reflect.ValueOf(f)}
	at := 0
	for i, covers := range c.covers {
		at++
		if !covers {
			continue
		}
		if at >= g.f.Type().NumIn() {
			return g, false
		}
		t, primal := g.f.Type().In(at), c.f.Type().In(i)
		at++
		for t.Kind() == primal.Kind() && (t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer || t.Kind() == reflect.Map || t.Kind() == reflect.Array) {
			t, primal = t.Elem(), primal.Elem()
		}
		if t.Kind() == reflect.Array && t.Elem() == primal {
			g.lanes = t.Len()
			return g, true
		}
	}
	return g, false
}

// A forwardCall is what a call of a rule in forward mode did.
type forwardCall struct {
	args     []reflect.Value // the parameters, afterwards
	in       []reflect.Value // the tangents of parameters, afterwards; invalid where there are none
	results  []reflect.Value // nil if the rule leaves them out
	tangents []reflect.Value // of the results
	lanes    [][]float64     // the tangents of the outputs
}

// call calls the rule at a point in the given directions.
func (c *ruleChecker) call(g *forwardFunc, p *rulePoint, dirs [][]float64) (*forwardCall, error) {
	out := &forwardCall{args: p.fresh(), in: make([]reflect.Value, len(p.args))}
	var all []reflect.Value
	at := 0
	for i, a := range out.args {
		all = append(all, a)
		if !c.covers[i] {
			continue
		}
		n := len(leaves.Of(a))
		d := leaves.ZeroLike(a)[0]
		if g.lanes == 0 {
			d = leaves.Set(d, dirs[0][at:at+n])
		} else {
			if len(all) >= g.f.Type().NumIn() {
				return nil, fmt.Errorf("it has not the signature of a rule")
			}
			v := reflect.New(g.f.Type().In(len(all))).Elem()
			k := at
			err := leaves.Spread(v, a, func() []float64 {
				xs := make([]float64, g.lanes)
				for l := range xs {
					xs[l] = dirs[l][k]
				}
				k++
				return xs
			})
			if err != nil {
				return nil, err
			}
			d = v
		}
		at += n
		out.in[i] = d
		all = append(all, d)
	}
	t := g.f.Type()
	if t.NumIn() != len(all) {
		return nil, fmt.Errorf("it has %d parameters, not %d", t.NumIn(), len(all))
	}
	for i, a := range all {
		if !a.Type().AssignableTo(t.In(i)) {
			return nil, fmt.Errorf("its parameter %d is %s, not %s", i, t.In(i), a.Type())
		}
	}
	results, err := apply(g.f, all)
	if err != nil {
		return nil, err
	}
	carry := 0
	for o := range c.f.Type().Outs() {
		if o != errorType && leaves.HasFloats(o) {
			carry++
		}
	}
	switch n := c.f.Type().NumOut(); len(results) {
	case n + carry:
		out.results, out.tangents = results[:n], results[n:]
	case carry:
		out.tangents = results
	default:
		return nil, fmt.Errorf("it has %d results, not %d", len(results), n+carry)
	}
	parts := append([]reflect.Value{}, out.tangents...)
	for i, d := range out.in {
		if d.IsValid() && c.writes[i] {
			parts = append(parts, d)
		}
	}
	out.lanes = make([][]float64, max(1, g.lanes))
	for _, v := range parts {
		xs := leaves.Of(v)
		if g.lanes == 0 {
			out.lanes[0] = append(out.lanes[0], xs...)
			continue
		}
		order := leaves.LaneOrder(leaves.Names("", v), g.lanes)
		for k := range xs {
			out.lanes[k%g.lanes] = append(out.lanes[k%g.lanes], xs[order[k]])
		}
	}
	return out, nil
}

const (
	byLinear = "linearity"
	byLanes  = "lanes"
	byMemory = "shared memory"
)

// forward checks a rule in forward mode.
func (c *ruleChecker) forward(g *forwardFunc) {
	c.t.Helper()
	c.failures, c.done, c.skipped = map[string]int{}, map[string]int{}, map[string]int{}
	for _, p := range c.points {
		rng := rand.New(rand.NewPCG(7, uint64(len(p.x))))
		dirs := make([][]float64, max(1, g.lanes))
		for l := range dirs {
			dirs[l] = scaled(random(rng, len(p.x)), p.x)
		}
		out, err := c.call(g, p, dirs)
		if err != nil {
			c.fail("call", p, "%v", err)
			continue
		}
		c.primal(p, out)
		c.memory(g, p, out, dirs)
		if !c.fits(p, out) {
			continue
		}
		for l, lane := range out.lanes {
			where := ""
			if g.lanes > 0 {
				where = fmt.Sprintf(" in lane %d", l)
			}
			if !c.r.Surrogate {
				for i, e := range slope(c.box(p), p.x, p.y, dirs[l], c.noise()) {
					c.compare(p, "the tangent of "+p.ynames[i]+where, lane[i], e)
				}
			}
			c.linear(g, p, l, dirs, lane)
			c.alone(g, p, l, dirs[l], lane)
		}
	}
}

// fits reports whether there are as many tangents as outputs.
func (c *ruleChecker) fits(p *rulePoint, out *forwardCall) bool {
	c.t.Helper()
	for _, lane := range out.lanes {
		if len(lane) != len(p.y) {
			c.fail("tangents", p, "%d numbers for %d outputs", len(lane), len(p.y))
			return false
		}
	}
	return true
}

// primal compares the value and the state that the rule leaves with those of the
// function. A rule of a function that writes to nothing may leave out the value.
func (c *ruleChecker) primal(p *rulePoint, out *forwardCall) {
	c.t.Helper()
	n := 0
	for _, v := range out.results {
		if v.Type() == errorType {
			continue
		}
		xs := leaves.Of(v)
		c.same(byValues, p, "", p.ynames[n:n+len(xs)], xs, p.y[n:min(n+len(xs), len(p.y))])
		n += len(xs)
	}
	c.state(p, out.args)
}

// state compares the parameters with those that the function leaves.
func (c *ruleChecker) state(p *rulePoint, args []reflect.Value) {
	c.t.Helper()
	want := p.fresh()
	apply(c.f, want)
	for i, a := range args {
		c.same(byState, p, "", leaves.Names(c.paramName(i), a), leaves.Of(a), leaves.Of(want[i]))
		if got := shape(a); got != p.states[i] {
			c.fail(byState, p, "%s ends as %s, want %s (with zeros for floats)", c.paramName(i), got, p.states[i])
		}
	}
}

// memory checks that the rule leaves tangents alone that it only reads, and that
// tangents of results have memory of their own.
func (c *ruleChecker) memory(g *forwardFunc, p *rulePoint, out *forwardCall, dirs [][]float64) {
	c.t.Helper()
	again, err := c.call(g, p, dirs)
	if err != nil {
		return
	}
	at := 0
	for i, d := range again.in {
		if !d.IsValid() {
			continue
		}
		n := len(leaves.Of(p.args[i]))
		if !c.writes[i] {
			var want []float64
			for k := range n {
				for l := range dirs {
					want = append(want, dirs[l][at+k])
				}
			}
			got := leaves.Of(d)
			if g.lanes > 0 {
				order := leaves.LaneOrder(leaves.Names("", d), g.lanes)
				xs := make([]float64, len(got))
				for k := range got {
					xs[k] = got[order[k]]
				}
				got = xs
			}
			for k := range got {
				if float32(got[k]) != float32(want[k]) {
					c.fail(byState, p, "the tangent of %s is changed, although the function does not write there", c.paramName(i))
					break
				}
			}
		}
		at += n
	}
	for j, v := range again.tangents {
		before := make([][]float64, len(again.in))
		for i, d := range again.in {
			if d.IsValid() {
				before[i] = leaves.Of(d)
			}
		}
		leaves.Set(v, fill(len(leaves.Of(v)), 12345.5))
		for i, d := range again.in {
			if d.IsValid() && fmt.Sprint(leaves.Of(d)) != fmt.Sprint(before[i]) {
				c.fail(byMemory, p, "the tangent of %s is memory of the tangent of %s", c.resultName(j), c.paramName(i))
			}
		}
	}
}

func fill(n int, x float64) []float64 {
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = x
	}
	return xs
}

// linear checks that one lane is linear in its direction.
func (c *ruleChecker) linear(g *forwardFunc, p *rulePoint, l int, dirs [][]float64, lane []float64) {
	c.t.Helper()
	twice := append([][]float64{}, dirs...)
	twice[l] = make([]float64, len(p.x))
	for i, u := range dirs[l] {
		twice[l][i] = -2 * u
	}
	out, err := c.call(g, p, twice)
	if err != nil {
		c.fail(byLinear, p, "%v", err)
		return
	}
	want := make([]float64, len(lane))
	for i := range lane {
		want[i] = -2 * lane[i]
	}
	c.same(byLinear, p, "with the direction times -2 the tangent of", p.ynames, out.lanes[l], want)
}

// alone checks that one lane of a lifted rule is what the rule without lanes gives,
// or what another instance gives.
func (c *ruleChecker) alone(g *forwardFunc, p *rulePoint, l int, dir, lane []float64) {
	c.t.Helper()
	if g.lanes == 0 {
		return
	}
	var other *forwardFunc
	if c.r.JVP != nil {
		other = c.one(c.r.JVP)
	} else if h, ok := c.lifted(c.r.Lifted[0]); ok && h.lanes != g.lanes {
		other = h
	} else {
		return
	}
	dirs := make([][]float64, max(1, other.lanes))
	for k := range dirs {
		dirs[k] = dir
	}
	out, err := c.call(other, p, dirs)
	if err != nil {
		return // that is reported elsewhere
	}
	c.same(byLanes, p, fmt.Sprintf("in lane %d of %d the tangent of", l, g.lanes), p.ynames, lane, out.lanes[0])
}
