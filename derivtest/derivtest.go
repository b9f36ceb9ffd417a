package derivtest

import (
	"testing"
)

// A File says which derived functions of a source file to check.
type File struct {
	Source string // base name of the file with the directives, in the current directory
	Funcs  []Func
	Rules  []RuleFunc // see [Rule]

	// Vars holds pointers to the package-level variables that the functions use,
	// by name, with the path of the package and a point in front for those of
	// other packages. The interpreter takes their values from here.
	Vars map[string]any
}

// A Func is a derived function with what belongs to it. Methods are given as
// functions of their receivers, generic functions as an instance.
type Func struct {
	// Name is the name of the derived function, with the type in front for a
	// method and with type arguments: "FitGrad", "Model.FitGrad",
	// "Norm[float64]", "Vec[float64].NormGrad".
	Name    string
	Derived any // the function of that name
	In      any // its form with a work space, or nil
	Primal  any // the function that it is derived from; nil if that cannot be called
	Points  any // a function that makes arguments, or nil; see the package comment
}

// Run checks the derived functions of a source file, each in a subtest of its
// name. The current directory must be that of the package, as it is under go
// test.
func Run(t *testing.T, f File) {
	t.Helper()
	for _, r := range f.Rules {
		t.Run("rules of "+r.Name, func(t *testing.T) {
			t.Helper()
			Rule(t, r)
		})
	}
	if len(f.Funcs) == 0 {
		return
	}
	src := load(subtest{t}, ".", f.Source)
	for i := range f.Funcs {
		t.Run(f.Funcs[i].Name, func(t *testing.T) {
			t.Helper()
			newChecker(subtest{t}, src, &f, &f.Funcs[i]).run()
		})
	}
}

// A tester is what the checks need of a *testing.T.
type tester interface {
	Helper()
	Log(args ...any)
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Skipf(format string, args ...any)
	Failed() bool
	// skipped makes a subtest that is skipped.
	skipped(name, why string)
}

// A subtest is a real test.
type subtest struct{ *testing.T }

func (t subtest) skipped(name, why string) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		t.Helper()
		t.Skip(why)
	})
}
