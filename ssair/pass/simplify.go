package pass

import (
	"go/token"
	"maps"

	"github.com/quabla/quabla/ssair"
)

// Simplify folds constants without changing bits, resolves ifs and loops that
// are decided, and drops values that loops carry unchanged. Floating-point
// arithmetic is only folded where the operands are constants: no identity is
// applied to it.
func Simplify(f *ssair.Func) bool {
	changed := false
	for range 50 {
		s := &simplifier{repl: map[*ssair.Value]*ssair.Value{}, nils: map[*ssair.Value]bool{}, holds: map[*ssair.Value]bool{}}
		s.region(f.Body)
		f.Body.ReplaceAll(s.repl)
		if !s.changed {
			break
		}
		changed = true
	}
	return changed
}

type simplifier struct {
	repl    map[*ssair.Value]*ssair.Value
	nils    map[*ssair.Value]bool // references known to be nil, or not to be, at the place reached
	holds   map[*ssair.Value]bool // conditions that are decided at the place reached
	changed bool
}

// learn takes note of what the condition c says about nil when it is truth.
func (s *simplifier) learn(c *ssair.Value, truth bool) {
	o := c.Def
	if o == nil || o.Kind != ssair.Cmp || o.Args[1].Def == nil || o.Args[1].Def.Kind != ssair.Zero || !ssair.IsRef(o.Args[0].Type) {
		return
	}
	s.nils[o.Args[0]] = truth == (o.Tok == token.EQL)
}

// hold takes note that the condition c is decided.
func (s *simplifier) hold(c *ssair.Value, truth bool) {
	s.holds[c] = truth
	d := c.Def
	if d == nil {
		return
	}
	if d.Kind == ssair.Un && d.Tok == token.NOT {
		s.hold(d.Args[0], !truth)
	}
}

// known reports whether the condition c, or what it is the negation of, is decided.
func (s *simplifier) known(c *ssair.Value) (truth, ok bool) {
	if c == nil || len(s.holds) == 0 || !ssair.IsBool(c.Type) {
		return false, false
	}
	if truth, ok = s.holds[c]; ok {
		return truth, true
	}
	if d := c.Def; d != nil && d.Kind == ssair.Un && d.Tok == token.NOT {
		truth, ok = s.holds[d.Args[0]]
		return !truth, ok
	}
	return false, false
}

// arm simplifies an arm of an if with what its condition says.
func (s *simplifier) arm(n *ssair.Region, c *ssair.Value, truth bool) {
	saved, held := s.nils, s.holds
	s.nils, s.holds = maps.Clone(saved), maps.Clone(held)
	s.learn(c, truth)
	s.hold(c, truth)
	s.region(n)
	s.nils, s.holds = saved, held
}

func (s *simplifier) get(v *ssair.Value) *ssair.Value {
	for v != nil {
		n, ok := s.repl[v]
		if !ok {
			break
		}
		v = n
	}
	return v
}

// replace makes all uses of old see v.
func (s *simplifier) replace(old, v *ssair.Value) {
	v = s.get(v)
	if old == v {
		return
	}
	if v.Var == nil && old.Var != nil && v.Def != nil && v.Def.Kind != ssair.Const && v.Def.Kind != ssair.Zero {
		v.Var = old.Var
	}
	s.repl[old] = v
	s.changed = true
}

func (s *simplifier) region(r *ssair.Region) {
	ops := r.Ops
	r.Ops = nil
	b := ssair.NewBuilder(r)
	for i, o := range ops {
		for k, a := range o.Args {
			o.Args[k] = s.get(a)
			if truth, ok := s.known(o.Args[k]); ok {
				o.Args[k] = b.Bool(truth)
				s.changed = true
			}
		}
		b.Pos, b.Stmt, b.Call, b.Reverse, b.Replay = o.Pos, o.Stmt, o.Call, o.Reverse, o.Replay
		switch o.Kind {
		case ssair.If:
			if s.ifOp(b, o) {
				// The chosen arm was spliced in; it may end the region.
				if r.Term() != nil {
					s.changed = true
					return
				}
				continue
			}
			b.Insert(o)
			s.arm(o.Regions[0], o.Args[0], true)
			s.arm(o.Regions[1], o.Args[0], false)
			s.ifResults(b, o)
			if o.Regions[0].Term().Kind == ssair.Unreachable && o.Regions[1].Term().Kind == ssair.Unreachable {
				if i != len(ops)-1 && ops[i+1].Kind != ssair.Unreachable {
					s.changed = true
				}
				b.Op(ssair.Unreachable, nil)
				return
			}
			for k, n := range o.Regions {
				if n.Term().Kind == ssair.Unreachable {
					s.learn(o.Args[0], k == 1)
				}
			}
			continue
		case ssair.Loop:
			b.Insert(o)
			saved := s.nils
			s.nils = maps.Clone(saved)
			for _, n := range o.Regions {
				s.region(n)
			}
			s.nils = saved
			s.loop(b, o)
			continue
		}
		if v := s.fold(b, o); v != nil {
			s.replace(o.Result(), v)
			continue
		}
		b.Insert(o)
		if o.Kind == ssair.Copy && CopiesAll(o) {
			s.repl[o.Result()] = o.Args[0].Def.Args[0]
		}
		if o.Kind.IsTerm() {
			return
		}
	}
}

