package analyze

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"

	"golang.org/x/tools/go/packages"

	"github.com/quabla/quabla/diag"
)

// A Program is a set of loaded packages.
type Program struct {
	Fset     *token.FileSet
	Packages []*Package // the packages that the patterns name, in import order
	Diags    *diag.List // what is wrong with them

	loader      *loader
	derived     map[*types.Func]derivation          // stubs and the requests they stand for
	bodies      map[*types.Func]*Source             // functions of packages checked from source
	checkpoints map[*ast.File]map[ast.Node]Schedule // of files that were asked for
	deps        map[*types.Package]*depSource
	rules       map[*types.Func]*CustomRule // that packages register for functions of their own
	asked       map[*types.Package]bool     // dependencies whose directives have been read, if they have any
	wantNew     bool
	wantWork    bool
}

// A Package is a package whose source is loaded.
type Package struct {
	ID   string // differs from Path for test variants
	Path string
	Name string
	Dir  string

	// Types, Info and the Info of its files are nil for a package without
	// directives, unless a package with directives needed it from source.
	Types *types.Package
	Info  *types.Info

	Files      []*File          // the user's files; generated ones are not among them
	Directives []*Directive     // all that parsed, in source order
	Requests   []*Request       // derived functions to write, in source order
	Generated  []*GeneratedFile // what quablagen wrote into Dir before
	Bad        bool             // has errors: nothing may be written or removed
	Partial    bool             // some requests have errors: the others are only looked at

	prog     *Program
	meta     *packages.Package
	root     bool
	needed   bool       // must be checked
	all      []*Request // Requests, and those of files that another variant owns
	lanes    *laneTypes // of the requests
	stubs    *ast.File  // the stubs of the derived functions, or nil
	rules    map[*types.Func]*CustomRule
	standIns map[*types.TypeName]*StandIn
	failed   map[string]bool // names of derived functions that have no stub because of an error
	listErrs []packages.Error
	parseBad bool
	checked  bool
	checking bool
	typeErrs *diag.List

	// inGenerated says that the derived functions are those of generated files:
	// their own declarations clash with nothing.
	inGenerated bool
}

// A File is one of the user's source files.
type File struct {
	Name       string // base name
	Path       string
	Syntax     *ast.File
	Src        []byte
	Constraint string // the //go:build line, or ""
	Test       bool   // a _test.go file

	// Owned is false for a file that another variant of the package, which is
	// loaded too, is responsible for: the files of p in the test variant of p.
	Owned bool
}

// A GeneratedFile is a file that bears the header of quablagen.
type GeneratedFile struct {
	Path   string
	Source string // base name of the source file that the header names
	Orphan bool   // the source is gone or has no directives any more
}

// A derivation says what a derived function stands for.
type derivation struct {
	req  *Request
	form Form
}

// A Form is one of the functions that a request gives.
type Form int

const (
	PlainForm Form = iota // FGrad
	NewForm               // FNewGrad: allocates the destinations and returns them
	WorkForm              // FGradIn: with a work space that the caller owns
)

// Derivation returns the request that fn, a derived function, comes from, and
// which form of it fn is. It returns nil if fn is not a derived function. It
// looks into the directives of dependencies too.
func (p *Program) Derivation(fn *types.Func) (*Request, Form) {
	fn = fn.Origin()
	if d, ok := p.derived[fn]; ok {
		return d.req, d.form
	}
	p.loadDepDirectives(fn.Pkg())
	d := p.derived[fn]
	return d.req, d.form
}

// Position returns the file position of pos.
func (p *Program) Position(pos token.Pos) token.Position { return p.Fset.Position(pos) }

// Rel returns a position as notes show it: base name and line.
func (p *Program) Rel(pos token.Pos) string {
	at := p.Fset.Position(pos)
	return fmt.Sprintf("%s:%d", filepath.Base(at.Filename), at.Line)
}

// Module returns the path of the module that a package belongs to; it is "" for the
// standard library.
func (p *Program) Module(path string) string {
	l := p.loader
	for _, m := range []*packages.Package{l.metas[path], l.exports[path]} {
		if m != nil && m.Module != nil {
			return m.Module.Path
		}
	}
	return ""
}

// File returns the file of the package that contains pos, or nil.
func (p *Package) File(pos token.Pos) *File {
	for _, f := range p.Files {
		if f.Syntax.FileStart <= pos && pos < f.Syntax.FileEnd {
			return f
		}
	}
	return nil
}

// Program returns the program that the package belongs to.
func (p *Package) Program() *Program { return p.prog }
