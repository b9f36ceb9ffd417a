// Package compile takes the requests of a package through the rooms: it lifts
// the function, applies the transforms that the request nests, adds the checks
// of the public form, and prints the generated file.
//
// It is the only place that knows all of analyze, ssair, deriv and emit. Its
// functions are the hooks of package generate.
package compile
