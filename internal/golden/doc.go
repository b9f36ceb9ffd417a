// Package golden holds the test of the archives in testdata/golden: what the
// command makes of a source file, to be read by people.
//
// An archive has a source file, src.go, and what comes of it: the generated file
// src_quabla.go and the intermediate representation ir.txt, or diagnostics.txt,
// which is what the command prints. Its comment says what to look at.
//
//	go test ./internal/golden -update
//
// rewrites what comes of the sources; the difference is for the reviewer.
//
// All generated code is compiled and run: every derived function whose parameters
// can be made up is compared with central differences and with the others, and
// where an archive has a file check.go, its function Check is called.
package golden
