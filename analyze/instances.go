package analyze

import (
	"go/types"
	"slices"
)

// TypeParams returns the type parameters that the derived function has: those of
// a generic function, or those of a method's receiver. A request for one
// instance has none.
func (r *Request) TypeParams() []*types.TypeParam {
	if r.TypeArgs != nil {
		return nil
	}
	sig := r.Func.Signature()
	return slices.Concat(slices.Collect(sig.RecvTypeParams().TypeParams()), slices.Collect(sig.TypeParams().TypeParams()))
}

// Instances returns lists of type arguments with which the derived function can
// be called: one with float64 for floats, if the constraints admit that, one with
// float32, and where neither will do those that the package uses. They are for
// tests.
func (r *Request) Instances() [][]types.Type {
	params := r.TypeParams()
	if len(params) == 0 {
		return nil
	}
	var lists [][]types.Type
	for _, first := range []types.BasicKind{types.Float64, types.Float32} {
		args := chooseArgs(params, types.Typ[first])
		if args != nil && !slices.ContainsFunc(lists, func(l []types.Type) bool { return slices.EqualFunc(l, args, types.Identical) }) {
			lists = append(lists, args)
		}
	}
	if lists == nil && r.Func.Signature().Recv() == nil {
		lists = r.Pkg.instances(r.Func)
	}
	return lists
}

// chooseArgs returns a type argument for each parameter, of the type first where
// the constraint admits it, or nil if it finds none.
func chooseArgs(params []*types.TypeParam, first types.Type) []types.Type {
	chosen := make(map[*types.TypeParam]types.Type)
	open := func(t types.Type) bool {
		return anyType(t, func(u types.Type) bool {
			tp, ok := u.(*types.TypeParam)
			return ok && chosen[tp] == nil
		})
	}
	for range params { // each turn settles one at least
		for _, tp := range params {
			if chosen[tp] != nil {
				continue
			}
			set := typeSet(tp)
			switch {
			case len(set) == 0 || slices.ContainsFunc(set, func(t types.Type) bool { return types.Identical(t, first) }):
				chosen[tp] = first
			case !open(set[0]):
				chosen[tp] = Substitute(set[0], chosen)
			}
		}
	}
	args := make([]types.Type, len(params))
	for i, tp := range params {
		if args[i] = chosen[tp]; args[i] == nil {
			return nil
		}
	}
	for i, tp := range params {
		iface, ok := Substitute(tp.Constraint(), chosen).Underlying().(*types.Interface)
		if !ok || !types.Satisfies(args[i], iface) {
			return nil
		}
	}
	return args
}

// Substitute returns t with types in place of type parameters. Parameters that
// are not in the map stay.
func Substitute(t types.Type, args map[*types.TypeParam]types.Type) types.Type {
	if len(args) == 0 {
		return t
	}
	return substitution(args).typ(t)
}

type substitution map[*types.TypeParam]types.Type

func (s substitution) typ(t types.Type) types.Type {
	switch t.(type) {
	case *types.Interface, *types.Union: // hasTypeParam does not look into them
	default:
		if !hasTypeParam(t) {
			return t
		}
	}
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		if u := s[t]; u != nil {
			return u
		}
		return t
	case *types.Named:
		if t.TypeArgs().Len() == 0 {
			return t
		}
		var list []types.Type
		for u := range t.TypeArgs().Types() {
			list = append(list, s.typ(u))
		}
		inst, err := types.Instantiate(nil, t.Origin(), list, false)
		if err != nil {
			return t
		}
		return inst
	case *types.Pointer:
		return types.NewPointer(s.typ(t.Elem()))
	case *types.Slice:
		return types.NewSlice(s.typ(t.Elem()))
	case *types.Array:
		return types.NewArray(s.typ(t.Elem()), t.Len())
	case *types.Chan:
		return types.NewChan(t.Dir(), s.typ(t.Elem()))
	case *types.Map:
		return types.NewMap(s.typ(t.Key()), s.typ(t.Elem()))
	case *types.Struct:
		fields := make([]*types.Var, t.NumFields())
		tags := make([]string, t.NumFields())
		for i := range fields {
			f := t.Field(i)
			fields[i] = types.NewField(f.Pos(), f.Pkg(), f.Name(), s.typ(f.Type()), f.Embedded())
			tags[i] = t.Tag(i)
		}
		return types.NewStruct(fields, tags)
	case *types.Signature:
		return types.NewSignatureType(nil, nil, nil, s.tuple(t.Params()), s.tuple(t.Results()), t.Variadic())
	case *types.Union:
		var terms []*types.Term
		for term := range t.Terms() {
			terms = append(terms, types.NewTerm(term.Tilde(), s.typ(term.Type())))
		}
		return types.NewUnion(terms)
	case *types.Interface:
		var embedded []types.Type
		for e := range t.EmbeddedTypes() {
			embedded = append(embedded, s.typ(e))
		}
		return types.NewInterfaceType(slices.Collect(t.ExplicitMethods()), embedded)
	}
	return t
}

func (s substitution) tuple(t *types.Tuple) *types.Tuple {
	vars := make([]*types.Var, t.Len())
	for i := range vars {
		v := t.At(i)
		vars[i] = types.NewParam(v.Pos(), v.Pkg(), v.Name(), s.typ(v.Type()))
	}
	return types.NewTuple(vars...)
}
