package bank

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"

	"github.com/quabla/quabla/internal/bank/probe"
)

const (
	rtPath    = "github.com/quabla/quabla/rt"
	probePath = "github.com/quabla/quabla/internal/bank/probe"
)

// A source is the file that a case becomes: the snippet as it is, with directives
// above the entry function and functions for the arguments behind it.
type source struct {
	text    []byte
	params  []string    // of the entry function, "_" for one without a name
	lines   map[int]int // the directive that stands on a line
	from    int         // first and last line of the snippet
	to      int
	globals []global
	inits   int  // functions called init
	races   bool // package-level variables are assigned in functions
	primal  bool // the entry function can be called as it is
}

// argFunc returns the name of the function that makes an argument.
func argFunc(point, param int) string { return fmt.Sprintf("qbArg%d_%d", point, param) }

// A global is the initialisation of package-level variables: a function that
// computes the values, which have the type of the variable or are of type any.
type global struct {
	fn   string
	vars []string
}

// A renderer turns a case into a source.
type renderer struct {
	c     *probe.Case
	fset  *token.FileSet
	file  *ast.File
	text  []byte // what file was parsed from
	base  int    // offset of the snippet
	edits []edit
}

// An edit replaces text[from:to].
type edit struct {
	from, to int
	text     string
}

// prepare parses the snippet and finds the entry function.
func prepare(c *probe.Case) (*renderer, *ast.FuncDecl, error) {
	r := &renderer{c: c, fset: token.NewFileSet()}
	head := "package p\n"
	r.text, r.base = []byte(head+c.Snippet), len(head)
	var err error
	if r.file, err = parser.ParseFile(r.fset, c.ID, r.text, parser.ParseComments); err != nil {
		return nil, nil, fmt.Errorf("the snippet does not parse: %w", err)
	}
	for _, d := range r.file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == c.Entry {
			if f.Type.TypeParams != nil {
				return nil, nil, fmt.Errorf("the entry function %s is generic, which the harness does not support", c.Entry)
			}
			return r, f, nil
		}
	}
	return nil, nil, fmt.Errorf("the snippet has no function %s", c.Entry)
}

func (r *renderer) offset(p token.Pos) int { return r.fset.Position(p).Offset }

func (r *renderer) source(n ast.Node) string {
	return string(r.text[r.offset(n.Pos()):r.offset(n.End())])
}

// A parameter of the entry function.
type parameter struct{ name, typ string }

// parameters returns the parameters of the entry function with the text of their
// types.
func (r *renderer) parameters(f *ast.FuncDecl) []parameter {
	var list []parameter
	for _, field := range f.Type.Params.List {
		typ := ""
		if e, ok := field.Type.(*ast.Ellipsis); ok {
			typ = "[]" + r.source(e.Elt)
		} else {
			typ = r.source(field.Type)
		}
		if len(field.Names) == 0 {
			list = append(list, parameter{"_", typ})
		}
		for _, n := range field.Names {
			list = append(list, parameter{n.Name, typ})
		}
	}
	return list
}

// render returns the file of a case in a package, with directives.
func render(c *probe.Case, pkg string, directives []string) (*source, error) {
	r, entry, err := prepare(c)
	if err != nil {
		return nil, err
	}
	s := &source{lines: map[int]int{}, primal: true}
	params := r.parameters(entry)
	for _, p := range params {
		s.params = append(s.params, p.name)
	}
	imports := slices.Clone(c.Imports)
	operators, err := r.standIns(s, &imports)
	if err != nil {
		return nil, err
	}

	// Directives go above the entry function, behind its doc comment.
	var marks strings.Builder
	for _, d := range directives {
		fmt.Fprintf(&marks, "%s\n", d)
	}
	at := r.offset(entry.Pos())
	r.edits = append(r.edits, edit{at, at, marks.String()})

	behind, err := r.behind(s, params)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "package %s\n\n", pkg)
	for _, im := range r.needed(imports, behind, operators) {
		fmt.Fprintf(&out, "import %s %q\n", im.Name, im.Path)
	}
	out.WriteString("\n")
	s.from = bytes.Count(out.Bytes(), []byte("\n")) + 1
	out.Write(r.apply())
	s.to = bytes.Count(out.Bytes(), []byte("\n"))
	out.WriteString("\n" + behind)
	s.text = out.Bytes()
	for i, line := range strings.Split(out.String(), "\n") {
		if k := slices.Index(directives, line); k >= 0 {
			s.lines[i+1] = k
		}
	}
	s.races = r.assignsGlobals()
	return s, nil
}

