package rules

import (
	"fmt"
	"go/ast"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// RT is the import path of package rt.
const RT = "github.com/quabla/quabla/rt"

// A Row is an elementary function: all that is known about it.
type Row struct {
	// Name is how generated code spells the function: "math.Sin",
	// "rt.SqrtSlope" for a function of the package with path RT, or "min" and
	// "max" for the builtins.
	Name string

	// Fn is the function. Its arguments are floats and ints, its results also
	// bools.
	Fn any

	// Complex is, in the row of a function of complex numbers, that function:
	// Fn has a real and an imaginary part for each of its numbers, and the
	// partials satisfy the equations of Cauchy and Riemann.
	Complex any

	// D holds the partials, result by result: for each float result the
	// partial in each float argument, in order. A function without float
	// arguments or without float results has none.
	D []Partial

	// Given describes the arguments that are determined by the others, as
	// expressions in them; "" is a free argument. It is nil if all are free.
	Given []string

	// At holds test points inside the smooth domain: the free arguments, ints
	// included.
	At [][]float64

	// Special holds points where the derivative is a convention or a limit.
	Special []Special

	// Cost says whether the value is worth saving.
	Cost Cost

	// Domain is where the function is smooth, in words.
	Domain string

	// Note states the conventions outside of it, in words.
	Note string

	once    sync.Once
	args    []reflect.Kind
	results []reflect.Kind
	vars    []string
	resVars []string
	exprs   []ast.Expr // of D; nil where it is "0"
	bad     error      // what is wrong with the form of the row
}

// A Partial is a partial derivative.
type Partial struct {
	Expr  string // Go text, see the package comment
	Guard Guard
}

// Guard tells how to multiply the coefficient of a partial with what arrives
// from outside: the tangent of the argument, or the cotangent of the result.
type Guard uint8

const (
	// Plain is an ordinary product: the coefficient is finite wherever the
	// arguments are.
	Plain Guard = 0

	// ZeroBar marks a coefficient that can be infinite or NaN at finite
	// arguments. A tangent or cotangent that is exactly 0 then contributes 0,
	// whatever the coefficient: the strong zero. See rt.Mul0.
	ZeroBar Guard = 1

	// ZeroCoef marks a coefficient that acts as a switch. Where it is 0 the
	// contribution is 0, even for an infinite or NaN tangent or cotangent. See
	// rt.Switch, and rt.Mul00 for both guards at once.
	ZeroCoef Guard = 2
)

// Special is a point with derivatives that are stated, not computed: kinks,
// ties, poles and limits.
type Special struct {
	At []float64 // the free arguments

	// D holds the partials in the order of Row.D, without those for given
	// arguments; NaN is a value as any other, and so are the infinities.
	D []float64

	// D2 holds, where it is not nil, the second derivatives: for each entry of
	// D its derivatives in the free float arguments.
	D2 []float64
}

// Cost is the class of effort of a function.
type Cost uint8

const (
	// Transcendental functions take a call of tens of instructions or more, or
	// a root: their results are saved rather than computed again.
	Transcendental Cost = iota

	// Flop functions take a few instructions: recompute them.
	Flop
)

// Arity returns the number of arguments.
func (r *Row) Arity() int { return len(r.Args()) }

// Args returns the kinds of the arguments: reflect.Float64, Float32 or Int.
// The caller must not change the result, nor that of the other methods that
// return slices.
func (r *Row) Args() []reflect.Kind { r.init(); return r.args }

// Results returns the kinds of the results: those of Args, or reflect.Bool.
func (r *Row) Results() []reflect.Kind { r.init(); return r.results }

// Vars returns the names of the arguments in the expressions of the row.
func (r *Row) Vars() []string { r.init(); return r.vars }

// ResultVars returns the names of the results in the expressions of the row:
// r, or r0, r1 ...
func (r *Row) ResultVars() []string { r.init(); return r.resVars }

// LevelsOff reports whether the function is finite at an infinity and its slope is 0
// there, as is stated among the special points.
func (r *Row) LevelsOff() bool {
	f, ok := r.Fn.(func(float64) float64)
	if !ok {
		return false
	}
	return slices.ContainsFunc(r.Special, func(s Special) bool {
		return math.IsInf(s.At[0], 0) && s.D[0] == 0 && !math.IsInf(f(s.At[0]), 0)
	})
}

// Package returns the import path of the function, "" for a builtin.
func (r *Row) Package() string {
	switch pkg, _, ok := strings.Cut(r.Name, "."); {
	case !ok:
		return ""
	case pkg == "rt":
		return RT
	case pkg == "cmplx":
		return "math/cmplx"
	default:
		return pkg
	}
}

// Ident returns the name of the function within its package.
func (r *Row) Ident() string { return r.Name[strings.LastIndex(r.Name, ".")+1:] }

// Partial returns the partial derivative of a result in an argument, both
// counted from 0 over all results and all arguments, and how to multiply with
// it. It returns nil where the derivative is identically zero: where the text
// is "0" and where the result or the argument is no float. The expression is
// shared and must not be changed.
//
// It panics if the row has no such result or argument or is malformed, see
// [Row.Check].
func (r *Row) Partial(result, arg int) (ast.Expr, Guard) {
	r.init()
	if r.bad != nil {
		panic(r.bad)
	}
	i := r.partial(result, arg)
	if i < 0 || r.exprs[i] == nil {
		return nil, Plain
	}
	return r.exprs[i], r.D[i].Guard
}

// partial returns the index in D of a partial, -1 if it has none.
func (r *Row) partial(result, arg int) int {
	if !isFloat(r.results[result]) || !isFloat(r.args[arg]) {
		return -1
	}
	return floats(r.results[:result])*floats(r.args) + floats(r.args[:arg])
}

// Active reports whether any partial derivative differs from zero.
func (r *Row) Active() bool {
	return slices.ContainsFunc(r.D, func(p Partial) bool { return p.Expr != "0" })
}

// init derives from Fn and D what the other methods serve.
func (r *Row) init() {
	r.once.Do(func() {
		r.bad = r.shape()
		if r.bad != nil {
			return
		}
		r.exprs = make([]ast.Expr, len(r.D))
		for i, p := range r.D {
			if p.Expr == "0" {
				continue
			}
			e, err := parse(p.Expr)
			if err != nil {
				r.bad = fmt.Errorf("%s: %w", r.Name, err)
				return
			}
			r.exprs[i] = e
		}
	})
}

// shape sets the kinds and the names of the arguments and results.
func (r *Row) shape() error {
	t := reflect.TypeOf(r.Fn)
	if t == nil || t.Kind() != reflect.Func || t.IsVariadic() {
		return fmt.Errorf("%s: Fn is no function with a fixed number of arguments", r.Name)
	}
	floatNames, intNames := []string{"x", "y", "z", "w"}, []string{"n", "m"}
	for i := range t.NumIn() {
		k := t.In(i).Kind()
		names := &intNames
		if isFloat(k) {
			names = &floatNames
		} else if k != reflect.Int {
			return fmt.Errorf("%s: argument %d has type %v", r.Name, i, t.In(i))
		}
		if len(*names) == 0 {
			return fmt.Errorf("%s: too many arguments", r.Name)
		}
		r.args = append(r.args, k)
		r.vars = append(r.vars, (*names)[0])
		*names = (*names)[1:]
	}
	for i := range t.NumOut() {
		k := t.Out(i).Kind()
		if !isFloat(k) && k != reflect.Int && k != reflect.Bool {
			return fmt.Errorf("%s: result %d has type %v", r.Name, i, t.Out(i))
		}
		r.results = append(r.results, k)
		if t.NumOut() == 1 {
			r.resVars = append(r.resVars, "r")
		} else {
			r.resVars = append(r.resVars, fmt.Sprint("r", i))
		}
	}
	if want := floats(r.args) * floats(r.results); len(r.D) != want {
		return fmt.Errorf("%s: %d partials, want %d", r.Name, len(r.D), want)
	}
	return nil
}

func isFloat(k reflect.Kind) bool { return k == reflect.Float64 || k == reflect.Float32 }

// floats counts the float kinds in ks.
func floats(ks []reflect.Kind) int {
	n := 0
	for _, k := range ks {
		if isFloat(k) {
			n++
		}
	}
	return n
}
