package pass

import (
	"go/token"
	"go/types"

	"github.com/quabla/quabla/ssair"
)

// Dead removes ops whose results are not used and that have no effect, carried
// values that only feed themselves, and memory that is written but never read.
// An op that may panic stays, unless it is marked as safe.
func Dead(f *ssair.Func) bool {
	changed := false
	for deadOnce(f) || deadMemory(f) {
		changed = true
	}
	return changed
}

// Removable reports whether o may be removed when its results are not used.
func Removable(o *ssair.Op) bool {
	switch o.Kind {
	case ssair.Alloc, ssair.MakeMap, ssair.MapKeys, ssair.ZeroLike:
		return true
	case ssair.MakeSlice:
		return o.Safe || isSize(o.Args[0]) && (o.Args[1] == nil || o.Args[1] == o.Args[0])
	case ssair.Bin:
		if (o.Tok == token.SHL || o.Tok == token.SHR) && !isUnsigned(o.Args[1].Type) {
			return o.Safe || isSize(o.Args[1])
		}
		if (o.Tok == token.QUO || o.Tok == token.REM) && ssair.IsInteger(o.Args[0].Type) {
			n, ok := ConstInt(o.Args[1])
			return o.Safe || ok && n != 0
		}
		return true
	case ssair.Cmp:
		return o.Safe || !ssair.IsRef(o.Args[0].Type) || !types.IsInterface(o.Args[0].Type) || isNilConst(o.Args[0]) || isNilConst(o.Args[1])
	case ssair.Load, ssair.Slice, ssair.TypeAssert, ssair.StrIndex:
		return o.Safe
	case ssair.Addr:
		return o.Safe || o.Base().Def != nil && o.Base().Def.Kind == ssair.Alloc && !indexed(o) || reached(o)
	case ssair.Conv:
		_, fromSlice := o.Args[0].Type.Underlying().(*types.Slice)
		return o.Safe || !fromSlice || !toArray(o.Result().Type)
	case ssair.MapGet, ssair.MapLen:
		return true
	case ssair.Append, ssair.AppendSlice, ssair.Copy, ssair.JVP, ssair.Grad:
		return false
	case ssair.Opaque:
		return o.Safe && o.Reads()
	case ssair.Call:
		return harmless(o.Callee, map[*ssair.Func]bool{})
	}
	return o.Kind.IsPure()
}

func isNilConst(v *ssair.Value) bool { return v.Def != nil && v.Def.Kind == ssair.Zero }

// isSize reports whether v is never negative, as far as can be seen at once.
func isSize(v *ssair.Value) bool {
	if n, ok := constOrZero(v); ok {
		return n >= 0
	}
	return isUnsigned(v.Type) || v.Def != nil && (v.Def.Kind == ssair.Len || v.Def.Kind == ssair.Cap)
}

func isUnsigned(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsUnsigned != 0
}

// toArray reports whether t is an array, or a pointer to one.
func toArray(t types.Type) bool {
	if e := ssair.Deref(t); e != nil {
		t = e
	}
	_, ok := t.Underlying().(*types.Array)
	return ok
}

// harmless reports whether a call of f may be left out when its results are not
// used: it writes nothing that others see and cannot panic.
func harmless(f *ssair.Func, seen map[*ssair.Func]bool) bool {
	if seen[f] {
		return true
	}
	seen[f] = true
	ok := true
	f.Body.Walk(func(o *ssair.Op) bool {
		switch {
		case o.Kind == ssair.Call:
			ok = ok && harmless(o.Callee, seen)
		case len(o.Regions) > 0, o.Kind == ssair.Return, o.Kind == ssair.Yield:
		case (o.Kind == ssair.Store || o.Kind == ssair.Load || o.Kind == ssair.Accum) && isVariable(o.Base()):
		default:
			ok = ok && Removable(o)
		}
		return ok
	})
	return ok
}

// isVariable reports whether v is the address of a local variable.
func isVariable(v *ssair.Value) bool {
	return v.Def != nil && v.Def.Kind == ssair.Alloc && !v.Def.Explicit
}

func deadOnce(f *ssair.Func) bool {
	d := &dead{live: map[*ssair.Op]bool{}, val: map[*ssair.Value]bool{}}
	d.roots(f.Body)
	for len(d.work) > 0 {
		v := d.work[len(d.work)-1]
		d.work = d.work[:len(d.work)-1]
		d.define(v)
	}
	return d.sweep(f.Body)
}

type dead struct {
	live map[*ssair.Op]bool
	val  map[*ssair.Value]bool
	work []*ssair.Value
}

func (d *dead) use(v *ssair.Value) {
	if v != nil && !d.val[v] {
		d.val[v] = true
		d.work = append(d.work, v)
	}
}

