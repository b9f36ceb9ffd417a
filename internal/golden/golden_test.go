package golden

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/quabla/quabla/analyze"
	"github.com/quabla/quabla/compile"
	"github.com/quabla/quabla/diag"
	"github.com/quabla/quabla/generate"
)

var update = flag.Bool("update", false, "rewrite what comes of the sources in testdata/golden")

const folder = "../../testdata/golden"

// The files of an archive.
const (
	source      = "src.go"
	checkFile   = "check.go"
	output      = "src_quabla.go"
	irFile      = "ir.txt"
	diagnostics = "diagnostics.txt"
)

// A golden is an archive and what came of its source.
type golden struct {
	name    string
	archive *txtar.Archive
	dir     string // of its package
	pkg     *analyze.Package
	reqs    []*analyze.Request
	got     map[string]string // by file
	err     error             // the generator failed
}

func (g *golden) file(name string) string {
	for _, f := range g.archive.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

// TestGolden generates code for the archives, compares it with what is expected,
// and runs it.
func TestGolden(t *testing.T) {
	names, err := filepath.Glob(filepath.Join(folder, "*.txtar"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	m := newModule(t)
	var all []*golden
	for _, name := range names {
		ar, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		g := &golden{name: strings.TrimSuffix(filepath.Base(name), ".txtar"), archive: ar, got: map[string]string{}}
		g.dir = filepath.Join(m.dir, g.name)
		for _, f := range ar.Files {
			if f.Name == source || f.Name == checkFile {
				m.write(t, filepath.Join(g.name, f.Name), f.Data)
			}
		}
		all = append(all, g)
	}
	m.generate(t, all)
	for _, g := range all {
		t.Run(g.name, func(t *testing.T) {
			if g.err != nil {
				t.Fatal(g.err)
			}
			g.compare(t)
		})
	}
	t.Run("run", func(t *testing.T) { m.run(t, all) })
}

// generate runs the generator on all packages at once.
func (m *module) generate(t *testing.T, all []*golden) {
	byDir := map[string]*golden{}
	for _, g := range all {
		byDir[g.dir] = g
	}
	comp := compile.New()
	opts := comp.Options()
	opts.Dir, opts.Patterns, opts.Env = m.dir, []string{"./..."}, m.env
	build := opts.Build
	opts.Build = func(pkg *analyze.Package, file string, reqs []*analyze.Request, diags *diag.List) (content []byte, err error) {
		g := byDir[pkg.Dir]
		g.pkg, g.reqs = pkg, reqs
		// A fault in one package must not hide the others.
		own := new(diag.List)
		err = generate.Guard("generating "+g.name, func() (err error) {
			content, err = build(pkg, file, reqs, own)
			return err
		})
		diags.AddAll(own)
		if err == nil && !own.HasErrors() {
			err = pkg.CheckOutput(map[string][]byte{filepath.Join(pkg.Dir, output): content})
		}
		if err == nil && !own.HasErrors() {
			var ir bytes.Buffer
			err = generate.Guard("printing "+g.name, func() error { return comp.PrintIR(&ir, pkg, file, reqs, new(diag.List)) })
			g.got[irFile] = ir.String()
		}
		if err != nil {
			g.err = err
			diags.Add(diag.Diagnostic{Message: "the generator fails"})
		}
		return content, nil
	}
	opts.Out = io.Discard
	result, err := generate.Run(opts)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range all {
		var own diag.List
		for _, d := range result.Diags.All() {
			if filepath.Dir(d.Pos.Filename) == g.dir {
				own.Add(d)
			}
		}
		var text strings.Builder
		if err := own.Print(&text, diag.Options{Dir: g.dir}); err != nil {
			t.Fatal(err)
		}
		if text.Len() > 0 {
			g.got[diagnostics] = text.String()
		}
		if content, err := os.ReadFile(filepath.Join(g.dir, output)); err == nil {
			g.got[output] = string(content)
		} else {
			delete(g.got, irFile)
		}
	}
}

// compare compares what came of the source with the archive, or writes it there.
func (g *golden) compare(t *testing.T) {
	if g.got[output] == "" && g.got[diagnostics] == "" {
		t.Fatal("neither code nor diagnostics came of the source")
	}
	if *update {
		ar := &txtar.Archive{Comment: g.archive.Comment}
		for _, name := range []string{source, checkFile, output, irFile, diagnostics} {
			data := g.got[name]
			if name == source || name == checkFile {
				data = g.file(name)
			}
			if data != "" {
				ar.Files = append(ar.Files, txtar.File{Name: name, Data: []byte(data)})
			}
		}
		text := txtar.Format(ar)
		if !bytes.Equal(text, txtar.Format(g.archive)) {
			if err := os.WriteFile(filepath.Join(folder, g.name+".txtar"), text, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		return
	}
	for _, f := range g.archive.Files {
		if !slices.Contains([]string{source, checkFile, output, irFile, diagnostics}, f.Name) {
			t.Errorf("the archive has a file %s, which means nothing", f.Name)
		}
	}
	for _, name := range []string{output, irFile, diagnostics} {
		if got, want := g.got[name], g.file(name); got != want {
			t.Errorf("%s differs; run go test ./internal/golden -update, and read the difference\n%s", name, firstDifference(got, want))
		}
	}
}

// firstDifference shows where two texts begin to differ.
func firstDifference(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	part := func(l []string) string { return strings.Join(l[min(i, len(l)):min(i+6, len(l))], "\n") }
	return fmt.Sprintf("line %d, got:\n%s\nwant:\n%s", i+1, part(a), part(b))
}
