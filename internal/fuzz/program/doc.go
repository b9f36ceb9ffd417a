// Package program writes random Go programs to be differentiated.
//
// [New] returns the text of a package with a function F of floats, slices,
// arrays, structs and pointers, and what F calls. A program depends on its seed
// alone. It terminates, indexes within bounds, dereferences no nil pointer and
// divides by nothing near zero, so that a panic in a derived function is a fault.
// Each program uses a random part of the language, so that rare combinations of
// few constructs occur as well as common ones of many.
package program
