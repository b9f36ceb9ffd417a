package lift

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"sort"

	"github.com/quabla/quabla/ssair"
)

// A closure is a function value that is known statically: a function literal
// with the frame it was made in, a declared function, a bound method, or the
// body of a range-over-func loop.
type closure struct {
	sig   *types.Signature // as the source has it; nil for functions that are only called
	lit   *ast.FuncLit
	frame *frame // for a literal: where it was made

	fn     *types.Func // for a declared function or method
	targs  []types.Type
	recv   *ssair.Value     // the bound receiver, already copied
	self   *closure         // the bound receiver, if it is a function known statically
	method *types.Selection // for a method expression T.m

	yield func(caller *frame, args []val) []val // for the body of a range-over-func loop
	body  *loopBody                             // goes with yield
}

// same reports whether c and d are the same function with the same bindings.
func (c *closure) same(d *closure) bool {
	return c == d || c.lit != nil && c.lit == d.lit && c.frame == d.frame ||
		c.fn != nil && c.fn == d.fn && c.recv == d.recv && slices.Equal(c.targs, d.targs) &&
			(c.self == nil) == (d.self == nil) && (c.self == nil || c.self.same(d.self))
}

// globalFunc returns the function that a package-level variable of function
// type always holds.
func (fr *frame) globalFunc(obj *types.Var) *closure {
	if obj.Pkg() == nil || obj.Parent() != obj.Pkg().Scope() {
		return nil
	}
	if _, ok := obj.Type().Underlying().(*types.Signature); !ok || !fr.l.Env.ReadOnly(obj) {
		return nil
	}
	e, info := fr.l.Env.Initial(obj)
	if e == nil {
		return nil
	}
	f := &frame{l: fr.l, name: obj.Name(), info: info, b: fr.b, last: e, irfn: fr.irfn, root: fr.root, vars: map[*types.Var]*variable{}, caller: fr, callPos: obj.Pos()}
	switch e := ast.Unparen(e).(type) {
	case *ast.FuncLit:
		f.assigned = scanAssigned(e.Body, info)
		return &closure{sig: f.signature(e), lit: e, frame: f}
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr:
		v := f.expr(e)
		return v.clos
	}
	return nil
}

// freeVars returns the local variables that closures use but do not declare, in the
// order of their cells, including those of the closures that they call. What a bound
// method is called on is part of its variable.
func (fr *frame) freeVars(e ast.Node, closures ...*closure) []*variable {
	type made struct { // a literal, in the activation that made it
		lit *ast.FuncLit
		in  *frame
	}
	seen := map[*variable]bool{}
	lits := map[made]bool{}
	var visit func(c *closure)
	visit = func(c *closure) {
		f, lit := c.frame, c.lit
		if lit == nil || lits[made{lit, f}] {
			return
		}
		lits[made{lit, f}] = true
		ast.Inspect(lit.Body, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			obj, ok := f.info.Uses[id].(*types.Var)
			if !ok || obj.IsField() {
				return true
			}
			for g := f; g != nil; g = g.lexical {
				v, ok := g.vars[obj]
				if !ok {
					continue
				}
				if v.clos != nil && !v.clos.portable() {
					fr.l.dynamic(v.clos.sig)
					fr.l.vary(v.obj)
				}
				if v.clos != nil && v.clos.recv == nil {
					visit(v.clos)
				}
				seen[v] = true
				break
			}
			return true
		})
	}
	for _, c := range closures {
		visit(c)
	}
	vs := make([]*variable, 0, len(seen))
	for v := range seen {
		vs = append(vs, v)
	}
	sort.Slice(vs, func(i, j int) bool { return vs[i].cell.ID < vs[j].cell.ID })
	return vs
}

// separateClosure lifts a recursive closure into a function of the module. The
// variables it captures become parameters that point to them. static binds
// those parameters that hold functions. alone asks for a function that nothing else
// calls.
func (fr *frame) separateClosure(e ast.Node, c *closure, static map[int]*closure, alone bool) (f *ssair.Func, capt []*variable) {
	sig := c.frame.signature(c.lit)
	capt = fr.variablesOf(e, append(sortedStatic(static), c))
	key := fmt.Sprintf("lit %p %p", c.lit, c.frame) + keyOf(static)
	if alone {
		key += " alone"
	}
	if f, ok := fr.l.funcs[key]; ok {
		return f, capt
	}
	if fr.l.bound++; fr.l.bound > maxBound { // with a new function each time
		fr.passRecords(e, c.lit)
	}
	f = fr.l.Mod.NewFunc(fmt.Sprintf("%s.func%d", fr.root.name, len(fr.l.funcs)+1))
	f.Pos = c.lit.Pos()
	fr.l.funcs[key] = f
	sub := &frame{
		l: fr.l, name: f.Name, info: c.frame.info, subst: c.frame.subst, irfn: f,
		b: ssair.NewBuilder(f.Body), last: e, vars: map[*types.Var]*variable{}, lexical: c.frame,
		assigned: scanAssigned(c.lit.Body, c.frame.info),
	}
	sub.root = sub
	sub.capture(f, capt)
	for i := range sig.Results().Len() {
		f.Results = append(f.Results, ssair.Result{Type: c.frame.typ(sig.Results().At(i).Type())})
	}
	for i := range sig.Params().Len() {
		obj := declared(c.lit.Type.Params, sub.info, sig.Params().At(i), i)
		if s := static[i]; s != nil {
			sub.bind(e, f, obj, s)
			continue
		}
		sub.param(f, obj, sub.typ(obj.Type()))
	}
	if sub.body(c.lit.Body, sig.Results(), declaredList(c.lit.Type.Results, sub.info, sig.Results())) {
		sub.finish()
	} else {
		fr.root.failed = true
	}
	fr.l.bound--
	return f, capt
}

