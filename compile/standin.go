package compile

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"github.com/quabla/quabla/analyze"
	"github.com/quabla/quabla/diag"
	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// What is lifted knows the stand-ins of types only. Where a derived function begins, the
// values of these types that its caller passes are opened, and where it ends, those that
// it returns are closed: see ssair/lift/standin.go.

// standIn returns how values of the type of pointers t are opened, or nil.
func (e *env) standIn(t types.Type) *analyze.StandIn {
	p, ok := types.Unalias(t).(*types.Pointer)
	if !ok {
		return nil
	}
	n, ok := types.Unalias(p.Elem()).(*types.Named)
	if !ok {
		return nil
	}
	s := e.shippedFor(n.Obj().Pkg())
	if s == nil || s.standIns[n.Obj()] == nil || s.standIns[n.Obj()].Open == nil {
		return nil
	}
	return s.standIns[n.Obj()]
}

// opensAll reports whether the stand-ins among the parameters and results of f, the function
// of a request, can be opened and closed, and refuses others.
func (u *unit) opensAll(f *ssair.Func) bool {
	ok := true
	refuse := func(name string, t types.Type) {
		ok = false
		u.env.report(f.Pos, token.NoPos, diag.Error,
			fmt.Sprintf("cannot differentiate %s: which matrices %s holds, its type does not tell", f.Name, name),
			"pass them as *mat.Dense, *mat.VecDense, *mat.SymDense or *mat.TriDense, also in structs and slices")
	}
	for _, p := range f.Params {
		if !u.opens1(p.Type, nil) {
			refuse(p.Name(), p.Type)
		}
	}
	for i, r := range f.Results {
		if t := ssair.Deref(r.Type); u.lifter.HoldsOpened(r.Type) && (t == nil || u.lifter.Opened(t) == nil || !u.opens1(r.Type, nil)) {
			refuse(fmt.Sprintf("result %d", i), r.Type)
		}
	}
	return ok
}

// opens1 reports whether what a value of type t holds can be opened.
func (u *unit) opens1(t types.Type, seen []types.Type) bool {
	if !u.lifter.HoldsOpened(t) {
		return true
	}
	if slices.Contains(seen, t) {
		return false
	}
	seen = append(seen[:len(seen):len(seen)], t)
	switch v := t.Underlying().(type) {
	case *types.Pointer:
		if of := u.lifter.Opened(v.Elem()); of != nil {
			return u.env.standIn(types.NewPointer(of)) != nil
		}
		return u.opens1(v.Elem(), seen)
	case *types.Slice:
		return u.opens1(v.Elem(), seen)
	case *types.Array:
		return u.opens1(v.Elem(), seen)
	case *types.Struct:
		if u.lifter.Opened(t) != nil {
			return false
		}
		for f := range v.Fields() {
			if !u.opens1(f.Type(), seen) {
				return false
			}
		}
		return true
	}
	return false
}

// opened calls do with the numbers of x, a slice, if x points to a stand-in and is not nil.
func (c *checker) opened(x *ssair.Value, do func(x *ssair.Value)) bool {
	t := ssair.Deref(x.Type)
	if t == nil || c.u.lifter.Opened(t) == nil {
		return false
	}
	raw := t.Underlying().(*types.Struct).Field(0).Type().Underlying().(*types.Struct)
	c.ifNot(x, func() {
		for i := range raw.NumFields() {
			if isSlice(raw.Field(i).Type()) {
				do(c.b.Load(x, []ssair.Step{ssair.Field(0), ssair.Field(i)}))
			}
		}
	})
	return true
}

func isSlice(t types.Type) bool {
	_, ok := t.Underlying().(*types.Slice)
	return ok
}

