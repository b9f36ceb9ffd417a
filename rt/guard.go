package rt

// Float is the constraint of the floating-point types.
type Float interface{ ~float32 | ~float64 }

// Mul0 returns bar*coef, or 0 when bar is 0: the strong zero. A cotangent (or
// a tangent) that is exactly zero contributes nothing, although the
// coefficient may be infinite or NaN, as the slope of a logarithm at 0 is.
// A NaN in bar stays a NaN.
func Mul0[T Float](bar, coef T) T {
	if bar == 0 {
		return 0
	}
	return bar * coef
}

// Switch returns bar*coef, or 0 when coef is 0. It is the product for
// coefficients that tell which operand was taken, such as [FirstWins]: what
// arrives for the operand that was not taken is dropped, even when it is
// infinite or NaN, as a Go if statement would drop it.
func Switch[T Float](bar, coef T) T {
	if coef == 0 {
		return 0
	}
	return bar * coef
}

// Mul00 returns bar*coef, or 0 when either factor is 0.
func Mul00[T Float](bar, coef T) T {
	if bar == 0 || coef == 0 {
		return 0
	}
	return bar * coef
}

// Div0 returns x/y, or 0 when x is 0, whatever y is: the strong zero for a
// quotient.
func Div0[T Float](x, y T) T {
	if x == 0 {
		return 0
	}
	return x / y
}
