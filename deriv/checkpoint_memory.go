package deriv

import (
	"go/token"
	"go/types"

	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// A keeper says what memory to keep of that which the references of a loop reach.
type keeper struct {
	refs  []ref
	parts []*part // by reference
	sites []*site
	full  bool // slices up to their capacity
}

// A ref is a reference that a loop finds: one from outside, or one that it carries.
type ref struct {
	value   *ssair.Value // of the function
	carried int          // -1 for one from outside
}

// A part is a reference, or an aggregate with some, below which there is memory to
// keep.
type part struct {
	typ   types.Type
	site  *site // what it points to, nil if that is not kept
	index int   // field or element of the aggregate around it
	inner []*part
}

// A site is memory that is kept: the elements of slices or what pointers point to.
type site struct {
	name  string
	elem  types.Type
	slice bool
	row   bool // there are many, in the elements of a slice
	local bool // nobody sees it but the function
}

// value reports whether the site is one value, which a snapshot holds itself.
func (t *site) value() bool { return !t.slice && !t.row }

// append adds what ref points to to the bank in a cell.
func (t *site) append(b *ssair.Builder, bank, ref *ssair.Value) {
	old := b.Load(bank, nil)
	var o *ssair.Op
	if t.slice {
		o = b.Op(ssair.AppendSlice, []*ssair.Value{old, ref}, old.Type)
	} else {
		o = b.Op(ssair.Append, []*ssair.Value{old, b.Load(ref, nil)}, old.Type)
	}
	o.Text = tapeMark
	b.Store(bank, nil, o.Result())
}

// planMemory finds out what memory of the loop o has to be kept.
func (s *reverseSweep) planMemory(o *ssair.Op, k *checkpoint) {
	a := s.findAccesses(o)
	k.skip = map[*ssair.Op]bool{}
	for _, w := range a.writes {
		if a.skippable(w) && len(a.among(a.reads, w.roots, w.typ)) == 0 {
			k.skip[w.op] = true
		}
	}
	k.mem = s.newKeeper(o, a, a.changing)
	k.still = s.newKeeper(o, a, a.unstable)
	s.ownCopies(k)
}

// ownCopies copies what references from outside of the loop reach, if the loop writes
// none of it.
func (s *reverseSweep) ownCopies(k *checkpoint) {
	written := map[*ssair.Value]bool{}
	for _, r := range k.mem.refs {
		written[r.value] = true
	}
	rest := &keeper{full: k.still.full}
	for i, r := range k.still.refs {
		if r.carried >= 0 || written[r.value] || rest.full || !duplicable(r.value.Type, nil) {
			rest.refs = append(rest.refs, r)
			rest.parts = append(rest.parts, k.still.parts[i])
			k.still.parts[i].eachSite(func(t *site) { rest.sites = append(rest.sites, t) })
			continue
		}
		k.own[r.value] = duplicate(s.b, s.m.Get(r.value), s.f)
		k.own[r.value].Var = &ssair.Var{Name: r.value.Name() + "Entry"}
	}
	k.still = rest
}

// duplicable reports whether values of type t can be duplicated.
func duplicable(t types.Type, seen []types.Type) bool {
	if !ssair.HoldsRef(t) {
		return true
	}
	for _, u := range seen {
		if types.Identical(u, t) {
			return false
		}
	}
	seen = append(seen, t)
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return duplicable(u.Elem(), seen)
	case *types.Pointer:
		return duplicable(u.Elem(), seen)
	case *types.Array:
		return duplicable(u.Elem(), seen)
	case *types.Struct:
		for f := range u.Fields() {
			if !duplicable(f.Type(), seen) {
				return false
			}
		}
		return true
	}
	return false
}

// eachSite visits the sites of q.
func (q *part) eachSite(visit func(*site)) {
	if q.site != nil {
		visit(q.site)
	}
	for _, in := range q.inner {
		in.eachSite(visit)
	}
}

