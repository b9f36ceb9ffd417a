package emit

import (
	"go/types"
	"sort"

	"github.com/quabla/quabla/ssair"
)

// A class is a set of values that share one Go variable.
type class struct {
	id      int
	members []*ssair.Value
	typ     types.Type
	name    string
	param   bool // a parameter of the function
	result  bool // a named result of the function
	cell    bool // a variable in memory; its member is the address
	// scope is the region in which the variable is declared; header is the
	// loop whose clause declares it, if any.
	scope  *ssair.Region
	header *ssair.Op
}

// classes assigns variables to the values that are not written in place.
type classes struct {
	p     *plan
	of    map[*ssair.Value]*class
	clash interference
	all   []*class
	order map[*ssair.Value]int
}

func newClasses(p *plan) *classes {
	c := &classes{p: p, of: map[*ssair.Value]*class{}, clash: interference{number: map[*ssair.Value]int{}}, order: map[*ssair.Value]int{}}
	for _, v := range p.f.Params {
		c.add(v).param = true
	}
	c.collect(p.f.Body)
	var live liveSet
	c.liveness(p.f.Body, &live, p.f.Body.Term().Args, nil)
	c.define(p.f.Params, &live) // together at the start
	c.join(p.f.Body)
	c.sameVariable()
	return c
}

func (c *classes) add(v *ssair.Value) *class {
	k := &class{id: len(c.all), members: []*ssair.Value{v}, typ: v.Type}
	c.all = append(c.all, k)
	c.of[v] = k
	c.order[v] = len(c.order)
	return k
}

// collect makes a class for every value that gets a variable. The states of a
// carried value of a loop share one from the start.
func (c *classes) collect(r *ssair.Region) {
	for _, o := range r.Ops {
		if o.Kind == ssair.Loop {
			for k, v := range o.Results {
				k0 := c.add(v)
				for _, g := range o.Regions {
					p := g.Params[k]
					c.of[p] = k0
					c.order[p] = len(c.order)
					k0.members = append(k0.members, p)
				}
			}
		} else {
			for _, v := range o.Results {
				if !c.p.inline[v] && !c.p.tail[o] {
					c.add(v).cell = isCell(v)
				}
			}
		}
		for _, g := range o.Regions {
			c.collect(g)
		}
	}
}

// isCell reports whether v is the address of a variable of the source.
func isCell(v *ssair.Value) bool {
	return v.Def != nil && v.Def.Kind == ssair.Alloc && !v.Def.Explicit
}

// An alias says what the result of an if stands for in one of its arms.
type alias map[*ssair.Value]*ssair.Value

// in returns a with the results of o standing for what its arm r yields.
func (a alias) in(o *ssair.Op, r *ssair.Region) alias {
	b := alias{}
	for k, v := range a {
		b[k] = v
	}
	if t := r.Term(); t.Kind == ssair.Yield {
		for k, v := range o.Results {
			b[v] = t.Args[k]
		}
	}
	return b
}

func (a alias) get(v *ssair.Value) *ssair.Value {
	for {
		w, ok := a[v]
		if !ok {
			return v
		}
		v = w
	}
}

// leaves calls visit for the variables that evaluating v reads.
func (c *classes) leaves(v *ssair.Value, a alias, visit func(*ssair.Value)) {
	if v == nil {
		return
	}
	v = a.get(v)
	if !c.p.inline[v] {
		visit(v)
		return
	}
	c.operands(v.Def, a, visit)
}

func (c *classes) operands(o *ssair.Op, a alias, visit func(*ssair.Value)) {
	for _, x := range o.Args {
		c.leaves(x, a, visit)
	}
	for _, r := range o.Regions { // a condition with && or ||
		if t := r.Term(); t != nil {
			for _, x := range t.Args {
				c.leaves(x, a, visit)
			}
		}
	}
}

// liveness walks r backwards. live holds what is live after it, out what its
// terminator reads; live is updated to what is live before it.
func (c *classes) liveness(r *ssair.Region, live *liveSet, out []*ssair.Value, a alias) {
	tail := c.p.tailOf(r)
	if tail == nil {
		for _, v := range out {
			c.leaves(v, a, c.into(live))
		}
	}
	for i := len(r.Ops) - 1; i >= 0; i-- {
		o := r.Ops[i]
		if len(o.Results) > 0 && c.p.inline[o.Results[0]] || o.Kind == ssair.Yield || o.Kind == ssair.Return {
			continue
		}
		switch o.Kind {
		case ssair.If:
			if o == tail {
				c.liveTail(o, live, out, a)
			} else {
				c.liveIf(o, live)
			}
			continue
		case ssair.Loop:
			c.liveLoop(o, live)
			continue
		}
		c.define(o.Results, live)
		c.operands(o, nil, c.into(live))
	}
}