// ifOp splices the chosen arm of a decided if into the region at b.
func (s *simplifier) ifOp(b *ssair.Builder, o *ssair.Op) bool {
	c, ok := boolConst(o.Args[0])
	if !ok {
		return false
	}
	arm := o.Regions[1]
	if c {
		arm = o.Regions[0]
	}
	s.changed = true
	s.splice(b, arm, o.Results)
	return true
}

// splice moves the ops of region n to b and makes its yields stand for
// results.
func (s *simplifier) splice(b *ssair.Builder, n *ssair.Region, results []*ssair.Value) {
	for _, x := range n.Ops {
		if x.Kind == ssair.Yield {
			for k, r := range results {
				s.repl[r] = s.get(x.Args[k])
			}
			return
		}
		b.Insert(x)
	}
}

// ifResults simplifies the results of an if whose arms yield related values.
func (s *simplifier) ifResults(b *ssair.Builder, o *ssair.Op) {
	t, e := o.Regions[0].Term(), o.Regions[1].Term()
	if t.Kind != ssair.Yield || e.Kind != ssair.Yield {
		return
	}
	var keep []int
	for k, r := range o.Results {
		x, y := s.get(t.Args[k]), s.get(e.Args[k])
		switch {
		case x == y || sameConst(x, y):
			if v := outside(b, x, o); v != nil {
				s.replace(r, v)
				continue
			}
		case sameOp(x, y, o):
			// Both arms compute the same: it is computed behind them.
			m := ssair.ValueMap{}
			for _, a := range x.Def.Args {
				if constVal(a) != nil {
					b.CloneOp(a.Def, m)
				}
			}
			s.replace(r, b.CloneOp(x.Def, m).Result())
			continue
		case isBool(x, true) && isBool(y, false):
			s.replace(r, o.Args[0])
			continue
		case isBool(x, false) && isBool(y, true):
			s.replace(r, b.Un(token.NOT, o.Args[0]))
			continue
		}
		keep = append(keep, k)
	}
	if len(keep) < len(o.Results) {
		o.Results = pick(o.Results, keep)
		t.Args, e.Args = pick(t.Args, keep), pick(e.Args, keep)
	}
}

// sameOp reports whether x and y, of the two arms of o, are arithmetic on the same
// operands from outside.
func sameOp(x, y *ssair.Value, o *ssair.Op) bool {
	d, e := x.Def, y.Def
	if d == nil || e == nil || d.Kind != ssair.Bin || e.Kind != ssair.Bin || d.Tok != e.Tok || d.Loose != e.Loose ||
		d.Parent != o.Regions[0] || e.Parent != o.Regions[1] || !ssair.IsScalar(x.Type) {
		return false
	}
	for k, a := range d.Args {
		c := e.Args[k]
		if sameConst(a, c) {
			continue
		}
		if a != c || a.Region() == nil || o.Regions[0].Contains(a.Region()) || o.Regions[1].Contains(a.Region()) {
			return false
		}
	}
	return true
}

// outside returns v if it is defined outside the regions of o, or a copy of
// the constant that it is.
func outside(b *ssair.Builder, v *ssair.Value, o *ssair.Op) *ssair.Value {
	for _, n := range o.Regions {
		if n.Contains(v.Region()) {
			if v.Def != nil && (v.Def.Kind == ssair.Const || v.Def.Kind == ssair.Zero) {
				return b.CloneOp(v.Def, ssair.ValueMap{}).Result()
			}
			return nil
		}
	}
	return v
}

