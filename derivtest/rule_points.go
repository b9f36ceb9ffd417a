package derivtest

import (
	"errors"
	"fmt"
	"hash/fnv"
	randv1 "math/rand"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"

	"github.com/quabla/quabla/internal/leaves"
)

// findPoints returns arguments for which the function works.
func (c *ruleChecker) findPoints() ([]*rulePoint, error) {
	if c.r.Points != nil {
		return c.givenPoints()
	}
	for in := range c.f.Type().Ins() {
		if in.Kind() == reflect.Func {
			c.t.Skipf("%s takes a function: a function quablaPoints... that makes arguments is needed, see the package comment", c.r.Name)
		}
	}
	t := c.f.Type()
	ints, lengths := false, false
	for in := range t.Ins() {
		ints = ints || holds(in, isInt, nil)
		lengths = lengths || holds(in, hasLength, nil)
	}
	var list []*rulePoint
	var last error
	failed := map[int]bool{}
	for k, size := range sizes {
		if failed[size] || size == 0 && !lengths {
			continue
		}
		found := false
		for try, st := range styles(size, ints) {
			m := &maker{style: st, rng: rand.New(rand.NewPCG(c.seed(fmt.Sprint(k, try)), 1)), own: c.own(), open: map[reflect.Type]int{}}
			p := &rulePoint{title: fmt.Sprintf("size %d", size)}
			for in := range t.Ins() {
				p.args = append(p.args, m.value(in))
			}
			if last = c.works(p); last == nil {
				list, found = append(list, p), true
				break
			}
		}
		failed[size] = !found
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("no arguments were found for which it works (the last ones: %w); give some with a function that makes them, Points", last)
	}
	return list, nil
}

// givenPoints returns the points that a function of the user makes.
func (c *ruleChecker) givenPoints() ([]*rulePoint, error) {
	f := reflect.ValueOf(c.r.Points)
	var list []*rulePoint
	var last error
	for k := 0; k < 4*maxPoints && len(list) < maxPoints; k++ {
		seed := c.seed(fmt.Sprint(k))
		r := reflect.ValueOf(rand.New(rand.NewPCG(seed, 1)))
		if f.Type().In(0) == reflect.TypeFor[*randv1.Rand]() {
			r = reflect.ValueOf(randv1.New(randv1.NewSource(int64(seed))))
		}
		args, err := apply(f, []reflect.Value{r})
		if err != nil {
			return nil, fmt.Errorf("the function that makes arguments: %w", err)
		}
		p := &rulePoint{title: fmt.Sprintf("point %d", k+1), args: args}
		if last = c.works(p); last == nil {
			list = append(list, p)
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("it works at none of the points that are given (the last one: %w)", last)
	}
	return list, nil
}

// works returns nil if the function works at a point.
func (c *ruleChecker) works(p *rulePoint) error {
	args := p.fresh()
	results, err := apply(c.f, args)
	if err != nil {
		return err
	}
	for _, r := range results {
		if e, ok := r.Interface().(error); ok && r.Type() == errorType && e != nil {
			return e
		}
	}
	for _, v := range append(results, args...) {
		if v.Type() == errorType {
			continue
		}
		for _, x := range leaves.Of(v) {
			if !finite(x) {
				return errors.New("something is not finite")
			}
		}
	}
	return nil
}

func (c *ruleChecker) seed(what string) uint64 {
	h := fnv.New64a()
	fmt.Fprint(h, c.r.Name, "/", what)
	return h.Sum64()
}

// own returns a function that tells the packages of the function and its rules.
func (c *ruleChecker) own() func(path string) bool {
	paths := map[string]bool{}
	for _, f := range append([]any{c.r.Func, c.r.JVP, c.r.VJP, c.r.Fwd}, c.r.Lifted...) {
		if f == nil {
			continue
		}
		if fn := runtime.FuncForPC(reflect.ValueOf(f).Pointer()); fn != nil {
			dir, name := "", fn.Name()
			if i := strings.LastIndex(name, "/"); i >= 0 {
				dir, name = name[:i+1], name[i+1:]
			}
			name, _, _ = strings.Cut(name, ".")
			paths[dir+name] = true
		}
	}
	return func(path string) bool { return paths[path] }
}
