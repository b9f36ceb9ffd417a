package derivtest

import (
	"errors"
	"fmt"
	"go/types"
	"reflect"
	"strings"

	"github.com/quabla/quabla/analyze"
	"github.com/quabla/quabla/diag"
	"github.com/quabla/quabla/internal/leaves"
	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/interp"
)

// An interpreted is a function in the interpreter.
type interpreted struct {
	s    *source
	f    *ssair.Func
	args map[*types.TypeParam]types.Type
	vars *variables
	// work is the place of the work space among the parameters, or -1.
	work int

	m         *interp.Machine
	ws        interp.Value // the work space, which all calls of a machine use
	globals   map[types.Object]string
	again     bool // package-level variables are written, so each call needs a machine
	functions map[string]func(*interp.Machine, []interp.Value) ([]interp.Value, error)
	matrices  map[*interp.Cell]*matrix
}

// maxSteps limits one call: where the function itself takes longer, other
// arguments are tried.
const maxSteps = 5_000_000

// derive returns the derived function of a request in the interpreter. The error
// is an *unableError if that is not possible, and says what is wrong with the
// source otherwise.
func (s *source) derive(req *analyze.Request, args map[*types.TypeParam]types.Type, vars *variables) (*interpreted, error) {
	ds := new(diag.List)
	f, err := s.comp.Func(s.pkg, req, ds)
	if err := s.refused(ds, f == nil, err); err != nil {
		return nil, err
	}
	in := &interpreted{s: s, f: f, args: args, vars: vars, work: -1}
	if n := len(f.Params) - len(req.Derived.All()); n == 1 {
		in.work = 0
		if req.Derived.Recv != nil {
			in.work = 1
		}
	}
	return in, in.prepare()
}

// primal returns the function that a request is about in the interpreter.
func (s *source) primal(req *analyze.Request, args map[*types.TypeParam]types.Type, vars *variables) (*interpreted, error) {
	ds := new(diag.List)
	f, err := s.comp.Primal(s.pkg, req, ds)
	if err := s.refused(ds, f == nil, err); err != nil {
		return nil, err
	}
	in := &interpreted{s: s, f: f, args: args, vars: vars, work: -1}
	return in, in.prepare()
}

// refused says what the compiler said.
func (s *source) refused(ds *diag.List, failed bool, err error) error {
	for _, d := range ds.All() {
		if d.Severity == diag.Error {
			return fmt.Errorf("the source is refused now: %s:%d: %s", s.name, d.Pos.Line, d.Message)
		}
	}
	if err == nil && failed {
		err = errors.New("the source is refused now")
	}
	return err
}

// each calls visit for the ops of f and of all functions that it calls.
func each(f *ssair.Func, visit func(f *ssair.Func, o *ssair.Op)) {
	seen := map[*ssair.Func]bool{}
	var walk func(f *ssair.Func)
	walk = func(f *ssair.Func) {
		if seen[f] {
			return
		}
		seen[f] = true
		f.Body.Walk(func(o *ssair.Op) bool {
			visit(f, o)
			if o.Callee != nil {
				walk(o.Callee)
			}
			return true
		})
	}
	walk(f)
}

// prepare finds the variables and the functions of package rt that f needs.
func (in *interpreted) prepare() error {
	in.globals = map[types.Object]string{}
	in.matrices = map[*interp.Cell]*matrix{}
	in.functions = map[string]func(*interp.Machine, []interp.Value) ([]interp.Value, error){
		"(*gonum.org/v1/gonum/mat.Dense).Set":       in.setEntry,
		"(*gonum.org/v1/gonum/mat.SymDense).SetSym": in.setEntry,
		rtPath + ".Resize":                          in.resize,
	}
	var err error
	each(in.f, func(_ *ssair.Func, o *ssair.Op) {
		switch {
		case o.Kind == ssair.Global:
			name := o.Obj.Name()
			if o.Obj.Pkg() != in.s.pkg.Types {
				name = o.Obj.Pkg().Path() + "." + name
			}
			if _, ok := in.vars.ptrs[name]; ok {
				in.globals[o.Obj] = name
			} else if first, _, _ := strings.Cut(o.Obj.Pkg().Path(), "/"); o.Obj.Pkg() == in.s.pkg.Types || strings.Contains(first, ".") {
				err = &unableError{fmt.Sprintf("the variable %s cannot be reached from here", name)}
			}
		case o.Kind == ssair.Opaque && o.Obj != nil && o.Obj.Pkg() != nil && o.Obj.Pkg().Path() == rtPath:
			// The checks of arguments; derivtest makes such as pass them.
			sig, ok := o.Obj.Type().(*types.Signature)
			name := rtPath + "." + o.Obj.Name()
			if ok && in.functions[name] == nil && sig.Params().Len() > 0 && sig.Params().At(0).Name() == "what" {
				in.functions[name] = func(*interp.Machine, []interp.Value) ([]interp.Value, error) { return nil, nil }
			}
		case o.Kind.Writes() && len(o.Args) > 0 && o.Args[0] != nil:
			if g := o.Args[0].Def; g != nil && g.Kind == ssair.Global {
				in.again = true
				if g.Obj.Pkg() == in.s.pkg.Types {
					in.vars.written(g.Obj.Name())
				}
			}
		}
	})
	return err
}

