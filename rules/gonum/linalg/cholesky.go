package linalg

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/quabla/quabla/rt"
)

// FactorCholesky returns the factor U of the symmetric matrix U'U, whose upper triangle a
// holds, and whether there is one.
func FactorCholesky(a []float64, n int) (u []float64, ok bool) { return DecomposeCholesky(a, n) }

// DecomposeCholesky is FactorCholesky without the rules for its derivatives.
func DecomposeCholesky(a []float64, n int) (u []float64, ok bool) {
	u = make([]float64, n*n)
	for i := range n {
		copy(u[i*n+i:i*n+n], a[i*n+i:i*n+n])
	}
	_, ok = lapack64.Potrf(symmetric(n, u))
	return u, ok
}

// symmetric returns n×n numbers as a symmetric matrix, of which the upper triangle counts.
func symmetric(n int, a []float64) blas64.Symmetric {
	return blas64.Symmetric{N: n, Stride: n, Data: a, Uplo: blas.Upper}
}

// decomposedCholesky is
//
//	u[i,i] = sqrt(a[i,i] - sum over k < i of u[k,i]²),
//	u[i,j] = (a[i,j] - sum over k < i of u[k,i] u[k,j]) / u[i,i] for i < j
//
// for the derivatives of those of FactorCholesky.
//
//quabla:rule for=DecomposeCholesky as=decomposedCholesky
func decomposedCholesky(a []float64, n int) (u []float64, ok bool) {
	values, ok := DecomposeCholesky(a, n)
	u = make([]float64, n*n)
	if !ok {
		return u, ok
	}
	for i := range n {
		for j := i; j < n; j++ {
			sum := a[i*n+j]
			for k := range i {
				sum -= u[k*n+i] * u[k*n+j]
			}
			if j == i {
				sum = math.Sqrt(sum)
			} else {
				sum /= u[i*n+i]
			}
			u[i*n+j] = rt.As(values[i*n+j], sum)
		}
	}
	return u, ok
}

// halved leaves the upper triangle of f, with half of its diagonal.
func halved(f []float64, n int) []float64 {
	h := make([]float64, n*n)
	for i := range n {
		h[i*n+i] = f[i*n+i] / 2
		for j := i + 1; j < n; j++ {
			h[i*n+j] = f[i*n+j]
		}
	}
	return h
}

// FactorCholeskyJVP: for F = inverse(U') dA inverse(U), dU is the upper triangle of F, with half of its
// diagonal, times U.
//
//quabla:custom_jvp FactorCholesky rule=FactorCholeskyJVP
func FactorCholeskyJVP(a, aDot []float64, n int) (u []float64, ok bool, dot []float64) {
	u, ok = FactorCholesky(a, n)
	if !ok {
		return u, ok, make([]float64, n*n)
	}
	f := make([]float64, n*n)
	for i := range n {
		for j := i; j < n; j++ {
			f[i*n+j] = aDot[i*n+j]
			f[j*n+i] = aDot[i*n+j]
		}
	}
	blas64.Trsm(blas.Left, blas.Trans, 1, corner(u, n, false, false), general(n, n, f))
	blas64.Trsm(blas.Right, blas.NoTrans, 1, corner(u, n, false, false), general(n, n, f))
	return u, ok, Product(halved(f, n), n, false, u, n, false, n, n, n)
}

// A Cholesky is what FactorCholeskyBwd needs.
type Cholesky struct {
	U  []float64
	N  int
	OK bool
}

// FactorCholeskyFwd is FactorCholesky with what FactorCholeskyBwd needs.
//
//quabla:custom_vjp FactorCholesky fwd=FactorCholeskyFwd bwd=FactorCholeskyBwd
func FactorCholeskyFwd(a []float64, n int) (u []float64, ok bool, r Cholesky) {
	u, ok = FactorCholesky(a, n)
	return u, ok, Cholesky{copied(u), n, ok}
}

// FactorCholeskyBwd: for G = the upper triangle, with half of its diagonal, of the cotangent of U
// times U', that of A is inverse(U) G inverse(U'). Numbers beside the diagonal stand for two.
func FactorCholeskyBwd(aBar []float64, r Cholesky, bar []float64) {
	if !r.OK {
		return
	}
	n := r.N
	_, uBar := halves(bar, n)
	g := halved(Product(uBar, n, false, r.U, n, true, n, n, n), n)
	blas64.Trsm(blas.Left, blas.NoTrans, 1, corner(r.U, n, false, false), general(n, n, g))
	blas64.Trsm(blas.Right, blas.Trans, 1, corner(r.U, n, false, false), general(n, n, g))
	for i := range n {
		aBar[i*n+i] += g[i*n+i]
		for j := i + 1; j < n; j++ {
			aBar[i*n+j] += g[i*n+j] + g[j*n+i]
		}
	}
}
