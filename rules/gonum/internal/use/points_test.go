package use

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// Where the generated tests look at functions that want arguments of one length, or
// away from zero.

func uniform(r *rand.Rand, n int, lo, hi float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = lo + (hi-lo)*r.Float64()
	}
	return x
}

func quablaPointsFloatsReduce(r *rand.Rand) (x, y []float64) {
	n := 1 + r.IntN(6)
	return uniform(r, n, -2, 2), uniform(r, n, -2, 2)
}

func quablaPointsFloatsNorms(r *rand.Rand) (x, y []float64) { return quablaPointsFloatsReduce(r) }

func quablaPointsFloatsInPlace(r *rand.Rand) (dst, x []float64, c float64) {
	n := 1 + r.IntN(6)
	return uniform(r, n, -2, 2), uniform(r, n, 0.5, 2), uniform(r, 1, -2, 2)[0]
}

func quablaPointsFloatsTo(r *rand.Rand) (x, y []float64, c float64) {
	n := 1 + r.IntN(4)
	return uniform(r, n, -2, 2), uniform(r, n, 0.5, 2), uniform(r, 1, -2, 2)[0]
}

func quablaPointsStat(r *rand.Rand) (x, y []float64) {
	n := 4 + r.IntN(4)
	return uniform(r, n, 0.5, 2), uniform(r, n, -2, 2)
}

func quablaPointsStatMoments(r *rand.Rand) []float64 { return uniform(r, 5+r.IntN(3), 0.5, 2) }

func quablaPointsBlasReduce(r *rand.Rand) (x, y []float64) { return quablaPointsFloatsReduce(r) }

func quablaPointsBlasVectors(r *rand.Rand) (x, y []float64, a float64) {
	n := 1 + r.IntN(4)
	return uniform(r, n, -2, 2), uniform(r, n, -2, 2), uniform(r, 1, -1, 1)[0]
}

// square is a matrix that is far from singular.
func square(r *rand.Rand, n int) []float64 {
	a := uniform(r, n*n, -0.5, 0.5)
	for i := range n {
		a[i*n+i] += 2
	}
	return a
}

func quablaPointsBlasMatrix(r *rand.Rand) (a, x []float64, alpha float64) {
	n := 1 + r.IntN(3)
	return square(r, n), uniform(r, n, -1, 1), uniform(r, 1, 0.5, 1)[0]
}

func quablaPointsBlasMatrices(r *rand.Rand) (a, b []float64, alpha float64, n int) {
	n = 1 + r.IntN(3)
	return square(r, n), square(r, n), uniform(r, 1, 0.5, 1)[0], n
}

func quablaPointsMatProducts(r *rand.Rand) (x, y []float64) {
	n := 1 + r.IntN(3)
	return uniform(r, n, 0.5, 2), uniform(r, n, 0.5, 2)
}

func vec(r *rand.Rand, n int) *mat.VecDense { return mat.NewVecDense(n, uniform(r, n, -1, 1)) }

func quablaPointsMatLinear(r *rand.Rand) (w *mat.Dense, b, x *mat.VecDense) {
	n := 1 + r.IntN(4)
	return mat.NewDense(n, n, uniform(r, n*n, -1, 1)), vec(r, n), vec(r, n)
}

func quablaPointsMatNLL(r *rand.Rand) (theta []float64, y *mat.VecDense) {
	return uniform(r, 3, 0.5, 1.5), vec(r, 2+r.IntN(3))
}

func quablaPointsMatSolve(r *rand.Rand) (a *mat.Dense, b *mat.VecDense) {
	n := 1 + r.IntN(3)
	return mat.NewDense(n, n, square(r, n)), vec(r, n)
}

func quablaPointsMatProduct(r *rand.Rand) (a, b *mat.Dense) {
	n := 1 + r.IntN(4)
	return mat.NewDense(n, n, uniform(r, n*n, -1, 1)), mat.NewDense(n, n, uniform(r, n*n, -1, 1))
}

func layer(r *rand.Rand, n int) *Layer {
	return &Layer{mat.NewDense(n, n, uniform(r, n*n, -1, 1)), vec(r, n), uniform(r, 1, 0.5, 1)[0]}
}

func quablaPointsMatNetwork(r *rand.Rand) (layers []*Layer, x *mat.VecDense) {
	n := 1 + r.IntN(3)
	for range 2 {
		layers = append(layers, layer(r, n))
	}
	return layers, vec(r, n)
}

func quablaPointsMatSlices(r *rand.Rand) (ms []*mat.Dense, l Layer) {
	n := 1 + r.IntN(3)
	for range 2 {
		ms = append(ms, mat.NewDense(n, n, uniform(r, n*n, -1, 1)))
	}
	return ms, *layer(r, n)
}

