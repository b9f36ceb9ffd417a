package derivtest

import (
	"fmt"
	"reflect"

	"github.com/quabla/quabla/analyze"
	"github.com/quabla/quabla/internal/leaves"
)

// interpreter compares the compiled function with the fresh derivative in the
// interpreter, everything that they leave behind.
func (c *checker) interpreter(p *point) {
	c.t.Helper()
	if c.top.interp == nil {
		return
	}
	lay, err := c.top.layoutOrNone(p)
	if c.problem(byInterpreter, c.top, p, err) {
		return
	}
	for turn := range uint64(2) {
		s := c.top.someSeeds(lay, 10+turn)
		got, err := c.top.callWith(c.top.native, p, s)
		if c.problem(byInterpreter, c.top, p, err) {
			return
		}
		want, err := c.top.callWith(c.top.interp, p, s)
		if c.problem(byInterpreter, c.top, p, err) {
			return
		}
		c.outcomes(byInterpreter, c.top, p, got, want)
		if got.pullback == nil || want.pullback == nil {
			continue
		}
		for range 2 { // it can be called repeatedly
			for k, s := range []*seeds{s, c.top.someSeeds(lay, 20+turn)} {
				gotBack, err := c.top.pull(got, p, lay, s)
				if c.problem(byInterpreter, c.top, p, err) {
					return
				}
				wantBack, err := c.top.pull(want, p, lay, s)
				if c.problem(byInterpreter, c.top, p, err) {
					return
				}
				c.slots(byInterpreter, c.top, p, fmt.Sprintf("in call %d of the pullback ", k+1), c.top.back().Params, gotBack.params, wantBack.params)
				c.slots(byInterpreter, c.top, p, fmt.Sprintf("in call %d of the pullback ", k+1), c.top.back().Results, gotBack.results, wantBack.results)
			}
		}
	}
}

// outcomes compares all that two calls left behind.
func (c *checker) outcomes(check string, l *level, p *point, got, want *outcome) {
	c.t.Helper()
	c.slots(check, l, p, "", l.sig().All(), got.params, want.params)
	c.slots(check, l, p, "", l.sig().Results, got.results, want.results)
}

func (c *checker) slots(check string, l *level, p *point, prefix string, slots []analyze.Slot, got, want []slot) {
	c.t.Helper()
	if len(got) != len(slots) || len(want) != len(slots) {
		c.fail(check, l, p, "%s%d and %d values for %d names", prefix, len(got), len(want), len(slots))
		return
	}
	for i, sl := range slots {
		if sl.Role != analyze.PullbackFunc {
			c.same(check, l, p, prefix+sl.Name, got[i], want[i])
		}
	}
}

// layoutOrNone is layout for a verb that may differentiate nothing.
func (l *level) layoutOrNone(p *point) (*layout, error) {
	if l.of == nil {
		return &layout{base: p.base}, nil
	}
	return l.layout(p)
}

// callWith calls the level in one of the ways.
func (l *level) callWith(way caller, p *point, s *seeds) (*outcome, error) {
	args, err := l.inputs(p, s)
	if err != nil {
		return nil, err
	}
	return way.call(args)
}

// back returns the slot of the function that a pullback returns.
func (l *level) back() analyze.Slot {
	for _, sl := range l.sig().Results {
		if sl.Role == analyze.PullbackFunc {
			return sl
		}
	}
	return analyze.Slot{}
}

// pull calls the function that a pullback has returned.
func (l *level) pull(out *outcome, p *point, lay *layout, s *seeds) (*outcome, error) {
	args, err := l.backInputs(p, lay, s)
	if err != nil {
		return nil, err
	}
	return out.pullback(args)
}

// backInputs returns the arguments of the function that a pullback returns.
func (l *level) backInputs(p *point, lay *layout, s *seeds) ([]reflect.Value, error) {
	inner, err := l.of.inputs(p, nil)
	if err != nil {
		return nil, err
	}
	var args []reflect.Value
	for _, sl := range l.back().Params {
		a, err := l.seed(p, lay, sl, s, inner)
		if err != nil {
			return nil, err
		}
		args = append(args, a)
	}
	return args, nil
}

// values compares the values with those of the function that the verb is applied
// to, and the states in which the two leave the arguments.
func (c *checker) values(l *level, p *point) {
	c.t.Helper()
	if l.batches() {
		c.eachMember(l, p)
		return
	}
	lay, err := l.layoutOrNone(p)
	if c.problem(byValues, l, p, err) {
		return
	}
	args, err := l.inputs(p, l.someSeeds(lay, 1))
	if c.problem(byValues, l, p, err) {
		return
	}
	out, err := l.run().call(args)
	if c.problem(byValues, l, p, err) {
		return
	}
	for i, sl := range l.sig().Results {
		if sl.Role == analyze.Primal {
			c.same(byValues, l, p, sl.Name, out.results[i], lay.base.results[sl.Of])
		}
	}
	for i, sl := range l.sig().All() {
		if sl.Role != analyze.Primal {
			continue
		}
		c.same(byState, l, p, sl.Name, out.params[i], lay.base.params[sl.Of])
		if l.of == c.leaf && l.native != nil && p.states != nil {
			c.done[byState]++
			if got := shape(args[i]); got != p.states[sl.Of] {
				c.fail(byState, l, p, "%s ends as %s, want %s (with zeros for floats)", sl.Name, got, p.states[sl.Of])
			}
		}
	}
}

// shape describes an argument but for its floats, which two functions may round
// in different ways.
func shape(v reflect.Value) string { return leaves.State(leaves.ZeroLike(v)[0]) }

// again calls the compiled function a second time, with the destinations of the
// first call, which hold other numbers than before.
func (c *checker) again(p *point) {
	c.t.Helper()
	l := c.top
	lay, err := l.layoutOrNone(p)
	if c.problem(byAgain, l, p, err) {
		return
	}
	s := l.someSeeds(lay, 30)
	args, err := l.inputs(p, s)
	if c.problem(byAgain, l, p, err) {
		return
	}
	first, err := l.native.call(args)
	if c.problem(byAgain, l, p, err) {
		return
	}
	s.earlier = args
	args, err = l.inputs(p, s)
	if c.problem(byAgain, l, p, err) {
		return
	}
	second, err := l.native.call(args)
	if c.problem(byAgain, l, p, err) {
		return
	}
	want := *first
	if c.req.Add {
		want.params = append([]slot(nil), want.params...)
		for i, sl := range l.sig().All() {
			if (sl.Role == analyze.Adjoint || sl.Role == analyze.Product) && !sl.InOut {
				w := want.params[i]
				w.xs = append([]float64(nil), w.xs...)
				for k := range w.xs {
					w.xs[k] += w.xs[k] - s.fill
				}
				want.params[i] = w
			}
		}
	}
	c.outcomes(byAgain, l, p, second, &want)
}

// workSpace compares the form with a work space with the form without one: one
// work space for all points, and each point twice.
func (c *checker) workSpace() {
	c.t.Helper()
	if c.fn.In == nil {
		return
	}
	l := c.top
	way := withWork(c.fn.In, c.recv(), c.vars)
	for range 2 {
		for _, p := range c.points {
			lay, err := l.layoutOrNone(p)
			if c.problem(byWork, l, p, err) {
				return
			}
			s := l.someSeeds(lay, 40)
			want, err := l.callWith(l.native, p, s)
			if c.problem(byWork, l, p, err) {
				return
			}
			got, err := l.callWith(way, p, s)
			if c.problem(byWork, l, p, err) {
				return
			}
			c.outcomes(byWork, l, p, got, want)
		}
	}
}
