package compile

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"github.com/quabla/quabla/analyze"
	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// A derivative relies on memory being separate where something is written: the
// adjoint of a place is kept in the place of the same name in the destination. So
// what a derived function writes to, be it a destination or a parameter that the
// function itself changes, must overlap nothing else, and its own parts must not
// overlap one another. That is checked on entry.

// overlaps builds the checks.
func (c *checker) overlaps(slots []analyze.Slot, written map[int]bool) {
	ps := c.u.fn.Params
	for i, s := range slots {
		if !c.readable(i) {
			if _, ok := s.Type.Underlying().(*types.Slice); ok { // of the matrices of a batch
				c.rt("Distinct", fmt.Sprintf("%s: parts of %s", c.name(), s.Name), ps[i])
			}
			continue
		}
		if written[i] {
			c.among(ps[i], fmt.Sprintf("%s: parts of %s", c.name(), s.Name))
		}
		for j := i + 1; j < len(slots); j++ {
			if t := slots[j]; c.readable(j) && (written[i] || written[j]) {
				c.apart(ps[i], ps[j], fmt.Sprintf("%s: %s and %s", c.name(), s.Name, t.Name))
			}
		}
	}
}

// separate builds the checks for destinations that are no parameters of the public
// function, but of the one that it returns.
func (c *checker) separate(dests, others []*ssair.Value) {
	for i, d := range dests {
		c.among(d, fmt.Sprintf("%s: parts of %s", c.name(), d.Name()))
		for _, x := range slices.Concat(dests[i+1:], others) {
			c.apart(d, x, fmt.Sprintf("%s: %s and %s", c.name(), d.Name(), x.Name()))
		}
	}
}

// readable reports whether generated code can look into what parameter i refers to.
func (c *checker) readable(i int) bool {
	e, k := c.u.origin(i)
	role := e.Sig.All()[k].Role
	return role != analyze.Matrix && role != analyze.PullbackFunc
}

// apart checks that x and y share no memory.
func (c *checker) apart(x, y *ssair.Value, what string) {
	if c.opened(x, func(x *ssair.Value) { c.apart(x, y, what) }) || c.opened(y, func(y *ssair.Value) { c.apart(x, y, what) }) {
		return
	}
	xr, yr := isRows(x.Type), isRows(y.Type)
	if xr || yr {
		// Slices of slices, the common case, have functions of their own.
		switch {
		case xr && yr && types.Identical(rowType(x.Type), rowType(y.Type)):
			c.rt("SeparateRows", what, x, y)
			return
		case xr && types.Identical(rowType(x.Type), y.Type):
			c.rt("NoOverlapRows", what, y, x)
			return
		case yr && types.Identical(x.Type, rowType(y.Type)):
			c.rt("NoOverlapRows", what, x, y)
			return
		}
	}
	nx, ny := pieceCount(x.Type, nil), pieceCount(y.Type, nil)
	if nx == 0 || ny == 0 {
		return
	}
	if nx*ny > maxPieces {
		if meet(x.Type, y.Type) {
			c.rt("Separate", what, x, y)
		}
		return
	}
	c.pieces(x, func(p *ssair.Value) {
		c.pieces(y, func(q *ssair.Value) { c.piecesApart(p, q, what) })
	})
}

// piecesApart checks two slices or pointers.
func (c *checker) piecesApart(p, q *ssair.Value, what string) {
	_, pm := p.Type.Underlying().(*types.Map)
	_, qm := q.Type.Underlying().(*types.Map)
	if pm && qm && types.Identical(p.Type, q.Type) {
		c.rt("Separate", what, p, q)
	}
	if pm || qm {
		return
	}
	s, t := pointed(p.Type), pointed(q.Type)
	if !pass.Overlap(s, t) {
		return
	}
	_, ps := p.Type.Underlying().(*types.Slice)
	_, qs := q.Type.Underlying().(*types.Slice)
	switch {
	case ps && qs:
		c.rt("NoOverlap", what, p, q)
	case ps:
		c.rt("NotIn", what, q, p)
	case qs:
		c.rt("NotIn", what, p, q)
	default:
		c.rt("NoAlias", what, p, q)
	}
}

// among checks that the parts of x do not overlap one another.
func (c *checker) among(x *ssair.Value, what string) {
	switch n := pieceCount(x.Type, nil); {
	case n <= 1:
	case isRows(x.Type):
		c.rt("DistinctRows", what, x)
	case ssair.Irregular(x.Type): // its shadow shares what it shares: SameShape
	case n*(n-1)/2 > maxPieces || forks(x.Type):
		c.rt("Distinct", what, x)
	default:
		var before []*ssair.Value
		c.pieces(x, func(p *ssair.Value) {
			for _, q := range before {
				c.piecesApart(p, q, what)
			}
			before = append(before, p)
		})
	}
}

// maxPieces is the number of pairs of pieces that are compared one by one.
const maxPieces = 3

