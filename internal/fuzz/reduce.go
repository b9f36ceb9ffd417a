package fuzz

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/astutil"
)

// A Reducer makes faulty programs smaller while the fault stays the same.
type Reducer struct {
	Root string // of the module
	// Temp returns a new folder in the module, and what removes it.
	Temp func() (dir string, remove func())
	// Rounds bounds the work.
	Rounds int

	imp types.Importer
}

// class says what kind of fault it is: the text without numbers and names.
func (f Fault) class() string {
	text := f.Text
	for _, known := range []string{"redeclared in this block", "declared and not used", "the dot test", "the tangent of", "of the product is",
		"numbers, want", "panics: runtime error", "panics: interpreter", "panics: p.", "undefined:", "cannot use", "truncated", "no variable for", "mismatched types", "expected operand", ", of F ", ", interpreted ",
		"in the lane without direction", "lanes"} {
		if strings.Contains(text, known) {
			return known
		}
	}
	text, _, _ = strings.Cut(text, "\n")
	return digits.ReplaceAllString(text, "N")
}

var digits = regexp.MustCompile(`[0-9]+`)

// Reduce returns a smaller case with the same fault.
func (r *Reducer) Reduce(c Case, f Fault) (Case, Fault) {
	want := f.class()
	best, bestFault := c, f
	// Only the directives that matter.
	for _, keep := range [][]string{{f.Func}, {f.Func, "FGrad"}, {f.Func, "FJVP"}} {
		if t := onlyDirectives(c.Text, keep); t != c.Text {
			if g, ok := r.fails([]string{t}, want, f.Way)[0]; ok {
				best.Text, bestFault = t, g
				break
			}
		}
	}
	// Large steps first, then any.
	coarse := true
	for range r.Rounds {
		var tried []string
		var at []int
		for i, st := range sites(best.Text) {
			if coarse && !st.coarse {
				continue
			}
			if t, ok := r.apply(best.Text, []int{i}); ok && len(t) < len(best.Text) && !slices.Contains(tried, t) {
				tried, at = append(tried, t), append(at, i)
			}
		}
		found := map[int]Fault{}
		for start := 0; start < len(tried); start += 60 {
			for k, g := range r.fails(tried[start:min(start+60, len(tried))], want, f.Way) {
				found[start+k] = g
			}
		}
		if len(found) == 0 {
			if !coarse {
				break
			}
			coarse = false
			continue
		}
		good := slices.Sorted(maps.Keys(found))
		slices.SortStableFunc(good, func(a, b int) int { return len(tried[a]) - len(tried[b]) })
		next, nextFault := tried[good[0]], found[good[0]]
		// As many together as go.
		var texts []string
		for k := len(good); k > 1; k = (k*2 + 1) / 3 {
			var set []int
			for _, g := range good[:k] {
				set = append(set, at[g])
			}
			if t, ok := r.apply(best.Text, set); ok && len(t) < len(next) {
				texts = append(texts, t)
			}
			if k == 2 {
				break
			}
		}
		if len(texts) > 0 {
			for k, g := range r.fails(texts, want, f.Way) {
				if len(texts[k]) < len(next) {
					next, nextFault = texts[k], g
				}
			}
		}
		best.Text, bestFault = next, nextFault
	}
	return best, bestFault
}

// fails returns the faults of the wanted class, by index of the text.
func (r *Reducer) fails(texts []string, want, way string) map[int]Fault {
	dir, remove := r.Temp()
	defer remove()
	b := &Batch{Root: r.Root, Dir: dir, Interpret: way != "generating", SaveAll: way == "saving all",
		Compile: way == "generating" || way == "compiled", NoRun: way == "generating"}
	for i, t := range texts {
		b.Cases = append(b.Cases, Case{fmt.Sprintf("p%d", i), t})
	}
	out := map[int]Fault{}
	if err := b.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "reducing:", err)
		return out
	}
	for _, f := range b.Faults {
		if f.class() == want {
			var i int
			fmt.Sscanf(f.ID, "p%d", &i)
			if _, ok := out[i]; !ok {
				out[i] = f
			}
		}
	}
	return out
}

// onlyDirectives drops the directives whose functions are not in names.
func onlyDirectives(text string, names []string) string {
	var out []string
	for _, l := range strings.Split(text, "\n") {
		if strings.HasPrefix(l, "//quabla:") && !slices.Contains(names, directiveName(l)) {
			continue
		}
		out = append(out, l)
	}
	return strings.Join(out, "\n")
}

