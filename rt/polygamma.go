package rt

import "math"

// Digamma returns the logarithmic derivative of the Gamma function, the slope
// of math.Lgamma.
//
// Special cases: -Inf at +0, +Inf at -0, NaN at the negative integers and at
// -Inf, +Inf at +Inf. The relative error is a few roundings for x > 0, also
// next to the root 1.4616...; next to the roots on the negative axis the
// absolute error is.
func Digamma(x float64) float64 {
	switch {
	case x == 0:
		return math.Inf(1) * -math.Copysign(1, x)
	case x < 0:
		if x == math.Trunc(x) {
			return math.NaN() // -Inf included
		}
		// psi(1-x) - psi(x) = pi cot(pi x), Abramowitz and Stegun 6.3.7.
		return Digamma(1-x) - math.Pi*cotPi(x)
	case x > math.MaxFloat64:
		return x
	}
	if t := x - digammaRoot; math.Abs(t) < 0.25 {
		t -= digammaRootLow
		p := 0.0
		for i := len(digammaTaylor) - 1; i >= 0; i-- {
			p = p*t + digammaTaylor[i]
		}
		return p * t
	}
	// psi(x) = psi(x+1) - 1/x up to x >= 10, A&S 6.3.5.
	s := 0.0
	for ; x < 10; x++ {
		s += 1 / x
	}
	// psi(x) ~ log x - 1/(2x) - sum B_2k/(2k x^2k), A&S 6.3.18.
	w := 1 / x
	q := w * w
	p := 0.0
	for k := 8; k > 0; k-- {
		p = (p + bernoulli[k-1]/float64(2*k)) * q
	}
	return math.Log(x) - 0.5*w - p - s
}

// Trigamma returns the derivative of [Digamma]: Polygamma(1, x).
func Trigamma(x float64) float64 { return Polygamma(1, x) }

// Polygamma returns the n-th derivative of [Digamma], for 0 <= n <= 170 (the
// factorial of n overflows beyond); other n give NaN.
//
// Special cases for n > 0: at 0 and at the negative integers +Inf for odd n;
// for even n -Inf at +0, +Inf at -0 and NaN at the negative integers; 0 at
// +Inf, NaN at -Inf.
func Polygamma(n int, x float64) float64 {
	switch {
	case n == 0:
		return Digamma(x)
	case n < 0 || n > 170 || x != x:
		return math.NaN()
	case x == 0:
		if n%2 != 0 {
			return math.Inf(1)
		}
		return math.Inf(1) * -math.Copysign(1, x)
	case x < 0:
		if x == math.Trunc(x) {
			if n%2 != 0 && !math.IsInf(x, 0) {
				return math.Inf(1)
			}
			return math.NaN()
		}
		// The n-th derivative of psi(1-x) - psi(x) = pi cot(pi x).
		p := Polygamma(n, 1-x)
		if n%2 != 0 {
			p = -p
		}
		return p - cotPiDeriv(n, x)
	}
	v := polygammaAbs(n, x)
	if n%2 == 0 {
		return -v
	}
	return v
}

// polygammaAbs is |psi_n(x)| for n > 0 and x > 0:
//
//	|psi_n(x)| = |psi_n(x+1)| + n!/x^(n+1)                    A&S 6.4.6
//	|psi_n(x)| ~ (n-1)!/x^n + n!/(2x^(n+1))
//	             + sum B_2k (2k+n-1)!/((2k)! x^(2k+n))        A&S 6.4.11
//
// The sum over k is used from x >= 12+n on, where its terms fall below the
// rounding error before they grow.
func polygammaAbs(n int, x float64) float64 {
	s := 0.0
	for ; x < float64(12+n); x++ {
		t := 1 / x
		for i := 1; i <= n; i++ {
			t *= float64(i) / x
		}
		s += t
	}
	w := 1 / x
	t := w // (n-1)!/x^n
	for i := 1; i < n; i++ {
		t *= float64(i) * w
	}
	a := t + 0.5*float64(n)*t*w
	u := t // (2k+n-1)!/((2k)! x^(2k+n))
	for k := 1; k <= len(bernoulli); k++ {
		u *= float64((2*k+n-1)*(2*k+n-2)) / float64(2*k*(2*k-1)) * w * w
		d := bernoulli[k-1] * u
		a += d
		if math.Abs(d) < a*0x1p-54 {
			break
		}
	}
	return a + s
}

