package interp

import (
	"fmt"
	"go/types"
	"reflect"
	"unsafe"
)

// kind is what the machine needs to know of a type to handle its values.
type kind uint8

const (
	kindOther kind = iota // channels, unsafe pointers, type parameters
	kindNil               // the untyped nil
	kindBool
	kindInt
	kindUint
	kindFloat
	kindComplex
	kindString
	kindStruct
	kindArray
	kindSlice
	kindPtr
	kindMap
	kindFunc
	kindIface
	kindHost // a struct type of the standard library that is kept as it is
)

// A typ describes a type.
type typ struct {
	t      types.Type
	kind   kind
	bits   int // of a number
	n      int // length of an array
	key    *typ
	elem   *typ
	fields []*typ
	host   reflect.Type // of a named type of the standard library
	zeroed *Value       // cache of zero
}

// hasParts reports whether a cell of the type holds more than its own value.
func (t *typ) hasParts() bool {
	return t.kind == kindStruct || t.kind == kindArray || t.kind == kindHost
}

func (t *typ) isInt() bool { return t.kind == kindInt || t.kind == kindUint }

func (t *typ) String() string { return goTypeString(t.t) }

// zero returns the zero value of the type.
func (t *typ) zero() Value {
	if !t.hasParts() {
		return Value{}
	}
	if t.zeroed == nil {
		var v Value
		switch t.kind {
		case kindStruct:
			parts := make(agg, len(t.fields))
			for i, f := range t.fields {
				parts[i] = f.zero()
			}
			v.r = parts
		case kindArray:
			parts := make(agg, t.n)
			for i := range parts {
				parts[i] = t.elem.zero()
			}
			v.r = parts
		case kindHost:
			v.r = hostValue{reflect.Zero(t.host)}
		}
		t.zeroed = &v
	}
	return *t.zeroed
}

// A typeTable makes descriptions of types and keeps them.
type typeTable struct {
	known map[types.Type]*typ
	args  map[*types.TypeParam]types.Type
}

func newTypeTable(args map[*types.TypeParam]types.Type) *typeTable {
	return &typeTable{known: map[types.Type]*typ{}, args: args}
}

