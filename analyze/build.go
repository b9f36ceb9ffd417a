package analyze

import (
	"fmt"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
)

// An exprBuilder computes the signatures of an expression.
type exprBuilder struct {
	*applier
	leaf    *Expr
	nondiff map[int]string
	simple  bool // a verb of its own, not a derive directive
	verb    Verb // of the directive
}

// build returns the expression with its signatures, or nil after a report. The
// outermost verb keeps its values.
func (b *exprBuilder) build(s *exprSyntax) *Expr {
	e := &Expr{Word: s.word, Verb: Verb(s.word.Text)}
	if b.simple {
		e.Verb = b.verb
	}
	if e.Fn = b.inner(s.fn, e.Verb); e.Fn == nil {
		return nil
	}
	v := &application{verb: e.Verb, word: s.word, wrt: s.wrt, of: s.of, lanes: s.lanes, lanesAt: s.lanesAt}
	v.nondiff = make(map[int]string)
	for i, by := range b.nondiff {
		name := b.leaf.Sig.All()[i].Name
		if j := slices.IndexFunc(e.Fn.Sig.All(), func(p Slot) bool { return p.Name == name }); j >= 0 {
			v.nondiff[j] = by
		}
	}
	if e.Sig = b.apply(e.Fn.Sig, v); e.Sig == nil {
		return nil
	}
	return e
}

// inner builds an expression that the verb around is applied to.
func (b *exprBuilder) inner(s *exprSyntax, around Verb) *Expr {
	if s.fn == nil {
		name := b.leaf.Sig.Name
		if s.word.Text != name {
			b.errorf(s.word, fmt.Sprintf("the innermost name must be %s", name),
				"the expression is about %s, but the directive stands above %s", s.word.Text, name)
			return nil
		}
		return b.leaf
	}
	e := b.build(s)
	if e == nil {
		return nil
	}
	at := e
	for at.Verb == VMap { // of matrices, perhaps
		at = at.Fn
	}
	switch {
	case at.Verb == Pullback && around == VMap:
		b.errorf(at.Word, "use vjp inside", "%s has no batched form; it may only stand outermost", at.Verb)
		return nil
	case at.Verb == Pullback, around != VMap && (at.Verb == Jacobian || at.Verb == Hessian):
		b.errorf(at.Word, "use grad, jvp, vjp or hvp inside", "%s cannot be differentiated again; it may only stand outermost", at.Verb)
		return nil
	}
	e.Sig = contribution(e.Sig)
	return e
}

// openTypeParam returns a type parameter of a function or of its receiver that
// admits types other than floats, or nil.
func openTypeParam(sig *types.Signature) *types.TypeParam {
	for _, list := range []*types.TypeParamList{sig.RecvTypeParams(), sig.TypeParams()} {
		for tp := range list.TypeParams() {
			if !floatsOnly(tp, nil) && !comparedOnly(tp) {
				return tp
			}
		}
	}
	return nil
}

// comparedOnly reports whether values of type tp can be compared and nothing else: no number
// comes out of them.
func comparedOnly(tp *types.TypeParam) bool {
	return types.Unalias(tp.Constraint()) == types.Universe.Lookup("comparable").Type()
}

// floatsOnly reports whether every type in the type set of tp is a float, or all
// have one underlying type that is made of such: ~[]E with a float E.
func floatsOnly(tp *types.TypeParam, seen []*types.TypeParam) bool {
	if isFloat(tp) || isComplex(tp) {
		return true
	}
	if slices.Contains(seen, tp) {
		return false
	}
	var made func(t types.Type) bool
	made = func(t types.Type) bool {
		if inner, ok := types.Unalias(t).(*types.TypeParam); ok {
			return floatsOnly(inner, append(seen, tp))
		}
		switch u := t.Underlying().(type) {
		case *types.Basic:
			return u.Info()&(types.IsFloat|types.IsComplex) != 0
		case *types.Slice:
			return made(u.Elem())
		case *types.Array:
			return made(u.Elem())
		case *types.Pointer:
			return made(u.Elem())
		}
		return false
	}
	core := coreType(tp)
	return core != nil && made(core)
}

