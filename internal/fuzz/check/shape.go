package check

import (
	"math/rand/v2"
	"reflect"
)

// Make returns a new value of type t: slices have two to four elements, which
// the numbers of rng decide in the order in which they occur, pointers point to
// new variables, integers are small. The shapes of a type and of the type of its
// tangents agree, for only slices ask rng.
func Make(t reflect.Type, rng *rand.Rand) reflect.Value {
	v := reflect.New(t).Elem()
	fill(v, rng)
	return v
}

func fill(v reflect.Value, rng *rand.Rand) {
	switch v.Kind() {
	case reflect.Float64:
		v.SetFloat(Garbage)
	case reflect.Int:
		v.SetInt(1)
	case reflect.Slice:
		n := 2 + rng.IntN(3)
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			fill(v.Index(i), rng)
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), rng)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), rng)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), rng)
	}
}

// visit calls f for the floats and, if ints is set, the integers in v.
func visit(v reflect.Value, ints bool, f func(reflect.Value)) {
	switch v.Kind() {
	case reflect.Float64:
		f(v)
	case reflect.Int:
		if ints {
			f(v)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			visit(v.Index(i), ints, f)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			visit(v.Field(i), ints, f)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			visit(v.Elem(), ints, f)
		}
	}
}

// Floats returns the floats in v.
func Floats(v reflect.Value) []float64 {
	out := []float64{}
	visit(v, false, func(x reflect.Value) { out = append(out, x.Float()) })
	return out
}

// state returns the floats and integers in v, and the lengths of its slices.
func state(v reflect.Value) []float64 {
	out := []float64{}
	visit(v, true, func(x reflect.Value) {
		if x.CanInt() {
			out = append(out, float64(x.Int()))
		} else {
			out = append(out, x.Float())
		}
	})
	return out
}

// SetFloats makes the floats in v those of xs. A slice of floats that is too
// short is made anew, for the cotangent of a result has the shape of the result.
func SetFloats(v reflect.Value, xs []float64) {
	if v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Float64 && v.Len() != len(xs) {
		v.Set(reflect.MakeSlice(v.Type(), len(xs), len(xs)))
	}
	i := 0
	visit(v, false, func(x reflect.Value) {
		if i < len(xs) {
			x.SetFloat(xs[i])
		}
		i++
	})
}

// Rng returns the numbers that decide about the shape of parameter i of F.
func Rng(seed uint64, i int) *rand.Rand { return rand.New(rand.NewPCG(seed, uint64(i)+77)) }
