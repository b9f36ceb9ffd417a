package lift

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/quabla/quabla/ssair"
)

// An lvalue is something that can be assigned to. Its operands have been
// evaluated already.
type lvalue interface {
	typeOf() types.Type
	get(fr *frame) *ssair.Value
	set(fr *frame, v val)
}

// A place is an lvalue in memory.
type place struct {
	base *ssair.Value
	path []ssair.Step
	idx  []*ssair.Value
	typ  types.Type
	safe bool // reading it cannot panic

	// For a whole local variable, the variable and its object.
	v    *variable
	obj  *types.Var
	node ast.Node
}

func (p *place) typeOf() types.Type { return p.typ }

// isCell reports whether p is a whole local variable.
func (p *place) isCell() bool { return p.v != nil && len(p.path) == 0 }

func (p *place) get(fr *frame) *ssair.Value {
	if p.isCell() && p.v.clos != nil {
		return fr.need(p.node, val{clos: p.v.clos, typ: p.v.typ})
	}
	v := fr.b.Load(p.base, p.path, p.idx...)
	v.Def.Safe = p.safe || fr.checked
	return v
}

func (p *place) set(fr *frame, v val) {
	v = fr.convert(v, p.typ)
	if p.isCell() {
		if v.clos != nil && fr.defersWith(p.obj) {
			fr.l.dynamic(v.clos.sig)
			fr.l.vary(p.obj)
		}
		fr.assignVar(p.node, p.v, p.obj, v)
		return
	}
	x := fr.need(p.node, v)
	fr.fits(p.node, x, ssair.PlaceType(p.base.Type, p.path))
	fr.b.Store(p.base, p.path, x, p.idx...).Safe = p.safe
}

func (p *place) addr(fr *frame) *ssair.Value {
	if p.isCell() {
		// Through its address, any function can be put into the variable.
		if p.v.clos != nil {
			fr.l.dynamic(p.v.clos.sig)
			fr.l.vary(p.v.obj)
		}
		p.v.held = true
	}
	if len(p.path) == 0 {
		return p.base
	}
	return fr.b.Addr(p.base, p.path, p.idx...)
}

// field is the place of the field i inside the struct at p.
func (p *place) field(i int) *place {
	q := *p
	q.path = append(p.path[:len(p.path):len(p.path)], ssair.Field(i))
	q.typ = ssair.StepType(p.typ, ssair.Field(i))
	q.v = nil
	return &q
}

// elem is the place of the element at index i of the array at p.
func (p *place) elem(i *ssair.Value) *place {
	q := *p
	q.path = append(p.path[:len(p.path):len(p.path)], ssair.Elem)
	q.idx = append(p.idx[:len(p.idx):len(p.idx)], i)
	q.typ = ssair.StepType(p.typ, ssair.Elem)
	q.safe = p.safe && i.Def != nil && i.Def.Kind == ssair.Const
	q.v = nil
	return &q
}

// assignVar stores v into the whole local variable.
func (fr *frame) assignVar(node ast.Node, dst *variable, obj *types.Var, v val) {
	switch {
	case v.clos != nil && fr.holdsOne(dst, obj):
		dst.clos = v.clos
		return
	case v.clos != nil:
		fr.l.dynamic(v.clos.sig)
		fr.l.vary(obj)
	case dst.clos != nil:
		fr.l.dynamic(dst.clos.sig)
		fr.l.vary(obj)
	}
	fr.b.Store(dst.cell, nil, fr.need(node, v))
}

// hold gives a parameter the function that is passed for it.
func (fr *frame) hold(node ast.Node, v *variable, c *closure) {
	if fr.times(v.obj) == 0 && !fr.l.plan.varies[v.obj] {
		v.clos = c
		return
	}
	fr.b.Store(v.cell, nil, fr.need(node, val{clos: c, typ: v.typ}))
}

// holdsOne reports whether the variable, which is assigned a function, holds that
// and no other from there on: it is assigned once, in the block that declares
// it, and nothing has taken its memory before.
func (fr *frame) holdsOne(dst *variable, obj *types.Var) bool {
	def := dst.cell.Def
	return !fr.l.plan.varies[obj] && !dst.held && fr == dst.owner && !slices.Contains(fr.results, dst) &&
		def != nil && def.Kind == ssair.Alloc && def.Parent == fr.b.Region && fr.times(obj) <= 1
}

// times returns how often the variable is assigned after its declaration
// without value.
func (fr *frame) times(obj *types.Var) int {
	for f := fr; f != nil; f = f.lexical {
		if n, ok := f.assigned[obj]; ok {
			return n
		}
	}
	return 0
}

