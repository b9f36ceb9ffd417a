package lift

import (
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"slices"

	"github.com/quabla/quabla/ssair"
)

// A guard stands for the calls that a function defers while its body is lifted:
// where the body panics, they have to run. The IR cannot be left in the middle, so
// a panic becomes a value in a cell, which is nil otherwise, and what comes behind it
// runs only if it is nil. What would panic by itself is tested before.
type guard struct {
	fr    *frame
	body  *ssair.Region
	value *ssair.Value // what the function is panicking with

	cells *cells
	// solid are pointers that have been followed on the way to the current place.
	solid map[*ssair.Value]bool

	recovers bool // a deferred call may recover: then nothing may be left out

	seen   map[*ssair.Func]bool // functions that raises looks into
	failed bool                 // something was refused
}

// makeGuard makes the cells of a guard where b is.
func makeGuard(fr *frame, b *ssair.Builder) *guard {
	return &guard{
		fr: fr, body: b.Region,
		value: b.Alloc(ssair.Any, &ssair.Var{Name: "panicked"}),
	}
}

// panicking asks whether the function is panicking.
func (g *guard) panicking(b *ssair.Builder) *ssair.Value {
	return b.Cmp(token.NEQ, b.Load(g.value, nil), b.Zero(ssair.Any))
}

// cover makes the ops of r from the i-th on store what they panic with. It
// reports whether they may do so.
func (g *guard) cover(r *ssair.Region, i int) bool {
	g.cells = findCells(r.Func.Body)
	g.solid = map[*ssair.Value]bool{}
	for in, end := r, i; ; {
		for _, o := range in.Ops[:end] {
			g.follow(o)
		}
		p := in.Parent
		if p == nil {
			break
		}
		in, end = p.Parent, slices.Index(p.Parent.Ops, p)
	}
	g.raiseVars(r, i)
	return g.ops(r, i)
}

// raiseVars makes the variables that are declared in r from the i-th op on in front
// of it: what runs behind the body may refer to them, and so may what it returns.
func (g *guard) raiseVars(r *ssair.Region, i int) {
	var vars, rest []*ssair.Op
	for _, o := range r.Ops[i:] {
		if o.Kind == ssair.Alloc && !o.Explicit {
			vars = append(vars, o)
		} else {
			rest = append(rest, o)
		}
	}
	r.Ops = slices.Concat(r.Ops[:i], vars, rest)
}

// ops is cover within the body.
func (g *guard) ops(r *ssair.Region, i int) bool {
	for ; i < len(r.Ops); i++ {
		o := r.Ops[i]
		switch {
		case o.Kind == ssair.Panic && len(o.Args) == 1:
			always := builderAt(o).Bool(true)
			op := g.split(r, i+1, always)
			g.raise(ssair.NewBuilder(op.Regions[0]), o, o.Args[0])
			o.Remove()
			g.end(op, r)
			return true
		case o.Kind == ssair.Panic: // for an interface that no method is known of
			g.test(r, o, []fault{g.simple("NilFault", isZero(o.Args[1]))})
			return true
		case o.Kind == ssair.If:
			if !g.branches(o) {
				continue
			}
			g.behind(r, i)
			return true
		case o.Kind == ssair.Loop:
			if !g.raises(o.Cond()) && !g.raises(o.BodyRegion()) && !g.raises(o.Post()) {
				continue
			}
			g.loop(o)
			g.behind(r, i)
			return true
		case o.Kind == ssair.Call:
			if !g.fr.l.mayPanic(o.Callee) {
				continue
			}
			if o.Callee.Rule != nil && !g.recovers {
				continue
			}
			if o.Callee.Rule != nil {
				g.refuse(o, "let the function with the rule return an error instead of panicking", "cannot differentiate the call of %s in a function that recovers: it may panic, and has a rule", o.Callee.Name)
			}
			c := g.fr.l.caught(o.Callee)
			g.fr.l.strict[c] = g.fr.l.strict[c] || g.recovers
			g.catch(r, o, c)
			return true
		}
		if o.Kind == ssair.Opaque && opaquePanics(o) {
			if len(o.Results) > 3 && !g.recovers {
				continue
			}
			if o.Caught = true; len(o.Results) > 3 {
				g.refuse(o, "call a function with fewer results", "cannot differentiate the call of a function with %d results that may panic in a function that recovers", len(o.Results))
			}
			g.catch(r, o, nil)
			return true
		}
		g.check(o)
		if fs := g.faults(o); len(fs) > 0 {
			g.test(r, o, fs)
			return true
		}
		g.safe(o)
		g.follow(o)
	}
	return false
}

// catch makes the call o one of f, whose last result is what the call panics with, or
// nil for a call that is not lifted.
func (g *guard) catch(r *ssair.Region, o *ssair.Op, f *ssair.Func) {
	o.Callee = f
	v := o.AddResult(ssair.Any, nil)
	i := slices.Index(r.Ops, o)
	b := ssair.NewBuilder(r)
	if b.Pos, b.Stmt, b.Call = o.Pos, o.Stmt, o.Call; i+1 < len(r.Ops) {
		b.Before = r.Ops[i+1]
	}
	b.Store(g.value, nil, v)
	cond := b.Cmp(token.NEQ, v, b.Zero(v.Type))
	op := g.split(r, slices.Index(r.Ops, cond.Def)+1, cond)
	g.ops(op.Regions[1], 0)
	g.end(op, r)
}

