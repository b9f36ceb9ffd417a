package mat

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/quabla/quabla/rules/gonum/linalg"
)

// A cholesky is the factor U of a matrix U'U.
type cholesky struct {
	chol blas64.Triangular
	cond float64
}

const badCholesky = "mat: invalid Cholesky factorization"

func (f *cholesky) Dims() (r, c int) { return f.chol.N, f.chol.N }

func (f *cholesky) SymmetricDim() int { return f.chol.N }

func (f *cholesky) IsEmpty() bool { return f.chol.N == 0 }

func (f *cholesky) T() matrix { return f }

func (f *cholesky) valid() {
	if f.chol.N == 0 {
		panic(badCholesky)
	}
}

func (f *cholesky) Reset() {
	f.chol = blas64.Triangular{}
	f.cond = math.Inf(1)
}

func (f *cholesky) Factorize(a symmetric) (ok bool) {
	x := symmetricOf(a)
	n := x.N
	data := make([]float64, n*n)
	for i := range n {
		for j := i; j < n; j++ {
			data[i*n+j] = x.Data[i*x.Stride+j]
		}
	}
	u, ok := linalg.FactorCholesky(data, n)
	if !ok {
		f.Reset()
		return false
	}
	f.chol = triangle(n, mat.Upper, u)
	f.cond = linalg.CholeskyCondition(data, u, n)
	return true
}

func (f *cholesky) SetFromU(t triangular) {
	u := triangularOf(t)
	if u.Uplo != blas.Upper {
		panic("cholesky: matrix must be upper triangular")
	}
	data := fullTriangular(u).Data
	f.chol = triangle(u.N, mat.Upper, data)
	f.cond = linalg.CholeskyCondition(nil, data, u.N)
}

func (f *cholesky) Clone(g *cholesky) {
	g.valid()
	f.chol = triangle(g.chol.N, mat.Upper, fullTriangular(g.chol).Data)
	f.cond = g.cond
}

func (f *cholesky) Cond() float64 {
	f.valid()
	return f.cond
}

func (f *cholesky) LogDet() float64 {
	f.valid()
	det := 0.0
	for i := range f.chol.N {
		det += 2 * math.Log(f.chol.Data[i*f.chol.Stride+i])
	}
	return det
}

func (f *cholesky) Det() float64 { return math.Exp(f.LogDet()) }

func (f *cholesky) At(i, j int) float64 {
	if uint(i) >= uint(f.chol.N) {
		panic(mat.ErrRowAccess)
	}
	if uint(j) >= uint(f.chol.N) {
		panic(mat.ErrColAccess)
	}
	s := 0.0
	for k := range min(i, j) + 1 {
		s += f.chol.Data[k*f.chol.Stride+i] * f.chol.Data[k*f.chol.Stride+j]
	}
	return s
}

// symmetric returns the matrix itself.
func (f *cholesky) symmetric() blas64.Symmetric {
	n := f.chol.N
	data := make([]float64, n*n)
	for i := range n {
		for j := i; j < n; j++ {
			s := 0.0
			for k := range i + 1 {
				s += f.chol.Data[k*f.chol.Stride+i] * f.chol.Data[k*f.chol.Stride+j]
			}
			data[i*n+j] = s
		}
	}
	return upper(n, data)
}

func (f *cholesky) ToSym(dst *symDense) {
	f.valid()
	dst.take(f.chol.N, f.symmetric().Data)
}

// solve returns the solution of U'U x = b for the c columns of b.
func (f *cholesky) solve(b []float64, c int) []float64 {
	y := linalg.Substitute(f.chol.Data, f.chol.N, false, false, true, b, c)
	return linalg.Substitute(f.chol.Data, f.chol.N, false, false, false, y, c)
}

func (f *cholesky) SolveTo(dst *dense, b matrix) error {
	f.valid()
	v := viewOf(b)
	n, c := v.dims()
	if n != f.chol.N {
		panic(mat.ErrShape)
	}
	dst.take(n, c, f.solve(v.copied(), c))
	return illConditioned(f.cond)
}

func (f *cholesky) SolveVecTo(dst *vecDense, b vector) error {
	f.valid()
	v := viewOf(b)
	n, c := v.dims()
	if n != f.chol.N || c != 1 {
		panic(mat.ErrShape)
	}
	dst.take(f.solve(v.copied(), 1))
	return illConditioned(f.cond)
}

func (f *cholesky) InverseTo(dst *symDense) error {
	f.valid()
	n := f.chol.N
	dst.take(n, f.solve(identity(n), n))
	return illConditioned(f.cond)
}

func (f *cholesky) UTo(dst *triDense) {
	f.valid()
	dst.take(f.chol.N, mat.Upper, fullTriangular(f.chol).Data)
}

func (f *cholesky) LTo(dst *triDense) {
	f.valid()
	n := f.chol.N
	data := make([]float64, n*n)
	for i := range n {
		for j := range i + 1 {
			data[i*n+j] = f.chol.Data[j*f.chol.Stride+i]
		}
	}
	dst.take(n, mat.Lower, data)
}

func (f *cholesky) RawU() triangular {
	f.valid()
	return &triDense{f.chol}
}
