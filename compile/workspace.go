package compile

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"github.com/quabla/quabla/emit"
	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// A workspace holds the memory that a derived function needs while it runs, so
// that it allocates nothing once it has been called with its largest input.
// Slices that do not outlive a call come from it.
type workspace struct {
	fn     *ssair.Func // the function that uses it
	typ    *types.Named
	fields []*types.Var
	param  *ssair.Value
}

// workspace moves the slices of the public function to a work space, or those of the
// loop over the members of a batch in goroutines. It leaves u.work nil when there are
// none.
func (u *unit) workspace() {
	f, name := u.worker(), u.req.WorkName
	if u.span != nil {
		name = u.free(u.prefix + "Work")
	}
	if name == "" {
		return // a pullback owns its memory
	}
	life := u.lifetimes(f)
	w := &workspace{fn: f}
	used := map[string]bool{}
	field := func(name string, t types.Type) int {
		if name == "" {
			name = "buf"
		}
		base := name
		for k := 1; used[name]; k++ {
			name = fmt.Sprintf("%s%d", base, k)
		}
		used[name] = true
		w.fields = append(w.fields, types.NewField(token.NoPos, u.env.pkg.Types, name, t, false))
		return len(w.fields) - 1
	}
	var makes []scratch
	var tapes []*ssair.Op
	f.Body.Walk(func(o *ssair.Op) bool {
		switch {
		case o.Kind == ssair.MakeSlice:
			if loop, local := life.scope(o); local && !(constSize(o) && loop == o.Parent.Loop()) {
				makes = append(makes, scratch{o, loop})
			}
		case o.Kind == ssair.Zero && o.Text != "":
			tapes = append(tapes, o)
		}
		return true
	})
	type tape struct {
		zero  *ssair.Op
		final *ssair.Value
	}
	var kept []tape
	uses := ssair.UsesIn(f.Body)
	for _, o := range tapes {
		if v := finalTape(o.Result(), uses); v != nil && v.Region() == o.Parent && life.ends(v, o) {
			kept = append(kept, tape{o, v})
		}
	}
	tn := types.NewTypeName(token.NoPos, u.env.pkg.Types, name, nil)
	w.typ = types.NewNamed(tn, nil, nil)
	w.param = u.workValue(f, w.typ)
	var arenas []arena
	for _, m := range makes {
		v, kind := m.op.Result(), "Buf"
		if m.loop != m.op.Parent.Loop() {
			kind = "Arena"
		}
		i := field(v.Name(), u.scratchType(kind, ssair.ElemType(v.Type)))
		m.op.Text = workText(w.param.Name(), w.fields[i].Name(), m.op)
		if kind == "Arena" {
			arenas = append(arenas, arena{i, m.loop})
		}
	}
	n := len(w.fields)
	for _, t := range kept {
		z := t.zero.Result()
		field(z.Name(), z.Type)
	}
	l := u.lend(w, life, field)
	if len(w.fields) == 0 {
		return
	}
	w.typ.SetUnderlying(types.NewStruct(w.fields, nil))
	for _, a := range slices.Backward(arenas) {
		w.reset(a)
	}
	l.giveBack()
	l.pass()
	for k, t := range kept {
		path := []ssair.Step{ssair.Field(n + k)}
		b := ssair.NewBuilder(t.zero.Parent)
		b.Before, b.Safe = t.zero, true
		z := t.zero.Result()
		start := b.Slice(b.Load(w.param, path), nil, b.Int(0), nil)
		start.Var = z.Var
		t.zero.Parent.ReplaceAll(map[*ssair.Value]*ssair.Value{z: start})
		t.zero.Remove()
		// Keep what has grown.
		if d := t.final.Def; d != nil {
			b.Before = next(d)
			b.Store(w.param, path, t.final)
		}
	}
	at := 0
	if f == u.fn && u.req.Derived.Recv != nil {
		at = 1
	}
	f.Params = slices.Insert(f.Params, at, w.param)
	u.work = w
}

// A scratch is an op that makes a slice which is used in one trip of loop only, or
// if that is nil in one call.
type scratch struct{ op, loop *ssair.Op }

// An arena is a field of a work space, and the loop whose trips take its memory
// back, or nil.
type arena struct {
	field int
	loop  *ssair.Op
}

