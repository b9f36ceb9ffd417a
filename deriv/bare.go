package deriv

import (
	"go/types"

	"github.com/quabla/quabla/ssair"
)

// An error is bare if no number can be found in it: it needs no shadow, wherever it has
// come from. Aliases cannot tell, as the result of a call may refer to all that the call
// is given; but a number gets into an error only where a value of a type with numbers
// and an Error method becomes an interface, and is found there only where that type is
// asserted.

// bare reports whether all errors in f, which is r with its inner derivatives resolved,
// are bare. What a function makes of the errors that it is given depends on who calls it,
// so the first function that a request differentiates answers for all that it calls.
func (t *transforms) bare(f, r *ssair.Func) bool {
	if b, known := t.bares[f]; known {
		return b
	}
	bare, clash := makesBare(r), false
	r.EachCallee(true, func(g *ssair.Func) {
		b, known := t.bares[g]
		bare = bare && (b || !known)
		clash = clash || b
	})
	if !bare && clash {
		refuse(f.Pos, "return the numbers beside the error", "cannot tell which errors in %s hold numbers", f.Name)
	}
	r.EachCallee(true, func(g *ssair.Func) { t.bares[g] = bare })
	t.bares[f] = bare
	return bare
}

// addErrors adds the errors in f to stopped: through them everything is constant.
func addErrors(f *ssair.Func, stopped map[*ssair.Value]bool) map[*ssair.Value]bool {
	if stopped == nil {
		stopped = map[*ssair.Value]bool{}
	}
	f.EachValue(func(v *ssair.Value) {
		if ssair.IsErrorType(v.Type) {
			stopped[v] = true
		}
	})
	return stopped
}

// makesBare reports whether all errors in f, and in what it calls, are bare if f is not
// given others.
func makesBare(f *ssair.Func) bool {
	bare := true
	for _, p := range f.Params {
		bare = bare && !holdsErrors(p.Type, map[types.Type]bool{})
	}
	numbers := func(t types.Type) bool { return isError(t) && ssair.MayReachScalar(t) }
	puts, takes := false, false // numbers into an error, and out of one
	f.EachCallee(true, func(g *ssair.Func) {
		if !bare {
			return
		}
		bare = g.Rule == nil
		g.Body.Walk(func(o *ssair.Op) bool {
			switch o.Kind {
			case ssair.MakeIface:
				puts = puts || numbers(o.Args[0].Type)
			case ssair.TypeAssert:
				takes = takes || numbers(o.Type)
				bare = bare && !(types.IsInterface(o.Type) && isError(o.Type))
			case ssair.MakeClosure, ssair.JVP, ssair.Grad:
				bare = false
			}
			return bare
		})
	})
	return bare && !(puts && takes)
}

// isError reports whether values of type t can be errors.
func isError(t types.Type) bool {
	return types.Implements(t, types.Universe.Lookup("error").Type().Underlying().(*types.Interface))
}

// holdsErrors reports whether an error may be found in values of type t.
func holdsErrors(t types.Type, seen map[types.Type]bool) bool {
	t = types.Unalias(t)
	if seen[t] {
		return false
	}
	seen[t] = true
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for f := range u.Fields() {
			if holdsErrors(f.Type(), seen) {
				return true
			}
		}
	case *types.Map:
		return holdsErrors(u.Key(), seen) || holdsErrors(u.Elem(), seen)
	case *types.Interface:
		return isError(t)
	case *types.Signature:
		return true
	case interface{ Elem() types.Type }:
		return holdsErrors(u.Elem(), seen)
	}
	return false
}
