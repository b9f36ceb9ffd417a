package lift

import (
	"go/ast"
	"go/types"
)

// inC returns what n refers to in C first, or nil.
func inC(n ast.Node, info *types.Info) *ast.SelectorExpr {
	var found *ast.SelectorExpr
	ast.Inspect(n, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && found == nil {
			if id, ok := s.X.(*ast.Ident); ok {
				if p, ok := info.Uses[id].(*types.PkgName); ok && p.Imported().Path() == "C" {
					found = s
				}
			}
		}
		return found == nil
	})
	return found
}

// refuseC refuses a statement that refers to C: its types are known to cgo only.
func (fr *frame) refuseC(s ast.Stmt) {
	if c := inC(s, fr.info); c != nil {
		fr.refuse(c, "call it in a Go function that has a rule, //quabla:custom_vjp", "cannot differentiate C.%s: it is code in C", c.Sel.Name)
	}
}
