package deriv

import (
	"go/types"
	"strings"

	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// purePackages are packages of the standard library whose functions may be
// called once more without anybody noticing.
var purePackages = map[string]bool{
	"cmp": true, "errors": true, "math": true, "math/bits": true, "math/cmplx": true, "strconv": true, "unicode": true, "unicode/utf8": true,
	"github.com/quabla/quabla/rt": true,
}

// tidyPackages are packages of the standard library whose functions change nothing but
// what they are given.
var tidyPackages = map[string]bool{
	"encoding/json": true, "maps": true, "slices": true, "sort": true,
}

// repeatable returns an op of f, or of a function that it calls, which must not
// run a second time because it does something outside of f's memory, or nil.
func repeatable(f *ssair.Func) *ssair.Op { return opaque(f, pureCall) }

// opaque returns an opaque call in f, or in a function that it calls, which is not
// harmless, or nil.
func opaque(f *ssair.Func, harmless func(*ssair.Op) bool) *ssair.Op {
	var found *ssair.Op
	seen := map[*ssair.Func]bool{}
	var visit func(f *ssair.Func)
	visit = func(f *ssair.Func) {
		if seen[f] {
			return
		}
		seen[f] = true
		f.Body.Walk(func(o *ssair.Op) bool {
			if o.Kind == ssair.Opaque && !harmless(o) && found == nil {
				found = o
			}
			if o.Callee != nil {
				visit(o.Callee)
			}
			return true
		})
	}
	visit(f)
	return found
}

func pureCall(o *ssair.Op) bool { return pure(o, map[*ssair.Op]bool{}) }

// pure is pureCall where the calls in seen are.
func pure(o *ssair.Op, seen map[*ssair.Op]bool) bool {
	if seen[o] {
		return true
	}
	seen[o] = true
	if o.Plain || pass.IsErrorMethod(o) {
		return true
	}
	if o.Obj == nil || o.Obj.Pkg() == nil {
		return false
	}
	path, name := o.Obj.Pkg().Path(), o.Obj.Name()
	switch {
	case path == "fmt":
		return strings.HasPrefix(name, "Sprint") || name == "Errorf" || strings.HasPrefix(name, "Fprint") && ownMemory(o, seen)
	case path == "strings" || path == "bytes":
		fn, ok := o.Obj.(*types.Func)
		return ok && fn.Signature().Recv() == nil || ownMemory(o, seen) // a builder, a buffer
	case tidyPackages[path]:
		return ownMemory(o, seen)
	}
	return purePackages[path]
}

// ownMemory reports whether a call is given nothing but memory that the function around
// it makes for itself, or gets from calls that are pure, and no function.
func ownMemory(o *ssair.Op, seen map[*ssair.Op]bool) bool {
	al := pass.FindAliases(o.Parent.Func)
	for _, v := range o.Args {
		if v == nil || !ssair.HoldsRef(v.Type) {
			continue
		}
		if _, ok := v.Type.Underlying().(*types.Signature); ok {
			return false
		}
		for r := range al.Reach(al.Pts(v)) {
			made := r.Local() || r.Alloc != nil && r.Alloc.Kind == ssair.Opaque && pure(r.Alloc, seen)
			if !made {
				return false
			}
		}
	}
	return true
}
