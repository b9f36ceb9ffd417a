package compile

import (
	"errors"
	"fmt"
	"go/types"
	"io"
	"slices"
	"strings"

	"github.com/quabla/quabla/analyze"
	"github.com/quabla/quabla/diag"
	"github.com/quabla/quabla/emit"
	"github.com/quabla/quabla/generate"
	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// A Compiler builds generated files. It remembers what it has found out about
// the packages that it has seen, and is not safe for concurrent use.
type Compiler struct {
	Mode  Mode
	facts map[*analyze.Package]*packageFacts
	built map[*analyze.Request]built
	ruled map[*analyze.CustomRule]*ssair.Func // the functions that rules are for
}

// New returns a compiler.
func New() *Compiler {
	return &Compiler{facts: map[*analyze.Package]*packageFacts{}, built: map[*analyze.Request]built{}, ruled: map[*analyze.CustomRule]*ssair.Func{}}
}

// Options returns the hooks of package generate.
func (c *Compiler) Options() generate.Options {
	return generate.Options{CheckRules: c.CheckRules, Build: c.Build, BuildTests: c.BuildTests, PrintIR: c.PrintIR, NewForms: true, WorkForms: true}
}

// units builds the units of all requests of a file. Problems go to diags.
func (c *Compiler) units(pkg *analyze.Package, reqs []*analyze.Request, diags *diag.List) ([]*unit, error) {
	facts := c.factsOf(pkg)
	if len(reqs) > 0 {
		if _, err := pkg.Program().Import(rtPath); err != nil {
			req := reqs[0]
			diags.Add(diag.Diagnostic{
				Pos: pkg.Program().Position(req.Pos), Width: len(req.Text), Severity: diag.Error, Category: "load",
				Message: fmt.Sprintf("generated code needs the package %s: %s", rtPath, firstLine(err.Error())),
				Hint:    "run go get github.com/quabla/quabla",
			})
			return nil, nil
		}
	}
	var us []*unit
	for _, req := range reqs {
		u := newUnit(pkg, req, diags, facts, c.Mode)
		refused := false
		err := generate.Guard("the request "+req.Text+" of "+req.Func.Name(), func() error {
			err := u.build()
			if refused = err == errRefused; refused {
				return nil
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		if !refused {
			us = append(us, u)
		}
	}
	return us, nil
}

// Build implements generate.BuildFunc.
func (c *Compiler) Build(pkg *analyze.Package, file string, reqs []*analyze.Request, diags *diag.List) ([]byte, error) {
	us, err := c.units(pkg, reqs, diags)
	if err != nil || diags.HasErrors() {
		return nil, err
	}
	out := &emit.File{Pkg: pkg.Types, Header: analyze.HeaderLine(file)}
	for _, k := range pkg.LaneTypes(file) {
		out.Types = append(out.Types, emit.Type{Name: k.Type.Obj(), Doc: fmt.Sprintf("holds %d lanes for each float of [%s].", k.N, types.TypeString(k.Of, types.RelativeTo(pkg.Types)))})
	}
	for _, u := range us {
		u.finish()
		u.checkPredeclared()
		c.note(u)
		for _, tn := range u.usedTypes() {
			t := emit.Type{Name: tn, Doc: u.mod.TypeDocs[tn]}
			if mentionsTypeParam(tn.Type(), nil) {
				t.Params = u.req.TypeParams()
			}
			out.Types = append(out.Types, t)
		}
		out.Numbers = append(out.Numbers, u.usedNumbers()...)
		if u.work != nil {
			out.Works = append(out.Works, emit.Work{Type: u.work.typ.Obj(), For: u.workFor(), Params: u.req.TypeParams()})
		}
		out.Funcs = append(out.Funcs, u.emitted()...)
	}
	if diags.HasErrors() {
		return nil, nil
	}
	out.Notice = notice(us)
	src, err := out.Source()
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, src)
	}
	return src, nil
}

// PrintIR implements generate.IRFunc.
func (c *Compiler) PrintIR(w io.Writer, pkg *analyze.Package, file string, reqs []*analyze.Request, diags *diag.List) error {
	us, err := c.units(pkg, reqs, diags)
	if err != nil {
		return err
	}
	for _, u := range us {
		u.finish()
		fmt.Fprintf(w, "// %s\n", u.req.Text)
		for _, f := range u.reachable() {
			fmt.Fprintf(w, "%s\n", f)
		}
	}
	return nil
}

// finish optimises the functions of the unit.
func (u *unit) finish() {
	all := u.reachable()
	for _, f := range all {
		dropAs(f)
		pass.Finish(f)
	}
	pass.ShrinkRecords(u.mod, all)
	for _, f := range all {
		pass.Tidy(f)
		pass.Spell(f)
	}
	u.shell()
}

// dropAs leaves the values of rt.As, when all derivatives are made.
func dropAs(f *ssair.Func) {
	var ops []*ssair.Op
	f.Body.Walk(func(o *ssair.Op) bool {
		if o.Kind == ssair.Apply && o.Fn == "rt.As" {
			ops = append(ops, o)
			if v := o.Args[0]; v.Var == nil {
				v.Var = o.Result().Var
			}
		}
		return true
	})
	for _, o := range ops {
		f.Body.ReplaceAll(map[*ssair.Value]*ssair.Value{o.Result(): o.Args[0]})
		o.Remove()
	}
}

// workFor returns the name of the function that the work space of the unit serves.
func (u *unit) workFor() string {
	if u.work.fn == u.fn {
		return u.req.Name
	}
	return u.helperName(u.work.fn)
}

// reachable returns the function of the request and the helpers that it calls.
func (u *unit) reachable() []*ssair.Func { return u.reach(u.fn) }

// reach returns f and the helpers that it calls.
func (u *unit) reach(f *ssair.Func) []*ssair.Func {
	var out []*ssair.Func
	seen := map[*ssair.Func]bool{}
	var visit func(f *ssair.Func)
	visit = func(f *ssair.Func) {
		if seen[f] {
			return
		}
		seen[f] = true
		out = append(out, f)
		f.Body.Walk(func(o *ssair.Op) bool {
			if o.Callee != nil && !u.callable(o.Callee) {
				visit(o.Callee)
			}
			return true
		})
	}
	visit(f)
	return out
}

// callable reports whether generated code can call the source of f by its name.
func (u *unit) callable(f *ssair.Func) bool {
	if !f.Declared || f == u.fn {
		return false
	}
	obj := f.Obj
	if obj.Pkg() != u.env.pkg.Types && (!obj.Exported() || strings.Contains(obj.Pkg().Path(), "internal/")) {
		return false
	}
	return true
}

// runnable reports whether the source of f can run as it stands: neither f nor a function
// that it calls has derivatives inside.
func runnable(f *ssair.Func) bool {
	ok := true
	f.EachCallee(false, func(g *ssair.Func) { ok = ok && !g.Inner })
	return ok
}

// usedTypes returns the record types that the functions of the unit use.
func (u *unit) usedTypes() []*types.TypeName {
	used := map[*types.TypeName]bool{}
	var mark func(t types.Type)
	mark = func(t types.Type) {
		switch t := t.(type) {
		case *types.Named:
			for a := range t.TypeArgs().Types() {
				mark(a)
			}
			for _, tn := range u.mod.Types {
				if tn == t.Obj() && !used[tn] {
					used[tn] = true
					mark(t.Underlying())
				}
			}
		case *types.Struct:
			for f := range t.Fields() {
				mark(f.Type())
			}
		case *types.Map:
			mark(t.Key())
			mark(t.Elem())
		case *types.Pointer:
			mark(t.Elem())
		case *types.Slice:
			mark(t.Elem())
		case *types.Array:
			mark(t.Elem())
		}
	}
	for _, f := range u.reachable() {
		for _, p := range f.Params {
			mark(p.Type)
		}
		f.Body.Walk(func(o *ssair.Op) bool {
			for _, v := range o.Results {
				mark(v.Type)
			}
			if o.Type != nil {
				mark(o.Type)
			}
			return true
		})
	}
	var out []*types.TypeName
	for _, tn := range u.mod.Types {
		if used[tn] {
			out = append(out, tn)
		}
	}
	return out
}

// usedNumbers returns the groups of constants that the functions of the unit use.
func (u *unit) usedNumbers() []*ssair.Numbers {
	used := map[types.Object]bool{}
	for _, f := range u.reachable() {
		f.Body.Walk(func(o *ssair.Op) bool {
			if o.Kind == ssair.Const && o.Obj != nil {
				used[o.Obj] = true
			}
			return true
		})
	}
	return slices.DeleteFunc(slices.Clone(u.mod.Numbers), func(g *ssair.Numbers) bool {
		return !slices.ContainsFunc(g.Consts, func(c *types.Const) bool { return used[c] })
	})
}

// emitted returns the functions to print, the public one first.
func (u *unit) emitted() []*emit.Func {
	var out []*emit.Func
	sig := u.req.Derived
	var results []string
	for _, s := range sig.Results {
		results = append(results, s.Name)
	}
	for _, f := range u.reachable() {
		e := &emit.Func{IR: f, Name: u.helperName(f)}
		if f == u.fn {
			e.Name = u.req.Name
			e.Doc = u.doc()
			e.Recv = sig.Recv != nil
			e.TypeParams = sig.TypeParams
			if u.work != nil && u.work.fn == f {
				e.Pool = &emit.Pool{
					Var: u.poolName(), Work: u.req.WorkName, In: u.req.InName, Param: u.work.param,
					InDoc: u.inDoc(),
				}
			}
			for _, p := range f.Params {
				e.Params = append(e.Params, p.Name())
			}
			e.Results = results
			e.Fresh = u.fresh()
		} else {
			e.Doc = u.helperDoc(f)
			if generic(f) {
				e.TypeParams = u.req.TypeParams()
			}
			if u.work != nil && u.work.fn == f {
				e.Results = results // the form with a pool returns them behind a Put
				e.Pool = &emit.Pool{
					Var: u.poolName(), Work: u.work.typ.Obj().Name(), In: e.Name + "In", Param: u.work.param,
					InDoc: fmt.Sprintf("%s is %s with a work space.", e.Name+"In", e.Name),
				}
			}
		}
		out = append(out, e)
	}
	return out
}

// generic reports whether a value of f has a type that mentions a type parameter.
func generic(f *ssair.Func) bool {
	found := false
	see := func(v *ssair.Value) { found = found || mentionsTypeParam(v.Type, nil) }
	for _, p := range f.Params {
		see(p)
	}
	for _, r := range f.Results {
		found = found || mentionsTypeParam(r.Type, nil)
	}
	f.Body.Walk(func(o *ssair.Op) bool {
		for _, v := range o.Results {
			see(v)
		}
		return !found
	})
	return found
}

// mentionsTypeParam reports whether a type parameter is part of t; for types of the
// module that is a matter of what they are made of.
func mentionsTypeParam(t types.Type, seen []types.Type) bool {
	if slices.Contains(seen, t) {
		return false
	}
	seen = append(seen[:len(seen):len(seen)], t)
	in := func(ts ...types.Type) bool {
		return slices.ContainsFunc(ts, func(t types.Type) bool { return mentionsTypeParam(t, seen) })
	}
	switch t := t.(type) {
	case *types.TypeParam:
		return true
	case *types.Alias:
		return in(types.Unalias(t))
	case *types.Named:
		if t.TypeArgs().Len() > 0 {
			return in(slices.Collect(t.TypeArgs().Types())...)
		}
		// A type of the source that is not generic mentions none.
		return t.Obj().Parent() == nil && in(t.Underlying())
	case *types.Pointer:
		return in(t.Elem())
	case *types.Slice:
		return in(t.Elem())
	case *types.Array:
		return in(t.Elem())
	case *types.Chan:
		return in(t.Elem())
	case *types.Map:
		return in(t.Key(), t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			if in(f.Type()) {
				return true
			}
		}
	case *types.Tuple:
		for v := range t.Variables() {
			if in(v.Type()) {
				return true
			}
		}
	case *types.Signature:
		return in(t.Params(), t.Results())
	}
	return false
}

// Func returns the function of a request in the IR, finished as for printing,
// or nil after a refusal, which goes to diags. The parameters and results are
// those of the request's signature.
func (c *Compiler) Func(pkg *analyze.Package, req *analyze.Request, diags *diag.List) (*ssair.Func, error) {
	us, err := c.units(pkg, []*analyze.Request{req}, diags)
	if err != nil || len(us) == 0 {
		return nil, err
	}
	us[0].finish()
	us[0].checkPredeclared()
	if diags.HasErrors() {
		return nil, nil
	}
	return us[0].fn, nil
}

// Primal returns a function of a package in the IR, for the interpreter, or nil
// after a refusal.
func (c *Compiler) Primal(pkg *analyze.Package, req *analyze.Request, diags *diag.List) (f *ssair.Func, err error) {
	u := newUnit(pkg, req, diags, newPackageFacts(), c.Mode)
	err = generate.Guard("the function "+req.Func.Name(), func() error {
		var err error
		if f, err = u.source(req); errors.Is(err, errRefused) {
			err = nil // diags say why
		}
		return err
	})
	return f, err
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	s, _, _ = strings.Cut(s, "; to add it")
	return s
}
