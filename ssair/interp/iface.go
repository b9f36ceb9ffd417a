package interp

import (
	"fmt"
	"go/types"
	"reflect"
	"runtime"

	"github.com/quabla/quabla/ssair"
)

func (c *compiler) makeIface(o *ssair.Op) code {
	t := c.typ(o.Args[0])
	switch t.kind {
	case kindIface:
		return c.unary(o, func(v Value) Value { return v })
	case kindNil:
		return c.unary(o, func(Value) Value { return Value{} })
	}
	return c.unary(o, func(v Value) Value { return MakeIface(t.t, v) })
}

func (c *compiler) typeIs(o *ssair.Op) code {
	r, x, t := c.slot(o.Result()), c.slot(o.Args[0]), c.m.types.of(o.Type)
	return func(fr *frame) { fr.s[r] = Bool(fr.m.typeIs(fr.s[x].Iface(), t)) }
}

// typeIs reports whether x.(T) succeeds for an x that holds i.
func (m *Machine) typeIs(i *Iface, t *typ) bool {
	switch {
	case i == nil || t.kind == kindNil:
		return i == nil && t.kind == kindNil
	case i.Type == nil:
		return hostIs(i.Val.goValue(), t)
	case t.kind == kindIface:
		return m.implements(i.Type, t.t)
	}
	return types.Identical(i.Type, t.t)
}

// An implKey is a type and an interface that it may implement.
type implKey struct{ t, iface types.Type }

func (m *Machine) implements(t, iface types.Type) bool {
	k := implKey{t, iface}
	ok, known := m.impl[k]
	if !known {
		ok = types.Implements(t, iface.Underlying().(*types.Interface))
		m.impl[k] = ok
	}
	return ok
}

func (c *compiler) typeAssert(o *ssair.Op) code {
	rs, x := c.slotsOf(o.Results), c.slot(o.Args[0])
	t, static := c.m.types.of(o.Type), c.typ(o.Args[0])
	return func(fr *frame) {
		v := fr.s[x]
		i := v.Iface()
		ok := fr.m.typeIs(i, t)
		if !ok && len(rs) < 2 {
			fr.m.throw(o, "%s", fr.m.assertMessage(i, static, t))
		}
		switch {
		case !ok:
			v = t.zero()
		case t.kind == kindIface:
		case i.Type == nil:
			var err error
			if v, err = fromReflect(reflect.ValueOf(i.Val.goValue()), t); err != nil {
				fr.m.unsupported(o, "%v", err)
			}
		default:
			v = i.Val
		}
		fr.s[rs[0]] = v
		if len(rs) > 1 {
			fr.s[rs[1]] = Bool(ok)
		}
	}
}

// assertMessage is the message of a failed type assertion to t of an operand
// of type static that holds i.
func (m *Machine) assertMessage(i *Iface, static, t *typ) string {
	if i == nil {
		from := static.String()
		if t.kind == kindIface {
			from = "interface"
		}
		return fmt.Sprintf("interface conversion: %s is nil, not %s", from, t)
	}
	dyn := ""
	if i.Type != nil {
		dyn = goTypeString(i.Type)
	} else {
		dyn = reflect.TypeOf(i.Val.goValue()).String()
	}
	if t.kind == kindIface {
		missing := "?"
		if i.Type != nil {
			if f, _ := types.MissingMethod(i.Type, t.t.Underlying().(*types.Interface), true); f != nil {
				missing = f.Name()
			}
		}
		return fmt.Sprintf("interface conversion: %s is not %s: missing method %s", dyn, t, missing)
	}
	msg := fmt.Sprintf("interface conversion: %s is %s, not %s", static, dyn, t)
	if dyn == t.String() {
		msg += " (types from different scopes)"
	}
	return msg
}

// method returns the function of the module that implements the method of the
// given name for the dynamic type t, with the receiver it takes made of v.
func (m *Machine) method(o *ssair.Op, t types.Type, v Value, pkg *types.Package, name string) (*ssair.Func, Value, *types.Func) {
	obj, index, _ := types.LookupFieldOrMethod(t, true, pkg, name)
	f, ok := obj.(*types.Func)
	if !ok {
		return nil, Value{}, nil
	}
	recv, rt := m.receiver(o, t, v, index[:len(index)-1], f)
	sig := f.Signature()
	for _, fn := range m.mod.Funcs {
		if fn.Obj != nil && fn.Obj.Origin() == f.Origin() && len(fn.Params) == 1+sig.Params().Len() &&
			len(fn.Results) == sig.Results().Len() && types.Identical(fn.Params[0].Type, rt) {
			return fn, recv, f
		}
	}
	return nil, recv, f
}

