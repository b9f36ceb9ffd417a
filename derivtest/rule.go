package derivtest

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/quabla/quabla/internal/leaves"
)

// A RuleFunc is a function with the rules that stand for its derivative. Methods are
// given as functions of their receivers, generic functions as an instance.
type RuleFunc struct {
	Name string // of the function, for messages
	Func any    // the function

	// The rules, as they are registered with //quabla:custom_jvp,
	// //quabla:custom_vjp or //quabla:rule; nil for those that there are not. Lifted
	// holds instances of the lifted rule for some numbers of lanes.
	JVP, VJP, Fwd, Bwd any
	Lifted             []any

	// Wrt holds the indices of the parameters that the rules cover, the receiver
	// first; nil means all that hold floats.
	Wrt []int
	// Writes holds the indices of the parameters through which the function changes
	// floats; nil means those for which a call shows that it does.
	Writes []int

	// Surrogate says that the rules are meant to differ from the derivative, as that
	// of a rounding function does: they are not compared with differences.
	Surrogate bool

	Points any // a function that makes arguments, or nil; see the package comment
}

// Rule checks the rules of a function, each in a subtest:
//
//   - rules in forward mode give the value of the function, leave the parameters as
//     the function does, and leave tangents alone that they only read;
//   - tangents and cotangents are those of central differences, extrapolated as for
//     [Run], and linear in what they are computed from;
//   - the two modes agree: u'(Jv) = (J'u)'v;
//   - each lane of a lifted rule is what it is with one lane, or without;
//   - tangents of results share no memory with tangents of parameters;
//   - a reverse rule adds to destinations, and changes neither parameters nor the
//     cotangents of results.
//
// The arguments are made as Run makes them.
func Rule(t *testing.T, r RuleFunc) {
	t.Helper()
	c := &ruleChecker{t: subtest{t}, r: &r}
	if !c.prepare() {
		return
	}
	for _, p := range c.parts() {
		t.Run(p.name, func(t *testing.T) {
			t.Helper()
			c.t = subtest{t}
			p.run()
		})
	}
}

// A rulePart is a rule of one kind.
type rulePart struct {
	name string
	run  func()
}

// parts returns the rules that there are.
func (c *ruleChecker) parts() []rulePart {
	var list []rulePart
	add := func(name string, is bool, run func()) {
		if is {
			list = append(list, rulePart{name, func() { c.part = name; c.t.Helper(); run(); c.summary() }})
		}
	}
	add("JVP", c.r.JVP != nil, func() { c.t.Helper(); c.forward(c.one(c.r.JVP)) })
	for _, f := range c.r.Lifted {
		if g, ok := c.lifted(f); ok {
			name := fmt.Sprintf("%d lanes", g.lanes)
			if g.lanes == 1 {
				name = "1 lane"
			}
			add(name, true, func() { c.t.Helper(); c.forward(g) })
		} else {
			add("lanes", true, func() {
				c.t.Helper()
				c.t.Errorf("%s: the lifted rule is %s, whose tangents have no lanes", c.r.Name, reflect.TypeOf(f))
			})
		}
	}
	add("VJP", c.r.VJP != nil, func() { c.t.Helper(); c.reverse(c.wholeVJP) })
	add("FwdBwd", c.r.Fwd != nil, func() { c.t.Helper(); c.reverse(c.halvesVJP) })
	return list
}

// A ruleChecker checks the rules of one function.
type ruleChecker struct {
	t      tester
	r      *RuleFunc
	f      reflect.Value
	covers []bool
	writes []bool
	narrow bool
	points []*rulePoint

	part     string
	failures map[string]int
	done     map[string]int
	skipped  map[string]int // differences that say nothing, by the reason
}

// A rulePoint is one set of arguments.
type rulePoint struct {
	title  string
	args   []reflect.Value // never passed to a function: see fresh
	x      []float64       // the floats that the rules differentiate by
	names  []string
	y      []float64 // the outputs: floats of results, and of what is written
	ynames []string
	states []string // of the parameters after the call
}

func (p *rulePoint) fresh() []reflect.Value { return leaves.Clone(p.args...) }

// prepare finds arguments, and what the function does with them.
func (c *ruleChecker) prepare() bool {
	c.t.Helper()
	c.f = reflect.ValueOf(c.r.Func)
	if c.f.Kind() != reflect.Func {
		c.t.Fatalf("derivtest.Rule: Func is no function")
	}
	n := c.f.Type().NumIn()
	c.covers, c.writes = make([]bool, n), make([]bool, n)
	for i := range n {
		t := c.f.Type().In(i)
		c.covers[i] = c.r.Wrt == nil && leaves.HasFloats(t)
		c.narrow = c.narrow || holds(t, isNarrow, nil)
	}
	for i := range c.f.Type().NumOut() {
		c.narrow = c.narrow || holds(c.f.Type().Out(i), isNarrow, nil)
	}
	for _, i := range c.r.Wrt {
		c.covers[i] = true
	}
	for _, i := range c.r.Writes {
		c.writes[i] = true
	}
	points, err := c.findPoints()
	if err != nil {
		c.t.Fatalf("%s: %v", c.r.Name, err)
	}
	c.points = points
	if c.r.Writes == nil {
		for _, p := range points {
			args := p.fresh()
			if _, err := apply(c.f, args); err == nil {
				for i, a := range args {
					c.writes[i] = c.writes[i] || !slices.Equal(leaves.Of(a), leaves.Of(p.args[i]))
				}
			}
		}
	}
	for _, p := range points {
		c.describe(p)
	}
	return true
}

