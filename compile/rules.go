package compile

import (
	"go/token"
	"go/types"

	"github.com/quabla/quabla/analyze"
	"github.com/quabla/quabla/deriv"
	"github.com/quabla/quabla/diag"
	"github.com/quabla/quabla/emit"
	"github.com/quabla/quabla/generate"
	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/lift"
)

// CheckRules implements generate.RulesFunc: it lifts every rule of a package, so
// that what is wrong with one is found even if nothing needs it yet.
func (c *Compiler) CheckRules(pkg *analyze.Package, diags *diag.List) error {
	rules := pkg.Rules()
	if len(rules) == 0 {
		return nil
	}
	facts := c.factsOf(pkg)
	mod := &ssair.Module{Fset: pkg.Program().Fset, Pkg: pkg.Types, Prefix: "rule"}
	u := &unit{mod: mod, deriver: deriv.New(mod), done: map[*analyze.Request]*ssair.Func{}, names: map[*ssair.Func]string{}, used: map[string]bool{}}
	u.env = &env{pkg: pkg, prog: pkg.Program(), diags: diags, unit: u, shared: facts}
	u.lifter = lift.New(mod, u.env)
	for _, r := range rules {
		if r.As != nil {
			continue // its signature may depend on the call
		}
		err := generate.Guard("the rule of "+r.Target.Name(), func() error {
			c.ruled[r] = u.lifter.Ruled(r.Target)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// factsOf returns what is known about a package.
func (c *Compiler) factsOf(pkg *analyze.Package) *packageFacts {
	facts := c.facts[pkg]
	if facts == nil {
		facts = newPackageFacts()
		c.facts[pkg] = facts
	}
	return facts
}

// Rule implements lift.Env.
func (e *env) Rule(fn *types.Func) *lift.RuleSource {
	r := e.pkg.Rule(fn)
	if r == nil {
		return e.shippedRule(fn.Origin())
	}
	s := e.shared.rules[r]
	if s == nil {
		s = ruleSource(r)
		e.shared.rules[r] = s
	}
	return s
}

func ruleSource(r *analyze.CustomRule) *lift.RuleSource {
	return &lift.RuleSource{
		JVP: r.JVP, Lifted: r.Lifted, VJP: r.VJP, Fwd: r.Fwd, Bwd: r.Bwd, As: r.As,
		Wrt: r.Wrt, NonDiff: r.NonDiff, Surrogate: r.Surrogate,
		At: func(fn *types.Func) (pos, end token.Pos) { w := r.Word(fn); return w.Pos, w.End() },
	}
}

// ruleCheck returns the row of a generated test for a rule. A generic function is
// tested as that of float64; where it is none, there is no row.
func (c *Compiler) ruleCheck(r *analyze.CustomRule, points *pointsFuncs, diags *diag.List) (emit.RuleCheck, bool) {
	f := c.ruled[r]
	if f == nil {
		return emit.RuleCheck{}, false
	}
	var targs []types.Type
	params := r.Target.Signature().TypeParams()
	if recv := r.Target.Signature().RecvTypeParams(); recv != nil {
		params = recv
	}
	for tp := range params.TypeParams() {
		float := types.Typ[types.Float64]
		if !types.Satisfies(float, tp.Constraint().Underlying().(*types.Interface)) {
			return emit.RuleCheck{}, false
		}
		targs = append(targs, float)
	}
	check := emit.RuleCheck{Func: r.Target, Args: targs, JVP: r.JVP, VJP: r.VJP, Fwd: r.Fwd, Bwd: r.Bwd, Surrogate: r.Surrogate}
	for i, covers := range f.Rule.Covers {
		if covers {
			check.Wrt = append(check.Wrt, i)
		}
		if covers && f.Rule.Writes[i] {
			check.Writes = append(check.Writes, i)
		}
	}
	if r.Lifted != nil {
		check.Lifted = r.Lifted
		for i := params.Len(); i < r.Lifted.Signature().TypeParams().Len(); i++ {
			of := types.Unalias(r.Lifted.Signature().TypeParams().At(i).Constraint()).(*types.Named).TypeArgs().At(0)
			if _, generic := of.(*types.TypeParam); generic {
				of = types.Typ[types.Float64]
			}
			check.Lanes = append(check.Lanes, of)
		}
	}
	if fn := points.named(r.Target); fn != nil {
		all := paramTypes(r.Target)
		ok := fn.Signature().Results().Len() == len(all) && fn.Signature().Params().Len() == 1 && isRand(fn.Signature().Params().At(0).Type())
		for i := 0; ok && i < len(all); i++ {
			ok = fn.Signature().TypeParams().Len() > 0 || typePath(fn.Signature().Results().At(i).Type()) == typePath(all[i])
		}
		if check.Points = fn.Name(); !ok {
			diags.Add(diag.Diagnostic{
				Pos: points.pkg.Program().Position(fn.Pos()), Width: len(fn.Name()), Category: "points",
				Message: fn.Name() + " must have one parameter, a *rand.Rand, and return the parameters of " + r.Target.Name(),
			})
		}
		if fn.Signature().TypeParams().Len() > 0 {
			check.PointsArgs = targs
		}
	}
	return check, true
}

// paramTypes returns the types of the parameters of fn, the receiver first.
func paramTypes(fn *types.Func) []types.Type {
	var list []types.Type
	if r := fn.Signature().Recv(); r != nil {
		list = append(list, r.Type())
	}
	for v := range fn.Signature().Params().Variables() {
		list = append(list, v.Type())
	}
	return list
}
