package analyze

import (
	"go/types"
	"slices"
	"strings"
)

// The signature of a derived function depends on the directive and on types
// only, never on what the body does:
//
//   - The receiver and the parameters of the function stay, under their names; a
//     variadic parameter becomes a slice. Its results stay and come first among
//     the results, except that an error in the last place stays last.
//   - The derivative with respect to a value-like parameter (see [ValueLike]) is
//     a result. With respect to a reference-like one it is a destination: a
//     parameter, before those of the function, in their order. A destination has
//     the parameter's type T, or *T if T is an array or a struct.
//   - Names: the derivative of x is dx in grad, xBar in vjp and pullback; its
//     tangent in jvp is xDot, its direction and product in hvp are v and hv, or
//     vx and hx if there are several. A single result without a name is called
//     value, several are called value0, value1 and so on, counted as the results
//     are; an error in the last place is called err; a parameter without a name
//     is called arg0, counted as the parameters are. A name that is taken gets a
//     number behind it, from 2.

// A Role says what a parameter or result of a derived function is.
type Role int

const (
	Primal       Role = iota // a parameter or result of the function itself
	Tangent                  // xDot: the tangent of a parameter or result
	Adjoint                  // dx, xBar: the derivative with respect to a parameter
	Cotangent                // valueBar: the cotangent of a result, an argument
	Direction                // v: the direction of a Hessian-vector product
	Product                  // hv: the Hessian times the direction
	Matrix                   // jac, h: a matrix to be filled
	PullbackFunc             // the function that a pullback returns
	Workspace                // ws of FGradIn
	Batch                    // the results of all members of a batch, a slice to be filled
)

var roleNames = [...]string{"primal", "tangent", "adjoint", "cotangent", "direction", "product", "matrix", "pullback", "workspace", "batch"}

func (r Role) String() string { return roleNames[r] }

// A Slot is a parameter or a result of a function.
type Slot struct {
	Name string
	Type types.Type
	Role Role

	// Of is the index, in the function that the verb was applied to, of the
	// parameter (with the receiver as number 0 of a method) or, if OfResult is
	// set, of the result that the slot belongs to. It is -1 for a slot that
	// belongs to none: a matrix, a pullback function, a work space.
	Of       int
	OfResult bool

	// InOut marks the Bar of a parameter that is an output: the cotangent of its
	// final state goes in, that of its initial state comes out. In a jvp it marks
	// the tangent of an output parameter that is differentiated too; without it
	// the tangent of an output parameter is only written.
	InOut bool

	// Params and Results are those of a pullback function.
	Params, Results []Slot

	variadic bool
	boxed    bool // a pointer only because what it points to is to be filled
}

// A Derived is the signature of a derived function or, with an empty Verb, of
// the function itself.
type Derived struct {
	Verb  Verb
	Name  string
	Lanes int // directions that a jvp carries; 1 means plain floats

	TypeParams []*types.TypeParam // of a generic function
	Recv       *Slot              // of a method
	Params     []Slot
	Results    []Slot

	// Wrt holds the indices of the parameters that the derivative is with respect
	// to, and Of the outputs that are differentiated, both of the function that
	// the verb was applied to, in ascending order.
	Wrt []int
	Of  []Output

	// Batched says of a batched form which parameters of the function that vmap was
	// applied to have a batch axis.
	Batched []bool
	axes    []int // those that the directive names

	// Outputs are the outputs of this function that a verb around it
	// differentiates if it names none: all results that hold floats for the
	// function itself, and the derivatives, not the values, for a derived one.
	Outputs []Output

	title   string   // how diagnostics call it: F, or grad(F, x)
	dropped []string // names of values that a verb around it does not see
}

// An Output is something a function computes: a result, or a parameter that it
// writes through.
type Output struct {
	Param bool // Index counts parameters, else results
	Index int
}

// All returns the receiver, if there is one, and the parameters: the index of a
// slot is what the rest of the package calls the index of a parameter.
func (d *Derived) All() []Slot {
	if d.Recv == nil {
		return d.Params
	}
	return append([]Slot{*d.Recv}, d.Params...)
}

// named returns the indices of the parameters that the verb names: those to
// differentiate by, or those with a batch axis.
func (d *Derived) named() []int {
	return slices.Concat(d.Wrt, d.axes)
}

// slot returns the parameter or result that o is.
func (d *Derived) slot(o Output) Slot {
	if o.Param {
		return d.All()[o.Index]
	}
	return d.Results[o.Index]
}

