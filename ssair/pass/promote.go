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

// maxLeaves is the number of parts up to which an aggregate is taken apart.
const maxLeaves = 16

// leaves returns the paths to the parts of t that are no aggregates, or nil
// when there are too many.
func leaves(t types.Type) [][]int {
	var out [][]int
	ok := true
	var visit func(t types.Type, path []int)
	visit = func(t types.Type, path []int) {
		if len(out) > maxLeaves {
			ok = false
			return
		}
		switch u := t.Underlying().(type) {
		case *types.Struct:
			for i := range u.NumFields() {
				if u.Field(i).Name() != "_" {
					visit(u.Field(i).Type(), append(path[:len(path):len(path)], i))
				}
			}
		case *types.Array:
			if u.Len() > maxLeaves {
				ok = false
				return
			}
			for i := range int(u.Len()) {
				visit(u.Elem(), append(path[:len(path):len(path)], i))
			}
		default:
			out = append(out, path)
		}
	}
	visit(t, nil)
	if !ok || len(out) > maxLeaves {
		return nil
	}
	return out
}

// private are packages whose structs have parts that generated code cannot name, or
// that must not be copied, such as locks.
var private = map[string]bool{
	"sync": true, "sync/atomic": true, "time": true, "reflect": true, "math/big": true, "math/rand": true, "math/rand/v2": true,
	"net/netip": true, "strings": true, "bytes": true, "bufio": true,
}

// noCopy reports whether values of type t must not be copied part by part by code of
// the package home: it cannot name all parts, or there is a lock.
func noCopy(home *types.Package, t types.Type) bool {
	found := false
	var visit func(t types.Type)
	visit = func(t types.Type) {
		if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() != nil {
			if private[n.Obj().Pkg().Path()] || home != nil && n.Obj().Pkg() != home && hides(n) {
				found = true
				return
			}
		}
		switch u := t.Underlying().(type) {
		case *types.Struct:
			for i := range u.NumFields() {
				visit(u.Field(i).Type())
			}
		case *types.Array:
			visit(u.Elem())
		}
	}
	visit(t)
	return found
}

// hides reports whether t is a struct with fields that other packages cannot name.
func hides(t *types.Named) bool {
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range s.Fields() {
		if !f.Exported() {
			return true
		}
	}
	return false
}

// placeOf splits a part of an aggregate into steps and constant indices.
func placeOf(b *ssair.Builder, t types.Type, path []int) ([]ssair.Step, []*ssair.Value) {
	var steps []ssair.Step
	var idx []*ssair.Value
	for _, p := range path {
		switch u := t.Underlying().(type) {
		case *types.Struct:
			steps = append(steps, ssair.Field(p))
			t = u.Field(p).Type()
		case *types.Array:
			steps = append(steps, ssair.Elem)
			idx = append(idx, b.Int(p))
			t = u.Elem()
		}
	}
	return steps, idx
}

// Explode takes apart the loads and stores of small aggregates, so that
// variables of struct and array type can be promoted part by part. Blank fields go.
func Explode(f *ssair.Func) bool {
	repl := map[*ssair.Value]*ssair.Value{}
	changed := false
	explodeRegion(f.Mod.Pkg, f.Body, repl, &changed)
	f.Body.ReplaceAll(repl)
	return changed
}

func explodeRegion(home *types.Package, r *ssair.Region, repl map[*ssair.Value]*ssair.Value, changed *bool) {
	ops := r.Ops
	r.Ops = nil
	b := ssair.NewBuilder(r)
	for _, o := range ops {
		for _, n := range o.Regions {
			explodeRegion(home, n, repl, changed)
		}
		b.Pos, b.Stmt, b.Call = o.Pos, o.Stmt, o.Call
		if blank(o) {
			*changed = true
			for _, v := range o.Results {
				repl[v] = b.Zero(v.Type)
			}
			continue
		}
		switch o.Kind {
		case ssair.Load:
			t := o.Result().Type
			if ls := explodable(home, t); ls != nil {
				*changed = true
				b.Safe = o.Safe
				repl[o.Result()] = loadParts(b, o, t, nil)
				b.Safe = false
				continue
			}
		case ssair.Store:
			t := o.Stored().Type
			if ls := explodable(home, t); ls != nil {
				*changed = true
				idx := o.Indices()
				b.Safe = true
				// All parts are read before the first is written.
				parts := make([]*ssair.Value, len(ls))
				for i, l := range ls {
					parts[i] = b.Extract(o.Stored(), l...)
				}
				for i, l := range ls {
					steps, more := placeOf(b, t, l)
					st := b.Store(o.Base(), append(o.Path[:len(o.Path):len(o.Path)], steps...), parts[i],
						append(idx[:len(idx):len(idx)], more...)...)
					st.Safe = o.Safe || i > 0
				}
				b.Safe = false
				continue
			}
		case ssair.Cmp:
			t := o.Args[0].Type
			if ssair.IsAggregate(t) {
				if ls := explodable(home, t); ls != nil && (o.Tok == token.EQL || o.Tok == token.NEQ) {
					*changed = true
					repl[o.Result()] = compareParts(b, o, ls)
					continue
				}
			}
		}
		b.Insert(o)
	}
}

// blank reports whether o is about a blank field, which no code can name. A transform treats
// it like the others.
func blank(o *ssair.Op) bool {
	var t types.Type
	switch o.Kind {
	case ssair.Load, ssair.Store, ssair.Accum:
		if t = ssair.Deref(o.Base().Type); t == nil {
			t = o.Base().Type
		}
	case ssair.Extract:
		t = o.Args[0].Type
	default:
		return false
	}
	for _, s := range o.Path {
		switch u := t.Underlying().(type) {
		case *types.Struct:
			if u.Field(s.Field).Name() == "_" {
				return true
			}
			t = u.Field(s.Field).Type()
		default:
			t = ssair.ElemType(t)
		}
	}
	return false
}

func explodable(home *types.Package, t types.Type) [][]int {
	if !ssair.IsAggregate(t) || noCopy(home, t) {
		return nil
	}
	return leaves(t)
}

func loadParts(b *ssair.Builder, o *ssair.Op, t types.Type, path []int) *ssair.Value {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		parts := make([]*ssair.Value, u.NumFields())
		for i := range parts {
			if f := u.Field(i); f.Name() == "_" {
				parts[i] = b.Zero(f.Type())
			} else {
				parts[i] = loadParts(b, o, f.Type(), append(path[:len(path):len(path)], i))
			}
		}
		return b.Build(t, parts...)
	case *types.Array:
		parts := make([]*ssair.Value, u.Len())
		for i := range parts {
			parts[i] = loadParts(b, o, u.Elem(), append(path[:len(path):len(path)], i))
		}
		return b.Build(t, parts...)
	}
	steps, more := placeOf(b, o.Result().Type, path)
	idx := o.Indices()
	return b.Load(o.Base(), append(o.Path[:len(o.Path):len(o.Path)], steps...), append(idx[:len(idx):len(idx)], more...)...)
}

// compareParts compares two aggregates part by part.
func compareParts(b *ssair.Builder, o *ssair.Op, ls [][]int) *ssair.Value {
	var all *ssair.Value
	for _, l := range ls {
		c := b.Cmp(token.EQL, b.Extract(o.Args[0], l...), b.Extract(o.Args[1], l...))
		if all == nil {
			all = c
		} else {
			all = b.Bin(token.AND, all, c)
		}
	}
	if all == nil {
		all = b.Bool(true)
	}
	if o.Tok == token.NEQ {
		all = b.Un(token.NOT, all)
	}
	return all
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
