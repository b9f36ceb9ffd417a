package compile

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"github.com/quabla/quabla/analyze"
	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// checks puts the checks of a public function in front of its body: shapes of
// destinations, directions and tangents agree with those of the parameters that
// they belong to, and they share no memory with other parameters.
func (u *unit) checks() {
	c := &checker{u: u, b: ssair.NewBuilder(u.fn.Body)}
	if len(u.fn.Body.Ops) == 0 {
		return
	}
	written := u.changed()
	c.b.Before = u.fn.Body.Ops[0]
	c.b.Safe = true
	c.b.Pos = u.req.Pos
	slots := u.req.Derived.All()
	primal := map[int]*ssair.Value{}
	for i, s := range slots {
		if s.Role == analyze.Primal {
			primal[s.Of] = u.fn.Params[i]
		}
	}
	c.follow(primal)
	for i, s := range slots {
		if at, k := u.like(i); at != nil {
			c.alike(u.req.Expr, at, u.fn.Params[i], u.fn.Params[k], i, k, s.Name, slots[k].Name)
		}
	}
	c.overlaps(slots, written)
}

// changed is written, but what the function does with the parameters of the function itself is what
// that function does, which is easier to see there; directions go with them.
func (u *unit) changed() map[int]bool {
	w := u.written()
	if u.primal == nil || u.req.Expr.Fn == nil || u.req.Expr.Fn.Verb != "" {
		return w
	}
	changed := pass.Written(u.primal)
	for i, s := range u.req.Derived.All() {
		if (s.Role == analyze.Primal || s.Role == analyze.Direction) && !s.OfResult {
			w[i] = w[i] && changed[s.Of]
		}
	}
	return w
}

type checker struct {
	u *unit
	b *ssair.Builder
	// followed holds pointers that the function follows in any case: it panics
	// if they are nil.
	followed map[*ssair.Value]bool
	some     bool // a check was made
	shadows  bool // shapes are those of shadows
}

// follow fills followed for the parameters of the function.
func (c *checker) follow(primal map[int]*ssair.Value) {
	c.followed = map[*ssair.Value]bool{}
	if c.u.primal == nil || c.u.req.Expr.Fn == nil || c.u.req.Expr.Fn.Verb != "" {
		return
	}
	for _, o := range c.u.primal.Body.Ops {
		if len(o.Regions) > 0 || o.Kind == ssair.Call || o.Kind == ssair.Opaque {
			return
		}
		if o.Kind == ssair.Load || o.Kind == ssair.Store || o.Kind == ssair.Accum {
			for i, p := range c.u.primal.Params {
				if o.Base() == p && ssair.Deref(p.Type) != nil {
					c.followed[primal[i]] = true
				}
			}
		}
	}
}

func (c *checker) name() string {
	return c.u.env.pkg.Types.Name() + "." + c.u.title()
}

func (c *checker) text(s string) *ssair.Value {
	return c.b.Const(constant.MakeString(s), ssair.String)
}

// panicIf panics with a message if cond holds.
func (c *checker) panicIf(cond *ssair.Value, msg string) {
	c.some = true
	panicIf(c.b, cond, c.name()+": "+msg)
}

// panicIf panics with a message if cond holds.
func panicIf(b *ssair.Builder, cond *ssair.Value, msg string) {
	op := b.If(cond)
	in := b.At(op.Regions[0])
	m := in.Const(constant.MakeString(msg), ssair.String)
	in.Op(ssair.Panic, []*ssair.Value{in.Op(ssair.MakeIface, []*ssair.Value{m}, types.NewInterfaceType(nil, nil)).Result()})
	in.Op(ssair.Unreachable, nil)
	b.At(op.Regions[1]).Yield()
}

