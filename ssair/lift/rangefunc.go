package lift

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/quabla/quabla/ssair"
)

// A loopBody is the body of a range over a function: what the iterator calls as
// yield. Where the iterator is inlined the body is lifted in place of the calls,
// in the frame of the loop; else it is a function whose record holds, besides the
// variables that the body uses, the cells with which statements leave it.
type loopBody struct {
	stmt   *ast.RangeStmt
	frame  *frame // of the loop
	target *target
}

// rangeFunc lifts a range over an iterator function.
func (fr *frame) rangeFunc(s *ast.RangeStmt, label string, sig *types.Signature) flow {
	if fr.l.Env.Checkpoint(s) != nil {
		fr.refuse(s, "put the directive above the loop in the iterator", "quabla:checkpoint is above a range over a function, whose loop is elsewhere")
	}
	it := fr.expr(s.X)
	t := &target{label: label, brk: fr.newCode(), cont: fr.newCode(), loopDepth: len(fr.goons)}
	fr.targets = append(fr.targets, t)
	if fr.inLoop++; fr.inLoop == 1 {
		fr.outerLoop = new(ssair.Op) // its loop, if there is one, is that of the iterator
	}
	defer func() {
		if fr.inLoop--; fr.inLoop == 0 {
			fr.outerLoop = nil
		}
	}()
	f := fallsThrough
	body := &loopBody{stmt: s, frame: fr, target: t}
	yield := &closure{sig: sig.Params().At(0).Type().Underlying().(*types.Signature), body: body}
	yield.yield = func(caller *frame, args []val) []val {
		saved := fr.b
		b := *caller.b
		fr.b = &b
		defer func() { fr.b = saved }()
		goon, g := fr.loopBody(s, t, args)
		f = f.or(g)
		return one(goon)
	}
	args := []val{{clos: yield}}
	if it.clos != nil {
		fr.callClosure(s.X, it.clos, args)
	} else {
		fr.dynamicCall(s.X, it.v, sig, args)
	}
	if body.value() {
		f = f.or(fr.leaves(s))
	}
	fr.targets = fr.targets[:len(fr.targets)-1]
	f.falls = true
	return fr.settle(f, t.brk)
}

// loopBody lifts one trip of the loop s. It returns whether the loop goes on, and
// how the trip may leave it.
func (fr *frame) loopBody(s *ast.RangeStmt, t *target, args []val) (*ssair.Value, flow) {
	goon := fr.b.Alloc(ssair.Bool, nil)
	fr.b.Store(goon, nil, fr.b.Bool(true))
	fr.goons = append(fr.goons, goon)
	fr.yields++
	var vs [2]*ssair.Value
	for i, k := range []ast.Expr{s.Key, s.Value} {
		if k != nil {
			vs[i] = fr.need(k, args[i])
		}
	}
	fr.setRangeVars(s, vs[0], vs[1])
	g := fr.stmts(s.Body.List)
	fr.yields--
	fr.goons = fr.goons[:len(fr.goons)-1]
	g = fr.settle(g, t.cont)
	return fr.b.Load(goon, nil), g
}

// value reports whether the body has become a function value.
func (b *loopBody) value() bool { return b.frame.l.bodies[b.stmt] }

// leaves returns the ways in which statements in the body of s leave it, from what
// they say.
func (fr *frame) leaves(s *ast.RangeStmt) flow {
	f := fallsThrough
	add := func(code int) { f = f.or(exits(code)) }
	var visit func(n ast.Node, loops, switches int)
	visit = func(n ast.Node, loops, switches int) {
		ast.Inspect(n, func(m ast.Node) bool {
			if m == n {
				return true
			}
			switch m := m.(type) {
			case *ast.FuncLit:
				return false
			case *ast.ForStmt, *ast.RangeStmt:
				visit(m, loops+1, switches)
				return false
			case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
				visit(m, loops, switches+1)
				return false
			case *ast.ReturnStmt:
				add(exitReturn)
			case *ast.BranchStmt:
				for _, t := range fr.targets {
					if m.Label != nil && t.label == m.Label.Name {
						add(t.brk)
						if t.cont != 0 && t != fr.targets[len(fr.targets)-1] {
							add(t.cont)
						}
					}
				}
				if own := fr.targets[len(fr.targets)-1]; m.Label == nil && m.Tok == token.BREAK && loops+switches == 0 {
					add(own.brk)
				}
			}
			return true
		})
	}
	visit(s.Body, 0, 0)
	return f
}

// A control is a cell with which statements in a loop body leave it: that of the
// pending exit, that of a loop around it, or a result.
type control uint8

const (
	noControl control = iota
	exitCell
	goonCell
	resultCell
)

// captures returns what the record of the body holds.
func (b *loopBody) captures() []*capture {
	inside := func(obj *types.Var) bool { return b.stmt.Body.Pos() <= obj.Pos() && obj.Pos() < b.stmt.Body.End() }
	capt := b.frame.capturesIn(b.stmt.Body, inside)
	if b.stmt.Tok == token.ASSIGN {
		for _, e := range []ast.Expr{b.stmt.Key, b.stmt.Value} {
			if e != nil {
				for _, k := range b.frame.capturesIn(e, inside) {
					if !slices.ContainsFunc(capt, func(c *capture) bool { return c.obj == k.obj }) {
						capt = append(capt, k)
					}
				}
			}
		}
	}
	capt = append(capt, &capture{name: "exit", typ: ssair.Int, control: exitCell})
	for i := range b.frame.goons {
		capt = append(capt, &capture{name: "goon", typ: ssair.Bool, control: goonCell, index: i})
	}
	for i, r := range b.frame.results {
		name := r.userName
		if name == "" {
			name = "result"
		}
		capt = append(capt, &capture{name: name, typ: b.frame.l.raw(r.typ), control: resultCell, index: i})
	}
	return capt
}

// cell returns the cell that a control of the body is.
func (b *loopBody) cell(k *capture) *ssair.Value {
	switch k.control {
	case exitCell:
		return b.frame.exit
	case goonCell:
		return b.frame.goons[k.index]
	}
	b.frame.results[k.index].held = true
	return b.frame.results[k.index].cell
}

// A shape is what a loop body knows of the statements around it.
type shape struct {
	targets []target
	codes   int
}

func (b *loopBody) shape() shape {
	s := shape{codes: b.frame.codes}
	for _, t := range b.frame.targets {
		s.targets = append(s.targets, *t)
	}
	return s
}

func (s shape) equal(t shape) bool { return s.codes == t.codes && slices.Equal(s.targets, t.targets) }

// callBody lifts a call of the loop body m, whose captured variables are in the
// record f.
func (fr *frame) callBody(e ast.Node, m *member, f *ssair.Value, args []val) []val {
	s := m.clos.body.stmt
	sub := fr.memberFrame(m, f, s.Body)
	sub.callee(fr, e)
	sub.block, sub.loose = s.Body, true
	for _, t := range m.shape.targets {
		sub.targets = append(sub.targets, &t)
	}
	sub.codes = m.shape.codes
	for _, k := range m.capt {
		if k.control == noControl {
			continue
		}
		cell := sub.field(f, k.field)
		switch k.control {
		case exitCell:
			sub.exit = cell
		case goonCell:
			sub.goons = append(sub.goons, cell)
		case resultCell:
			sub.results = append(sub.results, &variable{typ: ssair.Deref(cell.Type), cell: cell, owner: sub, userName: k.name, held: true, stored: true})
		}
	}
	goon, _ := sub.loopBody(s, sub.targets[len(sub.targets)-1], args)
	if sub.root.failed {
		panic(refusal{})
	}
	return one(goon)
}
