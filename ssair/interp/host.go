package interp

import (
	"bytes"
	"errors"
	"fmt"
	"go/types"
	"io"
	"math/rand"
	randv2 "math/rand/v2"
	"os"
	"reflect"
	"strings"
	"time"

	"github.com/quabla/quabla/ssair"
)

// hostTypes are the named types of the standard library whose values are Go
// values in the machine, too. A struct among them is kept as it is; its
// methods are Go's.
var hostTypes = map[string]reflect.Type{
	"error":                reflect.TypeFor[error](),
	"bytes.Buffer":         reflect.TypeFor[bytes.Buffer](),
	"fmt.Stringer":         reflect.TypeFor[fmt.Stringer](),
	"io.Reader":            reflect.TypeFor[io.Reader](),
	"io.Writer":            reflect.TypeFor[io.Writer](),
	"math/rand.Rand":       reflect.TypeFor[rand.Rand](),
	"math/rand.Source":     reflect.TypeFor[rand.Source](),
	"math/rand.Zipf":       reflect.TypeFor[rand.Zipf](),
	"math/rand/v2.ChaCha8": reflect.TypeFor[randv2.ChaCha8](),
	"math/rand/v2.PCG":     reflect.TypeFor[randv2.PCG](),
	"math/rand/v2.Rand":    reflect.TypeFor[randv2.Rand](),
	"math/rand/v2.Source":  reflect.TypeFor[randv2.Source](),
	"math/rand/v2.Zipf":    reflect.TypeFor[randv2.Zipf](),
	"os.File":              reflect.TypeFor[os.File](),
	"strings.Builder":      reflect.TypeFor[strings.Builder](),
	"strings.Reader":       reflect.TypeFor[strings.Reader](),
	"strings.Replacer":     reflect.TypeFor[strings.Replacer](),
	"time.Duration":        reflect.TypeFor[time.Duration](),
	"time.Location":        reflect.TypeFor[time.Location](),
	"time.Month":           reflect.TypeFor[time.Month](),
	"time.Time":            reflect.TypeFor[time.Time](),
	"time.Weekday":         reflect.TypeFor[time.Weekday](),
}

// hostGlobals are variables of the standard library.
var hostGlobals = map[string]any{
	"errors.ErrUnsupported": errors.ErrUnsupported,
	"io.Discard":            io.Discard,
	"io.EOF":                io.EOF,
	"os.Stderr":             os.Stderr,
	"os.Stdout":             os.Stdout,
	"time.Local":            time.Local,
	"time.UTC":              time.UTC,
}

// callHost calls a Go function with arguments of the types in sig. What the
// function writes through pointers, slices and maps is written back.
func (m *Machine) callHost(o *ssair.Op, f reflect.Value, sig *types.Signature, args []Value, results []*typ) []Value {
	if !f.IsValid() || f.Type().NumIn() != len(args) || sig.Params().Len() != len(args) {
		m.unsupported(o, "a call of a Go function with %d arguments", len(args))
	}
	cv := &converter{m: m, types: m.types}
	in := make([]reflect.Value, len(args))
	for i, a := range args {
		v, err := cv.toReflect(a, m.types.of(sig.Params().At(i).Type()), f.Type().In(i))
		if err != nil {
			m.unsupported(o, "argument %d of a Go function: %v", i, err)
		}
		in[i] = v
	}
	out := m.reflectCall(o, f, in)
	for _, back := range cv.back {
		if err := back(); err != nil {
			m.unsupported(o, "what a Go function wrote: %v", err)
		}
	}
	if len(out) != len(results) {
		m.unsupported(o, "a Go function with %d results", len(out))
	}
	vs := make([]Value, len(out))
	for i, r := range out {
		v, err := cv.fromReflect(r, results[i])
		if err != nil {
			m.unsupported(o, "result %d of a Go function: %v", i, err)
		}
		vs[i] = v
	}
	return vs
}

// reflectCall calls f. A panic of its becomes one of the program.
func (m *Machine) reflectCall(o *ssair.Op, f reflect.Value, in []reflect.Value) []reflect.Value {
	defer func() {
		if r := recover(); r != nil {
			if t, ok := r.(thrown); ok {
				panic(t)
			}
			panic(thrown{&PanicError{Value: r, Text: fmt.Sprint(r), Op: o, Pos: m.pos(o)}})
		}
	}()
	if f.Type().IsVariadic() {
		return f.CallSlice(in)
	}
	return f.Call(in)
}

// hostMethod returns the method of a value of a host type, and the arguments
// without the receiver.
func (m *Machine) hostMethod(o *ssair.Op, recv types.Type, name string, args []Value) (reflect.Value, []Value, bool) {
	t := m.types.of(recv)
	var v reflect.Value
	switch {
	case t.kind == kindPtr && t.elem.kind == kindHost:
		c := args[0].Pointer()
		if c == nil {
			m.throw(o, nilDereference)
		}
		v = c.v.r.(*hostCell).p
	case t.host != nil:
		var err error
		if v, err = (&converter{m: m, types: m.types}).toReflect(args[0], t, t.host); err != nil {
			m.unsupported(o, "the receiver of a Go method: %v", err)
		}
	default:
		return v, nil, false
	}
	return reflectMethod(v, name), args[1:], true
}

