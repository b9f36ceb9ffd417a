package derivtest

import (
	"fmt"
	"reflect"

	"github.com/quabla/quabla/analyze"
	"github.com/quabla/quabla/internal/leaves"
)

// members is the number of members of the batches that are tried.
const members = 3

// batches reports whether the level is the batched form of the one below it.
func (l *level) batches() bool { return l.expr.Verb == analyze.VMap }

// member returns arguments for member k of a batch at a point. Each has floats of its
// own, close to those of the point; where the function cannot be called with those,
// it has those of the point. What all members share is that of member 0.
func (l *level) member(p *point, k int) ([]reflect.Value, error) {
	make := func(k int) ([]reflect.Value, error) {
		args, err := l.of.inputs(p, nil)
		if err != nil || k == 0 {
			return args, err
		}
		for i, a := range args {
			if !l.sig().Batched[i] || isMatrix(a) {
				continue
			}
			xs := leaves.Of(a)
			for j := range xs {
				xs[j] *= 1 + float64(k)*float64(j%5+1)/512
			}
			args[i] = leaves.Set(a, xs)
		}
		return args, nil
	}
	args, err := make(k)
	if err != nil || k == 0 {
		return args, err
	}
	if out, err := l.of.run().call(args); err != nil || !out.good() {
		k = 0
	}
	return make(k)
}

func isMatrix(v reflect.Value) bool {
	_, ok := v.Interface().(*matrix)
	return ok
}

// good reports whether a call returned no error, and finite numbers.
func (out *outcome) good() bool {
	for _, s := range out.results {
		if s.err != nil {
			return false
		}
		for _, x := range s.xs {
			if !finite(x) {
				return false
			}
		}
	}
	return true
}

// batch returns arguments of a batched form.
func (l *level) batch(p *point, s *seeds) ([]reflect.Value, error) {
	if l.of.run() == nil {
		return nil, &unableError{l.of.name + " cannot be called"}
	}
	var each [members][]reflect.Value
	for k := range each {
		args, err := l.member(p, k)
		if err != nil {
			return nil, err
		}
		each[k] = args
	}
	all := l.sig().All()
	args := make([]reflect.Value, len(all))
	for i, sl := range all {
		switch {
		case sl.Role == analyze.Batch && s != nil && s.earlier != nil:
			args[i] = s.earlier[i]
		case sl.Role == analyze.Batch:
			like, err := l.of.likeResult(p, sl.Of)
			if err != nil {
				return nil, err
			}
			list := make([]reflect.Value, members)
			for k := range list {
				v := leaves.ZeroLike(like)[0]
				xs := leaves.Of(v)
				for j := range xs {
					xs[j] = garbage
				}
				list[k] = leaves.Set(v, xs)
			}
			args[i] = sliceOf(list)
		case !l.sig().Batched[sl.Of]:
			args[i] = each[0][sl.Of]
		default:
			list := make([]reflect.Value, members)
			for k := range list {
				if list[k] = each[k][sl.Of]; isMatrix(list[k]) {
					return nil, &unableError{"a batch of matrices"}
				}
				if pointed(l.of.sig().All()[sl.Of].Type) && !pointed(elemType(sl.Type)) {
					list[k] = list[k].Elem()
				}
			}
			args[i] = sliceOf(list)
		}
	}
	return args, nil
}

// sliceOf returns a slice of values of one type.
func sliceOf(list []reflect.Value) reflect.Value {
	s := reflect.MakeSlice(reflect.SliceOf(list[0].Type()), len(list), len(list))
	for k, v := range list {
		s.Index(k).Set(v)
	}
	return s
}

// eachMember compares what a batched form does with what the function below it does
// for each member.
func (c *checker) eachMember(l *level, p *point) {
	c.t.Helper()
	args, err := l.batch(p, nil)
	if c.problem(byValues, l, p, err) {
		return
	}
	got, err := l.run().call(args)
	if c.problem(byValues, l, p, err) {
		return
	}
	var each [members]*outcome
	for k := range each {
		own, err := l.member(p, k)
		if c.problem(byValues, l, p, err) {
			return
		}
		if each[k], err = l.of.run().call(own); c.problem(byValues, l, p, err) {
			return
		}
	}
	together := func(part func(out *outcome) slot) slot {
		all := part(each[0])
		for _, out := range each[1:] {
			all.xs = append(all.xs[:len(all.xs):len(all.xs)], part(out).xs...)
		}
		return all
	}
	for i, sl := range l.sig().All() {
		var want slot
		switch {
		case sl.OfResult:
			want = together(func(out *outcome) slot { return out.results[sl.Of] })
		case l.sig().Batched[sl.Of]:
			want = together(func(out *outcome) slot { return out.params[sl.Of] })
		default:
			want = each[0].params[sl.Of]
		}
		c.same(byValues, l, p, sl.Name, got.params[i], want)
	}
	for i, sl := range l.sig().Results {
		c.same(byValues, l, p, sl.Name, got.results[i], each[0].results[sl.Of])
	}
}

// lengths checks that batches of different lengths are refused: all but one are changed.
// Which one the others are compared with is up to the function.
func (r *refusals) lengths() {
	r.t.Helper()
	var batched []int
	for i, sl := range r.slots {
		if sl.Role == analyze.Batch || r.top.sig().Batched[sl.Of] {
			batched = append(batched, i)
		}
	}
	for _, i := range batched[:len(batched)-1] {
		for _, by := range []int{1, -1} {
			name := r.slots[i].Name
			r.refuses(name, name, fmt.Sprintf("the length of %s is off by %d", name, by), func(args []reflect.Value) bool {
				args[i] = lengthened(args[i], by)
				return args[i].IsValid()
			})
		}
	}
}
