package analyze

import (
	"fmt"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/quabla/quabla/diag"
)

// An application is a verb with its options, about to be applied to a function.
type application struct {
	verb    Verb
	word    Word   // where the verb stands
	wrt, of []Word // nil if left out
	lanes   int    // 1 if left out
	lanesAt Word
	nondiff map[int]string // parameters declared not to be differentiated
}

// An applier applies verbs to signatures. It reports what is wrong.
type applier struct {
	*reporter
	classer
	lanes *laneTypes
	imp   func(path string) (*types.Package, error) // for the types of gonum
}

// primal returns the signature of a function itself.
func primal(name string, sig *types.Signature, c classer) *Derived {
	d := &Derived{Name: name, Lanes: 1, title: name}
	for tp := range sig.TypeParams().TypeParams() {
		d.TypeParams = append(d.TypeParams, tp)
	}
	names := make(namer)
	for v := range sig.Params().Variables() {
		names[v.Name()] = true
	}
	for v := range sig.Results().Variables() {
		names[v.Name()] = true
	}
	if r := sig.Recv(); r != nil {
		d.Recv = &Slot{Name: r.Name(), Type: r.Type()}
		names[r.Name()] = true
	}
	unnamed := func(s string) bool { return s == "" || s == "_" }
	if d.Recv != nil && unnamed(d.Recv.Name) {
		d.Recv.Name = names.pick("arg0")
	}
	for v := range sig.Params().Variables() {
		s := Slot{Name: v.Name(), Type: v.Type(), Of: len(d.All())}
		if unnamed(s.Name) {
			s.Name = names.pick("arg" + strconv.Itoa(s.Of))
		}
		d.Params = append(d.Params, s)
	}
	if k := len(d.Params) - 1; sig.Variadic() {
		d.Params[k].variadic = true
	}
	n := sig.Results().Len()
	values := n
	if n > 0 && isError(sig.Results().At(n-1).Type()) {
		values--
	}
	for v := range sig.Results().Variables() {
		i := len(d.Results)
		s := Slot{Name: v.Name(), Type: v.Type(), Of: i, OfResult: true}
		switch {
		case !unnamed(s.Name):
		case i == values:
			s.Name = names.pick("err")
		case values == 1:
			s.Name = names.pick("value")
		default:
			s.Name = names.pick("value" + strconv.Itoa(i))
		}
		if c.class(s.Type) != NoFloats {
			d.Outputs = append(d.Outputs, Output{Index: i})
		}
		d.Results = append(d.Results, s)
	}
	return d
}

// apply returns the signature of verb applied to fn, or nil after a report.
func (a *applier) apply(fn *Derived, v *application) *Derived {
	d := &Derived{Verb: v.verb, Lanes: v.lanes, TypeParams: fn.TypeParams, dropped: fn.dropped}
	switch v.verb {
	case Value:
	case VMap:
		if d.axes = a.batchAxes(fn, v); d.axes == nil {
			return nil
		}
	default:
		if d.Of = a.outputs(fn, v); d.Of == nil {
			return nil
		}
		if d.Wrt = a.parameters(fn, v, d.Of); d.Wrt == nil {
			return nil
		}
	}
	d.title = a.title(fn, v, d)
	if fn.Recv != nil {
		recv := *fn.Recv
		recv.Role, recv.Of, recv.OfResult = Primal, 0, false
		d.Recv = &recv
	}
	s := &shaper{applier: a, fn: fn, v: v, d: d, names: newNamer(fn)}
	if !s.shape() {
		return nil
	}
	return d
}

func (a *applier) title(fn *Derived, v *application, d *Derived) string {
	parts := []string{fn.title}
	for _, i := range d.named() {
		parts = append(parts, fn.All()[i].Name)
	}
	return fmt.Sprintf("%s(%s)", v.verb, strings.Join(parts, ", "))
}

