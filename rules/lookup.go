package rules

import (
	"math"
	"slices"
)

// table holds all rows, family by family.
var table = slices.Concat(power, exponential, trigonometric, special, piecewise, rounding, activation, complexes, guards)

var byName = func() map[string]*Row {
	m := make(map[string]*Row, len(table))
	for _, r := range table {
		m[r.Name] = r
	}
	return m
}()

// All returns all rows, in the order of the table.
func All() []*Row { return slices.Clone(table) }

// Lookup returns the row with the given Name, nil if there is none.
func Lookup(name string) *Row { return byName[name] }

// LookupFunc returns the row of a function by its import path and its name
// there, nil if there is none. The path of the builtins is "".
func LookupFunc(path, name string) *Row {
	switch path {
	case "":
		return byName[name]
	case "math":
		return byName["math."+name]
	case "math/cmplx":
		return byName["cmplx."+name]
	case RT:
		return byName["rt."+name]
	}
	return nil
}

// Refused reports, for functions of package math that have no derivative and
// must not be taken for constants, why. They are named as rows are.
func Refused(name string) (why string, ok bool) {
	why, ok = refused[name]
	return why, ok
}

const bits = "the bits of a float have no derivative"

var refused = map[string]string{
	"math.Float32bits":     bits,
	"math.Float32frombits": bits,
	"math.Float64bits":     bits,
	"math.Float64frombits": bits,
}

// Const returns the value of a constant that may occur in partials, by the
// name it has there: "math.Pi".
func Const(name string) (v float64, ok bool) {
	v, ok = constants[name]
	return v, ok
}

var constants = map[string]float64{
	"math.E":          math.E,
	"math.Ln10":       math.Ln10,
	"math.Ln2":        math.Ln2,
	"math.Log10E":     math.Log10E,
	"math.Log2E":      math.Log2E,
	"math.MaxFloat64": math.MaxFloat64,
	"math.Phi":        math.Phi,
	"math.Pi":         math.Pi,
	"math.Sqrt2":      math.Sqrt2,
	"math.SqrtE":      math.SqrtE,
	"math.SqrtPhi":    math.SqrtPhi,
	"math.SqrtPi":     math.SqrtPi,
}
