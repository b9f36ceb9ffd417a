package ssair

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
)

// A Module is a set of functions that may call each other, with the named
// types that transforms have made for their records.
type Module struct {
	Fset  *token.FileSet
	Pkg   *types.Package
	Funcs []*Func
	Types []*types.TypeName // synthesised types, in order of creation
	// TypeDocs says what the synthesised types are for, as a sentence about it.
	TypeDocs map[*types.TypeName]string
	Numbers  []*Numbers // synthesised constants
	// Prefix begins the names of the helpers and types of the module.
	Prefix string
	// Lanes holds the types with several lanes for each float of a struct.
	Lanes map[string]*types.Named
}

// Numbers is a group of constants with the values 1, 2, 3 and so on. Docs says what
// they stand for.
type Numbers struct {
	Doc    string
	Consts []*types.Const
	Docs   []string
}

// A Func is a function in the IR.
type Func struct {
	Name    string
	Obj     *types.Func // the source function it was lifted from, or nil
	Mod     *Module
	Params  []*Value
	Results []Result
	Body    *Region
	Pos     token.Pos

	// Rule, if it is set, stands in for the derivative of the body.
	Rule *Rule
	// Declared is set while the body is that of Obj as the source has it, so
	// that a call may as well call Obj, with the type arguments TypeArgs.
	Declared bool
	TypeArgs []types.Type
	// Inner is set when derivatives inside of the source have been resolved:
	// Obj itself cannot run.
	Inner bool

	// Doc says in a few words what the function computes; the emitter puts
	// it into the comment above an unexported helper.
	Doc string

	nextID int
}

// A Result is one result of a function.
type Result struct {
	Name string // "" when the source does not name it
	Type types.Type
}

// AddType adds a synthesised type to m. Its name is made different from those of
// the others and of the package. doc is a sentence about it without subject.
func (m *Module) AddType(name, doc string, pos token.Pos) *types.Named {
	base := name
	for k := 2; m.taken(name); k++ {
		name = fmt.Sprintf("%s%d", base, k)
	}
	tn := types.NewTypeName(pos, m.Pkg, name, nil)
	if m.TypeDocs == nil {
		m.TypeDocs = map[*types.TypeName]string{}
	}
	m.TypeDocs[tn] = doc
	m.Types = append(m.Types, tn)
	return types.NewNamed(tn, nil, nil)
}

// IsRecord reports whether t is a type that a transform has made to keep what it needs
// later: values of it never leave generated functions.
func (m *Module) IsRecord(t types.Type) bool {
	n, ok := t.(*types.Named)
	if !ok || n.Obj().Pos().IsValid() || !slices.Contains(m.Types, n.Obj()) {
		return false
	}
	for _, l := range m.Lanes { // these mirror the fields of other structs
		if l == n {
			return false
		}
	}
	return true
}

// AddNumbers adds an empty group of constants to m. doc is a sentence.
func (m *Module) AddNumbers(doc string) *Numbers {
	n := &Numbers{Doc: doc}
	m.Numbers = append(m.Numbers, n)
	return n
}

// AddNumber adds a constant to those of g and returns it. Its name is made different
// from others. doc says what it stands for.
func (m *Module) AddNumber(g *Numbers, name, doc string, pos token.Pos) *types.Const {
	base := name
	for k := 2; m.taken(name); k++ {
		name = fmt.Sprintf("%s%d", base, k)
	}
	c := types.NewConst(pos, m.Pkg, name, types.Typ[types.UntypedInt], constant.MakeInt64(int64(len(g.Consts)+1)))
	g.Consts, g.Docs = append(g.Consts, c), append(g.Docs, doc)
	return c
}

// taken reports whether name is that of something in the package or the module.
func (m *Module) taken(name string) bool {
	if m.HasType(name) || m.Pkg != nil && m.Pkg.Scope().Lookup(name) != nil {
		return true
	}
	return slices.ContainsFunc(m.Numbers, func(g *Numbers) bool {
		return slices.ContainsFunc(g.Consts, func(c *types.Const) bool { return c.Name() == name })
	})
}

// RemoveTypes takes synthesised types away that nothing uses.
func (m *Module) RemoveTypes(names []*types.TypeName) {
	m.Types = slices.DeleteFunc(m.Types, func(t *types.TypeName) bool { return slices.Contains(names, t) })
	for _, t := range names {
		delete(m.TypeDocs, t)
	}
}

// HasType reports whether m has a type called name.
func (m *Module) HasType(name string) bool {
	for _, t := range m.Types {
		if t.Name() == name {
			return true
		}
	}
	return false
}

