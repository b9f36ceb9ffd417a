package rt

import "math"

// Sign returns -1, 0 or +1 as x is negative, zero (of either sign) or
// positive, and NaN for NaN. Its derivative is zero everywhere. As the slope
// of math.Abs it makes the convention abs'(0) = 0.
func Sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	case x == 0:
		return 0
	}
	return x
}

// Step returns 1 for x > 0, 0 for x <= 0 and NaN for NaN. Its derivative is
// zero everywhere. It is the slope of [ReLU] and, taken at the result, of
// math.Dim.
func Step(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x <= 0:
		return 0
	}
	return x
}

// FirstWins reports, as 1 or 0, whether r, which is the maximum or minimum of
// x and y, is the value of x alone. It is the derivative of max, min, math.Max
// and math.Min in their first operand; the second has the rest. So a tie,
// which +0 and -0 also make, gives the whole derivative to the second operand,
// and a NaN result gives it to the operand that is NaN, or to the second if
// both are. The rule follows the value that was returned: math.Max(+Inf, NaN)
// is +Inf, and the first operand has the derivative.
func FirstWins(x, y, r float64) float64 {
	if r != r { // NaN
		if x != x && y == y {
			return 1
		}
		return 0
	}
	if x == r && y != r {
		return 1
	}
	return 0
}

// ReLU returns max(x, 0). Its slope is 1 for x > 0, however small, and 0 for
// x <= 0; NaN gives NaN.
func ReLU(x float64) float64 {
	if x < 0 {
		return 0
	}
	return x + 0 // +0 for both zeros
}

// Clip returns min(max(x, lo), hi). Bounds that cross give hi, and NaN in any
// argument gives NaN. At a bound the derivative belongs to the bound.
func Clip(x, lo, hi float64) float64 { return min(max(x, lo), hi) }

// FloorMod returns x - floor(x/y)*y without forming the quotient: the
// remainder with the sign of the divisor, also where it is zero. It is exact,
// but for a tiny x of the other sign than y, where the sum x+y rounds:
// FloorMod(-1e-30, 1) is 1. It is NaN where math.Mod is. An infinite y of the
// other sign than x gives y. The slopes are 1 and -floor(x/y).
func FloorMod(x, y float64) float64 {
	r := math.Mod(x, y)
	if r == 0 {
		return math.Copysign(0, y)
	}
	if (r < 0) != (y < 0) {
		r += y
	}
	return r
}
