package compile

import (
	"fmt"

	"github.com/quabla/quabla/emit"
	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// shell turns the function of the unit into its public form: with checks, and
// with a work space if it needs memory.
func (u *unit) shell() {
	u.rename()
	u.checks()
	pass.Tidy(u.fn)
	pass.Spell(u.fn)
	u.workspace()
	u.opens()
}

// rename gives the parameters and results of the function of the unit names that
// hide nothing which its body refers to: a package may have a constant dx.
func (u *unit) rename() {
	reserved := emit.Reserved(u.fn)
	taken := map[string]bool{}
	sig := u.req.Derived
	var names []*string
	if sig.Recv != nil {
		names = append(names, &sig.Recv.Name)
	}
	for i := range sig.Params {
		names = append(names, &sig.Params[i].Name)
	}
	for i := range sig.Results {
		names = append(names, &sig.Results[i].Name)
	}
	for _, n := range names {
		taken[*n] = true
	}
	for _, n := range names {
		base := *n
		if !reserved[base] {
			continue
		}
		for k := 2; reserved[*n] || taken[*n]; k++ {
			*n = fmt.Sprintf("%s%d", base, k)
		}
		taken[*n] = true
	}
	for i, s := range sig.All() {
		u.fn.Params[i].Var = &ssair.Var{Name: s.Name}
	}
}