// scanAssigned counts the assignments to each local variable of a body, and
// counts a variable whose address is taken as assigned often.
func scanAssigned(body ast.Node, info *types.Info) map[*types.Var]int {
	n := map[*types.Var]int{}
	add := func(e ast.Expr, k int) {
		if id, ok := ast.Unparen(e).(*ast.Ident); ok {
			if v, ok := info.ObjectOf(id).(*types.Var); ok {
				n[v] += k
			}
		}
	}
	ast.Inspect(body, func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.AssignStmt:
			for _, e := range x.Lhs {
				add(e, 1)
			}
		case *ast.ValueSpec:
			if len(x.Values) > 0 {
				for _, e := range x.Names {
					add(e, 1)
				}
			}
		case *ast.RangeStmt:
			if x.Key != nil {
				add(x.Key, 2)
			}
			if x.Value != nil {
				add(x.Value, 2)
			}
		case *ast.UnaryExpr:
			if x.Op == token.AND {
				add(x.X, 2)
			}
		}
		return true
	})
	return n
}

// A mapPlace is the entry of a map.
type mapPlace struct {
	m, key *ssair.Value
	typ    types.Type
	node   ast.Node
}

func (p *mapPlace) typeOf() types.Type { return p.typ }

func (p *mapPlace) get(fr *frame) *ssair.Value {
	return fr.b.Op(ssair.MapGet, []*ssair.Value{p.m, p.key}, p.typ, ssair.Bool).Results[0]
}

func (p *mapPlace) set(fr *frame, v val) {
	v = fr.convert(v, p.typ)
	fr.b.Op(ssair.MapSet, []*ssair.Value{p.m, p.key, fr.need(p.node, v)})
}

// lhs evaluates the operands of the left side of an assignment. It returns
// nil for the blank identifier.
func (fr *frame) lhs(e ast.Expr, define bool) lvalue {
	e = ast.Unparen(e)
	if id, ok := e.(*ast.Ident); ok {
		if id.Name == "_" {
			return nil
		}
		if define {
			if obj, ok := fr.info.Defs[id].(*types.Var); ok {
				return &newVar{id: id, obj: obj, typ: fr.typ(obj.Type())}
			}
		}
	}
	if ix, ok := e.(*ast.IndexExpr); ok {
		if mt, ok := fr.typeOf(ix.X).Underlying().(*types.Map); ok {
			m := fr.value(ix.X)
			return &mapPlace{m: m, key: fr.operand(ix.Index, mt.Key()), typ: mt.Elem(), node: e}
		}
	}
	p := fr.place(e)
	if g := p.base.Def; g != nil && g.Kind == ssair.Global && ssair.ReachesScalar(p.typ) {
		fr.refuse(e, "pass the variable as a parameter, or return the new value",
			"cannot differentiate a write to the package-level variable %s", g.Obj.Name())
	}
	return p
}

// A newVar is a variable that an assignment declares. It comes into being
// when it is set, after the value has been computed.
type newVar struct {
	id  *ast.Ident
	obj *types.Var
	typ types.Type
}

func (n *newVar) typeOf() types.Type { return n.typ }

func (n *newVar) get(*frame) *ssair.Value { panic("lift: a new variable has no value") }

func (n *newVar) set(fr *frame, v val) {
	v = fr.convert(v, n.typ)
	dst := fr.declare(n.obj, n.typ)
	fr.assignVar(n.id, dst, n.obj, v)
}

// place evaluates the operands of an addressable expression. An expression
// that is not addressable is put into a cell of its own.
func (fr *frame) place(e ast.Expr) *place {
	e = ast.Unparen(e)
	switch e := e.(type) {
	case *ast.Ident:
		switch obj := fr.info.ObjectOf(e).(type) {
		case *types.Var:
			return fr.varPlace(e, obj)
		}
	case *ast.SelectorExpr:
		if sel, ok := fr.info.Selections[e]; ok {
			if sel.Kind() == types.FieldVal {
				return fr.fieldPlace(e, sel)
			}
		} else if obj, ok := fr.info.Uses[e.Sel].(*types.Var); ok {
			return fr.varPlace(e, obj) // pkg.Var
		}
	case *ast.IndexExpr:
		return fr.indexPlace(e)
	case *ast.StarExpr:
		return &place{base: fr.value(e.X), typ: fr.typeOf(e), node: e}
	case *ast.CompositeLit:
		return fr.spill(e)
	}
	return fr.spill(e)
}

// spill puts the value of e into a new cell.
func (fr *frame) spill(e ast.Expr) *place {
	v := fr.value(e)
	cell := fr.b.Alloc(v.Type, nil)
	fr.b.Store(cell, nil, v)
	return &place{base: cell, typ: v.Type, safe: true, node: e}
}

