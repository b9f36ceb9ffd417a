package compile

import (
	"fmt"
	"go/token"
	"go/types"

	"github.com/quabla/quabla/analyze"
	"github.com/quabla/quabla/ssair"
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
		if !readable(s) {
			continue
		}
		if written[i] {
			c.among(ps[i], fmt.Sprintf("%s: parts of %s", c.name(), s.Name), nil)
		}
		for j := i + 1; j < len(slots); j++ {
			if t := slots[j]; readable(t) && (written[i] || written[j]) {
				c.apart(ps[i], ps[j], fmt.Sprintf("%s: %s and %s", c.name(), s.Name, t.Name))
			}
		}
	}
}

// readable reports whether generated code can look into what s refers to.
func readable(s analyze.Slot) bool { return s.Role != analyze.Matrix && s.Role != analyze.PullbackFunc }

// apart checks that x and y share no memory.
func (c *checker) apart(x, y *ssair.Value, what string) {
	xr, yr := isRows(x.Type), isRows(y.Type)
	if xr || yr {
		// Slices of slices, the common case, have functions of their own.
		switch {
		case xr && yr && types.Identical(rowType(x.Type), rowType(y.Type)):
			c.each(c.b.Len(x), func(i *ssair.Value) {
				c.rt("NoOverlapRows", what, c.b.Load(x, elemPath, i), y)
			})
			return
		case xr && types.Identical(rowType(x.Type), y.Type):
			c.rt("NoOverlapRows", what, y, x)
			return
		case yr && types.Identical(x.Type, rowType(y.Type)):
			c.rt("NoOverlapRows", what, x, y)
			return
		}
	}
	c.pieces(x, nil, func(p *ssair.Value) {
		c.pieces(y, nil, func(q *ssair.Value) { c.piecesApart(p, q, what) })
	})
}

// piecesApart checks two slices or pointers.
func (c *checker) piecesApart(p, q *ssair.Value, what string) {
	s, t := pointed(p.Type), pointed(q.Type)
	if !within(s, t) && !within(t, s) {
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
func (c *checker) among(x *ssair.Value, what string, seen []types.Type) {
	t := x.Type
	if !ssair.HoldsRef(t) || !ssair.ReachesScalar(t) || listed(seen, t) {
		return
	}
	seen = append(seen[:len(seen):len(seen)], t)
	switch u := t.Underlying().(type) {
	case *types.Slice:
		switch {
		case isRows(t):
			c.rt("DistinctRows", what, x)
		case ssair.HoldsRef(u.Elem()) && ssair.ReachesScalar(u.Elem()) && !listed(seen, u.Elem()):
			c.each(c.b.Len(x), func(i *ssair.Value) {
				a := c.b.Load(x, elemPath, i)
				c.among(a, what, seen)
				c.each(i, func(j *ssair.Value) { c.apart(a, c.b.Load(x, elemPath, j), what) })
			})
		}
	case *types.Pointer:
		if ssair.HoldsRef(u.Elem()) {
			c.ifNot(x, func() { c.among(c.b.Load(x, nil), what, seen) })
		}
	case *types.Struct:
		var parts []*ssair.Value
		for i := range u.NumFields() {
			if f := u.Field(i); ssair.HoldsRef(f.Type()) && ssair.ReachesScalar(f.Type()) {
				p := c.b.Extract(x, i)
				for _, q := range parts {
					c.apart(p, q, what)
				}
				parts = append(parts, p)
				c.among(p, what, seen)
			}
		}
	case *types.Array:
		if u.Len() > 16 {
			return
		}
		for i := range int(u.Len()) {
			for j := range i {
				c.apart(c.b.Extract(x, i), c.b.Extract(x, j), what)
			}
		}
	}
}

// pieces calls visit for every slice and pointer to numbers that x consists of
// or that can be reached from it. Types that contain themselves are followed one
// step.
func (c *checker) pieces(x *ssair.Value, seen []types.Type, visit func(p *ssair.Value)) {
	t := x.Type
	if !ssair.HoldsRef(t) || !ssair.ReachesScalar(t) || listed(seen, t) {
		return
	}
	seen = append(seen[:len(seen):len(seen)], t)
	switch u := t.Underlying().(type) {
	case *types.Slice:
		visit(x)
		if ssair.HoldsRef(u.Elem()) && ssair.ReachesScalar(u.Elem()) && !listed(seen, u.Elem()) {
			c.each(c.b.Len(x), func(i *ssair.Value) { c.pieces(c.b.Load(x, elemPath, i), seen, visit) })
		}
	case *types.Pointer:
		c.ifNot(x, func() {
			visit(x)
			if ssair.HoldsRef(u.Elem()) {
				c.pieces(c.b.Load(x, nil), seen, visit)
			}
		})
	case *types.Struct:
		for i := range u.NumFields() {
			c.pieces(c.b.Extract(x, i), seen, visit)
		}
	case *types.Array:
		if ssair.HoldsRef(u.Elem()) && u.Len() <= 16 {
			for i := range int(u.Len()) {
				c.pieces(c.b.Extract(x, i), seen, visit)
			}
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

var elemPath = []ssair.Step{ssair.Elem}

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

// within reports whether a value of type part can lie inside one of type t.
func within(part, t types.Type) bool {
	if types.Identical(part.Underlying(), t.Underlying()) {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for i := range u.NumFields() {
			if within(part, u.Field(i).Type()) {
				return true
			}
		}
	case *types.Array:
		return within(part, u.Elem())
	case *types.Interface:
		_, param := types.Unalias(t).(*types.TypeParam)
		return param
	}
	return false
}

func listed(seen []types.Type, t types.Type) bool {
	for _, s := range seen {
		if types.Identical(s, t) {
			return true
		}
	}
	return false
}
