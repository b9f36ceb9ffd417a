package lift

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/quabla/quabla/ssair"
)

// settled reports whether the variable keeps the value that it is declared with,
// so that a closure may as well capture the value. Variables with parts, which can
// be changed in more ways, are not looked into.
func (fr *frame) settled(obj *types.Var) bool {
	switch obj.Type().Underlying().(type) {
	case *types.Struct, *types.Array:
		return false
	case *types.Interface:
		if _, ok := types.Unalias(obj.Type()).(*types.TypeParam); ok && !ssair.IsScalar(obj.Type()) {
			return false
		}
	}
	v := fr.vars[obj]
	if v != nil && v.from != nil {
		return v.from.byValue // what changes it stands elsewhere
	}
	if fr.block == nil || slices.Contains(fr.results, v) {
		return false
	}
	is := func(e ast.Expr) bool {
		id, ok := ast.Unparen(e).(*ast.Ident)
		return ok && fr.info.Uses[id] == obj
	}
	ok := true
	ast.Inspect(fr.block, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, e := range n.Lhs {
				ok = ok && !is(e)
			}
		case *ast.IncDecStmt:
			ok = ok && !is(n.X)
		case *ast.RangeStmt:
			ok = ok && (n.Key == nil || !is(n.Key)) && (n.Value == nil || !is(n.Value))
		case *ast.UnaryExpr:
			ok = ok && (n.Op != token.AND || !is(n.X))
		case *ast.SelectorExpr:
			// A method with a pointer receiver takes the address.
			if s := fr.info.Selections[n]; s != nil && s.Kind() == types.MethodVal && is(n.X) {
				_, ptr := obj.Type().Underlying().(*types.Pointer)
				_, want := s.Obj().(*types.Func).Signature().Recv().Type().Underlying().(*types.Pointer)
				ok = ok && (ptr || !want)
			}
		}
		return ok
	})
	return ok
}
