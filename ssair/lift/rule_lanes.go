package lift

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"github.com/quabla/quabla/ssair"
)

// A laneParam is a type parameter of a lifted rule that stands for the lanes of
// numbers of one type.
type laneParam struct {
	name   string
	scalar types.Type // the type of the number
}

// liftedRule checks the lifted rule, and makes it known with a function that
// instantiates it for a number of lanes.
func (x *ruleLifter) liftedRule() bool {
	f, g := x.f, x.r.Lifted
	params, widths, ok := x.laneParams(g)
	if !ok {
		return false
	}
	instance := func(n int) *ssair.Func {
		targs := append([]types.Type{}, x.targs...)
		for _, p := range params {
			targs = append(targs, types.NewArray(p.scalar, int64(n)))
		}
		return x.lifted(g, targs)
	}
	h := instance(2)
	if h == nil {
		return false
	}
	if !x.eitherWay(h, func(t types.Type) types.Type { return lanes(t, 2) }) {
		return x.misfit(g, x.generic(), x.liftedLayout())
	}
	f.Rule.Lifted = func(n int) *ssair.Func {
		if !widths[n] {
			return nil
		}
		// Calls of fn inside of its rule are plain calls, now as then.
		if !x.bare[x.fn] {
			x.bare[x.fn] = true
			defer delete(x.bare, x.fn)
		}
		return instance(n)
	}
	return true
}

// laneParams returns the type parameters of a lifted rule behind those of the
// function, and the numbers of lanes that they admit.
func (x *ruleLifter) laneParams(g *types.Func) (params []laneParam, widths map[int]bool, ok bool) {
	for i, p := range x.f.Params {
		if x.f.Rule.Covers[i] && lanes(p.Type, 2) == nil {
			return nil, nil, x.fail(g, "leave lifted= out: with several lanes the rule for one is called several times",
				"a lifted rule cannot carry lanes in parameter %s of %s, of type %s", name(x.f, i), x.fn.Name(), types.TypeString(p.Type, (*types.Package).Name))
		}
	}
	for _, r := range x.f.Results {
		if carries(r.Type) && lanes(r.Type, 2) == nil {
			return nil, nil, x.fail(g, "leave lifted= out: with several lanes the rule for one is called several times",
				"a lifted rule cannot carry lanes in a result of type %s", types.TypeString(r.Type, (*types.Package).Name))
		}
	}
	tps := typeParams(g)
	if tps.Len() <= len(x.targs) {
		return nil, nil, x.misfit(g, x.generic(), x.liftedLayout())
	}
	s := &subst{m: map[*types.TypeParam]types.Type{}}
	for i, t := range x.targs {
		s.m[tps.At(i)] = t
	}
	for i := len(x.targs); i < tps.Len(); i++ {
		tp := tps.At(i)
		c, is := types.Unalias(tp.Constraint()).(*types.Named)
		if !is || c.Obj().Name() != "Lifted" || c.Obj().Pkg() == nil || c.Obj().Pkg().Path() != rtPath {
			return nil, nil, x.misfit(g, x.generic(), x.liftedLayout())
		}
		params = append(params, laneParam{tp.Obj().Name(), s.typ(c.TypeArgs().At(0))})
		widths = arrayLens(c)
	}
	return params, widths, true
}

// arrayLens returns the lengths of the arrays in a union.
func arrayLens(constraint *types.Named) map[int]bool {
	lens := map[int]bool{}
	u := constraint.Underlying().(*types.Interface)
	for e := range u.EmbeddedTypes() {
		if union, ok := e.(*types.Union); ok {
			for t := range union.Terms() {
				if a, ok := t.Type().Underlying().(*types.Array); ok {
					lens[int(a.Len())] = true
				}
			}
		}
	}
	return lens
}

// lanes returns the type of tangents of t in n directions, or nil if a lifted rule
// cannot name it: that of a struct with a name is made with the derivative.
func lanes(t types.Type, n int) types.Type {
	return ssair.MapScalars(t, func(t types.Type) types.Type { return types.NewArray(t, int64(n)) }, noLanes, nil)
}

// scalars returns the types of the numbers in the tangents of a lifted rule, and a
// type parameter for each.
func (x *ruleLifter) scalars() (list []types.Type, params []types.Type) {
	see := func(t types.Type) {
		ssair.MapScalars(t, func(s types.Type) types.Type {
			if slices.ContainsFunc(list, func(other types.Type) bool { return types.Identical(s, other) }) {
				return s
			}
			n := "L"
			if len(list) > 0 {
				n = fmt.Sprint("L", len(list)+1)
			}
			list = append(list, s)
			params = append(params, types.NewTypeParam(types.NewTypeName(0, nil, n, nil), types.NewInterfaceType(nil, nil)))
			return s
		}, noLanes, nil)
	}
	for i, p := range x.f.Params {
		if x.f.Rule.Covers[i] {
			see(p.Type)
		}
	}
	for _, r := range x.f.Results {
		if carries(r.Type) {
			see(r.Type)
		}
	}
	return list, params
}

func noLanes(*types.Named, *types.Struct) types.Type { return nil }

// generic returns the type parameters that the lifted rule must have, for messages.
func (x *ruleLifter) generic() string {
	var ps []string
	for t := range typeParams(x.fn).TypeParams() {
		ps = append(ps, t.Obj().Name()+" "+types.TypeString(t.Constraint(), (*types.Package).Name))
	}
	list, params := x.scalars()
	for i, s := range list {
		ps = append(ps, fmt.Sprintf("%s rt.Lifted[%s]", params[i], types.TypeString(s, (*types.Package).Name)))
	}
	return "[" + strings.Join(ps, ", ") + "]"
}

// liftedLayout is the signature of the lifted rule in terms of its type parameters.
func (x *ruleLifter) liftedLayout() layout {
	list, params := x.scalars()
	return jvpLayout(x.f, func(t types.Type) types.Type {
		return ssair.MapScalars(t, func(s types.Type) types.Type {
			for i, other := range list {
				if types.Identical(s, other) {
					return params[i]
				}
			}
			return s
		}, noLanes, nil)
	}, true)
}
