// Package sample holds functions whose derivatives the tests of package derivtest
// write by hand, rightly and wrongly. There is no generated file.
package sample

import (
	"errors"
	"math"
)

// Square is a sum of weighted squares.
//
//quabla:grad wrt=x
//quabla:jvp wrt=x
//quabla:jvp wrt=x lanes=2
//quabla:vjp wrt=x
//quabla:hvp wrt=x
//quabla:pullback wrt=x
//quabla:grad wrt=x add name=SquareAdd
//quabla:vmap in=x
//quabla:derive SquareEach = vmap(grad(Square, x), x)
func Square(x, w []float64) float64 {
	s := 0.0
	for i := range x {
		s += w[i] * x[i] * x[i] * x[i]
	}
	return s
}

// A Counter counts its calls.
type Counter struct {
	Rate float64
	N    int
}

// Add adds to the counter.
//
//quabla:grad wrt=x
func (c *Counter) Add(x float64) float64 {
	c.N++
	return c.Rate * x * x
}

// Positive fails for what is not positive.
//
//quabla:grad wrt=x
func Positive(x float64) (float64, error) {
	if x <= 0 {
		return 0, errors.New("not positive")
	}
	return math.Log(x), nil
}

// Picky works for one length and one value only, which no test finds.
//
//quabla:grad wrt=x
func Picky(x []float64, n int) float64 {
	if n != 12345 {
		panic("n is not 12345")
	}
	return x[0]
}

// Kinks has a kink everywhere that matters.
//
//quabla:grad wrt=x
func Kinks(x float64) float64 { return math.Abs(math.Sin(1e9 * x)) }

// Emptied leaves in y what is zero but for rounding.
//
//quabla:jvp of=return,y wrt=y,x
//quabla:vmap
func Emptied(y []float64, x float64, n int) float64 {
	for i := range y {
		y[i] -= x * (y[i] / x)
	}
	return float64(n) * x
}
