package check

import (
	"fmt"
	"reflect"
)

// A Registry holds the functions of a compiled program.
type Registry struct {
	funcs map[string]reflect.Value
	works map[string]reflect.Value
}

// Add adds a function.
func (r *Registry) Add(name string, f any) {
	if r.funcs == nil {
		r.funcs = map[string]reflect.Value{}
		r.works = map[string]reflect.Value{}
	}
	r.funcs[name] = reflect.ValueOf(f)
}

// Native calls compiled functions. The work space of a function is the same in
// all calls.
type Native struct {
	*Registry
	Primal *Func
}

// Count implements World.
func (n Native) Count(seed uint64) []int {
	t := n.funcs[n.Primal.Name].Type()
	out := make([]int, t.NumIn())
	for i := range out {
		out[i] = len(Floats(Make(t.In(i), Rng(seed, i))))
	}
	return out
}

// Call implements World.
func (n Native) Call(f *Func, seed uint64, in [][]float64) (out Outcome) {
	fn := n.funcs[f.Name]
	t := fn.Type()
	var args []reflect.Value
	if f.Work {
		ws, ok := n.works[f.Name]
		if !ok {
			ws = reflect.New(t.In(0).Elem())
			n.works[f.Name] = ws
		}
		args = append(args, ws)
	}
	first := len(args)
	for i, s := range f.Params {
		v := Make(t.In(first+i), Rng(seed, s.Of))
		if in[i] != nil {
			SetFloats(v, in[i])
		}
		args = append(args, v)
	}
	defer func() {
		if r := recover(); r != nil {
			out = Outcome{Panic: fmt.Sprint(r)}
		}
	}()
	results := fn.Call(args)
	for _, a := range args[first:] {
		out.Params = append(out.Params, Floats(a))
		out.States = append(out.States, state(a))
	}
	for _, r := range results {
		out.Results = append(out.Results, Floats(r))
	}
	return out
}