// roots marks the ops with effects.
func (d *dead) roots(r *ssair.Region) {
	for _, o := range r.Ops {
		for _, n := range o.Regions {
			d.roots(n)
		}
		switch o.Kind {
		case ssair.If, ssair.Loop:
		case ssair.Yield:
		case ssair.Return, ssair.Unreachable:
			d.mark(o)
		default:
			if !Removable(o) {
				d.mark(o)
			}
		}
	}
}

// mark makes o live, with the ops that it is nested in.
func (d *dead) mark(o *ssair.Op) {
	if d.live[o] {
		return
	}
	d.live[o] = true
	switch o.Kind {
	case ssair.If:
		d.use(o.Args[0])
	case ssair.Loop:
		// Whether it goes on matters.
		d.use(o.Cond().Term().Args[0])
		if t := o.BodyRegion().Term(); o.Loop.Break && t.Kind == ssair.Yield {
			d.use(t.Args[0])
		}
		for _, a := range o.Args[o.Carried():] {
			d.use(a)
		}
	default:
		for _, a := range o.Args {
			d.use(a)
		}
	}
	if p := o.Parent.Parent; p != nil {
		d.mark(p)
	}
}

// define makes what defines v live.
func (d *dead) define(v *ssair.Value) {
	if v.Def == nil {
		r := v.Home
		if r == nil || r.Parent == nil {
			return
		}
		loop := r.Parent
		k := indexOf(r.Params, v)
		d.mark(loop)
		d.carried(loop, k)
		return
	}
	o := v.Def
	d.mark(o)
	k := indexOf(o.Results, v)
	switch o.Kind {
	case ssair.If:
		for _, r := range o.Regions {
			if t := r.Term(); t.Kind == ssair.Yield {
				d.use(t.Args[k])
			}
		}
	case ssair.Loop:
		d.carried(o, k)
	}
}

func (d *dead) carried(o *ssair.Op, k int) {
	d.use(o.Args[k])
	d.use(o.Results[k])
	first := 0
	if o.Loop.Break {
		first = 1
	}
	if t := o.BodyRegion().Term(); t.Kind == ssair.Yield {
		d.use(t.Args[first+k])
	}
	if t := o.Post().Term(); t.Kind == ssair.Yield {
		d.use(t.Args[k])
	}
}

func (d *dead) sweep(r *ssair.Region) bool {
	changed := false
	var ops []*ssair.Op
	for _, o := range r.Ops {
		if o.Kind == ssair.Yield {
			ops = append(ops, o)
			continue
		}
		if !d.live[o] {
			changed = true
			continue
		}
		ops = append(ops, o)
		switch o.Kind {
		case ssair.If:
			var keep []int
			for k, v := range o.Results {
				if d.val[v] {
					keep = append(keep, k)
				}
			}
			if len(keep) < len(o.Results) {
				changed = true
				o.Results = pick(o.Results, keep)
				for _, n := range o.Regions {
					if t := n.Term(); t.Kind == ssair.Yield {
						t.Args = pick(t.Args, keep)
					}
				}
			}
		case ssair.Loop:
			var keep []int
			for k, v := range o.Results {
				if d.val[v] {
					keep = append(keep, k)
				}
			}
			if len(keep) < len(o.Results) {
				changed = true
				DropCarried(o, keep)
			}
		}
		for _, n := range o.Regions {
			if d.sweep(n) {
				changed = true
			}
		}
	}
	r.Ops = ops
	return changed
}

// deadMemory removes allocations that are only written to.
func deadMemory(f *ssair.Func) bool {
	type mem struct {
		writes []*ssair.Op
		read   bool
	}
	mems := map[*ssair.Value]*mem{}
	f.Body.Walk(func(o *ssair.Op) bool {
		switch o.Kind {
		case ssair.Alloc, ssair.MakeSlice, ssair.MakeMap:
			mems[o.Result()] = &mem{}
		}
		return true
	})
	if len(mems) == 0 {
		return false
	}
	f.Body.Walk(func(o *ssair.Op) bool {
		for i, a := range o.Args {
			m := mems[a]
			if a == nil || m == nil {
				continue
			}
			switch {
			case i == 0 && (o.Kind == ssair.Store || o.Kind == ssair.Accum || o.Kind == ssair.MapSet) && o.Safe,
				i == 0 && o.Kind == ssair.Clear:
				m.writes = append(m.writes, o)
			default:
				m.read = true
			}
		}
		return true
	})
	changed := false
	for _, m := range mems {
		if m.read {
			continue
		}
		for _, o := range m.writes {
			o.Remove()
			changed = true
		}
	}
	return changed
}
