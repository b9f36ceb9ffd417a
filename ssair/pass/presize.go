package pass

import (
	"github.com/quabla/quabla/ssair"
)

// Presize turns slices that grow by append into slices that are made as long as they can
// get, and a count of the elements that they have:
//
//	var s []float64              s := make([]float64, len(x))
//	for _, v := range x {        n := 0
//		if v > 0 {               for _, v := range x {
//			s = append(s, v)         if v > 0 {
//		}                                s[n] = v
//	}                                    n++
//	...s...                      ...s[:n]...
//
// So a transform has no growing memory to follow. The states of such a slice, from the empty
// one on, form a chain in which each takes the place of the one before: after it has grown,
// nothing uses the state before. Nothing may depend on its capacity and on whether it is
// nil, and how far it grows must be known where it is made. Inner says that functions which
// are not seen here call f.
func Presize(f *ssair.Func, inner bool) {
	for {
		c := findChain(f, inner)
		if c == nil {
			return
		}
		c.rewrite()
	}
}

// A chain is the states of one slice that grows.
type chain struct {
	f    *ssair.Func
	uses ssair.Uses
	// made is the op that makes the first state, or nil if that is an empty slice like any
	// other.
	made *ssair.Op
	// at is the op in front of which the new slice is made. If the first state has elements,
	// it is made; otherwise the first state is its operand entry.
	at      *ssair.Op
	entry   int
	states  []*ssair.Value
	member  map[*ssair.Value]bool
	appends []*ssair.Op
	order   map[*ssair.Op]int
	terms   []term
}

// findChain returns a chain of f that can be rewritten, or nil.
func findChain(f *ssair.Func, inner bool) *chain {
	order := map[*ssair.Op]int{}
	var starts []ssair.Use // of an empty slice, or of a new one with Arg < 0
	grows := false
	f.Body.Walk(func(o *ssair.Op) bool {
		order[o] = len(order)
		switch o.Kind {
		case ssair.Append, ssair.AppendSlice:
			grows = true
			if empty(o.Args[0]) {
				starts = append(starts, ssair.Use{Op: o})
			}
		case ssair.Loop:
			for k := range o.Carried() {
				if empty(o.Args[k]) {
					starts = append(starts, ssair.Use{Op: o, Arg: k})
				}
			}
		case ssair.MakeSlice:
			if !empty(o.Result()) {
				starts = append(starts, ssair.Use{Op: o, Arg: -1})
			}
		}
		return true
	})
	if !grows {
		return nil
	}
	uses := ssair.UsesIn(f.Body)
	var al *Aliases
	for _, u := range starts {
		c := &chain{f: f, uses: uses, order: order, member: map[*ssair.Value]bool{}}
		if !c.start(u) || !c.joined() || !c.linear() || !c.bounded() {
			continue
		}
		if al == nil {
			al = FindAliases(f)
		}
		if !c.observed(al, inner) {
			return c
		}
	}
	return nil
}

// start collects the states that come from u. It reports whether they grow.
func (c *chain) start(u ssair.Use) bool {
	c.at, c.entry = u.Op, u.Arg
	var first *ssair.Value
	if u.Arg >= 0 {
		first = u.Op.Args[u.Arg]
		c.follow(u)
	} else {
		c.made = u.Op
		first = u.Op.Result()
		if n, ok := ConstInt(c.made.Args[0]); ok && n == 0 {
			var next []ssair.Use
			for _, u := range c.uses[first] {
				switch {
				case passesOn(u):
					next = append(next, u)
				case u.Op.Kind != ssair.Len:
					return false
				}
			}
			if len(next) != 1 {
				return false
			}
			c.at, c.entry = next[0].Op, next[0].Arg
		}
		c.add(first)
	}
	elem := ssair.ElemType(first.Type)
	return len(c.appends) > 0 && elem != nil && !ssair.HoldsRef(elem)
}

func (c *chain) add(v *ssair.Value) {
	if c.member[v] {
		return
	}
	c.member[v] = true
	c.states = append(c.states, v)
	for _, u := range c.uses[v] {
		c.follow(u)
	}
}

