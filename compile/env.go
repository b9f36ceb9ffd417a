package compile

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/quabla/quabla/analyze"
	"github.com/quabla/quabla/diag"
	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/lift"
)

// env answers the questions of the lifter about the program. It serves one
// request, or, without one, the rules of a package.
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
	rules    map[*analyze.CustomRule]*lift.RuleSource
	prefixes map[string]*analyze.Request  // see prefix
	private  map[*types.Func]types.Object // what keeps a function of another package from being copied
	constant map[*types.Var]bool          // variables of other packages
	types    map[*types.Named]bool        // types of other packages: see Private
	owners   map[*types.Package]map[*types.Var]*types.Named
	shipped  map[string]*shippedRules // by the path of the package with the rules
	standIns *bool                    // whether types that the package knows have stand-ins

	instances   []*types.Named                // see Implementations
	checkpoints map[ast.Node]analyze.Schedule // of the functions whose source was read
}

func newPackageFacts() *packageFacts {
	return &packageFacts{
		copyable: map[*types.Func]bool{}, rules: map[*analyze.CustomRule]*lift.RuleSource{}, prefixes: map[string]*analyze.Request{}, private: map[*types.Func]types.Object{}, constant: map[*types.Var]bool{},
		types: map[*types.Named]bool{}, owners: map[*types.Package]map[*types.Var]*types.Named{},
		shipped:     map[string]*shippedRules{},
		checkpoints: map[ast.Node]analyze.Schedule{},
	}
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
	for n, c := range e.prog.Checkpoints(src) {
		e.shared.checkpoints[n] = c
	}
	return &lift.Source{Decl: src.Decl, Info: src.Info, Sig: src.Sig}
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
	for _, n := range e.instances() {
		for _, t := range []types.Type{n, types.NewPointer(n)} {
			if types.Implements(t, iface) {
				out = append(out, t)
			}
		}
	}
	return out
}

// instances returns the types that the package makes of generic types.
func (e *env) instances() []*types.Named {
	if e.shared.instances != nil || e.pkg.Info == nil {
		return e.shared.instances
	}
	list := []*types.Named{}
	for _, inst := range e.pkg.Info.Instances {
		n, ok := inst.Type.(*types.Named)
		if !ok || types.IsInterface(n) || mentionsTypeParam(n, nil) || slices.ContainsFunc(list, func(m *types.Named) bool { return types.Identical(m, n) }) {
			continue
		}
		list = append(list, n)
	}
	slices.SortFunc(list, func(a, b *types.Named) int { return cmp.Compare(a.String(), b.String()) })
	e.shared.instances = list
	return list
}

// Lifts implements lift.Env.
func (e *env) Lifts(pkg *types.Package) bool { return pkg == e.pkg.Types || e.lifts(pkg) }

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

// Restart implements lift.Env.
func (e *env) Restart() {
	for req, f := range e.unit.done {
		if f != nil {
			delete(e.unit.done, req)
		}
	}
}

// Runtime implements lift.Env.
func (e *env) Runtime(name string) *types.Func {
	f, _ := e.unit.rt(name).(*types.Func)
	return f
}

// ReadOnly implements lift.Env.
func (e *env) ReadOnly(v *types.Var) bool {
	if v.Pkg() != e.pkg.Types {
		return e.constant(v)
	}
	if e.importable(v) {
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

// importable reports whether another package can write to v, a variable of this one.
func (e *env) importable(v *types.Var) bool { return v.Exported() && e.pkg.Types.Name() != "main" }

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
	if v.Pkg() != e.pkg.Types {
		files, info, err := e.prog.PackageSource(v.Pkg())
		if err != nil {
			return nil, nil
		}
		return initial(v, files), info
	}
	var files []*ast.File
	for _, f := range e.pkg.Files {
		files = append(files, f.Syntax)
	}
	return initial(v, files), e.pkg.Info
}

// initial returns the initialisation expression of a package-level variable, or nil.
func initial(v *types.Var, files []*ast.File) ast.Expr {
	for _, f := range files {
		for _, d := range f.Decls {
			gd, ok := d.(*ast.GenDecl)
			if !ok || gd.Tok != token.VAR {
				continue
			}
			for _, s := range gd.Specs {
				vs := s.(*ast.ValueSpec)
				for i, n := range vs.Names {
					if n.Name == v.Name() && len(vs.Values) == len(vs.Names) {
						return vs.Values[i]
					}
				}
			}
		}
	}
	return nil
}

// Refuse implements lift.Env.
func (e *env) Refuse(r lift.Refusal) {
	notes := []string{}
	site := e.unit.lifter.Site(r.Pos)
	for _, p := range r.Chain {
		if at := e.unit.lifter.Site(p); at != nil || site != nil && p == site.Call.Pos() {
			continue // in the source of another package, or said already
		}
		notes = append(notes, "called from "+e.prog.Rel(p))
	}
	e.report(r.Pos, r.End, diag.Error, r.Message, r.Hint, notes...)
}

// report adds a diagnostic that says which request it belongs to.
func (e *env) report(pos, end token.Pos, sev diag.Severity, msg, hint string, notes ...string) {
	if site := e.unit.lifter.Site(pos); site != nil {
		// The place is in the source of another package: what the user wrote is the
		// call that leads there.
		notes = append([]string{fmt.Sprintf("because of %s in %s", e.inside(pos), site.Within.FullName())}, notes...)
		pos, end = site.Call.Pos(), site.Call.End()
		if !e.ofRules(site.Called) {
			hint = e.ruleHint(site.Called)
		}
	}
	at := e.prog.Position(pos)
	width := 1
	if end.IsValid() {
		if to := e.prog.Position(end); to.Line == at.Line {
			width = to.Column - at.Column
		}
	}
	if !pos.IsValid() && e.req != nil {
		at = e.prog.Position(e.req.Pos)
		width = len(e.req.Text)
	}
	if e.req != nil {
		notes = append(slices.Clone(notes), fmt.Sprintf("needed for %s (%s)", e.req.For(), e.prog.Rel(e.req.Pos)))
	}
	e.diags.Add(diag.Diagnostic{
		Pos: at, Width: width, Severity: sev, Message: msg, Hint: hint, Notes: notes, Category: "derivative",
	})
}
