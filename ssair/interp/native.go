package interp

import (
	"fmt"
	"go/types"
	"io"
	"os"
	"sort"
	"strings"

	"github.com/quabla/quabla/ssair"
)

// A native is a function of the standard library that the machine does itself,
// since it works on the memory of the program or has no effect that matters.
type native func(m *Machine, o *ssair.Op, args []Value, f *types.Func, results []*typ) []Value

// natives are the functions that the machine does itself, by their full names.
var natives map[string]native

func init() { // initCycle: formatting may call the program, which may call natives
	natives = map[string]native{
		"(*github.com/quabla/quabla/rt.Arena[T]).Mark": func(*Machine, *ssair.Op, []Value, *types.Func, []*typ) []Value {
			return []Value{Int(0)}
		},
		"(*sync.Once).Do": onceDo,
		"(*sync.WaitGroup).Go": func(m *Machine, o *ssair.Op, args []Value, _ *types.Func, _ []*typ) []Value {
			return m.callClosure(o, args[1].Closure(), nil)
		},

		"fmt.Errorf":   printer{format: true, result: "error"}.call,
		"fmt.Fprint":   printer{writer: true, result: "count"}.call,
		"fmt.Fprintf":  printer{writer: true, format: true, result: "count"}.call,
		"fmt.Fprintln": printer{writer: true, line: true, result: "count"}.call,
		"fmt.Print":    printer{result: "count"}.call,
		"fmt.Printf":   printer{format: true, result: "count"}.call,
		"fmt.Println":  printer{line: true, result: "count"}.call,
		"fmt.Sprint":   printer{result: "string"}.call,
		"fmt.Sprintf":  printer{format: true, result: "string"}.call,
		"fmt.Sprintln": printer{line: true, result: "string"}.call,
		"log.Print":    printer{}.call,
		"log.Printf":   printer{format: true}.call,
		"log.Println":  printer{line: true}.call,

		"github.com/quabla/quabla/rt.Members":      members,
		"github.com/quabla/quabla/rt.MembersUntil": members,

		"github.com/quabla/quabla/rt.AssertFault": func(m *Machine, o *ssair.Op, args []Value, _ *types.Func, _ []*typ) []Value {
			return assertFault(m, o, args)
		},

		"sort.Slice":       sortSlice(sort.Sort),
		"sort.SliceStable": sortSlice(sort.Stable),
		"sort.Sort":        sortInterface(sort.Sort),
		"sort.Stable":      sortInterface(sort.Stable),

		"slices.Clone":    slicesClone,
		"slices.Contains": slicesIndex,
		"slices.Index":    slicesIndex,
		"slices.Max":      slicesExtreme("max"),
		"slices.Min":      slicesExtreme("min"),
		"slices.Reverse":  slicesReverse,
		"slices.Sort":     slicesSort,
	}
	nothing := func(*Machine, *ssair.Op, []Value, *types.Func, []*typ) []Value { return nil }
	for _, name := range []string{
		"runtime.GC", "runtime.Gosched", "runtime.KeepAlive", "time.Sleep",
		"(*sync.Mutex).Lock", "(*sync.Mutex).Unlock",
		"(*sync.RWMutex).Lock", "(*sync.RWMutex).Unlock", "(*sync.RWMutex).RLock", "(*sync.RWMutex).RUnlock",
		"(*sync.WaitGroup).Add", "(*sync.WaitGroup).Done", "(*sync.WaitGroup).Wait",
		// What a make with a work space gives is new here, so nothing is to be taken back.
		"(*github.com/quabla/quabla/rt.Arena[T]).Release", "(*github.com/quabla/quabla/rt.Arena[T]).Reset",
	} {
		natives[name] = nothing
	}
	for _, t := range []string{"Int32", "Int64", "Uint32", "Uint64"} {
		natives["sync/atomic.Load"+t] = atomicOp(func(old, _ uint64) uint64 { return old })
		natives["sync/atomic.Store"+t] = atomicOp(func(_, x uint64) uint64 { return x })
		natives["sync/atomic.Add"+t] = atomicOp(func(old, x uint64) uint64 { return old + x })
	}
}