// outputs returns the outputs of fn that v differentiates, or nil after a report.
func (a *applier) outputs(fn *Derived, v *application) []Output {
	outs := fn.Outputs
	if v.of != nil {
		outs = nil
		for _, w := range v.of {
			o := a.output(fn, w)
			if o == nil {
				return nil
			}
			outs = append(outs, o...)
		}
		slices.SortFunc(outs, func(x, y Output) int {
			if x.Param != y.Param {
				if x.Param {
					return -1
				}
				return 1
			}
			return x.Index - y.Index
		})
		outs = slices.Compact(outs)
	}
	if len(outs) == 0 {
		hint := "a derivative needs a result that holds floats, or a parameter that the function writes"
		if refs := a.names(fn.All(), func(s Slot) bool { return a.class(s.Type) == ReferenceLike }); len(refs) > 0 {
			hint = "name the parameters that it writes, as in of=" + refs[0]
		}
		a.errorf(v.word, hint, "%s has no differentiable result", fn.title)
		return nil
	}
	if v.verb != Grad && v.verb != Hessian && v.verb != HVP {
		return outs
	}
	if len(outs) > 1 {
		var names []string
		for _, o := range outs {
			names = append(names, fn.slot(o).Name)
		}
		hint := fmt.Sprintf("choose one, as in of=%s, or use jacobian, jvp or vjp", ofName(fn, outs[0]))
		a.errorf(v.word, hint, "%s needs exactly one scalar output, but %s has %d: %s", v.verb, fn.title, len(outs), strings.Join(names, ", "))
		return nil
	}
	out := fn.slot(outs[0])
	t := out.Type
	if p, ok := coreType(t).(*types.Pointer); ok && outs[0].Param {
		t = p.Elem()
	}
	if !isFloat(t) {
		hint := "use jacobian, jvp or vjp, or return a number"
		if isComplex(t) {
			hint = "return its real part, its imaginary part or its absolute value, or use jvp or vjp"
		}
		a.errorf(v.word, hint, "%s needs a scalar output, but %s of %s has type %s", v.verb, out.Name, fn.title, a.typeString(out.Type))
		return nil
	}
	return outs
}

// ofName returns what the user writes behind of= for an output.
func ofName(fn *Derived, o Output) string {
	name := fn.slot(o).Name
	if !o.Param && fn.Verb == "" && strings.HasPrefix(name, "value") {
		return "return." + strconv.Itoa(o.Index)
	}
	return name
}

// output returns the outputs that a word behind of= names, or nil after a report.
func (a *applier) output(fn *Derived, w Word) []Output {
	if rest, ok := strings.CutPrefix(w.Text, "return"); ok && (rest == "" || rest[0] == '.') {
		if rest == "" {
			var outs []Output
			for _, o := range fn.Outputs {
				if !o.Param {
					outs = append(outs, o)
				}
			}
			if outs == nil {
				a.errorf(w, "", "%s returns nothing that can be differentiated", fn.title)
			}
			return outs
		}
		i, err := strconv.Atoi(rest[1:])
		if err != nil || i < 0 || i >= len(fn.Results) {
			hint := fmt.Sprintf("%s has %s, counted from return.0", fn.title, count(len(fn.Results), "result"))
			a.errorf(w, hint, "%s has no result %s", fn.title, w.Text)
			return nil
		}
		return a.resultOutput(fn, i, w)
	}
	for i, s := range fn.Results {
		if s.Name == w.Text {
			return a.resultOutput(fn, i, w)
		}
	}
	for i, s := range fn.All() {
		if s.Name != w.Text {
			continue
		}
		switch a.class(s.Type) {
		case ValueLike:
			a.errorf(w, "", "parameter %s of %s is passed by value, so nothing comes back through it", s.Name, fn.title)
			return nil
		case NoFloats:
			a.errorf(w, "", "parameter %s of %s holds no floats (its type is %s)", s.Name, fn.title, a.typeString(s.Type))
			return nil
		}
		return []Output{{Param: true, Index: i}}
	}
	floats := func(s Slot) bool { return a.class(s.Type) != NoFloats }
	refs := func(s Slot) bool { return a.class(s.Type) == ReferenceLike }
	candidates := slices.Concat(a.names(fn.Results, floats), a.names(fn.All(), refs), []string{"return"})
	hint := "outputs can be " + strings.Join(candidates, ", ")
	if n := diag.Nearest(w.Text, candidates); n != "" {
		hint = "did you mean " + n + "?"
	}
	a.errorf(w, hint, "%s has no result or parameter %s", fn.title, w.Text)
	return nil
}