func (c *classes) liveTail(o *ssair.Op, live *liveSet, out []*ssair.Value, a alias) {
	c.liveArms(o, live, func(r *ssair.Region, arm *liveSet) { c.liveness(r, arm, out, a.in(o, r)) })
}

// liveArms joins what is live before the arms of o, of which yielding walks
// those that go on behind o.
func (c *classes) liveArms(o *ssair.Op, live *liveSet, yielding func(*ssair.Region, *liveSet)) {
	after := live.copy()
	for _, r := range o.Regions {
		var arm liveSet
		if r.Term().Kind == ssair.Yield {
			arm = after.copy()
			yielding(r, &arm)
		} else {
			c.liveness(r, &arm, nil, nil)
		}
		live.addAll(arm)
	}
	c.leaves(o.Args[0], nil, c.into(live))
}

// into returns a function that adds values to live.
func (c *classes) into(live *liveSet) func(*ssair.Value) {
	return func(v *ssair.Value) { live.add(c.clash.of(v)) }
}

// define records that vs are assigned while the rest of live is alive.
func (c *classes) define(vs []*ssair.Value, live *liveSet) {
	live.addAll(c.clash.all(vs))
	for _, v := range vs {
		c.clash.defined(v, *live)
	}
	for _, v := range vs {
		live.remove(c.clash.of(v))
	}
}

func (c *classes) liveIf(o *ssair.Op, live *liveSet) {
	c.define(o.Results, live)
	c.liveArms(o, live, func(r *ssair.Region, arm *liveSet) { c.liveness(r, arm, r.Term().Args, nil) })
}

func (c *classes) liveLoop(o *ssair.Op, live *liveSet) {
	c.define(o.Results, live)
	// What the loop reads from outside stays alive in all of it.
	inside := map[*ssair.Value]bool{}
	for _, r := range o.Regions {
		for _, p := range r.Params {
			inside[p] = true
		}
		r.Walk(func(x *ssair.Op) bool {
			for _, v := range x.Results {
				inside[v] = true
			}
			for _, g := range x.Regions {
				for _, p := range g.Params {
					inside[p] = true
				}
			}
			return true
		})
	}
	around := live.copy()
	for _, r := range o.Regions {
		r.Walk(func(x *ssair.Op) bool {
			for _, a := range x.Args {
				c.leaves(a, nil, func(v *ssair.Value) {
					if !inside[v] {
						around.add(c.clash.of(v))
					}
				})
			}
			return true
		})
	}
	if o.Loop.Form == ssair.RangeSlice {
		for _, a := range o.Args[o.Carried():] {
			c.leaves(a, nil, c.into(&around))
		}
	}
	for i, r := range o.Regions {
		in := around.copy()
		if i == 0 {
			// The condition changes nothing: all carried values stay.
			in.addAll(c.clash.all(r.Params))
		}
		var out []*ssair.Value
		if t := r.Term(); t.Kind == ssair.Yield {
			out = t.Args
		}
		c.liveness(r, &in, out, nil)
		c.define(r.Params, &in) // on entry
	}
	// The results hold their values while the loop runs.
	for _, v := range o.Results {
		c.clash.defined(v, around)
	}
	live.addAll(around)
	for _, a := range o.Args {
		c.leaves(a, nil, c.into(live))
	}
}

// merge gives v and w one variable if their lives allow it.
func (c *classes) merge(v, w *ssair.Value) bool {
	a, b := c.of[v], c.of[w]
	if a == nil || b == nil {
		return false
	}
	if a == b {
		return true
	}
	if a.cell || b.cell || a.param && b.param || !types.Identical(a.typ, b.typ) {
		return false
	}
	for _, x := range a.members {
		for _, y := range b.members {
			if c.clash.between(x, y) {
				return false
			}
		}
	}
	if b.param {
		a, b = b, a
	}
	for _, y := range b.members {
		c.of[y] = a
	}
	a.members = append(a.members, b.members...)
	b.members = nil
	return true
}

