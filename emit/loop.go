package emit

import (
	"fmt"
	"strings"

	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// A loopForm says how a loop is printed.
type loopForm struct {
	kind  loopKind
	index int       // the carried value that is the loop variable of a range
	value *ssair.Op // the load that is the second variable of a range
	// clause says that condition and post part are expressions.
	cond, post bool
}

type loopKind uint8

const (
	forClause loopKind = iota
	rangeInt
	rangeSlice
)

// forms decides how the loops of the function are printed, and which of their
// variables the clauses declare.
func (w *writer) forms() {
	w.p.f.Body.Walk(func(o *ssair.Op) bool {
		if o.Kind == ssair.Loop {
			w.form(o)
		}
		return true
	})
	// A length that only bounds loops over slices is not printed.
	unprinted := map[*ssair.Value]int{}
	for o, f := range w.loops {
		if f.kind != rangeSlice {
			continue
		}
		n := pass.Counted(o).Bound
		for _, u := range w.p.uses[n] {
			if u.Op == o || u.Op.Parent == o.Cond() {
				unprinted[n]++
			}
		}
	}
	for n, k := range unprinted {
		if k == len(w.p.uses[n]) {
			w.skip[n.Def] = true
		}
	}
}

func (w *writer) form(o *ssair.Op) {
	f := &loopForm{cond: w.expressions(o.Cond()), post: w.expressions(o.Post())}
	w.loops[o] = f
	w.headers[o] = map[int]bool{}
	if c := pass.Counted(o); c != nil && o.Loop.Form != ssair.While && w.rangeable(o, c) {
		f.index = c.Index
		f.kind = rangeInt
		if x := w.rangedSlice(o, c); x != nil {
			f.kind = rangeSlice
			f.value = w.rangeValue(o, c, x)
		}
		w.headers[o][c.Index] = true
		return
	}
	post := o.Post().Term()
	if post.Kind != ssair.Yield || !f.post || !f.cond {
		return
	}
	for k := range o.Results {
		if post.Args[k] != o.Post().Params[k] && w.own(o, k) {
			w.headers[o][k] = true
		}
	}
}

// expressions reports whether all that r computes is written in place.
func (w *writer) expressions(r *ssair.Region) bool {
	for _, o := range r.Ops[:len(r.Ops)-1] {
		if len(o.Results) == 0 || !w.p.inline[o.Results[0]] {
			return false
		}
	}
	return true
}

// own reports whether the variable of carried value k belongs to the loop
// alone.
func (w *writer) own(o *ssair.Op, k int) bool {
	if len(w.p.uses[o.Results[k]]) > 0 {
		return false
	}
	for _, v := range w.c.of[o.Results[k]].members {
		if v == o.Results[k] {
			continue
		}
		in := false
		for _, r := range o.Regions {
			in = in || r.Contains(v.Region())
		}
		if !in {
			return false
		}
	}
	return true
}

// rangeable reports whether a counted loop can be printed as a range loop.
func (w *writer) rangeable(o *ssair.Op, c *pass.Count) bool {
	n, ok := pass.ConstInt(o.Args[c.Index])
	if !ok || n != 0 || c.Step != 1 || c.Closed || c.Offset != 0 || !w.own(o, c.Index) {
		return false
	}
	// The variable must not be assigned in the body.
	skip := 0
	if o.Loop.Break {
		skip = 1
	}
	t := o.BodyRegion().Term()
	if t.Kind == ssair.Yield && t.Args[skip+c.Index] != o.BodyRegion().Params[c.Index] {
		return false
	}
	for _, v := range w.c.of[o.Results[c.Index]].members {
		if v.Def != nil && v.Def != o && v.Def.Parent != o.Post() {
			return false
		}
	}
	return true
}

// rangedSlice returns the slice that the loop ranges over, or nil.
func (w *writer) rangedSlice(o *ssair.Op, c *pass.Count) *ssair.Value {
	over := o.Args[o.Carried():]
	if len(over) < 2 {
		return nil
	}
	x := over[1]
	if x.Def != nil && x.Def.Kind == ssair.Alloc {
		return nil
	}
	if d := c.Bound.Def; d != nil && d.Kind == ssair.Len && d.Args[0] == x && ssair.Deref(x.Type) == nil {
		return x
	}
	if d := x.Def; d != nil && d.Kind == ssair.MakeSlice && d.Args[0] == c.Bound {
		return x
	}
	return nil
}

// rangeValue returns the load at the start of the body that can be the value
// variable of the range.
func (w *writer) rangeValue(o *ssair.Op, c *pass.Count, x *ssair.Value) *ssair.Op {
	body := o.BodyRegion()
	for i, l := range body.Ops {
		if len(l.Regions) > 0 && l.Kind != ssair.If {
			return nil
		}
		if l.Kind != ssair.Load || l.Base() != x || len(l.Path) != 1 || l.Indices()[0] != body.Params[c.Index] {
			continue
		}
		v := l.Result()
		if w.p.inline[v] {
			continue
		}
		// Nothing before it may change what it loads.
		for _, x := range body.Ops[:i] {
			if w.p.writes(x, l) {
				return nil
			}
		}
		if k := w.c.of[v]; len(k.members) == 1 {
			return l
		}
	}
	return nil
}

func (w *writer) loop(o *ssair.Op) {
	f := w.loops[o]
	note := w.note // it belongs to the loop itself
	w.note = ""
	// Initial values of what the clause does not declare.
	var ms []move
	for k := range o.Results {
		if w.headers[o][k] {
			continue
		}
		if !w.needed(o, k) {
			continue
		}
		kl := w.c.of[o.Results[k]]
		if !w.declared[kl] && !kl.param && kl.scope == o.Parent {
			w.declared[kl] = true
			w.initial(kl, o.Args[k])
			continue
		}
		ms = append(ms, move{kl, o.Args[k]})
	}
	w.moves(ms)
	// What the loop assigns is no longer known to be zero.
	for _, r := range o.Regions {
		r.Walk(func(x *ssair.Op) bool {
			for _, v := range x.Results {
				delete(w.zeroed, w.c.of[v])
			}
			return true
		})
	}
	for _, v := range o.Results {
		delete(w.zeroed, w.c.of[v])
	}
	for k := range w.headers[o] {
		if w.needed(o, k) {
			w.declared[w.c.of[o.Results[k]]] = true
		}
	}
	w.note = note
	w.comment(o)
	switch f.kind {
	case rangeInt:
		w.rangeInt(o, f)
	case rangeSlice:
		w.rangeSlice(o, f)
	default:
		w.clause(o, f)
	}
	w.indent++
	body := o.BodyRegion()
	if f.kind == forClause && !f.cond {
		w.statements(o.Cond(), func() {
			w.linef("if %s {", headed(w.not(o.Cond().Term().Args[0])))
			w.linef("\tbreak")
			w.linef("}")
		})
	}
	w.statements(body, func() { w.endBody(o, f) })
	w.indent--
	w.linef("}")
}

// initial prints the declaration of a variable with its first value.
func (w *writer) initial(k *class, v *ssair.Value) {
	if w.p.inline[v] && v.Def.Kind == ssair.Zero && (ssair.IsRef(k.typ) || ssair.IsAggregate(k.typ)) {
		w.linef("var %s %s", k.name, w.im.typ(k.typ))
		return
	}
	w.linef("%s := %s", k.name, w.typed(v))
}

// needed reports whether the variable of carried value k is read at all.
func (w *writer) needed(o *ssair.Op, k int) bool { return !w.dropped[w.c.of[o.Results[k]]] }

// endBody prints the end of a trip.
func (w *writer) endBody(o *ssair.Op, f *loopForm) {
	t := o.BodyRegion().Term()
	skip := 0
	if o.Loop.Break {
		skip = 1
	}
	var ms []move
	for k, v := range o.Results {
		ms = append(ms, move{w.c.of[v], t.Args[skip+k]})
	}
	switch {
	case !o.Loop.Break:
		w.moves(ms)
	case w.readsMoved(t.Args[0], ms):
		// The condition is that of before the moves.
		w.linef("if %s {", headed(w.not(w.alias.get(t.Args[0]))))
		w.indent++
		w.moves(ms)
		w.linef("break")
		w.indent--
		w.linef("}")
		w.moves(ms)
	default:
		w.moves(ms)
		if !w.leave(t.Args[0]) {
			return
		}
	}
	if f.kind == forClause && !f.post {
		w.statements(o.Post(), func() { w.moves(w.postMoves(o)) })
	}
}

// readsMoved reports whether the condition, printed in place, reads a variable that
// the moves assign.
func (w *writer) readsMoved(cond *ssair.Value, ms []move) bool {
	v := w.alias.get(cond)
	if _, known := w.truth(v); known {
		return false
	}
	found := false
	w.c.leaves(v, w.alias, func(x *ssair.Value) {
		k := w.c.of[x]
		for _, m := range ms {
			src := w.alias.get(m.src)
			moved := m.to != nil && !w.dropped[m.to] && (w.p.inline[src] || w.c.of[src] != m.to)
			found = found || k != nil && m.to == k && moved
		}
	})
	return found && w.p.inline[v]
}

// leave prints the end of a trip that leaves the loop if flag is false. It reports
// false if the trip always does.
func (w *writer) leave(flag *ssair.Value) bool {
	switch goon, ok := w.truth(flag); {
	case ok && !goon:
		w.linef("break")
		return false
	case !ok:
		w.linef("if %s {", headed(w.not(w.alias.get(flag))))
		w.linef("\tbreak")
		w.linef("}")
	}
	return true
}

func (w *writer) postMoves(o *ssair.Op) []move {
	var ms []move
	t := o.Post().Term()
	if t.Kind != ssair.Yield {
		return nil
	}
	for k, v := range o.Results {
		ms = append(ms, move{w.c.of[v], t.Args[k]})
	}
	return ms
}

// truth returns the value of a condition that is known where it is read.
func (w *writer) truth(v *ssair.Value) (value, known bool) {
	v = w.alias.get(v)
	if x, ok := w.facts[v]; ok {
		return x, true
	}
	switch {
	case isBool(v, true):
		return true, true
	case isBool(v, false):
		return false, true
	}
	if d := v.Def; d != nil && d.Kind == ssair.Un {
		x, ok := w.truth(d.Args[0])
		return !x, ok
	}
	return false, false
}

func (w *writer) rangeInt(o *ssair.Op, f *loopForm) {
	n := w.str(pass.Counted(o).Bound)
	if !w.readIn(o, f.index) {
		w.linef("for range %s {", headed(n))
		return
	}
	w.linef("for %s := range %s {", w.c.of[o.Results[f.index]].name, headed(n))
}

func (w *writer) rangeSlice(o *ssair.Op, f *loopForm) {
	x := w.str(o.Args[o.Carried()+1])
	if f.value != nil {
		// The load is printed as the value variable.
		w.skip[f.value] = true
		k := w.c.of[f.value.Result()]
		w.declared[k] = true
		if !w.kept(f.value.Result()) {
			f.value = nil
		}
	}
	i := "_"
	if w.readIn(o, f.index) {
		i = w.c.of[o.Results[f.index]].name
	}
	switch {
	case f.value != nil:
		w.linef("for %s, %s := range %s {", i, w.c.of[f.value.Result()].name, headed(x))
	case i == "_":
		w.linef("for range %s {", headed(x))
	default:
		w.linef("for %s := range %s {", i, headed(x))
	}
}

// readIn reports whether the body of the loop reads the variable of carried
// value k, apart from the load that a range has replaced.
func (w *writer) readIn(o *ssair.Op, k int) bool {
	p := o.BodyRegion().Params[k]
	for _, u := range w.p.uses[p] {
		if u.Op == o.BodyRegion().Term() || w.skip[u.Op] || w.loops[o].value == u.Op {
			continue
		}
		return true
	}
	return false
}

func (w *writer) clause(o *ssair.Op, f *loopForm) {
	cond := ""
	if f.cond {
		cond = w.str(o.Cond().Term().Args[0])
		if cond == "true" {
			cond = ""
		}
	}
	if !f.cond || !f.post {
		if cond == "" {
			w.linef("for {")
		} else {
			w.linef("for %s {", headed(cond))
		}
		return
	}
	var names, inits, to, from []string
	post := ""
	for k, v := range o.Results {
		kl := w.c.of[v]
		if w.headers[o][k] && w.needed(o, k) {
			names = append(names, kl.name)
			inits = append(inits, w.typed(o.Args[k]))
		}
	}
	var moves []move
	for _, m := range w.postMoves(o) {
		if w.p.inline[m.src] || w.c.of[m.src] != m.to {
			moves = append(moves, m)
		}
	}
	if len(moves) == 1 {
		post = strings.TrimSpace(w.captured(func() { w.moves(moves) }))
	} else {
		for _, m := range moves {
			if w.dropped[m.to] {
				continue
			}
			to = append(to, m.to.name)
			from = append(from, w.str(m.src))
		}
		if len(to) > 0 {
			post = fmt.Sprintf("%s = %s", strings.Join(to, ", "), strings.Join(from, ", "))
		}
	}
	init := ""
	if len(names) > 0 {
		init = strings.Join(names, ", ") + " := " + strings.Join(inits, ", ")
	}
	switch {
	case init == "" && post == "" && cond == "":
		w.linef("for {")
	case init == "" && post == "":
		w.linef("for %s {", headed(cond))
	default:
		w.linef("for %s; %s; %s {", init, headed(cond), post)
	}
}
