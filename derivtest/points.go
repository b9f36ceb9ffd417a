package derivtest

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	randv1 "math/rand"
	"math/rand/v2"
	"reflect"
	"strings"

	"github.com/quabla/quabla/analyze"
	"github.com/quabla/quabla/internal/leaves"
)

// A point is one set of arguments of the function that derivatives are of.
type point struct {
	title string
	fresh func() []reflect.Value // the arguments, new ones each time
	base  *outcome               // of the function itself
	// states describe the arguments after a call of the compiled function, but for
	// their floats; nil if it cannot be called.
	states []string
}

// sizes are the lengths of slices at the points that are made. The function need
// not work for all of them.
var sizes = []int{3, 1, 4, 2, 3, 5, 0}

// maxPoints is the number of points that are taken from a function of the user.
const maxPoints = 6

// findPoints returns the points, or an error that says how to give some.
func (c *checker) findPoints() ([]*point, error) {
	if c.fn.Points != nil {
		return c.givenPoints()
	}
	types, err := c.paramTypes()
	if err != nil {
		return nil, err
	}
	ints, lengths := false, false
	for _, t := range types {
		ints = ints || holds(t, isInt, nil)
		lengths = lengths || holds(t, hasLength, nil)
	}
	var list []*point
	var last error
	failed := map[int]bool{}
	for k, size := range sizes {
		if failed[size] || size == 0 && !lengths {
			continue
		}
		found := false
		for try, st := range styles(size, ints) {
			seed := c.seed(fmt.Sprint(k, try))
			p := &point{title: fmt.Sprintf("size %d", size), fresh: func() []reflect.Value {
				m := &maker{style: st, rng: rand.New(rand.NewPCG(seed, 1)), own: c.own, open: map[reflect.Type]int{}}
				args := make([]reflect.Value, len(types))
				for i, t := range types {
					args[i] = m.value(t)
				}
				return args
			}}
			if last = c.evaluate(p); last == nil {
				list = append(list, p)
				found = true
				break
			}
		}
		failed[size] = !found
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("no arguments were found for which %s works (the last ones: %v).\n"+
			"Give some with a function in this package, for example in a _test.go file, and run quablagen -tests again:\n\t%s",
			c.leafName(), last, c.pointsHeader())
	}
	return list, nil
}

// givenPoints returns the points that a function of the user makes.
func (c *checker) givenPoints() ([]*point, error) {
	f := reflect.ValueOf(c.fn.Points)
	var list []*point
	var last error
	for k := 0; k < 4*maxPoints && len(list) < maxPoints; k++ {
		seed := c.seed(fmt.Sprint(k))
		var failed error
		p := &point{title: fmt.Sprintf("point %d of %s%s", k+1, "quablaPoints", c.pointsSuffix()), fresh: func() []reflect.Value {
			var r reflect.Value
			if f.Type().In(0) == reflect.TypeFor[*randv1.Rand]() {
				r = reflect.ValueOf(randv1.New(randv1.NewSource(int64(seed))))
			} else {
				r = reflect.ValueOf(rand.New(rand.NewPCG(seed, 1)))
			}
			args, err := apply(f, []reflect.Value{r})
			if err != nil {
				failed = err
				return nil
			}
			return args
		}}
		a, b := p.fresh(), p.fresh()
		if failed != nil {
			return nil, fmt.Errorf("quablaPoints%s: %w", c.pointsSuffix(), failed)
		}
		for i := range a {
			if leaves.State(a[i]) != leaves.State(b[i]) {
				return nil, fmt.Errorf("quablaPoints%s gives two results for equal random numbers: it must take all its randomness from its parameter", c.pointsSuffix())
			}
		}
		if last = c.evaluate(p); last == nil {
			list = append(list, p)
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s works at none of the points that quablaPoints%s gives (the last one: %v)", c.leafName(), c.pointsSuffix(), last)
	}
	return list, nil
}

// evaluate calls the function at a point. The error says why the point is of no
// use.
func (c *checker) evaluate(p *point) error {
	// First in the interpreter, where a call that does not end can be stopped.
	var base *outcome
	var err error = &unableError{"it cannot be called"}
	if c.leaf.interp != nil {
		base, err = c.leaf.interp.call(p.fresh())
		var limit *limitError
		if errors.As(err, &limit) {
			return err
		}
	}
	if c.leaf.native != nil {
		args := p.fresh()
		if base, err = c.leaf.native.call(args); err == nil {
			for _, a := range args {
				p.states = append(p.states, shape(a))
			}
		}
	}
	if err != nil {
		return fmt.Errorf("with %s: %w", c.describe(p), err)
	}
	for i, r := range base.results {
		if r.err != nil {
			return fmt.Errorf("with %s: the error %w", c.describe(p), r.err)
		}
		for _, x := range r.xs {
			if !finite(x) {
				return fmt.Errorf("with %s: %s is %v", c.describe(p), c.leafSig().Results[i].Name, x)
			}
		}
	}
	for i, s := range base.params {
		for _, x := range s.xs {
			if !finite(x) {
				return fmt.Errorf("with %s: %s ends with %v", c.describe(p), c.leafSig().All()[i].Name, x)
			}
		}
	}
	if c.leaf.native == nil {
		for i := range base.results {
			r := &base.results[i]
			if t := c.resultType(i); t != nil && r.value.IsValid() && r.value.CanConvert(t) {
				r.value = r.value.Convert(t)
			}
		}
	}
	p.base = base
	return nil
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// describe returns the arguments of a point for a message.
func (c *checker) describe(p *point) string {
	var parts []string
	for i, a := range p.fresh() {
		s := leaves.State(a)
		if len(s) > 120 {
			s = s[:120] + "..."
		}
		parts = append(parts, c.leafSig().All()[i].Name+" = "+s)
	}
	return strings.Join(parts, ", ")
}

// seed returns a number that depends on the name of the function and on what
// only.
func (c *checker) seed(what string) uint64 {
	h := fnv.New64a()
	fmt.Fprint(h, c.leafName(), "/", what)
	return h.Sum64()
}

// own reports whether a package is the one under test, by the path that package
// reflect knows.
func (c *checker) own(path string) bool {
	pkg := c.src.pkg
	return path == pkg.Path || strings.TrimSuffix(path, "_test") == strings.TrimSuffix(pkg.Path, "_test") || path == "main" && pkg.Name == "main"
}

// resultType returns the Go type of a result of the function itself if the derived
// function returns it too.
func (c *checker) resultType(i int) reflect.Type {
	for k, sl := range c.top.sig().Results {
		if c.top.of == c.leaf && sl.Role == analyze.Primal && sl.Of == i {
			return c.top.native.f.Type().Out(k)
		}
	}
	return nil
}