// A Rule is the derivative of a function in the form of functions that the user
// has written. A transform calls them and differentiates them in turn.
type Rule struct {
	// Covers says, by parameter, which may be differentiated by.
	Covers []bool
	// Surrogate says that the rule is meant to differ from the derivative.
	Surrogate bool
	// Writes says, by parameter, through which the function changes numbers.
	Writes []bool
	// JVP takes the parameters, each covered one followed by its tangent, and
	// returns the results and then the tangents of those that reach numbers; for a
	// function that changes no numbers it may leave the results out.
	JVP *Func
	// Lifted, if it is set, returns a JVP for several directions, or nil if there
	// is none for that many. Each number of its tangents is an array of lanes.
	Lifted func(lanes int) *Func
	// VJP takes what VJPArgs says and returns the cotangents of the covered
	// parameters that are values.
	VJP     *Func
	VJPArgs []RuleArg
	// Fwd takes the parameters and returns the results and a residual, which
	// Bwd, with the arguments BwdArgs, takes instead of the parameters.
	Fwd, Bwd *Func
	BwdArgs  []RuleArg
}

// A RuleArg says what an argument of a reverse rule is.
type RuleArg struct {
	Kind RuleArgKind
	Of   int // the parameter or result
}

// A RuleArgKind is a kind of argument of a reverse rule.
type RuleArgKind uint8

const (
	RuleDest     RuleArgKind = iota // the adjoint of a parameter, to be added to
	RuleParam                       // a parameter as it was at entry
	RuleResidual                    // what Fwd kept
	RuleInOut                       // the cotangent of the final state of a parameter in, of its initial state out
	RuleBar                         // the cotangent of a result
)

// A Region is a list of ops that are executed in order. The last op is its
// terminator: Yield, Return or Unreachable.
type Region struct {
	Params []*Value
	Ops    []*Op
	Parent *Op   // the op that the region belongs to; nil for a body
	Func   *Func // the function that the region belongs to
}

// A Var identifies a variable of the source (or one made by a transform).
// Values with the same Var are the states of one variable; the emitter gives
// them one Go variable where their lives do not overlap.
type Var struct {
	Name string
}

// A Value is the result of an op, or a parameter of a function or region.
type Value struct {
	ID   int
	Type types.Type
	Var  *Var    // nil for a temporary
	Def  *Op     // the op that defines it; nil for a parameter
	Home *Region // for a parameter of a region; nil otherwise
	Func *Func

	// Space, for a parameter of a function, separates memories: parameters of
	// different spaces never share memory. The primal parameters have space 0.
	Space int
}

// Name returns the name of the variable that v stands for, or "".
func (v *Value) Name() string {
	if v.Var == nil {
		return ""
	}
	return v.Var.Name
}

// Region returns the region in which v is defined.
func (v *Value) Region() *Region {
	if v.Def != nil {
		return v.Def.Parent
	}
	return v.Home
}

// A Step is one step of a path from a reference to a place inside it: a field
// of a struct, or an element whose index is an operand of the op.
type Step struct {
	Field int // index of the field, or -1 for an element
}

// Elem is the step to an element; its index is the next operand of the op.
var Elem = Step{Field: -1}

// Field returns the step to field i of a struct.
func Field(i int) Step { return Step{Field: i} }

// IsField reports whether the step selects a field.
func (s Step) IsField() bool { return s.Field >= 0 }

// An Op is one operation. Which of its attributes are used depends on its
// Kind; see the constants of type [Kind].
type Op struct {
	Kind    Kind
	Tok     token.Token // Bin, Un, Cmp
	Args    []*Value
	Results []*Value
	Regions []*Region
	Parent  *Region
	Pos     token.Pos

	Val    constant.Value // Const
	Text   string         // Const: its spelling in the source, if that is worth keeping; Zero: "tape" for an empty tape
	Obj    types.Object   // Const: the named constant; Global: the variable; Opaque: the function
	Fn     string         // Elem: the name of the row in package rules
	Callee *Func          // Call, JVP, Grad, MakeClosure
	Path   []Step         // Addr, Load, Store, Accum, Extract
	Type   types.Type     // Alloc: type of the cell; TypeIs, TypeAssert: the asserted type
	Loop   *LoopInfo      // Loop

	// Explicit marks a Conv that the source spells out although it does not
	// change the type (it forbids fusing a multiplication into an addition),
	// and an Alloc that it spells with new or & rather than as a variable.
	Explicit bool
	// Safe marks an op that cannot panic where it stands, so that it may be
	// removed when its result is not used.
	Safe bool
	// Plain marks an Opaque that is there for its value alone: a rule gives the
	// derivatives. It writes only to memory that the function makes. With results it
	// writes nothing that is read in another way than through them.
	Plain bool
	// Alters marks an Opaque whose function arguments change what they are bound to, or
	// what they are given.
	Alters bool
	// Caught marks an Opaque whose last result is what the function panics with, or
	// nil.
	Caught bool
	// Certain marks an Opaque whose only result is never nil.
	Certain bool
	// Loose marks derivative arithmetic, which passes may rewrite by algebra;
	// primal arithmetic keeps its bits.
	Loose bool
	// Reverse marks an op of a reverse sweep; its position is that of the
	// statement that it undoes.
	Reverse bool
	// Replay, if it is not zero, numbers the replay that recomputes o; CSE does
	// not merge arithmetic of different numbers, so that nothing is kept for it.
	Replay int
	// Note is a comment for the line above the op. Ops in a row may share one.
	Note string
	// Stmt and Call number the statement and the inlined call an op comes
	// from; the check of operand order uses them.
	Stmt, Call int
}

