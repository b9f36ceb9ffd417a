package deriv

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"unicode"

	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// A pair is the derivative of a function that is called rather than inlined:
// the augmented primal runs it and returns a record of what the pullback needs
// besides.
//
//	aug(params..., shadows of active references...) (results..., shadows of reference results..., record)
//	pull(record, adjoints of results...) (adjoints of active values...)
type pair struct {
	aug, pull *ssair.Func
	record    *types.Named
}

// pair returns the derivative pair of f for the active parameters, where the memory
// of the frozen ones stays as it is until the pullback has run. It may be asked for
// while it is being built: then f is recursive.
func (t *transforms) pair(f *ssair.Func, active, frozen []bool) *pair {
	key := fmt.Sprintf("%p %v %v %t", f, active, frozen, t.repeat)
	if p := t.pairs[key]; p != nil {
		return p
	}
	spec := ReverseSpec{Active: active, Result: make([]bool, len(f.Results)), Param: make([]bool, len(f.Params))}
	for i, r := range f.Results {
		spec.Result[i] = ssair.ReachesScalar(r.Type)
	}
	for i, q := range f.Params {
		spec.Param[i] = active[i] && ssair.HoldsRef(q.Type)
	}
	return t.newPair(f, spec, frozen, t.helper(f), key)
}

// newPair makes the pair of f. It is put down under key before it is complete.
func (t *transforms) newPair(f *ssair.Func, spec ReverseSpec, frozen []bool, name, key string) *pair {
	p := &pair{
		aug: t.mod.NewFunc(name + "Aug"), pull: t.mod.NewFunc(name + "Pull"),
		record: t.mod.AddType(lowerFirst(baseName(name))+"Record", fmt.Sprintf("holds what the reverse sweep needs of one call of %s.", f.Name), token.NoPos),
	}
	t.pairs[key] = p
	active := spec.Active
	recType := types.NewPointer(p.record)

	// The signatures first: the body may call them.
	aug, pull := p.aug, p.pull
	aug.Obj, aug.Pos, pull.Obj, pull.Pos = f.Obj, f.Pos, f.Obj, f.Pos
	space := maxSpace(f) + 1
	for _, q := range f.Params {
		aug.AddParam(q.Name(), q.Type).Space = q.Space
	}
	for i, q := range f.Params {
		if shadowParam(q.Type, active[i]) {
			aug.AddParam("d"+q.Name(), q.Type).Space = space
		}
	}
	aug.Results = append(aug.Results, f.Results...)
	for _, r := range f.Results {
		if shadowParam(r.Type, true) {
			aug.Results = append(aug.Results, ssair.Result{Type: r.Type})
		}
	}
	aug.Results = append(aug.Results, ssair.Result{Type: recType})
	rec := pull.AddParam("rec", recType)
	rec.Space = space
	for i, r := range f.Results {
		if ssair.HoldsScalar(r.Type) && spec.Result[i] {
			name := r.Name
			if name == "" {
				name = "value"
				if len(f.Results) > 1 {
					name += fmt.Sprint(i)
				}
			}
			pull.AddParam("d"+name, r.Type).Space = space
		}
	}
	for i, q := range f.Params {
		if active[i] && ssair.HoldsScalar(q.Type) {
			pull.Results = append(pull.Results, ssair.Result{Type: q.Type})
		}
	}
	t.buildPair(p, t.prepare(f), spec, frozen)
	return p
}

// shadowParam reports whether a shadow is passed for a value of type t.
func shadowParam(t types.Type, active bool) bool {
	return active && ssair.RefersToScalar(t)
}