// capture makes parameters of f for the variables that closures capture: pointers
// to them, or the receivers of the bound methods that they hold.
func (fr *frame) capture(f *ssair.Func, capt []*variable) {
	fr.captured = map[*variable]*variable{}
	for _, v := range capt {
		nv := *v
		nv.owner = fr
		v.held, nv.held = true, true
		if v.clos != nil {
			nv.clos = v.clos.rebound(f, v.userName)
		} else {
			nv.cell = f.AddParam(v.userName, types.NewPointer(v.typ))
		}
		fr.captured[v] = &nv
	}
}

// bind makes c the value of a parameter of f. What a bound method is called on becomes
// a parameter instead.
func (fr *frame) bind(node ast.Node, f *ssair.Func, obj *types.Var, c *closure) {
	fr.hold(node, fr.declare(obj, fr.typ(obj.Type())), c.rebound(f, obj.Name()))
}

// rebound returns c for the body of f, where the receiver of a bound method is a new
// parameter.
func (c *closure) rebound(f *ssair.Func, name string) *closure {
	if c.recv == nil {
		return c
	}
	d := *c
	d.recv = f.AddParam(name, c.recv.Type)
	return &d
}

// operands returns what the parameters that capture makes are given here.
func (fr *frame) operands(capt []*variable) []*ssair.Value {
	var ops []*ssair.Value
	for _, v := range capt {
		if v = fr.reach(v); v.clos != nil {
			ops = append(ops, v.clos.recv)
		} else {
			ops = append(ops, v.cell)
		}
	}
	return ops
}

// keyOf names the functions that parameters are bound to; receivers are passed.
func keyOf(static map[int]*closure) string {
	key := ""
	for i, s := range sortedStatic(static) {
		key += fmt.Sprintf(" %d=%p/%p/%p", i, s.lit, s.frame, s.fn)
		for _, t := range s.targs {
			key += "," + t.String()
		}
		if s.recv != nil {
			key += " of " + s.recv.Type.String()
		}
	}
	return key
}

// A binding makes an instance of a recursive function for the functions that it is
// called with: static holds those, by parameter, capt the variables that they
// capture, which become parameters.
type binding struct {
	static map[int]*closure
	capt   []*variable
}

// callBound calls a recursive function that takes functions.
func (fr *frame) callBound(e ast.Node, fn *types.Func, src *Source, targs []types.Type, args []val) []val {
	static, rest := split(args)
	capt := fr.variablesOf(e, sortedStatic(static))
	key := fr.l.key(fn, targs) + keyOf(static)
	f, ok := fr.l.funcs[key]
	if !ok {
		if fr.l.bound++; fr.l.bound > maxBound { // with a new function each time
			fr.passRecords(e, fn)
		}
		f = fr.l.Mod.NewFunc(fn.Name())
		fr.l.funcs[key] = f
		if !fr.l.specialised(f, fn.Name(), fn, src, targs, &binding{static, capt}) {
			fr.root.failed = true
			panic(refusal{})
		}
		fr.l.bound--
	}
	return fr.callCapturing(e, f, capt, rest)
}

// variablesOf returns the variables that closures capture, but for those that hold
// functions without a receiver, which are known where they are called.
func (fr *frame) variablesOf(e ast.Node, closures []*closure) []*variable {
	return slices.DeleteFunc(fr.freeVars(e, closures...), func(v *variable) bool { return v.clos != nil && v.clos.recv == nil })
}

// passRecords makes the functions that are passed to a recursive function records.
func (fr *frame) passRecords(e ast.Node, callee any) {
	if fr.l.plan.passed[callee] {
		fr.refuse(e, "write the recursion as a loop", "cannot differentiate recursive functions that are nested this deeply")
	}
	fr.l.plan.passed[callee] = true
	fr.l.restart()
}

// portable reports whether the function can be known in other functions of the module
// too: what it is bound to can be passed there.
func (c *closure) portable() bool { return c.self == nil && c.yield == nil }

// split separates the functions among arguments from the rest, which the receivers of
// bound methods belong to.
func split(args []val) (static map[int]*closure, rest []val) {
	static = map[int]*closure{}
	for i, a := range args {
		if a.clos != nil {
			static[i] = a.clos
			if a.clos.recv != nil {
				rest = append(rest, val{v: a.clos.recv})
			}
			continue
		}
		rest = append(rest, a)
	}
	return static, rest
}

// callCapturing calls a function whose first parameters are captured variables.
func (fr *frame) callCapturing(e ast.Node, f *ssair.Func, capt []*variable, args []val) []val {
	ops := make([]val, 0, len(capt)+len(args))
	for _, v := range fr.operands(capt) {
		ops = append(ops, val{v: v})
	}
	return fr.callIR(e, f, append(ops, args...))
}

func sortedStatic(m map[int]*closure) []*closure {
	var ks []int
	for k := range m {
		ks = append(ks, k)
	}
	sort.Ints(ks)
	var cs []*closure
	for _, k := range ks {
		cs = append(cs, m[k])
	}
	return cs
}

// methodValue lifts x.m without a call: the receiver is evaluated and copied
// now.
func (fr *frame) methodValue(e *ast.SelectorExpr, sel *types.Selection) *closure {
	fn := sel.Obj().(*types.Func)
	if isInterface(fr.typeOf(e.X)) {
		return &closure{sig: fr.signature(e), fn: fn, recv: fr.value(e.X)}
	}
	return (&closure{sig: fr.signature(e), fn: fn.Origin(), targs: fr.recvArgs(sel)}).boundTo(fr.receiver(e, sel))
}

// boundTo binds the method c to a receiver.
func (c *closure) boundTo(recv val) *closure {
	c.recv, c.self = recv.v, recv.clos
	return c
}
