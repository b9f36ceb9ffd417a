// Package analyze reads the user's packages: it loads and type-checks them,
// finds the //quabla: directives, and turns each into a [Request] with the
// signature of the function that it asks for.
//
// [Load] is the way in. It returns a [Program], whose packages carry their
// typed syntax (go/ast with a complete [types.Info]) and their requests.
// Problems are collected as diagnostics in Program.Diags; a package with an
// error is marked Bad and nothing may be written for it.
//
// # Loading
//
// The metadata of the packages comes from go/packages, their dependencies from
// export data. Packages that have directives, and those that import such a
// package, are parsed and type-checked here, in import order. Files that
// quablagen generated count as blank: in their place stands one file in memory
// with a stub for each derived function, so that code which calls FGrad
// type-checks before FGrad exists, when it has an older signature, and when its
// file is broken. The signatures depend on types only, so they are computed from
// a first check without function bodies; see check.go.
//
// The bodies of functions in dependencies are loaded on demand by
// [Program.FuncSource], into the same universe of types; see source.go.
//
// # Signatures
//
// [Derived] describes a derived function as lists of [Slot] values, each with a
// name, a type and a role. See signature.go for the rules and expr.go for how verbs
// nest.
package analyze
