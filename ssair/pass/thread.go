package pass

import (
	"go/constant"
	"go/token"

	"github.com/quabla/quabla/ssair"
)

// Thread moves an if behind another one into the arms of that, where each arm says
// which way it goes: what leaves a switch or a loop by break, continue or return
// sets a flag, and what comes behind asks for it. In the arms the question is
// answered, and the flag is gone. Code is copied only if little of it is.
func Thread(f *ssair.Func) bool {
	changed := false
	for range 40 { // each round resolves one if
		if !threadOnce(f.Body) {
			break
		}
		changed = true
		Simplify(f)
	}
	return changed
}

const (
	maxBetween = 6  // ops between the two ifs
	maxCopied  = 14 // ops that are there more than once afterwards
	maxWays    = 1000
)

func threadOnce(r *ssair.Region) bool {
	for i, o := range r.Ops {
		if o.Kind == ssair.If {
			for j := i + 1; j < len(r.Ops) && j <= i+1+maxBetween; j++ {
				if p := r.Ops[j]; p.Kind == ssair.If && decided(o, p) && r.Ops[j] != r.Term() {
					sink(r, i, j)
					return true
				} else if len(p.Regions) > 0 && !plainIf(p) || len(p.Regions) == 0 && !p.Kind.IsPure() {
					break
				}
			}
		}
		for _, n := range o.Regions {
			if threadOnce(n) {
				return true
			}
		}
	}
	return false
}

// plainIf reports whether all that an if does is to compute.
func plainIf(o *ssair.Op) bool {
	if o.Kind != ssair.If {
		return false
	}
	for _, r := range o.Regions {
		for _, x := range r.Ops {
			if x.Kind != ssair.Yield && (len(x.Regions) > 0 || !x.Kind.IsPure()) {
				return false
			}
		}
	}
	return true
}

// decided reports whether every way through the if o decides the condition of p,
// and moving p there copies little.
func decided(o, p *ssair.Op) bool {
	if !dependsOn(p.Args[0], o) {
		return false
	}
	if countWays(o) > maxWays {
		return false
	}
	then, els := count(p.Regions[0]), count(p.Regions[1])
	size := -then - els
	return eachWay(o, way{map[*ssair.Value]*ssair.Value{}, map[*ssair.Value]bool{}}, func(w way) bool {
		truth, ok := w.eval(p.Args[0], 8)
		if truth {
			size += then
		} else {
			size += els
		}
		return ok && size <= maxCopied
	})
}

// dependsOn reports whether v is computed from a result of o and nothing else that
// is not constant.
func dependsOn(v *ssair.Value, o *ssair.Op) bool {
	for _, r := range o.Results {
		if r == v {
			return true
		}
	}
	d := v.Def
	if d == nil || d.Parent != o.Parent {
		return false
	}
	for _, a := range d.Args {
		if a != nil && dependsOn(a, o) {
			return true
		}
	}
	for _, r := range d.Regions {
		for _, x := range r.Ops {
			for _, a := range x.Args {
				if a != nil && dependsOn(a, o) {
					return true
				}
			}
		}
	}
	return false
}

// count counts ops that stand for code.
func count(r *ssair.Region) int {
	n := 0
	r.Walk(func(o *ssair.Op) bool {
		switch o.Kind {
		case ssair.Const, ssair.Zero, ssair.Yield, ssair.Unreachable, ssair.Global:
		default:
			n++
		}
		return true
	})
	return n
}

// A way is a way through an if: what its results are there, and which conditions
// hold.
type way struct {
	is    map[*ssair.Value]*ssair.Value
	holds map[*ssair.Value]bool
}

// maxSplit bounds the ways through the ops of an arm: behind so many, it makes no
// difference which way an if takes.
const maxSplit = 16

// countWays returns the number of ways through o that come to its end.
func countWays(o *ssair.Op) int {
	n := 0
	for _, r := range o.Regions {
		if r.Term().Kind != ssair.Yield {
			continue
		}
		_, through := splits(r)
		n = min(n+through, maxWays+1)
	}
	return n
}

// splits returns the ifs in r that part its ways, and the number of ways.
func splits(r *ssair.Region) (ifs []*ssair.Op, through int) {
	through = 1
	for _, x := range r.Ops {
		if x.Kind == ssair.If && through <= maxSplit {
			ifs = append(ifs, x)
			through *= countWays(x)
		}
	}
	return ifs, through
}

// eachWay calls f for the ways through o that come to its end, each with what is known
// already in w, until f says that it has seen enough. It reports whether f never did.
func eachWay(o *ssair.Op, w way, f func(way) bool) bool {
	for n, r := range o.Regions {
		t := r.Term()
		if t.Kind != ssair.Yield {
			continue
		}
		for k, v := range o.Results {
			w.is[v] = t.Args[k]
		}
		before, known := w.holds[o.Args[0]]
		w.holds[o.Args[0]] = n == 0
		ifs, _ := splits(r)
		more := throughAll(ifs, w, f)
		if delete(w.holds, o.Args[0]); known {
			w.holds[o.Args[0]] = before
		}
		if !more {
			return false
		}
	}
	return true
}

