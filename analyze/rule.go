package analyze

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/quabla/quabla/diag"
)

// A CustomRule is what a custom_jvp, custom_vjp or rule directive registers.
type CustomRule struct {
	Target   *types.Func // the function that the rule is for
	JVP, VJP *types.Func // whole rules
	As       *types.Func // a function that is differentiated in its place
	Fwd, Bwd *types.Func // a VJP rule in two halves, with a residual between them
	Wrt      []int       // the parameters that the rule covers; nil for all
}

// resolveRule finds the functions that a rule directive names.
func (r *requester) resolveRule(d *Directive) {
	rule := &CustomRule{}
	good := true
	get := func(w Word) *types.Func {
		fn := r.function(d.File, w)
		good = good && fn != nil
		return fn
	}
	behind := func(key string) *types.Func {
		if k := d.Key(key); k != nil {
			return get(k.Value)
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
		rule.Target = behind("for")
		need(d.Key("for") != nil, "for=, the function that the rule is for")
	case len(d.Args) > 0:
		rule.Target = get(d.Args[0])
	case d.Func != nil:
		rule.Target, _ = r.pkg.Info.Defs[d.Func.Name].(*types.Func)
	default:
		need(false, "the name of a function")
	}
	switch d.Verb {
	case RuleFor:
		rule.JVP, rule.VJP, rule.As = behind("jvp"), behind("vjp"), behind("as")
		need(rule.JVP != nil || rule.VJP != nil || rule.As != nil, "jvp=, vjp= or as=, the function that is the rule")
		need(rule.As == nil || rule.JVP == nil && rule.VJP == nil, "as=, or jvp= and vjp=, not both")
	case CustomJVP:
		rule.JVP = behind("rule")
		need(rule.JVP != nil, "rule=, the function that is the rule")
	case CustomVJP:
		rule.VJP, rule.Fwd, rule.Bwd = behind("rule"), behind("fwd"), behind("bwd")
		need(rule.VJP != nil || rule.Fwd != nil && rule.Bwd != nil, "rule=, or fwd= and bwd=")
		need(rule.VJP == nil || rule.Fwd == nil && rule.Bwd == nil, "rule=, or fwd= and bwd=, not both")
	}
	if !good || rule.Target == nil {
		return
	}
	sig := primal(rule.Target.Name(), rule.Target.Signature(), r.classer())
	var names []string
	for _, s := range sig.All() {
		names = append(names, s.Name)
	}
	for _, w := range d.values("wrt") {
		i := slices.Index(names, w.Text)
		if i < 0 {
			r.errorf(w, suggest(w.Text, names), "%s has no parameter %s", rule.Target.Name(), w.Text)
			return
		}
		rule.Wrt = append(rule.Wrt, i)
	}
	slices.Sort(rule.Wrt)
	d.Rule = rule
}

// suggest returns a hint with the nearest of some names, or "".
func suggest(name string, names []string) string {
	if n := diag.Nearest(name, names); n != "" {
		return "did you mean " + n + "?"
	}
	return ""
}

// function resolves F, T.Method, pkg.F or pkg.T.Method in the scope of a file, where
// the import path may stand for pkg, or returns nil after a report.
func (r *requester) function(f *File, w Word) *types.Func {
	scope := r.pkg.Types.Scope()
	text := strings.NewReplacer("(*", "", "(", "", ")", "").Replace(w.Text)
	in, name := "", text
	if i := strings.LastIndex(text, "/"); i >= 0 { // path/of/pkg.F
		base, rest, _ := strings.Cut(text[i:], ".")
		pkg, err := r.pkg.ImportFor(text[:i] + base)
		if err != nil {
			r.errorf(w, "", "cannot import %s: %v", text[:i]+base, err)
			return nil
		}
		scope, in, name = pkg.Scope(), " in package "+pkg.Name(), rest
	}
	parts := strings.Split(name, ".")
	if slices.ContainsFunc(parts, func(s string) bool { return !token.IsIdentifier(s) }) || len(parts) > 3 {
		r.errorf(w, "write F, T.Method or pkg.F", "%s is no name of a function", w.Text)
		return nil
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
	obj := scope.Lookup(parts[0])
	if tn, ok := obj.(*types.TypeName); ok && len(parts) == 2 {
		member, _, _ := types.LookupFieldOrMethod(types.NewPointer(tn.Type()), true, tn.Pkg(), parts[1])
		if fn, ok := member.(*types.Func); ok {
			return fn
		}
		r.errorf(w, "", "type %s has no method %s", parts[0], parts[1])
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
