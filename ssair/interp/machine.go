package interp

import (
	"fmt"
	"go/types"
	"io"

	"github.com/quabla/quabla/ssair"
)

// A Machine runs the functions of a module. Its fields are set before the
// first call. A machine is not safe for concurrent use, but machines share
// nothing and may run the same module at the same time.
type Machine struct {
	// Elementary returns the elementary function of the given name (Op.Fn of
	// an Apply), or nil when there is none. Complex numbers are two
	// arguments or results. [New] sets it to the rows of package rules.
	Elementary func(name string) func(args []float64) []float64
	// Functions holds functions without a body in the module, by their full
	// name such as "(*path.T).Method" ([types.Func.FullName]). They are
	// preferred to what the machine knows of the standard library.
	Functions map[string]func(m *Machine, args []Value) ([]Value, error)
	// Globals holds the initial values of package-level variables. Those
	// that are not there start as zeros.
	Globals map[types.Object]Value
	// TypeArgs gives the types that type parameters stand for.
	TypeArgs map[*types.TypeParam]types.Type
	// MaxSteps, MaxDepth and MaxCells limit the number of ops executed, of
	// nested calls and of cells allocated in all calls together.
	MaxSteps, MaxDepth, MaxCells int64
	// Stdout receives what the program prints; it is discarded by default.
	Stdout io.Writer
	// Watch, when not nil, is called after each op that is executed, with its
	// results.
	Watch func(o *ssair.Op, results []Value)

	mod     *ssair.Module
	types   *typeTable
	fns     map[*ssair.Func]*function
	globals map[types.Object]*Cell
	once    map[*Cell]bool // the sync.Once values that have run
	growth  map[growthKey]int
	impl    map[implKey]bool

	chunks              [][]Value // room for frames
	top                 mark
	steps, depth, cells int64
}

// New returns a machine for the functions of mod.
func New(mod *ssair.Module) *Machine {
	return &Machine{
		Elementary: elementary,
		MaxSteps:   1 << 32,
		MaxDepth:   100_000,
		MaxCells:   1 << 27,
		Stdout:     io.Discard,
		mod:        mod,
		fns:        map[*ssair.Func]*function{},
		globals:    map[types.Object]*Cell{},
		growth:     map[growthKey]int{},
		impl:       map[implKey]bool{},
	}
}

// Call runs f and returns its results. The error is a [*PanicError], an
// [*Unsupported] or a [*LimitError]. Memory that the arguments refer to is used
// as it is; after an error it is in the state that the program left it in.
func (m *Machine) Call(f *ssair.Func, args ...Value) (results []Value, err error) {
	if len(args) != len(f.Params) {
		return nil, fmt.Errorf("interp: %s takes %d arguments, not %d", f.Name, len(f.Params), len(args))
	}
	if m.types == nil {
		m.types = newTypeTable(m.TypeArgs)
	}
	defer m.catch(m.top, m.depth, &err)
	return m.call(nil, f, args), nil
}

// catch ends a call from outside: it restores the state of the machine and
// turns what was thrown into an error.
func (m *Machine) catch(top mark, depth int64, err *error) {
	m.top, m.depth = top, depth
	if r := recover(); r != nil {
		t, ok := r.(thrown)
		if !ok {
			panic(r)
		}
		*err = t.err
	}
}

// CallClosure calls a function value; see [Machine.Call].
func (m *Machine) CallClosure(c *Closure, args ...Value) (results []Value, err error) {
	if m.types == nil {
		m.types = newTypeTable(m.TypeArgs)
	}
	defer m.catch(m.top, m.depth, &err)
	return m.callClosure(nil, c, args), nil
}

// Steps returns the number of ops executed so far.
func (m *Machine) Steps() int64 { return m.steps }

// Global returns the address of a package-level variable.
func (m *Machine) Global(obj types.Object) *Cell {
	c := m.globals[obj]
	if c == nil {
		if m.types == nil {
			m.types = newTypeTable(m.TypeArgs)
		}
		t := m.types.of(obj.Type())
		c = new(Cell)
		initCell(c, t)
		if v, ok := m.Globals[obj]; ok {
			store(c, t, v)
		} else if x, ok := hostGlobals[qualifiedName(obj)]; ok {
			v, err := FromGo(obj.Type(), x)
			if err != nil {
				panic(err) // the table of this package is wrong
			}
			store(c, t, v)
		}
		m.globals[obj] = c
	}
	return c
}

// A function is a compiled function.
type function struct {
	f      *ssair.Func
	params []int   // slots of the parameters
	proto  []Value // the frame at entry: constants, and room for the rest
	body   *block
	ret    []int // slots of the results; nil when the body does not return
}

// A frame holds the values of a function while it runs.
type frame struct {
	m *Machine
	s []Value
}

// code is a compiled op.
type code func(fr *frame)

// A block is a compiled region without its terminator.
type block struct {
	code  []code
	steps int64
	first *ssair.Op
}

func (b *block) run(fr *frame) {
	m := fr.m
	if m.steps += b.steps; m.steps > m.MaxSteps {
		m.limit(b.first, "more than %d steps", m.MaxSteps)
	}
	for _, c := range b.code {
		c(fr)
	}
}

// function returns the compiled form of f.
func (m *Machine) function(f *ssair.Func) *function {
	fn := m.fns[f]
	if fn == nil {
		fn = compile(m, f)
		m.fns[f] = fn
	}
	return fn
}

// call runs f for the op o, or for the caller of the machine if that is nil.
func (m *Machine) call(o *ssair.Op, f *ssair.Func, args []Value) []Value {
	fn := m.function(f)
	top := m.top
	fr := m.enter(o, fn)
	for i, p := range fn.params {
		fr.s[p] = args[i]
	}
	fn.body.run(fr)
	results := make([]Value, len(fn.ret))
	for i, s := range fn.ret {
		results[i] = fr.s[s]
	}
	m.leave(top)
	return results
}

// A mark is a place in the chunks that hold the frames.
type mark struct{ chunk, used int }

// enter makes a frame for fn.
func (m *Machine) enter(o *ssair.Op, fn *function) *frame {
	if m.depth++; m.depth > m.MaxDepth {
		m.limit(o, "more than %d nested calls", m.MaxDepth)
	}
	n := len(fn.proto)
	for m.top.chunk == len(m.chunks) || m.top.used+n > len(m.chunks[m.top.chunk]) {
		if m.top.chunk < len(m.chunks) {
			m.top = mark{chunk: m.top.chunk + 1}
		}
		if m.top.chunk == len(m.chunks) {
			m.chunks = append(m.chunks, make([]Value, max(1<<12<<len(m.chunks), n)))
		}
	}
	s := m.chunks[m.top.chunk][m.top.used:][:n:n]
	m.top.used += n
	copy(s, fn.proto)
	return &frame{m: m, s: s}
}

// leave gives the room of the latest frame back.
func (m *Machine) leave(top mark) {
	m.top = top
	m.depth--
}

// alloc accounts for n new cells of type t.
func (m *Machine) alloc(o *ssair.Op, t *typ, n int) {
	if size := cellsIn(t); int64(n) > (m.MaxCells-m.cells)/size {
		m.limit(o, "more than %d cells of memory", m.MaxCells)
	} else {
		m.cells += int64(n) * size
	}
}

// cellsIn returns the number of cells that one cell of type t consists of.
func cellsIn(t *typ) int64 {
	n := int64(1)
	switch t.kind {
	case kindStruct:
		for _, f := range t.fields {
			n += cellsIn(f)
		}
	case kindArray:
		n += int64(t.n) * cellsIn(t.elem)
	}
	return n
}