// cotPi returns cot(pi x) for x that is no integer. The distance to the
// nearest integer is exact, so no digit of x is lost.
func cotPi(x float64) float64 {
	f := x - math.Round(x)
	if math.Abs(f) <= 0.25 {
		return 1 / math.Tan(math.Pi*f)
	}
	return math.Copysign(1, f) * math.Tan(math.Pi*(0.5-math.Abs(f)))
}

// cotPiDeriv returns the n-th derivative of pi cot(pi x), for n > 0.
func cotPiDeriv(n int, x float64) float64 {
	const most = 12
	if n > most {
		return cotPiDerivSum(n, x)
	}
	// cot' = -(1+cot^2): the n-th derivative is pi^(n+1) P_n(cot(pi x)) with
	// P_0(c) = c and P_(n+1)(c) = -(1+c^2) P_n'(c). The coefficients of a P_n
	// are of one sign and its powers of one parity: nothing cancels.
	var p, d [most + 4]float64
	p[1] = 1
	for i := range n {
		for j := 0; j <= i; j++ {
			d[j] = float64(j+1) * p[j+1]
		}
		clear(p[:])
		for j := 0; j <= i; j++ {
			p[j] -= d[j]
			p[j+2] -= d[j]
		}
	}
	c := cotPi(x)
	s := 0.0
	for j := n + 1; j >= 0; j-- {
		s = s*c + p[j]
	}
	return s * Powi(math.Pi, n+1)
}

// cotPiDerivSum is cotPiDeriv for n > 12, as the sum over all integers k
//
//	(-1)^n n! sum 1/(x+k)^(n+1)
//
// of which the nearest suffice: (1/2 / 16)^13 = 2e-20. Terms on either side of
// x come in pairs, the far ones first: next to half-integers the near ones
// cancel for even n.
func cotPiDerivSum(n int, x float64) float64 {
	f := x - math.Round(x)
	side := math.Copysign(1, f)
	s := 0.0
	for k := 16.0; k >= 0; k-- {
		s += Powi(1/(f+side*k), n+1) + Powi(1/(f-side*(k+1)), n+1)
	}
	for i := 1; i <= n; i++ {
		s *= -float64(i)
	}
	return s
}

// bernoulli holds B_2, B_4, ...
var bernoulli = [...]float64{
	1.0 / 6, -1.0 / 30, 1.0 / 42, -1.0 / 30, 5.0 / 66, -691.0 / 2730, 7.0 / 6,
	-3617.0 / 510, 43867.0 / 798, -174611.0 / 330, 854513.0 / 138,
	-236364091.0 / 2730, 8553103.0 / 6, -23749461029.0 / 870,
}

// The positive root of Digamma is digammaRoot + digammaRootLow.
const (
	digammaRoot    = 1.4616321449683622
	digammaRootLow = 9.549995429965697e-17
)

// digammaTaylor holds the Taylor coefficients of Digamma about its root, from
// the first power on, to 60 digits by mpmath and rounded.
var digammaTaylor = [...]float64{
	0.96767224544762117043, -0.44276316898359210609, 0.25849976095565101062,
	-0.1639427054424065275, 0.10782405069126236576, -0.072199561256454710926,
	0.048804288164143107225, -0.033161126474847359292, 0.02259764823221810466,
	-0.015424765904948959139, 0.010538791616612175388, -0.007204534386356868241,
	0.0049267813957298534464, -0.0033698016554393280828, 0.0023051263267349278369,
	-0.0015769367714301972593, 0.0010788252019162965807, -0.00073807093899600512957,
	0.00050495326583460203518, -0.00034546802510630769956, 0.00023635601564027052792,
	-0.00016170622091974803449, 0.00011063372768747410904,
}
