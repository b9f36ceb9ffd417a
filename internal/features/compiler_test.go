package features

import (
	"bytes"
	"errors"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/quabla/quabla/analyze"
	"github.com/quabla/quabla/compile"
	"github.com/quabla/quabla/diag"
	"github.com/quabla/quabla/generate"
	"github.com/quabla/quabla/internal/bank"
	"github.com/quabla/quabla/internal/features/sample"
)

// A made package is what came of one of testdata/compiler.txtar.
type made struct {
	text  string // of the generated file; "" if there is none
	ir    string
	diags []diag.Diagnostic
}

// A workshop is a module with the packages of testdata/compiler.txtar.
type workshop struct {
	dir  string
	made map[string]*made
}

// packages generates code for all packages, once.
var packages = sync.OnceValues(func() (*workshop, error) {
	dir, err := os.MkdirTemp("", "features")
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		return nil, err
	}
	ws := &workshop{dir: dir, made: map[string]*made{}}
	mod, err1 := os.ReadFile(filepath.Join(root, "go.mod"))
	sum, err2 := os.ReadFile(filepath.Join(root, "go.sum"))
	ar, err3 := txtar.ParseFile("testdata/compiler.txtar")
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, err
	}
	text := strings.Replace(string(mod), "module github.com/quabla/quabla\n", "module features\n", 1) +
		"\nrequire github.com/quabla/quabla v0.0.0\n\nreplace github.com/quabla/quabla => " + root + "\n"
	files := map[string]string{"go.mod": text, "go.sum": string(sum)}
	doubles := strings.Repeat("y = y + y\n", 20)
	for _, f := range ar.Files {
		files[f.Name] = strings.ReplaceAll(string(f.Data), "DOUBLES", doubles)
		ws.made[filepath.Dir(f.Name)] = new(made)
	}
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return nil, err
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			return nil, err
		}
	}
	res, err := ws.generate(false, true)
	if err != nil {
		return nil, err
	}
	for _, d := range res.Diags.All() {
		m := ws.made[filepath.Base(filepath.Dir(d.Pos.Filename))]
		m.diags = append(m.diags, d)
	}
	for name, m := range ws.made {
		text, _ := os.ReadFile(filepath.Join(dir, name, "src_quabla.go"))
		m.text = string(text)
	}
	return ws, nil
})

// generate runs the generator, with a compiler of its own.
func (ws *workshop) generate(check, ir bool) (generate.Result, error) {
	comp := compile.New()
	opts := comp.Options()
	opts.Dir, opts.Patterns, opts.Check = ws.dir, []string{"./..."}, check
	opts.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=-mod=mod", "GOWORK=off")
	build := opts.Build
	opts.Build = func(pkg *analyze.Package, file string, reqs []*analyze.Request, diags *diag.List) ([]byte, error) {
		own := new(diag.List)
		content, err := build(pkg, file, reqs, own)
		diags.AddAll(own)
		if ir && err == nil && !own.HasErrors() {
			var b bytes.Buffer
			err = comp.PrintIR(&b, pkg, file, reqs, new(diag.List))
			ws.made[filepath.Base(pkg.Dir)].ir = b.String()
		}
		return content, err
	}
	return generate.Run(opts)
}

// madeOf returns what came of a package.
func madeOf(t *testing.T, name string) *made {
	t.Helper()
	ws, err := packages()
	if err != nil {
		t.Fatal(err)
	}
	m := ws.made[name]
	if bad := slices.ContainsFunc(m.diags, func(d diag.Diagnostic) bool { return d.Severity == diag.Error }); bad == (m.text != "") {
		t.Fatalf("package %s has a file of %d bytes and the problems %v", name, len(m.text), m.diags)
	}
	return m
}

// part returns what a text says of a function.
func part(t *testing.T, text, fn string) string {
	t.Helper()
	at := strings.Index(text, "\nfunc "+fn+"(")
	if at < 0 {
		t.Fatalf("no function %s in\n%s", fn, text)
	}
	end := strings.Index(text[at:], "\n}\n")
	return text[at : at+end]
}

