// Package features runs the cases that describe features one by one.
package features

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/quabla/quabla/compile"
	"github.com/quabla/quabla/diag"
	"github.com/quabla/quabla/generate"
)

var oneRule = flag.String("rule", "", "run the rule cases whose names hold this only")

const ruleCases = "testdata/rules"

// A ruleCase is a case of the groups about rules and about forward mode with lanes.
// Its package is in an archive; see the head of custom-rules.txtar there.
type ruleCase struct {
	ID        string          `json:"id"`
	Inputs    map[string]any  `json:"inputs"`
	Expect    map[string]any  `json:"expect"`
	Tolerance json.RawMessage `json:"tolerance"`

	files   map[string]string
	dir     string
	message string // of the generator
	output  string // the generated code
}

// readRuleCases returns the cases of the archives, in their order, with what the list
// of cases says about them.
func readRuleCases(t *testing.T) []*ruleCase {
	t.Helper()
	byID := map[string]*ruleCase{}
	f, err := os.Open(filepath.Join(ruleCases, "cases.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for in := bufio.NewScanner(f); in.Scan(); {
		c := &ruleCase{files: map[string]string{}}
		if err := json.Unmarshal(in.Bytes(), c); err != nil {
			t.Fatal(err)
		}
		byID[c.ID] = c
	}
	archives, err := filepath.Glob(filepath.Join(ruleCases, "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	var list []*ruleCase
	for _, name := range archives {
		ar, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range ar.Files {
			id, file, _ := strings.Cut(f.Name, "/")
			c := byID[id]
			if c == nil { // one of our own: its Case panics if something is wrong
				c = &ruleCase{ID: id, files: map[string]string{}}
				byID[id] = c
			}
			if !slices.Contains(list, c) {
				list = append(list, c)
			}
			c.files[file] = string(f.Data)
		}
	}
	if *oneRule != "" {
		list = slices.DeleteFunc(list, func(c *ruleCase) bool { return !strings.Contains(c.ID, *oneRule) })
	}
	for id, c := range byID {
		if len(c.files) == 0 {
			t.Errorf("no archive has the case %s", id)
		}
	}
	return list
}

// A ruleModule is a temporary module with the packages of the cases.
type ruleModule struct {
	dir string
	env []string
}

const rulePath = "github.com/quabla/quabla/cases"

func newRuleModule(t *testing.T) *ruleModule {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	m := &ruleModule{dir: dir, env: append(os.Environ(), "GOPROXY=off", "GOFLAGS=-mod=mod", "GOWORK=off")}
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if name == "go.mod" {
			text = []byte(strings.Replace(string(text), "module github.com/quabla/quabla\n", "module "+rulePath+"\n", 1) +
				"\nrequire github.com/quabla/quabla v0.0.0\n\nreplace github.com/quabla/quabla => " + root + "\n")
		}
		m.write(t, name, string(text))
	}
	return m
}

func (m *ruleModule) write(t *testing.T, name, text string) {
	t.Helper()
	file := filepath.Join(m.dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// folder is the name of the package of a case.
func (c *ruleCase) folder() string { return "c_" + strings.ReplaceAll(c.ID, "-", "_") }

// ruleInput is what every package has besides the case.
const ruleInput = `package p

import "math"

type input map[string]any

type output = map[string]any

func (in input) f(key string) float64 { return in[key].(float64) }

func (in input) fs(key string) []float64 {
	list, ok := in[key].([]any)
	if !ok {
		return []float64{in.f(key)}
	}
	xs := make([]float64, len(list))
	for i, x := range list {
		xs[i] = x.(float64)
	}
	return xs
}

func (in input) matrix(key string) [][]float64 {
	var rows [][]float64
	for _, row := range in[key].([]any) {
		rows = append(rows, input{"": row}.fs(""))
	}
	return rows
}

func each(xs []float64, f func(float64) float64) []float64 {
	ys := make([]float64, len(xs))
	for i, x := range xs {
		ys[i] = f(x)
	}
	return ys
}

func near(x, y float64) bool { return math.Abs(x-y) <= 1e-12*(1+math.Abs(y)) }
`

// ruleMain begins the command that runs the cases and prints their outputs, with
// numbers that JSON lacks as strings.
const ruleMain = `
func plain(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Float64, reflect.Float32:
		switch x := v.Float(); {
		case math.IsNaN(x):
			return "NaN"
		case math.IsInf(x, 1):
			return "+Inf"
		case math.IsInf(x, -1):
			return "-Inf"
		case x == 0 && math.Signbit(x):
			return "-0"
		}
	case reflect.Interface:
		return plain(v.Elem())
	case reflect.Slice, reflect.Array:
		list := []any{}
		for i := range v.Len() {
			list = append(list, plain(v.Index(i)))
		}
		return list
	case reflect.Map:
		m := map[string]any{}
		for _, k := range v.MapKeys() {
			m[k.String()] = plain(v.MapIndex(k))
		}
		return m
	}
	return v.Interface()
}

func run(id string, f func(in map[string]any) map[string]any, in string) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(os.Stderr, "%s panics: %v\n", id, p)
			out[id] = fmt.Sprint("panic: ", p)
		}
	}()
	var args map[string]any
	if err := json.Unmarshal([]byte(in), &args); err != nil {
		panic(err)
	}
	out[id] = plain(reflect.ValueOf(f(args)))
}

var out = map[string]any{}
`

// TestRuleCases generates, compiles and runs the packages of all cases.
func TestRuleCases(t *testing.T) {
	cases := readRuleCases(t)
	m := newRuleModule(t)
	for _, c := range cases {
		c.dir = filepath.Join(m.dir, c.folder())
		for name, text := range c.files {
			if name == "f_test.go" {
				m.write(t, "ruletests/"+strings.ReplaceAll(c.ID, "-", "_")+"_test.go", text)
			} else if strings.HasSuffix(name, ".go") {
				m.write(t, filepath.Join(c.folder(), name), text)
			}
		}
		if c.files["f.go"] != "" {
			m.write(t, filepath.Join(c.folder(), "input.go"), ruleInput)
		}
	}
	m.generate(t, cases)
	got := m.run(t, cases)
	said := m.test(t, cases)
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			if why := c.files["reason.txt"]; why != "" {
				t.Skip(strings.TrimSpace(why))
			}
			if strings.Contains(c.message, "not supported yet") {
				t.Skip(c.message)
			}
			if want := c.files["want.txt"]; want != "" {
				c.refused(t, want)
				return
			}
			if c.message != "" {
				t.Fatal(c.message)
			}
			if c.files["f_test.go"] != "" {
				c.tested(t, said)
				return
			}
			if check := codeChecks[c.ID]; check != nil {
				check(t, c.output)
				return
			}
			if why := c.files["departs.txt"]; why != "" {
				t.Log(why)
				c.Expect = nil
			}
			c.compare(t, got[c.ID])
		})
	}
}

// codeChecks look at generated code.
var codeChecks = map[string]func(t *testing.T, code string){
	"mk-sin-callcount": func(t *testing.T, code string) {
		// One pair of sine and cosine and one exponential, whatever the width.
		for _, name := range []string{"FJVP", "FJVP4"} {
			body := regexp.MustCompile(`(?s)\nfunc ` + name + `\(.*?\n}\n`).FindString(code)
			for fn, n := range map[string]int{"math.Sin(": 1, "math.Cos(": 1, "math.Exp(": 1} {
				if got := strings.Count(body, fn); got != n {
					t.Errorf("%s has %d calls %s), want %d:\n%s", name, got, fn, n, body)
				}
			}
		}
	},
	"cr-checkpoint-recomputes": func(t *testing.T, code string) {
		// Each of the three calls runs forward, and again in the reverse sweep.
		if n := strings.Count(code, "math.Exp("); n < 2 {
			t.Errorf("%d evaluations:\n%s", n, code)
		}
	},
}

// generate runs the generator on all packages.
func (m *ruleModule) generate(t *testing.T, cases []*ruleCase) {
	t.Helper()
	opts := compile.New().Options()
	opts.Dir, opts.Patterns, opts.Env, opts.Out = m.dir, []string{"./..."}, m.env, io.Discard
	result, err := generate.Run(opts)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		var own diag.List
		for _, d := range result.Diags.All() {
			if filepath.Dir(d.Pos.Filename) == c.dir && d.Severity == diag.Error {
				own.Add(d)
			}
		}
		var text bytes.Buffer
		if err := own.Print(&text, diag.Options{Dir: c.dir}); err != nil {
			t.Fatal(err)
		}
		c.message = text.String()
		if code, err := os.ReadFile(filepath.Join(c.dir, "f_quabla.go")); err == nil {
			c.output = string(code)
		}
	}
}

