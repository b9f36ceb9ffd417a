package linalg

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// corner is the lower or the upper triangle of n×n numbers; with unit its diagonal is 1,
// whatever the numbers are.
func corner(t []float64, n int, lower, unit bool) blas64.Triangular {
	m := blas64.Triangular{N: n, Stride: n, Data: t, Uplo: blas.Upper, Diag: blas.NonUnit}
	if lower {
		m.Uplo = blas.Lower
	}
	if unit {
		m.Diag = blas.Unit
	}
	return m
}

// Substitute returns the n×c solution of T X = B, or of T' X = B, for a corner T.
func Substitute(t []float64, n int, lower, unit, trans bool, b []float64, c int) []float64 {
	x := make([]float64, len(b))
	copy(x, b)
	blas64.Trsm(blas.Left, transposed(trans), 1, corner(t, n, lower, unit), general(n, c, x))
	return x
}

// SubstituteJVP: T dX = dB - dT X.
//
//quabla:custom_jvp Substitute rule=SubstituteJVP
func SubstituteJVP(t, tDot []float64, n int, lower, unit, trans bool, b, bDot []float64, c int) (x, xDot []float64) {
	x = Substitute(t, n, lower, unit, trans, b, c)
	rhs := make([]float64, n*c)
	copy(rhs, bDot)
	for i := range n {
		lo, hi := inCorner(i, n, lower, unit)
		for j := lo; j < hi; j++ {
			d := tDot[i*n+j]
			for k := range c {
				if trans {
					rhs[j*c+k] -= d * x[i*c+k]
				} else {
					rhs[i*c+k] -= d * x[j*c+k]
				}
			}
		}
	}
	return x, Substitute(t, n, lower, unit, trans, rhs, c)
}

// inCorner returns where the numbers of row i begin and end.
func inCorner(i, n int, lower, unit bool) (lo, hi int) {
	lo, hi = i, n
	if lower {
		lo, hi = 0, i+1
	}
	if unit && lower {
		hi--
	} else if unit {
		lo++
	}
	return lo, hi
}

// A Substitution is what SubstituteBwd needs.
type Substitution struct {
	T                  []float64
	N                  int
	Lower, Unit, Trans bool
	X                  []float64
	C                  int
}

// SubstituteFwd is Substitute with what SubstituteBwd needs.
//
//quabla:custom_vjp Substitute fwd=SubstituteFwd bwd=SubstituteBwd
func SubstituteFwd(t []float64, n int, lower, unit, trans bool, b []float64, c int) ([]float64, Substitution) {
	x := Substitute(t, n, lower, unit, trans, b, c)
	return x, Substitution{copied(t), n, lower, unit, trans, copied(x), c}
}

// SubstituteBwd: the cotangent Y of B solves T' Y = that of X, and that of T is - Y X'.
func SubstituteBwd(tBar, bBar []float64, s Substitution, bar []float64) {
	y := Substitute(s.T, s.N, s.Lower, s.Unit, !s.Trans, bar, s.C)
	for i, v := range y {
		bBar[i] += v
	}
	for i := range s.N {
		lo, hi := inCorner(i, s.N, s.Lower, s.Unit)
		for j := lo; j < hi; j++ {
			sum := 0.0
			for k := range s.C {
				if s.Trans {
					sum += s.X[i*s.C+k] * y[j*s.C+k]
				} else {
					sum += y[i*s.C+k] * s.X[j*s.C+k]
				}
			}
			tBar[i*s.N+j] -= sum
		}
	}
}
