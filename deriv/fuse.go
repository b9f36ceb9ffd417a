package deriv

import (
	"go/token"
	"slices"

	"github.com/quabla/quabla/ssair"
)

// A loop whose trips are independent, apart from sums that they add to, can be
// undone trip by trip: the reverse part of a trip follows its forward part at
// once, and nothing is kept across trips. This needs the adjoints of the loop's
// results before the loop runs. They are known where a result only goes, by
// way of sums and factors that are known too, into an output.

// A scope is a region in which a forward part is followed by the reverse part
// that undoes it: the body of the function, or that of a fused loop.
type scope struct {
	region *ssair.Region
	start  *ssair.Op // marks the end of the forward part
	rstart *ssair.Op // marks the start of the reverse part
	outer  *scope
	around *ssair.Op // the loop whose body it is, if that replays trips
	// known holds the adjoints of what the body of a fused loop yields.
	known map[int]*ssair.Value
	loop  *ssair.Op // the fused loop, in f
}

// fused tries to build the loop o with its reverse part inside. It reports
// whether it did.
func (s *reverseSweep) fused(o *ssair.Op) bool {
	if s.scope == nil || s.f.Body == nil || !s.canFuse(o) {
		return false
	}
	known := map[int]*ssair.Value{}
	for k, r := range o.Results {
		if !s.act.value(r) {
			continue
		}
		bar, ok := s.ahead(r)
		if !ok {
			return false
		}
		known[k] = bar
	}
	return s.buildFused(o, known)
}

func (s *reverseSweep) buildFused(o *ssair.Op, known map[int]*ssair.Value) bool {
	n := o.Carried()
	c := s.b.Loop(s.give(o.Results, o.Args[:n])...)
	*c.Loop = *o.Loop
	c.Loop.Checkpoint = nil
	c.Loop.Independent = true
	for _, v := range o.Args[n:] {
		c.Args = append(c.Args, s.m.Get(v))
	}
	s.loops[o], s.ops[o] = &loopState{copy: c, fused: true}, c
	for i, r := range o.Regions {
		s.bindLoop(o, r.Params, c.Regions[i].Params)
		s.in(c.Regions[i], func() {
			switch i {
			case 0:
				for _, x := range r.Ops {
					s.b.CloneOp(x, s.m)
				}
				return
			case 1:
				s.fusedBody(o, c, known)
			default:
				s.forwardRegion(r)
			}
			s.b.Yield(s.give(o.Results, r.Term().Args)...)
		})
	}
	s.bindLoop(o, o.Results, c.Results)
	return true
}

// fusedBody builds the forward and the reverse part of a trip.
func (s *reverseSweep) fusedBody(o, c *ssair.Op, known map[int]*ssair.Value) {
	body := o.BodyRegion()
	sc := &scope{region: c.BodyRegion(), outer: s.scope, known: known, loop: o}
	s.scope = sc
	s.home[body] = c.BodyRegion()
	s.forwardRegion(body)
	sc.start, sc.rstart = s.marker(), s.marker()
	for k, bar := range known {
		if y := body.Term().Args[k]; bar != nil {
			s.add(y, bar)
		}
	}
	reverse := s.b.Reverse
	s.b.Reverse = true
	s.reverseRegion(body)
	s.b.Reverse = reverse
	s.scope = sc.outer
}

// canFuse reports whether the trips of o are independent for the reverse
// sweep.
func (s *reverseSweep) canFuse(o *ssair.Op) bool {
	if o.Loop.Break || o.BodyRegion().Term().Kind != ssair.Yield || o.Post().Term().Kind != ssair.Yield {
		return false
	}
	if o.Parent != s.f.Body && (s.scope.loop == nil || o.Parent != s.scope.loop.BodyRegion()) {
		return false
	}
	for k, r := range o.Results {
		if s.act.value(r) && !s.reduction(o, k) {
			return false
		}
		if s.shadowed(r) {
			// A reference that changes from trip to trip: its shadow is carried
			// forward, which is fine, unless it is written through.
			continue
		}
	}
	ok := true
	for _, r := range o.Regions {
		r.Walk(func(x *ssair.Op) bool {
			ok = ok && s.fusableOp(o, x)
			return ok
		})
	}
	return ok
}

