package lift

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// Go evaluates the calls of a statement from left to right, but leaves open
// whether a variable or an element that stands to the left of a call is read
// before or after it: in x[0] + bump(x) the compiler reads x[0] last. Where the
// call changes what is read, the result depends on the compiler, and a
// derivative would have to guess.

// An orderCheck is a call together with what the statement around it reads
// before it and no call has used up by then.
type orderCheck struct {
	call  *ast.CallExpr
	reads []*ssair.Op
	body  []*ssair.Op // what the call runs
	chain []token.Pos
}

// A callMark remembers where the ops of a call begin.
type callMark struct {
	region *ssair.Region
	first  int
}

func (fr *frame) mark() callMark { return callMark{fr.b.Region, len(fr.b.Region.Ops)} }

// called takes note of the call e, whose arguments and body have been lifted
// since mark.
func (fr *frame) called(e *ast.CallExpr, m callMark) {
	root := fr.root
	if root.usedUp == nil {
		root.usedUp = map[*ssair.Op]bool{}
	}
	own := func(o *ssair.Op) bool { return o.Stmt == fr.b.Stmt && o.Call == fr.b.Call }
	var body []*ssair.Op
	for _, o := range m.region.Ops[m.first:] {
		visit := func(o *ssair.Op) bool {
			switch {
			case !own(o), o.Kind == ssair.Call, o.Kind == ssair.Opaque:
				if o.Kind.Writes() || o.Kind == ssair.Call || o.Kind == ssair.Opaque {
					body = append(body, o)
				}
			case o.Kind == ssair.Load || o.Kind == ssair.MapGet:
				root.usedUp[o] = true // an argument, read before the call
			}
			return true
		}
		visit(o)
		for _, r := range o.Regions {
			r.Walk(visit)
		}
	}
	if len(body) == 0 {
		return
	}
	c := orderCheck{call: e, body: body}
	r, end := m.region, m.first
	var cond *ssair.Value
	for {
		for _, o := range r.Ops[:end] {
			if own(o) && (o.Kind == ssair.Load || o.Kind == ssair.MapGet) && !root.usedUp[o] && !feeds(o, cond) {
				c.reads = append(c.reads, o)
			}
		}
		// The right-hand side of && or || in the same statement.
		p := r.Parent
		if p == nil || p.Kind != ssair.If || !own(p) {
			break
		}
		cond = p.Args[0]
		r, end = p.Parent, 0
		for end < len(r.Ops) && r.Ops[end] != p {
			end++
		}
	}
	if len(c.reads) > 0 {
		for f := fr; f.caller != nil; f = f.caller {
			c.chain = append(c.chain, f.callPos)
		}
		root.orders = append(root.orders, c)
	}
}

// feeds reports whether v is computed from what o reads.
func feeds(o *ssair.Op, v *ssair.Value) bool {
	if v == nil || v.Def == nil {
		return false
	}
	if v.Def == o {
		return true
	}
	for _, a := range v.Def.Args {
		if feeds(o, a) {
			return true
		}
	}
	return false
}

// checkOrders refuses statements of f whose value depends on the order of
// evaluation.
func (l *Lifter) checkOrders(f *ssair.Func, checks []orderCheck) bool {
	if len(checks) == 0 {
		return true
	}
	al := pass.FindAliases(f)
	checks = slices.DeleteFunc(slices.Clone(checks), func(c orderCheck) bool { return c.conflict(al) == nil })
	ok := true
	for _, c := range checks {
		// An inner call is the cause.
		inner := func(d orderCheck) bool {
			return d.call != c.call && c.call.Pos() <= d.call.Pos() && d.call.End() <= c.call.End()
		}
		if !slices.ContainsFunc(checks, inner) {
			l.refuse(Refusal{
				Pos: c.call.Pos(), End: c.call.End(),
				Message: "the order is unspecified: this call may change what another operand of the statement reads",
				Hint:    "assign one of the two to a variable first",
				Chain:   c.chain,
			})
			ok = false
		}
	}
	return ok
}

// conflict returns a read whose value the call may change, or nil.
func (c orderCheck) conflict(al *pass.Aliases) *ssair.Op {
	for _, r := range c.reads {
		for _, w := range c.body {
			if meets(al, r, w) {
				return r
			}
		}
	}
	return nil
}

// meets reports whether w may write what r reads. Different parameters count as
// different memory: a derivative checks that on entry.
func meets(al *pass.Aliases, r, w *ssair.Op) bool {
	read := al.Pts(r.Args[0])
	written := pass.RootSet{}
	var typ types.Type
	add := func(s pass.RootSet) {
		for x := range s {
			written[x] = true
		}
	}
	reached := func(v *ssair.Value) {
		if pass.TypesReach(v.Type, memoryOf(r)) {
			add(al.Reach(al.Pts(v)))
		}
	}
	switch w.Kind {
	case ssair.Store, ssair.Accum:
		if r.Kind != ssair.Load || pass.Apart(r, w) {
			return false
		}
		typ = w.Stored().Type
		add(al.Pts(w.Base()))
	case ssair.Copy, ssair.Clear, ssair.Append, ssair.AppendSlice, ssair.MapSet, ssair.MapDelete:
		typ = ssair.ElemType(w.Args[0].Type)
		add(al.Pts(w.Args[0]))
	case ssair.ClearAll:
		add(al.Reach(al.Pts(w.Args[0])))
	case ssair.Call:
		for i := range pass.Changed(w.Callee, r) {
			reached(w.Args[i])
		}
	case ssair.Opaque:
		if !w.Alters && w.Obj != nil && w.Obj.Pkg() != nil && readers[w.Obj.Pkg().Path()] {
			return false
		}
		for _, a := range w.Args {
			if a != nil && ssair.Deref(a.Type) != nil && ssair.IsGenerator(ssair.Deref(a.Type)) && ssair.IsScalar(r.Results[0].Type) {
				continue // a generator changes the state of its source, which is in integers
			}
			if a != nil {
				reached(a)
			}
		}
	}
	if !read.Meets(written) {
		return false
	}
	return typ == nil || r.Kind != ssair.Load || al.MayAlias(r.Args[0], r.Result().Type, w.Args[0], typ)
}

// memoryOf returns the type of what r, a load or a look-up in a map, reads.
func memoryOf(r *ssair.Op) types.Type {
	if r.Kind == ssair.MapGet {
		return r.Args[0].Type.Underlying()
	}
	return r.Result().Type
}

// readers are packages whose functions do not change what they are given, unless functions
// that they are given do.
var readers = map[string]bool{
	"errors": true, "fmt": true, "log": true, "math": true, "math/bits": true, "math/cmplx": true, "strconv": true,
	"strings": true, "unicode": true, "unicode/utf8": true, rtPath: true,
}
