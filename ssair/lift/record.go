package lift

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"github.com/quabla/quabla/ssair"
)

// A family is the functions of one type that are not known statically where
// they are called. Its record says which function it is, and holds what that
// captures.
type family struct {
	sig     *types.Signature
	members []*member
	// shared says that calls go through a function of the module, because they
	// are recursive or many; otherwise each tries the members in place.
	shared bool

	// For the attempt:
	record   *types.Named
	named    []*types.Named // records of named types of functions
	fields   []*types.Var
	known    int         // members that the record has fields for
	call     *ssair.Func // if shared
	entered  int         // calls that are being lifted in place
	expanded int         // statements in the calls that were
}

func (fam *family) begin() {
	fam.record, fam.named, fam.fields, fam.known, fam.call, fam.entered, fam.expanded = nil, nil, nil, len(fam.members), nil, 0, 0
}

// A member is a function that a record may be.
type member struct {
	key   string
	name  string
	doc   string   // where it is
	clos  *closure // as it was first met; only what is the same for all is used
	subst *subst
	info  *types.Info
	capt  []*capture
	shape shape        // of a loop body
	num   *types.Const // for the attempt: what says that a record is this function
}

// A capture is a variable that a function literal captures, or the receiver that
// a method value is bound to.
type capture struct {
	obj     *types.Var // nil for a receiver
	name    string
	typ     types.Type // as the source has it
	byValue bool       // the variable never changes
	control control    // of a loop body: what obj is not
	index   int
	field   int // of the record
}

// familyOf returns the family of functions of type t, or nil when they are known
// statically.
func (l *Lifter) familyOf(t types.Type) *family {
	switch u := t.(type) {
	case *types.Alias:
		return l.familyOf(types.Unalias(t))
	case *types.Pointer:
		if n, ok := u.Elem().(*types.Named); ok && l.raws[n.Obj()] != nil {
			return l.familyOf(n)
		}
	case *types.Named:
		for _, fam := range l.plan.families {
			if u == fam.record || slices.Contains(fam.named, u) {
				return fam
			}
		}
		if sig, ok := u.Underlying().(*types.Signature); ok {
			return l.familyOf(sig)
		}
	case *types.Signature:
		for _, fam := range l.plan.families {
			if types.Identical(fam.sig, u) {
				return fam
			}
		}
	}
	return nil
}

// dynamic returns the family of functions of type sig. If there is none yet, the
// attempt is abandoned.
func (l *Lifter) dynamic(sig *types.Signature) *family {
	fam := l.familyOf(sig)
	if fam == nil {
		l.plan.families = append(l.plan.families, &family{sig: sig})
		l.restart()
	}
	return fam
}

// recordOf returns the record that stands for functions of type sig, or nil.
func (l *Lifter) recordOf(sig *types.Signature) types.Type {
	if fam := l.familyOf(sig); fam != nil {
		return types.NewPointer(l.recordType(fam))
	}
	return nil
}

func (l *Lifter) recordType(fam *family) *types.Named {
	if fam.record == nil {
		fam.record = l.addType("Func", fmt.Sprintf("is a %s with what it captures.", l.spell(fam.sig)), token.NoPos, fam.sig)
	}
	return fam.record
}

// spell spells a type of functions, without the names of parameters.
func (l *Lifter) spell(sig *types.Signature) string {
	unnamed := func(t *types.Tuple) *types.Tuple {
		var vs []*types.Var
		for v := range t.Variables() {
			vs = append(vs, types.NewParam(v.Pos(), v.Pkg(), "", v.Type()))
		}
		return types.NewTuple(vs...)
	}
	sig = types.NewSignatureType(nil, nil, nil, unnamed(sig.Params()), unnamed(sig.Results()), sig.Variadic())
	return types.TypeString(sig, types.RelativeTo(l.Mod.Pkg))
}

// makeRecord makes the fields of a record: the number of the function, and what
// the functions capture. Functions share fields.
func (l *Lifter) makeRecord(fam *family) {
	l.recordType(fam)
	fam.fields = []*types.Var{types.NewField(token.NoPos, l.Mod.Pkg, "fn", ssair.Int, false)}
	for _, m := range fam.members {
		used := map[int]bool{0: true}
		for _, c := range m.capt {
			t := l.locals.typ(c.typ)
			if !c.byValue {
				t = types.NewPointer(t)
			}
			c.field = fam.fieldFor(l.Mod.Pkg, c.name, t, used)
			used[c.field] = true
		}
	}
	numbers := l.Mod.AddNumbers(fmt.Sprintf("Functions of type %s.", l.spell(fam.sig)))
	for _, m := range fam.members {
		m.num = l.Mod.AddNumber(numbers, l.typeName(m.name), m.doc, m.clos.pos())
	}
	s := types.NewStruct(fam.fields, nil)
	fam.record.SetUnderlying(s)
	for _, n := range fam.named {
		n.SetUnderlying(s)
	}
}

