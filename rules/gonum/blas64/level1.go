package blas64

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/quabla/quabla/rt"
)

// start is where the elements of x begin in its data.
func start(x blas64.Vector) int {
	if x.Inc < 0 {
		return (1 - x.N) * x.Inc
	}
	return 0
}

// constant returns a copy of x that no derivative knows.
func constant(x []float64) []float64 {
	c := make([]float64, len(x))
	for i, v := range x {
		c[i] = rt.Stop(v)
	}
	return c
}

//quabla:rule for=gonum.org/v1/gonum/blas/blas64.Dot as=dot
func dot(x, y blas64.Vector) float64 {
	value := blas64.Dot(x, y) // checks the lengths
	ox, oy := start(x), start(y)
	sum := 0.0
	for i := range x.N {
		sum += x.Data[ox+i*x.Inc] * y.Data[oy+i*y.Inc]
	}
	return rt.As(value, sum)
}

// nrm2 is c sqrt(sum (x[i]/c)^2) for any constant c: no square overflows. Its gradient
// at the origin is 0.
//
//quabla:rule for=gonum.org/v1/gonum/blas/blas64.Nrm2 as=nrm2
func nrm2(x blas64.Vector) float64 {
	n := blas64.Nrm2(x)
	if n == 0 {
		return n
	}
	sum := 0.0
	for i := range x.N {
		t := x.Data[i*x.Inc] / n
		sum += t * t
	}
	return rt.As(n, n*math.Sqrt(sum))
}

//quabla:rule for=gonum.org/v1/gonum/blas/blas64.Asum as=asum
func asum(x blas64.Vector) float64 {
	value := blas64.Asum(x)
	sum := 0.0
	for i := range x.N {
		sum += math.Abs(x.Data[i*x.Inc])
	}
	return rt.As(value, sum)
}

//quabla:rule for=gonum.org/v1/gonum/blas/blas64.Iamax as=iamax
func iamax(x blas64.Vector) int { return blas64.Iamax(x) }

//quabla:rule for=gonum.org/v1/gonum/blas/blas64.Swap as=swap
func swap(x, y blas64.Vector) {
	if x.N != y.N {
		panic("blas64: vector length mismatch")
	}
	ox, oy := start(x), start(y)
	for i := range x.N {
		x.Data[ox+i*x.Inc], y.Data[oy+i*y.Inc] = y.Data[oy+i*y.Inc], x.Data[ox+i*x.Inc]
	}
}

//quabla:rule for=gonum.org/v1/gonum/blas/blas64.Copy as=copyTo
func copyTo(x, y blas64.Vector) {
	if x.N != y.N {
		panic("blas64: vector length mismatch")
	}
	ox, oy := start(x), start(y)
	for i := range x.N {
		y.Data[oy+i*y.Inc] = x.Data[ox+i*x.Inc]
	}
}

//quabla:rule for=gonum.org/v1/gonum/blas/blas64.Axpy as=axpy
func axpy(alpha float64, x, y blas64.Vector) {
	if x.N != y.N {
		panic("blas64: vector length mismatch")
	}
	ox, oy := start(x), start(y)
	for i := range x.N {
		y.Data[oy+i*y.Inc] += alpha * x.Data[ox+i*x.Inc]
	}
}

//quabla:rule for=gonum.org/v1/gonum/blas/blas64.Scal as=scal
func scal(alpha float64, x blas64.Vector) {
	if x.Inc < 0 {
		panic("blas64: negative vector increment")
	}
	for i := range x.N {
		x.Data[i*x.Inc] *= alpha
	}
}

//quabla:rule for=gonum.org/v1/gonum/blas/blas64.Rot as=rot
func rot(x, y blas64.Vector, c, s float64) {
	if x.N != y.N {
		panic("blas64: vector length mismatch")
	}
	ox, oy := start(x), start(y)
	for i := range x.N {
		vx, vy := x.Data[ox+i*x.Inc], y.Data[oy+i*y.Inc]
		x.Data[ox+i*x.Inc] = c*vx + s*vy
		y.Data[oy+i*y.Inc] = c*vy - s*vx
	}
}
