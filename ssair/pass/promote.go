package pass

import (
	"go/constant"
	"go/token"
	"go/types"
	"strconv"
	"unicode"

	"github.com/quabla/quabla/ssair"
)

// FoldAddrs merges address computations into the loads and stores that use
// them: a load through &p.f becomes a load of p.f.
func FoldAddrs(f *ssair.Func) bool {
	changed := false
	f.Body.Walk(func(o *ssair.Op) bool {
		switch o.Kind {
		case ssair.Load, ssair.Store, ssair.Accum, ssair.Addr:
			for o.Base().Def != nil && o.Base().Def.Kind == ssair.Addr {
				a := o.Base().Def
				args := append([]*ssair.Value{}, a.Args...)
				args = append(args, o.Args[1:]...)
				o.Path = append(a.Path[:len(a.Path):len(a.Path)], o.Path...)
				o.Args = args
				changed = true
			}
		}
		return true
	})
	return changed
}

// A cellUse collects how the cell of an Alloc is used.
type cellUse struct {
	alloc   *ssair.Op
	ops     []*ssair.Op
	escapes bool // used other than as the base of a load or store
	whole   bool // some access covers a part that is itself an aggregate
	dynamic bool // some index is not constant
}

// cellUses returns the cells of f in the order of their allocation.
func cellUses(f *ssair.Func) []*cellUse {
	cells := map[*ssair.Value]*cellUse{}
	var order []*cellUse
	f.Body.Walk(func(o *ssair.Op) bool {
		if o.Kind == ssair.Alloc {
			c := &cellUse{alloc: o}
			cells[o.Result()] = c
			order = append(order, c)
		}
		return true
	})
	f.Body.Walk(func(o *ssair.Op) bool {
		for i, a := range o.Args {
			c := cells[a]
			if a == nil || c == nil {
				continue
			}
			base := i == 0 && (o.Kind == ssair.Load || o.Kind == ssair.Store || o.Kind == ssair.Accum)
			if !base {
				c.escapes = true
				continue
			}
			c.ops = append(c.ops, o)
			if t := ssair.PlaceType(a.Type, o.Path); ssair.IsAggregate(t) {
				c.whole = true
			}
			for _, x := range o.Indices() {
				if x.Def == nil || x.Def.Kind != ssair.Const {
					c.dynamic = true
				}
			}
		}
		return true
	})
	return order
}

// SplitCells replaces the cell of a struct or array by one cell for each part
// when every access names its part with constants.
func SplitCells(f *ssair.Func) bool {
	changed := false
	for _, c := range cellUses(f) {
		p, t := c.alloc.Result(), c.alloc.Type
		if !ssair.IsAggregate(t) || c.escapes || c.whole || c.dynamic {
			continue
		}
		ls := leaves(t)
		if ls == nil || !inRange(c, t) {
			continue
		}
		changed = true
		b := ssair.NewBuilder(c.alloc.Parent)
		b.Before, b.Pos = c.alloc, c.alloc.Pos
		parts := map[string]*ssair.Value{}
		for _, l := range ls {
			parts[pathKey(l)] = b.Alloc(leafType(t, l), leafVar(p.Var, t, l))
		}
		for _, o := range c.ops {
			o.Args = append([]*ssair.Value{parts[pathKey(constPath(o))]}, o.Args[1+len(o.Indices()):]...)
			o.Path = nil
			o.Safe = true
		}
		c.alloc.Remove()
	}
	return changed
}

func inRange(c *cellUse, t types.Type) bool {
	for _, o := range c.ops {
		u := t
		for _, i := range constPath(o) {
			if a, ok := u.Underlying().(*types.Array); ok && (i < 0 || int64(i) >= a.Len()) {
				return false
			}
			u = partType(u, i)
		}
	}
	return true
}

// constPath returns the path of an access whose indices are constants.
func constPath(o *ssair.Op) []int {
	var path []int
	idx := o.Indices()
	for _, s := range o.Path {
		if s.IsField() {
			path = append(path, s.Field)
			continue
		}
		n, _ := constant.Int64Val(constant.ToInt(idx[0].Def.Val))
		path, idx = append(path, int(n)), idx[1:]
	}
	return path
}

func pathKey(path []int) string {
	s := ""
	for _, p := range path {
		s += "." + strconv.Itoa(p)
	}
	return s
}

func partType(t types.Type, i int) types.Type {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		return u.Field(i).Type()
	case *types.Array:
		return u.Elem()
	}
	return nil
}

func leafType(t types.Type, path []int) types.Type {
	for _, i := range path {
		t = partType(t, i)
	}
	return t
}

// leafVar names the part of the variable v at path: s.val becomes sVal, a[2]
// becomes a2.
func leafVar(v *ssair.Var, t types.Type, path []int) *ssair.Var {
	if v == nil {
		return nil
	}
	name := v.Name
	for _, i := range path {
		switch u := t.Underlying().(type) {
		case *types.Struct:
			r := []rune(u.Field(i).Name())
			if name != "" {
				r[0] = unicode.ToUpper(r[0])
			}
			name += string(r)
			t = u.Field(i).Type()
		case *types.Array:
			name += strconv.Itoa(i)
			t = u.Elem()
		}
	}
	return &ssair.Var{Name: name}
}

// Promote turns cells that need no memory into values: ifs and loops yield and
// carry what the cells would hold.
func Promote(f *ssair.Func) bool {
	p := &promoter{cells: map[*ssair.Value]bool{}, repl: map[*ssair.Value]*ssair.Value{}}
	for _, c := range cellUses(f) {
		ok := !c.escapes
		for _, o := range c.ops {
			ok = ok && len(o.Path) == 0
		}
		if ok {
			p.cells[c.alloc.Result()] = true
		}
	}
	if len(p.cells) == 0 {
		return false
	}
	p.stored = map[*ssair.Region][]*ssair.Value{}
	p.scan(f.Body)
	p.region(f.Body, map[*ssair.Value]*ssair.Value{})
	f.Body.ReplaceAll(p.repl)
	return true
}

