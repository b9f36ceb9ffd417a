package linalg

import "math/rand/v2"

// Where the generated tests look at the rules: sizes that fit, and matrices that are far
// from singular.

func uniform(r *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = 2*r.Float64() - 1
	}
	return x
}

func square(r *rand.Rand, n int) []float64 {
	a := uniform(r, n*n)
	for i := range n {
		a[i*n+i] += 3
	}
	return a
}

func quablaPointsProduct(r *rand.Rand) (a []float64, as int, ta bool, b []float64, bs int, tb bool, rows, inner, c int) {
	rows, inner, c = 1+r.IntN(3), 1+r.IntN(3), 1+r.IntN(3)
	ta, tb = r.IntN(2) == 0, r.IntN(2) == 0
	as, bs = inner, c
	if ta {
		as = rows
	}
	if tb {
		bs = inner
	}
	return uniform(r, rows*inner), as, ta, uniform(r, inner*c), bs, tb, rows, inner, c
}

func quablaPointsSubstitute(r *rand.Rand) (t []float64, n int, lower, unit, trans bool, b []float64, c int) {
	n, c = 1+r.IntN(3), 1+r.IntN(3)
	return square(r, n), n, r.IntN(2) == 0, r.IntN(2) == 0, r.IntN(2) == 0, uniform(r, n*c), c
}

func quablaPointsFactorLU(r *rand.Rand) (a []float64, n int) {
	n = 1 + r.IntN(4)
	a = square(r, n)
	if n > 1 && r.IntN(2) == 0 { // so that there is a pivot to be found
		for j := range n {
			a[j], a[n+j] = a[n+j], a[j]
		}
	}
	return a, n
}

func quablaPointsFactorCholesky(r *rand.Rand) (a []float64, n int) {
	n = 1 + r.IntN(4)
	return square(r, n), n
}

func quablaPointsLeastSquares(r *rand.Rand) (a []float64, m, n int, b []float64, c int) {
	m, n, c = 1+r.IntN(3), 1+r.IntN(3), 1+r.IntN(2)
	if m == n {
		m++
	}
	a = uniform(r, m*n)
	for i := range min(m, n) {
		a[i*n+i] += 2
	}
	return a, m, n, uniform(r, m*c), c
}
