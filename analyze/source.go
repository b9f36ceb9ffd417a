package analyze

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"

	"golang.org/x/tools/go/packages"
)

// A Source is the source of a function.
type Source struct {
	Func *types.Func
	Decl *ast.FuncDecl // its Body is nil for a function in assembly
	Info *types.Info   // covers Decl
	Pkg  *types.Package
	File *ast.File // the file that holds Decl

	// Sig is the signature in terms of the type parameters that Info uses in
	// Decl. They differ from those of Func.Signature() if Func is a generic
	// function, or a method of a generic type, of a package that was loaded from
	// export data; everything else is the same in both.
	Sig *types.Signature

	// GoVersion is the language version of the file, such as "go1.26", or "".
	GoVersion string
}

// FuncSource returns the source of a function or method: at once for a function
// of a package that was checked from source, after loading the files of its
// package for one of another package.
//
// The files of a package that came from export data are checked inside the
// package that the export data made: every declaration that the export data has
// stands for itself, unexported declarations that it lacks are added to the
// scope of the package, and the bodies are checked against both. So there is one
// universe of types, whatever was loaded and when.
func (p *Program) FuncSource(fn *types.Func) (*Source, error) {
	fn = fn.Origin()
	if s, ok := p.bodies[fn]; ok {
		return s, nil
	}
	pkg := fn.Pkg()
	if pkg == nil {
		return nil, fmt.Errorf("%s has no source", fn.Name())
	}
	dep, err := p.dep(pkg)
	if err != nil {
		return nil, err
	}
	if s, ok := p.bodies[fn]; ok {
		return s, dep.errorIn(s.Decl)
	}
	return nil, fmt.Errorf("cannot find the source of %s", fn.FullName())
}

// PackageSource returns the files of a package that came from export data, with the
// types of what they hold.
func (p *Program) PackageSource(pkg *types.Package) ([]*ast.File, *types.Info, error) {
	d, err := p.dep(pkg)
	if err != nil {
		return nil, nil, err
	}
	return d.files, d.info, nil
}

// recordBodies enters the functions of a package that was checked from source.
func (p *Package) recordBodies() {
	for _, f := range p.Files {
		for _, decl := range funcDecls(f.Syntax) {
			if fn, ok := p.Info.Defs[decl.Name].(*types.Func); ok {
				p.prog.bodies[fn] = &Source{
					Func: fn, Decl: decl, Info: p.Info, Pkg: p.Types, File: f.Syntax, Sig: fn.Signature(),
					GoVersion: p.Info.FileVersions[f.Syntax],
				}
			}
		}
	}
}

// A depSource is the source of a package that came from export data.
type depSource struct {
	prog  *Program
	pkg   *types.Package
	meta  *packages.Package
	files []*ast.File
	paths []string
	info  *types.Info
	errs  []types.Error
	err   error // loading failed as a whole
	known map[*types.Func]bool
}

// dep loads the source of a package.
func (p *Program) dep(pkg *types.Package) (*depSource, error) {
	if d, ok := p.deps[pkg]; ok {
		return d, d.err
	}
	d := &depSource{prog: p, pkg: pkg}
	p.deps[pkg] = d
	d.err = d.load()
	return d, d.err
}

