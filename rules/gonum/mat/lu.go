package mat

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/quabla/quabla/rt"
	"github.com/quabla/quabla/rules/gonum/linalg"
)

// An lu is a matrix with its factors. The matrix itself serves the determinant of one that is singular.
type lu struct {
	a     []float64
	lu    blas64.General
	swaps []int
	cond  float64
	ok    bool // the matrix is not singular
}

const badLU = "mat: invalid LU factorization"

func (f *lu) Dims() (r, c int) { return f.lu.Rows, f.lu.Cols }

func (f *lu) Factorize(a matrix) {
	v := viewOf(a)
	n, c := v.dims()
	if n != c {
		panic(mat.ErrSquare)
	}
	f.a = v.copied()
	data, swaps, ok := linalg.FactorLU(f.a, n)
	f.lu, f.swaps, f.ok = general(n, n, data), swaps, ok
	f.cond = linalg.LUCondition(f.a, data, n)
}

func (f *lu) valid() {
	if f.lu.Rows == 0 {
		panic(badLU)
	}
}

func (f *lu) Cond() float64 {
	f.valid()
	return f.cond
}

func (f *lu) LogDet() (det, sign float64) {
	f.valid()
	sign = 1
	for i := range f.lu.Rows {
		v := f.lu.Data[i*f.lu.Stride+i]
		if v < 0 {
			sign = -sign
		}
		if f.swaps[i] != i {
			sign = -sign
		}
		det += math.Log(math.Abs(v))
	}
	return det, sign
}

func (f *lu) Det() float64 {
	if !f.ok {
		if f.lu.Rows == 0 {
			return 0
		}
		return rt.As(0, singularDet(f.lu.Rows, f.a))
	}
	det, sign := f.LogDet()
	return math.Exp(det) * sign
}

// singularDet is the determinant of a singular n×n matrix for its derivatives: the product
// of the pivots, which are chosen among all numbers that are left. If the last one alone is
// 0, no division is by 0; if others are, the determinant has no slope.
func singularDet(n int, a []float64) float64 {
	w := append([]float64(nil), rt.Stop(a)...)
	rows, cols := make([]int, n), make([]int, n)
	for i := range n {
		rows[i], cols[i] = i, i
	}
	sign := 1.0
	for k := range n {
		p, q, most := k, k, 0.0
		for i := k; i < n; i++ {
			for j := k; j < n; j++ {
				if x := math.Abs(w[rows[i]*n+cols[j]]); x > most {
					p, q, most = i, j, x
				}
			}
		}
		if most == 0 && k < n-1 {
			return 0
		}
		if p != k {
			rows[p], rows[k] = rows[k], rows[p]
			sign = -sign
		}
		if q != k {
			cols[q], cols[k] = cols[k], cols[q]
			sign = -sign
		}
		for i := k + 1; i < n; i++ {
			l := w[rows[i]*n+cols[k]] / w[rows[k]*n+cols[k]]
			for j := k + 1; j < n; j++ {
				w[rows[i]*n+cols[j]] -= l * w[rows[k]*n+cols[j]]
			}
		}
	}
	m := make([]float64, n*n)
	det := sign
	for i := range n {
		for j := range n {
			sum := a[rows[i]*n+cols[j]]
			for k := range min(i, j) {
				sum -= m[i*n+k] * m[k*n+j]
			}
			if j < i {
				sum /= m[j*n+j]
			}
			m[i*n+j] = sum
		}
		det *= m[i*n+i]
	}
	return det
}

