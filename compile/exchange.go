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
	refuse := func(at token.Pos, by string) {
		ok = false
		u.env.report(at, token.NoPos, diag.Error,
			fmt.Sprintf("cannot differentiate a sort by %s: it does more than exchange the elements i and j", by),
			"let Swap exchange elements only, and compute the rest when they are sorted, or sort with slices.SortFunc")
	}
	f.EachCallee(true, func(g *ssair.Func) {
		g.Body.Walk(func(o *ssair.Op) bool {
			k := -1
			if o.Kind == ssair.Opaque {
				k = pass.SwapArg(o.Obj)
			}
			if !ok || k < 0 {
				return ok
			}
			if d := o.Args[k].Def; d == nil || d.Kind != ssair.MakeClosure {
				refuse(o.Pos, "what may be several methods Swap")
			} else if bad, fine := pass.Exchanges(d.Callee); !fine {
				refuse(bad.Pos, d.Callee.Name)
			}
			return ok
		})
	})
	return ok
}
