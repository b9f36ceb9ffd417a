package compile

import (
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"strings"

	"github.com/quabla/quabla/analyze"
	"github.com/quabla/quabla/deriv"
	"github.com/quabla/quabla/diag"
	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/lift"
	"github.com/quabla/quabla/ssair/pass"
)

// A unit is the work on one request: a module with the function, its
// derivatives and their helpers.
type unit struct {
	req     *analyze.Request
	env     *env
	mod     *ssair.Module
	lifter  *lift.Lifter
	deriver *deriv.Deriver
	// done holds the derived functions that the code calls, and nil for those
	// that are being built.
	done  map[*analyze.Request]*ssair.Func
	forms map[form]*ssair.Func // of those
	fn    *ssair.Func          // the result

	primal *ssair.Func // the function that the request is about
	span   *ssair.Func // of a batch in goroutines: the loop over a part of the members
	work   *workspace
	names  map[*ssair.Func]string // of helpers
	used   map[string]bool
	prefix string // of the names of helpers and types
}

// errRefused says that diagnostics tell what is wrong.
var errRefused = errors.New("refused")

// A Mode changes how derivatives are built; it is for tests.
type Mode struct {
	SaveAll bool
}

func newUnit(pkg *analyze.Package, req *analyze.Request, diags *diag.List, facts *packageFacts, mode Mode) *unit {
	mod := &ssair.Module{Fset: pkg.Program().Fset, Pkg: pkg.Types, Lanes: map[string]*types.Named{}}
	for _, k := range pkg.AllLaneTypes() {
		mod.Lanes[ssair.LaneKey(k.Of, k.N)] = k.Type
	}
	u := &unit{req: req, mod: mod, deriver: deriv.New(mod), done: map[*analyze.Request]*ssair.Func{}, forms: map[form]*ssair.Func{}, names: map[*ssair.Func]string{}, used: map[string]bool{}}
	u.env = &env{pkg: pkg, prog: pkg.Program(), req: req, diags: diags, unit: u, shared: facts}
	u.lifter = lift.New(mod, u.env)
	u.prefix = facts.prefix(req)
	mod.Prefix = u.prefix
	u.deriver.Check(func(b *ssair.Builder, x, y *ssair.Value, xn, yn string, shadow bool) {
		c := &checker{u: u, b: b, shadows: shadow}
		c.shape(x, y, xn, yn)
	})
	u.deriver.Apart(func(b *ssair.Builder, dests, others []*ssair.Value) {
		(&checker{u: u, b: b}).separate(dests, others)
	})
	u.deriver.Runtime(u.env.Runtime)
	if mode.SaveAll {
		u.deriver.SaveAll()
	}
	return u
}

// build makes the function that the request asks for.
func (u *unit) build() error {
	// While it is built the function is called as its helpers begin.
	f, err := u.eval(u.req, u.req.Expr, strings.ToUpper(u.prefix[:1])+u.prefix[1:])
	if err != nil {
		return err
	}
	u.fn = f
	f.Name = u.req.Name
	return nil
}

// derived returns the IR of another request's function, for code that calls
// it.
func (u *unit) derived(req *analyze.Request) *ssair.Func {
	if f, ok := u.done[req]; ok {
		return f
	}
	u.done[req] = nil
	f, err := u.eval(req, req.Expr, req.Name)
	if err != nil {
		return nil
	}
	u.done[req] = f
	return f
}

// eval makes the function of an expression. Its parameters and results are
// those of the signature, in that order.
func (u *unit) eval(req *analyze.Request, e *analyze.Expr, name string) (*ssair.Func, error) {
	if e.Verb == "" {
		f, err := u.source(req)
		if err == nil && req == u.req {
			u.primal = f
		}
		return f, err
	}
	inner, err := u.eval(req, e.Fn, name+"Of")
	if err != nil {
		return nil, err
	}
	pass.Tidy(inner)
	d, err := u.apply(req, e, inner, name)
	if err != nil {
		return nil, u.refused(err, e, inner)
	}
	if e.Fn.Verb == "" && e.Verb != analyze.VMap {
		u.warnIndependent(e, inner)
	}
	u.arrange(d, e.Sig)
	return d.Func, nil
}

// source returns the function that a request is about, with the derivatives inside of
// it resolved.
func (u *unit) source(req *analyze.Request) (*ssair.Func, error) {
	f := u.lifter.Func(req.Func, req.TypeArgs)
	if f == nil || !u.opensAll(f) {
		return nil, errRefused
	}
	f, err := u.deriver.Resolve(f)
	if err != nil {
		return nil, u.refused(err, nil, nil)
	}
	pass.Tidy(f)
	f.EachCallee(true, func(g *ssair.Func) {
		pass.Clones(g, g != f)
		pass.Presize(g, g != f)
	})
	if !u.keepsMatrices(f) || !u.sortsByExchange(f) {
		return nil, errRefused
	}
	u.inlineBatches(f)
	return f, nil
}

