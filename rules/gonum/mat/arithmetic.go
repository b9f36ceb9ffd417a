package mat

import (
	"gonum.org/v1/gonum/mat"

	"github.com/quabla/quabla/rules/gonum/linalg"
)

// multiplied returns the product of two matrices.
func multiplied(x, y view) (r, c int, data []float64) {
	r, inner := x.dims()
	rows, c := y.dims()
	if inner != rows {
		panic(mat.ErrShape)
	}
	return r, c, linalg.Product(x.g.Data, x.g.Stride, x.trans, y.g.Data, y.g.Stride, y.trans, r, inner, c)
}

func (m *dense) Mul(a, b matrix) { m.take(multiplied(viewOf(a), viewOf(b))) }

func (m *dense) Add(a, b matrix) {
	x, y := viewOf(a), viewOf(b)
	r, c := sameDims(x, y)
	data := make([]float64, r*c)
	for i := range r {
		for j := range c {
			data[i*c+j] = x.at(i, j) + y.at(i, j)
		}
	}
	m.take(r, c, data)
}

func (m *dense) Sub(a, b matrix) {
	x, y := viewOf(a), viewOf(b)
	r, c := sameDims(x, y)
	data := make([]float64, r*c)
	for i := range r {
		for j := range c {
			data[i*c+j] = x.at(i, j) - y.at(i, j)
		}
	}
	m.take(r, c, data)
}

func (m *dense) MulElem(a, b matrix) {
	x, y := viewOf(a), viewOf(b)
	r, c := sameDims(x, y)
	data := make([]float64, r*c)
	for i := range r {
		for j := range c {
			data[i*c+j] = x.at(i, j) * y.at(i, j)
		}
	}
	m.take(r, c, data)
}

func (m *dense) DivElem(a, b matrix) {
	x, y := viewOf(a), viewOf(b)
	r, c := sameDims(x, y)
	data := make([]float64, r*c)
	for i := range r {
		for j := range c {
			data[i*c+j] = x.at(i, j) / y.at(i, j)
		}
	}
	m.take(r, c, data)
}

func (m *dense) Scale(f float64, a matrix) {
	x := viewOf(a)
	r, c := x.dims()
	data := make([]float64, r*c)
	for i := range r {
		for j := range c {
			data[i*c+j] = f * x.at(i, j)
		}
	}
	m.take(r, c, data)
}

func (m *dense) Apply(fn func(i, j int, v float64) float64, a matrix) {
	x := viewOf(a)
	r, c := x.dims()
	data := make([]float64, r*c)
	for i := range r {
		for j := range c {
			data[i*c+j] = fn(i, j, x.at(i, j))
		}
	}
	m.take(r, c, data)
}

func (m *dense) Outer(alpha float64, x, y vector) {
	u, v := viewOf(x).vector(), viewOf(y).vector()
	data := make([]float64, u.N*v.N)
	for i := range u.N {
		for j := range v.N {
			data[i*v.N+j] = alpha * u.Data[i*u.Inc] * v.Data[j*v.Inc]
		}
	}
	m.take(u.N, v.N, data)
}

func (m *dense) RankOne(a matrix, alpha float64, x, y vector) {
	w, u, v := viewOf(a), viewOf(x).vector(), viewOf(y).vector()
	r, c := w.dims()
	if u.N != r || v.N != c {
		panic(mat.ErrShape)
	}
	data := make([]float64, r*c)
	for i := range r {
		for j := range c {
			data[i*c+j] = w.at(i, j) + alpha*u.Data[i*u.Inc]*v.Data[j*v.Inc]
		}
	}
	m.take(r, c, data)
}

func (m *dense) Kronecker(a, b matrix) {
	x, y := viewOf(a), viewOf(b)
	r, c := x.dims()
	s, d := y.dims()
	data := make([]float64, r*s*c*d)
	for i := range r {
		for j := range c {
			for k := range s {
				for l := range d {
					data[(i*s+k)*c*d+j*d+l] = x.at(i, j) * y.at(k, l)
				}
			}
		}
	}
	m.take(r*s, c*d, data)
}

// Pow multiplies n times, where package mat squares.
func (m *dense) Pow(a matrix, n int) {
	if n < 0 {
		panic("mat: illegal power")
	}
	x := viewOf(a)
	r, c := x.dims()
	if r != c {
		panic(mat.ErrShape)
	}
	data := make([]float64, r*r)
	for i := range r {
		data[i*r+i] = 1
	}
	for range n {
		_, _, data = multiplied(view{general(r, r, data), false}, x)
	}
	m.take(r, r, data)
}
