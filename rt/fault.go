package rt

import "runtime"

// The functions below return what recover returns after a run-time panic, for
// derivatives of functions that recover. A derivative tests for the fault first,
// so each is called only where the expression that it stands for would panic.

// Fault runs f and returns what it panicked with, or nil.
func Fault(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

// Caught1 runs f and returns its result and what it panicked with, or nil.
func Caught1[A any](f func() A) (a A, v any) {
	v = Fault(func() { a = f() })
	return a, v
}

// Caught2 is [Caught1] for two results.
func Caught2[A, B any](f func() (A, B)) (a A, b B, v any) {
	v = Fault(func() { a, b = f() })
	return a, b, v
}

// Caught3 is [Caught1] for three results.
func Caught3[A, B, C any](f func() (A, B, C)) (a A, b B, c C, v any) {
	v = Fault(func() { a, b, c = f() })
	return a, b, c, v
}

// IndexFault is what x[i] panics with for an x of n elements.
func IndexFault(i, n int) any {
	x := make([]struct{}, n)
	return Fault(func() { _ = x[i] })
}

// SliceFault is what x[lo:hi] panics with for a slice x with n elements and room
// for c. A hi below zero that the source leaves out is n.
func SliceFault(n, c, lo, hi int) any {
	x := make([]struct{}, n, c)
	return Fault(func() { _ = x[lo:hi] })
}

// SliceFault3 is SliceFault for x[lo:hi:most].
func SliceFault3(c, lo, hi, most int) any {
	x := make([]struct{}, c)
	return Fault(func() { _ = x[lo:hi:most] })
}

// ArrayFault is what x[lo:hi] panics with for an array x of n elements.
func ArrayFault(n, lo, hi int) any { return StringFault(string(make([]byte, n)), lo, hi) }

// StringFault is what s[lo:hi] panics with for a string s.
func StringFault(s string, lo, hi int) any { return Fault(func() { _ = s[lo:hi] }) }

// NilFault is what *p panics with if p is nil.
func NilFault() any {
	var p *int
	return Fault(func() { *p = 0 })
}

// MapFault is what m[k] = v panics with if m is nil.
func MapFault() any {
	var m map[int]int
	return Fault(func() { m[0] = 0 })
}

// DivideFault is what a division of whole numbers by zero panics with.
func DivideFault() any {
	zero := 0
	return Fault(func() { _ = 1 / zero })
}

// ShiftFault is what a shift by a negative number panics with.
func ShiftFault() any {
	n := -1
	return Fault(func() { _ = 1 << n })
}

// MakeFault is what make panics with for a slice of n elements with room for c.
func MakeFault(n, c int) any { return Fault(func() { _ = make([]int64, n, c) }) }

// AssertFault is what x.(T) panics with if x does not hold a T.
func AssertFault[T any](x any, _ *T) any { return Fault(func() { _ = x.(T) }) }

// CompareFault is what x == y panics with, or nil if it does not.
func CompareFault(x, y any) any { return Fault(func() { _ = x == y }) }

// KeyFault is what a map panics with that is given the key x, or nil if it does not.
func KeyFault(x any) any { return Fault(func() { _ = map[any]struct{}{}[x] }) }

// NilPanic is what recover returns after panic(nil).
func NilPanic() any { return new(runtime.PanicNilError) }