// reset puts the op that takes back the memory of an arena in front of all that
// makes slices there.
func (w *workspace) reset(a arena) {
	r := w.fn.Body
	if a.loop != nil {
		r = a.loop.BodyRegion()
	}
	b := ssair.NewBuilder(r)
	b.Before = r.Ops[0]
	obj, _, _ := types.LookupFieldOrMethod(w.fields[a.field].Type(), true, nil, "Reset")
	b.Op(ssair.Opaque, []*ssair.Value{b.Addr(w.param, []ssair.Step{ssair.Field(a.field)})}).Obj = obj
}

// next returns the op behind o.
func next(o *ssair.Op) *ssair.Op {
	for i, x := range o.Parent.Ops {
		if x == o {
			return o.Parent.Ops[i+1]
		}
	}
	return nil
}

// workValue returns a value of f that refers to a work space of the type t. Its name is
// that of nothing else which f mentions.
func (u *unit) workValue(f *ssair.Func, t types.Type) *ssair.Value {
	taken := emit.Reserved(f)
	for _, p := range f.Params {
		taken[p.Name()] = true
	}
	if f == u.fn {
		for _, s := range slices.Concat(u.req.Derived.All(), u.req.Derived.Results) {
			taken[s.Name] = true
		}
	}
	name := "ws"
	for k := 2; taken[name]; k++ {
		name = fmt.Sprintf("ws%d", k)
	}
	v := f.NewValue(types.NewPointer(t), &ssair.Var{Name: name})
	v.Home = f.Body
	v.Space = -1
	return v
}

// workText tells the emitter how to print a make: ws.name.Make(n), or Take for
// memory that is written before it is read, as tapes are.
func workText(param, field string, o *ssair.Op) string {
	if o.Text != "" || filled(o) {
		return param + "." + field + ".Take"
	}
	return param + "." + field + ".Make"
}

// filled reports whether the first that is done with the slice that o makes is a copy to all
// of it.
func filled(o *ssair.Op) bool {
	v := o.Result()
	for _, x := range o.Parent.Ops[slices.Index(o.Parent.Ops, o)+1:] {
		if x.Kind == ssair.Copy && x.Args[0] == v {
			return o.Args[1] == nil && pass.CopiesAll(x)
		}
		if slices.Contains(x.Args, v) || slices.ContainsFunc(x.Regions, func(r *ssair.Region) bool { return len(ssair.UsesIn(r)[v]) > 0 }) {
			return false
		}
	}
	return false
}

// scratchType is rt.Buf[elem] or rt.Arena[elem].
func (u *unit) scratchType(kind string, elem types.Type) types.Type {
	t, err := types.Instantiate(nil, u.rt(kind).Type(), []types.Type{elem}, false)
	if err != nil {
		panic(err) // both take any type
	}
	return t
}

// constSize reports whether the size is a small constant: the compiler puts
// such slices on the stack.
func constSize(o *ssair.Op) bool {
	n, ok := pass.ConstInt(o.Args[0])
	return ok && n <= 1024
}

// finalTape follows a tape from its empty start through loops and appends to
// its last state, or returns nil if it is used in another way.
func finalTape(v *ssair.Value, uses ssair.Uses) *ssair.Value {
	for {
		var nextv *ssair.Value
		for _, u := range uses[v] {
			o := u.Op
			switch {
			case o.Kind == ssair.Loop && u.Arg < o.Carried():
				if nextv != nil || measured(o, u.Arg, uses) {
					return nil
				}
				nextv = o.Results[u.Arg]
			case o.Kind == ssair.Append && u.Arg == 0 && o.Text != "":
				if nextv != nil {
					return nil
				}
				nextv = o.Result()
			case o.Kind == ssair.Cap:
				return nil
			case o.Kind == ssair.Yield:
				// An if at the top level: its result goes on.
				p := o.Parent.Parent
				if p.Kind != ssair.If {
					return nil
				}
				if nextv != nil && nextv != p.Results[u.Arg] {
					return nil
				}
				nextv = p.Results[u.Arg]
			}
		}
		if nextv == nil {
			return v
		}
		v = nextv
	}
}

// measured reports whether the capacity of carried value k of the loop o plays a
// role: then it must start anew in each call.
func measured(o *ssair.Op, k int, uses ssair.Uses) bool {
	for _, r := range o.Regions {
		for _, u := range uses[r.Params[k]] {
			if u.Op.Kind == ssair.Cap || u.Op.Kind == ssair.Loop && u.Arg < u.Op.Carried() && measured(u.Op, u.Arg, uses) {
				return true
			}
		}
	}
	return false
}

// poolName is the variable that holds unused work spaces.
func (u *unit) poolName() string {
	return u.free(u.prefix + "Pool")
}
