package derivtest

import (
	"fmt"
	"math/rand/v2"
	"reflect"

	"github.com/quabla/quabla/internal/leaves"
)

// A reverseCall is what a call of a rule in reverse mode did.
type reverseCall struct {
	args []reflect.Value // the parameters, afterwards; nil if the rule does not get them
	bars []reflect.Value // the cotangents of results, afterwards
	adj  []float64       // the derivatives by the floats that the rule covers
}

// reverseFunc calls a rule in reverse mode at a point, for cotangents w of the
// outputs, with destinations that are full of the number fill.
type reverseFunc func(p *rulePoint, w []float64, fill float64) (*reverseCall, error)

// isReference reports whether the derivative by a parameter has a destination.
func isReference(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Slice, reflect.Pointer, reflect.Map:
		return true
	case reflect.Array:
		return isReference(t.Elem())
	case reflect.Struct:
		for f := range t.Fields() {
			if isReference(f.Type) && leaves.HasFloats(f.Type) {
				return true
			}
		}
	}
	return false
}

func (c *ruleChecker) wholeVJP(p *rulePoint, w []float64, fill float64) (*reverseCall, error) {
	args := p.fresh()
	return c.callReverse(reflect.ValueOf(c.r.VJP), p, args, args, w, fill)
}

// halvesVJP runs the forward half on the parameters, and then the other one. The
// forward half must do what the function does.
func (c *ruleChecker) halvesVJP(p *rulePoint, w []float64, fill float64) (*reverseCall, error) {
	args := p.fresh()
	fwd := reflect.ValueOf(c.r.Fwd)
	if fwd.Type().NumIn() != len(args) {
		return nil, fmt.Errorf("the function Fwd has %d parameters, not %d", fwd.Type().NumIn(), len(args))
	}
	results, err := apply(fwd, args)
	if err != nil {
		return nil, err
	}
	if len(results) != c.f.Type().NumOut()+1 {
		return nil, fmt.Errorf("the function Fwd has %d results, not %d", len(results), c.f.Type().NumOut()+1)
	}
	y, _ := c.outputs(args, results[:len(results)-1])
	c.same(byValues, p, "", p.ynames, y, p.y)
	c.state(p, args)
	return c.callReverse(reflect.ValueOf(c.r.Bwd), p, nil, results[len(results)-1:], w, fill)
}

// callReverse calls f with destinations, what it is given about the forward call, and
// the cotangents of the outputs, those that are written in front or behind.
func (c *ruleChecker) callReverse(f reflect.Value, p *rulePoint, args, given []reflect.Value, w []float64, fill float64) (*reverseCall, error) {
	out := &reverseCall{args: args}
	dests := make([]reflect.Value, len(p.args)) // of what is only read; the cotangents of what is written
	zero := func(a reflect.Value, xs []float64) reflect.Value {
		d := leaves.Set(leaves.ZeroLike(a)[0], xs)
		if k := a.Kind(); k == reflect.Struct || k == reflect.Array {
			ptr := reflect.New(a.Type())
			ptr.Elem().Set(d)
			return ptr
		}
		return d
	}
	after := p.fresh()
	results, err := apply(c.f, after)
	if err != nil {
		return nil, err
	}
	for _, r := range results {
		if r.Type() != errorType && leaves.HasFloats(r.Type()) {
			n := len(leaves.Of(r))
			out.bars = append(out.bars, leaves.Set(leaves.ZeroLike(r)[0], w[:n]))
			w = w[n:]
		}
	}
	var reads, written []reflect.Value
	for i, a := range p.args {
		if !c.covers[i] || !isReference(a.Type()) {
			continue
		}
		if c.writes[i] {
			n := len(leaves.Of(after[i]))
			dests[i] = zero(after[i], w[:n])
			w = w[n:]
			written = append(written, dests[i])
			continue
		}
		xs := make([]float64, len(leaves.Of(a)))
		for k := range xs {
			xs[k] = fill
		}
		dests[i] = zero(a, xs)
		reads = append(reads, dests[i])
	}
	join := func(parts ...[]reflect.Value) (all []reflect.Value) {
		for _, part := range parts {
			all = append(all, part...)
		}
		return all
	}
	all := join(reads, given, written, out.bars)
	if !takes(f.Type(), all) {
		if all = join(reads, given, out.bars, written); !takes(f.Type(), all) {
			return nil, fmt.Errorf("it is %s, which does not fit the function", f.Type())
		}
	}
	returned, err := apply(f, all)
	if err != nil {
		return nil, err
	}
	for i, a := range p.args {
		switch {
		case !c.covers[i]:
		case dests[i].IsValid():
			for _, x := range leaves.Of(dests[i]) {
				if !c.writes[i] {
					x -= fill
				}
				out.adj = append(out.adj, x)
			}
		case len(returned) == 0 || returned[0].Type() != a.Type():
			return nil, fmt.Errorf("it does not return the cotangent of %s", c.paramName(i))
		default:
			out.adj = append(out.adj, leaves.Of(returned[0])...)
			returned = returned[1:]
		}
	}
	return out, nil
}

