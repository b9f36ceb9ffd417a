package interp

import (
	"fmt"
	"go/token"
	"go/types"
	"reflect"
	"unsafe"

	"github.com/quabla/quabla/ssair"
)

var emptyModule = &ssair.Module{}

// fromReflect returns the Go value v as a value of type t.
func fromReflect(v reflect.Value, t *typ) (Value, error) {
	return (&converter{types: newTypeTable(nil)}).fromReflect(v, t)
}

func (c *converter) fromReflect(v reflect.Value, t *typ) (Value, error) {
	for v.IsValid() && v.Kind() == reflect.Interface && (t.kind != kindIface || v.NumMethod() == 0) {
		v = v.Elem()
	}
	if !v.IsValid() { // nil
		switch t.kind {
		case kindPtr, kindSlice, kindMap, kindFunc, kindIface, kindNil:
			return Value{}, nil
		}
		return Value{}, fmt.Errorf("nil is no %s", t)
	}
	if v.Type() == reflect.TypeFor[Value]() {
		return v.Interface().(Value), nil
	}
	switch t.kind {
	case kindBool:
		if v.Kind() == reflect.Bool {
			return Bool(v.Bool()), nil
		}
	case kindInt, kindUint:
		if n, ok := integer(v); ok {
			if wrap(t)(n) != n || v.CanInt() && v.Int() < 0 && t.kind == kindUint || v.CanUint() && v.Uint()>>63 > 0 && t.kind == kindInt {
				return Value{}, fmt.Errorf("%v does not fit %s", v, t)
			}
			return Value{n: n}, nil
		}
	case kindFloat:
		if x, ok := float(v); ok {
			return Float(round(x, t.bits)), nil
		}
	case kindComplex:
		if v.CanComplex() {
			z := v.Complex()
			return Complex(complex(round(real(z), t.bits/2), round(imag(z), t.bits/2))), nil
		}
		if x, ok := float(v); ok {
			return Complex(complex(round(x, t.bits/2), 0)), nil
		}
	case kindString:
		if v.Kind() == reflect.String {
			return String(v.String()), nil
		}
	case kindHost:
		if v.Type() == t.host {
			cp := reflect.New(t.host).Elem()
			cp.Set(v)
			return Value{r: hostValue{cp}}, nil
		}
	case kindStruct:
		return c.structFrom(v, t)
	case kindArray:
		if (v.Kind() == reflect.Array || v.Kind() == reflect.Slice) && v.Len() == t.n {
			parts := make(agg, t.n)
			for i := range parts {
				p, err := c.fromReflect(v.Index(i), t.elem)
				if err != nil {
					return Value{}, err
				}
				parts[i] = p
			}
			return Value{r: parts}, nil
		}
	case kindSlice:
		if v.Kind() == reflect.Slice || v.Kind() == reflect.Array {
			return c.sliceFrom(v, t)
		}
	case kindPtr:
		return c.pointerFrom(v, t)
	case kindMap:
		if v.Kind() == reflect.Map {
			return c.mapFrom(v, t)
		}
	case kindFunc:
		if v.Kind() == reflect.Func {
			if v.IsNil() {
				return Value{}, nil
			}
			return Value{r: &Closure{goFn: v}}, nil
		}
		if f, ok := v.Interface().(*Closure); ok {
			return Value{r: f}, nil
		}
	case kindIface:
		return c.interfaceFrom(v)
	}
	return Value{}, mismatch(t, v.Type())
}

func integer(v reflect.Value) (uint64, bool) {
	switch {
	case v.CanInt():
		return uint64(v.Int()), true
	case v.CanUint():
		return v.Uint(), true
	case v.CanFloat() && v.Float() == float64(int64(v.Float())):
		return uint64(int64(v.Float())), true
	}
	return 0, false
}

func float(v reflect.Value) (float64, bool) {
	switch {
	case v.CanFloat():
		return v.Float(), true
	case v.CanInt():
		return float64(v.Int()), true
	case v.CanUint():
		return float64(v.Uint()), true
	}
	return 0, false
}

