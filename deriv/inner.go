package deriv

import (
	"go/types"
	"slices"

	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// Derivatives inside of code: the ops JVP and Grad. They are resolved before anything
// else is done with a function, from the inside out, by putting the derivative of the
// inner function in their place. It is made of ordinary ops, so that an outer
// transform differentiates it like other code: the levels share nothing, and there are
// no perturbations that could be confused.

// Resolve returns f with its inner derivatives resolved, also those of the functions
// that it calls. It is f itself if there are none.
func (d *Deriver) Resolve(f *ssair.Func) (g *ssair.Func, err error) {
	defer recoverRefusal(&err)
	return d.t.resolve(f), nil
}

func (t *transforms) resolve(f *ssair.Func) *ssair.Func {
	if g, ok := t.resolved[f]; ok {
		return g
	}
	if !nests(f) {
		t.resolved[f] = f
		return f
	}
	g := f.CloneFunc(f.Name)
	g.Inner = true
	t.resolved[f], t.resolved[g] = g, g
	t.nested = append(t.nested, g)
	if f.Rule != nil {
		r := *f.Rule
		for _, h := range []**ssair.Func{&r.JVP, &r.VJP, &r.Fwd, &r.Bwd} {
			if *h != nil {
				*h = t.resolve(*h)
			}
		}
		if lifted := r.Lifted; lifted != nil {
			r.Lifted = func(lanes int) *ssair.Func {
				h := lifted(lanes)
				if h != nil {
					h = t.resolve(h)
				}
				return h
			}
		}
		g.Rule = &r
	}
	pass.Tidy(g)
	g.Body.Walk(func(o *ssair.Op) bool {
		if o.Callee != nil {
			o.Callee = t.resolve(o.Callee)
		}
		return true
	})
	for o := firstInner(g); o != nil; o = firstInner(g) {
		t.inner(g, o)
	}
	t.nested = t.nested[:len(t.nested)-1]
	return g
}

func isInner(o *ssair.Op) bool { return o.Kind == ssair.JVP || o.Kind == ssair.Grad }

// firstInner returns the first inner derivative of f, or nil.
func firstInner(f *ssair.Func) (first *ssair.Op) {
	f.Body.Walk(func(o *ssair.Op) bool {
		if first == nil && isInner(o) {
			first = o
		}
		return first == nil
	})
	return first
}

// nests reports whether f, or a function that it calls, has a derivative inside.
func nests(f *ssair.Func) bool {
	found := false
	f.EachCallee(true, func(g *ssair.Func) { found = found || firstInner(g) != nil })
	return found
}

// inner puts the derivative of its callee in the place of o, an op of f.
func (t *transforms) inner(f *ssair.Func, o *ssair.Op) {
	o.Callee.EachCallee(true, func(g *ssair.Func) {
		if slices.Contains(t.nested, g) {
			refuse(o.Pos, "write the recursion as a loop, or give the order of the derivative a bound with a function for each order",
				"cannot differentiate a function inside of %s that calls %s again: there would be no end of orders", g.Name, g.Name)
		}
	})
	callee := t.prepare(o.Callee)
	last := len(callee.Params) - 1
	writes := pass.WrittenNumbers(callee)
	t.separate(f, o, callee, writes)
	// What is captured is constant, also where it is the memory of the argument.
	callee.Params[last].Space = 1
	active := make([]bool, last+1)
	active[last] = true

	b := ssair.NewBuilder(o.Parent)
	b.Before, b.Pos, b.Stmt, b.Call = o, o.Pos, o.Stmt, o.Call
	g := t.mod.NewFunc(t.helper(o.Callee))
	t.mod.Funcs = t.mod.Funcs[:len(t.mod.Funcs)-1] // it is inlined
	repl := map[*ssair.Value]*ssair.Value{}
	var c *ssair.Op
	if o.Kind == ssair.JVP {
		x, dot := o.Args[last], o.Args[last+1]
		t.check(b, dot, x, nameOr(dot, "xDot"), nameOr(x, "x"), false)
		if writes[last] {
			dot = duplicate(b, dot, callee) // its final state is nobody's business
		}
		t.forwardInto(g, callee, active, 1)
		c = call1(b, g, append(o.Args[:last+1:last+1], dot))
		repl[o.Results[0]], repl[o.Results[1]] = c.Results[0], c.Results[1]
		if r := o.Results[1]; ssair.IsAggregate(r.Type) && !ssair.HoldsRef(r.Type) {
			repl[r] = withRest(b, c.Results[1], c.Results[0])
		}
	} else {
		x := o.Args[last]
		t.reverseInto(g, callee, ReverseSpec{
			Active: active, Result: []bool{true}, Param: make([]bool, last+1),
			Unit: true, Add: !writes[last], // the destination is new
		})
		if !ssair.HoldsRef(x.Type) {
			c = call1(b, g, o.Args)
			repl[o.Result()] = c.Results[1]
		} else {
			d := fresh(b, x, needsCap(callee))
			d.Var = o.Result().Var
			dest := d
			if ssair.IsAggregate(x.Type) {
				dest = cell(b, d).base
			}
			c = call1(b, g, append([]*ssair.Value{dest}, o.Args...))
			repl[o.Result()] = d
		}
	}
	for r, v := range repl {
		if v.Var == nil && v.Def != nil {
			v.Var = r.Var
		}
	}
	o.Remove()
	f.Body.ReplaceAll(repl)
	pass.Inline(c)
}

func nameOr(v *ssair.Value, name string) string {
	if n := v.Name(); n != "" {
		return n
	}
	return name
}

// separate refuses an inner function that writes numbers where they may be those of
// another of its parameters, or where one parameter may hold them twice: the memory
// and its derivative are two things for each.
func (t *transforms) separate(f *ssair.Func, o *ssair.Op, callee *ssair.Func, writes map[int]bool) {
	if len(writes) == 0 {
		return
	}
	const hint = "write to memory that the inner function makes itself, and copy what it needs there"
	al := pass.FindAliases(f)
	relinks := false
	f.Body.Walk(func(x *ssair.Op) bool {
		relinks = relinks || isInner(x) && len(pass.Relinked(x.Callee)) > 0
		return true
	})
	for i, p := range callee.Params {
		if !writes[i] {
			continue
		}
		if pieces(p.Type) > 1 {
			refuse(o.Pos, hint, "the function whose derivative is taken here writes numbers through %s, whose parts may share memory", p.Name())
		}
		for j, q := range callee.Params {
			if i == j || !ssair.RefersToScalar(q.Type) {
				continue
			}
			if relinks || al.MayShare(o.Args[i], o.Args[j]) {
				refuse(o.Pos, hint, "the function whose derivative is taken here writes numbers through %s, which may share memory with %s", p.Name(), q.Name())
			}
		}
	}
}

// pieces counts the pieces of memory that hold numbers and can be reached from a value
// of type t by ways of their own; above one it says no more than that.
func pieces(t types.Type) int {
	if !ssair.RefersToScalar(t) {
		return 0
	}
	own := func(t types.Type) int {
		if ssair.HoldsScalar(t) {
			return 1
		}
		return 0
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		n := 0
		for f := range u.Fields() {
			n += pieces(f.Type())
		}
		return n
	case *types.Pointer:
		return own(u.Elem()) + pieces(u.Elem())
	case *types.Slice, *types.Array, *types.Map:
		e := ssair.ElemType(t)
		n := 2 * pieces(e)
		if _, ok := u.(*types.Array); !ok {
			n += own(e)
		}
		return n
	}
	return 2
}
