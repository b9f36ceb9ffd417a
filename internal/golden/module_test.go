package golden

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quabla/quabla/analyze"
	"github.com/quabla/quabla/internal/fuzz"
	"github.com/quabla/quabla/internal/fuzz/check"
	"github.com/quabla/quabla/ssair"
)

// A module is a temporary one that holds the packages of the archives. Its path
// lies below that of Quabla, so that it may import the checker.
type module struct {
	dir string
	env []string
}

const modulePath = "github.com/quabla/quabla/goldens"

func newModule(t *testing.T) *module {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	m := &module{dir: dir, env: append(os.Environ(), "GOPROXY=off", "GOFLAGS=-mod=mod", "GOWORK=off")}
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if name == "go.mod" {
			text = []byte(strings.Replace(string(text), "module github.com/quabla/quabla\n", "module "+modulePath+"\n", 1) +
				"\nrequire github.com/quabla/quabla v0.0.0\n\nreplace github.com/quabla/quabla => " + root + "\n")
		}
		m.write(t, name, text)
	}
	return m
}

func (m *module) write(t *testing.T, name string, data []byte) {
	t.Helper()
	file := filepath.Join(m.dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

// automatic reports whether the checker can make up the arguments of the derived
// function of a request.
func automatic(r *analyze.Request) bool {
	switch r.Verb {
	case analyze.Grad, analyze.VJP, analyze.JVP, analyze.HVP:
	default:
		return false
	}
	sig := r.Expr.Fn.Sig
	if sig.Recv != nil || len(sig.TypeParams) > 0 || r.TypeArgs != nil || r.Add {
		return false
	}
	for _, s := range append(sig.All(), sig.Results...) {
		if !plain(s.Type) {
			return false
		}
	}
	return true
}

// plain reports whether values of type t consist of float64 and int, with exported
// fields, and have a shape that the type tells.
func plain(t types.Type) bool {
	if ssair.Irregular(t) {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() == types.Float64 || u.Kind() == types.Int
	case *types.Slice:
		_, inner := u.Elem().Underlying().(*types.Slice)
		return plain(u.Elem()) && !inner // rows must fit other parameters
	case *types.Array:
		return plain(u.Elem())
	case *types.Pointer:
		return plain(u.Elem())
	case *types.Struct:
		for i := range u.NumFields() {
			if f := u.Field(i); !f.Exported() || !plain(f.Type()) {
				return false
			}
		}
		return true
	}
	return false
}

// run compiles the packages with generated code and checks the derived functions.
func (m *module) run(t *testing.T, all []*golden) {
	plans := map[string]*check.Plan{}
	var imports, entries, checks strings.Builder
	var ids []string
	for k, g := range all {
		if g.got[output] == "" || g.err != nil {
			continue
		}
		name := fmt.Sprintf("g%d", k)
		fmt.Fprintf(&imports, "\t%s %q\n", name, modulePath+"/"+g.name)
		if g.file(checkFile) != "" {
			fmt.Fprintf(&checks, "\t\t%q: %s.Check,\n", g.name, name)
		}
		// One plan for each function of the source: the derived functions of F
		// are compared with each other.
		byFunc := map[string]*check.Plan{}
		var reg strings.Builder
		fmt.Fprintf(&reg, "package demo\n\nimport qcheck %q\n\n// QuablaRegister adds the functions of this package.\nfunc QuablaRegister(r *qcheck.Registry) {\n", checkPath)
		for _, r := range g.reqs {
			if !automatic(r) || bytes.Contains(g.archive.Comment, []byte("Not checked automatically")) {
				continue
			}
			f := r.Func.Name()
			p := byFunc[f]
			if p == nil {
				p = &check.Plan{ID: g.name + " " + f, Primal: fuzz.Describe(f, r.Expr.Fn.Sig), Seeds: []uint64{1, 2, 3, 4},
					Positive: bytes.Contains(g.archive.Comment, []byte("positive"))}
				byFunc[f], plans[p.ID] = p, p
				ids = append(ids, p.ID)
				fmt.Fprintf(&reg, "\tr.Add(%q, %s)\n", f, f)
				fmt.Fprintf(&entries, "\t\t%q: %s.QuablaRegister,\n", p.ID, name)
			}
			p.Funcs = append(p.Funcs, fuzz.Describe(r.Name, r.Derived))
			fmt.Fprintf(&reg, "\tr.Add(%q, %s)\n", r.Name, r.Name)
			if strings.Contains(g.got[output], "func "+r.InName+"(") {
				in := fuzz.Describe(r.InName, r.Derived)
				in.Work = true
				p.Funcs = append(p.Funcs, in)
				fmt.Fprintf(&reg, "\tr.Add(%q, %s)\n", r.InName, r.InName)
			}
		}
		reg.WriteString("}\n")
		m.write(t, filepath.Join(g.name, "register.go"), []byte(reg.String()))
	}
	m.write(t, "run/main.go", fmt.Appendf(nil, runner, &imports, &checks, &entries))
	planFile, exe := filepath.Join(m.dir, "plan.gob"), filepath.Join(m.dir, "run.exe")
	if err := check.Save(planFile, plans); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "build", "-o", exe, "./run")
	build.Dir, build.Env = m.dir, m.env
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// The checks that stand in the archives.
	if out, err := exec.Command(exe, "checks").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	cmd := exec.Command(exe, planFile)
	cmd.Stdin = strings.NewReader(strings.Join(ids, "\n"))
	cmd.Stderr = os.Stderr
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := 0
	for dec := gob.NewDecoder(pipe); ; {
		var e check.Event
		if dec.Decode(&e) != nil {
			break
		}
		switch e.Kind {
		case check.Fail:
			t.Errorf("%s: %s at point %d %s", e.ID, e.Func, e.Seed, e.Text)
		case check.Done:
			done++
			if e.Compared == 0 {
				t.Errorf("%s: nothing was compared: %v", e.ID, e.Skipped)
			}
		}
	}
	if err := cmd.Wait(); err != nil || done < len(ids) {
		t.Errorf("%d of %d functions were checked: %v", done, len(ids), err)
	}
}

const checkPath = "github.com/quabla/quabla/internal/fuzz/check"

// runner is the program that checks.
const runner = `package main

import (
	"fmt"
	"os"
	"sort"

	qcheck "` + checkPath + `"
%s)

func main() {
	checks := map[string]func() error{
%s	}
	if os.Args[1] == "checks" {
		var names []string
		for name := range checks {
			names = append(names, name)
		}
		sort.Strings(names)
		bad := false
		for _, name := range names {
			func() {
				defer func() {
					if r := recover(); r != nil {
						fmt.Println(name+": panic:", r)
						bad = true
					}
				}()
				if err := checks[name](); err != nil {
					fmt.Println(name+":", err)
					bad = true
				}
			}()
		}
		if bad {
			os.Exit(1)
		}
		return
	}
	qcheck.Main(map[string]func(*qcheck.Registry){
%s	})
}
`
