package compile

import (
	"fmt"
	"go/token"

	"github.com/quabla/quabla/diag"
	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// sortsByExchange refuses f if it sorts by a method Swap that does more than exchanging: the
// rules of package sort find the order with it, take its swaps back with it and do them again.
func (u *unit) sortsByExchange(f *ssair.Func) bool {
	ok := true
	f.EachCallee(false, func(g *ssair.Func) {
		g.Body.Walk(func(o *ssair.Op) bool {
			if swap := swapOf(o); ok && swap != nil {
				var at *ssair.Op
				if at, ok = pass.Exchanges(swap); !ok {
					u.env.report(at.Pos, token.NoPos, diag.Error,
						fmt.Sprintf("cannot differentiate a sort by %s: it does more than exchange the elements i and j", swap.Name),
						"let Swap exchange elements only, and compute the rest when they are sorted, or sort with slices.SortFunc")
				}
			}
			return ok
		})
	})
	return ok
}

// swapOf returns the function by which o finds an order, or nil.
func swapOf(o *ssair.Op) *ssair.Func {
	if o.Kind != ssair.Opaque || o.Obj == nil || o.Obj.Pkg() == nil || o.Obj.Pkg().Path() != rtPath {
		return nil
	}
	switch o.Obj.Name() {
	case "SortSwaps", "StableSwaps":
		if d := o.Args[2].Def; d != nil && d.Kind == ssair.MakeClosure {
			return d.Callee
		}
	}
	return nil
}
