package emit

import (
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// literal prints new memory and the stores right behind it as a composite
// literal. It reports whether it did.
func (w *writer) literal(o *ssair.Op) bool {
	v := o.Result()
	t := o.Type
	var elems int64 = -1
	if o.Kind == ssair.MakeSlice {
		n, ok := pass.ConstInt(o.Args[0])
		if !ok || o.Args[1] != nil || FromWork(o) {
			return false
		}
		t, elems = v.Type, n
	}
	s, isStruct := t.Underlying().(*types.Struct)
	if a, ok := t.Underlying().(*types.Array); ok {
		elems = a.Len()
	}
	if !isStruct && elems < 0 || elems > 16 {
		return false
	}
	var stores []*ssair.Op
	between := map[*ssair.Value]bool{} // other new memory, such as a shadow
	for _, x := range w.behind(o) {
		if isStruct && w.apart(x, v, between) {
			continue
		}
		if slices.ContainsFunc(slices.Collect(maps.Keys(between)), func(m *ssair.Value) bool {
			return x.Kind == ssair.Store && w.mentions(x.Stored(), m)
		}) {
			break
		}
		if x.Kind != ssair.Store || x.Base() != v || len(x.Path) != 1 || w.mentions(x.Stored(), v) {
			break
		}
		if !isStruct {
			if i, ok := pass.ConstInt(x.Indices()[0]); !ok || i != int64(len(stores)) {
				break
			}
		}
		stores = append(stores, x)
	}
	if len(stores) == 0 || o.Kind == ssair.MakeSlice && int64(len(stores)) != elems || duplicate(stores) {
		return false
	}
	for _, x := range stores {
		w.skip[x] = true
	}
	if w.dropped[w.c.of[v]] {
		return true // nothing reads it
	}
	if rest := w.behind(o); o.Kind == ssair.MakeSlice && len(rest) > 0 && w.variadic(rest[0], v) {
		for _, x := range stores {
			w.spread[v] = append(w.spread[v], x.Stored())
		}
		return true
	}
	var parts []string
	long := 0
	for _, x := range stores {
		if isStruct && isZero(x.Stored()) {
			continue
		}
		text := w.str(x.Stored())
		if isStruct {
			text = s.Field(x.Path[0].Field).Name() + ": " + text
		}
		parts = append(parts, text)
		long += len(text) + 2
	}
	zero := true
	for _, x := range stores {
		zero = zero && pass.IsZero(x.Stored())
	}
	if zero && o.Kind == ssair.Alloc && !o.Explicit {
		w.declared[w.c.of[v]] = true
		w.linef("var %s %s", w.c.of[v].name, w.im.typ(t))
		return true
	}
	list := strings.Join(parts, ", ")
	if long > 72 && isStruct {
		list = "\n" + strings.Join(parts, ",\n") + ",\n"
	}
	lit := fmt.Sprintf("%s{%s}", w.im.typ(t), list)
	if o.Kind == ssair.Alloc && FromWork(o) {
		w.assign(o.Results, w.alloc(o).s)
		w.linef("*%s = %s", w.c.of[v].name, lit)
		return true
	}
	if o.Kind == ssair.Alloc && o.Explicit {
		lit = "&" + lit
	}
	if w.exists(v) {
		delete(w.zeroed, w.c.of[v])
		w.linef("%s = %s", w.c.of[v].name, lit)
		return true
	}
	w.declared[w.c.of[v]] = true
	w.linef("%s := %s", w.c.of[v].name, lit)
	return true
}

// apart reports whether o makes or fills memory that has nothing to do with v, so
// that what fills v may as well stand in front of it. It adds new memory to between.
func (w *writer) apart(o *ssair.Op, v *ssair.Value, between map[*ssair.Value]bool) bool {
	switch o.Kind {
	case ssair.Alloc:
		between[o.Result()] = true
		return true
	case ssair.Store:
		return between[o.Base()] && !w.mentions(o.Stored(), v)
	}
	return false
}

func duplicate(stores []*ssair.Op) bool {
	seen := map[ssair.Step]bool{}
	for _, x := range stores {
		if x.Path[0].IsField() {
			if seen[x.Path[0]] {
				return true
			}
			seen[x.Path[0]] = true
		}
	}
	return false
}

// behind returns the ops behind o in its region that are printed as statements.
func (w *writer) behind(o *ssair.Op) []*ssair.Op {
	var out []*ssair.Op
	found := false
	for _, x := range o.Parent.Ops {
		if found && !w.skip[x] && !(len(x.Results) > 0 && w.p.inline[x.Results[0]]) {
			out = append(out, x)
		}
		found = found || x == o
	}
	return out
}

// mentions reports whether the text of x mentions v.
func (w *writer) mentions(x, v *ssair.Value) bool {
	if x == v {
		return true
	}
	if x.Def == nil || !w.p.inline[x] {
		return false
	}
	for _, a := range x.Def.Args {
		if a != nil && w.mentions(a, v) {
			return true
		}
	}
	for _, r := range x.Def.Regions {
		for _, y := range r.Ops {
			for _, a := range y.Args {
				if a != nil && w.mentions(a, v) {
					return true
				}
			}
		}
	}
	return false
}

// variadic reports whether the only thing that is done with v, a slice that was
// just made and filled, is to pass it to the call o as its last arguments.
func (w *writer) variadic(o *ssair.Op, v *ssair.Value) bool {
	if o.Kind != ssair.Call && o.Kind != ssair.Opaque || len(o.Args) == 0 || o.Args[len(o.Args)-1] != v {
		return false
	}
	for _, u := range w.p.uses[v] {
		if u.Op != o && !w.skip[u.Op] || u.Op == o && u.Arg != len(o.Args)-1 {
			return false
		}
	}
	fn, _ := o.Obj.(*types.Func)
	if o.Kind == ssair.Call {
		if w.file.printed(o.Callee) {
			return false
		}
		fn = o.Callee.Obj
	}
	return fn != nil && fn.Signature().Variadic()
}
