package analyze

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/quabla/quabla/diag"
)

// A Request asks for one derived function.
type Request struct {
	Func *types.Func // the function; generic if TypeArgs is not nil
	Decl *ast.FuncDecl
	Pkg  *Package
	File *File

	Verb Verb
	Expr *Expr // for a verb other than derive, the verb applied to the function
	Name string
	Add  bool // accumulate into destinations

	// Parallel distributes the members of a batch over goroutines.
	Parallel bool

	// TypeArgs is set if the request is for one instance of a generic function,
	// whose constraints admit more than floats.
	TypeArgs []types.Type

	// Derived is the signature of the function to be derived.
	Derived  *Derived
	NewName  string // of the form that allocates, FNewGrad
	InName   string // of the form with a work space, FGradIn
	WorkName string // of the work space, FGradWork

	Sparse    bool
	Directive *Directive
	Pos       token.Pos // of the directive
	Text      string    // the directive
}

// Wrt returns the indices of the parameters that the outermost verb
// differentiates with respect to; the receiver counts as number 0 of a method.
func (r *Request) Wrt() []int { return r.Derived.Wrt }

// Of returns the outputs that the outermost verb differentiates.
func (r *Request) Of() []Output { return r.Derived.Of }

// Lanes returns how many directions the outermost verb carries.
func (r *Request) Lanes() int { return r.Derived.Lanes }

// For says what the request is for, as notes of diagnostics do: "the gradient of
// Loss with respect to w".
func (r *Request) For() string {
	what := map[Verb]string{
		Grad: "gradient", JVP: "Jacobian-vector product", VJP: "vector-Jacobian product", Pullback: "pullback",
		Jacobian: "Jacobian", Hessian: "Hessian", HVP: "Hessian-vector product", VMap: "batched form", Value: "value",
	}[r.Verb]
	if what == "" {
		return fmt.Sprintf("%s, derived from %s", r.Name, r.Func.Name())
	}
	s := fmt.Sprintf("the %s of %s", what, r.Func.Name())
	if r.Derived == nil || len(r.Derived.Wrt) == 0 {
		return s
	}
	var names []string
	for _, i := range r.Derived.Wrt {
		names = append(names, r.Expr.Fn.Sig.All()[i].Name)
	}
	return s + " with respect to " + strings.Join(names, ", ")
}

// A requester turns the directives of a package into requests.
type requester struct {
	*reporter
	pkg   *Package
	taken map[string]*Request // by the name of the receiver's type, a point, and the name
}

// buildRequests fills Requests and all of a checked package and reports problems
// to list.
func (p *Package) buildRequests(list *diag.List) {
	r := &requester{
		reporter: &reporter{p.prog.Fset, list, "directive"},
		pkg:      p,
		taken:    make(map[string]*Request),
	}
	p.lanes = &laneTypes{pkg: p}
	p.all, p.Requests, p.failed, p.rules = nil, nil, make(map[string]bool), make(map[*types.Func]*CustomRule)
	p.standIns = make(map[*types.TypeName]*StandIn)
	nondiff := make(map[*types.Func]map[int]string)
	for _, d := range p.Directives {
		if d.Func != nil && d.Stmt == nil && d.Verb == NonDiff {
			if fn, ok := p.Info.Defs[d.Func.Name].(*types.Func); ok {
				nondiff[fn] = r.paramSet(d)
			}
		}
	}
	for _, d := range p.Directives {
		switch d.Verb {
		case CustomJVP, CustomVJP, RuleFor:
			r.resolveRule(d, nondiff)
		case Checkpoint:
			d.checkpoint(r.reporter)
		case Parallel, Shape, Inactive:
			r.errorf(d.verbWord(), "take the directive away", "quabla:%s is not supported yet", d.Verb)
		}
		if !d.Verb.Derives() {
			continue
		}
		fn, _ := p.Info.Defs[d.Func.Name].(*types.Func)
		name, ok := r.derivedName(d)
		if fn == nil || !ok || invalid(fn.Signature()) {
			p.failed[name] = true // a compile error is reported elsewhere
			continue
		}
		p.lanes.used = nil
		reqs := r.requests(d, fn, name, nondiff[fn])
		if reqs == nil {
			p.failed[name] = true
		}
		for _, req := range reqs {
			if req.Derived == nil {
				p.failed[req.Name] = true // has no stub
				r.unsupported(req)
				continue
			}
			if !r.claim(req) {
				p.failed[req.Name] = true
				continue
			}
			p.all = append(p.all, req)
			p.lanes.claim(req)
			if d.File.Owned {
				p.Requests = append(p.Requests, req)
			}
		}
	}
}

// unsupported refuses a request whose signature is not known yet.
func (r *requester) unsupported(req *Request) {
	r.errorf(req.Directive.verbWord(), "leave out sparse: the matrix is dense then", "sparse in quabla:%s is not supported yet", req.Verb)
}