func (fr *frame) varPlace(e ast.Expr, obj *types.Var) *place {
	if v := fr.lookup(obj); v != nil {
		return &place{base: v.cell, typ: v.typ, safe: true, v: v, obj: obj, node: e}
	}
	if obj.Pkg() != nil && obj.Parent() == obj.Pkg().Scope() {
		if !fr.visible(obj) {
			t := fr.typ(obj.Type())
			return &place{base: fr.copied(obj, t), typ: t, safe: true, node: e}
		}
		t := obj.Type()
		if fr.l.holdsRecords(t, nil) && fr.l.Env.Fixed(obj) {
			if init, _ := fr.l.Env.Initial(obj); init != nil {
				return &place{base: fr.table(obj), typ: fr.typ(t), safe: true, node: e}
			}
		}
		g := fr.b.Op(ssair.Global, nil, types.NewPointer(t))
		g.Obj = obj
		return &place{base: g.Result(), typ: t, safe: true, node: e}
	}
	if fr.root.failed {
		panic(refusal{}) // its declaration was refused
	}
	fr.refuse(e, "", "cannot find the variable %s", obj.Name())
	return nil
}

// visible reports whether generated code can name an object of package level.
func (fr *frame) visible(obj types.Object) bool {
	return obj.Pkg() == fr.l.Mod.Pkg || obj.Exported() && !strings.Contains("/"+obj.Pkg().Path()+"/", "/internal/")
}

// copied makes the value of a variable that another package keeps to itself and never
// changes anew.
func (fr *frame) copied(obj *types.Var, t types.Type) *ssair.Value {
	cell := fr.b.Alloc(t, &ssair.Var{Name: obj.Name()})
	init, info := fr.l.Env.Initial(obj)
	if init == nil {
		return cell
	}
	in := &frame{
		l: fr.l, name: obj.Name(), info: info, b: fr.b, irfn: fr.irfn, root: fr.root,
		vars: map[*types.Var]*variable{}, caller: fr, callPos: obj.Pos(), last: init,
	}
	fr.b.Store(cell, nil, fr.need(init, in.convert(in.expr(init), t)))
	return cell
}

// table returns a copy of a package-level variable that holds functions and never
// changes, made where the function of the module begins.
func (fr *frame) table(obj *types.Var) *ssair.Value {
	root := fr.root
	if root.tables[obj] == nil {
		if root.tables == nil {
			root.tables = map[*types.Var]*ssair.Value{}
		}
		b := fr.b
		fr.b = fr.b.At(root.irfn.Body)
		if ops := root.irfn.Body.Ops; len(ops) > 0 {
			fr.b.Before = ops[0]
		}
		root.tables[obj] = fr.copied(obj, fr.typ(obj.Type()))
		fr.b = b
	}
	return root.tables[obj]
}

func (fr *frame) fieldPlace(e *ast.SelectorExpr, sel *types.Selection) *place {
	t := fr.typeOf(e.X)
	var p *place
	if ptr := ssair.Deref(t); ptr != nil {
		p = &place{base: fr.value(e.X), typ: ptr, node: e}
	} else {
		p = fr.place(e.X)
	}
	return fr.walkFields(p, sel.Index())
}

// walkFields follows a field path with its embedded structs and pointers.
func (fr *frame) walkFields(p *place, index []int) *place {
	for _, i := range index {
		if ptr := fr.l.deref(p.typ); ptr != nil {
			p = &place{base: p.get(fr), typ: ptr, node: p.node}
		}
		p = p.field(i)
	}
	return p
}

func (fr *frame) indexPlace(e *ast.IndexExpr) *place {
	t := fr.typeOf(e.X)
	switch u := t.Underlying().(type) {
	case *types.Slice:
		base := fr.value(e.X)
		return &place{base: base, path: []ssair.Step{ssair.Elem}, idx: []*ssair.Value{fr.index(e.Index)}, typ: u.Elem(), node: e}
	case *types.Pointer:
		p := &place{base: fr.value(e.X), typ: u.Elem(), node: e}
		return p.elem(fr.index(e.Index))
	case *types.Array:
		return fr.place(e.X).elem(fr.index(e.Index))
	}
	fr.opaqueElems(e.X, "an index into")
	return fr.spill(e)
}

// index lifts an index operand.
func (fr *frame) index(e ast.Expr) *ssair.Value {
	v := fr.value(e)
	if b, ok := v.Type.Underlying().(*types.Basic); ok && b.Info()&types.IsUntyped != 0 {
		return fr.b.Const(constant.ToInt(fr.info.Types[e].Value), ssair.Int)
	}
	return v
}
