package compile_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/quabla/quabla/compile"
	"github.com/quabla/quabla/diag"
	"github.com/quabla/quabla/generate"
)

// A source is one package of a module: its declarations without the clause, and
// what came of it.
type source struct {
	text        string
	out         string // the generated file
	diagnostics string
	file        *ast.File // out parsed
}

// generated generates the packages of one module, so that the go command runs
// once. Each source is a package called demo.
func generated(t *testing.T, texts []string) []*source {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string, data []byte) {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if name == "go.mod" {
			data = bytes.Replace(data, []byte("module github.com/quabla/quabla\n"), []byte("module example.com/m\n"), 1)
			data = fmt.Appendf(data, "\nrequire github.com/quabla/quabla v0.0.0\n\nreplace github.com/quabla/quabla => %s\n", root)
		}
		write(name, data)
	}
	all := make([]*source, len(texts))
	folder := func(i int) string { return filepath.Join(dir, fmt.Sprintf("p%d", i)) }
	for i, text := range texts {
		all[i] = &source{text: text}
		write(fmt.Sprintf("p%d/src.go", i), []byte("package demo\n\n"+text))
	}
	opts := compile.New().Options()
	opts.Dir, opts.Patterns = dir, []string{"./..."}
	opts.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=-mod=mod", "GOWORK=off")
	result, err := generate.Run(opts)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range all {
		var own diag.List
		for _, d := range result.Diags.All() {
			if filepath.Dir(d.Pos.Filename) == folder(i) {
				own.Add(d)
			}
		}
		var b strings.Builder
		for _, d := range own.All() {
			fmt.Fprintf(&b, "%s: %s\n", d.Severity, d.Message)
		}
		s.diagnostics = b.String()
		if data, err := os.ReadFile(filepath.Join(folder(i), "src_quabla.go")); err == nil {
			s.out = string(data)
			if s.file, err = parser.ParseFile(token.NewFileSet(), "", data, parser.ParseComments); err != nil {
				t.Fatal(err)
			}
		}
	}
	return all
}

// doc returns the doc comment of a function, in one line.
func (s *source) doc(name string) string {
	if s.file == nil {
		return ""
	}
	for _, d := range s.file.Decls {
		if fd, ok := d.(*ast.FuncDecl); ok && fd.Name.Name == name {
			return strings.Join(strings.Fields(fd.Doc.Text()), " ")
		}
	}
	return ""
}

// names lists what the file declares, in order.
func (s *source) names() string {
	if s.file == nil {
		return ""
	}
	var names []string
	for _, d := range s.file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			names = append(names, d.Name.Name)
		case *ast.GenDecl:
			for _, x := range d.Specs {
				switch x := x.(type) {
				case *ast.TypeSpec:
					names = append(names, x.Name.Name)
				case *ast.ValueSpec:
					names = append(names, x.Names[0].Name)
				}
			}
		}
	}
	return strings.Join(names, " ")
}

var checkCall = regexp.MustCompile(`if (.*?) \{\s*panic\("demo\.\w+: (.*?)"\)|rt\.(\w+)\("demo\.\w+: (.*?)"`)

// checks lists the checks that the file makes: the messages of its panics, or the
// conditions where that is about nil, and calls of package rt with the messages of
// those.
func (s *source) checks() string {
	var list []string
	for _, m := range checkCall.FindAllStringSubmatch(s.out, -1) {
		switch {
		case strings.HasSuffix(m[2], " is nil"):
			list = append(list, m[1]) // where the parameter may be nil as well
		case m[2] != "":
			list = append(list, m[2])
		default:
			list = append(list, m[3]+": "+m[4])
		}
	}
	return strings.Join(list, "; ")
}

// rows generates the sources of a table and calls check for each.
func rows[R any](t *testing.T, table []R, text func(R) string, check func(R, *source)) {
	t.Helper()
	var texts []string
	for _, r := range table {
		texts = append(texts, text(r))
	}
	for i, s := range generated(t, texts) {
		check(table[i], s)
	}
}