// run runs the cases that were generated and returns their outputs.
func (m *ruleModule) run(t *testing.T, cases []*ruleCase) map[string]any {
	t.Helper()
	var imports, calls strings.Builder
	for _, c := range cases {
		if c.message != "" || !strings.Contains(c.files["f.go"], "func Case(") {
			continue
		}
		in, err := json.Marshal(c.Inputs)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&imports, "\t%s %q\n", c.folder(), rulePath+"/"+c.folder())
		fmt.Fprintf(&calls, "\trun(%q, func(in map[string]any) map[string]any { return %s.Case(in) }, %q)\n", c.ID, c.folder(), in)
	}
	m.write(t, "run/main.go", "package main\n\nimport (\n\t\"encoding/json\"\n\t\"fmt\"\n\t\"math\"\n\t\"os\"\n\t\"reflect\"\n\n"+imports.String()+")\n"+ruleMain+
		"\nfunc main() {\n"+calls.String()+"\tjson.NewEncoder(os.Stdout).Encode(out)\n}\n")
	cmd := exec.Command("go", "run", "./run")
	cmd.Dir, cmd.Env = m.dir, m.env
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	text, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	var got map[string]any
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	return got
}

// test runs the cases that are tests, and returns what each said.
func (m *ruleModule) test(t *testing.T, cases []*ruleCase) map[string]string {
	t.Helper()
	if !slices.ContainsFunc(cases, func(c *ruleCase) bool { return c.files["f_test.go"] != "" }) {
		return nil
	}
	cmd := exec.Command("go", "test", "-v", "./ruletests")
	cmd.Dir, cmd.Env = m.dir, m.env
	text, _ := cmd.CombinedOutput() // some fail
	said := map[string]string{}
	for _, part := range strings.Split("\n"+string(text), "\n=== RUN   ") {
		name, _, _ := strings.Cut(strings.Fields(part + " -")[0], "/")
		said[name] += part
	}
	return said
}

