package pass

import (
	"go/token"

	"github.com/quabla/quabla/ssair"
)

// A resizer rewrites a chain.
type resizer struct {
	*chain
	buf   *ssair.Value // the new slice
	count map[*ssair.Value]*ssair.Value
	n     *ssair.Var
	exact bool // the new slice is full in the end
}

// rewrite makes the slice in front of c.at and counts its elements.
func (c *chain) rewrite() {
	w := &resizer{chain: c, count: map[*ssair.Value]*ssair.Value{}, n: &ssair.Var{Name: "n"}, exact: true}
	for _, t := range c.terms {
		w.exact = w.exact && t.exact
	}
	b := w.before(c.at)
	t := c.states[0].Type
	w.buf = b.MakeSlice(t, c.total(b), nil)
	w.buf.Var = w.name()
	if c.made != nil {
		w.count[c.made.Result()] = c.made.Args[0]
	}
	w.region(c.at.Parent)
	for _, v := range c.states {
		w.reads(v)
	}
	for _, o := range c.appends {
		o.Remove()
	}
	if c.made != nil {
		c.made.Remove()
	}
}

// name returns the variable of the slice.
func (w *resizer) name() *ssair.Var {
	for _, v := range w.states {
		if v.Var != nil {
			return v.Var
		}
	}
	return nil
}

func (w *resizer) before(o *ssair.Op) *ssair.Builder {
	b := ssair.NewBuilder(o.Parent)
	b.Before, b.Pos, b.Stmt, b.Call, b.Safe = o, o.Pos, o.Stmt, o.Call, true
	return b
}

// length returns the number of elements of a state, or of an empty slice.
func (w *resizer) length(b *ssair.Builder, v *ssair.Value) *ssair.Value {
	if n := w.count[v]; n != nil {
		return n
	}
	return b.Int(0)
}

// region rewrites what makes states in r.
func (w *resizer) region(r *ssair.Region) {
	for _, o := range append([]*ssair.Op(nil), r.Ops...) {
		switch o.Kind {
		case ssair.Append, ssair.AppendSlice:
			if w.member[o.Result()] {
				w.grow(o)
			}
		case ssair.If:
			for _, x := range o.Regions {
				w.region(x)
			}
			for k, v := range o.Results {
				if !w.member[v] {
					continue
				}
				for _, x := range o.Regions {
					if t := x.Term(); t.Kind == ssair.Yield {
						t.Args[k] = w.length(w.before(t), t.Args[k])
					}
				}
				w.counts(v)
			}
		case ssair.Loop:
			w.loop(o)
		}
	}
}

// counts makes a state that others meet in their number of elements.
func (w *resizer) counts(v *ssair.Value) {
	v.Type, v.Var = ssair.Int, w.n
	w.count[v] = v
}

// grow writes the elements that an append adds.
func (w *resizer) grow(o *ssair.Op) {
	b := w.before(o)
	n := w.length(b, o.Args[0])
	var k *ssair.Value
	if o.Kind == ssair.AppendSlice {
		k = b.Len(o.Args[1])
		end := b.Bin(token.ADD, n, k)
		b.Op(ssair.Copy, []*ssair.Value{b.Slice(w.buf, n, end, nil), o.Args[1]}, ssair.Int)
	} else {
		for i, v := range o.Args[1:] {
			at := n
			if i > 0 {
				at = b.Bin(token.ADD, n, b.Int(i))
			}
			b.Store(w.buf, []ssair.Step{ssair.Elem}, v, at)
		}
		k = b.Int(len(o.Args) - 1)
	}
	n = b.Bin(token.ADD, n, k)
	if !w.exact {
		n.Var = w.n
	}
	w.count[o.Result()] = n
}

// loop rewrites a loop, which may carry the state. If each trip adds as many elements, the
// index tells how many there are; otherwise the loop carries their number.
func (w *resizer) loop(o *ssair.Op) {
	k := -1
	for i, v := range o.Results {
		if w.member[v] {
			k = i
		}
	}
	if k < 0 {
		for _, r := range o.Regions {
			w.region(r)
		}
		return
	}
	b := w.before(o)
	init := w.length(b, o.Args[k])
	each, ok := w.each(b, o)
	if ok {
		o.Args[k] = b.Int(0) // nothing reads it: it will go
		index := Counted(o).Index
		for i, r := range o.Regions {
			p := w.before(r.Ops[0])
			trip := r.Params[index]
			if i == 2 {
				trip = p.Bin(token.ADD, trip, p.Int(1))
			}
			w.count[r.Params[k]] = w.after(p, init, trip, each)
			r.Params[k].Type, r.Params[k].Var = ssair.Int, nil
		}
		w.count[o.Results[k]] = w.after(b, init, w.trips(b, o), each)
		o.Results[k].Type, o.Results[k].Var = ssair.Int, nil
	} else {
		o.Args[k] = init
		for _, r := range o.Regions {
			w.counts(r.Params[k])
		}
		w.counts(o.Results[k])
	}
	for _, r := range o.Regions {
		w.region(r)
	}
	for _, r := range o.Regions[1:] {
		switch t := r.Term(); {
		case t.Kind != ssair.Yield:
		case ok:
			t.Args[k] = r.Params[k]
		default:
			t.Args[k] = w.length(w.before(t), t.Args[k])
		}
	}
}

