package mat

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/quabla/quabla/rt"
)

//quabla:rule for=gonum.org/v1/gonum/mat.Dot as=dot
func dot(a, b vector) float64 {
	return blas64.Dot(pair(a, b))
}

//quabla:rule for=gonum.org/v1/gonum/mat.Inner as=inner
func inner(x vector, a matrix, y vector) float64 {
	u, m, v := viewOf(x).vector(), viewOf(a), viewOf(y).vector()
	if r, c := m.dims(); u.N != r || v.N != c {
		panic(mat.ErrShape)
	}
	sum := 0.0
	for i := range u.N {
		row := 0.0
		for j := range v.N {
			row += m.at(i, j) * v.Data[j*v.Inc]
		}
		sum += u.Data[i*u.Inc] * row
	}
	return sum
}

//quabla:rule for=gonum.org/v1/gonum/mat.Trace as=trace
func trace(a matrix) float64 {
	v := viewOf(a)
	n, c := v.dims()
	if n != c {
		panic(mat.ErrSquare)
	}
	if n == 0 {
		panic(mat.ErrZeroLength)
	}
	sum := 0.0
	for i := range n {
		sum += v.at(i, i)
	}
	return sum
}

//quabla:rule for=gonum.org/v1/gonum/mat.Sum as=sum
func sum(a matrix) float64 {
	v := viewOf(a)
	r, c := v.dims()
	s := 0.0
	for i := range r {
		for j := range c {
			s += v.at(i, j)
		}
	}
	return s
}

//quabla:rule for=gonum.org/v1/gonum/mat.Max as=maximum
func maximum(a matrix) float64 {
	v := viewOf(a)
	r, c := v.dims()
	if r == 0 || c == 0 {
		panic(mat.ErrZeroLength)
	}
	most := math.Inf(-1)
	for i := range r {
		for j := range c {
			if v.at(i, j) > most {
				most = v.at(i, j)
			}
		}
	}
	return most
}

//quabla:rule for=gonum.org/v1/gonum/mat.Min as=minimum
func minimum(a matrix) float64 {
	v := viewOf(a)
	r, c := v.dims()
	if r == 0 || c == 0 {
		panic(mat.ErrZeroLength)
	}
	least := math.Inf(1)
	for i := range r {
		for j := range c {
			if v.at(i, j) < least {
				least = v.at(i, j)
			}
		}
	}
	return least
}

//quabla:rule for=gonum.org/v1/gonum/mat.Norm as=norm
func norm(a matrix, ord float64) float64 {
	v := viewOf(a)
	r, c := v.dims()
	if r == 0 || c == 0 {
		panic(mat.ErrZeroLength)
	}
	switch ord {
	case 1:
		return columnSum(view{v.g, v.trans})
	case 2:
		return frobenius(v, r, c)
	case math.Inf(1):
		return columnSum(view{v.g, !v.trans})
	}
	panic(mat.ErrNormOrder)
}

// columnSum is the largest sum of the sizes of the numbers in a column.
func columnSum(v view) float64 {
	r, c := v.dims()
	most := 0.0
	for j := range c {
		s := 0.0
		for i := range r {
			s += math.Abs(v.at(i, j))
		}
		if s > most {
			most = s
		}
	}
	return most
}

// frobenius is c sqrt(sum (a/c)²) for any constant c: no square overflows. Its gradient at
// the origin is 0.
func frobenius(v view, r, c int) float64 {
	most := 0.0
	for i := range r {
		for j := range c {
			if x := math.Abs(rt.Stop(v.at(i, j))); x > most {
				most = x
			}
		}
	}
	if most == 0 || math.IsInf(most, 1) {
		most = 1
	}
	s := 0.0
	for i := range r {
		for j := range c {
			x := v.at(i, j) / most
			s += x * x
		}
	}
	return most * math.Sqrt(s)
}

//quabla:rule for=gonum.org/v1/gonum/mat.Col as=col
func col(dst []float64, j int, a matrix) []float64 {
	v := viewOf(a)
	r, c := v.dims()
	if j < 0 || j >= c {
		panic(mat.ErrColAccess)
	}
	if dst == nil {
		dst = make([]float64, r)
	} else if len(dst) != r {
		panic(mat.ErrColLength)
	}
	for i := range r {
		dst[i] = v.at(i, j)
	}
	return dst
}

//quabla:rule for=gonum.org/v1/gonum/mat.Row as=row
func row(dst []float64, i int, a matrix) []float64 {
	v := viewOf(a)
	r, c := v.dims()
	if i < 0 || i >= r {
		panic(mat.ErrRowAccess)
	}
	if dst == nil {
		dst = make([]float64, c)
	} else if len(dst) != c {
		panic(mat.ErrRowLength)
	}
	for j := range c {
		dst[j] = v.at(i, j)
	}
	return dst
}

//quabla:rule for=gonum.org/v1/gonum/mat.Equal as=equal
func equal(a, b matrix) bool {
	x, y := viewOf(a), viewOf(b)
	r, c := x.dims()
	if s, d := y.dims(); r != s || c != d {
		return false
	}
	for i := range r {
		for j := range c {
			if x.at(i, j) != y.at(i, j) {
				return false
			}
		}
	}
	return true
}