// join merges what a loop or an if passes on with what it is passed to.
func (c *classes) join(r *ssair.Region) {
	for _, o := range r.Ops {
		for _, g := range o.Regions {
			c.join(g)
		}
		switch o.Kind {
		case ssair.If:
			if c.p.inline[first(o.Results)] || c.p.tail[o] {
				continue
			}
			for k, v := range o.Results {
				for _, g := range o.Regions {
					if t := g.Term(); t.Kind == ssair.Yield {
						c.mergeOut(v, t.Args[k])
					}
				}
			}
		case ssair.Loop:
			skip := 0
			if o.Loop.Break {
				skip = 1
			}
			for k, v := range o.Results {
				if t := o.BodyRegion().Term(); t.Kind == ssair.Yield {
					c.mergeOut(v, t.Args[skip+k])
				}
				if t := o.Post().Term(); t.Kind == ssair.Yield {
					c.merge(v, t.Args[k])
				}
				if sameName(v, o.Args[k]) {
					c.merge(v, o.Args[k])
				}
			}
		}
	}
}

// mergeOut merges v with what a region yields for it; the result of an if at
// the end of the region stands for what its arms yield.
func (c *classes) mergeOut(v, out *ssair.Value) {
	if d := out.Def; d != nil && c.p.tail[d] {
		for k, r := range d.Results {
			if r != out {
				continue
			}
			for _, g := range d.Regions {
				if t := g.Term(); t.Kind == ssair.Yield {
					c.mergeOut(v, t.Args[k])
				}
			}
		}
		return
	}
	if sameName(v, out) {
		c.merge(v, out)
	}
}

// lateYields returns the values that loops pass on at the end of a trip and
// that could not share the variable, because its old value is still read after
// them: they are better computed at the end.
func (c *classes) lateYields() []*ssair.Value {
	var late []*ssair.Value
	c.p.f.Body.Walk(func(o *ssair.Op) bool {
		if o.Kind != ssair.Loop {
			return true
		}
		t := o.BodyRegion().Term()
		if t.Kind != ssair.Yield {
			return true
		}
		skip := 0
		if o.Loop.Break {
			skip = 1
		}
		for k, v := range o.Results {
			y := t.Args[skip+k]
			if y.Def == nil || y.Def.Parent != o.BodyRegion() || c.p.inline[y] || c.of[y] == c.of[v] || len(c.p.uses[y]) != 1 {
				continue
			}
			switch y.Def.Kind {
			case ssair.Bin, ssair.Un, ssair.Apply, ssair.Conv:
				if len(y.Def.Results) == 1 && sameName(v, y) {
					late = append(late, y)
				}
			}
		}
		return true
	})
	return late
}

func first(vs []*ssair.Value) *ssair.Value {
	if len(vs) == 0 {
		return nil
	}
	return vs[0]
}

func sameName(v, w *ssair.Value) bool {
	return v.Var == w.Var || v.Var == nil || w.Var == nil || v.Var.Name == w.Var.Name
}

// sameVariable merges the states of each variable of the source.
func (c *classes) sameVariable() {
	byVar := map[*ssair.Var][]*ssair.Value{}
	var vars []*ssair.Var
	var vs []*ssair.Value
	for v := range c.of {
		vs = append(vs, v)
	}
	sort.Slice(vs, func(i, j int) bool { return c.order[vs[i]] < c.order[vs[j]] })
	for _, v := range vs {
		if v.Var == nil {
			continue
		}
		if byVar[v.Var] == nil {
			vars = append(vars, v.Var)
		}
		byVar[v.Var] = append(byVar[v.Var], v)
	}
	for _, x := range vars {
		list := byVar[x]
		for i := 1; i < len(list); i++ {
			for j := 0; j < i; j++ {
				if related(list[j], list[i]) && c.merge(list[j], list[i]) {
					break
				}
			}
		}
	}
}

// related reports whether one of two states of a variable can be seen where the
// other is defined. Those of two loops are kept apart.
func related(v, w *ssair.Value) bool {
	if loopState(v) && loopState(w) {
		return false
	}
	return v.Region().Contains(w.Region()) || w.Region().Contains(v.Region())
}

func loopState(v *ssair.Value) bool {
	return v.Def == nil && v.Home.Parent != nil || v.Def != nil && v.Def.Kind == ssair.Loop
}

// list returns the classes in use, in the order of their first members.
func (c *classes) list() []*class {
	var out []*class
	for _, k := range c.all {
		if len(k.members) > 0 && c.of[k.members[0]] == k {
			out = append(out, k)
		}
	}
	return out
}
