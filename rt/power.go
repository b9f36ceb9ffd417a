package rt

import "math"

// Powi returns x to the power n by repeated squaring: each product is rounded
// once, so small integers stay exact. Powi(x, 0) is 1 for every x, and a
// negative n gives 1/Powi(x, -n). Its derivatives are [PowiDeriv].
func Powi(x float64, n int) float64 {
	u := uint(n)
	if n < 0 {
		u = -u
	}
	p := 1.0
	for ; u != 0; u >>= 1 {
		if u&1 != 0 {
			p *= x
		}
		x *= x
	}
	if n < 0 {
		return 1 / p
	}
	return p
}

// PowiDeriv returns the k-th derivative of [Powi](x, n) in x,
//
//	n (n-1) ... (n-k+1) x^(n-k),
//
// which is exactly 0 where one of the factors before x is 0: it never forms
// 0 times infinity. It is NaN for k < 0.
func PowiDeriv(k, n int, x float64) float64 {
	if k < 0 {
		return math.NaN()
	}
	if n >= 0 && k > n {
		return 0
	}
	c := 1.0
	for i := range k {
		c *= float64(n - i)
	}
	return c * Powi(x, n-k)
}

// PowSlopeX returns y x^(y-1), the slope of math.Pow(x, y) in x, where r must
// be math.Pow(x, y). It takes y(r/x), which saves a power, wherever r is far
// from overflow and underflow. At x = 0 it is the limit where that is finite,
// so 1 for y = 1 and 0 for y > 1, and by convention 0 for y < 1. It is 0 for
// y = 0 and any x.
func PowSlopeX(x, y, r float64) float64 {
	switch {
	case x == 0 || y == 0 || y == 1 || y == 2:
		return powSlopeXExact(x, y)
	case math.Abs(r) > 1e-290 && math.Abs(r) < 1e290:
		return y * (r / x)
	}
	return y * math.Pow(x, y-1)
}

// powSlopeXExact is PowSlopeX for the arguments that the quotient does not serve.
func powSlopeXExact(x, y float64) float64 {
	switch y {
	case 0:
		return 0
	case 1:
		return 1
	case 2:
		return 2 * x
	}
	if y != y { // x is 0 from here on
		return y
	}
	return 0
}

// PowSlopeP returns x^y log x, the slope of math.Pow(x, y) in the exponent y,
// where r must be math.Pow(x, y). It is exactly 0 for every x <= 0, also where
// the power itself is infinite or NaN: an exponent that is being learned stays
// finite. It is 0 too where the power is 0.
func PowSlopeP(x, y, r float64) float64 {
	if x <= 0 || r == 0 {
		return 0
	}
	return r * math.Log(x)
}

// PowDeriv returns the derivative of math.Pow(x, y) of order k in x and m in
// y, for every k and m >= 0; it is NaN for negative ones.
//
// For m = 0 it is y(y-1)...(y-k+1) x^(y-k), exactly 0 where a factor before x
// is 0, so the derivatives of x^1 above the first and those of x^2 above the
// second vanish at every x. At x = 0 it is k! for y = k and otherwise 0: the
// limit for y > k, and a convention for y < k.
//
// For m > 0 and x > 0 write f(y) = y(y-1)...(y-k+1) and expand
// f(y+t) x^(y+t-k) in powers of t; with f(y+t) = sum a_j t^j
//
//	PowDeriv = x^(y-k) sum_j m!/(m-j)! a_j (log x)^(m-j).
//
// For m > 0 and x <= 0 it is 0, as [PowSlopeP] is: there the power counts as
// constant in y. So mixed derivatives do not depend on the order in which they
// are taken.
func PowDeriv(k, m int, x, y float64) float64 {
	switch {
	case k < 0 || m < 0:
		return math.NaN()
	case k == 0 && m == 0:
		return math.Pow(x, y)
	case m == 0:
		return powDerivX(k, x, y)
	case x <= 0:
		return 0
	}
	p := math.Pow(x, y-float64(k))
	if p == 0 {
		return 0
	}
	// a[j] holds a_j; one factor y-i+t is multiplied in at a time.
	var few [12]float64
	a := few[:]
	if m >= len(few) {
		a = make([]float64, m+1)
	}
	a[0] = 1
	for i := range k {
		c := y - float64(i)
		for j := min(m, i+1); j > 0; j-- {
			a[j] = a[j]*c + a[j-1]
		}
		a[0] *= c
	}
	// sum_j m!/(m-j)! a_j l^(m-j), by Horner's rule from j = 0 on.
	l := math.Log(x)
	s, w := a[0], 1.0
	for j := 1; j <= m; j++ {
		w *= float64(m - j + 1)
		s = s*l + w*a[j]
	}
	if s == 0 {
		return 0
	}
	return s * p
}

// powDerivX is PowDeriv for m = 0 and k > 0.
func powDerivX(k int, x, y float64) float64 {
	c := 1.0
	for i := range k {
		c *= y - float64(i)
	}
	switch {
	case c == 0:
		return 0
	case x != 0:
		return c * math.Pow(x, y-float64(k))
	case y == float64(k):
		return c
	case y != y:
		return y
	}
	return 0
}