func (d *depSource) load() error {
	l := d.prog.loader
	path := d.pkg.Path()
	if _, err := d.prog.Import(path); err != nil { // also completes a package that others mentioned
		return err
	}
	d.meta = l.exports[path]
	if d.meta == nil || l.imports[path] != d.pkg {
		return fmt.Errorf("cannot find the source of package %s", path)
	}
	for _, name := range d.meta.GoFiles {
		src, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(d.prog.Fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		d.files = append(d.files, f)
		d.paths = append(d.paths, name)
	}
	var missing []string
	for _, m := range d.meta.Imports {
		if m.PkgPath != "unsafe" && l.exports[m.PkgPath] == nil {
			missing = append(missing, m.PkgPath)
		}
	}
	if len(missing) > 0 {
		if err := l.fetch(missing); err != nil {
			return err
		}
	}
	d.info = newInfo()
	conf := types.Config{
		Importer: importerFunc(func(path string) (*types.Package, error) {
			if m := d.meta.Imports[path]; m != nil {
				path = m.PkgPath
			}
			return l.importDep(path)
		}),
		Sizes:                    l.sizes(),
		GoVersion:                goVersion(d.meta),
		FakeImportC:              true,
		DisableUnusedImportCheck: true,
		Error: func(err error) {
			if e, ok := err.(types.Error); ok {
				d.errs = append(d.errs, e)
			}
		},
	}
	g := &grafter{scope: d.pkg.Scope()}
	grafts := make([]*ast.File, len(d.files))
	for i, f := range d.files {
		grafts[i] = g.file(f)
	}
	if err := d.check(&conf, grafts); err != nil {
		return err
	}
	d.known = make(map[*types.Func]bool)
	for i, f := range d.files {
		for j, decl := range f.Decls {
			if decl, ok := decl.(*ast.FuncDecl); ok {
				d.record(f, decl, grafts[i].Decls[j].(*ast.FuncDecl))
			}
		}
	}
	return nil
}

// check checks the files inside the package. go/types is made for adding files to
// a package, but not for one that it did not declare itself; should it not cope,
// that is an error about this package only.
func (d *depSource) check(conf *types.Config, grafts []*ast.File) (err error) {
	defer func() {
		if e := recover(); e != nil {
			err = fmt.Errorf("cannot check the source of package %s: %v", d.pkg.Path(), e)
		}
	}()
	err = types.NewChecker(conf, d.prog.Fset, d.pkg, d.info).Files(grafts)
	if len(d.errs) > 0 {
		err = nil // errorIn tells which functions they concern
	}
	for i, f := range d.files {
		d.info.FileVersions[f] = d.info.FileVersions[grafts[i]]
		d.info.Scopes[f] = d.info.Scopes[grafts[i]]
	}
	return err
}

// record enters a function whose declaration was checked under graft.
func (d *depSource) record(f *ast.File, decl, graft *ast.FuncDecl) {
	checked, _ := d.info.Defs[graft.Name].(*types.Func)
	if checked == nil {
		return
	}
	fn := checked
	if graft != decl { // it stands for a declaration of the export data
		if named := recvNamed(checked); named != nil {
			for m := range named.Methods() {
				if m.Name() == decl.Name.Name {
					fn = m
				}
			}
		} else if f, ok := d.pkg.Scope().Lookup(decl.Name.Name).(*types.Func); ok {
			fn = f
		}
		d.info.Defs[decl.Name] = fn
	}
	d.known[fn] = true
	d.prog.bodies[fn] = &Source{
		Func: fn, Decl: decl, Info: d.info, Pkg: d.pkg, File: f, Sig: checked.Signature(),
		GoVersion: d.info.FileVersions[f],
	}
}

// errorIn returns an error of the check that lies in decl.
func (d *depSource) errorIn(decl *ast.FuncDecl) error {
	for _, e := range d.errs {
		if decl.Pos() <= e.Pos && e.Pos < decl.End() && !e.Soft {
			return fmt.Errorf("cannot check the source of package %s: %w", d.pkg.Path(), e)
		}
	}
	return nil
}

// A grafter prepares the syntax of a package for a check inside the package
// that its export data made. Declarations that the package has already must not
// be declared again, so their names become blank; their bodies and initial values
// are checked as before. Types that it has already are left out.
type grafter struct{ scope *types.Scope }

// file returns a copy of f that shares all nodes with it that need no change.
func (g *grafter) file(f *ast.File) *ast.File {
	c := *f
	c.Decls = make([]ast.Decl, len(f.Decls))
	for i, decl := range f.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			c.Decls[i] = g.function(decl)
		case *ast.GenDecl:
			c.Decls[i] = g.group(decl)
		default:
			c.Decls[i] = decl
		}
	}
	return &c
}

func (g *grafter) has(name string) bool { return name != "_" && g.scope.Lookup(name) != nil }

func blank(id *ast.Ident) *ast.Ident { return &ast.Ident{NamePos: id.NamePos, Name: "_"} }

func (g *grafter) function(decl *ast.FuncDecl) *ast.FuncDecl {
	name := decl.Name.Name
	if decl.Recv != nil {
		name = recvName(decl)
	}
	if !g.has(name) || name == "init" {
		return decl
	}
	c := *decl
	c.Name = blank(decl.Name)
	return &c
}

