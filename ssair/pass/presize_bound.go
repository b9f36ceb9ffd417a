package pass

import (
	"go/token"
	"go/types"
	"slices"

	"github.com/quabla/quabla/ssair"
)

// A term says how many elements appends of which only one runs add at most: each, or as many
// as of has, in each trip of the loops, the innermost first.
type term struct {
	ops   []*ssair.Op
	each  int
	of    *ssair.Value
	loops []*ssair.Op
	// exact says that it adds them in each trip.
	exact bool
}

// bounded finds how far the slice grows. It reports whether that is known in front of c.at.
func (c *chain) bounded() bool {
	for _, o := range c.appends {
		t := term{ops: []*ssair.Op{o}, each: len(o.Args) - 1, exact: true}
		if o.Kind == ssair.AppendSlice {
			if t.of = o.Args[1]; ssair.ElemType(t.of.Type) == nil || c.member[t.of] || !c.known(t.of) {
				return false
			}
		}
		for r := o.Parent; r != c.at.Parent; r = r.Parent.Parent {
			p := r.Parent
			switch {
			case p == nil || p.Kind != ssair.If && p.Kind != ssair.Loop:
				return false
			case p.Kind == ssair.If:
				t.exact = false
			case r == p.Cond() || !c.countable(p):
				return false
			default:
				t.loops = append(t.loops, p)
			}
		}
		// What is rare in a nest of loops would take far too much memory.
		if !t.exact && len(t.loops) > 1 {
			return false
		}
		if !c.beside(t) {
			c.terms = append(c.terms, t)
		}
	}
	if c.made == nil || c.made.Args[1] == nil || NonNegative(c.made.Args[1]) {
		return true
	}
	// A make that may panic: the new one must do so for the same capacities.
	for _, t := range c.terms {
		if c.entry < 0 || t.of != nil || len(t.loops) != 1 || c.trips(nil, t.loops[0]) != c.made.Args[1] {
			return false
		}
	}
	return true
}

// beside adds the append of t to a term of the same size whose appends do not run if it does.
// It reports whether there is one.
func (c *chain) beside(t term) bool {
	for i, u := range c.terms {
		same := u.each == t.each && u.of == t.of && slices.Equal(u.loops, t.loops)
		if same && !slices.ContainsFunc(u.ops, func(o *ssair.Op) bool { return !exclusive(o, t.ops[0]) }) {
			c.terms[i].ops = append(u.ops, t.ops[0])
			return true
		}
	}
	return false
}

// countable reports whether the number of trips of loop o is known in front of c.at.
func (c *chain) countable(o *ssair.Op) bool {
	n := Counted(o)
	if n == nil || o.Loop.Break || n.Step != 1 || n.Offset != 0 || o.Results[n.Index].Type != ssair.Int ||
		o.BodyRegion().Term().Kind != ssair.Yield {
		return false
	}
	return c.known(n.Bound) && c.known(o.Args[n.Index])
}

// known reports whether v can be computed in front of c.at.
func (c *chain) known(v *ssair.Value) bool {
	d := v.Def
	if d == nil {
		return v.Region() == nil || v.Home == nil || v.Home.Contains(c.at.Parent)
	}
	if d.Parent.Contains(c.at.Parent) && c.order[d] < c.order[c.at] {
		return true
	}
	return cheap(d) && c.allKnown(d.Args)
}

func (c *chain) allKnown(vs []*ssair.Value) bool {
	for _, v := range vs {
		if v != nil && !c.known(v) {
			return false
		}
	}
	return true
}

// cheap reports whether o is a computation with integers that cannot panic.
func cheap(o *ssair.Op) bool {
	switch o.Kind {
	case ssair.Const, ssair.Len:
		return true
	case ssair.Bin:
		return o.Result().Type == ssair.Int && (o.Tok == token.ADD || o.Tok == token.SUB || o.Tok == token.MUL)
	}
	return false
}

// value computes v, which is known, at the place of b.
func (c *chain) value(b *ssair.Builder, v *ssair.Value) *ssair.Value {
	d := v.Def
	if d == nil || d.Kind != ssair.Const && d.Parent.Contains(c.at.Parent) && c.order[d] < c.order[c.at] {
		return v
	}
	m := ssair.ValueMap{}
	for _, a := range d.Args {
		if a != nil {
			m[a] = c.value(b, a)
		}
	}
	return b.CloneOp(d, m).Result()
}

