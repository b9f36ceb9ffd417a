package interp

import (
	"reflect"

	"github.com/quabla/quabla/rt"
	"github.com/quabla/quabla/ssair"
)

// caught runs a call and returns its results and what it panics with.
func (m *Machine) caught(o *ssair.Op, results []*typ, call func() []Value) (out []Value) {
	top, depth := m.top, m.depth
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		t, ok := r.(thrown)
		if !ok {
			panic(r)
		}
		e, ok := t.err.(*PanicError)
		if !ok {
			panic(r)
		}
		m.top, m.depth = top, depth
		out = nil
		for _, t := range results {
			out = append(out, t.zero())
		}
		out = append(out, m.panicValue(e.Value))
	}()
	return append(call(), Value{})
}

// panicValue returns the value of a panic as an interface value of the program.
func (m *Machine) panicValue(x any) Value {
	if i, ok := x.(*Iface); ok {
		return Value{r: i}
	}
	return Value{r: &Iface{Val: Value{r: hostValue{reflect.ValueOf(x)}}}}
}

// assertFault is [rt.AssertFault].
func assertFault(m *Machine, o *ssair.Op, args []Value) []Value {
	t := m.types.of(ssair.Deref(o.Args[1].Type))
	msg := m.assertMessage(args[0].Iface(), m.types.of(o.Args[0].Type), t)
	return []Value{m.panicValue(RuntimeError(msg))}
}

// faults are the functions of package rt that make the values of run-time panics.
var faults = map[string]any{
	"ArrayFault":   rt.ArrayFault,
	"CompareFault": rt.CompareFault, "DivideFault": rt.DivideFault, "IndexFault": rt.IndexFault, "KeyFault": rt.KeyFault,
	"MakeFault": rt.MakeFault, "MapFault": rt.MapFault, "NilFault": rt.NilFault, "NilPanic": rt.NilPanic,
	"ShiftFault": rt.ShiftFault, "SliceFault": rt.SliceFault, "SliceFault3": rt.SliceFault3, "StringFault": rt.StringFault,
}
