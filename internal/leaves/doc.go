// Package leaves looks at Go values as the derivatives see them: as lists of
// floats. The leaves of a value are the floats that can be reached from it, in
// the order of fields and indices, through pointers, slices up to their length,
// maps in the order of their keys, and interfaces; a complex number is two of
// them. Package ssair/interp has the same order for the values of the
// interpreter.
//
// Fields that are not exported count like others, so values here may come from
// any package.
package leaves
