package emit

import (
	"fmt"
	"go/format"
	"go/types"
	"strings"
	"unicode"
)

// A CheckFile is a generated test file: one test with a table of derived
// functions, which package derivtest checks.
type CheckFile struct {
	Pkg    *types.Package
	Header string          // the first line
	Source string          // base name of the file that the functions come from
	Output string          // base name of the file that holds them
	Taken  map[string]bool // names that the test cannot have
	Checks []Check
	Rules  []RuleCheck
	Vars   []*types.Var // package-level variables that the functions use
}

// A Check is a row of the table of a test. Each function may be nil.
type Check struct {
	Name   string     // of the derived function
	Recv   types.Type // of methods
	In     string     // the form with a work space
	Primal string     // the function itself
	Points string     // the function that makes arguments

	// Args are the type arguments of the derived function. Those of the function
	// itself are other ones if the derived function is for one instance of it;
	// PointsGeneric says that Points takes these too.
	Args, PrimalArgs []types.Type
	PointsGeneric    bool
}

// derivtestPath is the package that does the work.
const derivtestPath = "github.com/quabla/quabla/derivtest"

// Print prints the file.
func (f *CheckFile) Print() ([]byte, error) {
	taken := map[string]bool{}
	for _, n := range f.Pkg.Scope().Names() {
		taken[n] = true
	}
	im := newImports(f.Pkg, taken)
	testing, derivtest := im.name("testing", "testing"), im.name(derivtestPath, "derivtest")
	var b strings.Builder
	name := f.testName(taken)
	if len(f.Checks) > 0 {
		fmt.Fprintf(&b, "\n// %s checks the functions of %s against the\n", name, f.Output)
		fmt.Fprintf(&b, "// interpreter, differences and one another; see package derivtest.\n")
	} else {
		fmt.Fprintf(&b, "\n// %s checks the rules of %s; see package derivtest.\n", name, f.Source)
	}
	fmt.Fprintf(&b, "func %s(t *%s.T) {\n\t%s.Run(t, %s.File{\n\t\tSource: %q,\n", name, testing, derivtest, derivtest, f.Source)
	if len(f.Checks) > 0 {
		fmt.Fprintf(&b, "\t\tFuncs: []%s.Func{\n", derivtest)
		for _, c := range f.Checks {
			b.WriteString("\t\t\t" + c.row(im) + ",\n")
		}
		b.WriteString("\t\t},\n")
	}
	if len(f.Rules) > 0 {
		fmt.Fprintf(&b, "\t\tRules: []%s.RuleFunc{\n", derivtest)
		for _, c := range f.Rules {
			b.WriteString("\t\t\t" + c.row(im) + ",\n")
		}
		b.WriteString("\t\t},\n")
	}
	if len(f.Vars) > 0 {
		b.WriteString("\t\tVars: map[string]any{")
		for i, v := range f.Vars {
			if i > 0 {
				b.WriteString(", ")
			}
			key, expr := v.Name(), v.Name()
			if v.Pkg() != f.Pkg {
				key, expr = v.Pkg().Path()+"."+v.Name(), im.qualifier(v.Pkg())+"."+v.Name()
			}
			fmt.Fprintf(&b, "%q: &%s", key, expr)
		}
		b.WriteString("},\n")
	}
	b.WriteString("\t})\n}\n")
	text := fmt.Sprintf("%s\n\npackage %s\n\n%s%s", f.Header, f.Pkg.Name(), im.decl(b.String()), b.String())
	src, err := format.Source([]byte(text))
	if err != nil {
		return []byte(text), fmt.Errorf("emit: %w", err)
	}
	return src, nil
}

// testName returns the name of the test: TestQuablaModel for model.go.
func (f *CheckFile) testName(taken map[string]bool) string {
	base := "TestQuabla"
	up := true
	for _, r := range strings.TrimSuffix(f.Source, ".go") {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			up = true
			continue
		case up:
			r = unicode.ToUpper(r)
		}
		base += string(r)
		up = false
	}
	name := base
	for k := 2; taken[name] || f.Taken[name]; k++ {
		name = fmt.Sprintf("%s%d", base, k)
	}
	return name
}

// row prints a row of the table.
func (c *Check) row(im *imports) string {
	list := im.list
	// expr returns a function, or a method as a function of its receiver.
	expr := func(fn string, args []types.Type) string {
		if c.Recv == nil {
			return fn + list(args)
		}
		t := recvTypeName(c.Recv) + list(args)
		if _, ok := types.Unalias(c.Recv).(*types.Pointer); ok {
			t = "(*" + t + ")"
		}
		return t + "." + fn
	}
	name := c.Name + list(c.Args)
	if c.Recv != nil {
		name = recvTypeName(c.Recv) + list(c.Args) + "." + c.Name
	}
	s := fmt.Sprintf("{Name: %q, Derived: %s", name, expr(c.Name, c.Args))
	if c.In != "" {
		s += ", In: " + expr(c.In, c.Args)
	}
	if c.Primal != "" {
		s += ", Primal: " + expr(c.Primal, c.PrimalArgs)
	}
	if c.Points != "" {
		s += ", Points: " + c.Points
		if c.PointsGeneric {
			s += list(c.PrimalArgs)
		}
	}
	return s + "}"
}

// recvTypeName returns the name of a receiver's type without type arguments.
func recvTypeName(t types.Type) string {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		return n.Obj().Name()
	}
	return types.TypeString(t, nil)
}
