package fuzz

import (
	"errors"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"sync"

	"github.com/quabla/quabla/analyze"
	"github.com/quabla/quabla/internal/fuzz/check"
	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/interp"
)

// An interpreted world runs the IR of F and of functions derived from it.
type interpreted struct {
	primal *check.Func
	funcs  map[string]*ssair.Func
	types  map[types.Type]reflect.Type
	// globals holds the initial values of the package-level variables.
	globals map[types.Object]interp.Value
	// watch, if not nil, sees the floats that are computed.
	watch func(x float64)
}

func newInterpreted(primal *check.Func, f *ssair.Func, pkg *analyze.Package) *interpreted {
	return &interpreted{primal, map[string]*ssair.Func{primal.Name: f}, map[types.Type]reflect.Type{}, initial(pkg), nil}
}

// initial returns the initial values of the package-level variables of a program:
// floats, and arrays of floats.
func initial(pkg *analyze.Package) map[types.Object]interp.Value {
	out := map[types.Object]interp.Value{}
	for _, f := range pkg.Files {
		for _, d := range f.Syntax.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.VAR {
				continue
			}
			spec := g.Specs[0].(*ast.ValueSpec)
			obj := pkg.Info.Defs[spec.Names[0]]
			number := func(e ast.Expr) float64 {
				x, _ := constant.Float64Val(pkg.Info.Types[e].Value)
				return x
			}
			var x any
			if lit, ok := spec.Values[0].(*ast.CompositeLit); ok {
				var xs []float64
				for _, e := range lit.Elts {
					xs = append(xs, number(e))
				}
				x = xs
				if a, ok := obj.Type().Underlying().(*types.Array); ok {
					arr := reflect.New(reflect.ArrayOf(int(a.Len()), reflect.TypeFor[float64]())).Elem()
					reflect.Copy(arr, reflect.ValueOf(xs))
					x = arr.Interface()
				}
			} else {
				x = number(spec.Values[0])
			}
			v, err := interp.FromGo(obj.Type(), x)
			if err != nil {
				panic(err)
			}
			out[obj] = v
		}
	}
	return out
}

// goType returns a Go type of the shape of t, which holds itself nowhere.
func (w *interpreted) goType(t types.Type) reflect.Type {
	if r, ok := w.types[t]; ok {
		return r
	}
	var r reflect.Type
	switch u := t.Underlying().(type) {
	case *types.Basic:
		r = map[types.BasicKind]reflect.Type{
			types.Float64: reflect.TypeFor[float64](), types.Int: reflect.TypeFor[int](), types.Bool: reflect.TypeFor[bool](),
		}[u.Kind()]
	case *types.Slice:
		r = reflect.SliceOf(w.goType(u.Elem()))
	case *types.Array:
		r = reflect.ArrayOf(int(u.Len()), w.goType(u.Elem()))
	case *types.Pointer:
		r = reflect.PointerTo(w.goType(u.Elem()))
	case *types.Struct:
		var fields []reflect.StructField
		for i := range u.NumFields() {
			fields = append(fields, reflect.StructField{Name: u.Field(i).Name(), Type: w.goType(u.Field(i).Type())})
		}
		r = reflect.StructOf(fields)
	}
	if r == nil {
		panic(fmt.Sprintf("fuzz: no Go type for %v", t))
	}
	w.types[t] = r
	return r
}

// checks stands in for the functions of package rt that panic if memory is shared,
// which it never is here. Their first parameter is called what.
var checks = sync.OnceValue(func() map[string]func(*interp.Machine, []interp.Value) ([]interp.Value, error) {
	out := map[string]func(*interp.Machine, []interp.Value) ([]interp.Value, error){}
	names, err := filepath.Glob("../../rt/*.go")
	if err != nil {
		panic(err)
	}
	for _, name := range names {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			panic(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Type.Params.NumFields() == 0 || len(fn.Type.Params.List[0].Names) == 0 || fn.Type.Params.List[0].Names[0].Name != "what" {
				continue
			}
			out["github.com/quabla/quabla/rt."+fn.Name.Name] = func(*interp.Machine, []interp.Value) ([]interp.Value, error) { return nil, nil }
		}
	}
	return out
})

