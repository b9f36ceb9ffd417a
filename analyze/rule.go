package analyze

import (
	"cmp"
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/quabla/quabla/diag"
)

// A CustomRule is what the custom_jvp, custom_vjp and rule directives of a package
// register for one function.
type CustomRule struct {
	Target *types.Func // the function that the rule is for
	// JVP and VJP are rules for one direction, Lifted is a JVP with several lanes,
	// and Fwd and Bwd are a VJP in two halves, with a residual between them.
	JVP, Lifted, VJP, Fwd, Bwd *types.Func
	As                         *types.Func // a function that is differentiated in its place
	Wrt                        []int       // the parameters that the rule covers; nil for all
	NonDiff                    []int       // parameters that are declared not to be differentiated by

	// Surrogate says that the rule is meant to differ from the derivative.
	Surrogate bool

	File *File // of the first directive
	// At is where a directive names Target or the function of a key.
	At map[string]Word
}

// Word returns where a function of the rule is named.
func (r *CustomRule) Word(fn *types.Func) Word {
	for _, k := range []struct {
		key string
		fn  *types.Func
	}{{"jvp", r.JVP}, {"lifted", r.Lifted}, {"vjp", r.VJP}, {"fwd", r.Fwd}, {"bwd", r.Bwd}, {"as", r.As}} {
		if k.fn == fn {
			return r.At[k.key]
		}
	}
	return r.At["for"]
}

// Rule returns the rule that holds for calls of fn in p: one that p registers, or
// else one that the package of fn does.
func (p *Package) Rule(fn *types.Func) *CustomRule {
	fn = fn.Origin()
	if r := p.rules[fn]; r != nil || fn.Pkg() == p.Types {
		return r
	}
	p.prog.loadDepDirectives(fn.Pkg())
	return p.prog.rules[fn]
}

// Rules returns the rules that p registers, in the order of their directives.
func (p *Package) Rules() []*CustomRule {
	return slices.SortedFunc(maps.Values(p.rules), func(a, b *CustomRule) int {
		return cmp.Compare(a.At["for"].Pos, b.At["for"].Pos)
	})
}

