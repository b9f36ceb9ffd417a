// Package blas64 holds rules for functions of gonum's package blas64, which call
// whatever implementation of BLAS is in use: each function here stands for the one that
// its directive names and is differentiated in its place. Values come from that
// implementation, derivatives are those of the loops.
package blas64
