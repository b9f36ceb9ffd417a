package lift

import (
	"cmp"
	"fmt"
	"go/types"
	"strings"
)

// A subst replaces type parameters by type arguments. A nil subst is the
// identity.
type subst struct {
	m map[*types.TypeParam]types.Type
	// named, if it is set, replaces named types; it returns nil for those that
	// stay.
	named func(*types.Named) types.Type
}

// substFor returns the substitution for calling a function of signature sig
// with targs.
func substFor(sig *types.Signature, targs []types.Type) *subst {
	if len(targs) == 0 {
		return nil
	}
	s := &subst{m: map[*types.TypeParam]types.Type{}}
	tps := sig.TypeParams()
	if sig.Recv() != nil {
		tps = sig.RecvTypeParams()
	}
	for i := range tps.Len() {
		if i < len(targs) {
			s.m[tps.At(i)] = targs[i]
		}
	}
	return s
}

func (s *subst) apply(t types.Type) types.Type {
	if s == nil || t == nil {
		return t
	}
	return s.typ(t)
}

func (s *subst) typ(t types.Type) types.Type {
	switch t := t.(type) {
	case *types.TypeParam:
		if r, ok := s.m[t]; ok {
			return r
		}
	case *types.Alias:
		return s.typ(types.Unalias(t))
	case *types.Named:
		if s.named != nil {
			if n := s.named(t); n != nil {
				return n
			}
		}
		args := t.TypeArgs()
		if args.Len() == 0 {
			return t
		}
		ts, changed := s.list(args.Len(), args.At)
		if !changed {
			return t
		}
		n, err := types.Instantiate(nil, t.Origin(), ts, false)
		if err != nil {
			return t
		}
		return n
	case *types.Pointer:
		if e := s.typ(t.Elem()); e != t.Elem() {
			return types.NewPointer(e)
		}
	case *types.Slice:
		if e := s.typ(t.Elem()); e != t.Elem() {
			return types.NewSlice(e)
		}
	case *types.Array:
		if e := s.typ(t.Elem()); e != t.Elem() {
			return types.NewArray(e, t.Len())
		}
	case *types.Map:
		k, e := s.typ(t.Key()), s.typ(t.Elem())
		if k != t.Key() || e != t.Elem() {
			return types.NewMap(k, e)
		}
	case *types.Chan:
		if e := s.typ(t.Elem()); e != t.Elem() {
			return types.NewChan(t.Dir(), e)
		}
	case *types.Struct:
		var fields []*types.Var
		var tags []string
		changed := false
		for i := range t.NumFields() {
			f := t.Field(i)
			ft := s.typ(f.Type())
			if ft != f.Type() {
				changed = true
				f = types.NewField(f.Pos(), f.Pkg(), f.Name(), ft, f.Embedded())
			}
			fields = append(fields, f)
			tags = append(tags, t.Tag(i))
		}
		if changed {
			return types.NewStruct(fields, tags)
		}
	case *types.Tuple:
		if n, changed := s.tuple(t); changed {
			return n
		}
	case *types.Signature:
		p, c1 := s.tuple(t.Params())
		r, c2 := s.tuple(t.Results())
		if c1 || c2 {
			return types.NewSignatureType(nil, nil, nil, p, r, t.Variadic())
		}
	}
	return t
}

func (s *subst) list(n int, at func(int) types.Type) ([]types.Type, bool) {
	ts := make([]types.Type, n)
	changed := false
	for i := range ts {
		ts[i] = s.typ(at(i))
		changed = changed || ts[i] != at(i)
	}
	return ts, changed
}

func (s *subst) tuple(t *types.Tuple) (*types.Tuple, bool) {
	vs := make([]*types.Var, t.Len())
	changed := false
	for i := range vs {
		vs[i] = t.At(i)
		if nt := s.typ(vs[i].Type()); nt != vs[i].Type() {
			changed = true
			vs[i] = types.NewParam(vs[i].Pos(), vs[i].Pkg(), vs[i].Name(), nt)
		}
	}
	return types.NewTuple(vs...), changed
}

// hoisted returns a type of the package for a type that generated code cannot name,
// because it is declared inside of a function or private to another package, and nil
// for other types.
func (l *Lifter) hoisted(t *types.Named) types.Type {
	obj := t.Obj()
	if n, ok := l.types[t]; ok {
		return n
	}
	if obj.Pkg() == nil || obj.Parent() == nil || t.TypeArgs().Len() > 0 {
		return nil
	}
	doc := fmt.Sprintf("is the type %s, which the source declares inside of a function.", obj.Name())
	if obj.Parent() == obj.Pkg().Scope() {
		if obj.Pkg() == l.Mod.Pkg || !l.Env.Private(t) {
			return nil
		}
		doc = fmt.Sprintf("is the type %s.%s, whose parts that package keeps to itself.", obj.Pkg().Name(), obj.Name())
	}
	name := cmp.Or(l.Mod.Prefix, "local") + strings.ToUpper(obj.Name()[:1]) + obj.Name()[1:]
	n := l.Mod.AddType(name, doc, obj.Pos())
	l.types[t] = n
	if obj.Parent() == obj.Pkg().Scope() {
		l.private[n] = t
	}
	n.SetUnderlying(l.locals.typ(t.Underlying()))
	return n
}