func (t *transforms) buildPair(p *pair, f *ssair.Func, spec ReverseSpec, frozen []bool) {
	s := t.newReverse(f, p.aug, spec)
	s.mem.disjoint = false
	s.mem.leaves = true
	for i, q := range f.Params {
		if frozen != nil && frozen[i] {
			s.mem.freeze(q)
		}
	}
	s.repeat = t.repeat
	var own []*ssair.Value // shadows that nobody else sees
	n := len(f.Params)
	shadows := p.aug.Params[n:]
	for i, q := range f.Params {
		s.m[q] = p.aug.Params[i]
		if shadowParam(q.Type, spec.Active[i]) {
			s.sh[q] = shadows[0]
			shadows = shadows[1:]
		} else if s.shadowed(q) {
			s.sh[q] = s.zeroLike(s.m[q], f.Pos)
			own = append(own, s.sh[q])
		}
	}
	s.b.Safe = false
	s.forwardRegion(f.Body)
	s.b.Safe = true
	ret := f.Body.Term()
	if ret.Kind == ssair.Unreachable {
		// f always panics, so nothing calls the pullback.
		p.record.SetUnderlying(types.NewStruct(nil, nil))
		b := ssair.NewBuilder(p.pull.Body)
		var zeros []*ssair.Value
		for _, r := range p.pull.Results {
			zeros = append(zeros, b.Zero(r.Type))
		}
		b.Return(zeros...)
		return
	}
	s.scope = &scope{region: p.aug.Body, start: s.marker()}
	s.pair = true

	// The pullback.
	end := s.b.Region
	s.b.Region = p.pull.Body
	s.home[f.Body] = p.pull.Body
	s.scope.rstart = s.marker()
	s.b.Reverse = true
	seeds := p.pull.Params[1:]
	for i, v := range ret.Args {
		if !ssair.HoldsScalar(v.Type) || !spec.Result[i] {
			continue
		}
		bar := seeds[0]
		seeds = seeds[1:]
		if ssair.IsScalar(v.Type) {
			s.add(v, bar)
		} else if s.act.value(v) {
			s.addAggregate(v, bar)
		}
	}
	s.reverseRegion(f.Body)
	s.b.Pos = f.Pos
	var bars []*ssair.Value
	for i, q := range f.Params {
		if spec.Active[i] && ssair.HoldsScalar(q.Type) {
			if c, ok := s.adj[q]; ok {
				bars = append(bars, s.b.Load(c, nil))
			} else {
				bars = append(bars, s.b.Zero(q.Type))
			}
		}
	}
	if s.repeat {
		for _, d := range own {
			clearReach(s.b, d, f.Pos)
		}
	}
	s.b.Return(bars...)
	s.b.Reverse = false

	// The record.
	s.b.Region = end
	needed := neededIn(p.pull.Body, p.aug.Body)
	saved, again := s.choose(needed, p.aug.Body)
	fields := recordFields(t.mod.Pkg, saved)
	p.record.SetUnderlying(types.NewStruct(fields, nil))
	rec := s.b.Alloc(p.record, &ssair.Var{Name: "rec"})
	m := ssair.ValueMap{}
	start := ssair.NewBuilder(p.pull.Body)
	start.Safe = true
	rest := p.pull.Body.Ops
	p.pull.Body.Ops = nil
	for i, v := range saved {
		path := []ssair.Step{ssair.Field(i)}
		s.b.Store(rec, path, v)
		x := start.Load(p.pull.Params[0], path)
		x.Var = v.Var
		m[v] = x
		s.front[x.Def] = true
	}
	for _, x := range rest {
		start.Insert(x)
	}
	s.recompute(p.pull.Body, again, m)
	var results []*ssair.Value
	for _, v := range ret.Args {
		results = append(results, s.m.Get(v))
	}
	for _, v := range ret.Args {
		if shadowParam(v.Type, true) {
			results = append(results, s.shadow(v))
		}
	}
	s.b.Return(append(results, rec)...)
}

// writes returns, by parameter, through which f may change memory.
func (t *transforms) writes(f *ssair.Func) []bool {
	if w, ok := t.written[f]; ok {
		return w
	}
	w := make([]bool, len(f.Params))
	t.written[f] = w
	for i := range pass.Written(f) {
		w[i] = true
	}
	if f.Rule != nil {
		for i, x := range f.Rule.Writes {
			w[i] = w[i] || x
		}
	}
	if callsOpaque(f) {
		for i := range w {
			w[i] = true
		}
	}
	return w
}

// callsOpaque reports whether f, or a function that it calls, gives references to
// code that cannot be read.
func callsOpaque(f *ssair.Func) bool {
	found := false
	f.EachCallee(false, func(g *ssair.Func) {
		g.Body.Walk(func(o *ssair.Op) bool {
			if o.Kind == ssair.Opaque && !o.Plain || o.Kind == ssair.MakeClosure {
				found = found || slices.ContainsFunc(o.Args, func(v *ssair.Value) bool { return v != nil && ssair.HoldsRef(v.Type) })
			}
			return !found
		})
	})
	return found
}

// marker inserts an op that other ops can be put in front of.
func (s *reverseSweep) marker() *ssair.Op {
	o := s.b.Op(ssair.Const, nil, ssair.Int)
	o.Val = oneVal
	return o
}

// recordFields makes a field for each value.
func recordFields(pkg *types.Package, vs []*ssair.Value) []*types.Var {
	used := map[string]bool{}
	fields := make([]*types.Var, len(vs))
	for i, v := range vs {
		n := fieldName(v)
		base := n
		for k := 1; used[n]; k++ {
			n = fmt.Sprintf("%s%d", base, k)
		}
		used[n] = true
		fields[i] = types.NewField(token.NoPos, pkg, n, v.Type, false)
	}
	return fields
}

func lowerFirst(s string) string {
	r := []rune(s)
	r[0] = unicode.ToLower(r[0])
	return string(r)
}

func upperFirst(s string) string {
	r := []rune(s)
	r[0] = unicode.ToUpper(r[0])
	return string(r)
}

