package interp

import (
	"errors"
	"fmt"
	"go/types"
	"reflect"
	"unsafe"
)

// FromGo returns x, a Go value or a reflect.Value, as a value of type t. The
// types need not be the same: numbers convert, a struct may be given as a
// struct, as a map from field names or as a list of its fields, a slice or an
// array as a list ([]any), and a pointer as what it points to. A Value stands
// for itself. Pointers and slices that are equal within x stay so.
func FromGo(t types.Type, x any) (Value, error) {
	tt := newTypeTable(nil)
	v, ok := x.(reflect.Value)
	if !ok {
		v = reflect.ValueOf(x)
	}
	return (&converter{types: tt}).fromReflect(v, tt.of(t))
}

// ToGo returns v, of type t, as a Go value. Named types of the program become
// their underlying types, and interfaces become any.
func ToGo(t types.Type, v Value) (any, error) {
	tt := newTypeTable(nil)
	d := tt.of(t)
	if d.kind == kindIface && v.r == nil {
		return nil, nil
	}
	rt, err := goType(d)
	if err != nil {
		return nil, err
	}
	r, err := (&converter{types: tt}).toReflect(v, d, rt)
	if err != nil {
		return nil, err
	}
	return r.Interface(), nil
}

// A converter converts between values of the program and Go values.
type converter struct {
	m     *Machine // for functions; may be nil
	types *typeTable
	toPtr map[*Cell]reflect.Value
	cells map[sliceKey][]Cell
	ptrs  map[sliceKey]*Cell
	back  []func() error // write back what Go code may have changed
}

// A sliceKey identifies the memory of a Go pointer or slice.
type sliceKey struct {
	p   unsafe.Pointer
	cap int
	t   any // see typeKey
}

var basicTypes = map[types.BasicKind]reflect.Type{
	types.Bool: reflect.TypeFor[bool](), types.String: reflect.TypeFor[string](),
	types.Int: reflect.TypeFor[int](), types.Int8: reflect.TypeFor[int8](), types.Int16: reflect.TypeFor[int16](),
	types.Int32: reflect.TypeFor[int32](), types.Int64: reflect.TypeFor[int64](),
	types.Uint: reflect.TypeFor[uint](), types.Uint8: reflect.TypeFor[uint8](), types.Uint16: reflect.TypeFor[uint16](),
	types.Uint32: reflect.TypeFor[uint32](), types.Uint64: reflect.TypeFor[uint64](), types.Uintptr: reflect.TypeFor[uintptr](),
	types.Float32: reflect.TypeFor[float32](), types.Float64: reflect.TypeFor[float64](),
	types.Complex64: reflect.TypeFor[complex64](), types.Complex128: reflect.TypeFor[complex128](),
	types.UntypedBool: reflect.TypeFor[bool](), types.UntypedInt: reflect.TypeFor[int](), types.UntypedRune: reflect.TypeFor[rune](),
	types.UntypedFloat: reflect.TypeFor[float64](), types.UntypedComplex: reflect.TypeFor[complex128](), types.UntypedString: reflect.TypeFor[string](),
}

// goType returns the Go type that is nearest to t.
func goType(t *typ) (reflect.Type, error) { return goTypeIn(t, map[*typ]bool{}) }

func goTypeIn(t *typ, open map[*typ]bool) (reflect.Type, error) {
	if t.host != nil {
		return t.host, nil
	}
	if open[t] {
		return nil, fmt.Errorf("the recursive type %s has no Go type here", t)
	}
	open[t] = true
	defer delete(open, t)
	if b, ok := t.t.Underlying().(*types.Basic); ok {
		if rt := basicTypes[b.Kind()]; rt != nil {
			return rt, nil
		}
	}
	var elem, key reflect.Type
	var err error
	if t.elem != nil {
		if elem, err = goTypeIn(t.elem, open); err != nil {
			return nil, err
		}
	}
	if t.key != nil {
		if key, err = goTypeIn(t.key, open); err != nil {
			return nil, err
		}
	}
	switch t.kind {
	case kindSlice:
		return reflect.SliceOf(elem), nil
	case kindArray:
		return reflect.ArrayOf(t.n, elem), nil
	case kindPtr:
		return reflect.PointerTo(elem), nil
	case kindMap:
		return reflect.MapOf(key, elem), nil
	case kindIface:
		return reflect.TypeFor[any](), nil
	case kindStruct:
		return goStruct(t, open)
	}
	return nil, fmt.Errorf("the type %s has no Go type here", t)
}

