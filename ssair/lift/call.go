package lift

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/quabla/quabla/ssair"
)

const (
	rtPath = "github.com/quabla/quabla/rt"
	// inlineStmts is the number of statements up to which a function is
	// inlined; functions that take or return functions always are.
	inlineStmts = 40
	// maxInlined bounds the statements inlined into one function.
	maxInlined = 4000
	maxDepth   = 40
	// maxBound is how many instances of recursive functions may be made within one
	// another.
	maxBound = 12
	// maxNested is how often a function that takes functions is entered while it runs.
	maxNested = 6
)

// call lifts a call and returns its results.
func (fr *frame) call(e *ast.CallExpr) []val {
	fun := ast.Unparen(e.Fun)
	if tv := fr.info.Types[fun]; tv.IsType() {
		return []val{fr.conversion(e)}
	} else if tv.IsBuiltin() {
		return fr.builtin(e)
	}
	m := fr.mark()
	vals := fr.callOf(e, fun)
	fr.called(e, m)
	return vals
}

// callOf lifts a call of fun, which is neither a type nor a builtin.
func (fr *frame) callOf(e *ast.CallExpr, fun ast.Expr) []val {
	if sel, ok := fun.(*ast.SelectorExpr); ok {
		if s, ok := fr.info.Selections[sel]; ok && s.Kind() == types.MethodVal {
			return fr.methodCall(e, sel, s)
		}
	}
	f := fr.expr(fun)
	args := fr.args(e, fr.signature(fun))
	if f.clos == nil {
		return fr.dynamicCall(e, f.v, fr.signature(fun), args)
	}
	return fr.callClosure(e, f.clos, args)
}

// conversion lifts T(x).
func (fr *frame) conversion(e *ast.CallExpr) val {
	t := fr.typeOf(e)
	if isUnsafe(t) || isUnsafe(fr.typeOf(e.Args[0])) {
		fr.refuse(e, "keep the values in variables and slices of their own type", "cannot differentiate a conversion with unsafe.Pointer")
	}
	x := fr.expr(e.Args[0])
	if x.clos != nil {
		return fr.convert(x, t)
	}
	return val{v: fr.converted(e, x, t)}
}

// converted lifts T(x) where x is not a function that is known statically.
func (fr *frame) converted(e *ast.CallExpr, x val, t types.Type) *ssair.Value {
	if isNil(x.v.Type) || isInterface(t) && !isInterface(x.v.Type) {
		return fr.convert(x, t).v
	}
	if types.Identical(x.v.Type, t) {
		if ssair.IsFloat(t) && x.v.Def != nil && x.v.Def.Kind == ssair.Bin {
			o := fr.b.Op(ssair.Conv, []*ssair.Value{x.v}, t)
			o.Explicit = true
			return o.Result()
		}
		return x.v
	}
	if a, ok := t.Underlying().(*types.Array); ok && isSlice(x.v.Type) {
		// [3]T(s) copies what is behind the slice: it is *(*[3]T)(s).
		if a.Len() == 0 {
			return fr.b.Zero(t)
		}
		p := fr.b.Op(ssair.Conv, []*ssair.Value{x.v}, types.NewPointer(t)).Result()
		v := fr.b.Load(p, nil)
		v.Def.Safe = true // it is the conversion that panics
		return v
	}
	fr.fits(e, x.v, t)
	return fr.b.Op(ssair.Conv, []*ssair.Value{x.v}, t).Result()
}

func isSlice(t types.Type) bool {
	_, ok := t.Underlying().(*types.Slice)
	return ok
}

func isUnsafe(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.UnsafePointer
}

