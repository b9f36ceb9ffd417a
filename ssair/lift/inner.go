package lift

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/quabla/quabla/ssair"
)

// inner lifts a derivative inside of code, a call of rt.Deriv, rt.Grad or rt.JVP. The
// function that is differentiated becomes one of the module. Its last parameter is the
// one that varies; what it captures comes in front, and is constant for this
// derivative.
func (fr *frame) inner(e ast.Node, name string, args []val) []val {
	x := fr.need(e, args[1])
	fr.smooth(e, name, "an argument", x.Type)
	callee, ops := fr.innerFunc(e, name, args[0].clos, x.Type)
	y := callee.Results[0].Type
	fr.smooth(e, name, "a result", y)
	kind, results := ssair.JVP, []types.Type{y, y}
	ops = append(ops, x)
	switch name {
	case "Deriv":
		ops = append(ops, fr.b.Float(1, x.Type))
	case "JVP":
		ops = append(ops, fr.need(e, args[2]))
	case "Grad":
		kind, results = ssair.Grad, []types.Type{x.Type}
	}
	o := fr.b.Op(kind, ops, results...)
	o.Callee = callee
	o.Pos = e.Pos()
	if name == "Deriv" {
		return one(o.Results[1])
	}
	vals := make([]val, len(o.Results))
	for i, r := range o.Results {
		vals[i] = val{v: r}
	}
	return vals
}

// innerFunc returns the function that rt.name is applied to, and what its parameters
// in front of the last one are given.
func (fr *frame) innerFunc(e ast.Node, name string, c *closure, x types.Type) (f *ssair.Func, ops []*ssair.Value) {
	switch {
	case c == nil:
		fr.refuse(e, "pass a function literal or a declared function, or choose between functions with if or switch around rt."+name,
			"cannot take rt.%s of a function value that is not known statically", name)
	case c.lit != nil:
		var capt []*variable
		f, capt = fr.separateClosure(e, c, nil, false)
		ops = fr.operands(capt)
	case c.self != nil:
		fr.refuse(e, "pass a function literal that calls it", "cannot take rt.%s of a method bound to a function", name)
	case c.fn != nil:
		f = fr.wrapFunc(e, c, x)
		if c.recv != nil {
			ops = append(ops, c.recv)
		}
	default:
		fr.refuse(e, "pass a function literal or a declared function", "cannot take rt.%s of the body of a range-over-func loop", name)
	}
	if fr.root.failed {
		panic(refusal{})
	}
	return f, ops
}

// wrapFunc makes a function of the module that calls c with one argument.
func (fr *frame) wrapFunc(e ast.Node, c *closure, t types.Type) *ssair.Func {
	f := fr.l.Mod.NewFunc(fr.root.name + "." + c.fn.Name())
	f.Pos = e.Pos()
	sub := &frame{l: fr.l, name: f.Name, info: fr.info, subst: fr.subst, irfn: f, b: ssair.NewBuilder(f.Body), last: e, vars: map[*types.Var]*variable{}}
	sub.root = sub
	sub.b.Pos = e.Pos()
	wrapped := *c
	if c.recv != nil {
		wrapped.recv = f.AddParam("recv", c.recv.Type)
	}
	x := f.AddParam("x", t)
	y := sub.need(e, sub.callClosure(e, &wrapped, one(x))[0])
	f.Results = []ssair.Result{{Type: y.Type}}
	sub.b.Return(y)
	if len(sub.orders) > 0 {
		sub.l.pending = append(sub.l.pending, func() bool { return sub.l.checkOrders(f, sub.orders) })
	}
	return f
}

// smooth refuses types whose derivative would not be a value of the same type.
func (fr *frame) smooth(e ast.Node, name, what string, t types.Type) {
	why := ""
	switch {
	case !ssair.ReachesScalar(t):
		why = "holds no floats"
	default:
		why = fr.unmakeable(t, nil)
	}
	if why != "" {
		fr.refuse(e, "use floats, or structs, arrays, slices, maps and pointers that hold them",
			"cannot take rt.%s of a function with %s of type %s, which %s", name, what, t, why)
	}
}

// unmakeable says why no new value of type t can be made that holds derivatives, or
// returns "".
func (fr *frame) unmakeable(t types.Type, seen []types.Type) string {
	if !ssair.ReachesScalar(t) || ssair.IsScalar(t) {
		return ""
	}
	if slices.ContainsFunc(seen, func(s types.Type) bool { return types.Identical(s, t) }) {
		return "is recursive"
	}
	seen = append(seen, t)
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for f := range u.Fields() {
			if !f.Exported() && f.Pkg() != fr.l.Mod.Pkg {
				return "has fields that package " + f.Pkg().Name() + " does not export"
			}
			if why := fr.unmakeable(f.Type(), seen); why != "" {
				return why
			}
		}
		return ""
	case *types.Pointer:
		return fr.unmakeable(u.Elem(), seen)
	case *types.Map:
		if ssair.HoldsScalar(u.Key()) {
			return "has keys that hold floats"
		}
		return fr.unmakeable(u.Elem(), seen)
	case *types.Slice, *types.Array:
		return fr.unmakeable(ssair.ElemType(t), seen)
	case *types.Interface:
		return "holds an interface"
	case *types.Signature:
		return "holds a function"
	}
	return "is opaque"
}
