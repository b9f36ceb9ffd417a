package compile

import (
	"go/types"
	"slices"

	"github.com/quabla/quabla/emit"
	"github.com/quabla/quabla/ssair"
)

// The functions that a derived function calls take their memory from its work space
// too. They take it from arenas in the order of a stack:
//
//   - What a function uses in a call, or in a trip of a loop, it gives back itself.
//   - A function that returns a record, and what it has put into it, leaves that to
//     its caller, which gives it back when the trip of the loop around the call has
//     ended, or with its own memory. A caller that returns a record itself leaves it to
//     its own caller in turn.

// A lender distributes the work space to the functions that its owner calls.
type lender struct {
	u       *unit
	w       *workspace
	field   func(name string, t types.Type) int
	helpers map[*ssair.Func]bool
	lives   map[*ssair.Func]*lifetimes
	// kept holds the arenas of what records need, by the function that takes memory
	// from them for its record.
	kept   map[*ssair.Func][]int
	uses   []use
	pools  []pool                       // the arenas
	params map[*ssair.Func]*ssair.Value // the work space in helpers
}

// A use of an arena says that the function f takes memory from it that it gives back: in
// every trip of loop, or once if that is nil.
type use struct {
	f     *ssair.Func
	field int
	loop  *ssair.Op
}

// A pool is an arena from which all helpers take memory of one kind.
type pool struct {
	name  string
	elem  types.Type
	loop  *ssair.Op
	field int
}

// lend moves the memory of the functions that the owner of w calls to arenas in w. It
// calls field for each.
func (u *unit) lend(w *workspace, life *lifetimes, field func(name string, t types.Type) int) *lender {
	l := &lender{u: u, w: w, field: field, helpers: u.borrowers(w.fn), kept: map[*ssair.Func][]int{}, params: map[*ssair.Func]*ssair.Value{}}
	l.lives = map[*ssair.Func]*lifetimes{w.fn: life}
	for f := range l.helpers {
		l.lives[f] = u.lifetimes(f)
	}
	contained := l.contained()
	for _, f := range l.ordered() {
		if f == w.fn {
			continue
		}
		f.Body.Walk(func(o *ssair.Op) bool {
			l.take(f, o, contained)
			return true
		})
	}
	for _, f := range l.ordered() {
		if f == w.fn || !u.returnsRecord(f) {
			l.receive(f)
		}
	}
	return l
}

// ordered returns the owner of the work space and its helpers in the order of the file.
func (l *lender) ordered() []*ssair.Func {
	return slices.DeleteFunc(l.u.reach(l.w.fn), func(f *ssair.Func) bool { return f != l.w.fn && !l.helpers[f] })
}

// borrowers returns the functions that nobody but owner calls, directly or through one
// another. A function that is a value somewhere has the parameters of its type and no
// work space.
func (u *unit) borrowers(owner *ssair.Func) map[*ssair.Func]bool {
	out := map[*ssair.Func]bool{}
	for _, f := range u.reach(owner) {
		out[f] = f != owner
	}
	exclude := func(f *ssair.Func) {
		for _, g := range u.reach(f) {
			delete(out, g)
		}
	}
	for _, f := range u.reachable() {
		_, known := out[f]
		f.Body.Walk(func(o *ssair.Op) bool {
			if o.Callee != nil && o.Callee != owner && (!known || o.Kind != ssair.Call) {
				exclude(o.Callee)
			}
			return true
		})
	}
	delete(out, owner)
	return out
}

// returnsRecord reports whether f is the augmented primal of a pair, or a derivative of
// one.
func (u *unit) returnsRecord(f *ssair.Func) bool {
	return slices.ContainsFunc(f.Results, func(r ssair.Result) bool { return u.mod.IsRecord(ssair.Deref(r.Type)) })
}