// reflectMethod returns the method of v with the given name, or an invalid
// value.
func reflectMethod(v reflect.Value, name string) reflect.Value {
	if !v.IsValid() {
		return v
	}
	return v.MethodByName(name)
}

// goValue returns the Go value that an interface with an unknown dynamic type
// holds.
func (v Value) goValue() any {
	if h, ok := v.r.(hostValue); ok {
		return h.v.Interface()
	}
	return nil
}

// hostIs reports whether a Go value that the machine does not look into has
// the type t or implements it.
func hostIs(x any, t *typ) bool {
	rt := reflect.TypeOf(x)
	if t.kind == kindIface {
		it, ok := t.t.Underlying().(*types.Interface)
		if !ok {
			return false
		}
		for i := range it.NumMethods() {
			if _, ok := rt.MethodByName(it.Method(i).Name()); !ok {
				return false
			}
		}
		return true
	}
	if t.kind == kindPtr && t.elem.host != nil {
		return rt == reflect.PointerTo(t.elem.host)
	}
	return t.host != nil && rt == t.host
}

// hostInterface returns what an interface holds as a Go value, if there is one.
// Values whose methods Error or String are functions of the module have these
// methods in Go, too.
func (m *Machine) hostInterface(i *Iface) (x any, ok bool) {
	if i == nil {
		return nil, true
	}
	if i.Type == nil {
		return i.Val.goValue(), true
	}
	u := userValue{m, i}
	if t := m.types.of(i.Type); t.host == nil && (t.kind != kindPtr || t.elem.host == nil) {
		if m.hasMethod(i, "Error") {
			return userError{u}, true
		}
		if m.hasMethod(i, "String") {
			return userStringer{u}, true
		}
	}
	return u.plain()
}

// hasMethod reports whether the module has the body of a method that returns a
// string.
func (m *Machine) hasMethod(i *Iface, name string) bool {
	obj, _, _ := types.LookupFieldOrMethod(i.Type, false, m.mod.Pkg, name)
	f, ok := obj.(*types.Func)
	if !ok {
		return false
	}
	for _, fn := range m.mod.Funcs {
		if fn.Obj != nil && fn.Obj.Origin() == f.Origin() {
			return true
		}
	}
	return false
}

// A userValue is a value of the program as Go code sees it.
type userValue struct {
	m *Machine
	i *Iface
}

// plain returns the value without its methods.
func (u userValue) plain() (any, bool) {
	cv := &converter{m: u.m, types: u.m.types}
	t := u.m.types.of(u.i.Type)
	rt, err := goType(t)
	if err != nil {
		return nil, false
	}
	v, err := cv.toReflect(u.i.Val, t, rt)
	if err != nil {
		return nil, false
	}
	return v.Interface(), true
}

// format formats the string of a value, or the value itself.
func (u userValue) format(s fmt.State, verb rune, text string) {
	var x any = text
	if verb != 'v' && verb != 's' && verb != 'q' || s.Flag('#') {
		if p, ok := u.plain(); ok {
			x = p
		}
	}
	fmt.Fprintf(s, fmt.FormatString(s, verb), x)
}

func (u userValue) text(name string) string {
	s, _ := u.m.stringMethod(nil, u.i, name)
	return s
}

// A userError is an error whose methods are functions of the module.
type userError struct{ userValue }

func (u userError) Error() string                 { return u.text("Error") }
func (u userError) Format(s fmt.State, verb rune) { u.format(s, verb, u.Error()) }

// Is reports whether target is the same error, for errors.Is.
func (u userError) Is(target error) bool {
	t, ok := target.(userError)
	return ok && u.m.equalIface(nil, u.i, t.i)
}

// Unwrap returns what the method Unwrap of the error returns, if it has one.
func (u userError) Unwrap() error {
	fn, recv, _ := u.m.method(nil, u.i.Type, u.i.Val, u.m.mod.Pkg, "Unwrap")
	if fn == nil || len(fn.Params) != 1 || len(fn.Results) != 1 || !ssair.IsErrorType(fn.Results[0].Type) {
		return nil
	}
	x, _ := u.m.hostInterface(u.m.call(nil, fn, []Value{recv})[0].Iface())
	err, _ := x.(error)
	return err
}

// A userStringer has a method String that is a function of the module.
type userStringer struct{ userValue }

func (u userStringer) String() string                { return u.text("String") }
func (u userStringer) Format(s fmt.State, verb rune) { u.format(s, verb, u.String()) }
