package generate

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/quabla/quabla/analyze"
	"github.com/quabla/quabla/diag"
)

// A BuildFunc returns the content of the file generated from one source file,
// whose base name is file. The requests are those of the file, in source order, each
// with a signature; there may be none where tests are built, for a file with rules. Problems of the user's code go to
// diags, and then the content does not matter; an error is one of the generator.
//
// The content begins with analyze.HeaderLine(file).
type BuildFunc func(pkg *analyze.Package, file string, reqs []*analyze.Request, diags *diag.List) (content []byte, err error)

// An IRFunc prints what is made of the requests of one source file on the way to
// a generated file.
type IRFunc func(w io.Writer, pkg *analyze.Package, file string, reqs []*analyze.Request, diags *diag.List) error

// A RulesFunc reports what is wrong with the rules that a package registers.
type RulesFunc func(pkg *analyze.Package, diags *diag.List) error

// Options say what to generate, and how.
type Options struct {
	Dir      string   // where the go command runs; "" is the current directory
	Patterns []string // as for go build; none means "."
	Tags     string   // build tags, separated by commas
	Env      []string // environment of the go command; nil is that of the process

	Tests bool // also write the tests of the generated code
	Check bool // write nothing, report files that are not up to date
	Diff  bool // like Check, and print what would change
	IR    bool // print the IR and write nothing

	Out io.Writer // for differences and IR; nil is os.Stdout

	CheckRules RulesFunc // comes before the others
	Build      BuildFunc // required
	BuildTests BuildFunc // for Tests
	PrintIR    IRFunc    // for IR

	// NewForms and WorkForms are those of analyze.Config.
	NewForms, WorkForms bool
}

// A Status says what a generated file is or was.
type Status int

const (
	Unchanged Status = iota
	Missing          // was not there
	Stale            // had other content
	Orphan           // its source has no directives any more
)

var statusNames = [...]string{"unchanged", "missing", "stale", "orphaned"}

func (s Status) String() string { return statusNames[s] }

// A FileResult is a generated file.
type FileResult struct {
	Path   string
	Status Status // before this run
	Done   bool   // it was written or removed
}

// A Result is the outcome of a run.
type Result struct {
	Files []FileResult // in order of packages and names
	Diags *diag.List   // problems, and with Check or Diff the files that are not up to date
}

// An InternalError is a fault of the generator.
type InternalError struct {
	Doing string // what was going on: "processing F (f.go)"
	Err   error
	Stack []byte // of a panic
}

func (e *InternalError) Error() string {
	return fmt.Sprintf("internal error while %s: %v\n%splease report it, with the source of the function, at https://github.com/quabla/quabla/issues",
		e.Doing, e.Err, e.Stack)
}

func (e *InternalError) Unwrap() error { return e.Err }

// Guard calls f and turns a panic or an error in it into an InternalError. Of
// nested guards the innermost names what was going on.
func Guard(doing string, f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &InternalError{doing, fmt.Errorf("%v", v), debug.Stack()}
		}
	}()
	err = f()
	var internal *InternalError
	if err != nil && !errors.As(err, &internal) {
		err = &InternalError{Doing: doing, Err: err}
	}
	return err
}

// rtPath is the runtime that generated code imports. Its types are loaded along
// with the packages, since the output is type-checked before it is written.
const rtPath = "github.com/quabla/quabla/rt"

// Run generates. What is wrong with the user's packages is in Result.Diags; an
// error is about the run: the go command fails, or the generator does.
func Run(o Options) (r Result, err error) {
	r.Diags = new(diag.List)
	var failed error
	if err := Guard("loading packages", func() error {
		r, failed = run(o)
		return nil
	}); err != nil {
		return r, err
	}
	return r, failed
}

func run(o Options) (Result, error) {
	r := Result{Diags: new(diag.List)}
	if o.Out == nil {
		o.Out = os.Stdout
	}
	prog, err := analyze.Load(analyze.Config{
		Dir: o.Dir, Patterns: o.Patterns, Tags: o.Tags, Env: o.Env, Also: []string{rtPath},
		NewForms: o.NewForms, WorkForms: o.WorkForms,
	})
	if err != nil {
		return r, err
	}
	r.Diags = prog.Diags
	// Everything is built before anything is written.
	var plans [][]*output
	for _, pkg := range prog.Packages {
		plan, err := o.plan(pkg, r.Diags)
		if err != nil {
			return r, err
		}
		plans = append(plans, plan)
	}
	if o.IR {
		return r, nil
	}
	for _, plan := range plans {
		if o.Check || o.Diff {
			o.report(plan, r.Diags)
		} else {
			apply(plan, r.Diags)
		}
		for _, out := range plan {
			r.Files = append(r.Files, FileResult{out.path, out.status, out.done})
		}
	}
	return r, nil
}

