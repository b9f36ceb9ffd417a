package lift

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/quabla/quabla/ssair"
)

// guarding returns the guard of a function that defers calls which have to run when
// the function panics, once its body is lifted; nil if there are none.
func (fr *frame) guarding() *guard {
	if !slices.ContainsFunc(fr.defers, fr.matters) {
		return nil
	}
	first := fr.defers[0].armed.Def
	b := ssair.NewBuilder(first.Parent)
	b.Before = first
	g := makeGuard(fr, b)
	g.recovers = slices.ContainsFunc(fr.defers, fr.recovers)
	return g
}

// covered makes panics in the body, which has been lifted with the flow f, lead to
// the calls that it defers.
func (fr *frame) covered(f flow) flow {
	if fr.root.failed {
		return f
	}
	r := fr.b.Region
	if fr.guard.cover(r, fr.firstDefer(r)) {
		f = f.or(fallsThrough)
	}
	fr.root.failed = fr.root.failed || fr.guard.failed
	return f
}

// firstDefer returns the index in r of the op with the first defer statement.
func (fr *frame) firstDefer(r *ssair.Region) int {
	for _, d := range fr.defers {
		if d.anchor == nil {
			continue
		}
		o := d.anchor
		for o.Parent != r {
			o = o.Parent.Parent
		}
		return slices.Index(r.Ops, o)
	}
	return len(r.Ops)
}

// repanic goes on panicking where no deferred call has recovered.
func (fr *frame) repanic() {
	g := fr.guard
	fr.ifElse(g.panicking(fr.b), func() flow {
		fr.b.Op(ssair.Panic, []*ssair.Value{fr.b.Load(g.value, nil)})
		return stops
	}, nil)
}

// recovered lifts a call of recover. It ends a panic where a deferred function calls
// it itself, and is nil elsewhere.
func (fr *frame) recovered(e ast.Node) *ssair.Value {
	if fr.loose {
		fr.refuse(e, "call recover outside of the loop", "cannot differentiate recover in a range over a function that is not known")
	}
	if fr.deferrer == nil || fr.deferrer.guard == nil {
		return fr.b.Zero(ssair.Any)
	}
	g := fr.deferrer.guard
	v := fr.b.Load(g.value, nil)
	fr.b.Store(g.value, nil, fr.b.Zero(ssair.Any))
	return v
}

// direct refuses a deferred function that calls recover but is a function of its
// own in the IR, so that it does not know who panics.
func (fr *frame) direct(e ast.Node, body ast.Node, info *types.Info) {
	if fr.running && callsRecover(body, info) {
		fr.refuse(e, "defer a function literal that calls recover", "cannot differentiate recover in a deferred function that calls itself")
	}
}

// callsRecover reports whether a function with the given body calls recover itself.
func callsRecover(body ast.Node, info *types.Info) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.Ident:
			if b, ok := info.Uses[n].(*types.Builtin); ok && b.Name() == "recover" {
				found = true
			}
		}
		return !found
	})
	return found
}

// defersWith reports whether a deferred call refers to a variable: it may find it as
// it was before an assignment that a panic has kept from being made.
func (fr *frame) defersWith(obj *types.Var) bool {
	found := false
	for _, d := range fr.defers {
		ast.Inspect(d.stmt, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			found = found || ok && fr.info.Uses[id] == obj
			return !found
		})
	}
	return found
}

// recovers reports whether a deferred call may recover.
func (fr *frame) recovers(d *deferred) bool {
	switch c := d.clos; {
	case d.run == nil || d.idle:
		return false
	case c == nil:
		return true
	case c.lit != nil:
		return callsRecover(c.lit.Body, c.frame.info)
	case c.recv != nil && isInterface(c.recv.Type):
		return c.fn.Pkg() == fr.l.Mod.Pkg
	case c.fn != nil:
		src := fr.l.Env.Source(c.fn)
		return src != nil && callsRecover(src.Decl.Body, src.Info)
	}
	return true
}

// matters reports whether a deferred call has to run when the function panics: it
// recovers, or others may see what it does. Results of a function that panics are lost.
func (fr *frame) matters(d *deferred) bool {
	if d.run == nil {
		return false // never reached
	}
	c := d.clos
	if c == nil || c.lit == nil {
		return !d.idle
	}
	info := c.frame.info
	found := callsRecover(c.lit.Body, info)
	// own reports whether e is a variable of the function, or a part of one, that
	// nobody else has.
	var own func(e ast.Expr) bool
	own = func(e ast.Expr) bool {
		switch e := ast.Unparen(e).(type) {
		case *ast.Ident:
			if e.Name == "_" {
				return true
			}
			obj, ok := info.ObjectOf(e).(*types.Var)
			if !ok {
				return false
			}
			if c.lit.Pos() <= obj.Pos() && obj.Pos() < c.lit.End() {
				return true
			}
			v := c.frame.lookup(obj)
			return v != nil && v.owner == fr && !v.held
		case *ast.SelectorExpr:
			s, ok := info.Selections[e]
			return ok && !s.Indirect() && own(e.X)
		case *ast.IndexExpr:
			_, isArray := info.TypeOf(e.X).Underlying().(*types.Array)
			return isArray && own(e.X)
		}
		return false
	}
	ast.Inspect(c.lit.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, e := range n.Lhs {
				found = found || !own(e)
			}
		case *ast.IncDecStmt:
			found = found || !own(n.X)
		case *ast.RangeStmt:
			for _, e := range []ast.Expr{n.Key, n.Value} {
				found = found || e != nil && !own(e)
			}
		case *ast.CallExpr:
			found = found || !harmless(n, info)
		case *ast.SendStmt, *ast.GoStmt, *ast.DeferStmt, *ast.FuncLit:
			found = true
		case *ast.UnaryExpr:
			found = found || n.Op == token.AND
		}
		return !found
	})
	return found
}

// harmless reports whether the call e has no effect but its value.
func harmless(e *ast.CallExpr, info *types.Info) bool {
	fun := ast.Unparen(e.Fun)
	if info.Types[fun].IsType() {
		return true
	}
	var id *ast.Ident
	switch f := fun.(type) {
	case *ast.Ident:
		id = f
	case *ast.SelectorExpr:
		id = f.Sel
	default:
		return false
	}
	switch obj := info.Uses[id].(type) {
	case *types.Builtin:
		return slices.Contains([]string{"len", "cap", "min", "max", "make", "new", "real", "imag", "complex"}, obj.Name())
	case *types.Func:
		return obj.Pkg() != nil && (obj.Pkg().Path() == "math" || obj.Pkg().Path() == "math/cmplx")
	}
	return false
}
