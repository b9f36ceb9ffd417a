// Package sample holds functions whose derivatives the tests of package features
// call.
package sample

import "math"

//go:generate go run github.com/quabla/quabla/cmd/quablagen

// A Layer is one of a network.
type Layer struct {
	W   []float64
	B   float64
	Act string
}

// Loss is the sum of squares of a layer applied to x, entry by entry.
//
//quabla:grad wrt=l
func Loss(l *Layer, x []float64) float64 {
	s := 0.0
	for i, w := range l.W {
		y := w*x[i] + l.B
		s += y * y
	}
	return s
}

// Masked is the sum of the entries of x that m selects.
//
//quabla:grad wrt=x
//quabla:vmap in=x,m
func Masked(x []float64, m []bool) float64 {
	s := 0.0
	for i, v := range x {
		if m[i] {
			s += v
		}
	}
	return s
}

// A Gauge is a layer of fixed size, which is passed by value.
type Gauge struct {
	W    [2]float64
	Name string
}

// Read is the square of what a gauge shows of x.
//
//quabla:grad wrt=g
func Read(g Gauge, x [2]float64) float64 {
	y := g.W[0]*x[0] + g.W[1]*x[1]
	return y * y
}

// Cubes is the sum of third powers.
//
//quabla:jacobian wrt=x
//quabla:jvp wrt=x
//quabla:jvp wrt=x lanes=2
//quabla:jvp wrt=x lanes=3
//quabla:jvp wrt=x lanes=8
//quabla:jvp wrt=x lanes=64
func Cubes(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v * v * v
	}
	return s
}

// Squares stores squares in dst.
//
//quabla:jacobian of=dst wrt=x
//quabla:jvp of=dst wrt=x
//quabla:jvp of=dst wrt=x lanes=2
//quabla:jvp of=dst wrt=x lanes=3
//quabla:jvp of=dst wrt=x lanes=8
//quabla:jvp of=dst wrt=x lanes=64
func Squares(dst, x []float64) {
	for i, v := range x {
		dst[i] = v * v
	}
}

// Chain applies a hyperbolic tangent until nothing is left to do: its derivative
// needs a tape.
//
//quabla:grad wrt=x
func Chain(x []float64, w float64) float64 {
	s := 0.0
	for _, v := range x {
		for math.Abs(v) > 0.1 {
			v = math.Tanh(v * w)
		}
		s += v * v
	}
	return s
}

// Taped64 applies a hyperbolic tangent n times.
//
//quabla:grad wrt=x,w
func Taped64(x, w float64, n int) float64 {
	c := x
	for range n {
		c = math.Tanh(c*w + 0.1)
	}
	return c
}

// Replayed64 is Taped64 with checkpoints.
//
//quabla:grad wrt=x,w
func Replayed64(x, w float64, n int) float64 {
	c := x
	//quabla:checkpoint
	for range n {
		c = math.Tanh(c*w + 0.1)
	}
	return c
}

// Taped32 applies a hyperbolic tangent n times.
//
//quabla:grad wrt=x,w
func Taped32(x, w float32, n int) float32 {
	c := x
	for range n {
		c = float32(math.Tanh(float64(c*w + 0.1)))
	}
	return c
}

// Replayed32 is Taped32 with checkpoints.
//
//quabla:grad wrt=x,w
func Replayed32(x, w float32, n int) float32 {
	c := x
	//quabla:checkpoint
	for range n {
		c = float32(math.Tanh(float64(c*w + 0.1)))
	}
	return c
}