// apply returns the snippet with the edits made.
func (r *renderer) apply() []byte {
	slices.SortStableFunc(r.edits, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	var out []byte
	at := r.base
	for _, e := range r.edits {
		out = append(out, r.text[at:e.from]...)
		out = append(out, e.text...)
		at = e.to
	}
	return append(out, r.text[at:]...)
}

// standIns replaces the functions that stand for operators of the tool.
func (r *renderer) standIns(s *source, imports *[]probe.Import) (used map[string]bool, err error) {
	used = map[string]bool{}
	for _, in := range r.c.StandIn {
		pkg, name, ok := strings.Cut(in.Operator, ".")
		if !ok || pkg != "rt" {
			return nil, fmt.Errorf("%s is no operator of package rt", in.Operator)
		}
		alias := "rt"
		if bytes.Contains(r.text, []byte("rt.")) || identUsed(r.file, "rt") {
			alias = "quablart"
		}
		var decl *ast.FuncDecl
		for _, d := range r.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == in.Func {
				decl = f
			}
		}
		if decl == nil {
			return nil, fmt.Errorf("the snippet has no function %s", in.Func)
		}
		from := decl.Pos()
		if decl.Doc != nil {
			from = decl.Doc.Pos()
		}
		r.edits = append(r.edits, edit{r.offset(from), r.offset(decl.End()), ""})
		ast.Inspect(r.file, func(n ast.Node) bool {
			if n == ast.Node(decl) {
				return false
			}
			id, ok := n.(*ast.Ident)
			if ok && id.Name == in.Func && id.Obj != nil && id.Obj.Decl == any(decl) {
				r.edits = append(r.edits, edit{r.offset(id.Pos()), r.offset(id.End()), alias + "." + name})
			}
			return true
		})
		used[alias] = true
		if name != "Stop" {
			s.primal = false
		}
		im := probe.Import{Name: alias, Path: rtPath}
		if !slices.Contains(*imports, im) {
			*imports = append(*imports, im)
		}
	}
	return used, nil
}

func identUsed(f *ast.File, name string) bool {
	found := false
	ast.Inspect(f, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name == name {
			found = true
		}
		return !found
	})
	return found
}

// behind returns the functions that stand behind the snippet: those that make the
// arguments of each point, and those that compute initial values of variables.
func (r *renderer) behind(s *source, params []parameter) (string, error) {
	var b strings.Builder
	for i, pt := range r.c.Points {
		if len(pt.Args) != len(params) {
			return "", fmt.Errorf("point %s has %d arguments, but %s has %d parameters", pt.Name, len(pt.Args), r.c.Entry, len(params))
		}
		for k, p := range params {
			at := slices.IndexFunc(pt.Args, func(a probe.Arg) bool { return a.Name == p.name })
			if at < 0 {
				if p.name != "_" {
					return "", fmt.Errorf("point %s has no argument %s", pt.Name, p.name)
				}
				at = k
			}
			if _, err := parser.ParseExpr(pt.Args[at].Expr); err != nil {
				return "", fmt.Errorf("point %s: argument %s is no expression: %v", pt.Name, p.name, err)
			}
			fmt.Fprintf(&b, "func %s() %s { return %s }\n", argFunc(i, k), p.typ, pt.Args[at].Expr)
		}
	}
	any := "any"
	if r.file.Scope.Lookup("any") != nil {
		any = "interface{}"
	}
	for _, d := range r.file.Decls {
		switch d := d.(type) {
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				vs, ok := spec.(*ast.ValueSpec)
				if !ok || d.Tok != token.VAR || len(vs.Values) == 0 {
					continue
				}
				typ := any
				if vs.Type != nil {
					typ = r.source(vs.Type)
				}
				add := func(vars []string, results string, x ast.Expr) {
					g := global{fmt.Sprintf("qbGlobal%d", len(s.globals)), vars}
					fmt.Fprintf(&b, "func %s() %s { return %s }\n", g.fn, results, r.source(x))
					s.globals = append(s.globals, g)
				}
				var names, types []string
				for k, n := range vs.Names {
					if len(vs.Values) == len(vs.Names) {
						add([]string{n.Name}, typ, vs.Values[k])
					}
					names, types = append(names, n.Name), append(types, typ)
				}
				if len(vs.Values) != len(vs.Names) {
					add(names, "("+strings.Join(types, ", ")+")", vs.Values[0])
				}
			}
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.Name == "init" {
				s.inits++
			}
		}
	}
	return b.String(), nil
}

