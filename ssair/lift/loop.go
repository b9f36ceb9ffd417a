package lift

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"github.com/quabla/quabla/ssair"
)

func stringConst(s string) constant.Value { return constant.MakeString(s) }

// loopParts is what a loop is made of; nil parts are left out.
type loopParts struct {
	label string
	node  ast.Node
	info  ssair.LoopInfo
	over  []*ssair.Value
	cond  func() *ssair.Value
	body  func() flow
	post  func()
	// once marks a loop made of a label and gotos: it goes on only when a
	// goto says so, and break does not name it.
	once, block bool
	// whole marks the loop of one trip around the body of a function that is
	// computed again.
	whole bool
}

// loop builds a loop. All variables are cells at this stage, so it carries
// nothing.
func (fr *frame) loop(p loopParts) flow {
	op := fr.b.Loop()
	*op.Loop = p.info
	op.Loop.Label = p.label
	if p.whole {
		op.Pos = p.node.Pos()
	}
	if p.node != nil {
		op.Loop.Checkpoint = fr.l.Env.Checkpoint(p.node)
	}
	op.Args = append(op.Args, p.over...)
	t := &target{label: p.label, brk: fr.newCode(), cont: fr.newCode(), loopDepth: len(fr.goons), block: p.block}
	outer := fr.b
	fr.targets = append(fr.targets, t)
	if !p.whole {
		if fr.inLoop++; fr.inLoop == 1 {
			fr.outerLoop = op
		}
	}

	fr.b = outer.At(op.Cond())
	if p.cond != nil {
		fr.b.Yield(p.cond())
	} else {
		fr.b.Yield(fr.b.Bool(true))
	}

	fr.b = outer.At(op.BodyRegion())
	goon := fr.b.Alloc(ssair.Bool, nil)
	fr.b.Store(goon, nil, fr.b.Bool(true))
	fr.goons = append(fr.goons, goon)
	f := p.body()
	fr.goons = fr.goons[:len(fr.goons)-1]
	if p.once {
		if f.falls {
			// Reaching the end leaves the loop.
			if len(f.exits) == 0 {
				fr.b.Store(goon, nil, fr.b.Bool(false))
			} else {
				pending := fr.b.Cmp(token.EQL, fr.b.Load(fr.exit, nil), fr.b.Int(0))
				fr.ifElse(pending, func() flow {
					fr.b.Store(goon, nil, fr.b.Bool(false))
					return fallsThrough
				}, nil)
			}
		}
	}
	falls := f.falls || f.exits[t.cont]
	if f.exits[t.cont] {
		f = fr.settle(f, t.cont)
	}
	if f.dead() {
		fr.b.Op(ssair.Unreachable, nil)
	} else {
		op.Loop.Break = p.once && f.falls
		for c := range f.exits {
			if c != t.cont {
				op.Loop.Break = true
			}
		}
		if op.Loop.Break {
			fr.b.Yield(fr.b.Load(goon, nil))
		} else {
			fr.b.Yield()
		}
	}

	fr.b = outer.At(op.Post())
	if p.post != nil {
		p.post()
	}
	fr.b.Yield()

	fr.b = outer
	if !p.whole {
		if fr.inLoop--; fr.inLoop == 0 {
			fr.outerLoop = nil
		}
	}
	fr.targets = fr.targets[:len(fr.targets)-1]
	g := flow{falls: p.cond != nil || p.once && falls, exits: f.exits}
	if f.exits[t.brk] {
		g = fr.settle(g, t.brk)
		g.falls = true
	}
	if p.once {
		g.falls = true
	}
	return g
}

// statements lifts the statements of a function. Those of one with a checkpoint
// directive become the only trip of a loop, which reverse mode runs again.
func (fr *frame) statements(body *ast.BlockStmt) flow {
	decl := fr.decl
	if decl == nil || fr.l.Env.Checkpoint(decl) == nil {
		return fr.stmts(body.List)
	}
	i := fr.b.Alloc(ssair.Int, nil)
	fr.b.Store(i, nil, fr.b.Int(0))
	return fr.loop(loopParts{
		node: decl, block: true, whole: true,
		cond: func() *ssair.Value { return fr.b.Cmp(token.LSS, fr.b.Load(i, nil), fr.b.Int(1)) },
		body: func() flow { return fr.stmts(body.List) },
		post: func() { fr.b.Store(i, nil, fr.b.Bin(token.ADD, fr.b.Load(i, nil), fr.b.Int(1))) },
	})
}

