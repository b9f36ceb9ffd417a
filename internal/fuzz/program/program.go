package program

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A feature is a part of the language that a program may use.
type feature int

const (
	useStructs feature = iota
	useNested
	useSlices
	useSubslices
	useAppend
	useArrays
	usePointers
	useMatrices
	useStructSlices
	useCalls
	useRecursion
	useEffects // helpers that write through their parameters
	useClosures
	useMaps
	useLoops
	useWhile
	useBreak
	useLabels
	useSwitch
	useReturn
	useShadowing
	useKinks
	useMultiResults
	useNamedResults
	useMutatedParams
	useDefer
	useInterfaces
	useGenerics
	useVariadics
	useGlobals
	useGoto
	useComplex
	useFuncLists // slices of functions that change what they capture
	useRebind    // references in structs and slices are made to refer to something else
	features
)

// A Program is a random program.
type Program struct {
	Seed uint64
	// Text is the file without directives; F is its last function, and a line
	// Mark stands above it.
	Text string
	// Scalar is set if F returns one float64, so that it has a gradient.
	Scalar bool
	// Plain is set if no structs are among the parameters and results of F.
	Plain bool
	// Outs lists the parameters that F writes through.
	Outs []string
	// Wrt lists the parameters that hold floats.
	Wrt []string
}

// Mark is the line above F, where directives go.
const Mark = "// F is the function to be derived.\n"

// gen writes one program.
type gen struct {
	rng    *rand.Rand
	uses   [features]bool
	types  []*typ
	funcs  []*fn
	lines  []string
	indent int

	scope      []*variable
	blockStart int // of the innermost block in scope
	funcStart  int // of the function being written in scope
	reserved   map[string]bool

	cur     *fn
	results []*typ
	named   []string
	pure    bool   // only local variables may be assigned
	calls   int    // calls that may still be written into the current statement
	mult    int    // how often the statement runs at most, about
	work    int    // operations of the function, about
	loops   []loop // around the statement
	left    int    // statements to write
	labels  int
	defs    []definition // that expressions may use
	impls   []*typ       // the types that implement the interface
}

// maxWork bounds the work of F.
const maxWork = 4000

// New returns the program of a seed. Its size is about the number of statements
// in F.
func New(seed uint64, size int) *Program {
	g := &gen{rng: rand.New(rand.NewPCG(seed, 0x9b1a)), reserved: map[string]bool{}}
	// Few or many features, so that each meets each without being buried.
	density := g.between(2, 9)
	for f := range g.uses {
		g.uses[f] = g.rng.IntN(10) < density
	}
	g.uses[useRebind] = g.chance(15)
	g.structs()
	p := &Program{Seed: seed}
	g.library()
	if g.on(useCalls) {
		g.helpers(g.between(1, 3))
	}
	g.entry(p, size)
	var b strings.Builder
	b.WriteString("package p\n\n")
	if strings.Contains(strings.Join(g.lines, "\n"), "math.") {
		b.WriteString("import \"math\"\n\n")
	}
	for _, t := range g.types {
		b.WriteString(t.declaration() + "\n")
	}
	b.WriteString(strings.Join(g.lines, "\n"))
	b.WriteString("\n")
	p.Text = b.String()
	return p
}

func (g *gen) on(f feature) bool       { return g.uses[f] }
func (g *gen) chance(percent int) bool { return g.rng.IntN(100) < percent }
func (g *gen) between(a, b int) int    { return a + g.rng.IntN(b-a+1) }

func (g *gen) line(format string, args ...any) {
	g.lines = append(g.lines, strings.Repeat("\t", g.indent)+fmt.Sprintf(format, args...))
}

// paramType chooses the type of a parameter.
func (g *gen) paramType() *typ {
	ts := []*typ{floatType, floatType}
	add := func(f feature, list ...*typ) {
		if g.on(f) {
			ts = append(ts, list...)
		}
	}
	add(useSlices, floats, floats, floats)
	add(useArrays, arrayOf(3, floatType))
	add(useMatrices, sliceOf(floats))
	if len(g.types) > 0 {
		t := g.types[g.rng.IntN(len(g.types))]
		ts = append(ts, t)
		add(usePointers, ptrTo(t))
		add(useStructSlices, sliceOf(g.types[0]))
		if g.on(usePointers) && g.on(useStructSlices) && g.chance(30) {
			ts = append(ts, sliceOf(ptrTo(g.types[0])))
		}
	}
	if g.on(usePointers) {
		ts = append(ts, ptrTo(floatType))
	}
	if g.on(useArrays) && g.on(useMatrices) && g.chance(30) {
		ts = append(ts, arrayOf(2, arrayOf(2, floatType)), sliceOf(arrayOf(2, floatType)))
	}
	return ts[g.rng.IntN(len(ts))]
}

// resultType chooses the type of a result of a helper.
func (g *gen) resultType() *typ {
	ts := []*typ{floatType, floatType, floatType}
	if g.on(useArrays) {
		ts = append(ts, arrayOf(3, floatType))
	}
	if len(g.types) > 0 {
		ts = append(ts, g.types[0])
	}
	if g.on(useSlices) && g.chance(40) {
		ts = append(ts, floats)
	}
	if g.on(usePointers) && len(g.types) > 0 && g.chance(30) {
		ts = append(ts, ptrTo(g.types[0]))
	}
	return ts[g.rng.IntN(len(ts))]
}

// entry writes F.
func (g *gen) entry(p *Program, size int) {
	f := &fn{name: "F"}
	for range g.between(1, 3) {
		f.params = append(f.params, &variable{t: g.paramType()})
	}
	if g.chance(40) {
		f.params = append(f.params, &variable{t: intType})
	}
	n := 1
	if g.on(useMultiResults) && g.chance(60) {
		n = g.between(1, 3)
	}
	for range n {
		t := g.resultType()
		if n == 1 && g.chance(60) || t.refers() {
			t = floatType
		}
		f.results = append(f.results, t)
	}
	p.Scalar = n == 1 && f.results[0] == floatType
	g.line("%s", strings.TrimSuffix(Mark, "\n"))
	g.function(f, size)
	p.Plain = true
	for _, t := range f.results {
		p.Plain = p.Plain && !t.holdsStruct()
	}
	for _, v := range f.params {
		p.Plain = p.Plain && !v.t.holdsStruct()
		if v.t.holdsFloats() {
			p.Wrt = append(p.Wrt, v.name)
			if v.t.refers() && g.on(useMutatedParams) {
				p.Outs = append(p.Outs, v.name)
			}
		}
	}
}

// holdsFloats reports whether floats can be reached from t.
func (t *typ) holdsFloats() bool {
	switch t.kind {
	case float:
		return true
	case integer, boolean, function, action:
		return false
	case iface, complexNumber:
		return true
	case structure:
		for _, f := range t.fields {
			if f.t.holdsFloats() {
				return true
			}
		}
		return false
	}
	return t.elem.holdsFloats()
}

// holdsStruct reports whether a struct can be reached from t.
func (t *typ) holdsStruct() bool {
	return t.kind == structure || t.elem != nil && t.elem.holdsStruct()
}
