package lift

import (
	"go/ast"
	"go/token"

	"github.com/quabla/quabla/ssair"
)

// A flow says how control can leave a statement: by falling through to the
// next one, or by exits, which are numbered per frame (returning, or breaking
// or continuing one of the enclosing statements).
//
// The IR has no jumps. An exit stores its code into the frame's exit cell, and
// what follows in the source is either nested into the arm that does not exit,
// or guarded by a test of the cell.
type flow struct {
	falls bool
	exits map[int]bool
}

var (
	fallsThrough = flow{falls: true}
	stops        = flow{} // neither: a panic, or a loop without end
)

func exits(code int) flow { return flow{exits: map[int]bool{code: true}} }

// exitReturn is the exit code of a return.
const exitReturn = 1

// dead reports whether control never gets beyond the statement.
func (f flow) dead() bool { return !f.falls && len(f.exits) == 0 }

// never reports that the statement cannot fall through.
func (f flow) never() bool { return !f.falls }

// maybe reports that the statement falls through on some paths and exits on
// others.
func (f flow) maybe() bool { return f.falls && len(f.exits) > 0 }

// or is the flow of a statement that does f or g.
func (f flow) or(g flow) flow {
	r := flow{falls: f.falls || g.falls}
	for _, m := range []map[int]bool{f.exits, g.exits} {
		for c := range m {
			if r.exits == nil {
				r.exits = map[int]bool{}
			}
			r.exits[c] = true
		}
	}
	return r
}

// then is the flow of f followed by g.
func (f flow) then(g flow) flow {
	if !f.falls {
		return f
	}
	r := f.or(g)
	r.falls = g.falls
	return r
}

// without is f with the exit code c turned into falling through.
func (f flow) without(c int) flow {
	if !f.exits[c] {
		return f
	}
	r := flow{falls: true}
	for e := range f.exits {
		if e != c {
			if r.exits == nil {
				r.exits = map[int]bool{}
			}
			r.exits[e] = true
		}
	}
	return r
}

// stmts lifts a list of statements.
func (fr *frame) stmts(list []ast.Stmt) flow {
	f := fallsThrough
	for i, s := range list {
		if !f.falls {
			return f
		}
		if f.maybe() {
			return f.then(fr.guarded(func() flow { return fr.stmts(list[i:]) }))
		}
		if j := forwardLabel(list[i:]); j > 0 {
			return f.then(fr.skippable(list[i:], j))
		}
		if t, rest, ok := fr.labels(s, list[i:]); ok {
			return f.then(fr.labelled(t, rest))
		}
		var rest func() flow
		if i+1 < len(list) {
			rest = func() flow { return fr.stmts(list[i+1:]) }
		}
		g, done := fr.stmt(s, rest)
		f = f.then(g)
		if done {
			return f
		}
	}
	return f
}

// guarded lifts what runs only if no exit is pending.
func (fr *frame) guarded(run func() flow) flow {
	none := fr.b.Cmp(token.EQL, fr.b.Load(fr.exit, nil), fr.b.Int(0))
	return fr.ifElse(none, run, nil)
}

// ifElse builds an if whose arms are lifted by the functions (nil is empty).
func (fr *frame) ifElse(cond *ssair.Value, then, els func() flow) flow {
	op := fr.b.If(cond)
	outer := fr.b
	var f flow
	for i, arm := range []func() flow{then, els} {
		fr.b = outer.At(op.Regions[i])
		g := fallsThrough
		if arm != nil {
			g = arm()
		}
		fr.close(g)
		if i == 0 {
			f = g
		} else {
			f = f.or(g)
		}
	}
	fr.b = outer
	return f
}

// close ends the region being built.
func (fr *frame) close(f flow) {
	if f.dead() {
		fr.b.Op(ssair.Unreachable, nil)
	} else {
		fr.b.Yield()
	}
}

// leave stores the exit code c and marks the loops that it leaves.
func (fr *frame) leave(c, loops int) flow {
	fr.b.Store(fr.exit, nil, fr.b.Int(c))
	for _, g := range fr.goons[loops:] {
		fr.b.Store(g, nil, fr.b.Bool(false))
	}
	return exits(c)
}

// settle turns the exit code c, which a statement has caught, into falling
// through.
func (fr *frame) settle(f flow, c int) flow {
	if !f.exits[c] {
		return f
	}
	g := f.without(c)
	if len(g.exits) == 0 {
		fr.b.Store(fr.exit, nil, fr.b.Int(0))
		return g
	}
	is := fr.b.Cmp(token.EQL, fr.b.Load(fr.exit, nil), fr.b.Int(c))
	fr.ifElse(is, func() flow {
		fr.b.Store(fr.exit, nil, fr.b.Int(0))
		return fallsThrough
	}, nil)
	return g
}

// newCode returns a fresh exit code.
func (fr *frame) newCode() int {
	if fr.codes == 0 {
		fr.codes = exitReturn
	}
	fr.codes++
	return fr.codes
}
