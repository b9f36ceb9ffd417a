package deriv

import (
	"fmt"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"

	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// The reverse sweep of a region is built with direct references to the values
// of the forward sweep. For a nested region these are not in scope. Exporting
// makes them available: a minimum cut chooses which values are computed again
// in the reverse region and which are saved. What an arm of an if saves becomes
// a result of the if; what a loop saves goes to a tape, a slice with one record
// for each trip.

// tapeMark marks the ops that make and extend tapes: nothing else refers to
// them, and every record is written before it is read.
const tapeMark = "tape"

// exportIf makes the values of an arm of the forward if c available in the
// region back that undoes it.
func (s *reverseSweep) exportIf(c *ssair.Op, arm, back *ssair.Region) {
	needed := neededIn(back, arm)
	if len(needed) == 0 {
		return
	}
	saved, again := s.choose(needed, arm)
	m := ssair.ValueMap{}
	for _, v := range saved {
		res := c.AddResult(v.Type, v.Var)
		for _, r := range c.Regions {
			t := r.Term()
			if t.Kind != ssair.Yield {
				continue
			}
			x := v
			if r != arm {
				b := ssair.NewBuilder(r)
				b.Before, b.Safe = t, true
				x = b.Zero(v.Type)
			}
			t.Args = append(t.Args, x)
		}
		m[v] = res
	}
	s.recompute(back, again, m)
}

// neededIn lists the values of region fwd that back uses, in order of use.
func neededIn(back, fwd *ssair.Region) []*ssair.Value {
	var list []*ssair.Value
	seen := map[*ssair.Value]bool{}
	back.Walk(func(o *ssair.Op) bool {
		for _, a := range o.Args {
			if a != nil && !seen[a] && a.Region() == fwd {
				seen[a] = true
				list = append(list, a)
			}
		}
		return true
	})
	return list
}

// recompute puts copies of the ops again at the start of back and makes back
// use the copies and the saved values in m.
func (s *reverseSweep) recompute(back *ssair.Region, again []*ssair.Op, m ssair.ValueMap) {
	ops := back.Ops
	back.Ops = nil
	b := ssair.NewBuilder(back)
	for _, o := range ops {
		// Loads of saved values come first.
		if s.front[o] {
			b.Insert(o)
		}
	}
	for _, o := range again {
		c := b.CloneOp(o, m)
		c.Safe = true
		if f := s.origin[o]; f != nil {
			s.origin[c] = f
		}
	}
	for _, o := range ops {
		if !s.front[o] {
			b.Insert(o)
		}
	}
	back.ReplaceAll(m)
}

// choose decides which of the needed values of region fwd are saved and which
// ops are computed again, the latter in their order.
func (s *reverseSweep) choose(needed []*ssair.Value, fwd *ssair.Region) (saved []*ssair.Value, again []*ssair.Op) {
	g := newCutGraph()
	var visit func(v *ssair.Value) int
	visit = func(v *ssair.Value) int {
		if n, ok := g.index[v]; ok {
			return n
		}
		n := g.node(v, saveCost(v.Type))
		if !s.again(v) || s.t.saveAll && !free(v) {
			g.source(n)
			return n
		}
		if c := againCost(v.Def); c > 0 {
			g.again(n, c)
		}
		for _, a := range v.Def.Args {
			if a != nil && a.Region() == fwd && s.known[a] == nil {
				g.edge(visit(a), n)
			}
		}
		return n
	}
	for _, v := range needed {
		g.sink(visit(v))
	}
	cut := g.cut()
	done := map[*ssair.Value]bool{}
	doneOp := map[*ssair.Op]bool{}
	var need func(v *ssair.Value)
	need = func(v *ssair.Value) {
		if done[v] {
			return
		}
		done[v] = true
		if cut[g.index[v]] {
			saved = append(saved, v)
			return
		}
		for _, a := range v.Def.Args {
			if a != nil && a.Region() == fwd && s.known[a] == nil {
				need(a)
			}
		}
		if !doneOp[v.Def] {
			doneOp[v.Def] = true
			again = append(again, v.Def)
		}
	}
	for _, v := range needed {
		need(v)
	}
	// In the order of the program, so that records read like it.
	at := map[*ssair.Op]int{}
	for i, o := range fwd.Ops {
		at[o] = i + 1
	}
	slices.SortStableFunc(saved, func(v, w *ssair.Value) int { return at[v.Def] - at[w.Def] })
	return saved, again
}

// free reports whether v is a constant.
func free(v *ssair.Value) bool {
	return v.Def != nil && (v.Def.Kind == ssair.Const || v.Def.Kind == ssair.Zero)
}

// again reports whether the reverse sweep may compute v again: the op is
// cheap, has no effect and finds the same operands and memory.
func (s *reverseSweep) again(v *ssair.Value) bool {
	o := v.Def
	if o == nil {
		return false
	}
	switch o.Kind {
	case ssair.Const, ssair.Zero, ssair.Bin, ssair.Un, ssair.Cmp, ssair.Extract, ssair.Len, ssair.Cap,
		ssair.Slice, ssair.Addr, ssair.Global, ssair.Build, ssair.TypeIs, ssair.StrIndex, ssair.TypeAssert:
		return true
	case ssair.Conv:
		return ssair.IsString(o.Args[0].Type) == ssair.IsString(v.Type)
	case ssair.Apply:
		return cheap(o)
	case ssair.Load:
		f := s.origin[o]
		return f != nil && s.mem.reload(f)
	}
	return false
}

var sizes = types.SizesFor("gc", "amd64")

// The costs are in units of half a floating-point operation. A number that is
// written to a tape and read again costs about two operations; computing it
// again costs more than its operations when they wait for each other, so that
// two of them are the most that is worth it.

// saveCost is the cost of saving a value.
func saveCost(t types.Type) int {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return 5
	}
	return max(4, int(sizes.Sizeof(t))*5/8) // small values take up more, with what lies between fields
}

