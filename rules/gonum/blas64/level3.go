package blas64

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/quabla/quabla/rt"
)

// gemm is C = alpha op(A) op(B) + beta C.
//
//quabla:rule for=gonum.org/v1/gonum/blas/blas64.Gemm as=gemm
func gemm(tA, tB blas.Transpose, alpha float64, a, b blas64.General, beta float64, c blas64.General) {
	values := constant(c.Data)
	blas64.Gemm(tA, tB, alpha, a, b, beta, blas64.General{Rows: c.Rows, Cols: c.Cols, Data: values, Stride: c.Stride})
	ta, tb := tA != blas.NoTrans, tB != blas.NoTrans
	inner := a.Cols
	if ta {
		inner = a.Rows
	}
	for i := range c.Rows {
		for j := range c.Cols {
			sum := 0.0
			for k := range inner {
				sum += a.Data[at(ta, a.Stride, i, k)] * b.Data[at(tb, b.Stride, k, j)]
			}
			p := i*c.Stride + j
			c.Data[p] = rt.As(values[p], alpha*sum+beta*c.Data[p])
		}
	}
}

// syrk is C = alpha A A' + beta C or alpha A' A + beta C for a symmetric C.
//
//quabla:rule for=gonum.org/v1/gonum/blas/blas64.Syrk as=syrk
func syrk(t blas.Transpose, alpha float64, a blas64.General, beta float64, c blas64.Symmetric) {
	values := constant(c.Data)
	blas64.Syrk(t, alpha, a, beta, blas64.Symmetric{Uplo: c.Uplo, N: c.N, Data: values, Stride: c.Stride})
	trans := t != blas.NoTrans
	inner := a.Cols
	if trans {
		inner = a.Rows
	}
	for i := range c.N {
		lo, hi := i, c.N
		if c.Uplo == blas.Lower {
			lo, hi = 0, i+1
		}
		for j := lo; j < hi; j++ {
			sum := 0.0
			for k := range inner {
				sum += a.Data[at(trans, a.Stride, i, k)] * a.Data[at(trans, a.Stride, j, k)]
			}
			p := i*c.Stride + j
			c.Data[p] = rt.As(values[p], alpha*sum+beta*c.Data[p])
		}
	}
}

// trsm solves op(A) X = alpha B or X op(A) = alpha B for a triangular A, where B holds X
// afterwards. The second is the first for op(A)' and the rows of B.
//
//quabla:rule for=gonum.org/v1/gonum/blas/blas64.Trsm as=trsm
func trsm(s blas.Side, tA blas.Transpose, alpha float64, a blas64.Triangular, b blas64.General) {
	values := constant(b.Data)
	blas64.Trsm(s, tA, alpha, a, blas64.General{Rows: b.Rows, Cols: b.Cols, Data: values, Stride: b.Stride})
	right := s == blas.Right
	trans := (tA != blas.NoTrans) != right
	lower := (a.Uplo == blas.Lower) != trans
	vectors := b.Cols
	if right {
		vectors = b.Rows
	}
	for v := range vectors {
		for k := range a.N {
			i, lo, hi := k, 0, k
			if !lower {
				i = a.N - 1 - k
				lo, hi = i+1, a.N
			}
			p := at(right, b.Stride, i, v)
			sum := alpha * b.Data[p]
			for j := lo; j < hi; j++ {
				sum -= a.Data[at(trans, a.Stride, i, j)] * b.Data[at(right, b.Stride, j, v)]
			}
			if a.Diag == blas.NonUnit {
				sum /= a.Data[i*a.Stride+i]
			}
			b.Data[p] = rt.As(values[p], sum)
		}
	}
}
