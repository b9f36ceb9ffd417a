package derivtest

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"

	"github.com/quabla/quabla/analyze"
	"github.com/quabla/quabla/internal/leaves"
)

// panics checks that arguments of wrong shapes and destinations that share memory
// with other parameters are refused.
func (c *checker) panics() {
	c.t.Helper()
	if len(c.points) == 0 {
		return
	}
	p, l := c.points[0], c.top
	lay, err := l.layoutOrNone(p)
	if c.problem(byPanics, l, p, err) {
		return
	}
	s := l.someSeeds(lay, 60)
	r := &refusals{checker: c, p: p, slots: l.sig().All(), call: l.native.call}
	r.fresh = func() ([]reflect.Value, error) { return l.inputs(p, s) }
	r.run()
	if l.expr.Verb != analyze.Pullback {
		return
	}
	args, err := r.fresh()
	if c.problem(byPanics, l, p, err) {
		return
	}
	out, err := l.native.call(args)
	if c.problem(byPanics, l, p, err) || out.pullback == nil {
		return
	}
	r = &refusals{checker: c, p: p, slots: l.back().Params, call: out.pullback}
	r.fresh = func() ([]reflect.Value, error) { return l.backInputs(p, lay, s) }
	r.run()
}

// A refusals checks what a function refuses.
type refusals struct {
	*checker
	p     *point
	slots []analyze.Slot // its parameters
	fresh func() ([]reflect.Value, error)
	call  func(args []reflect.Value) (*outcome, error)
}

func (r *refusals) run() {
	r.t.Helper()
	args, err := r.fresh()
	if r.problem(byPanics, r.top, r.p, err) {
		return
	}
	batch := r.top.batches()
	if batch {
		r.lengths()
	}
	for i, sl := range r.slots {
		written := r.writes(i)
		if sl.OfResult && !written || !written && sl.Role != analyze.Direction && sl.Role != analyze.Tangent {
			continue
		}
		of := r.top.belongs(sl).Name
		if !batch && args[i].Kind() == reflect.Slice && leaves.HasFloats(args[i].Type().Elem()) {
			for _, by := range []int{1, -1} {
				r.refuses(sl.Name, of, fmt.Sprintf("the length of %s is off by %d", sl.Name, by), func(args []reflect.Value) bool {
					args[i] = lengthened(args[i], by)
					return args[i].IsValid()
				})
			}
		}
		for k, other := range r.slots {
			// Of two destinations the earlier one takes the memory of the later.
			if written && k != i && (k > i || !r.writes(k)) {
				r.refuses(sl.Name, other.Name, fmt.Sprintf("%s is the memory of %s", sl.Name, other.Name), func(args []reflect.Value) bool {
					return share(args, i, k)
				})
			}
		}
	}
}

// writes reports whether a parameter is a destination, or a batch of them.
func (r *refusals) writes(i int) bool {
	sl := r.slots[i]
	for l := r.top; l.batches() && sl.Role == analyze.Primal; l = l.of {
		sl = l.belongs(sl)
	}
	return sl.Role == analyze.Adjoint || sl.Role == analyze.Product || sl.Role == analyze.Batch
}

// refuses checks that a call panics with a message that names two parameters.
func (r *refusals) refuses(a, b, what string, spoil func(args []reflect.Value) bool) {
	r.t.Helper()
	args, err := r.fresh()
	if r.problem(byPanics, r.top, r.p, err) || !spoil(args) {
		return
	}
	_, err = r.call(args)
	var pan *panicError
	r.done[byPanics]++
	switch {
	case err == nil:
		r.fail(byPanics, r.top, r.p, "does not panic although %s", what)
	case !errors.As(err, &pan):
		r.fail(byPanics, r.top, r.p, "%v where %s", err, what)
	case !names(pan.text, a) || !names(pan.text, b):
		r.fail(byPanics, r.top, r.p, "panics with %q where %s; the message should name %s and %s", pan.text, what, a, b)
	}
}

// lengthened returns a slice with elements more or less.
func lengthened(s reflect.Value, by int) reflect.Value {
	n := s.Len() + by
	if n < 0 || s.Len() == 0 {
		return reflect.Value{}
	}
	out := reflect.MakeSlice(s.Type(), n, n)
	reflect.Copy(out, s)
	for i := s.Len(); i < n; i++ {
		out.Index(i).Set(leaves.Clone(s.Index(0))[0])
	}
	return out
}

// share makes argument i, a destination, the memory of argument k, if they are
// slices or pointers of one type and that keeps the shape of the destination.
func share(args []reflect.Value, i, k int) bool {
	d, a := args[i], args[k]
	if d.Type() != a.Type() || !leaves.HasFloats(d.Type()) {
		return false
	}
	switch d.Kind() {
	case reflect.Slice:
		if d.Len() != a.Len() || d.Len() == 0 {
			return false
		}
		if e := d.Type().Elem(); e.Kind() == reflect.Slice {
			if d.Index(0).Len() == 0 || d.Index(0).Len() != a.Index(0).Len() {
				return false
			}
			d.Index(0).Set(a.Index(0))
			return true
		}
	case reflect.Pointer:
		if d.IsNil() || a.IsNil() {
			return false
		}
	default:
		return false
	}
	args[i] = a
	return true
}

// names reports whether a text contains a name as a word.
func names(text, name string) bool {
	ok, err := regexp.MatchString(`\b`+regexp.QuoteMeta(name)+`\b`, text)
	return err == nil && ok
}
