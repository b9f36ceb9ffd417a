// Package linalg holds the products, substitutions and decompositions that the rules for
// gonum's package mat are made of, with their derivatives. Matrices are slices here, row by
// row; what a function returns is its own. Generated code calls it.
package linalg

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/quabla/quabla/rt"
)

// general returns r×c numbers as a matrix.
func general(r, c int, data []float64) blas64.General {
	return blas64.General{Rows: r, Cols: c, Stride: c, Data: data}
}

func transposed(t bool) blas.Transpose {
	if t {
		return blas.Trans
	}
	return blas.NoTrans
}

// copied returns a copy of x.
func copied(x []float64) []float64 {
	c := make([]float64, len(x))
	copy(c, x)
	return c
}

// constant returns a copy of x that no derivative knows.
func constant(x []float64) []float64 { return copied(rt.Stop(x)) }
