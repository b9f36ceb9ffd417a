package lift

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/quabla/quabla/ssair"
)

// switchStmt lifts an expression switch as a chain of ifs.
func (fr *frame) switchStmt(s *ast.SwitchStmt, label string, rest func() flow) (flow, bool) {
	if s.Init != nil {
		fr.stmt(s.Init, nil)
		fr.newStmt()
	}
	var tag *ssair.Value
	if s.Tag != nil {
		tag = fr.value(s.Tag)
	}
	clauses := make([]clause, len(s.Body.List))
	for i, c := range s.Body.List {
		cc := c.(*ast.CaseClause)
		clauses[i] = clause{list: cc.Body, isDefault: cc.List == nil}
		clauses[i].test = func() *ssair.Value {
			return fr.anyOf(cc.List, func(e ast.Expr) *ssair.Value {
				if tag == nil {
					return fr.cond(e)
				}
				return fr.caseEqual(tag, e)
			})
		}
	}
	return fr.clauses(clauses, label, rest)
}

// caseEqual compares the tag of a switch with a case.
func (fr *frame) caseEqual(tag *ssair.Value, e ast.Expr) *ssair.Value {
	v := fr.expr(e)
	if isInterface(v.v.Type) && !isInterface(tag.Type) {
		return fr.b.Cmp(token.EQL, fr.convert(val{v: tag}, v.v.Type).v, v.v)
	}
	return fr.b.Cmp(token.EQL, tag, fr.convert(v, tag.Type).v)
}

// anyOf tests alternatives from left to right until one holds.
func (fr *frame) anyOf(list []ast.Expr, test func(ast.Expr) *ssair.Value) *ssair.Value {
	v := test(list[0])
	if len(list) == 1 {
		return v
	}
	op := fr.b.If(v)
	outer := fr.b
	fr.b = outer.At(op.Regions[0])
	fr.b.Yield(fr.b.Bool(true))
	fr.b = outer.At(op.Regions[1])
	fr.b.Yield(fr.anyOf(list[1:], test))
	fr.b = outer
	return op.AddResult(ssair.Bool, nil)
}

// A clause is one case of a switch.
type clause struct {
	list      []ast.Stmt
	test      func() *ssair.Value
	isDefault bool
	enter     func() // declares the variable of a type switch
}

// clauses lifts the cases of a switch: the first whose test holds is run, and
// the default when none does.
func (fr *frame) clauses(cs []clause, label string, rest func() flow) (flow, bool) {
	t := &target{label: label, brk: fr.newCode(), loopDepth: len(fr.goons), isSwitch: true}
	fr.targets = append(fr.targets, t)
	outer := fr.targets
	def := -1
	var order []int
	for i, c := range cs {
		if c.isDefault {
			def = i
		} else {
			order = append(order, i)
		}
	}
	run := func(i int) func() flow {
		return func() flow {
			f := fallsThrough
			for {
				if cs[i].enter != nil {
					cs[i].enter()
				}
				list := cs[i].list
				next := false
				if n := len(list); n > 0 {
					if b, ok := list[n-1].(*ast.BranchStmt); ok && b.Tok == token.FALLTHROUGH {
						next, list = true, list[:n-1]
					}
				}
				if f.maybe() {
					f = f.then(fr.guarded(func() flow { return fr.stmts(list) }))
				} else {
					f = f.then(fr.stmts(list))
				}
				if !next || f.never() {
					return f
				}
				i++
			}
		}
	}
	// With a break in a case, what follows the switch cannot be nested into it.
	nest := rest
	for _, c := range cs {
		if breaks(c.list, label) {
			nest = nil
		}
	}
	if nest != nil {
		nest = func() flow {
			inside := fr.targets
			fr.targets = fr.targets[:len(outer)-1]
			defer func() { fr.targets = inside }()
			return rest()
		}
	}
	var chain func(k int) arm
	chain = func(k int) arm {
		if k == len(order) {
			if def < 0 {
				return nil
			}
			return func(func() flow) (flow, bool) { return run(def)(), false }
		}
		return func(rest func() flow) (flow, bool) {
			return fr.ifRest(cs[order[k]].test(), run(order[k]), chain(k+1), rest)
		}
	}
	f, done := fallsThrough, false
	if first := chain(0); first != nil {
		f, done = first(nest)
	}
	fr.targets = fr.targets[:len(fr.targets)-1]
	return fr.settle(f, t.brk), done
}

// breaks reports whether list breaks out of the switch it belongs to.
func breaks(list []ast.Stmt, label string) bool {
	found := false
	visit := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
			if label == "" {
				return false
			}
		case *ast.BranchStmt:
			if n.Tok == token.BREAK && (n.Label == nil || n.Label.Name == label) {
				found = true
			}
		}
		return !found
	}
	for _, s := range list {
		ast.Inspect(s, visit)
	}
	return found
}

// typeSwitch lifts a type switch.
func (fr *frame) typeSwitch(s *ast.TypeSwitchStmt, label string, rest func() flow) (flow, bool) {
	if s.Init != nil {
		fr.stmt(s.Init, nil)
		fr.newStmt()
	}
	var x ast.Expr
	switch a := s.Assign.(type) {
	case *ast.ExprStmt:
		x = a.X.(*ast.TypeAssertExpr).X
	case *ast.AssignStmt:
		x = a.Rhs[0].(*ast.TypeAssertExpr).X
	}
	v := fr.value(x)
	clauses := make([]clause, len(s.Body.List))
	for i, c := range s.Body.List {
		cc := c.(*ast.CaseClause)
		clauses[i] = clause{list: cc.Body, isDefault: cc.List == nil}
		clauses[i].test = func() *ssair.Value {
			return fr.anyOf(cc.List, func(e ast.Expr) *ssair.Value {
				if fr.info.Types[e].IsNil() {
					return fr.b.Cmp(token.EQL, v, fr.b.Zero(v.Type))
				}
				fr.assertable(e, v, fr.rawType(e))
				return fr.typeIs(v, fr.typ(fr.info.TypeOf(e)))
			})
		}
		obj, _ := fr.info.Implicits[cc].(*types.Var)
		if obj == nil {
			continue
		}
		clauses[i].enter = func() {
			t := fr.typ(obj.Type())
			dst := fr.declare(obj, t)
			w := v
			if !types.Identical(t, v.Type) {
				w = fr.assert(v, t, true)
			}
			fr.b.Store(dst.cell, nil, w)
		}
	}
	return fr.clauses(clauses, label, rest)
}
