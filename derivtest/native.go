package derivtest

import (
	"fmt"
	"reflect"
	"runtime/debug"

	"github.com/quabla/quabla/internal/leaves"
)

// A native is a compiled function.
type native struct {
	f reflect.Value
	// work is the work space of a form that has one, which every call uses, and
	// at its place among the parameters.
	work reflect.Value
	at   int
	vars *variables
}

func newNative(f any, vars *variables) *native { return &native{f: reflect.ValueOf(f), vars: vars} }

// withWork returns the form with a work space of a function, with a new one in
// front of the other parameters, but behind a receiver.
func withWork(f any, method bool, vars *variables) *native {
	n := newNative(f, vars)
	if method {
		n.at = 1
	}
	n.work = reflect.New(n.f.Type().In(n.at).Elem())
	return n
}

func (n *native) call(args []reflect.Value) (*outcome, error) {
	in, err := n.arguments(args)
	if err != nil {
		return nil, err
	}
	restore := n.vars.save()
	results, err := apply(n.f, in)
	restore()
	if err != nil {
		return nil, err
	}
	out := &outcome{}
	for _, a := range args {
		out.params = append(out.params, read(a))
	}
	for _, r := range results {
		if r.Kind() == reflect.Func && !r.IsNil() {
			out.pullback = (&native{f: r, vars: n.vars}).call
		}
		out.results = append(out.results, read(r))
	}
	return out, nil
}

// arguments returns the arguments as the compiled function takes them.
func (n *native) arguments(args []reflect.Value) ([]reflect.Value, error) {
	t := n.f.Type()
	in := make([]reflect.Value, 0, len(args)+1)
	for i, a := range args {
		if n.work.IsValid() && i == n.at {
			in = append(in, n.work)
		}
		in = append(in, a)
	}
	if n.work.IsValid() && n.at == len(args) {
		in = append(in, n.work)
	}
	if len(in) != t.NumIn() {
		return nil, fmt.Errorf("the compiled function has %d parameters, not %d: run go generate", t.NumIn(), len(in))
	}
	for i, a := range in {
		p := t.In(i)
		if m, ok := a.Interface().(*matrix); ok {
			in[i] = m.in(p)
			continue
		}
		if !a.Type().AssignableTo(p) {
			return nil, fmt.Errorf("parameter %d of the compiled function has the type %s, not %s: run go generate", i, p, a.Type())
		}
	}
	return in, nil
}

// apply calls f and turns a panic into an error.
func apply(f reflect.Value, in []reflect.Value) (results []reflect.Value, err error) {
	done := false
	defer func() {
		if !done {
			err = &panicError{text: fmt.Sprint(recover()), stack: string(debug.Stack())}
		}
	}()
	if f.Type().IsVariadic() {
		results = f.CallSlice(in)
	} else {
		results = f.Call(in)
	}
	done = true
	return results, nil
}

// variables are the package-level variables that the functions of a file use.
type variables struct {
	ptrs  map[string]any
	start map[string]reflect.Value // copies of the values at the start, of those that are written
}

// save returns a function that gives variables which the functions write the
// values that they had at the start, so that every call begins in the same state.
func (v *variables) save() func() {
	if v == nil || len(v.start) == 0 {
		return func() {}
	}
	return func() {
		for name, start := range v.start {
			reflect.ValueOf(v.ptrs[name]).Elem().Set(leaves.Clone(start)[0])
		}
	}
}

// written notes that functions write a variable.
func (v *variables) written(name string) {
	p, ok := v.ptrs[name]
	if !ok || v.start[name].IsValid() {
		return
	}
	if v.start == nil {
		v.start = map[string]reflect.Value{}
	}
	v.start[name] = leaves.Clone(reflect.ValueOf(p).Elem())[0]
}