// known are packages that expressions of arguments may use without an import in the
// header.
var known = map[string]string{
	"math": "math", "cmplx": "math/cmplx", "rand": "math/rand", "errors": "errors", "fmt": "fmt", "io": "io",
	"strings": "strings", "bytes": "bytes", "slices": "slices", "maps": "maps", "sort": "sort", "time": "time",
	"sync": "sync", "os": "os", "strconv": "strconv", "big": "math/big", "bits": "math/bits", "context": "context",
}

// needed returns the imports that the file uses, and adds those that only the
// functions behind the snippet need.
func (r *renderer) needed(imports []probe.Import, behind string, operators map[string]bool) []probe.Import {
	text := append([]byte("package p\n"), r.apply()...)
	text = append(text, "\n"+behind...)
	f, err := parser.ParseFile(token.NewFileSet(), "", text, 0)
	if err != nil {
		return imports // the compiler will say what is wrong
	}
	used := map[string]bool{}
	for _, id := range f.Unresolved {
		used[id.Name] = true
	}
	var list []probe.Import
	have := map[string]bool{}
	for _, im := range imports {
		name := im.Name
		if name == "" {
			name = baseName(im.Path)
		}
		have[name] = true
		if used[name] || name == "_" || name == "." {
			list = append(list, im)
		}
	}
	for name, path := range known {
		if used[name] && !have[name] {
			list = append(list, probe.Import{Path: path})
		}
	}
	slices.SortFunc(list, func(a, b probe.Import) int { return cmp.Compare(a.Path, b.Path) })
	return list
}

// baseName guesses the name of a package from its path.
func baseName(path string) string {
	parts := strings.Split(path, "/")
	name := parts[len(parts)-1]
	if len(parts) > 1 && len(name) > 1 && name[0] == 'v' && strings.Trim(name[1:], "0123456789") == "" {
		name = parts[len(parts)-2]
	}
	return name
}

// assignsGlobals reports whether a function of the snippet assigns to a
// package-level variable or to what it refers to.
func (r *renderer) assignsGlobals() bool {
	found := false
	global := func(x ast.Expr) {
		for {
			switch y := x.(type) {
			case *ast.IndexExpr:
				x = y.X
				continue
			case *ast.SelectorExpr:
				x = y.X
				continue
			case *ast.StarExpr:
				x = y.X
				continue
			case *ast.ParenExpr:
				x = y.X
				continue
			case *ast.Ident:
				if y.Obj != nil && y.Obj.Kind == ast.Var && r.file.Scope.Lookup(y.Name) == y.Obj {
					found = true
				}
			}
			return
		}
	}
	ast.Inspect(r.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				for _, x := range n.Lhs {
					global(x)
				}
			}
		case *ast.IncDecStmt:
			global(n.X)
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				global(n.X)
			}
		}
		return true
	})
	return found
}
