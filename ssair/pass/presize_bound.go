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
		// What may be rare must not take more memory than data that is there.
		if !t.exact && (len(t.loops) != 1 || !isLength(Counted(t.loops[0]).Bound)) {
			return false
		}
		if !c.beside(t) {
			c.terms = append(c.terms, t)
		}
	}
	return c.made == nil || c.mayReplace()
}

// mayReplace reports whether the new make panics where that of the first state does.
func (c *chain) mayReplace() bool {
	size, capacity := c.made.Args[0], c.made.Args[1]
	if c.entry < 0 { // it has elements
		_, constant := ConstInt(size)
		return NonNegative(size) && (capacity == nil || constant && isConst(capacity))
	}
	if capacity == nil || NonNegative(capacity) {
		return true
	}
	// The new size is a multiple of the capacity.
	for _, t := range c.terms {
		if t.of != nil || len(t.loops) != 1 || !c.fills(t.loops[0]) {
			return false
		}
	}
	return true
}

// fills reports whether the trips of loop o are as many as the capacity that the first state
// was made with.
func (c *chain) fills(o *ssair.Op) bool {
	n := Counted(o)
	first, ok := ConstInt(o.Args[n.Index])
	return c.made != nil && ok && first == 0 && !n.Closed && n.Bound == c.made.Args[1]
}

// isLength reports whether v is the length of something.
func isLength(v *ssair.Value) bool { return v.Def != nil && v.Def.Kind == ssair.Len }

func isConst(v *ssair.Value) bool {
	_, ok := ConstInt(v)
	return ok
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

// trips builds the number of trips of loop o, which is never negative.
func (c *chain) trips(b *ssair.Builder, o *ssair.Op) *ssair.Value {
	n := Counted(o)
	if c.fills(o) {
		return n.Bound // the make panics if it is negative
	}
	t := n.Trips(b, c.value(b, o.Args[n.Index]), c.value(b, n.Bound))
	if NonNegative(t) {
		return t
	}
	return b.Apply("max", []types.Type{ssair.Int}, t, b.Int(0)).Result()
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
