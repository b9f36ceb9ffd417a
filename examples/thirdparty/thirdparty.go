// Package thirdparty differentiates functions of other people's packages, all from
// their own source, which knows nothing of derivatives: what they do to numbers is
// read from the module cache and differentiated in place. Each function here calls
// one of gonum and has a gradient in a generated file beside it.
package thirdparty

//go:generate go tool quablagen -tests