// paramSet returns the indices of the parameters that a directive lists.
func (r *requester) paramSet(d *Directive) map[int]string {
	fn, _ := r.pkg.Info.Defs[d.Func.Name].(*types.Func)
	if fn == nil {
		return nil
	}
	sig := primal(fn.Name(), fn.Signature(), r.classer())
	set := make(map[int]string)
	for _, w := range d.Args {
		var names []string
		found := false
		for i, s := range sig.All() {
			names = append(names, s.Name)
			if s.Name == w.Text {
				set[i] = "//quabla:" + string(d.Verb)
				found = true
			}
		}
		if !found {
			hint := ""
			if n := diag.Nearest(w.Text, names); n != "" {
				hint = "did you mean " + n + "?"
			}
			r.errorf(w, hint, "%s has no parameter %s", fn.Name(), w.Text)
		}
	}
	return set
}

func (r *requester) classer() classer { return classer{r.pkg.Types} }

// derivedName returns the name of the function that d asks for.
func (r *requester) derivedName(d *Directive) (string, bool) {
	k := d.Key("name")
	if d.Func.Name.Name == "_" {
		r.errorf(Word{"_", d.Func.Name.Pos()}, "", "a function without a name cannot be differentiated")
		return "", false
	}
	if k == nil {
		name := d.Func.Name.Name + d.Verb.Suffix()
		if l := d.Key("lanes"); l != nil && l.Value.Text != "1" {
			name += l.Value.Text
		}
		return name, true
	}
	name := k.Value.Text
	switch {
	case !token.IsIdentifier(name) || name == "_":
		r.errorf(k.Value, "", "%s is no name for a function", name)
		return name, false
	case d.Func.Recv == nil && (name == "init" || name == "main" || types.Universe.Lookup(name) != nil):
		r.errorf(k.Value, "choose another name", "a function cannot be called %s", name)
		return name, false
	}
	return name, true
}

// requests returns the requests of one directive: one, or one for each instance
// of a generic function. It returns nil after a report.
func (r *requester) requests(d *Directive, fn *types.Func, name string, nondiff map[int]string) []*Request {
	sig := fn.Signature()
	open := openTypeParam(sig)
	if open == nil {
		if req := r.request(r.reporter, d, fn, sig, name, nondiff); req != nil {
			return []*Request{req}
		}
		return nil
	}
	at := Word{fn.Name(), d.Func.Name.Pos()}
	restrict := fmt.Sprintf("restrict %s to floats, as in ~float32 | ~float64", open.Obj().Name())
	if sig.Recv() != nil {
		r.errorf(at, restrict, "type parameter %s of the receiver of %s admits more than floats", open.Obj().Name(), fn.Name())
		return nil
	}
	instances := r.pkg.instances(fn)
	var reqs []*Request
	var list diag.List
	for _, targs := range instances {
		inst, err := types.Instantiate(nil, sig, targs, true)
		if err != nil {
			continue
		}
		quiet := &reporter{r.fset, &list, r.category}
		req := r.request(quiet, d, fn, inst.(*types.Signature), name+instanceSuffix(targs), nondiff)
		if req != nil {
			req.TypeArgs = targs
			reqs = append(reqs, req)
		}
	}
	switch {
	case len(reqs) > 0:
	case len(instances) > 0:
		r.list.AddAll(&list)
	default:
		r.errorf(at, restrict+", or call it with floats in this package",
			"type parameter %s of %s admits more than floats, and no instance of %s is used in this package",
			open.Obj().Name(), fn.Name(), fn.Name())
	}
	return reqs
}

