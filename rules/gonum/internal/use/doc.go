// Package use calls the functions of gonum that have rules, in every mode. Its
// generated tests compare the derivatives with differences, with the interpreter where
// it can run them, and with one another.
package use

//go:generate go tool quablagen -tests
