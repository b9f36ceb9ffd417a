package pass

import "github.com/quabla/quabla/ssair"

// Dissolve puts the bodies of functions that reverse mode computes again, which are
// the only trips of loops, in the place of these loops.
func Dissolve(f *ssair.Func) bool {
	var loops []*ssair.Op
	f.Body.Walk(func(o *ssair.Op) bool {
		if o.Kind == ssair.Loop && o.Loop.Checkpoint != nil && o.Loop.Checkpoint.Once {
			loops = append(loops, o)
		}
		return true
	})
	for _, o := range loops {
		dissolve(o)
	}
	return len(loops) > 0
}

// dissolve replaces o by the ops of its body.
func dissolve(o *ssair.Op) {
	t := o.BodyRegion().Term()
	if t.Kind == ssair.Unreachable { // nothing follows
		o.Loop.Checkpoint = nil
		return
	}
	b := ssair.NewBuilder(o.Parent)
	b.Before = o
	m := map[*ssair.Value]*ssair.Value{}
	for k, p := range o.BodyRegion().Params {
		m[p] = o.Args[k]
	}
	ops := o.BodyRegion().Ops
	for _, x := range ops[:len(ops)-1] {
		b.Insert(x)
	}
	first := len(t.Args) - o.Carried() // behind the flag that ends the loop
	for k, r := range o.Results {
		m[r] = t.Args[first+k]
	}
	f := o.Parent.Func
	o.Remove()
	f.Body.ReplaceAll(m)
}
