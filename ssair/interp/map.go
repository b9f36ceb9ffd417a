package interp

import (
	"sort"

	"github.com/quabla/quabla/ssair"
)

// A Map is a map of the program.
type Map struct {
	index map[any]int // of a key in entries
	order []entry     // in order of insertion, with holes
	n     int
}

type entry struct {
	key, val Value
	live     bool
}

func newMap() *Map { return &Map{index: map[any]int{}} }

// Len returns the number of entries; a nil map has none.
func (m *Map) Len() int {
	if m == nil {
		return 0
	}
	return m.n
}

func (m *Map) clear() {
	if m != nil {
		*m = *newMap()
	}
}

// set makes the entry of key, of which a hasher made k, hold val.
func (m *Map) set(k any, key, val Value) {
	if i, ok := m.index[k]; ok {
		// As in Go, the new key stays: it may be -0 where 0 was.
		m.order[i].key, m.order[i].val = key, val
		return
	}
	m.index[k] = len(m.order)
	m.order = append(m.order, entry{key, val, true})
	m.n++
}

func (m *Map) delete(k any) {
	i, ok := m.index[k]
	if !ok {
		return
	}
	delete(m.index, k)
	m.order[i] = entry{}
	m.n--
	if len(m.order) > 2*m.n+16 { // close the holes
		at := make(map[int]int, m.n)
		kept := make([]entry, 0, m.n)
		for i, e := range m.order {
			if e.live {
				at[i] = len(kept)
				kept = append(kept, e)
			}
		}
		for k, i := range m.index {
			if _, ok := m.index[k]; ok { // which a NaN is not
				m.index[k] = at[i]
			}
		}
		m.order = kept
	}
}

// entries returns the entries, in order of the keys if they have one.
func (m *Map) entries(key *typ) []*entry {
	if m == nil {
		return nil
	}
	es := make([]*entry, 0, m.n)
	for i := range m.order {
		if m.order[i].live {
			es = append(es, &m.order[i])
		}
	}
	if less := lessFor(key); less != nil {
		sort.SliceStable(es, func(i, j int) bool { return less(es[i].key, es[j].key) })
	}
	return es
}

func (c *compiler) mapGet(o *ssair.Op) code {
	x, k, t := c.slot(o.Args[0]), c.slot(o.Args[1]), c.typ(o.Args[0])
	rs := c.slotsOf(o.Results)
	return func(fr *frame) {
		v, found := t.elem.zero(), false
		mp := fr.s[x].Map()
		key := hasher{fr.m, o, mp.Len() == 0}.key(t.key, fr.s[k])
		if mp != nil {
			if i, ok := mp.index[key]; ok {
				v, found = mp.order[i].val, true
			}
		}
		if len(rs) > 0 {
			fr.s[rs[0]] = v
		}
		if len(rs) > 1 {
			fr.s[rs[1]] = Bool(found)
		}
	}
}

func (c *compiler) mapSet(o *ssair.Op) code {
	x, k, v, t := c.slot(o.Args[0]), c.slot(o.Args[1]), c.slot(o.Args[2]), c.typ(o.Args[0])
	return func(fr *frame) {
		mp := fr.s[x].Map()
		if mp == nil {
			fr.m.throw(o, "assignment to entry in nil map")
		}
		fr.m.alloc(o, t.elem, 1)
		mp.set(hasher{m: fr.m, o: o}.key(t.key, fr.s[k]), fr.s[k], fr.s[v])
	}
}

func (c *compiler) mapDelete(o *ssair.Op) code {
	x, k, t := c.slot(o.Args[0]), c.slot(o.Args[1]), c.typ(o.Args[0])
	return func(fr *frame) {
		mp := fr.s[x].Map()
		key := hasher{fr.m, o, mp.Len() == 0}.key(t.key, fr.s[k])
		if mp != nil {
			mp.delete(key)
		}
	}
}

func (c *compiler) mapKeys(o *ssair.Op) code {
	r, x, t := c.slot(o.Result()), c.slot(o.Args[0]), c.typ(o.Args[0])
	return func(fr *frame) {
		es := fr.s[x].Map().entries(t.key)
		fr.m.alloc(o, t.key, len(es))
		cells := newCells(t.key, len(es), len(es))
		for i, e := range es {
			store(&cells[i], t.key, e.key)
		}
		fr.s[r] = Value{r: cells}
	}
}
