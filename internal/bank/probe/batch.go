package probe

import (
	"errors"
	"fmt"
	"slices"
)

// A Batch says where a batched form has what one call of its function takes and
// gives. The nest that the form stands for may have its vmap anywhere: for each
// member it computes what the nest without vmap does.
type Batch struct {
	Member  *Func
	Params  []BatchSlot // of the batched form
	Results []BatchSlot
}

// A BatchSlot is what a parameter or result of a batched form is for a member.
type BatchSlot struct {
	Index  int  // among the parameters of Member, or among its results
	Result bool // it is a destination for results
	Shared bool // it has no batch axis
	Sum    bool // it is the sum over the members
	Error  bool // an error, which must be nil
}

// batch checks a batched form on all points of a group at once.
func (c *Checker) batch(f *Func, group int) {
	b := f.Batch
	var sites []*site
	var panics *site
	var want *PanicError
	for _, i := range c.Plan.Groups[group].Points {
		s, err := newSite(c.World, c.Plan, i, &c.Plan.Groups[group])
		var pan *PanicError
		switch {
		case errors.As(err, &pan) && s == nil && c.Plan.Case.Points[i].Panics:
			panics, want = bare(c.World, c.Plan, i, &c.Plan.Groups[group]), pan
		case err != nil || s.fails():
			// The point by itself tells what is wrong; a member with an error ends a batch.
		default:
			if t := c.truths[i]; t != nil {
				s.truth = t
			}
			sites = append(sites, s)
		}
	}
	var seeds [][]Seeds
	kept := sites[:0]
	for _, s := range sites {
		sd := []Seeds{{}}
		if f.Order() > 0 {
			list := c.seeds(s, b.Member)
			if len(list) == 0 {
				continue
			}
			sd = list[len(list)-1]
		}
		kept, seeds = append(kept, s), append(seeds, sd)
	}
	sites = kept
	if len(sites) == 0 {
		return
	}
	b.share(sites, seeds)
	for _, n := range []int{len(sites), 0, 1} {
		if !c.batchCall(f, sites[:n], sites[0], seeds) {
			return
		}
	}
	if panics != nil && f.Order() == 0 {
		panics.results = sites[0].results
		c.batchPanic(f, append(sites[:len(sites):len(sites)], panics), append(seeds, []Seeds{{}}), want)
	}
}

// bare returns a site for a point whose function panics.
func bare(w World, plan *CasePlan, i int, group *Group) *site {
	return &site{
		w: w, plan: plan, pt: plan.Case.Points[i], index: i, group: group, truth: newTruth(plan.Case.Points[i]),
		leaves: map[int]span{}, outs: map[int]span{}, posts: map[int][]int{},
	}
}

// fails reports whether the function returned an error at the point.
func (s *site) fails() bool {
	return slices.ContainsFunc(s.results, func(v Val) bool { return s.w.Failed(v) })
}

// share gives all members the same seeds for what they share.
func (b *Batch) share(sites []*site, seeds [][]Seeds) {
	for _, p := range b.Params {
		if !p.Shared || p.Result {
			continue
		}
		slot := &b.Member.Params[p.Index]
		if slot.outer() < 0 || slot.OfResult {
			continue
		}
		from, ok := sites[0].leaves[slot.Of]
		for k := 1; ok && k < len(sites); k++ {
			to := sites[k].leaves[slot.Of]
			for lane := range seeds[k] {
				for l, d := range seeds[k][lane].Dirs {
					if d != nil {
						copy(d[to.from:to.to], seeds[0][lane].Dirs[l][from.from:from.to])
					}
				}
			}
		}
	}
}

