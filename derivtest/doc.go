// Package derivtest checks derived functions. It is for tests only: quablagen
// -tests writes, beside foo_quabla.go, a file foo_quablacheck_test.go that calls
// [Run] for each derived function of foo.go.
//
// # What is checked
//
// Run loads the source of the package as it is now, derives the functions again,
// in memory, and compares the compiled ones with
//
//   - the interpreter, which runs the fresh derivative: so an edited or stale
//     generated file fails;
//   - the function itself, for the values;
//   - central differences of the function, extrapolated. Where step sizes or the
//     two sides disagree there is a kink or a jump nearby, and the number is
//     skipped and counted. If every number was skipped, a subtest called
//     differences is skipped and says so. Where the function uses rt.Stop or a
//     custom rule the derivative may differ from differences on purpose, and
//     Run only logs that it does;
//   - the other mode: u'(Jv) = (J'u)'v, where that of the other directive on the
//     function is used if there is one, and one derived on the fly otherwise;
//     a Hessian must be symmetric.
//
// The batched form of a function is compared with the function, member by member.
// A nest of verbs is checked level by level, and forward mode also with 1, 2, 3,
// 4 and 8 lanes. Besides,
//
//   - arguments must end in the state in which the function itself leaves them;
//   - destinations must be overwritten, or added to if the directive says add, and
//     a second call must give what the first one gave;
//   - a function whose comment promises not to allocate must not, nor must the
//     form with a work space once that has grown;
//   - destinations, tangents and directions of the wrong length, and destinations
//     that share memory with another parameter, must give a panic that names both
//     parameters.
//
// # Points
//
// The arguments are made from the types of the parameters, pseudo-randomly but
// the same in every run: all slices of one call get the same small length, of
// several lengths; integers are small; structs are filled. Where the function
// panics, returns an error or computes something that is not finite, Run tries
// other arguments.
//
// If it finds none, or if they miss what matters, a function of the package makes
// them. For a function Fit or a method Model.Fit it is called
//
//	func quablaPointsFit(r *rand.Rand) (x, y []float64, degree int)
//	func quablaPointsModel_Fit(r *rand.Rand) (m *Model, x []float64)
//
// and returns the parameters of the function, the receiver first; rand is
// math/rand or math/rand/v2. It must take all its randomness from r. It usually
// stands in a _test.go file; quablagen -tests finds it there.
//
// # Custom rules
//
// [Rule] checks the rules that are registered with //quabla:custom_jvp,
// //quabla:custom_vjp or //quabla:rule. Run does so for those of the file: see the
// field Rules of [File]. Rules with the word surrogate in their directive are meant
// to differ from the derivative; so may, then, what is derived with them.
package derivtest
