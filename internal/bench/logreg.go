package bench

import "math"

// LogReg is the negative log likelihood of the labels y, 0 or 1, under a
// logistic model with weights w and the rows of x as features.
//
//quabla:grad wrt=w
func LogReg(w []float64, x [][]float64, y []float64) float64 {
	var loss float64
	for i, xi := range x {
		var z float64
		for j, v := range xi {
			z += w[j] * v
		}
		loss += softplus(z) - y[i]*z
	}
	return loss
}

// softplus returns log(1 + exp(z)) without overflow.
func softplus(z float64) float64 {
	if z > 0 {
		return z + math.Log1p(math.Exp(-z))
	}
	return math.Log1p(math.Exp(z))
}

// logRegHand is LogRegGrad by hand: one pass over the rows, and one
// exponential for both the loss and its slope.
func logRegHand(dw, w []float64, x [][]float64, y []float64) float64 {
	dw = dw[:len(w)]
	clear(dw)
	y = y[:len(x)]
	var loss float64
	for i, xi := range x {
		var z float64
		ws := w[:len(xi)]
		for j, v := range xi {
			z += ws[j] * v
		}
		var dz float64
		if z > 0 {
			e := math.Exp(-z)
			loss += z + math.Log1p(e)
			dz = 1 / (1 + e)
		} else {
			e := math.Exp(z)
			loss += math.Log1p(e)
			dz = e / (1 + e)
		}
		loss -= y[i] * z
		dz -= y[i]
		ds := dw[:len(xi)]
		for j, v := range xi {
			ds[j] += dz * v
		}
	}
	return loss
}
