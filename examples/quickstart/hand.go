package main

import "math"

// negLogLikHand is what NegLogLikGrad is measured against: the same gradient,
// written by hand with speed in mind.
func negLogLikHand(dw, w []float64, x [][]float64, y []float64) float64 {
	dw = dw[:len(w)]
	clear(dw)
	y = y[:len(x)]
	var loss float64
	for i, row := range x {
		row = row[:len(w)]
		var z float64
		for j, wj := range w {
			z += wj * row[j]
		}
		var dz float64 // the probability of y = 1, less y
		if z > 0 {
			e := math.Exp(-z)
			loss += z + math.Log1p(e)
			dz = 1/(1+e) - y[i]
		} else {
			e := math.Exp(z)
			loss += math.Log1p(e)
			dz = e/(1+e) - y[i]
		}
		loss -= y[i] * z
		for j := range dw {
			dw[j] += dz * row[j]
		}
	}
	for j := 1; j < len(w); j++ {
		loss += ridge / 2 * w[j] * w[j]
		dw[j] += ridge * w[j]
	}
	return loss
}
