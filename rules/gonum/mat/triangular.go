package mat

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

//quabla:rule for=gonum.org/v1/gonum/mat.NewTriDense as=newTriDense
func newTriDense(n int, kind mat.TriKind, data []float64) *triDense {
	positive(n, n)
	if data == nil {
		data = make([]float64, n*n)
	}
	if len(data) != n*n {
		panic(mat.ErrShape)
	}
	return &triDense{triangle(n, kind, data)}
}

// triangle returns n×n numbers as a triangular matrix.
func triangle(n int, kind mat.TriKind, data []float64) blas64.Triangular {
	uplo := blas.Lower
	if kind == mat.Upper {
		uplo = blas.Upper
	}
	return blas64.Triangular{N: n, Stride: n, Data: data, Uplo: uplo, Diag: blas.NonUnit}
}

func (t *triDense) Dims() (r, c int) { return t.mat.N, t.mat.N }

func (t *triDense) Triangle() (n int, kind mat.TriKind) {
	return t.mat.N, mat.TriKind(t.mat.Uplo != blas.Lower)
}

func (t *triDense) IsEmpty() bool { return t.mat.Stride == 0 }

func (t *triDense) Reset() { t.mat = blas64.Triangular{Data: t.mat.Data[:0], Diag: t.mat.Diag} }

func (t *triDense) T() matrix { return triT{t} }

func (t *triDense) TTri() triangular { return triT{t} }

func (t *triDense) RawTriangular() blas64.Triangular { return t.mat }

func (t *triDense) SetRawTriangular(m blas64.Triangular) {
	if m.Diag != blas.NonUnit {
		panic("mat: blas64.Triangular does not have NonUnit storage")
	}
	t.mat = m
}

func (t *triDense) At(i, j int) float64 {
	t.inside(i, j)
	if (t.mat.Uplo == blas.Upper) == (j < i) && i != j {
		return 0
	}
	return t.mat.Data[i*t.mat.Stride+j]
}

func (t *triDense) SetTri(i, j int, v float64) {
	t.inside(i, j)
	if (t.mat.Uplo == blas.Upper) == (j < i) && i != j {
		panic(mat.ErrTriangleSet)
	}
	t.mat.Data[i*t.mat.Stride+j] = v
}

func (t *triDense) inside(i, j int) {
	if uint(i) >= uint(t.mat.N) {
		panic(mat.ErrRowAccess)
	}
	if uint(j) >= uint(t.mat.N) {
		panic(mat.ErrColAccess)
	}
}

// take makes t the matrix with the given numbers, which belong to nobody else.
func (t *triDense) take(n int, kind mat.TriKind, data []float64) {
	if t.IsEmpty() {
		t.mat = triangle(n, kind, data)
		return
	}
	m, own := t.Triangle()
	if m != n {
		panic(mat.ErrShape)
	}
	if own != kind {
		panic(mat.ErrTriangle)
	}
	for i := range n {
		lo, hi := i, n
		if kind == mat.Lower {
			lo, hi = 0, i+1
		}
		for j := lo; j < hi; j++ {
			t.mat.Data[i*t.mat.Stride+j] = data[i*n+j]
		}
	}
}

func (t *triDense) ReuseAsTri(n int, kind mat.TriKind) {
	positive(n, n)
	if !t.IsEmpty() {
		panic(mat.ErrReuseNonEmpty)
	}
	t.mat = triangle(n, kind, make([]float64, n*n))
}

func (t *triDense) ScaleTri(f float64, a triangular) {
	x := triangularOf(a)
	g := fullTriangular(x)
	data := make([]float64, x.N*x.N)
	for i := range data {
		data[i] = f * g.Data[i]
	}
	t.take(x.N, mat.TriKind(x.Uplo == blas.Upper), data)
}

// SolveTo solves with the matrix or its transpose.
func (t *triDense) SolveTo(dst *dense, trans bool, b matrix) error {
	r, c, data, cond := solvedTriangular(t.mat, trans, viewOf(b))
	dst.take(r, c, data)
	return illConditioned(cond)
}

func (t *triDense) Trace() float64 { return trace(t) }

func (t *triDense) Norm(ord float64) float64 { return norm(t, ord) }

//quabla:rule for=gonum.org/v1/gonum/mat.NewDiagDense as=newDiagDense
func newDiagDense(n int, data []float64) *diagDense {
	positive(n, n)
	if data == nil {
		data = make([]float64, n)
	}
	if len(data) != n {
		panic(mat.ErrShape)
	}
	return &diagDense{blas64.Vector{N: n, Inc: 1, Data: data}}
}

func (d *diagDense) Dims() (r, c int) { return d.mat.N, d.mat.N }

func (d *diagDense) Diag() int { return d.mat.N }

func (d *diagDense) SymmetricDim() int { return d.mat.N }

func (d *diagDense) IsEmpty() bool { return d.mat.Inc == 0 }

func (d *diagDense) T() matrix { return d }

func (d *diagDense) At(i, j int) float64 {
	if uint(i) >= uint(d.mat.N) {
		panic(mat.ErrRowAccess)
	}
	if uint(j) >= uint(d.mat.N) {
		panic(mat.ErrColAccess)
	}
	if i != j {
		return 0
	}
	return d.mat.Data[i*d.mat.Inc]
}

func (d *diagDense) SetDiag(i int, v float64) {
	if uint(i) >= uint(d.mat.N) {
		panic(mat.ErrRowAccess)
	}
	d.mat.Data[i*d.mat.Inc] = v
}

func (d *diagDense) Trace() float64 { return trace(d) }

func (d *diagDense) Norm(ord float64) float64 { return norm(d, ord) }
