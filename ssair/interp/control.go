package interp

import (
	"reflect"

	"github.com/quabla/quabla/ssair"
)

// moves returns code that assigns the slots src to the slots dst at once, or
// nil if there is nothing to do.
func (c *compiler) moves(dst, src []int) code {
	var to, from []int
	for i := range src {
		if dst[i] != src[i] {
			to, from = append(to, dst[i]), append(from, src[i])
		}
	}
	switch len(to) {
	case 0:
		return nil
	case 1:
		d, s := to[0], from[0]
		return func(fr *frame) { fr.s[d] = fr.s[s] }
	}
	written := map[int]bool{}
	clash := false
	for i := range to {
		clash = clash || written[from[i]]
		written[to[i]] = true
	}
	if !clash {
		return func(fr *frame) {
			for i, d := range to {
				fr.s[d] = fr.s[from[i]]
			}
		}
	}
	temp := make([]int, len(to))
	for i := range temp {
		temp[i] = c.newSlot()
	}
	return func(fr *frame) {
		for i, t := range temp {
			fr.s[t] = fr.s[from[i]]
		}
		for i, d := range to {
			fr.s[d] = fr.s[temp[i]]
		}
	}
}

// yields returns the slots that the terminator of r yields, or nil when the
// end of r is not reached.
func (c *compiler) yields(r *ssair.Region) []int {
	if t := r.Term(); t != nil && t.Kind == ssair.Yield {
		return c.slotsOf(t.Args)
	}
	return nil
}

// region compiles a region that assigns what it yields to dst.
func (c *compiler) region(r *ssair.Region, dst []int) *block {
	b := c.block(r)
	if y := c.yields(r); y != nil {
		if mv := c.moves(dst, y); mv != nil {
			b.code = append(b.code, mv)
		}
	}
	return b
}

func (c *compiler) ifElse(o *ssair.Op) code {
	cond := c.slot(o.Args[0])
	dst := c.slotsOf(o.Results)
	then, els := c.region(o.Regions[0], dst), c.region(o.Regions[1], dst)
	return func(fr *frame) {
		if fr.s[cond].n != 0 {
			then.run(fr)
		} else {
			els.run(fr)
		}
	}
}

// loop compiles a loop. The parameters of its regions and its results share
// slots: they are the states of the same variables.
func (c *compiler) loop(o *ssair.Op) code {
	n := o.Carried()
	carried := c.slotsOf(o.Results)
	for _, r := range o.Regions {
		for i, p := range r.Params {
			c.slots[p] = carried[i]
		}
	}
	enter := c.moves(carried, c.slotsOf(o.Args[:n]))
	cond := c.block(o.Cond())
	test := c.yields(o.Cond())
	body := c.block(o.BodyRegion())
	next := c.yields(o.BodyRegion())
	post := c.region(o.Post(), carried)
	goOn := -1
	if o.Loop.Break && next != nil {
		goOn, next = next[0], next[1:]
	}
	var step code
	if next != nil {
		step = c.moves(carried, next)
	}
	return func(fr *frame) {
		if enter != nil {
			enter(fr)
		}
		for {
			cond.run(fr)
			if fr.s[test[0]].n == 0 {
				return
			}
			body.run(fr)
			stop := goOn >= 0 && fr.s[goOn].n == 0
			if step != nil {
				step(fr)
			}
			if stop {
				return
			}
			post.run(fr)
		}
	}
}

func (c *compiler) panic(o *ssair.Op) code {
	x := c.slot(o.Args[0])
	t := c.typ(o.Args[0])
	if len(o.Args) == 2 {
		y := c.slot(o.Args[1])
		return func(fr *frame) {
			i := fr.s[y].Iface()
			if i == nil {
				fr.m.throw(o, nilDereference)
			}
			var name string
			if i.Type != nil {
				name = goTypeString(i.Type)
			} else {
				name = reflect.TypeOf(i.Val.goValue()).String()
			}
			text := fr.s[x].Str() + " for a " + name
			panic(thrown{fr.m.panicError(o, MakeIface(ssair.String, Value{r: text}).Iface())})
		}
	}
	return func(fr *frame) {
		v := fr.s[x]
		if t.kind != kindIface {
			v = MakeIface(t.t, v)
		}
		panic(thrown{fr.m.panicError(o, v.Iface())})
	}
}
