package check

// A Role says what a parameter or a result of a function is.
type Role int

const (
	Primal    Role = iota
	Tangent        // of a parameter or result
	Adjoint        // derivative with respect to a parameter, or its Bar in and out
	Cotangent      // of a result
	Direction      // of a Hessian-vector product
	Product        // Hessian times direction
)

// A Slot is a parameter or a result.
type Slot struct {
	Role     Role
	Of       int // the parameter, or result, of F that it belongs to
	OfResult bool
	InOut    bool
}

// A Func is a function derived from F, or F itself.
type Func struct {
	Name    string
	Verb    string // "" for F, "grad", "vjp", "jvp" or "hvp"
	Lanes   int
	Params  []Slot
	Results []Slot
	Wrt     []int // parameters of F
	Of
	Work bool // takes a work space in front
}

// An Of lists the outputs of F that are differentiated.
type Of struct {
	OfResults, OfParams []int
}

// A Plan says what to check about a program.
type Plan struct {
	ID     string
	Primal Func
	Funcs  []Func
	// Seeds are the seeds of the shapes of the arguments, a point each.
	Seeds []uint64
	// Positive makes all arguments positive.
	Positive bool
}

// An Outcome is what a call leaves: the floats in the parameters and results.
// States holds the integers in the parameters too, if the world knows them.
type Outcome struct {
	Params, Results [][]float64
	States          [][]float64
	Panic           string
}

// A World calls functions.
type World interface {
	// Count returns the number of floats in the parameters of F whose shapes
	// are those of seed.
	Count(seed uint64) []int
	// Call calls a function with new arguments, of the shapes of seed, that
	// hold the floats of in. Where in[i] is nil, the argument holds Garbage.
	Call(f *Func, seed uint64, in [][]float64) Outcome
}

// Garbage is what destinations hold before a call.
const Garbage = 7.25
