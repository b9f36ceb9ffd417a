package analyze

import (
	"errors"

	"github.com/quabla/quabla/diag"
)

// Variant returns the request for another verb, applied to the same function,
// for the same outputs and with respect to the same parameters as the outermost
// verb of r. No directive asks for it, so there is no function of its name: it
// is for tests, which compare one mode with another. The error says why the verb
// cannot be applied.
func (r *Request) Variant(verb Verb, lanes int) (*Request, error) {
	return r.variant(r.Expr.Fn, r.Derived.Wrt, r.Derived.Of, verb, lanes)
}

// ValueForm returns the request for the value form of the function that r is
// about, like [Request.Variant].
func (r *Request) ValueForm() (*Request, error) {
	leaf := r.Expr
	for leaf.Fn != nil {
		leaf = leaf.Fn
	}
	return r.variant(leaf, nil, nil, Value, 1)
}

func (r *Request) variant(on *Expr, wrt []int, of []Output, verb Verb, lanes int) (*Request, error) {
	fn := on.Sig
	list := new(diag.List)
	a := &applier{
		reporter: &reporter{r.Pkg.prog.Fset, list, "directive"},
		classer:  classer{r.Pkg.Types},
		lanes:    r.Pkg.lanes,
		imp:      r.Pkg.prog.Import,
	}
	at := r.Directive.verbWord()
	v := &application{verb: verb, word: at, lanes: lanes, lanesAt: at}
	for _, i := range wrt {
		v.wrt = append(v.wrt, Word{fn.All()[i].Name, at.Pos})
	}
	for _, o := range of {
		v.of = append(v.of, Word{ofName(fn, o), at.Pos})
	}
	sig := a.apply(fn, v)
	for _, d := range list.All() {
		return nil, errors.New(d.Message)
	}
	return r.with(&Expr{Verb: verb, Fn: on, Sig: sig, Word: at}, verb.Suffix()), nil
}

// Inner returns the request for the function that the outermost verb of r is
// applied to, in a nest of verbs: its derivatives without the values beside
// them. It returns nil if that is the function of the directive itself.
func (r *Request) Inner() *Request {
	e := r.Expr.Fn
	if e == nil || e.Verb == "" {
		return nil
	}
	return r.with(e, "Inner")
}

// with returns a copy of r that asks for e.
func (r *Request) with(e *Expr, suffix string) *Request {
	q := *r
	sig := *e.Sig
	q.Expr = &Expr{Verb: e.Verb, Fn: e.Fn, Sig: &sig, Word: e.Word}
	q.Verb, q.Derived, q.Add = e.Verb, &sig, false
	q.Name = r.Name + suffix
	sig.Name = q.Name
	q.NewName, q.InName, q.WorkName = "", q.Name+"In", q.Name+"Work"
	return &q
}
