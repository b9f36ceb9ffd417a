package features

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A program says what the numbers of some cases are.
type program struct {
	place    string // file and line
	patterns []string
	fields   map[string]string
	args     map[string]explicit
	consts   []string
	product  []string
	free     []string
	tests    []string
	panics   []string
	held     []string // by the harness itself: values and bits are those of F
	others   []string // fields that another program has
	outs     int
	code     string
}

// An explicit argument is not an input itself.
type explicit struct {
	expr   string // with $name for an input
	leaves []string
}

// readPrograms reads the files of testdata/programs.
func readPrograms(t *testing.T) []*program {
	t.Helper()
	files, err := filepath.Glob("testdata/programs/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no programs", err)
	}
	var list []*program
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var p *program
		inCode := false
		for i, line := range strings.Split(string(text), "\n") {
			place := fmt.Sprintf("%s:%d", file, i+1)
			if ids, ok := strings.CutPrefix(line, "== "); ok {
				p = &program{place: place, patterns: strings.Fields(ids), fields: map[string]string{}, args: map[string]explicit{}}
				list = append(list, p)
				inCode = false
				continue
			}
			switch {
			case p == nil: // a comment in front of the first
			case inCode:
				p.code += line + "\n"
			case line == "---":
				inCode = true
			default:
				if err := p.line(line); err != nil {
					t.Fatalf("%s: %v", place, err)
				}
			}
		}
	}
	return list
}

// line reads a line between the name and the source.
func (p *program) line(line string) error {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "arg":
		name, rest, ok := strings.Cut(rest, " = ")
		expr, leaves, ok2 := strings.Cut(rest, " ; ")
		if !ok || !ok2 {
			return fmt.Errorf("%q is no argument", line)
		}
		p.args[name] = explicit{expr, strings.Fields(leaves)}
	case "const":
		p.consts = strings.Fields(rest)
	case "product":
		p.product = strings.Fields(rest)
	case "free":
		p.free = strings.Fields(rest)
	case "elsewhere":
		p.others = strings.Fields(rest)
	case "bits", "about":
		p.held = append(p.held, strings.Fields(rest)...)
	case "panics":
		p.panics = strings.Fields(rest)
	case "test":
		p.tests = strings.Fields(rest)
	case "outs":
		n, err := strconv.Atoi(rest)
		p.outs = n
		return err
	default:
		name, spec, ok := strings.Cut(line, " = ")
		if !ok {
			return fmt.Errorf("%q is no line of a program", line)
		}
		p.fields[name] = spec
	}
	return nil
}

// of returns the cases of a program: those it names, and those of its patterns that
// no program names.
func (p *program) of(all []*feature, named map[string]bool) ([]*feature, error) {
	var list []*feature
	for _, pattern := range p.patterns {
		n := len(list)
		for _, f := range all {
			ok, err := path.Match(pattern, f.ID)
			if err != nil {
				return nil, err
			}
			if f.ID == pattern || ok && !named[f.ID] {
				list = append(list, f)
			}
		}
		if len(list) == n {
			return nil, fmt.Errorf("%s: no case %s", p.place, pattern)
		}
	}
	return list, nil
}

var sketched = regexp.MustCompile(`(math|ad)\.\w+\([^()]*\)`)

// source returns the source of the program for a case.
func (p *program) source(f *feature) (string, error) {
	if !strings.Contains(p.code, "$call") {
		return p.code, nil
	}
	call := sketched.FindString(f.Sketch)
	if call == "" {
		return "", fmt.Errorf("no call in %q", f.Sketch)
	}
	call = strings.Replace(call, "ad.", "rt.", 1)
	x, err := parser.ParseExpr(call)
	if err != nil {
		return "", err
	}
	var params []string
	for _, a := range x.(*ast.CallExpr).Args {
		if id, ok := a.(*ast.Ident); ok && !slices.Contains(params, id.Name) {
			params = append(params, id.Name)
		}
	}
	return strings.NewReplacer("$call", call, "$params", strings.Join(params, ", ")).Replace(p.code), nil
}

// A signature is that of F, from the source.
type signature struct {
	params  []param
	results int
	types   map[string]ast.Expr // declared in the source
}

type param struct {
	name string
	typ  ast.Expr
}

