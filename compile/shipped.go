package compile

import (
	"go/types"
	"slices"

	"github.com/quabla/quabla/analyze"
	"github.com/quabla/quabla/ssair/lift"
)

// shipped are the packages that come with Quabla and hold rules for functions of other
// packages, by the package of those.
var shipped = map[string]string{
	"container/list": "github.com/quabla/quabla/rules/std/list",
	"maps":           "github.com/quabla/quabla/rules/std/maps",
	"math/rand":      "github.com/quabla/quabla/rules/std/rand",
	"math/rand/v2":   "github.com/quabla/quabla/rules/std/randv2",
	"slices":         "github.com/quabla/quabla/rules/std/slices",
	"sort":           "github.com/quabla/quabla/rules/std/sort",
	"strings":        "github.com/quabla/quabla/rules/std/strings",

	"gonum.org/v1/gonum/blas/blas64": "github.com/quabla/quabla/rules/gonum/blas64",
	"gonum.org/v1/gonum/floats":      "github.com/quabla/quabla/rules/gonum/floats",
	"gonum.org/v1/gonum/mat":         "github.com/quabla/quabla/rules/gonum/mat",
}

// standIns are the packages among them whose types have stand-ins.
var standIns = map[string]bool{"container/list": true, "gonum.org/v1/gonum/mat": true}

// A shippedRules is what a package of shipped says.
type shippedRules struct {
	pkg      *types.Package
	rules    map[string]*lift.RuleSource
	standIns map[*types.TypeName]*analyze.StandIn
}

// shippedFor returns the rules that come with Quabla for the package, or nil.
func (e *env) shippedFor(pkg *types.Package) *shippedRules {
	if pkg == nil {
		return nil
	}
	path, ok := shipped[pkg.Path()]
	if !ok || path == e.pkg.Path || pkg.Path() == "container/list" && e.receivesList() {
		return nil
	}
	s, seen := e.shared.shipped[path]
	if !seen {
		if p, err := e.prog.RulePackage(path); err == nil { // otherwise calls are refused, if they matter
			s = &shippedRules{pkg: p.Types, rules: map[string]*lift.RuleSource{}, standIns: p.StandIns()}
			for _, r := range p.Rules() {
				s.rules[r.Target.FullName()] = ruleSource(r)
			}
		}
		e.shared.shipped[path] = s
	}
	return s
}

// receivesList reports whether lists of package container/list come into the function of the
// request or leave it. Nothing opens those, so they stay as they are.
func (e *env) receivesList() bool {
	if e.req == nil {
		return false
	}
	sig := e.req.Func.Signature()
	tuples := []*types.Tuple{types.NewTuple(), sig.Params(), sig.Results()}
	if r := sig.Recv(); r != nil {
		tuples[0] = types.NewTuple(r)
	}
	for _, vs := range tuples {
		for v := range vs.Variables() {
			if leadsTo(v.Type(), nil, ofList) {
				return true
			}
		}
	}
	return false
}

// ofList reports whether t is a type of package container/list.
func ofList(t types.Type) bool {
	n, ok := t.(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "container/list"
}

// leadsTo reports whether a type that is asked for can be reached from values of type t; what
// interfaces and functions hold is not looked at.
func leadsTo(t types.Type, seen []types.Type, is func(types.Type) bool) bool {
	t = types.Unalias(t)
	if slices.Contains(seen, t) {
		return false
	}
	if is(t) {
		return true
	}
	seen = append(seen[:len(seen):len(seen)], t)
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return leadsTo(u.Elem(), seen, is)
	case *types.Slice:
		return leadsTo(u.Elem(), seen, is)
	case *types.Array:
		return leadsTo(u.Elem(), seen, is)
	case *types.Map:
		return leadsTo(u.Key(), seen, is) || leadsTo(u.Elem(), seen, is)
	case *types.Struct:
		for f := range u.Fields() {
			if leadsTo(f.Type(), seen, is) {
				return true
			}
		}
	}
	return false
}

// shippedRule returns the rule for fn that comes with Quabla, or nil.
func (e *env) shippedRule(fn *types.Func) *lift.RuleSource {
	if s := e.shippedFor(fn.Pkg()); s != nil {
		return s.rules[fn.FullName()]
	}
	return nil
}

// StandIn implements lift.Env.
func (e *env) StandIn(t *types.Named) *types.Named {
	s := e.shippedFor(t.Obj().Pkg())
	if s == nil {
		return nil
	}
	if in := s.standIns[t.Obj()]; in != nil {
		n, _ := in.Type.Type().(*types.Named)
		return n
	}
	return nil
}

// StandsFor implements lift.Env.
func (e *env) StandsFor(t *types.Named) *types.Named {
	for _, s := range e.shared.shipped {
		if s == nil || s.pkg != t.Obj().Pkg() {
			continue
		}
		for of, in := range s.standIns {
			if in.Type == t.Obj() {
				n, _ := of.Type().(*types.Named)
				return n
			}
		}
	}
	return nil
}

// StandIns implements lift.Env: it reports whether the package knows a package whose types
// have stand-ins.
func (e *env) StandIns() bool {
	if e.shared.standIns == nil {
		some := false
		seen := map[*types.Package]bool{}
		var visit func(p *types.Package)
		visit = func(p *types.Package) {
			if seen[p] || some {
				return
			}
			seen[p] = true
			some = standIns[p.Path()]
			if stdPath(p.Path()) {
				return
			}
			for _, q := range p.Imports() {
				visit(q)
			}
		}
		visit(e.pkg.Types)
		e.shared.standIns = &some
	}
	return *e.shared.standIns
}

// OfRules implements lift.Env.
func (e *env) OfRules(t *types.Named) bool {
	for _, s := range e.shared.shipped {
		if s != nil && s.pkg == t.Obj().Pkg() {
			return len(s.standIns) > 0
		}
	}
	return false
}

// RuleTypes implements lift.Env.
func (e *env) RuleTypes(in *types.Named) []types.Type {
	var list []types.Type
	scope := in.Obj().Pkg().Scope()
	for _, name := range scope.Names() {
		tn, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || tn.IsAlias() || types.IsInterface(tn.Type()) {
			continue
		}
		for _, t := range []types.Type{tn.Type(), types.NewPointer(tn.Type())} {
			if types.Implements(t, in.Underlying().(*types.Interface)) {
				list = append(list, t)
				break
			}
		}
	}
	return list
}

// ofRules reports whether fn is declared by a package of rules.
func (e *env) ofRules(fn *types.Func) bool {
	for _, s := range e.shared.shipped {
		if s != nil && s.pkg == fn.Pkg() {
			return true
		}
	}
	return false
}
