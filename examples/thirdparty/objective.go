package thirdparty

import "gonum.org/v1/gonum/optimize/functions"

// Beale is a test function of optimisers in two variables.
//
//quabla:grad
//quabla:hessian
func Beale(x []float64) float64 { return functions.Beale{}.Func(x) }

// Watson is a test function with nested loops over the coefficients of a polynomial.
//
//quabla:grad
func Watson(x []float64) float64 { return functions.Watson{}.Func(x) }

// Surface is the area of a surface over a grid of five by five points with a given
// rim; x holds the heights of the nine points inside.
//
//quabla:grad
func Surface(x []float64) float64 { return functions.NewMinimalSurface(5, 5).Func(x) }
