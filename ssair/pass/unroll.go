package pass

import (
	"go/constant"

	"github.com/quabla/quabla/ssair"
)

// Limits of what Unroll writes out.
const (
	maxTrips    = 4
	maxUnrolled = 80 // ops
)

// Unroll writes out short loops with a constant number of trips, where they are
// what keeps a small array from being taken apart: every index that is not a
// constant is the variable of such a loop.
func Unroll(f *ssair.Func) bool {
	// The arrays, and the loops that index them.
	type use struct {
		loops map[*ssair.Op]bool
		ok    bool
	}
	arrays := map[*ssair.Value]*use{}
	for _, c := range cellUses(f) {
		t := c.alloc.Type
		if !ssair.IsAggregate(t) || c.escapes || c.whole || !c.dynamic || leaves(t) == nil {
			continue
		}
		u := &use{loops: map[*ssair.Op]bool{}, ok: true}
		for _, o := range c.ops {
			for _, x := range o.Indices() {
				if x.Def != nil && x.Def.Kind == ssair.Const {
					continue
				}
				l := unrollable(x)
				if l == nil {
					u.ok = false
					break
				}
				u.loops[l] = true
			}
		}
		if u.ok {
			arrays[c.alloc.Result()] = u
		}
	}
	todo := map[*ssair.Op]bool{}
	for _, u := range arrays {
		for l := range u.loops {
			todo[l] = true
		}
	}
	if len(todo) == 0 {
		return false
	}
	// Innermost first, in program order.
	var order []*ssair.Op
	f.Body.Walk(func(o *ssair.Op) bool {
		if todo[o] {
			order = append(order, o)
		}
		return true
	})
	for i := len(order) - 1; i >= 0; i-- {
		unroll(order[i])
	}
	return true
}

// unrollable returns the loop whose variable v is, if it runs a small constant
// number of trips.
func unrollable(v *ssair.Value) *ssair.Op {
	if v.Home == nil || v.Home.Parent == nil || v.Home.Parent.Kind != ssair.Loop {
		return nil
	}
	o := v.Home.Parent
	if v.Home != o.BodyRegion() || o.Loop.Break {
		return nil
	}
	n, _, c := constTrips(o)
	if c == nil || o.BodyRegion().Params[c.Index] != v || n > maxTrips {
		return nil
	}
	size := 0
	o.BodyRegion().Walk(func(*ssair.Op) bool { size++; return true })
	if size*int(n) > maxUnrolled {
		return nil
	}
	return o
}

// constTrips returns the number of trips of a loop and the first value of its
// variable, if both are constants.
func constTrips(o *ssair.Op) (n, first int64, c *Count) {
	c = Counted(o)
	if c == nil || o.BodyRegion().Term().Kind != ssair.Yield || o.Post().Term().Kind != ssair.Yield {
		return 0, 0, nil
	}
	first, ok1 := ConstInt(o.Args[c.Index])
	bound, ok2 := ConstInt(c.Bound)
	if !ok1 || !ok2 || c.Step != 1 && c.Step != -1 {
		return 0, 0, nil
	}
	bound -= c.Offset
	if c.Step == 1 {
		n = bound - first
	} else {
		n = first - bound
	}
	if c.Closed {
		n++
	}
	return max(n, 0), first, c
}

// unroll replaces o by copies of its body.
func unroll(o *ssair.Op) {
	n, _, c := constTrips(o)
	if c == nil {
		return
	}
	first, _ := ConstInt(o.Args[c.Index])
	b := ssair.NewBuilder(o.Parent)
	b.Before = o
	state := append([]*ssair.Value{}, o.Args[:o.Carried()]...)
	for t := range n {
		m := ssair.ValueMap{}
		for k, p := range o.BodyRegion().Params {
			m[p] = state[k]
		}
		i := b.Const(constant.MakeInt64(first+t*c.Step), o.Results[c.Index].Type)
		m[o.BodyRegion().Params[c.Index]] = i
		state = copyRegion(b, o.BodyRegion(), m)
		m = ssair.ValueMap{}
		for k, p := range o.Post().Params {
			m[p] = state[k]
		}
		state = copyRegion(b, o.Post(), m)
	}
	repl := map[*ssair.Value]*ssair.Value{}
	for k, r := range o.Results {
		repl[r] = state[k]
	}
	f := o.Parent.Func
	o.Remove()
	f.Body.ReplaceAll(repl)
}

// copyRegion copies the ops of r to b and returns what it yields.
func copyRegion(b *ssair.Builder, r *ssair.Region, m ssair.ValueMap) []*ssair.Value {
	var out []*ssair.Value
	for _, x := range r.Ops {
		if x.Kind == ssair.Yield {
			for _, v := range x.Args {
				out = append(out, m.Get(v))
			}
			break
		}
		b.CloneOp(x, m)
	}
	return out
}