// sameParts checks that the stand-in at d has the shape of that at p, and no other numbers
// than its own between its numbers, as a part of a larger matrix has. Of a shadow, what is
// no float is not known.
func (c *checker) sameParts(d, p *ssair.Value, dn, pn string) {
	t := ssair.Deref(p.Type)
	raw := t.Underlying().(*types.Struct).Field(0).Type().Underlying().(*types.Struct)
	field := map[string]*ssair.Value{}
	other := c.b.Bool(false)
	for i := range raw.NumFields() {
		path := []ssair.Step{ssair.Field(0), ssair.Field(i)}
		x, y := c.b.Load(d, path), c.b.Load(p, path)
		field[raw.Field(i).Name()] = x
		if isSlice(x.Type) {
			x, y = c.b.Len(x), c.b.Len(y)
		} else if c.shadows {
			continue
		}
		other = c.b.Bin(token.OR, other, c.b.Cmp(token.NEQ, x, y))
	}
	c.panicIf(other, fmt.Sprintf("%s and %s differ in their shapes or strides", dn, pn))
	var step, want *ssair.Value
	switch {
	case field["Inc"] != nil:
		step, want = field["Inc"], c.b.Int(1)
	case field["Cols"] != nil:
		step, want = field["Stride"], field["Cols"]
	default:
		step, want = field["Stride"], field["N"]
	}
	c.panicIf(c.b.Cmp(token.NEQ, step, want), fmt.Sprintf("%s is a part of a larger matrix", dn))
}

// keepsMatrices reports whether f leaves the matrices inside of its parameters where they
// are, and refuses it otherwise: the caller has copies of what leads to them. A parameter
// that is itself a matrix may get another size.
func (u *unit) keepsMatrices(f *ssair.Func) bool {
	var at *ssair.Op
	replaces := func(o *ssair.Op) bool {
		is := u.setsParts(o) || o.Kind != ssair.ClearAll && u.lifter.HoldsOpened(pass.StoredType(o))
		if is {
			at = o
		}
		return is
	}
	for i := range pass.WrittenWhere(f, replaces) {
		if t := ssair.Deref(f.Params[i].Type); t != nil && u.lifter.Opened(t) != nil {
			continue
		}
		u.env.report(at.Pos, token.NoPos, diag.Error,
			fmt.Sprintf("cannot differentiate %s: it may replace a matrix inside of %s, or give it another size", f.Name, f.Params[i].Name()),
			"copy numbers into the matrix, with Copy or Set, or compute in a matrix of its own")
		return false
	}
	return true
}

// setsParts reports whether o stores parts of a stand-in other than its numbers.
func (u *unit) setsParts(o *ssair.Op) bool {
	if o.Kind != ssair.Store {
		return false
	}
	t := ssair.Deref(o.Base().Type)
	return t != nil && u.lifter.Opened(t) != nil
}

// opens opens the parameters of the public function, and closes its results.
func (u *unit) opens() {
	sig := u.req.Derived
	o := u.opener(u.fn)
	at := 0
	if u.work != nil && slices.Contains(u.fn.Params, u.work.param) {
		at = slices.Index(u.fn.Params, u.work.param)
	}
	k, opened := 0, false
	for i, p := range u.fn.Params {
		if u.work != nil && i == at && p == u.work.param {
			continue
		}
		opened = opened || !types.Identical(p.Type, sig.All()[k].Type)
		o.param(u.fn, i, sig.All()[k])
		k++
	}
	for i, s := range sig.Results {
		if s.Role == analyze.PullbackFunc {
			o.pullback(s)
		} else {
			o.result(u.fn, i, s)
		}
	}
	if opened {
		pass.Simplify(u.fn) // what is compared may be the same part now
		pass.Dead(u.fn)
		pass.Spell(u.fn)
	}
}

// An opener changes functions so that they take and return types that have stand-ins.
type opener struct {
	u              *unit
	resized, wrote map[int]bool // the parameters of the function whose parts change, or anything
}

func (u *unit) opener(f *ssair.Func) *opener {
	return &opener{u, pass.WrittenWhere(f, u.setsParts), pass.Written(f)}
}

// param makes parameter i of f one of the type of its slot.
func (o *opener) param(f *ssair.Func, i int, slot analyze.Slot) {
	switch p := f.Params[i]; {
	case types.Identical(p.Type, slot.Type):
	case o.u.env.standIn(slot.Type) != nil:
		o.open(f, i, o.u.env.standIn(slot.Type), slot)
	case slot.Role == analyze.Batch:
		o.u.env.report(f.Pos, token.NoPos, diag.Error, fmt.Sprintf("cannot fill %s with matrices", slot.Name),
			"let the function return its numbers, or write a loop")
	default:
		o.convert(f, i, slot.Type)
	}
}