// structFrom makes a struct of a Go struct with as many fields, a map from
// names of fields, or a list of fields.
func (c *converter) structFrom(v reflect.Value, t *typ) (Value, error) {
	parts := make(agg, len(t.fields))
	if v.Kind() == reflect.Map && v.Type().Key().Kind() == reflect.String {
		st := t.t.Underlying().(*types.Struct)
		used := 0
		for i, f := range t.fields {
			parts[i] = f.zero()
			x := v.MapIndex(reflect.ValueOf(st.Field(i).Name()).Convert(v.Type().Key()))
			if !x.IsValid() {
				continue
			}
			used++
			p, err := c.fromReflect(x, f)
			if err != nil {
				return Value{}, fmt.Errorf("%s: %w", st.Field(i).Name(), err)
			}
			parts[i] = p
		}
		if used < v.Len() {
			return Value{}, fmt.Errorf("%v names a field that %s does not have", v, t)
		}
		return Value{r: parts}, nil
	}
	var part func(i int) reflect.Value
	switch {
	case v.Kind() == reflect.Struct && v.NumField() == len(t.fields):
		if !v.CanAddr() { // so that unexported fields can be read
			cp := reflect.New(v.Type()).Elem()
			cp.Set(v)
			v = cp
		}
		part = func(i int) reflect.Value { return settable(v.Field(i)) }
	case (v.Kind() == reflect.Slice || v.Kind() == reflect.Array) && v.Len() == len(t.fields):
		part = v.Index
	default:
		return Value{}, mismatch(t, v.Type())
	}
	for i, f := range t.fields {
		p, err := c.fromReflect(part(i), f)
		if err != nil {
			return Value{}, err
		}
		parts[i] = p
	}
	return Value{r: parts}, nil
}

func (c *converter) sliceFrom(v reflect.Value, t *typ) (Value, error) {
	key := sliceKey{t: typeKey(t.t)}
	if v.Kind() == reflect.Slice {
		if v.IsNil() {
			return Value{}, nil
		}
		key.p, key.cap = v.UnsafePointer(), v.Cap()
		if cells, ok := c.cells[key]; ok && v.Cap() > 0 {
			return Value{r: cells[:v.Len()]}, nil
		}
	}
	room := v.Len()
	if v.Kind() == reflect.Slice {
		room = v.Cap()
	}
	cells := newCells(t.elem, v.Len(), room)
	if v.Kind() == reflect.Slice {
		if c.cells == nil {
			c.cells = map[sliceKey][]Cell{}
		}
		c.cells[key] = cells[:room]
		v = v.Slice(0, room)
	}
	for i := range room {
		x, err := c.fromReflect(v.Index(i), t.elem)
		if err != nil {
			if i >= len(cells) { // beyond the length: not part of the value
				break
			}
			return Value{}, fmt.Errorf("element %d: %w", i, err)
		}
		store(&cells[:room][i], t.elem, x)
	}
	return Value{r: cells}, nil
}

func (c *converter) pointerFrom(v reflect.Value, t *typ) (Value, error) {
	if cell, ok := v.Interface().(*Cell); ok {
		return Pointer(cell), nil
	}
	if v.Kind() != reflect.Pointer {
		x, err := c.fromReflect(v, t.elem)
		if err != nil {
			return Value{}, err
		}
		cell := new(Cell)
		initCell(cell, t.elem)
		store(cell, t.elem, x)
		return Pointer(cell), nil
	}
	if v.IsNil() {
		return Value{}, nil
	}
	if t.elem.kind == kindHost {
		if v.Type().Elem() != t.elem.host {
			return Value{}, mismatch(t, v.Type())
		}
		return Pointer(&Cell{v: Value{r: &hostCell{v}}}), nil
	}
	key := sliceKey{p: unsafe.Pointer(v.Pointer()), cap: -1, t: typeKey(t.t)}
	if cell, ok := c.ptrs[key]; ok {
		return Pointer(cell), nil
	}
	cell := new(Cell)
	initCell(cell, t.elem)
	if c.ptrs == nil {
		c.ptrs = map[sliceKey]*Cell{}
	}
	c.ptrs[key] = cell
	x, err := c.fromReflect(v.Elem(), t.elem)
	if err != nil {
		return Value{}, err
	}
	store(cell, t.elem, x)
	return Pointer(cell), nil
}