// each builds the number of elements that each trip of loop o adds, if it is always the same
// and the loop counts its trips.
func (w *resizer) each(b *ssair.Builder, o *ssair.Op) (*ssair.Value, bool) {
	c := Counted(o)
	if c == nil {
		return nil, false
	}
	// The index is the number of the trip, in the body and behind it.
	k := c.Index
	if n, ok := ConstInt(o.Args[k]); !ok || n != 0 || o.BodyRegion().Term().Args[k] != o.BodyRegion().Params[k] {
		return nil, false
	}
	var in []term
	for _, t := range w.terms {
		for _, l := range t.loops {
			if l == o {
				if !t.exact {
					return nil, false
				}
				in = append(in, t)
			}
		}
	}
	if len(in) == 0 {
		return nil, false
	}
	var n *ssair.Value
	for _, t := range in {
		n = plus(b, n, w.size(b, t, o))
	}
	return n, true
}

// after builds init + trip*each.
func (w *resizer) after(b *ssair.Builder, init, trip, each *ssair.Value) *ssair.Value {
	n := trip
	if !isOne(each) {
		n = b.Bin(token.MUL, each, trip)
	}
	if k, ok := ConstInt(init); ok && k == 0 {
		return n
	}
	return b.Bin(token.ADD, init, n)
}

// reads rewrites what reads the state v.
func (w *resizer) reads(v *ssair.Value) {
	n := w.count[v]
	last := w.exact && v.Region() == w.at.Parent
	lens := map[*ssair.Value]*ssair.Value{}
	for _, u := range w.uses[v] {
		last = last && !passesOn(u)
		if u.Op.Kind == ssair.Len {
			lens[u.Op.Result()] = n
		}
	}
	var view *ssair.Value
	if last {
		view = w.buf
	}
	for _, u := range w.uses[v] {
		switch {
		case passesOn(u) || u.Op.Kind == ssair.Len:
		case w.within(u, n, lens):
			u.Op.Args[u.Arg] = w.buf
		default:
			if view == nil {
				view = w.behind(v, n).Slice(w.buf, nil, n, nil)
				view.Var = w.buf.Var
			}
			u.Op.Args[u.Arg] = view
		}
	}
	w.f.Body.ReplaceAll(lens)
	for l := range lens {
		l.Def.Remove()
	}
}

// within reports whether the use u of a state with n elements is an access that finds the
// same element in the new slice, or none as before.
func (w *resizer) within(u ssair.Use, n *ssair.Value, lens map[*ssair.Value]*ssair.Value) bool {
	switch u.Op.Kind {
	case ssair.Load, ssair.Store, ssair.Accum:
	default:
		return false
	}
	if u.Arg != 0 {
		return false // it is what is stored
	}
	i := u.Op.Indices()[0]
	if u.Op.Safe {
		return true
	}
	if k, ok := ConstInt(i); ok {
		size, ok := ConstInt(n)
		return ok && 0 <= k && k < size
	}
	d := i.Def
	if d == nil || d.Kind != ssair.Bin || d.Tok != token.SUB || lens[d.Args[0]] == nil && d.Args[0] != n {
		return false
	}
	k, ok := ConstInt(d.Args[1])
	return ok && k > 0
}

// behind returns a builder at the place from which the state v and its number of elements
// are known.
func (w *resizer) behind(v, n *ssair.Value) *ssair.Builder {
	r, d := v.Region(), v.Def
	if d == w.made && d != nil {
		r, d = w.at.Parent, w.buf.Def
	}
	at := 0
	for i, o := range r.Ops {
		switch {
		case o == d && (o.Kind == ssair.Append || o.Kind == ssair.AppendSlice):
			return w.before(o)
		case o == d || o == n.Def:
			at = i + 1
		}
	}
	return w.before(r.Ops[at])
}