// refused reports what package deriv has refused and returns the error that stands
// for it. The function inner of the nest e, if it is one, has no name of its own.
func (u *unit) refused(err error, e *analyze.Expr, inner *ssair.Func) error {
	var r *deriv.Refusal
	if !errors.As(err, &r) {
		return err
	}
	msg, hint := r.Message, r.Hint
	if of, form := u.env.derivation(r.Func); form == analyze.NewForm {
		hint = fmt.Sprintf("call %s, with destinations that you make", of.Name)
	}
	if e != nil && e.Fn.Verb != "" {
		msg = strings.ReplaceAll(msg, inner.Name, e.Fn.String())
	}
	if obj := u.env.shared.private[r.Func]; obj != nil {
		msg = strings.Replace(msg, "its body cannot be read",
			fmt.Sprintf("its body uses %s (%s), which package %s does not export", obj.Name(), u.env.prog.Rel(obj.Pos()), obj.Pkg().Name()), 1)
		hint = fmt.Sprintf("ask for its derivative in package %s, and call that here", r.Func.Pkg().Name())
		if prog := u.env.prog; prog.Module(r.Func.Pkg().Path()) != prog.Module(u.env.pkg.Path) {
			hint = u.env.ruleHint(r.Func)
		}
	}
	if why, ok := u.lifter.Unlifted[r.Func]; ok {
		msg = fmt.Sprintf("cannot differentiate the rule %s: %s (%s)", r.Func.Name(), why.Message, u.env.prog.Rel(why.Pos))
		hint = why.Hint
	}
	u.env.report(r.Pos, 0, diag.Error, msg, hint)
	return errRefused
}

// warnIndependent says which parameters have no influence, so that a derivative
// of zeros surprises nobody.
func (u *unit) warnIndependent(e *analyze.Expr, f *ssair.Func) {
	var names []string
	params, _ := u.deriver.Independent(f, u.derivation(e, f)) // what is refused has been
	for _, i := range params {
		names = append(names, e.Fn.Sig.All()[i].Name)
	}
	if len(names) == 0 {
		return
	}
	what := "the result"
	if len(e.Sig.Of) > 1 || len(e.Sig.Of) == 1 && e.Sig.Of[0].Param {
		what = "no output"
	}
	verb := "does not depend"
	if what == "no output" {
		verb = "depends"
	}
	hint := ""
	if len(names) < len(e.Sig.Wrt) {
		hint = "name the others with wrt"
	}
	u.env.report(token.NoPos, token.NoPos, diag.Warning,
		fmt.Sprintf("%s of %s %s on %s: that derivative is zero", what, f.Name, verb, strings.Join(names, ", ")), hint)
}

// derivation says what the verb of e differentiates.
func (u *unit) derivation(e *analyze.Expr, inner *ssair.Func) deriv.Request {
	r := deriv.Request{
		Wrt:    make([]bool, len(inner.Params)),
		Result: make([]bool, len(inner.Results)),
		Param:  make([]bool, len(inner.Params)),
		Lanes:  e.Sig.Lanes,
	}
	for _, i := range e.Sig.Wrt {
		r.Wrt[i] = true
	}
	for _, o := range e.Sig.Of {
		if o.Param {
			r.Param[o.Index] = true
		} else {
			r.Result[o.Index] = true
		}
	}
	return r
}

// apply applies the verb of e to inner.
func (u *unit) apply(req *analyze.Request, e *analyze.Expr, inner *ssair.Func, name string) (*deriv.Derivative, error) {
	sig := e.Sig
	r := u.derivation(e, inner)
	r.Add = req.Add
	switch e.Verb {
	case analyze.Value:
		return u.deriver.Value(inner, name)
	case analyze.VMap:
		return u.deriver.VMap(inner, u.batchForm(req, e, inner), name)
	case analyze.Grad:
		return u.deriver.Grad(inner, r, name)
	case analyze.VJP:
		r.Bar = true
		return u.deriver.VJP(inner, r, name)
	case analyze.JVP:
		return u.deriver.JVP(inner, r, name)
	case analyze.HVP:
		return u.deriver.HVP(inner, r, name)
	case analyze.Pullback:
		pb := sig.Results[len(sig.Results)-1]
		for _, s := range sig.Results {
			if s.Role == analyze.PullbackFunc {
				pb = s
			}
		}
		return u.deriver.Pullback(inner, r, slots(pb.Params), slots(pb.Results), pb.Type, name)
	case analyze.Jacobian, analyze.Hessian:
		form, err := u.matrixForm(sig)
		if err != nil {
			return nil, err
		}
		if e.Verb == analyze.Jacobian {
			return u.deriver.Jacobian(inner, r, form, name)
		}
		return u.deriver.Hessian(inner, r, form, name)
	}
	u.env.report(e.Word.Pos, 0, diag.Error, fmt.Sprintf("%s is not supported yet", e.Verb), "")
	return nil, errRefused
}

// roles translates the roles of analyze.
var roles = map[analyze.Role]deriv.Role{
	analyze.Primal: deriv.Primal, analyze.Tangent: deriv.Tangent, analyze.Adjoint: deriv.Adjoint,
	analyze.Cotangent: deriv.Cotangent, analyze.Direction: deriv.Direction, analyze.Product: deriv.Product,
	analyze.Matrix: deriv.Matrix, analyze.PullbackFunc: deriv.Pullback, analyze.Batch: deriv.Batch,
}

func slots(list []analyze.Slot) []deriv.Slot {
	out := make([]deriv.Slot, len(list))
	for i, s := range list {
		out[i] = deriv.Slot{Role: roles[s.Role], Of: s.Of, OfResult: s.OfResult}
	}
	return out
}

// arrange brings a derivative into the order of its signature and names its
// parameters as the signature does.
func (u *unit) arrange(d *deriv.Derivative, sig *analyze.Derived) {
	all := sig.All()
	d.Arrange(slots(all), slots(sig.Results))
	for i, p := range d.Func.Params {
		p.Var = &ssair.Var{Name: all[i].Name}
	}
	for i := range d.Func.Results {
		d.Func.Results[i].Name = sig.Results[i].Name
	}
}