// of returns the description of t. Type parameters stand for their arguments.
func (tt *typeTable) of(t types.Type) *typ {
	if d := tt.known[t]; d != nil {
		return d
	}
	if a, ok := t.(*types.Alias); ok {
		d := tt.of(types.Unalias(a))
		tt.known[t] = d
		return d
	}
	if p, ok := t.(*types.TypeParam); ok {
		if a := tt.args[p]; a != nil {
			d := tt.of(a)
			tt.known[t] = d
			return d
		}
		d := &typ{t: t}
		tt.known[t] = d
		return d
	}
	d := &typ{t: t}
	tt.known[t] = d
	if n, ok := t.(*types.Named); ok {
		d.host = hostTypes[qualifiedName(n.Obj())]
		if d.host != nil && d.host.Kind() == reflect.Struct {
			d.kind = kindHost
			return d
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		d.kind, d.bits = basicKind(u.Kind())
	case *types.Struct:
		d.kind = kindStruct
		for f := range u.Fields() {
			d.fields = append(d.fields, tt.of(f.Type()))
		}
	case *types.Array:
		d.kind, d.n, d.elem = kindArray, int(u.Len()), tt.of(u.Elem())
	case *types.Slice:
		d.kind, d.elem = kindSlice, tt.of(u.Elem())
	case *types.Pointer:
		d.kind, d.elem = kindPtr, tt.of(u.Elem())
	case *types.Map:
		d.kind, d.key, d.elem = kindMap, tt.of(u.Key()), tt.of(u.Elem())
	case *types.Signature:
		d.kind = kindFunc
	case *types.Interface:
		d.kind = kindIface
	}
	return d
}

func basicKind(k types.BasicKind) (kind, int) {
	switch k {
	case types.Bool, types.UntypedBool:
		return kindBool, 0
	case types.Int, types.Int64, types.UntypedInt:
		return kindInt, 64
	case types.Int8:
		return kindInt, 8
	case types.Int16:
		return kindInt, 16
	case types.Int32, types.UntypedRune:
		return kindInt, 32
	case types.Uint, types.Uint64, types.Uintptr:
		return kindUint, 64
	case types.Uint8:
		return kindUint, 8
	case types.Uint16:
		return kindUint, 16
	case types.Uint32:
		return kindUint, 32
	case types.Float32:
		return kindFloat, 32
	case types.Float64, types.UntypedFloat:
		return kindFloat, 64
	case types.Complex64:
		return kindComplex, 64
	case types.Complex128, types.UntypedComplex:
		return kindComplex, 128
	case types.String, types.UntypedString:
		return kindString, 0
	case types.UntypedNil:
		return kindNil, 0
	}
	return kindOther, 0
}

// sizes are the sizes that decide how append grows a slice.
var sizes = types.SizesFor("gc", "amd64")

// hasPointers reports whether values of the type hold pointers, which also
// bears on how append grows a slice.
func (t *typ) hasPointers() bool {
	switch t.kind {
	case kindBool, kindInt, kindUint, kindFloat, kindComplex:
		return false
	case kindStruct:
		for _, f := range t.fields {
			if f.hasPointers() {
				return true
			}
		}
		return false
	case kindArray:
		return t.n > 0 && t.elem.hasPointers()
	case kindHost:
		return t.host.Size() > 0
	}
	return true
}

// qualifiedName returns path.Name.
func qualifiedName(o types.Object) string {
	if o.Pkg() == nil {
		return o.Name()
	}
	return o.Pkg().Path() + "." + o.Name()
}

// address returns the address of a cell. Cells do not move.
func address(c *Cell) uintptr { return uintptr(unsafe.Pointer(c)) }

// goTypeString spells a type as the Go runtime does in its messages.
func goTypeString(t types.Type) string {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		switch t.Kind() {
		case types.Uint8:
			return "uint8"
		case types.Int32:
			return "int32"
		}
		return t.Name()
	case *types.Named:
		name := t.Obj().Name()
		if p := t.Obj().Pkg(); p != nil {
			name = p.Name() + "." + name
		}
		if n := t.TypeArgs().Len(); n > 0 {
			name += "["
			for i := range n {
				if i > 0 {
					name += ","
				}
				// Type arguments carry the whole path.
				name += types.TypeString(t.TypeArgs().At(i), nil)
			}
			name += "]"
		}
		return name
	case *types.Pointer:
		return "*" + goTypeString(t.Elem())
	case *types.Slice:
		return "[]" + goTypeString(t.Elem())
	case *types.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), goTypeString(t.Elem()))
	case *types.Map:
		return "map[" + goTypeString(t.Key()) + "]" + goTypeString(t.Elem())
	case *types.Struct:
		s := "struct {"
		for i := range t.NumFields() {
			if i > 0 {
				s += ";"
			}
			f := t.Field(i)
			if !f.Embedded() {
				s += " " + f.Name()
			}
			s += " " + goTypeString(f.Type())
			if tag := t.Tag(i); tag != "" {
				s += fmt.Sprintf(" %q", tag)
			}
		}
		if t.NumFields() > 0 {
			s += " "
		}
		return s + "}"
	case *types.Signature:
		return "func" + signatureString(t)
	case *types.Interface:
		if t.NumMethods() == 0 {
			return "interface {}"
		}
		s := "interface {"
		for i := range t.NumMethods() {
			if i > 0 {
				s += ";"
			}
			s += " " + t.Method(i).Name() + signatureString(t.Method(i).Signature())
		}
		return s + " }"
	}
	return t.String()
}

func signatureString(sig *types.Signature) string {
	s := "("
	for i := range sig.Params().Len() {
		if i > 0 {
			s += ", "
		}
		t := sig.Params().At(i).Type()
		if slice, ok := t.(*types.Slice); ok && sig.Variadic() && i == sig.Params().Len()-1 {
			s += "..." + goTypeString(slice.Elem())
		} else {
			s += goTypeString(t)
		}
	}
	s += ")"
	switch n := sig.Results().Len(); n {
	case 0:
	case 1:
		s += " " + goTypeString(sig.Results().At(0).Type())
	default:
		s += " ("
		for i := range n {
			if i > 0 {
				s += ", "
			}
			s += goTypeString(sig.Results().At(i).Type())
		}
		s += ")"
	}
	return s
}
