// Package emit turns functions of the IR into Go source.
//
// It knows names, types and gofmt, and no derivative rule. A function is
// printed in three steps. The plan decides which values are written where they
// are used and which get a variable. Values whose lives do not overlap and that
// belong together (the states of one variable of the source, what a loop
// carries, what an if chooses) then share one Go variable. Last, statements
// are printed: loops and ifs keep the shape that the source gave them.
package emit
