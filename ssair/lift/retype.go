package lift

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/quabla/quabla/ssair"
)

// retyped returns what stands for a named type in generated code, and nil for
// types that stay: a type of the package for one that is declared inside of a
// function, where generated code cannot name it; a record for a type of
// functions that are not known statically; and a copy with records for a type
// that holds such functions.
func (l *Lifter) retyped(t *types.Named) types.Type {
	if n, ok := l.replacement(t); ok {
		if n == nil {
			return nil
		}
		if l.familyOf(n) != nil {
			return types.NewPointer(n)
		}
		return n
	}
	obj := t.Obj()
	if sig, ok := t.Underlying().(*types.Signature); ok {
		if fam := l.familyOf(sig); fam != nil {
			n := l.addType(obj.Name(), fmt.Sprintf("is a function of type %s, with what it captures.", obj.Name()), obj.Pos(), t)
			fam.named = append(fam.named, n)
			if fam.record != nil && fam.record.Underlying() != nil { // otherwise makeRecord does it
				n.SetUnderlying(fam.record.Underlying())
			}
			return types.NewPointer(n)
		}
	}
	if in, of := l.standIn(t); in != nil {
		return l.addStandIn(in, of)
	}
	if types.IsInterface(t) {
		if l.holdsRecords(t, nil) || l.holdsStandIn(t) {
			return ssair.Any // the types of generated code have no methods
		}
		l.types[t] = nil
		return nil
	}
	plain := obj.Pkg() != nil && obj.Parent() != nil && t.TypeArgs().Len() == 0
	doc := ""
	switch {
	case l.holdsRecords(t, nil):
		doc = fmt.Sprintf("is %s with records for its functions.", obj.Name())
	case l.holdsStandIn(t):
		doc = fmt.Sprintf("is %s with the parts of its matrices in the open.", obj.Name())
	case plain && obj.Parent() != obj.Pkg().Scope():
		doc = fmt.Sprintf("is the type %s, which the source declares inside of a function.", obj.Name())
	case plain && obj.Pkg() != l.Mod.Pkg && l.Env.Private(t):
		doc = fmt.Sprintf("is the type %s.%s, whose parts that package keeps to itself.", obj.Pkg().Name(), obj.Name())
	default:
		l.types[t] = nil
		return nil
	}
	n := l.addType(obj.Name(), doc, obj.Pos(), t)
	if plain && obj.Parent() == obj.Pkg().Scope() && obj.Pkg() != l.Mod.Pkg && l.Env.Private(t) {
		l.private[n] = t
	}
	n.SetUnderlying(l.locals.typ(t.Underlying()))
	return n
}

// needsMethods refuses the interface t as the type of something that has no methods
// in generated code, since it holds functions.
func (fr *frame) needsMethods(node ast.Node, from, t types.Type) {
	u, ok := t.Underlying().(*types.Interface)
	if !ok || u.NumMethods() == 0 || types.Implements(from, u) {
		return
	}
	v, ok := from.Underlying().(*types.Interface)
	if ok && v.NumMethods() == 0 || !ok && !types.Identical(fr.l.raw(from), from) {
		fr.refuse(node, "keep the functions apart from what is used as "+types.TypeString(t, (*types.Package).Name)+", or choose with a switch in its methods",
			"cannot differentiate a value that holds functions as the interface %s", t)
	}
}

// assertable refuses the type assertion x.(t) to an interface whose implementations
// hold functions, that of a value from outside to a type that does, and that to a type
// parameter.
func (fr *frame) assertable(node ast.Node, x *ssair.Value, t types.Type) {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		fr.refuse(node, "put the directive above a function that calls this one",
			"cannot differentiate a type assertion to the type parameter %s: whether it holds numbers is not known", t)
	}
	if !types.IsInterface(t) {
		if fr.l.replaced(t) {
			fr.needsMethods(node, fr.l.locals.typ(t), x.Type)
		}
		return
	}
	if fr.l.holdsRecords(t.Underlying(), nil) {
		fr.refuse(node, "assert one of its implementations",
			"cannot differentiate a type assertion to the interface %s: some of its implementations hold functions", t)
	}
}

// replacement looks up what retyped has returned for t. Instances of a generic
// type may be different objects.
func (l *Lifter) replacement(t *types.Named) (*types.Named, bool) {
	if n, ok := l.types[t]; ok || t.TypeArgs().Len() == 0 {
		return n, ok
	}
	for u, n := range l.types {
		if u.Origin() == t.Origin() && types.Identical(u, t) {
			return n, true
		}
	}
	return nil, false
}

// addType adds a type to the module that stands for t.
func (l *Lifter) addType(name, doc string, pos token.Pos, t types.Type) *types.Named {
	n := l.Mod.AddType(l.typeName(name), doc, pos)
	l.made = append(l.made, n.Obj())
	l.raws[n.Obj()] = t
	if named, ok := t.(*types.Named); ok {
		l.types[named] = n
	}
	return n
}

// typeName returns the name that generated code has for what the source calls name.
func (l *Lifter) typeName(name string) string {
	out := cmp.Or(l.Mod.Prefix, "local")
	for part := range strings.SplitSeq(name, ".") { // of a method
		out += strings.ToUpper(part[:1]) + part[1:]
	}
	return out
}

// holdsRecords reports whether functions that are records can be reached from
// values of type t, other than through what the caller of the function sees.
func (l *Lifter) holdsRecords(t types.Type, seen []types.Type) bool {
	if len(l.plan.families) == 0 {
		return false
	}
	return l.holds(t, func(t types.Type) (is, cut bool) {
		switch t := t.(type) {
		case *types.Named:
			_, isFunc := t.Underlying().(*types.Signature)
			return false, !isFunc && l.isOutside(t)
		case *types.Signature:
			return l.familyOf(t) != nil, false
		}
		return false, false
	}, l.implementations, seen)
}

