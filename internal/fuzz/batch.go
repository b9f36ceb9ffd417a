package fuzz

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/quabla/quabla/analyze"
	"github.com/quabla/quabla/compile"
	"github.com/quabla/quabla/diag"
	"github.com/quabla/quabla/generate"
	"github.com/quabla/quabla/internal/fuzz/check"
	"github.com/quabla/quabla/internal/fuzz/program"
)

// A Case is a program to be checked.
type Case struct {
	ID string
	// Text is the source, with directives above F.
	Text string
}

// A Fault is something that is wrong with the derivation of a program.
type Fault struct {
	ID   string
	Func string // the derived function
	Way  string // compiled, interpreted, saving all, or generating
	Text string
	Seed uint64 // of the point
}

func (f Fault) String() string {
	return fmt.Sprintf("%s %s (%s, point %d): %s", f.ID, f.Func, f.Way, f.Seed, f.Text)
}

// A Batch is a set of programs that are checked together.
type Batch struct {
	Root  string // of the module
	Dir   string // a new folder in the module
	Cases []Case
	// Interpret has the IR checked in the interpreter too, and SaveAll that of
	// derivatives that save every value.
	Interpret, SaveAll bool
	// Compile has the code printed, compiled and checked; with NoRun it is
	// only printed and type-checked.
	Compile, NoRun bool

	Faults   []Fault
	Refusals map[string]int // by reason
	Refused  int            // functions
	Derived  int            // functions
	Skipped  map[string]int // points, by reason
	Compared int            // numbers

	works []*work
}

// A work is a case on its way.
type work struct {
	Case
	dir  string
	pkg  *analyze.Package
	reqs []*analyze.Request
	plan *check.Plan
	// interp is the IR by the name of the function: plain, and saving all.
	interp, saveAll *interpreted
	outcomes        map[string]check.Outcome // of the interpreter
}

// Points is the number of points for each program.
const Points = 3

// GenerateLimit is the longest that the generator may work on a program.
const GenerateLimit = 30 * time.Second

// NewCase returns the program of a seed with directives.
func NewCase(seed uint64, size int) Case {
	p := program.New(seed, size)
	return Case{ID: fmt.Sprintf("p%d", seed), Text: strings.Replace(p.Text, program.Mark, program.Mark+"//\n"+directives(p), 1)}
}

// directives returns the directives for a program, a line each.
func directives(p *program.Program) string {
	wrt := "wrt=" + strings.Join(p.Wrt, ",")
	if len(p.Wrt) == 0 {
		return ""
	}
	var b strings.Builder
	if p.Scalar {
		fmt.Fprintf(&b, "//quabla:grad %s of=return\n//quabla:hvp %s of=return\n", wrt, wrt)
	}
	fmt.Fprintf(&b, "//quabla:jvp %s%s\n//quabla:vjp %s of=return\n", wrt, of(p.Outs), wrt)
	if p.Plain {
		fmt.Fprintf(&b, "//quabla:jvp lanes=3 %s%s\n", wrt, of(p.Outs))
	}
	if len(p.Outs) > 0 {
		fmt.Fprintf(&b, "//quabla:vjp name=FPost %s%s\n", wrt, of(p.Outs))
	}
	return b.String()
}

func of(outs []string) string {
	return " of=" + strings.Join(append([]string{"return"}, outs...), ",")
}

