package compile

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/quabla/quabla/analyze"
	"github.com/quabla/quabla/diag"
)

// PointsPrefix begins the names of the functions that make arguments for the
// generated tests: quablaPointsF for a function F, quablaPointsT_M for a method.
const PointsPrefix = "quablaPoints"

// pointsFuncs are the functions of a package that make arguments. They are
// usually in _test.go files, which are not part of the package as it is loaded,
// so the package is checked once more together with these, without bodies.
type pointsFuncs struct {
	pkg      *analyze.Package
	declared map[string]bool // names that test files declare at the top
	types    *types.Package  // nil if there are no such functions
}

// findPoints looks for the functions that make arguments.
func findPoints(pkg *analyze.Package, diags *diag.List) *pointsFuncs {
	p := &pointsFuncs{pkg: pkg, declared: map[string]bool{}}
	var files, tests []*ast.File
	known := map[string]bool{}
	for _, f := range pkg.Files {
		files = append(files, f.Syntax)
		known[f.Name] = true
		if declaresPoints(f.Syntax) {
			tests = append(tests, f.Syntax)
		}
	}
	names, _ := filepath.Glob(filepath.Join(pkg.Dir, "*_test.go"))
	for _, name := range names {
		if ok, err := build.Default.MatchFile(pkg.Dir, filepath.Base(name)); err != nil || !ok || known[filepath.Base(name)] {
			continue
		}
		src, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		if _, ours := analyze.GeneratedSource(src); ours {
			continue
		}
		f, err := parser.ParseFile(pkg.Program().Fset, name, src, parser.SkipObjectResolution)
		if err != nil || f.Name.Name != pkg.Name {
			continue // the compiler will say what is wrong
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil {
				p.declared[fn.Name.Name] = true
			}
		}
		if declaresPoints(f) {
			tests = append(tests, f)
			files = append(files, f)
		}
	}
	if len(tests) == 0 {
		return p
	}
	needed := map[string]bool{}
	for _, f := range tests {
		neededImports(f, needed)
	}
	conf := types.Config{
		IgnoreFuncBodies: true, FakeImportC: true,
		Error: func(error) {}, // what is wrong elsewhere is no business of ours
		Importer: importerFunc(func(path string) (*types.Package, error) {
			for _, imp := range pkg.Types.Imports() {
				if imp.Path() == path {
					return imp, nil
				}
			}
			if needed[path] {
				return pkg.ImportFor(path)
			}
			return nil, fmt.Errorf("%s is not needed", path)
		}),
	}
	p.types, _ = conf.Check(pkg.Path, pkg.Program().Fset, files, nil)
	return p
}

type importerFunc func(path string) (*types.Package, error)

func (f importerFunc) Import(path string) (*types.Package, error) { return f(path) }

func declaresPoints(f *ast.File) bool {
	return slices.ContainsFunc(f.Decls, func(d ast.Decl) bool { return pointsDecl(d) != nil })
}

// pointsDecl returns d if it is a function that makes arguments.
func pointsDecl(d ast.Decl) *ast.FuncDecl {
	if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && strings.HasPrefix(fn.Name.Name, PointsPrefix) {
		return fn
	}
	return nil
}

// neededImports collects the packages that signatures of functions that make
// arguments mention.
func neededImports(f *ast.File, needed map[string]bool) {
	mentioned := map[string]bool{}
	for _, d := range f.Decls {
		if fn := pointsDecl(d); fn != nil {
			ast.Inspect(fn.Type, func(n ast.Node) bool {
				if sel, ok := n.(*ast.SelectorExpr); ok {
					if id, ok := sel.X.(*ast.Ident); ok {
						mentioned[id.Name] = true
					}
				}
				return true
			})
		}
	}
	for _, spec := range f.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		// Without its own name a package is called by the last element of its
		// path, or by the one before a version.
		dir, base := path.Split(p)
		if spec.Name != nil && mentioned[spec.Name.Name] || spec.Name == nil && (mentioned[base] || mentioned[path.Base(dir)]) {
			needed[p] = true
		}
	}
}

