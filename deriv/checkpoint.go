package deriv

import (
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"

	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// A checkpointed loop keeps no tape in the forward sweep. At some trips it takes a
// snapshot of its state: of what it carries, and of the memory that it changes and
// reads. The reverse sweep puts a snapshot back, runs the trips from there to the
// next one again, now with a tape, and undoes them. Memory is put back in its place,
// so that everybody who refers to it sees it; in the end it holds what the forward
// sweep left there.
//
// The snapshots are either as far apart as they are many, or follow the binomial
// schedule of Griewank and Walther for a fixed number of them (see rt.Revolve). The
// body of a checkpointed function is such a loop of one trip.

// shortLoop is the number of trips up to which a loop is one block.
const shortLoop = 16

// A checkpoint is what the forward sweep keeps of a loop whose trips are replayed.
type checkpoint struct {
	ssair.Checkpoint
	number int
	// count says how the trips are counted if their variable goes up or down by
	// one: then no snapshot has to hold it.
	count *pass.Count
	state []int   // the carried values that a snapshot holds
	mem   *keeper // memory that the loop changes, in every snapshot
	still *keeper // memory that others may change after the loop
	// own holds copies of memory of the latter kind that a replay reads instead, so
	// that memory of the caller that the function only reads is never written.
	own map[*ssair.Value]*ssair.Value
	// skip holds the writes to memory that the loop never reads: a replay leaves
	// them out.
	skip map[*ssair.Op]bool

	record *types.Named
	fields map[any]int // of the record, by what they hold
	entry  *copies     // of still, and for a function of mem

	// Values of the forward sweep.
	snaps, trips, every *ssair.Value
	banks               map[*site]*ssair.Value
}

// What a field of a snapshot holds besides the contents of a site: a carried value,
// or its shadow.
type (
	stateField  int
	shadowField int
	tripField   struct{}
)

// newCheckpoint plans what is kept of the loop o.
func (s *reverseSweep) newCheckpoint(o *ssair.Op) *checkpoint {
	s.replayable(o)
	s.t.replays++
	k := &checkpoint{Checkpoint: *o.Loop.Checkpoint, number: s.t.replays, fields: map[any]int{}, banks: map[*site]*ssair.Value{}, own: map[*ssair.Value]*ssair.Value{}}
	if c := counted(o); c != nil && (c.Step == 1 || c.Step == -1) && pass.Wide(o.Results[c.Index].Type) {
		k.count = c
	}
	for i := range o.Results {
		if k.count == nil || i != k.count.Index {
			k.state = append(k.state, i)
		}
	}
	s.planMemory(o, k)
	return k
}

// where names the place of o in comments.
func (s *reverseSweep) where(o *ssair.Op) string {
	if fset := s.t.mod.Fset; fset != nil && o.Pos.IsValid() {
		at := fset.Position(o.Pos)
		return fmt.Sprintf("%s:%d", filepath.Base(at.Filename), at.Line)
	}
	return "the source"
}

// makeRecord makes the type of a snapshot of the loop o.
func (s *reverseSweep) makeRecord(o *ssair.Op, k *checkpoint) {
	var vs []*ssair.Value
	add := func(key any, t types.Type, v *ssair.Var) {
		k.fields[key] = len(vs)
		vs = append(vs, &ssair.Value{Type: t, Var: v})
	}
	if k.Snapshots > 0 {
		add(tripField{}, ssair.Int, &ssair.Var{Name: "trip"})
	}
	for _, i := range k.state {
		r := o.Results[i]
		add(stateField(i), r.Type, r.Var)
		if s.shadowed(r) {
			add(shadowField(i), r.Type, s.shadowVar(r.Var))
		}
	}
	for _, t := range k.mem.sites {
		if t.value() {
			add(t, t.elem, &ssair.Var{Name: t.name})
		} else {
			add(t, ssair.Int, &ssair.Var{Name: t.name + "At"})
		}
	}
	doc := fmt.Sprintf("holds the state of the loop at %s before a trip.", s.where(o))
	k.record = s.t.mod.AddType(s.t.typePrefix(s.g)+"Snapshot", doc, token.NoPos)
	k.record.SetUnderlying(types.NewStruct(recordFields(s.t.mod.Pkg, vs), nil))
}

// field is the path to a field of the snapshot with a number.
func (k *checkpoint) field(key any) []ssair.Step {
	return []ssair.Step{ssair.Elem, ssair.Field(k.fields[key])}
}

// A list is where snapshots are while they come and go: cells with the slice of the
// snapshots and with the banks of their memory.
type list struct {
	snaps *ssair.Value
	banks map[*site]*ssair.Value
}

// newList makes an empty list.
func (s *reverseSweep) newList(k *checkpoint) *list {
	l := &list{banks: map[*site]*ssair.Value{}}
	empty := func(elem types.Type, name string) *ssair.Value {
		t := types.NewSlice(elem)
		c := s.b.Alloc(t, &ssair.Var{Name: name})
		z := s.b.Zero(t)
		z.Def.Text = tapeMark
		z.Var = c.Var
		s.b.Store(c, nil, z)
		return c
	}
	l.snaps = empty(k.record, "snaps")
	for _, t := range k.mem.sites {
		if !t.value() {
			l.banks[t] = empty(t.elem, t.name+"Saved")
		}
	}
	return l
}

// reopen makes a list of the snapshots that the forward sweep has left.
func (s *reverseSweep) reopen(k *checkpoint) *list {
	l := &list{banks: map[*site]*ssair.Value{}}
	open := func(v *ssair.Value) *ssair.Value {
		if s.repeat { // they are needed once more
			w := s.b.MakeSlice(v.Type, s.b.Len(v), nil)
			s.b.Op(ssair.Copy, []*ssair.Value{w, v}, ssair.Int)
			w.Var = v.Var
			v = w
		}
		c := s.b.Alloc(v.Type, v.Var)
		s.b.Store(c, nil, v)
		return c
	}
	l.snaps = open(k.snaps)
	for _, t := range k.mem.sites {
		if v := k.banks[t]; v != nil {
			l.banks[t] = open(v)
		}
	}
	return l
}

// take adds a snapshot to l: of the loop o before the given trip, when it carries
// params.
func (s *reverseSweep) take(o *ssair.Op, k *checkpoint, l *list, params []*ssair.Value, trip *ssair.Value) {
	b := s.b
	vs := make([]*ssair.Value, len(k.fields))
	if i, ok := k.fields[tripField{}]; ok {
		vs[i] = trip
	}
	for _, i := range k.state {
		vs[k.fields[stateField(i)]] = s.m.Get(params[i])
		if f, ok := k.fields[shadowField(i)]; ok {
			vs[f] = s.shadow(params[i])
		}
	}
	cells := map[*site]*ssair.Value{}
	for _, t := range k.mem.sites {
		if t.value() {
			cells[t] = b.Alloc(t.elem, nil)
		} else {
			vs[k.fields[t]] = b.Len(b.Load(l.banks[t], nil))
		}
	}
	refs := s.refs(k.mem, params)
	if len(cells) > 0 {
		k.mem.walk(b, refs, func(b *ssair.Builder, t *site, ref *ssair.Value) {
			if t.value() {
				b.Store(cells[t], nil, b.Load(ref, nil))
			}
		})
	}
	for _, t := range k.mem.sites {
		if c := cells[t]; c != nil {
			vs[k.fields[t]] = b.Load(c, nil)
		}
	}
	snaps := b.Op(ssair.Append, []*ssair.Value{b.Load(l.snaps, nil), b.Build(k.record, vs...)}, types.NewSlice(k.record))
	snaps.Text = tapeMark
	b.Store(l.snaps, nil, snaps.Result())
	// The record has the lengths of the banks before this.
	if len(l.banks) > 0 {
		k.mem.walk(b, refs, func(b *ssair.Builder, t *site, ref *ssair.Value) {
			if !t.value() {
				t.append(b, l.banks[t], ref)
			}
		})
	}
}

// putBack puts the memory of snapshot number i back and returns what the loop
// carried: values, and shadows where it has some.
func (s *reverseSweep) putBack(o *ssair.Op, k *checkpoint, l *list, i *ssair.Value) (state, shadows map[int]*ssair.Value) {
	b := s.b
	snaps := b.Load(l.snaps, nil)
	state, shadows = map[int]*ssair.Value{}, map[int]*ssair.Value{}
	for _, j := range k.state {
		state[j] = b.Load(snaps, k.field(stateField(j)), i)
		state[j].Var = o.Results[j].Var
		if _, ok := k.fields[shadowField(j)]; ok {
			shadows[j] = b.Load(snaps, k.field(shadowField(j)), i)
			shadows[j].Var = s.shadowVar(o.Results[j].Var)
		}
	}
	refs := make([]*ssair.Value, len(k.mem.refs))
	for n, r := range k.mem.refs {
		if refs[n] = state[r.carried]; r.carried < 0 {
			refs[n] = s.m.Get(r.value)
		}
	}
	at := map[*site]*ssair.Value{}
	for _, t := range k.mem.sites {
		at[t] = b.Load(snaps, k.field(t), i)
	}
	k.mem.restore(b, refs, at, l.banks)
	return state, shadows
}

// keepStates copies the loop o for the forward sweep with snapshots of its state.
func (s *reverseSweep) keepStates(o *ssair.Op) {
	k := s.newCheckpoint(o)
	st := &loopState{count: counted(o), check: k}
	s.loops[o] = st
	k.entry = s.copyOf(k.still, s.refs(k.still, o.Args), "Entry")
	s.makeRecord(o, k)
	l := s.newList(k)
	b := s.b
	var trips *ssair.Value // where it is known beforehand
	if st.count != nil && !o.Loop.Break {
		trips = s.tripBound(b, st, o)
		trips.Var = &ssair.Var{Name: "trips"}
	}
	number := func(name string, v *ssair.Value) *ssair.Value {
		c := b.Alloc(ssair.Int, &ssair.Var{Name: name})
		b.Store(c, nil, v)
		return c
	}
	var next, every *ssair.Value
	switch {
	case k.Snapshots > 0 && trips != nil:
		next = number("next", b.Int(0))
	case k.Every > 0:
		k.every = b.Int(k.Every)
	case k.Snapshots > 0:
		every = number("every", b.Int(1))
	case trips != nil:
		root := b.Conv(b.Apply("math.Sqrt", []types.Type{types.Typ[types.Float64]}, b.Conv(trips, types.Typ[types.Float64])).Result(), ssair.Int)
		k.every = b.Apply("max", []types.Type{ssair.Int}, root, b.Int(shortLoop)).Result()
		k.every.Var = &ssair.Var{Name: "every"}
	default:
		every = number("every", b.Int(shortLoop))
	}
	body := o.BodyRegion()
	s.plain = true
	s.copyLoop(o, st, func(trip func() *ssair.Value) {
		t := trip()
		take := func() { s.take(o, k, l, body.Params, t) }
		switch {
		case next != nil:
			s.when(s.b.Cmp(token.EQL, t, s.b.Load(next, nil)), func() {
				take()
				s.b.Store(next, nil, s.hop(k, l, t, trips))
			})
		case every == nil:
			s.when(s.divides(k.every, t), take)
		default:
			s.when(s.divides(s.b.Load(every, nil), t), func() { s.thin(k, l, every, t, take) })
		}
	})
	s.plain = false
	s.loops[o] = st
	k.trips = st.trips
	if trips != nil {
		k.trips = trips
	}
	k.snaps = named("snaps", b.Load(l.snaps, nil))
	for _, t := range k.mem.sites {
		if c := l.banks[t]; c != nil {
			k.banks[t] = named(t.name+"Saved", b.Load(c, nil))
		}
	}
	if every != nil {
		k.every = b.Load(every, nil)
	}
}

// when builds an if without else.
func (s *reverseSweep) when(c *ssair.Value, then func()) {
	op := s.b.If(c)
	s.in(op.Regions[0], func() {
		then()
		s.b.Yield()
	})
	s.in(op.Regions[1], func() { s.b.Yield() })
}

// divides builds the test whether x divides y.
func (s *reverseSweep) divides(x, y *ssair.Value) *ssair.Value {
	return s.b.Cmp(token.EQL, s.b.Bin(token.REM, y, x), s.b.Int(0))
}

// hop builds the number of the trip before which the next snapshot is taken, when
// one has been taken before trip at and the trips up to end will be undone.
func (s *reverseSweep) hop(k *checkpoint, l *list, at, end *ssair.Value) *ssair.Value {
	b := s.b
	free := b.Bin(token.SUB, b.Int(k.Snapshots), b.Len(b.Load(l.snaps, nil)))
	revolve := s.t.runtime("Revolve")
	if revolve == nil {
		refuse(b.Pos, "", "internal: rt.Revolve cannot be found")
	}
	o := b.Op(ssair.Opaque, []*ssair.Value{b.Bin(token.SUB, end, at), free}, ssair.Int)
	o.Obj = revolve
	return b.Bin(token.ADD, at, o.Result())
}

// thin drops every second snapshot when there are too many: twice as many as trips
// between two of them, or as many as the schedule allows. Then it takes one if trip
// t still is one for it.
func (s *reverseSweep) thin(k *checkpoint, l *list, every, t *ssair.Value, take func()) {
	b := s.b
	n := b.Len(b.Load(l.snaps, nil))
	full := b.Cmp(token.EQL, n, b.Int(k.Snapshots))
	if k.Snapshots == 0 {
		full = b.Cmp(token.EQL, b.Bin(token.QUO, n, b.Int(2)), b.Load(every, nil))
	}
	s.when(full, func() {
		snaps := b.Load(l.snaps, nil)
		half := b.Bin(token.QUO, b.Bin(token.ADD, n, b.Int(1)), b.Int(2))
		ends := map[*site]*ssair.Value{} // of what stays in the banks
		for _, x := range k.mem.sites {
			if !x.value() {
				ends[x] = b.Alloc(ssair.Int, &ssair.Var{Name: x.name + "End"})
			}
		}
		b.Each(half, "i", func(i *ssair.Value) {
			from := b.Bin(token.MUL, b.Int(2), i)
			b.Store(snaps, elem(), b.Load(snaps, elem(), from), i)
			for _, x := range k.mem.sites {
				if x.value() {
					continue
				}
				// Its part ends where that of the next one begins.
				bank := b.Load(l.banks[x], nil)
				lo := b.Load(snaps, k.field(x), from)
				hi := b.Alloc(ssair.Int, nil)
				b.Store(hi, nil, b.Len(bank))
				after := b.Bin(token.ADD, from, b.Int(1))
				s.when(b.Cmp(token.LSS, after, n), func() { b.Store(hi, nil, b.Load(snaps, k.field(x), after)) })
				to := b.Load(ends[x], nil)
				moved := b.Op(ssair.Copy, []*ssair.Value{b.Slice(bank, to, nil, nil), b.Slice(bank, lo, b.Load(hi, nil), nil)}, ssair.Int).Result()
				b.Store(snaps, k.field(x), to, i)
				b.Store(ends[x], nil, b.Bin(token.ADD, to, moved))
			}
		})
		b.Store(l.snaps, nil, b.Slice(snaps, nil, half, nil))
		for _, x := range k.mem.sites {
			if c := ends[x]; c != nil {
				b.Store(l.banks[x], nil, b.Slice(b.Load(l.banks[x], nil), nil, b.Load(c, nil), nil))
			}
		}
		b.Store(every, nil, b.Bin(token.MUL, b.Load(every, nil), b.Int(2)))
	})
	if k.Snapshots == 0 {
		take() // 2*every*every trips are a multiple of 2*every
		return
	}
	s.when(s.divides(b.Load(every, nil), t), take)
}

// refs returns the copies of the references of m where the loop carries vs.
func (s *reverseSweep) refs(m *keeper, vs []*ssair.Value) []*ssair.Value {
	out := make([]*ssair.Value, len(m.refs))
	for i, r := range m.refs {
		if r.carried >= 0 {
			out[i] = s.m.Get(vs[r.carried])
		} else {
			out[i] = s.m.Get(r.value)
		}
	}
	return out
}

// replaying is what a replay changes in the state of the sweep.
type replaying struct {
	m                ssair.ValueMap
	sh               map[*ssair.Value]*ssair.Value
	ops              map[*ssair.Op]*ssair.Op
	loops            map[*ssair.Op]*loopState
	calls            map[*ssair.Op]*callState
	ruled            map[*ssair.Op]*ruledCall
	boxes            map[*ssair.Op]*ssair.Value
	scope            *scope
	replay           *checkpoint
	plain, isReverse bool
	number           int
}

// beginReplay makes room for other copies of the ops of a loop, in a scope of their
// own. What it returns ends that. around is the loop whose body the scope is, or nil.
func (s *reverseSweep) beginReplay(k *checkpoint, around *ssair.Op) (end func()) {
	saved := replaying{s.m, s.sh, s.ops, s.loops, s.calls, s.ruled, s.boxes, s.scope, s.replay, s.plain, s.b.Reverse, s.b.Replay}
	s.m, s.sh, s.ops, s.loops = maps.Clone(s.m), maps.Clone(s.sh), maps.Clone(s.ops), maps.Clone(s.loops)
	s.calls, s.ruled, s.boxes = maps.Clone(s.calls), maps.Clone(s.ruled), maps.Clone(s.boxes)
	s.scope = &scope{region: s.b.Region, outer: s.scope, around: around}
	maps.Copy(s.m, k.own)
	s.replay, s.b.Reverse, s.b.Replay = k, false, k.number
	return func() {
		s.m, s.sh, s.ops, s.loops = saved.m, saved.sh, saved.ops, saved.loops
		s.calls, s.ruled, s.boxes = saved.calls, saved.ruled, saved.boxes
		s.scope, s.replay, s.plain = saved.scope, saved.replay, saved.plain
		s.b.Reverse, s.b.Replay = saved.isReverse, saved.number
	}
}

// replayed ends the forward part of a replay.
func (s *reverseSweep) replayed() {
	s.scope.start, s.scope.rstart = s.marker(), s.marker()
	s.b.Reverse, s.b.Replay, s.replay = true, 0, nil
}
