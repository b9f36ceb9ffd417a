package mat

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// A denseT is the transpose of a matrix.
type denseT struct{ of *dense }

func (t denseT) Dims() (r, c int)    { return t.of.mat.Cols, t.of.mat.Rows }
func (t denseT) At(i, j int) float64 { return t.of.At(j, i) }
func (t denseT) T() matrix           { return t.of }

// A vecT is the transpose of a vector.
type vecT struct{ of *vecDense }

func (t vecT) Dims() (r, c int)    { return 1, t.of.mat.N }
func (t vecT) At(i, j int) float64 { return t.of.At(j, i) }
func (t vecT) T() matrix           { return t.of }
func (t vecT) AtVec(i int) float64 { return t.of.AtVec(i) }
func (t vecT) Len() int            { return t.of.mat.N }

// A triT is the transpose of a triangular matrix.
type triT struct{ of *triDense }

func (t triT) Dims() (r, c int)    { return t.of.mat.N, t.of.mat.N }
func (t triT) At(i, j int) float64 { return t.of.At(j, i) }
func (t triT) T() matrix           { return t.of }
func (t triT) TTri() triangular    { return t.of }

func (t triT) Triangle() (n int, kind mat.TriKind) {
	n, kind = t.of.Triangle()
	return n, !kind
}

// A view is a matrix whose numbers are those of a general one, or of its transpose.
type view struct {
	g     blas64.General
	trans bool
}

// viewOf returns a matrix as a view, which is only read: what is no general matrix is
// copied into one.
func viewOf(a matrix) view {
	switch a := a.(type) {
	case *dense:
		return view{a.mat, false}
	case denseT:
		return view{a.of.mat, true}
	case *vecDense:
		return view{column(a.mat), false}
	case vecT:
		return view{column(a.of.mat), true}
	case *symDense:
		return view{fullSymmetric(a.mat), false}
	case *triDense:
		return view{fullTriangular(a.mat), false}
	case triT:
		return view{fullTriangular(a.of.mat), true}
	case *diagDense:
		return view{fullDiagonal(a.mat), false}
	case *cholesky:
		return view{fullSymmetric(a.symmetric()), false}
	}
	panic(unknown)
}

// unknown is what rules panic with that are given a matrix of a type that they do not know.
const unknown = "mat: no derivative by a matrix of this type"

// column returns a vector as a matrix with one column.
func column(v blas64.Vector) blas64.General {
	return blas64.General{Rows: v.N, Cols: 1, Stride: v.Inc, Data: v.Data}
}

func fullSymmetric(s blas64.Symmetric) blas64.General {
	data := make([]float64, s.N*s.N)
	for i := range s.N {
		for j := i; j < s.N; j++ {
			data[i*s.N+j] = s.Data[i*s.Stride+j]
			data[j*s.N+i] = s.Data[i*s.Stride+j]
		}
	}
	return blas64.General{Rows: s.N, Cols: s.N, Stride: s.N, Data: data}
}

func fullTriangular(t blas64.Triangular) blas64.General {
	data := make([]float64, t.N*t.N)
	for i := range t.N {
		lo, hi := i, t.N
		if t.Uplo == blas.Lower {
			lo, hi = 0, i+1
		}
		for j := lo; j < hi; j++ {
			data[i*t.N+j] = t.Data[i*t.Stride+j]
		}
	}
	return blas64.General{Rows: t.N, Cols: t.N, Stride: t.N, Data: data}
}

func fullDiagonal(d blas64.Vector) blas64.General {
	data := make([]float64, d.N*d.N)
	for i := range d.N {
		data[i*d.N+i] = d.Data[i*d.Inc]
	}
	return blas64.General{Rows: d.N, Cols: d.N, Stride: d.N, Data: data}
}

// symmetricOf returns a symmetric matrix, which is only read.
func symmetricOf(a symmetric) blas64.Symmetric {
	switch a := a.(type) {
	case *symDense:
		return a.mat
	case *diagDense:
		g := fullDiagonal(a.mat)
		return blas64.Symmetric{N: g.Rows, Stride: g.Stride, Data: g.Data, Uplo: blas.Upper}
	case *cholesky:
		return a.symmetric()
	}
	panic(unknown)
}

// triangularOf returns a triangular matrix, which is only read.
func triangularOf(a triangular) blas64.Triangular {
	switch a := a.(type) {
	case *triDense:
		return a.mat
	case triT:
		t := a.of.mat
		data := make([]float64, t.N*t.N)
		for i := range t.N {
			lo, hi := i, t.N
			if t.Uplo == blas.Lower {
				lo, hi = 0, i+1
			}
			for j := lo; j < hi; j++ {
				data[j*t.N+i] = t.Data[i*t.Stride+j]
			}
		}
		uplo := blas.Lower
		if t.Uplo == blas.Lower {
			uplo = blas.Upper
		}
		return blas64.Triangular{N: t.N, Stride: t.N, Data: data, Uplo: uplo, Diag: blas.NonUnit}
	}
	panic(unknown)
}

func (v view) dims() (r, c int) {
	if v.trans {
		return v.g.Cols, v.g.Rows
	}
	return v.g.Rows, v.g.Cols
}

func (v view) at(i, j int) float64 {
	if v.trans {
		return v.g.Data[j*v.g.Stride+i]
	}
	return v.g.Data[i*v.g.Stride+j]
}

// copied returns the numbers of a view, row by row.
func (v view) copied() []float64 {
	r, c := v.dims()
	data := make([]float64, r*c)
	for i := range r {
		for j := range c {
			data[i*c+j] = v.at(i, j)
		}
	}
	return data
}

// vector returns the numbers of a view with one column.
func (v view) vector() blas64.Vector {
	n, c := v.dims()
	if c != 1 {
		panic(mat.ErrShape)
	}
	if v.trans {
		return blas64.Vector{N: n, Inc: 1, Data: v.g.Data}
	}
	return blas64.Vector{N: n, Inc: v.g.Stride, Data: v.g.Data}
}

// general returns r×c numbers as a matrix.
func general(r, c int, data []float64) blas64.General {
	return blas64.General{Rows: r, Cols: c, Stride: c, Data: data}
}

// sameDims panics unless the two have the same shape, which it returns.
func sameDims(x, y view) (r, c int) {
	r, c = x.dims()
	if r2, c2 := y.dims(); r != r2 || c != c2 {
		panic(mat.ErrShape)
	}
	return r, c
}
