package probe

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// A site is a point in one world: the layout of leaves and outputs there, and what
// the entry function itself does.
type site struct {
	w      World
	plan   *CasePlan
	pt     *Point
	index  int
	group  *Group
	truth  *truth
	leaves map[int]span // of each active parameter, in the list of leaves
	n      int          // leaves
	m      int          // outputs

	outs    map[int]span  // of each result, in the list of outputs
	posts   map[int][]int // of each output parameter: the output that each leaf is, or -1
	results []Val         // of the entry function
	states  []string      // of the arguments after the call
	after   []Val         // the arguments after the call, with zeros
	changed []bool        // whether the leaves of an argument change
	extra   []string      // faults of the case or of the entry function
	values  int           // numbers compared
}

// A span is a range of indices.
type span struct{ from, to int }

// newSite calls the entry function at a point. It returns a *PanicError if that
// panics.
func newSite(w World, plan *CasePlan, index int, g *Group) (*site, error) {
	pt := plan.Case.Points[index]
	s := &site{
		w: w, plan: plan, pt: pt, index: index, group: g, truth: newTruth(pt), m: len(pt.Outs),
		leaves: map[int]span{}, outs: map[int]span{}, posts: map[int][]int{},
	}
	args, err := w.Args(index)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, i := range g.Active {
		k := len(w.Leaves(args[i]))
		s.leaves[i] = span{s.n, s.n + k}
		s.n += k
		names = append(names, w.Names(pt.Args[i].Name, args[i])...)
	}
	var before [][]float64
	for _, a := range args {
		before = append(before, w.Leaves(a))
	}
	results, err := w.Call(plan.Primal, args)
	if err != nil {
		return nil, err
	}
	s.results = results
	s.after = w.ZeroLike(args)
	for i, a := range args {
		s.states = append(s.states, w.State(a))
		s.changed = append(s.changed, !equal(before[i], w.Leaves(a)))
	}
	if pt.Panics {
		return s, nil
	}
	if s.n != len(pt.Leaves) {
		return nil, fmt.Errorf("the case has the leaves %s, but the arguments have %s", strings.Join(pt.Leaves, ", "), strings.Join(names, ", "))
	}
	return s, s.layOut(args)
}

// layOut finds out which outputs the results and arguments are, and compares the
// values.
func (s *site) layOut(args []Val) error {
	w, pt := s.w, s.pt
	at := 0
	var got []float64
	if s.group.Result {
		for i, r := range s.results {
			xs := w.Leaves(r)
			s.outs[i] = span{at, at + len(xs)}
			at += len(xs)
			got = append(got, xs...)
		}
	}
	for _, i := range s.group.Posts {
		names := w.Names(pt.Args[i].Name, args[i])
		xs := w.Leaves(args[i])
		list := make([]int, len(xs))
		byName := 0
		for k, n := range names {
			list[k] = slices.IndexFunc(pt.Outs, func(o string) bool { return postName(o) == Canonical(n) })
			if list[k] >= 0 {
				byName++
			}
		}
		var own []int // the outputs of the parameter
		for k, o := range pt.Outs {
			if name, ok := PostParam(o); ok && name == pt.Args[i].Name {
				own = append(own, k)
			}
		}
		if byName < len(own) && len(own) == len(xs) { // spelled otherwise: by order
			copy(list, own)
		}
		for k, o := range list {
			if o >= 0 {
				for len(got) <= o {
					got = append(got, 0)
				}
				got[o] = xs[k]
			}
		}
		at += len(own)
		s.posts[i] = list
	}
	if at != s.m || len(got) != s.m {
		return fmt.Errorf("the case has the outputs %s, but the function gives %d", strings.Join(pt.Outs, ", "), at)
	}
	rel, abs := pt.ValTol, 1e-13
	if pt.Within != nil {
		rel, abs = pt.Within[0], pt.Within[1]
	}
	for o, x := range got {
		if unstated(pt.Val[o]) {
			continue
		}
		s.values++
		good := near(x, pt.Val[o], 0, rel, abs)
		if sign := pt.Signs[o]; pt.Within != nil && sign != 0 {
			good = good && math.Signbit(x) == (sign < 0)
		}
		if !good {
			s.extra = append(s.extra, fmt.Sprintf("%s: value of %s %s", pt.Name, pt.Outs[o], differs(x, pt.Val[o])))
		}
	}
	s.truth.val = got // derived functions must give what the entry function gives
	return nil
}

// postName returns the name of an argument's leaf that an output stands for.
func postName(out string) string {
	part := ""
	for _, p := range []string{"Re_", "Im_"} {
		if rest, ok := strings.CutPrefix(out, p); ok {
			part, out = p, rest
		}
	}
	rest, ok := strings.CutPrefix(out, "post_")
	if !ok {
		return ""
	}
	return part + rest
}

// differs says how a number is wrong.
func differs(got, want float64) string {
	return fmt.Sprintf("is %.17g, want %.17g (off by %.3g)", got, want, got-want)
}

// equal reports whether two lists hold the same numbers, bit for bit but for NaNs
// and signs of zeros.
func equal(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return x == y || x != x && y != y })
}

// block returns the part of a vector over the leaves that belongs to a parameter.
func (s *site) block(v []float64, param int) []float64 {
	b, ok := s.leaves[param]
	if !ok || v == nil {
		return nil
	}
	return v[b.from:b.to]
}

// covered returns the outputs that a function differentiates.
func (s *site) covered(f *Func) []int {
	var list []int
	for _, o := range f.Of {
		if !o.Post {
			for k := s.outs[o.Index].from; k < s.outs[o.Index].to; k++ {
				list = append(list, k)
			}
			continue
		}
		for _, k := range s.posts[o.Index] {
			if k >= 0 {
				list = append(list, k)
			}
		}
	}
	return list
}
