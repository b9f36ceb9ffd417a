package derivtest

import (
	"fmt"
	"go/types"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/quabla/quabla/analyze"
)

// truth compares the derivatives that a level computes at a point with
// differences, and with the other mode.
func (c *checker) truth(l *level, p *point) {
	c.t.Helper()
	if l.expr.Verb == analyze.Value || l.batches() {
		return // the values tell all
	}
	lay, err := l.layout(p)
	if c.problem(byDifferences, l, p, err) {
		return
	}
	if len(lay.x) == 0 || len(lay.y) == 0 {
		return // nothing to differentiate at this size
	}
	switch l.expr.Verb {
	case analyze.JVP:
		c.forward(l, p, lay)
	case analyze.Grad, analyze.VJP, analyze.Pullback:
		c.reverse(l, p, lay)
	case analyze.Jacobian:
		c.jacobian(l, p, lay)
	case analyze.HVP, analyze.Hessian:
		c.secondOrder(l, p, lay)
	default:
		c.skip(byDifferences, fmt.Sprintf("there are no differences for %s yet", l.expr.Verb), 1)
	}
}

// compare compares one number with differences.
func (c *checker) compare(l *level, p *point, what string, got float64, e estimate) {
	c.t.Helper()
	switch {
	case e.why != "":
		c.skip(byDifferences, e.why, 1)
		return
	case e.agrees(got, c.narrow):
		c.done[byDifferences]++
		return
	case c.excuse != "":
		c.done[byDifferences]++
		if c.failures["excused"]++; c.failures["excused"] <= maxFailures {
			c.t.Logf("%s (%s): %s, %s: %s is %.10g, by differences %.10g: so it may be meant, since %s", l.name, l.mode(), byDifferences, p.title, what, got, e.x, c.excuse)
		}
		return
	}
	c.done[byDifferences]++
	c.fail(byDifferences, l, p, "%s is %.10g, by differences %.10g (within %.2g)", what, got, e.x, e.err)
}

// forward checks the tangents that a jvp computes.
func (c *checker) forward(l *level, p *point, lay *layout) {
	c.t.Helper()
	s := l.someSeeds(lay, 2)
	out, err := l.callWith(l.run(), p, s)
	if c.problem(byDifferences, l, p, err) {
		return
	}
	lanes, err := l.tangents(lay, out)
	if c.problem(byDifferences, l, p, err) {
		return
	}
	box := l.blackBox(p, lay)
	for k, lane := range lanes {
		for i, e := range slope(box, lay.x, lay.y, s.dirs[k], c.noise()) {
			what := "the tangent of " + lay.outNames[i]
			if len(lanes) > 1 {
				what += fmt.Sprintf(" in lane %d", k)
			}
			c.compare(l, p, what, lane[i], e)
		}
	}
	back, err := c.other(l, analyze.VJP)
	if err != nil {
		c.skip(byDot, err.Error(), 1)
		return
	}
	bs := back.adjointSeeds(lay, 3)
	adj, err := back.reverseMode(p, lay, bs)
	if c.problem(byDot, l, p, err) {
		return
	}
	for k, lane := range lanes {
		c.dot(l, p, back, dotted(bs.bars, lane), dotted(adj, s.dirs[k]))
	}
}

// maxUnits is the number of floats up to which derivatives are checked one by one.
const maxUnits = 24

// directions returns directions to check adjoints in, with their names: one for
// each float if there are not too many.
func directions(lay *layout) (dirs [][]float64, names []string) {
	n := len(lay.x)
	if n <= maxUnits {
		for j := range n {
			dirs = append(dirs, unitVector(n, j, size(lay.x[j])))
			names = append(names, lay.names[j])
		}
		return dirs, names
	}
	rng := rand.New(rand.NewPCG(4, uint64(n)))
	for k := range 4 {
		dirs = append(dirs, scaled(random(rng, n), lay.x))
		names = append(names, fmt.Sprintf("a random direction (number %d)", k+1))
	}
	return dirs, names
}