// result makes result i of f one of the type of its slot.
func (o *opener) result(f *ssair.Func, i int, slot analyze.Slot) {
	if types.Identical(f.Results[i].Type, slot.Type) {
		return
	}
	if in := o.u.env.standIn(slot.Type); in != nil {
		o.close(f, i, in, slot.Type)
	}
}

// pullback does for the function that a pullback returns what opens does.
func (o *opener) pullback(slot analyze.Slot) {
	o.u.fn.Body.Walk(func(x *ssair.Op) bool {
		if x.Kind == ssair.MakeClosure && x.Callee != nil && types.Identical(x.Result().Type, slot.Type) {
			back := o.u.opener(x.Callee)
			first := len(x.Callee.Params) - len(slot.Params)
			for i, s := range slot.Params {
				back.param(x.Callee, first+i, s)
			}
			for i, s := range slot.Results {
				back.result(x.Callee, i, s)
			}
		}
		return true
	})
}

// open makes parameter i of f one of the type that in stands for. What f reads of it comes
// from the method that gives its parts.
func (o *opener) open(f *ssair.Func, i int, in *analyze.StandIn, slot analyze.Slot) {
	p := f.Params[i]
	q := f.NewValue(slot.Type, p.Var)
	q.Home = p.Home
	f.Params[i] = q
	// Comparisons with nil are those of the parameter itself.
	uses := ssair.UsesIn(f.Body)
	var first *ssair.Op
	nils := false
	var loads []*ssair.Op
	whole := false // the stand-in itself is needed
	for _, at := range slices.Clone(f.Body.Ops) {
		walk(at, func(x *ssair.Op) bool {
			for k, a := range x.Args {
				if a != p {
					continue
				}
				switch {
				case x.Kind == ssair.Cmp:
					x.Args[k] = q
					y := x.Args[1-k]
					b := ssair.NewBuilder(x.Parent)
					b.Before = x
					if y.Def != nil && y.Def.Kind == ssair.Zero {
						x.Args[1-k] = b.Zero(q.Type)
					}
					nils = nils || !panicsOnNil(x, uses)
					continue
				case x.Kind == ssair.Load && k == 0 && len(x.Path) > 0:
					loads = append(loads, x)
				default:
					whole = true
				}
				if first == nil {
					first = at
					nils = nils || len(at.Regions) > 0 // it may be nil where that does not run
				}
			}
			return true
		})
	}
	if first == nil {
		return
	}
	b := ssair.NewBuilder(f.Body)
	b.Before, b.Safe, b.Pos = first, true, f.Pos
	raw := o.parts(b, q, in, nils)
	repl := map[*ssair.Value]*ssair.Value{}
	if whole {
		cell := b.Alloc(ssair.Deref(p.Type), nil)
		b.Store(cell, []ssair.Step{ssair.Field(0)}, raw)
		repl[p] = cell
		if o.resized[i] {
			o.putBack(f, q, cell, in)
		}
	}
	fields := map[field]*ssair.Value{}
	for _, l := range loads {
		lb := ssair.NewBuilder(l.Parent)
		lb.Before, lb.Safe, lb.Pos = l, true, l.Pos
		repl[l.Result()] = part(lb, raw, l, func(v *ssair.Value, i int) *ssair.Value {
			x := fields[field{v, i}]
			if x == nil {
				x = b.Extract(v, i)
				fields[field{v, i}] = x
			}
			return x
		})
	}
	for _, l := range loads {
		l.Remove()
	}
	f.Body.ReplaceAll(repl)
}

// panicsOnNil reports whether all that a comparison with nil is for is to panic.
func panicsOnNil(cmp *ssair.Op, uses map[*ssair.Value][]ssair.Use) bool {
	arm := 0
	if cmp.Tok == token.NEQ {
		arm = 1
	}
	for _, u := range uses[cmp.Result()] {
		if u.Op.Kind != ssair.If || u.Op.Regions[arm].Term().Kind != ssair.Unreachable {
			return false
		}
	}
	return true
}

// walk visits an op and those inside of it.
func walk(o *ssair.Op, visit func(*ssair.Op) bool) {
	if visit(o) {
		for _, r := range o.Regions {
			r.Walk(visit)
		}
	}
}