// request builds the request for one signature, or nil after a report.
func (r *requester) request(rep *reporter, d *Directive, fn *types.Func, sig *types.Signature, name string, nondiff map[int]string) *Request {
	req := &Request{
		Func: fn, Decl: d.Func, Pkg: r.pkg, File: d.File, Verb: d.Verb, Name: name,
		Add: d.Flag("add"), Parallel: d.Flag("parallel"), Sparse: d.Flag("sparse"),
		Directive: d, Pos: d.Pos, Text: d.Text,
	}
	a := &applier{reporter: rep, classer: r.classer(), lanes: r.pkg.lanes, imp: r.pkg.prog.Import}
	leaf := &Expr{Sig: primal(fn.Name(), sig, a.classer), Word: Word{fn.Name(), d.Func.Name.Pos()}}
	syntax := d.expr
	if syntax == nil {
		syntax = &exprSyntax{
			word: d.verbWord(), fn: &exprSyntax{word: leaf.Word}, lanes: 1,
			wrt: d.values("wrt"), of: d.values("of"),
		}
		if l := d.Key("lanes"); l != nil {
			n, ok := parseLanes(rep, l.Value)
			if !ok {
				return nil
			}
			syntax.lanes, syntax.lanesAt = n, l.Value
		}
		if d.Verb == VMap {
			syntax.wrt = d.values("in")
		}
	}
	b := &exprBuilder{applier: a, leaf: leaf, nondiff: nondiff, simple: d.expr == nil, verb: d.Verb}
	if req.Expr = b.build(syntax); req.Expr == nil {
		return nil
	}
	if req.Sparse {
		return req
	}
	req.Derived = req.Expr.Sig
	req.Derived.Name = name
	hasDest := slices.ContainsFunc(req.Derived.Params, func(s Slot) bool { return s.destination() }) || req.Expr.Verb == Pullback
	if req.Parallel && req.Expr.Verb != VMap {
		rep.errorf(d.verbWord(), "make vmap the outermost verb, or leave out parallel", "parallel distributes the members of a batch, but %s is none", req.Expr)
		return nil
	}
	if req.Add && req.Expr.Verb == VMap {
		rep.errorf(d.verbWord(), "leave out add", "vmap stores what each member computes; there is nothing to add to")
		return nil
	}
	if req.Add && !hasDest {
		rep.errorf(d.verbWord(), "leave out add", "add has no effect: every derivative of %s is a result", fn.Name())
		return nil
	}
	if r.pkg.prog.wantNew && req.Expr.Verb != VMap && req.Derived.New("") != nil {
		req.NewName = newName(fn.Name(), name, d.Key("name") == nil)
	}
	if r.pkg.prog.wantWork && req.Verb != Pullback && !req.Parallel {
		req.InName, req.WorkName = name+"In", name+"Work"
		if named := recvNamed(fn); named != nil {
			req.WorkName = named.Obj().Name() + strings.ToUpper(name[:1]) + name[1:] + "Work"
		}
	}
	return req
}

// claim reports whether the names of a request are free, and takes them.
func (r *requester) claim(req *Request) bool {
	at := req.Directive.verbWord()
	if k := req.Directive.Key("name"); k != nil {
		at = k.Value
	}
	const hint = "choose another name with name="
	named := recvNamed(req.Func)
	for _, name := range []string{req.Name, req.NewName, req.InName, req.WorkName} {
		if name == "" {
			continue
		}
		owner := ""
		if named != nil && name != req.WorkName {
			owner = named.Obj().Name() + "."
		}
		if other := r.taken[owner+name]; other != nil {
			r.report(at, hint, fmt.Sprintf("the other directive is at %s", r.position(other.Pos)),
				"two directives derive %s", owner+name)
			return false
		}
		if obj := r.pkg.declared(named, name, name == req.WorkName); obj != nil {
			r.report(at, hint, fmt.Sprintf("the other declaration is at %s", r.position(obj.Pos())),
				"the derived function %s clashes with an existing declaration", owner+name)
			return false
		}
		r.taken[owner+name] = req
	}
	return true
}

// report is errorf with a note.
func (r *reporter) report(w Word, hint, note, format string, args ...any) {
	r.list.Add(diag.Diagnostic{
		Pos: r.fset.Position(w.Pos), Width: len(w.Text), Category: r.category,
		Message: fmt.Sprintf(format, args...), Hint: hint, Notes: []string{note},
	})
}

// position returns a position for notes: file, line and column.
func (r *reporter) position(pos token.Pos) string {
	at := r.fset.Position(pos)
	return baseName(at.Filename) + ":" + strconv.Itoa(at.Line) + ":" + strconv.Itoa(at.Column)
}

// recvNamed returns the type that fn is a method of, or nil.
func recvNamed(fn *types.Func) *types.Named {
	recv := fn.Signature().Recv()
	if recv == nil {
		return nil
	}
	t := types.Unalias(recv.Type())
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	named, _ := t.(*types.Named)
	if named != nil {
		named = named.Origin()
	}
	return named
}

// declared returns what the user has declared under a name: a field or method of
// named, or, for a function or a type, something in the scope of the package or
// of one of its files.
func (p *Package) declared(named *types.Named, name string, isType bool) types.Object {
	user := func(obj types.Object) types.Object {
		if obj == nil || p.inStubs(obj.Pos()) || p.inGenerated {
			return nil
		}
		return obj
	}
	if named != nil && !isType {
		for m := range named.Methods() {
			if m.Name() == name {
				return user(m)
			}
		}
		if s, ok := named.Underlying().(*types.Struct); ok {
			for f := range s.Fields() {
				if f.Name() == name {
					return f
				}
			}
		}
		return nil
	}
	if obj := user(p.Types.Scope().Lookup(name)); obj != nil {
		return obj
	}
	for _, f := range p.Files {
		if scope := p.Info.Scopes[f.Syntax]; scope != nil {
			if obj := scope.Lookup(name); obj != nil {
				return obj
			}
		}
	}
	return nil
}