// follow adds the states that come from a state by the use u.
func (c *chain) follow(u ssair.Use) {
	o := u.Op
	switch {
	case !passesOn(u):
	case o.Kind == ssair.Loop:
		c.addCarried(o, u.Arg)
	case o.Kind != ssair.Yield:
		if !c.member[o.Result()] {
			c.appends = append(c.appends, o)
			c.add(o.Result())
		}
	default:
		p, k := o.Parent.Parent, u.Arg
		if p.Kind == ssair.If {
			c.add(p.Results[k])
			break
		}
		if o.Parent == p.BodyRegion() && p.Loop.Break {
			k--
		}
		c.addCarried(p, k)
	}
}

func (c *chain) addCarried(loop *ssair.Op, k int) {
	c.add(loop.Results[k])
	for _, r := range loop.Regions {
		c.add(r.Params[k])
	}
}

// passesOn reports whether the use u of a state makes the next one.
func passesOn(u ssair.Use) bool {
	switch u.Op.Kind {
	case ssair.Append, ssair.AppendSlice:
		return u.Arg == 0
	case ssair.Loop:
		return u.Arg < u.Op.Carried()
	}
	return u.Op.Kind == ssair.Yield
}

// joined reports whether all that meets in a state are states.
func (c *chain) joined() bool {
	for _, v := range c.states {
		if !c.at.Parent.Contains(v.Region()) && v.Def != c.made {
			return false
		}
		d := v.Def
		switch {
		case d == nil && v.Home.Parent == nil:
			return false
		case d == nil:
			if !c.carried(v.Home.Parent, indexOf(v.Home.Params, v)) {
				return false
			}
		case d.Kind == ssair.Loop:
			if !c.carried(d, indexOf(d.Results, v)) {
				return false
			}
		case d.Kind == ssair.If:
			k := indexOf(d.Results, v)
			for _, r := range d.Regions {
				if t := r.Term(); t.Kind == ssair.Yield && !c.member[t.Args[k]] {
					return false
				}
			}
		}
	}
	return true
}

// carried reports whether the carried value k of a loop is a state throughout.
func (c *chain) carried(o *ssair.Op, k int) bool {
	if o.Loop.Break || !c.member[o.Args[k]] && !(o == c.at && k == c.entry) {
		return false
	}
	for _, r := range o.Regions[1:] {
		if t := r.Term(); t.Kind == ssair.Yield && !c.member[t.Args[k]] {
			return false
		}
	}
	return true
}

// linear reports whether nothing uses a state once there is a next one, and whether what
// uses it before leaves no reference to its memory behind.
func (c *chain) linear() bool {
	for _, v := range c.states {
		uses := c.uses[v]
		for _, n := range uses {
			if n.Op.Kind == ssair.Cmp || n.Op.Kind == ssair.Cap {
				return false
			}
			if !passesOn(n) {
				continue
			}
			if n.Op.Parent.Loop() != v.Region().Loop() {
				return false
			}
			for _, u := range uses {
				if u != n && c.order[u.Op] >= c.order[n.Op] && !exclusive(u.Op, n.Op) || !passesOn(u) && !passing(u) {
					return false
				}
			}
		}
	}
	return true
}

// exclusive reports whether a and b stand in the two arms of an if.
func exclusive(a, b *ssair.Op) bool {
	arms := map[*ssair.Op]*ssair.Region{}
	for r := a.Parent; r.Parent != nil; r = r.Parent.Parent {
		arms[r.Parent] = r
	}
	for r := b.Parent; r.Parent != nil; r = r.Parent.Parent {
		if arm := arms[r.Parent]; arm != nil {
			return arm != r && r.Parent.Kind == ssair.If
		}
	}
	return false
}

// passing reports whether the use u of a slice of numbers keeps no reference to it.
func passing(u ssair.Use) bool {
	switch u.Op.Kind {
	case ssair.Load, ssair.Store, ssair.Accum:
		return u.Arg == 0
	case ssair.AppendSlice, ssair.Len, ssair.Copy, ssair.Clear:
		return true
	case ssair.Loop: // a range over it
		return u.Arg >= u.Op.Carried()
	}
	return false
}

// observed reports whether anything can ask for the capacity of the slice, append to it
// elsewhere or compare it with nil.
func (c *chain) observed(al *Aliases, inner bool) bool {
	sites := RootSet{}
	own := map[*ssair.Op]bool{}
	for _, o := range c.appends {
		own[o] = true
		if r := al.Site(o); r != nil {
			sites[r] = true
		}
	}
	if c.made != nil {
		sites[al.Site(c.made)] = true
	}
	return grown(c.f, al, sites, own, inner)
}
