package compile

import (
	"fmt"
	"go/constant"
	"go/types"
	"slices"
	"strings"

	"github.com/quabla/quabla/analyze"
	"github.com/quabla/quabla/emit"
	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// helperDoc writes the comment of a helper function.
func (u *unit) helperDoc(f *ssair.Func) string {
	name := u.helperName(f)
	of := ""
	if f.Obj != nil {
		of = f.Obj.Name()
	}
	// The helper of a derived function is called after that.
	base := strings.TrimPrefix(name, u.prefix)
	for _, suffix := range []string{"Aug", "Pull", "JVP"} {
		base = strings.TrimSuffix(base, suffix)
	}
	if base != "" && !strings.EqualFold(base, of) && strings.HasPrefix(strings.ToLower(base), strings.ToLower(of)) {
		of = base
	}
	switch {
	case name == u.prefix+"Back":
		return fmt.Sprintf("%s is the function that %s returns, with what it is bound to in front.", name, u.req.Name)
	case strings.HasSuffix(name, "Aug"):
		return fmt.Sprintf("%s runs %s and records what %s needs.", name, of, u.reverseOf(name))
	case strings.HasSuffix(name, "Pull"):
		return fmt.Sprintf("%s is the reverse sweep of one call of %s: it takes the adjoints of the\nresults and returns those of the arguments.", name, of)
	case strings.HasSuffix(name, "Span"):
		return fmt.Sprintf("%s does the members lo <= i < hi of the batch of %s.", name, u.req.Name)
	case strings.Contains(name, "JVP"):
		return fmt.Sprintf("%s is %s with tangents.", name, of)
	}
	return name + " is a helper of " + u.req.Name + "."
}

// reverseOf returns the name of the function that reads what the augmented primal
// aug records.
func (u *unit) reverseOf(aug string) string {
	if aug == u.prefix+"Aug" {
		return u.prefix + "Back"
	}
	return strings.TrimSuffix(aug, "Aug") + "Pull"
}

// doc writes the comment of the public function: what it returns and writes, when
// it panics, whether it allocates.
func (u *unit) doc() string {
	req, sig := u.req, u.req.Derived
	name, call, wrt := req.Name, u.callText(), list(u.wrtNames())
	var s []string
	add := func(format string, args ...any) { s = append(s, fmt.Sprintf(format, args...)) }
	// result says where the derivative goes: what is stored and what is returned.
	result := func(what string) string {
		var dests []string // but those that belong to outputs, which have a sentence of their own
		for _, slot := range sig.All() {
			if (slot.Role == analyze.Adjoint || slot.Role == analyze.Product) && (!slot.InOut || slices.Contains(sig.Wrt, slot.Of)) {
				dests = append(dests, slot.Name)
			}
		}
		values := slotNames(sig.Results, analyze.Adjoint, analyze.Product)
		over := "overwriting what was there"
		if req.Add {
			over = "adding to what was there"
		}
		switch {
		case len(dests) == 0:
			return fmt.Sprintf("%s as %s", what, list(values))
		case len(values) == 0:
			return fmt.Sprintf("stores %s in %s, %s", what, list(dests), over)
		}
		return fmt.Sprintf("%s: the part for %s as %s, that for %s stored in %s, %s", what,
			list(u.slotParams(sig.Results)), list(values), list(u.slotParams(sig.All())), list(dests), over)
	}
	with := func(what string) string { return fmt.Sprintf("%s and %s.", call, result(what)) }
	switch req.Verb {
	case analyze.Grad:
		add("%s %s", name, with("its gradient with respect to "+wrt))
	case analyze.HVP:
		add("%s %s", name, with(fmt.Sprintf("the product of its Hessian with respect to %s and the direction %s", wrt, list(slotNames(sig.All(), analyze.Direction)))))
	case analyze.VJP:
		what := fmt.Sprintf("the product of %s and its Jacobian with respect to %s", list(slotNames(sig.All(), analyze.Cotangent)), wrt)
		if len(slotNames(sig.All(), analyze.Cotangent)) == 0 {
			what = "the product of the cotangents and its Jacobian with respect to " + wrt
		}
		add("%s %s", name, with(what))
	case analyze.JVP:
		if n := sig.Lanes; n > 1 {
			add("%s %s and its derivatives in %d directions: each number of %s has %d lanes.", name, call, n, list(u.directions()), n)
		} else {
			add("%s %s and its derivative in the direction %s.", name, call, list(u.directions()))
		}
	case analyze.Pullback:
		add("%s %s and its pullback with respect to %s: a function that takes the cotangents of the results and computes their product with the Jacobian.", name, call, wrt)
		add("It can be called repeatedly, by one goroutine at a time, and owns what it needs: the parameters may change before.")
	case analyze.Jacobian:
		add("%s %s and stores its Jacobian with respect to %s in %s, which must be empty or have the right size:", name, call, wrt, list(slotNames(sig.All(), analyze.Matrix)))
		add("one row for each float of %s, one column for each float of %s, in order of parameters, indices and fields.", list(u.outNames()), wrt)
	case analyze.Hessian:
		add("%s %s and stores its Hessian with respect to %s in %s, which must be empty or have the right size:", name, call, wrt, list(slotNames(sig.All(), analyze.Matrix)))
		add("one row and one column for each float of %s, in order of parameters, indices and fields.", wrt)
	case analyze.Value:
		add("%s %s, with its inner derivatives compiled.", name, call)
	case analyze.VMap:
		var batched, shared []string
		for i, s := range u.req.Expr.Fn.Sig.All() {
			if sig.Batched[i] {
				batched = append(batched, s.Name)
			} else {
				shared = append(shared, s.Name)
			}
		}
		what := strings.TrimPrefix(strings.TrimPrefix(call, "returns "), "runs ")
		if dests := slotNames(sig.All(), analyze.Batch); len(dests) > 0 {
			add("%s calls %s for each member of %s and stores what it returns in %s.", name, what, list(batched), list(dests))
		} else {
			add("%s calls %s for each member of %s.", name, what, list(batched))
		}
		if len(shared) > 0 {
			add("All members share %s.", list(shared))
		}
		if len(sig.Results) > 0 {
			add("The first error ends it, and is returned with the number of the member.")
			if req.Parallel {
				add("Members behind it may have been done.")
			}
		}
	default: // a nest of verbs
		add("%s is %s, derived from [%s].", name, req.Expr, req.Func.Name())
		if returned := slotNames(sig.Results, analyze.Primal, analyze.Tangent, analyze.Adjoint, analyze.Product); len(returned) > 0 {
			add("It returns %s.", list(returned))
		}
		if stored := u.filled(); len(stored) > 0 {
			add("It overwrites %s.", list(stored))
		}
	}
	for _, slot := range sig.All() {
		switch {
		case slot.Role == analyze.Tangent && !slot.OfResult && !slices.Contains(sig.Wrt, slot.Of):
			add("%s is overwritten with the tangent of %s.", slot.Name, req.Expr.Fn.Sig.All()[slot.Of].Name)
		case !slot.InOut:
		case slot.Role == analyze.Adjoint:
			add("%s holds the cotangent of the final state of %s on entry and of its initial state on return.", slot.Name, req.Expr.Fn.Sig.All()[slot.Of].Name)
		case slot.Role == analyze.Tangent:
			add("%s ends as the tangent of the final state of %s.", slot.Name, req.Expr.Fn.Sig.All()[slot.Of].Name)
		}
	}
	if p := u.panics(); p != "" {
		add("It panics if %s.", p)
	}
	if req.Parallel {
		add("Large batches are distributed over goroutines.")
	}
	switch {
	case u.span != nil:
	case u.work != nil:
		add("Its memory comes from a pool; %s takes a work space of the caller.", req.InName)
	case !u.allocates():
		add("It does not allocate.")
	}
	return strings.Join(s, " ")
}

// callText says what the function itself does: returns [F](x, n), or runs it if it
// has no results.
func (u *unit) callText() string {
	req := u.req
	sig := req.Expr.Sig
	for e := req.Expr; e != nil; e = e.Fn {
		sig = e.Sig
	}
	fn, verb := "["+req.Func.Name()+"]", "returns"
	if sig.Recv != nil {
		fn = sig.Recv.Name + "." + "[" + recvName(sig.Recv.Type) + "." + req.Func.Name() + "]"
	}
	if len(sig.Results) == 0 {
		verb = "runs"
	}
	var names []string
	for _, p := range sig.Params {
		names = append(names, p.Name)
	}
	return fmt.Sprintf("%s %s(%s)", verb, fn, strings.Join(names, ", "))
}

// slotParams returns the names of the parameters that the derivatives among slots
// belong to.
func (u *unit) slotParams(slots []analyze.Slot) []string {
	var names []string
	for _, s := range slots {
		if s.Role == analyze.Adjoint || s.Role == analyze.Product {
			names = append(names, u.req.Expr.Fn.Sig.All()[s.Of].Name)
		}
	}
	return names
}

// filled returns the names of the parameters of a nest that are overwritten with a
// derivative or with the results of a batch.
func (u *unit) filled() []string {
	var names []string
	for i, s := range u.req.Derived.All() {
		e, k := u.req.Expr, i
		for e.Verb == analyze.VMap && e.Sig.All()[k].Role == analyze.Primal {
			e, k = e.Fn, e.Sig.All()[k].Of
		}
		switch e.Sig.All()[k].Role {
		case analyze.Adjoint, analyze.Product, analyze.Matrix, analyze.Batch:
			names = append(names, s.Name)
		}
	}
	return names
}

// directions returns the tangents that are directions, not those of outputs.
func (u *unit) directions() []string {
	var names []string
	for _, s := range u.req.Derived.All() {
		if s.Role == analyze.Tangent && slices.Contains(u.req.Derived.Wrt, s.Of) {
			names = append(names, s.Name)
		}
	}
	return names
}

// wrtNames returns the names of the parameters to differentiate by.
func (u *unit) wrtNames() []string {
	var names []string
	for _, i := range u.req.Derived.Wrt {
		names = append(names, u.req.Expr.Fn.Sig.All()[i].Name)
	}
	return names
}

// outNames returns the names of the outputs that are differentiated.
func (u *unit) outNames() []string {
	var names []string
	for _, o := range u.req.Derived.Of {
		if o.Param {
			names = append(names, u.req.Expr.Fn.Sig.All()[o.Index].Name)
		} else {
			names = append(names, u.req.Expr.Fn.Sig.Results[o.Index].Name)
		}
	}
	return names
}

// panics says when the checks of the public function panic, or "" if it makes none.
func (u *unit) panics() string {
	var shapes, shared []string
	add := func(l *[]string, s string) {
		if !slices.Contains(*l, s) {
			*l = append(*l, s)
		}
	}
	prefix := u.env.pkg.Types.Name() + "." + u.title() + ": "
	u.fn.Body.Walk(func(o *ssair.Op) bool {
		if o.Pos != u.req.Pos {
			return true
		}
		switch {
		case o.Kind == ssair.Panic:
			if text, ok := stringConst(o.Args[0].Def.Args[0]); ok {
				add(&shapes, strings.TrimPrefix(text, prefix))
			}
		case o.Kind == ssair.Opaque && o.Obj != nil && o.Obj.Name() == "SameShape":
			d, _ := stringConst(o.Args[1])
			x, _ := stringConst(o.Args[2])
			add(&shapes, d+" has another shape than "+x)
		case o.Kind == ssair.Opaque && o.Obj != nil && o.Obj.Pkg() != nil && o.Obj.Pkg().Path() == rtPath && o.Obj.Name() != "Resize":
			if text, ok := stringConst(o.Args[0]); ok {
				add(&shared, strings.TrimPrefix(text, prefix)+" share memory")
			}
		}
		return true
	})
	switch {
	case len(shapes)+len(shared) == 0:
		return ""
	case len(shapes)+len(shared) <= 3:
		all := append(shapes, shared...)
		if len(all) > 1 {
			return strings.Join(all[:len(all)-1], ", if ") + " or if " + all[len(all)-1]
		}
		return all[0]
	case len(shared) == 0:
		return "shapes disagree"
	}
	return "shapes disagree or what it writes to shares memory with something else"
}

func stringConst(v *ssair.Value) (string, bool) {
	if v.Def == nil || v.Def.Kind != ssair.Const || v.Def.Val.Kind() != constant.String {
		return "", false
	}
	return constant.StringVal(v.Def.Val), true
}

// inDoc returns the doc comment of the form with a work space.
func (u *unit) inDoc() string {
	s := fmt.Sprintf("%s is %s with a work space of the caller.", u.req.InName, u.req.Name)
	if u.allocates() {
		return s + " What the function itself allocates does not come from there."
	}
	return s + " It allocates nothing once the work space has grown to the size of the input."
}

// allocates reports whether the functions of the unit allocate memory that
// grows with the input.
func (u *unit) allocates() bool {
	found := false
	all := u.reachable()
	u.fn.EachCallee(false, func(f *ssair.Func) {
		if u.callable(f) { // called by its name, as the source has it
			c := f.CloneFunc(f.Name)
			u.mod.Funcs = u.mod.Funcs[:len(u.mod.Funcs)-1]
			pass.Tidy(c)
			all = append(all, c)
		}
	})
	for _, f := range all {
		life := u.lifetimes(f)
		f.Body.Walk(func(o *ssair.Op) bool {
			if emit.FromWork(o) {
				return true
			}
			switch o.Kind {
			case ssair.MakeMap, ssair.Append, ssair.AppendSlice, ssair.MapKeys, ssair.MapSet, ssair.ZeroLike, ssair.ClearAll,
				ssair.MakeIface, ssair.Opaque, ssair.MakeClosure:
				if o.Kind == ssair.Append && o.Text != "" && keptTape(o.Args[0]) {
					break
				}
				if o.Kind == ssair.MakeIface {
					found = found || boxes(o)
					break
				}
				if o.Kind == ssair.ClearAll {
					found = found || holdsEntries(o.Args[0].Type)
					break
				}
				found = found || o.Kind != ssair.Opaque || outsideAllocates(o)
			case ssair.MakeSlice:
				found = found || !constSize(o) || life.outlives(o)
			case ssair.Alloc:
				found = found || o.Explicit || life.outlives(o)
			}
			return true
		})
	}
	return found
}

// outsideAllocates reports whether a call of a function whose body is not read may take
// memory.
func outsideAllocates(o *ssair.Op) bool {
	if o.Obj == nil || o.Obj.Pkg() == nil {
		return true
	}
	switch o.Obj.Pkg().Path() {
	case "math":
		return false
	case rtPath:
		switch name := o.Obj.Name(); {
		case strings.HasSuffix(name, "Fault"): // an error
			return true
		case name == "SameShape", name == "Separate", name == "Distinct":
			return slices.ContainsFunc(o.Args, func(v *ssair.Value) bool { return holdsEntries(v.Type) })
		}
		return false
	}
	return true
}

// holdsEntries reports whether maps or interfaces with numbers can be reached from values of
// type t: who goes through them makes variables for what they hold.
func holdsEntries(t types.Type) bool {
	return leadsTo(t, nil, func(t types.Type) bool {
		if _, ok := t.(*types.TypeParam); ok {
			return false
		}
		switch t.Underlying().(type) {
		case *types.Map, *types.Interface:
			return ssair.ReachesScalar(t)
		}
		return false
	})
}

// keptTape reports whether a tape starts with what the work space holds: then its memory
// is used again in the next call.
func keptTape(v *ssair.Value) bool {
	for {
		if v.Def == nil { // a parameter of a region
			p := v.Home.Parent
			if p == nil || p.Kind != ssair.Loop {
				return false
			}
			k := slices.Index(v.Home.Params, v)
			if k < 0 || k >= p.Carried() {
				return false
			}
			v = p.Args[k]
			continue
		}
		k := slices.Index(v.Def.Results, v)
		switch d := v.Def; {
		case d.Kind == ssair.Append:
			v = d.Args[0]
		case d.Kind == ssair.Loop && k < d.Carried():
			v = d.Args[k]
		case d.Kind == ssair.If:
			r := d.Regions[0]
			if r.Term().Kind != ssair.Yield {
				r = d.Regions[1]
			}
			v = r.Term().Args[k]
		default:
			return d.Kind == ssair.Slice
		}
	}
}

// boxes reports whether making an interface of a value takes memory.
func boxes(o *ssair.Op) bool {
	v := o.Args[0]
	switch v.Type.Underlying().(type) {
	case *types.Pointer, *types.Map, *types.Signature, *types.Chan:
		return false
	}
	return (v.Def == nil || v.Def.Kind != ssair.Const) && ssair.ReachesScalar(v.Type)
}

func slotNames(slots []analyze.Slot, roles ...analyze.Role) []string {
	var out []string
	for _, s := range slots {
		for _, r := range roles {
			if s.Role == r {
				out = append(out, s.Name)
			}
		}
	}
	return out
}

// list joins names as English does.
func list(names []string) string {
	switch n := len(names); n {
	case 0:
		return "none"
	case 1:
		return names[0]
	default:
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
}