// take lets o, which stands in f, take its memory from an arena if it makes some that
// is not used longer than that is kept.
func (l *lender) take(f *ssair.Func, o *ssair.Op, contained bool) {
	var elem types.Type
	switch {
	case o.Kind == ssair.MakeSlice:
		elem = ssair.ElemType(o.Result().Type)
	case o.Kind == ssair.Append && o.Text != "" && len(o.Args) == 2: // a tape
		elem = o.Args[1].Type
	case o.Kind == ssair.Alloc && l.u.mod.IsRecord(o.Type):
		elem = o.Type
	default:
		return
	}
	life := l.lives[f]
	loop, local := life.scope(o)
	site := life.al.Site(o)
	switch {
	case o.Kind == ssair.Append && life.measured(site):
		return
	case local && (o.Kind == ssair.Alloc || constSize(o) && loop == o.Parent.Loop()):
		return // on the stack
	case local:
		i := l.arena("local", elem, loop)
		l.uses = append(l.uses, use{f, i, loop})
		l.draw(f, o, i)
	case l.u.returnsRecord(f) && (l.u.mod.IsRecord(elem) || contained && !life.escapes(site)):
		name := "kept"
		switch {
		case o.Kind == ssair.Alloc:
			name = "rec"
		case l.u.mod.IsRecord(elem):
			name = "tape"
		}
		i := l.arena(name, elem, nil)
		if !slices.Contains(l.kept[f], i) {
			l.kept[f] = append(l.kept[f], i)
		}
		l.draw(f, o, i)
	}
}

// arena returns the field of the work space for memory of one kind: that of one name, and of
// one loop if a loop takes it back.
func (l *lender) arena(name string, elem types.Type, loop *ssair.Op) int {
	for _, p := range l.pools {
		if p.name == name && p.loop == loop && types.Identical(p.elem, elem) {
			return p.field
		}
	}
	i := l.field(name, l.u.scratchType("Arena", elem))
	l.pools = append(l.pools, pool{name, elem, loop, i})
	return i
}

// draw lets o, which stands in f, take its memory from a field of the work space.
func (l *lender) draw(f *ssair.Func, o *ssair.Op, field int) {
	ws, name := l.param(f).Name(), l.w.fields[field].Name()
	switch o.Kind {
	case ssair.Alloc:
		o.Explicit, o.Text = true, ws+"."+name+".New"
	case ssair.Append:
		o.Text = ws + "." + name + ".Append"
	default:
		o.Text = workText(ws, name, o)
	}
}

// param returns the work space as a parameter of f.
func (l *lender) param(f *ssair.Func) *ssair.Value {
	if f == l.w.fn {
		return l.w.param
	}
	if p := l.params[f]; p != nil {
		return p
	}
	p := l.u.workValue(f, l.w.typ)
	l.params[f] = p
	return p
}

// contained reports whether all that functions return together with records stays in the
// function that owns the work space and its helpers.
func (l *lender) contained() bool {
	for _, f := range l.ordered() {
		life := l.lives[f]
		for _, o := range l.recorded(f) {
			site := life.al.Site(o)
			if life.escapes(site) || !l.u.returnsRecord(f) && life.returned(site) {
				return false
			}
		}
	}
	return true
}

// recorded returns the calls in f that return records.
func (l *lender) recorded(f *ssair.Func) []*ssair.Op {
	var out []*ssair.Op
	f.Body.Walk(func(o *ssair.Op) bool {
		if o.Kind == ssair.Call && l.helpers[o.Callee] && l.u.returnsRecord(o.Callee) {
			out = append(out, o)
		}
		return true
	})
	return out
}

// receive notes that f, which returns no record, gives back what the records that it
// receives are made of.
func (l *lender) receive(f *ssair.Func) {
	for _, o := range l.recorded(f) {
		loop, local := l.lives[f].scope(o)
		if !local {
			loop = nil
		}
		seen := map[*ssair.Func]bool{}
		var visit func(g *ssair.Func)
		visit = func(g *ssair.Func) {
			if seen[g] {
				return
			}
			seen[g] = true
			for _, i := range l.kept[g] {
				l.uses = append(l.uses, use{f, i, loop})
			}
			for _, c := range l.recorded(g) {
				visit(c.Callee)
			}
		}
		visit(o.Callee)
	}
}