// Run derives, compiles and checks the programs.
func (b *Batch) Run() error {
	b.Refusals, b.Skipped = map[string]int{}, map[string]int{}
	var patterns []string
	for _, c := range b.Cases {
		w := &work{Case: c, dir: filepath.Join(b.Dir, c.ID), outcomes: map[string]check.Outcome{}}
		if err := write(w.dir, "p.go", []byte(c.Text)); err != nil {
			return err
		}
		rel, err := filepath.Rel(b.Root, w.dir)
		if err != nil {
			return err
		}
		patterns = append(patterns, "./"+filepath.ToSlash(rel))
		b.works = append(b.works, w)
	}
	prog, err := analyze.Load(analyze.Config{Dir: b.Root, Patterns: patterns, Also: []string{"github.com/quabla/quabla/rt"}, WorkForms: true})
	if err != nil {
		return err
	}
	byDir := map[string]*work{}
	for _, w := range b.works {
		byDir[w.dir] = w
	}
	for _, pkg := range prog.Packages {
		if w := byDir[pkg.Dir]; w != nil {
			w.pkg = pkg
		}
	}
	for _, d := range prog.Diags.All() {
		if d.Category == "compile" || d.Category == "load" {
			return fmt.Errorf("a program does not compile: %v: %s", d.Pos, d.Message)
		}
		if d.Severity == diag.Error {
			b.Refusals["directive: "+d.Message]++
		}
	}
	for _, w := range b.works {
		if w.pkg == nil || w.pkg.Bad {
			continue
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			b.derive(w)
		}()
		select {
		case <-done:
		case <-time.After(GenerateLimit):
			b.fault(w, "", "generating", 0, "no end after %v", GenerateLimit)
			return nil // the generator still works
		}
	}
	if b.Interpret {
		for _, w := range b.works {
			b.interpret(w)
		}
	}
	if b.Compile && !b.NoRun {
		return b.compile()
	}
	return nil
}

func write(dir, name string, text []byte) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name), text, 0o666)
}

func (b *Batch) fault(w *work, fn, way string, seed uint64, format string, args ...any) {
	b.Faults = append(b.Faults, Fault{w.ID, fn, way, fmt.Sprintf(format, args...), seed})
}

// derive makes the derived functions of a program.
func (b *Batch) derive(w *work) {
	comp := compile.New()
	all := compile.New()
	all.Mode.SaveAll = true
	w.plan = &check.Plan{ID: w.ID}
	for i := range Points {
		w.plan.Seeds = append(w.plan.Seeds, uint64(i+1))
	}
	for _, req := range w.pkg.Requests {
		ds := new(diag.List)
		f, err := comp.Func(w.pkg, req, ds)
		if err != nil {
			b.fault(w, req.Name, "generating", 0, "%v", short(err))
			continue
		}
		if f == nil || ds.HasErrors() {
			b.Refused++
			for _, d := range ds.All() {
				if strings.HasPrefix(d.Message, "internal") {
					b.fault(w, req.Name, "generating", 0, "refused: %s", d.Message)
				} else if d.Severity == diag.Error {
					b.Refusals[strings.ReplaceAll(d.Message, w.pkg.Path+".", "")]++
				}
			}
			continue
		}
		b.Derived++
		if w.interp == nil {
			primal, err := comp.Primal(w.pkg, req, ds)
			if err != nil || primal == nil {
				b.fault(w, "F", "generating", 0, "the function itself is not lifted: %v", err)
				return
			}
			w.plan.Primal = Describe("F", req.Expr.Fn.Sig)
			w.interp = newInterpreted(&w.plan.Primal, primal, w.pkg)
			w.saveAll = newInterpreted(&w.plan.Primal, primal, w.pkg)
		}
		w.interp.funcs[req.Name] = f
		if b.SaveAll {
			if g, err := all.Func(w.pkg, req, ds); err != nil || g == nil {
				b.fault(w, req.Name, "generating", 0, "saving all fails: %v", short(err))
			} else {
				w.saveAll.funcs[req.Name] = g
			}
		}
		w.reqs = append(w.reqs, req)
		w.plan.Funcs = append(w.plan.Funcs, Describe(req.Name, req.Derived))
	}
	// Forward mode first: reverse mode is compared with it.
	slices.SortStableFunc(w.plan.Funcs, func(a, b check.Func) int {
		return slices.Index(order, a.Verb) - slices.Index(order, b.Verb)
	})
	if !b.Compile || len(w.reqs) == 0 {
		return
	}
	text, err := b.build(comp, w, w.reqs)
	if err != nil {
		// Find out which functions are at fault, and leave them out.
		all := w.reqs
		w.reqs = nil
		for _, r := range all {
			if _, err := b.build(comp, w, []*analyze.Request{r}); err != nil {
				b.fault(w, r.Name, "generating", 0, "%v", short(err))
				w.plan.Funcs = slices.DeleteFunc(w.plan.Funcs, func(f check.Func) bool { return f.Name == r.Name })
			} else {
				w.reqs = append(w.reqs, r)
			}
		}
		if len(w.reqs) == len(all) {
			b.fault(w, "", "generating", 0, "all functions together: %v", short(err))
			w.reqs = nil
		}
		if len(w.reqs) == 0 {
			return
		}
		if text, err = b.build(comp, w, w.reqs); err != nil {
			b.fault(w, "", "generating", 0, "the functions that compile alone together: %v", short(err))
			w.reqs = nil
			return
		}
	}
	for _, f := range w.plan.Funcs {
		if strings.Contains(string(text), "func "+f.Name+"In(") {
			in := f
			in.Name, in.Work = f.Name+"In", true
			w.plan.Funcs = append(w.plan.Funcs, in)
		}
	}
	if err := write(w.dir, "p_quabla.go", text); err != nil {
		b.fault(w, "", "generating", 0, "%v", err)
	}
}

