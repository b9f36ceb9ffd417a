package rt

import "math"

// Sigmoid returns 1/(1+exp(-x)). It evaluates exp(-|x|) only, so nothing
// overflows: 0 at -Inf, 1 at +Inf, and full relative accuracy in the left
// tail down to the underflow of exp. Its slope is [SigmoidSlope].
func Sigmoid(x float64) float64 {
	z := math.Exp(-math.Abs(x))
	if x > 0 {
		return 1 / (1 + z)
	}
	return z / (1 + z)
}

// SigmoidSlope returns the slope of [Sigmoid] at x, where y must be
// Sigmoid(x). It keeps full relative accuracy on both sides:
//
//	s' = s(x) s(-x) = y(1-y)
//
// While y is not close to 1 the difference 1-y costs nothing; beyond that,
// where it would cancel, z/(1+z)^2 with z = exp(-|x|) takes its place.
func SigmoidSlope(x, y float64) float64 {
	if y <= 0.75 {
		return y * (1 - y)
	}
	return sigmoidSlopeTail(x)
}

// sigmoidSlopeTail is apart so that the other branch can be inlined.
func sigmoidSlopeTail(x float64) float64 {
	z := math.Exp(-math.Abs(x))
	return z / ((1 + z) * (1 + z))
}

// Softplus returns log(1+exp(x)), as max(x, 0) + log1p(exp(-|x|)): it neither
// overflows nor loses the left tail. Its slope is [Sigmoid](x).
func Softplus(x float64) float64 {
	return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x)))
}

// LogAddExp returns log(exp(x)+exp(y)), as hi + log1p(exp(lo-hi)). Two equal
// infinities give that infinity; NaN gives NaN. The slopes are the softmax of
// the pair, see [LogAddExpSlope].
func LogAddExp(x, y float64) float64 {
	if x == y { // also where both are infinite
		return x + math.Ln2
	}
	hi, lo := x, y
	if x < y {
		hi, lo = y, x
	}
	return hi + math.Log1p(math.Exp(lo-hi))
}

// LogAddExpSlope returns the slope of [LogAddExp](x, y) in x: the sigmoid of
// x-y. It is exactly 1/2 at a tie, that of two equal infinities included, and
// 0 or 1 far apart. The slope in y is LogAddExpSlope(y, x).
func LogAddExpSlope(x, y float64) float64 {
	if x == y {
		return 0.5
	}
	return Sigmoid(x - y)
}

// SiLU returns x times [Sigmoid](x), with the limit 0 at -Inf.
func SiLU(x float64) float64 { return gated(x, Sigmoid(x)) }

// GELU returns the tanh form of the Gaussian error linear unit,
//
//	x/2 (1 + tanh(u)),  u = sqrt(2/pi) (x + 0.044715 x^3),
//
// evaluated as x sigmoid(2u), so that the left tail keeps its relative
// accuracy. The limit at -Inf is 0.
func GELU(x float64) float64 { return gated(x, GELUGate(x)) }

// GELUGate returns GELU(x)/x = sigmoid(2u), with u as in [GELU].
func GELUGate(x float64) float64 {
	const a = 1.5957691216057308   // 2 sqrt(2/pi)
	const b = 0.071354816272600249 // 0.044715 a
	return Sigmoid(x * (a + float64(b*x*x)))
}

// gated returns x*gate, and 0 where the gate is shut, -Inf included.
func gated(x, gate float64) float64 {
	if gate == 0 {
		return math.Copysign(0, x)
	}
	return x * gate
}

// GELUExact returns x Phi(x), where Phi is the distribution function of the
// standard normal law, as x/2 erfc(-x/sqrt 2): 1 + erf would cancel in the
// left tail. The limit at -Inf is 0.
//
// Below -37, where erfc itself is about to lose digits to underflow, it is
//
//	x Phi(x) = -phi(x) (1 - 1/x^2 + 3/x^4 - 15/x^6 + ...)
//
// (Abramowitz and Stegun 26.2.12) with phi(x) split into two equal factors.
func GELUExact(x float64) float64 {
	if x > -37 || x != x {
		return 0.5 * x * math.Erfc(-x/math.Sqrt2)
	}
	const c = 0.3989422804014327 // 1/sqrt(2 pi)
	e := math.Exp(-x * (x / 4))  // e*e = exp(-x*x/2)
	t := 1 / x / x
	s := 1 - t*(1-3*t*(1-5*t*(1-7*t*(1-9*t*(1-11*t)))))
	return -(c * s * e) * e
}