// TestReuse checks that derivatives use the value that is there: each function is
// called once, for all directions and in second derivatives too.
func TestReuse(t *testing.T) {
	text := madeOf(t, "reuse").text
	for _, fn := range []string{"math.Tan", "math.Exp", "math.Exp2", "math.Sqrt", "math.Cbrt", "math.Tanh", "math.Gamma", "rt.Sigmoid"} {
		for _, form := range []string{"Grad", "HVP", "JVP3"} {
			body := part(t, text, fn[strings.Index(fn, ".")+1:]+form)
			if n := strings.Count(body, fn+"("); n != 1 {
				t.Errorf("%d calls of %s in%s", n, fn, body)
			}
		}
	}
}

func init() {
	tests["cp-lower-text"] = func(t *testing.T) {
		ir := madeOf(t, "lower").ir
		// What the lines of a program on whole arrays are in one with loops.
		words := map[string]string{"input x f64[2]": ":x [2]float64)", "mul": " * ", "sum": " + ", "return": "return"}
		for _, w := range featureOf(t, "cp-lower-text").Expect["lines_contain"].([]any) {
			if own := words[w.(string)]; own == "" || !strings.Contains(ir, own) {
				t.Errorf("%q, here %q, is not in\n%s", w, own, ir)
			}
		}
		again := &workshop{dir: mustPackages(t).dir, made: map[string]*made{}}
		for name := range mustPackages(t).made {
			again.made[name] = new(made)
		}
		if _, err := again.generate(true, true); err != nil {
			t.Fatal(err)
		}
		if again.made["lower"].ir != ir {
			t.Error("another run prints another text")
		}
	}
	tests["cp-determinism"] = func(t *testing.T) {
		ws := mustPackages(t)
		for range 3 {
			res, err := ws.generate(true, false)
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for _, f := range res.Files {
				n++
				if f.Status != generate.Unchanged {
					t.Errorf("%s is %v in another run", f.Path, f.Status)
				}
			}
			if n < 5 {
				t.Errorf("only %d files", n)
			}
		}
		for name, m := range ws.made {
			if m.text == "" {
				continue
			}
			if first, _, _ := strings.Cut(m.text, "\n"); !strings.HasPrefix(first, "// Code generated ") || !strings.HasSuffix(first, " DO NOT EDIT.") {
				t.Errorf("%s begins with %q", name, first)
			}
			if nice, err := format.Source([]byte(m.text)); err != nil || string(nice) != m.text {
				t.Errorf("%s is not as gofmt writes it: %v", name, err)
			}
		}
	}
	tests["cp-empty-program"] = func(t *testing.T) {
		m := madeOf(t, "empty")
		if len(m.diags) != 1 || !strings.Contains(m.diags[0].Message, "no differentiable result") || m.text != "" {
			t.Errorf("%v, and a file of %d bytes", m.diags, len(m.text))
		}
	}
	tests["cp-diagnostics"] = func(t *testing.T) {
		m := madeOf(t, "refused")
		// Three in F and one in G; what is asked of Fine is in order.
		if len(m.diags) != 4 {
			t.Fatalf("%d problems: %v", len(m.diags), m.diags)
		}
		for i, want := range []struct {
			line      int
			construct string
			fn        string
		}{{9, "channel", "F"}, {10, "channel send", "F"}, {11, "channel receive", "F"}, {20, "math.Float64bits", "G"}} {
			d := m.diags[i]
			has := map[string]bool{
				"file:line:col": filepath.Base(d.Pos.Filename) == "src.go" && d.Pos.Line == want.line && d.Pos.Column > 1,
				"function":      strings.Contains(strings.Join(d.Notes, " "), want.fn),
				"construct":     strings.Contains(d.Message, want.construct),
				"suggestion":    d.Hint != "",
			}
			for _, w := range featureOf(t, "cp-diagnostics").Expect["message_has"].([]any) {
				if !has[w.(string)] {
					t.Errorf("problem %d has no %s: %+v", i, w, d)
				}
			}
		}
		if m.text != "" {
			t.Error("a file was written all the same")
		}
	}
	tests["tr-cse-safe"] = func(t *testing.T) {
		m := madeOf(t, "cse")
		if n := strings.Count(m.ir, "apply math.Sin "); float64(n) != featureOf(t, "tr-cse-safe").Expect["sin_nodes"] {
			t.Errorf("%d sines in\n%s", n, m.ir)
		}
	}
	tests["cp-cse-checkpoint"] = func(t *testing.T) {
		text := part(t, madeOf(t, "checkpoint").text, "FGradIn")
		if n := strings.Count(text, "math.Tanh("); n != 2 {
			t.Errorf("%d times tanh, want one and its replay:\n%s", n, text)
		}
	}
	tests["cp-dce-derivative-only"] = func(t *testing.T) {
		text := part(t, madeOf(t, "dce").text, "DDIn")
		if strings.Contains(text, "sum") || strings.Count(text, "math.Exp2(") != 1 {
			t.Errorf("more than the derivative is computed:\n%s", text)
		}
	}
	tests["cp-fusion-shared"] = func(t *testing.T) {
		ir := madeOf(t, "shared").ir
		for _, verb := range []string{"Grad", "HVP"} {
			n20 := strings.Count(part(t, ir, "Twenty"+verb), "\n")
			n40 := strings.Count(part(t, ir, "Forty"+verb), "\n")
			if n40 < 40 || n40 > 2*n20+10 {
				t.Errorf("%s: %d lines for 20 levels, %d for 40", verb, n20, n40)
			}
		}
	}
	tests["cp-generated-vs-interpreted"] = func(t *testing.T) {
		if testing.Short() {
			t.Skip("the programs take a minute")
		}
		// TestPrograms holds all programs to it, and the tests that quablagen
		// writes hold the examples to it.
		r := runPrograms(t, makePlan(t, readFeatures(t)).banks, "cf-tanh-loop-1,tr-rosenbrock,tr-pinn-loss")
		for _, o := range r.Outcomes {
			if o.Status != bank.Passed || o.Same < 5 {
				t.Errorf("%s: %s, with the same bits in %d modes", o.ID, &o, o.Same)
			}
		}
	}
	tests["cp-unused-input"] = func(t *testing.T) {
		text := madeOf(t, "unused").text
		if !strings.Contains(text, "func FGrad(dx, dunused, x, unused []float64) (value float64)") {
			t.Errorf("the signature is another one:\n%s", text)
		}
	}
	tests["tr-vmap-errors"] = func(t *testing.T) {
		// What a batch of other shape is, a member without a batch axis among
		// them, is said by the types; results have an axis, and it is the first.
		var _ func(value []float64, x [][]float64, m [][]bool) = sample.MaskedVMap
		m := madeOf(t, "batch")
		var all []string
		for _, d := range m.diags {
			all = append(all, fmt.Sprintf("%d:%d: %s", d.Pos.Line, d.Pos.Column, d.Message))
		}
		all = append(all, panicOf(func() { sample.MaskedVMap(make([]float64, 2), make([][]float64, 2), make([][]bool, 3)) }))
		want := []string{
			"3:3: no parameter of None has a batch axis", "6:20: quabla:vmap has no option out", "9:20: quabla:vmap has no option axis",
			"sample.MaskedVMap: len(m) != len(x)",
		}
		if !slices.Equal(all, want) {
			t.Errorf("%q", all)
		}
	}
	tests["tr-pinn-graph-size"] = func(t *testing.T) {
		ir := madeOf(t, "pinn").ir
		n := map[string]int{}
		for _, k := range []string{"1", "8", "64"} {
			n[k] = strings.Count(part(t, ir, "Loss"+k+"Grad"), "\n")
		}
		if n["8"] != n["64"] || n["1"] > n["8"] {
			t.Errorf("lines of IR by number of points: %v", n)
		}
	}
}

func mustPackages(t *testing.T) *workshop {
	t.Helper()
	ws, err := packages()
	if err != nil {
		t.Fatal(err)
	}
	return ws
}