func (c *converter) mapFrom(v reflect.Value, t *typ) (Value, error) {
	if v.IsNil() {
		return Value{}, nil
	}
	m := New(emptyModule)
	m.types = c.types
	mp := newMap()
	keys := v.MapKeys()
	for _, k := range keys {
		key, err := c.fromReflect(k, t.key)
		if err != nil {
			return Value{}, err
		}
		val, err := c.fromReflect(v.MapIndex(k), t.elem)
		if err != nil {
			return Value{}, fmt.Errorf("%v: %w", k, err)
		}
		mp.set(hasher{m: m}.key(t.key, key), key, val)
	}
	return Value{r: mp}, nil
}

// interfaceFrom returns v in an interface. The dynamic type is one of the
// module only where Go's type has no name.
func (c *converter) interfaceFrom(v reflect.Value) (Value, error) {
	if v.Kind() == reflect.Interface {
		if v.IsNil() {
			return Value{}, nil
		}
		v = v.Elem()
	}
	switch x := v.Interface().(type) {
	case userError:
		return Value{r: x.i}, nil
	case userStringer:
		return Value{r: x.i}, nil
	case *Iface:
		return Value{r: x}, nil
	}
	t := typeFor(v.Type())
	if t == nil {
		return Value{r: &Iface{Val: Value{r: hostValue{v}}}}, nil
	}
	x, err := c.fromReflect(v, c.types.of(t))
	if err != nil {
		return Value{}, err
	}
	return MakeIface(t, x), nil
}

// typeFor returns the type of a program that is rt, or nil if it involves
// named types.
func typeFor(rt reflect.Type) types.Type {
	if rt == reflect.TypeFor[error]() {
		return types.Universe.Lookup("error").Type()
	}
	if rt.Name() != "" {
		for k := types.Bool; k <= types.Complex128; k++ {
			if basicTypes[k] == rt {
				return types.Typ[k]
			}
		}
		if rt.Kind() == reflect.String && rt.PkgPath() == "" {
			return types.Typ[types.String]
		}
		return nil
	}
	switch rt.Kind() {
	case reflect.Interface:
		if rt.NumMethod() == 0 {
			return types.Universe.Lookup("any").Type()
		}
	case reflect.Slice:
		if e := typeFor(rt.Elem()); e != nil {
			return types.NewSlice(e)
		}
	case reflect.Array:
		if e := typeFor(rt.Elem()); e != nil {
			return types.NewArray(e, int64(rt.Len()))
		}
	case reflect.Pointer:
		if e := typeFor(rt.Elem()); e != nil {
			return types.NewPointer(e)
		}
	case reflect.Map:
		if k, e := typeFor(rt.Key()), typeFor(rt.Elem()); k != nil && e != nil {
			return types.NewMap(k, e)
		}
	case reflect.Func:
		if sig := signatureFor(rt); sig != nil {
			return sig
		}
	}
	return nil
}

func signatureFor(rt reflect.Type) *types.Signature {
	var in, out []*types.Var
	for i := range rt.NumIn() {
		t := typeFor(rt.In(i))
		if t == nil {
			return nil
		}
		in = append(in, types.NewParam(token.NoPos, nil, "", t))
	}
	for i := range rt.NumOut() {
		t := typeFor(rt.Out(i))
		if t == nil {
			return nil
		}
		out = append(out, types.NewParam(token.NoPos, nil, "", t))
	}
	return types.NewSignatureType(nil, nil, nil, types.NewTuple(in...), types.NewTuple(out...), rt.IsVariadic())
}

// goSignature returns the signature of a Go function, and its results.
func (m *Machine) goSignature(rt reflect.Type) (*types.Signature, []*typ) {
	sig := signatureFor(rt)
	if sig == nil {
		m.unsupported(nil, "a call of a Go function of type %v", rt)
	}
	var results []*typ
	for v := range sig.Results().Variables() {
		results = append(results, m.types.of(v.Type()))
	}
	return sig, results
}
