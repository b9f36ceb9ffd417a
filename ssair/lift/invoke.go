package lift

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/types"
	"slices"

	"github.com/quabla/quabla/ssair"
)

// meets takes note of a type of values in interfaces that Implementations does not
// know: one of a package whose types it leaves out, or an instance of a generic type.
// The attempt goes on, and another one finds it among the implementations.
func (l *Lifter) meets(t types.Type) {
	t = l.raw(t)
	base := t
	if p := ssair.Deref(t); p != nil {
		base = p
	}
	n, ok := types.Unalias(base).(*types.Named)
	if !ok || n.Obj().Pkg() == nil || n.TypeArgs().Len() == 0 && n.Obj().Pkg() == l.Mod.Pkg || types.NewMethodSet(t).Len() == 0 {
		return
	}
	if !slices.ContainsFunc(l.met, func(u types.Type) bool { return types.Identical(t, u) }) {
		l.met = append(l.met, t)
	}
}

// implementations returns the known types that implement iface.
func (l *Lifter) implementations(iface *types.Interface) []types.Type {
	list := slices.Clone(l.Env.Implementations(iface))
	for _, t := range l.met {
		if types.Implements(t, iface) && !slices.ContainsFunc(list, func(u types.Type) bool { return types.Identical(t, u) }) {
			list = append(list, t)
		}
	}
	return list
}

// invoke calls a method of an interface: the implementations in the program
// are tried one after another.
func (fr *frame) invoke(e ast.Node, fn *types.Func, recv *ssair.Value, args []val) []val {
	if x := boxed(recv); x != nil { // the dynamic type is known
		m, index, _ := types.LookupFieldOrMethod(fr.l.raw(x.Type), true, fn.Pkg(), fn.Name())
		if mf, ok := m.(*types.Func); ok && !types.IsInterface(mf.Signature().Recv().Type()) {
			return fr.callMethod(e, mf, index, x, args)
		}
	}
	in, m := fr.ofInterface(e, fn)
	if m != nil {
		fn = m
	}
	sig := fn.Signature()
	active := false
	for _, tup := range []*types.Tuple{sig.Params(), sig.Results()} {
		for i := range tup.Len() {
			active = active || ssair.ReachesScalar(tup.At(i).Type())
		}
	}
	fr.l.invoked[fn.Origin()]++
	defer func() { fr.l.invoked[fn.Origin()]-- }()
	iface := recv.Type.Underlying().(*types.Interface)
	open := iface.NumMethods() == 0 // stands for one with methods
	if open {
		iface = fr.subst.apply(fn.Signature().Recv().Type()).Underlying().(*types.Interface)
	}
	var impls []types.Type
	if in != nil {
		impls = fr.l.Env.RuleTypes(in)
	} else {
		impls = fr.l.implementations(iface)
	}
	if !open {
		impls = slices.DeleteFunc(slices.Clone(impls), fr.l.replaced)
	}
	// A method without numbers may still change those of its receiver.
	if named, ok := types.Unalias(recv.Type).(*types.Named); ok && named.Obj().Pkg() != nil && fr.l.Env.Lifts(named.Obj().Pkg()) {
		active = active || slices.ContainsFunc(impls, ssair.ReachesScalar)
	}
	if !active && !open {
		return fr.opaque(e, fn, nil, append(one(recv), args...))
	}
	if len(impls) == 0 {
		fr.refuse(e, "give the interface an implementation in this package, or pass a concrete type",
			"cannot differentiate the call of %s.%s: no implementation of the interface %s is known",
			types.TypeString(recv.Type, types.RelativeTo(fr.l.Mod.Pkg)), fn.Name(), types.TypeString(recv.Type, types.RelativeTo(fr.l.Mod.Pkg)))
	}
	cells := make([]*ssair.Value, sig.Results().Len())
	for i := range cells {
		cells[i] = fr.b.Alloc(fr.typ(sig.Results().At(i).Type()), nil)
	}
	var try func(k int) flow
	try = func(k int) flow {
		if k == len(impls) {
			msg := fr.b.Const(stringConst(fr.l.Mod.Pkg.Name()+"."+fr.root.name+": no derivative of "+fn.Name()), ssair.String)
			fr.b.Op(ssair.Panic, []*ssair.Value{msg, recv})
			return stops
		}
		t := impls[k]
		mt := fr.l.locals.typ(t)
		return fr.ifElse(fr.typeIs(recv, mt), func() flow {
			r := fr.assert(recv, mt, true)
			m, index, _ := types.LookupFieldOrMethod(t, true, fn.Pkg(), fn.Name())
			mf := m.(*types.Func)
			vals := fr.callMethod(e, mf, index, r, args)
			for i, c := range cells {
				fr.b.Store(c, nil, fr.need(e, fr.convert(vals[i], ssair.Deref(c.Type))))
			}
			return fallsThrough
		}, func() flow { return try(k + 1) })
	}
	try(0)
	vals := make([]val, len(cells))
	for i, c := range cells {
		vals[i] = val{v: fr.b.Load(c, nil)}
	}
	return vals
}

