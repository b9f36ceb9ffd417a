package bank

import (
	"errors"
	"fmt"
	"go/types"
	"strings"

	"github.com/quabla/quabla/analyze"
	"github.com/quabla/quabla/compile"
	"github.com/quabla/quabla/diag"
	"github.com/quabla/quabla/internal/bank/probe"
	"github.com/quabla/quabla/internal/leaves"
	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/interp"
)

// interpreted is the world of the interpreter. Its values are of type val.
type interpreted struct {
	cw       *caseWork
	comp     *compile.Compiler
	funcs    map[string]*ssair.Func
	machines map[*ssair.Func]*interp.Machine
	works    map[*ssair.Func]interp.Value // work spaces
	matrices map[*interp.Cell]*matrix
	globals  map[types.Object]interp.Value
}

// A val is a value with its type. A function that a function returned also has the
// machine that it lives in.
type val struct {
	v interp.Value
	t types.Type
	m *interp.Machine
}

// maxSteps limits one call.
const maxSteps = 20_000_000

// interpret checks a case in the interpreter.
func (cw *caseWork) interpret(w *probe.Worker) {
	w.Doing("interpreting")
	in := &interpreted{
		cw: cw, comp: compile.New(), funcs: cw.irs, works: map[*ssair.Func]interp.Value{},
		matrices: map[*interp.Cell]*matrix{},
	}
	if err := in.initialise(); err != nil {
		w.Emit(probe.Event{Kind: probe.Unchecked, Way: probe.Interp, Text: oneLine(err.Error())})
		return
	}
	c := &probe.Checker{World: in, Way: probe.Interp, Plan: cw.plan, Emit: w.Emit, Doing: w.Doing, MaxCalls: 60}
	c.Run()
}

// initialise computes the initial values of the package-level variables, in the
// order of Go, and runs the init functions.
func (in *interpreted) initialise() error {
	in.machines = map[*ssair.Func]*interp.Machine{}
	in.globals = map[types.Object]interp.Value{}
	byVar := map[string]global{}
	for _, g := range in.cw.src.globals {
		for _, name := range g.vars {
			byVar[name] = g
		}
	}
	for _, init := range in.cw.pkg.Info.InitOrder {
		if len(init.Lhs) == 0 {
			continue
		}
		name := ""
		for _, v := range init.Lhs {
			if v.Name() != "_" {
				name = v.Name()
			}
		}
		g, ok := byVar[name]
		if !ok {
			continue // of blank variables only
		}
		results, err := in.call(g.fn, nil)
		if err != nil {
			return fmt.Errorf("cannot initialise %s: %w", name, err)
		}
		for k, v := range init.Lhs {
			if v.Name() == "_" {
				continue
			}
			r := results[k]
			if types.IsInterface(r.t) && !types.IsInterface(v.Type()) {
				if i := r.v.Iface(); i != nil {
					r.v = i.Val
				}
			}
			in.globals[v] = r.v
		}
		in.machines = map[*ssair.Func]*interp.Machine{} // they start from other values
	}
	if in.cw.src.inits > 0 {
		return errors.New("the package has a function init")
	}
	return nil
}

// function returns the IR of a function of the package.
func (in *interpreted) function(name string) (*ssair.Func, error) {
	if f := in.funcs[name]; f != nil {
		return f, nil
	}
	obj := in.cw.object(name)
	if obj == nil {
		return nil, fmt.Errorf("no function %s", name)
	}
	ds := new(diag.List)
	req := &analyze.Request{Func: obj, Pkg: in.cw.pkg, Verb: analyze.Value, Name: name, Pos: obj.Pos()}
	f, err := in.comp.Primal(in.cw.pkg, req, ds)
	if err != nil {
		return nil, err
	}
	if f == nil {
		why := "refused"
		for _, d := range ds.All() {
			why = d.Message
		}
		return nil, &probe.UncheckedError{Why: "cannot lift " + name + ": " + why}
	}
	in.funcs[name] = f
	return f, nil
}

