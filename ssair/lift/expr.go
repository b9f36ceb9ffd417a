package lift

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"github.com/quabla/quabla/ssair"
)

// A val is the value of an expression: a value of the IR, or a function that
// is known statically.
type val struct {
	v    *ssair.Value
	clos *closure
	typ  types.Type // of a static function: the type that it was converted to
}

var oneConst = constant.MakeInt64(1)

// value lifts an expression with one value that is not a static function.
func (fr *frame) value(e ast.Expr) *ssair.Value { return fr.need(e, fr.expr(e)) }

// need returns the value of v as a value of the IR.
func (fr *frame) need(node ast.Node, v val) *ssair.Value {
	if v.v != nil {
		return v.v
	}
	r := fr.record(node, v.clos, v.typ)
	if v.typ != nil {
		fr.fits(node, r, v.typ)
	}
	return r
}

// operand lifts e as a value of type t.
func (fr *frame) operand(e ast.Expr, t types.Type) *ssair.Value {
	return fr.need(e, fr.convert(fr.expr(e), t))
}

// exprs lifts the right side of an assignment to n places.
func (fr *frame) exprs(list []ast.Expr, n int) []val {
	if len(list) == 1 && n > 1 {
		return fr.multi(list[0], n)
	}
	vals := make([]val, len(list))
	for i, e := range list {
		vals[i] = fr.expr(e)
	}
	return vals
}

// multi lifts an expression with several values: a call, or one of the forms
// with a second result that tells whether it worked.
func (fr *frame) multi(e ast.Expr, n int) []val {
	switch e := ast.Unparen(e).(type) {
	case *ast.CallExpr:
		return fr.call(e)
	case *ast.IndexExpr:
		mt := fr.typeOf(e.X).Underlying().(*types.Map)
		m := fr.value(e.X)
		o := fr.b.Op(ssair.MapGet, []*ssair.Value{m, fr.operand(e.Index, mt.Key())}, mt.Elem(), ssair.Bool)
		return []val{{v: o.Results[0]}, {v: o.Results[1]}}
	case *ast.TypeAssertExpr:
		x := fr.value(e.X)
		fr.assertable(e, x, fr.rawType(e.Type))
		t := fr.typ(fr.info.TypeOf(e.Type))
		ok := fr.typeIs(x, t)
		cell := fr.b.Alloc(t, nil)
		fr.ifElse(ok, func() flow {
			fr.b.Store(cell, nil, fr.assert(x, t, true))
			return fallsThrough
		}, nil)
		return []val{{v: fr.b.Load(cell, nil)}, {v: ok}}
	case *ast.UnaryExpr:
		if e.Op == token.ARROW {
			fr.refuse(e, "keep the value in a variable or a slice", "cannot differentiate a channel receive")
		}
	}
	fr.refuse(e, "", "cannot differentiate this expression with %d values", n)
	return nil
}

// expr lifts an expression.
func (fr *frame) expr(e ast.Expr) val {
	e = ast.Unparen(e)
	if tv, ok := fr.info.Types[e]; ok {
		if tv.Value != nil {
			return val{v: fr.constant(e, tv)}
		}
		if tv.IsNil() {
			return val{v: fr.b.Zero(types.Typ[types.UntypedNil])}
		}
	}
	pos := fr.b.Pos
	fr.b.Pos = e.Pos()
	defer func() { fr.b.Pos, fr.last = pos, e }()
	switch e := e.(type) {
	case *ast.Ident:
		return fr.ident(e)
	case *ast.SelectorExpr:
		return fr.selector(e)
	case *ast.IndexExpr:
		return fr.indexExpr(e)
	case *ast.IndexListExpr:
		return fr.funcRef(e.X)
	case *ast.StarExpr:
		return val{v: fr.place(e).get(fr)}
	case *ast.UnaryExpr:
		return fr.unary(e)
	case *ast.BinaryExpr:
		return fr.binary(e)
	case *ast.CallExpr:
		vs := fr.call(e)
		if len(vs) == 0 {
			return val{}
		}
		return vs[0]
	case *ast.CompositeLit:
		return val{v: fr.composite(e)}
	case *ast.FuncLit:
		return val{clos: &closure{sig: fr.signature(e), lit: e, frame: fr}}
	case *ast.SliceExpr:
		return val{v: fr.sliceExpr(e)}
	case *ast.TypeAssertExpr:
		x := fr.value(e.X)
		fr.assertable(e, x, fr.rawType(e.Type))
		return val{v: fr.assert(x, fr.typ(fr.info.TypeOf(e.Type)), false)}
	}
	fr.refuse(e, "", "cannot differentiate this expression (%T)", e)
	return val{}
}

