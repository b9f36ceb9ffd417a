package analyze

import (
	"errors"
	"fmt"
	"go/ast"
	"go/scanner"
	"go/token"
	"go/types"
	"os"
	"runtime"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/quabla/quabla/diag"
)

// check type-checks a package whose files are parsed. If it has directives this
// happens twice: first without function bodies and without derived functions,
// for the types that signatures are made of, then in full with the stubs.
func (p *Package) check() {
	if p.checked || p.checking {
		return
	}
	p.checking = true
	defer func() { p.checking, p.checked = false, true }()
	derives := false
	bodies := false // instances of generic functions are found in bodies
	for _, d := range p.Directives {
		if d.Verb.Derives() {
			derives = true
			bodies = bodies || d.Func.Type.TypeParams != nil
		}
	}
	var stubErr error
	if derives {
		p.typeCheck(!bodies, nil)
		p.buildRequests(new(diag.List))
		p.stubs, stubErr = p.stubFile(func(*Request) bool { return true })
	}
	var errs typeErrors
	p.typeCheck(false, &errs)
	problems := new(diag.List)
	p.buildRequests(problems)
	p.register()
	p.recordBodies()

	p.typeErrs = new(diag.List)
	stubErrs := p.sortErrors(errs, p.typeErrs)
	if p.typeErrs.HasErrors() || p.parseBad {
		p.Bad = true
	} else if stubErr == nil && len(stubErrs) > 0 && !problems.HasErrors() {
		stubErr = fmt.Errorf("cannot declare the derived functions of %s: %s", p.Path, stubErrs[0].Msg)
	}
	if p.root {
		if problems.HasErrors() {
			p.Partial = true
		}
		if !p.parseBad { // a declaration may be missing
			p.prog.Diags.AddAll(problems)
		}
		if stubErr != nil {
			p.Bad = true
			p.prog.Diags.Add(diag.Diagnostic{Message: "internal error: " + stubErr.Error(), Category: "internal",
				Hint: "please report it at https://github.com/quabla/quabla/issues"})
		}
	}
}

// typeErrors collects the errors of one check.
type typeErrors []types.Error

// config returns the configuration of a check of p.
func (p *Package) config(errs *typeErrors) types.Config {
	return types.Config{
		Importer:    importerFunc(func(path string) (*types.Package, error) { return p.ImportFor(path) }),
		Sizes:       p.prog.loader.sizes(),
		GoVersion:   goVersion(p.meta),
		FakeImportC: true,
		Error: func(err error) {
			if e, ok := err.(types.Error); ok && errs != nil {
				*errs = append(*errs, e)
			}
		},
	}
}

// typeCheck checks the files of p, with the stubs if there are any.
func (p *Package) typeCheck(ignoreBodies bool, errs *typeErrors) {
	info := newInfo()
	conf := p.config(errs)
	conf.IgnoreFuncBodies = ignoreBodies
	pkg := types.NewPackage(p.Path, p.Name)
	syntax := p.syntax()
	if p.stubs != nil {
		syntax = append(syntax, p.stubs)
	}
	types.NewChecker(&conf, p.prog.Fset, pkg, info).Files(syntax)
	p.Types, p.Info = pkg, info
}

func newInfo() *types.Info {
	return &types.Info{
		Types:        make(map[ast.Expr]types.TypeAndValue),
		Instances:    make(map[*ast.Ident]types.Instance),
		Defs:         make(map[*ast.Ident]types.Object),
		Uses:         make(map[*ast.Ident]types.Object),
		Implicits:    make(map[ast.Node]types.Object),
		Selections:   make(map[*ast.SelectorExpr]*types.Selection),
		Scopes:       make(map[ast.Node]*types.Scope),
		FileVersions: make(map[*ast.File]string),
	}
}

type importerFunc func(path string) (*types.Package, error)

func (f importerFunc) Import(path string) (*types.Package, error) { return f(path) }

// goVersion returns the language version of a package.
func goVersion(meta *packages.Package) string {
	if meta != nil && meta.Module != nil && meta.Module.GoVersion != "" {
		return "go" + meta.Module.GoVersion
	}
	return ""
}

// sizes returns the sizes of types on the platform that is built for.
func (l *loader) sizes() types.Sizes {
	arch := runtime.GOARCH
	env := l.cfg.Env
	if env == nil {
		env = os.Environ()
	}
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, "GOARCH="); ok && v != "" {
			arch = v
		}
	}
	return types.SizesFor("gc", arch)
}