func pick(vs []*ssair.Value, keep []int) []*ssair.Value {
	out := make([]*ssair.Value, len(keep))
	for i, k := range keep {
		out[i] = vs[k]
	}
	return out
}

// loop drops carried values that never change, and unrolls a loop that runs
// its body at most once.
func (s *simplifier) loop(b *ssair.Builder, o *ssair.Op) {
	body, post := o.BodyRegion().Term(), o.Post().Term()
	first := 0
	if o.Loop.Break {
		first = 1
		if body.Kind == ssair.Yield && isBool(s.get(body.Args[0]), true) {
			o.Loop.Break = false
			body.Args = body.Args[1:]
			first = 0
			s.changed = true
		}
	}
	n := o.Carried()
	var keep []int
	for k := range n {
		init := s.get(o.Args[k])
		if s.constant(o, k, init, first) {
			v := init
			for _, r := range o.Regions {
				s.replace(r.Params[k], v)
			}
			s.replace(o.Results[k], v)
			continue
		}
		keep = append(keep, k)
	}
	if len(keep) < n {
		DropCarried(o, keep)
	}
	c := o.Cond().Term()
	if isBool(s.get(c.Args[0]), false) && onlyTerm(o.Cond()) {
		for k, r := range o.Results {
			s.replace(r, o.Args[k])
		}
		o.Remove()
		s.changed = true
		return
	}
	again := o.Loop.Checkpoint != nil && o.Loop.Checkpoint.Once // see Dissolve
	if !again && o.Loop.Break && body.Kind == ssair.Yield && isBool(s.get(body.Args[0]), false) {
		s.runOnce(b, o)
	}
	_ = post
}

func onlyTerm(r *ssair.Region) bool {
	for _, o := range r.Ops[:len(r.Ops)-1] {
		if o.Kind != ssair.Const && o.Kind != ssair.Zero {
			return false
		}
	}
	return true
}

// constant reports whether carried value k always equals init.
func (s *simplifier) constant(o *ssair.Op, k int, init *ssair.Value, first int) bool {
	same := func(v *ssair.Value) bool {
		v = s.get(v)
		return v == init || v == o.BodyRegion().Params[k] || v == o.Post().Params[k] || v == o.Cond().Params[k] || sameConst(v, init)
	}
	if t := o.BodyRegion().Term(); t.Kind == ssair.Yield && !same(t.Args[first+k]) {
		return false
	}
	if t := o.Post().Term(); t.Kind == ssair.Yield && !same(t.Args[k]) {
		return false
	}
	return true
}

// DropCarried removes the carried values of a loop that are not in keep.
func DropCarried(o *ssair.Op, keep []int) {
	n := o.Carried()
	over := append([]*ssair.Value{}, o.Args[n:]...)
	o.Args = append(pick(o.Args[:n], keep), over...)
	o.Results = pick(o.Results, keep)
	for i, r := range o.Regions {
		r.Params = pick(r.Params, keep)
		t := r.Term()
		if i == 0 || t.Kind != ssair.Yield {
			continue
		}
		if i == 1 && o.Loop.Break {
			t.Args = append([]*ssair.Value{t.Args[0]}, pick(t.Args[1:], keep)...)
		} else {
			t.Args = pick(t.Args, keep)
		}
	}
}

// runOnce turns a loop that always breaks into an if.
func (s *simplifier) runOnce(b *ssair.Builder, o *ssair.Op) {
	o.Remove()
	s.changed = true
	n := o.Carried()
	for k, p := range o.Cond().Params {
		s.repl[p] = s.get(o.Args[k])
	}
	for k, p := range o.BodyRegion().Params {
		s.repl[p] = s.get(o.Args[k])
	}
	var cond *ssair.Value
	for _, x := range o.Cond().Ops {
		if x.Kind == ssair.Yield {
			cond = s.get(x.Args[0])
			break
		}
		b.Insert(x)
	}
	i := b.If(cond)
	in := b.At(i.Regions[0])
	for _, x := range o.BodyRegion().Ops {
		x.Parent = nil
		if x.Kind == ssair.Yield {
			x.Args = x.Args[1:]
		}
		in.Insert(x)
	}
	b.At(i.Regions[1]).Yield(append([]*ssair.Value{}, o.Args[:n]...)...)
	for _, r := range o.Results {
		s.repl[r] = i.AddResult(r.Type, r.Var)
	}
}