// args lifts the arguments of a call, with the variadic ones in a slice.
func (fr *frame) args(e *ast.CallExpr, sig *types.Signature) []val {
	n := sig.Params().Len()
	var vals []val
	if len(e.Args) == 1 && n > 1 || len(e.Args) == 1 && sig.Variadic() && !e.Ellipsis.IsValid() {
		if c, ok := ast.Unparen(e.Args[0]).(*ast.CallExpr); ok {
			if tup, ok := fr.info.TypeOf(c).(*types.Tuple); ok && tup.Len() > 1 {
				vals = fr.call(c) // f(g()) with several results
			}
		}
	}
	if vals == nil {
		for _, a := range e.Args {
			vals = append(vals, fr.expr(a))
		}
	}
	param := func(i int) types.Type { return fr.typ(sig.Params().At(i).Type()) }
	if !sig.Variadic() || e.Ellipsis.IsValid() {
		for i := range vals {
			vals[i] = fr.convert(vals[i], param(i))
		}
		return vals
	}
	fixed := n - 1
	for i := range fixed {
		vals[i] = fr.convert(vals[i], param(i))
	}
	st := param(fixed)
	rest := vals[fixed:]
	if len(rest) == 0 {
		return append(vals[:fixed:fixed], val{v: fr.b.Zero(st)})
	}
	elem := ssair.ElemType(st)
	s := fr.b.MakeSlice(st, fr.b.Int(len(rest)), nil)
	for i, r := range rest {
		v := fr.need(e.Args[min(fixed+i, len(e.Args)-1)], fr.convert(r, elem))
		fr.b.Store(s, []ssair.Step{ssair.Elem}, v, fr.b.Int(i)).Safe = true
	}
	return append(vals[:fixed:fixed], val{v: s})
}

// methodCall lifts x.m(args).
func (fr *frame) methodCall(e *ast.CallExpr, sel *ast.SelectorExpr, s *types.Selection) []val {
	fn := s.Obj().(*types.Func)
	sig := fr.signature(sel)
	xt := fr.typeOf(sel.X)
	if _, ok := types.Unalias(s.Recv()).(*types.TypeParam); ok && !isInterface(xt) {
		// A method of a constraint: here its type is known.
		m, index, _ := types.LookupFieldOrMethod(fr.rawType(sel.X), true, fn.Pkg(), fn.Name())
		return fr.callMethod(e, m.(*types.Func), index, fr.value(sel.X), fr.args(e, sig))
	}
	if isInterface(xt) || s.Recv() != nil && isInterface(fn.Signature().Recv().Type()) {
		recv := fr.value(sel.X)
		if !isInterface(xt) { // an embedded interface
			recv = fr.fieldOf(recv, s.Index()[:len(s.Index())-1], e)
		}
		return fr.invoke(e, fn, recv, fr.args(e, sig))
	}
	c := (&closure{fn: fn.Origin(), targs: fr.recvArgs(s)}).boundTo(fr.receiver(sel, s))
	return fr.callClosure(e, c, fr.args(e, sig))
}

// receiver lifts the receiver of a method: its address for a pointer method, a
// copy for a value method.
func (fr *frame) receiver(sel *ast.SelectorExpr, s *types.Selection) val {
	fn := s.Obj().(*types.Func)
	if _, ok := fn.Signature().Recv().Type().Underlying().(*types.Signature); ok && len(s.Index()) == 1 {
		f := fr.expr(sel.X)
		if f.clos == nil && ssair.Deref(fr.rawType(sel.X)) != nil {
			return val{v: fr.b.Load(f.v, nil)}
		}
		return f
	}
	return val{v: fr.receiverValue(sel, s)}
}

func (fr *frame) receiverValue(sel *ast.SelectorExpr, s *types.Selection) *ssair.Value {
	fn := s.Obj().(*types.Func)
	_, wantPtr := fn.Signature().Recv().Type().Underlying().(*types.Pointer)
	index := s.Index()[:len(s.Index())-1]
	xt := fr.typeOf(sel.X)
	if len(index) == 0 && fr.l.deref(xt) != nil && wantPtr {
		return fr.value(sel.X)
	}
	var p *place
	if ptr := fr.l.deref(xt); ptr != nil {
		p = &place{base: fr.value(sel.X), typ: ptr, node: sel}
	} else if len(index) == 0 && !wantPtr {
		return fr.value(sel.X)
	} else {
		p = fr.place(sel.X)
	}
	p = fr.walkFields(p, index)
	isPtr := fr.l.deref(p.typ) != nil
	switch {
	case wantPtr && isPtr, !wantPtr && !isPtr:
		return p.get(fr)
	case wantPtr:
		return p.addr(fr)
	}
	return fr.b.Load(p.get(fr), nil)
}

// recvArgs returns the type arguments of the receiver's type.
func (fr *frame) recvArgs(s *types.Selection) []types.Type {
	t := fr.subst.apply(s.Obj().(*types.Func).Signature().Recv().Type())
	// The selected method is instantiated already: its receiver names the
	// type arguments.
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.TypeArgs().Len() == 0 {
		return nil
	}
	ts := make([]types.Type, n.TypeArgs().Len())
	for i := range ts {
		ts[i] = n.TypeArgs().At(i)
	}
	return ts
}

