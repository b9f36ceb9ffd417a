package compile

import (
	"cmp"
	"go/types"
	"slices"
	"strings"

	"github.com/quabla/quabla/analyze"
	"github.com/quabla/quabla/diag"
	"github.com/quabla/quabla/emit"
	"github.com/quabla/quabla/generate"
	"github.com/quabla/quabla/ssair"
)

// A built says what the generated test of a derived function must know.
type built struct {
	work bool // there is a form with a work space
	vars map[*types.Var]bool
}

// note remembers what the test of a unit's function will need.
func (c *Compiler) note(u *unit) {
	b := built{work: u.work != nil && u.work.fn == u.fn, vars: map[*types.Var]bool{}}
	for _, f := range u.reachable() {
		globals(f, b.vars)
	}
	c.built[u.req] = b
}

// globals collects the package-level variables that f refers to.
func globals(f *ssair.Func, vars map[*types.Var]bool) {
	f.Body.Walk(func(o *ssair.Op) bool {
		if v, ok := o.Obj.(*types.Var); ok && o.Kind == ssair.Global {
			vars[v] = true
		}
		return true
	})
}

// BuildTests implements generate.BuildFunc for the tests of generated code. It
// comes after Build for the same requests.
func (c *Compiler) BuildTests(pkg *analyze.Package, file string, reqs []*analyze.Request, diags *diag.List) ([]byte, error) {
	points := findPoints(pkg, diags)
	out := &emit.CheckFile{
		Pkg: pkg.Types, Header: analyze.HeaderLine(file), Source: file, Output: generate.OutputName(file), Taken: points.declared,
	}
	vars := map[*types.Var]bool{}
	runs := map[*types.Func]bool{} // whether a function can be called as it is
	for _, req := range reqs {
		fn := req.Func
		if _, seen := runs[fn]; !seen {
			f, err := c.Primal(pkg, req, new(diag.List))
			if err != nil {
				return nil, err
			}
			if runs[fn] = f != nil && runnable(f); f != nil {
				f.EachCallee(false, func(g *ssair.Func) { globals(g, vars) })
			}
		}
		b := c.built[req]
		for v := range b.vars {
			vars[v] = true
		}
		check := emit.Check{Name: req.Name, PrimalArgs: req.TypeArgs}
		if req.Derived.Recv != nil {
			check.Recv = req.Derived.Recv.Type
		}
		if runs[fn] {
			check.Primal = fn.Name()
		}
		if b.work {
			check.In = req.InName
		}
		if p := points.of(req, diags); p != nil {
			check.Points, check.PointsGeneric = p.Name(), p.Signature().TypeParams() != nil
		}
		if len(req.TypeParams()) == 0 {
			out.Checks = append(out.Checks, check)
			continue
		}
		for _, args := range req.Instances() {
			check.Args, check.PrimalArgs = args, args
			out.Checks = append(out.Checks, check)
		}
	}
	for _, r := range pkg.Rules() {
		if r.File.Name == file {
			if check, ok := c.ruleCheck(r, points, diags); ok {
				out.Rules = append(out.Rules, check)
			}
		}
	}
	if diags.HasErrors() {
		return nil, nil
	}
	for v := range vars {
		if testable(v, pkg) {
			out.Vars = append(out.Vars, v)
		}
	}
	slices.SortFunc(out.Vars, func(v, w *types.Var) int {
		return cmp.Or(cmp.Compare(v.Pkg().Path(), w.Pkg().Path()), cmp.Compare(v.Name(), w.Name()))
	})
	return out.Print()
}

// testable reports whether a test of the package can hand the variable to the
// interpreter, which knows those of the standard library itself.
func testable(v *types.Var, pkg *analyze.Package) bool {
	if v.Pkg() == pkg.Types {
		return true
	}
	return v.Exported() && !stdPath(v.Pkg().Path()) && !strings.Contains(v.Pkg().Path(), "internal/")
}
