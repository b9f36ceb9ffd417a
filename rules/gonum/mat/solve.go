package mat

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/quabla/quabla/rules/gonum/linalg"
)

// solved returns the solution of a x = b, an r×c matrix, and the condition number of a. Of a
// singular matrix there is none.
func solved(a, b matrix) (r, c int, data []float64, cond float64) {
	switch t := a.(type) {
	case *triDense:
		return solvedTriangular(t.mat, false, viewOf(b))
	case triT:
		return solvedTriangular(t.of.mat, true, viewOf(b))
	}
	x, y := viewOf(a), viewOf(b)
	m, n := x.dims()
	r, c = y.dims()
	if m != r {
		panic(mat.ErrShape)
	}
	if m != n {
		data := x.copied()
		cond = linalg.FullCondition(data, m, n)
		return n, c, linalg.LeastSquares(data, m, n, y.copied(), c), cond
	}
	var f lu
	f.Factorize(a)
	if !f.ok {
		return n, c, make([]float64, n*c), math.Inf(1)
	}
	return n, c, f.solve(false, y, c), f.cond
}

func solvedTriangular(t blas64.Triangular, trans bool, b view) (r, c int, data []float64, cond float64) {
	r, c = b.dims()
	if r != t.N {
		panic(mat.ErrShape)
	}
	full, lower := fullTriangular(t), t.Uplo == blas.Lower
	data = linalg.Substitute(full.Data, r, lower, false, trans, b.copied(), c)
	return r, c, data, linalg.TriangularCondition(full.Data, r, lower)
}

func (m *dense) Solve(a, b matrix) error {
	r, c, data, cond := solved(a, b)
	m.take(r, c, data)
	return illConditioned(cond)
}

func (v *vecDense) SolveVec(a matrix, b vector) error {
	if _, c := b.Dims(); c != 1 {
		panic(mat.ErrShape)
	}
	_, _, data, cond := solved(a, b)
	v.take(data)
	return illConditioned(cond)
}
