package linalg

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// The condition numbers that package mat tells singular matrices by. No derivative passes
// through them.

// LUCondition is the condition number of the n×n matrix a with the given factors.
func LUCondition(a, lu []float64, n int) float64 {
	norm := lapack64.Lange(mat.CondNorm, general(n, n, a), make([]float64, n))
	return 1 / lapack64.Gecon(mat.CondNorm, general(n, n, lu), norm, make([]float64, 4*n), make([]int, n))
}

//quabla:rule for=LUCondition as=luCondition
func luCondition(a, lu []float64, n int) float64 {
	return LUCondition(constant(a), constant(lu), n)
}

// CholeskyCondition is the condition number of the symmetric matrix in the upper triangle of
// a, with the factor u. Without a, its norm is estimated.
func CholeskyCondition(a, u []float64, n int) float64 {
	var norm float64
	if a == nil {
		t := corner(u, n, false, false)
		norm = lapack64.Lantr(mat.CondNorm, t, make([]float64, n)) * lapack64.Lantr(mat.CondNormTrans, t, make([]float64, n))
	} else {
		norm = lapack64.Lansy(mat.CondNorm, symmetric(n, a), make([]float64, n))
	}
	return 1 / lapack64.Pocon(symmetric(n, u), norm, make([]float64, 3*n), make([]int, n))
}

//quabla:rule for=CholeskyCondition as=choleskyCondition
func choleskyCondition(a, u []float64, n int) float64 {
	if a == nil {
		return CholeskyCondition(nil, constant(u), n)
	}
	return CholeskyCondition(constant(a), constant(u), n)
}

// TriangularCondition is the condition number of a triangular matrix.
func TriangularCondition(t []float64, n int, lower bool) float64 {
	return 1 / lapack64.Trcon(mat.CondNorm, corner(t, n, lower, false), make([]float64, 3*n), make([]int, n))
}

//quabla:rule for=TriangularCondition as=triangularCondition
func triangularCondition(t []float64, n int, lower bool) float64 {
	return TriangularCondition(constant(t), n, lower)
}

// FullCondition is the condition number of an m×n matrix with m != n, as that of the
// triangular factor of its decomposition QR or LQ.
func FullCondition(a []float64, m, n int) float64 {
	g := blas64.General{Rows: m, Cols: n, Stride: n, Data: copied(a)}
	if m < n {
		t := make([]float64, m*n)
		for i := range m {
			for j := range n {
				t[j*m+i] = a[i*n+j]
			}
		}
		g = blas64.General{Rows: n, Cols: m, Stride: m, Data: t}
	}
	tau, work := make([]float64, g.Cols), make([]float64, max(3, g.Rows)*g.Cols)
	lapack64.Geqrf(g, tau, work, len(work))
	r := blas64.Triangular{N: g.Cols, Stride: g.Stride, Data: g.Data, Uplo: blas.Upper, Diag: blas.NonUnit}
	return 1 / lapack64.Trcon(mat.CondNorm, r, make([]float64, 3*g.Cols), make([]int, g.Cols))
}

//quabla:rule for=FullCondition as=fullCondition
func fullCondition(a []float64, m, n int) float64 { return FullCondition(constant(a), m, n) }