// resolveRule finds the functions that a rule directive names, and registers the
// rule.
func (r *requester) resolveRule(d *Directive, nondiff map[*types.Func]map[int]string) {
	if d.Verb == RuleFor && r.resolveStandIn(d) {
		return
	}
	rule := &CustomRule{Surrogate: d.Flag("surrogate"), File: d.File, At: map[string]Word{"for": d.verbWord()}}
	good := true
	get := func(key string, w Word) *types.Func {
		rule.At[key] = w
		fn := r.function(d.File, w)
		good = good && fn != nil
		return fn
	}
	behind := func(key, role string) *types.Func {
		if k := d.Key(key); k != nil {
			return get(role, k.Value)
		}
		return nil
	}
	need := func(ok bool, what string) {
		if !ok && good {
			r.errorf(d.verbWord(), "", "quabla:%s needs %s", d.Verb, what)
			good = false
		}
	}
	switch {
	case d.Verb == RuleFor:
		rule.Target = behind("for", "for")
		need(d.Key("for") != nil, "for=, the function that the rule is for")
	case len(d.Args) > 0:
		rule.Target = get("for", d.Args[0])
	case d.Func != nil:
		rule.Target, _ = r.pkg.Info.Defs[d.Func.Name].(*types.Func)
	default:
		need(false, "the name of a function")
	}
	switch d.Verb {
	case RuleFor:
		rule.JVP, rule.Lifted, rule.VJP, rule.As = behind("jvp", "jvp"), behind("lifted", "lifted"), behind("vjp", "vjp"), behind("as", "as")
		forward := rule.JVP != nil || rule.Lifted != nil
		need(forward || rule.VJP != nil || rule.As != nil, "jvp=, lifted=, vjp= or as=, the function that is the rule")
		need(rule.As == nil || !forward && rule.VJP == nil, "as=, or the others, not both")
	case CustomJVP:
		rule.JVP, rule.Lifted = behind("rule", "jvp"), behind("lifted", "lifted")
		need(rule.JVP != nil || rule.Lifted != nil, "rule= or lifted=, the function that is the rule")
	case CustomVJP:
		rule.VJP, rule.Fwd, rule.Bwd = behind("rule", "vjp"), behind("fwd", "fwd"), behind("bwd", "bwd")
		need(rule.VJP != nil || rule.Fwd != nil && rule.Bwd != nil, "rule=, or fwd= and bwd=")
		need(rule.VJP == nil || rule.Fwd == nil && rule.Bwd == nil, "rule=, or fwd= and bwd=, not both")
	}
	if !good || rule.Target == nil {
		return
	}
	if recv := rule.Target.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
		r.errorf(rule.At["for"], "give rules to the methods of the types that implement it: a call uses that of the dynamic type",
			"%s is a method of an interface", rule.Target.Name())
		return
	}
	sig := primal(rule.Target.Name(), rule.Target.Signature(), r.classer())
	var names []string
	for _, s := range sig.All() {
		names = append(names, s.Name)
	}
	for i := range nondiff[rule.Target] {
		rule.NonDiff = append(rule.NonDiff, i)
	}
	slices.Sort(rule.NonDiff)
	for _, w := range d.values("wrt") {
		i := slices.Index(names, w.Text)
		switch {
		case i < 0:
			r.errorf(w, suggest(w.Text, names), "%s has no parameter %s", rule.Target.Name(), w.Text)
			return
		case r.classer().class(sig.All()[i].Type) == NoFloats:
			r.errorf(w, "leave it out", "parameter %s of %s holds no floats", w.Text, rule.Target.Name())
			return
		case slices.Contains(rule.NonDiff, i):
			r.errorf(w, "take one of the two away", "parameter %s of %s is declared not to be differentiated by //quabla:nondiff", w.Text, rule.Target.Name())
			return
		}
		rule.Wrt = append(rule.Wrt, i)
	}
	slices.Sort(rule.Wrt)
	r.register(rule)
}

// register adds a rule to those of the package, which may have a rule of another
// mode for the same function.
func (r *requester) register(rule *CustomRule) {
	old := r.pkg.rules[rule.Target]
	if old == nil {
		r.pkg.rules[rule.Target] = rule
		if rule.Target.Pkg() == r.pkg.Types {
			r.pkg.prog.rules[rule.Target] = rule
		}
		return
	}
	at := rule.At["for"]
	twice := func(mode, a, b string) bool {
		_, is := old.At[a]
		if !is {
			a = b
		}
		r.report(at, "take one of the rules away", "the other one is at "+r.position(old.At[a].Pos), "%s has a %s rule already", rule.Target.Name(), mode)
		return false
	}
	ok := true
	switch {
	case rule.As != nil || old.As != nil:
		r.report(at, "take one of the rules away", "the other one is at "+r.position(old.At["for"].Pos), "%s has a rule already", rule.Target.Name())
		ok = false
	case rule.JVP != nil && old.JVP != nil:
		ok = twice("forward", "jvp", "jvp")
	case rule.Lifted != nil && old.Lifted != nil:
		ok = twice("lifted", "lifted", "lifted")
	case (rule.VJP != nil || rule.Fwd != nil) && (old.VJP != nil || old.Fwd != nil):
		ok = twice("reverse", "vjp", "fwd")
	case !slices.Equal(rule.Wrt, old.Wrt):
		r.report(at, "write the same wrt= in both", "the other one is at "+r.position(old.At["for"].Pos),
			"the two rules of %s cover different parameters", rule.Target.Name())
		ok = false
	}
	if !ok {
		return
	}
	old.Surrogate = old.Surrogate || rule.Surrogate
	old.JVP, old.Lifted = cmp.Or(old.JVP, rule.JVP), cmp.Or(old.Lifted, rule.Lifted)
	old.VJP, old.Fwd, old.Bwd = cmp.Or(old.VJP, rule.VJP), cmp.Or(old.Fwd, rule.Fwd), cmp.Or(old.Bwd, rule.Bwd)
	for key, w := range rule.At {
		if key != "for" {
			old.At[key] = w
		}
	}
}

