package mat

import (
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// positive panics unless the two are sizes of a matrix.
func positive(r, c int) {
	if r <= 0 || c <= 0 {
		if r == 0 || c == 0 {
			panic(mat.ErrZeroLength)
		}
		panic(mat.ErrNegativeDimension)
	}
}

//quabla:rule for=gonum.org/v1/gonum/mat.NewDense as=newDense
func newDense(r, c int, data []float64) *dense {
	positive(r, c)
	if data == nil {
		data = make([]float64, r*c)
	}
	if len(data) != r*c {
		panic(mat.ErrShape)
	}
	return &dense{general(r, c, data)}
}

//quabla:rule for=gonum.org/v1/gonum/mat.DenseCopyOf as=denseCopyOf
func denseCopyOf(a matrix) *dense {
	m := &dense{}
	m.CloneFrom(a)
	return m
}

func (m *dense) Dims() (r, c int) { return m.mat.Rows, m.mat.Cols }

func (m *dense) IsEmpty() bool { return m.mat.Stride == 0 }

func (m *dense) Reset() { m.mat = blas64.General{Data: m.mat.Data[:0]} }

func (m *dense) T() matrix { return denseT{m} }

func (m *dense) RawMatrix() blas64.General { return m.mat }

func (m *dense) SetRawMatrix(b blas64.General) { m.mat = b }

func (m *dense) At(i, j int) float64 {
	m.inside(i, j)
	return m.mat.Data[i*m.mat.Stride+j]
}

func (m *dense) Set(i, j int, v float64) {
	m.inside(i, j)
	m.mat.Data[i*m.mat.Stride+j] = v
}

func (m *dense) inside(i, j int) {
	if uint(i) >= uint(m.mat.Rows) {
		panic(mat.ErrRowAccess)
	}
	if uint(j) >= uint(m.mat.Cols) {
		panic(mat.ErrColAccess)
	}
}

// take makes m the r×c matrix with the given numbers, which belong to nobody else.
func (m *dense) take(r, c int, data []float64) {
	if m.IsEmpty() {
		m.mat = general(r, c, data)
		return
	}
	if m.mat.Rows != r || m.mat.Cols != c {
		panic(mat.ErrShape)
	}
	for i := range r {
		for j := range c {
			m.mat.Data[i*m.mat.Stride+j] = data[i*c+j]
		}
	}
}

func (m *dense) ReuseAs(r, c int) {
	positive(r, c)
	if !m.IsEmpty() {
		panic(mat.ErrReuseNonEmpty)
	}
	m.mat = general(r, c, make([]float64, r*c))
}

func (m *dense) Zero() {
	for i := range m.mat.Rows {
		for j := range m.mat.Cols {
			m.mat.Data[i*m.mat.Stride+j] = 0
		}
	}
}

func (m *dense) CloneFrom(a matrix) {
	v := viewOf(a)
	r, c := v.dims()
	m.mat = general(r, c, v.copied())
}

func (m *dense) Copy(a matrix) (r, c int) {
	v := viewOf(a)
	rows, cols := v.dims()
	r, c = min(rows, m.mat.Rows), min(cols, m.mat.Cols)
	data := v.copied()
	for i := range r {
		for j := range c {
			m.mat.Data[i*m.mat.Stride+j] = data[i*cols+j]
		}
	}
	return r, c
}

func (m *dense) SetRow(i int, src []float64) {
	if uint(i) >= uint(m.mat.Rows) {
		panic(mat.ErrRowAccess)
	}
	if len(src) != m.mat.Cols {
		panic(mat.ErrRowLength)
	}
	copy(m.mat.Data[i*m.mat.Stride:i*m.mat.Stride+m.mat.Cols], src)
}

func (m *dense) SetCol(j int, src []float64) {
	if uint(j) >= uint(m.mat.Cols) {
		panic(mat.ErrColAccess)
	}
	if len(src) != m.mat.Rows {
		panic(mat.ErrColLength)
	}
	for i, v := range src {
		m.mat.Data[i*m.mat.Stride+j] = v
	}
}

func (m *dense) RawRowView(i int) []float64 {
	if uint(i) >= uint(m.mat.Rows) {
		panic(mat.ErrRowAccess)
	}
	return m.mat.Data[i*m.mat.Stride : i*m.mat.Stride+m.mat.Cols]
}

func (m *dense) RowView(i int) vector {
	if uint(i) >= uint(m.mat.Rows) {
		panic(mat.ErrRowAccess)
	}
	return &vecDense{blas64.Vector{N: m.mat.Cols, Inc: 1, Data: m.mat.Data[i*m.mat.Stride : i*m.mat.Stride+m.mat.Cols]}}
}

func (m *dense) ColView(j int) vector {
	if uint(j) >= uint(m.mat.Cols) {
		panic(mat.ErrColAccess)
	}
	return &vecDense{blas64.Vector{N: m.mat.Rows, Inc: m.mat.Stride, Data: m.mat.Data[j : (m.mat.Rows-1)*m.mat.Stride+j+1]}}
}

// Slice ends at the size of the matrix; package mat lets it end at the capacity.
func (m *dense) Slice(i, k, j, l int) matrix {
	if i < 0 || m.mat.Rows <= i || j < 0 || m.mat.Cols <= j || k < i || m.mat.Rows < k || l < j || m.mat.Cols < l {
		if i == k || j == l {
			panic(mat.ErrZeroLength)
		}
		panic(mat.ErrIndexOutOfRange)
	}
	return &dense{blas64.General{
		Rows: k - i, Cols: l - j, Stride: m.mat.Stride,
		Data: m.mat.Data[i*m.mat.Stride+j : (k-1)*m.mat.Stride+l],
	}}
}

func (m *dense) Stack(a, b matrix) {
	x, y := viewOf(a), viewOf(b)
	r, c := x.dims()
	s, d := y.dims()
	if c != d {
		panic(mat.ErrShape)
	}
	data := make([]float64, (r+s)*c)
	copy(data, x.copied())
	copy(data[r*c:], y.copied())
	m.take(r+s, c, data)
}

func (m *dense) Augment(a, b matrix) {
	x, y := viewOf(a), viewOf(b)
	r, c := x.dims()
	s, d := y.dims()
	if r != s {
		panic(mat.ErrShape)
	}
	data := make([]float64, r*(c+d))
	for i := range r {
		for j := range c {
			data[i*(c+d)+j] = x.at(i, j)
		}
		for j := range d {
			data[i*(c+d)+c+j] = y.at(i, j)
		}
	}
	m.take(r, c+d, data)
}

func (m *dense) Trace() float64 { return trace(m) }

func (m *dense) Norm(ord float64) float64 { return norm(m, ord) }