// atomicOp changes the integer that the first argument points to and returns
// it, if something is to be returned.
func atomicOp(change func(old, x uint64) uint64) native {
	return func(m *Machine, o *ssair.Op, args []Value, f *types.Func, results []*typ) []Value {
		c := args[0].Pointer()
		if c == nil {
			m.throw(o, nilDereference)
		}
		var x uint64
		if len(args) > 1 {
			x = args[1].n
		}
		c.v.n = wrap(m.types.of(f.Signature().Params().At(0).Type()).elem)(change(c.v.n, x))
		if len(results) == 0 {
			return nil
		}
		return []Value{c.v}
	}
}

func onceDo(m *Machine, o *ssair.Op, args []Value, _ *types.Func, _ []*typ) []Value {
	c := args[0].Pointer()
	if c == nil {
		m.throw(o, nilDereference)
	}
	if m.once == nil {
		m.once = map[*Cell]bool{}
	}
	if !m.once[c] {
		m.once[c] = true
		m.callClosure(o, args[1].Closure(), nil)
	}
	return nil
}

// A printer is a function that formats its arguments.
type printer struct {
	writer bool   // the first argument is an io.Writer
	format bool   // the next one is a format
	line   bool   // as fmt.Println
	result string // "", "string", "count" or "error"
}

func (p printer) call(m *Machine, o *ssair.Op, args []Value, _ *types.Func, _ []*typ) []Value {
	w := m.Stdout
	if p.writer {
		w = m.writer(args[0].Iface())
		args = args[1:]
	}
	format := ""
	if p.format {
		format = args[0].Str()
		args = args[1:]
	}
	var xs []any
	for _, c := range args[0].cells() {
		x, ok := m.hostInterface(c.v.Iface())
		if !ok {
			i := c.v.Iface()
			x = opaqueText(Format(i.Val, i.Type))
		}
		xs = append(xs, x)
	}
	if p.result == "error" {
		err := fmt.Errorf(format, xs...)
		v, convErr := FromGo(types.Universe.Lookup("error").Type(), err)
		if convErr != nil {
			m.unsupported(o, "%v", convErr)
		}
		return []Value{v}
	}
	var s string
	switch {
	case p.format:
		s = fmt.Sprintf(format, xs...)
	case p.line:
		s = fmt.Sprintln(xs...)
	default:
		s = fmt.Sprint(xs...)
	}
	switch p.result {
	case "string":
		return []Value{String(s)}
	case "count":
		n, err := io.WriteString(w, s)
		v, convErr := FromGo(types.Universe.Lookup("error").Type(), err)
		if convErr != nil {
			m.unsupported(o, "%v", convErr)
		}
		return []Value{Int(int64(n)), v}
	}
	return nil // log
}

// opaqueText stands for a value that has no Go value here. It formats as
// itself with every verb.
type opaqueText string

func (t opaqueText) Format(s fmt.State, verb rune) { io.WriteString(s, string(t)) }

// writer returns the Go writer that an interface holds. Standard output is the
// machine's, and what goes to a writer of the program is discarded.
func (m *Machine) writer(i *Iface) io.Writer {
	x, _ := m.hostInterface(i)
	w, ok := x.(io.Writer)
	switch {
	case !ok:
		return io.Discard
	case w == io.Writer(os.Stdout), w == io.Writer(os.Stderr):
		return m.Stdout
	}
	return w
}

// A sorter sorts in the memory of the program.
type sorter struct {
	n    int
	less func(i, j int) bool
	swap func(i, j int)
}

func (s *sorter) Len() int           { return s.n }
func (s *sorter) Less(i, j int) bool { return s.less(i, j) }
func (s *sorter) Swap(i, j int)      { s.swap(i, j) }

func swapCells(cells []Cell, t *typ) func(i, j int) {
	return func(i, j int) {
		x, y := load(&cells[i], t), load(&cells[j], t)
		store(&cells[i], t, y)
		store(&cells[j], t, x)
	}
}

// members does the members of a batch one after the other.
func members(m *Machine, o *ssair.Op, args []Value, _ *types.Func, _ []*typ) []Value {
	return m.callClosure(o, args[1].Closure(), []Value{Int(0), args[0]})
}

