package deriv

import (
	"go/types"
	"slices"

	"github.com/quabla/quabla/rules"
	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// activity tells which values and memory of a function derivatives pass
// through. A value is varied if it depends on an active parameter, and useful
// if an output depends on it; what is both is active. When in doubt, a value
// is active. Integers, bools and strings never are.
type activity struct {
	f          *ssair.Func
	al         *pass.Aliases
	varied     map[*ssair.Value]bool
	useful     map[*ssair.Value]bool // nil: everything is useful
	variedRoot map[*pass.Root]bool
	usefulRoot map[*pass.Root]bool
	// shadowed holds the roots that need a shadow: the active ones, and those
	// that a reference with a shadow may point to as well.
	shadowed map[*pass.Root]bool
	// encoded holds the values that were computed from active ones by
	// functions without derivative, and encodedRoot the memory that holds such.
	encoded     map[*ssair.Value]bool
	encodedRoot map[*pass.Root]bool
	wrote       map[*ssair.Op]bool // what wrote some of it to files or elsewhere outside
	// stopped holds the references through which everything is constant.
	stopped map[*ssair.Value]bool
	changed bool
}

// outputs says which results and parameters of a function are outputs.
type outputs struct {
	result []bool
	param  []bool
}

// findActivity analyses f for the active parameters. out is nil in forward
// mode, where all results count. bare says that errors in f hold no numbers.
func findActivity(f *ssair.Func, active []bool, out *outputs, bare bool) *activity {
	a := newActivity(f)
	if bare {
		a.stopped = addErrors(f, a.stopped)
	}
	for i, p := range f.Params {
		if !active[i] {
			continue
		}
		if ssair.HoldsScalar(p.Type) {
			a.varied[p] = true
		}
		for r := range a.al.Reach(a.al.Pts(p)) {
			a.variedRoot[r] = true
		}
	}
	a.fix(a.forward, false)
	if out != nil {
		a.useful = map[*ssair.Value]bool{}
		for i, p := range f.Params {
			if out.param[i] {
				for r := range a.al.Reach(a.al.Pts(p)) {
					a.usefulRoot[r] = true
				}
			}
		}
		if t := f.Body.Term(); t != nil && t.Kind == ssair.Return {
			for i, v := range t.Args {
				if out.result[i] {
					a.need(v)
					for r := range a.al.Reach(a.al.Pts(v)) {
						a.usefulRoot[r] = true
					}
				}
			}
		}
		a.fix(a.backward, true)
	}
	a.shadows(active, out)
	a.checkKeys()
	// Everywhere, also in loops that no derivative passes through: that is what a
	// function without derivative makes of a loop.
	a.checkText(map[string]bool{})
	a.checkStopped()
	return a
}

func newActivity(f *ssair.Func) *activity {
	return &activity{
		f: f, al: pass.FindAliases(f),
		varied: map[*ssair.Value]bool{}, variedRoot: map[*pass.Root]bool{}, usefulRoot: map[*pass.Root]bool{},
		shadowed: map[*pass.Root]bool{}, encoded: map[*ssair.Value]bool{}, encodedRoot: map[*pass.Root]bool{}, wrote: map[*ssair.Op]bool{},
		stopped: findStopped(f),
	}
}

// checkKeys refuses maps whose keys hold floats if keys or values are active: the
// keys of the map and of its shadow would have to be one and differ.
func (a *activity) checkKeys() {
	a.f.Body.Walk(func(o *ssair.Op) bool {
		if o.Kind != ssair.MapSet {
			return true
		}
		if k := o.Args[1]; ssair.HoldsScalar(k.Type) && (a.varied[k] || a.ref(o.Args[0])) {
			refuse(o.Pos, "use keys without floats, or keep keys and values in two slices", "cannot differentiate a map with float keys and active keys or values")
		}
		return true
	})
}

// fix applies transfer to all ops until nothing changes, the last op first if
// backwards is set: the way in which facts travel.
func (a *activity) fix(transfer func(*ssair.Op), backwards bool) {
	var ops []*ssair.Op
	a.f.Body.Walk(func(o *ssair.Op) bool {
		ops = append(ops, o)
		return true
	})
	if backwards {
		slices.Reverse(ops)
	}
	for {
		a.changed = false
		for _, o := range ops {
			transfer(o)
		}
		if !a.changed {
			return
		}
	}
}

// value reports whether derivatives pass through the scalar or aggregate v.
func (a *activity) value(v *ssair.Value) bool {
	return a.varied[v] && (a.useful == nil || a.useful[v])
}

// root reports whether the memory r holds active numbers.
func (a *activity) root(r *pass.Root) bool {
	return a.variedRoot[r] && (a.useful == nil || a.usefulRoot[r])
}

// ref reports whether the reference v (or one inside the aggregate v) has a
// shadow.
func (a *activity) ref(v *ssair.Value) bool {
	if v == nil || a.stopped[v] || !ssair.MayReferToScalar(v.Type) {
		return false
	}
	for r := range a.al.Pts(v) {
		if a.shadowed[r] {
			return true
		}
	}
	return false
}

func (a *activity) vary(v *ssair.Value) {
	if ssair.HoldsScalar(v.Type) && !a.varied[v] {
		a.varied[v] = true
		a.changed = true
	}
}

func (a *activity) varyRoots(s pass.RootSet) {
	for r := range s {
		if !a.variedRoot[r] {
			a.variedRoot[r] = true
			a.changed = true
		}
	}
}

func (a *activity) anyVaried(s pass.RootSet) bool {
	for r := range s {
		if a.variedRoot[r] {
			return true
		}
	}
	return false
}

// touches reports whether v is varied, or refers to varied memory.
func (a *activity) touches(v *ssair.Value) bool {
	return v != nil && (a.varied[v] || !a.stopped[v] && ssair.MayReferToScalar(v.Type) && a.anyVaried(a.al.Reach(a.al.Pts(v))))
}

// passes reports whether derivatives pass through a function: not through
// rounding.
func passes(fn string) bool {
	row := rules.Lookup(fn)
	return row == nil || row.Active()
}

func (a *activity) forward(o *ssair.Op) {
	a.followText(o)
	switch o.Kind {
	case ssair.Bin, ssair.Un, ssair.Conv, ssair.Build, ssair.Extract:
		for _, v := range o.Args {
			if a.varied[v] {
				a.vary(o.Result())
			}
		}
	case ssair.Apply:
		if !passes(o.Fn) {
			return
		}
		for _, v := range o.Args {
			if a.varied[v] {
				for _, r := range o.Results {
					a.vary(r)
				}
			}
		}
	case ssair.Load:
		if !a.stopped[o.Base()] && a.anyVaried(a.al.Pts(o.Base())) {
			a.vary(o.Result())
		}
	case ssair.Store, ssair.Accum:
		if a.varied[o.Stored()] {
			a.varyRoots(a.al.Pts(o.Base()))
		}
	case ssair.Append:
		for _, v := range o.Args[1:] {
			if a.varied[v] {
				a.varyRoots(a.al.Pts(o.Result()))
			}
		}
		a.moved(o)
	case ssair.AppendSlice:
		if !a.stopped[o.Args[1]] && a.anyVaried(a.al.Pts(o.Args[1])) && ssair.HoldsScalar(ssair.ElemType(o.Result().Type)) {
			a.varyRoots(a.al.Pts(o.Result()))
		}
		a.moved(o)
	case ssair.Copy:
		if !a.stopped[o.Args[1]] && a.anyVaried(a.al.Pts(o.Args[1])) && ssair.HoldsScalar(ssair.ElemType(o.Args[0].Type)) {
			a.varyRoots(a.al.Pts(o.Args[0]))
		}
	case ssair.MapGet:
		if !a.stopped[o.Args[0]] && a.anyVaried(a.al.Pts(o.Args[0])) {
			a.vary(o.Results[0])
		}
	case ssair.MapSet:
		if a.varied[o.Args[2]] {
			a.varyRoots(a.al.Pts(o.Args[0]))
		}
	case ssair.MakeIface:
		if a.varied[o.Args[0]] {
			a.varyRoots(a.al.Pts(o.Result()))
		}
	case ssair.TypeAssert:
		if !a.stopped[o.Args[0]] && a.anyVaried(a.al.Pts(o.Args[0])) {
			a.vary(o.Result())
		}
	case ssair.If:
		for _, r := range o.Regions {
			if t := r.Term(); t.Kind == ssair.Yield {
				for k, v := range t.Args {
					if a.varied[v] {
						a.vary(o.Results[k])
					}
				}
			}
		}
	case ssair.Loop:
		a.carried(o, func(from, to *ssair.Value) {
			if a.varied[from] {
				a.vary(to)
			}
		})
	case ssair.Call:
		a.call(o)
	}
}

// moved: the elements of a slice that append moves stay varied.
func (a *activity) moved(o *ssair.Op) {
	if a.anyVaried(a.al.Pts(o.Args[0])) && ssair.HoldsScalar(ssair.ElemType(o.Result().Type)) {
		a.varyRoots(pass.RootSet{a.al.Site(o): true})
	}
}

// carried calls flow for every way that a value takes through a loop.
func (a *activity) carried(o *ssair.Op, flow func(from, to *ssair.Value)) {
	for k, res := range o.Results {
		for _, v := range carriedFrom(o, k) {
			flow(v, res)
			for _, r := range o.Regions {
				flow(v, r.Params[k])
			}
		}
	}
}

// carriedFrom returns the values that carried value k of a loop may be.
func carriedFrom(o *ssair.Op, k int) []*ssair.Value {
	vs := []*ssair.Value{o.Args[k]}
	first := 0
	if o.Loop.Break {
		first = 1
	}
	if t := o.BodyRegion().Term(); t.Kind == ssair.Yield {
		vs = append(vs, t.Args[first+k])
	}
	if t := o.Post().Term(); t.Kind == ssair.Yield {
		vs = append(vs, t.Args[k])
	}
	return vs
}

func (a *activity) call(o *ssair.Op) {
	active := false
	reach := pass.RootSet{}
	for i, v := range o.Args {
		active = active || a.touches(v)
		if rule := o.Callee.Rule; rule != nil && !rule.Writes[i] {
			continue
		}
		for r := range a.al.Reach(a.al.Pts(v)) {
			reach[r] = true
		}
	}
	if !active {
		return
	}
	for _, r := range o.Results {
		a.vary(r)
		for x := range a.al.Reach(a.al.Pts(r)) {
			reach[x] = true
		}
	}
	a.varyRoots(reach)
}

func (a *activity) need(v *ssair.Value) {
	if v != nil && ssair.HoldsScalar(v.Type) && !a.useful[v] {
		a.useful[v] = true
		a.changed = true
	}
}

func (a *activity) needRoots(s pass.RootSet) {
	for r := range s {
		if !a.usefulRoot[r] {
			a.usefulRoot[r] = true
			a.changed = true
		}
	}
}

func (a *activity) anyUseful(s pass.RootSet) bool {
	for r := range s {
		if a.usefulRoot[r] {
			return true
		}
	}
	return false
}

func (a *activity) backward(o *ssair.Op) {
	switch o.Kind {
	case ssair.Bin, ssair.Un, ssair.Conv, ssair.Build, ssair.Extract, ssair.Apply:
		if o.Kind == ssair.Conv && !ssair.IsScalar(o.Result().Type) && ssair.IsScalar(o.Args[0].Type) || o.Kind == ssair.Apply && !passes(o.Fn) {
			return
		}
		for _, r := range o.Results {
			if a.useful[r] {
				for _, v := range o.Args {
					a.need(v)
				}
			}
		}
	case ssair.Load:
		if a.useful[o.Result()] {
			a.needRoots(a.al.Pts(o.Base()))
		}
	case ssair.Store, ssair.Accum:
		if a.anyUseful(a.al.Pts(o.Base())) {
			a.need(o.Stored())
		}
	case ssair.Append, ssair.AppendSlice:
		if a.anyUseful(a.al.Pts(o.Result())) {
			a.needRoots(a.al.Pts(o.Args[0]))
			for _, v := range o.Args[1:] {
				a.need(v)
				a.needRoots(a.al.Pts(v))
			}
		}
	case ssair.Copy:
		if a.anyUseful(a.al.Pts(o.Args[0])) {
			a.needRoots(a.al.Pts(o.Args[1]))
		}
	case ssair.MapGet:
		if a.useful[o.Results[0]] {
			a.needRoots(a.al.Pts(o.Args[0]))
		}
	case ssair.MapSet:
		if a.anyUseful(a.al.Pts(o.Args[0])) {
			a.need(o.Args[2])
		}
	case ssair.MakeIface:
		if a.anyUseful(a.al.Pts(o.Result())) {
			a.need(o.Args[0])
		}
	case ssair.TypeAssert:
		if a.useful[o.Result()] {
			a.needRoots(a.al.Pts(o.Args[0]))
		}
	case ssair.If:
		for _, r := range o.Regions {
			if t := r.Term(); t.Kind == ssair.Yield {
				for k, v := range t.Args {
					if a.useful[o.Results[k]] {
						a.need(v)
					}
				}
			}
		}
	case ssair.Loop:
		// All states of a carried value are useful if one is.
		a.carried(o, func(from, to *ssair.Value) {
			if a.useful[to] {
				a.need(from)
			}
		})
		for k, r := range o.Results {
			useful := a.useful[r]
			for _, g := range o.Regions {
				useful = useful || a.useful[g.Params[k]]
			}
			if useful {
				a.need(r)
				for _, g := range o.Regions {
					a.need(g.Params[k])
				}
			}
		}
	case ssair.Call:
		useful := false
		reach := pass.RootSet{}
		for _, r := range o.Results {
			useful = useful || a.useful[r]
			for x := range a.al.Reach(a.al.Pts(r)) {
				reach[x] = true
			}
		}
		for i, v := range o.Args {
			if rule := o.Callee.Rule; rule != nil && !rule.Writes[i] {
				continue
			}
			for r := range a.al.Reach(a.al.Pts(v)) {
				reach[r] = true
			}
		}
		if useful || a.anyUseful(reach) {
			for i, v := range o.Args {
				if rule := o.Callee.Rule; rule != nil && rule.Covers[i] {
					a.needRoots(a.al.Reach(a.al.Pts(v)))
				}
				if rule := o.Callee.Rule; rule == nil || rule.Covers[i] {
					a.need(v)
				}
			}
			a.needRoots(reach)
		}
	}
}

// shadows finds the roots that need a shadow.
func (a *activity) shadows(active []bool, out *outputs) {
	set := func(r *pass.Root) {
		if !a.shadowed[r] {
			a.shadowed[r] = true
			a.changed = true
		}
	}
	for _, r := range a.al.Roots {
		if a.root(r) {
			set(r)
		}
	}
	for i, p := range a.f.Params {
		if active[i] {
			for r := range a.al.Reach(a.al.Pts(p)) {
				set(r)
			}
		}
	}
	// What is returned has a shadow even if nothing flows through it: the caller
	// relies on its shape.
	if t := a.f.Body.Term(); out != nil && t.Kind == ssair.Return {
		for i, v := range t.Args {
			if !out.result[i] || !shadowParam(v.Type, true) || ssair.IsErrorType(v.Type) {
				continue
			}
			for r := range a.al.Reach(a.al.Pts(v)) {
				made := r.Local() || r.Alloc != nil && r.Alloc.Kind == ssair.Call
				if (made || r.Param != nil) && holdsScalarRefs(r) {
					set(r)
				}
			}
		}
	}
	var calls []*ssair.Op
	a.f.Body.Walk(func(o *ssair.Op) bool {
		if o.Kind == ssair.Call {
			calls = append(calls, o)
		}
		return true
	})
	for {
		a.changed = false
		for v, s := range a.al.All() {
			if !ssair.MayReachScalar(v.Type) {
				continue
			}
			if a.anyShadowed(s) {
				for r := range s {
					set(r)
				}
			}
		}
		for _, r := range a.al.Roots {
			if a.anyShadowed(a.al.Contents(r)) && holdsScalarRefs(r) {
				set(r)
			}
		}
		// The derivative of what is called follows all that it is given.
		for _, o := range calls {
			if !slices.ContainsFunc(o.Args, a.ref) {
				continue
			}
			for _, v := range o.Args {
				for r := range a.al.Reach(a.al.Pts(v)) {
					if a.variedRoot[r] && holdsScalarRefs(r) {
						set(r)
					}
				}
			}
		}
		if !a.changed {
			return
		}
	}
}

// holdsScalarRefs reports whether the memory of r can hold references to
// numbers.
func holdsScalarRefs(r *pass.Root) bool {
	var t types.Type
	switch {
	case r.Param != nil:
		t = r.Param.Type
	case r.Stored:
		ts := r.Memory()
		return ts == nil || slices.ContainsFunc(ts, ssair.ReachesScalar)
	case r.Alloc != nil && len(r.Alloc.Results) > 0:
		t = r.Alloc.Results[0].Type
	case r.Obj != nil:
		t = r.Obj.Type()
	}
	return t == nil || ssair.MayReachScalar(t)
}

func (a *activity) anyShadowed(s pass.RootSet) bool {
	for r := range s {
		if a.shadowed[r] {
			return true
		}
	}
	return false
}
