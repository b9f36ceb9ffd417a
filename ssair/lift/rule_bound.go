package lift

import (
	"cmp"
	"go/ast"
	"go/types"

	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// callRuled lifts a call of a function with a rule.
func (fr *frame) callRuled(e ast.Node, fn *types.Func, r *RuleSource, targs []types.Type, args []val) []val {
	f := fr.l.ruled(fn, r, targs)
	static, rest := split(args)
	var capt []*variable
	bound := len(static) > 0 && fr.l.readable(fn)
	if f != nil && bound {
		capt = fr.variablesOf(e, sortedStatic(static))
		f = fr.l.ruledBound(fn, r, targs, f, &binding{static, capt})
	}
	switch {
	case f == nil:
		fr.root.failed = true
		panic(refusal{})
	case bound:
		return fr.callCapturing(e, f, capt, rest)
	}
	return fr.callIR(e, f, args)
}

func (l *Lifter) readable(fn *types.Func) bool {
	src := l.Env.Source(fn)
	return src != nil && src.Decl.Body != nil
}

// ruledBound returns fn, which takes functions, for the functions that it is called
// with. What these capture become parameters, in front of the others, of fn and of
// the rules that take the functions; no rule covers them. any is fn with its rule for
// any functions: it has shown that the signatures fit.
func (l *Lifter) ruledBound(fn *types.Func, r *RuleSource, targs []types.Type, any *ssair.Func, bound *binding) *ssair.Func {
	key := "rule " + l.key(fn, targs) + keyOf(bound.static)
	if f, ok := l.funcs[key]; ok {
		return f
	}
	x := &ruleLifter{Lifter: l, fn: fn, r: r, targs: targs, f: l.Mod.NewFunc(fn.Name()), known: true}
	f := x.f
	l.funcs[key] = f
	if !l.specialised(f, fn.Name(), fn, l.Env.Source(fn), targs, bound) {
		return nil
	}
	// at[i] is the place of parameter i of fn among those of f, -1 for a function.
	n := len(bound.capt)
	at := make([]int, len(any.Params))
	f.Rule = &ssair.Rule{Surrogate: r.Surrogate, Covers: make([]bool, len(f.Params)), Writes: make([]bool, len(f.Params))}
	next := n
	for i, c := range any.Rule.Covers {
		if at[i] = -1; bound.static[i] == nil {
			f.Rule.Covers[next] = c
			at[i] = next
			next++
		}
	}
	for i := range pass.Written(f) {
		f.Rule.Writes[i] = ssair.ReachesScalar(f.Params[i].Type)
	}
	l.bare[fn] = true
	defer delete(l.bare, fn)
	// instance lifts a rule; of says which parameter of fn each of its own is, or -1.
	instance := func(g *types.Func, of []int) *ssair.Func {
		static := map[int]*closure{}
		for k, i := range of {
			if i >= 0 && bound.static[i] != nil {
				static[k] = bound.static[i]
			}
		}
		if len(static) == 0 {
			return x.lifted(g, targs)
		}
		h := l.Mod.NewFunc(g.Name())
		if !l.specialised(h, g.Name(), g, l.Env.Source(g), targs, &binding{static, bound.capt}) {
			return nil
		}
		return h
	}
	args := func(list []ssair.RuleArg, takes bool) (of []int, out []ssair.RuleArg) {
		if takes {
			for i := range bound.capt {
				out = append(out, ssair.RuleArg{Kind: ssair.RuleParam, Of: i})
			}
		}
		for _, a := range list {
			if of = append(of, -1); a.Kind == ssair.RuleParam {
				of[len(of)-1] = a.Of
			}
			switch a.Kind {
			case ssair.RuleDest, ssair.RuleParam, ssair.RuleInOut:
				if a.Of = at[a.Of]; a.Of < 0 {
					continue
				}
			}
			out = append(out, a)
		}
		return of, out
	}
	var own []int // the parameters of fn, for rules that take them all
	var jvp []int
	for i, c := range any.Rule.Covers {
		own, jvp = append(own, i), append(jvp, i)
		if c {
			jvp = append(jvp, -1)
		}
	}
	rule := any.Rule
	if r.Lifted != nil && r.JVP == nil {
		x.fail(r.Lifted, "give it a rule for one direction", "a lifted rule cannot stand for %s, which takes functions", fn.Name())
		return nil
	}
	for i, k := range at {
		if k >= 0 && rule.Covers[i] && (r.VJP != nil || r.Bwd != nil) && rule.Writes[i] != f.Rule.Writes[k] {
			x.fail(cmp.Or(r.VJP, r.Bwd), "", "%s writes to its parameter %s with the functions that it gets here, or does not, as the signature of the rule says", fn.Name(), name(any, i))
			return nil
		}
	}
	ok := true
	get := func(to **ssair.Func, g *types.Func, of []int) {
		if g != nil && ok {
			*to = instance(g, of)
			ok = *to != nil
		}
	}
	get(&f.Rule.JVP, r.JVP, jvp)
	var of []int
	of, f.Rule.VJPArgs = args(rule.VJPArgs, true)
	get(&f.Rule.VJP, r.VJP, of)
	get(&f.Rule.Fwd, r.Fwd, own)
	_, f.Rule.BwdArgs = args(rule.BwdArgs, false)
	get(&f.Rule.Bwd, r.Bwd, nil)
	if !ok {
		return nil
	}
	return f
}