// shape checks that d has the shape of p.
func (c *checker) shape(d, p *ssair.Value, dn, pn string) {
	t := p.Type
	if ssair.Irregular(t) && ssair.HoldsRef(t) {
		c.rt("SameShape", c.name(), c.text(dn), c.text(pn), d, p)
		return
	}
	switch u := t.Underlying().(type) {
	case *types.Slice:
		if !ssair.ReachesScalar(u.Elem()) {
			return
		}
		c.panicIf(c.b.Cmp(token.NEQ, c.b.Len(d), c.b.Len(p)), fmt.Sprintf("len(%s) != len(%s)", dn, pn))
		if ssair.RefersToScalar(u.Elem()) {
			c.each(c.b.Len(p), func(i *ssair.Value) {
				c.place(d, p, []ssair.Step{ssair.Elem}, []*ssair.Value{i}, u.Elem(), dn+subscript(dn), pn+subscript(pn))
			})
		}
	case *types.Pointer:
		if !ssair.ReachesScalar(u.Elem()) {
			return
		}
		missing := c.b.Cmp(token.EQL, d, c.b.Zero(d.Type))
		if !c.followed[p] {
			missing = c.b.Bin(token.AND, missing, c.b.Cmp(token.NEQ, p, c.b.Zero(t)))
		}
		c.panicIf(missing, dn+" is nil")
		if c.u.lifter.Opened(u.Elem()) != nil {
			c.ifNot(p, func() { c.sameParts(d, p, dn, pn) })
		} else if ssair.HoldsRef(u.Elem()) {
			c.ifNot(p, func() { c.place(d, p, nil, nil, u.Elem(), dn, pn) })
		}
	case *types.Map:
		if ssair.ReachesScalar(u.Elem()) {
			c.panicIf(c.b.Bin(token.AND, c.b.Cmp(token.EQL, d, c.b.Zero(d.Type)), c.b.Cmp(token.NEQ, p, c.b.Zero(t))), dn+" is nil")
		}
	case *types.Struct, *types.Array:
		// The destination of a struct is a pointer to one.
		if ssair.Deref(d.Type) == nil || !types.Identical(ssair.Deref(d.Type), t) {
			return
		}
		c.panicIf(c.b.Cmp(token.EQL, d, c.b.Zero(d.Type)), dn+" is nil")
		cell := c.b.Alloc(t, nil)
		c.b.Store(cell, nil, p)
		c.place(d, cell, nil, nil, t, dn, pn)
	}
}

// place checks the references inside two places of type t.
func (c *checker) place(d, p *ssair.Value, path []ssair.Step, idx []*ssair.Value, t types.Type, dn, pn string) {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for i := range u.NumFields() {
			f := u.Field(i)
			if ssair.RefersToScalar(f.Type()) {
				c.place(d, p, append(path[:len(path):len(path)], ssair.Field(i)), idx, f.Type(), dn+"."+f.Name(), pn+"."+f.Name())
			}
		}
	case *types.Slice, *types.Pointer, *types.Map:
		if ssair.ReachesScalar(t) {
			c.shape(c.b.Load(d, path, idx...), c.b.Load(p, path, idx...), dn, pn)
		}
	}
}

// each builds a loop over 0 <= i < n.
func (c *checker) each(n *ssair.Value, body func(i *ssair.Value)) { c.b.Each(n, "i", body) }

// rt calls a function of package rt for its effect.
func (c *checker) rt(name, what string, args ...*ssair.Value) {
	fn := c.u.rt(name).(*types.Func)
	c.some = true
	o := c.b.Op(ssair.Opaque, append([]*ssair.Value{c.text(what)}, args...))
	o.Obj = fn
}

// rt returns an object of package rt, which units has found to be there.
func (u *unit) rt(name string) types.Object {
	pkg, err := u.env.prog.Import(rtPath)
	if err != nil {
		panic(err)
	}
	return pkg.Scope().Lookup(name)
}

const rtPath = "github.com/quabla/quabla/rt"

// subscript returns the next index for the name of a place: [i], behind that [j].
func subscript(name string) string {
	return "[" + string(rune('i'+strings.Count(name, "["))) + "]"
}
