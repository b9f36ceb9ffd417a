package lift

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/quabla/quabla/ssair"
)

// maxExpanded is how many statements the calls of records of one type may come to
// when they are lifted in place.
const maxExpanded = 60

// callRecord calls the function that the record f is: the members of its family
// are tried one after another.
func (fr *frame) callRecord(e ast.Node, fam *family, f *ssair.Value, args []val) []val {
	if fam.shared {
		for _, m := range fam.members {
			if m.clos.lit != nil {
				fr.direct(e, m.clos.lit.Body, m.info)
			}
		}
		f = fr.b.Conv(f, fr.l.recordOf(fam.sig))
		return fr.callIR(e, fr.dispatcher(e, fam), append([]val{{v: f}}, args...))
	}
	if !fam.shared {
		n := 0
		for _, m := range fam.members[:fam.known] {
			n += m.stmts()
		}
		if fam.entered > 0 || fam.expanded > 0 && fam.expanded+n > maxExpanded {
			fam.shared = true
			fr.l.restart()
		}
		fam.expanded += n
		fam.entered++
		defer func() { fam.entered-- }()
	}
	return fr.tryMembers(e, fam, f, args)
}

// tryMembers is a chain of ifs over the functions that f may be.
func (fr *frame) tryMembers(e ast.Node, fam *family, f *ssair.Value, args []val) []val {
	cells := make([]*ssair.Value, fam.sig.Results().Len())
	for i := range cells {
		cells[i] = fr.b.Alloc(fr.l.locals.typ(fam.sig.Results().At(i).Type()), nil)
	}
	call := func(k int) flow {
		vals := fr.callMember(e, fam.members[k], f, args)
		for i, c := range cells {
			fr.b.Store(c, nil, fr.need(e, fr.convert(vals[i], ssair.Deref(c.Type))))
		}
		return fallsThrough
	}
	// It panics if f is nil, as the call does.
	fn := fr.b.Load(f, []ssair.Step{ssair.Field(0)})
	fn.Var = &ssair.Var{Name: "fn"}
	var try func(k int) flow
	try = func(k int) flow {
		if k+1 == fam.known {
			return call(k)
		}
		return fr.ifElse(fr.b.Cmp(token.EQL, fn, fr.number(k+1, fam.members[k])), func() flow { return call(k) }, func() flow { return try(k + 1) })
	}
	if fam.known > 0 {
		try(0)
	}
	vals := make([]val, len(cells))
	for i, c := range cells {
		vals[i] = val{v: fr.b.Load(c, nil)}
	}
	return vals
}

// callMember calls the function m, whose captured variables are in the record f.
func (fr *frame) callMember(e ast.Node, m *member, f *ssair.Value, args []val) []val {
	if m.clos.body != nil {
		return fr.callBody(e, m, f, args)
	}
	if m.clos.lit == nil {
		c := *m.clos
		if len(m.capt) > 0 {
			c.recv = fr.field(f, m.capt[0].field)
		}
		return fr.callClosure(e, &c, args)
	}
	lit := m.clos.lit
	sub := fr.memberFrame(m, f, lit.Body)
	sub.lit = lit
	sig := sub.signature(lit)
	var objs []*types.Var
	for i := range sig.Params().Len() {
		objs = append(objs, declared(lit.Type.Params, sub.info, sig.Params().At(i), i))
	}
	return fr.enter(e, sub, objs, args, lit.Body, sig.Results(), declaredList(lit.Type.Results, sub.info, sig.Results()))
}

// memberFrame returns a frame for the body of m, with the variables that are in the
// record f.
func (fr *frame) memberFrame(m *member, f *ssair.Value, body *ast.BlockStmt) *frame {
	sub := &frame{
		name: strings.TrimSuffix(m.name, "Func"), info: m.info, subst: m.subst, l: fr.l, root: fr.root,
		vars: map[*types.Var]*variable{}, assigned: scanAssigned(body, m.info),
	}
	for _, k := range m.capt {
		if k.obj == nil {
			continue
		}
		x := fr.field(f, k.field)
		v := &variable{owner: sub, userName: k.name, obj: k.obj, held: true, from: k}
		if k.byValue {
			v.typ, v.cell = x.Type, fr.b.Alloc(x.Type, &ssair.Var{Name: k.name})
			fr.b.Store(v.cell, nil, x)
		} else {
			v.typ, v.cell = ssair.Deref(x.Type), x
		}
		sub.vars[k.obj] = v
	}
	return sub
}

// field returns what the record f, which is not nil, has in a field.
func (fr *frame) field(f *ssair.Value, i int) *ssair.Value {
	v := fr.b.Load(f, []ssair.Step{ssair.Field(i)})
	v.Def.Safe = true
	return v
}

// dispatcher returns the function of the module that calls what a record is.
func (fr *frame) dispatcher(e ast.Node, fam *family) *ssair.Func {
	if fam.call != nil {
		return fam.call
	}
	l := fr.l
	f := l.Mod.NewFunc("call" + strings.TrimPrefix(l.recordType(fam).Obj().Name(), cmp.Or(l.Mod.Prefix, "local")))
	f.Pos = e.Pos()
	fam.call = f
	sub := &frame{l: l, name: f.Name, info: fr.info, irfn: f, b: ssair.NewBuilder(f.Body), last: e, vars: map[*types.Var]*variable{}}
	sub.root = sub
	for r := range fam.sig.Results().Variables() {
		f.Results = append(f.Results, ssair.Result{Type: l.locals.typ(r.Type())})
	}
	rec := f.AddParam("f", l.recordOf(fam.sig))
	var args []val
	for p := range fam.sig.Params().Variables() {
		name := p.Name()
		if name == "" || name == "_" || name == "f" {
			name = "x"
		}
		args = append(args, val{v: f.AddParam(name, l.locals.typ(p.Type()))})
	}
	vals := sub.tryMembers(e, fam, rec, args)
	if sub.failed {
		fr.root.failed = true
	}
	var out []*ssair.Value
	for _, v := range vals {
		out = append(out, v.v)
	}
	sub.b.Return(out...)
	if len(sub.orders) > 0 {
		l.pending = append(l.pending, func() bool { return l.checkOrders(f, sub.orders) })
	}
	return f
}

// stmts is the number of statements of a member.
func (m *member) stmts() int {
	if m.clos.body != nil {
		return countStmts(m.clos.body.stmt.Body)
	}
	if m.clos.lit == nil {
		return 1
	}
	return countStmts(m.clos.lit.Body)
}
