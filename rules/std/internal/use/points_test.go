package use

import "math/rand/v2"

// Arguments that fit to one another.

func quablaPointsSortSliceStable(r *rand.Rand) (x []float64, by []int) {
	for range 2 + r.IntN(6) {
		x, by = append(x, r.NormFloat64()), append(by, r.IntN(3))
	}
	return x, by
}

func quablaPointsSortData(r *rand.Rand) (keys, values []float64) {
	for range 2 + r.IntN(20) {
		keys, values = append(keys, r.NormFloat64()), append(values, r.NormFloat64())
	}
	return keys, values
}

func quablaPointsHeap(r *rand.Rand) (x []float64) {
	for range 1 + r.IntN(9) {
		x = append(x, r.NormFloat64())
	}
	return x
}

func quablaPointsSlices(r *rand.Rand) (x []float64) {
	for range 2 + r.IntN(5) {
		x = append(x, r.NormFloat64())
	}
	return x
}

func quablaPointsWords(r *rand.Rand) (x []float64, text string) {
	for range 2 + r.IntN(5) {
		x = append(x, r.NormFloat64())
	}
	return x, []string{"", "a b,cd", " äö,,x\nlast  line\n", "one\ntwo, end\nthree"}[r.IntN(4)]
}