// constant lifts a constant expression. The spelling of a named constant or a
// literal is kept.
func (fr *frame) constant(e ast.Expr, tv types.TypeAndValue) *ssair.Value {
	t := fr.typ(tv.Type)
	if b, ok := t.Underlying().(*types.Basic); ok && b.Info()&types.IsUntyped != 0 {
		t = types.Default(t)
	}
	cv := tv.Value
	if ssair.IsFloat(t) {
		cv = constant.ToFloat(cv)
	}
	v := fr.b.Const(cv, t)
	switch x := e.(type) {
	case *ast.BasicLit:
		v.Def.Text = x.Value
	case *ast.Ident:
		v.Def.Obj = fr.constObj(x)
	case *ast.SelectorExpr:
		v.Def.Obj = fr.constObj(x.Sel)
	case *ast.UnaryExpr:
		if l, ok := x.X.(*ast.BasicLit); ok && (x.Op == token.SUB) {
			v.Def.Text = "-" + l.Value
		}
	case *ast.BinaryExpr:
		if text, float, ok := fr.constText(x); ok && ssair.IsFloat(t) {
			v.Def.Text, v.Def.Explicit = text, float
		}
	}
	return v
}

// constText spells a constant expression, if generated code can spell it too:
// of literals, constants of the package and those of package math, none of them
// typed. float says whether its own type is that of a float.
func (fr *frame) constText(e ast.Expr) (text string, float, ok bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		return e.Value, e.Kind == token.FLOAT, e.Kind == token.FLOAT || e.Kind == token.INT
	case *ast.ParenExpr:
		text, float, ok = fr.constText(e.X)
		return "(" + text + ")", float, ok
	case *ast.BinaryExpr:
		switch e.Op {
		case token.ADD, token.SUB, token.MUL, token.QUO:
		default:
			return "", false, false
		}
		x, fx, okx := fr.constText(e.X)
		y, fy, oky := fr.constText(e.Y)
		return x + " " + e.Op.String() + " " + y, fx || fy, okx && oky
	case *ast.Ident:
		if obj := fr.constObj(e); obj != nil && obj.Pkg() == fr.l.Mod.Pkg {
			return e.Name, obj.Type() == types.Typ[types.UntypedFloat], isUntypedNumber(obj.Type())
		}
	case *ast.SelectorExpr:
		if obj := fr.constObj(e.Sel); obj != nil && obj.Pkg().Path() == "math" {
			return "math." + e.Sel.Name, obj.Type() == types.Typ[types.UntypedFloat], isUntypedNumber(obj.Type())
		}
	}
	return "", false, false
}

func isUntypedNumber(t types.Type) bool {
	return t == types.Typ[types.UntypedFloat] || t == types.Typ[types.UntypedInt]
}

// constObj returns the package-level constant that id names, if generated code
// can name it too.
func (fr *frame) constObj(id *ast.Ident) types.Object {
	obj, ok := fr.info.Uses[id].(*types.Const)
	if !ok || obj.Pkg() == nil || obj.Parent() != obj.Pkg().Scope() {
		return nil
	}
	if obj.Pkg().Path() != fr.l.Mod.Pkg.Path() && !obj.Exported() {
		return nil
	}
	return obj
}

func (fr *frame) ident(e *ast.Ident) val {
	switch obj := fr.info.ObjectOf(e).(type) {
	case *types.Var:
		if v := fr.lookup(obj); v != nil && v.clos != nil {
			return fr.static(v.clos, fr.rawType(e))
		} else if v != nil && v.fixed != nil && v.owner.root == fr.root {
			return val{v: v.fixed}
		}
		if c := fr.globalFunc(obj); c != nil {
			return fr.static(c, fr.rawType(e))
		}
		return val{v: fr.varPlace(e, obj).get(fr)}
	case *types.Func:
		return fr.funcRef(e)
	}
	fr.refuse(e, "", "cannot differentiate %s here", e.Name)
	return val{}
}