// throughAll calls f for the ways through ifs, one behind the other.
func throughAll(ifs []*ssair.Op, w way, f func(way) bool) bool {
	if len(ifs) == 0 {
		return f(w)
	}
	return eachWay(ifs[0], w, func(w way) bool { return throughAll(ifs[1:], w, f) })
}

// end returns what v is on this way.
func (w way) end(v *ssair.Value) *ssair.Value {
	for range 8 {
		x, ok := w.is[v]
		if !ok {
			break
		}
		v = x
	}
	return v
}

// constant returns the value of an int or a bool on this way.
func (w way) constant(v *ssair.Value, depth int) constant.Value {
	v = w.end(v)
	if c := constVal(v); c != nil {
		return c
	}
	if truth, ok := w.eval(v, depth-1); ok {
		return constant.MakeBool(truth)
	}
	return nil
}

// eval returns the value of a condition on this way.
func (w way) eval(v *ssair.Value, depth int) (truth, ok bool) {
	if depth == 0 || !ssair.IsBool(v.Type) {
		return false, false
	}
	if truth, ok := w.holds[v]; ok {
		return truth, true
	}
	if x, ok := w.is[v]; ok {
		return w.eval(x, depth-1)
	}
	if c := constVal(v); c != nil && c.Kind() == constant.Bool {
		return constant.BoolVal(c), true
	}
	d := v.Def
	if d == nil {
		return false, false
	}
	switch d.Kind {
	case ssair.Un:
		if d.Tok == token.NOT {
			truth, ok = w.eval(d.Args[0], depth-1)
			return !truth, ok
		}
	case ssair.Cmp:
		if d.Tok != token.EQL && d.Tok != token.NEQ || ssair.IsFloat(d.Args[0].Type) {
			return false, false
		}
		if c := d.Args[1].Def; c != nil && c.Kind == ssair.Zero && ssair.IsRef(d.Args[0].Type) {
			isNil, ok := nilness(w.end(d.Args[0]))
			return isNil == (d.Tok == token.EQL), ok
		}
		x, y := w.constant(d.Args[0], depth), w.constant(d.Args[1], depth)
		if x == nil || y == nil {
			return false, false
		}
		return constant.Compare(x, d.Tok, y), true
	case ssair.If:
		if len(d.Results) != 1 {
			return false, false
		}
		c, ok := w.eval(d.Args[0], depth-1)
		if !ok {
			return false, false
		}
		arm := d.Regions[1]
		if c {
			arm = d.Regions[0]
		}
		if t := arm.Term(); t.Kind == ssair.Yield {
			return w.eval(t.Args[0], depth-1)
		}
	}
	return false, false
}

// sink moves the ops of r behind the if at i, up to the one at j, into its arms.
func sink(r *ssair.Region, i, j int) {
	o := r.Ops[i]
	moved := append([]*ssair.Op(nil), r.Ops[i+1:j+1]...)
	r.Ops = append(r.Ops[:i+1:i+1], r.Ops[j+1:]...)
	// What the rest uses of the moved ops becomes results of o.
	inside := map[*ssair.Value]bool{}
	for _, x := range moved {
		for _, v := range x.Results {
			inside[v] = true
		}
	}
	var out []*ssair.Value
	needed := map[*ssair.Value]bool{}
	see := func(x *ssair.Op) bool {
		for _, a := range x.Args {
			if inside[a] && !needed[a] {
				needed[a] = true
				out = append(out, a)
			}
		}
		return true
	}
	for _, x := range r.Ops[i+1:] {
		see(x)
		for _, n := range x.Regions {
			n.Walk(see)
		}
	}
	repl := map[*ssair.Value]*ssair.Value{}
	for _, v := range out {
		repl[v] = o.AddResult(v.Type, v.Var)
	}
	for _, arm := range o.Regions {
		t := arm.Term()
		if t.Kind != ssair.Yield {
			continue
		}
		m := ssair.ValueMap{}
		for k := range len(t.Args) {
			m[o.Results[k]] = t.Args[k]
		}
		b := ssair.NewBuilder(arm)
		b.Before = t
		for _, x := range moved {
			b.CloneOp(x, m)
		}
		for _, v := range out {
			t.Args = append(t.Args, m.Get(v))
		}
	}
	for _, x := range r.Ops[i+1:] {
		for k, a := range x.Args {
			if n := repl[a]; n != nil {
				x.Args[k] = n
			}
		}
		for _, n := range x.Regions {
			n.ReplaceAll(repl)
		}
	}
}
