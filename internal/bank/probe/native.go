package probe

import (
	"fmt"
	"reflect"
	"runtime/debug"
	"strings"

	"github.com/quabla/quabla/internal/leaves"
)

// A Registry holds the functions of one case package. The harness writes a function
// into the package that fills it.
type Registry struct {
	funcs map[string]reflect.Value
	args  [][]reflect.Value
}

// Func adds a function.
func (r *Registry) Func(name string, f any) {
	if r.funcs == nil {
		r.funcs = map[string]reflect.Value{}
	}
	r.funcs[name] = reflect.ValueOf(f)
}

// Args adds the functions that make the arguments at the next point.
func (r *Registry) Args(fs ...any) {
	var list []reflect.Value
	for _, f := range fs {
		list = append(list, reflect.ValueOf(f))
	}
	r.args = append(r.args, list)
}

// NewMatrix makes the matrices of gonum, if the program has them: dense ones and
// symmetric ones, filled with x.
var NewMatrix func(symmetric bool, rows, cols int, x float64) any

// Native is compiled code. A Val is a reflect.Value.
type Native struct{ Reg *Registry }

func list(vs []reflect.Value) []Val {
	out := make([]Val, len(vs))
	for i, v := range vs {
		out[i] = v
	}
	return out
}

// call calls f and turns a panic into an error.
func call(f reflect.Value, args []reflect.Value) (results []reflect.Value, err error) {
	done := false
	defer func() {
		if done {
			return
		}
		r := recover()
		err = &PanicError{Text: fmt.Sprint(r), Stack: string(debug.Stack())}
	}()
	results = f.Call(args)
	done = true
	return results, nil
}

func (n Native) Args(point int) ([]Val, error) {
	if point >= len(n.Reg.args) {
		return nil, fmt.Errorf("no arguments for point %d", point)
	}
	var vs []Val
	for _, f := range n.Reg.args[point] {
		r, err := call(f, nil)
		if err != nil {
			return nil, fmt.Errorf("cannot make an argument: %w", err)
		}
		vs = append(vs, r[0])
	}
	return vs, nil
}

func (n Native) Call(fn string, args []Val) ([]Val, error) {
	f, ok := n.Reg.funcs[fn]
	if !ok {
		return nil, fmt.Errorf("no function %s", fn)
	}
	return n.callValue(f, args)
}

func (n Native) CallValue(f Val, args []Val) ([]Val, error) {
	return n.callValue(f.(reflect.Value), args)
}

func (n Native) callValue(f reflect.Value, args []Val) ([]Val, error) {
	t := f.Type()
	if t.NumIn() != len(args) {
		return nil, fmt.Errorf("%d arguments for %s", len(args), t)
	}
	in := make([]reflect.Value, len(args))
	for i, a := range args {
		v, ok := a.(reflect.Value)
		switch p := t.In(i); {
		case !ok || !v.IsValid():
			v = reflect.Zero(p)
		case !v.Type().AssignableTo(p):
			return nil, fmt.Errorf("argument %d is of type %s, want %s", i, v.Type(), p)
		}
		in[i] = v
	}
	if t.IsVariadic() {
		last := len(in) - 1
		if s := in[last]; s.Kind() == reflect.Slice {
			in = in[:last]
			for i := range s.Len() {
				in = append(in, s.Index(i))
			}
		}
	}
	out, err := call(f, in)
	if err != nil {
		return nil, err
	}
	return list(out), nil
}

func (n Native) Leaves(v Val) []float64 { return leaves.Of(v.(reflect.Value)) }

func (n Native) Names(name string, v Val) []string { return leaves.Names(name, v.(reflect.Value)) }

func (n Native) SetLeaves(v Val, xs []float64) Val { return leaves.Set(v.(reflect.Value), xs) }

func (n Native) ZeroLike(vs []Val) []Val {
	in := make([]reflect.Value, len(vs))
	for i, v := range vs {
		in[i] = v.(reflect.Value)
	}
	return list(leaves.ZeroLike(in...))
}

