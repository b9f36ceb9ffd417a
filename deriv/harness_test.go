package deriv_test

import (
	"fmt"
	"go/types"
	"math"
	"strings"
	"testing"

	"github.com/quabla/quabla/deriv"
	"github.com/quabla/quabla/internal/srctest"
	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/interp"
	"github.com/quabla/quabla/ssair/pass"
)

// all returns a slice of n times true.
func all(n int) []bool {
	bs := make([]bool, n)
	for i := range bs {
		bs[i] = true
	}
	return bs
}

// numbers says which parameters of f can be differentiated by.
func numbers(f *ssair.Func) []bool {
	bs := make([]bool, len(f.Params))
	for i, p := range f.Params {
		_, isFunc := p.Type.Underlying().(*types.Signature)
		bs[i] = !isFunc && ssair.ReachesScalar(p.Type)
	}
	return bs
}

// request asks for the derivative of the results by all parameters that reach
// numbers.
func request(f *ssair.Func) deriv.Request {
	return deriv.Request{Wrt: numbers(f), Result: all(len(f.Results)), Param: make([]bool, len(f.Params))}
}

// function drops the meaning of parameters and results.
func function(d *deriv.Derivative, err error) (*ssair.Func, error) {
	if err != nil {
		return nil, err
	}
	return d.Func, nil
}

// load lifts F of a package that consists of decls, in which the common packages
// are imported as they are used.
func load(t *testing.T, decls string) *ssair.Func {
	t.Helper()
	src := "package demo\n"
	for _, p := range []string{"math", "slices", "strconv"} {
		if strings.Contains(decls, p+".") {
			src += fmt.Sprintf("import %q\n", p)
		}
	}
	f := srctest.Load(t, src+decls).Lift(t, "F")
	pass.Tidy(f)
	return f
}

// parse reads functions in the printed form of the IR and returns the first.
func parse(t *testing.T, text string) *ssair.Func {
	t.Helper()
	fs, err := ssair.ParseModule(&ssair.Module{Pkg: types.NewPackage("demo", "demo")}, text)
	if err != nil {
		t.Fatal(err)
	}
	return fs[0]
}

// call tidies f, as compiling does, and runs it. Arguments are Go values.
func call(t *testing.T, f *ssair.Func, args ...any) []interp.Value {
	t.Helper()
	for _, g := range f.Mod.Funcs {
		pass.Tidy(g)
		srctest.Verify(t, g)
	}
	vs := make([]interp.Value, len(args))
	for i, a := range args {
		if v, ok := a.(interp.Value); ok {
			vs[i] = v
			continue
		}
		v, err := interp.FromGo(f.Params[i].Type, a)
		if err != nil {
			t.Fatal(err)
		}
		vs[i] = v
	}
	out, err := interp.New(f.Mod).Call(f, vs...)
	if err != nil {
		t.Fatalf("%v\n%s", err, f)
	}
	return out
}

// floats returns the floats of v, of type t of f.
func floats(f *ssair.Func, result int, v interp.Value) []float64 {
	return interp.Flatten(v, f.Results[result].Type)
}

// near reports whether x and y agree but for rounding.
func near(x, y float64) bool {
	return x == y || math.IsNaN(x) && math.IsNaN(y) || math.Abs(x-y) <= 1e-12*(1+math.Abs(y))
}

func nearAll(x, y []float64) bool {
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if !near(x[i], y[i]) {
			return false
		}
	}
	return true
}
