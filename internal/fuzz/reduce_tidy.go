package fuzz

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/importer"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/astutil"
)

// dropUncalled removes the functions and types that F does not reach.
func dropUncalled(text string) string {
	fset, f := parse(text)
	if f == nil {
		return text
	}
	uses := map[string][]string{}
	decls := map[string]ast.Decl{}
	for _, d := range f.Decls {
		name := ""
		switch d := d.(type) {
		case *ast.FuncDecl:
			name = d.Name.Name
		case *ast.GenDecl:
			if ts, ok := d.Specs[0].(*ast.TypeSpec); ok {
				name = ts.Name.Name
			}
		}
		decls[name] = d
		ast.Inspect(d, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				uses[name] = append(uses[name], id.Name)
			}
			return true
		})
	}
	seen := map[string]bool{"": true}
	var visit func(name string)
	visit = func(name string) {
		if seen[name] {
			return
		}
		seen[name] = true
		for _, u := range uses[name] {
			if decls[u] != nil {
				visit(u)
			}
		}
	}
	visit("F")
	kept := slices.DeleteFunc(slices.Clone(f.Decls), func(d ast.Decl) bool {
		for name, x := range decls {
			if x == d {
				return !seen[name]
			}
		}
		return false
	})
	if len(kept) == len(f.Decls) {
		return text
	}
	f.Decls = kept
	var buf bytes.Buffer
	if format.Node(&buf, fset, f) != nil {
		return text
	}
	return buf.String()
}

var wrtList = regexp.MustCompile(`(wrt|of)=(\S+)`)

// fixDirectives drops the names of parameters that are gone.
func fixDirectives(text string) string {
	_, f := parse(text)
	if f == nil {
		return text
	}
	have := map[string]bool{"return": true}
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.Name == "F" && fn.Recv == nil {
			for _, field := range fn.Type.Params.List {
				for _, n := range field.Names {
					have[n.Name] = true
				}
			}
		}
	}
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if !strings.HasPrefix(l, "//quabla:") {
			continue
		}
		lines[i] = wrtList.ReplaceAllStringFunc(l, func(s string) string {
			key, list, _ := strings.Cut(s, "=")
			var keep []string
			for _, n := range strings.Split(list, ",") {
				if have[n] {
					keep = append(keep, n)
				}
			}
			return key + "=" + strings.Join(keep, ",")
		})
	}
	return strings.Join(lines, "\n")
}

// tidy type-checks a program. It returns "" if it is valid, and a new text to try
// if only something is not used.
func (r *Reducer) tidy(text string) (again string, bad bool) {
	if r.imp == nil {
		r.imp = importer.ForCompiler(token.NewFileSet(), "source", nil)
	}
	fset, f := parse(text)
	if f == nil {
		return "", true
	}
	for _, l := range strings.Split(text, "\n") {
		if strings.HasPrefix(l, "//quabla:") && strings.Contains(l, "wrt= ") {
			return "", true
		}
	}
	unused := map[int]string{} // by offset
	imports := false
	conf := &types.Config{Importer: r.imp, Error: func(err error) {
		e := err.(types.Error)
		switch {
		case strings.HasPrefix(e.Msg, "declared and not used: "):
			unused[fset.Position(e.Pos).Offset] = strings.TrimPrefix(e.Msg, "declared and not used: ")
		case strings.Contains(e.Msg, "imported and not used"):
			imports = true
		case strings.HasPrefix(e.Msg, "label ") && strings.HasSuffix(e.Msg, "declared and not used"):
			bad = true
		default:
			bad = true
		}
	}}
	conf.Check("p", fset, []*ast.File{f}, nil)
	if bad {
		return "", true
	}
	if len(unused) == 0 && !imports {
		return "", false
	}
	if imports {
		for _, d := range slices.Clone(f.Decls) {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
				f.Decls = slices.DeleteFunc(f.Decls, func(x ast.Decl) bool { return x == d })
			}
		}
	}
	isUnused := func(e ast.Expr) bool {
		id, ok := e.(*ast.Ident)
		return ok && unused[fset.Position(id.Pos()).Offset] == id.Name
	}
	astutil.Apply(f, nil, func(c *astutil.Cursor) bool {
		switch n := c.Node().(type) {
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				break
			}
			all := true
			for i, l := range n.Lhs {
				if isUnused(l) {
					n.Lhs[i] = ast.NewIdent("_")
				}
				all = all && n.Lhs[i].(*ast.Ident).Name == "_"
			}
			if all && c.Index() >= 0 {
				c.Delete()
			} else if all {
				n.Tok = token.ASSIGN
			}
		case *ast.RangeStmt:
			if n.Key != nil && isUnused(n.Key) {
				n.Key = ast.NewIdent("_")
			}
			if n.Value != nil && isUnused(n.Value) {
				n.Value = nil
			}
			if k, ok := n.Key.(*ast.Ident); ok && k.Name == "_" && n.Value == nil {
				n.Key, n.Tok = nil, token.ILLEGAL
			}
		case *ast.DeclStmt:
			if v, ok := n.Decl.(*ast.GenDecl).Specs[0].(*ast.ValueSpec); ok && isUnused(v.Names[0]) {
				c.Delete()
			}
		}
		return true
	})
	var buf bytes.Buffer
	if format.Node(&buf, fset, f) != nil || buf.String() == text {
		return "", true
	}
	return buf.String(), false
}
