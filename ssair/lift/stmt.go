package lift

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/quabla/quabla/ssair"
)

// stmt lifts s. It may also call rest, which lifts the statements behind s, in
// the arm of s that falls through, and then reports done.
func (fr *frame) stmt(s ast.Stmt, rest func() flow) (f flow, done bool) {
	saved, inLoop, yields, outerLoop, goons, targets := fr.b, fr.inLoop, fr.yields, fr.outerLoop, len(fr.goons), len(fr.targets)
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		if _, is := r.(refusal); !is {
			panic(r)
		}
		// Go on with the next statement, so that all faults are reported.
		fr.root.failed = true
		fr.b, fr.inLoop, fr.yields, fr.outerLoop = saved, inLoop, yields, outerLoop
		fr.goons, fr.targets = fr.goons[:goons], fr.targets[:targets]
		f, done = fallsThrough, false
	}()
	fr.newStmt()
	fr.b.Pos = s.Pos()
	if fr.usesC {
		fr.refuseC(s)
	}
	switch s := s.(type) {
	case *ast.EmptyStmt:
	case *ast.ExprStmt:
		fr.exprStmt(s.X)
		if c, ok := ast.Unparen(s.X).(*ast.CallExpr); ok && fr.isPanic(c) {
			return stops, false
		}
	case *ast.DeclStmt:
		fr.declStmt(s)
	case *ast.AssignStmt:
		fr.assign(s)
	case *ast.IncDecStmt:
		fr.incDec(s)
	case *ast.BlockStmt:
		return fr.stmts(s.List), false
	case *ast.IfStmt:
		return fr.ifStmt(s, rest)
	case *ast.SwitchStmt:
		return fr.switchStmt(s, "", rest)
	case *ast.TypeSwitchStmt:
		return fr.typeSwitch(s, "", rest)
	case *ast.ForStmt:
		return fr.forStmt(s, ""), false
	case *ast.RangeStmt:
		return fr.rangeStmt(s, ""), false
	case *ast.LabeledStmt:
		return fr.labelStmt(s, rest)
	case *ast.ReturnStmt:
		return fr.returnStmt(s), false
	case *ast.BranchStmt:
		return fr.branch(s), false
	case *ast.DeferStmt:
		fr.deferStmt(s)
	case *ast.GoStmt:
		fr.refuse(s, "compute the values one after another; the derivative can be run in goroutines by its caller",
			"cannot differentiate a go statement")
	case *ast.SendStmt:
		fr.refuse(s, "keep the value in a variable or a slice", "cannot differentiate a channel send")
	case *ast.SelectStmt:
		fr.refuse(s, "decide with if or switch on values", "cannot differentiate a select statement")
	default:
		fr.refuse(s, "", "cannot differentiate this statement (%T)", s)
	}
	return fallsThrough, false
}

// newStmt numbers what follows as another statement.
func (fr *frame) newStmt() {
	fr.l.nstmt++
	fr.b.Stmt = fr.l.nstmt
}

func (fr *frame) exprStmt(e ast.Expr) {
	e = ast.Unparen(e)
	if c, ok := e.(*ast.CallExpr); ok {
		fr.call(c)
		return
	}
	fr.expr(e)
}

func (fr *frame) declStmt(s *ast.DeclStmt) {
	gd := s.Decl.(*ast.GenDecl)
	if gd.Tok != token.VAR {
		return // constants and types come from the type information
	}
	for _, spec := range gd.Specs {
		vs := spec.(*ast.ValueSpec)
		var vals []val
		if len(vs.Values) > 0 {
			vals = fr.exprs(vs.Values, len(vs.Names))
		}
		for i, name := range vs.Names {
			obj, _ := fr.info.Defs[name].(*types.Var)
			if obj == nil {
				continue // blank
			}
			v := fr.declare(obj, fr.typ(obj.Type()))
			if vals != nil {
				fr.assignVar(name, v, obj, fr.convert(vals[i], v.typ))
			}
		}
	}
}

