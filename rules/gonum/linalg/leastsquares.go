package linalg

import (
	"gonum.org/v1/gonum/mat"

	"github.com/quabla/quabla/rt"
)

// LeastSquares returns the n×c solution of A X = B for an m×n matrix with m != n of full
// rank: the one with the least squares of A X - B for m > n, and the smallest one for m < n.
func LeastSquares(a []float64, m, n int, b []float64, c int) []float64 {
	return SolveLeastSquares(a, m, n, b, c)
}

// SolveLeastSquares is LeastSquares without the rules for its derivatives.
func SolveLeastSquares(a []float64, m, n int, b []float64, c int) []float64 {
	var x mat.Dense
	if err := x.Solve(mat.NewDense(m, n, a), mat.NewDense(m, c, b)); err != nil && x.IsEmpty() {
		return make([]float64, n*c)
	}
	return x.RawMatrix().Data
}

// solvedLeastSquares is inverse(A'A) A'B, or A' inverse(AA') B, for the derivatives of that.
//
//quabla:rule for=SolveLeastSquares as=solvedLeastSquares
func solvedLeastSquares(a []float64, m, n int, b []float64, c int) []float64 {
	values := SolveLeastSquares(a, m, n, b, c)
	u, k := normal(a, m, n)
	var like []float64
	if m > n {
		like = inverted(u, k, Product(a, n, true, b, c, false, n, m, c), c)
	} else {
		like = Product(a, n, true, inverted(u, k, b, c), c, false, n, m, c)
	}
	x := make([]float64, n*c)
	for i := range x {
		x[i] = rt.As(values[i], like[i])
	}
	return x
}

// normal returns the factor of the smaller of A'A and AA'.
func normal(a []float64, m, n int) (u []float64, k int) {
	if m > n {
		u, _ = FactorCholesky(Product(a, n, true, a, n, false, n, m, n), n)
		return u, n
	}
	u, _ = FactorCholesky(Product(a, n, false, a, n, true, m, n, m), m)
	return u, m
}

// inverted solves U'U X = B.
func inverted(u []float64, n int, b []float64, c int) []float64 {
	return Substitute(u, n, false, false, false, Substitute(u, n, false, false, true, b, c), c)
}

// LeastSquaresJVP: with the pseudoinverse P of A, and G = inverse(A'A),
//
//	dX = P (dB - dA X) + G dA' (B - A X)              for m > n,
//	dX = P (dB - dA X) + (dA' - P A dA') inverse(AA') B for m < n.
//
//quabla:custom_jvp LeastSquares rule=LeastSquaresJVP
func LeastSquaresJVP(a, aDot []float64, m, n int, b, bDot []float64, c int) (x, dot []float64) {
	x = LeastSquares(a, m, n, b, c)
	u, k := normal(a, m, n)
	rhs := minus(bDot, Product(aDot, n, false, x, c, false, m, n, c))
	if m > n {
		r := minus(b, Product(a, n, false, x, c, false, m, n, c))
		s := Product(a, n, true, rhs, c, false, n, m, c)
		for i, v := range Product(aDot, n, true, r, c, false, n, m, c) {
			s[i] += v
		}
		return x, inverted(u, k, s, c)
	}
	t := Product(aDot, n, true, inverted(u, k, b, c), c, false, n, m, c)
	rhs = minus(rhs, Product(a, n, false, t, c, false, m, n, c))
	dot = Product(a, n, true, inverted(u, k, rhs, c), c, false, n, m, c)
	for i, v := range t {
		dot[i] += v
	}
	return x, dot
}

// minus returns x - y.
func minus(x, y []float64) []float64 {
	d := make([]float64, len(x))
	for i := range d {
		d[i] = x[i] - y[i]
	}
	return d
}

// LeastSquaresVJP: the cotangent Y of B is P' times that of X, and that of A is
//
//	-Y X' + (B - A X) (G Xbar)'                  for m > n,
//	-Y X' + inverse(AA') B (Xbar - A' Y)'        for m < n.
//
//quabla:custom_vjp LeastSquares rule=LeastSquaresVJP
func LeastSquaresVJP(aBar, bBar, a []float64, m, n int, b []float64, c int, bar []float64) {
	x := LeastSquares(a, m, n, b, c)
	u, k := normal(a, m, n)
	var y, p, q []float64
	if m > n {
		q = inverted(u, k, bar, c)
		y = Product(a, n, false, q, c, false, m, n, c)
		p = minus(b, Product(a, n, false, x, c, false, m, n, c))
	} else {
		y = inverted(u, k, Product(a, n, false, bar, c, false, m, n, c), c)
		p = inverted(u, k, b, c)
		q = minus(bar, Product(a, n, true, y, c, false, n, m, c))
	}
	for i, v := range y {
		bBar[i] += v
	}
	for i := range m {
		for j := range n {
			s := 0.0
			for l := range c {
				s += p[i*c+l]*q[j*c+l] - y[i*c+l]*x[j*c+l]
			}
			aBar[i*n+j] += s
		}
	}
}