// fieldFor returns a field of the given type that is not in use, if possible one
// with the given name.
func (fam *family) fieldFor(pkg *types.Package, name string, t types.Type, used map[int]bool) int {
	taken := false
	for i, f := range fam.fields {
		if !used[i] && f.Name() == name && types.Identical(f.Type(), t) {
			return i
		}
		taken = taken || f.Name() == name
	}
	base := name
	for k := 1; taken; k++ {
		name = fmt.Sprintf("%s%d", base, k)
		taken = slices.ContainsFunc(fam.fields, func(f *types.Var) bool { return f.Name() == name })
	}
	fam.fields = append(fam.fields, types.NewField(token.NoPos, pkg, name, t, false))
	return len(fam.fields) - 1
}

// memberOf returns the number of the member that c is, counted from 1, and 0 if
// this attempt does not know it.
func (fr *frame) memberOf(fam *family, c *closure) int {
	key := fr.l.memberKey(c)
	for i, m := range fam.members {
		if m.key == key && i >= fam.known {
			return 0
		}
		if m.key == key {
			return i + 1
		}
	}
	m := &member{key: key, clos: c}
	if c.body != nil {
		m.subst, m.info = c.body.frame.subst, c.body.frame.info
		m.name = c.body.frame.declaring() + "Loop"
		m.doc = "the body of the loop at " + fr.l.line(c.body.stmt.Pos())
		m.capt, m.shape = c.body.captures(), c.body.shape()
	} else if c.lit != nil {
		m.subst, m.info = c.frame.subst, c.frame.info
		m.name = c.frame.declaring() + "Func"
		m.doc = fr.l.line(c.lit.Pos())
		m.capt = c.captures()
	} else {
		m.name, m.doc = c.fn.Name(), fr.l.describe(c.fn)
		if c.recv != nil {
			r := c.fn.Signature().Recv()
			name := r.Name()
			if name == "" || name == "_" {
				name = "recv"
			}
			m.capt = []*capture{{name: name, typ: fr.l.raw(c.recv.Type), byValue: true}}
		}
	}
	fam.members = append(fam.members, m)
	fr.l.stale = true
	return 0
}

// declaring returns the name of the declared function that fr is in.
func (fr *frame) declaring() string {
	f := fr
	for f.fn == nil && f.lexical != nil {
		f = f.lexical
	}
	return f.name
}

func (c *closure) pos() token.Pos {
	switch {
	case c.body != nil:
		return c.body.stmt.Pos()
	case c.lit != nil:
		return c.lit.Pos()
	}
	return c.fn.Pos()
}

// describe returns the name of a function for comments: math.Sin, Model.Loss.
func (l *Lifter) describe(fn *types.Func) string {
	name := fn.Name()
	if r := fn.Signature().Recv(); r != nil {
		name = recvName(r.Type()) + "." + name
	}
	if fn.Pkg() != nil && fn.Pkg() != l.Mod.Pkg {
		name = fn.Pkg().Name() + "." + name
	}
	return name
}

// line spells a position for comments.
func (l *Lifter) line(pos token.Pos) string {
	at := l.Mod.Fset.Position(pos)
	return fmt.Sprintf("%s:%d", filepath.Base(at.Filename), at.Line)
}

func (l *Lifter) memberKey(c *closure) string {
	if c.body != nil {
		return fmt.Sprintf("loop %p %s", c.body.stmt, l.typeArgs(c.body.frame))
	}
	if c.lit != nil {
		return fmt.Sprintf("lit %p %s", c.lit, l.typeArgs(c.frame))
	}
	key := "func " + l.key(c.fn, c.targs)
	if c.method != nil {
		key += " of " + c.method.Recv().String()
	}
	if c.recv != nil {
		key += " bound " + l.raw(c.recv.Type).String()
	}
	return key
}

// typeArgs spells the type arguments of an activation.
func (l *Lifter) typeArgs(fr *frame) string {
	if fr.subst == nil {
		return ""
	}
	var args []string
	for p, t := range fr.subst.m {
		args = append(args, fmt.Sprintf("%p=%s", p, l.locals.typ(t)))
	}
	slices.Sort(args)
	return strings.Join(args, ",")
}

// captures returns the variables around the literal that it uses, in the order in
// which it does.
func (c *closure) captures() []*capture {
	return c.frame.capturesIn(c.lit.Body, func(*types.Var) bool { return false })
}

