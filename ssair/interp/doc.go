// Package interp executes the intermediate representation of package ssair. It
// is the reference for everything that Quabla generates: slow, simple and as
// close to the rules of Go as it can be.
//
// A [Machine] runs the functions of one module:
//
//	m := interp.New(mod)
//	x, err := interp.FromGo(f.Params[0].Type, []float64{1, 2})
//	results, err := m.Call(f, x)
//	leaves := interp.Flatten(results[0], f.Results[0].Type)
//
// A [Value] is what an ssair value holds while the function runs. Memory
// consists of [Cell]s, which hold one scalar, reference or string, or have
// cells of their own for the fields of a struct and the elements of an array.
// A pointer is a *Cell, so that the address of an element or a field aliases
// the thing it is part of. A slice is a Go slice of cells: slicing, capacity and
// sharing are Go's own.
//
// Arithmetic follows the types: floats are computed in float64 and rounded to
// their type after each op, integers wrap, conversions and shifts are Go's.
// What panics in Go ends the call with a [PanicError] that holds the same
// value and message. What the machine cannot do, such as a call of an unknown
// function without a body, ends it with an [Unsupported]. Both name the op.
//
// # Where Go leaves a choice
//
// Capacities after append are those of the Go runtime this package is compiled
// with, for the element sizes of amd64. The compiler may put the array of a
// slice that does not escape on the stack and then gives it another capacity;
// no correct program depends on that. MapKeys returns sorted keys where keys
// have an order, else keys in order of insertion. Float to integer conversions
// that overflow do what they do in Go on the machine at hand.
package interp