// againCost is the cost of computing the results of o again.
func againCost(o *ssair.Op) int {
	switch o.Kind {
	case ssair.Const, ssair.Zero, ssair.Extract, ssair.Len, ssair.Cap, ssair.Addr, ssair.Global:
		return 0
	case ssair.Cmp:
		return 1
	case ssair.Bin:
		switch {
		case !ssair.IsScalar(o.Result().Type):
			return 0
		case o.Tok == token.QUO:
			return 8
		}
	}
	return 2
}

// exportLoop makes the values of the body of the forward loop c available in
// the body of the reverse loop q. index builds the number of the trip inside
// the reverse body.
func (s *reverseSweep) exportLoop(o *ssair.Op, st *loopState, c *ssair.Op, q reverseFor, index func() *ssair.Value) {
	fwd, back := c.BodyRegion(), q.BodyRegion()
	m := ssair.ValueMap{}
	for p, v := range s.known {
		if p.Home == fwd {
			m[p] = v
		}
	}
	back.ReplaceAll(m)
	needed := neededIn(back, fwd)
	saved, again := s.choose(needed, fwd)
	if len(saved) > 0 {
		s.tape(o, st, c, back, saved, index, m)
	}
	s.recompute(back, again, m)
}

// tape saves values of each trip of the forward loop c and loads them at the
// start of the region back; m learns the loaded values.
func (s *reverseSweep) tape(o *ssair.Op, st *loopState, c *ssair.Op, back *ssair.Region, saved []*ssair.Value, index func() *ssair.Value, m ssair.ValueMap) {
	elemType := saved[0].Type
	name := saved[0].Name()
	var paths [][]ssair.Step
	if len(saved) > 1 {
		elemType = s.recordType(saved, o)
		name = ""
		for i := range saved {
			paths = append(paths, []ssair.Step{ssair.Field(i)})
		}
	} else {
		paths = [][]ssair.Step{nil}
	}
	v := &ssair.Var{Name: "tape"}
	if name != "" {
		v.Name = name + "s"
	}
	sliceType := types.NewSlice(elemType)
	end := ssair.NewBuilder(c.BodyRegion())
	end.Before, end.Safe, end.Pos = behind(c.BodyRegion(), saved), true, o.Pos
	start := ssair.NewBuilder(back)
	start.Safe, start.Pos = true, o.Pos
	// The loads go to the front of the reverse body.
	rest := back.Ops
	back.Ops = nil
	load := func(tape, i *ssair.Value) {
		for k, x := range saved {
			y := start.Load(tape, join(elem(), paths[k]), i)
			y.Var = x.Var
			m[x] = y
		}
	}

	if c.Parent == s.scope.region && st.count != nil {
		b := ssair.NewBuilder(c.Parent)
		b.Before, b.Safe, b.Pos = c, true, o.Pos
		tape := b.MakeSlice(sliceType, s.tripBound(b, st, o), nil)
		tape.Def.Text = tapeMark
		tape.Var = v
		end.Before = c.BodyRegion().Ops[0]
		i := s.tripIndex(end, st, o, c)
		for k, x := range saved {
			// As early as possible: the variable may change afterwards.
			end.Before = behind(c.BodyRegion(), []*ssair.Value{x, i})
			end.Store(tape, join(elem(), paths[k]), x, i)
		}
		region, before := s.b.Region, s.b.Before
		s.b.Region, s.b.Before = back, nil
		j := index()
		s.b.Region, s.b.Before = region, before
		load(tape, j)
	} else {
		head := ssair.NewBuilder(s.scope.region)
		head.Before, head.Safe = s.scope.region.Ops[0], true
		around := s.scope.around
		if around != nil {
			head.Region, head.Before = around.Parent, around
		}
		tapeCell := head.Alloc(sliceType, v)
		empty := head.Zero(sliceType)
		empty.Def.Text = tapeMark
		head.Store(tapeCell, nil, empty)
		if around != nil {
			empty.Var = v
			// The memory of one block serves the next one.
			head.Region, head.Before = s.scope.region, s.scope.region.Ops[0]
			head.Store(tapeCell, nil, head.Slice(head.Load(tapeCell, nil), nil, head.Int(0), nil))
		}
		// push
		rec := saved[0]
		if len(saved) > 1 {
			rec = end.Build(elemType, saved...)
		}
		grown := end.Op(ssair.Append, []*ssair.Value{end.Load(tapeCell, nil), rec}, sliceType).Result()
		grown.Def.Text = tapeMark
		end.Store(tapeCell, nil, grown)
		// The reverse sweep starts behind the last record.
		last := ssair.NewBuilder(s.scope.region)
		last.Before, last.Safe = s.scope.start, true
		tape := last.Load(tapeCell, nil)
		at := ssair.NewBuilder(s.scope.rstart.Parent)
		at.Before, at.Safe = s.scope.rstart, true
		pos := at.Alloc(ssair.Int, &ssair.Var{Name: v.Name + "Top"})
		at.Store(pos, nil, at.Len(tape))
		// pop
		k := start.Bin(token.SUB, start.Load(pos, nil), start.Int(1))
		start.Store(pos, nil, k)
		load(tape, k)
	}
	for _, x := range back.Ops {
		s.front[x] = true
	}
	for _, x := range rest {
		start.Insert(x)
	}
}

