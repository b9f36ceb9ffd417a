// Package fuzz derives random programs and compares what comes out with central
// differences.
//
// A [Batch] of programs goes through the generator together, is compiled once,
// and is checked in three ways: the compiled code, the IR in the interpreter, and
// the IR of derivatives that save every value, in the interpreter too. A program
// that the generator refuses counts for nothing but its reason. Whatever else
// goes wrong is a [Fault]: a wrong number, a panic, code that does not compile,
// a generator that fails or does not end.
//
// The test runs a few dozen programs. For more:
//
//	go test ./internal/fuzz -run TestPrograms -args -n=10000 -seed=1
//
// It prints the faults with programs made as small as they get.
package fuzz