// sortErrors turns the type errors of p into diagnostics and returns those that
// lie in the stubs. An error about a missing function whose directive is in
// error follows from that and is left out.
func (p *Package) sortErrors(errs typeErrors, to *diag.List) (inStubs typeErrors) {
	var last *diag.Diagnostic
	flush := func() {
		if last != nil {
			to.Add(*last)
		}
		last = nil
	}
	for _, e := range errs {
		if p.inStubs(e.Pos) {
			inStubs = append(inStubs, e)
			continue
		}
		if more, ok := strings.CutPrefix(e.Msg, "\t"); ok { // belongs to the error before
			if last != nil {
				at := p.prog.Fset.Position(e.Pos)
				last.Notes = append(last.Notes, fmt.Sprintf("%s (%s:%d)", more, baseName(at.Filename), at.Line))
			}
			continue
		}
		flush()
		if p.follows(e.Msg) {
			p.Bad = true // the types are incomplete
			continue
		}
		at := p.prog.Fset.Position(e.Pos)
		last = &diag.Diagnostic{Pos: at, Width: p.tokenWidth(e.Pos), Message: e.Msg, Category: "compile"}
	}
	flush()
	return inStubs
}

// follows reports whether a compiler message is about a derived function that is
// missing because its directive, here or in another package of this run, is in
// error.
func (p *Package) follows(msg string) bool {
	name, ok := strings.CutPrefix(msg, "undefined: ")
	if !ok {
		// x.FGrad undefined (type T has no field or method FGrad)
		if _, name, ok = strings.Cut(msg, "has no field or method "); !ok {
			return false
		}
		name, _, _ = strings.Cut(strings.TrimSuffix(name, ")"), ",")
	}
	if p.lacks(name) {
		return true
	}
	_, name, _ = strings.Cut(name, ".") // in another package, or in a method
	for _, m := range p.meta.Imports {
		if n := p.prog.loader.nodes[m.ID]; n != nil && n.root && n.lacks(name) {
			return true
		}
	}
	return false
}

// lacks reports whether the package has no derived function of that name because
// of an error: in its request, or in a directive that did not parse, above a
// function whose name begins the name.
func (p *Package) lacks(name string) bool {
	if p.failed[name] {
		return true
	}
	for fn := range p.broken() {
		if strings.HasPrefix(name, fn) && len(name) > len(fn) {
			return true
		}
	}
	return false
}

// broken returns the names of the functions whose doc comment holds a quabla
// directive that did not parse.
func (p *Package) broken() map[string]bool {
	good := make(map[token.Pos]bool)
	for _, d := range p.Directives {
		good[d.Pos] = true
	}
	names := make(map[string]bool)
	for _, f := range p.Files {
		for _, fn := range funcDecls(f.Syntax) {
			if fn.Doc == nil {
				continue
			}
			for _, c := range fn.Doc.List {
				if strings.Contains(c.Text, "uabla") && !good[c.Slash] {
					names[fn.Name.Name] = true
				}
			}
		}
	}
	return names
}

// tokenWidth returns the length of the name or number at pos, or 1.
func (p *Package) tokenWidth(pos token.Pos) int {
	f := p.File(pos)
	if f == nil {
		return 1
	}
	off := int(pos - f.Syntax.FileStart)
	if off < 0 || off >= len(f.Src) {
		return 1
	}
	var s scanner.Scanner
	rest := f.Src[off:]
	file := token.NewFileSet().AddFile("", -1, len(rest))
	s.Init(file, rest, func(token.Position, string) {}, 0)
	_, _, lit := s.Scan()
	if n := strings.IndexByte(lit, '\n'); n >= 0 {
		lit = lit[:n]
	}
	return max(1, len(lit))
}

// syntaxErrors adds the errors of a parse to the diagnostics.
func syntaxErrors(err error, to *diag.List) {
	var list scanner.ErrorList
	if !errors.As(err, &list) {
		to.Add(diag.Diagnostic{Message: err.Error(), Category: "compile"})
		return
	}
	list.RemoveMultiples()
	for _, e := range list {
		to.Add(diag.Diagnostic{Pos: e.Pos, Width: 1, Message: "syntax error: " + e.Msg, Category: "compile"})
	}
}