// forStmt lifts a for statement.
func (fr *frame) forStmt(s *ast.ForStmt, label string) flow {
	if s.Init != nil {
		fr.stmt(s.Init, nil)
		fr.newStmt()
	}
	p := loopParts{label: label, node: s, body: func() flow { return fr.stmts(s.Body.List) }}
	if s.Post != nil {
		p.post = func() { fr.stmt(s.Post, nil) }
	}
	if s.Cond != nil {
		if fr.plain(s.Cond) {
			p.cond = func() *ssair.Value { return fr.cond(s.Cond) }
		} else {
			// A condition that may change variables is evaluated in the body.
			brk := 0
			p.body = func() flow {
				brk = fr.targets[len(fr.targets)-1].brk
				depth := fr.targets[len(fr.targets)-1].loopDepth
				leave := func(func() flow) (flow, bool) { return fr.leave(brk, depth), false }
				f, _ := fr.ifRest(fr.cond(s.Cond), nil, leave, func() flow { return fr.stmts(s.Body.List) })
				return f
			}
		}
	}
	vars := fr.perTrip(s)
	if len(vars) > 0 {
		body := p.body
		p.body = func() flow { return fr.freshVars(vars, body) }
	}
	return fr.loop(p)
}

// plain reports whether evaluating e cannot change memory: it calls nothing
// but built-ins, conversions and functions of package math.
func (fr *frame) plain(e ast.Expr) bool {
	ok := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			ok = false
		case *ast.CallExpr:
			tv := fr.info.Types[ast.Unparen(n.Fun)]
			if tv.IsType() || tv.IsBuiltin() {
				return true
			}
			var id *ast.Ident
			switch f := ast.Unparen(n.Fun).(type) {
			case *ast.Ident:
				id = f
			case *ast.SelectorExpr:
				id = f.Sel
			}
			if id != nil {
				if fn, isFn := fr.info.Uses[id].(*types.Func); isFn && fn.Pkg() != nil && fn.Pkg().Path() == "math" {
					return true
				}
			}
			ok = false
		}
		return ok
	})
	return ok
}

// perTrip returns the variables of a for clause that a closure or pointer may
// hold on to: each trip has its own copy of them.
func (fr *frame) perTrip(s *ast.ForStmt) []*types.Var {
	init, ok := s.Init.(*ast.AssignStmt)
	if !ok || init.Tok != token.DEFINE {
		return nil
	}
	var vars []*types.Var
	for _, e := range init.Lhs {
		id, ok := e.(*ast.Ident)
		if !ok {
			continue
		}
		obj, ok := fr.info.Defs[id].(*types.Var)
		if ok && escapes(s.Body, obj, fr.info) {
			vars = append(vars, obj)
		}
	}
	return vars
}

// escapes reports whether body takes the address of obj or uses it in a
// function literal.
func escapes(body ast.Node, obj *types.Var, info *types.Info) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			ast.Inspect(n.Body, func(m ast.Node) bool {
				if id, ok := m.(*ast.Ident); ok && info.Uses[id] == obj {
					found = true
				}
				return !found
			})
		case *ast.UnaryExpr:
			if id, ok := ast.Unparen(n.X).(*ast.Ident); ok && n.Op == token.AND && info.Uses[id] == obj {
				found = true
			}
		}
		return !found
	})
	return found
}

// freshVars runs body on copies of the loop variables and copies them back.
func (fr *frame) freshVars(vars []*types.Var, body func() flow) flow {
	outer := make([]*variable, len(vars))
	for i, obj := range vars {
		outer[i] = fr.vars[obj]
		v := fr.declare(obj, outer[i].typ)
		fr.b.Store(v.cell, nil, fr.b.Load(outer[i].cell, nil))
	}
	f := body()
	for i, obj := range vars {
		fr.b.Store(outer[i].cell, nil, fr.b.Load(fr.vars[obj].cell, nil))
		fr.vars[obj] = outer[i]
	}
	return f
}