// trips builds the number of trips of loop o. Without a builder it is nil unless it is
// nothing but the bound.
func (c *chain) trips(b *ssair.Builder, o *ssair.Op) *ssair.Value {
	n := Counted(o)
	init := o.Args[n.Index]
	zero, isConst := ConstInt(init)
	if isConst && zero == 0 && !n.Closed {
		if b == nil {
			return n.Bound
		}
		return c.positive(b, c.value(b, n.Bound))
	}
	if b == nil {
		return nil
	}
	t := b.Bin(token.SUB, c.value(b, n.Bound), c.value(b, init))
	if n.Closed {
		t = b.Bin(token.ADD, t, b.Int(1))
	}
	return c.positive(b, t)
}

// positive builds max(n, 0).
func (c *chain) positive(b *ssair.Builder, n *ssair.Value) *ssair.Value {
	if NonNegative(n) || c.made != nil && n == c.made.Args[1] {
		return n
	}
	return b.Apply("max", []types.Type{ssair.Int}, n, b.Int(0)).Result()
}

// size builds the number of elements that t adds in one trip of loop, or, if that is nil, in
// all.
func (c *chain) size(b *ssair.Builder, t term, loop *ssair.Op) *ssair.Value {
	var n *ssair.Value
	if t.of != nil {
		n = b.Len(t.of)
	} else {
		n = b.Int(t.each)
	}
	for _, o := range t.loops {
		if o == loop {
			break
		}
		if k := c.trips(b, o); t.of == nil && t.each == 1 && isOne(n) {
			n = k
		} else {
			n = b.Bin(token.MUL, n, k)
		}
	}
	return n
}

func isOne(v *ssair.Value) bool {
	n, ok := ConstInt(v)
	return ok && n == 1
}

// total builds the number of elements that the slice gets at most.
func (c *chain) total(b *ssair.Builder) *ssair.Value {
	var n *ssair.Value
	if c.entry < 0 {
		n = c.made.Args[0]
	}
	for _, t := range c.terms {
		n = plus(b, n, c.size(b, t, nil))
	}
	return n
}

// plus builds n + k; nil stands for zero.
func plus(b *ssair.Builder, n, k *ssair.Value) *ssair.Value {
	if n == nil {
		return k
	}
	return b.Bin(token.ADD, n, k)
}

// NonNegative reports whether the integer v cannot be negative, as far as that is known from
// how it is counted.
func NonNegative(v *ssair.Value) bool { return nonNegative(v, map[*ssair.Value]bool{}) }

// nonNegative is NonNegative where what seen holds is not negative.
func nonNegative(v *ssair.Value, seen map[*ssair.Value]bool) bool {
	if n, ok := ConstInt(v); ok {
		return n >= 0
	}
	if seen[v] {
		return true
	}
	seen[v] = true
	d := v.Def
	if d == nil {
		o := v.Region().Parent
		if o == nil || o.Kind != ssair.Loop {
			return false
		}
		return nonNegative(o.Results[indexOf(v.Home.Params, v)], seen)
	}
	switch d.Kind {
	case ssair.Len, ssair.Cap:
		return true
	case ssair.Bin:
		if d.Tok == token.SUB || d.Tok == token.QUO {
			n, ok := ConstInt(d.Args[1])
			return ok && (d.Tok == token.QUO && n > 0 || n == 0) && nonNegative(d.Args[0], seen)
		}
		return d.Tok == token.ADD && nonNegative(d.Args[0], seen) && nonNegative(d.Args[1], seen)
	case ssair.If:
		k := indexOf(d.Results, v)
		for _, r := range d.Regions {
			if t := r.Term(); t.Kind == ssair.Yield && !nonNegative(t.Args[k], seen) {
				return false
			}
		}
		return true
	case ssair.Loop: // by induction over the trips
		k := indexOf(d.Results, v)
		for _, r := range d.Regions[1:] {
			t := r.Term()
			if t.Kind != ssair.Yield {
				continue
			}
			i := k
			if r == d.BodyRegion() && d.Loop.Break {
				i++
			}
			if !nonNegative(t.Args[i], seen) {
				return false
			}
		}
		return nonNegative(d.Args[k], seen)
	}
	return false
}
