package rules

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/quabla/quabla/rt"
)

// checkRow reports everything that is wrong with a row, the mathematics
// included: derivatives of order 1 to order, each against differences of the
// order below, at all test points, and the special points.
func checkRow(r *Row, order int) error {
	if err := r.Check(); err != nil {
		return err
	}
	var errs []error
	for _, at := range r.At {
		for res, k := range r.Results() {
			if isFloat(k) {
				errs = append(errs, checkDifferences(r, res, at, order))
			}
		}
	}
	for _, s := range r.Special {
		errs = append(errs, checkSpecial(r, s))
	}
	return errors.Join(errs...)
}

func checkDifferences(r *Row, res int, at []float64, order int) error {
	g := newGraph()
	vars := freeVars(r, at)
	type level struct {
		n    *node
		seq  string
		last int
	}
	todo := []level{{n: g.point(r, res, at)}}
	var errs []error
	for len(todo) > 0 {
		l := todo[0]
		todo = todo[1:]
		for v := l.last; v < len(vars); v++ {
			f := func(t float64) float64 {
				moved := append([]float64(nil), vars...)
				moved[v] = t
				return g.eval(l.n, moved)
			}
			d := g.diff(l.n, v)
			seq := l.seq + "xyzw"[v:v+1]
			got := g.eval(d, vars)
			h := 0.02 * math.Max(math.Abs(vars[v]), 0.1)
			want, err := ridders(f, vars[v], h)
			tol := 1e-7*math.Abs(want) + 1e-9*math.Abs(f(vars[v]))
			if isSingle(r) {
				tol = 1e-2 // its steps are not small
			}
			if !(math.Abs(got-want) <= tol+err) {
				errs = append(errs, fmt.Errorf("%s at %v: derivative %s is %v, by differences %v (+-%.1g)", r.Name, at, seq, got, want, err))
			} else if err > 10*tol {
				errs = append(errs, fmt.Errorf("%s at %v: differences for derivative %s decide nothing: %v (+-%.1g)", r.Name, at, seq, want, err))
			}
			if len(seq) < order {
				todo = append(todo, level{d, seq, v})
			}
		}
	}
	return errors.Join(errs...)
}

// isSingle reports whether a row is of float32: too coarse for differences.
func isSingle(r *Row) bool { return r.Results()[0] == reflect.Float32 }

func checkSpecial(r *Row, s Special) error {
	args := r.Complete(s.At)
	all := r.Slopes(args, r.Call(args...))
	var got, got2 []float64
	g := newGraph()
	nodes := g.args(r, s.At)
	for res, k := range r.Results() {
		if !isFloat(k) {
			continue
		}
		for arg, ka := range r.Args() {
			if !isFloat(ka) || r.given(arg) != "" {
				continue
			}
			got = append(got, all[r.partial(res, arg)])
			p, _ := g.partial(g.apply(r, res, nodes), arg)
			for v := range r.freeFloats() {
				got2 = append(got2, g.eval(g.diff(p, v), freeVars(r, s.At)))
			}
		}
	}
	if !agree(got, s.D) {
		return fmt.Errorf("%s at %v: partials %v, want %v", r.Name, s.At, got, s.D)
	}
	if s.D2 != nil && !agree(got2, s.D2) {
		return fmt.Errorf("%s at %v: second derivatives %v, want %v", r.Name, s.At, got2, s.D2)
	}
	return nil
}

// agree compares element by element, to four roundings.
func agree(got, want []float64) bool {
	for i, w := range want {
		if g := got[i]; !(g == w || g != g && w != w || math.Abs(g-w) <= 9e-16*math.Abs(w)) {
			return false
		}
	}
	return true
}

