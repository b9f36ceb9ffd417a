package interp

import (
	"go/types"

	"github.com/quabla/quabla/ssair"
)

// clearAll compiles ClearAll.
func (c *compiler) clearAll(o *ssair.Op) code {
	d, t := c.slot(o.Args[0]), c.typ(o.Args[0])
	return func(fr *frame) {
		w := &zeroWalk{types: fr.m.types, seen: map[zeroed]bool{}, inPlace: fr, op: o}
		w.value(fr.s[d], t)
	}
}

// zeroLike compiles ZeroLike.
func (c *compiler) zeroLike(o *ssair.Op) code {
	r, x := c.slot(o.Result()), c.slot(o.Args[0])
	t, s := c.typ(o.Args[0]), c.typ(o.Result())
	return func(fr *frame) {
		z := &shadower{
			cloner: cloner{seen: map[*Cell]bool{}, maps: map[*Map]*Map{}, ifaces: map[*Iface]*Iface{}, funcs: map[*Closure]*Closure{}},
			types:  fr.m.types,
		}
		z.find(fr.s[x])
		z.join()
		fr.s[r] = z.shadow(fr.s[x], t, s)
	}
}

// A shadower makes shadows of values: it copies memory as a cloner does, with
// everything zero but references.
type shadower struct {
	cloner
	types *typeTable
}

// shadow returns the shadow, of type s, of v, which has the type t.
func (z *shadower) shadow(v Value, t, s *typ) Value {
	if !ssair.ReachesScalar(t.t) {
		return s.zero()
	}
	switch t.kind {
	case kindStruct, kindArray:
		parts := make(agg, v.Len())
		for i, p := range v.parts() {
			parts[i] = z.shadow(p, partType(t, i), partType(s, i))
		}
		return Value{r: parts}
	case kindPtr:
		if c := v.Pointer(); c != nil {
			r, i := z.place(c)
			z.make(r, i, t.elem, s.elem)
			return Value{r: &r.copies[i]}
		}
	case kindSlice:
		cells := v.cells()
		n, all := len(cells), cells[:cap(cells)]
		if len(all) == 0 {
			return v
		}
		r, at := z.place(&all[0])
		for i := range all {
			z.make(r, at+i, t.elem, s.elem)
		}
		return Value{r: r.copies[at : at+n : at+len(all)]}
	case kindMap:
		return z.entries(v, t, s)
	case kindIface:
		i := v.Iface()
		if i == nil || i.Type == nil {
			return Value{}
		}
		d := z.types.of(i.Type)
		x := z.shadow(i.Val, d, d)
		if ssair.IsRef(i.Type) {
			return MakeIface(i.Type, x)
		}
		c := new(Cell)
		initCell(c, d)
		store(c, d, x)
		return MakeIface(types.NewPointer(i.Type), Value{r: c})
	}
	return s.zero()
}

// make makes the shadow of a cell.
func (z *shadower) make(r *run, i int, t, s *typ) {
	if r.done[i] {
		return
	}
	r.done[i] = true
	src, dst := &r.cells[i], &r.copies[i]
	if len(src.kids) == 0 || t.kind != kindStruct && t.kind != kindArray {
		initCell(dst, s)
		if !t.hasParts() {
			dst.v = z.shadow(src.v, t, s)
		}
		return
	}
	kids, at := z.place(&src.kids[0])
	for k := range src.kids {
		z.make(kids, at+k, partType(t, k), partType(s, k))
	}
	dst.kids = kids.copies[at : at+len(src.kids) : at+len(src.kids)]
}

// entries returns the shadow of a map.
func (z *shadower) entries(v Value, t, s *typ) Value {
	m := v.Map()
	if m == nil {
		return Value{}
	}
	if z.maps[m] == nil {
		n := newMap()
		z.maps[m] = n
		for k, i := range m.index {
			n.index[k] = i
		}
		n.n = m.n
		for _, e := range m.order {
			if e.live {
				e.val = z.shadow(e.val, t.elem, s.elem)
			}
			n.order = append(n.order, e)
		}
	}
	return Value{r: z.maps[m]}
}