// machine returns a machine for a function.
func (in *interpreted) machine(f *ssair.Func) *interp.Machine {
	m := in.machines[f]
	if m == nil || in.cw.src.races || m.Steps() > maxSteps/2 {
		m = interp.New(f.Mod)
		m.MaxSteps = maxSteps
		m.MaxDepth = 20_000
		m.MaxCells = 1 << 22
		m.Functions = in.functions()
		m.Globals = map[types.Object]interp.Value{}
		var objs []types.Object
		var vs []interp.Value
		for o, v := range in.globals {
			objs, vs = append(objs, o), append(vs, v)
		}
		for i, v := range interp.CloneAll(vs...) {
			m.Globals[objs[i]] = v
		}
		in.machines[f] = m
	}
	return m
}

func (in *interpreted) call(name string, args []interp.Value) ([]val, error) {
	f, err := in.function(name)
	if err != nil {
		return nil, err
	}
	m := in.machine(f)
	if in.hasWork(f) {
		ws, ok := in.works[f]
		if !ok {
			t := f.Params[0].Type.(*types.Pointer).Elem()
			ws = interp.Pointer(interp.NewCell(t, interp.Zero(t)))
			in.works[f] = ws // for later calls too, as a pool keeps it
		}
		args = append([]interp.Value{ws}, args...)
	}
	results, err := m.Call(f, args...)
	if err != nil {
		delete(in.machines, f)
		delete(in.works, f)
		return nil, translate(err)
	}
	var out []val
	for i, r := range results {
		out = append(out, val{r, f.Results[i].Type, m})
	}
	return out, nil
}

// hasWork reports whether a function has a work space in front of the parameters of
// its signature.
func (in *interpreted) hasWork(f *ssair.Func) bool {
	if len(f.Params) == 0 || in.funcs[f.Name] != f {
		return false
	}
	p, ok := f.Params[0].Type.(*types.Pointer)
	if !ok {
		return false
	}
	named, ok := p.Elem().(*types.Named)
	return ok && named.Obj().Name() == f.Name+"Work"
}

// translate turns an error of a machine into one of a world.
func translate(err error) error {
	var pan *interp.PanicError
	var no *interp.Unsupported
	switch {
	case errors.As(err, &pan):
		return &probe.PanicError{Text: pan.Text, Stack: pan.Error()}
	case errors.As(err, &no):
		return &probe.UncheckedError{Why: no.Error()}
	}
	return err
}

func vals(list []val) []probe.Val {
	out := make([]probe.Val, len(list))
	for i, v := range list {
		out[i] = v
	}
	return out
}

func (in *interpreted) Args(point int) ([]probe.Val, error) {
	var list []val
	for i := range in.cw.src.params {
		r, err := in.call(argFunc(point, i), nil)
		if err != nil {
			var un *probe.UncheckedError
			if errors.As(err, &un) {
				return nil, err
			}
			return nil, fmt.Errorf("cannot make argument %d: %w", i, err)
		}
		list = append(list, r[0])
	}
	return vals(list), nil
}

func plainValues(args []probe.Val) []interp.Value {
	out := make([]interp.Value, len(args))
	for i, a := range args {
		if v, ok := a.(val); ok {
			out[i] = v.v
		}
	}
	return out
}

func (in *interpreted) Call(fn string, args []probe.Val) ([]probe.Val, error) {
	r, err := in.call(fn, plainValues(args))
	return vals(r), err
}

func (in *interpreted) CallValue(f probe.Val, args []probe.Val) ([]probe.Val, error) {
	x := f.(val)
	sig, ok := x.t.Underlying().(*types.Signature)
	if !ok || x.v.Closure() == nil {
		return nil, fmt.Errorf("a value of type %s is called", x.t)
	}
	results, err := x.m.CallClosure(x.v.Closure(), plainValues(args)...)
	if err != nil {
		return nil, translate(err)
	}
	out := make([]probe.Val, len(results))
	for i, r := range results {
		out[i] = val{r, sig.Results().At(i).Type(), x.m}
	}
	return out, nil
}

func (in *interpreted) Leaves(v probe.Val) []float64 {
	x := v.(val)
	return interp.Flatten(x.v, x.t)
}

func (in *interpreted) Names(name string, v probe.Val) []string {
	x := v.(val)
	return interp.LeafNames(name, x.v, x.t)
}

func (in *interpreted) SetLeaves(v probe.Val, xs []float64) probe.Val {
	x := v.(val)
	return val{v: interp.SetLeaves([]interp.Value{x.v}, []types.Type{x.t}, xs)[0], t: x.t}
}