// tested checks what a test said, and whether it passed.
func (c *ruleCase) tested(t *testing.T, said map[string]string) {
	t.Helper()
	name := regexp.MustCompile(`func (Test\w+)\(`).FindStringSubmatch(c.files["f_test.go"])[1]
	text := said[name]
	want, failed := c.files["fails.txt"], strings.Contains(text, "--- FAIL: "+name)
	if want == "" {
		want = c.files["logs.txt"]
	} else if !failed {
		t.Errorf("%s does not fail", name)
	}
	if c.files["fails.txt"] == "" && (failed || text == "") {
		t.Errorf("%s fails", name)
	}
	if !strings.Contains(text, strings.TrimSpace(want)) {
		t.Errorf("no %q in\n%s", want, text)
	}
}

// refused compares the messages with those that are wanted, each of which need only
// be the beginning of a message.
func (c *ruleCase) refused(t *testing.T, want string) {
	t.Helper()
	var got []string
	for line := range strings.Lines(c.message) {
		if strings.HasPrefix(line, "f.go:") {
			got = append(got, strings.TrimSpace(line))
		}
	}
	wants := strings.Split(strings.TrimSpace(want), "\n")
	if !slices.EqualFunc(got, wants, strings.HasPrefix) {
		t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), want)
	}
}

// compare compares the outputs of a case with what it expects.
func (c *ruleCase) compare(t *testing.T, got any) {
	t.Helper()
	out, ok := got.(map[string]any)
	if !ok {
		t.Fatalf("there is no output: %v", got)
	}
	tol := struct{ RTol, ATol float64 }{}
	if len(c.Tolerance) > 0 && c.Tolerance[0] == '{' {
		if err := json.Unmarshal(c.Tolerance, &tol); err != nil {
			t.Fatal(err)
		}
	}
	if string(c.Tolerance) == `"behaviour"` {
		return // what the case says is in its code
	}
	for key, want := range c.Expect {
		g, ok := out[key]
		if !ok {
			t.Errorf("there is no output %s", key)
			continue
		}
		if why := differ(g, want, tol.RTol, tol.ATol); why != "" {
			t.Errorf("%s: %s (%v, want %v)", key, why, g, want)
		}
	}
}

// differ says how an output is not what is wanted, or returns "".
func differ(got, want any, rtol, atol float64) string {
	switch want := want.(type) {
	case float64:
		x, ok := got.(float64)
		if got == "-0" {
			x, ok = 0, true
		}
		if !ok || !(math.Abs(x-want) <= atol+rtol*math.Abs(want)) {
			return fmt.Sprintf("%v is not %v", got, want)
		}
	case []any:
		list, ok := got.([]any)
		if !ok || len(list) != len(want) {
			return "another length"
		}
		for i := range want {
			if why := differ(list[i], want[i], rtol, atol); why != "" {
				return why
			}
		}
	case map[string]any:
		m, ok := got.(map[string]any)
		if !ok || len(m) != len(want) {
			return "other keys"
		}
		for k := range want {
			if why := differ(m[k], want[k], rtol, atol); why != "" {
				return why
			}
		}
	default:
		if got != want {
			return fmt.Sprintf("%v is not %v", got, want)
		}
	}
	return ""
}