// holds reports whether a type that is what is looked for can be reached from values of
// type t. The walk stops at types where look says cut; impls returns the types that an
// interface may hold.
func (l *Lifter) holds(t types.Type, look func(types.Type) (is, cut bool), impls func(*types.Interface) []types.Type, seen []types.Type) bool {
	if slices.Contains(seen, t) {
		return false
	}
	seen = append(seen[:len(seen):len(seen)], t)
	if is, cut := look(t); is || cut {
		return is
	}
	in := func(ts ...types.Type) bool {
		return slices.ContainsFunc(ts, func(t types.Type) bool { return l.holds(t, look, impls, seen) })
	}
	switch t := t.(type) {
	case *types.Alias:
		return in(types.Unalias(t))
	case *types.Named:
		return in(t.Underlying())
	case *types.Pointer:
		return in(t.Elem())
	case *types.Slice:
		return in(t.Elem())
	case *types.Array:
		return in(t.Elem())
	case *types.Map:
		return in(t.Key(), t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			if in(f.Type()) {
				return true
			}
		}
	case *types.Tuple:
		for v := range t.Variables() {
			if in(v.Type()) {
				return true
			}
		}
	case *types.Signature:
		return in(t.Params(), t.Results())
	case *types.Interface:
		return t.NumMethods() > 0 && !ssair.IsErrorType(t) && in(impls(t)...)
	}
	return false
}

// isOutside reports whether the caller of the function being derived sees values
// of the type t, or whether code that is not lifted does.
func (l *Lifter) isOutside(t *types.Named) bool {
	if slices.ContainsFunc(l.plan.outside, func(u types.Type) bool { return types.Identical(t, u) }) {
		return true
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok || t.Obj().Pkg() == l.Mod.Pkg || l.Env.Private(t) {
		return false
	}
	for f := range s.Fields() {
		if !f.Exported() {
			return true
		}
	}
	return false
}

// seenOutside adds the named types that can be reached from t to those that the
// caller of the function sees.
func (p *plan) seenOutside(t types.Type) {
	switch t := t.(type) {
	case *types.Alias:
		p.seenOutside(types.Unalias(t))
	case *types.Named:
		if slices.ContainsFunc(p.outside, func(u types.Type) bool { return types.Identical(t, u) }) {
			return
		}
		p.outside = append(p.outside, t)
		p.seenOutside(t.Underlying())
	case *types.Pointer:
		p.seenOutside(t.Elem())
	case *types.Slice:
		p.seenOutside(t.Elem())
	case *types.Array:
		p.seenOutside(t.Elem())
	case *types.Map:
		p.seenOutside(t.Key())
		p.seenOutside(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			p.seenOutside(f.Type())
		}
	}
}

// raw returns the type of the source that t stands for.
func (l *Lifter) raw(t types.Type) types.Type {
	if len(l.raws) == 0 {
		return t
	}
	back := &subst{
		named: func(n *types.Named) types.Type { return l.raws[n.Obj()] },
		pointer: func(p *types.Pointer) types.Type {
			if n, ok := p.Elem().(*types.Named); ok && l.familyOf(n) != nil {
				return l.raws[n.Obj()]
			}
			return nil
		},
	}
	return back.typ(t)
}

// rawType returns the type of e in this activation as the source has it.
func (fr *frame) rawType(e ast.Expr) types.Type { return fr.subst.apply(fr.info.TypeOf(e)) }

// signature returns the signature of the function e as the source has it.
func (fr *frame) signature(e ast.Expr) *types.Signature {
	return fr.rawType(e).Underlying().(*types.Signature)
}

// replaced reports whether values of type t are something else in generated code.
func (l *Lifter) replaced(t types.Type) bool { return !types.Identical(l.locals.typ(t), t) }

// fits refuses v as a value of type t unless it is one: a function that comes from
// outside is no record, and a record is of no use to code that is not lifted.
func (fr *frame) fits(node ast.Node, v *ssair.Value, t types.Type) {
	if types.Identical(v.Type, t) {
		return
	}
	if types.Identical(fr.l.raw(v.Type), fr.l.raw(t)) {
		if fr.l.HoldsOpened(v.Type) || fr.l.HoldsOpened(t) {
			fr.refuse(node, "copy its numbers into a matrix of its own, in a function of your own that has a rule",
				"cannot differentiate a %s that flows between this function and one that keeps its matrices", fr.l.raw(v.Type))
		}
		if fr.l.replaced(v.Type) {
			fr.foreignFunc(node)
		}
		fr.refuse(node, "keep the functions that the derived function makes in types of their own",
			"cannot differentiate a function value that flows to where functions from outside are")
	}
}

// foreignFunc refuses a function value that comes from outside.
func (fr *frame) foreignFunc(node ast.Node) {
	hint := "choose among functions of this package with a parameter, in a switch"
	e, _ := node.(ast.Expr)
	if c, ok := e.(*ast.CallExpr); ok {
		e = c.Fun
	}
	if id, ok := ast.Unparen(e).(*ast.Ident); ok {
		if v, ok := fr.info.Uses[id].(*types.Var); ok && v.Parent() == v.Pkg().Scope() && v.Exported() {
			hint = fmt.Sprintf("other packages can write %s: declare it as a function, or spell it with a small letter", v.Name())
		}
	}
	fr.refuse(node, hint,
		"cannot differentiate a function value that comes from outside: which functions it may be is not known")
}

// deref returns the type that a pointer type of the source points to, or nil: a
// record of a function is no pointer there.
func (l *Lifter) deref(t types.Type) types.Type {
	if l.familyOf(t) != nil {
		return nil
	}
	return ssair.Deref(t)
}