// newKeeper plans what to keep of the memory that the loop o finds, where need says
// so.
func (s *reverseSweep) newKeeper(o *ssair.Op, a *accesses, need func(pass.RootSet, types.Type) bool) *keeper {
	m := &keeper{full: needsCap(s.f)}
	p := &planner{s: s, o: o, a: a, m: m, need: need}
	add := func(v *ssair.Value, carried int) {
		if q := p.part(v.Name(), v.Type, s.act.al.Pts(v), nil); q != nil {
			m.refs = append(m.refs, ref{v, carried})
			m.parts = append(m.parts, q)
		}
	}
	for _, v := range freeRefs(o) {
		add(v, -1)
	}
	for i, v := range o.BodyRegion().Params {
		if ssair.HoldsRef(v.Type) {
			add(v, i)
		}
	}
	return m
}

// freeRefs returns the references and aggregates with references from outside of the
// loop o that its trips use, in order of use.
func freeRefs(o *ssair.Op) []*ssair.Value {
	var out []*ssair.Value
	seen := map[*ssair.Value]bool{}
	for _, r := range o.Regions[1:] {
		r.Walk(func(x *ssair.Op) bool {
			for _, v := range x.Args {
				if v == nil || seen[v] || !ssair.HoldsRef(v.Type) {
					continue
				}
				seen[v] = true
				if at := v.Region(); at == nil || !o.BodyRegion().Contains(at) && !o.Post().Contains(at) {
					out = append(out, v)
				}
			}
			return true
		})
	}
	return out
}

// A planner builds the parts of a keeper.
type planner struct {
	s    *reverseSweep
	o    *ssair.Op
	a    *accesses
	m    *keeper
	need func(pass.RootSet, types.Type) bool
}

// part plans what to keep below a value of type t whose references point to roots.
// It returns nil if there is nothing.
func (p *planner) part(name string, t types.Type, roots pass.RootSet, seen []types.Type) *part {
	if !ssair.HoldsRef(t) || len(roots) == 0 || !p.reaches(roots) {
		return nil
	}
	for _, u := range seen {
		if types.Identical(u, t) {
			p.cannot(name, t)
		}
	}
	seen = append(seen, t)
	q := &part{typ: t}
	switch u := t.Underlying().(type) {
	case *types.Slice:
		q.site = p.site(name, u.Elem(), roots, true, len(seen) > 1 && p.inSlice(seen))
		if in := p.part(name+"Row", u.Elem(), p.contents(roots), seen); in != nil {
			q.inner = []*part{in}
		}
	case *types.Pointer:
		q.site = p.site(name, u.Elem(), roots, false, p.inSlice(seen))
		if in := p.part(name, u.Elem(), p.contents(roots), seen); in != nil {
			q.inner = []*part{in}
		}
	case *types.Struct:
		for i := range u.NumFields() {
			if in := p.part(name+upperFirst(u.Field(i).Name()), u.Field(i).Type(), roots, seen); in != nil {
				in.index = i
				q.inner = append(q.inner, in)
			}
		}
	case *types.Array:
		for i := range int(u.Len()) {
			if in := p.part(name, u.Elem(), roots, seen); in != nil {
				in.index = i
				q.inner = append(q.inner, in)
			}
		}
	default:
		p.cannot(name, t)
	}
	if q.site == nil && len(q.inner) == 0 {
		return nil
	}
	return q
}

// inSlice reports whether one of the types around the last one is a slice.
func (p *planner) inSlice(seen []types.Type) bool {
	for _, t := range seen[:len(seen)-1] {
		if _, ok := t.Underlying().(*types.Slice); ok {
			return true
		}
	}
	return false
}

func (p *planner) contents(roots pass.RootSet) pass.RootSet {
	out := pass.RootSet{}
	for r := range roots {
		for c := range p.s.act.al.Contents(r) {
			out[c] = true
		}
	}
	return out
}

