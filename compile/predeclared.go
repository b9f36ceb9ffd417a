package compile

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"github.com/quabla/quabla/diag"
	"github.com/quabla/quabla/ssair"
)

// builtins are the predeclared functions that ops are printed with. For min, max
// and clear package rt has doubles.
var builtins = map[ssair.Kind]string{
	ssair.Len: "len", ssair.MapLen: "len", ssair.Cap: "cap", ssair.Append: "append", ssair.AppendSlice: "append", ssair.Copy: "copy",
	ssair.MakeSlice: "make", ssair.Alloc: "new", ssair.Panic: "panic", ssair.MapDelete: "delete",
}

// checkPredeclared refuses packages whose declarations hide a predeclared name
// that the code of the unit needs.
func (u *unit) checkPredeclared() {
	scope := u.env.pkg.Types.Scope()
	needed := map[string]bool{"true": true, "false": true, "nil": true}
	for _, t := range types.Typ {
		needed[t.Name()] = true
	}
	for _, f := range u.reachable() {
		f.Body.Walk(func(o *ssair.Op) bool {
			if name := builtins[o.Kind]; name != "" && (o.Kind != ssair.Alloc || o.Explicit) {
				needed[name] = true
			}
			if o.Kind == ssair.MakeMap {
				_, unnamed := types.Unalias(o.Result().Type).(*types.Map)
				needed["make"] = needed["make"] || !unnamed
			}
			if o.Kind == ssair.Apply {
				needed[o.Fn] = o.Fn == "real" || o.Fn == "imag" || o.Fn == "complex"
			}
			return true
		})
	}
	var hidden []types.Object
	for name, is := range needed {
		if obj := scope.Lookup(name); is && obj != nil {
			hidden = append(hidden, obj)
		}
	}
	slices.SortFunc(hidden, func(a, b types.Object) int { return int(a.Pos() - b.Pos()) })
	for _, obj := range hidden {
		u.env.report(obj.Pos(), obj.Pos()+token.Pos(len(obj.Name())), diag.Error,
			fmt.Sprintf("this declaration hides the predeclared %s, which generated code needs", obj.Name()), "rename it")
	}
}
