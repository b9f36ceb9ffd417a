package interp

import (
	"fmt"
	"reflect"

	"github.com/quabla/quabla/ssair"
)

func (c *compiler) makeSlice(o *ssair.Op) code {
	r, n, elem := c.slot(o.Result()), c.slot(o.Args[0]), c.typ(o.Result()).elem
	capacity := -1
	if len(o.Args) > 1 && o.Args[1] != nil {
		capacity = c.slot(o.Args[1])
	}
	nSigned := c.typ(o.Args[0]).kind == kindInt
	return func(fr *frame) {
		size := fr.s[n].n
		// A length is out of range when the memory could not be addressed.
		if nSigned && int64(size) < 0 || tooLarge(elem, size) {
			fr.m.throw(o, "runtime error: makeslice: len out of range")
		}
		room := size
		if capacity >= 0 {
			if room = fr.s[capacity].n; room < size || tooLarge(elem, room) {
				fr.m.throw(o, "runtime error: makeslice: cap out of range")
			}
		}
		fr.m.alloc(o, elem, int(room))
		fr.s[r] = Value{r: newCells(elem, int(size), int(room))}
	}
}

// tooLarge reports whether n elements exceed the memory that Go can address.
func tooLarge(elem *typ, n uint64) bool {
	const maxAlloc = 1 << 48
	size := elem.size()
	return int64(n) < 0 || size > 0 && n > maxAlloc/size
}

// size returns about how many bytes a value of the type takes; type parameters count
// as what they stand for.
func (t *typ) size() uint64 {
	switch t.kind {
	case kindStruct:
		n := uint64(0)
		for _, f := range t.fields {
			n += f.size()
		}
		return n
	case kindArray:
		return uint64(t.n) * t.elem.size()
	case kindSlice:
		return 24
	case kindString, kindIface:
		return 16
	case kindBool:
		return 1
	}
	if t.bits > 0 {
		return uint64(t.bits) / 8
	}
	return 8
}

// slice compiles x[lo:hi:max] of a slice, a string or a pointer to an array.
func (c *compiler) slice(o *ssair.Op) code {
	r, x, t := c.slot(o.Result()), c.slot(o.Args[0]), c.typ(o.Args[0])
	b := bounds{o: o, isSlice: t.kind == kindSlice}
	for i := range b.slot {
		b.slot[i] = -1
		if i+1 < len(o.Args) && o.Args[i+1] != nil {
			b.slot[i], b.signed[i] = c.slot(o.Args[i+1]), c.typ(o.Args[i+1]).kind == kindInt
		}
	}
	switch {
	case t.kind == kindString:
		return func(fr *frame) {
			s := fr.s[x].Str()
			lo, hi, _ := b.check(fr, len(s), len(s))
			fr.s[r] = String(s[lo:hi])
		}
	case t.kind == kindPtr && t.elem.kind == kindArray:
		return func(fr *frame) {
			p := fr.s[x].Pointer()
			if p == nil {
				fr.m.throw(o, nilDereference)
			}
			lo, hi, limit := b.check(fr, len(p.kids), len(p.kids))
			fr.s[r] = Value{r: p.kids[lo:hi:limit]}
		}
	case t.kind == kindSlice:
		return func(fr *frame) {
			cells := fr.s[x].cells()
			lo, hi, limit := b.check(fr, len(cells), cap(cells))
			if cells == nil {
				fr.s[r] = Value{}
				return
			}
			fr.s[r] = Value{r: cells[lo:hi:limit]}
		}
	}
	return c.unsupported(o, "a slice of a "+t.String())
}

// bounds are the operands of a slice expression: low, high and max.
type bounds struct {
	o       *ssair.Op
	slot    [3]int // or -1
	signed  [3]bool
	isSlice bool
}

