package analyze

import (
	"slices"
	"strings"
)

// A Verb is the word behind //quabla: in a directive.
type Verb string

// Verbs that derive a function.
const (
	Grad     Verb = "grad"
	JVP      Verb = "jvp"
	VJP      Verb = "vjp"
	Pullback Verb = "pullback"
	Jacobian Verb = "jacobian"
	Hessian  Verb = "hessian"
	HVP      Verb = "hvp"
	VMap     Verb = "vmap"
	Value    Verb = "value"
	Derive   Verb = "derive"
)

// Verbs that say something about code.
const (
	CustomJVP  Verb = "custom_jvp"
	CustomVJP  Verb = "custom_vjp"
	RuleFor    Verb = "rule"
	Checkpoint Verb = "checkpoint"
	NonDiff    Verb = "nondiff"
	Parallel   Verb = "parallel"
	Strict     Verb = "strict"
	Shape      Verb = "shape"
	Inactive   Verb = "inactive"
)

// A place is where a directive may stand.
type place int

const (
	onFunc  place = 1 << iota // in the doc comment of a function or method
	onLoop                    // on the line above a loop
	onStmt                    // on the line above a statement
	onField                   // in the doc comment of a struct field
	onTop                     // anywhere outside declarations
)

// An argKind says what a verb takes besides keys.
type argKind int

const (
	noArgs     argKind = iota
	funcArg            // one function name
	someParams         // parameter names, at least one
	optParams          // parameter names
	exprArg            // Name = expression
	anyArgs            // kept as they are
)

// verbInfo is what the parser knows about a verb.
type verbInfo struct {
	verb   Verb
	place  place
	args   argKind
	keys   []string // key=value
	flags  []string // bare words
	suffix string   // of the derived function, "" if there is none
	nests  bool     // may stand in the expression of a derive directive
}

// verbTable is the grammar of directives.
var verbTable = []verbInfo{
	{verb: Grad, place: onFunc, keys: keys("wrt of name"), flags: keys("add"), suffix: "Grad", nests: true},
	{verb: JVP, place: onFunc, keys: keys("wrt of name lanes"), suffix: "JVP", nests: true},
	{verb: VJP, place: onFunc, keys: keys("wrt of name"), flags: keys("add"), suffix: "VJP", nests: true},
	{verb: Pullback, place: onFunc, keys: keys("wrt of name"), flags: keys("add"), suffix: "Pullback", nests: true},
	{verb: Jacobian, place: onFunc, keys: keys("wrt of name"), flags: keys("sparse"), suffix: "Jacobian", nests: true},
	{verb: Hessian, place: onFunc, keys: keys("wrt of name"), flags: keys("sparse"), suffix: "Hessian", nests: true},
	{verb: HVP, place: onFunc, keys: keys("wrt of name"), flags: keys("add"), suffix: "HVP", nests: true},
	{verb: VMap, place: onFunc, keys: keys("in name"), flags: keys("parallel"), suffix: "VMap", nests: true},
	{verb: Value, place: onFunc, keys: keys("name"), suffix: "Value"},
	{verb: Derive, place: onFunc, args: exprArg, flags: keys("add parallel")},

	{verb: CustomJVP, place: onFunc | onTop, args: funcArg, keys: keys("rule lifted wrt"), flags: keys("surrogate")},
	{verb: CustomVJP, place: onFunc | onTop, args: funcArg, keys: keys("rule fwd bwd wrt"), flags: keys("surrogate")},
	{verb: RuleFor, place: onFunc | onTop, keys: keys("for jvp lifted vjp as open wrt"), flags: keys("surrogate")},
	{verb: Checkpoint, place: onFunc | onLoop, keys: keys("every snapshots")},
	{verb: NonDiff, place: onFunc, args: someParams},
	{verb: Parallel, place: onLoop},
	{verb: Strict, place: onFunc},
	{verb: Shape, place: onFunc | onField | onStmt, args: anyArgs},
	{verb: Inactive, place: onFunc | onStmt, args: optParams},
}

func keys(s string) []string { return strings.Fields(s) }

// info returns the table row of v, or nil.
func (v Verb) info() *verbInfo {
	for i := range verbTable {
		if verbTable[i].verb == v {
			return &verbTable[i]
		}
	}
	return nil
}

// Derives reports whether v asks for a function to be derived.
func (v Verb) Derives() bool {
	info := v.info()
	return info != nil && (info.suffix != "" || v == Derive)
}

// Rules reports whether v registers a rule.
func (v Verb) Rules() bool { return v == CustomJVP || v == CustomVJP || v == RuleFor }

// Suffix returns what v appends to the name of a function, or "".
func (v Verb) Suffix() string {
	if info := v.info(); info != nil {
		return info.suffix
	}
	return ""
}

// verbNames returns the names of the verbs that keep accepts.
func verbNames(keep func(*verbInfo) bool) []string {
	var names []string
	for i := range verbTable {
		if keep(&verbTable[i]) {
			names = append(names, string(verbTable[i].verb))
		}
	}
	return names
}

func allVerbs() []string { return verbNames(func(*verbInfo) bool { return true }) }

// allKeys returns the keys and flags that some verb knows.
func allKeys() []string {
	var all []string
	for i := range verbTable {
		for _, k := range slices.Concat(verbTable[i].keys, verbTable[i].flags) {
			if !slices.Contains(all, k) {
				all = append(all, k)
			}
		}
	}
	return all
}
