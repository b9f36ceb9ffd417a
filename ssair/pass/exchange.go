package pass

import (
	"fmt"
	"go/types"
	"strings"

	"github.com/quabla/quabla/ssair"
)

// SwapArg returns which argument of fn, a function of package rt that finds an order, is a
// function whose swaps it makes and takes back, or -1.
func SwapArg(fn types.Object) int {
	if fn != nil && fn.Pkg() != nil && fn.Pkg().Path() == "github.com/quabla/quabla/rt" {
		switch fn.Name() {
		case "SortSwaps", "StableSwaps":
			return 2
		}
	}
	return -1
}

// Exchanges reports whether all that f does is to exchange what belongs to its last two
// parameters, i and j, so that a second call undoes the first; if not, it returns the op to
// blame. Each place that f writes has a mate, with j where the other has i: it gets what the
// mate held, or something that does not depend on memory and is the mirror image, as in
//
//	h[i], h[j] = h[j], h[i]
//	h[i].index, h[j].index = i, j
func Exchanges(f *ssair.Func) (bad *ssair.Op, ok bool) {
	return exchanges(f, map[*ssair.Func]bool{})
}

func exchanges(f *ssair.Func, seen map[*ssair.Func]bool) (*ssair.Op, bool) {
	if seen[f] {
		return nil, true
	}
	seen[f] = true
	f = f.CloneFunc(f.Name)
	f.Mod.Funcs = f.Mod.Funcs[:len(f.Mod.Funcs)-1] // it is not part of the module
	Tidy(f)
	n := len(f.Params)
	x := &exchange{i: f.Params[n-2], j: f.Params[n-1], order: map[*ssair.Op]int{}, seen: seen}
	f.Body.Walk(func(o *ssair.Op) bool {
		x.order[o] = len(x.order)
		if o.Kind == ssair.Store {
			x.stores = append(x.stores, o)
		}
		return true
	})
	x.region(f.Body)
	return x.bad, x.bad == nil
}

type exchange struct {
	i, j   *ssair.Value
	order  map[*ssair.Op]int
	stores []*ssair.Op
	seen   map[*ssair.Func]bool
	bad    *ssair.Op
}

func (x *exchange) region(r *ssair.Region) {
	stores := map[string]*ssair.Op{}
	for _, o := range r.Ops {
		switch {
		case o.Kind == ssair.Store:
			k := x.place(o, false)
			if stores[k] != nil {
				x.blame(o)
			}
			stores[k] = o
		case o.Kind == ssair.Call:
			x.call(o)
		case o.Kind == ssair.Opaque:
			if !o.Reads() {
				x.blame(o)
			}
		case o.Kind == ssair.If && varies(x.key(o.Args[0], false)):
			x.blame(o) // it may go the other way the second time
		case o.Kind.Writes() && o.Kind != ssair.Panic:
			x.blame(o)
		}
		for _, n := range o.Regions {
			x.region(n)
		}
	}
	if x.bad != nil {
		return
	}
	for _, o := range stores {
		if m := stores[x.place(o, true)]; m == nil || !x.mates(o, m) {
			x.blame(o)
		}
	}
}

func (x *exchange) blame(o *ssair.Op) {
	if x.bad == nil || x.order[o] < x.order[x.bad] {
		x.bad = o
	}
}

// mates reports whether each of the stores a and b writes what the place of the other held,
// or the mirror image of what the other writes.
func (x *exchange) mates(a, b *ssair.Op) bool {
	from := func(o, other *ssair.Op) bool {
		d := o.Stored().Def
		return d != nil && d.Kind == ssair.Load && x.place(d, false) == x.place(other, false) &&
			x.order[d] < x.order[a] && x.order[d] < x.order[b]
	}
	if a != b && from(a, b) && from(b, a) {
		return true
	}
	v := x.key(a.Stored(), false)
	return !varies(v) && v == x.key(b.Stored(), true)
}

// call checks a function that does it for f.
func (x *exchange) call(o *ssair.Op) {
	n := len(o.Args)
	if n < 2 || !(o.Args[n-2] == x.i && o.Args[n-1] == x.j || o.Args[n-2] == x.j && o.Args[n-1] == x.i) {
		x.blame(o)
		return
	}
	if _, ok := exchanges(o.Callee, x.seen); !ok {
		x.blame(o)
	}
}

// lastStore returns the store that has written what d loads, or nil if f has not.
func (x *exchange) lastStore(d *ssair.Op) *ssair.Op {
	var last *ssair.Op
	for _, o := range x.stores {
		if x.order[o] < x.order[d] && (last == nil || x.order[o] > x.order[last]) && o.Parent.Contains(d.Parent) && x.place(o, false) == x.place(d, false) {
			last = o
		}
	}
	return last
}

// place spells the place that o reads or writes, with i and j exchanged in a mirror.
func (x *exchange) place(o *ssair.Op, mirror bool) string {
	var b strings.Builder
	b.WriteString(x.key(o.Base(), mirror))
	idx := o.Indices()
	for _, s := range o.Path {
		if s.IsField() {
			fmt.Fprintf(&b, ".%d", s.Field)
		} else {
			b.WriteString("[" + x.key(idx[0], mirror) + "]")
			idx = idx[1:]
		}
	}
	return b.String()
}

// varies reports whether what a key spells may depend on memory, or is not known.
func varies(key string) bool { return strings.Contains(key, "#") }

// key spells how v is computed, so that what is computed alike has one key.
func (x *exchange) key(v *ssair.Value, mirror bool) string {
	switch {
	case v == nil:
		return "_"
	case v == x.i && !mirror || v == x.j && mirror:
		return "i"
	case v == x.i || v == x.j:
		return "j"
	}
	d := v.Def
	switch {
	case d == nil && v.Home.Parent == nil:
		return fmt.Sprintf("%%%d", v.ID)
	case d == nil || len(d.Results) != 1:
	case d.Kind == ssair.Const:
		return d.Val.ExactString()
	case d.Kind == ssair.Load:
		if o := x.lastStore(d); o != nil {
			return x.key(o.Stored(), mirror)
		}
		return "#" + x.place(d, mirror)
	case d.Kind == ssair.Addr:
		return "&" + x.place(d, mirror)
	case d.Kind.IsPure():
		parts := []string{d.Kind.String(), d.Tok.String(), d.Fn, types.TypeString(v.Type, nil), fmt.Sprint(d.Path)}
		for _, a := range d.Args {
			parts = append(parts, x.key(a, mirror))
		}
		return "(" + strings.Join(parts, " ") + ")"
	}
	return fmt.Sprintf("#%%%d", v.ID)
}
