package deriv

import (
	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// prepare returns a copy of f in the form that the transforms expect.
func (t *transforms) prepare(f *ssair.Func) *ssair.Func {
	r := t.resolve(f)
	g := r.CloneFunc(f.Name)
	t.bares[g] = t.bare(f, r)
	g.Mod.Funcs = g.Mod.Funcs[:len(g.Mod.Funcs)-1] // it is not part of the module
	pass.Tidy(g)
	pass.Conjoin(g)
	g.Body.Walk(func(o *ssair.Op) bool {
		if o.Kind == ssair.Loop {
			mergePost(o)
		}
		return true
	})
	return g
}

// mergePost moves the post part of a loop into its body, unless it leaves the
// numbers and references that the loop carries alone. Reverse mode then has
// only bodies to undo.
func mergePost(o *ssair.Op) {
	post, body := o.Post(), o.BodyRegion()
	t := post.Term()
	if t.Kind != ssair.Yield || body.Term().Kind != ssair.Yield {
		return
	}
	same := true
	for k, v := range t.Args {
		if ssair.ReachesScalar(v.Type) && v != post.Params[k] {
			same = false
		}
	}
	for _, x := range post.Ops {
		if x.Kind.Writes() || len(x.Regions) > 0 {
			same = false
		}
	}
	if same {
		return
	}
	y := body.Term()
	first := 0
	if o.Loop.Break {
		first = 1
	}
	m := ssair.ValueMap{}
	for k, p := range post.Params {
		m[p] = y.Args[first+k]
	}
	if first == 0 {
		b := ssair.NewBuilder(body)
		b.Before = y
		for _, x := range post.Ops[:len(post.Ops)-1] {
			b.CloneOp(x, m)
		}
		for k, v := range t.Args {
			y.Args[k] = m.Get(v)
		}
	} else {
		// Only if the loop goes on.
		b := ssair.NewBuilder(body)
		b.Before = y
		op := b.If(y.Args[0])
		in := b.At(op.Regions[0])
		for _, x := range post.Ops[:len(post.Ops)-1] {
			in.CloneOp(x, m)
		}
		var vs []*ssair.Value
		for _, v := range t.Args {
			vs = append(vs, m.Get(v))
		}
		in.Yield(vs...)
		b.At(op.Regions[1]).Yield(y.Args[1:]...)
		for k, v := range t.Args {
			y.Args[1+k] = op.AddResult(v.Type, v.Var)
		}
	}
	post.Ops = nil
	ssair.NewBuilder(post).Yield(post.Params...)
}