// capturesIn returns the variables of fr, and of the frames around it, that n uses,
// but for those that are inside.
func (fr *frame) capturesIn(n ast.Node, inside func(*types.Var) bool) []*capture {
	var capt []*capture
	seen := map[*types.Var]bool{}
	ast.Inspect(n, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		obj, ok := fr.info.Uses[id].(*types.Var)
		if !ok || obj.IsField() || seen[obj] || inside(obj) {
			return true
		}
		for f := fr; f != nil; f = f.lexical {
			if _, ok := f.vars[obj]; ok {
				seen[obj] = true
				t := fr.subst.apply(obj.Type())
				capt = append(capt, &capture{obj: obj, name: obj.Name(), typ: t, byValue: f.settled(obj)})
				break
			}
		}
		return true
	})
	return capt
}

// record makes a record of type t, or of the plain record type if t is nil, of a
// function that is known statically.
func (fr *frame) record(node ast.Node, c *closure, t types.Type) *ssair.Value {
	if c.sig == nil {
		fr.refuse(node, "call the function where it is known", "cannot differentiate this function as a value")
	}
	fam := fr.l.dynamic(c.sig)
	if c.self != nil {
		c = fr.boundToRecord(node, c)
	}
	typ := fr.l.recordOf(fam.sig)
	if t != nil && fr.l.familyOf(t) == fam && !fr.l.replaced(t) {
		typ = t
	}
	if c.body != nil {
		if c.body.frame.root != fr.root {
			fr.refuse(node, "call yield in the function that the loop ranges over",
				"cannot differentiate an iterator that keeps or passes on its yield function as a value")
		}
		fr.l.bodies[c.body.stmt] = true
	}
	n := fr.memberOf(fam, c)
	if n == 0 {
		return fr.b.Zero(typ)
	}
	cell := fr.b.Alloc(ssair.Deref(typ), nil)
	cell.Def.Explicit = true
	set := func(field int, v *ssair.Value) {
		fr.b.Store(cell, []ssair.Step{ssair.Field(field)}, v).Safe = true
	}
	m := fam.members[n-1]
	if c.body != nil && !m.shape.equal(c.body.shape()) {
		m.shape, fr.l.stale = c.body.shape(), true
	}
	values := make([]*ssair.Value, len(m.capt))
	for i, k := range m.capt {
		if k.control != noControl {
			values[i] = c.body.cell(k)
		} else if k.obj == nil {
			values[i] = c.recv
		} else {
			values[i] = fr.capturedValue(node, c, k)
		}
	}
	set(0, fr.number(n, m))
	for i, k := range m.capt {
		set(k.field, values[i])
	}
	return fr.b.Conv(cell, typ)
}

// boundToRecord returns the method c, which is bound to a function, bound to its record:
// the record of a method holds what it is bound to.
func (fr *frame) boundToRecord(node ast.Node, c *closure) *closure {
	t := substFor(c.fn.Signature(), c.targs).apply(c.fn.Signature().Recv().Type())
	fr.l.dynamic(t.Underlying().(*types.Signature))
	d := *c
	d.recv, d.self = fr.need(node, val{clos: c.self, typ: fr.l.locals.typ(t)}), nil
	return &d
}

// number returns what says that a record is the member m, the n-th.
func (fr *frame) number(n int, m *member) *ssair.Value {
	v := fr.b.Int(n)
	v.Def.Obj = m.num
	return v
}

// capturedValue returns what a record of c holds of a variable: its value or its memory.
func (fr *frame) capturedValue(node ast.Node, c *closure, k *capture) *ssair.Value {
	var v *variable
	from := c.frame
	if c.body != nil {
		from = c.body.frame
	}
	for f := from; f != nil && v == nil; f = f.lexical {
		v = f.vars[k.obj]
	}
	typ := fr.l.locals.typ(k.typ)
	switch {
	case v.clos != nil && k.byValue:
		return fr.need(node, val{clos: v.clos, typ: typ})
	case k.byValue:
		return fr.b.Load(fr.reach(v).cell, nil)
	case v.clos == nil:
		if v.owner.root == fr.root {
			v.held = true
		}
		return fr.reach(v).cell
	}
	// It holds one function for ever, so a copy does. The function may refer
	// to itself through the variable.
	if cell := fr.root.copies[v]; cell != nil {
		return cell
	}
	cell := fr.b.Alloc(typ, &ssair.Var{Name: v.userName})
	if fr.root.copies == nil {
		fr.root.copies = map[*variable]*ssair.Value{}
	}
	fr.root.copies[v] = cell
	defer delete(fr.root.copies, v)
	fr.b.Store(cell, nil, fr.need(node, val{clos: v.clos, typ: typ}))
	return cell
}
