// Package mat holds rules for gonum's package mat. The fields of its types are its own
// affair, so that types stand for them here whose fields are what the methods of the
// originals give: RawMatrix, RawVector and so on. Their methods, and the functions that
// directives name, are ordinary code, which is differentiated as it stands.
package mat