// reverse checks the adjoints that a grad, a vjp or a pullback computes.
func (c *checker) reverse(l *level, p *point, lay *layout) {
	c.t.Helper()
	s := l.adjointSeeds(lay, 2)
	adj, err := l.reverseMode(p, lay, s)
	if c.problem(byDifferences, l, p, err) {
		return
	}
	box := l.blackBox(p, lay)
	dirs, names := directions(lay)
	for k, dir := range dirs {
		e := weighted(slope(box, lay.x, lay.y, dir, c.noise()), s.bars)
		got := dotted(adj, dir).x
		if len(lay.x) <= maxUnits { // in units of the number itself
			h := size(lay.x[k])
			got, e.x, e.err = got/h, e.x/h, e.err/h
		}
		c.compare(l, p, "the derivative by "+names[k], got, e)
	}
	ahead, err := c.other(l, analyze.JVP)
	if err != nil {
		c.skip(byDot, err.Error(), 1)
		return
	}
	fs := ahead.someSeeds(lay, 3)
	out, err := ahead.callWith(ahead.run(), p, fs)
	if c.problem(byDot, l, p, err) {
		return
	}
	lanes, err := ahead.tangents(lay, out)
	if c.problem(byDot, l, p, err) {
		return
	}
	c.dot(l, p, ahead, dotted(s.bars, lanes[0]), dotted(adj, fs.dirs[0]))
}

// weighted returns the sum of estimates, weighted.
func weighted(es []estimate, w []float64) estimate {
	var sum estimate
	for i, e := range es {
		if w[i] == 0 {
			continue
		}
		sum.x += w[i] * e.x
		sum.err += math.Abs(w[i]) * e.err
		if e.why != "" {
			sum.why = e.why
		}
	}
	return sum
}

// reverseMode returns the derivatives by all floats, of a level in reverse mode.
func (l *level) reverseMode(p *point, lay *layout, s *seeds) ([]float64, error) {
	out, err := l.callWith(l.run(), p, s)
	if err != nil {
		return nil, err
	}
	if l.expr.Verb != analyze.Pullback {
		return l.adjoints(lay, out)
	}
	if out.pullback == nil {
		return nil, fmt.Errorf("the pullback is nil")
	}
	if out, err = l.pull(out, p, lay, s); err != nil {
		return nil, err
	}
	back := l.back()
	return l.adjointsIn(lay, back.Params, back.Results, out)
}

// jacobian checks a Jacobian matrix.
func (c *checker) jacobian(l *level, p *point, lay *layout) {
	c.t.Helper()
	rows, cols := len(lay.y), len(lay.x)
	out, err := l.callWith(l.run(), p, l.someSeeds(lay, 2))
	if c.problem(byDifferences, l, p, err) {
		return
	}
	jac, name, ok := l.matrixOf(out)
	if !ok || len(jac) != rows*cols {
		c.fail(byDifferences, l, p, "the matrix has %d entries, want %d times %d", len(jac), rows, cols)
		return
	}
	times := func(v []float64) []sum {
		list := make([]sum, rows)
		for i := range list {
			list[i] = dotted(jac[i*cols:(i+1)*cols], v)
		}
		return list
	}
	box := l.blackBox(p, lay)
	dirs, names := directions(lay)
	for k, dir := range dirs {
		got := times(dir)
		for i, e := range slope(box, lay.x, lay.y, dir, c.noise()) {
			x, what := got[i].x, fmt.Sprintf("row %d of %s times %s", i, name, names[k])
			if cols <= maxUnits {
				h := size(lay.x[k])
				x, e.x, e.err = x/h, e.x/h, e.err/h
				what = fmt.Sprintf("%s[%d,%d], the derivative of %s by %s,", name, i, k, lay.outNames[i], names[k])
			}
			c.compare(l, p, what, x, e)
		}
	}
	back, err := c.other(l, analyze.VJP)
	if err != nil {
		c.skip(byDot, err.Error(), 1)
		return
	}
	s := back.adjointSeeds(lay, 3)
	adj, err := back.reverseMode(p, lay, s)
	if c.problem(byDot, l, p, err) {
		return
	}
	var left sum
	for i, t := range times(s.dirs[0]) {
		left.x += s.bars[i] * t.x
		left.scale += math.Abs(s.bars[i]) * t.scale
	}
	c.dot(l, p, back, left, dotted(adj, s.dirs[0]))
}

