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
		if a.Kind != ssair.If || !joinable(a) {
			continue
		}
		for j := i + 1; j < len(r.Ops); j++ {
			b := r.Ops[j]
			if b.Kind == ssair.If && b.Args[0] == a.Args[0] {
				if arrange(r, i, j) {
					return true
				}
				break
			}
		}
	}
	return false
}

// arrange brings the ifs at i and j together and joins them, if what stands
// between them can go in front of both or behind both.
func arrange(r *ssair.Region, i, j int) bool {
	a, b := r.Ops[i], r.Ops[j]
	between := r.Ops[i+1 : j]
	// What b needs of it goes in front.
	needed := map[*ssair.Value]bool{}
	need := func(o *ssair.Op) {
		for _, v := range o.Args {
			needed[v] = true
		}
		for _, g := range o.Regions {
			g.Walk(func(x *ssair.Op) bool {
				for _, v := range x.Args {
					needed[v] = true
				}
				return true
			})
		}
	}
	need(b)
	own := map[*ssair.Value]bool{}
	for _, v := range a.Results {
		own[v] = true
	}
	front := map[*ssair.Op]bool{}
	for k := len(between) - 1; k >= 0; k-- {
		x := between[k]
		for _, v := range x.Results {
			if needed[v] {
				front[x] = true
			}
		}
		if front[x] {
			need(x)
		}
	}
	var ahead, after []*ssair.Op
	var al *Aliases
	if effects(a) || effects(b) {
		al = FindAliases(r.Func)
	}
	for _, x := range between {
		if len(x.Regions) > 0 || !x.Kind.IsPure() && x.Kind != ssair.Load && x.Kind != ssair.Alloc {
			return false
		}
		if al != nil && !Removable(x) {
			return false // it may panic, before or behind an effect
		}
		if front[x] {
			for _, v := range x.Args {
				if own[v] {
					return false // it depends on the first if
				}
			}
			if x.Kind == ssair.Load && disturbs(a, x, al) {
				return false
			}
			ahead = append(ahead, x)
			continue
		}
		if x.Kind == ssair.Load && disturbs(b, x, al) {
			return false
		}
		after = append(after, x)
	}
	ops := append([]*ssair.Op{}, r.Ops[:i]...)
	ops = append(ops, ahead...)
	k := len(ops)
	ops = append(ops, a, b)
	ops = append(ops, after...)
	ops = append(ops, r.Ops[j+1:]...)
	r.Ops = ops
	joinIfs(r, k, k+1)
	return true
}

// effects reports whether the arms of o write memory.
func effects(o *ssair.Op) bool {
	found := false
	for _, g := range o.Regions {
		g.Walk(func(x *ssair.Op) bool {
			found = found || x.Kind.Writes()
			return !found
		})
	}
	return found
}

// disturbs reports whether the arms of o may write what the load x reads.
func disturbs(o, x *ssair.Op, al *Aliases) bool {
	if al == nil {
		return false
	}
	found := false
	for _, g := range o.Regions {
		g.Walk(func(w *ssair.Op) bool {
			switch w.Kind {
			case ssair.Store, ssair.Accum:
				found = found || al.MayAlias(w.Base(), w.Stored().Type, x.Base(), x.Result().Type) && !Apart(w, x)
			default:
				found = found || w.Kind.Writes()
			}
			return !found
		})
	}
	return found
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
