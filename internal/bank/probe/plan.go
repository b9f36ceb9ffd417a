package probe

import (
	"encoding/gob"
	"os"
	"slices"
	"strings"
)

// A Plan says what to check.
type Plan struct {
	Cases []*CasePlan
}

// A CasePlan is a case with the functions derived for it.
type CasePlan struct {
	Case   *Case
	Primal string // the function to take values from: the entry, or its value form
	Groups []Group
	Funcs  []*Func

	// Races says that the function writes package-level variables, so that
	// calls at the same time are a race of the case itself.
	Races bool
}

// A Group is a set of points with the same active arguments and outputs.
type Group struct {
	Points []int
	Active []int // indices of parameters
	Posts  []int // parameters that are outputs
	Result bool  // results are outputs
}

// A Role is what a verb makes of a slot of the function it is applied to.
type Role byte

const (
	Primal    Role = iota
	Tangent        // given, or computed by a forward level
	Adjoint        // computed by a reverse level
	Cotangent      // the seed of a result of a reverse level
	Matrix         // a Jacobian or Hessian to be filled
	Pullback       // the function that a pullback returns
)

// A Slot is a parameter or result of a derived function.
type Slot struct {
	Name string

	// Roles holds what each level makes of the slot, the first verb applied,
	// the innermost, first. The walk ends at parameter or result Of of the
	// entry function.
	Roles    []Role
	Of       int
	OfResult bool
	InOut    bool

	Summed bool // over the members of a batch, so that no member tells what it is
}

// A Level is one verb of a nest.
type Level struct {
	Reverse bool
	Unit    bool // a reverse level whose only output has the cotangent 1
}

// A Func is a derived function.
type Func struct {
	Name    string // in the package; "" for what is called in a batch only
	Mode    string // as in reports: "grad", "jvp(vjp)"
	Group   int
	Levels  []Level // innermost first
	Lanes   int
	Params  []Slot
	Results []Slot
	Inner   *Func // the slots of what a pullback returns; its Name ends in "()"

	Batch *Batch // of a nest with vmap

	Of []Output // outputs of the entry function that the innermost level sees
}

// An Output is a result of the entry function or, with Post set, the state of a
// parameter after the call.
type Output struct {
	Post  bool
	Index int
}

// Order returns the order of the derivative.
func (f *Func) Order() int { return len(f.Levels) }

// HasMatrix reports whether the function fills a matrix.
func (f *Func) HasMatrix() bool {
	return slices.ContainsFunc(f.Params, func(s Slot) bool { return s.top() == Matrix })
}

// top returns the role that the outermost level gives the slot.
func (s *Slot) top() Role {
	if len(s.Roles) == 0 {
		return Primal
	}
	return s.Roles[len(s.Roles)-1]
}

// plain reports whether no level up to n changes the slot: it is one of the entry
// function.
func (s *Slot) plain(n int) bool {
	for _, r := range s.Roles[:n] {
		if r != Primal {
			return false
		}
	}
	return true
}

// levels returns the set of levels, as bits, that take part in what the slot holds
// after the call. The output of a reverse level stems from all levels below it,
// since a nest passes on derivatives only.
func (s *Slot) levels() uint {
	var set uint
	for i, r := range s.Roles {
		switch r {
		case Tangent:
			set |= 1 << i
		case Adjoint:
			set = 1<<(i+1) - 1
		}
	}
	return set
}

// A Way is one of the ways in which derived functions are run.
type Way string

const (
	Generated Way = "generated"
	Interp    Way = "interpreter"
	SaveAll   Way = "save-everything"
)

// Save writes the plan to a file.
func (p *Plan) Save(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := gob.NewEncoder(f).Encode(p); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// Load reads a plan.
func Load(path string) (*Plan, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p := new(Plan)
	return p, gob.NewDecoder(f).Decode(p)
}

// An Event is one finding about a case.
type Event struct {
	Case  string
	Way   Way
	Kind  Kind
	Mode  string `json:",omitempty"`
	Text  string `json:",omitempty"`
	Place Place  `json:",omitempty"` // of a refusal
	Bits  string `json:",omitempty"` // of a mode that was checked: a digest of its numbers
}

// A Kind says what an event is about.
type Kind string

const (
	Begin     Kind = "begin"     // work on the case begins
	Done      Kind = "done"      // it is done
	Fail      Kind = "fail"      // something is wrong
	Unchecked Kind = "unchecked" // something cannot be checked in this way
	Refused   Kind = "refused"   // a mode is refused
	Checked   Kind = "checked"   // a mode was checked; Text is how many numbers
)

// oneLine makes a text fit for a line of a report.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// A Place says where a diagnostic points to.
type Place string

const (
	InSnippet   Place = "snippet"
	OnDirective Place = "directive"
	Elsewhere   Place = "elsewhere"
)
