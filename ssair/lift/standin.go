package lift

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"

	"github.com/quabla/quabla/ssair"
)

// A type whose fields are the affair of another package, such as a matrix of gonum, has
// a stand-in where a package of rules declares one: a struct with the same numbers, whose
// methods are ordinary code. In what is lifted the stand-in has the place of the type
// everywhere; where a derived function begins and ends, package compile opens and closes
// what the caller passes.

// standIn returns the stand-in of t and what it stands for, where t is one of the two.
func (l *Lifter) standIn(t *types.Named) (in, of *types.Named) {
	if !l.Env.StandIns() {
		return nil, nil
	}
	if in := l.Env.StandIn(t); in != nil {
		return in, t
	}
	if of := l.Env.StandsFor(t); of != nil {
		return t, of
	}
	return nil, nil
}

// holdsStandIn reports whether a type with a stand-in can be reached from values of type t.
func (l *Lifter) holdsStandIn(t types.Type) bool {
	return l.Env.StandIns() && l.holds(t, func(t types.Type) (is, cut bool) {
		n, ok := t.(*types.Named)
		if !ok {
			return false, false
		}
		if l.opened[n] != nil {
			return true, true
		}
		in, _ := l.standIn(n)
		return in != nil, false
	}, l.ownImplementations, nil)
}

// inner reports whether values of type t are something else in lifted code even where the
// source sees them from outside.
func (l *Lifter) inner(t types.Type) bool {
	return l.holdsStandIn(t) || l.holds(t, func(t types.Type) (is, cut bool) {
		n, ok := t.(*types.Named)
		return ok && n.Obj().Pkg() != l.Mod.Pkg && l.Env.Private(n), false
	}, l.ownImplementations, nil)
}

// ownImplementations returns the types that implement iface, but for those with stand-ins,
// which nothing says that a program uses as such.
func (l *Lifter) ownImplementations(iface *types.Interface) []types.Type {
	return slices.DeleteFunc(slices.Clone(l.implementations(iface)), func(t types.Type) bool {
		if p := ssair.Deref(t); p != nil {
			t = p
		}
		n, ok := types.Unalias(t).(*types.Named)
		return ok && l.Env.StandIn(n) != nil
	})
}

// addStandIn adds the type to the module that has the place of one with a stand-in. An
// interface has no methods there: its implementations are what they are by their types.
func (l *Lifter) addStandIn(in, of *types.Named) types.Type {
	if types.IsInterface(in) {
		return standInAny
	}
	obj := of.Obj()
	n := l.addType(obj.Name(), fmt.Sprintf("is a %s.%s with its parts in the open.", obj.Pkg().Name(), obj.Name()), obj.Pos(), of)
	l.types[in] = n
	l.opened[n] = of
	n.SetUnderlying(l.locals.typ(in.Underlying()))
	return n
}

// standInAny has the place of interfaces with stand-ins. It is any, but told apart from
// it by identity: what is put into it has a stand-in, too.
var standInAny = types.NewInterfaceType(nil, []types.Type{types.Universe.Lookup("any").Type()}).Complete()

// boxesStandIn refuses to put a value of type from into an interface of type t unless both
// have stand-ins, or neither: code that is not lifted would see another type, and rules know
// no others than their own.
func (fr *frame) boxesStandIn(from, t types.Type) {
	if !fr.l.Env.StandIns() {
		return
	}
	base := from
	if p := ssair.Deref(base); p != nil {
		base = p
	}
	n, _ := types.Unalias(base).(*types.Named)
	here := &ast.Ident{NamePos: fr.b.Pos, Name: "_"}
	switch of := fr.l.opened[n]; {
	case t == standInAny && of == nil && (n == nil || fr.l.private[n] == nil || !fr.l.Env.OfRules(fr.l.private[n])):
		fr.refuse(here, "copy its numbers into a *mat.Dense", "cannot differentiate a value of type %s as a matrix", fr.l.raw(from))
	case t != standInAny && of != nil:
		fr.refuse(here, "use it as what it is, or in another function", "cannot differentiate a value of type %s in an interface of type %s", fr.l.raw(from), t)
	}
}

