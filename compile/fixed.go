package compile

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/quabla/quabla/ssair"
)

// Fixed implements lift.Env. A variable keeps its initial value, with all that it
// holds, if the package only reads from it what refers to nothing else: then no
// other name for its memory exists.
func (e *env) Fixed(v *types.Var) bool {
	if v.Pkg() != e.pkg.Types || e.importable(v) {
		return false
	}
	fixed := true
	for _, f := range e.pkg.Files {
		var stack []ast.Node
		ast.Inspect(f.Syntax, func(n ast.Node) bool {
			if n == nil {
				stack = stack[:len(stack)-1]
				return true
			}
			if id, ok := n.(*ast.Ident); ok && e.pkg.Info.Uses[id] == v {
				fixed = fixed && reads(e.pkg.Info, id, stack)
			}
			stack = append(stack, n)
			return true
		})
	}
	return fixed
}

// reads reports whether a use of a variable, with the nodes around it, only reads
// what refers to no memory.
func reads(info *types.Info, use ast.Expr, around []ast.Node) bool {
	for i := len(around) - 1; i >= 0; i-- {
		switch p := around[i].(type) {
		case *ast.ParenExpr:
			use = p
		case *ast.IndexExpr:
			if p.X != use {
				return true // an index
			}
			use = p
		case *ast.SelectorExpr:
			s := info.Selections[p]
			if s == nil || s.Kind() != types.FieldVal {
				return s != nil && !takesPointer(s) && plainValue(info.TypeOf(use))
			}
			use = p
		case *ast.CallExpr:
			if p.Fun == use {
				return true
			}
			return info.Types[p.Fun].IsBuiltin() && p.Args[0] == use && isLen(p.Fun) || plainValue(info.TypeOf(use))
		case *ast.RangeStmt:
			if p.X == use {
				return p.Value == nil || plainValue(info.TypeOf(p.Value))
			}
			return false
		case *ast.AssignStmt:
			for _, l := range p.Lhs {
				if l == use {
					return false
				}
			}
			return plainValue(info.TypeOf(use))
		case *ast.IncDecStmt, *ast.SliceExpr:
			return false
		case *ast.UnaryExpr:
			return p.Op != token.AND && plainValue(info.TypeOf(use))
		default:
			return plainValue(info.TypeOf(use))
		}
	}
	return false
}

func isLen(fun ast.Expr) bool {
	id, ok := fun.(*ast.Ident)
	return ok && (id.Name == "len" || id.Name == "cap")
}

// takesPointer reports whether the selected method may change its receiver.
func takesPointer(s *types.Selection) bool {
	_, ptr := s.Obj().(*types.Func).Signature().Recv().Type().Underlying().(*types.Pointer)
	return ptr
}

// plainValue reports whether a value of type t refers to no memory, functions apart.
func plainValue(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Signature:
		return true
	case *types.Struct:
		for f := range u.Fields() {
			if !plainValue(f.Type()) {
				return false
			}
		}
		return true
	case *types.Array:
		return plainValue(u.Elem())
	case *types.Tuple: // v, ok := m[k]
		return plainValue(u.At(0).Type())
	}
	return !ssair.IsRef(t)
}
