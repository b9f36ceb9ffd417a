package compile

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"github.com/quabla/quabla/analyze"
	"github.com/quabla/quabla/deriv"
	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// batchForm says how the batched form e of inner is called and what its checks
// say.
func (u *unit) batchForm(req *analyze.Request, e *analyze.Expr, inner *ssair.Func) deriv.BatchForm {
	form := deriv.BatchForm{Batched: e.Sig.Batched, Call: u.staysCall(req, e, inner)}
	form.Types = make([]types.Type, len(inner.Params))
	for _, s := range e.Sig.All() {
		switch s.Role {
		case analyze.Primal:
			form.Types[s.Of] = s.Type
			if u.lifter.HoldsOpened(inner.Params[s.Of].Type) {
				form.Types[s.Of] = u.lifter.Inside(s.Type)
			}
		case analyze.Batch:
			form.Names = append(form.Names, s.Name)
		}
	}
	form.Error = len(e.Sig.Results) > 0
	name := u.env.pkg.Types.Name() + "." + title(req)
	form.Unequal = func(b *ssair.Builder, m, n *ssair.Value, x, y string) {
		c := *b
		c.Pos = req.Pos
		panicIf(&c, c.Cmp(token.NEQ, m, n), fmt.Sprintf("%s: len(%s) != len(%s)", name, x, y))
	}
	if req.Parallel && req == u.req && e == req.Expr {
		form.Split = func(b *ssair.Builder, n, run *ssair.Value) *ssair.Value {
			name := "Members"
			var ts []types.Type
			if form.Error {
				name, ts = "MembersUntil", []types.Type{inner.Results[len(inner.Results)-1].Type}
			}
			o := b.Op(ssair.Opaque, []*ssair.Value{n, run}, ts...)
			o.Obj = u.rt(name)
			u.span = run.Def.Callee
			if !form.Error {
				return nil
			}
			return o.Result()
		}
	}
	form.Wrap = func(b *ssair.Builder, i, err *ssair.Value) *ssair.Value {
		any := types.Universe.Lookup("any").Type()
		list := b.MakeSlice(types.NewSlice(any), b.Int(2), nil)
		for k, v := range []*ssair.Value{i, err} {
			b.Store(list, []ssair.Step{ssair.Elem}, b.Op(ssair.MakeIface, []*ssair.Value{v}, any).Result(), b.Int(k))
		}
		text := b.Const(constant.MakeString("member %d: %w"), ssair.String)
		o := b.Op(ssair.Opaque, []*ssair.Value{text, list}, err.Type)
		o.Obj = u.std("fmt", "Errorf")
		return o.Result()
	}
	return form
}

// worker returns the function that does the work: the public one, or the loop over a
// part of the members of a batch in goroutines.
func (u *unit) worker() *ssair.Func {
	if u.span != nil {
		return u.span
	}
	return u.fn
}

// written returns the parameters of the function of the unit, by index, that refer to
// memory which it changes.
func (u *unit) written() map[int]bool {
	w := pass.Written(u.fn)
	if u.span == nil {
		return w
	}
	u.fn.Body.Walk(func(o *ssair.Op) bool {
		if o.Kind == ssair.MakeClosure && o.Callee == u.span {
			for k := range pass.Written(u.span) {
				if i := slices.Index(u.fn.Params, o.Args[k]); i >= 0 {
					w[i] = true
				}
			}
		}
		return true
	})
	return w
}

// inlineBatches puts the loops of batched forms in place of the calls of f, so that
// the sweeps of a derivative go over them with the rest.
func (u *unit) inlineBatches(f *ssair.Func) {
	batched := map[*ssair.Func]bool{}
	for req, g := range u.done {
		batched[g] = req.Expr.Verb == analyze.VMap
	}
	var calls []*ssair.Op
	f.EachCallee(false, func(g *ssair.Func) {
		g.Body.Walk(func(o *ssair.Op) bool {
			if o.Kind == ssair.Call && batched[o.Callee] && size(o.Callee) <= maxBatchBody {
				calls = append(calls, o)
			}
			return true
		})
	})
	for _, o := range calls {
		g := o.Parent.Func
		pass.Inline(o)
		pass.Tidy(g)
	}
}

// size returns the number of ops of f.
func size(f *ssair.Func) int {
	n := 0
	f.Body.Walk(func(*ssair.Op) bool {
		n++
		return true
	})
	return n
}

// staysCall reports whether the batched form calls the function rather than holding
// its body: a function of the source that needs no memory is best called by its
// name, and a large one is not worth copying. What a derivative is made of is
// inlined, so that the sweeps go over one loop.
func (u *unit) staysCall(req *analyze.Request, e *analyze.Expr, inner *ssair.Func) bool {
	if u.callable(inner) && req == u.req && e == req.Expr && !makesSlices(inner) {
		return true
	}
	open := false
	inner.Body.Walk(func(o *ssair.Op) bool {
		open = open || o.Kind == ssair.JVP || o.Kind == ssair.Grad
		return !open
	})
	return !open && (size(inner) > maxBatchBody || calls(inner, inner))
}

// maxBatchBody is the number of ops up to which a function is inlined into its
// batched form.
const maxBatchBody = 600

// makesSlices reports whether f, or a function that it calls, makes slices whose
// memory all members of a batch could use.
func makesSlices(f *ssair.Func) bool {
	found := false
	f.EachCallee(false, func(g *ssair.Func) {
		g.Body.Walk(func(o *ssair.Op) bool {
			found = found || o.Kind == ssair.MakeSlice && !constSize(o)
			return !found
		})
	})
	return found
}

// calls reports whether f calls g, directly or not.
func calls(f, g *ssair.Func) bool {
	found := false
	f.EachCallee(false, func(h *ssair.Func) {
		h.Body.Walk(func(o *ssair.Op) bool {
			found = found || o.Callee == g
			return !found
		})
	})
	return found
}

// std returns a function of the standard library.
func (u *unit) std(path, name string) *types.Func {
	pkg, err := u.env.prog.Import(path)
	if err != nil {
		panic(err)
	}
	return pkg.Scope().Lookup(name).(*types.Func)
}
