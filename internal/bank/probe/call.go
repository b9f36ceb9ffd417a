package probe

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/quabla/quabla/internal/leaves"
)

// Seeds are what one call of a derived function is given besides the arguments.
type Seeds struct {
	// W holds the weights of the outputs for the innermost reverse level.
	W []float64

	// Dirs holds, for each level but the innermost reverse one, a vector over the
	// leaves: the direction of a forward level, the cotangent of a reverse one.
	Dirs [][]float64
}

// garbage fills destinations before a call, which must overwrite it.
const garbage = 777.25

// firstReverse returns the innermost reverse level, or -1.
func (f *Func) firstReverse() int {
	for i, l := range f.Levels {
		if l.Reverse {
			return i
		}
	}
	return -1
}

// outer returns the outermost level that changes the slot, or -1.
func (s *Slot) outer() int {
	for i := len(s.Roles) - 1; i >= 0; i-- {
		if s.Roles[i] != Primal {
			return i
		}
	}
	return -1
}

// arguments returns the arguments of a call. Destinations come from earlier
// arguments, if there are any. Lanes are several seeds.
func (s *site) arguments(f *Func, seeds []Seeds, earlier []Val) ([]Val, error) {
	args, err := s.w.Args(s.index)
	if err != nil {
		return nil, err
	}
	out := make([]Val, len(f.Params))
	for i := range f.Params {
		slot := &f.Params[i]
		if slot.outer() < 0 && !slot.OfResult {
			out[i] = args[slot.Of]
			continue
		}
		if slot.top() == Matrix {
			continue // later
		}
		if earlier != nil && slot.top() == Adjoint && !slot.InOut {
			out[i] = earlier[i]
			continue
		}
		if out[i], err = s.seed(f, i, args, seeds); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// seed returns the argument for a parameter that a verb has added.
func (s *site) seed(f *Func, i int, args []Val, seeds []Seeds) (Val, error) {
	slot := &f.Params[i]
	first := f.firstReverse()
	k := slot.outer()
	plain := slot.plain(k)
	role := slot.Roles[k]
	sd := seeds[0]

	// The value is like that of the parameter or result it belongs to.
	var like Val
	if slot.OfResult {
		if s.results == nil {
			z, ok := s.w.ZeroResult(s.plan.Primal, slot.Of)
			if !ok {
				return nil, &UncheckedError{"the result has no shape"}
			}
			like = z
		} else {
			like = s.w.ZeroLike(s.results)[slot.Of]
		}
	} else {
		like = s.w.ZeroLike(args)[slot.Of]
		if after := s.after; after != nil && slot.InOut && role == Adjoint && !slot.below(k, Adjoint) && !slices.Equal(s.w.Names("", after[slot.Of]), s.w.Names("", like)) {
			like = s.w.ZeroLike(after)[slot.Of] // a map has other keys
		}
	}
	n := len(s.w.Leaves(like))

	// xs returns what to fill it with.
	xs := func(sd Seeds) []float64 {
		v := make([]float64, n)
		set := func(src []float64) []float64 {
			copy(v, src)
			return v
		}
		output := func() []float64 { // weights of the outputs
			if slot.OfResult {
				b := s.outs[slot.Of]
				if sd.W != nil {
					copy(v, sd.W[b.from:b.to])
				}
				return v
			}
			for j, o := range s.posts[slot.Of] {
				if o >= 0 && sd.W != nil && j < n {
					v[j] = sd.W[o]
				}
			}
			return v
		}
		fill := func() []float64 {
			for j := range v {
				v[j] = garbage
			}
			return v
		}
		switch role {
		case Tangent:
			if b, ok := s.leaves[slot.Of]; ok && plain && !slot.OfResult {
				return set(sd.Dirs[k][b.from:b.to])
			}
			return fill() // only written
		case Cotangent:
			if k == first {
				return output()
			}
			return set(s.block(sd.Dirs[k], slot.Of))
		case Adjoint:
			switch {
			case !slot.InOut && k == len(slot.Roles)-1:
				return fill()
			case k == first && (plain || !slot.below(k, Adjoint)):
				if s.isPost(slot.Of) {
					return output()
				}
				return fill()
			case !plain:
				return set(s.block(sd.Dirs[k], slot.Of))
			}
			return fill()
		}
		return v
	}
	if f.Lanes > 1 && role == Tangent {
		var lanes [][]float64
		for _, sd := range seeds {
			lanes = append(lanes, append([]float64(nil), xs(sd)...))
		}
		return s.w.Lanes(f.Name, i, like, lanes)
	}
	v := s.w.SetLeaves(like, xs(sd))
	if f.Name == "" { // it becomes a member of a batch
		return v, nil
	}
	return s.w.Fit(f.Name, i, v)
}

// below reports whether a level below k gives the slot a role.
func (s *Slot) below(k int, r Role) bool {
	for _, x := range s.Roles[:k] {
		if x == r {
			return true
		}
	}
	return false
}

func (s *site) isPost(param int) bool {
	_, ok := s.posts[param]
	return ok
}

// A reading is what a call gave for one slot, and what it should be.
type reading struct {
	slot   string
	order  int
	got    float64
	want   want
	entry  string // which number it is
	stateA string // of a slot compared as a whole
	stateB string
}

// read compares what a call returned with what is expected.
func (s *site) read(f *Func, seeds []Seeds, args, results []Val) []reading {
	var list []reading
	for i := range f.Results {
		slot := &f.Results[i]
		if i >= len(results) {
			break
		}
		if slot.Summed {
			continue
		}
		if slot.top() == Pullback {
			continue
		}
		xs := s.w.Leaves(results[i])
		if slot.outer() < 0 {
			if len(xs) == 0 && s.results != nil {
				list = append(list, reading{slot: slot.Name, stateA: s.w.State(results[i]), stateB: s.w.State(s.results[slot.Of])})
				continue
			}
			if !s.group.Result {
				continue
			}
		}
		list = append(list, s.readSlot(f, slot, seeds, results[i])...)
	}
	for i := range f.Params {
		slot := &f.Params[i]
		k := slot.outer()
		if slot.Summed {
			continue
		}
		if k < 0 {
			list = append(list, reading{slot: slot.Name, stateA: s.w.State(args[i]), stateB: s.states[slot.Of]})
			continue
		}
		switch role := slot.Roles[k]; {
		case role == Adjoint && slot.plain(k):
			if _, ok := s.leaves[slot.Of]; !ok {
				continue // the cotangent of an output that is not differentiated by
			}
		case role == Tangent && slot.plain(k):
			if !s.outputOf(f, slot.Of) {
				if s.changed[slot.Of] || f.Lanes > 1 {
					continue
				}
				if b, ok := s.leaves[slot.Of]; ok {
					// the tangent of what is not changed is not changed
					for j, x := range s.w.Leaves(args[i]) {
						list = append(list, reading{
							slot: slot.Name, order: 1, got: x, want: want{x: seeds[0].Dirs[k][b.from+j], ok: true},
							entry: fmt.Sprintf("the tangent passed in, entry %d,", j),
						})
					}
				}
				continue
			}
		case role == Tangent && slot.below(k, Adjoint):
			if _, ok := s.leaves[slot.Of]; !ok {
				continue
			}
		default:
			continue
		}
		list = append(list, s.readSlot(f, slot, seeds, args[i])...)
	}
	return list
}

// outputOf reports whether the state of a parameter is an output of the function.
func (s *site) outputOf(f *Func, param int) bool {
	for _, o := range f.Of {
		if o.Post && o.Index == param {
			return true
		}
	}
	return false
}

// readSlot compares the leaves of what a slot holds.
func (s *site) readSlot(f *Func, slot *Slot, seeds []Seeds, v Val) []reading {
	set := slot.levels()
	lanes := 1
	xs := s.w.Leaves(v)
	if f.Lanes > 1 && set != 0 {
		lanes = f.Lanes
		xs = pick(xs, leaves.LaneOrder(s.w.Names("", v), lanes))
	}
	open := false
	for l := range f.Levels {
		open = open || set>>l&1 != 0 && f.Levels[l].Reverse
	}
	var list []reading
	var at []int // outputs or leaves that the numbers belong to
	switch {
	case open:
		b := s.leaves[slot.Of]
		for j := b.from; j < b.to; j++ {
			at = append(at, j)
		}
	case slot.OfResult:
		b := s.outs[slot.Of]
		for j := b.from; j < b.to; j++ {
			at = append(at, j)
		}
	default:
		at = s.posts[slot.Of]
	}
	if len(xs) != len(at)*lanes {
		return []reading{{slot: slot.Name, stateA: fmt.Sprintf("%d numbers", len(xs)), stateB: fmt.Sprintf("%d numbers", len(at)*lanes)}}
	}
	for j, a := range at {
		if a < 0 {
			continue
		}
		for lane := range lanes {
			sd := seeds[lane]
			var dirs [][]float64
			first := f.firstReverse()
			for l := range f.Levels {
				if set>>l&1 != 0 && l != first {
					dirs = append(dirs, sd.Dirs[l])
				}
			}
			r := reading{slot: slot.Name, order: bits.OnesCount(set), got: xs[j*lanes+lane]}
			if open {
				r.want = s.truth.contract(sd.W, append(dirs, oneHot(s.n, a)))
				r.entry = fmt.Sprintf("by %s", s.pt.Leaves[a])
			} else {
				r.want = s.truth.contract(oneHot(s.m, a), dirs)
				r.entry = fmt.Sprintf("of %s", s.pt.Outs[a])
			}
			if r.want.pure {
				r.entry = s.entryName(r.want)
			}
			if lanes > 1 {
				r.entry += fmt.Sprintf(" lane %d", lane)
			}
			list = append(list, r)
		}
	}
	return list
}

// pick returns the numbers at some places.
func pick(xs []float64, places []int) []float64 {
	out := make([]float64, len(places))
	for i, p := range places {
		out[i] = xs[p]
	}
	return out
}

// entryName names one entry of the truth.
func (s *site) entryName(w want) string {
	name := s.pt.Outs[w.out]
	for _, i := range w.by {
		name += " " + s.pt.Leaves[i]
	}
	return [...]string{"value of ", "jac ", "hess "}[min(len(w.by), 2)] + name
}