// parts is the call of the method that gives the parts of q.
func (o *opener) parts(b *ssair.Builder, q *ssair.Value, in *analyze.StandIn, nils bool) *ssair.Value {
	get := func(b *ssair.Builder) *ssair.Value {
		call := b.Op(ssair.Opaque, []*ssair.Value{q}, in.Open.Signature().Results().At(0).Type())
		call.Obj = in.Open
		call.Result().Var = &ssair.Var{Name: q.Name() + "Raw"}
		return call.Result()
	}
	if !nils {
		return get(b)
	}
	op := b.If(b.Cmp(token.NEQ, q, b.Zero(q.Type)))
	then := b.At(op.Regions[0])
	v := get(then)
	then.Yield(v)
	els := b.At(op.Regions[1])
	els.Yield(els.Zero(v.Type))
	return op.AddResult(v.Type, v.Var)
}

// A field is one of an aggregate.
type field struct {
	of    *ssair.Value
	index int
}

// part is what the load l reads, where raw are the parts of what it reads from.
func part(b *ssair.Builder, raw *ssair.Value, l *ssair.Op, extract func(v *ssair.Value, field int) *ssair.Value) *ssair.Value {
	v := raw
	path, idx := l.Path[1:], l.Indices()
	for len(path) > 0 && path[0].IsField() {
		v = extract(v, path[0].Field)
		path = path[1:]
	}
	if len(path) == 0 {
		return v
	}
	x := b.Load(v, path, idx...)
	x.Def.Safe = l.Safe
	return x
}

// putBack gives q the parts of the stand-in at cell when f returns: it may be another
// matrix then.
func (o *opener) putBack(f *ssair.Func, q, cell *ssair.Value, in *analyze.StandIn) {
	t := f.Body.Term()
	if t.Kind != ssair.Return {
		return
	}
	b := ssair.NewBuilder(f.Body)
	b.Before, b.Pos = t, f.Pos
	o.set(b, q, b.Load(cell, []ssair.Step{ssair.Field(0)}), in)
}

func (o *opener) set(b *ssair.Builder, q, raw *ssair.Value, in *analyze.StandIn) {
	m, _, _ := types.LookupFieldOrMethod(q.Type, true, in.For.Pkg(), "Set"+in.Open.Name())
	call := b.Op(ssair.Opaque, []*ssair.Value{q, raw})
	call.Obj = m.(*types.Func)
}

// close makes result i of f one of the type t, which in stands for.
func (o *opener) close(f *ssair.Func, i int, in *analyze.StandIn, t types.Type) {
	f.Results[i].Type = t
	ret := f.Body.Term()
	if ret.Kind != ssair.Return {
		return
	}
	b := ssair.NewBuilder(f.Body)
	b.Before, b.Pos = ret, f.Pos
	r := ret.Args[i]
	made := func(b *ssair.Builder) *ssair.Value {
		m := b.Alloc(ssair.Deref(t), r.Var)
		o.set(b, m, b.Load(r, []ssair.Step{ssair.Field(0)}), in)
		return m
	}
	if r.Def != nil && r.Def.Kind == ssair.Alloc {
		ret.Args[i] = made(b)
		return
	}
	ret.Args[i] = o.unlessNil(b, r, t, made)
}

// convert makes parameter i of f one of type t, which holds values that have stand-ins:
// these are opened in a copy of what is around them, from which the rest is put back in
// the end.
func (o *opener) convert(f *ssair.Func, i int, t types.Type) {
	p := f.Params[i]
	if len(f.Body.Ops) == 0 {
		return
	}
	q := f.NewValue(t, p.Var)
	q.Home = p.Home
	f.Params[i] = q
	b := ssair.NewBuilder(f.Body)
	b.Before, b.Safe, b.Pos = f.Body.Ops[0], true, f.Pos
	v := o.in(b, q, p.Type)
	f.Body.ReplaceAll(map[*ssair.Value]*ssair.Value{p: v})
	if ret := f.Body.Term(); ret.Kind == ssair.Return && o.wrote[i] {
		b = ssair.NewBuilder(f.Body)
		b.Before, b.Safe, b.Pos = ret, true, f.Pos
		o.out(b, q, v)
	}
}

