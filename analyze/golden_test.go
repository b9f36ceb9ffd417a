package analyze

import (
	"bytes"
	"flag"
	"fmt"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/quabla/quabla/diag"
)

var update = flag.Bool("update", false, "rewrite the want files of the archives in testdata")

// goMod is the go.mod of test modules whose archive has none.
const goMod = "module example.com/m\n\ngo 1.26\n"

// gonum is a stand-in for the part of gonum that signatures mention.
const gonum = `
-- go.mod --
module example.com/m

go 1.26

require gonum.org/v1/gonum v0.0.0

replace gonum.org/v1/gonum => ./gonum
-- gonum/go.mod --
module gonum.org/v1/gonum

go 1.26
-- gonum/mat/mat.go --
package mat

type Dense struct{ data []float64 }

type SymDense struct{ data []float64 }
`

// writeArchive writes the files of an archive, except those called want.*, to a
// new directory and returns it.
func writeArchive(t testing.TB, ar *txtar.Archive) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	files := ar.Files
	has := func(name string) bool {
		for _, f := range ar.Files {
			if f.Name == name {
				return true
			}
		}
		return false
	}
	if bytes.Contains(ar.Comment, []byte("needs gonum")) {
		files = append(files, txtar.Parse([]byte(gonum)).Files...)
	} else if !has("go.mod") {
		files = append(files, txtar.File{Name: "go.mod", Data: []byte(goMod)})
	}
	for _, f := range files {
		if strings.HasPrefix(f.Name, "want.") {
			continue
		}
		name := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// offline is the environment of the go command in tests.
func offline() []string {
	return append(os.Environ(), "GOPROXY=off", "GOFLAGS=-mod=mod", "GOWORK=off", "GONOSUMDB=*", "GONOSUMCHECK=1", "GOFLAGS=-mod=mod")
}

// load loads a directory with all forms of derived functions off.
func load(t testing.TB, dir string, cfg Config) *Program {
	t.Helper()
	cfg.Dir = dir
	cfg.Env = append(offline(), cfg.Env...)
	p, err := Load(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// loadText loads a module given as an archive.
func loadText(t testing.TB, archive string, patterns ...string) *Program {
	t.Helper()
	return load(t, writeArchive(t, txtar.Parse([]byte(archive))), Config{Patterns: patterns})
}

// printDiags returns the diagnostics of a program as the user sees them.
func printDiags(t testing.TB, p *Program, dir string) string {
	t.Helper()
	var b strings.Builder
	if err := p.Diags.Print(&b, diag.Options{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// golden runs f on every archive of a folder and compares the result with the
// file want.txt in it.
func golden(t *testing.T, folder string, f func(t *testing.T, ar *txtar.Archive) string) {
	names, err := filepath.Glob(filepath.Join("testdata", folder, "*.txtar"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no archives in %s: %v", folder, err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			t.Parallel()
			ar, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			got := f(t, ar)
			want := ""
			at := -1
			for i, file := range ar.Files {
				if file.Name == "want.txt" {
					want, at = string(file.Data), i
				}
			}
			if got == want {
				return
			}
			if !*update {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
				return
			}
			if at < 0 {
				ar.Files = append(ar.Files, txtar.File{Name: "want.txt"})
				at = len(ar.Files) - 1
			}
			ar.Files[at].Data = []byte(got)
			if err := os.WriteFile(name, txtar.Format(ar), 0o666); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestSignatures compares the signatures of the requests in testdata/signature.
func TestSignatures(t *testing.T) {
	golden(t, "signature", func(t *testing.T, ar *txtar.Archive) string {
		dir := writeArchive(t, ar)
		forms := bytes.Contains(ar.Comment, []byte("with forms"))
		p := load(t, dir, Config{NewForms: forms, WorkForms: forms})
		var b strings.Builder
		b.WriteString(printDiags(t, p, dir))
		for _, pkg := range p.Packages {
			q := func(other *types.Package) string {
				if other.Path() == pkg.Path {
					return ""
				}
				return other.Name()
			}
			for _, r := range pkg.Requests {
				fmt.Fprintln(&b, r.Derived.Text(q))
				if r.NewName != "" {
					fmt.Fprintln(&b, "\t"+r.Derived.New(r.NewName).Text(q))
				}
				if r.InName != "" {
					work := pkg.Types.Scope().Lookup(r.WorkName).Type()
					fmt.Fprintln(&b, "\t"+r.Derived.In(r.InName, work).Text(q))
				}
			}
		}
		return b.String()
	})
}

// TestDiagnostics compares what is said about the modules in testdata/diagnostic.
func TestDiagnostics(t *testing.T) {
	golden(t, "diagnostic", func(t *testing.T, ar *txtar.Archive) string {
		dir := writeArchive(t, ar)
		p := load(t, dir, Config{Patterns: []string{"./..."}})
		return printDiags(t, p, dir)
	})
}
