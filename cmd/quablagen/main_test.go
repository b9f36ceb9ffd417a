package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"go/format"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/quabla/quabla/analyze"
	"github.com/quabla/quabla/diag"
	"github.com/quabla/quabla/generate"
)

var update = flag.Bool("update", false, "rewrite the expected files in testdata/script")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"quablagen": func() {
			o := hooks
			if os.Getenv("QUABLAGEN_STUBS") != "" {
				o = generate.Options{Build: stubs, BuildTests: stubTests, PrintIR: stubIR}
			}
			os.Exit(run(os.Args[1:], os.Stdout, os.Stderr, o))
		},
	})
}

// TestScript runs the scripts in testdata/script with the command as it is,
// except that the derived functions have empty bodies.
func TestScript(t *testing.T) { runScripts(t, "testdata/script", "QUABLAGEN_STUBS=1") }

// TestCommand runs the scripts in testdata/command with the command as it is. The
// files of a script are in a module that requires this one, unless they have a
// go.mod of their own.
func TestCommand(t *testing.T) { runScripts(t, "testdata/command") }

// goMod is the go.mod of a script that has none.
const goMod = "module example.com/m\n\ngo 1.26\n\nrequire github.com/quabla/quabla v0.0.0\n\nreplace github.com/quabla/quabla => %s\n"

// runScripts runs the scripts in a folder with some variables set.
func runScripts(t *testing.T, dir string, env ...string) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	cache, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	dirs := strings.Fields(string(cache))
	testscript.Run(t, testscript.Params{
		Dir:           dir,
		UpdateScripts: *update,
		Setup: func(e *testscript.Env) error {
			e.Vars = append(e.Vars, env...)
			e.Setenv("GOCACHE", dirs[0])
			e.Setenv("GOMODCACHE", dirs[1])
			e.Setenv("GOPROXY", "off")
			e.Setenv("GOFLAGS", "-mod=mod")
			e.Setenv("GOTOOLCHAIN", "local")
			e.Setenv("GOSUMDB", "off")
			mod := filepath.Join(e.WorkDir, "go.mod")
			if _, err := os.Stat(mod); err == nil {
				return nil
			}
			return os.WriteFile(mod, fmt.Appendf(nil, goMod, root), 0o666)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"sameinode": sameInode, "exits": exits},
		Condition: func(cond string) (bool, error) {
			if cond == "root" {
				return os.Getuid() == 0, nil
			}
			return false, fmt.Errorf("no condition is called %s", cond)
		},
	})
}

// sameInode remembers a file, or with a second argument "still" checks that it
// was not replaced since.
func sameInode(ts *testscript.TestScript, neg bool, args []string) {
	info, err := os.Stat(ts.MkAbs(args[0]))
	ts.Check(err)
	if len(args) == 1 {
		inodes[ts.MkAbs(args[0])] = info
		return
	}
	old := inodes[ts.MkAbs(args[0])]
	if same := os.SameFile(old, info) && old.ModTime().Equal(info.ModTime()); same == neg {
		ts.Fatalf("%s: untouched = %t", args[0], same)
	}
}

// exits runs a command and checks its exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	code := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		code = exit.ExitCode()
	}
	if fmt.Sprint(code) != args[0] {
		ts.Fatalf("%v: exit code %d, want %s", args[1:], code, args[0])
	}
}

var inodes = make(map[string]os.FileInfo)

// stubs builds files with the signatures of the derived functions.
func stubs(pkg *analyze.Package, file string, reqs []*analyze.Request, diags *diag.List) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n\npackage %s\n", analyze.HeaderLine(file), pkg.Name)
	for _, r := range reqs {
		switch r.Func.Name() {
		case "Panics":
			panic("assignment to entry in nil map")
		case "Fails":
			return nil, fmt.Errorf("the rule table is empty")
		case "Imports":
			fmt.Fprintf(&b, "\nimport _ %q\n", "example.com/none/x")
		case "Broken":
			fmt.Fprintf(&b, "\nvar _ int = %q\n", "text")
		case "Refused":
			diags.Add(diag.Diagnostic{Pos: pkg.Program().Position(r.Decl.Body.Pos()), Width: 1, Message: "cannot differentiate this"})
		}
		fmt.Fprintf(&b, "\n// %s is derived from %s.\n%s { panic(\"stub\") }\n", r.Name, r.Func.Name(), r.Derived.Text(types.RelativeTo(pkg.Types)))
	}
	return format.Source(b.Bytes())
}

func stubTests(pkg *analyze.Package, file string, reqs []*analyze.Request, diags *diag.List) ([]byte, error) {
	return fmt.Appendf(nil, "%s\n\npackage %s\n", analyze.HeaderLine(file), pkg.Name), nil
}

func stubIR(w io.Writer, pkg *analyze.Package, file string, reqs []*analyze.Request, diags *diag.List) error {
	for _, r := range reqs {
		fmt.Fprintf(w, "%s: func %s\n", file, r.Name)
	}
	return nil
}