// in returns x as a value of type t, in which stand-ins have the place of what they stand for.
func (o *opener) in(b *ssair.Builder, x *ssair.Value, t types.Type) *ssair.Value {
	if types.Identical(x.Type, t) {
		return x
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return o.unlessNil(b, x, t, func(b *ssair.Builder) *ssair.Value {
			cell := b.Alloc(u.Elem(), nil)
			cell.Def.Explicit = true
			if in := o.u.env.standIn(x.Type); in != nil {
				b.Store(cell, []ssair.Step{ssair.Field(0)}, o.parts(b, x, in, false))
			} else {
				b.Store(cell, nil, o.in(b, b.Load(x, nil), u.Elem()))
			}
			return cell
		})
	case *types.Slice:
		return o.unlessNil(b, x, t, func(b *ssair.Builder) *ssair.Value {
			s := b.MakeSlice(t, b.Len(x), nil)
			b.Each(b.Len(x), "i", func(i *ssair.Value) {
				b.Store(s, []ssair.Step{ssair.Elem}, o.in(b, b.Load(x, []ssair.Step{ssair.Elem}, i), u.Elem()), i)
			})
			return s
		})
	case *types.Struct:
		parts := make([]*ssair.Value, u.NumFields())
		for i := range parts {
			parts[i] = o.in(b, b.Extract(x, i), u.Field(i).Type())
		}
		return b.Build(t, parts...)
	case *types.Array:
		parts := make([]*ssair.Value, u.Len())
		for i := range parts {
			parts[i] = o.in(b, b.Extract(x, i), u.Elem())
		}
		return b.Build(t, parts...)
	}
	panic("compile: a stand-in in a " + t.String())
}

// unlessNil returns what then does if x is not nil.
func (o *opener) unlessNil(b *ssair.Builder, x *ssair.Value, t types.Type, then func(b *ssair.Builder) *ssair.Value) *ssair.Value {
	op := b.If(b.Cmp(token.NEQ, x, b.Zero(x.Type)))
	arm := b.At(op.Regions[0])
	v := then(arm)
	arm.Yield(v)
	els := b.At(op.Regions[1])
	els.Yield(els.Zero(t))
	return op.AddResult(t, x.Var)
}

// out puts back what references lead to in y, which in made of x. Functions that replace
// matrices there have been refused.
func (o *opener) out(b *ssair.Builder, x, y *ssair.Value) {
	if types.Identical(x.Type, y.Type) || o.u.env.standIn(x.Type) != nil {
		return
	}
	ifNot := func(do func(b *ssair.Builder)) {
		op := b.If(b.Cmp(token.NEQ, x, b.Zero(x.Type)))
		arm := b.At(op.Regions[0])
		do(arm)
		arm.Yield()
		b.At(op.Regions[1]).Yield()
	}
	switch t := y.Type.Underlying().(type) {
	case *types.Pointer:
		ifNot(func(b *ssair.Builder) { o.outAt(b, x, y, nil, nil, t.Elem()) })
	case *types.Slice:
		if o.u.env.standIn(ssair.ElemType(x.Type)) != nil {
			return
		}
		ifNot(func(b *ssair.Builder) {
			b.Each(b.Len(x), "i", func(i *ssair.Value) {
				o.outAt(b, x, y, []ssair.Step{ssair.Elem}, []*ssair.Value{i}, t.Elem())
			})
		})
	case *types.Struct:
		for i := range t.NumFields() {
			o.out(b, b.Extract(x, i), b.Extract(y, i))
		}
	case *types.Array:
		for i := range int(t.Len()) {
			o.out(b, b.Extract(x, i), b.Extract(y, i))
		}
	}
}

// outAt is out for a place of type t behind x and y.
func (o *opener) outAt(b *ssair.Builder, x, y *ssair.Value, path []ssair.Step, idx []*ssair.Value, t types.Type) {
	if !o.u.lifter.HoldsOpened(t) {
		b.Store(x, path, b.Load(y, path, idx...), idx...)
		return
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		if o.u.lifter.Opened(t) != nil {
			return
		}
		for i := range u.NumFields() {
			o.outAt(b, x, y, append(path[:len(path):len(path)], ssair.Field(i)), idx, u.Field(i).Type())
		}
	case *types.Array:
		for i := range int(u.Len()) {
			o.outAt(b, x, y, append(path[:len(path):len(path)], ssair.Elem), append(idx[:len(idx):len(idx)], b.Int(i)), u.Elem())
		}
	default:
		o.out(b, b.Load(x, path, idx...), b.Load(y, path, idx...))
	}
}