func matrix(r *rand.Rand, n int) *mat.Dense { return mat.NewDense(n, n, square(r, n)) }

func quablaPointsMatSymmetric(r *rand.Rand) (s *mat.SymDense, x *mat.VecDense) {
	n := 2 + r.IntN(2)
	return mat.NewSymDense(n, square(r, n)), vec(r, n)
}

func quablaPointsMatCholesky(r *rand.Rand) (s *mat.SymDense, b *mat.Dense) {
	n := 1 + r.IntN(3)
	return mat.NewSymDense(n, square(r, n)), matrix(r, n)
}

func quablaPointsMatTriangular(r *rand.Rand) (t *mat.TriDense, b *mat.Dense) {
	n := 1 + r.IntN(3)
	return mat.NewTriDense(n, mat.TriKind(r.IntN(2) == 0), square(r, n)), matrix(r, n)
}

func quablaPointsMatParts(r *rand.Rand) (a *mat.Dense, x []float64) {
	n := 2 + r.IntN(2)
	return matrix(r, n), uniform(r, n, 0.5, 1.5)
}

func quablaPointsMatVectors(r *rand.Rand) (x, y *mat.VecDense) {
	n := 1 + r.IntN(3)
	return mat.NewVecDense(n, uniform(r, n, 0.5, 1.5)), mat.NewVecDense(n, uniform(r, n, 2, 3))
}

func quablaPointsMatLU(r *rand.Rand) (a, b *mat.Dense) {
	n := 1 + r.IntN(3)
	return matrix(r, n), matrix(r, n)
}

func quablaPointsMatLeastSquares(r *rand.Rand) (a, b *mat.Dense) {
	m, n := 1+r.IntN(3), 1+r.IntN(3)
	a = mat.NewDense(m, n, uniform(r, m*n, -0.5, 0.5))
	for i := range min(m, n) {
		a.Set(i, i, a.At(i, i)+2)
	}
	return a, mat.NewDense(m, n, uniform(r, m*n, -1, 1))
}

func quablaPointsMatSingular(r *rand.Rand) *mat.Dense {
	n := 2 + r.IntN(2)
	a := matrix(r, n)
	for j := range n {
		a.Set(n-1, j, 2*a.At(0, j))
	}
	return a
}

func quablaPointsMatInPlace(r *rand.Rand) (a, b *mat.Dense) {
	return matrix(r, 2), matrix(r, 2)
}

func quablaPointsMatChoice(r *rand.Rand) (a, b *mat.Dense) {
	a, b = matrix(r, 2), matrix(r, 2)
	a.Set(0, 0, r.Float64())
	return a, b
}

func quablaPointsMatOptional(r *rand.Rand) (a, b *mat.Dense) {
	if r.IntN(2) == 0 {
		return matrix(r, 2), nil
	}
	return matrix(r, 2), matrix(r, 2)
}

func quablaPointsMatPower(r *rand.Rand) (a *mat.Dense, n int) { return matrix(r, 2), r.IntN(3) }

func quablaPointsMatMember(r *rand.Rand) *mat.Dense { return matrix(r, 2) }

func quablaPointsfirst(r *rand.Rand) *mat.Dense { return matrix(r, 2) }

func quablaPointsMatRuled(r *rand.Rand) *mat.Dense { return matrix(r, 2) }

func quablaPointsLayer_Loss(r *rand.Rand) *Layer { return layer(r, 2) }

func quablaPointsLogProbReal(r *rand.Rand) (x, mu, sigma, nu float64) {
	return uniform(r, 1, -2, 2)[0], uniform(r, 1, -2, 2)[0], uniform(r, 1, 0.5, 2)[0], uniform(r, 1, 1, 5)[0]
}

func quablaPointsLogProbPositive(r *rand.Rand) (x, a, b float64) {
	return uniform(r, 1, 0.6, 3)[0], uniform(r, 1, 0.5, 3)[0], uniform(r, 1, 0.5, 2)[0]
}

func quablaPointsLogProbUnit(r *rand.Rand) (x, a, b float64) {
	return uniform(r, 1, 0.1, 0.85)[0], uniform(r, 1, 0.5, 3)[0], uniform(r, 1, 0.5, 3)[0]
}

func quablaPointsLogProbCounts(r *rand.Rand) (rate, p, k float64) {
	return uniform(r, 1, 0.5, 5)[0], uniform(r, 1, 0.1, 0.9)[0], float64(r.IntN(10))
}
