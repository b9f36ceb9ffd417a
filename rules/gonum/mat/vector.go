package mat

import (
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/quabla/quabla/rules/gonum/linalg"
)

//quabla:rule for=gonum.org/v1/gonum/mat.NewVecDense as=newVecDense
func newVecDense(n int, data []float64) *vecDense {
	positive(n, 1)
	if data == nil {
		data = make([]float64, n)
	}
	if len(data) != n {
		panic(mat.ErrShape)
	}
	return &vecDense{blas64.Vector{N: n, Inc: 1, Data: data}}
}

//quabla:rule for=gonum.org/v1/gonum/mat.VecDenseCopyOf as=vecDenseCopyOf
func vecDenseCopyOf(a vector) *vecDense {
	v := &vecDense{}
	v.CloneFromVec(a)
	return v
}

func (v *vecDense) Dims() (r, c int) {
	if v.IsEmpty() {
		return 0, 0
	}
	return v.mat.N, 1
}

func (v *vecDense) Len() int { return v.mat.N }

func (v *vecDense) IsEmpty() bool { return v.mat.Inc == 0 }

func (v *vecDense) Reset() { v.mat = blas64.Vector{Data: v.mat.Data[:0]} }

func (v *vecDense) T() matrix { return vecT{v} }

func (v *vecDense) TVec() vector { return vecT{v} }

func (v *vecDense) RawVector() blas64.Vector { return v.mat }

func (v *vecDense) SetRawVector(a blas64.Vector) { v.mat = a }

func (v *vecDense) At(i, j int) float64 {
	if uint(i) >= uint(v.mat.N) {
		panic(mat.ErrRowAccess)
	}
	if j != 0 {
		panic(mat.ErrColAccess)
	}
	return v.mat.Data[i*v.mat.Inc]
}

func (v *vecDense) AtVec(i int) float64 {
	if uint(i) >= uint(v.mat.N) {
		panic(mat.ErrRowAccess)
	}
	return v.mat.Data[i*v.mat.Inc]
}

func (v *vecDense) SetVec(i int, val float64) {
	if uint(i) >= uint(v.mat.N) {
		panic(mat.ErrVectorAccess)
	}
	v.mat.Data[i*v.mat.Inc] = val
}

// take makes v the vector of the given numbers, which belong to nobody else.
func (v *vecDense) take(data []float64) {
	if v.IsEmpty() {
		v.mat = blas64.Vector{N: len(data), Inc: 1, Data: data}
		return
	}
	if v.mat.N != len(data) {
		panic(mat.ErrShape)
	}
	for i, x := range data {
		v.mat.Data[i*v.mat.Inc] = x
	}
}

func (v *vecDense) ReuseAsVec(n int) {
	positive(n, 1)
	if !v.IsEmpty() {
		panic(mat.ErrReuseNonEmpty)
	}
	v.mat = blas64.Vector{N: n, Inc: 1, Data: make([]float64, n)}
}

func (v *vecDense) Zero() {
	for i := range v.mat.N {
		v.mat.Data[i*v.mat.Inc] = 0
	}
}

// gathered returns a copy of the numbers of a vector.
func gathered(x blas64.Vector) []float64 {
	data := make([]float64, x.N)
	for i := range data {
		data[i] = x.Data[i*x.Inc]
	}
	return data
}

func (v *vecDense) CloneFromVec(a vector) {
	data := gathered(viewOf(a).vector())
	v.mat = blas64.Vector{N: len(data), Inc: 1, Data: data}
}

func (v *vecDense) CopyVec(a vector) int {
	data := gathered(viewOf(a).vector())
	n := min(len(data), v.mat.N)
	for i := range n {
		v.mat.Data[i*v.mat.Inc] = data[i]
	}
	return n
}

// SliceVec ends at the size of the vector; package mat lets it end at the capacity.
func (v *vecDense) SliceVec(i, k int) vector {
	if i < 0 || k <= i || v.mat.N < k {
		panic(mat.ErrIndexOutOfRange)
	}
	return &vecDense{blas64.Vector{N: k - i, Inc: v.mat.Inc, Data: v.mat.Data[i*v.mat.Inc : (k-1)*v.mat.Inc+1]}}
}

// pair returns two vectors of the same length.
func pair(a, b vector) (x, y blas64.Vector) {
	x, y = viewOf(a).vector(), viewOf(b).vector()
	if x.N != y.N {
		panic(mat.ErrShape)
	}
	return x, y
}

func (v *vecDense) AddVec(a, b vector) {
	x, y := pair(a, b)
	data := make([]float64, x.N)
	for i := range data {
		data[i] = x.Data[i*x.Inc] + y.Data[i*y.Inc]
	}
	v.take(data)
}

func (v *vecDense) SubVec(a, b vector) {
	x, y := pair(a, b)
	data := make([]float64, x.N)
	for i := range data {
		data[i] = x.Data[i*x.Inc] - y.Data[i*y.Inc]
	}
	v.take(data)
}

func (v *vecDense) MulElemVec(a, b vector) {
	x, y := pair(a, b)
	data := make([]float64, x.N)
	for i := range data {
		data[i] = x.Data[i*x.Inc] * y.Data[i*y.Inc]
	}
	v.take(data)
}

func (v *vecDense) DivElemVec(a, b vector) {
	x, y := pair(a, b)
	data := make([]float64, x.N)
	for i := range data {
		data[i] = x.Data[i*x.Inc] / y.Data[i*y.Inc]
	}
	v.take(data)
}

func (v *vecDense) ScaleVec(alpha float64, a vector) {
	x := viewOf(a).vector()
	data := make([]float64, x.N)
	for i := range data {
		data[i] = alpha * x.Data[i*x.Inc]
	}
	v.take(data)
}

func (v *vecDense) AddScaledVec(a vector, alpha float64, b vector) {
	x, y := pair(a, b)
	data := make([]float64, x.N)
	for i := range data {
		data[i] = x.Data[i*x.Inc] + alpha*y.Data[i*y.Inc]
	}
	v.take(data)
}

func (v *vecDense) MulVec(a matrix, b vector) {
	x := viewOf(a)
	r, inner := x.dims()
	y := viewOf(b)
	rows, c := y.dims()
	if inner != rows || c != 1 {
		panic(mat.ErrShape)
	}
	v.take(linalg.Product(x.g.Data, x.g.Stride, x.trans, y.g.Data, y.g.Stride, y.trans, r, inner, 1))
}

func (v *vecDense) Norm(ord float64) float64 { return norm(v, ord) }