// takes reports whether a function of type t can be called with args.
func takes(t reflect.Type, args []reflect.Value) bool {
	if t.NumIn() != len(args) {
		return false
	}
	for i, a := range args {
		if !a.Type().AssignableTo(t.In(i)) {
			return false
		}
	}
	return true
}

const byAdding = "destinations"

// reverse checks a rule in reverse mode.
func (c *ruleChecker) reverse(call reverseFunc) {
	c.t.Helper()
	c.failures, c.done, c.skipped = map[string]int{}, map[string]int{}, map[string]int{}
	for _, p := range c.points {
		rng := rand.New(rand.NewPCG(8, uint64(len(p.y))))
		w := random(rng, len(p.y))
		out, err := call(p, w, 0)
		if err != nil {
			c.fail("call", p, "%v", err)
			continue
		}
		if len(out.adj) != len(p.x) {
			c.fail("cotangents", p, "%d numbers for %d parameters", len(out.adj), len(p.x))
			continue
		}
		for i, a := range out.args {
			c.same(byState, p, "the rule changes", leaves.Names(c.paramName(i), a), leaves.Of(a), leaves.Of(p.args[i]))
		}
		k := 0
		for _, bar := range out.bars {
			xs := leaves.Of(bar)
			c.same(byState, p, "the rule changes the cotangent of", p.ynames[k:k+len(xs)], xs, w[k:k+len(xs)])
			k += len(xs)
		}
		if !c.r.Surrogate {
			for j := range p.x {
				dir := unitVector(len(p.x), j, size(p.x[j]))
				e := weighted(slope(c.box(p), p.x, p.y, dir, c.noise()), w)
				h := size(p.x[j])
				e.x, e.err = e.x/h, e.err/h
				c.compare(p, "the derivative by "+p.names[j], out.adj[j], e)
			}
		}
		c.adds(call, p, w, out)
		c.linearReverse(call, p, w, out)
		c.modes(p, w, out)
	}
}

// adds checks that the rule adds to destinations.
func (c *ruleChecker) adds(call reverseFunc, p *rulePoint, w []float64, out *reverseCall) {
	c.t.Helper()
	if again, err := call(p, w, 64); err == nil && len(again.adj) == len(out.adj) {
		for i := range out.adj {
			c.done[byAdding]++
			if d := again.adj[i] - out.adj[i]; d > 1e-4*(1+size(out.adj[i])) || d < -1e-4*(1+size(out.adj[i])) {
				c.fail(byAdding, p, "the derivative by %s is not added to what the destination holds", p.names[i])
				return
			}
		}
	}
}

// linearReverse checks that cotangents are linear in those of the outputs.
func (c *ruleChecker) linearReverse(call reverseFunc, p *rulePoint, w []float64, out *reverseCall) {
	c.t.Helper()
	if c.r.Surrogate {
		return // a clipped gradient is not linear
	}
	twice, want := make([]float64, len(w)), make([]float64, len(out.adj))
	for i := range w {
		twice[i] = -2 * w[i]
	}
	for i := range want {
		want[i] = -2 * out.adj[i]
	}
	if again, err := call(p, twice, 0); err == nil {
		c.same(byLinear, p, "with the cotangents times -2 the derivative by", p.names, again.adj, want)
	}
}

// modes compares the rule with that of forward mode, if there is one.
func (c *ruleChecker) modes(p *rulePoint, w []float64, out *reverseCall) {
	c.t.Helper()
	var g *forwardFunc
	switch {
	case c.r.JVP != nil:
		g = c.one(c.r.JVP)
	case len(c.r.Lifted) > 0:
		g, _ = c.lifted(c.r.Lifted[0])
	default:
		return
	}
	dir := scaled(random(rand.New(rand.NewPCG(9, uint64(len(p.x)))), len(p.x)), p.x)
	dirs := make([][]float64, max(1, g.lanes))
	for k := range dirs {
		dirs[k] = dir
	}
	ahead, err := c.call(g, p, dirs)
	if err != nil || len(ahead.lanes[0]) != len(w) {
		return // that is reported elsewhere
	}
	a, b := dotted(w, ahead.lanes[0]), dotted(out.adj, dir)
	c.done[byDot]++
	tol := 1e-10
	if c.narrow {
		tol = 1e-3
	}
	if d := a.x - b.x; d > tol*max(a.scale, b.scale) || d < -tol*max(a.scale, b.scale) {
		c.fail(byDot, p, "u'(Jv) is %.15g, (J'u)'v is %.15g", a.x, b.x)
	}
}