func TestRows(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range All() {
		t.Run(r.Name, func(t *testing.T) {
			if seen[r.Name] {
				t.Fatal("two rows of this name")
			}
			seen[r.Name] = true
			if err := checkRow(r, 4); err != nil {
				t.Error(err)
			}
			// The row must hold the function that it names.
			fn := r.Fn
			if r.Complex != nil {
				fn = r.Complex
			}
			name := runtime.FuncForPC(reflect.ValueOf(fn).Pointer()).Name()
			name, _, _ = strings.Cut(name, "[")
			if r.Package() != "" && name != r.Package()+"."+r.Ident() {
				t.Errorf("Fn is %s", name)
			}
		})
	}
}

// TestGuards checks that a coefficient without the strong zero is finite at
// every finite argument, and that one with it is not finite somewhere.
func TestGuards(t *testing.T) {
	grid := []float64{0, neg0, 1, -1, 0.5, -0.3, 2, -2, 1.5, -3, 30, -30, 800, -800,
		5e-324, -5e-324, 1e-310, 1e-200, -1e-200, 1e200, -1e200, 1e300, math.MaxFloat64, -math.MaxFloat64, math.Pi / 2}
	ints := []float64{0, 1, -1, 2, -2, 5, 1100, -1100}
	for _, r := range All() {
		nonfinite := make([]bool, len(r.D))
		var walk func(free []float64, i int, infinite bool)
		walk = func(free []float64, i int, infinite bool) {
			for i < r.Arity() && r.given(i) != "" {
				i++
			}
			if i == r.Arity() {
				args := r.Complete(free)
				for j, d := range r.Slopes(args, r.Call(args...)) {
					if math.IsInf(d, 0) || math.IsNaN(d) {
						nonfinite[j] = true
						if !infinite && r.D[j].Guard&ZeroBar == 0 {
							t.Errorf("%s: partial %q is %v at %v: it needs the strong zero", r.Name, r.D[j].Expr, d, free)
						}
					}
				}
				return
			}
			values := grid
			if r.Arity() > 3 {
				values = grid[:8] // a power of the number of arguments
			}
			if !isFloat(r.Args()[i]) {
				values = ints
				if strings.HasSuffix(r.Name, "n") || strings.HasSuffix(r.Name, "Deriv") || r.Name == "rt.Polygamma" {
					values = ints[:6] // costs grow with these
				}
			}
			for _, v := range values {
				walk(append(free[:len(free):len(free)], v), i+1, infinite)
			}
			if isFloat(r.Args()[i]) {
				walk(append(free[:len(free):len(free)], math.Inf(1)), i+1, true)
			}
		}
		walk(nil, 0, false)
		for j, p := range r.D {
			if p.Guard&ZeroBar != 0 && !nonfinite[j] {
				t.Errorf("%s: partial %q has a strong zero that it does not need", r.Name, p.Expr)
			}
		}
	}
}

// TestEveryPartialCounts changes the partials of the rows one at a time, by a
// factor of 1.0001 or from zero, and wants checkRow to notice.
func TestEveryPartialCounts(t *testing.T) {
	for _, r := range All() {
		if isSingle(r) {
			continue
		}
		for i, p := range r.D {
			e, err := parse(p.Expr)
			switch {
			case err != nil:
				t.Fatal(err)
			case p.Expr != "0" && constant(e):
				p.Expr = "1.0001"
			case p.Expr != "0":
				p.Expr = "1.0001 * (" + p.Expr + ")"
			case r.Given != nil: // Check sees to given arguments
				continue
			default:
				p.Expr = "0.0001"
			}
			bad := &Row{Name: r.Name, Fn: r.Fn, D: slices.Clone(r.D), Given: r.Given, At: r.At, Domain: r.Domain}
			bad.D[i] = p
			if err := checkRow(bad, 1); err == nil || !strings.Contains(err.Error(), "by differences") {
				t.Errorf("%s: partial %q passes: %v", r.Name, p.Expr, err)
			}
		}
	}
}

// TestIntArithmetic uses what no row of the table needs at present.
func TestIntArithmetic(t *testing.T) {
	r := &Row{Name: "rt.Powi", Fn: rt.Powi, D: bar("float64(n) * rt.Powi(x, -(1 - n))"),
		At: Lookup("rt.Powi").At, Domain: "x != 0"}
	if err := checkRow(r, 4); err != nil {
		t.Error(err)
	}
}

