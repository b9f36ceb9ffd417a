package lift

import (
	"go/ast"
	"go/types"
	"maps"
	"slices"

	"github.com/quabla/quabla/ssair"
)

// A deferred is a deferred call. Its function and arguments were evaluated at
// the defer statement; armed tells whether that statement ran.
type deferred struct {
	stmt  *ast.DeferStmt
	armed *ssair.Value
	run   func()
	clos  *closure // the function, if it is known
	idle  bool     // it does nothing that others see
	// vars are the variables that names meant at the statement: each trip of a loop has
	// its own copies of the variables of its for clause.
	vars map[*types.Var]*variable

	// In a loop the statement runs any number of times: see deferLoop.
	loop   *ssair.Op // the outermost loop around it
	anchor *ssair.Op // where it stands
}

// armDefers makes the cells that the defer statements of body need, so that
// they are in scope at its end.
func (fr *frame) armDefers(body *ast.BlockStmt) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.DeferStmt:
			fr.defers = append(fr.defers, &deferred{stmt: n, armed: fr.b.Alloc(ssair.Bool, &ssair.Var{Name: "deferred"})})
		}
		return true
	})
}

func (fr *frame) deferStmt(s *ast.DeferStmt) {
	for i, d := range fr.defers {
		if d.stmt != s {
			continue
		}
		if d.armed.Def.Parent.Func != fr.b.Region.Func {
			fr.refuse(s, "call the function at the end of each trip", "cannot differentiate a defer statement in a range over a function whose body is not known")
		}
		if fr.yields > 0 && d.run != nil { // the iterator calls the body in several places
			d = &deferred{stmt: s, armed: d.armed}
			fr.defers = slices.Insert(fr.defers, i+1, d)
		}
		d.run = fr.deferredCall(d, s.Call)
		d.vars = maps.Clone(fr.vars)
		if d.loop = fr.outerLoop; d.loop == nil {
			fr.b.Store(d.armed, nil, fr.b.Bool(true))
		}
		d.anchor = fr.b.Int(0).Def
		return
	}
}

// deferredCall evaluates the function and the arguments of a deferred call and
// returns what runs it.
func (fr *frame) deferredCall(d *deferred, e *ast.CallExpr) func() {
	fun := ast.Unparen(e.Fun)
	if fr.info.Types[fun].IsBuiltin() {
		return fr.deferredBuiltin(d, e)
	}
	var c *closure
	var f *ssair.Value
	if sel, ok := fun.(*ast.SelectorExpr); ok {
		if s, ok := fr.info.Selections[sel]; ok && s.Kind() == types.MethodVal {
			c = fr.methodValue(sel, s)
		}
	}
	if c == nil {
		v := fr.expr(fun)
		c, f = v.clos, v.v
	}
	sig := fr.signature(fun)
	args := fr.args(e, sig)
	d.clos = c
	if c == nil {
		return func() { fr.dynamicCall(e, f, sig, args) }
	}
	return func() { fr.callClosure(e, c, args) }
}

// deferredBuiltin is deferredCall for a predeclared function.
func (fr *frame) deferredBuiltin(d *deferred, e *ast.CallExpr) func() {
	if fr.isPanic(e) {
		v := fr.operand(e.Args[0], ssair.Any)
		return func() { fr.b.Op(ssair.Panic, []*ssair.Value{v}) }
	}
	if id, ok := ast.Unparen(e.Fun).(*ast.Ident); ok && id.Name == "recover" {
		d.idle = true // only a function that is deferred can recover
		return func() {}
	}
	fr.refuse(e, "call it directly", "cannot differentiate a deferred built-in")
	return nil
}

// runDefers runs what was deferred, from the last to the first.
func (fr *frame) runDefers() {
	for i := len(fr.defers) - 1; i >= 0; i-- {
		d := fr.defers[i]
		if d.loop == nil {
			fr.runDeferred(d)
			continue
		}
		first := i
		for first > 0 && fr.defers[first-1].loop == d.loop {
			first--
		}
		fr.runLoop(fr.defers[first : i+1])
		i = first
	}
}

func (fr *frame) runDeferred(d *deferred) {
	if d.run == nil {
		return // never reached
	}
	scope := fr.b.Region
	first := len(scope.Ops)
	fr.ifElse(fr.b.Load(d.armed, nil), func() flow { return fr.attempt(d) }, nil)
	d.bring(scope.Ops[first:])
}

// attempt lifts a deferred call; a refusal does not keep the other ones from being
// looked at.
func (fr *frame) attempt(d *deferred) flow {
	now := maps.Clone(fr.vars)
	defer func(b *ssair.Builder) {
		if r := recover(); r != nil {
			if _, is := r.(refusal); !is {
				panic(r)
			}
			fr.root.failed, fr.b = true, b
		}
		fr.running = false
		maps.Copy(fr.vars, now)
	}(fr.b)
	maps.Copy(fr.vars, d.vars)
	r, first := fr.b.Region, len(fr.b.Region.Ops)
	fr.running = true
	d.run()
	if fr.guard != nil && !fr.root.failed {
		fr.guard.cover(r, first)
		fr.root.failed = fr.root.failed || fr.guard.failed
	}
	return fallsThrough
}

// bring makes what ops use available to them: a defer statement inside of an if
// evaluates arguments there, and its function refers to variables that are declared
// there. It runs once at most, as defers in loops are refused, so the variables can
// be made, and the values kept, where the function begins.
func (d *deferred) bring(ops []*ssair.Op) {
	start := ssair.NewBuilder(d.armed.Def.Parent)
	start.Before = d.armed.Def
	kept := map[*ssair.Value]*ssair.Value{}
	visit := func(o *ssair.Op) {
		for i, v := range o.Args {
			if !foreign(v, o) {
				continue
			}
			def := v.Def
			if def.Kind == ssair.Alloc {
				def.Remove()
				start.Insert(def)
				continue
			}
			cell := kept[v]
			if cell == nil {
				cell = start.Alloc(v.Type, v.Var)
				kept[v] = cell
				b := ssair.NewBuilder(def.Parent)
				b.Before = behind(def)
				b.Store(cell, nil, v)
			}
			b := ssair.NewBuilder(o.Parent)
			b.Before = o
			o.Args[i] = b.Load(cell, nil)
		}
	}
	for _, o := range nested(ops) {
		visit(o)
	}
}

// foreign reports whether o uses v where it is not defined.
func foreign(v *ssair.Value, o *ssair.Op) bool { return v != nil && !v.Region().Contains(o.Parent) }

// nested returns ops and those inside of them.
func nested(ops []*ssair.Op) []*ssair.Op {
	var all []*ssair.Op
	for _, o := range ops {
		all = append(all, o)
		for _, r := range o.Regions {
			r.Walk(func(o *ssair.Op) bool {
				all = append(all, o)
				return true
			})
		}
	}
	return all
}

// behind returns the op behind o.
func behind(o *ssair.Op) *ssair.Op {
	i := slices.Index(o.Parent.Ops, o)
	return o.Parent.Ops[i+1]
}