// batchCall makes one call for the members at sites and compares. What they share
// comes from first.
func (c *Checker) batchCall(f *Func, sites []*site, first *site, seeds [][]Seeds) bool {
	b := f.Batch
	where := fmt.Sprintf("batch of %d", len(sites))
	args, err := b.arguments(f, sites, first, seeds)
	if c.problem(f.Mode, where, err) {
		return false
	}
	results, err := c.World.Call(f.Name, args)
	if c.problem(f.Mode, where, err) {
		return false
	}
	for i, p := range b.Results {
		if p.Error && c.World.Failed(results[i]) {
			c.fail(f.Mode, "%s: returns the error %s", where, c.World.State(results[i]))
			return false
		}
	}
	memberArgs := make([][]Val, len(sites))
	memberResults := make([][]Val, len(sites))
	for k := range sites {
		memberArgs[k] = make([]Val, len(b.Member.Params))
		memberResults[k] = make([]Val, len(b.Member.Results))
	}
	take := func(p BatchSlot, v Val) {
		parts := make([]Val, len(sites))
		if p.Shared {
			for k := range parts {
				parts[k] = v
			}
		} else {
			parts = c.World.Members(v)
		}
		if len(parts) != len(sites) {
			c.fail(f.Mode, "%s: %d members come back", where, len(parts))
			return
		}
		for k := range parts {
			if p.Result {
				memberResults[k][p.Index] = parts[k]
			} else {
				memberArgs[k][p.Index] = parts[k]
			}
		}
	}
	for i, p := range b.Params {
		take(p, args[i])
	}
	for i, p := range b.Results {
		if !p.Error {
			take(p, results[i])
		}
	}
	for k, s := range sites {
		c.compare(s, b.Member, fmt.Sprintf("%s, member %d: ", where, k), s.read(b.Member, seeds[k], memberArgs[k], memberResults[k]))
	}
	if len(sites) > 0 {
		c.sums(f, where, sites, seeds, memberArgs, memberResults)
	}
	return true
}

// sums compares what is the sum over the members.
func (c *Checker) sums(f *Func, where string, sites []*site, seeds [][]Seeds, args, results [][]Val) {
	b := f.Batch
	for _, p := range slices.Concat(b.Params, b.Results) {
		if !p.Sum {
			continue
		}
		slots, vals := b.Member.Params, args
		if p.Result {
			slots, vals = b.Member.Results, results
		}
		slot := &slots[p.Index]
		if _, ok := sites[0].leaves[slot.Of]; !ok {
			continue
		}
		total := sites[0].readSlot(b.Member, slot, seeds[0], vals[0][p.Index])
		for k, s := range sites[1:] {
			for j, r := range s.readSlot(b.Member, slot, seeds[k+1], vals[k+1][p.Index]) {
				w := &total[j].want
				w.x, w.scale, w.ok, w.pure = w.x+r.want.x, w.scale+r.want.scale, w.ok && r.want.ok, false
			}
		}
		if len(sites) > 1 {
			for j := range total {
				total[j].want.pure = false
			}
		}
		c.compare(sites[0], b.Member, where+", sum: ", total)
	}
}

// arguments returns the arguments for a batch.
func (b *Batch) arguments(f *Func, sites []*site, first *site, seeds [][]Seeds) ([]Val, error) {
	one := func(s *site, sd []Seeds) (args, results []Val, err error) {
		if args, err = s.arguments(b.Member, sd, nil); err != nil {
			return nil, nil, err
		}
		fresh, err := s.w.Args(s.index)
		if err != nil {
			return nil, nil, err
		}
		for _, slot := range b.Member.Results {
			like := s.w.ZeroLike(fresh)
			if slot.OfResult {
				like = s.w.ZeroLike(s.results)
			}
			v := like[slot.Of]
			xs := s.w.Leaves(v)
			for j := range xs {
				xs[j] = garbage
			}
			results = append(results, s.w.SetLeaves(v, xs))
		}
		return args, results, nil
	}
	args, results := make([][]Val, len(sites)), make([][]Val, len(sites))
	for k, s := range sites {
		var err error
		if args[k], results[k], err = one(s, seeds[k]); err != nil {
			return nil, err
		}
	}
	shared, _, err := one(first, seeds[0])
	if err != nil {
		return nil, err
	}
	out := make([]Val, len(b.Params))
	for i, p := range b.Params {
		if p.Shared {
			if out[i], err = first.w.Fit(f.Name, i, shared[p.Index]); err != nil {
				return nil, err
			}
			continue
		}
		parts := make([]Val, len(sites))
		for k := range sites {
			if p.Result {
				parts[k] = results[k][p.Index]
			} else {
				parts[k] = args[k][p.Index]
			}
		}
		if out[i], err = first.w.Batch(f.Name, i, parts); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// batchPanic checks that a batch panics as its last member does.
func (c *Checker) batchPanic(f *Func, sites []*site, seeds [][]Seeds, want *PanicError) {
	args, err := f.Batch.arguments(f, sites, sites[0], seeds)
	if err != nil {
		return
	}
	_, err = c.World.Call(f.Name, args)
	var pan *PanicError
	switch {
	case errors.As(err, &pan):
		c.checked[f.Mode]++
		if pan.Text != want.Text {
			c.fail(f.Mode, "the batch panics with %q, want %q", pan.Text, want.Text)
		}
	case err == nil:
		c.fail(f.Mode, "the batch does not panic, want %q", want.Text)
	default:
		c.problem(f.Mode, "batch", err)
	}
}