// suggest returns a hint with the nearest of some names, or "".
func suggest(name string, names []string) string {
	if n := diag.Nearest(name, names); n != "" {
		return "did you mean " + n + "?"
	}
	return ""
}

// A named is where a name of a directive is to be looked up: the scope and the parts of
// the name; in says for messages which package it is.
type named struct {
	scope *types.Scope
	in    string
	parts []string
}

// named takes F, T.Method, pkg.F or pkg.T.Method apart in the scope of a file, where
// the import path may stand for pkg. It reports false after a report.
func (r *requester) named(f *File, w Word) (named, bool) {
	scope := r.pkg.Types.Scope()
	text := strings.NewReplacer("(*", "", "(", "", ")", "").Replace(w.Text)
	in, name := "", text
	if i := strings.LastIndex(text, "/"); i >= 0 { // path/of/pkg.F
		base, rest, _ := strings.Cut(text[i:], ".")
		pkg, err := r.pkg.ImportFor(text[:i] + base)
		if err != nil {
			r.errorf(w, "", "cannot import %s: %v", text[:i]+base, err)
			return named{}, false
		}
		scope, in, name = pkg.Scope(), " in package "+pkg.Name(), rest
	}
	parts := strings.Split(name, ".")
	if slices.ContainsFunc(parts, func(s string) bool { return !token.IsIdentifier(s) }) || len(parts) > 3 {
		r.errorf(w, "write F, T.Method or pkg.F", "%s is no name of a function", w.Text)
		return named{}, false
	}
	if fileScope := r.pkg.Info.Scopes[f.Syntax]; fileScope != nil && len(parts) > 1 && in == "" {
		if pkg, ok := fileScope.Lookup(parts[0]).(*types.PkgName); ok {
			scope, in, parts = pkg.Imported().Scope(), " in package "+pkg.Name(), parts[1:]
		} else if scope.Lookup(parts[0]) == nil {
			// A package of the standard library that the file does not import.
			if pkg, err := r.pkg.ImportFor(parts[0]); err == nil {
				scope, in, parts = pkg.Scope(), " in package "+pkg.Name(), parts[1:]
			}
		}
	}
	return named{scope, in, parts}, true
}

// function resolves the name of a function or method, or returns nil after a report.
func (r *requester) function(f *File, w Word) *types.Func {
	at, ok := r.named(f, w)
	if !ok {
		return nil
	}
	scope, in, parts := at.scope, at.in, at.parts
	obj := scope.Lookup(parts[0])
	if tn, ok := obj.(*types.TypeName); ok && len(parts) == 2 {
		recv := tn.Type()
		if !types.IsInterface(recv) {
			recv = types.NewPointer(recv)
		}
		member, _, _ := types.LookupFieldOrMethod(recv, true, tn.Pkg(), parts[1])
		if fn, ok := member.(*types.Func); ok {
			return fn
		}
		r.errorf(w, suggest(parts[1], methods(tn.Type())), "type %s has no method %s", parts[0], parts[1])
		return nil
	}
	fn, ok := obj.(*types.Func)
	if !ok || len(parts) > 1 {
		var names []string
		for _, name := range scope.Names() {
			if _, ok := scope.Lookup(name).(*types.Func); ok {
				names = append(names, name)
			}
		}
		what := fmt.Sprintf("there is no function %s%s", strings.Join(parts, "."), in)
		r.errorf(w, suggest(parts[0], names), "%s", what)
		return nil
	}
	return fn
}

// methods returns the names of the methods of a type and of its pointer.
func methods(t types.Type) []string {
	var names []string
	if !types.IsInterface(t) {
		t = types.NewPointer(t)
	}
	set := types.NewMethodSet(t)
	for i := range set.Len() {
		names = append(names, set.At(i).Obj().Name())
	}
	return names
}