// Count implements check.World.
func (w *interpreted) Count(seed uint64) []int {
	f := w.funcs[w.primal.Name]
	out := make([]int, len(f.Params))
	for i, p := range f.Params {
		out[i] = len(check.Floats(check.Make(w.goType(p.Type), check.Rng(seed, i))))
	}
	return out
}

// Call implements check.World.
func (w *interpreted) Call(f *check.Func, seed uint64, in [][]float64) (out check.Outcome) {
	fn := w.funcs[f.Name]
	m := interp.New(fn.Mod)
	m.Functions, m.Globals = checks(), w.globals
	if w.watch != nil {
		m.Watch = func(o *ssair.Op, results []interp.Value) {
			for i, r := range o.Results {
				if ssair.IsFloat(r.Type) {
					w.watch(results[i].Float())
				}
			}
		}
	}
	m.MaxSteps, m.MaxCells = 5e6, 1e6
	params := fn.Params
	var args []interp.Value
	if len(params) == len(f.Params)+1 {
		t := ssair.Deref(params[0].Type)
		args = append(args, interp.Pointer(interp.NewCell(t, interp.Zero(t))))
		params = params[1:]
	}
	first := len(args)
	for i, s := range f.Params {
		v := check.Make(w.goType(params[i].Type), check.Rng(seed, s.Of))
		if in[i] != nil {
			check.SetFloats(v, in[i])
		}
		a, err := interp.FromGo(params[i].Type, v.Interface())
		if err != nil {
			panic(err)
		}
		args = append(args, a)
	}
	results, err := m.Call(fn, args...)
	if err != nil {
		var p *interp.PanicError
		if errors.As(err, &p) {
			return check.Outcome{Panic: p.Text}
		}
		return check.Outcome{Panic: "interpreter: " + err.Error()}
	}
	for i, p := range params {
		out.Params = append(out.Params, interp.Flatten(args[first+i], p.Type))
	}
	for i, r := range fn.Results {
		out.Results = append(out.Results, interp.Flatten(results[i], r.Type))
	}
	return out
}

// interpret checks a program in the interpreter.
func (b *Batch) interpret(w *work) {
	if w.interp == nil {
		return
	}
	w.screen(b)
	if len(w.plan.Seeds) == 0 {
		w.reqs = nil // nothing to compile for
		return
	}
	for _, world := range []*interpreted{w.interp, w.saveAll} {
		way := "interpreted"
		if world == w.saveAll {
			if way = "saving all"; !b.SaveAll {
				continue
			}
		}
		plan := *w.plan
		plan.Funcs = nil
		for _, f := range w.plan.Funcs {
			if world.funcs[f.Name] != nil && !f.Work {
				plan.Funcs = append(plan.Funcs, f)
			}
		}
		plan.Seeds = plan.Seeds[:min(2, len(plan.Seeds))]
		c := &check.Checker{World: world, Plan: &plan}
		c.Fail = func(f *check.Func, seed uint64, format string, args ...any) {
			b.fault(w, f.Name, way, seed, format, args...)
		}
		c.Saw = func(f *check.Func, seed uint64, out check.Outcome) {
			key := fmt.Sprint(f.Name, seed)
			if _, ok := w.outcomes[key]; !ok && world == w.interp {
				w.outcomes[key] = out
			}
		}
		func() {
			defer func() {
				if r := recover(); r != nil {
					b.fault(w, "", way, 0, "the interpreter fails: %v", r)
				}
			}()
			c.Run()
		}()
		b.Compared += c.Checked
	}
}

// screen leaves out the points where F panics or computes huge numbers on the way:
// derivatives of what is not used later need not be finite there.
func (w *work) screen(b *Batch) {
	w.plan.Seeds = slices.DeleteFunc(w.plan.Seeds, func(seed uint64) bool {
		large := false
		w.interp.watch = func(x float64) { large = large || !(math.Abs(x) < 1e12) }
		defer func() { w.interp.watch = nil }()
		out := w.interp.Call(&w.plan.Primal, seed, check.Inputs(w.plan, seed, w.interp.Count(seed)))
		switch {
		case out.Panic != "":
			b.Skipped["F panics"]++
		case large:
			b.Skipped["huge numbers inside of F"]++
		default:
			return false
		}
		return true
	})
}
