// Package probe holds the part of the conformance harness that works on one case
// of the bank: the format of the files, what is expected of the derivatives, and
// the checks of derived functions against it.
//
// The checks run over a [World], which is a way to call functions: compiled code,
// through reflection (in this package), or the interpreter (in package bank). A
// [Plan] says which derived functions there are and what their parameters and
// results mean. The program that runs compiled cases consists of [Main] and the
// case packages, so this package imports nothing of the generator.
package probe

import (
	"fmt"
	"math"
	"strings"
)

// A Case is one file of the bank.
type Case struct {
	ID      string // the name of the file without its ending
	Path    string
	Accept  string // exact, exact-or-refuse, refuse, convention or budget
	Entry   string // the function to differentiate
	Imports []Import
	Modes   []string
	Batch   bool
	StandIn []StandIn
	Rules   []Rule

	Snippet string // Go code without package clause and imports
	How     string
	Refuse  []string // what the diagnostic must name
	Points  []*Point

	// Err says why the file cannot be used, or is empty. A string, since
	// cases travel to other processes.
	Err string
}

// Lists reports whether the case lists a mode.
func (c *Case) Lists(mode string) bool {
	for _, m := range c.Modes {
		if m == mode {
			return true
		}
	}
	return false
}

// MayRefuse reports whether a refusal is one of the right answers.
func (c *Case) MayRefuse() bool { return c.Accept == "refuse" || c.Accept == "exact-or-refuse" }

// An Import is one package that a snippet needs; Name is empty if it is imported
// under its own name.
type Import struct{ Name, Path string }

// A StandIn says that a function of the snippet stands for an operator of the
// tool, such as rt.Deriv.
type StandIn struct{ Func, Operator string }

// A Rule registers Rule as the custom rule of Func; Kind is jvp or vjp.
type Rule struct {
	Kind, Func, Rule string
	Wrt              []string
}

// A Point is one set of arguments with what is expected there. Names of outputs
// and leaves have an underscore for each blank.
type Point struct {
	Name   string
	Line   int // in the file
	Args   []Arg
	Leaves []string
	Outs   []string
	Val    []float64
	Jac    map[string][]float64   // by output
	Hess   map[string][][]float64 // by output
	High   []High
	Allow  []Allow

	RTol   float64 // tolerance of first derivatives
	ValTol float64 // tolerance of values

	// Within, if not nil, is the relative and absolute tolerance of all numbers
	// that are stated. Then Signs holds, for each value, 1 or -1 if it was
	// spelled +0 or -0 and must have that sign.
	Within []float64
	Signs  []int

	Panics bool
	NaNToo bool      // NaN is accepted for a derivative with an Allow
	Either []float64 // second derivatives that are accepted too
	Notes  []string
}

// Unstated stands for a number that a case leaves out, spelled "?".
var Unstated = math.Float64frombits(0x7ff8_0000_0000_00ff)

func unstated(x float64) bool { return math.Float64bits(x) == math.Float64bits(Unstated) }

// An Arg is one argument of the entry function.
type Arg struct {
	Name, Expr string
	Active     bool
}

// A High is one derivative of third or higher order: by the leaves with the given
// indices.
type High struct {
	Out   string
	By    []int
	Value float64
	Name  string // as in the file: "xxy", "order 3"
}

// An Allow is an interval of accepted first derivatives.
type Allow struct {
	Out, Leaf string
	Lo, Hi    float64
}

// Active returns the names of the active arguments.
func (p *Point) Active() []string {
	var names []string
	for _, a := range p.Args {
		if a.Active {
			names = append(names, a.Name)
		}
	}
	return names
}

// Posts returns the names of the parameters whose state after the call is among
// the outputs.
func (p *Point) Posts() []string {
	var names []string
	seen := map[string]bool{}
	for _, o := range p.Outs {
		if name, ok := PostParam(o); ok && !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return names
}

// HasResults reports whether results are among the outputs.
func (p *Point) HasResults() bool {
	for _, o := range p.Outs {
		if _, post := PostParam(o); !post {
			return true
		}
	}
	return false
}

// PostParam returns the parameter that an output such as post_x[0] belongs to.
func PostParam(out string) (string, bool) {
	s := strings.TrimPrefix(strings.TrimPrefix(out, "Re_"), "Im_")
	s, ok := strings.CutPrefix(s, "post_")
	if !ok {
		return "", false
	}
	s = strings.TrimPrefix(strings.TrimPrefix(s, "Re_"), "Im_")
	if i := strings.IndexAny(s, "[."); i >= 0 {
		s = s[:i]
	}
	return s, true
}

// MaxOrder returns the order of the highest derivative that is expected.
func (p *Point) MaxOrder() int {
	n := 0
	if len(p.Jac) > 0 {
		n = 1
	}
	if len(p.Hess) > 0 {
		n = 2
	}
	for _, h := range p.High {
		n = max(n, len(h.By))
	}
	return n
}

// Finite reports whether all stated first derivatives are finite.
func (p *Point) Finite() bool {
	for _, row := range p.Jac {
		for _, x := range row {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return false
			}
		}
	}
	return true
}

// allowed returns the interval for an entry of the Jacobian.
func (p *Point) allowed(out, leaf string) (Allow, bool) {
	for _, a := range p.Allow {
		if a.Out == out && a.Leaf == leaf {
			return a, true
		}
	}
	return Allow{}, false
}

// fail marks the case as unusable.
func (c *Case) fail(line int, format string, args ...any) {
	if c.Err == "" {
		c.Err = fmt.Sprintf("line %d: ", line) + fmt.Sprintf(format, args...)
	}
}
