// Package floats holds rules for functions of gonum's package floats that end in
// assembly: each function here stands for the one that its directive names and is
// differentiated in its place. Generated code calls the function itself where the
// order in which it adds shows in the value.
//
// Functions of package floats without a rule are differentiated from their source.
package floats