// behind returns the op of r in front of which all of vs are computed.
func behind(r *ssair.Region, vs []*ssair.Value) *ssair.Op {
	at := 0
	for i, o := range r.Ops {
		for _, v := range vs {
			if v.Def == o {
				at = i + 1
			}
		}
	}
	return r.Ops[at]
}

// recordType makes the type of a tape record, with a field for each value, for
// the trips of the loop o.
func (s *reverseSweep) recordType(vs []*ssair.Value, o *ssair.Op) types.Type {
	doc := "holds what the reverse sweep needs of one trip of a loop."
	if fset := s.t.mod.Fset; fset != nil && o.Pos.IsValid() {
		at := fset.Position(o.Pos)
		doc = fmt.Sprintf("holds what the reverse sweep needs of one trip of the loop at %s:%d.", filepath.Base(at.Filename), at.Line)
	}
	name := "Step"
	if c := pass.Counted(o); c != nil {
		if v := o.BodyRegion().Params[c.Index].Name(); len(v) > 1 {
			name = upperFirst(v)
		}
	}
	n := s.t.mod.AddType(s.t.typePrefix(s.g)+name, doc, token.NoPos)
	n.SetUnderlying(types.NewStruct(recordFields(s.t.mod.Pkg, vs), nil))
	return n
}

// tripBound builds the number of records that a counted loop needs.
func (s *reverseSweep) tripBound(b *ssair.Builder, st *loopState, o *ssair.Op) *ssair.Value {
	if st.bound != nil {
		return st.trips
	}
	saved := s.b
	s.b = b
	n := s.tripCount(st, o)
	s.b = saved
	if pass.NonNegative(n) {
		return n
	}
	return b.Apply("max", []types.Type{ssair.Int}, n, b.Int(0)).Result()
}

// tripIndex builds the number of the trip in the forward body.
func (s *reverseSweep) tripIndex(b *ssair.Builder, st *loopState, o, c *ssair.Op) *ssair.Value {
	k := st.count.Index
	p := c.BodyRegion().Params[k]
	init := s.first(st, o)
	if !pass.Wide(p.Type) {
		p, init = b.Conv(p, ssair.Int), b.Conv(init, ssair.Int)
	}
	d := p
	if st.count.Step < 0 {
		d = b.Bin(token.SUB, init, p)
	} else if n, ok := pass.ConstInt(init); !ok || n != 0 {
		d = b.Bin(token.SUB, p, init)
	}
	if n := max(st.count.Step, -st.count.Step); n != 1 {
		d = b.Bin(token.QUO, d, b.Const(intVal(n), d.Type))
	}
	return b.Conv(d, ssair.Int)
}