func goStruct(t *typ, open map[*typ]bool) (reflect.Type, error) {
	st := t.t.Underlying().(*types.Struct)
	var fields []reflect.StructField
	for i, f := range t.fields {
		rt, err := goTypeIn(f, open)
		if err != nil {
			return nil, err
		}
		sf := reflect.StructField{Name: st.Field(i).Name(), Type: rt, Tag: reflect.StructTag(st.Tag(i))}
		if sf.Name == "_" {
			sf.Name = fmt.Sprintf("blank%d", i)
		}
		if !st.Field(i).Exported() {
			sf.PkgPath = "program"
		}
		fields = append(fields, sf)
	}
	return reflect.StructOf(fields), nil
}

// settable returns v, a field of an addressable struct, free of the
// restriction on unexported fields.
func settable(v reflect.Value) reflect.Value {
	if v.CanSet() || !v.CanAddr() {
		return v
	}
	return reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
}

func mismatch(t *typ, rt reflect.Type) error {
	return fmt.Errorf("cannot convert between %s and the Go type %v", t, rt)
}

// toReflect returns v, of type t, as a Go value of type rt.
func (c *converter) toReflect(v Value, t *typ, rt reflect.Type) (reflect.Value, error) {
	out := reflect.New(rt).Elem()
	return out, c.fill(out, v, t)
}

// fill makes out, which can be set, hold v.
func (c *converter) fill(out reflect.Value, v Value, t *typ) error {
	rt := out.Type()
	if t.kind == kindHost {
		h, ok := v.r.(hostValue)
		if !ok || h.v.Type() != rt {
			return mismatch(t, rt)
		}
		out.Set(h.v)
		return nil
	}
	if rt.Kind() == reflect.Interface {
		return c.fillInterface(out, v, t)
	}
	switch t.kind {
	case kindBool:
		if rt.Kind() == reflect.Bool {
			out.SetBool(v.Bool())
			return nil
		}
	case kindInt:
		if out.CanInt() {
			out.SetInt(v.Int())
			return nil
		}
	case kindUint:
		if out.CanUint() {
			out.SetUint(v.n)
			return nil
		}
	case kindFloat:
		if out.CanFloat() {
			out.SetFloat(v.Float())
			return nil
		}
	case kindComplex:
		if out.CanComplex() {
			out.SetComplex(v.Complex())
			return nil
		}
	case kindString:
		if rt.Kind() == reflect.String {
			out.SetString(v.Str())
			return nil
		}
	case kindArray, kindStruct:
		return c.fillParts(out, v, t)
	case kindSlice:
		if rt.Kind() == reflect.Slice {
			return c.fillSlice(out, v, t)
		}
	case kindPtr:
		if rt.Kind() == reflect.Pointer {
			return c.fillPointer(out, v, t)
		}
	case kindMap:
		if rt.Kind() == reflect.Map {
			return c.fillMap(out, v, t)
		}
	case kindFunc:
		if rt.Kind() == reflect.Func {
			return c.fillFunc(out, v, t)
		}
	}
	return mismatch(t, rt)
}

func (c *converter) fillInterface(out reflect.Value, v Value, t *typ) error {
	i := v.Iface()
	if t.kind != kindIface {
		i = &Iface{Type: t.t, Val: v}
	} else if i == nil {
		return nil
	}
	m := c.m
	if m == nil { // enough of a machine to convert, without functions
		m = New(emptyModule)
		m.types = c.types
	}
	x, ok := m.hostInterface(i)
	if !ok {
		return fmt.Errorf("a %s in an interface has no Go value here", goTypeString(i.Type))
	}
	r := reflect.ValueOf(x)
	if !r.Type().AssignableTo(out.Type()) {
		return fmt.Errorf("%v does not implement %v here", r.Type(), out.Type())
	}
	out.Set(r)
	return nil
}

func (c *converter) fillParts(out reflect.Value, v Value, t *typ) error {
	parts := v.parts()
	for i, p := range parts {
		var place reflect.Value
		var pt *typ
		switch {
		case t.kind == kindArray && out.Kind() == reflect.Array && out.Len() == len(parts):
			place, pt = out.Index(i), t.elem
		case t.kind == kindStruct && out.Kind() == reflect.Struct && out.NumField() == len(parts):
			place, pt = settable(out.Field(i)), t.fields[i]
		default:
			return mismatch(t, out.Type())
		}
		if err := c.fill(place, p, pt); err != nil {
			return err
		}
	}
	return nil
}

