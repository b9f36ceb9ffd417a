package analyze

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/quabla/quabla/diag"
)

// A Config says what to load.
type Config struct {
	Dir        string   // where the go command runs; "" is the current directory
	Patterns   []string // as for go build; none means "."
	Tags       string   // build tags, separated by commas
	BuildFlags []string // further flags for the go command
	Env        []string // environment of the go command; nil is that of the process

	// Tests also loads the test variants of the packages. Without it a variant is
	// loaded if one of its _test.go files has a directive.
	Tests bool

	// Also lists packages whose types will be asked for with Program.Import, so
	// that they come with the first run of the go command. It is no error if one
	// cannot be loaded.
	Also []string

	// NewForms and WorkForms say that generated files will hold FNewGrad and
	// FGradIn beside FGrad, so that there are stubs for them.
	NewForms, WorkForms bool
}

// Load loads packages. The error is about the run itself: the go command cannot
// run, or the patterns match nothing. What is wrong with the packages is in the
// diagnostics of the program.
func Load(cfg Config) (*Program, error) {
	if len(cfg.Patterns) == 0 {
		cfg.Patterns = []string{"."}
	}
	p := &Program{
		Fset:        token.NewFileSet(),
		Diags:       new(diag.List),
		derived:     make(map[*types.Func]derivation),
		bodies:      make(map[*types.Func]*Source),
		checkpoints: make(map[*ast.File]map[ast.Node]Schedule),
		deps:        make(map[*types.Package]*depSource),
		rules:       make(map[*types.Func]*CustomRule),
		asked:       make(map[*types.Package]bool),
		wantNew:     cfg.NewForms,
		wantWork:    cfg.WorkForms,
	}
	l := &loader{
		cfg: cfg, prog: p,
		metas:   make(map[string]*packages.Package),
		exports: make(map[string]*packages.Package),
		nodes:   make(map[string]*Package),
		imports: make(map[string]*types.Package),
		read:    make(map[string]bool),
	}
	p.loader = l
	early := l.prefetch()
	if err := l.graph(); err != nil {
		return nil, err
	}
	l.merge(<-early)
	if err := l.export(); err != nil {
		return nil, err
	}
	for _, n := range l.order {
		if n.needed {
			n.check()
		}
	}
	for _, n := range l.order {
		if n.root {
			l.finish(n)
			p.Packages = append(p.Packages, n)
		}
	}
	return p, nil
}

// markNeeded marks the packages that must be checked from source: the roots that
// have directives, and what they import from source.
func (l *loader) markNeeded() {
	var mark func(n *Package)
	mark = func(n *Package) {
		if n.needed {
			return
		}
		n.needed = true
		for path := range n.meta.Imports {
			if m := l.source(n, path); m != nil {
				mark(m)
			}
		}
	}
	for _, n := range l.order {
		if n.root && len(n.Directives) > 0 {
			mark(n)
		}
	}
}

// finish reports what is wrong with a root package and marks it bad if that
// keeps its files from being written.
func (l *loader) finish(n *Package) {
	if n.parseBad {
		n.Bad = true
	}
	if n.checked && !n.parseBad && n.typeErrs.HasErrors() {
		if causes := l.badImports(n); len(causes) > 0 {
			// The errors follow from those of an imported package.
			for _, c := range causes {
				l.prog.Diags.AddAll(c.typeErrs)
			}
		} else {
			l.prog.Diags.AddAll(n.typeErrs)
		}
	}
	clean := !n.Bad
	for _, e := range n.listErrs {
		if d, keep := l.listError(n, e, clean); keep {
			n.Bad = true
			l.prog.Diags.Add(d)
		}
	}
}

// badImports returns the packages with errors that n imports, directly or not,
// and that import no such package themselves.
func (l *loader) badImports(n *Package) []*Package {
	var bad []*Package
	seen := make(map[*Package]bool)
	var visit func(*Package) bool
	visit = func(n *Package) bool {
		found := false
		for _, path := range sortedKeys(n.meta.Imports) {
			m := l.nodes[n.meta.Imports[path].ID]
			if m == nil || m.typeErrs == nil {
				continue
			}
			if seen[m] {
				found = found || m.Bad
				continue
			}
			seen[m] = true
			inner := visit(m)
			if m.Bad && !inner {
				bad = append(bad, m)
			}
			found = found || inner || m.Bad
		}
		return found
	}
	visit(n)
	return bad
}

// listError turns an error of the go command about a root package into a
// diagnostic. Errors about a package that checks without errors are dropped:
// they come from generated files, which count as blank. Errors at a place in the
// user's files are kept, since the check does not find all of them: that an
// internal package is imported, say.
func (l *loader) listError(n *Package, e packages.Error, clean bool) (diag.Diagnostic, bool) {
	d := diag.Diagnostic{Message: strings.TrimSpace(e.Msg), Category: "load"}
	place := e.Pos
	if place == "" || place == "-" {
		// some messages carry their place in front
		if at, msg, ok := strings.Cut(e.Msg, ": "); ok && strings.Contains(at, ".go:") {
			place, d.Message = at, msg
		}
	}
	if d.Pos = parsePosition(place); d.Pos.Filename != "" {
		d.Width = 1
		if !filepath.IsAbs(d.Pos.Filename) {
			if abs, err := filepath.Abs(filepath.Join(l.cfg.Dir, d.Pos.Filename)); err == nil {
				d.Pos.Filename = abs
			}
		}
	}
	if len(n.Files) == 0 && len(n.Generated) == 0 {
		return d, true
	}
	inUser := slices.ContainsFunc(n.Files, func(f *File) bool { return f.Path == d.Pos.Filename })
	if n.parseBad || n.Bad {
		return d, false // said already
	}
	return d, n.checked && inUser || !clean
}

// parsePosition parses file:line:col.
func parsePosition(s string) token.Position {
	var at token.Position
	parts := strings.Split(s, ":")
	if len(parts) < 2 || s == "-" {
		return at
	}
	nums := []int{}
	for len(parts) > 1 && len(nums) < 2 {
		n, err := strconv.Atoi(parts[len(parts)-1])
		if err != nil {
			break
		}
		nums = append([]int{n}, nums...)
		parts = parts[:len(parts)-1]
	}
	if len(nums) == 0 {
		return at
	}
	at.Filename, at.Line, at.Column = strings.Join(parts, ":"), nums[0], 1
	if len(nums) > 1 {
		at.Column = nums[1]
	}
	return at
}

// Import returns the types of a package, for example those of the runtime that
// generated code imports. A package that no source imports, if perhaps an older
// generated file, is looked up with the go command, in the module of the user.
func (p *Program) Import(path string) (*types.Package, error) {
	l := p.loader
	if _, ok := l.exports[path]; !ok && path != "unsafe" {
		if err := l.fetch([]string{path}); err != nil {
			return nil, err
		}
	}
	return l.importDep(path)
}

// ImportFor returns the types of a package as p imports it: packages of the
// program from source, others from export data.
func (p *Package) ImportFor(path string) (*types.Package, error) {
	if _, ok := p.meta.Imports[path]; ok {
		return p.prog.loader.importFor(p, path)
	}
	for _, n := range p.prog.loader.order {
		if n.Path == path && n.ID == path && n.Types != nil {
			return n.Types, nil
		}
	}
	return p.prog.Import(path)
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// errNoPackages reports patterns that match nothing.
func errNoPackages(patterns []string) error {
	return fmt.Errorf("no packages match %s", strings.Join(patterns, " "))
}
