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
			os.Exit(run(os.Args[1:], os.Stdout, os.Stderr, generate.Options{Build: stubs, BuildTests: stubTests, PrintIR: stubIR}))
		},
	})
}

// TestScript runs the scripts in testdata/script with the command as it is,
// except that the derived functions have empty bodies.
func TestScript(t *testing.T) {
	cache, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	dirs := strings.Fields(string(cache))
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: *update,
		Setup: func(env *testscript.Env) error {
			env.Setenv("GOCACHE", dirs[0])
			env.Setenv("GOMODCACHE", dirs[1])
			env.Setenv("GOPROXY", "off")
			env.Setenv("GOFLAGS", "-mod=mod")
			env.Setenv("GOTOOLCHAIN", "local")
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"sameinode": sameInode, "exits": exits},
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
			var m map[string]int
			m["x"]++
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