// parse returns the signature of F.
func parse(code string) (*signature, error) {
	file, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+code, 0)
	if err != nil {
		return nil, err
	}
	s := &signature{types: map[string]ast.Expr{}}
	found := false
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if ts, ok := spec.(*ast.TypeSpec); ok {
					s.types[ts.Name.Name] = ts.Type
				}
			}
		case *ast.FuncDecl:
			if d.Name.Name != "F" || d.Recv != nil {
				continue
			}
			found = true
			for _, field := range d.Type.Params.List {
				for _, n := range field.Names {
					s.params = append(s.params, param{n.Name, field.Type})
				}
			}
			for _, field := range d.Type.Results.List {
				n := 1
				if a, ok := field.Type.(*ast.ArrayType); ok {
					n = 0
					if lit, ok := a.Len.(*ast.BasicLit); ok {
						n, _ = strconv.Atoi(lit.Value)
					}
				}
				s.results += n * max(1, len(field.Names))
			}
		}
	}
	if !found {
		return nil, fmt.Errorf("no function F")
	}
	return s, nil
}

// scalar reports whether a parameter takes one number.
func scalar(t ast.Expr) bool {
	id, ok := t.(*ast.Ident)
	return ok && slices.Contains([]string{"float64", "float32", "int", "bool", "string"}, id.Name)
}

// value spells an input as a Go expression of a type, and returns the names of its
// leaves.
func (s *signature) value(name string, t ast.Expr, v any) (expr string, leaves []string, err error) {
	switch t := t.(type) {
	case *ast.Ident:
		if under, ok := s.types[t.Name]; ok {
			body, leaves, err := s.value(name, under, v)
			return t.Name + body, leaves, err
		}
		switch v := v.(type) {
		case bool:
			return fmt.Sprint(v), nil, nil
		case string:
			if t.Name == "string" {
				return strconv.Quote(v), nil, nil
			}
		}
		lit, ok := literal(v)
		if !ok {
			return "", nil, fmt.Errorf("%s: %v is no %s", name, v, t.Name)
		}
		if t.Name != "int" {
			leaves = []string{name}
		}
		return t.Name + "(" + lit + ")", leaves, nil
	case *ast.ArrayType:
		list, ok := v.([]any)
		if !ok {
			return "", nil, fmt.Errorf("%s: %v is no list", name, v)
		}
		var parts []string
		for i, e := range list {
			x, l, err := s.value(fmt.Sprintf("%s[%d]", name, i), t.Elt, e)
			if err != nil {
				return "", nil, err
			}
			parts, leaves = append(parts, x), append(leaves, l...)
		}
		return spell(t) + "{" + strings.Join(parts, ", ") + "}", leaves, nil
	case *ast.MapType:
		var parts []string
		m, _ := v.(map[string]any)
		for _, k := range sorted(m) {
			x, l, err := s.value(fmt.Sprintf("%s[%q]", name, k), t.Value, m[k])
			if err != nil {
				return "", nil, err
			}
			parts, leaves = append(parts, strconv.Quote(k)+": "+x), append(leaves, l...)
		}
		return spell(t) + "{" + strings.Join(parts, ", ") + "}", leaves, nil
	case *ast.StructType:
		var parts []string
		m, _ := v.(map[string]any)
		for _, field := range t.Fields.List {
			for _, n := range field.Names {
				e, ok := m[n.Name]
				if !ok {
					continue
				}
				x, l, err := s.value(name+"."+n.Name, field.Type, e)
				if err != nil {
					return "", nil, err
				}
				parts, leaves = append(parts, n.Name+": "+x), append(leaves, l...)
			}
		}
		return "{" + strings.Join(parts, ", ") + "}", leaves, nil
	}
	return "", nil, fmt.Errorf("%s: inputs of type %s are not known", name, spell(t))
}

// spell prints a type.
func spell(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.Ident:
		return t.Name
	case *ast.ArrayType:
		if lit, ok := t.Len.(*ast.BasicLit); ok {
			return "[" + lit.Value + "]" + spell(t.Elt)
		}
		return "[]" + spell(t.Elt)
	case *ast.MapType:
		return "map[" + spell(t.Key) + "]" + spell(t.Value)
	}
	return fmt.Sprintf("%T", t)
}