// giveBack adds the ops that give memory back. An arena is given back in the outermost
// loops whose trips use it; its owner resets it, so that it is empty even after a panic.
func (l *lender) giveBack() {
	type key struct {
		f     *ssair.Func
		field int
	}
	loops := map[key][]*ssair.Op{}
	var keys []key
	for _, u := range l.uses {
		k := key{u.f, u.field}
		if loops[k] == nil {
			keys = append(keys, k)
		}
		loops[k] = append(loops[k], u.loop)
	}
	for _, p := range l.pools {
		if k := (key{l.w.fn, p.field}); loops[k] == nil {
			keys = append(keys, k)
			loops[k] = []*ssair.Op{nil}
		}
	}
	for _, k := range slices.Backward(keys) {
		outer := outermost(loops[k])
		if k.f == l.w.fn {
			for _, loop := range outer {
				l.w.reset(arena{k.field, loop})
			}
			continue
		}
		for _, loop := range outer {
			if loop != nil {
				l.release(k.f, k.field, loop)
			}
		}
		b := ssair.NewBuilder(k.f.Body)
		b.Before = k.f.Body.Ops[0]
		l.method(b, k.f, k.field, "Release", nil).Text = emit.Deferred
	}
}

// outermost returns those of the loops that are in no other, or nil alone if it is among
// them.
func outermost(loops []*ssair.Op) []*ssair.Op {
	if slices.Contains(loops, nil) {
		return []*ssair.Op{nil}
	}
	var out []*ssair.Op
	for _, o := range loops {
		inside := slices.ContainsFunc(loops, func(p *ssair.Op) bool { return p != o && p.BodyRegion().Contains(o.Parent) })
		if !inside && !slices.Contains(out, o) {
			out = append(out, o)
		}
	}
	return out
}

// release gives back at the beginning of each trip of a loop in f what trips before it
// took.
func (l *lender) release(f *ssair.Func, field int, loop *ssair.Op) {
	b := ssair.NewBuilder(loop.Parent)
	b.Before = loop
	mark := l.method(b, f, field, "Mark", types.Typ[types.Int]).Result()
	mark.Var = &ssair.Var{Name: "mark"}
	b = ssair.NewBuilder(loop.BodyRegion())
	b.Before = loop.BodyRegion().Ops[0]
	l.method(b, f, field, "Release", nil, mark)
}

// method calls a method of an arena.
func (l *lender) method(b *ssair.Builder, f *ssair.Func, field int, name string, result types.Type, args ...*ssair.Value) *ssair.Op {
	addr := b.Addr(l.param(f), []ssair.Step{ssair.Field(field)})
	var rs []types.Type
	if result != nil {
		rs = []types.Type{result}
	}
	o := b.Op(ssair.Opaque, append([]*ssair.Value{addr}, args...), rs...)
	o.Obj, _, _ = types.LookupFieldOrMethod(l.w.fields[field].Type(), true, nil, name)
	return o
}

// pass gives the work space to the functions that need it.
func (l *lender) pass() {
	fs := l.ordered()
	for again := true; again; {
		again = false
		for _, f := range fs {
			if f == l.w.fn || l.params[f] != nil {
				continue
			}
			f.Body.Walk(func(o *ssair.Op) bool {
				if o.Kind == ssair.Call && l.params[o.Callee] != nil && l.params[f] == nil {
					l.param(f)
					again = true
				}
				return !again
			})
		}
	}
	for _, f := range fs {
		f.Body.Walk(func(o *ssair.Op) bool {
			if o.Kind == ssair.Call && l.params[o.Callee] != nil {
				o.Args = slices.Insert(o.Args, 0, l.param(f))
			}
			return true
		})
	}
	for f, p := range l.params {
		f.Params = slices.Insert(f.Params, 0, p)
	}
}