// check returns the bounds of a slice of something with the given length and
// capacity. It checks them in the order that Go does, with its messages.
func (b *bounds) check(fr *frame, length, capacity int) (lo, hi, limit int) {
	get := func(i, def int) (uint64, bool) {
		if b.slot[i] < 0 {
			return uint64(def), true
		}
		return fr.s[b.slot[i]].n, b.signed[i]
	}
	fail := func(n uint64, signed bool, format, negative string, args ...any) {
		msg := fmt.Sprintf(format, args...)
		if signed && int64(n) < 0 {
			msg = fmt.Sprintf(negative, int64(n))
		}
		fr.m.throw(b.o, "runtime error: slice bounds out of range %s", msg)
	}
	what := "length"
	if b.isSlice {
		what = "capacity"
	}
	x, xs := get(0, 0)
	y, ys := get(1, length)
	z, zs := get(2, capacity)
	if b.slot[2] >= 0 {
		switch {
		case z > uint64(capacity):
			fail(z, zs, "[::%d] with %s %d", "[::%d]", z, what, capacity)
		case y > z:
			fail(y, ys, "[:%d:%d]", "[:%d:]", y, z)
		case x > y:
			fail(x, xs, "[%d:%d:]", "[%d::]", x, y)
		}
		return int(x), int(y), int(z)
	}
	if y > z {
		fail(y, ys, "[:%d] with %s %d", "[:%d]", y, what, capacity)
	}
	if x > y {
		fail(x, xs, "[%d:%d]", "[%d:]", x, y)
	}
	return int(x), int(y), int(z)
}

func (c *compiler) length(o *ssair.Op) code {
	r, x, t := c.slot(o.Result()), c.slot(o.Args[0]), c.typ(o.Args[0])
	switch t.kind {
	case kindSlice:
		return func(fr *frame) { fr.s[r].n = uint64(len(fr.s[x].cells())) }
	case kindString:
		return func(fr *frame) { fr.s[r].n = uint64(len(fr.s[x].Str())) }
	case kindMap:
		return func(fr *frame) { fr.s[r].n = uint64(fr.s[x].Map().Len()) }
	}
	return c.arrayLen(o, t)
}

func (c *compiler) capacity(o *ssair.Op) code {
	r, x, t := c.slot(o.Result()), c.slot(o.Args[0]), c.typ(o.Args[0])
	if t.kind == kindSlice {
		return func(fr *frame) { fr.s[r].n = uint64(cap(fr.s[x].cells())) }
	}
	return c.arrayLen(o, t)
}

// arrayLen compiles the length of an array or of what a pointer to one points
// to, which need not exist.
func (c *compiler) arrayLen(o *ssair.Op, t *typ) code {
	r := c.slot(o.Result())
	if t.kind == kindPtr {
		t = t.elem
	}
	if t.kind != kindArray {
		return c.unsupported(o, o.Kind.String()+" of a "+t.String())
	}
	return func(fr *frame) { fr.s[r].n = uint64(t.n) }
}

func (c *compiler) append(o *ssair.Op) code {
	r, x, elem := c.slot(o.Result()), c.slot(o.Args[0]), c.typ(o.Result()).elem
	args := c.slotsOf(o.Args[1:])
	return func(fr *frame) {
		cells, _ := fr.s[x].r.([]Cell)
		n := len(cells)
		cells = fr.m.extend(o, cells, elem, len(args))
		for i, a := range args {
			if elem.hasParts() {
				store(&cells[n+i], elem, fr.s[a])
			} else {
				cells[n+i].v = fr.s[a]
			}
		}
		fr.s[r] = sliceValue(cells)
	}
}

// sliceValue returns a slice; it is nil when cells is.
func sliceValue(cells []Cell) Value {
	if cells == nil {
		return Value{}
	}
	return Value{r: cells}
}

func (c *compiler) appendSlice(o *ssair.Op) code {
	r, x, y := c.slot(o.Result()), c.slot(o.Args[0]), c.slot(o.Args[1])
	elem := c.typ(o.Result()).elem
	fromString := c.typ(o.Args[1]).kind == kindString
	return func(fr *frame) {
		cells := fr.s[x].cells()
		n := len(cells)
		if fromString {
			s := fr.s[y].Str()
			cells = fr.m.extend(o, cells, elem, len(s))
			for i := range len(s) {
				cells[n+i].v.n = uint64(s[i])
			}
		} else {
			src := fr.s[y].cells()
			cells = fr.m.extend(o, cells, elem, len(src))
			copyCells(cells[n:], src, elem)
		}
		fr.s[r] = sliceValue(cells)
	}
}

