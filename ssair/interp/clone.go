package interp

import (
	"bytes"
	"cmp"
	"go/types"
	"reflect"
	"slices"
	"strings"
	"time"
	"unsafe"

	"github.com/quabla/quabla/ssair"
)

// Clone returns a copy of v and of all memory that can be reached from it,
// which shares among itself what the original shares.
func Clone(v Value) Value { return CloneAll(v)[0] }

// CloneAll copies several values; what they share, their copies share. Objects
// of the standard library that have a state, such as a random generator, are
// not copied.
func CloneAll(vs ...Value) []Value {
	c := &cloner{seen: map[*Cell]bool{}, maps: map[*Map]*Map{}, ifaces: map[*Iface]*Iface{}, funcs: map[*Closure]*Closure{}}
	for _, v := range vs {
		c.find(v)
	}
	c.join()
	out := make([]Value, len(vs))
	for i, v := range vs {
		out[i] = c.value(v)
	}
	return out
}

// A cloner copies memory. Cells lie in Go arrays, and a reference may lead to
// any part of one, so the arrays are found first: each is a run of cells, and
// runs that overlap are parts of one array.
type cloner struct {
	seen   map[*Cell]bool // the cells of the runs found
	runs   []run
	maps   map[*Map]*Map
	ifaces map[*Iface]*Iface
	funcs  map[*Closure]*Closure
}

// A run is a number of cells that lie side by side, and their copies.
type run struct {
	cells  []Cell
	copies []Cell
	done   []bool
}

const cellSize = unsafe.Sizeof(Cell{})

// find notes the runs that can be reached from v.
func (c *cloner) find(v Value) {
	switch r := v.r.(type) {
	case agg:
		for _, p := range r {
			c.find(p)
		}
	case *Cell:
		c.findRun(unsafe.Slice(r, 1))
	case []Cell:
		c.findRun(r[:cap(r)])
	case *Map:
		if _, ok := c.maps[r]; !ok {
			c.maps[r] = nil
			for _, e := range r.order {
				c.find(e.key)
				c.find(e.val)
			}
		}
	case *Iface:
		if _, ok := c.ifaces[r]; !ok {
			c.ifaces[r] = nil
			c.find(r.Val)
		}
	case *Closure:
		if _, ok := c.funcs[r]; !ok {
			c.funcs[r] = nil
			for _, b := range r.Bound {
				c.find(b)
			}
		}
	}
}

func (c *cloner) findRun(cells []Cell) {
	if len(cells) == 0 {
		return
	}
	c.runs = append(c.runs, run{cells: cells})
	for i := range cells {
		if cell := &cells[i]; !c.seen[cell] {
			c.seen[cell] = true
			c.findRun(cell.kids)
			c.find(cell.v)
		}
	}
}

// join unites the runs that overlap and makes room for the copies.
func (c *cloner) join() {
	slices.SortFunc(c.runs, func(a, b run) int {
		return cmp.Compare(address(&a.cells[0]), address(&b.cells[0]))
	})
	var joined []run
	for _, r := range c.runs {
		if n := len(joined); n > 0 {
			last := &joined[n-1]
			offset := int((address(&r.cells[0]) - address(&last.cells[0])) / cellSize)
			if offset < len(last.cells) {
				if end := offset + len(r.cells); end > len(last.cells) {
					last.cells = unsafe.Slice(&last.cells[0], end)
				}
				continue
			}
		}
		joined = append(joined, r)
	}
	for i := range joined {
		n := len(joined[i].cells)
		joined[i].copies, joined[i].done = make([]Cell, n), make([]bool, n)
	}
	c.runs = joined
}

// place returns the run that a cell lies in, and its index there.
func (c *cloner) place(cell *Cell) (*run, int) {
	at := address(cell)
	i, found := slices.BinarySearchFunc(c.runs, at, func(r run, at uintptr) int {
		return cmp.Compare(address(&r.cells[0]), at)
	})
	if !found {
		i--
	}
	r := &c.runs[i]
	return r, int((at - address(&r.cells[0])) / cellSize)
}

// cells returns the copy of cells that belong to one run.
func (c *cloner) cells(cells []Cell) []Cell {
	n := len(cells)
	all := cells[:cap(cells)]
	if len(all) == 0 {
		return cells
	}
	r, at := c.place(&all[0])
	for i := range all {
		c.fill(r, at+i)
	}
	return r.copies[at : at+n : at+len(all)]
}

// fill makes the copy of a cell.
func (c *cloner) fill(r *run, i int) {
	if r.done[i] {
		return
	}
	r.done[i] = true
	src, dst := &r.cells[i], &r.copies[i]
	if len(src.kids) > 0 {
		dst.kids = c.cells(src.kids[:len(src.kids):len(src.kids)])
	} else {
		dst.kids = src.kids
	}
	if h, ok := src.v.r.(*hostCell); ok {
		dst.v.r = h.clone()
		return
	}
	dst.v = c.value(src.v)
}

