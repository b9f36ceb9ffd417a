package derivtest

import (
	"errors"
	"fmt"
	"go/types"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/quabla/quabla/analyze"
	"github.com/quabla/quabla/ssair"
)

// A checker checks one derived function.
type checker struct {
	t    tester
	src  *source
	file *File
	fn   *Func

	req  *analyze.Request
	args map[*types.TypeParam]types.Type
	vars *variables

	top    *level // the derived function
	leaf   *level // the function itself
	narrow bool   // there are floats of 32 bits
	points []*point

	others  map[variant]*level // other verbs at the levels of the function
	without map[variant]error  // those that there are not, and why

	// excuse says why the derivative may differ from differences, if it may.
	// surrogate says that even the modes may differ, since a rule is no derivative.
	excuse    string
	surrogate bool

	failures map[string]int            // messages by check
	skipped  map[string]map[string]int // numbers that a check left out, by the reason
	done     map[string]int            // numbers that a check compared
}

func newChecker(t tester, src *source, file *File, fn *Func) *checker {
	return &checker{
		t: t, src: src, file: file, fn: fn, vars: &variables{ptrs: file.Vars},
		failures: map[string]int{}, skipped: map[string]map[string]int{}, done: map[string]int{},
		others: map[variant]*level{}, without: map[variant]error{},
	}
}

// The checks, as messages name them.
const (
	byInterpreter = "interpreter"
	byValues      = "values"
	byDifferences = "differences"
	byDot         = "dot test"
	byState       = "state"
	byAgain       = "second call"
	byAllocs      = "allocations"
	byPanics      = "panics"
	byWork        = "work space"
)

// maxFailures is the number of messages of one check.
const maxFailures = 4

// fail reports what a check found at a point, which may be nil.
func (c *checker) fail(check string, l *level, p *point, format string, args ...any) {
	c.t.Helper()
	if c.failures[check]++; c.failures[check] > maxFailures {
		return
	}
	where := l.name
	if mode := l.mode(); mode != "" {
		where += " (" + mode + ")"
	}
	if p == nil {
		c.t.Errorf("%s: %s: %s", where, check, fmt.Sprintf(format, args...))
		return
	}
	c.t.Errorf("%s: %s, %s: %s\n\tat %s", where, check, p.title, fmt.Sprintf(format, args...), c.describe(p))
}

// skip notes that a check left numbers out.
func (c *checker) skip(check, why string, n int) {
	if c.skipped[check] == nil {
		c.skipped[check] = map[string]int{}
	}
	c.skipped[check][why] += n
}

// problem reports an error of a call, and whether there was one. What is not
// possible is skipped.
func (c *checker) problem(check string, l *level, p *point, err error) bool {
	c.t.Helper()
	var pan *panicError
	switch {
	case err == nil:
		return false
	case unable(err):
		c.skip(check, err.Error(), 1)
	case errors.As(err, &pan) && pan.stack != "":
		c.fail(check, l, p, "%v\n%s", err, pan.stack)
	default:
		c.fail(check, l, p, "%v", err)
	}
	return true
}

// run checks the function.
func (c *checker) run() {
	c.t.Helper()
	if !c.prepare() {
		return
	}
	var err error
	if c.points, err = c.findPoints(); err != nil {
		c.t.Fatalf("%s: %v", c.fn.Name, err)
	}
	for _, p := range c.points {
		c.interpreter(p)
		c.again(p)
		c.values(c.top, p)
	}
	c.workSpace()
	for i, p := range c.points {
		c.truth(c.top, p)
		if i == 0 {
			c.variants(p)
			c.inner(p)
		}
	}
	if !c.t.Failed() { // what follows would not tell more
		c.allocations()
	}
	c.panics()
	c.summary()
}

// prepare resolves the function. It reports false if nothing can be checked.
func (c *checker) prepare() bool {
	c.t.Helper()
	var err error
	if c.req, c.args, err = c.src.request(c.fn.Name); err != nil {
		c.t.Fatal(err)
	}
	ir, err := c.src.derive(c.req, c.args, c.vars)
	if err != nil && !unable(err) {
		c.t.Fatalf("%s: %v", c.fn.Name, err)
	}
	if err != nil {
		c.skip(byInterpreter, err.Error(), 1)
		ir = nil
	}
	c.top = &level{name: c.fn.Name, expr: c.req.Expr, native: newNative(c.fn.Derived, c.vars), interp: ir, add: c.req.Add}
	c.levels()
	if err := c.fits(); err != nil {
		c.t.Fatalf("%s: the compiled function does not fit the source (%v): run go generate", c.fn.Name, err)
	}
	t := c.top.native.f.Type()
	for i := range t.NumIn() {
		c.narrow = c.narrow || holds(t.In(i), isNarrow, nil)
	}
	for i := range t.NumOut() {
		c.narrow = c.narrow || holds(t.Out(i), isNarrow, nil)
	}
	if c.leaf.run() == nil {
		c.t.Skipf("%s can be called neither as it is nor in the interpreter", c.leaf.name)
	}
	return true
}