// static is the function c as a value of type t: an interface that it is put into
// tells named types from others.
func (fr *frame) static(c *closure, t types.Type) val {
	if _, ok := types.Unalias(t).(*types.Named); ok {
		return val{clos: c, typ: fr.l.locals.typ(t)}
	}
	return val{clos: c}
}

// funcRef is a reference to a declared function. The type of an instance is not that
// of the name e, which is generic.
func (fr *frame) funcRef(e ast.Expr) val {
	var id *ast.Ident
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		id = e
	case *ast.SelectorExpr:
		id = e.Sel
	default:
		fr.refuse(e, "", "cannot differentiate this function expression")
	}
	fn, ok := fr.info.Uses[id].(*types.Func)
	if !ok {
		fr.refuse(e, "", "cannot differentiate this function expression")
	}
	t := fr.info.TypeOf(e)
	if inst, ok := fr.info.Instances[id]; ok {
		t = inst.Type
	}
	sig := fr.subst.apply(t).Underlying().(*types.Signature)
	return val{clos: &closure{sig: sig, fn: fn.Origin(), targs: fr.instance(id)}}
}

// instance returns the type arguments that id is instantiated with.
func (fr *frame) instance(id *ast.Ident) []types.Type {
	inst, ok := fr.info.Instances[id]
	if !ok {
		return nil
	}
	ts := make([]types.Type, inst.TypeArgs.Len())
	for i := range ts {
		ts[i] = fr.subst.apply(inst.TypeArgs.At(i))
	}
	return ts
}

func (fr *frame) selector(e *ast.SelectorExpr) val {
	sel, ok := fr.info.Selections[e]
	if !ok { // pkg.Name
		switch obj := fr.info.Uses[e.Sel].(type) {
		case *types.Var:
			if c := fr.globalFunc(obj); c != nil {
				return fr.static(c, fr.rawType(e))
			}
			return val{v: fr.varPlace(e, obj).get(fr)}
		case *types.Func:
			return fr.funcRef(e)
		}
		fr.refuse(e, "", "cannot differentiate %s here", e.Sel.Name)
	}
	switch sel.Kind() {
	case types.FieldVal:
		if fr.addressable(e.X) || ssair.Deref(fr.typeOf(e.X)) != nil {
			return val{v: fr.fieldPlace(e, sel).get(fr)}
		}
		return val{v: fr.fieldOf(fr.value(e.X), sel.Index(), e)}
	case types.MethodVal:
		return val{clos: fr.methodValue(e, sel)}
	case types.MethodExpr:
		return val{clos: &closure{sig: fr.signature(e), fn: sel.Obj().(*types.Func), method: sel}}
	}
	fr.refuse(e, "", "cannot differentiate this selector")
	return val{}
}

// fieldOf extracts a field from a struct that is not in memory.
func (fr *frame) fieldOf(v *ssair.Value, index []int, node ast.Node) *ssair.Value {
	for k, i := range index {
		if ptr := ssair.Deref(v.Type); ptr != nil {
			p := &place{base: v, typ: ptr, node: node}
			return fr.walkFields(p, index[k:]).get(fr)
		}
		v = fr.b.Extract(v, i)
	}
	return v
}

// addressable reports whether e denotes memory.
func (fr *frame) addressable(e ast.Expr) bool {
	return fr.info.Types[e].Addressable() || fr.localPlace(e)
}

// localPlace reports whether e is a variable or a part of one.
func (fr *frame) localPlace(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		_, ok := fr.info.ObjectOf(e).(*types.Var)
		return ok
	case *ast.SelectorExpr:
		if s, ok := fr.info.Selections[e]; ok && s.Kind() == types.FieldVal {
			return fr.localPlace(e.X) || ssair.Deref(fr.typeOf(e.X)) != nil
		}
		return false
	case *ast.IndexExpr:
		if _, ok := fr.typeOf(e.X).Underlying().(*types.Array); ok {
			return fr.localPlace(e.X)
		}
		return true
	case *ast.StarExpr:
		return true
	}
	return false
}

