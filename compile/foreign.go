package compile

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"strings"
)

// liftable are the packages of the standard library whose functions are lifted
// from their source; calls of the others stay calls.
var liftable = map[string]bool{
	"cmp": true, "container/heap": true, "iter": true, "maps": true, "math/cmplx": true, "slices": true, "sort": true,
}

// readable reports whether the body of fn may be read at all.
func (e *env) readable(fn *types.Func) bool {
	return fn.Pkg() == e.pkg.Types || e.lifts(fn.Pkg())
}

// lifts reports whether the source of another package is read.
func (e *env) lifts(pkg *types.Package) bool {
	path := pkg.Path()
	if liftable[path] {
		return true
	}
	first, _, _ := strings.Cut(path, "/")
	return strings.Contains(first, ".") && path != "github.com/quabla/quabla/rt" || sameModule(path, e.pkg.Path)
}

// sameModule reports whether two import paths begin with the same element.
func sameModule(a, b string) bool {
	x, _, _ := strings.Cut(a, "/")
	y, _, _ := strings.Cut(b, "/")
	return x == y && (strings.Contains(x, ".") || !stdPath(a) && !stdPath(b))
}

func stdPath(p string) bool {
	switch first, _, _ := strings.Cut(p, "/"); first {
	case "archive", "bufio", "bytes", "cmp", "compress", "container", "context", "crypto", "database", "debug", "embed",
		"encoding", "errors", "expvar", "flag", "fmt", "go", "hash", "html", "image", "index", "internal", "io", "iter", "log",
		"maps", "math", "mime", "net", "os", "path", "plugin", "reflect", "regexp", "runtime", "slices", "sort", "strconv",
		"strings", "structs", "sync", "syscall", "testing", "text", "time", "unicode", "unique", "unsafe", "vendor", "weak":
		return true
	}
	return false
}

// copies reports whether the body of fn, of another package, can be copied: it
// refers to exported names, local ones, constants, and functions that can be
// copied in turn.
func (e *env) copies(fn *types.Func) bool {
	fn = fn.Origin()
	if ok, seen := e.shared.copyable[fn]; seen {
		return ok
	}
	e.shared.copyable[fn] = true // a recursive function can be copied if the rest can
	ok := e.bodyCopies(fn)
	e.shared.copyable[fn] = ok
	return ok
}

func (e *env) bodyCopies(fn *types.Func) bool {
	src, err := e.prog.FuncSource(fn)
	if err != nil || src.Decl.Body == nil {
		return false
	}
	ok := true
	ast.Inspect(src.Decl.Body, func(n ast.Node) bool {
		id, isIdent := n.(*ast.Ident)
		if !isIdent || !ok {
			return ok
		}
		obj := src.Info.Uses[id]
		if obj == nil || obj.Pkg() == nil {
			return true
		}
		if _, isPkg := obj.(*types.PkgName); isPkg {
			return true
		}
		inner := internalPath(obj.Pkg().Path())
		global := obj.Parent() == obj.Pkg().Scope()
		switch obj := obj.(type) {
		case *types.Const:
		case *types.Func:
			if obj.Exported() && !inner || obj.Signature().Recv() != nil && obj.Exported() {
				return true
			}
			recv := obj.Signature().Recv()
			if ok = (recv == nil || !types.IsInterface(recv.Type())) && e.copies(obj); !ok {
				e.shared.private[fn] = cmp.Or(e.shared.private[obj], types.Object(obj))
			}
		case *types.Var:
			hidden := obj.IsField() && !obj.Exported()
			if hidden {
				owner := e.owner(obj)
				hidden = owner == nil || !e.Private(owner)
			}
			if hidden || global && (!obj.Exported() || inner) && !e.constant(obj) {
				ok = false
				e.shared.private[fn] = obj
			}
		case *types.TypeName:
			named, _ := obj.Type().(*types.Named)
			if _, param := obj.Type().(*types.TypeParam); global && !param && (!obj.Exported() || inner) && (named == nil || !e.Private(named)) {
				ok = false
				e.shared.private[fn] = obj
			}
		}
		return ok
	})
	return ok
}

// inside names a place in the source of another package.
func (e *env) inside(pos token.Pos) string {
	at := e.prog.Position(pos)
	return fmt.Sprintf("%s:%d:%d", path.Base(filepath.ToSlash(at.Filename)), at.Line, at.Column)
}

// ruleHint says what to do about a call of a function of another module.
func (e *env) ruleHint(fn *types.Func) string {
	return fmt.Sprintf("give it a rule, //quabla:rule for=%s, or write what it does in a function of your own", e.spelled(fn))
}

// spelled names a function as a directive does.
func (e *env) spelled(fn *types.Func) string {
	name := fn.Name()
	if recv := fn.Signature().Recv(); recv != nil {
		t := types.Unalias(recv.Type())
		if p, ok := t.(*types.Pointer); ok {
			t = types.Unalias(p.Elem())
		}
		if n, ok := t.(*types.Named); ok {
			name = n.Obj().Name() + "." + name
		}
	}
	return fn.Pkg().Name() + "." + name
}
