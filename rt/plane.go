package rt

import "math"

// HypotSlope returns the slope of math.Hypot(x, y) in x, where h must be
// math.Hypot(x, y): the cosine x/h, and 0 at the origin. The slope in y is
// HypotSlope(y, x, h). It neither overflows nor underflows before the value
// does. An infinite argument has slope -1 or 1, or its share of 1/sqrt 2 if
// both are infinite; the other argument then has slope 0.
//
// With c = x/h and s = y/h the Hessian of hypot is
//
//	[ s^2  -sc ]
//	[ -sc  c^2 ] / h
//
// which by the strong zero is 0 at the origin, as all higher derivatives are.
func HypotSlope(x, y, h float64) float64 {
	if h == 0 {
		return 0
	}
	if h <= math.MaxFloat64 {
		return x / h
	}
	return hypotSlopeInf(x, y)
}

// hypotSlopeInf is HypotSlope where h is infinite or NaN.
func hypotSlopeInf(x, y float64) float64 {
	xInf, yInf := math.IsInf(x, 0), math.IsInf(y, 0)
	switch {
	case xInf && yInf:
		return math.Copysign(math.Sqrt2/2, x)
	case xInf:
		return math.Copysign(1, x)
	case yInf:
		return math.Copysign(0, x)
	}
	x, y = x/4, y/4 // finite, but the sum of the squares overflowed; or NaN
	return x / math.Hypot(x, y)
}

// Atan2Slope returns q(x, y) = x/(x^2+y^2), and 0 at the origin and where x or
// y is infinite. It scales by the larger of |x| and |y|, so that no square
// overflows or underflows. The slopes of math.Atan2(y, x) are q(x, y) in y and
// -q(y, x) in x.
//
// q(x, y) and q(y, x) are the real part of 1/(x+iy) and minus its imaginary
// part; since the derivative of 1/w is -1/w^2,
//
//	dq(x,y)/dx = q(y,x)^2 - q(x,y)^2
//	dq(x,y)/dy = -2 q(x,y) q(y,x)
//
// and all derivatives are polynomials in these two: finite at the scale 1e150
// and 0 at the origin.
func Atan2Slope(x, y float64) float64 {
	ax, ay := math.Abs(x), math.Abs(y)
	switch {
	case ax > math.MaxFloat64 || ay > math.MaxFloat64:
		if x != x || y != y {
			return math.NaN()
		}
		return 0
	case ax >= ay:
		if ax == 0 {
			return 0
		}
		t := y / x
		return 1 / x / (1 + float64(t*t))
	default: // also NaN
		t := x / y
		return t / y / (1 + float64(t*t))
	}
}