// secondOrder checks a Hessian or its product with a direction: against
// differences of the gradient, which is derived on the fly, and for symmetry.
func (c *checker) secondOrder(l *level, p *point, lay *layout) {
	c.t.Helper()
	grad, err := c.other(l, analyze.Grad)
	if err != nil {
		c.skip(byDifferences, err.Error(), 1)
		return
	}
	gs := grad.adjointSeeds(lay, 1)
	g, err := grad.reverseMode(p, lay, gs)
	if c.problem(byDifferences, l, p, err) {
		return
	}
	c.reverseOnly(grad, p, lay, g)
	box := gradientBox(grad, p, lay)
	n := len(lay.x)
	if l.expr.Verb == analyze.HVP {
		s, s2 := l.adjointSeeds(lay, 2), l.adjointSeeds(lay, 3)
		product := func(s *seeds) ([]float64, error) {
			out, err := l.callWith(l.run(), p, s)
			if err != nil {
				return nil, err
			}
			return l.adjoints(lay, out)
		}
		hv, err := product(s)
		if c.problem(byDifferences, l, p, err) {
			return
		}
		for j, e := range slope(box, lay.x, g, s.dirs[0], c.noise()) {
			c.compare(l, p, "the product for "+lay.names[j], hv[j], e)
		}
		hv2, err := product(s2)
		if c.problem(byDot, l, p, err) {
			return
		}
		c.dot(l, p, nil, dotted(s2.dirs[0], hv), dotted(s.dirs[0], hv2))
		return
	}
	out, err := l.callWith(l.run(), p, l.someSeeds(lay, 2))
	if c.problem(byDifferences, l, p, err) {
		return
	}
	h, name, ok := l.matrixOf(out)
	if !ok || len(h) != n*n {
		c.fail(byDifferences, l, p, "the matrix has %d entries, want %d times %d", len(h), n, n)
		return
	}
	dirs, names := directions(lay)
	for k, dir := range dirs {
		for i, e := range slope(box, lay.x, g, dir, c.noise()) {
			x, what := dotted(h[i*n:(i+1)*n], dir).x, fmt.Sprintf("row %d of %s times %s", i, name, names[k])
			if n <= maxUnits {
				step := size(lay.x[k])
				x, e.x, e.err = x/step, e.x/step, e.err/step
				what = fmt.Sprintf("%s[%d,%d], the derivative by %s and %s,", name, i, k, lay.names[i], names[k])
			}
			c.compare(l, p, what, x, e)
		}
	}
	hvp, err := c.other(l, analyze.HVP)
	if err != nil {
		c.skip(byDot, err.Error(), 1)
		return
	}
	s := hvp.adjointSeeds(lay, 3)
	out, err = hvp.callWith(hvp.run(), p, s)
	if c.problem(byDot, l, p, err) {
		return
	}
	hv, err := hvp.adjoints(lay, out)
	if c.problem(byDot, l, p, err) {
		return
	}
	u := hvp.someSeeds(lay, 4).dirs[0]
	var left sum
	for i := range n {
		t := dotted(h[i*n:(i+1)*n], s.dirs[0])
		left.x += u[i] * t.x
		left.scale += math.Abs(u[i]) * t.scale
	}
	c.dot(l, p, hvp, left, dotted(u, hv))
}

// reverseOnly compares a gradient with differences of the function.
func (c *checker) reverseOnly(grad *level, p *point, lay *layout, g []float64) {
	c.t.Helper()
	box := grad.blackBox(p, lay)
	dirs, names := directions(lay)
	for k, dir := range dirs {
		e := slope(box, lay.x, lay.y, dir, c.noise())[0]
		c.compare(grad, p, "the derivative along "+names[k], dotted(g, dir).x, e)
	}
}

// matrixOf returns the entries of the matrix that a call has filled.
func (l *level) matrixOf(out *outcome) (xs []float64, name string, ok bool) {
	for i, sl := range l.sig().All() {
		if sl.Role == analyze.Matrix {
			return out.params[i].xs, sl.Name, true
		}
	}
	return nil, "", false
}

// A sum is a sum with the sum of the absolute values of its terms.
type sum struct{ x, scale float64 }

func dotted(a, b []float64) sum {
	var s sum
	for i := range a {
		s.x += a[i] * b[i]
		s.scale += math.Abs(a[i] * b[i])
	}
	return s
}