// solve returns the solution for the c columns of b: L y has the numbers of b in the order of
// the rows and U x = y, or U' y = b and L' has x in this order.
func (f *lu) solve(trans bool, b view, c int) []float64 {
	n := f.lu.Rows
	p := linalg.InOrder(f.swaps)
	data := make([]float64, n*c)
	if trans {
		y := linalg.Substitute(f.lu.Data, n, false, false, true, b.copied(), c)
		x := linalg.Substitute(f.lu.Data, n, true, true, true, y, c)
		for i := range n {
			for j := range c {
				data[p[i]*c+j] = x[i*c+j]
			}
		}
		return data
	}
	for i := range n {
		for j := range c {
			data[i*c+j] = b.at(p[i], j)
		}
	}
	y := linalg.Substitute(f.lu.Data, n, true, true, false, data, c)
	return linalg.Substitute(f.lu.Data, n, false, false, false, y, c)
}

func (f *lu) SolveTo(dst *dense, trans bool, b matrix) error {
	f.valid()
	v := viewOf(b)
	n, c := v.dims()
	if n != f.lu.Rows {
		panic(mat.ErrShape)
	}
	if !f.ok {
		return mat.Condition(math.Inf(1))
	}
	dst.take(n, c, f.solve(trans, v, c))
	return illConditioned(f.cond)
}

func (f *lu) SolveVecTo(dst *vecDense, trans bool, b vector) error {
	f.valid()
	v := viewOf(b)
	n, c := v.dims()
	if n != f.lu.Rows || c != 1 {
		panic(mat.ErrShape)
	}
	if !f.ok {
		return mat.Condition(math.Inf(1))
	}
	dst.take(f.solve(trans, v, 1))
	return illConditioned(f.cond)
}

// noFactors panics for a singular matrix: its factors have no derivative.
func (f *lu) noFactors() {
	f.valid()
	if !f.ok {
		panic("mat: no derivative of the factors of a singular matrix")
	}
}

func (f *lu) LTo(dst *triDense) *triDense {
	f.noFactors()
	n := f.lu.Rows
	data := make([]float64, n*n)
	for i := range n {
		for j := range i {
			data[i*n+j] = f.lu.Data[i*f.lu.Stride+j]
		}
		data[i*n+i] = 1
	}
	dst.take(n, mat.Lower, data)
	return dst
}

func (f *lu) UTo(dst *triDense) {
	f.noFactors()
	n := f.lu.Rows
	data := make([]float64, n*n)
	for i := range n {
		for j := i; j < n; j++ {
			data[i*n+j] = f.lu.Data[i*f.lu.Stride+j]
		}
	}
	dst.take(n, mat.Upper, data)
}

func (f *lu) RowPivots(dst []int) []int {
	f.valid()
	n := f.lu.Rows
	if dst == nil {
		dst = make([]int, n)
	}
	if len(dst) != n {
		panic("mat: improper slice length")
	}
	for i := range dst {
		dst[i] = i
	}
	for i := n - 1; i >= 0; i-- {
		k := f.swaps[i]
		dst[i], dst[k] = dst[k], dst[i]
	}
	return dst
}

// illConditioned is the error for a matrix with the given condition number, if it is one.
func illConditioned(cond float64) error {
	if cond > mat.ConditionTolerance {
		return mat.Condition(cond)
	}
	return nil
}

//quabla:rule for=gonum.org/v1/gonum/mat.Det as=det
func det(a matrix) float64 {
	var f lu
	f.Factorize(a)
	return f.Det()
}

//quabla:rule for=gonum.org/v1/gonum/mat.LogDet as=logDet
func logDet(a matrix) (det, sign float64) {
	var f lu
	f.Factorize(a)
	return f.LogDet()
}

func (m *dense) Inverse(a matrix) error {
	var f lu
	f.Factorize(a)
	n := f.lu.Rows
	if !f.ok {
		m.take(n, n, append([]float64(nil), rt.Stop(f.lu.Data)...))
		return mat.Condition(math.Inf(1))
	}
	m.take(n, n, f.solve(false, view{general(n, n, identity(n)), false}, n))
	return illConditioned(f.cond)
}

func identity(n int) []float64 {
	data := make([]float64, n*n)
	for i := range n {
		data[i*n+i] = 1
	}
	return data
}