// receiver follows the embedded fields at index and takes the address of what
// it finds, or loads it, as the method f wants.
func (m *Machine) receiver(o *ssair.Op, t types.Type, v Value, index []int, f *types.Func) (Value, types.Type) {
	d := m.types.of(t)
	var cell *Cell
	deref := func() {
		if d.kind == kindPtr {
			cell, d = v.Pointer(), d.elem
			if cell == nil {
				m.throw(o, nilDereference)
			}
			v = Value{}
		}
	}
	get := func() Value {
		if cell != nil {
			return load(cell, d)
		}
		return v
	}
	for _, i := range index {
		deref()
		if d.kind != kindStruct {
			m.unsupported(o, "the method %s of a type of the standard library", f.FullName())
		}
		if cell != nil {
			cell = &cell.kids[i]
			v = Value{}
		} else {
			v = v.parts()[i]
		}
		d = d.fields[i]
		if d.kind == kindPtr {
			v, cell = get(), nil
		}
	}
	if d.kind == kindIface {
		return get(), d.t // an embedded interface
	}
	_, wantPtr := f.Signature().Recv().Type().Underlying().(*types.Pointer)
	switch {
	case wantPtr && d.kind == kindPtr:
		return get(), d.t
	case wantPtr:
		return Pointer(cell), types.NewPointer(d.t)
	}
	if p := v.Pointer(); d.kind == kindPtr && p == nil && cell == nil && len(index) == 0 {
		n, _ := types.Unalias(d.elem.t).(*types.Named)
		if n != nil {
			m.throw(o, "value method %s.%s called using nil *%s pointer", qualifiedName(n.Obj()), f.Name(), n.Obj().Name())
		}
	}
	deref()
	return get(), d.t
}

// callMethod calls a method of what an interface holds.
func (m *Machine) callMethod(o *ssair.Op, i *Iface, f *types.Func, args []Value, results []*typ) []Value {
	if i == nil {
		m.throw(o, nilDereference)
	}
	if i.Type == nil {
		return m.callHost(o, reflectMethod(reflect.ValueOf(i.Val.goValue()), f.Name()), f.Signature(), args, results)
	}
	fn, recv, impl := m.method(o, i.Type, i.Val, f.Pkg(), f.Name())
	switch {
	case fn != nil:
		return m.call(o, fn, append([]Value{recv}, args...))
	case impl == nil:
		m.unsupported(o, "no method %s of %s", f.Name(), goTypeString(i.Type))
	case types.IsInterface(impl.Signature().Recv().Type()):
		return m.callMethod(o, recv.Iface(), impl, args, results)
	}
	return m.callObject(o, impl, append([]Value{recv}, args...), results)
}

// stringMethod calls the method Error or String of what an interface holds, if
// the module has its body.
func (m *Machine) stringMethod(o *ssair.Op, i *Iface, name string) (s string, ok bool) {
	if i == nil || i.Type == nil {
		return "", false
	}
	obj, _, _ := types.LookupFieldOrMethod(i.Type, false, m.mod.Pkg, name)
	f, isFunc := obj.(*types.Func)
	if !isFunc || f.Signature().Params().Len() != 0 || f.Signature().Results().Len() != 1 {
		return "", false
	}
	fn, recv, _ := m.method(o, i.Type, i.Val, m.mod.Pkg, name)
	if fn == nil || len(fn.Results) != 1 || m.types.of(fn.Results[0].Type).kind != kindString {
		return "", false
	}
	return m.call(o, fn, []Value{recv})[0].Str(), true
}

// panicError returns the error for a panic with the given value.
func (m *Machine) panicError(o *ssair.Op, i *Iface) *PanicError {
	e := &PanicError{Op: o, Pos: m.pos(o)}
	switch {
	case i == nil:
		nilErr := new(runtime.PanicNilError)
		e.Value, e.Text = nilErr, nilErr.Error()
		return e
	case i.Type == nil:
		e.Value = i.Val.goValue()
	default:
		e.Value = i
		if x, ok := m.hostInterface(i); ok {
			if _, isAdapter := x.(*userValue); !isAdapter {
				e.Value = x
			}
		}
	}
	e.Text = m.panicText(o, i, e.Value)
	return e
}

// panicText spells the value of a panic as fmt.Sprint does.
func (m *Machine) panicText(o *ssair.Op, i *Iface, x any) string {
	for _, name := range []string{"Error", "String"} {
		if s, ok := m.stringMethod(o, i, name); ok {
			return s
		}
	}
	if x == i {
		return Format(i.Val, i.Type)
	}
	return fmt.Sprint(x)
}
