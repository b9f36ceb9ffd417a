package probe

// A Val is a value of the program under test, in the form of a World.
type Val any

// A World runs functions of one case in one way. Function names are those of the
// case's package. Its methods may be called from several goroutines if the way is
// compiled code.
type World interface {
	// Args returns fresh arguments of the entry function.
	Args(point int) ([]Val, error)

	// Call calls a function. The error is a *PanicError, an *UncheckedError, or
	// says what else is wrong.
	Call(fn string, args []Val) ([]Val, error)

	// CallValue calls a function value, of fn's result i.
	CallValue(f Val, args []Val) ([]Val, error)

	// Leaves returns the floats that can be reached from v: fields and elements
	// in order, values of maps in the order of their keys, a complex number as
	// its real and imaginary part. Names names them, as the bank does.
	Leaves(v Val) []float64
	Names(name string, v Val) []string

	// SetLeaves sets the leaves of v, in memory that it refers to, and returns v
	// as it is then.
	SetLeaves(v Val, xs []float64) Val

	// ZeroLike returns copies, with their memory, of values that may share
	// memory; all floats are zero.
	ZeroLike(vs []Val) []Val

	// Fit turns v into an argument for parameter i of a function: v itself, or
	// a pointer to it.
	Fit(fn string, i int, v Val) (Val, error)

	// Lanes returns a value of the type of parameter i of a function, which has
	// the shape of v with an array for each float, and fills the arrays.
	Lanes(fn string, i int, v Val, lanes [][]float64) (Val, error)

	// Matrix returns a matrix for parameter i of a function, filled with x, and
	// a way to read it.
	Matrix(fn string, i, rows, cols int, x float64) (Val, func(i, j int) float64, error)

	// ZeroResult returns the zero value of result i of a function; ok is false
	// if that is nil.
	ZeroResult(fn string, i int) (v Val, ok bool)

	// Batch returns the argument for parameter i of a function that has a batch
	// axis, made of members as Fit makes them, and Members takes it apart.
	Batch(fn string, i int, members []Val) (Val, error)
	Members(batch Val) []Val

	// Failed reports whether v is an error, and not nil.
	Failed(v Val) bool

	// State describes everything that can be reached from v.
	State(v Val) string
}

// A PanicError is a panic of the function that was called.
type PanicError struct {
	Text  string // as fmt.Sprint spells its value
	Stack string
}

func (e *PanicError) Error() string { return "panic: " + e.Text }

// An UncheckedError says why something cannot be checked in this way.
type UncheckedError struct{ Why string }

func (e *UncheckedError) Error() string { return e.Why }