// levels builds the levels below the derived function.
func (c *checker) levels() {
	above, req := c.top, c.req
	for inner := req.Inner(); inner != nil; inner = inner.Inner() {
		l := &level{name: inner.Expr.String(), expr: inner.Expr}
		if ir, err := c.src.derive(inner, c.args, c.vars); err == nil {
			l.interp = ir
		} else {
			c.skip(byInterpreter, err.Error(), 1)
		}
		above.of = l
		above = l
	}
	leaf := &level{expr: above.expr.Fn, name: c.req.Func.Name()}
	if recv := leaf.sig().Recv; recv != nil {
		leaf.name = methodName(c.req.Func.Signature().Recv(), leaf.name)
	}
	if c.fn.Primal != nil {
		leaf.native = newNative(c.fn.Primal, c.vars)
	}
	if ir, err := c.src.primal(c.req, c.args, c.vars); err != nil {
		c.skip(byInterpreter, err.Error(), 1)
	} else {
		c.excuse, c.surrogate = excuse(ir.f)
		leaf.interp = ir
	}
	if leaf.native == nil {
		// A function with derivatives inside, which only its value form has
		// compiled.
		leaf.interp = nil
		if q, err := c.req.ValueForm(); err == nil {
			if ir, err := c.src.derive(q, c.args, c.vars); err == nil {
				leaf.interp = ir
			}
		}
	}
	above.of = leaf
	c.leaf = leaf
}

// excuse says why the derivative of a function may differ from differences, or
// returns "".
func excuse(f *ssair.Func) (why string, surrogate bool) {
	note := func(f *ssair.Func) {
		if f.Rule != nil && why == "" {
			why = fmt.Sprintf("%s has a custom rule", f.Name)
		}
		surrogate = surrogate || f.Rule != nil && f.Rule.Surrogate
	}
	note(f)
	each(f, func(_ *ssair.Func, o *ssair.Op) {
		if o.Kind == ssair.Stop && why == "" {
			why = "it uses rt.Stop"
		}
		if o.Callee != nil {
			note(o.Callee)
		}
	})
	return why, surrogate
}

// noise is the relative error of the values of the function.
func (c *checker) noise() float64 {
	if c.narrow {
		return 1e-7
	}
	return 4e-16
}

func (c *checker) leafName() string          { return c.leaf.name }
func (c *checker) leafSig() *analyze.Derived { return c.leaf.sig() }
func (c *checker) recv() bool                { return c.leafSig().Recv != nil }

// pointsSuffix is the part of the name of the function that makes arguments which
// is behind quablaPoints.
func (c *checker) pointsSuffix() string { return strings.ReplaceAll(c.leafName(), ".", "_") }

// pointsHeader returns the declaration of a function that makes arguments.
func (c *checker) pointsHeader() string {
	q := func(p *types.Package) string {
		if p.Path() == c.src.pkg.Path {
			return ""
		}
		return p.Name()
	}
	var results []string
	for _, s := range c.leafSig().All() {
		results = append(results, s.Name+" "+types.TypeString(s.Type, q))
	}
	params := ""
	if tps := c.req.TypeParams(); len(tps) > 0 {
		var list []string
		for _, tp := range tps {
			list = append(list, tp.Obj().Name()+" "+types.TypeString(tp.Constraint(), q))
		}
		params = "[" + strings.Join(list, ", ") + "]"
	}
	return fmt.Sprintf("func quablaPoints%s%s(r *rand.Rand) (%s)", c.pointsSuffix(), params, strings.Join(results, ", "))
}

// paramTypes returns the Go types of the parameters of the function itself, which
// are among those of the derived one.
func (c *checker) paramTypes() ([]reflect.Type, error) {
	list := make([]reflect.Type, len(c.leafSig().All()))
	if c.leaf.native != nil {
		for i := range list {
			list[i] = c.leaf.native.f.Type().In(i)
		}
		return list, nil
	}
	t := c.top.native.f.Type()
	for i, sl := range c.top.sig().All() {
		at, in := i, t.In(i)
		for l := c.top; at >= 0 && l.of != nil; l = l.of {
			if sl = l.sig().All()[at]; sl.Role != analyze.Primal {
				at = -1
				break
			}
			if at = sl.Of; l.batches() && l.sig().Batched[at] {
				in = in.Elem()
			}
		}
		if at >= 0 {
			list[at] = in
		}
	}
	for i, t := range list {
		if t == nil {
			return nil, fmt.Errorf("parameter %d of %s is not one of the derived function", i, c.leafName())
		}
	}
	return list, nil
}