func (in *interpreted) setEntry(_ *interp.Machine, args []interp.Value) ([]interp.Value, error) {
	m := in.matrices[args[0].Pointer()]
	if m == nil {
		return nil, errors.New("an unknown matrix is set")
	}
	return nil, m.set(int(args[1].Int()), int(args[2].Int()), args[3].Float())
}

func (in *interpreted) resize(_ *interp.Machine, args []interp.Value) ([]interp.Value, error) {
	ref := args[1]
	if i := ref.Iface(); i != nil {
		ref = i.Val
	}
	m := in.matrices[ref.Pointer()]
	if rows, cols := int(args[2].Int()), int(args[3].Int()); m == nil || m.rows != rows || m.cols != cols {
		return nil, fmt.Errorf("a matrix with %d rows and %d columns is expected", rows, cols)
	}
	return nil, nil
}

// machine returns a machine, with the variables as they are in this process.
func (in *interpreted) machine() (*interp.Machine, error) {
	if in.m != nil && !in.again && in.m.Steps() < maxSteps/2 {
		return in.m, nil
	}
	m := interp.New(in.f.Mod)
	m.MaxSteps, m.MaxDepth, m.MaxCells = maxSteps, 20_000, 1<<22
	m.TypeArgs = in.args
	m.Functions = in.functions
	m.Globals = map[types.Object]interp.Value{}
	for obj, name := range in.globals {
		v, err := in.value(obj.Type(), reflect.ValueOf(in.vars.ptrs[name]).Elem())
		if err != nil {
			return nil, &unableError{fmt.Sprintf("the variable %s: %v", name, err)}
		}
		m.Globals[obj] = v
	}
	if in.work >= 0 {
		t := in.f.Params[in.work].Type.(*types.Pointer).Elem()
		in.ws = interp.Pointer(interp.NewCell(t, interp.Zero(t)))
	}
	in.m = m
	return m, nil
}

// paramTypes returns the types of the parameters without a work space, and those
// of the results, with the type arguments.
func (in *interpreted) types() (params, results []types.Type) {
	for i, p := range in.f.Params {
		if i != in.work {
			params = append(params, analyze.Substitute(p.Type, in.args))
		}
	}
	for _, r := range in.f.Results {
		results = append(results, analyze.Substitute(r.Type, in.args))
	}
	return params, results
}

func (in *interpreted) call(args []reflect.Value) (*outcome, error) {
	m, err := in.machine()
	if err != nil {
		return nil, err
	}
	params, results := in.types()
	vs, err := in.values(params, args)
	if err != nil {
		return nil, &unableError{err.Error()}
	}
	full := vs
	if in.work >= 0 {
		full = append(append(append([]interp.Value(nil), vs[:in.work]...), in.ws), vs[in.work:]...)
	}
	out, err := m.Call(in.f, full...)
	return in.outcome(m, args, params, vs, results, out, err)
}