// An output is a generated file as it is and as it should be.
type output struct {
	path    string
	old     []byte // nil if there is none
	content []byte // nil for an orphan
	status  Status
	tests   bool // tests of generated code
	done    bool
}

// A kind is one of the files generated from a source file.
type kind struct {
	name  string
	build BuildFunc
	tests bool
}

// plan builds the files of a package. A package with errors has no plan.
func (o *Options) plan(pkg *analyze.Package, all *diag.List) ([]*output, error) {
	if pkg.Bad {
		return nil, nil
	}
	diags := new(diag.List)
	defer func() { all.AddAll(diags) }()
	if o.CheckRules != nil {
		if err := Guard("checking the rules of "+pkg.Path, func() error { return o.CheckRules(pkg, diags) }); err != nil {
			return nil, err
		}
	}
	var plan []*output
	for _, group := range append(byFile(pkg.Requests), rulesOnly(pkg)...) {
		f := group.file
		doing := "processing " + group.describe()
		if o.IR {
			if err := Guard(doing, func() error { return o.printIR(pkg, f.Name, group.reqs, diags) }); err != nil {
				return nil, err
			}
			continue
		}
		var kinds []kind
		if len(group.reqs) > 0 {
			kinds = []kind{{OutputName(f.Name), o.Build, false}}
		}
		if o.Tests || o.BuildTests != nil && generated(filepath.Join(pkg.Dir, CheckName(f.Name))) {
			kinds = append(kinds, kind{CheckName(f.Name), o.BuildTests, true})
		}
		for _, k := range kinds {
			var content []byte
			err := Guard(doing, func() (err error) {
				if k.build == nil {
					return fmt.Errorf("nothing builds %s", k.name)
				}
				if content, err = k.build(pkg, f.Name, group.reqs, diags); err != nil || diags.HasErrors() {
					return err
				}
				content, err = complete(content, f)
				return err
			})
			if err != nil {
				return nil, err
			}
			if out := o.compare(filepath.Join(pkg.Dir, k.name), content, diags); out != nil {
				out.tests = k.tests
				plan = append(plan, out)
			}
		}
	}
	if diags.HasErrors() || pkg.Partial {
		return nil, nil
	}
	if err := checkOutput(pkg, plan, diags); err != nil || diags.HasErrors() {
		return nil, err
	}
	for _, g := range pkg.Generated {
		if orphan(g) {
			old, _ := os.ReadFile(g.Path)
			plan = append(plan, &output{path: g.Path, old: old, status: Orphan})
		}
	}
	slices.SortStableFunc(plan, func(a, b *output) int { return cmp.Compare(a.path, b.path) })
	return plan, nil
}

// generated reports whether there is a generated file of that name: tests that were
// asked for once are kept up to date.
func generated(path string) bool {
	src, err := os.ReadFile(path)
	if err != nil {
		return false
	}
	_, is := analyze.GeneratedSource(src)
	return is
}

// checkOutput type-checks what was built for a package.
func checkOutput(pkg *analyze.Package, plan []*output, diags *diag.List) error {
	files := make(map[string][]byte)
	for _, out := range plan {
		if !out.tests {
			files[out.path] = out.content
		}
	}
	err := pkg.CheckOutput(files)
	var output *analyze.OutputError
	if errors.As(err, &output) && output.Import != "" {
		diags.Add(diag.Diagnostic{
			Pos: token.Position{Filename: output.Pos.Filename}, Category: "load",
			Message: fmt.Sprintf("the generated code needs the package %s: %s", output.Import, output.Msg),
			Hint:    "run go get " + output.Import,
		})
		return nil
	}
	if err != nil {
		return &InternalError{Doing: "checking the generated code of " + pkg.Path, Err: err}
	}
	return nil
}

func (o *Options) printIR(pkg *analyze.Package, file string, reqs []*analyze.Request, diags *diag.List) error {
	if o.PrintIR == nil {
		return fmt.Errorf("nothing prints the IR")
	}
	return o.PrintIR(o.Out, pkg, file, reqs, diags)
}