// build returns the file with the functions of some requests, which compiles.
func (b *Batch) build(comp *compile.Compiler, w *work, reqs []*analyze.Request) (text []byte, err error) {
	ds := new(diag.List)
	func() {
		defer func() {
			if v := recover(); v != nil {
				err = &generate.InternalError{Doing: "printing", Err: fmt.Errorf("%v", v), Stack: debug.Stack()}
			}
		}()
		text, err = comp.Build(w.pkg, "p.go", reqs, ds)
	}()
	if err == nil && ds.HasErrors() {
		return nil, fmt.Errorf("refused when built: %s", ds.All()[0].Message)
	}
	if err == nil {
		err = w.pkg.CheckOutput(map[string][]byte{filepath.Join(w.dir, "p_quabla.go"): text})
	}
	return text, err
}

// order is that in which functions are checked.
var order = []string{"jvp", "grad", "vjp", "hvp"}

// Describe says what the slots of a function are.
func Describe(name string, d *analyze.Derived) check.Func {
	f := check.Func{Name: name, Verb: string(d.Verb), Lanes: max(d.Lanes, 1), Wrt: d.Wrt}
	roles := map[analyze.Role]check.Role{
		analyze.Primal: check.Primal, analyze.Tangent: check.Tangent, analyze.Adjoint: check.Adjoint,
		analyze.Cotangent: check.Cotangent, analyze.Direction: check.Direction, analyze.Product: check.Product,
	}
	slot := func(s analyze.Slot, i int) check.Slot {
		t := check.Slot{Role: roles[s.Role], Of: s.Of, OfResult: s.OfResult, InOut: s.InOut}
		if d.Verb == "" {
			t.Of = i
		}
		return t
	}
	for i, s := range d.All() {
		f.Params = append(f.Params, slot(s, i))
	}
	for i, s := range d.Results {
		f.Results = append(f.Results, slot(s, i))
	}
	for _, o := range d.Of {
		if o.Param {
			f.OfParams = append(f.OfParams, o.Index)
		} else {
			f.OfResults = append(f.OfResults, o.Index)
		}
	}
	return f
}

// short returns what an error of the generator says in a line or two, and where
// it happened.
func short(err error) error {
	var out *analyze.OutputError
	var internal *generate.InternalError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &out):
		return fmt.Errorf("the generated code does not compile: %v", err)
	case errors.As(err, &internal):
		lines := strings.Split(string(internal.Stack), "\n")
		where := ""
		for i, l := range lines {
			if strings.HasPrefix(l, "panic(") && i+7 < len(lines) {
				where = strings.TrimSpace(lines[i+3]) + " " + strings.TrimSpace(lines[i+5]) + " " + strings.TrimSpace(lines[i+7])
				break
			}
		}
		text, _, _ := strings.Cut(internal.Err.Error(), "\n")
		return fmt.Errorf("internal error: %s at %s", text, where)
	}
	// A syntax error, in front of the whole file.
	first, rest, _ := strings.Cut(err.Error(), "\n")
	if m := position.FindStringSubmatch(first); m != nil {
		n, _ := strconv.Atoi(m[1])
		if lines := strings.Split(rest, "\n"); n <= len(lines) && n > 0 {
			first += ": " + strings.TrimSpace(lines[n-1])
		}
	}
	return errors.New(first)
}

var position = regexp.MustCompile(`(\d+):\d+: `)
