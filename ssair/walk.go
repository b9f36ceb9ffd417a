package ssair

// Walk calls visit for every op of r and of its nested regions, in order. An
// op is visited before the ops nested in it; visit returning false skips them.
func (r *Region) Walk(visit func(*Op) bool) {
	for _, o := range r.Ops {
		if !visit(o) {
			continue
		}
		for _, n := range o.Regions {
			n.Walk(visit)
		}
	}
}

// A Use is one place where a value is an operand.
type Use struct {
	Op  *Op
	Arg int
}

// Uses maps each value to the places where it is used.
type Uses map[*Value][]Use

// UsesIn collects the uses of all values in r and its nested regions.
func UsesIn(r *Region) Uses {
	u := Uses{}
	r.Walk(func(o *Op) bool {
		for i, a := range o.Args {
			if a != nil {
				u[a] = append(u[a], Use{o, i})
			}
		}
		return true
	})
	return u
}

// ReplaceAll replaces operands in r and its nested regions according to m.
// Replacements are followed through m, so chains are resolved.
func (r *Region) ReplaceAll(m map[*Value]*Value) {
	if len(m) == 0 {
		return
	}
	r.Walk(func(o *Op) bool {
		for i, a := range o.Args {
			for a != nil {
				n, ok := m[a]
				if !ok {
					break
				}
				a = n
			}
			o.Args[i] = a
		}
		return true
	})
}

// Contains reports whether region inner is r or is nested in r.
func (r *Region) Contains(inner *Region) bool {
	for inner != nil {
		if inner == r {
			return true
		}
		if inner.Parent == nil {
			return false
		}
		inner = inner.Parent.Parent
	}
	return false
}

// Loop returns the innermost loop around r, or nil.
func (r *Region) Loop() *Op {
	for r.Parent != nil && r.Parent.Kind != Loop {
		r = r.Parent.Parent
	}
	return r.Parent
}

// Depth returns how many ops region r is nested in.
func (r *Region) Depth() int {
	n := 0
	for r.Parent != nil {
		n++
		r = r.Parent.Parent
	}
	return n
}

// EachValue calls visit for every value that ops of f make, and every parameter of a
// region inside of it; those of f itself are not among them.
func (f *Func) EachValue(visit func(*Value)) {
	f.Body.Walk(func(o *Op) bool {
		for _, v := range o.Results {
			visit(v)
		}
		for _, r := range o.Regions {
			for _, v := range r.Params {
				visit(v)
			}
		}
		return true
	})
}

// Remove deletes o from its region.
func (o *Op) Remove() {
	ops := o.Parent.Ops
	for i, x := range ops {
		if x == o {
			o.Parent.Ops = append(ops[:i:i], ops[i+1:]...)
			return
		}
	}
}

// A ValueMap maps values of one region to their copies.
type ValueMap map[*Value]*Value

// Get returns the copy of v, or v itself when it was not copied.
func (m ValueMap) Get(v *Value) *Value {
	if n, ok := m[v]; ok {
		return n
	}
	return v
}

// CloneOp appends a copy of o with its regions to the builder's place. Operands
// are mapped through m, and m learns the results and parameters.
func (b *Builder) CloneOp(o *Op, m ValueMap) *Op {
	c := *o
	c.Results, c.Regions = nil, nil
	c.Args = make([]*Value, len(o.Args))
	for i, a := range o.Args {
		if a != nil {
			c.Args[i] = m.Get(a)
		}
	}
	if o.Loop != nil {
		l := *o.Loop
		c.Loop = &l
	}
	if b.Replay != 0 {
		c.Replay = b.Replay
	}
	b.Insert(&c)
	for _, r := range o.Results {
		v := b.Func().NewValue(r.Type, r.Var)
		v.Def = &c
		c.Results = append(c.Results, v)
		m[r] = v
	}
	for _, r := range o.Regions {
		n := c.AddRegion()
		b.CloneRegion(n, r, m)
	}
	return &c
}

// CloneRegion fills the empty region dst with a copy of src.
func (b *Builder) CloneRegion(dst, src *Region, m ValueMap) {
	for _, p := range src.Params {
		m[p] = dst.AddParam(p.Type, p.Var)
	}
	in := b.At(dst)
	for _, o := range src.Ops {
		in.CloneOp(o, m)
	}
}

// CloneFunc adds a copy of f with the given name to its module.
func (f *Func) CloneFunc(name string) *Func {
	g := f.Mod.NewFunc(name)
	g.Obj, g.Pos, g.Doc = f.Obj, f.Pos, f.Doc
	g.Results = append([]Result(nil), f.Results...)
	m := ValueMap{}
	for _, p := range f.Params {
		v := g.NewValue(p.Type, p.Var)
		v.Home = g.Body
		g.Params = append(g.Params, v)
		m[p] = v
	}
	NewBuilder(g.Body).CloneRegion(g.Body, f.Body, m)
	return g
}

// EachCallee calls visit for f and for all functions that it calls, directly or not;
// with rules also for those that are their rules.
func (f *Func) EachCallee(rules bool, visit func(*Func)) {
	seen := map[*Func]bool{nil: true}
	var walk func(f *Func)
	walk = func(f *Func) {
		if seen[f] {
			return
		}
		seen[f] = true
		visit(f)
		if r := f.Rule; r != nil && rules {
			for _, h := range []*Func{r.JVP, r.VJP, r.Fwd, r.Bwd} {
				walk(h)
			}
		}
		f.Body.Walk(func(o *Op) bool {
			walk(o.Callee)
			return true
		})
	}
	walk(f)
}
