package compile

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/quabla/quabla/ssair"
)

// constant reports whether a package-level variable of another package keeps the
// value that it is initialised with, and whether that value can be made anew: it is
// a number, an array or struct of numbers, a slice of those, or a function. All that
// its package does with it is read it.
func (e *env) constant(v *types.Var) bool {
	if ok, seen := e.shared.constant[v]; seen {
		return ok
	}
	e.shared.constant[v] = false
	files, info, err := e.prog.PackageSource(v.Pkg())
	if err != nil || v.Exported() || !plainData(v.Type()) {
		return false
	}
	ok := true
	for _, f := range files {
		ok = ok && (&readCheck{info: info, files: files}).reads(v, f)
	}
	e.shared.constant[v] = ok
	return ok
}

// plainData reports whether a value of type t can be made anew.
func plainData(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Signature:
		return true
	case *types.Slice:
		return !ssair.HoldsRef(u.Elem())
	}
	return !ssair.HoldsRef(t)
}

// A readCheck finds out whether a package only reads a variable.
type readCheck struct {
	info  *types.Info
	files []*ast.File
	seen  map[*types.Var]bool
}

// reads reports whether all uses of v below root are reads.
func (c *readCheck) reads(v *types.Var, root ast.Node) bool {
	ok := true
	var path []ast.Node
	ast.Inspect(root, func(n ast.Node) bool {
		if n == nil {
			path = path[:len(path)-1]
			return true
		}
		if id, isIdent := n.(*ast.Ident); isIdent && ok && c.info.Uses[id] == v {
			ok = c.read(id, path)
		}
		path = append(path, n)
		return true
	})
	return ok
}

// read reports whether one use is a read. path leads to it from outside.
func (c *readCheck) read(use ast.Expr, path []ast.Node) bool {
	for i := len(path) - 1; i >= 0; i-- {
		t := c.info.TypeOf(use)
		switch n := path[i].(type) {
		case *ast.ParenExpr:
			use = n
			continue
		case *ast.IndexExpr:
			if n.X != use {
				return true // an index
			}
			use = n
			continue
		case *ast.SelectorExpr:
			if s := c.info.Selections[n]; s != nil && s.Kind() != types.FieldVal {
				_, ptr := s.Obj().(*types.Func).Signature().Recv().Type().Underlying().(*types.Pointer)
				return !ptr && t != nil && !ssair.HoldsRef(t)
			}
			use = n
			continue
		case *ast.SliceExpr:
			if n.X != use {
				return true
			}
			use = n
			continue
		case *ast.CallExpr:
			if n.Fun == use {
				return true
			}
			return t != nil && (!ssair.HoldsRef(t) || c.argument(n, use))
		case *ast.UnaryExpr:
			return n.Op != token.AND
		case *ast.IncDecStmt:
			return false
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				if l == use {
					return false
				}
			}
			return !ssair.HoldsRef(t) // a copy
		case *ast.RangeStmt:
			return n.X == use && t != nil
		case *ast.BinaryExpr:
			return true
		}
		return t != nil && !ssair.HoldsRef(t)
	}
	return false
}

// argument reports whether a function of the package only reads what it gets as the
// argument arg, or is a builtin that does.
func (c *readCheck) argument(call *ast.CallExpr, arg ast.Expr) bool {
	var id *ast.Ident
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		id = f
	case *ast.SelectorExpr:
		id = f.Sel
	default:
		return false
	}
	switch fn := c.info.Uses[id].(type) {
	case *types.Builtin:
		return fn.Name() == "len" || fn.Name() == "cap"
	case *types.Func:
		decl := c.declaration(fn)
		if decl == nil || decl.Body == nil {
			return false
		}
		k := 0
		for i, a := range call.Args {
			if a == arg {
				k = i
			}
		}
		for _, field := range decl.Type.Params.List {
			for _, name := range field.Names {
				if k == 0 {
					p, ok := c.info.Defs[name].(*types.Var)
					if !ok || name.Name == "_" {
						return name.Name == "_"
					}
					if c.seen[p] {
						return true
					}
					if c.seen == nil {
						c.seen = map[*types.Var]bool{}
					}
					c.seen[p] = true
					return c.reads(p, decl.Body)
				}
				k--
			}
		}
	}
	return false
}

// declaration returns the declaration of a function of the package.
func (c *readCheck) declaration(fn *types.Func) *ast.FuncDecl {
	for _, f := range c.files {
		for _, d := range f.Decls {
			if decl, ok := d.(*ast.FuncDecl); ok && decl.Recv == nil && decl.Name.Name == fn.Name() && fn.Signature().Recv() == nil {
				return decl
			}
		}
	}
	return nil
}
