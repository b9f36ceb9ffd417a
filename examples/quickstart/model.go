package main

import "math"

//go:generate go tool quablagen

// ridge is the weight of the penalty on large weights.
const ridge = 1.0

// NegLogLik is the negative log likelihood of the labels y, 0 or 1, under a
// logistic model with weights w and the rows of x as features, plus a ridge
// penalty. The first feature is the constant 1; its weight goes free.
//
//quabla:grad wrt=w
func NegLogLik(w []float64, x [][]float64, y []float64) float64 {
	var loss float64
	for i, row := range x {
		z := dot(w, row)
		loss += softplus(z) - y[i]*z
	}
	for _, wj := range w[1:] {
		loss += ridge / 2 * wj * wj
	}
	return loss
}

// dot is the sum of the products of the elements of a and b.
func dot(a, b []float64) float64 {
	var sum float64
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// softplus is log(1 + exp(z)), without overflow.
func softplus(z float64) float64 {
	if z > 0 {
		return z + math.Log1p(math.Exp(-z))
	}
	return math.Log1p(math.Exp(z))
}
