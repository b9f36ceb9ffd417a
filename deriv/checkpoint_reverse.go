package deriv

import (
	"fmt"
	"go/token"
	"go/types"

	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// redoTrips undoes the loop o, whose forward sweep has taken snapshots.
func (s *reverseSweep) redoTrips(o *ssair.Op, st *loopState, carried []int) {
	k := st.check
	end := s.beginRedo(o, k, o.Args)
	later := s.laterRefs(o)
	if k.Snapshots > 0 {
		s.redoBinomial(o, k, carried, later)
	} else {
		s.redoBlocks(o, k, carried, later)
	}
	end()
}

// beginRedo keeps the memory that others see, and puts back what may have changed
// since the loop. What it returns puts the former in order again.
func (s *reverseSweep) beginRedo(o *ssair.Op, k *checkpoint, vs []*ssair.Value) (end func()) {
	var now []*copies
	for _, m := range []*keeper{k.mem, k.still} {
		m = m.seen(s.repeat)
		now = append(now, s.copyOf(m, s.refs(m, vs), "Final"))
	}
	k.entry.restore(s, k.entry.refs)
	return func() {
		for _, c := range now {
			c.restore(s, c.refs)
		}
	}
}

// redoBlocks builds the loop over the blocks of trips between two snapshots, from
// the last to the first: each is replayed with a tape and undone.
func (s *reverseSweep) redoBlocks(o *ssair.Op, k *checkpoint, carried []int, later map[int]*ssair.Value) {
	b := s.b
	l := s.reopen(k)
	q := b.Loop(b.Bin(token.SUB, b.Len(k.snaps), b.Int(1)))
	q.Note = fmt.Sprintf("Undo the loop at %s block by block: replay the trips behind a snapshot, then undo them.", s.where(o))
	s.counter(q, "block", token.GEQ, 0)
	s.in(q.BodyRegion(), func() {
		block := q.BodyRegion().Params[0]
		begin := named("begin", b.Bin(token.MUL, block, k.every))
		stop := named("end", b.Apply("min", []types.Type{ssair.Int}, b.Bin(token.ADD, begin, k.every), k.trips).Result())
		end := s.beginReplay(k, q)
		state, shadows := s.putBack(o, k, l, block)
		st := s.replayTrips(o, k, begin, stop, state, shadows, nil)
		s.replayed()
		s.handBack(o, later, func(i int) *ssair.Value { return s.sh[o.Results[i]] })
		s.setLater(o, later, func(i int) *ssair.Value { return shadows[i] })
		s.undoTrips(o, st, carried)
		end()
		b.Yield(block)
	})
}

// redoBinomial builds the loop over the trips, from the last to the first: each is
// reached from the snapshot before it, with new ones on the way, run again and undone.
func (s *reverseSweep) redoBinomial(o *ssair.Op, k *checkpoint, carried []int, later map[int]*ssair.Value) {
	b := s.b
	l := s.reopen(k)
	q := b.Loop(k.trips)
	q.Note = fmt.Sprintf("Undo the loop at %s trip by trip: replay those from the last snapshot up to it.", s.where(o))
	s.counter(q, "end", token.GTR, 0)
	s.in(q.BodyRegion(), func() {
		stop := q.BodyRegion().Params[0]
		last := b.Bin(token.SUB, stop, b.Int(1)) // the number of the trip
		end := s.beginReplay(k, q)
		top := b.Bin(token.SUB, b.Len(b.Load(l.snaps, nil)), b.Int(1))
		at := b.Load(b.Load(l.snaps, nil), k.field(tripField{}), top)
		state, shadows := s.putBack(o, k, l, top)
		next := b.Alloc(ssair.Int, &ssair.Var{Name: "next"})
		b.Store(next, nil, s.hop(k, l, at, stop))
		s.plain = true
		s.replayTrips(o, k, at, last, state, shadows, func(params []*ssair.Value, trip *ssair.Value) {
			s.when(b.Cmp(token.EQL, trip, b.Load(next, nil)), func() {
				s.take(o, k, l, params, trip)
				b.Store(next, nil, s.hop(k, l, trip, stop))
			})
		})
		s.plain = false
		s.b.Replay = k.number
		body := o.BodyRegion()
		before := map[int]*ssair.Value{}
		for i, p := range body.Params {
			r := o.Results[i]
			s.m[p] = s.m[r]
			if k.count != nil && i == k.count.Index {
				s.m[p] = s.tripVariable(o, k, last)
			}
			if s.shadowed(p) {
				s.sh[p] = s.sh[r]
				before[i] = s.sh[r]
			}
		}
		s.forwardRegion(body)
		s.replayed()
		term := body.Term()
		first := len(term.Args) - o.Carried()
		s.handBack(o, later, func(i int) *ssair.Value { return s.shadow(term.Args[first+i]) })
		s.setLater(o, later, func(i int) *ssair.Value { return before[i] })
		s.undoTrip(o, carried)
		end()
		// A snapshot before this trip has done its duty.
		snaps := b.Load(l.snaps, nil)
		top = b.Bin(token.SUB, b.Len(snaps), b.Int(1))
		s.when(b.Cmp(token.EQL, b.Load(snaps, k.field(tripField{}), top), last), func() {
			for _, t := range k.mem.sites {
				if c := l.banks[t]; c != nil {
					b.Store(c, nil, b.Slice(b.Load(c, nil), nil, b.Load(snaps, k.field(t), top), nil))
				}
			}
			b.Store(l.snaps, nil, b.Slice(snaps, nil, top, nil))
		})
		b.Yield(stop)
	})
}

func named(name string, v *ssair.Value) *ssair.Value {
	v.Var = &ssair.Var{Name: name}
	return v
}

// counter fills the condition and the post part of a loop over one variable that
// goes down while it compares with limit.
func (s *reverseSweep) counter(q *ssair.Op, name string, tok token.Token, limit int) {
	v := &ssair.Var{Name: name}
	q.Results[0].Var = v
	for _, r := range q.Regions {
		r.Params[0].Var = v
	}
	s.in(q.Cond(), func() { s.b.Yield(s.b.Cmp(tok, q.Cond().Params[0], s.b.Int(limit))) })
	s.in(q.Post(), func() { s.b.Yield(s.b.Bin(token.SUB, q.Post().Params[0], s.b.Int(1))) })
}

// tripVariable builds the value of the variable that counts the trips of o in the
// given trip.
func (s *reverseSweep) tripVariable(o *ssair.Op, k *checkpoint, trip *ssair.Value) *ssair.Value {
	init := s.m.Get(o.Args[k.count.Index])
	tok := token.ADD
	if k.count.Step < 0 {
		tok = token.SUB
	}
	trip = s.b.Conv(trip, init.Type)
	if n, ok := pass.ConstInt(init); ok && n == 0 && tok == token.ADD {
		return trip
	}
	return s.b.Bin(tok, init, trip)
}

// replayTrips builds a loop that runs the trips of o from number from up to number
// to, exclusive; before them o carries the given values. start, if it is not nil, adds to the start of the body;
// it gets the parameters of the body of o and the number of the trip.
func (s *reverseSweep) replayTrips(o *ssair.Op, k *checkpoint, from, to *ssair.Value, state, shadows map[int]*ssair.Value, start func([]*ssair.Value, *ssair.Value)) *loopState {
	b := s.b
	n := b.Bin(token.SUB, to, from)
	st := &loopState{trips: n}
	tok := token.LSS
	if k.count != nil {
		i := k.count.Index
		st.init = s.tripVariable(o, k, from)
		st.bound = s.tripVariable(o, k, to)
		if k.count.Step < 0 {
			tok = token.GTR
		}
		state[i] = st.init
		st.count = &pass.Count{Index: i, Step: k.count.Step}
	}
	var inits []*ssair.Value
	for i := range o.Results {
		inits = append(inits, state[i])
	}
	for i, r := range o.Results {
		if s.shadowed(r) {
			inits = append(inits, shadows[i])
		}
	}
	if k.count == nil {
		st.init, st.bound = b.Int(0), n
		st.count = &pass.Count{Index: len(inits), Step: 1}
		inits = append(inits, st.init)
	}
	c := b.Loop(inits...)
	st.copy = c
	if k.count == nil {
		v := &ssair.Var{Name: "t"}
		c.Results[st.count.Index].Var = v
		for _, r := range c.Regions {
			r.Params[st.count.Index].Var = v
		}
	}
	s.in(c.Cond(), func() { b.Yield(b.Cmp(tok, c.Cond().Params[st.count.Index], st.bound)) })
	for i, r := range o.Regions {
		s.bindLoop(o, r.Params, c.Regions[i].Params)
		if i == 0 {
			continue
		}
		s.in(c.Regions[i], func() {
			t := c.Regions[i].Params[st.count.Index]
			if i == 1 && start != nil {
				trip := b.Bin(token.ADD, from, t)
				if k.count != nil {
					trip = s.tripIndex(b, &loopState{count: k.count}, o, c)
				}
				start(r.Params, trip)
			}
			s.forwardRegion(r)
			y := r.Term()
			vs := s.give(o.Results, y.Args[len(y.Args)-o.Carried():])
			if k.count == nil {
				if i == 2 {
					t = b.Bin(token.ADD, t, b.Int(1))
				}
				vs = append(vs, t)
			}
			b.Yield(vs...)
		})
	}
	s.bindLoop(o, o.Results, c.Results)
	return st
}

// Memory that a trip allocates is another one when the trip is replayed, and so is
// its shadow. The adjoints that later trips have left in the shadow of the former go
// to that of the latter.

// laterRefs makes a cell for the shadow of each carried reference to memory that the
// loop o allocates. It holds the one that the trips behind those being undone used.
func (s *reverseSweep) laterRefs(o *ssair.Op) map[int]*ssair.Value {
	later := map[int]*ssair.Value{}
	for i, r := range o.Results {
		if !s.shadowed(r) || !s.allocates(o, r) {
			continue
		}
		later[i] = s.b.Alloc(r.Type, &ssair.Var{Name: "later" + upperFirst(s.adjointName(r.Name()))})
		s.b.Store(later[i], nil, s.shadow(r))
	}
	return later
}

// allocates reports whether v may refer to memory that a trip of o allocates.
func (s *reverseSweep) allocates(o *ssair.Op, v *ssair.Value) bool {
	for r := range s.act.al.Reach(s.act.al.Pts(v)) {
		if r.Alloc != nil && within(o, r.Alloc) {
			return true
		}
	}
	return false
}

func (s *reverseSweep) setLater(o *ssair.Op, later map[int]*ssair.Value, shadow func(int) *ssair.Value) {
	for i := range o.Results {
		if c := later[i]; c != nil {
			s.b.Store(c, nil, shadow(i))
		}
	}
}

// handBack hands the adjoints that later trips have left to the shadows of what the
// replayed trips yield.
func (s *reverseSweep) handBack(o *ssair.Op, later map[int]*ssair.Value, shadow func(int) *ssair.Value) {
	for i, r := range o.Results {
		if c := later[i]; c != nil {
			s.hand(r.Type, shadow(i), s.b.Load(c, nil), r, nil)
		}
	}
}

// hand hands over the adjoints that one shadow of the value v refers to.
func (s *reverseSweep) hand(t types.Type, to, from, v *ssair.Value, seen []types.Type) {
	if !ssair.RefersToScalar(t) {
		return
	}
	b := s.b
	for _, u := range seen {
		if types.Identical(u, t) {
			s.cannotHand(t, v)
		}
	}
	seen = append(seen, t)
	switch u := t.Underlying().(type) {
	case *types.Slice:
		switch {
		case s.repeat:
			if ssair.HoldsRef(u.Elem()) {
				s.cannotHand(t, v)
			}
			s.transfer(to, from, b.Len(from), u.Elem(), true)
		case !ssair.HoldsRef(u.Elem()):
			b.Op(ssair.Copy, []*ssair.Value{to, from}, ssair.Int)
		default:
			b.Each(b.Len(from), "i", func(i *ssair.Value) {
				s.handPlace(u.Elem(), spot{base: to}.elem(i), spot{base: from}.elem(i), v, seen)
			})
		}
	case *types.Pointer:
		if s.repeat {
			s.cannotHand(t, v)
		}
		s.when(b.Cmp(token.NEQ, from, b.Zero(from.Type)), func() {
			s.handPlace(u.Elem(), spot{base: to}, spot{base: from}, v, seen)
		})
	case *types.Struct:
		for i := range u.NumFields() {
			s.hand(u.Field(i).Type(), b.Extract(to, i), b.Extract(from, i), v, seen)
		}
	case *types.Array:
		for i := range int(u.Len()) {
			s.hand(u.Elem(), b.Extract(to, i), b.Extract(from, i), v, seen)
		}
	default:
		s.cannotHand(t, v)
	}
}

// handPlace hands over what is at a place of type t.
func (s *reverseSweep) handPlace(t types.Type, to, from spot, v *ssair.Value, seen []types.Type) {
	b := s.b
	if _, ok := t.Underlying().(*types.Struct); !ok && ssair.HoldsRef(t) {
		s.hand(t, to.load(b), from.load(b), v, seen)
		return
	}
	region := b.Region
	eachNumber(b, t, func(b *ssair.Builder, p []ssair.Step, idx []*ssair.Value) {
		x := b.Load(from.base, join(from.path, p), joinV(from.idx, idx)...)
		b.Store(to.base, join(to.path, p), x, joinV(to.idx, idx)...)
	})
	b.Region = region
	if u, ok := t.Underlying().(*types.Struct); ok {
		for i := range u.NumFields() {
			if f := u.Field(i).Type(); ssair.HoldsRef(f) {
				s.hand(f, to.field(i).load(b), from.field(i).load(b), v, seen)
			}
		}
	}
}

func (s *reverseSweep) cannotHand(t types.Type, v *ssair.Value) {
	refuse(posOf(v), "allocate it before the loop, or leave out quabla:checkpoint",
		"cannot replay this loop: it allocates memory for %s, of type %s, in every trip", v.Name(), types.TypeString(t, types.RelativeTo(s.t.mod.Pkg)))
}
