package pass

import (
	"go/types"

	"github.com/quabla/quabla/ssair"
)

// ShrinkRecords drops the fields of synthesised types that the functions write
// but never read: later simplifications need less than what reverse mode has
// chosen to save. all are the functions that use the types.
func ShrinkRecords(m *ssair.Module, all []*ssair.Func) {
	for _, tn := range m.Types {
		if !m.IsRecord(tn.Type()) {
			continue
		}
		n := tn.Type().(*types.Named)
		if s, ok := n.Underlying().(*types.Struct); ok {
			shrink(n, s, all)
		}
	}
}

// shrink drops the unread fields of one type.
func shrink(n *types.Named, s *types.Struct, all []*ssair.Func) {
	read := make([]bool, s.NumFields())
	everything := func() {
		for i := range read {
			read[i] = true
		}
	}
	stores := map[*ssair.Op]bool{} // to fields as a whole
	each(all, func(o *ssair.Op) {
		switch o.Kind {
		case ssair.Load, ssair.Store, ssair.Accum, ssair.Addr, ssair.Extract:
			inside := false
			for k, t := range containers(o) {
				if t == n {
					inside = true
					f := o.Path[k].Field
					if o.Kind == ssair.Store && k == len(o.Path)-1 {
						stores[o] = true
					} else {
						read[f] = true
					}
				}
			}
			if !inside && o.Kind == ssair.Load && holds(o.Result().Type, n) {
				everything() // a copy of a whole record
			}
		case ssair.Cmp, ssair.Conv, ssair.MakeIface:
			if holds(o.Args[0].Type, n) {
				everything()
			}
		}
	})
	keep := make([]int, 0, len(read)) // old index by new
	index := make([]int, len(read))   // new index by old, or -1
	for i, r := range read {
		index[i] = -1
		if r {
			index[i] = len(keep)
			keep = append(keep, i)
		}
	}
	if len(keep) == len(read) || len(keep) == 0 {
		return
	}
	// Extracts and builds of the whole, then paths, then the type itself.
	each(all, func(o *ssair.Op) {
		switch o.Kind {
		case ssair.Build:
			if types.Identical(o.Result().Type, n) {
				args := make([]*ssair.Value, len(keep))
				for i, old := range keep {
					args[i] = o.Args[old]
				}
				o.Args = args
			}
		case ssair.Load, ssair.Store, ssair.Accum, ssair.Addr, ssair.Extract:
			for k, t := range containers(o) {
				if t != n {
					continue
				}
				if index[o.Path[k].Field] < 0 {
					o.Remove()
					return
				}
				path := append([]ssair.Step(nil), o.Path...)
				path[k] = ssair.Field(index[path[k].Field])
				o.Path = path
			}
		}
	})
	fields := make([]*types.Var, len(keep))
	for i, old := range keep {
		fields[i] = s.Field(old)
	}
	n.SetUnderlying(types.NewStruct(fields, nil))
}

// each calls visit for every op of the functions; visit may remove it.
func each(all []*ssair.Func, visit func(*ssair.Op)) {
	for _, f := range all {
		var ops []*ssair.Op
		f.Body.Walk(func(o *ssair.Op) bool {
			ops = append(ops, o)
			return true
		})
		for _, o := range ops {
			visit(o)
		}
	}
}

// containers returns, by step of the path of o, the named struct that the step
// selects a field of.
func containers(o *ssair.Op) map[int]*types.Named {
	out := map[int]*types.Named{}
	t := o.Args[0].Type
	if o.Kind != ssair.Extract {
		if p := ssair.Deref(t); p != nil {
			t = p
		}
	}
	for k, s := range o.Path {
		if s.IsField() {
			st, ok := t.Underlying().(*types.Struct)
			if !ok {
				a, isArray := t.Underlying().(*types.Array) // an extract of an element
				if !isArray {
					return out
				}
				t = a.Elem()
				continue
			}
			if n, ok := types.Unalias(t).(*types.Named); ok {
				out[k] = n
			}
			t = st.Field(s.Field).Type()
			continue
		}
		t = ssair.ElemType(t)
	}
	return out
}

// holds reports whether a value of type t is or contains one of type n.
func holds(t types.Type, n *types.Named) bool {
	if types.Identical(t, n) {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for f := range u.Fields() {
			if holds(f.Type(), n) {
				return true
			}
		}
	case *types.Array:
		return holds(u.Elem(), n)
	}
	return false
}