// value returns the copy of a value.
func (c *cloner) value(v Value) Value {
	switch r := v.r.(type) {
	case agg:
		parts := make(agg, len(r))
		for i, p := range r {
			parts[i] = c.value(p)
		}
		v.r = parts
	case *Cell:
		run, i := c.place(r)
		c.fill(run, i)
		v.r = &run.copies[i]
	case []Cell:
		v.r = c.cells(r)
	case *Map:
		if c.maps[r] == nil {
			m := newMap()
			c.maps[r] = m
			for k, i := range r.index {
				m.index[k] = i
			}
			m.n = r.n
			for _, e := range r.order {
				m.order = append(m.order, entry{c.value(e.key), c.value(e.val), e.live})
			}
		}
		v.r = c.maps[r]
	case *Iface:
		if c.ifaces[r] == nil {
			i := &Iface{Type: r.Type}
			c.ifaces[r] = i
			i.Val = c.value(r.Val)
		}
		v.r = c.ifaces[r]
	case *Closure:
		if c.funcs[r] == nil {
			f := *r
			c.funcs[r] = &f
			f.Bound = make([]Value, len(r.Bound))
			for i, b := range r.Bound {
				f.Bound[i] = c.value(b)
			}
			*c.funcs[r] = f
		}
		v.r = c.funcs[r]
	}
	return v
}

// clone returns a copy for another cell. Objects with a state that cannot be
// copied are shared.
func (h *hostCell) clone() *hostCell {
	switch x := h.p.Interface().(type) {
	case *time.Time:
		t := *x
		return &hostCell{reflect.ValueOf(&t)}
	case *strings.Builder:
		b := new(strings.Builder)
		b.WriteString(x.String())
		return &hostCell{reflect.ValueOf(b)}
	case *bytes.Buffer:
		return &hostCell{reflect.ValueOf(bytes.NewBuffer(bytes.Clone(x.Bytes())))}
	}
	return h
}

// ZeroLike returns a copy of v, of type t, with all floats zero: those of
// Flatten and those between the length and the capacity of slices. Everything
// else, and what is shared, is as in v.
func ZeroLike(v Value, t types.Type) Value { return ZeroLikeAll([]Value{v}, []types.Type{t})[0] }

// ZeroLikeAll is ZeroLike of several values that may share memory.
func ZeroLikeAll(vs []Value, ts []types.Type) []Value {
	out := CloneAll(vs...)
	tt := newTypeTable(nil)
	w := &zeroWalk{types: tt, seen: map[zeroed]bool{}}
	for i, v := range out {
		out[i] = w.value(v, tt.of(ts[i]))
	}
	return out
}

// A zeroWalk clears floats, each piece of memory once.
type zeroWalk struct {
	types *typeTable
	seen  map[zeroed]bool
	// inPlace leaves functions alone, and refuses numbers that lie in an interface.
	inPlace *frame
	op      *ssair.Op
}

// A zeroed is a piece of memory with the type under which it was cleared.
type zeroed struct {
	p any
	n int
	t *typ
}

func (w *zeroWalk) value(v Value, t *typ) Value {
	switch t.kind {
	case kindFloat, kindComplex:
		return Value{}
	case kindStruct, kindArray:
		parts := make(agg, v.Len())
		for i, p := range v.parts() {
			parts[i] = w.value(p, partType(t, i))
		}
		return Value{r: parts}
	case kindSlice:
		cells := v.cells()
		cells = cells[:cap(cells)]
		if len(cells) == 0 || w.visited(&cells[0], len(cells), t) {
			return v
		}
		for i := range cells {
			w.cell(&cells[i], t.elem)
		}
	case kindPtr:
		if c := v.Pointer(); c != nil && !w.visited(c, 0, t) {
			w.cell(c, t.elem)
		}
	case kindMap:
		if m := v.Map(); m != nil && !w.visited(m, 0, t) {
			for i := range m.order {
				if m.order[i].live {
					m.order[i].val = w.value(m.order[i].val, t.elem)
				}
			}
		}
	case kindIface:
		if i := v.Iface(); i != nil && i.Type != nil {
			t := w.types.of(i.Type)
			if w.inPlace != nil && !ssair.IsRef(i.Type) && ssair.ReachesScalar(i.Type) {
				w.inPlace.m.throw(w.op, "rt.ClearAll: an interface in a destination holds a %s, want a *%s", t, t)
			}
			return MakeIface(i.Type, w.value(i.Val, t))
		}
	case kindFunc:
		if w.inPlace != nil {
			break
		}
		if f := v.Closure(); f != nil && f.Fn != nil && !w.visited(f, 0, t) {
			for i, b := range f.Bound {
				f.Bound[i] = w.value(b, w.types.of(f.Fn.Params[i].Type))
			}
		}
	}
	return v
}

func (w *zeroWalk) visited(p any, n int, t *typ) bool {
	k := zeroed{p, n, t}
	was := w.seen[k]
	w.seen[k] = true
	return was
}

func (w *zeroWalk) cell(c *Cell, t *typ) {
	switch t.kind {
	case kindStruct, kindArray:
		for i := range c.kids {
			w.cell(&c.kids[i], partType(t, i))
		}
	case kindHost:
	default:
		c.v = w.value(c.v, t)
	}
}