// outcome reads what a call did.
func (in *interpreted) outcome(m *interp.Machine, args []reflect.Value, params []types.Type, vs []interp.Value, results []types.Type, out []interp.Value, err error) (*outcome, error) {
	if err != nil {
		in.m = nil
		var pan *interp.PanicError
		var no *interp.Unsupported
		var limit *interp.LimitError
		switch {
		case errors.As(err, &pan):
			return nil, &panicError{text: pan.Text}
		case errors.As(err, &no):
			return nil, &unableError{no.Error()}
		case errors.As(err, &limit):
			return nil, &limitError{limit.Error()}
		}
		return nil, err
	}
	o := &outcome{}
	for i, v := range vs {
		if m, ok := args[i].Interface().(*matrix); ok {
			o.params = append(o.params, m.read())
			continue
		}
		o.params = append(o.params, readValue(v, params[i]))
	}
	for i, v := range out {
		sig, isFunc := results[i].Underlying().(*types.Signature)
		if c := v.Closure(); isFunc && c != nil {
			o.pullback = in.closure(m, c, sig)
		}
		o.results = append(o.results, readValue(v, results[i]))
	}
	return o, nil
}

// closure returns a way to call a function that the interpreter returned.
func (in *interpreted) closure(m *interp.Machine, c *interp.Closure, sig *types.Signature) func([]reflect.Value) (*outcome, error) {
	tuple := func(t *types.Tuple) (list []types.Type) {
		for v := range t.Variables() {
			list = append(list, v.Type())
		}
		return list
	}
	return func(args []reflect.Value) (*outcome, error) {
		params, results := tuple(sig.Params()), tuple(sig.Results())
		vs, err := in.values(params, args)
		if err != nil {
			return nil, &unableError{err.Error()}
		}
		out, err := m.CallClosure(c, vs...)
		return in.outcome(m, args, params, vs, results, out, err)
	}
}

// readValue returns the slot of a value of the interpreter.
func readValue(v interp.Value, t types.Type) slot {
	if ssair.IsErrorType(t) {
		s := slot{isErr: true, names: func() []string { return nil }}
		if v.Iface() != nil {
			s.err = errors.New(interp.Format(v, t))
		}
		return s
	}
	s := slot{xs: interp.Flatten(v, t), names: func() []string { return interp.LeafNames("", v, t) }}
	if x, err := interp.ToGo(t, v); err == nil && x != nil {
		s.value = reflect.ValueOf(x)
	}
	return s
}

// values returns Go values for the interpreter. What they share is shared there.
func (in *interpreted) values(ts []types.Type, args []reflect.Value) ([]interp.Value, error) {
	if len(ts) != len(args) {
		return nil, fmt.Errorf("%d arguments for %d parameters", len(args), len(ts))
	}
	// They are converted as the fields of one struct, so that memory of which
	// several consist stays one.
	fields := make([]*types.Var, len(ts))
	goFields := make([]reflect.StructField, len(ts))
	parts := make([]reflect.Value, len(ts))
	for i, t := range ts {
		fields[i] = types.NewField(0, nil, fmt.Sprintf("P%d", i), t, false)
		v, err := in.part(t, args[i])
		if err != nil {
			return nil, fmt.Errorf("argument %d: %w", i, err)
		}
		parts[i] = v
		goFields[i] = reflect.StructField{Name: fmt.Sprintf("P%d", i), Type: v.Type()}
	}
	tuple := reflect.New(reflect.StructOf(goFields)).Elem()
	for i, v := range parts {
		tuple.Field(i).Set(v)
	}
	v, err := interp.FromGo(types.NewStruct(fields, nil), tuple)
	if err != nil {
		return nil, err
	}
	out := make([]interp.Value, len(ts))
	for i := range out {
		out[i] = v.Part(i)
	}
	return out, nil
}

// value returns one Go value for the interpreter.
func (in *interpreted) value(t types.Type, v reflect.Value) (interp.Value, error) {
	vs, err := in.values([]types.Type{t}, []reflect.Value{v})
	if err != nil {
		return interp.Value{}, err
	}
	return vs[0], nil
}

// part returns a Go value in a form that interp.FromGo takes: as it is, but for
// matrices and for interfaces, whose dynamic types the interpreter must know.
func (in *interpreted) part(t types.Type, v reflect.Value) (reflect.Value, error) {
	if m, ok := v.Interface().(*matrix); ok {
		elem := t.Underlying().(*types.Pointer).Elem()
		named, _ := elem.(*types.Named)
		m.standIn(named != nil && named.Obj().Name() == "SymDense")
		cell := interp.NewCell(elem, interp.Zero(elem))
		in.matrices[cell] = m
		return reflect.ValueOf(interp.Pointer(cell)), nil
	}
	if !holdsInterface(t, nil) {
		return v, nil
	}
	return in.spell(t, v, 0)
}