// check refuses what may panic but is not tested for.
func (g *guard) check(o *ssair.Op) {
	switch {
	case !g.recovers:
	case o.Kind == ssair.Conv && isSlice(o.Args[0].Type) && ssair.Deref(o.Result().Type) != nil:
		g.refuse(o, "copy the elements into an array", "cannot differentiate the conversion of a slice to an array in a function that recovers: it may panic")
	case (o.Kind == ssair.JVP || o.Kind == ssair.Grad) && g.fr.l.mayPanic(o.Callee):
		g.refuse(o, "test the condition before it panics", "cannot differentiate an inner derivative in a function that recovers: %s may panic", o.Callee.Name)
	}
}

// refuse reports that o cannot be lifted.
func (g *guard) refuse(o *ssair.Op, hint, format string, args ...any) {
	r := Refusal{Pos: o.Pos, Message: fmt.Sprintf(format, args...), Hint: hint}
	for f := g.fr; f.caller != nil; f = f.caller {
		r.Chain = append(r.Chain, f.callPos)
	}
	g.fr.l.refuse(r)
	g.failed = true
}

// builderAt builds in front of o, as part of its statement.
func builderAt(o *ssair.Op) *ssair.Builder {
	b := ssair.NewBuilder(o.Parent)
	b.Before, b.Pos, b.Stmt, b.Call = o, o.Pos, o.Stmt, o.Call
	return b
}

// test puts o behind tests of its faults.
func (g *guard) test(r *ssair.Region, o *ssair.Op, fs []fault) {
	if len(fs) == 0 {
		g.safe(o)
		g.follow(o)
		g.ops(r, slices.Index(r.Ops, o)+1)
		return
	}
	f := fs[0]
	cond := f.when(builderAt(o))
	op := g.split(r, slices.Index(r.Ops, o), cond)
	b := ssair.NewBuilder(op.Regions[0])
	b.Pos, b.Stmt, b.Call = o.Pos, o.Stmt, o.Call
	b.Store(g.value, nil, f.with(b))
	g.test(op.Regions[1], o, fs[1:])
	g.end(op, r)
}

// raise stores the value of panic(v).
func (g *guard) raise(b *ssair.Builder, o *ssair.Op, v *ssair.Value) {
	b.Pos, b.Stmt, b.Call = o.Pos, o.Stmt, o.Call
	if v.Def != nil && v.Def.Kind == ssair.MakeIface {
		b.Store(g.value, nil, v)
		return
	}
	op := b.If(b.Cmp(token.EQL, v, b.Zero(v.Type)))
	in := b.At(op.Regions[0])
	in.Store(g.value, nil, g.fr.runtime(in, "NilPanic"))
	in.Yield()
	in = b.At(op.Regions[1])
	in.Store(g.value, nil, v)
	in.Yield()
}

// split makes the ops of r from the i-th on the second arm of an if. Its first
// arm is to be filled, and then the if to be ended.
func (g *guard) split(r *ssair.Region, i int, cond *ssair.Value) *ssair.Op {
	rest := slices.Clone(r.Ops[i:])
	if i < len(r.Ops) && slices.Contains(rest, cond.Def) {
		panic("lift: the condition stands behind the place")
	}
	r.Ops = r.Ops[:i:i]
	op := ssair.NewBuilder(r).If(cond)
	op.Pos = cond.Def.Pos
	for _, o := range rest {
		o.Parent = op.Regions[1]
	}
	op.Regions[1].Ops = rest
	return op
}

// end ends both arms of the if that split has made, and r, which it is the last op of.
func (g *guard) end(op *ssair.Op, r *ssair.Region) {
	b := ssair.NewBuilder(r)
	first := ssair.NewBuilder(op.Regions[0])
	t := op.Regions[1].Term()
	switch {
	case t == nil: // the end of the body of a call
		first.Yield()
		ssair.NewBuilder(op.Regions[1]).Yield()
	case t.Kind == ssair.Unreachable:
		first.Yield()
		if r.Parent == nil {
			b.Return(zeros(b, r)...)
		} else {
			b.Yield(zeros(b, r)...)
		}
	default:
		var vs, out []*ssair.Value
		for _, v := range t.Args {
			vs = append(vs, zero(first, v.Type))
			out = append(out, op.AddResult(v.Type, nil))
		}
		first.Yield(vs...)
		kind := t.Kind
		t.Kind = ssair.Yield
		b.Op(kind, out)
	}
}

// zero returns the zero of t, false as a constant that decides conditions.
func zero(b *ssair.Builder, t types.Type) *ssair.Value {
	if types.Identical(t, ssair.Bool) {
		return b.Bool(false)
	}
	return b.Zero(t)
}

