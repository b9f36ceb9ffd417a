package lift

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// A RuleSource names the functions that the user has registered as the
// derivative of a function: a JVP, a VJP, or a VJP in two halves.
type RuleSource struct {
	Pos      token.Pos // of the directive
	JVP, VJP *types.Func
	Fwd, Bwd *types.Func
	As       *types.Func // a function that is differentiated in its place
	Wrt      []int       // the parameters that the rule covers; nil for all
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

// callAs calls the function that stands for fn. Where that calls fn itself, for its
// value, it is a plain call.
func (fr *frame) callAs(e ast.Node, fn *types.Func, r *RuleSource, targs []types.Type, args []val) []val {
	src := fr.l.Env.Source(r.As)
	if src == nil || src.Decl.Body == nil {
		fr.refuse(e, "", "the body of the rule %s of %s cannot be read", r.As.FullName(), fn.FullName())
	}
	if tps := r.As.Signature().TypeParams(); tps.Len() == 2 && len(targs) == 0 && fn.Signature().TypeParams().Len() == 0 {
		// sort.Slice takes its slice as any; the rule takes a slice.
		x := boxed(args[0].v)
		if x == nil || !isSlice(x.Type) {
			fr.refuse(e, "", "cannot differentiate the call of %s: the type of its argument is not known", fn.FullName())
		}
		args = append([]val{{v: x}}, args[1:]...)
		targs = []types.Type{x.Type, ssair.ElemType(x.Type)}
	} else if want, got := plainSignature(fn), plainSignature(r.As); want != got {
		fr.l.Env.Refuse(Refusal{Pos: r.Pos, Message: fmt.Sprintf("the rule %s of %s is %s; it must be %s", r.As.Name(), fn.Name(), got, want)})
		fr.root.failed = true
		panic(refusal{})
	}
	fr.l.bare[fn], fr.l.plain[fn] = true, true
	defer func() {
		delete(fr.l.bare, fn)
		delete(fr.l.plain, fn)
	}()
	return fr.callFunc(e, r.As, targs, args)
}

// plainSignature spells the signature of fn with its receiver as the first parameter
// and without names.
func plainSignature(fn *types.Func) string {
	var w layout
	sig := fn.Signature()
	if r := sig.Recv(); r != nil {
		w.params = append(w.params, r.Type())
	}
	for v := range sig.Params().Variables() {
		w.params = append(w.params, v.Type())
	}
	for v := range sig.Results().Variables() {
		w.results = append(w.results, v.Type())
	}
	return w.String()
}

// ruled returns fn in the IR with its rule, or nil after a refusal.
func (l *Lifter) ruled(fn *types.Func, r *RuleSource, targs []types.Type) *ssair.Func {
	key := "rule " + l.key(fn, targs)
	if f, ok := l.funcs[key]; ok {
		return f
	}
	f := l.Mod.NewFunc(fn.Name())
	l.funcs[key] = f
	fail := func(format string, args ...any) *ssair.Func {
		l.Env.Refuse(Refusal{Pos: r.Pos, Message: fmt.Sprintf(format, args...)})
		return nil
	}
	src := l.Env.Source(fn)
	if src != nil && src.Decl.Body != nil {
		if !l.function(f, fn.Name(), fn, src, targs) {
			return nil
		}
	} else {
		l.foreign(f, fn, targs)
	}
	f.Rule = &ssair.Rule{Covers: make([]bool, len(f.Params)), Writes: make([]bool, len(f.Params))}
	for i, p := range f.Params {
		f.Rule.Covers[i] = ssair.ReachesScalar(p.Type) && r.Wrt == nil
	}
	for _, i := range r.Wrt {
		f.Rule.Covers[i] = true
	}
	if src != nil {
		for i := range pass.Written(f) {
			f.Rule.Writes[i] = ssair.ReachesScalar(f.Params[i].Type)
		}
	}
	// Calls of fn inside of its rule are plain calls.
	l.bare[fn] = true
	defer delete(l.bare, fn)
	lifted := func(g *types.Func) *ssair.Func {
		src := l.Env.Source(g)
		if src == nil || src.Decl.Body == nil {
			fail("the body of the rule %s cannot be read", g.FullName())
			return nil
		}
		if g.Signature().TypeParams().Len() != len(targs) {
			fail("the rule %s must have the type parameters of %s", g.Name(), fn.Name())
			return nil
		}
		key := l.key(g, targs)
		if f, ok := l.funcs[key]; ok {
			return f
		}
		return l.separate(key, g, src, targs)
	}
	if r.JVP != nil {
		if f.Rule.JVP = lifted(r.JVP); f.Rule.JVP == nil {
			return nil
		}
		if want := signatureOf(f.Rule.JVP); !sameSignature(f.Rule.JVP, jvpLayout(f)) {
			return fail("the rule %s of %s is %s; it must be %s", r.JVP.Name(), fn.Name(), want, jvpLayout(f))
		}
	}
	match := func(g *ssair.Func, residual types.Type) ([]ssair.RuleArg, bool) {
		var wants []string
		for _, writes := range writesChoices(f, src != nil) {
			for _, inOutFirst := range []bool{true, false} {
				args, want := vjpLayout(f, writes, residual, inOutFirst)
				if sameSignature(g, want) {
					f.Rule.Writes = writes
					return args, true
				}
				wants = append(wants, want.String())
			}
		}
		fail("the rule %s of %s is %s; it must be %s", g.Name, fn.Name(), signatureOf(g), wants[0])
		return nil, false
	}
	ok := true
	if r.VJP != nil {
		if f.Rule.VJP = lifted(r.VJP); f.Rule.VJP == nil {
			return nil
		}
		f.Rule.VJPArgs, ok = match(f.Rule.VJP, nil)
	}
	if r.Fwd != nil && ok {
		if f.Rule.Fwd = lifted(r.Fwd); f.Rule.Fwd == nil {
			return nil
		}
		if f.Rule.Bwd = lifted(r.Bwd); f.Rule.Bwd == nil {
			return nil
		}
		want := layout{}
		for _, p := range f.Params {
			want.params = append(want.params, p.Type)
		}
		for _, r := range f.Results {
			want.results = append(want.results, r.Type)
		}
		n := len(f.Rule.Fwd.Results)
		if n == 0 {
			return fail("the rule %s of %s must return a residual behind the results of %s", r.Fwd.Name(), fn.Name(), fn.Name())
		}
		residual := f.Rule.Fwd.Results[n-1].Type
		want.results = append(want.results, residual)
		if !sameSignature(f.Rule.Fwd, want) {
			return fail("the rule %s of %s is %s; it must be %s", r.Fwd.Name(), fn.Name(), signatureOf(f.Rule.Fwd), want)
		}
		f.Rule.BwdArgs, ok = match(f.Rule.Bwd, residual)
	}
	if !ok {
		return nil
	}
	return f
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
	f.Declared = len(targs) == 0
}

// A layout is the signature that a rule must have.
type layout struct{ params, results []types.Type }

func (w layout) String() string {
	list := func(ts []types.Type) string {
		var ss []string
		for _, t := range ts {
			ss = append(ss, types.TypeString(t, func(p *types.Package) string { return p.Name() }))
		}
		return "(" + strings.Join(ss, ", ") + ")"
	}
	s := "func" + list(w.params)
	switch len(w.results) {
	case 0:
		return s
	case 1:
		return s + " " + strings.Trim(list(w.results), "()")
	}
	return s + " " + list(w.results)
}

func sameSignature(g *ssair.Func, w layout) bool {
	if len(g.Params) != len(w.params) || len(g.Results) != len(w.results) {
		return false
	}
	for i, p := range g.Params {
		if !types.Identical(p.Type, w.params[i]) {
			return false
		}
	}
	for i, r := range g.Results {
		if !types.Identical(r.Type, w.results[i]) {
			return false
		}
	}
	return true
}

func signatureOf(g *ssair.Func) layout {
	var w layout
	for _, p := range g.Params {
		w.params = append(w.params, p.Type)
	}
	for _, r := range g.Results {
		w.results = append(w.results, r.Type)
	}
	return w
}

// jvpLayout is the signature of a JVP rule: the parameters, each covered one
// followed by its tangent; the results, then the tangents of those that reach
// numbers.
func jvpLayout(f *ssair.Func) layout {
	var w layout
	for i, p := range f.Params {
		w.params = append(w.params, p.Type)
		if f.Rule.Covers[i] {
			w.params = append(w.params, p.Type)
		}
	}
	for _, r := range f.Results {
		w.results = append(w.results, r.Type)
	}
	for _, r := range f.Results {
		if ssair.ReachesScalar(r.Type) && !ssair.IsErrorType(r.Type) {
			w.results = append(w.results, r.Type)
		}
	}
	return w
}

// reference reports whether the derivative by a value of type t is passed
// through a destination.
func reference(t types.Type) bool { return ssair.HoldsRef(t) && ssair.ReachesScalar(t) }

// vjpLayout is the signature of a VJP rule: destinations for the covered
// parameters that are references and are only read, the parameters (or the
// residual instead), and the cotangents of the outputs: of the parameters that
// the function writes and of the results. It returns the cotangents of the
// covered parameters that are values.
func vjpLayout(f *ssair.Func, writes []bool, residual types.Type, inOutFirst bool) ([]ssair.RuleArg, layout) {
	var args []ssair.RuleArg
	var w layout
	add := func(k ssair.RuleArgKind, of int, t types.Type) {
		args = append(args, ssair.RuleArg{Kind: k, Of: of})
		w.params = append(w.params, t)
	}
	for i, p := range f.Params {
		if f.Rule.Covers[i] && reference(p.Type) && !writes[i] {
			t := p.Type
			if ssair.IsAggregate(t) {
				t = types.NewPointer(t)
			}
			add(ssair.RuleDest, i, t)
		}
	}
	if residual != nil {
		add(ssair.RuleResidual, 0, residual)
	} else {
		for i, p := range f.Params {
			add(ssair.RuleParam, i, p.Type)
		}
	}
	inOut := func() {
		for i, p := range f.Params {
			if writes[i] && f.Rule.Covers[i] && reference(p.Type) {
				add(ssair.RuleInOut, i, p.Type)
			}
		}
	}
	if inOutFirst {
		inOut()
	}
	for i, r := range f.Results {
		if ssair.ReachesScalar(r.Type) && !ssair.IsErrorType(r.Type) {
			add(ssair.RuleBar, i, r.Type)
		}
	}
	if !inOutFirst {
		inOut()
	}
	for i, p := range f.Params {
		if f.Rule.Covers[i] && !reference(p.Type) && ssair.HoldsScalar(p.Type) {
			w.results = append(w.results, p.Type)
		}
	}
	return args, w
}

// writesChoices returns what the function may write: what its body says, or, if
// that cannot be read, nothing or all that the rule covers.
func writesChoices(f *ssair.Func, known bool) [][]bool {
	if known {
		return [][]bool{f.Rule.Writes}
	}
	all := make([]bool, len(f.Params))
	for i, p := range f.Params {
		all[i] = f.Rule.Covers[i] && reference(p.Type)
	}
	return [][]bool{make([]bool, len(f.Params)), all}
}
