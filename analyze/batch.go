package analyze

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"github.com/quabla/quabla/diag"
)

// The batched form of a function, by vmap, calls it once for each member of a
// batch:
//
//   - A parameter of type T with a batch axis has the type []T, whatever T is; the
//     others, and the receiver, are shared by all members. What the function fills,
//     such as dx of a gradient, always has a batch axis. A destination that is *T
//     only because T is a struct or an array becomes []T too.
//   - A result of type T becomes a destination of type []T under the name of the
//     result, behind the destinations of the function and before its other
//     parameters; a last error stays a result.

// batchAxes returns the indices of the parameters of fn that a directive gives a
// batch axis, or nil after a report. The names are those of parameters with one;
// with a _ among them they stand for the parameters in order. Without names all
// parameters but the receiver have one.
func (a *applier) batchAxes(fn *Derived, v *application) []int {
	all := fn.All()
	first := len(all) - len(fn.Params)
	var axes []int
	switch {
	case v.wrt == nil:
		for i := range fn.Params {
			axes = append(axes, first+i)
		}
	case slices.ContainsFunc(v.wrt, func(w Word) bool { return w.Text == "_" }):
		for i, w := range v.wrt {
			if i >= len(fn.Params) {
				a.errorf(w, "write the name of each parameter that has a batch axis and _ for the others",
					"%s has %s, not %d", fn.title, count(len(fn.Params), "parameter"), len(v.wrt))
				return nil
			}
			if w.Text == "_" {
				continue
			}
			if name := fn.Params[i].Name; w.Text != name {
				a.errorf(w, fmt.Sprintf("write %s, or _ if it has no batch axis", name), "parameter %d of %s is %s, not %s", i+1, fn.title, name, w.Text)
				return nil
			}
			axes = append(axes, first+i)
		}
	default:
		for _, w := range v.wrt {
			i := slices.IndexFunc(all, func(s Slot) bool { return s.Name == w.Text })
			switch {
			case i < 0:
				names := a.names(fn.Params, func(Slot) bool { return true })
				hint := "its parameters are " + strings.Join(names, ", ")
				if n := diag.Nearest(w.Text, names); n != "" {
					hint = "did you mean " + n + "?"
				}
				a.errorf(w, hint, "%s has no parameter %s", fn.title, w.Text)
				return nil
			case i < first:
				a.errorf(w, fmt.Sprintf("put the directive above a function with the parameter %s", w.Text),
					"the receiver %s of %s has no batch axis: a method is called on one value", w.Text, fn.title)
				return nil
			case slices.Contains(axes, i):
				a.errorf(w, "", "%s is given twice", w.Text)
				return nil
			}
			axes = append(axes, i)
		}
	}
	if axes == nil {
		a.errorf(v.word, "name a parameter that has a batch axis, as in in=x", "no parameter of %s has a batch axis", fn.title)
		return nil
	}
	slices.Sort(axes)
	return axes
}

// batch lays out the parameters and results of a batched form.
func (s *shaper) batch() {
	d, fn := s.d, s.fn
	s.params(nil)
	d.Batched = make([]bool, len(fn.All()))
	off := len(fn.All()) - len(fn.Params)
	lead := len(fn.Params)
	for i, p := range fn.Params {
		if !p.destination() {
			lead = min(lead, i)
		}
		filled := p.destination() || p.InOut || slices.Contains(fn.Outputs, Output{Param: true, Index: off + i})
		d.Batched[off+i] = filled || slices.Contains(d.axes, off+i)
		if q := &d.Params[i]; d.Batched[off+i] {
			q.Type = batchType(&p)
			q.boxed = false
		}
	}
	var dests, kept []Slot
	at := map[int]int{} // where the destination of a result is, among dests
	for j, r := range fn.Results {
		if j == len(fn.Results)-1 && isError(r.Type) {
			kept = append(kept, Slot{Name: r.Name, Type: r.Type, Role: Primal, Of: j, OfResult: true})
			continue
		}
		at[j] = len(dests)
		dests = append(dests, Slot{Name: r.Name, Type: types.NewSlice(r.Type), Role: Batch, Of: j, OfResult: true})
	}
	d.Params = slices.Insert(d.Params, lead, dests...)
	d.Results = kept
	for _, o := range fn.Outputs {
		switch {
		case !o.Param:
			o.Index = off + lead + at[o.Index]
		case o.Index >= off+lead:
			o.Index += len(dests)
		}
		d.Outputs = append(d.Outputs, Output{Param: true, Index: o.Index})
	}
}

// batchType returns the type of a parameter with a batch axis.
func batchType(p *Slot) types.Type {
	if p.boxed {
		return types.NewSlice(coreType(p.Type).(*types.Pointer).Elem())
	}
	return types.NewSlice(p.Type)
}