// holdsInterface reports whether an interface other than error stands in t.
func holdsInterface(t types.Type, seen []types.Type) bool {
	for _, s := range seen {
		if s == t {
			return false
		}
	}
	seen = append(seen[:len(seen):len(seen)], t)
	switch u := t.Underlying().(type) {
	case *types.Interface:
		return !ssair.IsErrorType(t)
	case *types.Slice:
		return holdsInterface(u.Elem(), seen)
	case *types.Array:
		return holdsInterface(u.Elem(), seen)
	case *types.Pointer:
		return holdsInterface(u.Elem(), seen)
	case *types.Map:
		return holdsInterface(u.Elem(), seen)
	case *types.Struct:
		if named, ok := types.Unalias(t).(*types.Named); ok && named.Obj().Pkg() != nil && keptPackages[named.Obj().Pkg().Path()] {
			return false
		}
		for f := range u.Fields() {
			if holdsInterface(f.Type(), seen) {
				return true
			}
		}
	}
	return false
}

// keptPackages are those whose types the interpreter keeps as they are.
var keptPackages = map[string]bool{"math/rand": true, "math/rand/v2": true, "bytes": true, "strings": true, "time": true}

// spell returns v part by part, with interfaces as values of the interpreter.
// What the parts share is not shared then.
func (in *interpreted) spell(t types.Type, v reflect.Value, depth int) (reflect.Value, error) {
	if !holdsInterface(t, nil) {
		return v, nil
	}
	if depth > 20 {
		return v, errors.New("a value with interfaces that contains itself")
	}
	list := func(n int, part func(i int) (types.Type, reflect.Value)) (reflect.Value, error) {
		parts := make([]any, n)
		for i := range parts {
			pt, pv := part(i)
			x, err := in.spell(pt, leaves.Settable(pv), depth+1)
			if err != nil {
				return x, err
			}
			parts[i] = x.Interface()
		}
		return reflect.ValueOf(parts), nil
	}
	switch u := t.Underlying().(type) {
	case *types.Interface:
		return in.dynamic(v, depth)
	case *types.Slice:
		if v.IsNil() {
			return v, nil
		}
		return list(v.Len(), func(i int) (types.Type, reflect.Value) { return u.Elem(), v.Index(i) })
	case *types.Array:
		v = addressable(v)
		return list(v.Len(), func(i int) (types.Type, reflect.Value) { return u.Elem(), v.Index(i) })
	case *types.Pointer:
		if v.IsNil() {
			return v, nil
		}
		return in.spell(u.Elem(), v.Elem(), depth+1)
	case *types.Struct:
		v = addressable(v)
		return list(v.NumField(), func(i int) (types.Type, reflect.Value) { return u.Field(i).Type(), v.Field(i) })
	}
	return v, fmt.Errorf("a %s with interfaces", t)
}

func addressable(v reflect.Value) reflect.Value {
	if v.CanAddr() {
		return v
	}
	return leaves.Variable(v)
}

// dynamic returns what an interface holds.
func (in *interpreted) dynamic(v reflect.Value, depth int) (reflect.Value, error) {
	if v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if !v.IsValid() {
		return reflect.ValueOf(interp.Value{}), nil
	}
	rt, star := v.Type(), false
	if rt.Kind() == reflect.Pointer && rt.Name() == "" {
		rt, star = rt.Elem(), true
	}
	obj := in.s.pkg.Types.Scope().Lookup(rt.Name())
	if _, ok := obj.(*types.TypeName); !ok || rt.Name() == "" {
		return v, nil // a basic type, or one that FromGo may know
	}
	t := obj.Type()
	if star {
		t = types.NewPointer(t)
	}
	inner, err := in.spell(t, v, depth+1)
	if err != nil {
		return inner, err
	}
	x, err := interp.FromGo(t, inner)
	if err != nil {
		return inner, err
	}
	return reflect.ValueOf(interp.MakeIface(t, x)), nil
}
