package interp

import (
	"fmt"
	"go/token"

	"github.com/quabla/quabla/ssair"
)

// A PanicError is a panic of the program that the machine ran.
type PanicError struct {
	// Value is the value of the panic, as recover would return it: a
	// RuntimeError (which is a runtime.Error with Go's message), a Go value
	// where the value has a type that Go code can name, or else an *Iface.
	Value any
	// Text is the value as fmt.Sprint spells it, with the methods Error and
	// String of types of the module.
	Text string
	// Op is the op that panicked, and Pos its position, if known.
	Op  *ssair.Op
	Pos token.Position
}

// Error returns the message with the place of the panic in front.
func (e *PanicError) Error() string { return where(e.Op, e.Pos) + "panic: " + e.Text }

// Unwrap returns the value of the panic when it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// A RuntimeError is a run-time error of Go, as runtime.Error; the string is
// its message.
type RuntimeError string

// Error returns the message.
func (e RuntimeError) Error() string { return string(e) }

// RuntimeError marks e as a run-time error.
func (e RuntimeError) RuntimeError() {}

// An Unsupported says what the machine cannot do.
type Unsupported struct {
	What string // a function without a body, or another construct
	Op   *ssair.Op
	Pos  token.Position
}

// Error says what is not supported, and where.
func (e *Unsupported) Error() string {
	return where(e.Op, e.Pos) + "interp: not supported: " + e.What
}

// A LimitError says that a program ran for too long, called itself too often
// or used too much memory.
type LimitError struct {
	What string
	Op   *ssair.Op
	Pos  token.Position
}

// Error says which limit was reached, and where.
func (e *LimitError) Error() string { return where(e.Op, e.Pos) + "interp: " + e.What }

func where(o *ssair.Op, pos token.Position) string {
	if pos.IsValid() {
		return pos.String() + ": "
	}
	if o != nil && o.Parent != nil {
		return o.Parent.Func.Name + ": "
	}
	return ""
}

// thrown carries an error up to Machine.Call.
type thrown struct{ err error }

func (m *Machine) pos(o *ssair.Op) token.Position {
	if o == nil || m.mod.Fset == nil || !o.Pos.IsValid() {
		return token.Position{}
	}
	return m.mod.Fset.Position(o.Pos)
}

// throw ends the call with a run-time error. The message is complete: most of
// Go's start with "runtime error: ".
func (m *Machine) throw(o *ssair.Op, format string, args ...any) {
	msg := fmt.Sprintf(format, args...)
	panic(thrown{&PanicError{Value: RuntimeError(msg), Text: msg, Op: o, Pos: m.pos(o)}})
}

const (
	nilDereference = "runtime error: invalid memory address or nil pointer dereference"
	divideByZero   = "runtime error: integer divide by zero"
	negativeShift  = "runtime error: negative shift amount"
)

func (m *Machine) unsupported(o *ssair.Op, format string, args ...any) {
	panic(thrown{&Unsupported{What: fmt.Sprintf(format, args...), Op: o, Pos: m.pos(o)}})
}

func (m *Machine) limit(o *ssair.Op, format string, args ...any) {
	panic(thrown{&LimitError{What: fmt.Sprintf(format, args...), Op: o, Pos: m.pos(o)}})
}
