package thirdparty

import "math/rand/v2"

// Where the generated tests look at functions that are not defined everywhere.

func quablaPointsSurface(r *rand.Rand) []float64 { return uniform(r, 9, 1, 3) }

func quablaPointsGammaLogLik(r *rand.Rand) (shape, rate float64, times []float64) {
	return 0.5 + 3*r.Float64(), 0.5 + 2*r.Float64(), uniform(r, 4, 0.2, 4)
}

func quablaPointsBetaLogProb(r *rand.Rand) (x, a, b float64) {
	return 0.05 + 0.9*r.Float64(), 0.5 + 3*r.Float64(), 0.5 + 3*r.Float64()
}

func quablaPointsNormalQuantile(r *rand.Rand) (p, mu, sigma float64) {
	return 0.02 + 0.96*r.Float64(), r.NormFloat64(), 0.5 + r.Float64()
}

func quablaPointsLogBeta(r *rand.Rand) (a, b float64) {
	return 0.2 + 5*r.Float64(), 0.2 + 5*r.Float64()
}

func quablaPointsSimpsons(r *rand.Rand) (x, y []float64) {
	x = uniform(r, 3+r.IntN(5), 0.2, 1)
	for i := 1; i < len(x); i++ {
		x[i] += x[i-1]
	}
	return x, uniform(r, len(x), -2, 2)
}

func quablaPointsRomberg(r *rand.Rand) (y []float64, dx float64) {
	return uniform(r, 1+1<<(1+r.IntN(3)), -2, 2), 0.1 + r.Float64()
}

func uniform(r *rand.Rand, n int, lo, hi float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = lo + (hi-lo)*r.Float64()
	}
	return x
}
