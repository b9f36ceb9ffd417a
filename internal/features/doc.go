// Package features runs the feature cases: short descriptions of what comes out
// of elementary functions, transforms, structs, control flow and the compiler,
// one JSON object a line in testdata/cases.jsonl.
//
// Most cases state numbers. A program in testdata/programs says which function a
// case is about and which of its numbers is what; together they become cases of
// the conformance bank, so that each number is checked in every mode, in
// generated code and in the interpreter, and in batches. What is no number has a test of its own
// here, under the name of the case. What cannot apply to Go is listed with the
// reason, in testdata/inapplicable.txt.
//
// # Programs
//
// A file holds programs of the form
//
//	== id id ...
//	field = r0 by x s
//	---
//	func F(x, s float64) float64 { ... }
//
// An id may be a pattern; a case that another program names is left out of it.
// The function is called F. Its parameters are inputs of the case with the same
// names. Where an input is a list and the parameter is not, each element is a
// point. In the source $call stands for the call in the sketch of the case and
// $params for its parameters.
//
// A line says what a field of the case is: output 0, r0, or a derivative of it by
// the leaves behind "by", where the name of a parameter with several leaves
// stands for all of them, in order. Several outputs with the same numbers are
// parted by commas, r* are all outputs, r1* those from 1 on; "same" says that all
// numbers of a list are that one; "diag" takes the entries where two such leaves agree, and
// "off" all others, which are equal. Without such a line the name of the field
// decides: see [fieldDefault]. Other lines are
//
//	arg p = T{A: $a} ; p.A[0] p.A[1]   an argument that is no input, and its leaves
//	const x n                          parameters that are not differentiated by
//	product n x                        points are all combinations; fields have lists of lists
//	outs 3                             the number of outputs, if the results do not tell
//	free a b                           inputs that the source spells out itself
//	panics a b                         F panics; fields that say how
//	bits a b                           fields that say that values and interpreter agree bit for bit
//	about a b                          fields about another implementation
//	elsewhere a b                      fields that another program for the case has
//	test a b                           fields that a test of the case's name checks
package features
