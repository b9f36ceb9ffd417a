// Package check compares derived functions with the function that they are
// derived from: with central differences, and with each other.
//
// A [Checker] works in a [World], which can call the functions of one program by
// name with numbers for the floats in their parameters: [Native] calls compiled
// functions by reflection, and package fuzz has a world that interprets the IR.
// [Main] is the program that checks compiled functions.
package check
