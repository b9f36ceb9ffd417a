package linalg

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/quabla/quabla/rt"
)

// InOrder turns swaps of rows into the order of the rows after them.
func InOrder(swaps []int) []int {
	p := make([]int, len(swaps))
	for i := range p {
		p[i] = i
	}
	for i, k := range swaps {
		p[i], p[k] = p[k], p[i]
	}
	return p
}

// FactorLU decomposes an n×n matrix with its rows in the order of the pivots into L U, which
// share one slice: the diagonal of L is 1. It reports whether the matrix has an inverse.
func FactorLU(a []float64, n int) (lu []float64, swaps []int, ok bool) { return DecomposeLU(a, n) }

// DecomposeLU is FactorLU without the rules for its derivatives.
func DecomposeLU(a []float64, n int) (lu []float64, swaps []int, ok bool) {
	lu, swaps = copied(a), make([]int, n)
	ok = lapack64.Getrf(general(n, n, lu), swaps)
	return lu, swaps, ok
}

// decomposedLU is
//
//	u[i,j] = a[i,j] - sum over k < i of l[i,k] u[k,j]            for i <= j,
//	l[i,j] = (a[i,j] - sum over k < j of l[i,k] u[k,j]) / u[j,j] for i > j
//
// for the derivatives of those of FactorLU.
//
//quabla:rule for=DecomposeLU as=decomposedLU
func decomposedLU(a []float64, n int) (lu []float64, swaps []int, ok bool) {
	values, swaps, ok := DecomposeLU(a, n)
	p := InOrder(swaps)
	lu = make([]float64, n*n)
	for i := range n {
		for j := range n {
			sum := a[p[i]*n+j]
			for k := range min(i, j) {
				sum -= lu[i*n+k] * lu[k*n+j]
			}
			if j < i {
				sum /= lu[j*n+j]
			}
			lu[i*n+j] = rt.As(values[i*n+j], sum)
		}
	}
	return lu, swaps, ok
}

// FactorLUJVP: for F = inverse(L) dA inverse(U), with the rows of dA in the order of the
// pivots, dL is L times the part of F below the diagonal and dU is the rest of F times U.
// A singular matrix has no such derivative.
//
//quabla:custom_jvp FactorLU rule=FactorLUJVP
func FactorLUJVP(a, aDot []float64, n int) (lu []float64, swaps []int, ok bool, dot []float64) {
	lu, swaps, ok = FactorLU(a, n)
	dot = make([]float64, n*n)
	if !ok {
		return lu, swaps, ok, dot
	}
	p := InOrder(swaps)
	f := make([]float64, n*n)
	for i := range n {
		for j := range n {
			f[i*n+j] = aDot[p[i]*n+j]
		}
	}
	blas64.Trsm(blas.Left, blas.NoTrans, 1, corner(lu, n, true, true), general(n, n, f))
	blas64.Trsm(blas.Right, blas.NoTrans, 1, corner(lu, n, false, false), general(n, n, f))
	lower, upper := halves(f, n)
	l, u := halves(lu, n)
	for i := range n {
		l[i*n+i] = 1
	}
	dl, du := Product(l, n, false, lower, n, false, n, n, n), Product(upper, n, false, u, n, false, n, n, n)
	for i := range n {
		for j := range n {
			if j < i {
				dot[i*n+j] = dl[i*n+j]
			} else {
				dot[i*n+j] = du[i*n+j]
			}
		}
	}
	return lu, swaps, ok, dot
}

// halves returns the numbers below the diagonal, and the others.
func halves(a []float64, n int) (lower, upper []float64) {
	lower, upper = make([]float64, n*n), make([]float64, n*n)
	for i := range n {
		for j := range n {
			if j < i {
				lower[i*n+j] = a[i*n+j]
			} else {
				upper[i*n+j] = a[i*n+j]
			}
		}
	}
	return lower, upper
}

// An LU is what FactorLUBwd needs.
type LU struct {
	LU    []float64
	Swaps []int
	N     int
	OK    bool
}

// FactorLUFwd is FactorLU with what FactorLUBwd needs.
//
//quabla:custom_vjp FactorLU fwd=FactorLUFwd bwd=FactorLUBwd
func FactorLUFwd(a []float64, n int) (lu []float64, swaps []int, ok bool, d LU) {
	lu, swaps, ok = FactorLU(a, n)
	return lu, swaps, ok, LU{copied(lu), swaps, n, ok}
}

// FactorLUBwd: for G = L' times the cotangent of L below the diagonal and the cotangent of U
// times U' in the rest, that of A is inverse(L') G inverse(U').
func FactorLUBwd(aBar []float64, d LU, bar []float64) {
	if !d.OK {
		return
	}
	n := d.N
	lBar, uBar := halves(bar, n)
	l, u := halves(d.LU, n)
	for i := range n {
		l[i*n+i] = 1
	}
	gl, gu := Product(l, n, true, lBar, n, false, n, n, n), Product(uBar, n, false, u, n, true, n, n, n)
	g := make([]float64, n*n)
	for i := range n {
		for j := range n {
			if j < i {
				g[i*n+j] = gl[i*n+j]
			} else {
				g[i*n+j] = gu[i*n+j]
			}
		}
	}
	blas64.Trsm(blas.Left, blas.Trans, 1, corner(d.LU, n, true, true), general(n, n, g))
	blas64.Trsm(blas.Right, blas.Trans, 1, corner(d.LU, n, false, false), general(n, n, g))
	p := InOrder(d.Swaps)
	for i := range n {
		for j := range n {
			aBar[p[i]*n+j] += g[i*n+j]
		}
	}
}
