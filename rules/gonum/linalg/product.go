package linalg

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// A factor of a product is a matrix of the given size in a slice, or the transpose of one.
func factor(data []float64, stride int, trans bool, r, c int) blas64.General {
	if trans {
		r, c = c, r
	}
	return blas64.General{Rows: r, Cols: c, Stride: stride, Data: data}
}

// Product returns A B for an r×inner matrix A and an inner×c matrix B.
func Product(a []float64, as int, ta bool, b []float64, bs int, tb bool, r, inner, c int) []float64 {
	data := make([]float64, r*c)
	blas64.Gemm(transposed(ta), transposed(tb), 1, factor(a, as, ta, r, inner), factor(b, bs, tb, inner, c), 0, general(r, c, data))
	return data
}

// ProductJVP is the derivative of Product in one direction.
//
//quabla:custom_jvp Product rule=ProductJVP
func ProductJVP(a, aDot []float64, as int, ta bool, b, bDot []float64, bs int, tb bool, r, inner, c int) (data, dot []float64) {
	data = Product(a, as, ta, b, bs, tb, r, inner, c)
	dot = Product(aDot, as, ta, b, bs, tb, r, inner, c)
	blas64.Gemm(transposed(ta), transposed(tb), 1, factor(a, as, ta, r, inner), factor(bDot, bs, tb, inner, c), 1, general(r, c, dot))
	return data, dot
}

// ProductVJP adds the cotangents of the factors of Product.
//
//quabla:custom_vjp Product rule=ProductVJP
func ProductVJP(aBar, bBar, a []float64, as int, ta bool, b []float64, bs int, tb bool, r, inner, c int, bar []float64) {
	g := general(r, c, bar)
	x, y := factor(a, as, ta, r, inner), factor(b, bs, tb, inner, c)
	if ta {
		blas64.Gemm(transposed(tb), blas.Trans, 1, y, g, 1, factor(aBar, as, ta, r, inner))
	} else {
		blas64.Gemm(blas.NoTrans, transposed(!tb), 1, g, y, 1, factor(aBar, as, ta, r, inner))
	}
	if tb {
		blas64.Gemm(blas.Trans, transposed(ta), 1, g, x, 1, factor(bBar, bs, tb, inner, c))
	} else {
		blas64.Gemm(transposed(!ta), blas.NoTrans, 1, x, g, 1, factor(bBar, bs, tb, inner, c))
	}
}