// fits compares the type of the compiled function with the signature that the
// source gives.
func (c *checker) fits() error {
	t := c.top.native.f.Type()
	sig := c.top.sig()
	all := sig.All()
	if t.Kind() != reflect.Func || t.NumIn() != len(all) || t.NumOut() != len(sig.Results) {
		return fmt.Errorf("%d parameters and %d results, not %d and %d", t.NumIn(), t.NumOut(), len(all), len(sig.Results))
	}
	for i, sl := range all {
		if want := analyze.Substitute(sl.Type, c.args); !alike(t.In(i), want) {
			return fmt.Errorf("parameter %s has the type %s, not %s", sl.Name, t.In(i), want)
		}
	}
	for i, sl := range sig.Results {
		if want := analyze.Substitute(sl.Type, c.args); !alike(t.Out(i), want) {
			return fmt.Errorf("result %s has the type %s, not %s", sl.Name, t.Out(i), want)
		}
	}
	return nil
}

// alike reports whether a Go type can be the type t; it compares named types by
// their names.
func alike(r reflect.Type, t types.Type) bool {
	t = types.Unalias(t)
	if named, ok := t.(*types.Named); ok {
		name, _, _ := strings.Cut(r.Name(), "[")
		return name == named.Obj().Name()
	}
	switch u := t.(type) {
	case *types.Basic:
		return r.Name() == u.Name() || r.Name() == "uint8" && u.Name() == "byte" || r.Name() == "int32" && u.Name() == "rune"
	case *types.Slice:
		return r.Kind() == reflect.Slice && alike(r.Elem(), u.Elem())
	case *types.Array:
		return r.Kind() == reflect.Array && int64(r.Len()) == u.Len() && alike(r.Elem(), u.Elem())
	case *types.Pointer:
		return r.Kind() == reflect.Pointer && alike(r.Elem(), u.Elem())
	case *types.Map:
		return r.Kind() == reflect.Map && alike(r.Key(), u.Key()) && alike(r.Elem(), u.Elem())
	case *types.Signature:
		return r.Kind() == reflect.Func && r.NumIn() == u.Params().Len() && r.NumOut() == u.Results().Len()
	}
	return true
}

// near reports whether two numbers are the same up to rounding; scale is the size
// of what they are made of.
func (c *checker) near(got, want, scale float64) bool {
	switch {
	case got == want, math.IsNaN(got) && math.IsNaN(want):
		return true
	case !finite(got) || !finite(want):
		return false
	}
	rel, abs := 1e-10, 1e-12
	if c.narrow {
		rel, abs = 1e-4, 1e-5
	}
	return math.Abs(got-want) <= rel*max(math.Abs(got), math.Abs(want))+abs*scale
}

// largest returns the size of the largest finite number of a list.
func largest(xs []float64) float64 {
	m := 0.0
	for _, x := range xs {
		if finite(x) {
			m = max(m, math.Abs(x))
		}
	}
	return m
}

// same compares what two calls left in a slot.
func (c *checker) same(check string, l *level, p *point, name string, got, want slot) {
	c.t.Helper()
	if got.isErr || want.isErr {
		c.done[check]++
		if (got.err == nil) != (want.err == nil) {
			c.fail(check, l, p, "%s is %v, want %v", name, got.err, want.err)
		}
		return
	}
	if len(got.xs) != len(want.xs) {
		c.fail(check, l, p, "%s holds %d numbers, want %d", name, len(got.xs), len(want.xs))
		return
	}
	scale := largest(want.xs)
	bad, first := 0, -1
	for i := range got.xs {
		c.done[check]++
		if !c.near(got.xs[i], want.xs[i], scale) {
			if bad++; first < 0 {
				first = i
			}
		}
	}
	if bad > 0 {
		more := ""
		if bad > 1 {
			more = fmt.Sprintf("; %d of %d numbers differ", bad, len(got.xs))
		}
		c.fail(check, l, p, "%s %s%s", named(got.names()[first], name), differs(got.xs[first], want.xs[first]), more)
	}
}

// differs says how a number is wrong.
func differs(got, want float64) string {
	return fmt.Sprintf("is %.15g, want %.15g (off by %.3g)", got, want, got-want)
}

// summary logs what was compared, and skips a subtest for a check that had to
// leave everything out.
func (c *checker) summary() {
	for _, check := range []string{byInterpreter, byValues, byDifferences, byDot, byState, byAgain, byWork, byAllocs, byPanics} {
		skips := c.skipped[check]
		if n := c.failures[check]; n > maxFailures {
			c.t.Logf("%s: %d more failures", check, n-maxFailures)
		}
		if c.done[check] == 0 && len(skips) == 0 {
			continue
		}
		var list []string
		for why, n := range skips {
			list = append(list, fmt.Sprintf("%d left out: %s", n, why))
		}
		slices.Sort(list)
		if c.done[check] == 0 {
			c.t.skipped(check, "nothing could be compared ("+strings.Join(list, "; ")+")")
			continue
		}
		text := fmt.Sprintf("%s: %d compared", check, c.done[check])
		if len(list) > 0 {
			text += "; " + strings.Join(list, "; ")
		}
		c.t.Log(text)
	}
}