func (in *interpreted) ZeroLike(vs []probe.Val) []probe.Val {
	ts := make([]types.Type, len(vs))
	for i, v := range vs {
		ts[i] = v.(val).t
	}
	out := make([]probe.Val, len(vs))
	for i, z := range interp.ZeroLikeAll(plainValues(vs), ts) {
		out[i] = val{v: z, t: ts[i]}
	}
	return out
}

// param returns the type of a parameter of a function, or, for a name that ends in
// "()", of the function that it returns.
func (in *interpreted) param(fn string, i int) (types.Type, error) {
	fn, inner := strings.CutSuffix(fn, "()")
	f, err := in.function(fn)
	if err != nil {
		return nil, err
	}
	if inner {
		for _, r := range f.Results {
			if sig, ok := r.Type.Underlying().(*types.Signature); ok && i < sig.Params().Len() {
				return sig.Params().At(i).Type(), nil
			}
		}
		return nil, fmt.Errorf("function %s returns no function with parameter %d", fn, i)
	}
	if in.hasWork(f) {
		i++
	}
	if i >= len(f.Params) {
		return nil, fmt.Errorf("function %s has no parameter %d", fn, i)
	}
	return f.Params[i].Type, nil
}

func (in *interpreted) Fit(fn string, i int, v probe.Val) (probe.Val, error) {
	x := v.(val)
	t, err := in.param(fn, i)
	if err != nil {
		return nil, err
	}
	if types.Identical(t, x.t) || types.AssignableTo(x.t, t) {
		return x, nil
	}
	if p, ok := t.Underlying().(*types.Pointer); ok && types.Identical(p.Elem(), x.t) {
		return val{v: interp.Pointer(interp.NewCell(x.t, x.v)), t: t}, nil
	}
	return nil, fmt.Errorf("a parameter of type %s, where one of type %s or a pointer to it is expected", t, x.t)
}

func (in *interpreted) Batch(fn string, i int, members []probe.Val) (probe.Val, error) {
	t, err := in.param(fn, i)
	if err != nil {
		return nil, err
	}
	of := elem(t)
	list := make([]any, len(members))
	for k, m := range members {
		x := m.(val)
		if p, ok := of.Underlying().(*types.Pointer); ok && types.Identical(p.Elem(), x.t) {
			x.v = interp.Pointer(interp.NewCell(x.t, x.v))
		}
		list[k] = x.v
	}
	v, err := interp.FromGo(t, list)
	return val{v: v, t: t}, err
}

func (in *interpreted) Members(batch probe.Val) []probe.Val {
	x := batch.(val)
	of := elem(x.t)
	var list []probe.Val
	for i := range x.v.Len() {
		list = append(list, val{v: x.v.Part(i).Pointer().Load(of), t: of})
	}
	return list
}

func (in *interpreted) Failed(v probe.Val) bool {
	x := v.(val)
	return types.Identical(x.t, types.Universe.Lookup("error").Type()) && x.v.Iface() != nil
}

func (in *interpreted) Lanes(fn string, i int, v probe.Val, lanes [][]float64) (probe.Val, error) {
	x := v.(val)
	t, err := in.param(fn, i)
	if err != nil {
		return nil, err
	}
	z, err := shaped(t, x)
	if err != nil {
		return nil, err
	}
	order := leaves.LaneOrder(interp.LeafNames("", z.v, z.t), len(lanes))
	if len(order) != len(lanes)*len(lanes[0]) {
		return nil, fmt.Errorf("%d floats in a value with %d lanes for %d floats", len(order), len(lanes), len(lanes[0]))
	}
	xs := make([]float64, len(order))
	for k := range lanes[0] {
		for n, l := range lanes {
			xs[order[k*len(lanes)+n]] = l[k]
		}
	}
	return in.SetLeaves(z, xs), nil
}

func (in *interpreted) ZeroResult(fn string, i int) (probe.Val, bool) {
	f, err := in.function(fn)
	if err != nil || i >= len(f.Results) {
		return nil, false
	}
	t := f.Results[i].Type
	return val{v: interp.Zero(t), t: t}, !ssair.IsRef(t)
}

func (in *interpreted) State(v probe.Val) string {
	x := v.(val)
	return interp.Format(x.v, x.t)
}