type promoter struct {
	cells  map[*ssair.Value]bool
	stored map[*ssair.Region][]*ssair.Value // cells stored to in a region, nested ones included
	repl   map[*ssair.Value]*ssair.Value
}

// scan finds the cells that each region stores to, in the order of the stores.
func (p *promoter) scan(r *ssair.Region) []*ssair.Value {
	seen := map[*ssair.Value]bool{}
	var list []*ssair.Value
	add := func(v *ssair.Value) {
		if !seen[v] {
			seen[v] = true
			list = append(list, v)
		}
	}
	for _, o := range r.Ops {
		if (o.Kind == ssair.Store || o.Kind == ssair.Accum) && p.cells[o.Base()] {
			add(o.Base())
		}
		for _, n := range o.Regions {
			for _, v := range p.scan(n) {
				add(v)
			}
		}
	}
	p.stored[r] = list
	return list
}

func (p *promoter) get(v *ssair.Value) *ssair.Value {
	for {
		n, ok := p.repl[v]
		if !ok {
			return v
		}
		v = n
	}
}

// region rewrites r. env holds the value of each cell that is in scope; it is
// updated to what the cells hold at the end.
func (p *promoter) region(r *ssair.Region, env map[*ssair.Value]*ssair.Value) {
	ops := r.Ops
	r.Ops = nil
	b := ssair.NewBuilder(r)
	for _, o := range ops {
		b.Pos, b.Stmt, b.Call = o.Pos, o.Stmt, o.Call
		switch {
		case o.Kind == ssair.Alloc && p.cells[o.Result()]:
			env[o.Result()] = b.Zero(o.Type)
		case o.Kind == ssair.Load && p.cells[o.Base()]:
			p.repl[o.Result()] = env[o.Base()]
		case o.Kind == ssair.Store && p.cells[o.Base()]:
			v := p.get(o.Stored())
			if v.Var == nil && o.Base().Var != nil && v.Def != nil && v.Def.Kind != ssair.Const && v.Def.Kind != ssair.Zero {
				v.Var = o.Base().Var
			}
			env[o.Base()] = v
		case o.Kind == ssair.Accum && p.cells[o.Base()]:
			b.Loose = o.Loose
			v := b.Bin(token.ADD, p.get(env[o.Base()]), p.get(o.Stored()))
			b.Loose = false
			v.Var = o.Base().Var
			env[o.Base()] = v
		case o.Kind == ssair.If:
			b.Insert(o)
			p.ifOp(o, env)
		case o.Kind == ssair.Loop:
			b.Insert(o)
			p.loop(o, env)
		default:
			b.Insert(o)
		}
	}
}

func (p *promoter) ifOp(o *ssair.Op, env map[*ssair.Value]*ssair.Value) {
	assigned := p.assigned(o, env)
	var envs [2]map[*ssair.Value]*ssair.Value
	for i, n := range o.Regions {
		envs[i] = clone(env)
		p.region(n, envs[i])
	}
	for _, c := range assigned {
		var vs []*ssair.Value
		for i, n := range o.Regions {
			if n.Term().Kind == ssair.Yield {
				vs = append(vs, p.get(envs[i][c]))
			}
		}
		if len(vs) == 2 && vs[0] == vs[1] {
			env[c] = vs[0] // both arms see the same value from outside
			continue
		}
		for i, n := range o.Regions {
			if t := n.Term(); t.Kind == ssair.Yield {
				t.Args = append(t.Args, p.get(envs[i][c]))
			}
		}
		env[c] = o.AddResult(ssair.Deref(c.Type), c.Var)
	}
}

func (p *promoter) loop(o *ssair.Op, env map[*ssair.Value]*ssair.Value) {
	assigned := p.assigned(o, env)
	n := o.Carried()
	over := append([]*ssair.Value{}, o.Args[n:]...)
	inits := o.Args[:n:n]
	var envs [3]map[*ssair.Value]*ssair.Value
	for i := range envs {
		envs[i] = clone(env)
	}
	for _, c := range assigned {
		t := ssair.Deref(c.Type)
		inits = append(inits, p.get(env[c]))
		for i, r := range o.Regions {
			envs[i][c] = r.AddParam(t, c.Var)
		}
	}
	o.Args = append(inits, over...)
	for i, r := range o.Regions {
		p.region(r, envs[i])
	}
	for _, c := range assigned {
		for i, r := range o.Regions[1:] {
			if t := r.Term(); t.Kind == ssair.Yield {
				t.Args = append(t.Args, p.get(envs[i+1][c]))
			}
		}
		env[c] = o.AddResult(ssair.Deref(c.Type), c.Var)
	}
}

// assigned returns the cells in scope that the regions of o store to.
func (p *promoter) assigned(o *ssair.Op, env map[*ssair.Value]*ssair.Value) []*ssair.Value {
	seen := map[*ssair.Value]bool{}
	var list []*ssair.Value
	for _, r := range o.Regions {
		for _, c := range p.stored[r] {
			if _, ok := env[c]; ok && !seen[c] {
				seen[c] = true
				list = append(list, c)
			}
		}
	}
	return list
}

func clone(m map[*ssair.Value]*ssair.Value) map[*ssair.Value]*ssair.Value {
	c := make(map[*ssair.Value]*ssair.Value, len(m))
	for k, v := range m {
		c[k] = v
	}
	return c
}