func (fr *frame) indexExpr(e *ast.IndexExpr) val {
	if tv := fr.info.Types[e.Index]; tv.IsType() {
		return fr.funcRef(e.X) // an instantiated function
	}
	t := fr.typeOf(e.X)
	switch u := t.Underlying().(type) {
	case *types.Map:
		m := fr.value(e.X)
		p := &mapPlace{m: m, key: fr.operand(e.Index, u.Key()), typ: u.Elem(), node: e}
		return val{v: p.get(fr)}
	case *types.Basic: // string
		s := fr.value(e.X)
		return val{v: fr.b.Op(ssair.StrIndex, []*ssair.Value{s, fr.index(e.Index)}, types.Typ[types.Uint8]).Result()}
	}
	return val{v: fr.indexPlace(e).get(fr)}
}

func (fr *frame) unary(e *ast.UnaryExpr) val {
	switch e.Op {
	case token.AND:
		if lit, ok := ast.Unparen(e.X).(*ast.CompositeLit); ok {
			return val{v: fr.newComposite(lit)}
		}
		p := fr.place(e.X)
		return val{v: p.addr(fr)}
	case token.ARROW:
		fr.refuse(e, "keep the value in a variable or a slice", "cannot differentiate a channel receive")
	case token.ADD:
		return fr.expr(e.X)
	}
	return val{v: fr.b.Un(e.Op, fr.value(e.X))}
}

func (fr *frame) binary(e *ast.BinaryExpr) val {
	switch e.Op {
	case token.LAND, token.LOR:
		return val{v: fr.shortCircuit(e)}
	case token.SHL, token.SHR:
		x := fr.operand(e.X, fr.typeOf(e))
		return val{v: fr.shift(e.Op, x, fr.value(e.Y))}
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		return val{v: fr.compare(e)}
	}
	t := fr.typeOf(e)
	x := fr.operand(e.X, t)
	y := fr.operand(e.Y, t)
	return val{v: fr.b.Bin(e.Op, x, y)}
}

func (fr *frame) shift(tok token.Token, x, n *ssair.Value) *ssair.Value {
	if b, ok := n.Type.Underlying().(*types.Basic); ok && b.Info()&types.IsInteger == 0 {
		n = fr.b.Conv(n, ssair.Int)
	}
	return fr.b.Bin(tok, x, n)
}

func (fr *frame) compare(e *ast.BinaryExpr) *ssair.Value {
	x, y := fr.expr(e.X), fr.expr(e.Y)
	if x.clos != nil || y.clos != nil {
		// A function compared with nil: a static one is not nil.
		return fr.b.Bool(e.Op == token.NEQ)
	}
	xt, yt := x.v.Type, y.v.Type
	switch {
	case isNil(xt) && isNil(yt):
		return fr.b.Bool(e.Op == token.EQL)
	case isNil(xt):
		fr.opaqueElems(e.Y, "a comparison with nil of")
		x = fr.convert(x, yt)
	case isNil(yt):
		fr.opaqueElems(e.X, "a comparison with nil of")
		y = fr.convert(y, xt)
	case types.Identical(xt, yt):
	case isInterface(xt) && !isInterface(yt):
		y = fr.convert(y, xt)
	case isInterface(yt) && !isInterface(xt):
		x = fr.convert(x, yt)
	default:
		y = fr.convert(y, xt)
	}
	v := fr.b.Cmp(e.Op, x.v, y.v)
	if t := fr.typeOf(e); t != nil && !types.Identical(types.Default(t), ssair.Bool) {
		return fr.b.Conv(v, t)
	}
	return v
}

func isNil(t types.Type) bool {
	b, ok := t.(*types.Basic)
	return ok && b.Kind() == types.UntypedNil
}

func isInterface(t types.Type) bool {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return false
	}
	return types.IsInterface(t)
}

// cond lifts a condition as a plain bool.
func (fr *frame) cond(e ast.Expr) *ssair.Value {
	v := fr.value(e)
	return fr.b.Conv(v, ssair.Bool)
}

