package deriv

import (
	"go/constant"
	"go/token"
	"go/types"

	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

var oneVal = constant.MakeInt64(1)

// loopState is what the reverse sweep knows of a loop of the forward sweep.
type loopState struct {
	copy  *ssair.Op // the loop in the forward sweep
	count *pass.Count
	// trips is the number of trips, as a value of the region around the loop.
	trips *ssair.Value
	fused bool
	// init and bound, for a loop that replays trips, take the place of those of
	// the loop in f; check says what a loop keeps whose trips are replayed.
	init, bound *ssair.Value
	check       *checkpoint
}

// first returns the first value of the variable that counts the trips of o.
func (s *reverseSweep) first(st *loopState, o *ssair.Op) *ssair.Value {
	if st.init != nil {
		return st.init
	}
	return s.m.Get(o.Args[st.count.Index])
}

// forwardLoop copies a loop for the forward sweep. Shadows of carried
// references are carried too.
func (s *reverseSweep) forwardLoop(o *ssair.Op) {
	if !s.active(o) {
		// Nothing to undo: copy it as it is.
		s.ops[o] = s.b.CloneOp(o, s.m)
		return
	}
	switch check := o.Loop.Checkpoint; {
	case check != nil && s.plain && check.Once:
		s.runOnce(o)
	case check == nil || s.plain || o.BodyRegion().Term().Kind != ssair.Yield:
		if s.plain || !s.fused(o) {
			s.copyLoop(o, &loopState{count: counted(o)}, nil)
		}
	case check.Once:
		s.keepOnce(o)
	default:
		if !s.fused(o) {
			s.keepStates(o)
		}
	}
}

// counted returns how the trips of o are counted, if their number can be computed
// from the bounds, or nil.
func counted(o *ssair.Op) *pass.Count {
	c := pass.Counted(o)
	if c == nil {
		return nil
	}
	t := o.Results[c.Index].Type
	if pass.Wide(t) {
		return c
	}
	// The bounds are converted to int. One that does not fit there must not be
	// the lower one.
	b, _ := t.Underlying().(*types.Basic)
	switch b.Kind() {
	case types.Int8, types.Int16, types.Uint8, types.Uint16, types.Uint32:
		return c
	}
	lo := o.Args[c.Index]
	if c.Step < 0 {
		lo = c.Bound
	}
	if _, ok := pass.ConstInt(lo); ok {
		return c
	}
	return nil
}

// copyLoop copies a loop with the shadows of what it carries. start, if it is not
// nil, adds to the start of the body; it gets the number of trips that were made.
func (s *reverseSweep) copyLoop(o *ssair.Op, st *loopState, start func(trip func() *ssair.Value)) {
	n := o.Carried()
	var inits []*ssair.Value
	inits = append(inits, s.give(o.Results, o.Args[:n])...)
	counter := -1
	if st.count == nil || o.Loop.Break {
		counter = len(inits)
		inits = append(inits, s.b.Int(0))
	}
	c := s.b.Loop(inits...)
	*c.Loop = *o.Loop
	c.Loop.Checkpoint = nil
	st.copy = c
	s.loops[o], s.ops[o] = st, c
	for _, v := range o.Args[n:] {
		c.Args = append(c.Args, s.m.Get(v))
	}
	tripsVar := &ssair.Var{Name: "trips"}
	if counter >= 0 {
		for _, r := range c.Regions {
			r.Params[counter].Var = tripsVar
		}
	}
	for i, r := range o.Regions {
		s.bindLoop(o, r.Params, c.Regions[i].Params)
		s.in(c.Regions[i], func() {
			if i == 0 {
				for _, x := range r.Ops {
					s.b.CloneOp(x, s.m)
				}
				return
			}
			if i == 1 && start != nil {
				start(func() *ssair.Value {
					if counter >= 0 {
						return c.BodyRegion().Params[counter]
					}
					return s.tripIndex(s.b, st, o, c)
				})
			}
			s.forwardRegion(r)
			t := r.Term()
			if t.Kind == ssair.Unreachable {
				s.b.CloneOp(t, s.m)
				return
			}
			vs := s.give(o.Results, t.Args)
			if counter >= 0 {
				p := c.Regions[i].Params[counter]
				if i == 1 {
					q := s.b.Bin(token.ADD, p, s.b.Int(1))
					q.Var = tripsVar
					p = q
				}
				vs = append(vs, p)
			}
			s.b.Yield(vs...)
		})
	}
	s.bindLoop(o, o.Results, c.Results)
	if counter >= 0 {
		st.trips = c.Results[counter]
		st.trips.Var = tripsVar
	}
}

// bindLoop records that to holds the copies of the carried values from of loop
// o, followed by the shadows of those that have one.
func (s *reverseSweep) bindLoop(o *ssair.Op, from, to []*ssair.Value) {
	for k, v := range from {
		s.m[v] = to[k]
		to[k].Var = v.Var
	}
	rest := to[o.Carried():]
	for _, v := range from {
		if s.shadowed(v) {
			s.setShadow(v, rest[0])
			rest = rest[1:]
		}
	}
}

// active reports whether a loop or if has anything that the reverse sweep
// undoes, or shadows that the forward sweep builds.
func (s *reverseSweep) active(o *ssair.Op) bool {
	found := false
	check := func(v *ssair.Value) {
		if v != nil && (s.act.value(v) || s.shadowed(v)) {
			found = true
		}
	}
	for _, v := range o.Results {
		check(v)
	}
	for _, r := range o.Regions {
		for _, p := range r.Params {
			check(p)
		}
		r.Walk(func(x *ssair.Op) bool {
			for _, v := range x.Results {
				check(v)
			}
			switch x.Kind {
			case ssair.Store, ssair.Accum, ssair.Copy, ssair.Clear, ssair.ClearAll, ssair.Append, ssair.AppendSlice, ssair.MapSet, ssair.MapDelete:
				if s.act.ref(x.Args[0]) {
					found = true
				}
			case ssair.Call: // what it changes it may change through its arguments
				for _, v := range x.Args {
					check(v)
				}
			}
			return !found
		})
	}
	return found
}

// reverseIf undoes an if: the arm that ran is undone.
func (s *reverseSweep) reverseIf(o *ssair.Op) {
	c := s.ops[o]
	q := s.b.If(c.Args[0])
	for i, r := range o.Regions {
		s.home[r] = q.Regions[i]
		s.in(q.Regions[i], func() {
			if t := r.Term(); t.Kind == ssair.Yield {
				for k, v := range t.Args {
					s.flow(o.Results[k], v)
				}
				s.reverseRegion(r)
			}
			s.b.Yield()
		})
	}
	if !effective(q) {
		q.Remove()
		return
	}
	for i := range o.Regions {
		s.exportIf(c, c.Regions[i], q.Regions[i])
	}
}

// flow adds the adjoint of to, a result of a region, to that of from, which
// the region yields for it.
func (s *reverseSweep) flow(to, from *ssair.Value) {
	c, ok := s.adj[to]
	if !ok || !s.act.value(from) {
		return
	}
	if ssair.IsScalar(from.Type) {
		s.add(from, s.b.Load(c, nil))
		return
	}
	s.move(from.Type, s.cell(from), nil, nil, c, nil, nil, false)
}

// effective reports whether the regions of o do anything.
func effective(o *ssair.Op) bool {
	for _, r := range o.Regions {
		found := false
		r.Walk(func(x *ssair.Op) bool {
			switch x.Kind {
			case ssair.Store, ssair.Accum, ssair.Clear, ssair.ClearAll, ssair.Copy, ssair.MapSet, ssair.MapDelete, ssair.Call:
				found = true
			}
			return !found
		})
		if found {
			return true
		}
	}
	return false
}

// reverseLoop undoes a loop trip by trip, from the last to the first.
//
// The adjoints of the results are collected in cells; in each trip the cell of
// a result holds the adjoint of what the trip yields on entry and that of what
// it was given on exit.
func (s *reverseSweep) reverseLoop(o *ssair.Op) {
	st := s.loops[o]
	if st == nil {
		return
	}
	if st.fused {
		for k, r := range o.Results {
			if _, ok := s.adj[r]; ok && s.act.value(r) {
				s.flowInit(o, k)
			}
		}
		return
	}
	if o.BodyRegion().Term().Kind != ssair.Yield {
		return // it is never left
	}
	// Cells of all active carried values, made in the region around the loop.
	var carried []int
	for k, r := range o.Results {
		if s.act.value(r) {
			s.cell(r)
			carried = append(carried, k)
		}
	}
	switch check := st.check; {
	case check == nil:
		s.undoTrips(o, st, carried)
	case check.Once:
		s.redoOnce(o, check, carried)
	default:
		s.redoTrips(o, st, carried)
	}
	for _, k := range carried {
		s.flowInit(o, k)
	}
}

// undoTrips builds the loop that undoes the trips of o and reports whether it does
// anything. carried are the carried values with adjoints.
func (s *reverseSweep) undoTrips(o *ssair.Op, st *loopState, carried []int) bool {
	q, index := s.countdown(st, o)
	s.in(q.BodyRegion(), func() {
		s.undoTrip(o, carried)
		q.BodyRegion().Ops = append(q.BodyRegion().Ops, q.yield)
		q.yield.Parent = q.BodyRegion()
	})
	if !effective(q.Op) {
		q.Op.Remove()
		return false
	}
	s.exportLoop(o, st, st.copy, q, index)
	return true
}

// undoTrip undoes one trip of o in the region that is being built.
func (s *reverseSweep) undoTrip(o *ssair.Op, carried []int) {
	body := o.BodyRegion()
	term := body.Term()
	first := len(term.Args) - o.Carried()
	s.home[body] = s.b.Region
	for _, k := range carried {
		y := term.Args[first+k]
		cell := s.adj[o.Results[k]]
		if !s.act.value(y) {
			s.zero(cell)
			continue
		}
		if ssair.IsScalar(y.Type) {
			bar := s.b.Load(cell, nil)
			s.zero(cell)
			s.add(y, bar)
		} else {
			s.move(y.Type, s.cell(y), nil, nil, cell, nil, nil, true)
		}
	}
	s.reverseRegion(body)
	for _, k := range carried {
		p := body.Params[k]
		if pc, ok := s.adj[p]; ok {
			s.move(p.Type, s.adj[o.Results[k]], nil, nil, pc, nil, nil, false)
		}
	}
}

// flowInit adds what is left in the cell of carried value k to the adjoint of
// its initial value.
func (s *reverseSweep) flowInit(o *ssair.Op, k int) {
	init := o.Args[k]
	if !s.act.value(init) {
		return
	}
	cell := s.adj[o.Results[k]]
	if ssair.IsScalar(init.Type) {
		s.add(init, s.b.Load(cell, nil))
		return
	}
	s.move(init.Type, s.cell(init), nil, nil, cell, nil, nil, false)
}

func (s *reverseSweep) zero(cell *ssair.Value) {
	region := s.b.Region
	eachNumber(s.b, ssair.Deref(cell.Type), func(b *ssair.Builder, p []ssair.Step, idx []*ssair.Value) {
		b.Store(cell, p, b.Zero(ssair.PlaceType(cell.Type, p)), idx...)
	})
	s.b.Region = region
}

// reverseFor is a loop of the reverse sweep. Its body is ended by yield.
type reverseFor struct {
	*ssair.Op
	yield *ssair.Op
}

// countdown builds the reverse loop. For a counted loop its variable takes the
// values of the primal's from the last to the first; otherwise it counts the
// trips. It returns the loop and the number of the trip inside its body, from
// 0.
func (s *reverseSweep) countdown(st *loopState, o *ssair.Op) (reverseFor, func() *ssair.Value) {
	b := s.b
	cnt := st.count
	if cnt != nil && !st.copy.Loop.Break && (cnt.Step == 1 || cnt.Step == -1) && pass.Wide(s.first(st, o).Type) {
		init := s.first(st, o)
		t := init.Type
		one := func() *ssair.Value { return b.Const(oneVal, t) }
		var start *ssair.Value // the last value of the variable
		bound := s.bound(st)
		v := st.copy.Results[cnt.Index].Var
		tok, step := token.GEQ, token.SUB
		if cnt.Step == 1 {
			start = bound
			if !cnt.Closed {
				start = b.Bin(token.SUB, bound, one())
			}
		} else {
			start = bound
			if !cnt.Closed {
				start = b.Bin(token.ADD, bound, one())
			}
			tok, step = token.LEQ, token.ADD
		}
		q := b.Loop(start)
		q.Loop.Down = cnt.Step == 1
		if st.copy.Loop.Form == ssair.RangeSlice && visible(st.copy.Args[st.copy.Carried():], b.Region) {
			// If the trips may run in any order, they range over the same slice.
			q.Loop.Form = ssair.RangeSlice
			q.Args = append(q.Args, st.copy.Args[st.copy.Carried():]...)
		}
		q.Results[0].Var = v
		for _, r := range q.Regions {
			r.Params[0].Var = v
		}
		s.in(q.Cond(), func() { b.Yield(b.Cmp(tok, q.Cond().Params[0], init)) })
		i := q.BodyRegion().Params[0]
		s.in(q.Post(), func() { b.Yield(b.Bin(step, q.Post().Params[0], one())) })
		index := func() *ssair.Value {
			if n, ok := pass.ConstInt(init); ok && n == 0 && cnt.Step == 1 {
				return b.Conv(i, ssair.Int)
			}
			if cnt.Step == 1 {
				return b.Conv(b.Bin(token.SUB, i, init), ssair.Int)
			}
			return b.Conv(b.Bin(token.SUB, init, i), ssair.Int)
		}
		// The variable of the primal loop is known without saving it.
		s.known[st.copy.BodyRegion().Params[cnt.Index]] = i
		return reverseFor{q, yieldOp(i)}, index
	}
	if st.trips == nil {
		st.trips = s.tripCount(st, o)
	}
	v := &ssair.Var{Name: "t"}
	start := b.Bin(token.SUB, st.trips, b.Int(1))
	q := b.Loop(start)
	q.Loop.Down = true
	q.Results[0].Var = v
	for _, r := range q.Regions {
		r.Params[0].Var = v
	}
	s.in(q.Cond(), func() { b.Yield(b.Cmp(token.GEQ, q.Cond().Params[0], b.Int(0))) })
	i := q.BodyRegion().Params[0]
	s.in(q.Post(), func() { b.Yield(b.Bin(token.SUB, q.Post().Params[0], b.Int(1))) })
	if cnt != nil {
		s.in(q.BodyRegion(), func() {
			// i = init + step*t
			init := s.m.Get(o.Args[cnt.Index])
			x := b.Conv(i, init.Type)
			switch {
			case cnt.Step == -1:
				x = b.Bin(token.SUB, init, x)
			case cnt.Step != 1:
				x = b.Bin(token.MUL, x, b.Const(constant.MakeInt64(cnt.Step), init.Type))
				fallthrough
			default:
				x = b.Bin(token.ADD, init, x)
			}
			s.known[st.copy.BodyRegion().Params[cnt.Index]] = x
		})
		for _, x := range q.BodyRegion().Ops {
			s.front[x] = true
		}
	}
	return reverseFor{q, yieldOp(i)}, func() *ssair.Value { return i }
}

func yieldOp(v *ssair.Value) *ssair.Op {
	return &ssair.Op{Kind: ssair.Yield, Args: []*ssair.Value{v}}
}

// bound returns the bound of a counted loop in terms of its variable.
func (s *reverseSweep) bound(st *loopState) *ssair.Value {
	if st.bound != nil {
		return st.bound
	}
	c := st.count
	v := s.m.Get(c.Bound)
	if d := c.Bound.Def; d != nil && d.Kind == ssair.Const {
		v = s.b.CloneOp(d, ssair.ValueMap{}).Result()
	}
	if c.Offset == 0 {
		return v
	}
	// variable + offset < bound
	return s.b.Bin(token.SUB, v, s.b.Const(constant.MakeInt64(c.Offset), v.Type))
}

// tripCount computes the number of trips of a counted loop without breaks.
func (s *reverseSweep) tripCount(st *loopState, o *ssair.Op) *ssair.Value {
	return st.count.Trips(s.b, s.first(st, o), s.bound(st))
}

// visible reports whether code in r can refer to vs.
func visible(vs []*ssair.Value, r *ssair.Region) bool {
	for _, v := range vs {
		if d := v.Region(); d == nil || !d.Contains(r) {
			return false
		}
	}
	return true
}