// extend returns cells with n more at its end: in the same array if that has
// room, else in a new one, as append does.
func (m *Machine) extend(o *ssair.Op, cells []Cell, elem *typ, n int) []Cell {
	size := len(cells) + n
	if size <= cap(cells) {
		return cells[:size]
	}
	room := m.grown(elem, cap(cells), size)
	m.alloc(o, elem, room)
	grown := newCells(elem, size, room)
	copyCells(grown[:len(cells)], cells, elem)
	return grown
}

// A growthKey is what decides the capacity of a slice that grows.
type growthKey struct {
	size        int64
	pointers    bool
	oldCap, len int
}

// grown returns the capacity that append gives to a slice of capacity oldCap
// that must hold n elements.
func (m *Machine) grown(elem *typ, oldCap, n int) int {
	k := growthKey{sizes.Sizeof(elem.t), elem.hasPointers(), oldCap, n}
	if elem.kind == kindHost {
		k.size = int64(elem.host.Size())
	}
	c, ok := m.growth[k]
	if !ok {
		c = grow(k)
		m.growth[k] = c
	}
	return c
}

// grow asks the runtime by growing a slice of elements of the same size. For
// large slices, whose size is rounded up to whole pages, it computes the
// capacity as package runtime does, so as to need no memory.
func grow(k growthKey) int {
	if k.size == 0 {
		return k.len
	}
	if c := nextCap(k.oldCap, k.len); int64(c)*k.size > 1<<16 {
		const page = 8192
		bytes := (int64(c)*k.size + page - 1) &^ (page - 1)
		return int(bytes / k.size)
	}
	elem := reflect.ArrayOf(int(k.size), reflect.TypeFor[byte]())
	if k.pointers {
		elem = reflect.ArrayOf(int(k.size/8), reflect.TypeFor[*byte]())
	}
	s := reflect.New(reflect.SliceOf(elem)).Elem()
	s.Set(reflect.MakeSlice(s.Type(), k.oldCap, k.oldCap))
	s.Grow(k.len - k.oldCap)
	return s.Cap()
}

// nextCap is the capacity before it is rounded up to what the allocator gives.
func nextCap(oldCap, n int) int {
	if n > 2*oldCap {
		return n
	}
	const threshold = 256
	if oldCap < threshold {
		return 2 * oldCap
	}
	c := oldCap
	for c < n {
		c += (c + 3*threshold) >> 2
	}
	return c
}

func (c *compiler) copy(o *ssair.Op) code {
	r := -1
	if len(o.Results) > 0 {
		r = c.slot(o.Result())
	}
	x, y, elem := c.slot(o.Args[0]), c.slot(o.Args[1]), c.typ(o.Args[0]).elem
	fromString := c.typ(o.Args[1]).kind == kindString
	return func(fr *frame) {
		dst := fr.s[x].cells()
		var n int
		if fromString {
			s := fr.s[y].Str()
			n = min(len(dst), len(s))
			for i := range n {
				dst[i].v.n = uint64(s[i])
			}
		} else {
			src := fr.s[y].cells()
			n = min(len(dst), len(src))
			copyCells(dst[:n], src[:n], elem)
		}
		if r >= 0 {
			fr.s[r].n = uint64(n)
		}
	}
}

func (c *compiler) clear(o *ssair.Op) code {
	x, t := c.slot(o.Args[0]), c.typ(o.Args[0])
	switch t.kind {
	case kindSlice:
		return func(fr *frame) {
			cells := fr.s[x].cells()
			zero := t.elem.zero()
			for i := range cells {
				store(&cells[i], t.elem, zero)
			}
		}
	case kindMap:
		return func(fr *frame) { fr.s[x].Map().clear() }
	}
	return c.unsupported(o, "clear of a "+t.String())
}

func (c *compiler) strIndex(o *ssair.Op) code {
	r, x, i := c.slot(o.Result()), c.slot(o.Args[0]), c.slot(o.Args[1])
	signed := c.typ(o.Args[1]).kind == kindInt
	return func(fr *frame) {
		s, n := fr.s[x].Str(), fr.s[i].n
		if n >= uint64(len(s)) {
			fr.m.indexError(o, n, signed, len(s))
		}
		fr.s[r].n = uint64(s[n])
	}
}