// describe notes the floats at a point.
func (c *ruleChecker) describe(p *rulePoint) {
	for i, a := range p.args {
		if c.covers[i] {
			p.x = append(p.x, leaves.Of(a)...)
			p.names = append(p.names, leaves.Names(c.paramName(i), a)...)
		}
	}
	args := p.fresh()
	results, _ := apply(c.f, args)
	p.y, p.ynames = c.outputs(args, results)
	for _, a := range args {
		p.states = append(p.states, shape(a))
	}
}

// paramName names a parameter, whose name package reflect does not know.
func (c *ruleChecker) paramName(i int) string { return fmt.Sprintf("parameter %d", i) }

func (c *ruleChecker) resultName(j int) string {
	if c.f.Type().NumOut() == 1 {
		return "the result"
	}
	return fmt.Sprintf("result %d", j)
}

// outputs returns the floats of results and of the parameters that the function
// writes and the rules cover.
func (c *ruleChecker) outputs(args, results []reflect.Value) (xs []float64, names []string) {
	for j, r := range results {
		if r.Type() != errorType {
			xs = append(xs, leaves.Of(r)...)
			names = append(names, leaves.Names(c.resultName(j), r)...)
		}
	}
	for i, a := range args {
		if c.writes[i] && c.covers[i] {
			xs = append(xs, leaves.Of(a)...)
			names = append(names, leaves.Names(c.paramName(i), a)...)
		}
	}
	return xs, names
}

// box is the function from the floats that it is differentiated by to its outputs.
func (c *ruleChecker) box(p *rulePoint) blackBox {
	return func(x []float64) ([]float64, error) {
		args := p.fresh()
		for i := range args {
			if c.covers[i] {
				n := len(leaves.Of(args[i]))
				args[i] = leaves.Set(args[i], x[:n])
				x = x[n:]
			}
		}
		results, err := apply(c.f, args)
		if err != nil {
			return nil, err
		}
		y, _ := c.outputs(args, results)
		return y, nil
	}
}

func (c *ruleChecker) noise() float64 { return (&checker{narrow: c.narrow}).noise() }

// fail reports what a check found at a point.
func (c *ruleChecker) fail(check string, p *rulePoint, format string, args ...any) {
	c.t.Helper()
	if c.failures[check]++; c.failures[check] > maxFailures {
		return
	}
	where := ""
	for i, a := range p.args {
		if s := leaves.State(a); i > 0 {
			where += ", " + s
		} else {
			where = s
		}
	}
	c.t.Errorf("%s of %s: %s, %s: %s\n\tat (%s)", c.part, c.r.Name, check, p.title, fmt.Sprintf(format, args...), where)
}

// same compares numbers that must be equal up to rounding.
func (c *ruleChecker) same(check string, p *rulePoint, what string, names []string, got, want []float64) {
	c.t.Helper()
	if len(got) != len(want) {
		c.fail(check, p, "%s: %d numbers, want %d", what, len(got), len(want))
		return
	}
	near := &checker{narrow: c.narrow}
	scale := largest(want)
	for i := range got {
		c.done[check]++
		if !near.near(got[i], want[i], scale) {
			c.fail(check, p, "%s %s %s", what, names[i], differs(got[i], want[i]))
			return
		}
	}
}

// compare compares a number with differences.
func (c *ruleChecker) compare(p *rulePoint, what string, got float64, e estimate) {
	c.t.Helper()
	switch {
	case e.why != "":
		c.skipped[e.why]++
	case e.agrees(got, c.narrow):
		c.done[byDifferences]++
	default:
		c.done[byDifferences]++
		c.fail(byDifferences, p, "%s is %.10g, by differences %.10g (within %.2g)", what, got, e.x, e.err)
	}
}

// summary says what was compared.
func (c *ruleChecker) summary() {
	c.t.Helper()
	if c.r.Surrogate || c.t.Failed() {
		return
	}
	if c.done[byDifferences] == 0 {
		why := "no floats"
		for w := range c.skipped {
			why = w
		}
		c.t.skipped(byDifferences, "nothing could be compared ("+why+")")
		return
	}
	c.t.Logf("%d numbers compared with differences", c.done[byDifferences])
}
