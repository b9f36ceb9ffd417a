package compile

import (
	"fmt"
	"go/types"
	"slices"

	"github.com/quabla/quabla/analyze"
	"github.com/quabla/quabla/emit"
	"github.com/quabla/quabla/ssair"
)

// fresh describes the form of the public function that makes its destinations, or
// returns nil if it has none.
func (u *unit) fresh() *emit.Fresh {
	if u.req.NewName == "" {
		return nil
	}
	sig := u.req.Derived
	form := sig.New(u.req.NewName)
	params := u.fn.Params
	if u.work != nil {
		params = slices.DeleteFunc(slices.Clone(params), func(p *ssair.Value) bool { return p == u.work.param })
	}
	slots := sig.All()
	find := func(role analyze.Role, of int) *ssair.Value {
		i := slices.IndexFunc(slots, func(s analyze.Slot) bool { return s.Role == role && s.Of == of && !s.InOut })
		return params[i]
	}
	f := &emit.Fresh{Name: u.req.NewName}
	var names []string
	for _, s := range form.Results {
		k := slices.IndexFunc(sig.Results, func(r analyze.Slot) bool { return r.Name == s.Name })
		if k >= 0 {
			f.Results = append(f.Results, emit.FreshResult{Result: k})
			continue
		}
		m := emit.Make{Dest: find(s.Role, s.Of)}
		if s.Role != analyze.Matrix {
			m.Like = find(analyze.Primal, s.Of)
		}
		f.Makes = append(f.Makes, m)
		f.Results = append(f.Results, emit.FreshResult{Dest: m.Dest})
		names = append(names, s.Name)
	}
	f.Doc = fmt.Sprintf("%s is %s with memory of its own for %s, which it returns.", f.Name, u.title(), list(names))
	return f
}

// A form is another form of a derived function.
type form struct {
	req  *analyze.Request
	work bool
}

// freshFunc returns FNewGrad in the IR, for code that calls it, where f is FGrad. It
// returns nil for destinations that are more than slices of floats, and slices of
// those.
func (u *unit) freshFunc(req *analyze.Request, f *ssair.Func) *ssair.Func {
	if g, ok := u.forms[form{req: req}]; ok {
		return g
	}
	slots, sig := req.Derived.All(), req.Derived.New(req.NewName)
	g := u.mod.NewFunc(req.NewName)
	b := ssair.NewBuilder(g.Body)
	args := make([]*ssair.Value, len(slots))
	byName := map[string]*ssair.Value{}
	for i, s := range slots {
		if slices.ContainsFunc(sig.All(), func(p analyze.Slot) bool { return p.Name == s.Name }) {
			args[i] = g.NewValue(f.Params[i].Type, f.Params[i].Var)
			args[i].Home = g.Body
			g.Params = append(g.Params, args[i])
		}
	}
	for i, s := range slots {
		if args[i] != nil {
			continue
		}
		of := slices.IndexFunc(slots, func(p analyze.Slot) bool { return p.Role == analyze.Primal && p.Of == s.Of })
		if s.Role == analyze.Matrix || !slicesOnly(s.Type) {
			u.mod.Funcs = slices.DeleteFunc(u.mod.Funcs, func(x *ssair.Func) bool { return x == g })
			u.forms[form{req: req}] = nil
			return nil
		}
		args[i] = sliceLike(b, args[of])
		byName[s.Name] = args[i]
	}
	call := callOf(b, f, args)
	for i, s := range req.Derived.Results {
		byName[s.Name] = call.Results[i]
	}
	var results []*ssair.Value
	for _, s := range sig.Results {
		v := byName[s.Name]
		g.Results = append(g.Results, ssair.Result{Name: s.Name, Type: v.Type})
		results = append(results, v)
	}
	b.Return(results...)
	u.forms[form{req: req}] = g
	return g
}

// workFunc returns FGradIn in the IR, for code that calls it, where f is FGrad: the
// work space is left alone, since the code around has one of its own.
func (u *unit) workFunc(fn *types.Func, req *analyze.Request, f *ssair.Func) *ssair.Func {
	if g, ok := u.forms[form{req, true}]; ok {
		return g
	}
	g := u.mod.NewFunc(req.InName)
	b := ssair.NewBuilder(g.Body)
	for _, p := range f.Params {
		v := g.NewValue(p.Type, p.Var)
		v.Home = g.Body
		g.Params = append(g.Params, v)
	}
	args := slices.Clone(g.Params)
	ws := g.NewValue(fn.Signature().Params().At(0).Type(), &ssair.Var{Name: "ws"})
	ws.Home = g.Body
	at := 0
	if req.Derived.Recv != nil {
		at = 1
	}
	g.Params = slices.Insert(g.Params, at, ws)
	call := callOf(b, f, args)
	g.Results = f.Results
	b.Return(call.Results...)
	u.forms[form{req, true}] = g
	return g
}

func callOf(b *ssair.Builder, f *ssair.Func, args []*ssair.Value) *ssair.Op {
	var ts []types.Type
	for _, r := range f.Results {
		ts = append(ts, r.Type)
	}
	o := b.Op(ssair.Call, args, ts...)
	o.Callee = f
	return o
}

// slicesOnly reports whether t is a slice of floats, of such slices, and so on.
func slicesOnly(t types.Type) bool {
	s, ok := t.Underlying().(*types.Slice)
	return ok && (ssair.IsFloat(s.Elem()) || slicesOnly(s.Elem()))
}

// sliceLike builds a slice of zeros of the shape of x.
func sliceLike(b *ssair.Builder, x *ssair.Value) *ssair.Value {
	y := b.MakeSlice(x.Type, b.Len(x), nil)
	if elem := ssair.ElemType(x.Type); !ssair.IsFloat(elem) {
		b.Each(b.Len(x), "i", func(i *ssair.Value) {
			row := sliceLike(b, b.Load(x, []ssair.Step{ssair.Elem}, i))
			b.Store(y, []ssair.Step{ssair.Elem}, row, i)
		})
	}
	return y
}