// ofInterface returns the stand-in of the interface that fn is a method of, and its method of
// that name, or nil.
func (fr *frame) ofInterface(e ast.Node, fn *types.Func) (in *types.Named, m *types.Func) {
	n, ok := types.Unalias(fn.Signature().Recv().Type()).(*types.Named)
	if !ok {
		return nil, nil
	}
	if in, _ = fr.l.standIn(n); in == nil {
		return nil, nil
	}
	obj, _, _ := types.LookupFieldOrMethod(in, true, in.Obj().Pkg(), fn.Name())
	if m, ok = obj.(*types.Func); !ok {
		fr.noStandIn(e, fn)
	}
	return in, m
}

// Opened returns the type whose parts the type t of the module has in the open, or nil.
func (l *Lifter) Opened(t types.Type) *types.Named {
	n, _ := types.Unalias(t).(*types.Named)
	return l.opened[n]
}

// Inside returns what lifted code has in the place of the type t of the source, where that
// holds types with stand-ins.
func (l *Lifter) Inside(t types.Type) types.Type {
	if !l.holdsStandIn(t) {
		return t
	}
	return l.locals.typ(t)
}

// HoldsOpened reports whether such a type, or an interface that has a stand-in, can be
// reached from values of type t.
func (l *Lifter) HoldsOpened(t types.Type) bool {
	return l.Env.StandIns() && l.holds(t, func(t types.Type) (is, cut bool) {
		n, ok := t.(*types.Named)
		return ok && l.opened[n] != nil || t == standInAny, false
	}, func(*types.Interface) []types.Type { return nil }, nil)
}

// ofStandIn returns the method of a stand-in that a call of fn is one of, or fn itself. A
// function without a rule that takes or returns such types is refused.
func (fr *frame) ofStandIn(e ast.Node, fn *types.Func) *types.Func {
	if fn.Pkg() == nil || !fr.l.Env.StandIns() {
		return fn
	}
	sig := fn.Signature()
	if r := sig.Recv(); r != nil {
		t := types.Unalias(r.Type())
		if p := ssair.Deref(t); p != nil {
			t = types.Unalias(p)
		}
		if n, ok := t.(*types.Named); ok {
			if in := fr.l.Env.StandIn(n); in != nil {
				m, _, _ := types.LookupFieldOrMethod(types.NewPointer(in), true, in.Obj().Pkg(), fn.Name())
				if mf, ok := m.(*types.Func); ok {
					fr.sameSignature(e, fn, mf)
					return mf
				}
				fr.noStandIn(e, fn)
			}
		}
	}
	return fn
}

// sameSignature makes sure that the method m of a stand-in takes and returns what fn does.
func (fr *frame) sameSignature(e ast.Node, fn, m *types.Func) {
	if want, got := fr.l.locals.typ(plain(fn.Signature())), fr.l.locals.typ(plain(m.Signature())); !types.Identical(want, got) {
		fr.refuse(e, "", "the method %s is %s; it must be %s", m.FullName(), got, want)
	}
}

// noStandIn refuses a call of a function of matrices, say, that no rule is there for.
func (fr *frame) noStandIn(e ast.Node, fn *types.Func) {
	fr.refuse(e, "write what it does with the functions that have rules, see docs/limitations.md, or do it before and pass the result",
		"cannot differentiate the call of %s: there is no rule for it", fn.FullName())
}

// takesStandIns reports whether fn is a function of a package that takes or returns types
// of that package that have stand-ins.
func (l *Lifter) takesStandIns(fn *types.Func) bool {
	if fn.Pkg() == nil || !l.Env.StandIns() {
		return false
	}
	return l.holds(whole(fn.Signature()), func(t types.Type) (is, cut bool) {
		n, ok := t.(*types.Named)
		return ok && n.Obj().Pkg() == fn.Pkg() && l.Env.StandIn(n) != nil, false
	}, func(*types.Interface) []types.Type { return nil }, nil)
}
