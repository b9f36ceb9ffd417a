package compile

import (
	"go/types"

	"github.com/quabla/quabla/analyze"
	"github.com/quabla/quabla/ssair"
)

// A verb passes the parameters of its function on. origin returns the expression
// that gave parameter i of the request its role, and its index there: for dx of
// jvp(grad(F, x), x) that is grad(F, x).
func (u *unit) origin(i int) (*analyze.Expr, int) {
	e := u.req.Expr
	for {
		s := e.Sig.All()[i]
		if e.Verb == "" || s.Role != analyze.Primal {
			return e, i
		}
		e, i = e.Fn, s.Of
	}
}

// like returns the parameter of the request that parameter i must have the shape
// of, and the expression in which the two meet, or nil if there is none.
func (u *unit) like(i int) (*analyze.Expr, int) {
	e, k := u.origin(i)
	s := e.Sig.All()[k]
	switch s.Role {
	case analyze.Adjoint, analyze.Product, analyze.Direction, analyze.Tangent:
	default:
		return nil, 0
	}
	if s.OfResult {
		return nil, 0
	}
	for j := range u.req.Derived.All() {
		at, k := u.req.Expr, j
		for at != e && at.Sig.All()[k].Role == analyze.Primal {
			at, k = at.Fn, at.Sig.All()[k].Of
		}
		if t := at.Sig.All()[k]; at == e && t.Role == analyze.Primal && t.Of == s.Of {
			return e, j
		}
	}
	return nil, 0
}

// alike checks that d has the shape of p. They are the parameters i and k of e, and
// at is where the one belongs to the other. A batch on the way there may have an axis
// for only one of them.
func (c *checker) alike(e, at *analyze.Expr, d, p *ssair.Value, i, k int, dn, pn string) {
	if e == at || abreast(e, at, i, k) {
		c.shape(d, p, dn, pn)
		return
	}
	i, k = e.Sig.All()[i].Of, e.Sig.All()[k].Of
	if e.Verb != analyze.VMap {
		c.alike(e.Fn, at, d, p, i, k, dn, pn)
		return
	}
	batch := d
	if !e.Sig.Batched[i] {
		batch = p
	}
	c.each(c.b.Len(batch), func(n *ssair.Value) {
		d, p, dn, pn := d, p, dn, pn
		if e.Sig.Batched[i] {
			d, dn = c.member(d, e.Fn.Sig.All()[i].Type, n), dn+subscript(dn)
		}
		if e.Sig.Batched[k] {
			p, pn = c.member(p, e.Fn.Sig.All()[k].Type, n), pn+subscript(pn)
		}
		c.alike(e.Fn, at, d, p, i, k, dn, pn)
	})
}

// abreast reports whether the parameters i and k of e have the same batch axes down
// to at.
func abreast(e, at *analyze.Expr, i, k int) bool {
	for e != at {
		di, dk := e.Sig.All()[i].Of, e.Sig.All()[k].Of
		if e.Verb == analyze.VMap && e.Sig.Batched[di] != e.Sig.Batched[dk] {
			return false
		}
		e, i, k = e.Fn, di, dk
	}
	return true
}

// member returns what a function with a parameter of type t gets for member n of a
// batch.
func (c *checker) member(batch *ssair.Value, t types.Type, n *ssair.Value) *ssair.Value {
	if e := ssair.ElemType(batch.Type); types.Identical(e, t) || types.Identical(e, c.u.lifter.Inside(t)) {
		return c.b.Load(batch, []ssair.Step{ssair.Elem}, n)
	}
	return c.b.Addr(batch, []ssair.Step{ssair.Elem}, n)
}
