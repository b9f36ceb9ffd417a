package analyze

import (
	"cmp"
	"fmt"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/gcexportdata"
	"golang.org/x/tools/go/packages"
)

// A loader holds the metadata of packages and their export data.
//
// The go command runs twice: once without building anything, for the files and
// imports of all packages; once for the export data of what packages with
// directives import. The second run would otherwise compile the very packages
// that derived functions are missing from. For patterns that are directories the
// imports are known beforehand, and both run at the same time.
type loader struct {
	cfg  Config
	prog *Program

	metas   map[string]*packages.Package // by ID, from the first run
	exports map[string]*packages.Package // by path, with export data
	nodes   map[string]*Package          // packages from source, by ID
	order   []*Package                   // nodes in import order

	imports map[string]*types.Package // by path, for export data
	read    map[string]bool           // paths whose export data is read
}

const (
	graphMode  = packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedModule | packages.NeedForTest
	exportMode = graphMode | packages.NeedExportFile
)

// list runs the go command.
func (l *loader) list(mode packages.LoadMode, tests bool, patterns []string) ([]*packages.Package, error) {
	flags := slices.Clone(l.cfg.BuildFlags)
	if l.cfg.Tags != "" {
		flags = append(flags, "-tags="+l.cfg.Tags)
	}
	pkgs, err := packages.Load(&packages.Config{
		Mode: mode, Dir: l.cfg.Dir, Env: l.cfg.Env, BuildFlags: flags, Tests: tests,
	}, patterns...)
	if err != nil {
		msg := err.Error()
		if _, said, ok := strings.Cut(msg, "stderr: "); ok {
			msg = said // what the go command said
		}
		return nil, fmt.Errorf("cannot load packages: %s", cmp.Or(strings.TrimSpace(msg), err.Error()))
	}
	return pkgs, nil
}

// graph loads the metadata of the packages and parses those that matter.
func (l *loader) graph() error {
	tests := l.cfg.Tests
	roots, err := l.list(graphMode, tests, l.cfg.Patterns)
	if err != nil {
		return err
	}
	if !tests && slices.ContainsFunc(roots, testsHaveDirectives) {
		tests = true
		if roots, err = l.list(graphMode, tests, l.cfg.Patterns); err != nil {
			return err
		}
	}
	if len(roots) == 0 {
		return errNoPackages(l.cfg.Patterns)
	}
	isRoot := make(map[string]bool)
	for _, r := range roots {
		isRoot[r.ID] = true
	}
	owned := make(map[string]bool) // files that a variant is responsible for already
	packages.Visit(roots, nil, func(m *packages.Package) {
		l.metas[m.ID] = m
		if isTestMain(m) {
			return
		}
		n := &Package{ID: m.ID, Path: m.PkgPath, Name: m.Name, prog: l.prog, meta: m, root: isRoot[m.ID], listErrs: m.Errors}
		fromRoot := false
		for _, imp := range m.Imports {
			fromRoot = fromRoot || l.nodes[imp.ID] != nil && !l.nodes[imp.ID].external()
		}
		if n.root || fromRoot || m.Module != nil && m.Module.Main && mentions(m.GoFiles, "quabla:") {
			l.nodes[m.ID] = n
			l.order = append(l.order, n)
			n.parse(owned)
		}
	})
	// Roots without directives, and variants that own no file with directives,
	// need no check; what imports only those needs none either.
	l.order = slices.DeleteFunc(l.order, func(n *Package) bool {
		variant := n.root && n.meta.ForTest != "" && !n.ownsAny()
		if variant {
			delete(l.nodes, n.ID)
		}
		return variant
	})
	l.markNeeded()
	return nil
}

// external reports whether a package can come from export data for those that
// import it: it has no directives and imports no package that has.
func (n *Package) external() bool {
	if len(n.Directives) > 0 {
		return false
	}
	for _, imp := range n.meta.Imports {
		if m := n.prog.loader.nodes[imp.ID]; m != nil && !m.external() {
			return false
		}
	}
	return true
}

// isTestMain reports whether m is a generated test binary.
func isTestMain(m *packages.Package) bool {
	return m.Name == "main" && strings.HasSuffix(m.ID, ".test")
}

// ownsAny reports whether a test variant is responsible for a directive or for a
// generated file.
func (n *Package) ownsAny() bool {
	return slices.ContainsFunc(n.Directives, func(d *Directive) bool { return d.File.Owned })
}

// testsHaveDirectives reports whether a _test.go file of the package has
// directives.
func testsHaveDirectives(m *packages.Package) bool {
	if len(m.GoFiles) == 0 && len(m.IgnoredFiles) == 0 && m.Dir == "" {
		return false
	}
	names, _ := filepath.Glob(filepath.Join(m.Dir, "*_test.go"))
	return mentions(slices.DeleteFunc(names, isGenerated), "\n//quabla:")
}

// mentions reports whether one of the files contains the text.
func mentions(files []string, text string) bool {
	return slices.ContainsFunc(files, func(name string) bool {
		src, err := os.ReadFile(name)
		return err == nil && strings.Contains(string(src), text)
	})
}