// assign lifts an assignment of any form.
func (fr *frame) assign(s *ast.AssignStmt) {
	switch s.Tok {
	case token.ASSIGN, token.DEFINE:
	default:
		fr.opAssign(s, s.Lhs[0], binaryOf(s.Tok), s.Rhs[0])
		return
	}
	if len(s.Lhs) == 1 && len(s.Rhs) == 1 {
		if fr.accumulates(s) {
			return
		}
		// The place is evaluated before the value.
		dst := fr.lhs(s.Lhs[0], s.Tok == token.DEFINE)
		v := fr.expr(s.Rhs[0])
		if dst != nil {
			dst.set(fr, v)
		}
		return
	}
	dsts := make([]lvalue, len(s.Lhs))
	for i, e := range s.Lhs {
		// New variables are declared after the values are computed: their
		// names may hide variables that the values use.
		if id, ok := e.(*ast.Ident); ok && s.Tok == token.DEFINE && fr.info.Defs[id] != nil {
			continue
		}
		dsts[i] = fr.lhs(e, false)
	}
	vals := fr.exprs(s.Rhs, len(s.Lhs))
	for i, e := range s.Lhs {
		if dsts[i] == nil {
			dsts[i] = fr.lhs(e, s.Tok == token.DEFINE)
		}
		if dsts[i] != nil {
			dsts[i].set(fr, vals[i])
		}
	}
}

// accumulates lifts p = p + e for a place p in memory as an accumulation, as
// it does p += e.
func (fr *frame) accumulates(s *ast.AssignStmt) bool {
	bin, ok := ast.Unparen(s.Rhs[0]).(*ast.BinaryExpr)
	if !ok || bin.Op != token.ADD || s.Tok != token.ASSIGN {
		return false
	}
	if _, ok := ast.Unparen(s.Lhs[0]).(*ast.IndexExpr); !ok {
		return false
	}
	if !ssair.IsScalar(fr.typeOf(s.Lhs[0])) || !sameSimple(s.Lhs[0], bin.X) {
		return false
	}
	fr.opAssign(s, s.Lhs[0], token.ADD, bin.Y)
	return true
}

// sameSimple reports whether a and b are the same expression made of names,
// selectors, literals and arithmetic, whose evaluation has no effect.
func sameSimple(a, b ast.Expr) bool {
	a, b = ast.Unparen(a), ast.Unparen(b)
	switch a := a.(type) {
	case *ast.Ident:
		b, ok := b.(*ast.Ident)
		return ok && a.Name == b.Name
	case *ast.BasicLit:
		b, ok := b.(*ast.BasicLit)
		return ok && a.Value == b.Value
	case *ast.SelectorExpr:
		b, ok := b.(*ast.SelectorExpr)
		return ok && a.Sel.Name == b.Sel.Name && sameSimple(a.X, b.X)
	case *ast.IndexExpr:
		b, ok := b.(*ast.IndexExpr)
		return ok && sameSimple(a.X, b.X) && sameSimple(a.Index, b.Index)
	case *ast.BinaryExpr:
		b, ok := b.(*ast.BinaryExpr)
		return ok && a.Op == b.Op && sameSimple(a.X, b.X) && sameSimple(a.Y, b.Y)
	case *ast.StarExpr:
		b, ok := b.(*ast.StarExpr)
		return ok && sameSimple(a.X, b.X)
	}
	return false
}

func (fr *frame) incDec(s *ast.IncDecStmt) {
	tok := token.ADD
	if s.Tok == token.DEC {
		tok = token.SUB
	}
	dst := fr.lhs(s.X, false)
	old := dst.get(fr)
	one := fr.one(old.Type)
	dst.set(fr, val{v: fr.b.Bin(tok, old, one)})
}

func (fr *frame) one(t types.Type) *ssair.Value {
	return fr.b.Const(oneConst, t)
}

func binaryOf(tok token.Token) token.Token {
	return tok - token.ADD_ASSIGN + token.ADD
}