// rangeStmt lifts a range statement.
func (fr *frame) rangeStmt(s *ast.RangeStmt, label string) flow {
	if sig, ok := fr.rawType(s.X).Underlying().(*types.Signature); ok {
		return fr.rangeFunc(s, label, sig)
	}
	t := fr.typeOf(s.X)
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Info()&types.IsString != 0 {
			return fr.rangeString(s, label)
		}
		return fr.rangeInt(s, label)
	case *types.Slice:
		x := fr.value(s.X)
		return fr.rangeElems(s, label, fr.b.Len(x), x, func(i *ssair.Value) *ssair.Value {
			return fr.b.Load(x, []ssair.Step{ssair.Elem}, i)
		})
	case *types.Array:
		n := fr.b.Int(int(u.Len()))
		if s.Value == nil || isBlank(s.Value) {
			if !fr.localPlace(s.X) {
				fr.value(s.X)
			}
			return fr.rangeElems(s, label, n, nil, nil)
		}
		// Ranging over an array with a value variable copies it first.
		cell := fr.b.Alloc(t, nil)
		fr.b.Store(cell, nil, fr.value(s.X))
		return fr.rangeElems(s, label, n, cell, func(i *ssair.Value) *ssair.Value {
			return fr.b.Load(cell, []ssair.Step{ssair.Elem}, i)
		})
	case *types.Pointer:
		a := u.Elem().Underlying().(*types.Array)
		p := fr.value(s.X)
		return fr.rangeElems(s, label, fr.b.Int(int(a.Len())), p, func(i *ssair.Value) *ssair.Value {
			return fr.b.Load(p, []ssair.Step{ssair.Elem}, i)
		})
	case *types.Map:
		return fr.rangeMap(s, label)
	}
	fr.opaqueElems(s.X, "a range over")
	fr.refuse(s.X, "loop over a slice", "cannot differentiate a range over %s", t)
	return stops
}

func isBlank(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "_"
}

// setRangeVars assigns to the key and the value of a range statement; nil values
// are left out. As in any assignment, the operands on the left are evaluated
// before the first variable changes.
func (fr *frame) setRangeVars(s *ast.RangeStmt, key, value *ssair.Value) {
	var dsts []interface{ set(*frame, val) }
	var vals []val
	for i, e := range []ast.Expr{s.Key, s.Value} {
		v := []*ssair.Value{key, value}[i]
		if e == nil || v == nil {
			continue
		}
		if dst := fr.lhs(e, s.Tok == token.DEFINE); dst != nil {
			dsts = append(dsts, dst)
			vals = append(vals, val{v: v})
		}
	}
	for i, d := range dsts {
		d.set(fr, vals[i])
	}
}

func rangeName(e ast.Expr) *ssair.Var {
	if id, ok := e.(*ast.Ident); ok && id.Name != "_" {
		return &ssair.Var{Name: id.Name}
	}
	return &ssair.Var{Name: "i"}
}

// counter builds a loop over 0 <= i < n; body gets the index.
func (fr *frame) counter(info ssair.LoopInfo, label string, node ast.Node, v *ssair.Var, t types.Type, n *ssair.Value, over []*ssair.Value, body func(i *ssair.Value) flow) flow {
	cell := fr.b.Alloc(t, v)
	fr.b.Store(cell, nil, fr.b.Const(constant.MakeInt64(0), t))
	return fr.loop(loopParts{
		label: label, node: node, info: info, over: over,
		cond: func() *ssair.Value { return fr.b.Cmp(token.LSS, fr.b.Load(cell, nil), n) },
		body: func() flow { return body(fr.b.Load(cell, nil)) },
		post: func() {
			i := fr.b.Load(cell, nil)
			fr.b.Store(cell, nil, fr.b.Bin(token.ADD, i, fr.one(t)))
		},
	})
}

