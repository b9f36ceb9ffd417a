package bank

import (
	"errors"
	"fmt"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/quabla/quabla/analyze"
	"github.com/quabla/quabla/compile"
	"github.com/quabla/quabla/diag"
	"github.com/quabla/quabla/generate"
	"github.com/quabla/quabla/internal/bank/probe"
	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// A job is the work of one generating process: it derives the functions of some
// cases, writes the packages to be compiled, and checks the cases in the
// interpreter.
type job struct {
	Root string   // of the module
	Tree string   // the folder of the packages, in the module
	Bank string   // the folder of the bank
	IDs  []string // the cases to work on
	Only string   // if not "", the pattern of the modes to derive

	Batch bool // make batches in all cases
	Plain bool // leave out the code that saves everything
}

// Places in the tree.
func caseDir(tree string, way probe.Way, id string) string {
	if way == probe.SaveAll {
		return filepath.Join(tree, "saveall", dirName(id))
	}
	return filepath.Join(tree, "plain", dirName(id))
}

// dirName returns a name for the folder of a case that can stand in an import path.
func dirName(id string) string {
	clean := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return '_'
	}, id)
	return "c_" + clean
}

const (
	caseFile  = "case.go"
	planFile  = "plan.gob"
	entryFile = "register.go"
)

// A generated case on its way.
type caseWork struct {
	c    *probe.Case
	src  *source
	dirs []directive
	plan *probe.CasePlan
	pkg  *analyze.Package
	dir  string

	plain bool // leave out the code that saves everything

	reqs []*analyze.Request // of plan.Funcs, and that of the value form
	irs  map[string]*ssair.Func
}

// run does the job.
func (j *job) run(w *probe.Worker, cases []*probe.Case) error {
	works := map[string]*caseWork{}
	var patterns []string
	for _, c := range cases {
		if !slices.Contains(j.IDs, c.ID) || c.Err != "" {
			continue
		}
		cw := &caseWork{c: c, plain: j.Plain, dir: caseDir(j.Tree, probe.Generated, c.ID), irs: map[string]*ssair.Func{}}
		works[c.ID] = cw
		if err := cw.write(j.Only, j.Batch); err != nil {
			c.Err = err.Error()
			continue
		}
		rel, err := filepath.Rel(j.Root, cw.dir)
		if err != nil {
			return err
		}
		patterns = append(patterns, "./"+filepath.ToSlash(rel))
	}
	prog := &analyze.Program{Diags: new(diag.List)}
	if len(patterns) > 0 {
		var err error
		forms := compile.New().Options()
		prog, err = analyze.Load(analyze.Config{
			Dir: j.Root, Patterns: patterns, Also: []string{rtPath},
			NewForms: forms.NewForms, WorkForms: forms.WorkForms,
		})
		if err != nil {
			return err
		}
	}
	for _, pkg := range prog.Packages {
		for _, cw := range works {
			if pkg.Dir == cw.dir {
				cw.pkg = pkg
			}
		}
	}
	w.Each(strings.NewReader(strings.Join(j.IDs, "\n")), func(id string) {
		cw := works[id]
		if cw == nil || cw.c.Err != "" {
			why := "no such case"
			if cw != nil {
				why = cw.c.Err
			}
			w.Emit(probe.Event{Kind: probe.Fail, Mode: "case", Text: why})
			return
		}
		w.Protect(func() { cw.work(w, prog) })
		cw.irs, cw.reqs, cw.pkg = nil, nil, nil
	})
	return nil
}

// write writes the source of a case.
func (cw *caseWork) write(only string, batch bool) error {
	r, entry, err := prepare(cw.c)
	if err != nil {
		return err
	}
	var params []string
	for _, p := range r.parameters(entry) {
		params = append(params, p.name)
	}
	gs := groups(cw.c, params)
	cw.dirs = directives(cw.c, params, gs, batch || cw.c.Lists("vmap"))
	if only != "" {
		cw.dirs = slices.DeleteFunc(cw.dirs, func(d directive) bool {
			ok, _ := filepath.Match(only, d.mode)
			return !ok && d.mode != "rule" && d.mode != "value"
		})
	}
	var lines []string
	for _, d := range cw.dirs {
		lines = append(lines, d.text)
	}
	if cw.src, err = render(cw.c, "p", lines); err != nil {
		return err
	}
	cw.plan = &probe.CasePlan{Case: cw.c, Groups: gs, Primal: cw.c.Entry, Races: cw.src.races}
	if !cw.src.primal {
		cw.plan.Primal = valueName
	}
	return writeFile(cw.dir, caseFile, cw.src.text)
}

func writeFile(dir, name string, text []byte) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name), text, 0o666)
}

