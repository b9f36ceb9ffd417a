package lift

import (
	"cmp"
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"github.com/quabla/quabla/ssair"
)

// A deferStack stands for the statements that defer calls in one outermost loop of a
// function. Each time that one is reached, it appends a record to a slice: the
// number of the statement, and what its call needs. When the function ends, the
// records are taken from the last to the first.
type deferStack struct {
	fr    *frame
	list  []*deferred
	typ   *types.Named // of the records
	cell  *ssair.Value // holds the slice
	all   *ssair.Value // the slice, when the function ends
	index *ssair.Value // of the record that is taken
	which *ssair.Value // its number, if there are several statements
	arms  [][]*ssair.Op
	parts []part
}

// A part is a field of the records: a value that the call of list[of] uses.
type part struct {
	of   int
	v    *ssair.Value
	name string
	// held says that v is the address of a variable whose value is kept instead.
	held bool
}

// runLoop runs what the statements in list have deferred.
func (fr *frame) runLoop(list []*deferred) {
	s := &deferStack{fr: fr}
	for _, d := range list {
		if d.run != nil && fr.irfn.Body.Contains(d.anchor.Parent) { // it was reached
			s.list = append(s.list, d)
		}
	}
	if len(s.list) == 0 {
		return
	}
	mod, first := fr.l.Mod, s.list[0]
	s.typ = mod.AddType(cmp.Or(mod.Prefix, "local")+"Deferred", fmt.Sprintf("holds what a call that %s defers needs.", fr.name), first.stmt.Pos())
	start := ssair.NewBuilder(first.armed.Def.Parent)
	start.Before, start.Pos = first.armed.Def, first.stmt.Pos()
	s.cell = start.Alloc(types.NewSlice(s.typ), &ssair.Var{Name: "deferred"})
	s.all = fr.b.Load(s.cell, nil)
	s.arms = make([][]*ssair.Op, len(s.list))
	n := fr.b.Len(s.all)
	loop := fr.b.Each(n, "i", func(i *ssair.Value) {
		s.index = fr.b.Bin(token.SUB, fr.b.Bin(token.SUB, n, fr.b.Int(1)), i)
		if len(s.list) > 1 {
			s.which = fr.b.Int(0) // a load, once there is a type
		}
		s.arm(0)
	})
	s.find()
	s.fields()
	s.take(loop.BodyRegion())
	s.push()
}

// arm lifts the call of list[k] where the record is of it, and the later ones else.
func (s *deferStack) arm(k int) {
	fr := s.fr
	run := func() flow {
		region := fr.b.Region
		first := len(region.Ops)
		fr.attempt(s.list[k])
		s.arms[k] = slices.Clone(region.Ops[first:])
		return fallsThrough
	}
	if k == len(s.list)-1 {
		run()
		return
	}
	fr.ifElse(fr.b.Cmp(token.EQL, s.which, fr.b.Int(k)), run, func() flow {
		s.arm(k + 1)
		return fallsThrough
	})
}

// find collects what the calls use that was made in the loop.
func (s *deferStack) find() {
	names := map[string]bool{"which": true}
	for k, ops := range s.arms {
		seen := map[*ssair.Value]bool{s.all: true, s.index: true}
		for _, o := range nested(ops) {
			for _, v := range o.Args {
				if !foreign(v, o) || seen[v] {
					continue
				}
				seen[v] = true
				base := v.Name()
				if !token.IsIdentifier(base) {
					base = "v"
				}
				name := base
				for n := 1; names[name]; n++ {
					name = fmt.Sprintf("%s%d", base, n)
				}
				names[name] = true
				s.parts = append(s.parts, part{k, v, name, s.fixed(s.list[k], v)})
			}
		}
	}
}

// fixed reports whether v is the address of a variable that is not changed once
// the call of d is deferred, so that its value serves as well.
func (s *deferStack) fixed(d *deferred, v *ssair.Value) bool {
	if v.Def == nil || v.Def.Kind != ssair.Alloc {
		return false
	}
	ok, stores := true, 0
	s.fr.irfn.Body.Walk(func(o *ssair.Op) bool {
		for i, a := range o.Args {
			switch {
			case a != v:
			case o.Kind == ssair.Load:
			case o.Kind == ssair.Store && i == 0 && len(o.Path) == 0 && before(o, d.anchor):
				stores++
			default:
				ok = false
			}
		}
		return ok
	})
	return ok && stores <= 1
}

// before reports whether o stands in front of p, in a region around it.
func before(o, p *ssair.Op) bool {
	for _, x := range o.Parent.Ops {
		if x == p {
			return false
		}
		for _, r := range x.Regions {
			if r.Contains(p.Parent) {
				return false
			}
		}
		if x == o {
			return o.Parent.Contains(p.Parent)
		}
	}
	return false
}

// fields makes the type of the records.
func (s *deferStack) fields() {
	var fields []*types.Var
	add := func(name string, t types.Type) {
		fields = append(fields, types.NewField(token.NoPos, s.fr.l.Mod.Pkg, name, t, false))
	}
	if s.which != nil {
		add("which", ssair.Int)
	}
	for _, p := range s.parts {
		add(p.name, p.typ())
	}
	s.typ.SetUnderlying(types.NewStruct(fields, nil))
}

func (p part) typ() types.Type {
	if p.held {
		return ssair.Deref(p.v.Type)
	}
	return p.v.Type
}

// take makes the calls use the records.
func (s *deferStack) take(body *ssair.Region) {
	first := 0
	field := func(b *ssair.Builder, i int) *ssair.Value {
		b.Safe = true
		return b.Load(s.all, []ssair.Step{ssair.Elem, ssair.Field(i)}, s.index)
	}
	if s.which != nil {
		b := ssair.NewBuilder(body)
		b.Before, b.Pos = s.which.Def, s.which.Def.Pos
		body.ReplaceAll(map[*ssair.Value]*ssair.Value{s.which: field(b, 0)})
		s.which.Def.Remove()
		first = 1
	}
	for i, p := range s.parts {
		ops := s.arms[p.of]
		b := ssair.NewBuilder(ops[0].Parent)
		b.Before, b.Pos = ops[0], ops[0].Pos
		v := field(b, first+i)
		if v.Var = p.v.Var; p.held {
			c := b.Alloc(p.typ(), p.v.Var)
			b.Store(c, nil, v)
			v = c
		}
		for _, o := range nested(ops) {
			for k, a := range o.Args {
				if a == p.v {
					o.Args[k] = v
				}
			}
		}
	}
}

// push makes the statements append their records.
func (s *deferStack) push() {
	for k, d := range s.list {
		b := ssair.NewBuilder(d.anchor.Parent)
		b.Before, b.Safe, b.Pos, b.Stmt = d.anchor, true, d.stmt.Pos(), d.anchor.Stmt
		var vs []*ssair.Value
		if s.which != nil {
			vs = append(vs, b.Int(k))
		}
		for _, p := range s.parts {
			switch {
			case p.of != k:
				vs = append(vs, b.Zero(p.typ()))
			case p.held:
				vs = append(vs, b.Load(p.v, nil))
			default:
				vs = append(vs, p.v)
			}
		}
		old := b.Load(s.cell, nil)
		b.Store(s.cell, nil, b.Op(ssair.Append, []*ssair.Value{old, b.Build(s.typ, vs...)}, old.Type).Result())
		d.anchor.Remove()
	}
}