// recvName returns the name of the receiver's type, or "".
func recvName(decl *ast.FuncDecl) string {
	if len(decl.Recv.List) == 0 {
		return ""
	}
	t := ast.Unparen(decl.Recv.List[0].Type)
	if star, ok := t.(*ast.StarExpr); ok {
		t = ast.Unparen(star.X)
	}
	switch x := t.(type) {
	case *ast.IndexExpr:
		t = x.X
	case *ast.IndexListExpr:
		t = x.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}

func (g *grafter) group(decl *ast.GenDecl) *ast.GenDecl {
	if decl.Tok == token.IMPORT {
		return decl
	}
	c := *decl
	c.Specs = nil
	for _, spec := range decl.Specs {
		switch spec := spec.(type) {
		case *ast.ValueSpec:
			s := *spec
			s.Names = make([]*ast.Ident, len(spec.Names))
			for i, id := range spec.Names {
				s.Names[i] = id
				if g.has(id.Name) {
					s.Names[i] = blank(id)
				}
			}
			c.Specs = append(c.Specs, &s)
		case *ast.TypeSpec:
			if g.has(spec.Name.Name) {
				continue
			}
			s := *spec
			if id, ok := spec.Type.(*ast.Ident); ok && g.has(id.Name) {
				// go/types follows a chain of plain names through the declarations
				// of the files; the chain must end where export data takes over.
				s.Type = &ast.ParenExpr{Lparen: id.Pos(), X: id, Rparen: id.End()}
			}
			c.Specs = append(c.Specs, &s)
		}
	}
	if len(c.Specs) == 0 { // a declaration without parentheses must have a spec
		c.Lparen, c.Rparen = decl.TokPos, decl.TokPos
	}
	return &c
}

// loadDepDirectives enters the derived functions and the rules of a package that
// came from export data, if its files have directives.
func (p *Program) loadDepDirectives(pkg *types.Package) {
	if pkg == nil || p.asked[pkg] {
		return
	}
	p.asked[pkg] = true
	if p.loader.imports[pkg.Path()] != pkg {
		return
	}
	meta := p.loader.exports[pkg.Path()]
	if meta == nil || meta.Module == nil || !mentions(meta.GoFiles, "\n//quabla:") { // the standard library has none
		return
	}
	if d, err := p.dep(pkg); err == nil {
		d.directives()
	}
	if d, err := p.dep(pkg); err == nil {
		d.directives()
	}
}

// RulePackage returns a package whose rules are wanted. It loads the package if no source
// imports it.
func (p *Program) RulePackage(path string) (*Package, error) {
	pkg, err := p.Import(path)
	if err != nil {
		return nil, err
	}
	d, err := p.dep(pkg)
	if err != nil {
		return nil, err
	}
	r := quietReporter(p)
	n := d.scan(r)
	n.buildRequests(r.list)
	if r.list.HasErrors() {
		return nil, fmt.Errorf("package %s: %s", path, r.list.All()[0].Message)
	}
	return n, nil
}

// directives reads the directives of a dependency and enters those of its
// functions that its generated files hold.
func (d *depSource) directives() {
	r := quietReporter(d.prog)
	n := d.scan(r)
	n.inGenerated = true
	n.buildRequests(r.list)
	n.register()
}

// scan returns the package with the directives of its files.
func (d *depSource) scan(r *reporter) *Package {
	n := &Package{
		ID: d.pkg.Path(), Path: d.pkg.Path(), Name: d.pkg.Name(), Dir: d.meta.Dir,
		Types: d.pkg, Info: d.info, prog: d.prog, meta: d.meta, checked: true,
	}
	for i, syntax := range d.files {
		src, err := os.ReadFile(d.paths[i])
		if err != nil {
			continue
		}
		if _, ok := GeneratedSource(src); ok {
			continue
		}
		f := &File{Name: baseName(d.paths[i]), Path: d.paths[i], Syntax: syntax, Src: src, Constraint: buildConstraint(syntax), Owned: true}
		n.Files = append(n.Files, f)
		n.Directives = append(n.Directives, scanDirectives(r, f)...)
	}
	return n
}