// place says where a diagnostic points to.
func (cw *caseWork) place(d diag.Diagnostic) probe.Place {
	if d.Pos.Filename != filepath.Join(cw.dir, caseFile) {
		return probe.Elsewhere
	}
	if _, ok := cw.src.lines[d.Pos.Line]; ok {
		return probe.OnDirective
	}
	if d.Pos.Line >= cw.src.from && d.Pos.Line <= cw.src.to {
		return probe.InSnippet
	}
	return probe.Elsewhere
}

// refuse reports that a mode is refused.
func (cw *caseWork) refuse(w *probe.Worker, d directive, way probe.Way, ds []diag.Diagnostic) {
	e := probe.Event{Kind: probe.Refused, Mode: d.mode, Way: way, Place: probe.Elsewhere}
	var parts []string
	for _, d := range ds {
		text := fmt.Sprintf("%d:%d: %s", d.Pos.Line-cw.src.from+1, d.Pos.Column, d.Message)
		if d.Hint != "" {
			text += " (hint: " + d.Hint + ")"
		}
		parts = append(parts, text)
		if p := cw.place(d); p == probe.InSnippet || e.Place == probe.Elsewhere {
			e.Place = p
		}
	}
	e.Text = strings.Join(parts, "; ")
	w.Emit(e)
}

// work derives the functions of a case and checks them in the interpreter.
func (cw *caseWork) work(w *probe.Worker, prog *analyze.Program) {
	fail := func(mode, format string, args ...any) {
		w.Emit(probe.Event{Kind: probe.Fail, Mode: mode, Way: probe.Generated, Text: fmt.Sprintf(format, args...)})
	}
	if cw.pkg == nil {
		fail("case", "the package was not loaded")
		return
	}
	byLine := map[int][]diag.Diagnostic{}
	for _, d := range prog.Diags.All() {
		if filepath.Dir(d.Pos.Filename) != cw.dir || d.Severity != diag.Error {
			continue
		}
		if d.Category == "compile" || d.Category == "load" {
			fail("case", "the snippet does not compile: %d:%d: %s", d.Pos.Line-cw.src.from+1, d.Pos.Column, d.Message)
			return
		}
		byLine[d.Pos.Line] = append(byLine[d.Pos.Line], d)
	}
	pass.Check = true // verify the IR after every pass
	comp := compile.New()
	var ok []directive
	for _, line := range slices.Sorted(maps.Keys(byLine)) { // directives of the snippet
		if _, added := cw.src.lines[line]; !added {
			cw.refuse(w, directive{mode: "snippet"}, probe.Generated, byLine[line])
		}
	}
	for _, req := range cw.pkg.Requests {
		if !slices.ContainsFunc(cw.dirs, func(d directive) bool { return d.name == req.Name }) {
			cw.reqs, ok = append(cw.reqs, req), append(ok, directive{mode: "snippet", name: req.Name})
		}
	}
	for line, k := range sorted(cw.src.lines) {
		d := cw.dirs[k]
		if ds := byLine[line]; len(ds) > 0 {
			cw.refuse(w, d, probe.Generated, ds)
			continue
		}
		at := slices.IndexFunc(cw.pkg.Requests, func(r *analyze.Request) bool { return r.Name == d.name })
		if at < 0 {
			if d.mode != "rule" {
				fail(d.mode, "the directive %s has no effect", d.text)
			}
			continue
		}
		req := cw.pkg.Requests[at]
		w.Doing("deriving " + d.mode)
		ds := new(diag.List)
		f, err := comp.Func(cw.pkg, req, ds)
		if err != nil && ds.HasErrors() && strings.Contains(firstLines(err), ": refused") {
			err = nil // only that; see the diagnostics
		}
		switch {
		case err != nil:
			fail(d.mode, "the generator fails: %v", firstLines(err))
		case ds.HasErrors() || f == nil:
			cw.refuse(w, d, probe.Generated, ds.All())
			if d.mode == "value" {
				return // nothing can be compared with
			}
		default:
			cw.irs[d.name] = f
			cw.reqs = append(cw.reqs, req)
			ok = append(ok, d)
			if d.mode != "value" {
				cw.plan.Funcs = append(cw.plan.Funcs, planFunc(req, d))
			}
		}
	}
	w.Doing("building")
	cw.build(w, comp, probe.Generated, ok)
	if !cw.plain {
		saveAll := compile.New()
		saveAll.Mode.SaveAll = true
		cw.build(w, saveAll, probe.SaveAll, ok)
	}
	if len(cw.c.Points) > 0 {
		if err := (&probe.Plan{Cases: []*probe.CasePlan{cw.plan}}).Save(filepath.Join(cw.dir, planFile)); err != nil {
			fail("harness", "%v", err)
		}
		cw.interpret(w)
	}
}

