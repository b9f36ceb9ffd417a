package bank

import (
	"github.com/quabla/quabla/analyze"
	"github.com/quabla/quabla/internal/bank/probe"
)

// planFunc describes the function of a request to the checker.
func planFunc(req *analyze.Request, d directive) *probe.Func {
	f := &probe.Func{Name: req.Name, Mode: d.mode, Group: d.group, Lanes: req.Lanes()}
	f.Levels = levels(req.Expr)
	for _, s := range req.Derived.All() {
		f.Params = append(f.Params, resolve(req.Expr, s))
	}
	for _, s := range req.Derived.Results {
		slot := resolve(req.Expr, s)
		f.Results = append(f.Results, slot)
		if s.Role != analyze.PullbackFunc {
			continue
		}
		in := &probe.Func{Name: req.Name + "()", Mode: d.mode, Group: d.group, Lanes: 1, Levels: f.Levels}
		for _, p := range s.Params {
			in.Params = append(in.Params, resolve(req.Expr, p))
		}
		for _, r := range s.Results {
			in.Results = append(in.Results, resolve(req.Expr, r))
		}
		f.Inner = in
	}
	e := req.Expr
	for e.Fn != nil && e.Fn.Verb != "" {
		e = e.Fn
	}
	for _, o := range e.Sig.Of {
		f.Of = append(f.Of, probe.Output{Post: o.Param, Index: o.Index})
	}
	if f.Inner != nil {
		f.Inner.Of = f.Of
	}
	return f
}

// levels returns the levels of a nest, the innermost first.
func levels(e *analyze.Expr) []probe.Level {
	if e.Verb == "" {
		return nil
	}
	in := levels(e.Fn)
	switch e.Verb {
	case analyze.Grad:
		return append(in, probe.Level{Reverse: true, Unit: true})
	case analyze.HVP, analyze.Hessian:
		return append(in, probe.Level{Reverse: true, Unit: true}, probe.Level{})
	case analyze.VJP, analyze.Pullback:
		return append(in, probe.Level{Reverse: true})
	}
	return append(in, probe.Level{})
}

// roles says what the verbs make of a slot, level by level.
var roles = map[analyze.Role][2]probe.Role{
	analyze.Primal:       {probe.Primal, probe.Primal},
	analyze.Tangent:      {probe.Tangent},
	analyze.Adjoint:      {probe.Adjoint},
	analyze.Cotangent:    {probe.Cotangent},
	analyze.Direction:    {probe.Primal, probe.Tangent},
	analyze.Product:      {probe.Adjoint, probe.Tangent},
	analyze.Matrix:       {probe.Primal, probe.Matrix},
	analyze.PullbackFunc: {probe.Pullback},
}

// resolve follows a slot of an expression down to the entry function.
func resolve(e *analyze.Expr, s analyze.Slot) probe.Slot {
	if e.Verb == "" {
		return probe.Slot{Name: s.Name, Of: s.Of, OfResult: s.OfResult}
	}
	out := probe.Slot{Of: -1}
	switch {
	case s.Of < 0:
		out.Roles = make([]probe.Role, len(levels(e.Fn)))
	case s.OfResult:
		out = resolve(e.Fn, e.Fn.Sig.Results[s.Of])
	default:
		out = resolve(e.Fn, e.Fn.Sig.All()[s.Of])
	}
	out.Name = s.Name
	if s.Role != analyze.Primal {
		out.InOut = s.InOut
	}
	pair := roles[s.Role]
	switch e.Verb {
	case analyze.HVP, analyze.Hessian:
		out.Roles = append(out.Roles, pair[0], pair[1])
	case analyze.Jacobian:
		out.Roles = append(out.Roles, pair[1])
	default:
		out.Roles = append(out.Roles, pair[0])
	}
	return out
}
