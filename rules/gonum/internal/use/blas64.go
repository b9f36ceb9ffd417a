package use

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

func vector(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Inc: 1, Data: x} }

// BlasReduce goes through level 1 of BLAS as far as it returns numbers.
//
//quabla:grad wrt=x,y
//quabla:jvp wrt=x,y lanes=3
//quabla:hvp wrt=x,y
func BlasReduce(x, y []float64) float64 {
	u, v := vector(x), vector(y)
	back := blas64.Vector{N: len(x), Inc: -1, Data: y}
	return blas64.Dot(u, back)*blas64.Nrm2(v) + blas64.Asum(u)*x[blas64.Iamax(v)]
}

// BlasVectors goes through level 1 of BLAS as far as it changes vectors.
//
//quabla:vjp of=x,y wrt=x,y,a
//quabla:jvp of=x,y wrt=x,y,a lanes=2
func BlasVectors(x, y []float64, a float64) {
	u, v := vector(x), vector(y)
	blas64.Axpy(a, u, v)
	blas64.Scal(a, u)
	blas64.Rot(u, v, a, 1-a*a)
	blas64.Swap(u, v)
	w := blas64.Vector{N: len(x), Inc: 2, Data: make([]float64, 2*len(x))}
	blas64.Copy(u, w)
	blas64.Axpy(a, w, v)
}

// BlasMatrix goes through level 2: a is a square matrix.
//
//quabla:grad wrt=a,x,alpha
//quabla:jvp wrt=a,x,alpha lanes=2
//quabla:hvp wrt=a,x,alpha
func BlasMatrix(a, x []float64, alpha float64) float64 {
	n := len(x)
	data := append([]float64(nil), a...)
	g := blas64.General{Rows: n, Cols: n, Stride: n, Data: data}
	s := blas64.Symmetric{Uplo: blas.Upper, N: n, Stride: n, Data: a}
	lower := blas64.Triangular{Uplo: blas.Lower, Diag: blas.NonUnit, N: n, Stride: n, Data: a}
	upper := blas64.Triangular{Uplo: blas.Upper, Diag: blas.Unit, N: n, Stride: n, Data: a}
	y, z := make([]float64, n), make([]float64, n)
	blas64.Ger(alpha, vector(x), vector(x), g)
	blas64.Gemv(blas.NoTrans, alpha, g, vector(x), 0, vector(y))
	blas64.Gemv(blas.Trans, 2, g, vector(x), alpha, vector(y))
	blas64.Symv(alpha, s, vector(y), 1, vector(z))
	blas64.Trmv(blas.NoTrans, lower, vector(y))
	blas64.Trmv(blas.Trans, upper, vector(y))
	blas64.Trsv(blas.Trans, lower, vector(y))
	blas64.Trsv(blas.NoTrans, upper, vector(z))
	return blas64.Dot(vector(y), vector(z))
}

// BlasMatrices goes through level 3.
//
//quabla:grad wrt=a,b,alpha
//quabla:hvp wrt=a,b,alpha
func BlasMatrices(a, b []float64, alpha float64, n int) float64 {
	g := blas64.General{Rows: n, Cols: n, Stride: n, Data: a}
	h := blas64.General{Rows: n, Cols: n, Stride: n, Data: append([]float64(nil), b...)}
	c := blas64.General{Rows: n, Cols: n, Stride: n, Data: make([]float64, n*n)}
	s := blas64.Symmetric{Uplo: blas.Lower, N: n, Stride: n, Data: c.Data}
	lower := blas64.Triangular{Uplo: blas.Lower, Diag: blas.NonUnit, N: n, Stride: n, Data: a}
	upper := blas64.Triangular{Uplo: blas.Upper, Diag: blas.NonUnit, N: n, Stride: n, Data: a}
	blas64.Gemm(blas.NoTrans, blas.Trans, alpha, g, h, 0, c)
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, g, h, alpha, c)
	blas64.Syrk(blas.NoTrans, alpha, h, 1, s)
	blas64.Trsm(blas.Left, blas.NoTrans, alpha, lower, h)
	blas64.Trsm(blas.Right, blas.Trans, 1, upper, h)
	return blas64.Dot(vector(c.Data), vector(h.Data))
}
