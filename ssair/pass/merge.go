package pass

import "github.com/quabla/quabla/ssair"

// MergeIfs joins ifs that follow each other and decide by the same condition,
// as the forward and the reverse sweep of one if do.
func MergeIfs(f *ssair.Func) bool {
	changed := false
	var visit func(r *ssair.Region)
	visit = func(r *ssair.Region) {
		for mergeIn(r) {
			changed = true
		}
		for _, o := range r.Ops {
			for _, g := range o.Regions {
				visit(g)
			}
		}
	}
	visit(f.Body)
	return changed
}

func mergeIn(r *ssair.Region) bool {
	for i, a := range r.Ops {
		if a.Kind != ssair.If {
			continue
		}
		for j := i + 1; j < len(r.Ops); j++ {
			b := r.Ops[j]
			if b.Kind == ssair.If && b.Args[0] == a.Args[0] && joinable(a) {
				joinIfs(r, i, j)
				return true
			}
			if !passes(a, b) {
				break
			}
		}
	}
	return false
}

// joinable reports whether both arms of a come to their ends.
func joinable(a *ssair.Op) bool {
	for _, g := range a.Regions {
		if g.Term().Kind != ssair.Yield {
			return false
		}
	}
	return true
}

// passes reports whether the if a may be moved behind x.
func passes(a, x *ssair.Op) bool {
	if len(x.Regions) > 0 || !x.Kind.IsPure() && x.Kind != ssair.Alloc {
		return false
	}
	for _, v := range x.Args {
		for _, r := range a.Results {
			if v == r {
				return false
			}
		}
	}
	return true
}

// joinIfs moves the arms of the if at index i in front of those of the one at
// index j.
func joinIfs(r *ssair.Region, i, j int) {
	a, b := r.Ops[i], r.Ops[j]
	for k, g := range a.Regions {
		t := g.Term()
		h := b.Regions[k]
		ops := g.Ops[:len(g.Ops)-1]
		m := map[*ssair.Value]*ssair.Value{}
		for n, v := range a.Results {
			m[v] = t.Args[n]
		}
		h.ReplaceAll(m)
		for _, x := range ops {
			x.Parent = h
		}
		h.Ops = append(append([]*ssair.Op{}, ops...), h.Ops...)
		if y := h.Term(); y.Kind == ssair.Yield {
			y.Args = append(append([]*ssair.Value{}, t.Args...), y.Args...)
		}
	}
	for _, v := range a.Results {
		v.Def = b
	}
	b.Results = append(append([]*ssair.Value{}, a.Results...), b.Results...)
	r.Ops = append(r.Ops[:i:i], r.Ops[i+1:]...)
}
