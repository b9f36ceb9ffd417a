package lift

import (
	"fmt"
	"go/token"
	"go/types"
	"maps"

	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// A RuleSource names the functions that the user has registered as the
// derivative of a function: a JVP, one that is lifted to several directions, a
// VJP, or a VJP in two halves.
type RuleSource struct {
	JVP, Lifted, VJP *types.Func
	Fwd, Bwd         *types.Func
	As               *types.Func // a function that is differentiated in its place
	Wrt              []int       // the parameters that the rule covers; nil for all
	NonDiff          []int       // parameters that are declared not to be differentiated by
	Surrogate        bool        // the rule is meant to differ from the derivative

	// At returns where the directive names one of these functions, or, for any
	// other, the function that the rule is for.
	At func(fn *types.Func) (pos, end token.Pos)
}

// Ruled returns fn with its rule, or nil after a report of what is wrong with it.
func (l *Lifter) Ruled(fn *types.Func) *ssair.Func {
	return l.attempts(fn, func() *ssair.Func { return l.ruled(fn, l.Env.Rule(fn), nil) })
}

// caller returns a function that does nothing but call fn, so that the rule of
// fn holds for it too.
func (l *Lifter) caller(fn *types.Func, targs []types.Type) *ssair.Func {
	g := l.ruled(fn, l.Env.Rule(fn), targs)
	if g == nil {
		return nil
	}
	f := l.Mod.NewFunc(g.Name)
	f.Obj, f.Pos, f.Results = fn, g.Pos, append([]ssair.Result(nil), g.Results...)
	var args []*ssair.Value
	for _, p := range g.Params {
		args = append(args, f.AddParam(p.Name(), p.Type))
	}
	b := ssair.NewBuilder(f.Body)
	b.Pos = g.Pos
	var ts []types.Type
	for _, r := range g.Results {
		ts = append(ts, r.Type)
	}
	o := b.Op(ssair.Call, args, ts...)
	o.Callee = g
	b.Return(o.Results...)
	return f
}

// A ruleLifter lifts one function and its rule.
type ruleLifter struct {
	*Lifter
	fn    *types.Func
	r     *RuleSource
	targs []types.Type // of fn and of its rules
	f     *ssair.Func  // fn in the IR
	known bool         // the body of fn is read
}

// ruled returns fn in the IR with its rule, or nil after a refusal.
func (l *Lifter) ruled(fn *types.Func, r *RuleSource, targs []types.Type) *ssair.Func {
	key := "rule " + l.key(fn, targs)
	if f, ok := l.funcs[key]; ok {
		return f
	}
	x := &ruleLifter{Lifter: l, fn: fn, r: r, targs: targs, f: l.Mod.NewFunc(fn.Name())}
	l.funcs[key] = x.f
	l.keep(x.f, fn, targs)
	if !x.body() {
		return nil
	}
	if targs == nil {
		// A generic function with its own type parameters: its rules take these.
		for t := range typeParams(fn).TypeParams() {
			x.targs = append(x.targs, t)
		}
	}
	// Calls of fn inside of its rule are plain calls.
	l.bare[fn] = true
	defer delete(l.bare, fn)
	if !x.covers() || !x.forward() || !x.reverse() {
		return nil
	}
	return x.f
}

// takesFunctions reports whether a parameter of fn is a function. What the function
// does is known for each call only, see rule_bound.go.
func takesFunctions(fn *types.Func) bool {
	for v := range fn.Signature().Params().Variables() {
		if isFunc(v.Type()) {
			return true
		}
	}
	return false
}

func isFunc(t types.Type) bool {
	_, ok := t.Underlying().(*types.Signature)
	return ok
}

// body lifts the function itself, and finds out what it writes.
func (x *ruleLifter) body() bool {
	src := x.Env.Source(x.fn)
	x.known = src != nil && src.Decl.Body != nil && !takesFunctions(x.fn) && inC(src.Decl.Body, src.Info) == nil
	if !x.known {
		x.foreign(x.f, x.fn, x.targs)
	} else if !x.function(x.f, x.fn.Name(), x.fn, src, x.targs) {
		return false
	}
	f := x.f
	f.Rule = &ssair.Rule{Surrogate: x.r.Surrogate, Covers: make([]bool, len(f.Params)), Writes: make([]bool, len(f.Params))}
	for i, p := range f.Params {
		f.Rule.Covers[i] = ssair.ReachesScalar(p.Type) && !isFunc(p.Type) && x.r.Wrt == nil
	}
	for _, i := range x.r.Wrt {
		f.Rule.Covers[i] = true
	}
	for _, i := range x.r.NonDiff {
		f.Rule.Covers[i] = false
	}
	if x.known {
		for i := range pass.Written(f) {
			f.Rule.Writes[i] = ssair.ReachesScalar(f.Params[i].Type)
		}
		return x.returnsOwn()
	}
	return true
}

// returnsOwn refuses a function that returns memory of its parameters: the
// derivatives of the two could not be told apart.
func (x *ruleLifter) returnsOwn() bool {
	al := pass.FindAliases(x.f)
	ok := true
	x.f.Body.Walk(func(o *ssair.Op) bool {
		if o.Kind != ssair.Return {
			return ok
		}
		for _, v := range o.Args {
			if !ok || !reference(v.Type) {
				continue
			}
			var from *ssair.Value
			for r := range al.Pts(v) {
				if r.Param != nil && reference(r.Param.Type) && from == nil {
					from = r.Param
				}
				if r.Alloc != nil && r.Alloc.Kind == ssair.Call {
					from = nil // the call may well return new memory
					break
				}
			}
			if from != nil {
				x.fail(x.fn, "return a copy", "%s returns memory of its parameter %s; a function with a rule must return memory of its own", x.fn.Name(), from.Name())
				ok = false
			}
		}
		return ok
	})
	return ok
}

// fail reports a problem with the function g, which the directive names.
func (x *ruleLifter) fail(g *types.Func, hint, format string, args ...any) bool {
	pos, end := x.r.At(g)
	x.refuse(Refusal{Pos: pos, End: end, Hint: hint, Message: fmt.Sprintf(format, args...)})
	return false
}

// misfit reports that a rule has not the signature that it must have.
func (x *ruleLifter) misfit(g *types.Func, params string, want layout) bool {
	got := ""
	for t := range g.Signature().TypeParams().TypeParams() {
		if got != "" {
			got += ", "
		}
		got += t.Obj().Name() + " " + types.TypeString(t.Constraint(), (*types.Package).Name)
	}
	if got != "" {
		got = "[" + got + "]"
	}
	return x.fail(g, "", "the rule %s of %s is %s; it must be %s", g.Name(), x.fn.Name(), layoutOf(g).text(got), want.text(params))
}

// covers checks that there is something to differentiate.
func (x *ruleLifter) covers() bool {
	some := false
	for i, c := range x.f.Rule.Covers {
		some = some || c
		if c && !ssair.ReachesScalar(x.f.Params[i].Type) {
			return x.fail(x.fn, "leave it out of wrt=", "parameter %s of %s holds no floats", name(x.f, i), x.fn.Name())
		}
	}
	if !some {
		return x.fail(x.fn, "take the rule away", "%s has no parameter to differentiate by", x.fn.Name())
	}
	for _, r := range x.f.Results {
		if carries(r.Type) {
			return true
		}
	}
	for i, w := range x.f.Rule.Writes {
		if w && x.f.Rule.Covers[i] || !x.known && x.f.Rule.Covers[i] && reference(x.f.Params[i].Type) {
			return true
		}
	}
	return x.fail(x.fn, "take the rule away", "%s has no output that a rule could say anything about: it returns no floats, and writes to no parameter that the rule covers", x.fn.Name())
}

// typeParams returns the type parameters of a function, or those of the receiver's
// type.
func typeParams(fn *types.Func) *types.TypeParamList {
	if ps := fn.Signature().RecvTypeParams(); ps != nil {
		return ps
	}
	return fn.Signature().TypeParams()
}

// lifted lifts a rule with the given type arguments, or returns nil after a report.
func (x *ruleLifter) lifted(g *types.Func, targs []types.Type) *ssair.Func {
	if n := typeParams(g).Len(); n != len(targs) {
		what := "no type parameters"
		if len(x.targs) > 0 {
			what = "the type parameters of " + x.fn.Name()
		}
		x.fail(g, "", "the rule %s of %s must have %s", g.Name(), x.fn.Name(), what)
		return nil
	}
	key := x.key(g, targs)
	if f, ok := x.funcs[key]; ok {
		return f
	}
	src := x.Env.Source(g)
	if src == nil || src.Decl.Body == nil {
		if g.Pkg() != x.Mod.Pkg && !g.Exported() {
			x.fail(g, "", "the rule %s of %s can neither be called nor read from here", g.FullName(), x.fn.Name())
			return nil
		}
		return x.called(key, g, targs)
	}
	if f := x.attempt(key, g, src, targs); f != nil {
		return f
	}
	return x.called(key, g, targs)
}

// called makes a rule a function that can be called, but not differentiated.
func (x *ruleLifter) called(key string, g *types.Func, targs []types.Type) *ssair.Func {
	f := x.Mod.NewFunc(g.Name())
	x.funcs[key] = f
	x.foreign(f, g, targs)
	return f
}

// attempt lifts a rule, or returns nil if something in it cannot be lifted. That does
// no harm before the rule itself is to be differentiated, and is kept until then.
func (x *ruleLifter) attempt(key string, g *types.Func, src *Source, targs []types.Type) *ssair.Func {
	env, funcs, pending, refused := x.Env, maps.Clone(x.funcs), len(x.pending), x.refused
	quiet := &quietEnv{Env: env}
	x.Lifter.Env, x.refused = quiet, nil
	defer func() { x.Lifter.Env, x.refused = env, refused }()
	f := x.separate(key, g, src, targs, true)
	quiet.refusals = append(quiet.refusals, x.refused...)
	if len(quiet.refusals) == 0 {
		return f
	}
	x.Lifter.funcs, x.Lifter.pending = funcs, x.pending[:pending]
	x.Unlifted[g] = quiet.refusals[0]
	return nil
}

// A quietEnv keeps refusals to itself.
type quietEnv struct {
	Env
	refusals []Refusal
}

func (e *quietEnv) Refuse(r Refusal) { e.refusals = append(e.refusals, r) }

// same is the type of tangents in one direction.
func same(t types.Type) types.Type { return t }

// forward lifts the JVP rules.
func (x *ruleLifter) forward() bool {
	f, r := x.f, x.r
	if r.JVP == nil && r.Lifted == nil {
		return true
	}
	if !x.known && r.VJP == nil && r.Fwd == nil {
		// Nothing says what it writes. The rule does what it does, so that it is no
		// mistake to let it do all of the work.
		f.Rule.Writes = writesAll(f)
	}
	if r.JVP != nil {
		if f.Rule.JVP = x.lifted(r.JVP, x.targs); f.Rule.JVP == nil {
			return false
		}
		if !x.eitherWay(f.Rule.JVP, same) {
			return x.misfit(r.JVP, "", jvpLayout(f, same, true))
		}
	}
	return r.Lifted == nil || x.liftedRule()
}

// eitherWay reports whether g is a JVP rule with or without the results of f.
func (x *ruleLifter) eitherWay(g *ssair.Func, tangent func(types.Type) types.Type) bool {
	for _, w := range x.f.Rule.Writes {
		if w && !jvpLayout(x.f, tangent, true).fits(g) {
			return false // it must do the work of f
		}
	}
	return jvpLayout(x.f, tangent, true).fits(g) || jvpLayout(x.f, tangent, false).fits(g)
}

// reverse lifts the VJP rules.
func (x *ruleLifter) reverse() bool {
	f, r := x.f, x.r
	match := func(g *types.Func, h *ssair.Func, residual types.Type) ([]ssair.RuleArg, bool) {
		var first *layout
		for _, writes := range writesChoices(f, x.known) {
			for _, inOutFirst := range []bool{true, false} {
				args, want := vjpLayout(f, writes, residual, inOutFirst)
				if want.fits(h) {
					f.Rule.Writes = writes
					return args, true
				}
				if first == nil {
					first = &want
				}
			}
		}
		return nil, x.misfit(g, "", *first)
	}
	ok := true
	if r.VJP != nil {
		if f.Rule.VJP = x.lifted(r.VJP, x.targs); f.Rule.VJP == nil {
			return false
		}
		f.Rule.VJPArgs, ok = match(r.VJP, f.Rule.VJP, nil)
	}
	if r.Fwd == nil || !ok {
		return ok
	}
	if f.Rule.Fwd = x.lifted(r.Fwd, x.targs); f.Rule.Fwd == nil {
		return false
	}
	if f.Rule.Bwd = x.lifted(r.Bwd, x.targs); f.Rule.Bwd == nil {
		return false
	}
	var want layout
	for i, p := range f.Params {
		want.param(name(f, i), p.Type)
	}
	for _, r := range f.Results {
		want.result(r.Type)
	}
	n := len(f.Rule.Fwd.Results)
	if n == 0 || n == len(f.Results) && want.fits(f.Rule.Fwd) {
		return x.fail(r.Fwd, "", "the rule %s of %s must return a residual behind the results of %s: what %s needs, of any type", r.Fwd.Name(), x.fn.Name(), x.fn.Name(), r.Bwd.Name())
	}
	residual := f.Rule.Fwd.Results[n-1].Type
	want.result(residual)
	if !want.fits(f.Rule.Fwd) {
		return x.misfit(r.Fwd, "", want)
	}
	f.Rule.BwdArgs, ok = match(r.Bwd, f.Rule.Bwd, residual)
	return ok
}

// foreign makes f a call of fn, whose body cannot be read.
func (l *Lifter) foreign(f *ssair.Func, fn *types.Func, targs []types.Type) {
	f.Obj = fn
	sig := fn.Signature()
	s := substFor(sig, targs)
	var args []*ssair.Value
	if r := sig.Recv(); r != nil {
		args = append(args, f.AddParam(r.Name(), s.apply(r.Type())))
	}
	for v := range sig.Params().Variables() {
		args = append(args, f.AddParam(v.Name(), s.apply(v.Type())))
	}
	var ts []types.Type
	for v := range sig.Results().Variables() {
		t := s.apply(v.Type())
		ts = append(ts, t)
		f.Results = append(f.Results, ssair.Result{Name: v.Name(), Type: t})
	}
	b := ssair.NewBuilder(f.Body)
	o := b.Op(ssair.Opaque, args, ts...)
	o.Obj = fn
	b.Return(o.Results...)
	f.Declared, f.TypeArgs = true, targs
}