func (a *applier) resultOutput(fn *Derived, i int, w Word) []Output {
	if t := fn.Results[i].Type; a.class(t) == NoFloats {
		a.errorf(w, "", "result %s of %s holds no floats (its type is %s)", fn.Results[i].Name, fn.title, a.typeString(t))
		return nil
	}
	return []Output{{Index: i}}
}

// parameters returns the parameters that v differentiates with respect to, or
// nil after a report.
func (a *applier) parameters(fn *Derived, v *application, of []Output) []int {
	all := fn.All()
	// A copy of a lock is a mistake of its own (see go vet), and a derivative would be one.
	locked := func(w Word, i int) bool {
		if !holdsLock(all[i].Type, nil) {
			return false
		}
		a.errorf(w, "pass a pointer", "parameter %s of %s is a copy of a lock (its type is %s)", all[i].Name, fn.title, a.typeString(all[i].Type))
		return true
	}
	isOut := func(i int) bool { return slices.Contains(of, Output{Param: true, Index: i}) }
	can := func(i int) bool { return a.class(all[i].Type) != NoFloats && v.nondiff[i] == "" }
	if v.wrt == nil {
		// The first that holds floats, one that is no output if there is such.
		best := -1
		for i := range all {
			if can(i) && (best < 0 || isOut(best) && !isOut(i)) {
				best = i
			}
		}
		if best < 0 {
			a.errorf(v.word, "", "%s has no parameter that holds floats", fn.title)
			return nil
		}
		if locked(v.word, best) {
			return nil
		}
		return []int{best}
	}
	var wrt []int
	for _, w := range v.wrt {
		i := slices.IndexFunc(all, func(s Slot) bool { return s.Name == w.Text })
		var able []string
		for i, s := range all {
			if can(i) {
				able = append(able, s.Name)
			}
		}
		hint := ""
		if len(able) > 0 {
			hint = "parameters that hold floats: " + strings.Join(able, ", ")
		}
		if i < 0 {
			if n := diag.Nearest(w.Text, a.names(all, func(Slot) bool { return true })); n != "" {
				hint = "did you mean " + n + "?"
			}
			a.errorf(w, hint, "%s has no parameter %s", fn.title, w.Text)
			return nil
		}
		if v.nondiff[i] != "" {
			a.errorf(w, "", "parameter %s of %s is declared not to be differentiated by %s", w.Text, fn.title, v.nondiff[i])
			return nil
		}
		if !can(i) {
			if iface, ok := all[i].Type.Underlying().(*types.Interface); ok && iface.NumMethods() == 0 {
				hint = "give it a concrete type"
			}
			a.errorf(w, hint, "parameter %s of %s holds no floats (its type is %s)", w.Text, fn.title, a.typeString(all[i].Type))
			return nil
		}
		if locked(w, i) {
			return nil
		}
		wrt = append(wrt, i)
	}
	slices.Sort(wrt)
	return slices.Compact(wrt)
}

// names returns the names of the slots that keep accepts.
func (a *applier) names(slots []Slot, keep func(Slot) bool) []string {
	var names []string
	for _, s := range slots {
		if keep(s) {
			names = append(names, s.Name)
		}
	}
	return names
}

// typeString returns a type as the user would write it.
func (a *applier) typeString(t types.Type) string {
	return types.TypeString(t, types.RelativeTo(a.pkg))
}

// count returns n and a noun, in the plural where it must be.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
