// Package srctest lifts snippets of Go source for the tests of the rooms
// behind the loader. A snippet is one file; imports come from the standard
// library and from this module.
package srctest

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"sync"
	"testing"

	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/lift"
)

// A Program is a type-checked snippet.
type Program struct {
	Fset *token.FileSet
	Pkg  *types.Package
	Info *types.Info
	File *ast.File
	Mod  *ssair.Module
	// Refusals collects what the lifter refused.
	Refusals []lift.Refusal
}

var (
	fset    = token.NewFileSet()
	imp     = importer.ForCompiler(fset, "source", nil)
	impLock sync.Mutex
)

// Load parses and type-checks src.
func Load(t testing.TB, src string) *Program {
	t.Helper()
	impLock.Lock()
	defer impLock.Unlock()
	file, err := parser.ParseFile(fset, "in.go", src, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Instances: map[*ast.Ident]types.Instance{},
		Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
		Scopes: map[ast.Node]*types.Scope{},
	}
	pkg, err := (&types.Config{Importer: imp}).Check("demo", fset, []*ast.File{file}, info)
	if err != nil {
		t.Fatal(err)
	}
	return &Program{Fset: fset, Pkg: pkg, Info: info, File: file, Mod: &ssair.Module{Fset: fset, Pkg: pkg}}
}

// Lift lifts the function name of p, without running any pass.
func (p *Program) Lift(t testing.TB, name string) *ssair.Func {
	t.Helper()
	fn, ok := p.Pkg.Scope().Lookup(name).(*types.Func)
	if !ok {
		t.Fatalf("no function %s", name)
	}
	f := lift.New(p.Mod, p).Func(fn, nil)
	if f == nil {
		for _, r := range p.Refusals {
			t.Errorf("%s: %s (%s)", p.Fset.Position(r.Pos), r.Message, r.Hint)
		}
		t.FailNow()
	}
	return f
}

// Source implements lift.Env.
func (p *Program) Source(fn *types.Func) *lift.Source {
	for _, d := range p.File.Decls {
		if fd, ok := d.(*ast.FuncDecl); ok && p.Info.Defs[fd.Name] == fn {
			return &lift.Source{Decl: fd, Info: p.Info}
		}
	}
	return nil
}

// Implementations implements lift.Env.
func (p *Program) Implementations(iface *types.Interface) []types.Type {
	var ts []types.Type
	for _, name := range p.Pkg.Scope().Names() {
		tn, ok := p.Pkg.Scope().Lookup(name).(*types.TypeName)
		if !ok || types.IsInterface(tn.Type()) {
			continue
		}
		for _, t := range []types.Type{tn.Type(), types.NewPointer(tn.Type())} {
			if types.Implements(t, iface) {
				ts = append(ts, t)
			}
		}
	}
	return ts
}

// Lifts implements lift.Env.
func (p *Program) Lifts(pkg *types.Package) bool { return pkg == p.Pkg }

// Derived implements lift.Env.
func (p *Program) Derived(*types.Func) *ssair.Func { return nil }

// Restart implements lift.Env.
func (p *Program) Restart() {}

// Rule implements lift.Env.
func (p *Program) Rule(*types.Func) *lift.RuleSource { return nil }

// StandIn implements lift.Env.
func (p *Program) StandIn(*types.Named) *types.Named { return nil }

// StandsFor implements lift.Env.
func (p *Program) StandsFor(*types.Named) *types.Named { return nil }

// OfRules implements lift.Env.
func (p *Program) OfRules(*types.Named) bool { return false }

// RuleTypes implements lift.Env.
func (p *Program) RuleTypes(*types.Named) []types.Type { return nil }

// StandIns implements lift.Env.
func (p *Program) StandIns() bool { return false }

// Checkpoint implements lift.Env.
func (p *Program) Checkpoint(ast.Node) *ssair.Checkpoint { return nil }

// Runtime implements lift.Env.
func (p *Program) Runtime(string) *types.Func { return nil }

// ReadOnly implements lift.Env.
func (p *Program) ReadOnly(*types.Var) bool { return true }

// Fixed implements lift.Env.
func (p *Program) Fixed(*types.Var) bool { return true }

// Initial implements lift.Env.
func (p *Program) Initial(v *types.Var) (ast.Expr, *types.Info) {
	for _, d := range p.File.Decls {
		gd, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, s := range gd.Specs {
			vs, ok := s.(*ast.ValueSpec)
			if !ok {
				continue
			}
			for i, n := range vs.Names {
				if p.Info.Defs[n] == v && i < len(vs.Values) {
					return vs.Values[i], p.Info
				}
			}
		}
	}
	return nil, nil
}

// Private implements lift.Env.
func (p *Program) Private(*types.Named) bool { return false }

// Refuse implements lift.Env.
func (p *Program) Refuse(r lift.Refusal) {
	p.Refusals = append(p.Refusals, r)
}

// Verify fails the test when f breaks an invariant of the IR.
func Verify(t testing.TB, f *ssair.Func) {
	t.Helper()
	if err := f.Verify(); err != nil {
		t.Fatalf("%v\n%s", err, f)
	}
}
