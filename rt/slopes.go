package rt

import "math"

// Slopes of elementary functions of one variable. The derivatives of these
// slopes are polynomials in each other (see package rules), so derivatives of
// higher order divide by nothing and stay finite where the slope is.

// SqrtSlope returns 1/(2r), the slope of math.Sqrt at the point where its
// value is r, and 0 at r = 0. By this convention norms have gradient zero at
// the origin; every higher derivative at 0 is 0 too, since
//
//	d/dr 1/(2r) = -2 (1/(2r))^2.
//
// A NaN, the root of a negative number, gives NaN.
func SqrtSlope(r float64) float64 {
	if r == 0 {
		return 0
	}
	return 0.5 / r
}

// TanhSlope returns 1/cosh(x)^2, the slope of math.Tanh at x, where y must be
// math.Tanh(x).
//
// Down to a slope of 1/32, which is up to |x| = 2.4, it is (1-y)(1+y): no
// transcendental call, and an error of at most 64 roundings of y. Beyond that
// the difference would cancel (at x = 20 to nothing at all), and
// with z = exp(-2|x|)
//
//	1/cosh(x)^2 = 4z/(1+z)^2
//
// keeps full relative accuracy down to the underflow of exp.
func TanhSlope(x, y float64) float64 {
	if s := (1 - y) * (1 + y); s > 1.0/32 {
		return s
	}
	return tanhSlopeTail(x)
}

// tanhSlopeTail is apart so that the other branch can be inlined.
func tanhSlopeTail(x float64) float64 {
	z := math.Exp(-2 * math.Abs(x))
	return 4 * z / ((1 + z) * (1 + z))
}

// AsinSlope returns 1/sqrt((1-x)(1+x)), the slope of math.Asin and minus that
// of math.Acos. The factors keep the digits next to the ends, where 1-x*x
// loses them. It is +Inf at -1 and 1, and NaN outside.
//
//	AsinSlope'(x) = x AsinSlope(x)^3
func AsinSlope(x float64) float64 {
	return 1 / math.Sqrt((1-x)*(1+x))
}

// AcoshSlope returns 1/(sqrt(x-1) sqrt(x+1)), the slope of math.Acosh. With
// two roots nothing is lost next to 1 and nothing overflows at 1e200. It is
// +Inf at 1 and NaN below.
//
//	AcoshSlope'(x) = -x AcoshSlope(x)^3
func AcoshSlope(x float64) float64 {
	return 1 / (math.Sqrt(x-1) * math.Sqrt(x+1))
}

// AtanSlope returns 1/(1+x^2), the slope of math.Atan: 0 where x^2 overflows
// and at the infinities. With c = [AsinhSlope](x) and s = [SinAtan](x), which
// are the cosine and the sine of the angle atan(x), it is c^2, so
//
//	AtanSlope'(x) = -2 s c AtanSlope(x)
//
// and every higher derivative is finite at any x, infinities included.
func AtanSlope(x float64) float64 {
	return 1 / (1 + float64(x*x))
}

// AsinhSlope returns c = 1/sqrt(1+x^2), the slope of math.Asinh, without
// overflow: 1e-200 at 1e200, and 0 at the infinities. With s = [SinAtan](x)
//
//	AsinhSlope'(x) = -s c^2
func AsinhSlope(x float64) float64 {
	if a := math.Abs(x); a > 1 {
		r := 1 / a
		return r / math.Sqrt(1+float64(r*r))
	}
	return 1 / math.Sqrt(1+float64(x*x))
}

// SinAtan returns s = x/sqrt(1+x^2), the sine of the angle atan(x), without
// overflow: -1 and 1 at the infinities. With c = [AsinhSlope](x)
//
//	SinAtan'(x) = c^3
func SinAtan(x float64) float64 {
	if a := math.Abs(x); a > 1 {
		r := 1 / a
		return math.Copysign(1/math.Sqrt(1+float64(r*r)), x)
	}
	return x / math.Sqrt(1+float64(x*x))
}