func (fr *frame) rangeElems(s *ast.RangeStmt, label string, n, x *ssair.Value, load func(*ssair.Value) *ssair.Value) flow {
	over := []*ssair.Value{n}
	form := ssair.RangeInt
	if x != nil {
		over = append(over, x)
		form = ssair.RangeSlice
	}
	return fr.counter(ssair.LoopInfo{Form: form}, label, s, rangeName(s.Key), ssair.Int, n, over, func(i *ssair.Value) flow {
		var v *ssair.Value
		if s.Value != nil && !isBlank(s.Value) {
			v = load(i)
			v.Def.Safe = x == nil || v.Def.Base().Def == nil || ssair.Deref(v.Def.Base().Type) == nil || v.Def.Base().Def.Kind == ssair.Alloc
		}
		fr.setRangeVars(s, i, v)
		return fr.stmts(s.Body.List)
	})
}

func (fr *frame) rangeInt(s *ast.RangeStmt, label string) flow {
	t := fr.typeOf(s.X)
	if s.Key != nil && !isBlank(s.Key) {
		t = fr.typeOf(s.Key)
	} else if b, ok := t.(*types.Basic); ok && b.Info()&types.IsUntyped != 0 {
		t = ssair.Int
	}
	n := fr.operand(s.X, t)
	return fr.counter(ssair.LoopInfo{Form: ssair.RangeInt}, label, s, rangeName(s.Key), t, n, []*ssair.Value{n}, func(i *ssair.Value) flow {
		fr.setRangeVars(s, i, nil)
		return fr.stmts(s.Body.List)
	})
}

// rangeString decodes the runes of a string one after another.
func (fr *frame) rangeString(s *ast.RangeStmt, label string) flow {
	x := fr.operand(s.X, ssair.String)
	runeAt := fr.l.Env.Runtime("RuneAt")
	if runeAt == nil {
		fr.refuse(s, "loop over its bytes by index", "cannot differentiate a range over a string")
	}
	// for i, width := 0, 0; i < len(x); i += width
	i := fr.b.Alloc(ssair.Int, rangeName(s.Key))
	fr.b.Store(i, nil, fr.b.Int(0))
	width := fr.b.Alloc(ssair.Int, &ssair.Var{Name: "width"})
	fr.b.Store(width, nil, fr.b.Int(0))
	return fr.loop(loopParts{
		label: label, node: s,
		cond: func() *ssair.Value { return fr.b.Cmp(token.LSS, fr.b.Load(i, nil), fr.b.Len(x)) },
		body: func() flow {
			at := fr.b.Load(i, nil)
			o := fr.b.Op(ssair.Opaque, []*ssair.Value{x, at}, types.Typ[types.Int32], ssair.Int)
			o.Obj = runeAt
			fr.b.Store(width, nil, o.Results[1])
			fr.setRangeVars(s, at, o.Results[0])
			return fr.stmts(s.Body.List)
		},
		post: func() { fr.b.Store(i, nil, fr.b.Bin(token.ADD, fr.b.Load(i, nil), fr.b.Load(width, nil))) },
	})
}

// rangeMap loops over a snapshot of the keys; entries deleted on the way are
// skipped, as in Go.
func (fr *frame) rangeMap(s *ast.RangeStmt, label string) flow {
	m := fr.value(s.X)
	mt := m.Type.Underlying().(*types.Map)
	keys := fr.b.Op(ssair.MapKeys, []*ssair.Value{m}, types.NewSlice(mt.Key())).Result()
	n := fr.b.Len(keys)
	return fr.counter(ssair.LoopInfo{Form: ssair.RangeSlice}, label, s, &ssair.Var{Name: "i"}, ssair.Int, n, []*ssair.Value{n, keys}, func(i *ssair.Value) flow {
		k := fr.b.Load(keys, []ssair.Step{ssair.Elem}, i)
		k.Def.Safe = true
		got := fr.b.Op(ssair.MapGet, []*ssair.Value{m, k}, mt.Elem(), ssair.Bool)
		return fr.ifElse(got.Results[1], func() flow {
			fr.setRangeVars(s, k, got.Results[0])
			return fr.stmts(s.Body.List)
		}, nil)
	})
}

// opaqueElems refuses what is done with the elements of a value whose type is a type
// parameter of the function that is derived.
func (fr *frame) opaqueElems(e ast.Expr, what string) {
	if t, ok := types.Unalias(fr.typeOf(e)).(*types.TypeParam); ok {
		fr.refuse(e, "write []E for S ~[]E, or put the directive above a function that calls this one",
			"cannot differentiate %s the type parameter %s", what, t)
	}
}