// Signature returns the signature as a type. Its variables belong to pkg.
func (d *Derived) Signature(pkg *types.Package) *types.Signature {
	tuple := func(slots []Slot) *types.Tuple {
		vars := make([]*types.Var, len(slots))
		for i, s := range slots {
			vars[i] = types.NewParam(0, pkg, s.Name, s.Type)
		}
		return types.NewTuple(vars...)
	}
	return types.NewSignatureType(nil, nil, nil, tuple(d.Params), tuple(d.Results), false)
}

// Text returns the signature as Go source, from the word func to the results.
func (d *Derived) Text(q types.Qualifier) string {
	var b strings.Builder
	b.WriteString("func ")
	if d.Recv != nil {
		b.WriteString("(" + d.Recv.Name + " " + types.TypeString(d.Recv.Type, q) + ") ")
	}
	b.WriteString(d.Name)
	if len(d.TypeParams) > 0 {
		b.WriteString("[")
		for i, tp := range d.TypeParams {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(tp.Obj().Name() + " " + constraintText(tp, q))
		}
		b.WriteString("]")
	}
	writeSlots(&b, d.Params, q)
	if len(d.Results) > 0 {
		b.WriteString(" ")
		writeSlots(&b, d.Results, q)
	}
	return b.String()
}

// constraintText returns the constraint of a type parameter as Go source.
func constraintText(tp *types.TypeParam, q types.Qualifier) string {
	c := tp.Constraint()
	if iface, ok := types.Unalias(c).(*types.Interface); ok && iface.IsImplicit() && iface.NumEmbeddeds() == 1 {
		c = iface.EmbeddedType(0)
	}
	return types.TypeString(c, q)
}

// writeSlots writes a parameter list with equal neighbouring types written once.
func writeSlots(b *strings.Builder, slots []Slot, q types.Qualifier) {
	b.WriteString("(")
	for i, s := range slots {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(s.Name)
		text := typeText(&s, q)
		if i+1 < len(slots) && typeText(&slots[i+1], q) == text {
			continue
		}
		b.WriteString(" " + text)
	}
	b.WriteString(")")
}

// typeText returns the type of a slot as Go source.
func typeText(s *Slot, q types.Qualifier) string {
	if s.Role != PullbackFunc {
		return types.TypeString(s.Type, q)
	}
	var b strings.Builder
	b.WriteString("func")
	writeSlots(&b, s.Params, q)
	if len(s.Results) > 0 {
		b.WriteString(" ")
		writeSlots(&b, s.Results, q)
	}
	return b.String()
}

// New returns the signature of the form that allocates the destinations and
// returns them behind the values, FNewGrad for FGrad, or nil if there are none
// to allocate. A Bar that goes in and out stays a parameter.
func (d *Derived) New(name string) *Derived {
	n := *d
	n.Name, n.Params, n.Results = name, nil, nil
	var made []Slot
	for _, s := range d.Params {
		if s.destination() && !s.InOut {
			made = append(made, s)
		} else {
			n.Params = append(n.Params, s)
		}
	}
	if made == nil {
		return nil
	}
	values := d.Results
	var derivs, last []Slot
	if k := len(values) - 1; k >= 0 && isError(values[k].Type) {
		values, last = values[:k], values[k:]
	}
	for _, s := range values {
		if s.Role == Primal {
			n.Results = append(n.Results, s)
		} else {
			derivs = append(derivs, s)
		}
	}
	// Derivatives stand in the order of the parameters that they belong to.
	for len(made) > 0 || len(derivs) > 0 {
		if len(derivs) == 0 || len(made) > 0 && made[0].Of < derivs[0].Of {
			n.Results, made = append(n.Results, made[0]), made[1:]
		} else {
			n.Results, derivs = append(n.Results, derivs[0]), derivs[1:]
		}
	}
	n.Results = append(n.Results, last...)
	return &n
}

// In returns the signature of the form with a work space of type *work in front,
// FGradIn for FGrad.
func (d *Derived) In(name string, work types.Type) *Derived {
	n := *d
	n.Name = name
	names := newNamer(d)
	ws := Slot{Name: names.pick("ws"), Type: types.NewPointer(work), Role: Workspace, Of: -1}
	n.Params = append([]Slot{ws}, d.Params...)
	return &n
}

// destination reports whether the slot, a parameter, is written with a derivative
// or with results.
func (s *Slot) destination() bool {
	return s.Role == Adjoint || s.Role == Product || s.Role == Matrix || s.Role == Batch
}
