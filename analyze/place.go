package analyze

import (
	"go/ast"
	"go/token"
	"strings"
)

// scanDirectives finds the directives of a file and what each stands above.
func scanDirectives(r *reporter, f *File) []*Directive {
	var found []*Directive
	owners := commentOwners(f.Syntax)
	for _, group := range f.Syntax.Comments {
		for _, c := range group.List {
			d := parseDirective(r, c.Slash, c.Text)
			if d == nil {
				continue
			}
			d.File = f
			if d.settle(r, f, group, owners[group]) {
				found = append(found, d)
			}
		}
	}
	return found
}

// commentOwners maps the doc comments of a file to the nodes that they document.
func commentOwners(f *ast.File) map[*ast.CommentGroup]ast.Node {
	owners := make(map[*ast.CommentGroup]ast.Node)
	own := func(g *ast.CommentGroup, n ast.Node) {
		if g != nil {
			owners[g] = n
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.File:
			own(n.Doc, n)
		case *ast.FuncDecl:
			own(n.Doc, n)
		case *ast.GenDecl:
			own(n.Doc, n)
		case *ast.TypeSpec:
			own(n.Doc, n)
		case *ast.ValueSpec:
			own(n.Doc, n)
		case *ast.ImportSpec:
			own(n.Doc, n)
		case *ast.InterfaceType:
			for _, m := range n.Methods.List {
				own(m.Doc, n)
			}
		case *ast.Field:
			if _, taken := owners[n.Doc]; !taken {
				own(n.Doc, n)
			}
		}
		return true
	})
	return owners
}

// settle finds what a directive stands above and reports whether its verb may
// stand there; if not, it says so.
func (d *Directive) settle(r *reporter, f *File, group *ast.CommentGroup, owner ast.Node) bool {
	info := d.Verb.info()
	w := d.verbWord()
	switch n := owner.(type) {
	case *ast.FuncDecl:
		d.Func = n
		if info.place&onFunc == 0 {
			r.errorf(w, "put it on the line above the loop", "quabla:%s belongs above a loop, not above a function", d.Verb)
			return false
		}
		if n.Body == nil && d.Verb.Derives() {
			r.errorf(w, "", "%s has no Go body, so it cannot be differentiated", n.Name.Name)
			return false
		}
		return true
	case *ast.Field:
		if info.place&onField != 0 {
			d.Field = n
			return true
		}
		r.errorf(w, d.placeHint(), "quabla:%s is above a field", d.Verb)
		return false
	case *ast.InterfaceType:
		r.errorf(w, "put it above the methods of the types that implement the interface",
			"quabla:%s is above an interface method, which has no body", d.Verb)
		return false
	case *ast.File:
		if info.place&onTop != 0 {
			return true
		}
		r.errorf(w, d.placeHint(), "quabla:%s is in the comment of the package", d.Verb)
		return false
	case *ast.GenDecl, *ast.TypeSpec, *ast.ValueSpec, *ast.ImportSpec:
		if info.place&onTop != 0 {
			return true
		}
		r.errorf(w, d.placeHint(), "quabla:%s is above %s", d.Verb, describeDecl(n))
		return false
	}

	// A comment of its own, inside a function or between declarations.
	for _, decl := range f.Syntax.Decls {
		fn, _ := decl.(*ast.FuncDecl)
		if group.Pos() >= decl.End() {
			continue
		}
		if fn != nil && decl.Pos() < group.Pos() {
			return d.settleInside(r, fn, group)
		}
		if decl.Pos() < group.Pos() { // inside a type declaration, say
			break
		}
		if info.place&onTop != 0 {
			return true
		}
		if fn != nil && info.place&onFunc != 0 {
			r.errorf(w, "remove the lines between the directive and func "+fn.Name.Name,
				"quabla:%s is apart from the function below it, so it has no effect", d.Verb)
			return false
		}
		break
	}
	if info.place&onTop != 0 {
		return true
	}
	r.errorf(w, d.placeHint(), "quabla:%s stands above nothing that it can apply to", d.Verb)
	return false
}

// settleInside settles a directive that stands in a function.
func (d *Directive) settleInside(r *reporter, fn *ast.FuncDecl, group *ast.CommentGroup) bool {
	info := d.Verb.info()
	w := d.verbWord()
	if info.place&(onLoop|onStmt) == 0 {
		r.errorf(w, d.placeHint(), "quabla:%s is inside function %s", d.Verb, fn.Name.Name)
		return false
	}
	stmt := stmtBelow(r.fset, fn, group)
	if l, ok := stmt.(*ast.LabeledStmt); ok {
		stmt = l.Stmt
	}
	_, isFor := stmt.(*ast.ForStmt)
	_, isRange := stmt.(*ast.RangeStmt)
	if stmt == nil || info.place&onStmt == 0 && !isFor && !isRange {
		r.errorf(w, d.placeHint(), "quabla:%s stands above nothing that it can apply to", d.Verb)
		return false
	}
	d.Func, d.Stmt = fn, stmt
	return true
}

// stmtBelow returns the outermost statement that begins on the line below the
// comment, or nil.
func stmtBelow(fset *token.FileSet, fn *ast.FuncDecl, group *ast.CommentGroup) ast.Stmt {
	if fn.Body == nil {
		return nil
	}
	line := fset.Position(group.End()).Line + 1
	var found ast.Stmt
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		if found != nil || n == nil || n.End() < group.Pos() {
			return false
		}
		if s, ok := n.(ast.Stmt); ok && s.Pos() > group.End() && fset.Position(s.Pos()).Line == line {
			found = s
			return false
		}
		return true
	})
	return found
}

// placeHint says where a directive belongs.
func (d *Directive) placeHint() string {
	place := d.Verb.info().place
	var where []string
	if place&onFunc != 0 {
		where = append(where, "in the doc comment of a function or method")
	}
	if place&onLoop != 0 {
		where = append(where, "on the line above a loop")
	}
	if place&onStmt != 0 {
		where = append(where, "on the line above a statement")
	}
	if place&onField != 0 {
		where = append(where, "above a struct field")
	}
	return "it belongs " + strings.Join(where, ", or ")
}

// describeDecl names a declaration that is no function.
func describeDecl(n ast.Node) string {
	switch n := n.(type) {
	case *ast.GenDecl:
		if len(n.Specs) == 1 {
			return describeDecl(n.Specs[0])
		}
		return "a group of declarations"
	case *ast.TypeSpec:
		return "type " + n.Name.Name
	case *ast.ValueSpec:
		return "the declaration of " + n.Names[0].Name
	}
	return "an import"
}
