package use

import "math/rand/v2"

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
