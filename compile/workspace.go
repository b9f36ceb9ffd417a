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
// Slices that do not outlive a call, or a trip of the loop that makes them, come
// from it.
type workspace struct {
	typ    *types.Named
	fields []*types.Var
	param  *ssair.Value
}

// workspace moves the slices of the public function to a work space. It leaves
// u.work nil when there are none.
func (u *unit) workspace() {
	f := u.fn
	al := pass.FindAliases(f)
	w := &workspace{}
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
	var makes []*ssair.Op
	var tapes []*ssair.Op
	f.Body.Walk(func(o *ssair.Op) bool {
		switch {
		case o.Kind == ssair.MakeSlice && !constSize(o) && !u.outlives(al, o):
			makes = append(makes, o)
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
		if v := finalTape(o.Result(), uses); v != nil && o.Parent == f.Body && v.Region() == f.Body {
			kept = append(kept, tape{o, v})
		}
	}
	if len(makes) == 0 && len(kept) == 0 {
		return
	}
	tn := types.NewTypeName(token.NoPos, u.env.pkg.Types, u.req.WorkName, nil)
	w.typ = types.NewNamed(tn, nil, nil)
	w.param = f.NewValue(types.NewPointer(w.typ), &ssair.Var{Name: u.workParam()})
	w.param.Home = f.Body
	w.param.Space = -1
	for _, o := range makes {
		elem := ssair.ElemType(o.Result().Type)
		i := field(o.Result().Name(), u.bufType(elem))
		o.Text = workText(w.param.Name(), w.fields[i].Name(), o.Text != "")
	}
	for _, t := range kept {
		i := field(t.zero.Result().Name(), t.zero.Result().Type)
		w.fields[i] = types.NewField(token.NoPos, u.env.pkg.Types, w.fields[i].Name(), t.zero.Result().Type, false)
	}
	n := len(makes)
	w.typ.SetUnderlying(types.NewStruct(w.fields, nil))
	for k, t := range kept {
		path := []ssair.Step{ssair.Field(n + k)}
		b := ssair.NewBuilder(f.Body)
		b.Before, b.Safe = t.zero, true
		z := t.zero.Result()
		start := b.Slice(b.Load(w.param, path), nil, b.Int(0), nil)
		start.Var = z.Var
		f.Body.ReplaceAll(map[*ssair.Value]*ssair.Value{z: start})
		t.zero.Remove()
		// Keep what has grown.
		if d := t.final.Def; d != nil {
			b.Before = next(d)
			b.Store(w.param, path, t.final)
		}
	}
	f.Params = u.insertParam(f.Params, w.param)
	u.work = w
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

// insertParam puts p in front, but behind a receiver.
func (u *unit) insertParam(ps []*ssair.Value, p *ssair.Value) []*ssair.Value {
	if u.req.Derived.Recv != nil {
		return append([]*ssair.Value{ps[0], p}, ps[1:]...)
	}
	return append([]*ssair.Value{p}, ps...)
}

func (u *unit) workParam() string {
	name := "ws"
	reserved := emit.Reserved(u.fn)
	for k := 2; ; k++ {
		taken := reserved[name]
		for _, s := range slices.Concat(u.req.Derived.All(), u.req.Derived.Results) {
			taken = taken || s.Name == name
		}
		if !taken {
			return name
		}
		name = fmt.Sprintf("ws%d", k)
	}
}

// workText tells the emitter how to print a make: ws.name.Make(n), or Take for
// memory that is written before it is read.
func workText(param, field string, dirty bool) string {
	if dirty {
		return param + "." + field + ".Take"
	}
	return param + "." + field + ".Make"
}

// bufType is rt.Buf[elem].
func (u *unit) bufType(elem types.Type) types.Type {
	t, err := types.Instantiate(nil, u.rt("Buf").Type(), []types.Type{elem}, false)
	if err != nil {
		panic(err) // Buf takes any type
	}
	return t
}

// constSize reports whether the size is a small constant: the compiler puts
// such slices on the stack.
func constSize(o *ssair.Op) bool {
	n, ok := pass.ConstInt(o.Args[0])
	return ok && n <= 1024
}

// outlives reports whether the slice that o makes may still be used after the
// call, or after the trip of the innermost loop around o.
func (u *unit) outlives(al *pass.Aliases, o *ssair.Op) bool {
	site := al.Site(o)
	if t := u.fn.Body.Term(); t.Kind == ssair.Return {
		for _, v := range t.Args {
			if al.Reach(al.Pts(v))[site] {
				return true
			}
		}
	}
	for _, r := range al.Roots {
		if al.Contents(r)[site] && !r.Local() {
			return true
		}
	}
	escaped := false
	u.fn.Body.Walk(func(x *ssair.Op) bool {
		if x.Kind == ssair.Call || x.Kind == ssair.Opaque || x.Kind == ssair.MakeClosure {
			for _, a := range x.Args {
				if a != nil && al.Reach(al.Pts(a))[site] && !(x.Kind == ssair.Opaque) {
					escaped = true
				}
			}
		}
		return true
	})
	if escaped {
		return true
	}
	// The innermost loop.
	for p := o.Parent.Parent; p != nil; p = p.Parent.Parent {
		if p.Kind != ssair.Loop {
			continue
		}
		for _, v := range p.Results {
			if al.Reach(al.Pts(v))[site] {
				return true
			}
		}
		for _, r := range al.Roots {
			if al.Contents(r)[site] && (r.Alloc == nil || !nested(p, r.Alloc)) {
				return true
			}
		}
		break
	}
	return false
}

// nested reports whether o is inside p.
func nested(p, o *ssair.Op) bool {
	for _, r := range p.Regions {
		if r.Contains(o.Parent) {
			return true
		}
	}
	return false
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
