// Package diag collects what is wrong with a user's program and prints it.
//
// A [Diagnostic] names the place, the problem in the user's words, why it
// matters (notes) and what to do about it (a hint). A [List] collects
// diagnostics in any order, from any goroutine; it sorts them, reports each
// cause once, and prints them as text for people ([List.Print]) or as one JSON
// object a line for programs ([List.PrintJSON]).
//
// [Nearest] finds the name that a mistyped name was meant to be.
package diag