// A group is a source file with its requests; there are none if it has rules only.
type group struct {
	file *analyze.File
	reqs []*analyze.Request
}

// byFile groups requests, which are in source order, by their source file.
func byFile(reqs []*analyze.Request) []group {
	var groups []group
	for i, r := range reqs {
		if i == 0 || r.File != reqs[i-1].File {
			groups = append(groups, group{file: r.File})
		}
		last := &groups[len(groups)-1]
		last.reqs = append(last.reqs, r)
	}
	return groups
}

// rulesOnly returns the files that have rules, but no requests. A function that stands
// for another as it is gives nothing to check by itself: its callers do.
func rulesOnly(pkg *analyze.Package) []group {
	var groups []group
	for _, r := range pkg.Rules() {
		f := r.File
		if r.As == nil && f.Owned && !slices.ContainsFunc(pkg.Requests, func(q *analyze.Request) bool { return q.File == f }) &&
			!slices.ContainsFunc(groups, func(g group) bool { return g.file == f }) {
			groups = append(groups, group{file: f})
		}
	}
	return groups
}

// describe names the functions of the requests: "Loss, Norm (model.go)".
func (g group) describe() string {
	var names []string
	for _, r := range g.reqs {
		if name := r.Func.Name(); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if names == nil {
		names = []string{"rules"}
	}
	return strings.Join(names, ", ") + " (" + g.file.Name + ")"
}

// complete checks the header of a generated file and adds the build constraint
// of its source if it lacks one.
func complete(content []byte, f *analyze.File) ([]byte, error) {
	header := analyze.HeaderLine(f.Name) + "\n"
	rest, ok := bytes.CutPrefix(content, []byte(header))
	if !ok {
		return nil, fmt.Errorf("the generated file does not begin with %q", header)
	}
	if f.Constraint == "" || bytes.Contains(content, []byte("\n"+f.Constraint+"\n")) {
		return content, nil
	}
	return slices.Concat([]byte(header), []byte("\n"+f.Constraint+"\n"), rest), nil
}

// compare compares the content that a file should have with the file on disk. It
// returns nil after a report if the file there is not ours.
func (o *Options) compare(path string, content []byte, diags *diag.List) *output {
	out := &output{path: path, content: content}
	old, err := os.ReadFile(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		out.status = Missing
		return out
	case err != nil:
		diags.Add(diag.Diagnostic{Message: fmt.Sprintf("cannot read %s: %v", path, reason(err)), Category: "write",
			Pos: token.Position{Filename: path}})
		return nil
	}
	if _, ours := analyze.GeneratedSource(old); !ours && len(bytes.TrimSpace(old)) > 0 {
		diags.Add(diag.Diagnostic{
			Pos: token.Position{Filename: path}, Category: "write",
			Message: "this file is in the way: quablagen would write it, but did not generate it",
			Hint:    "rename it, or the source file",
		})
		return nil
	}
	out.old = old
	// A checkout may have turned line ends into those of Windows.
	if !bytes.Equal(bytes.ReplaceAll(old, []byte("\r\n"), []byte("\n")), content) {
		out.status = Stale
	}
	return out
}

// orphan reports whether a generated file should not be there: its source has no
// directives, or it has not the name of a file generated from its source.
func orphan(g *analyze.GeneratedFile) bool {
	name := filepath.Base(g.Path)
	return g.Orphan || name != OutputName(g.Source) && name != CheckName(g.Source)
}

// report adds the files that are not up to date to the diagnostics and prints
// the differences if they are asked for.
func (o *Options) report(plan []*output, diags *diag.List) {
	for _, out := range plan {
		if out.status == Unchanged {
			continue
		}
		message := map[Status]string{
			Missing: "the generated file is missing",
			Stale:   "the generated file is stale",
			Orphan:  "the generated file is orphaned: its source has no directives any more",
		}[out.status]
		diags.Add(diag.Diagnostic{
			Pos: token.Position{Filename: out.path}, Message: message, Category: "check", Hint: "run go generate",
		})
		if o.Diff {
			dir := o.Dir
			if abs, err := filepath.Abs(dir); err == nil {
				dir = abs
			}
			fmt.Fprint(o.Out, unified(filepath.ToSlash(diag.Rel(dir, out.path)), out.old, out.content))
		}
	}
}
