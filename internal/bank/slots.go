package bank

import (
	"go/types"

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
	f.Of = outputs(req.Expr)
	if f.Inner != nil {
		f.Inner.Of = f.Of
	}
	if hasBatch(req.Expr) {
		f.Batch = planBatch(req, f)
	}
	return f
}

// outputs returns the outputs of the entry function that the innermost verb that
// differentiates sees.
func outputs(e *analyze.Expr) []probe.Output {
	var first *analyze.Expr
	for ; e.Verb != ""; e = e.Fn {
		if e.Verb != analyze.VMap {
			first = e
		}
	}
	if first == nil {
		return nil
	}
	var list []probe.Output
	for _, o := range first.Sig.Of {
		out := probe.Output{Post: o.Param, Index: o.Index}
		for in := first.Fn; in.Verb == analyze.VMap; in = in.Fn {
			s := in.Sig.All()[out.Index]
			out = probe.Output{Post: s.Role != analyze.Batch, Index: s.Of}
		}
		list = append(list, out)
	}
	return list
}

func hasBatch(e *analyze.Expr) bool {
	return e.Verb == analyze.VMap || e.Fn != nil && hasBatch(e.Fn)
}

// planBatch says what the parameters and results of a nest with vmap are for a
// member.
func planBatch(req *analyze.Request, f *probe.Func) *probe.Batch {
	b := &probe.Batch{Member: &probe.Func{Mode: f.Mode, Group: f.Group, Levels: f.Levels, Lanes: 1, Of: f.Of}}
	place := func(slot probe.Slot, axis, result bool) probe.BatchSlot {
		p := probe.BatchSlot{Shared: !axis}
		top := probe.Primal
		for _, r := range slot.Roles {
			if r != probe.Primal {
				top = r
			}
		}
		if slot.OfResult && top == probe.Adjoint {
			// The cotangent of a destination for results is that of a result.
			for i, r := range slot.Roles {
				if r == probe.Adjoint {
					slot.Roles[i], slot.InOut = probe.Cotangent, false
				}
			}
			top = probe.Cotangent
		}
		p.Sum = p.Shared && top == probe.Adjoint
		slot.Summed = p.Sum
		p.Result = result || slot.OfResult && top != probe.Cotangent
		list := &b.Member.Params
		if p.Result {
			list = &b.Member.Results
		}
		p.Index = len(*list)
		*list = append(*list, slot)
		return p
	}
	for i, s := range req.Derived.All() {
		b.Params = append(b.Params, place(f.Params[i], hasAxis(req.Expr, s), s.Role == analyze.Batch))
	}
	for i, s := range req.Derived.Results {
		if types.Identical(s.Type, types.Universe.Lookup("error").Type()) {
			b.Results = append(b.Results, probe.BatchSlot{Error: true})
			continue
		}
		b.Results = append(b.Results, place(f.Results[i], hasAxis(req.Expr, s), true))
	}
	return b
}

// hasAxis reports whether a slot of an expression has a batch axis.
func hasAxis(e *analyze.Expr, s analyze.Slot) bool {
	switch {
	case e.Verb == "" || s.Of < 0:
		return false
	case s.Role == analyze.Batch:
		return true
	case s.OfResult:
		return e.Verb != analyze.VMap && hasAxis(e.Fn, e.Fn.Sig.Results[s.Of])
	case e.Verb == analyze.VMap && e.Sig.Batched[s.Of]:
		return true
	}
	return hasAxis(e.Fn, e.Fn.Sig.All()[s.Of])
}

// levels returns the levels of a nest, the innermost first.
func levels(e *analyze.Expr) []probe.Level {
	if e.Verb == "" {
		return nil
	}
	in := levels(e.Fn)
	switch e.Verb {
	case analyze.VMap: // does the same for each member
		return in
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
	if e.Verb == analyze.VMap {
		return out
	}
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