// reaches reports whether something that is reached from roots has to be kept.
func (p *planner) reaches(roots pass.RootSet) bool {
	for r := range p.s.act.al.Reach(roots) {
		if p.need(pass.RootSet{r: true}, nil) {
			return true
		}
	}
	return false
}

func (p *planner) site(name string, elem types.Type, roots pass.RootSet, slice, row bool) *site {
	if !p.need(roots, elem) {
		return nil
	}
	if name == "" {
		name = "state"
	}
	t := &site{name: name, elem: elem, slice: slice, row: row, local: true}
	for r := range roots {
		t.local = t.local && r.Local()
	}
	if ssair.RefersToScalar(elem) {
		for _, w := range p.a.among(p.a.writes, roots, elem) {
			if w.typ == nil || ssair.HoldsRef(w.typ) {
				refuse(w.op.Pos, "copy the numbers instead, keep the references in variables of their own, or leave out quabla:checkpoint",
					"cannot replay this loop: it replaces references inside of %s", name)
			}
		}
	}
	p.m.sites = append(p.m.sites, t)
	return t
}

func (p *planner) cannot(name string, t types.Type) {
	what := "cannot replay this loop: it changes memory"
	if name != "" {
		what += " behind " + name
	}
	refuse(p.o.Pos, "keep the state in variables, slices and structs, or leave out quabla:checkpoint",
		what+", of type %s, of which no snapshot can be taken", types.TypeString(t, types.RelativeTo(p.s.t.mod.Pkg)))
}

// walk visits the sites below refs. The builder is where they are.
func (m *keeper) walk(b *ssair.Builder, refs []*ssair.Value, visit func(b *ssair.Builder, t *site, ref *ssair.Value)) {
	for i, q := range m.parts {
		m.below(b, q, refs[i], nil, visit)
	}
}

// below visits the sites of q, which is the value v or what is at a place in memory.
func (m *keeper) below(b *ssair.Builder, q *part, v *ssair.Value, at *spot, visit func(*ssair.Builder, *site, *ssair.Value)) {
	get := func() *ssair.Value {
		if at != nil {
			return at.load(b)
		}
		return v
	}
	switch q.typ.Underlying().(type) {
	case *types.Struct, *types.Array:
		_, isArray := q.typ.Underlying().(*types.Array)
		for _, in := range q.inner {
			if at == nil {
				m.below(b, in, b.Extract(v, in.index), nil, visit)
				continue
			}
			p := at.field(in.index)
			if isArray {
				p = at.elem(b.Int(in.index))
			}
			m.below(b, in, nil, &p, visit)
		}
	case *types.Slice:
		x := get()
		if q.site != nil {
			view := x
			if m.full {
				view = b.Slice(x, nil, b.Cap(x), nil)
			}
			visit(b, q.site, view)
		}
		for _, in := range q.inner {
			b.Each(b.Len(x), "i", func(i *ssair.Value) {
				p := spot{base: x}.elem(i)
				m.below(b, in, nil, &p, visit)
			})
		}
	case *types.Pointer:
		x := get()
		inside := func(b *ssair.Builder) {
			if q.site != nil {
				visit(b, q.site, x)
			}
			for _, in := range q.inner {
				m.below(b, in, nil, &spot{base: x}, visit)
			}
		}
		if d := x.Def; d != nil && d.Kind == ssair.Alloc {
			inside(b)
			return
		}
		when(b, b.Cmp(token.NEQ, x, b.Zero(x.Type)), inside)
	}
}