// opAssign lifts lhs op= rhs. The place is evaluated once.
func (fr *frame) opAssign(s ast.Stmt, lhs ast.Expr, tok token.Token, rhs ast.Expr) {
	dst := fr.lhs(lhs, false)
	t := dst.typeOf()
	if p, ok := dst.(*place); ok && ssair.IsScalar(t) && (tok == token.ADD || tok == token.SUB) && !p.isCell() {
		v := fr.operand(rhs, t)
		if tok == token.SUB {
			v = fr.b.Un(token.SUB, v)
		}
		fr.b.Accum(p.base, p.path, v, p.idx...)
		return
	}
	old := dst.get(fr)
	var v *ssair.Value
	if tok == token.SHL || tok == token.SHR {
		v = fr.shift(tok, old, fr.expr(rhs).v)
	} else {
		v = fr.b.Bin(tok, old, fr.operand(rhs, t))
	}
	dst.set(fr, val{v: v})
}

func (fr *frame) returnStmt(s *ast.ReturnStmt) flow {
	if len(s.Results) > 0 {
		vals := fr.exprs(s.Results, len(fr.results))
		for i, r := range fr.results {
			fr.setResult(s.Results[min(i, len(s.Results)-1)], r, fr.convert(vals[i], r.typ))
		}
		return fr.leave(exitReturn, 0)
	}
	for _, r := range fr.results {
		// A bare return leaves the result as it is.
		if r.clos != nil {
			fr.l.dynamic(r.clos.sig)
			fr.l.vary(r.obj)
		}
		r.stored = true
	}
	return fr.leave(exitReturn, 0)
}

// setResult stores a returned value.
func (fr *frame) setResult(node ast.Node, r *variable, v val) {
	if v.clos != nil && fr.caller != nil && !fr.l.plan.varies[r.obj] && !r.stored && !r.held && (r.clos == nil || r.clos.same(v.clos)) {
		r.clos = v.clos
		return
	}
	if r.clos != nil {
		fr.l.dynamic(r.clos.sig)
		fr.l.vary(r.obj)
	}
	r.stored = true
	x := fr.need(node, v)
	fr.fits(node, x, r.typ)
	fr.b.Store(r.cell, nil, x)
}

func (fr *frame) branch(s *ast.BranchStmt) flow {
	label := ""
	if s.Label != nil {
		label = s.Label.Name
	}
	if s.Tok == token.FALLTHROUGH {
		return fallsThrough // handled by the switch
	}
	for i := len(fr.targets) - 1; i >= 0; i-- {
		t := fr.targets[i]
		switch s.Tok {
		case token.BREAK:
			if label == "" && !t.block || label != "" && t.label == label && !t.block {
				return fr.leave(t.brk, t.loopDepth)
			}
		case token.CONTINUE:
			if t.cont != 0 && (label == "" || t.label == label) {
				return fr.leave(t.cont, t.loopDepth+1)
			}
		case token.GOTO:
			if t.block && t.label == label {
				if t.cont != 0 {
					return fr.leave(t.cont, t.loopDepth+1)
				}
				return fr.leave(t.brk, t.loopDepth)
			}
		}
	}
	fr.refuse(s, "use a loop, or if and else", "cannot differentiate this %s: its target is not around it or behind it in an enclosing block", s.Tok)
	return stops
}

func (fr *frame) ifStmt(s *ast.IfStmt, rest func() flow) (flow, bool) {
	if s.Init != nil {
		if f, _ := fr.stmt(s.Init, nil); f.never() {
			return f, true
		}
		fr.newStmt()
	}
	cond := fr.cond(s.Cond)
	then := func() flow { return fr.stmts(s.Body.List) }
	var els arm
	if s.Else != nil {
		els = func(rest func() flow) (flow, bool) { return fr.stmt(s.Else, rest) }
	}
	return fr.ifRest(cond, then, els, rest)
}

// An arm lifts the else part of an if. It is given the statements behind the
// if when the other part does not fall through to them, and reports whether it
// has lifted them.
type arm func(rest func() flow) (flow, bool)

