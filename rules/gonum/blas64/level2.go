package blas64

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/quabla/quabla/rt"
)

// at is where op(A)[i,j] lies in the data of A, which is transposed or not.
func at(trans bool, stride, i, j int) int {
	if trans {
		return j*stride + i
	}
	return i*stride + j
}

// sym is where A[i,j] lies in the data of a symmetric matrix.
func sym(a blas64.Symmetric, i, j int) int {
	return at((i > j) == (a.Uplo == blas.Upper) && i != j, a.Stride, i, j)
}

// gemv is y = alpha op(A) x + beta y.
//
//quabla:rule for=gonum.org/v1/gonum/blas/blas64.Gemv as=gemv
func gemv(t blas.Transpose, alpha float64, a blas64.General, x blas64.Vector, beta float64, y blas64.Vector) {
	values := constant(y.Data)
	blas64.Gemv(t, alpha, a, x, beta, blas64.Vector{N: y.N, Data: values, Inc: y.Inc})
	trans := t != blas.NoTrans
	rows, cols := a.Rows, a.Cols
	if trans {
		rows, cols = cols, rows
	}
	ox, oy := start(x), start(y)
	for i := range rows {
		sum := 0.0
		for j := range cols {
			sum += a.Data[at(trans, a.Stride, i, j)] * x.Data[ox+j*x.Inc]
		}
		p := oy + i*y.Inc
		y.Data[p] = rt.As(values[p], alpha*sum+beta*y.Data[p])
	}
}

// symv is y = alpha A x + beta y for a symmetric A.
//
//quabla:rule for=gonum.org/v1/gonum/blas/blas64.Symv as=symv
func symv(alpha float64, a blas64.Symmetric, x blas64.Vector, beta float64, y blas64.Vector) {
	values := constant(y.Data)
	blas64.Symv(alpha, a, x, beta, blas64.Vector{N: y.N, Data: values, Inc: y.Inc})
	ox, oy := start(x), start(y)
	for i := range a.N {
		sum := 0.0
		for j := range a.N {
			sum += a.Data[sym(a, i, j)] * x.Data[ox+j*x.Inc]
		}
		p := oy + i*y.Inc
		y.Data[p] = rt.As(values[p], alpha*sum+beta*y.Data[p])
	}
}

// ger is A = A + alpha x y'.
//
//quabla:rule for=gonum.org/v1/gonum/blas/blas64.Ger as=ger
func ger(alpha float64, x, y blas64.Vector, a blas64.General) {
	ox, oy := start(x), start(y)
	for i := range a.Rows {
		t := alpha * x.Data[ox+i*x.Inc]
		for j := range a.Cols {
			a.Data[i*a.Stride+j] += t * y.Data[oy+j*y.Inc]
		}
	}
}

// trmv is x = op(A) x for a triangular A.
//
//quabla:rule for=gonum.org/v1/gonum/blas/blas64.Trmv as=trmv
func trmv(t blas.Transpose, a blas64.Triangular, x blas64.Vector) {
	values := constant(x.Data)
	blas64.Trmv(t, a, blas64.Vector{N: x.N, Data: values, Inc: x.Inc})
	trans := t != blas.NoTrans
	lower := (a.Uplo == blas.Lower) != trans
	o := start(x)
	for k := range a.N {
		// The order in which x can be overwritten.
		i, lo, hi := k, k+1, a.N
		if lower {
			i = a.N - 1 - k
			lo, hi = 0, i
		}
		p := o + i*x.Inc
		sum := x.Data[p]
		if a.Diag == blas.NonUnit {
			sum *= a.Data[i*a.Stride+i]
		}
		for j := lo; j < hi; j++ {
			sum += a.Data[at(trans, a.Stride, i, j)] * x.Data[o+j*x.Inc]
		}
		x.Data[p] = rt.As(values[p], sum)
	}
}

// trsv solves op(A) x = b for a triangular A, where x holds b on entry.
//
//quabla:rule for=gonum.org/v1/gonum/blas/blas64.Trsv as=trsv
func trsv(t blas.Transpose, a blas64.Triangular, x blas64.Vector) {
	values := constant(x.Data)
	blas64.Trsv(t, a, blas64.Vector{N: x.N, Data: values, Inc: x.Inc})
	trans := t != blas.NoTrans
	lower := (a.Uplo == blas.Lower) != trans
	o := start(x)
	for k := range a.N {
		i, lo, hi := k, 0, k
		if !lower {
			i = a.N - 1 - k
			lo, hi = i+1, a.N
		}
		p := o + i*x.Inc
		sum := x.Data[p]
		for j := lo; j < hi; j++ {
			sum -= a.Data[at(trans, a.Stride, i, j)] * x.Data[o+j*x.Inc]
		}
		if a.Diag == blas.NonUnit {
			sum /= a.Data[i*a.Stride+i]
		}
		x.Data[p] = rt.As(values[p], sum)
	}
}
