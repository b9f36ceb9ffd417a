package lift

import (
	"go/ast"
	"go/types"
	"math"
	"slices"

	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// inlines decides whether a call is inlined.
func (fr *frame) inlines(e ast.Node, src *Source, fn *types.Func, args []val) bool {
	takes := slices.ContainsFunc(args, func(a val) bool { return a.clos != nil })
	if fr.running && callsRecover(src.Decl.Body, src.Info) {
		if recursive(fr.l.Env, fn, src) {
			fr.direct(e, src.Decl.Body, src.Info)
		}
		return true
	}
	depth, again := 0, 0
	for f := fr; f != nil; f = f.caller {
		if f.fn == fn {
			again++
		}
		if depth++; depth > maxDepth {
			return false
		}
	}
	// A function that is passed to fn may call fn itself, with other functions.
	if again > 0 && !takes || again > maxNested {
		return false
	}
	if recursive(fr.l.Env, fn, src) {
		return false
	}
	n := countStmts(src.Decl.Body)
	if takes {
		return true
	}
	for i := range fn.Signature().Results().Len() {
		if _, ok := fn.Signature().Results().At(i).Type().Underlying().(*types.Signature); ok {
			return true
		}
	}
	return n <= inlineStmts && fr.l.inlined+n <= maxInlined
}

// recursive reports whether fn can call itself through declared functions.
func recursive(env Env, fn *types.Func, src *Source) bool {
	seen := map[*types.Func]bool{}
	var calls func(src *Source) bool
	calls = func(src *Source) bool {
		found := false
		ast.Inspect(src.Decl.Body, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok || found {
				return !found
			}
			callee, ok := src.Info.Uses[id].(*types.Func)
			if !ok {
				return true
			}
			callee = callee.Origin()
			if callee == fn || dispatches(callee, fn) {
				found = true
				return false
			}
			if seen[callee] || callee.Pkg() != fn.Pkg() {
				return true
			}
			seen[callee] = true
			if s := env.Source(callee); s != nil && s.Decl.Body != nil {
				found = calls(s)
			}
			return !found
		})
		return found
	}
	return calls(src)
}

// dispatches reports whether a call of the interface method m may be one of fn.
func dispatches(m, fn *types.Func) bool {
	r, own := m.Signature().Recv(), fn.Signature().Recv()
	if r == nil || own == nil || m.Name() != fn.Name() {
		return false
	}
	iface, ok := r.Type().Underlying().(*types.Interface)
	if !ok || fn.Signature().RecvTypeParams().Len() == 0 {
		return ok && types.Implements(own.Type(), iface)
	}
	// Some instance may implement it.
	for f := range iface.Methods() {
		if m, _, _ := types.LookupFieldOrMethod(own.Type(), true, f.Pkg(), f.Name()); m == nil {
			return false
		}
	}
	return true
}

func countStmts(body *ast.BlockStmt) int {
	n := 0
	ast.Inspect(body, func(x ast.Node) bool {
		if _, ok := x.(ast.Stmt); ok {
			n++
		}
		return true
	})
	return n
}

// inline lifts the body of fn in place of a call.
func (fr *frame) inline(e ast.Node, fn *types.Func, src *Source, targs []types.Type, args []val) []val {
	fr.l.inlined += countStmts(src.Decl.Body)
	sub := &frame{
		fn: fn, decl: src.Decl, name: fn.Name(), info: src.Info, subst: substFor(src.sig(fn), targs),
		assigned: scanAssigned(src.Decl.Body, src.Info),
	}
	sig := src.sig(fn)
	var objs []*types.Var
	if r := sig.Recv(); r != nil {
		objs = append(objs, declared(src.Decl.Recv, src.Info, r, 0))
	}
	for i := range sig.Params().Len() {
		objs = append(objs, declared(src.Decl.Type.Params, src.Info, sig.Params().At(i), i))
	}
	return fr.enter(e, sub, objs, args, src.Decl.Body, sig.Results(), declaredList(src.Decl.Type.Results, src.Info, sig.Results()))
}

// enter lifts a body in a new frame inside the caller's region and returns the
// results.
func (fr *frame) enter(e ast.Node, sub *frame, objs []*types.Var, args []val, body *ast.BlockStmt, res *types.Tuple, resObjs []*types.Var) []val {
	if sub.vars == nil {
		sub.vars = map[*types.Var]*variable{}
	}
	sub.callee(fr, e)
	if fr.running {
		sub.deferrer = fr
	}
	for i, obj := range objs {
		v := sub.declare(obj, sub.typ(obj.Type()))
		a := sub.convert(args[i], v.typ)
		if a.clos != nil {
			sub.hold(e, v, a.clos)
			continue
		}
		if boxed(a.v) != nil && sub.assigned[obj] == 0 {
			v.fixed = a.v
		}
		sub.b.Store(v.cell, nil, sub.named(a.v))
	}
	ok := sub.body(body, res, resObjs)
	if !ok {
		panic(refusal{})
	}
	vals := make([]val, len(sub.results))
	for i, r := range sub.results {
		if r.clos != nil {
			vals[i] = val{clos: r.clos, typ: r.typ}
			continue
		}
		vals[i] = val{v: fr.b.Load(r.cell, nil)}
	}
	return vals
}

// callee makes fr the frame of a call in caller.
func (fr *frame) callee(caller *frame, e ast.Node) {
	fr.l, fr.irfn, fr.root, fr.caller, fr.callPos, fr.last = caller.l, caller.irfn, caller.root, caller, e.Pos(), e
	b := *caller.b
	fr.b = &b
	fr.l.ncall++
	fr.b.Call = fr.l.ncall
}

// named keeps a constant that is given to a parameter under the name of the
// parameter, so that the body does not become a heap of numbers. Small whole
// numbers stay.
func (fr *frame) named(v *ssair.Value) *ssair.Value {
	if v.Def == nil || v.Def.Kind != ssair.Const || !ssair.IsFloat(v.Type) {
		return v
	}
	if x, ok := pass.ConstFloat(v); !ok || x == math.Trunc(x) && math.Abs(x) < 100 {
		return v
	}
	o := fr.b.Op(ssair.Conv, []*ssair.Value{v}, v.Type)
	o.Explicit = true
	return o.Result()
}
