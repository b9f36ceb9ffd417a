package ssair

import (
	"fmt"
	"go/types"
)

// LaneKey is the key of module m's type with n lanes for each float of struct t.
func LaneKey(t *types.Named, n int) string {
	return fmt.Sprintf("%d lanes of %s", n, types.TypeString(t, nil))
}

// MapScalars returns t with the numbers that can be reached from it replaced: each
// by what scalar returns for its type. A named struct that reaches numbers becomes
// what named returns, and an interface what iface returns; that of errors only if iface
// is not nil. It returns nil where one of the functions does or is nil, and for the type
// of a function.
func MapScalars(t types.Type, scalar func(types.Type) types.Type, named func(*types.Named, *types.Struct) types.Type, iface func(types.Type) types.Type) types.Type {
	if !ReachesScalar(t) && (iface == nil || !MayReachScalar(t)) {
		return t
	}
	if IsScalar(t) {
		return scalar(t)
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		if s, ok := t.Underlying().(*types.Struct); ok {
			return named(n, s)
		}
	}
	var elem func(types.Type) types.Type
	switch u := t.Underlying().(type) {
	case *types.Slice:
		elem = func(e types.Type) types.Type { return types.NewSlice(e) }
	case *types.Array:
		elem = func(e types.Type) types.Type { return types.NewArray(e, u.Len()) }
	case *types.Pointer:
		elem = func(e types.Type) types.Type { return types.NewPointer(e) }
	case *types.Map:
		elem = func(e types.Type) types.Type { return types.NewMap(u.Key(), e) }
	case *types.Struct:
		fields := make([]*types.Var, u.NumFields())
		for i := range fields {
			f := u.Field(i)
			ft := MapScalars(f.Type(), scalar, named, iface)
			if ft == nil {
				return nil
			}
			fields[i] = types.NewField(f.Pos(), f.Pkg(), f.Name(), ft, false)
		}
		return types.NewStruct(fields, nil)
	case *types.Interface:
		if iface == nil {
			return nil
		}
		return iface(t)
	default:
		return nil
	}
	e := MapScalars(t.Underlying().(interface{ Elem() types.Type }).Elem(), scalar, named, iface)
	if e == nil {
		return nil
	}
	return elem(e)
}