// pieceCount returns the number of slices and pointers to numbers in a value of
// type t, or a large number if there are different numbers of them.
func pieceCount(t types.Type, seen []types.Type) int {
	const many = 1000
	if !ssair.RefersToScalar(t) {
		return 0
	}
	switch u := t.Underlying().(type) {
	case *types.Slice:
		if ssair.RefersToScalar(u.Elem()) {
			return many
		}
		return 1
	case *types.Pointer:
		if listed(seen, t) {
			return many
		}
		return min(1+pieceCount(u.Elem(), append(seen[:len(seen):len(seen)], t)), many)
	case *types.Struct:
		n := 0
		for f := range u.Fields() {
			n += pieceCount(f.Type(), seen)
		}
		return min(n, many)
	case *types.Array:
		return int(min(u.Len()*int64(pieceCount(u.Elem(), seen)), many))
	case *types.Map:
		if !ssair.HoldsRef(u.Elem()) {
			return 1
		}
	}
	return many
}

// meet reports whether values of the two types can reach the same memory.
func meet(x, y types.Type) bool {
	var xs, ys []types.Type
	if !memories(x, &xs) || !memories(y, &ys) {
		return true
	}
	for _, s := range xs {
		for _, t := range ys {
			if pass.Overlap(s, t) {
				return true
			}
		}
	}
	return false
}

// memories adds the types of the variables that a value of type t can reach. It
// reports false if they are not known.
func memories(t types.Type, list *[]types.Type) bool {
	if !ssair.RefersToScalar(t) {
		return true
	}
	add := func(v types.Type) bool {
		if listed(*list, v) {
			return true
		}
		*list = append(*list, v)
		return memories(v, list)
	}
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return add(u.Elem())
	case *types.Pointer:
		return add(u.Elem())
	case *types.Map:
		// The variables in a map are those of no slice or pointer.
		if !listed(*list, t) {
			*list = append(*list, t)
			return memories(u.Elem(), list)
		}
		return true
	case *types.Array:
		return memories(u.Elem(), list)
	case *types.Struct:
		for f := range u.Fields() {
			if !memories(f.Type(), list) {
				return false
			}
		}
		return true
	}
	return false
}

// forks reports whether there is a pointer beside something else in a value of type
// t: what it points to is looked at only if it is not nil.
func forks(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return forks(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if _, ok := f.Type().Underlying().(*types.Pointer); ok || forks(f.Type()) {
				return true
			}
		}
	case *types.Array:
		_, ok := u.Elem().Underlying().(*types.Pointer)
		return ok || forks(u.Elem())
	}
	return false
}

// pieces calls visit for the slices and pointers to numbers that x consists of, of
// which there are a fixed number.
func (c *checker) pieces(x *ssair.Value, visit func(p *ssair.Value)) {
	t := x.Type
	if !ssair.RefersToScalar(t) {
		return
	}
	switch u := t.Underlying().(type) {
	case *types.Slice, *types.Map:
		visit(x)
	case *types.Pointer:
		c.ifNot(x, func() {
			if c.u.lifter.Opened(u.Elem()) == nil { // otherwise it is not what the caller has
				visit(x)
			}
			if ssair.HoldsRef(u.Elem()) {
				c.pieces(c.b.Load(x, nil), visit)
			}
		})
	case *types.Struct:
		for i := range u.NumFields() {
			c.pieces(c.b.Extract(x, i), visit)
		}
	case *types.Array:
		for i := range int(u.Len()) {
			c.pieces(c.b.Extract(x, i), visit)
		}
	}
}

// ifNot builds what is done if the pointer p is not nil.
func (c *checker) ifNot(p *ssair.Value, then func()) {
	if c.followed[p] {
		then()
		return
	}
	outer := c.b
	op := outer.If(outer.Cmp(token.NEQ, p, outer.Zero(p.Type)))
	c.b = outer.At(op.Regions[0])
	then()
	c.b.Yield()
	outer.At(op.Regions[1]).Yield()
	c.b = outer
}

// isRows reports whether t is a slice of slices of what holds no references.
func isRows(t types.Type) bool {
	r := rowType(t)
	if r == nil {
		return false
	}
	s, ok := r.Underlying().(*types.Slice)
	return ok && ssair.HoldsScalar(s.Elem()) && !ssair.HoldsRef(s.Elem())
}

func rowType(t types.Type) types.Type {
	if s, ok := t.Underlying().(*types.Slice); ok {
		return s.Elem()
	}
	return nil
}

// pointed returns the type of what a slice or pointer refers to.
func pointed(t types.Type) types.Type {
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return u.Elem()
	case *types.Pointer:
		return u.Elem()
	}
	return nil
}

func listed(seen []types.Type, t types.Type) bool {
	for _, s := range seen {
		if types.Identical(s, t) {
			return true
		}
	}
	return false
}