// dispatch calls a method of an interface that is being lifted already: a type that
// implements the interface has the method from the interface, which it embeds. The
// call is one of a function of the module, which may call itself.
func (fr *frame) dispatch(e ast.Node, fn *types.Func, recv *ssair.Value, args []val) []val {
	ops := []*ssair.Value{recv}
	for _, a := range args {
		ops = append(ops, fr.need(e, a))
	}
	f := fr.dispatching(e, fn, recv)
	var ts []types.Type
	for _, r := range f.Results {
		ts = append(ts, r.Type)
	}
	o := fr.b.Op(ssair.Call, ops, ts...)
	o.Callee, o.Pos = f, e.Pos()
	var vals []val
	for _, v := range o.Results {
		vals = append(vals, val{v: v})
	}
	return vals
}

// dispatching returns the function of the module that calls the method fn of what an
// interface of the type of recv holds.
func (fr *frame) dispatching(e ast.Node, fn *types.Func, recv *ssair.Value) *ssair.Func {
	key := fmt.Sprintf("%s of %s", fn.FullName(), types.TypeString(recv.Type, nil))
	if f := fr.l.funcs[key]; f != nil {
		return f
	}
	f := fr.l.Mod.NewFunc(recvName(recv.Type) + "." + fn.Name())
	f.Pos = e.Pos()
	fr.l.funcs[key] = f
	for res := range fn.Signature().Results().Variables() {
		f.Results = append(f.Results, ssair.Result{Name: res.Name(), Type: fr.typ(res.Type())})
	}
	sub := &frame{l: fr.l, name: fr.root.name, info: fr.info, irfn: f, subst: fr.subst, b: ssair.NewBuilder(f.Body), last: e, vars: map[*types.Var]*variable{}}
	sub.root = sub
	r := f.AddParam(cmp.Or(recv.Name(), "recv"), recv.Type)
	var params []val
	for p := range fn.Signature().Params().Variables() {
		name := p.Name()
		if name == "" || name == "_" {
			name = fmt.Sprint("arg", len(params))
		}
		params = append(params, val{v: f.AddParam(name, fr.typ(p.Type()))})
	}
	nested := fr.l.invoked[fn.Origin()]
	fr.l.invoked[fn.Origin()] = 0
	var vs []*ssair.Value
	for _, v := range sub.invoke(e, fn, r, params) {
		vs = append(vs, v.v)
	}
	fr.l.invoked[fn.Origin()] = nested
	sub.b.Return(vs...)
	if sub.failed {
		panic(refusal{})
	}
	return f
}

// callMethod calls the method mf, found by index, on a receiver of concrete
// type.
func (fr *frame) callMethod(e ast.Node, mf *types.Func, index []int, recv *ssair.Value, args []val) []val {
	_, wantPtr := mf.Signature().Recv().Type().Underlying().(*types.Pointer)
	var r *ssair.Value
	if len(index) == 1 && (wantPtr == (fr.l.deref(recv.Type) != nil)) {
		r = recv
	} else {
		p := &place{base: recv, typ: fr.l.deref(recv.Type), node: e}
		if p.typ == nil {
			cell := fr.b.Alloc(recv.Type, nil)
			fr.b.Store(cell, nil, recv)
			p = &place{base: cell, typ: recv.Type, safe: true, node: e}
		}
		p = fr.walkFields(p, index[:len(index)-1])
		isPtr := fr.l.deref(p.typ) != nil
		switch {
		case wantPtr && !isPtr:
			r = p.addr(fr)
		case !wantPtr && isPtr:
			r = fr.b.Load(p.get(fr), nil)
		default:
			r = p.get(fr)
		}
	}
	if isInterface(r.Type) {
		if fr.l.invoked[mf.Origin()] > 0 {
			return fr.dispatch(e, mf, r, args)
		}
		return fr.invoke(e, mf, r, args)
	}
	return fr.callFunc(e, mf.Origin(), fr.l.typeArgsOf(r.Type), append([]val{{v: r}}, args...))
}
