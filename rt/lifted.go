package rt

// Lifted is what the tangents of one number of type T look like in a rule that
// carries several directions at once: an array with one element for each of them.
// A rule is written for all widths in one generic function, over the primal
// numbers and, beside them, a block with the lanes of each element in a row:
//
//	func scaleLifted[L rt.Lifted[float64]](c float64, cDot L, x []float64, xDot []L) (y []float64, yDot []L)
//
// Go cannot range over a value of type L; len, indexing and assignment work, so a
// loop over the lanes of a tangent d reads
//
//	for k := range len(d) {
//		d[k] = ...
//	}
//
// and the compiler, which makes a function of its own for each width, knows len(d)
// as a constant. The zero value is that of a variable, var d L.
//
// Package rt has no other part in such rules: they are registered with lifted= in
// //quabla:custom_jvp and //quabla:rule, and see ordinary slices.
type Lifted[T ~float32 | ~float64 | ~complex64 | ~complex128] interface {
	[1]T | [2]T | [3]T | [4]T | [5]T | [6]T | [7]T | [8]T | [12]T | [16]T
}