// helper returns the beginning of the names of helpers for f.
func (t *transforms) helper(f *ssair.Func) string {
	n := lowerFirst(baseName(f.Name))
	if t.mod.Prefix == "" {
		return n
	}
	r := []rune(n)
	r[0] = unicode.ToUpper(r[0])
	return t.mod.Prefix + string(r)
}

// fieldName proposes a name for a saved value.
func fieldName(v *ssair.Value) string {
	if n := v.Name(); n != "" && n != "_" {
		return n
	}
	d := v.Def
	switch {
	case d == nil:
		return "v"
	case d.Kind == ssair.Apply:
		n := lowerFirst(d.Fn[strings.LastIndex(d.Fn, ".")+1:])
		if token.IsKeyword(n) { // rt.Switch
			return "v"
		}
		return n
	case d.Kind == ssair.Cmp:
		return "taken"
	case d.Kind == ssair.Call:
		return "call"
	}
	return "v"
}

// baseName turns the name of a function of the IR into an identifier.
func baseName(name string) string {
	out := []rune{}
	up := false
	for _, r := range name {
		if r == '.' {
			up = true
			continue
		}
		if up && r >= 'a' && r <= 'z' {
			r -= 'a' - 'A'
		}
		up = false
		out = append(out, r)
	}
	return string(out)
}

// forwardCall calls the augmented primal.
func (s *reverseSweep) forwardCall(o *ssair.Op) {
	if o.Callee.Rule != nil {
		s.covered(o)
	}
	active, frozen := make([]bool, len(o.Args)), make([]bool, len(o.Args))
	any := false
	for i, v := range o.Args {
		frozen[i] = ssair.HoldsRef(v.Type) && s.mem.unchanged(o, v)
		active[i] = s.act.value(v) || s.shadowed(v)
		any = any || active[i]
	}
	for _, v := range o.Results {
		any = any || s.shadowed(v) // new memory that active numbers come into later
	}
	if !any {
		s.ops[o] = s.b.CloneOp(o, s.m)
		return
	}
	if s.plain && s.plainCall(o) {
		return
	}
	if o.Callee.Rule != nil {
		s.forwardRuled(o, active)
		return
	}
	s.passNil(o.Args, active)
	p := s.t.pair(o.Callee, active, frozen)
	var args []*ssair.Value
	for _, v := range o.Args {
		args = append(args, s.m.Get(v))
	}
	for i, v := range o.Args {
		if shadowParam(v.Type, active[i]) {
			args = append(args, s.shadow(v))
		}
	}
	var ts []types.Type
	for _, r := range p.aug.Results {
		ts = append(ts, r.Type)
	}
	c := s.b.Op(ssair.Call, args, ts...)
	c.Callee = p.aug
	s.ops[o] = c
	rest := c.Results[len(o.Results):]
	for k, v := range o.Results {
		s.m[v] = c.Results[k]
		c.Results[k].Var = v.Var
		if shadowParam(v.Type, true) {
			if s.shadowed(v) {
				s.setShadow(v, rest[0])
			}
			rest = rest[1:]
		}
	}
	s.calls[o] = &callState{p, active, rest[0]}
}

// callState is what the reverse sweep knows of a call.
type callState struct {
	pair   *pair
	active []bool
	record *ssair.Value
}

// reverseCall calls the pullback.
func (s *reverseSweep) reverseCall(o *ssair.Op) {
	if st := s.ruled[o]; st != nil {
		s.reverseRuled(o, st)
		return
	}
	st := s.calls[o]
	if st == nil {
		return
	}
	args := []*ssair.Value{st.record}
	touched := false
	for _, v := range o.Results {
		touched = touched || s.shadowed(v) // adjoints may have come through memory
		if !ssair.HoldsScalar(v.Type) {
			continue
		}
		if c, ok := s.adj[v]; ok {
			touched = true
			args = append(args, s.b.Load(c, nil))
		} else {
			args = append(args, s.b.Zero(v.Type))
		}
	}
	for i, v := range o.Args {
		touched = touched || shadowParam(v.Type, st.active[i])
	}
	if !touched {
		return
	}
	var ts []types.Type
	for _, r := range st.pair.pull.Results {
		ts = append(ts, r.Type)
	}
	c := s.b.Op(ssair.Call, args, ts...)
	c.Callee = st.pair.pull
	rest := c.Results
	for i, v := range o.Args {
		if !st.active[i] || !ssair.HoldsScalar(v.Type) {
			continue
		}
		if s.act.value(v) {
			if ssair.IsScalar(v.Type) {
				s.add(v, rest[0])
			} else {
				s.addAggregate(v, rest[0])
			}
		}
		rest = rest[1:]
	}
}

// typePrefix returns the beginning of the names of types that g uses: unique in the
// package, also if g is another derived function, of which each user has a copy.
func (t *transforms) typePrefix(g *ssair.Func) string {
	name := lowerFirst(g.Name)
	if strings.HasPrefix(name, t.mod.Prefix) {
		return name
	}
	return t.mod.Prefix + upperFirst(name)
}
