package interp

import (
	"github.com/quabla/quabla/ssair"
)

// A step is one step of a compiled path.
type step struct {
	field  int // or -1 for an element
	index  int // slot of the index
	signed bool
}

// place compiles the place that a memory op works on.
func (c *compiler) place(o *ssair.Op) func(fr *frame) *Cell {
	base := c.slot(o.Base())
	t := c.typ(o.Base())
	indices := o.Indices()
	var steps []step
	for _, s := range o.Path {
		st := step{field: s.Field}
		if !s.IsField() {
			st.index, st.signed = c.slot(indices[0]), c.typ(indices[0]).kind == kindInt
			indices = indices[1:]
		}
		steps = append(steps, st)
	}
	if t.kind == kindPtr {
		return c.placeInPointer(o, base, steps)
	}
	if t.kind != kindSlice || len(steps) == 0 {
		return func(fr *frame) *Cell {
			fr.m.unsupported(o, "a place in a %s", t)
			return nil
		}
	}
	if first := steps[0]; len(steps) == 1 && first.signed {
		i := first.index
		return func(fr *frame) *Cell {
			cells, _ := fr.s[base].r.([]Cell)
			n := fr.s[i].n
			if n >= uint64(len(cells)) {
				fr.m.indexError(o, n, true, len(cells))
			}
			return &cells[n]
		}
	}
	return func(fr *frame) *Cell {
		c := element(fr, o, fr.s[base].cells(), steps[0])
		return walk(fr, o, c, steps[1:])
	}
}

func (c *compiler) placeInPointer(o *ssair.Op, base int, steps []step) func(fr *frame) *Cell {
	return func(fr *frame) *Cell {
		c, _ := fr.s[base].r.(*Cell)
		if c == nil {
			fr.m.throw(o, nilDereference)
		}
		if len(steps) == 0 {
			return c
		}
		return walk(fr, o, c, steps)
	}
}

// walk follows steps from c.
func walk(fr *frame, o *ssair.Op, c *Cell, steps []step) *Cell {
	for _, s := range steps {
		if s.field < 0 {
			c = element(fr, o, c.kids, s)
			continue
		}
		if s.field >= len(c.kids) {
			fr.m.unsupported(o, "a field of a value of the standard library")
		}
		c = &c.kids[s.field]
	}
	return c
}

func element(fr *frame, o *ssair.Op, cells []Cell, s step) *Cell {
	n := fr.s[s.index].n
	if n >= uint64(len(cells)) {
		fr.m.indexError(o, n, s.signed, len(cells))
	}
	return &cells[n]
}

// indexError panics as an index that is out of range does.
func (m *Machine) indexError(o *ssair.Op, n uint64, signed bool, length int) {
	if signed && int64(n) < 0 {
		m.throw(o, "runtime error: index out of range [%d]", int64(n))
	}
	m.throw(o, "runtime error: index out of range [%d] with length %d", n, length)
}

func (c *compiler) alloc(o *ssair.Op) code {
	r, t := c.slot(o.Result()), c.m.types.of(o.Type)
	return func(fr *frame) {
		fr.m.alloc(o, t, 1)
		cell := new(Cell)
		initCell(cell, t)
		fr.s[r] = Value{r: cell}
	}
}

func (c *compiler) addr(o *ssair.Op) code {
	r, place := c.slot(o.Result()), c.place(o)
	return func(fr *frame) { fr.s[r] = Value{r: place(fr)} }
}

func (c *compiler) load(o *ssair.Op) code {
	r, place, t := c.slot(o.Result()), c.place(o), c.typ(o.Result())
	if t.hasParts() {
		return func(fr *frame) { fr.s[r] = load(place(fr), t) }
	}
	return func(fr *frame) { fr.s[r] = place(fr).v }
}

func (c *compiler) store(o *ssair.Op) code {
	x, place, t := c.slot(o.Stored()), c.place(o), c.typ(o.Stored())
	if t.hasParts() {
		return func(fr *frame) { store(place(fr), t, fr.s[x]) }
	}
	return func(fr *frame) { place(fr).v = fr.s[x] }
}

func (c *compiler) accum(o *ssair.Op) code {
	x, place, t := c.slot(o.Stored()), c.place(o), c.typ(o.Stored())
	sum := add(t)
	if sum == nil {
		return c.unsupported(o, "+= on "+t.String())
	}
	if t.hasParts() {
		return func(fr *frame) {
			p := place(fr)
			store(p, t, sum(load(p, t), fr.s[x]))
		}
	}
	return func(fr *frame) {
		p := place(fr)
		p.v = sum(p.v, fr.s[x])
	}
}

func (c *compiler) global(o *ssair.Op) code {
	r := c.slot(o.Result())
	return func(fr *frame) { fr.s[r] = Value{r: fr.m.Global(o.Obj)} }
}

// build compiles the making of a struct or array from its parts.
func (c *compiler) build(o *ssair.Op) code {
	r, args := c.slot(o.Result()), c.slotsOf(o.Args)
	if t := c.typ(o.Result()); t.kind != kindStruct && t.kind != kindArray {
		return c.unsupported(o, "a "+t.String()+" made of parts")
	}
	return func(fr *frame) {
		parts := make(agg, len(args))
		for i, a := range args {
			parts[i] = fr.s[a]
		}
		fr.s[r] = Value{r: parts}
	}
}

// extract compiles the selection of a part. All steps are numbers, those of
// elements too.
func (c *compiler) extract(o *ssair.Op) code {
	r, x := c.slot(o.Result()), c.slot(o.Args[0])
	for _, s := range o.Path {
		if !s.IsField() {
			return c.unsupported(o, "an index operand of extract")
		}
	}
	return func(fr *frame) {
		v := fr.s[x]
		for _, s := range o.Path {
			parts, ok := v.r.(agg)
			if !ok {
				fr.m.unsupported(o, "a field of a value of the standard library")
			}
			v = parts[s.Field]
		}
		fr.s[r] = v
	}
}
