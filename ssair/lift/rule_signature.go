package lift

import (
	"fmt"
	"go/types"
	"strings"

	"github.com/quabla/quabla/ssair"
)

// A layout is the signature that a rule must have.
type layout struct{ params, results []field }

// A field is a parameter or a result of a layout; the name serves messages.
type field struct {
	name string
	typ  types.Type
}

// text is the layout with type parameters, as messages show it.
func (w layout) text(params string) string {
	list := func(fs []field) string {
		var ss []string
		for i, f := range fs {
			s := types.TypeString(f.typ, (*types.Package).Name)
			switch {
			case f.name == "":
			case i+1 < len(fs) && fs[i+1].name != "" && types.Identical(fs[i+1].typ, f.typ):
				s = f.name
			default:
				s = f.name + " " + s
			}
			ss = append(ss, s)
		}
		return "(" + strings.Join(ss, ", ") + ")"
	}
	s := "func" + params + list(w.params)
	switch {
	case len(w.results) == 0:
		return s
	case len(w.results) == 1 && w.results[0].name == "":
		return s + " " + strings.Trim(list(w.results), "()")
	}
	return s + " " + list(w.results)
}

func (w layout) String() string { return w.text("") }

func (w *layout) param(name string, t types.Type) { w.params = append(w.params, field{name, t}) }
func (w *layout) result(t types.Type)             { w.results = append(w.results, field{typ: t}) }

// fits reports whether g has the signature.
func (w layout) fits(g *ssair.Func) bool {
	if len(g.Params) != len(w.params) || len(g.Results) != len(w.results) {
		return false
	}
	for i, p := range g.Params {
		if !types.Identical(p.Type, w.params[i].typ) {
			return false
		}
	}
	for i, r := range g.Results {
		if !types.Identical(r.Type, w.results[i].typ) {
			return false
		}
	}
	return true
}

// layoutOf returns the signature of a function of the source.
func layoutOf(fn *types.Func) layout {
	var w layout
	sig := fn.Signature()
	if r := sig.Recv(); r != nil {
		w.param(r.Name(), r.Type())
	}
	for v := range sig.Params().Variables() {
		w.param(v.Name(), v.Type())
	}
	for v := range sig.Results().Variables() {
		w.results = append(w.results, field{v.Name(), v.Type()})
	}
	return w
}

// name returns the name of a parameter for messages.
func name(f *ssair.Func, i int) string {
	if n := f.Params[i].Name(); n != "" && n != "_" {
		return n
	}
	return fmt.Sprint("p", i)
}

// carries reports whether a result of type t has a derivative.
func carries(t types.Type) bool { return ssair.ReachesScalar(t) && !ssair.IsErrorType(t) }

// jvpLayout is the signature of a JVP rule: the parameters, each covered one
// followed by its tangent; the results, if they are not left out, then the
// tangents of those that reach numbers. tangent gives the type of a tangent.
func jvpLayout(f *ssair.Func, tangent func(types.Type) types.Type, results bool) layout {
	var w layout
	for i, p := range f.Params {
		w.param(name(f, i), p.Type)
		if f.Rule.Covers[i] {
			w.param(name(f, i)+"Dot", tangent(p.Type))
		}
	}
	for _, r := range f.Results {
		if results {
			w.result(r.Type)
		}
	}
	for _, r := range f.Results {
		if carries(r.Type) {
			w.result(tangent(r.Type))
		}
	}
	return w
}

// reference reports whether the derivative by a value of type t is passed
// through a destination.
func reference(t types.Type) bool { return ssair.RefersToScalar(t) }

// destination returns the type of the destination for the derivative by a value of
// type t that is a reference or holds one.
func destination(t types.Type) types.Type {
	if ssair.IsAggregate(t) {
		return types.NewPointer(t)
	}
	return t
}

// vjpLayout is the signature of a VJP rule: destinations for the covered
// parameters that are references and are only read, the parameters (or the
// residual instead), and the cotangents of the outputs: of the parameters that
// the function writes and of the results. It returns the cotangents of the
// covered parameters that are values.
func vjpLayout(f *ssair.Func, writes []bool, residual types.Type, inOutFirst bool) ([]ssair.RuleArg, layout) {
	var args []ssair.RuleArg
	var w layout
	add := func(k ssair.RuleArgKind, of int, name string, t types.Type) {
		args = append(args, ssair.RuleArg{Kind: k, Of: of})
		w.param(name, t)
	}
	for i, p := range f.Params {
		if f.Rule.Covers[i] && reference(p.Type) && !writes[i] {
			add(ssair.RuleDest, i, name(f, i)+"Bar", destination(p.Type))
		}
	}
	if residual != nil {
		add(ssair.RuleResidual, 0, "res", residual)
	} else {
		for i, p := range f.Params {
			add(ssair.RuleParam, i, name(f, i), p.Type)
		}
	}
	inOut := func() {
		for i, p := range f.Params {
			if writes[i] && f.Rule.Covers[i] && reference(p.Type) {
				add(ssair.RuleInOut, i, name(f, i)+"Bar", destination(p.Type))
			}
		}
	}
	if inOutFirst {
		inOut()
	}
	for i, r := range f.Results {
		if carries(r.Type) {
			n := "valueBar"
			if len(f.Results) > 1 {
				n = fmt.Sprintf("value%dBar", i)
			}
			if r.Name != "" && r.Name != "_" {
				n = r.Name + "Bar"
			}
			add(ssair.RuleBar, i, n, r.Type)
		}
	}
	if !inOutFirst {
		inOut()
	}
	for i, p := range f.Params {
		if f.Rule.Covers[i] && !reference(p.Type) && ssair.HoldsScalar(p.Type) {
			w.result(p.Type)
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
	return [][]bool{make([]bool, len(f.Params)), writesAll(f)}
}

// writesAll says that f writes to all that it can and that the rule covers.
func writesAll(f *ssair.Func) []bool {
	all := make([]bool, len(f.Params))
	for i, p := range f.Params {
		all[i] = f.Rule.Covers[i] && reference(p.Type)
	}
	return all
}