// zeros returns zeros for all that r yields.
func zeros(b *ssair.Builder, r *ssair.Region) []*ssair.Value {
	var vs []*ssair.Value
	add := func(t types.Type) { vs = append(vs, zero(b, t)) }
	p := r.Parent
	if p == nil {
		for _, res := range r.Func.Results {
			add(res.Type)
		}
		return vs
	}
	if p.Kind == ssair.Loop && p.Loop.Break {
		add(ssair.Bool)
	}
	for _, v := range p.Results {
		add(v.Type)
	}
	return vs
}

// behind makes what stands in r behind the i-th op run only if that does not panic.
func (g *guard) behind(r *ssair.Region, i int) {
	if rest := r.Ops[i+1:]; len(rest) == 0 || len(rest) == 1 && rest[0].Kind == ssair.Yield && len(rest[0].Args) == 0 {
		return
	}
	b := ssair.NewBuilder(r)
	b.Pos = r.Ops[i].Pos
	if i+1 < len(r.Ops) {
		b.Before = r.Ops[i+1]
	}
	flag := g.panicking(b)
	i = slices.Index(r.Ops, flag.Def)
	op := g.split(r, i+1, flag)
	g.ops(op.Regions[1], 0)
	g.end(op, r)
}

// branches covers the arms of an if.
func (g *guard) branches(o *ssair.Op) bool {
	solid := g.solid
	raised := false
	for _, n := range o.Regions {
		g.solid = maps.Clone(solid)
		raised = g.ops(n, 0) || raised
	}
	g.solid = solid
	return raised
}

// loop covers a loop: a panic leaves it. Tests of what its head would panic
// by are made in the body.
func (g *guard) loop(o *ssair.Op) {
	body := o.BodyRegion()
	if g.raises(o.Post()) {
		g.sinkPost(o)
	}
	if g.raises(o.Cond()) {
		g.sinkCond(o)
	}
	g.leaves(o)
	solid := g.solid
	g.solid = maps.Clone(solid)
	g.ops(body, 0)
	g.solid = solid
}

// leaves makes the body of o say whether the loop goes on.
func (g *guard) leaves(o *ssair.Op) {
	if o.Loop.Break {
		return
	}
	o.Loop.Break = true
	if t := o.BodyRegion().Term(); t.Kind == ssair.Yield {
		t.Args = slices.Insert(t.Args, 0, builderAt(t).Bool(true))
	}
}

// sinkPost moves what the loop o does between two trips to the end of its body.
func (g *guard) sinkPost(o *ssair.Op) {
	t := o.BodyRegion().Term()
	if len(o.Results) > 0 {
		panic("lift: a loop that carries values")
	}
	if t.Kind != ssair.Yield {
		return // never reached
	}
	post := o.Post()
	ops := post.Ops[:len(post.Ops)-1]
	post.Ops = post.Ops[len(post.Ops)-1:]
	o.Loop.Form, o.Args = ssair.While, nil
	into := o.BodyRegion()
	if o.Loop.Break {
		op := builderAt(t).If(t.Args[0])
		into = op.Regions[0]
		ssair.NewBuilder(into).Yield()
		ssair.NewBuilder(op.Regions[1]).Yield()
	}
	end := into.Term()
	into.Ops = into.Ops[:len(into.Ops)-1]
	for _, x := range ops {
		x.Parent = into
	}
	into.Ops = slices.Concat(into.Ops, ops, []*ssair.Op{end})
}

// sinkCond moves the condition of the loop o to the begin of its body.
func (g *guard) sinkCond(o *ssair.Op) {
	g.leaves(o)
	o.Loop.Form, o.Args = ssair.While, nil
	cond, body := o.Cond(), o.BodyRegion()
	goon := cond.Term().Args[0]
	head := cond.Ops[:len(cond.Ops)-1]
	cond.Ops = nil
	b := ssair.NewBuilder(cond)
	b.Yield(b.Bool(true))
	rest := body.Ops
	for _, x := range head {
		x.Parent = body
	}
	body.Ops = head
	op := ssair.NewBuilder(body).If(goon)
	for _, x := range rest {
		x.Parent = op.Regions[0]
	}
	op.Regions[0].Ops = rest
	out := op.AddResult(ssair.Bool, nil)
	b = ssair.NewBuilder(op.Regions[1])
	b.Yield(b.Bool(false))
	ssair.NewBuilder(body).Yield(out)
}

// raises reports whether an op of r may panic.
func (g *guard) raises(r *ssair.Region) bool {
	found := false
	seen := g.seen
	if seen == nil {
		seen = map[*ssair.Func]bool{}
	}
	r.Walk(func(o *ssair.Op) bool {
		switch o.Kind {
		case ssair.Panic:
			found = true
		case ssair.Call, ssair.JVP, ssair.Grad:
			found = found || g.fr.l.panics(o.Callee, seen)
		case ssair.Opaque:
			found = found || opaquePanics(o)
		default:
			found = found || len(g.faults(o)) > 0
		}
		return !found
	})
	return found
}
