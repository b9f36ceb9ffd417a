package compile

import (
	"go/types"

	"github.com/quabla/quabla/ssair/lift"
)

// shipped are the packages that come with Quabla and hold rules for functions of other
// packages, by the package of those.
var shipped = map[string]string{
	"maps":   "github.com/quabla/quabla/rules/std/maps",
	"slices": "github.com/quabla/quabla/rules/std/slices",
	"sort":   "github.com/quabla/quabla/rules/std/sort",

	"gonum.org/v1/gonum/blas/blas64": "github.com/quabla/quabla/rules/gonum/blas64",
	"gonum.org/v1/gonum/floats":      "github.com/quabla/quabla/rules/gonum/floats",
}

// shippedRule returns the rule for fn that comes with Quabla, or nil.
func (e *env) shippedRule(fn *types.Func) *lift.RuleSource {
	if fn.Pkg() == nil {
		return nil
	}
	path, ok := shipped[fn.Pkg().Path()]
	if !ok || path == e.pkg.Path {
		return nil
	}
	rules, seen := e.shared.shipped[path]
	if !seen {
		rules = map[string]*lift.RuleSource{}
		e.shared.shipped[path] = rules
		list, err := e.prog.Rules(path)
		if err != nil {
			return nil // the call is refused, if it matters
		}
		for _, r := range list {
			rules[r.Target.FullName()] = ruleSource(r)
		}
	}
	return rules[fn.FullName()]
}
