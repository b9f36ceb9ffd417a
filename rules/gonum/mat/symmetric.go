package mat

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// upper returns n×n numbers as a symmetric matrix. Of its numbers those in the upper triangle
// count.
func upper(n int, data []float64) blas64.Symmetric {
	return blas64.Symmetric{N: n, Stride: n, Data: data, Uplo: blas.Upper}
}

//quabla:rule for=gonum.org/v1/gonum/mat.NewSymDense as=newSymDense
func newSymDense(n int, data []float64) *symDense {
	positive(n, n)
	if data == nil {
		data = make([]float64, n*n)
	}
	if len(data) != n*n {
		panic(mat.ErrShape)
	}
	return &symDense{upper(n, data)}
}

func (s *symDense) Dims() (r, c int) { return s.mat.N, s.mat.N }

func (s *symDense) SymmetricDim() int { return s.mat.N }

func (s *symDense) IsEmpty() bool { return s.mat.N == 0 }

func (s *symDense) Reset() { s.mat = upper(0, s.mat.Data[:0]) }

func (s *symDense) T() matrix { return s }

func (s *symDense) RawSymmetric() blas64.Symmetric { return s.mat }

func (s *symDense) SetRawSymmetric(m blas64.Symmetric) {
	if m.Uplo != blas.Upper {
		panic("mat: blas64.Symmetric not upper")
	}
	s.mat = m
}

func (s *symDense) At(i, j int) float64 { return s.mat.Data[s.place(i, j)] }

func (s *symDense) SetSym(i, j int, v float64) { s.mat.Data[s.place(i, j)] = v }

// place returns where the element is kept, of which there is one above the diagonal.
func (s *symDense) place(i, j int) int {
	if uint(i) >= uint(s.mat.N) {
		panic(mat.ErrRowAccess)
	}
	if uint(j) >= uint(s.mat.N) {
		panic(mat.ErrColAccess)
	}
	if j < i {
		i, j = j, i
	}
	return i*s.mat.Stride + j
}

// take makes s the matrix with the given numbers, which belong to nobody else.
func (s *symDense) take(n int, data []float64) {
	if s.IsEmpty() {
		s.mat = upper(n, data)
		return
	}
	if s.mat.N != n {
		panic(mat.ErrShape)
	}
	for i := range n {
		for j := i; j < n; j++ {
			s.mat.Data[i*s.mat.Stride+j] = data[i*n+j]
		}
	}
}

func (s *symDense) ReuseAsSym(n int) {
	positive(n, n)
	if !s.IsEmpty() {
		panic(mat.ErrReuseNonEmpty)
	}
	s.mat = upper(n, make([]float64, n*n))
}

func (s *symDense) Zero() {
	for i := range s.mat.N {
		for j := i; j < s.mat.N; j++ {
			s.mat.Data[i*s.mat.Stride+j] = 0
		}
	}
}

func (s *symDense) CopySym(a symmetric) int {
	x := symmetricOf(a)
	n := min(x.N, s.mat.N)
	for i := range n {
		for j := i; j < n; j++ {
			s.mat.Data[i*s.mat.Stride+j] = x.Data[i*x.Stride+j]
		}
	}
	return n
}

func (s *symDense) AddSym(a, b symmetric) {
	x, y := symmetricOf(a), symmetricOf(b)
	if x.N != y.N {
		panic(mat.ErrShape)
	}
	data := make([]float64, x.N*x.N)
	for i := range x.N {
		for j := i; j < x.N; j++ {
			data[i*x.N+j] = x.Data[i*x.Stride+j] + y.Data[i*y.Stride+j]
		}
	}
	s.take(x.N, data)
}

func (s *symDense) ScaleSym(f float64, a symmetric) {
	x := symmetricOf(a)
	data := make([]float64, x.N*x.N)
	for i := range x.N {
		for j := i; j < x.N; j++ {
			data[i*x.N+j] = f * x.Data[i*x.Stride+j]
		}
	}
	s.take(x.N, data)
}

func (s *symDense) SymRankOne(a symmetric, alpha float64, x vector) {
	w, u := symmetricOf(a), viewOf(x).vector()
	if u.N != w.N {
		panic(mat.ErrShape)
	}
	data := make([]float64, w.N*w.N)
	for i := range w.N {
		for j := i; j < w.N; j++ {
			data[i*w.N+j] = w.Data[i*w.Stride+j] + alpha*u.Data[i*u.Inc]*u.Data[j*u.Inc]
		}
	}
	s.take(w.N, data)
}

func (s *symDense) RankTwo(a symmetric, alpha float64, x, y vector) {
	w := symmetricOf(a)
	u, v := pair(x, y)
	if u.N != w.N {
		panic(mat.ErrShape)
	}
	data := make([]float64, w.N*w.N)
	for i := range w.N {
		for j := i; j < w.N; j++ {
			data[i*w.N+j] = w.Data[i*w.Stride+j] + alpha*(u.Data[i*u.Inc]*v.Data[j*v.Inc]+v.Data[i*v.Inc]*u.Data[j*u.Inc])
		}
	}
	s.take(w.N, data)
}

// outer adds alpha X X' to the upper triangle of n×n numbers.
func outer(data []float64, n int, alpha float64, x view) {
	_, c := x.dims()
	for i := range n {
		for j := i; j < n; j++ {
			sum := 0.0
			for k := range c {
				sum += x.at(i, k) * x.at(j, k)
			}
			data[i*n+j] += alpha * sum
		}
	}
}

func (s *symDense) SymRankK(a symmetric, alpha float64, x matrix) {
	w, v := symmetricOf(a), viewOf(x)
	r, _ := v.dims()
	if r != w.N {
		panic(mat.ErrShape)
	}
	data := make([]float64, r*r)
	for i := range r {
		for j := i; j < r; j++ {
			data[i*r+j] = w.Data[i*w.Stride+j]
		}
	}
	outer(data, r, alpha, v)
	s.take(r, data)
}

func (s *symDense) SymOuterK(alpha float64, x matrix) {
	v := viewOf(x)
	r, _ := v.dims()
	data := make([]float64, r*r)
	outer(data, r, alpha, v)
	s.take(r, data)
}

func (s *symDense) Trace() float64 { return trace(s) }

func (s *symDense) Norm(ord float64) float64 { return norm(s, ord) }