// shortCircuit lifts x && y or x || y: y is evaluated only if x does not
// decide.
func (fr *frame) shortCircuit(e *ast.BinaryExpr) *ssair.Value {
	x := fr.cond(e.X)
	op := fr.b.If(x)
	outer := fr.b
	arm := func(r int, f func() *ssair.Value) {
		fr.b = outer.At(op.Regions[r])
		fr.b.Yield(f())
	}
	eval := func() *ssair.Value { return fr.cond(e.Y) }
	decided := func() *ssair.Value { return fr.b.Bool(e.Op == token.LOR) }
	if e.Op == token.LAND {
		arm(0, eval)
		arm(1, decided)
	} else {
		arm(0, decided)
		arm(1, eval)
	}
	fr.b = outer
	v := op.AddResult(ssair.Bool, nil)
	if t := fr.typeOf(e); t != nil && !types.Identical(types.Default(t), ssair.Bool) {
		return fr.b.Conv(v, t)
	}
	return v
}

// convert makes v a value of type t, as assignment does.
func (fr *frame) convert(v val, t types.Type) val {
	if v.clos != nil && t != nil {
		if isInterface(t) {
			v = val{v: fr.need(fr.last, v)}
		} else {
			v.typ = t
		}
	}
	if v.clos != nil || v.v == nil || t == nil {
		return v
	}
	from := v.v.Type
	switch {
	case types.Identical(from, t):
		return v
	case isNil(from):
		return val{v: fr.b.Zero(t)}
	case isInterface(t) && !isInterface(from):
		fr.boxes(from, t)
		fr.boxesStandIn(from, t)
		fr.needsMethods(fr.last, from, t)
		fr.l.meets(from)
		return val{v: fr.b.Op(ssair.MakeIface, []*ssair.Value{v.v}, t).Result()}
	}
	if c := v.v.Def; c != nil && c.Kind == ssair.Const {
		return val{v: fr.b.Const(c.Val, t)}
	}
	fr.fits(fr.last, v.v, t)
	if isInterface(t) {
		fr.needsMethods(fr.last, from, t)
	}
	return val{v: fr.b.Conv(v.v, t)}
}

// boxes refuses to put a value of a type that is private to another package into an
// interface with methods: the type that is declared for it has none.
func (fr *frame) boxes(from, t types.Type) {
	base := from
	if p := ssair.Deref(from); p != nil {
		base = p
	}
	n, ok := types.Unalias(base).(*types.Named)
	if !ok || fr.l.private[n] == nil || t.Underlying().(*types.Interface).NumMethods() == 0 {
		return
	}
	here := &ast.Ident{NamePos: fr.b.Pos, Name: "_"}
	fr.refuse(here, "call the method on the value itself", "cannot differentiate a value of type %s in an interface: its package keeps the type, or fields of it, to itself", fr.l.private[n])
}

func (fr *frame) sliceExpr(e *ast.SliceExpr) *ssair.Value {
	t := fr.typeOf(e.X)
	var x *ssair.Value
	if _, ok := t.Underlying().(*types.Array); ok {
		x = fr.place(e.X).addr(fr)
	} else {
		x = fr.value(e.X)
	}
	opt := func(i ast.Expr) *ssair.Value {
		if i == nil {
			return nil
		}
		return fr.index(i)
	}
	v := fr.b.Slice(x, opt(e.Low), opt(e.High), opt(e.Max))
	return fr.b.Conv(v, fr.typeOf(e))
}

// typeIs tests the dynamic type of an interface value.
func (fr *frame) typeIs(x *ssair.Value, t types.Type) *ssair.Value {
	o := fr.b.Op(ssair.TypeIs, []*ssair.Value{x}, ssair.Bool)
	o.Type = t
	return o.Result()
}

// assert is x.(t); safe means that the type was tested.
func (fr *frame) assert(x *ssair.Value, t types.Type, safe bool) *ssair.Value {
	o := fr.b.Op(ssair.TypeAssert, []*ssair.Value{x}, t)
	o.Type, o.Safe = t, safe
	return o.Result()
}