// fusableOp reports whether x, inside loop o, leaves the trips independent.
func (s *reverseSweep) fusableOp(o, x *ssair.Op) bool {
	switch x.Kind {
	case ssair.Store, ssair.Accum, ssair.Clear, ssair.Copy, ssair.Append, ssair.AppendSlice, ssair.MapSet, ssair.MapDelete:
		base := x.Args[0]
		if !s.act.ref(base) || s.fills(o, x) {
			return true
		}
		// Only memory of the trip itself.
		return !s.act.al.Lasting(o).Meets(s.act.al.Pts(base))
	case ssair.Load, ssair.MapGet:
		if s.act.ref(x.Args[0]) && s.act.varied[x.Results[0]] {
			return !s.writtenAfter(o, x.Args[0])
		}
	case ssair.TypeAssert, ssair.MakeIface:
		return !s.shadowed(x.Results[0]) && !s.act.value(x.Results[0])
	case ssair.Call, ssair.ClearAll, ssair.ZeroLike:
		for _, v := range x.Args {
			if s.act.value(v) || s.act.ref(v) {
				return false
			}
		}
	}
	return true
}

// writtenAfter reports whether memory that base refers to may be written after
// loop o, or in a loop around it: the reverse of that write clears adjoints,
// and must run before the adjoints of o are added.
func (s *reverseSweep) writtenAfter(o *ssair.Op, base *ssair.Value) bool {
	roots := s.act.al.Pts(base)
	for _, w := range s.mem.writes {
		if within(o, w.op) || !s.mem.after(o, w, roots) {
			continue
		}
		if w.base == nil || s.act.ref(w.base) && (roots.Meets(w.dst) || !distinct(roots, w.dst)) {
			return true
		}
	}
	return false
}

// reduction reports whether carried value k of loop o is only added to: its
// adjoint is the same before and after each trip.
func (s *reverseSweep) reduction(o *ssair.Op, k int) bool {
	post := o.Post().Term()
	if post.Kind != ssair.Yield || post.Args[k] != o.Post().Params[k] || o.Loop.Break {
		return false
	}
	if len(s.uses[o.Cond().Params[k]]) > 0 {
		// Comparing it is fine: comparisons have no derivative.
		for _, u := range s.uses[o.Cond().Params[k]] {
			if u.Op.Kind != ssair.Cmp {
				return false
			}
		}
	}
	chain := map[*ssair.Value]bool{}
	work := []*ssair.Value{o.BodyRegion().Params[k]}
	var ifs []*ssair.Value
	push := func(v *ssair.Value) {
		if !chain[v] {
			chain[v] = true
			work = append(work, v)
		}
	}
	chain[work[0]] = true
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		for _, u := range s.uses[v] {
			switch x := u.Op; x.Kind {
			case ssair.Bin:
				if x.Tok != token.ADD && (x.Tok != token.SUB || u.Arg != 0) {
					return false
				}
				push(x.Result())
			case ssair.Yield:
				p := x.Parent.Parent
				switch {
				case p == o && x.Parent == o.BodyRegion() && u.Arg == k:
				case p.Kind == ssair.If:
					push(p.Results[u.Arg])
					ifs = append(ifs, p.Results[u.Arg])
				case p.Kind == ssair.Loop && p != o:
					// The inner loop was checked when its initial value was met.
				default:
					return false
				}
			case ssair.Loop:
				if u.Arg >= x.Carried() || !s.reduction(x, u.Arg) {
					return false
				}
				push(x.Results[u.Arg])
			case ssair.Cmp:
			default:
				return false
			}
		}
	}
	// Both operands of a sum must not be the chain, and all arms of an if must
	// yield it.
	for v := range chain {
		if d := v.Def; d != nil && d.Kind == ssair.Bin && chain[d.Args[0]] && chain[d.Args[1]] {
			return false
		}
	}
	for _, v := range ifs {
		for i, r := range v.Def.Results {
			if r != v {
				continue
			}
			for _, g := range v.Def.Regions {
				if t := g.Term(); t.Kind == ssair.Yield && !chain[t.Args[i]] {
					return false
				}
			}
		}
	}
	y := o.BodyRegion().Term().Args[k]
	return chain[y]
}