// typeArgsOf returns the type arguments of t, or of what it points to.
func (l *Lifter) typeArgsOf(t types.Type) (targs []types.Type) {
	t = l.raw(t)
	if d := ssair.Deref(t); d != nil {
		t = d
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		for a := range n.TypeArgs().Types() {
			targs = append(targs, a)
		}
	}
	return targs
}

// callClosure calls a function that is known statically.
func (fr *frame) callClosure(e ast.Node, c *closure, args []val) []val {
	switch {
	case c.yield != nil:
		return c.yield(fr, args)
	case c.lit != nil:
		return fr.callLit(e, c, args)
	}
	if c.method != nil { // method expression: the receiver is the first argument
		if args[0].clos != nil {
			return fr.callClosure(e, &closure{fn: c.fn.Origin(), self: args[0].clos}, args[1:])
		}
		recv := fr.need(e, args[0])
		if isInterface(recv.Type) {
			return fr.invoke(e, c.fn, recv, args[1:])
		}
		sel := c.method
		p := &place{base: recv, typ: fr.l.deref(recv.Type), node: e}
		if p.typ == nil {
			cell := fr.b.Alloc(recv.Type, nil)
			fr.b.Store(cell, nil, recv)
			p = &place{base: cell, typ: recv.Type, safe: true, node: e}
		}
		p = fr.walkFields(p, sel.Index()[:len(sel.Index())-1])
		_, wantPtr := c.fn.Signature().Recv().Type().Underlying().(*types.Pointer)
		isPtr := fr.l.deref(p.typ) != nil
		var r *ssair.Value
		switch {
		case wantPtr && !isPtr:
			r = p.addr(fr)
		case !wantPtr && isPtr:
			r = fr.b.Load(p.get(fr), nil)
		default:
			r = p.get(fr)
		}
		return fr.callClosure(e, &closure{fn: c.fn.Origin(), targs: fr.l.typeArgsOf(r.Type), recv: r}, args[1:])
	}
	if c.self != nil {
		args = append([]val{{clos: c.self}}, args...)
	}
	if c.recv != nil {
		if isInterface(c.recv.Type) {
			return fr.invoke(e, c.fn, c.recv, args)
		}
		args = append([]val{{v: c.recv}}, args...)
	}
	return fr.callFunc(e, c.fn, c.targs, args)
}

// callFunc calls a declared function; for a method the receiver is args[0].
func (fr *frame) callFunc(e ast.Node, fn *types.Func, targs []types.Type, args []val) []val {
	fn = fr.ofStandIn(e, fn)
	r := fr.l.Env.Rule(fn)
	if r != nil && r.As != nil && !fr.l.bare[fn] {
		return fr.callAs(e, fn, r, targs, args)
	}
	if r != nil && !fr.l.bare[fn] {
		return fr.callRuled(e, fn, r, targs, args)
	}
	if fr.l.plain[fn] {
		return fr.opaque(e, fn, targs, args)
	}
	if vs, ok := fr.known(e, fn, targs, args); ok {
		return vs
	}
	if fr.l.takesStandIns(fn) {
		fr.noStandIn(e, fn)
	}
	if f := fr.l.Env.Derived(fn); f != nil {
		return fr.callIR(e, f, args)
	}
	src := fr.l.Env.Source(fn)
	if src == nil || src.Decl.Body == nil {
		return fr.opaque(e, fn, targs, args)
	}
	fr.l.enters(fn, src.Decl, e)
	if fr.inlines(e, src, fn, args) {
		return fr.inline(e, fn, src, targs, args)
	}
	sig := src.sig(fn)
	s := substFor(sig, targs)
	first := len(args) - sig.Params().Len()
	args = fr.asRecords(e, args, fr.l.plan.passed[fn], func(i int) types.Type {
		if i < first {
			return fr.l.locals.typ(s.apply(sig.Recv().Type()))
		}
		return fr.l.locals.typ(s.apply(sig.Params().At(i - first).Type()))
	})
	if slices.ContainsFunc(args, func(a val) bool { return a.clos != nil }) {
		return fr.callBound(e, fn, src, targs, args)
	}
	key := fr.l.key(fn, targs)
	f, ok := fr.l.funcs[key]
	if !ok {
		f = fr.l.separate(key, fn, src, targs, false)
		if f == nil {
			fr.root.failed = true
			panic(refusal{})
		}
	}
	return fr.callIR(e, f, args)
}

