package interp

import (
	"go/types"

	"github.com/quabla/quabla/ssair"
)

// call compiles the call of a function of the module.
func (c *compiler) call(o *ssair.Op) code {
	args, rs := c.slotsOf(o.Args), c.slotsOf(o.Results)
	var fn *function // compiled at the first call
	return func(fr *frame) {
		m := fr.m
		if fn == nil {
			fn = m.function(o.Callee)
		}
		top := m.top
		in := m.enter(o, fn)
		for i, a := range args {
			in.s[fn.params[i]] = fr.s[a]
		}
		fn.body.run(in)
		for i, r := range rs {
			fr.s[r] = in.s[fn.ret[i]]
		}
		m.leave(top)
	}
}

func (c *compiler) makeClosure(o *ssair.Op) code {
	r, args := c.slot(o.Result()), c.slotsOf(o.Args)
	return func(fr *frame) {
		bound := make([]Value, len(args))
		for i, a := range args {
			bound[i] = fr.s[a]
		}
		fr.s[r] = Value{r: &Closure{Fn: o.Callee, Bound: bound}}
	}
}

func (c *compiler) funcVal(o *ssair.Op) code {
	r := c.slot(o.Result())
	f, ok := o.Obj.(*types.Func)
	if !ok {
		return c.unsupported(o, "a function value of "+o.Obj.Name())
	}
	v := Value{r: &Closure{Obj: f}}
	return func(fr *frame) { fr.s[r] = v }
}

// opaque compiles a call of a function without a body or of a function value.
func (c *compiler) opaque(o *ssair.Op) code {
	args, rs := c.slotsOf(o.Args), c.slotsOf(o.Results)
	results := make([]*typ, len(rs))
	for i, v := range o.Results {
		results[i] = c.typ(v)
	}
	if o.Caught {
		results = results[:len(results)-1]
	}
	call := func(fr *frame, vs []Value) []Value { return fr.m.callClosure(o, vs[0].Closure(), vs[1:]) }
	switch obj := o.Obj.(type) {
	case nil:
		if len(args) == 0 {
			return c.unsupported(o, "a call of nothing")
		}
	case *types.Builtin:
		if obj.Name() == "print" || obj.Name() == "println" {
			return nil // what they write to standard error is not kept
		}
		return c.unsupported(o, "the built-in "+obj.Name())
	case *types.Func:
		call = func(fr *frame, vs []Value) []Value { return fr.m.callObject(o, obj, vs, results) }
	default:
		return c.unsupported(o, "a call of "+obj.Name())
	}
	return func(fr *frame) {
		vs := make([]Value, len(args))
		for i, a := range args {
			vs[i] = fr.s[a]
		}
		var out []Value
		if o.Caught {
			out = fr.m.caught(o, results, func() []Value { return call(fr, vs) })
		} else {
			out = call(fr, vs)
		}
		if len(out) != len(rs) {
			fr.m.unsupported(o, "a call with %d results of a function that returns %d", len(rs), len(out))
		}
		for i, r := range rs {
			fr.s[r] = out[i]
		}
	}
}

// callClosure calls a function value.
func (m *Machine) callClosure(o *ssair.Op, f *Closure, args []Value) []Value {
	switch {
	case f == nil:
		m.throw(o, nilDereference)
	case f.Fn != nil:
		if len(f.Bound) > 0 {
			args = append(f.Bound[:len(f.Bound):len(f.Bound)], args...)
		}
		if len(args) != len(f.Fn.Params) {
			m.unsupported(o, "a call of %s with %d arguments", f.Fn.Name, len(args))
		}
		return m.call(o, f.Fn, args)
	case f.Obj != nil:
		var results []*typ
		for v := range f.Obj.Signature().Results().Variables() {
			results = append(results, m.types.of(v.Type()))
		}
		return m.callObject(o, f.Obj, args, results)
	}
	sig, results := m.goSignature(f.goFn.Type())
	return m.callHost(o, f.goFn, sig, args, results)
}

// callObject calls the function obj, the receiver of a method being args[0]:
// one of Machine.Functions, or a function of the module, or one of the standard
// library.
func (m *Machine) callObject(o *ssair.Op, obj *types.Func, args []Value, results []*typ) []Value {
	name := obj.Origin().FullName()
	if f := m.Functions[name]; f != nil {
		out, err := f(m, args)
		if err != nil {
			panic(thrown{err})
		}
		return out
	}
	recv := obj.Signature().Recv()
	if recv != nil && types.IsInterface(recv.Type()) {
		return m.callMethod(o, args[0].Iface(), obj, args[1:], results)
	}
	if fn := m.body(o, obj); fn != nil {
		return m.call(o, fn, args)
	}
	if f := natives[name]; f != nil {
		return f(m, o, args, obj, results)
	}
	if recv != nil {
		if f, rest, ok := m.hostMethod(o, recv.Type(), obj.Name(), args); ok {
			return m.callHost(o, f, obj.Signature(), rest, results)
		}
	}
	f, ok := hostFuncs[name]
	if !ok {
		m.unsupported(o, "a call of %s, which has no body here", name)
	}
	return m.callHost(o, f, obj.Signature(), args, results)
}

// body returns the function of the module that was lifted from obj, or nil. Of
// the instances of a generic function it is the one that the op o calls, and
// it is no function that a transform made of it.
func (m *Machine) body(o *ssair.Op, obj *types.Func) *ssair.Func {
	sig := obj.Signature()
	var want []types.Type
	if r := sig.Recv(); r != nil {
		want = append(want, r.Type())
	}
	for v := range sig.Params().Variables() {
		want = append(want, v.Type())
	}
	if f, ok := opFunc(o); ok && f.Origin() == obj.Origin() && len(o.Args) == len(want) {
		for i, a := range o.Args {
			want[i] = a.Type
		}
	}
	for _, fn := range m.mod.Funcs {
		if o != nil && o.Parent != nil && o.Parent.Func == fn {
			continue // it stands for a function without source, which it calls
		}
		if fn.Obj != nil && fn.Obj.Origin() == obj.Origin() && len(fn.Results) == sig.Results().Len() && takes(fn, want) {
			return fn
		}
	}
	return nil
}

func opFunc(o *ssair.Op) (*types.Func, bool) {
	if o == nil {
		return nil, false
	}
	f, ok := o.Obj.(*types.Func)
	return f, ok
}

func takes(fn *ssair.Func, params []types.Type) bool {
	if len(fn.Params) != len(params) {
		return false
	}
	for i, p := range fn.Params {
		if !types.Identical(p.Type, params[i]) {
			return false
		}
	}
	return true
}