// directiveName returns the name of the function that a directive asks for.
func directiveName(l string) string {
	if m := regexp.MustCompile(`name=(\w+)`).FindStringSubmatch(l); m != nil {
		return m[1]
	}
	verb := strings.TrimPrefix(strings.Fields(l)[0], "//quabla:")
	name := map[string]string{"grad": "FGrad", "hvp": "FHVP", "jvp": "FJVP", "vjp": "FVJP"}[verb]
	if strings.Contains(l, "lanes=3") {
		name += "3"
	}
	return name
}

// A reduction changes the syntax: it deletes nodes, replaces them, or puts the
// statements of a block in the place of a statement.
type reduction struct {
	del    map[ast.Node]bool
	repl   map[ast.Node]ast.Node
	splice map[ast.Node][]ast.Stmt
	params map[*ast.FuncDecl]map[string]bool // to be dropped
}

func parse(text string) (*token.FileSet, *ast.File) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "p.go", text, parser.ParseComments)
	if err != nil {
		return nil, nil
	}
	return fset, f
}

// A step makes a program smaller.
type step struct {
	coarse bool // it deletes statements or functions
	do     func(*reduction)
}

// steps lists what can be done to a file, in order.
func steps(f *ast.File) []step {
	var out []step
	del := func(n ast.Node) {
		_, stmt := n.(ast.Stmt)
		_, decl := n.(ast.Decl)
		out = append(out, step{stmt || decl, func(r *reduction) { r.del[n] = true }})
	}
	repl := func(n, by ast.Node) { out = append(out, step{false, func(r *reduction) { r.repl[n] = by }}) }
	splice := func(n ast.Node, list []ast.Stmt) {
		out = append(out, step{true, func(r *reduction) { r.splice[n] = list }})
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.Name != "F" {
				del(d)
			}
			for _, field := range d.Type.Params.List {
				for _, n := range field.Names {
					out = append(out, step{true, func(r *reduction) {
						if r.params[d] == nil {
							r.params[d] = map[string]bool{}
						}
						r.params[d][n.Name] = true
					}})
				}
			}
		case *ast.GenDecl:
			del(d)
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			for _, s := range n.List {
				del(s)
			}
		case *ast.CaseClause:
			del(n)
			for _, s := range n.Body {
				del(s)
			}
			if len(n.List) > 1 {
				del(n.List[1])
			}
		case *ast.IfStmt:
			splice(n, n.Body.List)
			if n.Else != nil {
				splice(n, []ast.Stmt{n.Else})
				del(n.Else)
			}
		case *ast.ForStmt:
			splice(n, n.Body.List)
		case *ast.RangeStmt:
			splice(n, n.Body.List)
			if n.Value != nil {
				repl(n.Value, ast.NewIdent("_"))
			}
		case *ast.LabeledStmt:
			splice(n, []ast.Stmt{n.Stmt})
		case *ast.SwitchStmt:
			for _, c := range n.Body.List {
				splice(n, c.(*ast.CaseClause).Body)
			}
		case *ast.StructType:
			for _, field := range n.Fields.List {
				del(field)
			}
		case *ast.BinaryExpr:
			repl(n, n.X)
			repl(n, n.Y)
		case *ast.ParenExpr:
			repl(n, n.X)
		case *ast.UnaryExpr:
			repl(n, n.X)
		case *ast.CallExpr:
			for _, a := range n.Args {
				repl(n, a)
			}
			repl(n, &ast.BasicLit{Kind: token.FLOAT, Value: "1.5"})
		case *ast.IndexExpr:
			if _, ok := n.Index.(*ast.BasicLit); !ok {
				repl(n.Index, &ast.BasicLit{Kind: token.INT, Value: "0"})
			}
			repl(n, &ast.BasicLit{Kind: token.FLOAT, Value: "1.5"})
		case *ast.SelectorExpr:
			repl(n, &ast.BasicLit{Kind: token.FLOAT, Value: "1.5"})
		case *ast.SliceExpr:
			repl(n, n.X)
		case *ast.AssignStmt:
			if len(n.Lhs) == 1 && n.Tok != token.DEFINE {
				if n.Tok != token.ASSIGN {
					s := *n
					s.Tok = token.ASSIGN
					repl(n, &s)
				}
				repl(n.Rhs[0], &ast.BasicLit{Kind: token.FLOAT, Value: "2"})
			}
		case *ast.CompositeLit:
			for _, e := range n.Elts {
				del(e)
			}
		case *ast.KeyValueExpr:
			repl(n.Value, &ast.BasicLit{Kind: token.FLOAT, Value: "2"})
		case *ast.Ident:
			if n.Obj != nil && n.Obj.Kind == ast.Var {
				repl(n, &ast.BasicLit{Kind: token.FLOAT, Value: "2"})
			}
		}
		return true
	})
	return out
}

