package compile

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/quabla/quabla/analyze"
	"github.com/quabla/quabla/diag"
	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/lift"
)

// env answers the questions of the lifter about the program. It serves one
// request.
type env struct {
	pkg    *analyze.Package
	prog   *analyze.Program
	req    *analyze.Request
	diags  *diag.List
	unit   *unit
	shared *packageFacts
}

// packageFacts holds what is found out once for a package.
type packageFacts struct {
	written  map[*types.Var]bool // package-level variables that are assigned
	copyable map[*types.Func]bool
	rules    map[*types.Func]*lift.RuleSource
	prefixes map[string]*analyze.Request  // see prefix
	private  map[*types.Func]types.Object // what keeps a function of another package from being copied
}

func newPackageFacts() *packageFacts {
	return &packageFacts{copyable: map[*types.Func]bool{}, prefixes: map[string]*analyze.Request{}, private: map[*types.Func]types.Object{}}
}

// Source implements lift.Env.
func (e *env) Source(fn *types.Func) *lift.Source {
	if fn.Pkg() == nil || !e.readable(fn) {
		return nil
	}
	src, err := e.prog.FuncSource(fn)
	if err != nil || src.Decl.Body == nil {
		return nil
	}
	if fn.Pkg() != e.pkg.Types && !e.copies(fn) {
		return nil
	}
	return &lift.Source{Decl: src.Decl, Info: src.Info, Sig: src.Sig}
}

// liftable are the packages of the standard library whose functions are lifted
// from their source; calls of the others stay calls.
var liftable = map[string]bool{
	"cmp": true, "iter": true, "maps": true, "math/cmplx": true, "slices": true, "sort": true,
}

// readable reports whether the body of fn may be read at all.
func (e *env) readable(fn *types.Func) bool {
	path := fn.Pkg().Path()
	if fn.Pkg() == e.pkg.Types || liftable[path] {
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
		inner := strings.HasPrefix(obj.Pkg().Path(), "internal/") || strings.Contains(obj.Pkg().Path(), "/internal/")
		global := obj.Parent() == obj.Pkg().Scope()
		switch obj := obj.(type) {
		case *types.Const:
		case *types.Func:
			if obj.Exported() && !inner || obj.Signature().Recv() != nil && obj.Exported() {
				return true
			}
			if ok = obj.Signature().Recv() == nil && e.copies(obj); !ok {
				e.shared.private[fn] = cmp.Or(e.shared.private[obj], types.Object(obj))
			}
		case *types.Var:
			if obj.IsField() && !obj.Exported() || global && (!obj.Exported() || inner) {
				ok = false
				e.shared.private[fn] = obj
			}
		case *types.TypeName:
			if _, param := obj.Type().(*types.TypeParam); global && !param && (!obj.Exported() || inner) {
				ok = false
				e.shared.private[fn] = obj
			}
		}
		return ok
	})
	return ok
}

// Implementations implements lift.Env.
func (e *env) Implementations(iface *types.Interface) []types.Type {
	var out []types.Type
	seen := map[*types.Package]bool{}
	var visit func(p *types.Package)
	visit = func(p *types.Package) {
		if seen[p] || stdPath(p.Path()) {
			return
		}
		seen[p] = true
		for _, name := range p.Scope().Names() {
			tn, ok := p.Scope().Lookup(name).(*types.TypeName)
			if !ok || tn.IsAlias() || p != e.pkg.Types && !tn.Exported() || types.IsInterface(tn.Type()) {
				continue
			}
			if n, ok := tn.Type().(*types.Named); ok && n.TypeParams().Len() > 0 {
				continue
			}
			for _, t := range []types.Type{tn.Type(), types.NewPointer(tn.Type())} {
				if types.Implements(t, iface) {
					out = append(out, t)
				}
			}
		}
		for _, q := range p.Imports() {
			visit(q)
		}
	}
	visit(e.pkg.Types)
	return out
}

// derivation is that of the program, for a function or nil.
func (e *env) derivation(fn *types.Func) (*analyze.Request, analyze.Form) {
	if fn == nil {
		return nil, analyze.PlainForm
	}
	return e.prog.Derivation(fn)
}

// Derived implements lift.Env.
func (e *env) Derived(fn *types.Func) *ssair.Func {
	req, form := e.prog.Derivation(fn)
	if req == nil {
		return nil
	}
	switch f := e.unit.derived(req); {
	case f == nil:
		return nil
	case form == analyze.NewForm:
		return e.unit.freshFunc(req, f)
	case form == analyze.WorkForm:
		return e.unit.workFunc(fn, req, f)
	default:
		return f
	}
}

