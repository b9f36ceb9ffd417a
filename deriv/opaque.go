package deriv

import (
	"go/types"
	"slices"
	"strings"

	"github.com/quabla/quabla/rules"
	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// checkOpaque refuses calls of functions without derivative that derivatives
// would have to pass through.
func (a *activity) checkOpaque(o *ssair.Op) {
	if o.Plain {
		return
	}
	name := "the function value"
	if o.Obj != nil {
		name = qualified(o.Obj)
	}
	var touched *ssair.Value
	text := a.reads(o) // as an argument, or in memory that one refers to
	for _, v := range o.Args {
		if a.touches(v) && touched == nil {
			touched = v
		}
		text = text || a.hasText(v)
	}
	hint := "call it in a function of your own that has a rule, //quabla:custom_vjp, or wrap the argument in rt.Stop if it is a constant here"
	if o.Obj != nil {
		if why, ok := rules.Refused("math." + o.Obj.Name()); ok && o.Obj.Pkg() != nil && o.Obj.Pkg().Path() == "math" && touched != nil {
			refuse(o.Pos, hint, "cannot differentiate the call of %s: %s", name, why)
		}
	}
	if a.storesError(o) {
		refuse(o.Pos, "return the numbers besides the error, or assert the type of an error that no call has returned",
			"cannot differentiate numbers that an error carries through errors.As")
	}
	if touched == nil && !text {
		return
	}
	for _, r := range o.Results {
		if ssair.HoldsScalar(r.Type) || ssair.ReachesScalar(r.Type) && !ssair.IsErrorType(r.Type) && !pass.ReadsOnly(o) {
			if touched == nil {
				refuse(o.Pos, hint, "cannot differentiate the call of %s: its argument was computed from an active value by a function without derivative", name)
			}
			refuseCall(o, hint, "cannot differentiate the call of %s: it has no derivative rule and its body cannot be read", name)
		}
	}
	if pass.ReadsOnly(o) {
		return
	}
	if touched != nil && ssair.HoldsRef(touched.Type) && a.writable(o) {
		refuseCall(o, hint, "cannot differentiate the call of %s: it may change active memory, and its body cannot be read", name)
	}
	if (touched != nil || text && !movesText(o)) && a.fills(o) {
		refuseCall(o, hint, "cannot differentiate the call of %s: it may store numbers that depend on active values, and its body cannot be read", name)
	}
}

// checkAssert refuses the assertion that an error which a call returns holds active
// numbers: derivatives do not follow errors through calls.
func (a *activity) checkAssert(o *ssair.Op) {
	if o.Type == nil || !ssair.ReachesScalar(o.Type) || !readsNumbers(ssair.UsesIn(a.f.Body), o.Result()) {
		return
	}
	for r := range a.al.Pts(o.Args[0]) {
		if r.Error && slices.ContainsFunc(r.Alloc.Args, a.carries) {
			refuse(o.Pos, "return the numbers besides the error", "cannot differentiate numbers that an error carries out of a call")
		}
	}
}

// readsNumbers reports whether numbers may be read or written through v, or that are
// part of it.
func readsNumbers(uses ssair.Uses, v *ssair.Value) bool {
	for _, u := range uses[v] {
		switch o := u.Op; o.Kind {
		case ssair.Cmp, ssair.TypeIs, ssair.MakeIface:
		case ssair.Load, ssair.Extract:
			if r := o.Result(); ssair.IsScalar(r.Type) || (ssair.HoldsScalar(r.Type) || ssair.ReachesScalar(r.Type)) && readsNumbers(uses, r) {
				return true
			}
		case ssair.Store:
			switch base := o.Base(); {
			case base != v:
				if base.Def == nil || base.Def.Kind != ssair.Alloc || readsNumbers(uses, base) {
					return true
				}
			case len(o.Path) > 0 && ssair.ReachesScalar(o.Stored().Type):
				return true
			}
		default:
			return true
		}
	}
	return false
}

// carries reports whether v is an active number, or refers to some; an error may.
func (a *activity) carries(v *ssair.Value) bool {
	return v != nil && (a.varied[v] || ssair.HoldsRef(v.Type) && a.anyVaried(a.al.Reach(a.al.Pts(v))))
}

// storesError reports whether an opaque call stores an error that may carry active
// numbers: errors.As does.
func (a *activity) storesError(o *ssair.Op) bool {
	if o.Obj == nil || o.Obj.Pkg() == nil || o.Obj.Pkg().Path() != "errors" || o.Obj.Name() != "As" || len(o.Args) != 2 {
		return false
	}
	target := o.Args[1]
	d := target.Def
	if d == nil || d.Kind != ssair.MakeIface || !ssair.ReachesScalar(d.Args[0].Type) || !readsNumbers(ssair.UsesIn(a.f.Body), d.Args[0]) {
		return false
	}
	if a.carries(o.Args[0]) {
		return true
	}
	for r := range a.al.Pts(o.Args[0]) {
		if r.Alloc != nil && !r.Local() && slices.ContainsFunc(r.Alloc.Args, a.carries) {
			return true
		}
	}
	return false
}

// fills reports whether an opaque call gets a reference to memory for numbers.
func (a *activity) fills(o *ssair.Op) bool {
	for _, v := range o.Args {
		if v == nil || onlyReads(v) {
			continue
		}
		for r := range a.al.Reach(a.al.Pts(v)) {
			if r.Alloc != nil && r.Alloc.Kind == ssair.MakeIface {
				continue // what an interface holds stays as it is
			}
			if holdsNumbers(r) {
				return true
			}
		}
	}
	return false
}

// onlyReads reports whether v is a function that a call without derivative is given:
// the lifter has seen to it that it changes no numbers.
func onlyReads(v *ssair.Value) bool { return v.Def != nil && v.Def.Kind == ssair.MakeClosure }

// holdsNumbers reports whether the memory of r itself holds numbers.
func holdsNumbers(r *pass.Root) bool {
	var t types.Type
	switch {
	case r.Param != nil:
		if r.Deep {
			return true
		}
		t = r.Param.Type
	case r.Stored:
		ts := r.Memory()
		return ts == nil || slices.ContainsFunc(ts, ssair.HoldsScalar)
	case r.Alloc != nil && len(r.Alloc.Results) > 0:
		t = r.Alloc.Results[0].Type
	case r.Obj != nil:
		return ssair.HoldsScalar(r.Obj.Type())
	}
	if t == nil {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return ssair.HoldsScalar(u.Elem())
	case *types.Slice:
		return ssair.HoldsScalar(u.Elem())
	case *types.Map:
		return ssair.HoldsScalar(u.Elem())
	case *types.Interface:
		return true
	}
	return false
}

// writable reports whether an opaque call gets a reference through which it
// could change active numbers.
func (a *activity) writable(o *ssair.Op) bool {
	for _, v := range o.Args {
		if v == nil || onlyReads(v) {
			continue
		}
		if ssair.RefersToScalar(v.Type) && a.anyVaried(a.al.Reach(a.al.Pts(v))) {
			return true
		}
	}
	return false
}

// movesText reports whether a function handles bytes and strings only: it stores no
// numbers.
func movesText(o *ssair.Op) bool {
	if o.Obj == nil || o.Obj.Pkg() == nil {
		return false
	}
	switch o.Obj.Pkg().Path() {
	case "bufio", "bytes", "io", "os", "strings":
		return true
	}
	return false
}

// external reports whether a function goes to files, processes or the network: what one call
// leaves there another may find.
func external(o *ssair.Op) bool {
	if o.Obj == nil || o.Obj.Pkg() == nil {
		return false
	}
	switch o.Obj.Pkg().Path() {
	case "os", "os/exec", "net", "net/http", "syscall":
		return true
	}
	return false
}

// reads reports whether o may find encoded text outside of the program: that was written
// before it, or in an earlier trip of a loop around it.
func (a *activity) reads(o *ssair.Op) bool {
	if len(a.wrote) == 0 || !external(o) {
		return false
	}
	found, passed := false, false
	a.f.Body.Walk(func(x *ssair.Op) bool {
		passed = passed || x == o
		found = found || a.wrote[x] && !passed
		if x.Kind == ssair.Loop && x.BodyRegion().Contains(o.Parent) {
			for w := range a.wrote {
				found = found || x.BodyRegion().Contains(w.Parent)
			}
		}
		return !found
	})
	return found
}

// writesText reports whether a function that reads only else writes text to its
// first argument.
func writesText(o *ssair.Op) bool {
	return o.Obj != nil && o.Obj.Pkg() != nil && o.Obj.Pkg().Path() == "fmt" && strings.HasPrefix(o.Obj.Name(), "Fprint")
}

func qualified(o types.Object) string {
	if f, ok := o.(*types.Func); ok {
		if r := f.Signature().Recv(); r != nil {
			return "(" + types.TypeString(r.Type(), func(p *types.Package) string { return p.Name() }) + ")." + f.Name()
		}
	}
	if o.Pkg() != nil {
		return o.Pkg().Name() + "." + o.Name()
	}
	return o.Name()
}