func (c *converter) fillSlice(out reflect.Value, v Value, t *typ) error {
	if v.r == nil {
		return nil
	}
	cells := v.cells()
	s := reflect.MakeSlice(out.Type(), len(cells), len(cells))
	for i := range cells {
		if err := c.fill(s.Index(i), load(&cells[i], t.elem), t.elem); err != nil {
			return err
		}
	}
	out.Set(s)
	if c.m != nil {
		before := reflect.MakeSlice(s.Type(), s.Len(), s.Len())
		reflect.Copy(before, s)
		c.back = append(c.back, func() error {
			for i := range cells {
				if err := c.writeBack(&cells[i], t.elem, before.Index(i), s.Index(i)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return nil
}

// writeBack makes a cell hold what Go code made of its copy.
func (c *converter) writeBack(cell *Cell, t *typ, before, after reflect.Value) error {
	switch t.kind {
	case kindFunc, kindIface:
		return nil // Go code does not know their types well enough
	case kindPtr, kindMap:
		// What a reference refers to is written back on its own.
		if before.Pointer() == after.Pointer() {
			return nil
		}
	case kindSlice:
		if before.Pointer() == after.Pointer() && before.Len() == after.Len() {
			return nil
		}
	}
	if reflect.DeepEqual(before.Interface(), after.Interface()) {
		return nil
	}
	v, err := c.fromReflect(after, t)
	if err == nil {
		store(cell, t, v)
	}
	return err
}

func (c *converter) fillPointer(out reflect.Value, v Value, t *typ) error {
	cell := v.Pointer()
	if cell == nil {
		return nil
	}
	if h, ok := cell.v.r.(*hostCell); ok {
		if h.p.Type() != out.Type() {
			return mismatch(t, out.Type())
		}
		out.Set(h.p)
		return nil
	}
	if p, ok := c.toPtr[cell]; ok && p.Type() == out.Type() {
		out.Set(p)
		return nil
	}
	p := reflect.New(out.Type().Elem())
	if c.toPtr == nil {
		c.toPtr = map[*Cell]reflect.Value{}
	}
	c.toPtr[cell] = p
	out.Set(p)
	if err := c.fill(p.Elem(), load(cell, t.elem), t.elem); err != nil {
		return err
	}
	if c.m != nil {
		before := reflect.New(p.Type().Elem()).Elem()
		before.Set(p.Elem())
		c.back = append(c.back, func() error { return c.writeBack(cell, t.elem, before, p.Elem()) })
	}
	return nil
}

func (c *converter) fillMap(out reflect.Value, v Value, t *typ) error {
	mp := v.Map()
	if mp == nil {
		return nil
	}
	g := reflect.MakeMapWithSize(out.Type(), mp.Len())
	for _, e := range mp.entries(t.key) {
		k, err := c.toReflect(e.key, t.key, out.Type().Key())
		if err != nil {
			return err
		}
		x, err := c.toReflect(e.val, t.elem, out.Type().Elem())
		if err != nil {
			return err
		}
		g.SetMapIndex(k, x)
	}
	out.Set(g)
	return nil
}

// fillFunc makes a Go function that calls a function value of the program.
func (c *converter) fillFunc(out reflect.Value, v Value, t *typ) error {
	f := v.Closure()
	if f == nil {
		return nil
	}
	if f.goFn.IsValid() && f.goFn.Type() == out.Type() {
		out.Set(f.goFn)
		return nil
	}
	if c.m == nil {
		return errors.New("a function needs a machine to be called from Go")
	}
	sig := t.t.Underlying().(*types.Signature)
	rt := out.Type()
	if sig.Params().Len() != rt.NumIn() || sig.Results().Len() != rt.NumOut() {
		return mismatch(t, rt)
	}
	out.Set(reflect.MakeFunc(rt, func(in []reflect.Value) []reflect.Value {
		cv := &converter{m: c.m, types: c.types}
		args := make([]Value, len(in))
		for i, x := range in {
			a, err := cv.fromReflect(x, c.types.of(sig.Params().At(i).Type()))
			if err != nil {
				c.m.unsupported(nil, "an argument from Go: %v", err)
			}
			args[i] = a
		}
		res := c.m.callClosure(nil, f, args)
		results := make([]reflect.Value, len(res))
		for i, v := range res {
			r, err := cv.toReflect(v, c.types.of(sig.Results().At(i).Type()), rt.Out(i))
			if err != nil {
				c.m.unsupported(nil, "a result for Go: %v", err)
			}
			results[i] = r
		}
		return results
	}))
	return nil
}