// sortSlice is sort.Slice with one of the functions of package sort, which
// use the same algorithm.
func sortSlice(by func(sort.Interface)) native {
	return func(m *Machine, o *ssair.Op, args []Value, _ *types.Func, _ []*typ) []Value {
		i, less := args[0].Iface(), args[1].Closure()
		if i == nil || i.Type == nil || m.types.of(i.Type).kind != kindSlice {
			m.unsupported(o, "sort.Slice of something that is no slice")
		}
		cells := i.Val.cells()
		by(&sorter{len(cells), func(i, j int) bool {
			return m.callClosure(o, less, []Value{Int(int64(i)), Int(int64(j))})[0].Bool()
		}, swapCells(cells, m.types.of(i.Type).elem)})
		return nil
	}
}

// sortInterface is sort.Sort with the methods of the program.
func sortInterface(by func(sort.Interface)) native {
	return func(m *Machine, o *ssair.Op, args []Value, f *types.Func, _ []*typ) []Value {
		i := args[0].Iface()
		it := f.Signature().Params().At(0).Type().Underlying().(*types.Interface)
		method := func(name string, args ...Value) Value {
			for k := range it.NumMethods() {
				if fn := it.Method(k); fn.Name() == name {
					if out := m.callMethod(o, i, fn, args, []*typ{}); len(out) > 0 {
						return out[0]
					}
				}
			}
			return Value{}
		}
		by(&sorter{
			int(method("Len").Int()),
			func(i, j int) bool { return method("Less", Int(int64(i)), Int(int64(j))).Bool() },
			func(i, j int) { method("Swap", Int(int64(i)), Int(int64(j))) },
		})
		return nil
	}
}

// elemOf returns the element type of the slice that is argument i of an op, or
// ends the call.
func (m *Machine) elemOf(o *ssair.Op, i int) *typ {
	if o != nil && i < len(o.Args) {
		if t := m.types.of(o.Args[i].Type); t.kind == kindSlice {
			return t.elem
		}
	}
	m.unsupported(o, "a generic function as a value")
	return nil
}

func slicesClone(m *Machine, o *ssair.Op, args []Value, _ *types.Func, _ []*typ) []Value {
	cells := args[0].cells()
	if cells == nil {
		return []Value{{}}
	}
	t := m.elemOf(o, 0)
	if len(cells) == 0 {
		return []Value{{r: []Cell{}}}
	}
	out := m.extend(o, nil, t, len(cells))
	copyCells(out, cells, t)
	return []Value{{r: out}}
}

// slicesIndex is slices.Index and slices.Contains.
func slicesIndex(m *Machine, o *ssair.Op, args []Value, f *types.Func, _ []*typ) []Value {
	t, at := m.elemOf(o, 0), -1
	for i, cells := 0, args[0].cells(); i < len(cells); i++ {
		if m.equal(o, t, load(&cells[i], t), args[1]) {
			at = i
			break
		}
	}
	if f.Name() == "Contains" {
		return []Value{Bool(at >= 0)}
	}
	return []Value{Int(int64(at))}
}

func slicesExtreme(name string) native {
	return func(m *Machine, o *ssair.Op, args []Value, _ *types.Func, _ []*typ) []Value {
		t, cells := m.elemOf(o, 0), args[0].cells()
		less := lessFor(t)
		if less == nil {
			m.unsupported(o, "slices.%s of %s", name, t)
		}
		if len(cells) == 0 {
			text := "slices." + strings.ToUpper(name[:1]) + name[1:] + ": empty list"
			panic(thrown{&PanicError{Value: text, Text: text, Op: o, Pos: m.pos(o)}})
		}
		best := cells[0].v
		for _, c := range cells[1:] {
			best = extreme(t, less, name == "max", best, c.v)
		}
		return []Value{best}
	}
}

func slicesReverse(m *Machine, o *ssair.Op, args []Value, _ *types.Func, _ []*typ) []Value {
	cells := args[0].cells()
	swap := swapCells(cells, m.elemOf(o, 0))
	for i, j := 0, len(cells)-1; i < j; i, j = i+1, j-1 {
		swap(i, j)
	}
	return nil
}

func slicesSort(m *Machine, o *ssair.Op, args []Value, _ *types.Func, _ []*typ) []Value {
	t, cells := m.elemOf(o, 0), args[0].cells()
	less := lessFor(t)
	if less == nil {
		m.unsupported(o, "slices.Sort of %s", t)
	}
	sort.Sort(&sorter{len(cells), func(i, j int) bool { return less(cells[i].v, cells[j].v) }, swapCells(cells, t)})
	return nil
}