// key names an instance of fn. Inside a rule, functions are lifted anew: their
// calls of the function that the rule is for do not use the rule.
func (l *Lifter) key(fn *types.Func, targs []types.Type) string {
	key := fn.FullName()
	for _, t := range targs {
		key += "," + l.locals.typ(t).String()
	}
	var bare []string
	for f := range l.bare {
		bare = append(bare, f.FullName())
	}
	slices.Sort(bare)
	return key + " " + strings.Join(bare, " ")
}

// separate lifts fn into a function of the module. It is entered into the
// table before its body is lifted, so that it may call itself. With keep its signature
// stays as it is.
func (l *Lifter) separate(key string, fn *types.Func, src *Source, targs []types.Type, keep bool) *ssair.Func {
	name := fn.Name()
	if recv := fn.Signature().Recv(); recv != nil {
		name = recvName(recv.Type()) + "." + name
	}
	f := l.Mod.NewFunc(name)
	l.funcs[key] = f
	if keep {
		l.keep(f, fn, targs)
	}
	if !l.function(f, name, fn, src, targs) {
		return nil
	}
	return f
}

func (fr *frame) callIR(e ast.Node, f *ssair.Func, args []val) []val {
	ops := make([]*ssair.Value, len(args))
	for i, a := range args {
		ops[i] = fr.need(e, fr.convert(a, f.Params[i].Type))
	}
	var ts []types.Type
	for _, r := range f.Results {
		ts = append(ts, r.Type)
	}
	o := fr.b.Op(ssair.Call, ops, ts...)
	o.Callee = f
	o.Pos = e.Pos()
	vals := make([]val, len(o.Results))
	for i, r := range o.Results {
		vals[i] = val{v: r}
	}
	return vals
}

// callLit calls a function literal: inline, or as a function of the module
// when it is recursive.
func (fr *frame) callLit(e ast.Node, c *closure, args []val) []val {
	for f := fr; f != nil; f = f.caller {
		if f.lit == c.lit && f.lexical == c.frame {
			return fr.callRecursive(e, c, args)
		}
	}
	if fr.selfCalling(c) {
		return fr.callRecursive(e, c, args)
	}
	sig := c.frame.signature(c.lit)
	sub := &frame{
		lit: c.lit, name: "func", info: c.frame.info, subst: c.frame.subst,
		lexical: c.frame, assigned: scanAssigned(c.lit.Body, c.frame.info),
	}
	var objs []*types.Var
	for i := range sig.Params().Len() {
		objs = append(objs, declared(c.lit.Type.Params, sub.info, sig.Params().At(i), i))
	}
	return fr.enter(e, sub, objs, args, c.lit.Body, sig.Results(), declaredList(c.lit.Type.Results, sub.info, sig.Results()))
}

// selfCalling reports whether the literal's body names a variable that holds
// the literal, or calls a function parameter with itself.
func (fr *frame) selfCalling(c *closure) bool {
	found := false
	ast.Inspect(c.lit.Body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if obj, ok := c.frame.info.Uses[id].(*types.Var); ok {
				for f := c.frame; f != nil; f = f.lexical {
					if v, ok := f.vars[obj]; ok {
						if v.clos != nil && v.clos.same(c) {
							found = true
						}
						break
					}
				}
			}
		}
		return !found
	})
	return found
}

func (fr *frame) callRecursive(e ast.Node, c *closure, args []val) []val {
	fr.direct(e, c.lit.Body, c.frame.info)
	sig := c.frame.signature(c.lit)
	args = fr.asRecords(e, args, fr.l.plan.passed[c.lit], func(i int) types.Type { return c.frame.typ(sig.Params().At(i).Type()) })
	static, rest := split(args)
	f, capt := fr.separateClosure(e, c, static, false)
	return fr.callCapturing(e, f, capt, rest)
}

// asRecords makes records of those functions among the arguments that cannot be
// known in another function of the module, or of all.
func (fr *frame) asRecords(e ast.Node, args []val, all bool, param func(i int) types.Type) []val {
	args = slices.Clone(args)
	for i, a := range args {
		if a.clos != nil && (all || !a.clos.portable()) {
			args[i] = val{v: fr.need(e, fr.convert(a, param(i)))}
		}
	}
	return args
}