// Reads reports whether o is an Opaque that is known to change nothing.
func (o *Op) Reads() bool { return o.Plain && !o.Alters && len(o.Results) > 0 }

// LoopInfo says how a loop looks in the source.
type LoopInfo struct {
	Form  LoopForm
	Label string
	// Break is set when the body's first yielded value tells whether the
	// loop goes on; otherwise it always does.
	Break bool
	// Independent marks a loop whose trips may run in any order.
	Independent bool
	// Down marks a loop made by the reverse sweep that counts downwards.
	Down bool
	// Checkpoint, if it is set, says that reverse mode replays the trips.
	Checkpoint *Checkpoint
}

// A Checkpoint says which states of a loop reverse mode keeps; it replays what lies
// between them. Without numbers it keeps one for about as many trips as it keeps
// states.
type Checkpoint struct {
	// Every is the number of trips between two states, or 0.
	Every int
	// Snapshots is the number of states that a binomial schedule may keep, or 0.
	Snapshots int
	// Once marks the loop of one trip around the body of a function that is
	// computed again as a whole.
	Once bool
}

// LoopForm is the form of a loop in the source.
type LoopForm uint8

const (
	// While is a loop with a condition: for cond {}, for init; cond; post {}.
	While LoopForm = iota
	// RangeInt is for i := range n. Carried value 0 is the index; the
	// condition compares it with the operand behind the initial values.
	RangeInt
	// RangeSlice is for i, v := range s, over a slice, an array or a string
	// of bytes. Carried value 0 is the index; behind the initial values
	// stand the length and the slice (or the pointer to the array).
	RangeSlice
)

// NewFunc returns an empty function in m.
func (m *Module) NewFunc(name string) *Func {
	f := &Func{Name: name, Mod: m}
	f.Body = &Region{Func: f}
	m.Funcs = append(m.Funcs, f)
	return f
}

// NewValue returns a new value of f that nothing defines yet.
func (f *Func) NewValue(t types.Type, v *Var) *Value {
	f.nextID++
	return &Value{ID: f.nextID, Type: t, Var: v, Func: f}
}

// AddParam adds a parameter to f.
func (f *Func) AddParam(name string, t types.Type) *Value {
	v := f.NewValue(t, &Var{Name: name})
	v.Home = f.Body
	f.Params = append(f.Params, v)
	return v
}

// AddParam adds a parameter to r.
func (r *Region) AddParam(t types.Type, v *Var) *Value {
	p := r.Func.NewValue(t, v)
	p.Home = r
	r.Params = append(r.Params, p)
	return p
}

// Term returns the terminator of r, or nil while r is being built.
func (r *Region) Term() *Op {
	if len(r.Ops) == 0 {
		return nil
	}
	last := r.Ops[len(r.Ops)-1]
	if last.Kind.IsTerm() {
		return last
	}
	return nil
}

// Result returns the only result of o.
func (o *Op) Result() *Value { return o.Results[0] }

// Carried returns the number of carried values of a loop.
func (o *Op) Carried() int { return len(o.Results) }

// Cond, BodyRegion and Post return the three regions of a loop.
func (o *Op) Cond() *Region { return o.Regions[0] }

// BodyRegion returns the body of a loop.
func (o *Op) BodyRegion() *Region { return o.Regions[1] }

// Post returns the region that runs between two trips of a loop.
func (o *Op) Post() *Region { return o.Regions[2] }

// Base returns the reference that a memory op works on.
func (o *Op) Base() *Value { return o.Args[0] }

// Indices returns the index operands of a memory op with a path.
func (o *Op) Indices() []*Value {
	n := 0
	for _, s := range o.Path {
		if !s.IsField() {
			n++
		}
	}
	if o.Kind == Extract {
		return nil
	}
	return o.Args[1 : 1+n]
}

// Stored returns the value that a Store or Accum writes.
func (o *Op) Stored() *Value { return o.Args[len(o.Args)-1] }
