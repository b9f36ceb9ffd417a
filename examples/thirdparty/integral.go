package thirdparty

import "gonum.org/v1/gonum/integrate"

// Simpsons is the integral by Simpson's rule of a function with the values y at x.
//
//quabla:grad wrt=y
func Simpsons(x, y []float64) float64 { return integrate.Simpsons(x, y) }

// Romberg is the integral of a function with the values y at points dx apart.
//
//quabla:grad wrt=y,dx
func Romberg(y []float64, dx float64) float64 { return integrate.Romberg(y, dx) }