// Rule implements lift.Env.
func (e *env) Rule(fn *types.Func) *lift.RuleSource {
	if e.shared.rules == nil {
		e.shared.rules = e.findRules()
	}
	return e.shared.rules[fn.Origin()]
}

// findRules collects the rules that directives of the package register.
func (e *env) findRules() map[*types.Func]*lift.RuleSource {
	rules := map[*types.Func]*lift.RuleSource{}
	for _, d := range e.pkg.Directives {
		r := d.Rule
		if r == nil {
			continue
		}
		s := rules[r.Target]
		if s == nil {
			s = &lift.RuleSource{Pos: d.Pos, Wrt: r.Wrt}
			rules[r.Target] = s
		}
		if s.JVP != nil && r.JVP != nil || s.VJP != nil && r.VJP != nil || s.Fwd != nil && r.Fwd != nil || !slices.Equal(s.Wrt, r.Wrt) {
			e.report(d.Pos, token.NoPos, diag.Error, fmt.Sprintf("%s has a rule already", r.Target.Name()), "take one of the rules away",
				"the other one is at "+e.prog.Rel(s.Pos))
			continue
		}
		s.JVP, s.VJP = cmp.Or(s.JVP, r.JVP), cmp.Or(s.VJP, r.VJP)
		s.Fwd, s.Bwd = cmp.Or(s.Fwd, r.Fwd), cmp.Or(s.Bwd, r.Bwd)
	}
	return rules
}

// Runtime implements lift.Env.
func (e *env) Runtime(name string) *types.Func {
	f, _ := e.unit.rt(name).(*types.Func)
	return f
}

// ReadOnly implements lift.Env.
func (e *env) ReadOnly(v *types.Var) bool {
	if v.Pkg() != e.pkg.Types {
		return false
	}
	if e.shared.written == nil {
		e.shared.written = map[*types.Var]bool{}
		for _, f := range e.pkg.Files {
			markWritten(f.Syntax, e.pkg.Info, e.shared.written)
		}
	}
	return !e.shared.written[v]
}

// markWritten collects the variables that a file assigns to or takes the
// address of.
func markWritten(f *ast.File, info *types.Info, written map[*types.Var]bool) {
	mark := func(x ast.Expr) {
		switch x := ast.Unparen(x).(type) {
		case *ast.Ident:
			if v, ok := info.Uses[x].(*types.Var); ok {
				written[v] = true
			}
		case *ast.SelectorExpr:
			if v, ok := info.Uses[x.Sel].(*types.Var); ok && !v.IsField() {
				written[v] = true
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, x := range n.Lhs {
				mark(x)
			}
		case *ast.IncDecStmt:
			mark(n.X)
		case *ast.RangeStmt:
			if n.Key != nil {
				mark(n.Key)
			}
			if n.Value != nil {
				mark(n.Value)
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				mark(n.X)
			}
		}
		return true
	})
}

// Initial implements lift.Env.
func (e *env) Initial(v *types.Var) (ast.Expr, *types.Info) {
	for _, f := range e.pkg.Files {
		for _, d := range f.Syntax.Decls {
			gd, ok := d.(*ast.GenDecl)
			if !ok || gd.Tok != token.VAR {
				continue
			}
			for _, s := range gd.Specs {
				vs := s.(*ast.ValueSpec)
				for i, n := range vs.Names {
					if e.pkg.Info.Defs[n] == v && len(vs.Values) == len(vs.Names) {
						return vs.Values[i], e.pkg.Info
					}
				}
			}
		}
	}
	return nil, nil
}

// Refuse implements lift.Env.
func (e *env) Refuse(r lift.Refusal) {
	notes := []string{}
	for _, p := range r.Chain {
		notes = append(notes, "called from "+e.prog.Rel(p))
	}
	e.report(r.Pos, r.End, diag.Error, r.Message, r.Hint, notes...)
}

// report adds a diagnostic that says which request it belongs to.
func (e *env) report(pos, end token.Pos, sev diag.Severity, msg, hint string, notes ...string) {
	at := e.prog.Position(pos)
	width := 1
	if end.IsValid() {
		if to := e.prog.Position(end); to.Line == at.Line {
			width = to.Column - at.Column
		}
	}
	if !pos.IsValid() {
		at = e.prog.Position(e.req.Pos)
		width = len(e.req.Text)
	}
	notes = append(slices.Clone(notes), fmt.Sprintf("needed for %s (%s)", e.req.For(), e.prog.Rel(e.req.Pos)))
	e.diags.Add(diag.Diagnostic{
		Pos: at, Width: width, Severity: sev, Message: msg, Hint: hint, Notes: notes, Category: "derivative",
	})
}