// ahead returns the adjoint of v, a value of the scope's forward part, in terms
// of values that are available where the forward sweep is now; nil is zero.
func (s *reverseSweep) ahead(v *ssair.Value) (*ssair.Value, bool) {
	var sum *ssair.Value
	for _, u := range s.uses[v] {
		x := u.Op
		if x.Kind != ssair.Loop && s.ends(x) {
			continue
		}
		var term *ssair.Value
		ok := true
		switch x.Kind {
		case ssair.Return:
			term, ok = s.seedOf(u.Arg)
		case ssair.Bin:
			term, ok = s.aheadBin(x, u.Arg)
		case ssair.Un:
			term, ok = s.ahead(x.Result())
			term = s.a.neg(term)
		case ssair.Conv:
			if !ssair.IsScalar(x.Result().Type) {
				continue
			}
			if term, ok = s.ahead(x.Result()); ok && term != nil {
				term = s.b.Conv(term, v.Type)
			}
		case ssair.Cmp:
			continue
		case ssair.Loop:
			if u.Arg >= x.Carried() || !s.act.value(x.Results[u.Arg]) {
				continue
			}
			if !s.reduction(x, u.Arg) {
				return nil, false
			}
			term, ok = s.ahead(x.Results[u.Arg])
		case ssair.Yield:
			if s.scope.loop == nil || x != s.scope.loop.BodyRegion().Term() {
				return nil, false
			}
			term = s.scope.known[u.Arg]
		default:
			return nil, false
		}
		if !ok {
			return nil, false
		}
		sum = s.a.add(sum, term)
	}
	return sum, true
}

// ends reports whether what x makes of its operands has no derivative that is asked for:
// neither its results nor memory that it may write to have one.
func (s *reverseSweep) ends(x *ssair.Op) bool {
	for _, r := range x.Results {
		if s.act.value(r) || s.act.ref(r) {
			return false
		}
	}
	switch x.Kind {
	case ssair.Call, ssair.Opaque, ssair.JVP, ssair.Grad, ssair.MakeClosure:
		return !slices.ContainsFunc(x.Args, func(a *ssair.Value) bool { return a != nil && s.act.ref(a) })
	}
	return len(x.Results) > 0
}

func (s *reverseSweep) aheadBin(x *ssair.Op, arg int) (*ssair.Value, bool) {
	if ssair.IsComplex(x.Result().Type) {
		return nil, false
	}
	bar, ok := s.ahead(x.Result())
	if !ok || bar == nil {
		return bar, ok
	}
	other := x.Args[1-arg]
	switch x.Tok {
	case token.ADD:
		return bar, true
	case token.SUB:
		if arg == 1 {
			return s.a.neg(bar), true
		}
		return bar, true
	case token.MUL:
		if u, ok := s.available(other); ok {
			return s.a.mul(u, bar), true
		}
	case token.QUO:
		if arg == 0 {
			if u, ok := s.available(other); ok {
				if s.a.nonzero(other) {
					return s.a.div(bar, u), true
				}
				return s.a.apply("rt.Div0", bar, u), true
			}
		}
	}
	return nil, false
}

// available returns the copy of v, if the forward sweep has passed it and it
// is in scope.
func (s *reverseSweep) available(v *ssair.Value) (*ssair.Value, bool) {
	if d := v.Def; d != nil && (d.Kind == ssair.Const || d.Kind == ssair.Zero) {
		return s.b.CloneOp(d, ssair.ValueMap{}).Result(), true
	}
	if c, ok := s.m[v]; ok && c.Region() != nil && c.Region().Contains(s.b.Region) {
		return c, true
	}
	// What has not been computed yet may be computed now, if it is cheap.
	d := v.Def
	if d == nil || d.Parent != s.scope.body(s.f) {
		return nil, false
	}
	switch d.Kind {
	case ssair.Bin, ssair.Un, ssair.Conv, ssair.Len:
	default:
		return nil, false
	}
	m := ssair.ValueMap{}
	for _, a := range d.Args {
		c, ok := s.available(a)
		if !ok {
			return nil, false
		}
		m[a] = c
	}
	return s.b.CloneOp(d, m).Result(), true
}

// body returns the region of f that the scope undoes.
func (sc *scope) body(f *ssair.Func) *ssair.Region {
	if sc.loop != nil {
		return sc.loop.BodyRegion()
	}
	return f.Body
}

// seedOf returns the cotangent of result i.
func (s *reverseSweep) seedOf(i int) (*ssair.Value, bool) {
	if s.scope.loop != nil && s.scope.outer != nil {
		// Inside a fused loop results of the function are not reached directly.
		return nil, false
	}
	if !s.spec.Result[i] {
		return nil, true
	}
	if s.spec.Unit {
		return s.a.constant(1, s.f.Results[i].Type), true
	}
	return s.seed[i], s.seed[i] != nil
}