// of returns the function that makes arguments for the function of a request, or
// nil if there is none, or after a report.
func (p *pointsFuncs) of(req *analyze.Request, diags *diag.List) *types.Func {
	fn := p.named(req.Func)
	if fn == nil {
		return nil
	}
	name := fn.Name()
	if why := p.misfit(fn, req); why != "" {
		at := req.Pkg.Program().Position(fn.Pos())
		if !slices.ContainsFunc(diags.All(), func(d diag.Diagnostic) bool { return d.Pos == at }) {
			diags.Add(diag.Diagnostic{Pos: at, Width: len(name), Category: "points", Message: why, Hint: "write " + p.header(name, req)})
		}
		return nil
	}
	return fn
}

// named returns the function that has the name of one that makes arguments for fn, or
// nil.
func (p *pointsFuncs) named(fn *types.Func) *types.Func {
	if p.types == nil {
		return nil
	}
	name := PointsPrefix + fn.Name()
	if recv := fn.Signature().Recv(); recv != nil {
		name = PointsPrefix + recvName(recv.Type()) + "_" + fn.Name()
	}
	points, _ := p.types.Scope().Lookup(name).(*types.Func)
	return points
}

// misfit says why a function cannot make the arguments for the function of a
// request, or returns "".
func (p *pointsFuncs) misfit(fn *types.Func, req *analyze.Request) string {
	sig := fn.Signature()
	if sig.Params().Len() != 1 || !isRand(sig.Params().At(0).Type()) || sig.Variadic() {
		return fmt.Sprintf("%s must have one parameter, a *rand.Rand", fn.Name())
	}
	want := wanted(req)
	if sig.TypeParams() != nil {
		params := req.TypeParams()
		if len(params) != sig.TypeParams().Len() {
			return fmt.Sprintf("%s has %d type parameters, %s has %d", fn.Name(), sig.TypeParams().Len(), req.Func.Name(), len(params))
		}
		args := map[*types.TypeParam]types.Type{}
		for i := range params {
			args[sig.TypeParams().At(i)] = params[i]
		}
		sig = analyze.Substitute(sig, args).(*types.Signature)
	} else if len(req.TypeParams()) > 0 {
		return fmt.Sprintf("%s must have the type parameters of %s", fn.Name(), req.Func.Name())
	}
	if n := sig.Results().Len(); n != len(want) {
		return fmt.Sprintf("%s has %d results; it must return the %d parameters of %s", fn.Name(), n, len(want), req.Func.Name())
	}
	for i, s := range want {
		// The types come from two checks of the package, so they are not the same.
		if got := sig.Results().At(i).Type(); typePath(got) != typePath(s.Type) {
			return fmt.Sprintf("result %d of %s is %s, but %s of %s is %s", i, fn.Name(), p.short(got), s.Name, req.Func.Name(), p.short(s.Type))
		}
	}
	return ""
}

// wanted returns the parameters of the function of a request, its receiver first.
func wanted(req *analyze.Request) []analyze.Slot {
	e := req.Expr
	for e.Fn != nil {
		e = e.Fn
	}
	return e.Sig.All()
}

func isRand(t types.Type) bool {
	ptr, ok := types.Unalias(t).(*types.Pointer)
	if !ok {
		return false
	}
	named, ok := types.Unalias(ptr.Elem()).(*types.Named)
	return ok && named.Obj().Name() == "Rand" && named.Obj().Pkg() != nil && strings.HasPrefix(named.Obj().Pkg().Path(), "math/rand")
}

func typePath(t types.Type) string {
	return types.TypeString(types.Unalias(t), func(p *types.Package) string { return p.Path() })
}

func (p *pointsFuncs) short(t types.Type) string {
	return types.TypeString(t, func(q *types.Package) string {
		if q.Path() == p.pkg.Path {
			return ""
		}
		return q.Name()
	})
}

// header returns the declaration that a function which makes arguments needs.
func (p *pointsFuncs) header(name string, req *analyze.Request) string {
	var results []string
	for _, s := range wanted(req) {
		results = append(results, s.Name+" "+p.short(s.Type))
	}
	return fmt.Sprintf("func %s(r *rand.Rand) (%s)", name, strings.Join(results, ", "))
}