// sorted iterates over a map in the order of its keys.
func sorted[V any](m map[int]V) func(yield func(int, V) bool) {
	keys := make([]int, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return func(yield func(int, V) bool) {
		for _, k := range keys {
			if !yield(k, m[k]) {
				return
			}
		}
	}
}

// firstLines shortens the text of an internal error, which has a stack.
func firstLines(err error) string {
	lines := strings.Split(err.Error(), "\n")
	keep := lines[:min(len(lines), 2)]
	for i, l := range lines {
		// where it happened: the first frames behind the panic
		if strings.HasPrefix(l, "panic(") && i+6 < len(lines) {
			for _, f := range lines[i+2 : i+6] {
				if strings.HasPrefix(f, "\t") {
					keep = append(keep, strings.TrimSpace(f[:max(strings.LastIndex(f, " "), 1)]))
				}
			}
			break
		}
	}
	return strings.Join(keep, " ")
}

// build writes the package of a case for one way of running it, with those of the
// derived functions that compile.
func (cw *caseWork) build(w *probe.Worker, comp *compile.Compiler, way probe.Way, ok []directive) {
	dir := caseDir(filepath.Dir(filepath.Dir(cw.dir)), way, cw.c.ID)
	path := filepath.Join(cw.dir, generate.OutputName(caseFile))
	try := func(reqs []*analyze.Request) ([]byte, *diag.List, error) {
		ds := new(diag.List)
		text, err := comp.Build(cw.pkg, caseFile, reqs, ds)
		if err == nil && !ds.HasErrors() {
			err = cw.pkg.CheckOutput(map[string][]byte{path: text})
		}
		return text, ds, err
	}
	report := func(d directive, ds *diag.List, err error) {
		var out *analyze.OutputError
		var internal *generate.InternalError
		text := ""
		switch {
		case errors.As(err, &out):
			text = "the generated code does not compile: " + out.Error()
		case errors.As(err, &internal):
			text = "the generator fails: " + firstLines(err)
		case err != nil:
			text = "the generator fails: " + strings.SplitN(err.Error(), "\n", 2)[0]
		default:
			cw.refuse(w, d, way, ds.All())
			return
		}
		w.Emit(probe.Event{Kind: probe.Fail, Mode: d.mode, Way: way, Text: oneLine(text)})
	}
	reqs := slices.Clone(cw.reqs)
	text, ds, err := try(reqs)
	if err != nil || ds.HasErrors() {
		// Find out which functions are at fault.
		var good []*analyze.Request
		bad := false
		for i, r := range cw.reqs {
			w.Doing("building " + ok[i].mode)
			if _, ds, err := try([]*analyze.Request{r}); err != nil || ds.HasErrors() {
				report(ok[i], ds, err)
				bad = true
			} else {
				good = append(good, r)
			}
		}
		if !bad {
			report(directive{mode: "all together"}, ds, err)
			good = nil
		}
		reqs = good
		if text, ds, err = try(reqs); len(reqs) > 0 && (err != nil || ds.HasErrors()) {
			report(directive{mode: "all together"}, ds, err)
			reqs = nil
		}
	}
	if len(reqs) > 0 {
		if err := writeFile(dir, generate.OutputName(caseFile), text); err != nil {
			w.Emit(probe.Event{Kind: probe.Fail, Mode: "harness", Text: err.Error()})
		}
	}
	if way == probe.SaveAll {
		writeFile(dir, caseFile, cw.src.text)
	}
	writeFile(dir, entryFile, cw.register(reqs))
}

// register returns the file through which the runner reaches the functions.
func (cw *caseWork) register(reqs []*analyze.Request) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "package p\n\nimport qbprobe %q\n\nfunc QBRegister(r *qbprobe.Registry) {\n", probePath)
	if cw.src.primal {
		fmt.Fprintf(&b, "\tr.Func(%q, %s)\n", cw.c.Entry, cw.c.Entry)
	}
	for _, r := range reqs {
		fmt.Fprintf(&b, "\tr.Func(%q, %s)\n", r.Name, r.Name)
	}
	for i := range cw.c.Points {
		b.WriteString("\tr.Args(")
		for k := range cw.src.params {
			if k > 0 {
				b.WriteString(", ")
			}
			b.WriteString(argFunc(i, k))
		}
		b.WriteString(")\n")
	}
	b.WriteString("}\n")
	return []byte(b.String())
}

// object returns a function of the package of the case.
func (cw *caseWork) object(name string) *types.Func {
	f, _ := cw.pkg.Types.Scope().Lookup(name).(*types.Func)
	return f
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