// dot compares the two sides of the dot test.
func (c *checker) dot(l *level, p *point, with *level, a, b sum) {
	c.t.Helper()
	if !finite(a.x) || !finite(b.x) {
		c.skip(byDot, "a derivative is not finite", 1)
		return
	}
	c.done[byDot]++
	tol := 1e-9
	if c.narrow {
		tol = 1e-3
	}
	if math.Abs(a.x-b.x) <= tol*max(a.scale, b.scale) {
		return
	}
	if with == nil {
		c.fail(byDot, l, p, "the Hessian is not symmetric: u'Hv is %.15g, v'Hu is %.15g (off by %.3g)", a.x, b.x, a.x-b.x)
		return
	}
	if c.surrogate {
		c.t.Logf("%s (%s): %s, %s: the modes differ: so it may be meant, since %s", l.name, l.mode(), byDot, p.title, c.excuse)
		return
	}
	c.fail(byDot, l, p, "u'(Jv) is %.15g, (J'u)'v is %.15g (off by %.3g), where one side is %s", a.x, b.x, a.x-b.x, with.name)
}

// other returns another verb for the same function, by the same floats: the
// compiled function of another directive if there is one, or one that is derived
// on the fly and runs in the interpreter.
func (c *checker) other(l *level, verb analyze.Verb) (*level, error) { return c.otherLanes(l, verb, 1) }

// A variant is a verb at a level.
type variant struct {
	of    *level
	verb  analyze.Verb
	lanes int
}

func (c *checker) otherLanes(l *level, verb analyze.Verb, lanes int) (*level, error) {
	key := variant{l.of, verb, lanes}
	if o := c.others[key]; o != nil {
		return o, nil
	}
	if err := c.without[key]; err != nil {
		return nil, err
	}
	o, err := c.makeOther(l, verb, lanes)
	if err != nil {
		c.without[key] = err
		return nil, err
	}
	c.others[key] = o
	return o, nil
}

func (c *checker) makeOther(l *level, verb analyze.Verb, lanes int) (*level, error) {
	req := c.req
	for at := c.top; at.of != l.of; at = at.of { // l may be another verb at the same level
		req = req.Inner()
	}
	q, err := req.Variant(verb, lanes)
	if err != nil {
		return nil, &unableError{fmt.Sprintf("%s cannot be applied: %v", verb, err)}
	}
	// It differentiates the same, so the layouts are the same.
	o := &level{expr: q.Expr, of: l.of, layouts: l.layouts}
	if lanes == 1 {
		if fn := c.twin(q); fn != nil {
			o.native, o.name = newNative(fn.Derived, c.vars), fn.Name
			return o, nil
		}
	}
	ir, err := c.src.derive(q, c.args, c.vars)
	if err != nil { // memory that cannot be cleared can be added to
		q.Add, o.add = true, true
		if ir, err = c.src.derive(q, c.args, c.vars); err != nil {
			return nil, &unableError{err.Error()}
		}
	}
	o.interp = ir
	o.name = q.Expr.String() + " in the interpreter"
	return o, nil
}

// twin returns the compiled function of another directive that asks for the same
// as q.
func (c *checker) twin(q *analyze.Request) *Func {
	for i := range c.file.Funcs {
		fn := &c.file.Funcs[i]
		r, args, err := c.src.request(fn.Name)
		if err != nil || r.Func != q.Func || r.Verb != q.Verb || r.Add || r.Expr.Fn.Verb != "" || q.Expr.Fn.Verb != "" || r.Lanes() != 1 {
			continue
		}
		if maps.EqualFunc(args, c.args, types.Identical) && slices.Equal(r.Derived.Wrt, q.Derived.Wrt) && slices.Equal(r.Derived.Of, q.Derived.Of) {
			return fn
		}
	}
	return nil
}

// laneCounts are the numbers of directions with which forward mode is checked.
var laneCounts = []int{1, 2, 3, 4, 8}

// variants checks forward mode with other numbers of lanes, derived on the fly.
func (c *checker) variants(p *point) {
	c.t.Helper()
	if c.top.expr.Verb != analyze.JVP {
		return
	}
	for _, n := range laneCounts {
		if n == c.top.sig().Lanes {
			continue
		}
		l, err := c.otherLanes(c.top, analyze.JVP, n)
		if err != nil {
			c.skip(byDifferences, err.Error(), 1)
			return // it is the same with other numbers
		}
		c.truth(l, p)
	}
}

// inner checks the levels of a nest below the outermost.
func (c *checker) inner(p *point) {
	c.t.Helper()
	for l := c.top.of; l.of != nil; l = l.of {
		if l.run() != nil {
			c.values(l, p)
			c.truth(l, p)
		}
	}
}
