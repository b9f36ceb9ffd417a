// Package bank runs the conformance bank: a folder of small Go programs with their
// exact derivatives.
//
//	go test ./internal/bank -run TestBank -args -bank=DIR
//
// The default folder is testdata/bank of the project. Further arguments: -case and
// -mode are patterns of cases and modes to run, -keep keeps the generated packages;
// go test -v prints a line for each case and all findings; go test -race runs the
// compiled cases under the race detector.
//
// # A case
//
// A file NAME.go-txt begins with header lines "key: value", up to a line "---":
//
//	accept    what is right: exact numbers; exact-or-refuse; refuse; convention
//	          (at a kink, numbers within the @allow intervals); budget (as exact)
//	entry     the function to differentiate
//	imports   packages that the snippet needs, "m math" under another name, or -
//	modes     operators that must work: grad jvp vjp jac hess hvp third higher vmap
//	batch     the points form one batch
//	standin   deriv=rt.Deriv: call the operator instead of that function
//	rule      vjp F=FRule wrt=p: register a custom rule; several parted by ";"
//
// Then comes a Go snippet without package clause and imports, and behind the last
// line of code comments with the expectations at one or more points:
//
//	// @refuse what the diagnostic of a refusal must name
//	// @point p1
//	// @arg x = []float64{1, 2} ; active       (or const)
//	// @leaves x[0] , x[1]                     independent floats, in order
//	// @outs r0 , post x[0]                    results; entries of x after the call
//	// @val 5 1
//	// @jac r0 : 2 4                           one entry for each leaf
//	// @hess r0 : 2 0 ; 0 2
//	// @d3 r0 xxy : 1                          or "order 3" if there is one leaf
//	// @allow r0 x[0] -1 1                     accepted interval of an entry
//	// @rtol 1e-9                              of first derivatives, else 1e-12
//	// @panics                                 instead of numbers: F panics here
//	// @check vtol=1e-9                        tolerance of values, else 1e-12
//	// @note NaN is also accepted              or: accept either -1/3 or 0
//
// # What is done with it
//
// The snippet becomes a package as it is, with directives above the entry function:
// grad, vjp, jvp with one lane and with four, jacobian, and where second derivatives
// are stated hvp, hessian and the nests of two verbs that the signature allows; where
// higher ones are stated nests of three or four. All packages of a run lie in one
// folder below testdata, are loaded once by each of a few processes, and are compiled
// into one program. Every derived function is checked three ways: compiled, in the
// interpreter on its IR, and compiled in save-everything mode.
//
// At each point, rows come from unit seeds and directions, then one call has all of
// them set. After each call the arguments must be as the function itself leaves
// them, and values must be those that it gives. Destinations are full of rubbish
// before the first call and are used for a second one. First derivatives are also
// computed by several goroutines at once. Where the function panics, derived
// functions must panic alike. Package probe has the details.
//
// # What comes out
//
// A case fails if a number is wrong, something crashes or hangs, or generated code
// does not compile. It is skipped if a listed mode is refused with a diagnostic
// although the case does not allow that; a mode is refused only if none of the
// operators that give its numbers works. A refusal that the case allows passes if the
// diagnostic points into the snippet and names what @refuse asks for; see asked. The
// verbs jacobian and hessian are not needed for jac and hess.
//
// Generation runs in processes of its own, and so do the compiled cases: a crash,
// a hang or a stack overflow costs the one case that it happens in.
package bank