// restore puts contents back below refs. at holds, for a site that is a value, the
// value, and for another one where its contents begin in its bank.
func (m *keeper) restore(b *ssair.Builder, refs []*ssair.Value, at, banks map[*site]*ssair.Value) {
	pos := map[*site]*ssair.Value{}
	for _, t := range m.sites {
		if t.row {
			pos[t] = b.Alloc(ssair.Int, &ssair.Var{Name: t.name + "At"})
			b.Store(pos[t], nil, at[t])
		}
	}
	m.walk(b, refs, func(b *ssair.Builder, t *site, ref *ssair.Value) {
		switch {
		case t.value():
			b.Store(ref, nil, at[t])
		case !t.row:
			b.Op(ssair.Copy, []*ssair.Value{ref, b.Slice(b.Load(banks[t], nil), at[t], nil, nil)}, ssair.Int)
		default:
			i := b.Load(pos[t], nil)
			n := b.Int(1)
			if t.slice {
				n = b.Op(ssair.Copy, []*ssair.Value{ref, b.Slice(b.Load(banks[t], nil), i, nil, nil)}, ssair.Int).Result()
			} else {
				b.Store(ref, nil, b.Load(b.Load(banks[t], nil), elem(), i))
			}
			b.Store(pos[t], nil, b.Bin(token.ADD, i, n))
		}
	})
}

// copies holds one copy of the memory of a keeper.
type copies struct {
	m    *keeper
	refs []*ssair.Value
	at   map[*site]*ssair.Value
	bank map[*site]*ssair.Value // values, not cells
}

// copyOf copies the memory of m below refs. when ends the names of the copies.
func (s *reverseSweep) copyOf(m *keeper, refs []*ssair.Value, when string) *copies {
	b := s.b
	c := &copies{m, refs, map[*site]*ssair.Value{}, map[*site]*ssair.Value{}}
	cells := map[*site]*ssair.Value{}
	for _, t := range m.sites {
		typ := t.elem
		if !t.value() {
			typ = types.NewSlice(t.elem)
		}
		cells[t] = b.Alloc(typ, &ssair.Var{Name: t.name + when})
		if t.row {
			z := b.Zero(typ)
			z.Def.Text = tapeMark
			b.Store(cells[t], nil, z)
		}
	}
	m.walk(b, refs, func(b *ssair.Builder, t *site, ref *ssair.Value) {
		switch {
		case t.value():
			b.Store(cells[t], nil, b.Load(ref, nil))
		case t.row:
			t.append(b, cells[t], ref)
		default:
			kept := b.MakeSlice(types.NewSlice(t.elem), b.Len(ref), nil)
			kept.Def.Text = tapeMark
			b.Op(ssair.Copy, []*ssair.Value{kept, ref}, ssair.Int)
			b.Store(cells[t], nil, kept)
		}
	})
	for _, t := range m.sites {
		v := b.Load(cells[t], nil)
		v.Var = &ssair.Var{Name: t.name + when}
		if t.value() {
			c.at[t] = v
		} else {
			c.bank[t] = v
		}
	}
	return c
}

// restore puts the copy back.
func (c *copies) restore(s *reverseSweep, refs []*ssair.Value) {
	b := s.b
	at, cells := map[*site]*ssair.Value{}, map[*site]*ssair.Value{}
	for _, t := range c.m.sites {
		if t.value() {
			at[t] = c.at[t]
			continue
		}
		at[t] = b.Int(0)
		cells[t] = b.Alloc(c.bank[t].Type, c.bank[t].Var)
		b.Store(cells[t], nil, c.bank[t])
	}
	c.m.restore(b, refs, at, cells)
}

// seen returns the part of m that others see once the function has returned, or all
// of it when the reverse sweep may run again.
func (m *keeper) seen(all bool) *keeper {
	n := &keeper{full: m.full}
	for i, q := range m.parts {
		if q = q.seen(all, n); q != nil {
			n.parts = append(n.parts, q)
			n.refs = append(n.refs, m.refs[i])
		}
	}
	return n
}

func (q *part) seen(all bool, n *keeper) *part {
	c := &part{typ: q.typ, index: q.index}
	if q.site != nil && (all || !q.site.local) {
		c.site = q.site
		n.sites = append(n.sites, q.site)
	}
	for _, in := range q.inner {
		if in = in.seen(all, n); in != nil {
			c.inner = append(c.inner, in)
		}
	}
	if c.site == nil && len(c.inner) == 0 {
		return nil
	}
	return c
}
