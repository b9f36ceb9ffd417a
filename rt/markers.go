package rt

import (
	"fmt"
	"runtime"
	"strings"
)

// Stop returns x. For every derivative, in both modes and at all orders, the
// result is a constant: Stop ends the path of a gradient.
//
//	y := x + rt.Stop(math.Round(x)-x) // the value of Round, the slope of x
//
// Of a slice, pointer or map, or of a struct that holds some, the result is the
// same memory: what is read through it is constant, however deep. quablagen
// refuses to write through it; write to a copy.
func Stop[T any](x T) T { return x }

// As returns value; all derivatives are those of like. It lets a value come from a
// function that cannot be differentiated while an equal one that can stands in for its
// derivatives: As(floats.Sum(x), sum(x)). Generated code drops what serves the other
// value alone.
func As(value, like float64) float64 { return value }

// Deriv returns the derivative of f at x. It is resolved by quablagen, inside
// functions that have a //quabla: directive and in what they call; f may be any
// function or closure that the generator can see. Variables that f captures are
// constants to this derivative, and are differentiated by an outer one. f runs
// once.
//
// Called as compiled, outside generated code, Deriv panics.
func Deriv(f func(float64) float64, x float64) float64 {
	panic(unresolved("rt.Deriv"))
}

// Grad returns the gradient of f at x, in a new value of the shape of x: a float
// or complex number, or a struct, array, slice, map or pointer that holds some.
// What is no number in it is that of x. It is resolved as [Deriv] is.
//
// Called as compiled, outside generated code, Grad panics.
func Grad[X any](f func(X) float64, x X) X {
	panic(unresolved("rt.Grad"))
}

// JVP returns f(x) and the derivative of f at x in the direction xDot, which
// must have the shape of x; it is only read and may be x itself. yDot may share
// memory with xDot where y shares memory with x. It is resolved as [Deriv] is.
//
// The code in its place panics if the shapes of x and xDot differ. Called as
// compiled, outside generated code, JVP panics.
func JVP[X, Y any](f func(X) Y, x, xDot X) (y, yDot Y) {
	panic(unresolved("rt.JVP"))
}

// unresolved is the message for a marker that was called as compiled: it
// names the function that called it and the generated function to call in
// its place.
func unresolved(marker string) string {
	const advice = "%s works in generated code only: put //quabla:value above %s, run go generate, and call %s"
	var pcs [4]uintptr
	n := runtime.Callers(3, pcs[:]) // past Callers, unresolved and the marker
	frames := runtime.CallersFrames(pcs[:n])
	for more := n > 0; more; {
		var f runtime.Frame
		f, more = frames.Next()
		if caller := funcName(f.Function); caller != "" {
			return fmt.Sprintf(advice, marker, caller, caller+"Value")
		}
	}
	return fmt.Sprintf(advice, marker, "the calling function F", "FValue")
}

// funcName shortens the run-time name of a function to pkg.F or pkg.T.M: the
// path of the package goes, and so do closures, type arguments and the
// brackets of a pointer receiver. It returns "" for the markers themselves.
func funcName(full string) string {
	name := full[strings.LastIndex(full, "/")+1:]
	name = strings.ReplaceAll(name, "[...]", "")
	name = strings.NewReplacer("(*", "", ")", "").Replace(name)
	if i := strings.Index(name, ".func"); i > 0 {
		name = name[:i]
	}
	switch name {
	case "rt.Deriv", "rt.Grad", "rt.JVP":
		return ""
	}
	return name
}
