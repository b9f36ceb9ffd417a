package derivtest

import (
	"errors"
	"reflect"

	"github.com/quabla/quabla/internal/leaves"
)

// A caller calls a function, compiled or in the interpreter. Arguments are those
// of the signature of package analyze, the receiver first; what the function
// writes through them is found in the outcome and, for compiled code, in the
// arguments themselves. A matrix is passed as a *matrix.
type caller interface {
	call(args []reflect.Value) (*outcome, error)
}

// An outcome is what a call did: the floats that can be reached from arguments
// and results afterwards.
type outcome struct {
	params, results []slot

	// pullback calls the function that a pullback returned.
	pullback func(args []reflect.Value) (*outcome, error)
}

// A slot is an argument or a result after a call.
type slot struct {
	xs    []float64
	names func() []string // of the floats, as parts of a variable without name
	value reflect.Value   // of the interpreter in types without names; may be missing
	err   error           // of a result of type error
	isErr bool
}

// A panicError is a panic of the function that was called.
type panicError struct {
	text  string
	stack string
}

func (e *panicError) Error() string { return "panic: " + e.text }

// A limitError says that a call took too long in the interpreter.
type limitError struct{ text string }

func (e *limitError) Error() string { return e.text }

// An unableError says why something cannot be checked in some way.
type unableError struct{ why string }

func (e *unableError) Error() string { return e.why }

func unable(err error) bool {
	var u *unableError
	var l *limitError
	return errors.As(err, &u) || errors.As(err, &l)
}

var errorType = reflect.TypeFor[error]()

// read returns the slot of a Go value.
func read(v reflect.Value) slot {
	if !v.IsValid() {
		return slot{names: func() []string { return nil }}
	}
	if v.Type() == errorType {
		s := slot{isErr: true, value: v, names: func() []string { return nil }}
		s.err, _ = v.Interface().(error)
		return s
	}
	if m, ok := v.Interface().(*matrix); ok {
		return m.read()
	}
	return slot{xs: leaves.Of(v), names: func() []string { return leaves.Names("", v) }, value: v}
}
