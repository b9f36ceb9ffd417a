package mat

import (
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// The types that stand for those of package mat. What open= names shares the numbers.

//quabla:rule for=gonum.org/v1/gonum/mat.Dense as=dense open=RawMatrix
//quabla:rule for=gonum.org/v1/gonum/mat.VecDense as=vecDense open=RawVector
//quabla:rule for=gonum.org/v1/gonum/mat.SymDense as=symDense open=RawSymmetric
//quabla:rule for=gonum.org/v1/gonum/mat.TriDense as=triDense open=RawTriangular
//quabla:rule for=gonum.org/v1/gonum/mat.DiagDense as=diagDense
//quabla:rule for=gonum.org/v1/gonum/mat.Cholesky as=cholesky
//quabla:rule for=gonum.org/v1/gonum/mat.LU as=lu
//quabla:rule for=gonum.org/v1/gonum/mat.Matrix as=matrix
//quabla:rule for=gonum.org/v1/gonum/mat.Vector as=vector
//quabla:rule for=gonum.org/v1/gonum/mat.Symmetric as=symmetric
//quabla:rule for=gonum.org/v1/gonum/mat.Triangular as=triangular

type dense struct{ mat blas64.General }

type vecDense struct{ mat blas64.Vector }

type symDense struct{ mat blas64.Symmetric }

type triDense struct{ mat blas64.Triangular }

type diagDense struct{ mat blas64.Vector }

// The interfaces have the methods that calls through them may use; what a value of them
// is, the rules find out by its type.
type matrix interface {
	Dims() (r, c int)
	At(i, j int) float64
	T() matrix
}

type vector interface {
	matrix
	AtVec(i int) float64
	Len() int
}

type symmetric interface {
	matrix
	SymmetricDim() int
}

type triangular interface {
	matrix
	Triangle() (n int, kind mat.TriKind)
	TTri() triangular
}
