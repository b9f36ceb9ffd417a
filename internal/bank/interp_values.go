package bank

import (
	"fmt"
	"go/types"
	"reflect"

	"github.com/quabla/quabla/internal/bank/probe"
	"github.com/quabla/quabla/ssair/interp"
)

// A goFunc is a function that the interpreter calls for one without a body.
type goFunc = func(*interp.Machine, []interp.Value) ([]interp.Value, error)

// functions returns the functions of package rt and of gonum that derived functions
// call for an effect. The checks for overlap cannot fail here, since the harness
// lets nothing overlap.
func (in *interpreted) functions() map[string]goFunc {
	nothing := func(*interp.Machine, []interp.Value) ([]interp.Value, error) { return nil, nil }
	set := func(_ *interp.Machine, args []interp.Value) ([]interp.Value, error) {
		m := in.matrices[args[0].Pointer()]
		i, j := int(args[1].Int()), int(args[2].Int())
		if m == nil || i < 0 || j < 0 || i >= m.rows || j >= m.cols {
			return nil, fmt.Errorf("a matrix is set at %d, %d", i, j)
		}
		m.x[i*m.cols+j] = args[3].Float()
		if m.symmetric {
			m.x[j*m.cols+i] = args[3].Float()
		}
		return nil, nil
	}
	resize := func(_ *interp.Machine, args []interp.Value) ([]interp.Value, error) {
		ref := args[1]
		if i := ref.Iface(); i != nil {
			ref = i.Val
		}
		m := in.matrices[ref.Pointer()]
		if m == nil || int64(m.rows) != args[2].Int() || int64(m.cols) != args[3].Int() {
			return nil, fmt.Errorf("a matrix is expected to be %d times %d", args[2].Int(), args[3].Int())
		}
		return nil, nil
	}
	const mat = "(*gonum.org/v1/gonum/mat."
	funcs := map[string]goFunc{
		rtPath + ".Resize":       resize,
		mat + "Dense).Set":       set,
		mat + "SymDense).SetSym": set,
	}
	// The checks of arguments, which cases do not share.
	for _, name := range []string{"NoOverlap", "NoOverlapRows", "NotIn", "NoAlias", "SeparateRows", "DistinctRows", "Separate", "Distinct", "SameShape"} {
		funcs[rtPath+"."+name] = nothing
	}
	return funcs
}

// A matrix stands for one of gonum.
type matrix struct {
	rows, cols int
	symmetric  bool
	x          []float64
}

func (in *interpreted) Matrix(fn string, i, rows, cols int, x float64) (probe.Val, func(i, j int) float64, error) {
	t, err := in.param(fn, i)
	if err != nil {
		return nil, nil, err
	}
	p, ok := t.Underlying().(*types.Pointer)
	if !ok {
		return nil, nil, fmt.Errorf("a matrix of type %s", t)
	}
	named, _ := p.Elem().(*types.Named)
	m := &matrix{rows: rows, cols: cols, symmetric: named != nil && named.Obj().Name() == "SymDense"}
	for range rows * cols {
		m.x = append(m.x, x)
	}
	cell := interp.NewCell(p.Elem(), interp.Zero(p.Elem()))
	in.matrices[cell] = m
	return val{v: interp.Pointer(cell), t: t}, func(i, j int) float64 { return m.x[i*cols+j] }, nil
}

// shaped returns a zero value of type t, which is that of x with an array for each
// float, in the shape of x.
func shaped(t types.Type, x val) (val, error) {
	var shape func(t types.Type, x val) (any, error)
	shape = func(t types.Type, x val) (any, error) {
		if types.Identical(t, x.t) {
			return x.v, nil // no floats
		}
		switch u := x.t.Underlying().(type) {
		case *types.Basic:
			return interp.Zero(t), nil
		case *types.Struct:
			st, ok := t.Underlying().(*types.Struct)
			if !ok || st.NumFields() != u.NumFields() {
				break
			}
			parts := map[string]any{}
			for i := range u.NumFields() {
				y, err := shape(st.Field(i).Type(), val{v: x.v.Part(i), t: u.Field(i).Type()})
				if err != nil {
					return nil, err
				}
				parts[u.Field(i).Name()] = y
			}
			return parts, nil
		case *types.Pointer:
			pt, ok := t.Underlying().(*types.Pointer)
			if !ok || x.v.IsNil() {
				return interp.Zero(t), nil
			}
			y, err := shape(pt.Elem(), val{v: x.v.Pointer().Load(u.Elem()), t: u.Elem()})
			if err != nil {
				return nil, err
			}
			v, err := interp.FromGo(pt.Elem(), y)
			return interp.Pointer(interp.NewCell(pt.Elem(), v)), err
		case *types.Slice, *types.Array:
			et, sub := elem(t), elem(u)
			if et == nil || x.v.IsNil() {
				return interp.Zero(t), nil
			}
			parts := []any{}
			for i := range x.v.Len() {
				p := x.v.Part(i)
				if _, ok := u.(*types.Slice); ok {
					p = p.Pointer().Load(sub)
				}
				y, err := shape(et, val{v: p, t: sub})
				if err != nil {
					return nil, err
				}
				parts = append(parts, y)
			}
			return parts, nil
		case *types.Map:
			mt, ok := t.Underlying().(*types.Map)
			if !ok || x.v.IsNil() {
				return interp.Zero(t), nil
			}
			if _, ok := u.Elem().Underlying().(*types.Basic); !ok {
				break
			}
			g, err := interp.ToGo(x.t, x.v)
			if err != nil {
				return nil, err
			}
			from := reflect.ValueOf(g)
			to := reflect.MakeMap(reflect.MapOf(from.Type().Key(), reflect.TypeFor[any]()))
			for _, k := range from.MapKeys() {
				to.SetMapIndex(k, reflect.ValueOf(interp.Zero(mt.Elem())))
			}
			return to.Interface(), nil
		}
		return nil, &probe.UncheckedError{Why: fmt.Sprintf("the harness has no lanes for %s in the interpreter", x.t)}
	}
	z, err := shape(t, x)
	if err != nil {
		return val{}, err
	}
	v, err := interp.FromGo(t, z)
	return val{v: v, t: t}, err
}

func elem(t types.Type) types.Type {
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return u.Elem()
	case *types.Array:
		return u.Elem()
	}
	return nil
}
