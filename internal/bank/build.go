package bank

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/quabla/quabla/internal/bank/probe"
)

const runnerName = "runner.exe"

// build compiles the packages of all cases and one program that runs them. A case
// whose packages do not compile fails; it does not hinder the others.
func (h *harness) build(ctx context.Context, ids []string) (map[probe.Way][]string, error) {
	plan := &probe.Plan{}
	built := map[probe.Way][]string{}
	matrices := false
	for _, id := range ids {
		p, err := probe.Load(filepath.Join(caseDir(h.tree, probe.Generated, id), planFile))
		if err != nil {
			continue // nothing was generated
		}
		plan.Cases = append(plan.Cases, p.Cases...)
		for _, f := range p.Cases[0].Funcs {
			matrices = matrices || f.HasMatrix()
		}
		for _, way := range h.compiled() {
			built[way] = append(built[way], id)
		}
	}
	if len(plan.Cases) == 0 {
		return built, nil
	}
	if err := plan.Save(filepath.Join(h.tree, planFile)); err != nil {
		return nil, err
	}
	for {
		bad, err := h.compile(ctx, built, matrices)
		if err != nil || len(bad) == 0 {
			return built, err
		}
		for key, text := range bad {
			h.handle(probe.Event{Case: key.id, Way: key.way, Kind: probe.Fail, Mode: "go build", Text: "the generated code does not compile: " + text})
			var rest []string
			for _, id := range built[key.way] {
				if id != key.id {
					rest = append(rest, id)
				}
			}
			built[key.way] = rest
		}
	}
}

// A unit is a package of a case.
type unit struct {
	way probe.Way
	id  string
}

// compile builds the program. It returns the packages that do not compile, with
// the first message of the compiler.
func (h *harness) compile(ctx context.Context, built map[probe.Way][]string, matrices bool) (map[unit]string, error) {
	rel, err := filepath.Rel(h.root, h.tree)
	if err != nil {
		return nil, err
	}
	module, err := modulePath(h.root)
	if err != nil {
		return nil, err
	}
	base := module + "/" + filepath.ToSlash(rel)
	units := map[string]unit{} // by folder relative to the root
	var imports, table strings.Builder
	n := 0
	for _, way := range h.compiled() {
		for _, id := range built[way] {
			dir := caseDir(h.tree, way, id)
			part, _ := filepath.Rel(h.tree, dir)
			fmt.Fprintf(&imports, "\tp%d %q\n", n, base+"/"+filepath.ToSlash(part))
			fmt.Fprintf(&table, "\t\t%q: p%d.QBRegister,\n", string(way)+" "+id, n)
			units[filepath.ToSlash(filepath.Join(rel, part))] = unit{way, id}
			n++
		}
	}
	hook := ""
	if matrices {
		fmt.Fprintf(&imports, "\t%q\n", "gonum.org/v1/gonum/mat")
		hook = matrixHook
	}
	text := fmt.Sprintf("package main\n\nimport (\n\t%q\n%s)\n\nfunc main() {\n%s\tprobe.Main(map[string]func(*probe.Registry){\n%s\t})\n}\n",
		probePath, imports.String(), hook, table.String())
	if err := writeFile(filepath.Join(h.tree, "runner"), "main.go", []byte(text)); err != nil {
		return nil, err
	}
	// Without inlining the packages compile in two thirds of the time.
	args := []string{"build", "-o", filepath.Join(h.tree, runnerName), "-ldflags=-s -w", "-gcflags=" + base + "/...=-l"}
	if h.Race {
		args = append(args, "-race")
	}
	cmd := exec.CommandContext(ctx, "go", append(args, "./"+filepath.ToSlash(rel)+"/runner")...)
	cmd.Dir = h.root
	out, err := cmd.CombinedOutput()
	if err == nil {
		return nil, nil
	}
	bad := blame(string(out), units)
	if len(bad) == 0 {
		return nil, fmt.Errorf("cannot build the runner: %w\n%s", err, out)
	}
	return bad, nil
}

// matrixHook makes the matrices of gonum known to package probe.
const matrixHook = `	probe.NewMatrix = func(symmetric bool, rows, cols int, x float64) any {
		if symmetric {
			m := mat.NewSymDense(rows, nil)
			for i := range rows {
				for j := range i + 1 {
					m.SetSym(i, j, x)
				}
			}
			return m
		}
		m := mat.NewDense(rows, cols, nil)
		for i := range rows {
			for j := range cols {
				m.Set(i, j, x)
			}
		}
		return m
	}
`

var compilerLine = regexp.MustCompile(`^(?:\./)?(\S+)/[^/\s:]+\.go:(\d+):(?:\d+:)? (.*)`)

// blame finds the packages that the messages of the go command are about. units is
// by the folder of the package, relative to where the command ran.
func blame(out string, units map[string]unit) map[unit]string {
	bad := map[unit]string{}
	var header unit
	for _, line := range strings.Split(strings.ReplaceAll(out, `\`, "/"), "\n") {
		if path, ok := strings.CutPrefix(line, "# "); ok {
			header = unit{}
			for dir, u := range units {
				if strings.HasSuffix(path, "/"+dir) || strings.Contains(path, "/"+dir+" ") {
					header = u
				}
			}
			continue
		}
		if m := compilerLine.FindStringSubmatch(line); m != nil {
			if u, ok := units[m[1]]; ok {
				if _, seen := bad[u]; !seen {
					bad[u] = oneLine("line " + m[2] + ": " + m[3])
				}
				continue
			}
		}
		if header != (unit{}) && strings.TrimSpace(line) != "" {
			if _, seen := bad[header]; !seen {
				bad[header] = oneLine(line)
			}
		}
	}
	return bad
}

// modulePath reads the name of the module from its go.mod.
func modulePath(root string) (string, error) {
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return "", err
	}
	for _, line := range bytes.Split(text, []byte("\n")) {
		if f := strings.Fields(string(line)); len(f) == 2 && f[0] == "module" {
			return strings.Trim(f[1], `"`), nil
		}
	}
	return "", fmt.Errorf("no module line in %s/go.mod", root)
}