// sites lists the steps for a text.
func sites(text string) []step {
	_, f := parse(text)
	if f == nil {
		return nil
	}
	return steps(f)
}

// apply returns the text after the steps of the given numbers, if it is a valid
// program.
func (r *Reducer) apply(text string, which []int) (string, bool) {
	fset, f := parse(text)
	if f == nil {
		return "", false
	}
	list := steps(f)
	red := &reduction{map[ast.Node]bool{}, map[ast.Node]ast.Node{}, map[ast.Node][]ast.Stmt{}, map[*ast.FuncDecl]map[string]bool{}}
	for _, i := range which {
		list[i].do(red)
	}
	ok := true
	func() {
		defer func() {
			if recover() != nil {
				ok = false // the syntax does not allow it
			}
		}()
		for fn, names := range red.params {
			dropParams(f, fn, names)
		}
		for range 3 { // replacements may hold nodes to be replaced
			astutil.Apply(f, nil, red.post)
		}
	}()
	if !ok {
		return "", false
	}
	for range 12 {
		var buf bytes.Buffer
		if format.Node(&buf, fset, f) != nil {
			return "", false
		}
		t := fixDirectives(dropUncalled(buf.String()))
		again, bad := r.tidy(t)
		if bad {
			return "", false
		}
		if again == "" {
			return t, true
		}
		if fset, f = parse(again); f == nil {
			return "", false
		}
	}
	return "", false
}

// post does what the reduction says about a node.
func (r *reduction) post(c *astutil.Cursor) bool {
	n := c.Node()
	switch {
	case n == nil:
	case r.del[n]:
		if c.Index() >= 0 {
			c.Delete()
		} else {
			c.Replace(nil)
		}
	case r.splice[n] != nil:
		list := r.splice[n]
		if c.Index() < 0 {
			if b, ok := list[0].(*ast.BlockStmt); ok && len(list) == 1 {
				c.Replace(b)
			}
			return true
		}
		for _, s := range list {
			if b, ok := s.(*ast.BlockStmt); ok {
				for _, s := range b.List {
					c.InsertBefore(s)
				}
				continue
			}
			c.InsertBefore(s)
		}
		delete(r.splice, n)
		c.Delete()
	case r.repl[n] != nil:
		by := r.repl[n]
		delete(r.repl, n)
		c.Replace(by)
	}
	return true
}

// dropParams removes parameters of a function and the arguments of its calls.
func dropParams(f *ast.File, fn *ast.FuncDecl, names map[string]bool) {
	drop := map[int]bool{}
	i := 0
	var fields []*ast.Field
	for _, field := range fn.Type.Params.List {
		var keep []*ast.Ident
		for _, n := range field.Names {
			if names[n.Name] {
				drop[i] = true
			} else {
				keep = append(keep, n)
			}
			i++
		}
		if len(keep) > 0 {
			field.Names = keep
			fields = append(fields, field)
		}
	}
	fn.Type.Params.List = fields
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		name := ""
		switch fun := call.Fun.(type) {
		case *ast.Ident:
			name = fun.Name
		case *ast.SelectorExpr:
			name = fun.Sel.Name
		}
		if name != fn.Name.Name || len(call.Args) != i {
			return true
		}
		var args []ast.Expr
		for k, a := range call.Args {
			if !drop[k] {
				args = append(args, a)
			}
		}
		call.Args = args
		return true
	})
}

// TempIn returns a function for Reducer.Temp that makes folders below dir.
func TempIn(dir string) func() (string, func()) {
	return func() (string, func()) {
		d, err := os.MkdirTemp(dir, "tmp")
		if err != nil {
			panic(err)
		}
		abs, err := filepath.Abs(d)
		if err != nil {
			panic(err)
		}
		return abs, func() { os.RemoveAll(d) }
	}
}
