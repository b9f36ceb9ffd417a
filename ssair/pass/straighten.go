package pass

import "github.com/quabla/quabla/ssair"

// Straighten takes out of an if what runs only where the other arm has panicked or left
// for good: it stands behind the if, where no derivative has to ask again which arm was
// taken.
func Straighten(f *ssair.Func) bool {
	repl := map[*ssair.Value]*ssair.Value{}
	changed := false
	straighten(f.Body, repl, &changed)
	if len(repl) > 0 {
		f.Body.ReplaceAll(repl)
	}
	return changed
}

func straighten(r *ssair.Region, repl map[*ssair.Value]*ssair.Value, changed *bool) {
	for i := 0; i < len(r.Ops); i++ {
		o := r.Ops[i]
		for _, n := range o.Regions {
			straighten(n, repl, changed)
		}
		if o.Kind != ssair.If {
			continue
		}
		dead := 0
		if o.Regions[0].Term().Kind != ssair.Unreachable {
			dead = 1
		}
		arm := o.Regions[1-dead]
		t := arm.Term()
		if o.Regions[dead].Term().Kind != ssair.Unreachable || t.Kind != ssair.Yield || len(arm.Ops) == 1 && len(o.Results) == 0 {
			continue
		}
		*changed = true
		b := ssair.NewBuilder(r)
		if i+1 < len(r.Ops) {
			b.Before = r.Ops[i+1]
		}
		ops := arm.Ops
		for _, x := range ops[:len(ops)-1] {
			exposed(x)
			b.Insert(x)
		}
		for k, v := range o.Results {
			repl[v] = t.Args[k]
		}
		arm.Ops = nil
		o.Results = nil
		ssair.NewBuilder(arm).Yield()
	}
}

// exposed keeps ops that the condition of an if made safe, type assertions, from being
// moved in front of it.
func exposed(o *ssair.Op) {
	if o.Kind == ssair.TypeAssert {
		o.Safe = false
	}
	for _, r := range o.Regions {
		for _, x := range r.Ops {
			exposed(x)
		}
	}
}
