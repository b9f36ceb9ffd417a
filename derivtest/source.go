package derivtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/quabla/quabla/analyze"
	"github.com/quabla/quabla/compile"
	"github.com/quabla/quabla/diag"
	"github.com/quabla/quabla/generate"
)

// A source is a source file of the package under test, as it is now.
type source struct {
	name string
	pkg  *analyze.Package
	comp *compile.Compiler
	reqs map[string]*analyze.Request // by the name of the function, with the type in front for a method
	docs map[string]string           // comments of the derived functions, by the same names
}

// rtPath is the package that generated code imports.
const rtPath = "github.com/quabla/quabla/rt"

// programs are the packages that are loaded, by their folders. All test files of a
// package share one.
var programs sync.Map

// program returns the package in a folder, with its test variants.
func program(dir string) (*analyze.Program, error) {
	once, _ := programs.LoadOrStore(dir, sync.OnceValues(func() (*analyze.Program, error) {
		forms := compile.New().Options()
		return analyze.Load(analyze.Config{
			Dir: dir, Patterns: []string{"."}, Tags: buildTags(), Also: []string{rtPath},
			NewForms: forms.NewForms, WorkForms: forms.WorkForms,
		})
	}))
	return once.(func() (*analyze.Program, error))()
}

// buildTags returns the tags that the test was built with.
func buildTags() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "-tags" {
				return s.Value
			}
		}
	}
	return ""
}

// load loads a source file of the package in a folder.
func load(t tester, dir, name string) *source {
	t.Helper()
	if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
		t.Skipf("the source is not here: %v", err) // the test was built to run elsewhere
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skipf("loading the source needs the go command: %v", err)
	}
	prog, err := program(dir)
	if err != nil {
		t.Fatalf("cannot load the source: %v", err)
	}
	s := &source{name: name, comp: compile.New(), reqs: map[string]*analyze.Request{}, docs: comments(filepath.Join(dir, generate.OutputName(name)))}
	for _, pkg := range prog.Packages {
		for _, req := range pkg.Requests {
			if req.File.Name == name {
				s.pkg = pkg
				s.reqs[methodName(req.Func.Signature().Recv(), req.Name)] = req
			}
		}
	}
	for _, d := range prog.Diags.All() {
		if d.Severity == diag.Error && (s.pkg == nil || s.pkg.Bad) {
			t.Fatalf("%s: %s", d.Pos, d.Message)
		}
	}
	if s.pkg == nil {
		t.Fatalf("%s has no directives any more: run go generate", name)
	}
	return s
}

// methodName returns the name of a function with the type of the receiver, if it
// has one, in front.
func methodName(recv *types.Var, name string) string {
	if recv == nil {
		return name
	}
	t := types.Unalias(recv.Type())
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	if n, ok := t.(*types.Named); ok {
		return n.Obj().Name() + "." + name
	}
	return name
}

// comments returns the doc comments of the functions of a file.
func comments(file string) map[string]string {
	docs := map[string]string{}
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return docs // the functions come from elsewhere
	}
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		name := fn.Name.Name
		if fn.Recv != nil && len(fn.Recv.List) == 1 {
			t := fn.Recv.List[0].Type
			if star, ok := t.(*ast.StarExpr); ok {
				t = star.X
			}
			switch x := t.(type) {
			case *ast.IndexExpr:
				t = x.X
			case *ast.IndexListExpr:
				t = x.X
			}
			if id, ok := t.(*ast.Ident); ok {
				name = id.Name + "." + name
			}
		}
		docs[name] = strings.Join(strings.Fields(fn.Doc.Text()), " ")
	}
	return docs
}

// request finds the request for a function by its name in a table, and the type
// arguments that the name has.
func (s *source) request(name string) (*analyze.Request, map[*types.TypeParam]types.Type, error) {
	key, list := name, ""
	if i := strings.Index(name, "["); i >= 0 {
		j := strings.LastIndex(name, "]")
		key, list = name[:i]+name[j+1:], name[i+1:j]
	}
	req := s.reqs[key]
	if req == nil {
		return nil, nil, fmt.Errorf("no directive in %s gives %s any more: run go generate", s.name, key)
	}
	params := req.TypeParams()
	if list == "" {
		if len(params) > 0 {
			return nil, nil, fmt.Errorf("%s is generic now: run go generate", key)
		}
		return req, nil, nil
	}
	tv, err := types.Eval(s.pkg.Program().Fset, s.pkg.Types, req.Pos, "func("+list+")")
	if err != nil {
		return nil, nil, fmt.Errorf("cannot read the type arguments of %s: %v", name, err)
	}
	got := slices.Collect(tv.Type.(*types.Signature).Params().Variables())
	if len(got) != len(params) {
		return nil, nil, fmt.Errorf("%s has %d type parameters now: run go generate", key, len(params))
	}
	args := map[*types.TypeParam]types.Type{}
	for i, tp := range params {
		args[tp] = got[i].Type()
	}
	return req, args, nil
}
