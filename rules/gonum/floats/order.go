package floats

import (
	"gonum.org/v1/gonum/floats"

	"github.com/quabla/quabla/rt"
)

// Sorting is a permutation, which the function itself finds on a copy of constants.

//quabla:rule for=gonum.org/v1/gonum/floats.Argsort as=argsort
func argsort(dst []float64, inds []int) {
	old, keys := unsorted(dst)
	floats.Argsort(keys, inds) // checks the lengths
	permute(dst, old, inds)
}

//quabla:rule for=gonum.org/v1/gonum/floats.ArgsortStable as=argsortStable
func argsortStable(dst []float64, inds []int) {
	old, keys := unsorted(dst)
	floats.ArgsortStable(keys, inds)
	permute(dst, old, inds)
}

func unsorted(s []float64) (old, keys []float64) {
	old, keys = make([]float64, len(s)), make([]float64, len(s))
	for i, v := range s {
		old[i], keys[i] = v, rt.Stop(v)
	}
	return old, keys
}

func permute(dst, old []float64, inds []int) {
	for i, k := range inds {
		dst[i] = old[k]
	}
}