// ifRest builds an if. When one part leaves and the other falls through, the
// statements behind the if are lifted inside that other part, which is where
// they run.
func (fr *frame) ifRest(cond *ssair.Value, then func() flow, els arm, rest func() flow) (flow, bool) {
	op := fr.b.If(cond)
	outer := fr.b
	var flows [2]flow
	var ends [2]*ssair.Builder
	done := false

	fr.b = outer.At(op.Regions[0])
	flows[0] = fallsThrough
	if then != nil {
		flows[0] = then()
	}
	ends[0] = fr.b

	fr.b = outer.At(op.Regions[1])
	flows[1] = fallsThrough
	if els != nil {
		inner := rest
		if flows[0].falls {
			inner = nil
		}
		flows[1], done = els(inner)
	}
	ends[1] = fr.b

	for i := range flows {
		if done || rest == nil || flows[1-i].falls || !flows[i].falls {
			continue
		}
		fr.b = ends[i]
		if flows[i].maybe() {
			flows[i] = flows[i].then(fr.guarded(rest))
		} else {
			flows[i] = flows[i].then(rest())
		}
		ends[i] = fr.b
		done = true
	}
	for i := range flows {
		fr.b = ends[i]
		fr.close(flows[i])
	}
	fr.b = outer
	return flows[0].or(flows[1]), done
}

// labels reports whether s is a label that a goto in list names; the label
// then governs the rest of the list.
func (fr *frame) labels(s ast.Stmt, list []ast.Stmt) (*ast.LabeledStmt, []ast.Stmt, bool) {
	ls, ok := s.(*ast.LabeledStmt)
	if !ok || !usesGoto(list, ls.Label.Name) {
		return nil, nil, false
	}
	return ls, list[1:], true
}

func usesGoto(list []ast.Stmt, label string) bool {
	found := false
	for _, s := range list {
		ast.Inspect(s, func(n ast.Node) bool {
			if _, ok := n.(*ast.FuncLit); ok {
				return false
			}
			if b, ok := n.(*ast.BranchStmt); ok && b.Tok == token.GOTO && b.Label.Name == label {
				found = true
			}
			return true
		})
	}
	return found
}

// labelled lifts a label with backward gotos to it, and the statements behind
// it, as a loop: goto continues it, and reaching the end leaves it.
func (fr *frame) labelled(s *ast.LabeledStmt, rest []ast.Stmt) flow {
	return fr.loop(loopParts{
		label: s.Label.Name, block: true, once: true, node: s,
		body: func() flow {
			return fr.stmts(append([]ast.Stmt{s.Stmt}, rest...))
		},
	})
}

// forwardLabel returns the index of the last label in list to which there are
// gotos in front of it that overlap with those of the first statement, or 0 if that
// has none. What is between them and the label declares no variables, as Go
// demands, so nothing behind the label uses what is declared there.
func forwardLabel(list []ast.Stmt) int {
	last := 0
	for k := 0; k == 0 || k < last; k++ {
		for j := last + 1; j < len(list); j++ {
			if ls, ok := list[j].(*ast.LabeledStmt); ok && usesGoto(list[k:k+1], ls.Label.Name) {
				last = j
			}
		}
	}
	return last
}

// skippable lifts list, whose first j statements may jump to the label behind
// them.
func (fr *frame) skippable(list []ast.Stmt, j int) flow {
	t := &target{label: list[j].(*ast.LabeledStmt).Label.Name, brk: fr.newCode(), loopDepth: len(fr.goons), block: true}
	fr.targets = append(fr.targets, t)
	f := fr.stmts(list[:j])
	fr.targets = fr.targets[:len(fr.targets)-1]
	f = fr.settle(f, t.brk)
	if f.never() {
		return f
	}
	if f.maybe() {
		return f.then(fr.guarded(func() flow { return fr.stmts(list[j:]) }))
	}
	return f.then(fr.stmts(list[j:]))
}

func (fr *frame) labelStmt(s *ast.LabeledStmt, rest func() flow) (flow, bool) {
	switch t := s.Stmt.(type) {
	case *ast.ForStmt:
		return fr.forStmt(t, s.Label.Name), false
	case *ast.RangeStmt:
		return fr.rangeStmt(t, s.Label.Name), false
	case *ast.SwitchStmt:
		return fr.switchStmt(t, s.Label.Name, rest)
	case *ast.TypeSwitchStmt:
		return fr.typeSwitch(t, s.Label.Name, rest)
	}
	return fr.stmt(s.Stmt, rest)
}