// param returns the type of parameter i of a function, or, for a name that ends in
// "()", of the function that it returns.
func (n Native) param(fn string, i int) (reflect.Type, error) {
	name, inner := strings.CutSuffix(fn, "()")
	f, ok := n.Reg.funcs[name]
	if !ok {
		return nil, fmt.Errorf("no function %s", fn)
	}
	t := f.Type()
	if inner {
		for k := range t.NumOut() {
			if t.Out(k).Kind() == reflect.Func {
				t = t.Out(k)
				break
			}
		}
	}
	if i >= t.NumIn() {
		return nil, fmt.Errorf("function %s has no parameter %d", fn, i)
	}
	return t.In(i), nil
}

func (n Native) Fit(fn string, i int, v Val) (Val, error) {
	t, err := n.param(fn, i)
	if err != nil {
		return nil, err
	}
	return fit(v.(reflect.Value), t)
}

// fit returns v, or a pointer to a variable that holds it, as a value of type t.
func fit(v reflect.Value, t reflect.Type) (Val, error) {
	switch {
	case v.Type().AssignableTo(t):
		return v, nil
	case t.Kind() == reflect.Pointer && v.Type() == t.Elem():
		p := reflect.New(v.Type())
		p.Elem().Set(v)
		return p, nil
	}
	return nil, fmt.Errorf("a parameter of type %s, where one of type %s or a pointer to it is expected", t, v.Type())
}

func (n Native) Batch(fn string, i int, members []Val) (Val, error) {
	t, err := n.param(fn, i)
	if err != nil {
		return nil, err
	}
	if t.Kind() != reflect.Slice {
		return nil, fmt.Errorf("parameter %d of %s has the type %s, not that of a batch", i, fn, t)
	}
	batch := reflect.MakeSlice(t, len(members), len(members))
	for k, m := range members {
		v, err := fit(m.(reflect.Value), t.Elem())
		if err != nil {
			return nil, err
		}
		batch.Index(k).Set(v.(reflect.Value))
	}
	return batch, nil
}

func (n Native) Members(batch Val) []Val {
	v := batch.(reflect.Value)
	var list []Val
	for i := range v.Len() {
		list = append(list, v.Index(i))
	}
	return list
}

func (n Native) Failed(v Val) bool {
	x := v.(reflect.Value)
	return x.Type() == reflect.TypeFor[error]() && !x.IsNil()
}

func (n Native) Lanes(fn string, i int, v Val, lanes [][]float64) (Val, error) {
	t, err := n.param(fn, i)
	if err != nil {
		return nil, err
	}
	at := 0
	next := func() []float64 {
		xs := make([]float64, len(lanes))
		for k, l := range lanes {
			xs[k] = l[at]
		}
		at++
		return xs
	}
	out := reflect.New(t).Elem()
	if err := leaves.Spread(out, v.(reflect.Value), next); err != nil {
		return nil, err
	}
	return out, nil
}

func (n Native) Matrix(fn string, i, rows, cols int, x float64) (Val, func(i, j int) float64, error) {
	t, err := n.param(fn, i)
	if err != nil {
		return nil, nil, err
	}
	if NewMatrix == nil {
		return nil, nil, &UncheckedError{"no matrices in this program"}
	}
	m := NewMatrix(t.Elem().Name() == "SymDense", rows, cols, x)
	get, ok := m.(interface{ At(i, j int) float64 })
	if !ok || reflect.TypeOf(m) != t {
		return nil, nil, fmt.Errorf("a matrix of type %s", t)
	}
	return reflect.ValueOf(m), get.At, nil
}

func (n Native) ZeroResult(fn string, i int) (Val, bool) {
	t := n.Reg.funcs[fn].Type().Out(i)
	switch t.Kind() {
	case reflect.Slice, reflect.Pointer, reflect.Map, reflect.Interface, reflect.Func, reflect.Chan:
		return reflect.Zero(t), false
	}
	return reflect.Zero(t), true
}

func (n Native) State(v Val) string { return leaves.State(v.(reflect.Value)) }