// TestCheckerFindsFaults gives checkRow rows that are wrong in one place each.
func TestCheckerFindsFaults(t *testing.T) {
	good := func() *Row {
		return &Row{Name: "math.Atan2", Fn: math.Atan2, D: Lookup("math.Atan2").D, At: Lookup("math.Atan2").At,
			Special: Lookup("math.Atan2").Special, Domain: "all"}
	}
	if err := checkRow(good(), 2); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		spoil func(r *Row)
		want  string
	}{
		"sign":            {func(r *Row) { r.D = bar("rt.Atan2Slope(y, x)", "rt.Atan2Slope(x, y)") }, "by differences"},
		"factor":          {func(r *Row) { r.D = bar("1.0001 * rt.Atan2Slope(y, x)", "-rt.Atan2Slope(x, y)") }, "by differences"},
		"swapped":         {func(r *Row) { r.D = bar("-rt.Atan2Slope(x, y)", "rt.Atan2Slope(y, x)") }, "by differences"},
		"zero":            {func(r *Row) { r.D = bar("rt.Atan2Slope(y, x)", "0") }, "by differences"},
		"missing partial": {func(r *Row) { r.D = bar("rt.Atan2Slope(y, x)") }, "1 partials, want 2"},
		"no point":        {func(r *Row) { r.At = nil }, "no test point"},
		"short point":     {func(r *Row) { r.At = at(1) }, "has 1 arguments, want 2"},
		"no domain":       {func(r *Row) { r.Domain = "" }, "no domain"},
		"special":         {func(r *Row) { r.Special = []Special{{At: []float64{0, 0}, D: []float64{0, 1}}} }, "partials [0 -0], want [0 1]"},
		"special second":  {func(r *Row) { r.Special = []Special{pick(0, 1, 1, 0)} }, "second derivatives"},
		"short special":   {func(r *Row) { r.Special = []Special{{At: []float64{0, 0}, D: []float64{0}}} }, "number of entries"},
		"syntax":          {func(r *Row) { r.D = bar("rt.Atan2Slope(y, x", "0") }, "cannot parse"},
		"unknown name":    {func(r *Row) { r.D = bar("w", "0") }, "w is no float variable"},
		"unknown row":     {func(r *Row) { r.D = bar("math.Foo(x)", "0") }, "math.Foo, which has no row"},
		"unknown const":   {func(r *Row) { r.D = bar("math.Bar * x", "0") }, "unknown constant math.Bar"},
		"arguments":       {func(r *Row) { r.D = bar("math.Sin(x, y)", "0") }, "needs 1 arguments"},
		"two results":     {func(r *Row) { r.D = bar("math.Sincos(x)", "0") }, "one float64 result"},
		"operator":        {func(r *Row) { r.D = bar("x % y", "0") }, "operator %"},
		"folding":         {func(r *Row) { r.D = bar("2 / math.SqrtPi", "0") }, "arithmetic on constants"},
		"float as int":    {func(r *Row) { r.D = bar("math.Jn(x, y)", "0") }, "no int expression"},
		"zero guard":      {func(r *Row) { r.D = []Partial{{"0", ZeroBar}, {"x", Plain}} }, "needs no guard"},
		"variadic":        {func(r *Row) { r.Fn = func(x ...float64) float64 { return 0 } }, "fixed number"},
		"string":          {func(r *Row) { r.Fn = func(x string) float64 { return 0 } }, "type string"},
		"given":           {func(r *Row) { r.Given = []string{"", "math.Sin(x)"} }, "given argument y is not 0"},
		"given circle":    {func(r *Row) { r.Given = []string{"", "math.Sin(y)"} }, "depends on a given one"},
		"short given":     {func(r *Row) { r.Given = []string{""} }, "1 entries, want 2"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := good()
			tt.spoil(r)
			if err := checkRow(r, 1); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want an error with %q", err, tt.want)
			}
		})
	}
}
