package emit

import (
	"go/token"
	"go/types"

	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// A plan says which values of a function are written in place.
type plan struct {
	f      *ssair.Func
	uses   ssair.Uses
	al     *pass.Aliases
	inline map[*ssair.Value]bool
	// pos is the index of the statement in which an op is evaluated, in its
	// own region.
	pos map[*ssair.Op]int
	// inside holds the ops that are evaluated in a region nested in that statement.
	inside map[*ssair.Op]bool
	size   map[*ssair.Value]int
	// tail holds the ifs that end their region: their arms do what the
	// terminator of the region would do with the results.
	tail map[*ssair.Op]bool
	// late holds values that are computed where they are used, at the end of a
	// trip.
	late map[*ssair.Value]bool
}

// maxSize is the number of nodes up to which an expression is written in one
// piece.
const maxSize = 22

func newPlan(f *ssair.Func, late map[*ssair.Value]bool) *plan {
	p := &plan{
		late: late,
		f:    f, uses: ssair.UsesIn(f.Body), al: pass.FindAliases(f),
		inline: map[*ssair.Value]bool{}, pos: map[*ssair.Op]int{}, inside: map[*ssair.Op]bool{}, size: map[*ssair.Value]int{}, tail: map[*ssair.Op]bool{},
	}
	p.region(f.Body)
	return p
}

func (p *plan) region(r *ssair.Region) {
	index := map[*ssair.Op]int{}
	for i, o := range r.Ops {
		index[o] = i
		p.pos[o] = i
		for _, n := range o.Regions {
			p.region(n)
		}
		for _, v := range o.Results {
			p.size[v] = p.sizeOf(o)
		}
	}
	for i := len(r.Ops) - 1; i >= 0; i-- {
		o := r.Ops[i]
		if len(o.Results) == 0 {
			continue
		}
		v := o.Results[0]
		if !p.candidate(o) {
			continue
		}
		last, ok := p.evaluated(r, o, i, index)
		if ok {
			p.inline[v] = true
			p.pos[o] = last
		}
	}
	defer p.findTail(r)
	// Sizes again, now that it is known what is written in place; what has
	// become too long gets a variable.
	for _, o := range r.Ops {
		for _, v := range o.Results {
			n := p.sizeOf(o)
			p.size[v] = n
			if p.inline[v] && n > maxSize && !always(o) {
				p.inline[v] = false
				p.size[v] = 1
				p.pos[o], p.inside[o] = index[o], false
			}
		}
	}
}

// findTail looks for an if at the end of r.
func (p *plan) findTail(r *ssair.Region) {
	if r.Parent != nil && r.Parent.Kind == ssair.Loop && r != r.Parent.BodyRegion() {
		return
	}
	for i := len(r.Ops) - 2; i >= 0; i-- {
		o := r.Ops[i]
		if len(o.Results) > 0 && p.inline[o.Results[0]] {
			continue
		}
		if o.Kind != ssair.If {
			return
		}
		for _, v := range o.Results {
			if len(p.uses[v]) > 1 {
				return
			}
			for _, u := range p.uses[v] {
				if u.Op.Parent != r {
					return
				}
			}
		}
		if r.Parent != nil && r.Parent.Kind == ssair.Loop && !r.Parent.Loop.Break && p.more(r.Term(), o) {
			return // it would be printed in both arms
		}
		p.tail[o] = true
		return
	}
}

// more reports whether the terminator t of a loop body computes something besides
// what the if o yields.
func (p *plan) more(t, o *ssair.Op) bool {
	if t.Kind != ssair.Yield || o.Regions[0].Term().Kind != ssair.Yield || o.Regions[1].Term().Kind != ssair.Yield {
		return false
	}
	for _, v := range t.Args {
		if d := v.Def; d != nil && d != o && p.inline[v] && d.Kind != ssair.Const && d.Kind != ssair.Zero {
			return true
		}
	}
	return false
}

// tailOf returns the if that ends r, or nil.
func (p *plan) tailOf(r *ssair.Region) *ssair.Op {
	for i := len(r.Ops) - 2; i >= 0; i-- {
		if o := r.Ops[i]; p.tail[o] {
			return o
		} else if !(len(o.Results) > 0 && p.inline[o.Results[0]]) {
			return nil
		}
	}
	return nil
}

// sizeOf counts the nodes of the expression that o would print.
func (p *plan) sizeOf(o *ssair.Op) int {
	n := 1
	for _, a := range o.Args {
		if a != nil && p.inline[a] {
			n += p.size[a]
		} else {
			n++
		}
	}
	for _, r := range o.Regions {
		if t := r.Term(); t != nil {
			for _, a := range t.Args {
				n += 1 + p.size[a]
			}
		}
	}
	return n
}

// always reports whether values of o are always written in place.
func always(o *ssair.Op) bool {
	switch o.Kind {
	case ssair.Const, ssair.Zero, ssair.FuncVal, ssair.Global:
		return true
	}
	return false
}

// candidate reports whether the result of o can be written in place at all.
func (p *plan) candidate(o *ssair.Op) bool {
	if always(o) {
		return true
	}
	if len(o.Results) == 1 && pass.IsNamed(o.Results[0]) {
		return false // in place it would be part of a constant expression, with other rounding
	}
	switch o.Kind {
	case ssair.Bin, ssair.Un, ssair.Cmp, ssair.Conv, ssair.Slice, ssair.StrIndex, ssair.MakeIface,
		ssair.Build, ssair.Load, ssair.Len, ssair.MapLen, ssair.Cap, ssair.Extract, ssair.Addr, ssair.Zero, ssair.MakeClosure:
	case ssair.TypeAssert:
		return o.Safe // its panic is to come before that of the assertion of the shadow
	case ssair.Apply:
		if len(o.Results) != 1 {
			return false
		}
	case ssair.MapGet:
		if len(p.uses[o.Results[1]]) > 0 {
			return false
		}
	case ssair.If:
		return p.conditional(o)
	case ssair.Call:
		return p.stored(o)
	default:
		return false
	}
	return true
}

// stored reports whether the only result of a call is stored at once, in a place
// whose name does not depend on what the call does.
func (p *plan) stored(o *ssair.Op) bool {
	if len(o.Results) != 1 || o.Results[0].Var != nil || len(p.uses[o.Results[0]]) != 1 {
		return false
	}
	u := p.uses[o.Results[0]][0].Op
	if u.Kind != ssair.Store || u.Stored() != o.Results[0] || u.Parent != o.Parent {
		return false
	}
	for _, a := range u.Args[:len(u.Args)-1] {
		if a.Def != nil && a.Def.Kind != ssair.Const && a.Var == nil && p.candidate(a.Def) {
			return false
		}
	}
	for i, x := range o.Parent.Ops {
		if x == o {
			return o.Parent.Ops[i+1] == u
		}
	}
	return false
}

// conditional reports whether the if o is x && y or x || y.
func (p *plan) conditional(o *ssair.Op) bool {
	return p.logical(o) && o.Results[0].Var == nil
}

// logical reports whether the if o computes x && y or x || y.
func (p *plan) logical(o *ssair.Op) bool {
	if o.Kind != ssair.If || len(o.Results) != 1 || !ssair.IsBool(o.Results[0].Type) {
		return false
	}
	t, e := o.Regions[0].Term(), o.Regions[1].Term()
	if t.Kind != ssair.Yield || e.Kind != ssair.Yield {
		return false
	}
	if !isBool(e.Args[0], false) && !isBool(t.Args[0], true) {
		return false
	}
	for _, r := range o.Regions {
		for _, x := range r.Ops[:len(r.Ops)-1] {
			if len(x.Results) != 1 || !p.inline[x.Results[0]] {
				return false
			}
		}
	}
	return true
}

func isBool(v *ssair.Value, want bool) bool {
	d := v.Def
	if d == nil || !ssair.IsBool(v.Type) {
		return false
	}
	if d.Kind == ssair.Zero {
		return !want
	}
	return d.Kind == ssair.Const && (d.Val.String() == "true") == want
}

// evaluated decides whether the result of o is written in place, and returns
// the index of the last statement that then evaluates it.
func (p *plan) evaluated(r *ssair.Region, o *ssair.Op, i int, index map[*ssair.Op]int) (int, bool) {
	v := o.Results[0]
	uses := p.uses[v]
	if always(o) {
		return i, true
	}
	if len(uses) == 0 {
		return i, false
	}
	if v.Var != nil && !p.late[v] && !p.trivialName(o, uses) && !(p.startsLoop(o) && p.cheap(o)) {
		return i, false
	}
	cheap := p.cheap(o)
	if len(uses) > 1 && !cheap && !(o.Kind == ssair.Load && len(uses) <= 3 && p.simpleIndex(o)) {
		return i, false
	}
	last := i
	nested := false
	for _, u := range uses {
		at, same := p.ancestor(r, u.Op)
		if at == nil {
			return i, false
		}
		k := index[at]
		if same {
			if len(at.Results) > 0 && p.inline[at.Results[0]] {
				k = p.pos[at]
				nested = nested || p.inside[at]
			}
		} else {
			nested = true
			if p.inLoop(at, u.Op) && !cheap {
				return i, false
			}
			if !cheap && len(uses) > 1 {
				return i, false
			}
			if at.Kind == ssair.If && len(at.Results) > 0 && p.inline[at.Results[0]] {
				k = max(k, p.pos[at])
			}
		}
		// An operand of a loop is evaluated before the loop, but the loop
		// variable changes afterwards.
		if at.Kind == ssair.Loop && same && !cheap && len(uses) > 1 {
			return i, false
		}
		last = max(last, k)
	}
	if reads(o) {
		for k := i + 1; k <= last; k++ {
			x := r.Ops[k]
			if k == last && !nested && x.Kind != ssair.Loop {
				break // a statement writes after it has read its operands
			}
			if p.writes(x, o) {
				return i, false
			}
		}
	}
	p.inside[o] = nested
	return last, true
}

// trivialName reports whether a named value may be written in place all the
// same: an adjoint that is used once and short.
func (p *plan) trivialName(o *ssair.Op, uses []ssair.Use) bool {
	// The clauses of a loop are expressions.
	if l := o.Parent.Parent; l != nil && l.Kind == ssair.Loop && o.Parent != l.BodyRegion() && len(uses) == 1 {
		return true
	}
	return o.Loose && len(uses) == 1 && p.size[o.Results[0]] <= 5 && uses[0].Op.Kind != ssair.Yield && uses[0].Op.Kind != ssair.Return
}

// cheap reports whether o may be written in several places.
func (p *plan) cheap(o *ssair.Op) bool {
	if o.Results[0].Var != nil && !p.startsLoop(o) {
		return false
	}
	small := func(v *ssair.Value) bool {
		return v.Def == nil || p.variable(v) || !p.candidateLater(v) || v.Def.Kind == ssair.Const || p.cheapValue(v)
	}
	switch o.Kind {
	case ssair.Len, ssair.Cap, ssair.Extract:
		return small(o.Args[0])
	case ssair.Addr:
		return len(o.Indices()) == 0
	case ssair.Conv:
		return ssair.IsInteger(o.Args[0].Type) && small(o.Args[0])
	case ssair.Bin:
		if !ssair.IsInteger(o.Results[0].Type) || o.Tok != token.ADD && o.Tok != token.SUB {
			return false
		}
		return o.Args[1].Def != nil && o.Args[1].Def.Kind == ssair.Const && small(o.Args[0])
	}
	return false
}

// variable reports whether v will have a variable of its own.
func (p *plan) variable(v *ssair.Value) bool {
	return len(p.uses[v]) > 1 && v.Def.Kind == ssair.Slice
}

// startsLoop reports whether o computes the first value of a loop variable: the
// name belongs to that.
func (p *plan) startsLoop(o *ssair.Op) bool {
	v := o.Results[0]
	for _, u := range p.uses[v] {
		if u.Op.Kind == ssair.Loop && u.Arg < u.Op.Carried() && u.Op.Results[u.Arg].Var == v.Var {
			return true
		}
	}
	return false
}

// candidateLater reports whether v might be written in place.
func (p *plan) candidateLater(v *ssair.Value) bool { return v.Var == nil && p.candidate(v.Def) }

func (p *plan) cheapValue(v *ssair.Value) bool { return v.Def != nil && p.cheap(v.Def) }

// simpleIndex reports whether the place that o loads is named by variables and
// constants.
func (p *plan) simpleIndex(o *ssair.Op) bool {
	for _, a := range o.Args {
		if a.Def != nil && a.Var == nil && a.Def.Kind != ssair.Const && a.Def.Kind != ssair.Global && a.Def.Kind != ssair.Alloc && !p.cheapValue(a) {
			return false
		}
	}
	return true
}

// ancestor returns the op of region r that is u or that u is nested in.
func (p *plan) ancestor(r *ssair.Region, u *ssair.Op) (at *ssair.Op, same bool) {
	same = true
	for u.Parent != r {
		if u.Parent.Parent == nil {
			return nil, false
		}
		u = u.Parent.Parent
		same = false
	}
	return u, same
}

// inLoop reports whether u is inside a loop that is at or nested in at.
func (p *plan) inLoop(at, u *ssair.Op) bool {
	for u != at {
		u = u.Parent.Parent
		if u.Kind == ssair.Loop {
			return true
		}
	}
	return false
}

// reads reports whether evaluating o reads memory.
func reads(o *ssair.Op) bool {
	if o.Kind == ssair.If {
		found := false
		for _, r := range o.Regions {
			r.Walk(func(x *ssair.Op) bool {
				found = found || x.Kind.Reads()
				return true
			})
		}
		return found
	}
	return o.Kind.Reads() || o.Kind == ssair.Conv && ssair.IsString(o.Results[0].Type) && !ssair.IsString(o.Args[0].Type)
}

// writes reports whether x, or an op nested in it, may change what o reads.
func (p *plan) writes(x, o *ssair.Op) bool {
	found := false
	check := func(w *ssair.Op) {
		switch w.Kind {
		case ssair.Store, ssair.Accum:
			found = found || p.mayRead(o, w.Base(), w.Stored().Type) && !(o.Kind == ssair.Load && pass.Apart(w, o))
		case ssair.Copy, ssair.Clear, ssair.Append, ssair.AppendSlice:
			found = found || p.mayRead(o, w.Args[0], ssair.ElemType(w.Args[0].Type))
		case ssair.MapSet, ssair.MapDelete:
			found = found || o.Kind == ssair.MapGet || o.Kind == ssair.MapLen
		case ssair.Call, ssair.Opaque, ssair.ClearAll:
			found = true
		}
	}
	check(x)
	for _, r := range x.Regions {
		r.Walk(func(w *ssair.Op) bool {
			check(w)
			return true
		})
	}
	return found
}

func (p *plan) mayRead(o *ssair.Op, base *ssair.Value, t types.Type) bool {
	switch o.Kind {
	case ssair.Load:
		return p.al.MayAlias(o.Base(), o.Result().Type, base, t)
	case ssair.MapGet:
		return false
	}
	return true
}