// prefetch starts the second run of the go command for patterns that are
// directories, while the first run is on its way.
func (l *loader) prefetch() <-chan []*packages.Package {
	out := make(chan []*packages.Package, 1)
	want := make(map[string]bool)
	for _, pat := range l.cfg.Patterns {
		if strings.Contains(pat, "...") || !isLocal(pat) {
			close(out)
			return out
		}
		dir := pat
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(l.cfg.Dir, pat)
		}
		files, _ := filepath.Glob(filepath.Join(dir, "*.go"))
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") || isGenerated(name) {
				continue
			}
			f, _ := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
			if f == nil {
				continue
			}
			for _, imp := range f.Imports {
				if path, err := strconv.Unquote(imp.Path.Value); err == nil && path != "C" && path != "unsafe" {
					want[path] = true
				}
			}
		}
		if mentions(files, "quabla:jacobian") || mentions(files, "quabla:hessian") {
			want[gonumMat] = true
		}
	}
	for _, path := range l.cfg.Also {
		want[path] = true
	}
	if len(want) == 0 {
		close(out)
		return out
	}
	go func() {
		pkgs, err := l.list(exportMode, false, sortedKeys(want))
		if err != nil {
			pkgs = nil // the run after the graph will say it
		}
		out <- pkgs
	}()
	return out
}

// isLocal reports whether a pattern names a directory.
func isLocal(pat string) bool {
	return pat == "." || pat == ".." || strings.HasPrefix(pat, "./") || strings.HasPrefix(pat, "../") || filepath.IsAbs(pat)
}

// merge takes in packages with export data.
func (l *loader) merge(pkgs []*packages.Package) {
	packages.Visit(pkgs, nil, func(m *packages.Package) {
		if old := l.exports[m.PkgPath]; old == nil || old.ExportFile == "" {
			l.exports[m.PkgPath] = m
		}
	})
}

// export loads the export data of what the packages from source import.
func (l *loader) export() error {
	want := make(map[string]bool)
	for _, path := range l.cfg.Also {
		want[path] = true
	}
	for _, n := range l.order {
		if !n.needed {
			continue
		}
		for _, f := range n.Files {
			for _, imp := range f.Syntax.Imports {
				path, err := strconv.Unquote(imp.Path.Value)
				if err != nil || path == "C" || path == "unsafe" || l.source(n, path) != nil {
					continue
				}
				want[path] = true
			}
		}
		for _, d := range n.Directives {
			if d.needsMatrix() {
				want[gonumMat] = true
			}
		}
	}
	for path := range want {
		if l.exports[path] != nil {
			delete(want, path)
		}
	}
	if len(want) == 0 {
		return nil
	}
	return l.fetch(sortedKeys(want))
}

// needsMatrix reports whether a directive asks for a matrix of gonum.
func (d *Directive) needsMatrix() bool {
	if d.expr != nil {
		return d.expr.word.Text == string(Jacobian) || d.expr.word.Text == string(Hessian)
	}
	return d.Verb == Jacobian || d.Verb == Hessian
}

// fetch loads the export data of packages and of all that they import.
func (l *loader) fetch(paths []string) error {
	pkgs, err := l.list(exportMode, false, paths)
	if err != nil {
		return err
	}
	l.merge(pkgs)
	return nil
}

// source returns the package that n imports under a path if it is to be checked
// from source, or nil.
func (l *loader) source(n *Package, path string) *Package {
	meta := n.meta.Imports[path]
	if meta == nil {
		return nil
	}
	m := l.nodes[meta.ID]
	if m == nil || m.external() {
		return nil
	}
	return m
}

// importFor imports a package for n.
func (l *loader) importFor(n *Package, path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if m := l.source(n, path); m != nil {
		if m.checking {
			return nil, fmt.Errorf("import cycle not allowed")
		}
		m.check()
		return m.Types, nil
	}
	if meta := n.meta.Imports[path]; meta != nil && meta.PkgPath != "" {
		path = meta.PkgPath // vendored packages of the standard library
	}
	return l.prog.Import(path)
}

// importDep imports a package from export data. One that has none, because it
// does not compile, is checked from source, with its errors left aside.
func (l *loader) importDep(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if l.read[path] {
		return l.imports[path], nil
	}
	meta := l.exports[path]
	if meta == nil {
		return nil, fmt.Errorf("package %s is not loaded", path)
	}
	if meta.ExportFile == "" {
		return l.importBroken(meta)
	}
	f, err := os.Open(meta.ExportFile)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	//lint:ignore SA1019 the export files of the go command are archives until Go 1.29
	r, err := gcexportdata.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("cannot read the export data of %s: %w", path, err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("cannot read the export data of %s: %w", path, err)
	}
	pkg, err := gcexportdata.Read(strings.NewReader(string(data)), l.prog.Fset, l.imports, path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the export data of %s: %w", path, err)
	}
	l.read[path] = true
	return pkg, nil
}

// importBroken checks a package without export data from source.
func (l *loader) importBroken(meta *packages.Package) (*types.Package, error) {
	if meta.PkgPath == "" || len(meta.GoFiles) == 0 {
		for _, e := range meta.Errors {
			return nil, fmt.Errorf("%s", firstLine(e.Msg))
		}
		return nil, fmt.Errorf("package %s has no export data", meta.PkgPath)
	}
	n := l.nodes[meta.ID]
	if n == nil {
		n = &Package{ID: meta.ID, Path: meta.PkgPath, Name: meta.Name, prog: l.prog, meta: meta}
		l.nodes[meta.ID] = n
		n.parse(make(map[string]bool))
	}
	if n.checking {
		return nil, fmt.Errorf("import cycle not allowed")
	}
	n.check()
	return n.Types, nil
}
