package floats

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/quabla/quabla/rt"
)

// Functions that add up. Their values are those of the kernels, which add in an order
// of their own; the derivatives are those of the loops.

//quabla:rule for=gonum.org/v1/gonum/floats.Sum as=sum
func sum(s []float64) float64 {
	total := 0.0
	for _, v := range s {
		total += v
	}
	return rt.As(floats.Sum(s), total)
}

//quabla:rule for=gonum.org/v1/gonum/floats.Dot as=dot
func dot(s1, s2 []float64) float64 {
	value := floats.Dot(s1, s2) // checks the lengths
	total := 0.0
	for i, v := range s1 {
		total += v * s2[i]
	}
	return rt.As(value, total)
}

//quabla:rule for=gonum.org/v1/gonum/floats.CumSum as=cumSum
func cumSum(dst, s []float64) []float64 {
	if len(dst) != len(s) {
		panic(differDst)
	}
	values := floats.CumSum(make([]float64, len(s)), s)
	total := 0.0
	for i, v := range s {
		total += v
		dst[i] = rt.As(values[i], total)
	}
	return dst
}

//quabla:rule for=gonum.org/v1/gonum/floats.CumProd as=cumProd
func cumProd(dst, s []float64) []float64 {
	if len(dst) != len(s) {
		panic(differDst)
	}
	values := floats.CumProd(make([]float64, len(s)), s)
	prod := 1.0
	for i, v := range s {
		prod *= v
		dst[i] = rt.As(values[i], prod)
	}
	return dst
}

// norm has the gradient 0 at the origin. In the Euclidean norm
//
//	n = c sqrt(sum (s[i]/c)^2)
//
// holds for any constant c. With the value for c no square overflows.
//
//quabla:rule for=gonum.org/v1/gonum/floats.Norm as=norm
func norm(s []float64, L float64) float64 {
	if len(s) == 0 {
		return 0
	}
	if L == 2 {
		n := floats.Norm(s, L)
		if n == 0 {
			return n
		}
		sum := 0.0
		for _, v := range s {
			sum += (v / n) * (v / n)
		}
		return rt.As(n, n*math.Sqrt(sum))
	}
	n := 0.0
	switch {
	case L == 1:
		for _, v := range s {
			n += math.Abs(v)
		}
		return n
	case math.IsInf(L, 1):
		for _, v := range s {
			n = math.Max(n, math.Abs(v))
		}
		return n
	}
	for _, v := range s {
		n += math.Pow(math.Abs(v), L)
	}
	return math.Pow(n, 1/L)
}

// distance is the norm of s-t.
//
//quabla:rule for=gonum.org/v1/gonum/floats.Distance as=distance
func distance(s, t []float64, L float64) float64 {
	if len(s) != len(t) {
		panic(differ)
	}
	if len(s) == 0 {
		return 0
	}
	if L == 2 {
		n := floats.Distance(s, t, L)
		if n == 0 {
			return n
		}
		sum := 0.0
		for i, v := range s {
			d := (v - t[i]) / n
			sum += d * d
		}
		return rt.As(n, n*math.Sqrt(sum))
	}
	n := 0.0
	switch {
	case L == 1:
		for i, v := range s {
			n += math.Abs(t[i] - v)
		}
		return n
	case math.IsInf(L, 1):
		for i, v := range s {
			if d := math.Abs(t[i] - v); d > n {
				n = d
			}
		}
		return n
	}
	for i, v := range s {
		n += math.Pow(math.Abs(t[i]-v), L)
	}
	return math.Pow(n, 1/L)
}