// instances returns the lists of type arguments, without type parameters, that
// the package instantiates fn with.
func (p *Package) instances(fn *types.Func) [][]types.Type {
	found := make(map[string][]types.Type)
	for id, inst := range p.Info.Instances {
		if p.Info.Uses[id] != fn {
			continue
		}
		targs := slices.Collect(inst.TypeArgs.Types())
		if !slices.ContainsFunc(targs, hasTypeParam) && !slices.ContainsFunc(targs, p.unspeakable) {
			found[fmt.Sprint(targs)] = targs
		}
	}
	keys := make([]string, 0, len(found))
	for k := range found {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	var list [][]types.Type
	for _, k := range keys {
		list = append(list, found[k])
	}
	return list
}

// unspeakable reports whether a type stands in t that code at the top of the
// package cannot name: one declared in a function, or hidden in another package.
func (p *Package) unspeakable(t types.Type) bool {
	return anyType(t, func(t types.Type) bool {
		named, ok := t.(*types.Named)
		if !ok || named.Obj().Pkg() == nil {
			return false
		}
		obj := named.Obj()
		return obj.Parent() != obj.Pkg().Scope() || obj.Pkg() != p.Types && !obj.Exported()
	})
}

// instanceSuffix returns what the name of a derived function has behind it for
// an instance: Float64 for [float64], Float64SliceInt for [[]float64, int].
func instanceSuffix(targs []types.Type) string {
	var b strings.Builder
	for _, t := range targs {
		b.WriteString(typeWord(t))
	}
	return b.String()
}

func typeWord(t types.Type) string {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		return capital(t.Name(), true)
	case *types.Named:
		s := capital(t.Obj().Name(), true)
		for arg := range t.TypeArgs().Types() {
			s += typeWord(arg)
		}
		return s
	case *types.Slice:
		return typeWord(t.Elem()) + "Slice"
	case *types.Array:
		return fmt.Sprintf("%sArray%d", typeWord(t.Elem()), t.Len())
	case *types.Pointer:
		return typeWord(t.Elem()) + "Ptr"
	case *types.Map:
		return typeWord(t.Key()) + typeWord(t.Elem()) + "Map"
	case *types.Struct:
		return "Struct"
	case *types.Interface:
		return "Any"
	}
	return "Func"
}

// hasTypeParam reports whether a type parameter stands in t.
func hasTypeParam(t types.Type) bool {
	return anyType(t, func(t types.Type) bool { _, ok := t.(*types.TypeParam); return ok })
}

// invalid reports whether a type that does not check stands in t.
func invalid(t types.Type) bool {
	return anyType(t, func(t types.Type) bool { return t == types.Typ[types.Invalid] })
}

// anyType reports whether f accepts a type that stands in t, as it is written:
// the insides of named types are not looked at, their type arguments are.
func anyType(t types.Type, f func(types.Type) bool) bool {
	seen := make(map[types.Type]bool)
	var walk func(types.Type) bool
	tuple := func(tup *types.Tuple) bool {
		for v := range tup.Variables() {
			if walk(v.Type()) {
				return true
			}
		}
		return false
	}
	walk = func(t types.Type) bool {
		t = types.Unalias(t)
		if t == nil || seen[t] {
			return false
		}
		seen[t] = true
		if f(t) {
			return true
		}
		switch t := t.(type) {
		case *types.Named:
			return slices.ContainsFunc(slices.Collect(t.TypeArgs().Types()), walk)
		case *types.Pointer:
			return walk(t.Elem())
		case *types.Slice:
			return walk(t.Elem())
		case *types.Array:
			return walk(t.Elem())
		case *types.Chan:
			return walk(t.Elem())
		case *types.Map:
			return walk(t.Key()) || walk(t.Elem())
		case *types.Struct:
			for fld := range t.Fields() {
				if walk(fld.Type()) {
					return true
				}
			}
		case *types.Signature:
			return t.Recv() != nil && walk(t.Recv().Type()) || tuple(t.Params()) || tuple(t.Results())
		}
		return false
	}
	return walk(t)
}

func baseName(path string) string { return filepath.Base(path) }
