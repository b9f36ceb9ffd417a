package deriv

import (
	"slices"
	"strings"
	"testing"

	"github.com/quabla/quabla/internal/srctest"
	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// activeNames lists the variables that derivatives pass through, and the
// references that have shadows, with an asterisk.
func activeNames(f *ssair.Func, a *activity) string {
	var names []string
	see := func(v *ssair.Value) {
		switch {
		case v.Name() == "":
		case a.value(v):
			names = append(names, v.Name())
		case a.ref(v):
			names = append(names, "*"+v.Name())
		}
	}
	for _, p := range f.Params {
		see(p)
	}
	f.Body.Walk(func(o *ssair.Op) bool {
		for _, v := range o.Results {
			see(v)
		}
		return true
	})
	slices.Sort(names)
	return strings.Join(slices.Compact(names), " ")
}

// TestActivity holds what is active in reverse mode, for the parameters whose
// names are in wrt and all results.
func TestActivity(t *testing.T) {
	for _, c := range []struct{ name, params, body, wrt, want string }{
		{"a chain", "x, y float64", "a := x * y; b := a + y; return b", "x", "a b x"},
		{"what depends on nothing", "x, y float64", "a := y * y; b := a * x; return b", "x", "b x"},
		{"what nothing depends on", "x, y float64", "a := x * x; if a > 0 { return y * x }; return x", "x", "x"},
		{"through an int", "x, y float64", "k := int(x); a := float64(k); return a * y", "x y", "y"},
		{"rounded", "x, y float64", "a := math.Floor(x); b := a * y; return b", "x y", "b y"},
		{"a value that an if chooses", "x, y float64", "a := y; if y > 0 { a = x }; return a", "x", "a x"},
		{"what a loop carries", "x, y float64", "a := y; for i := 0; i < 3; i++ { a *= x }; return a", "x", "a x"},
		{"memory", "x []float64, y float64", "a := x[0]; return a * y", "x", "*x a"},
		{"memory that is written", "x []float64, y float64", "x[0] = y; a := x[1]; return a", "y", "*x a y"},
		{"memory that is not differentiated by", "x []float64, y float64", "a := x[0]; return a * y", "y", "y"},
		{"memory of its own", "x []float64, y float64", "z := make([]float64, len(x)); z[0] = y; a := z[1]; return a", "y", "*z a y"},
		{"memory of its own that stays constant", "x []float64, y float64", "z := make([]float64, len(x)); z[0] = 1; a := z[1]; return a * y", "y", "y"},
		{"two memories", "x, k []float64, y float64", "k[0] = 2; a := k[1]; b := x[0]; return a * b", "x", "*x b"},
		{"one of two memories", "x, k []float64, y float64", "z := k; if y > 0 { z = x }; a := z[0]; return a", "x", "*k *x *z a"},
	} {
		src := "package demo\n"
		if strings.Contains(c.body, "math.") {
			src += "import \"math\"\n"
		}
		f := srctest.Load(t, src+"func F("+c.params+") float64 { "+c.body+" }").Lift(t, "F")
		pass.Tidy(f)
		active := make([]bool, len(f.Params))
		for i, p := range f.Params {
			active[i] = slices.Contains(strings.Fields(c.wrt), p.Name())
		}
		a := findActivity(f, active, &outputs{result: []bool{true}, param: make([]bool, len(f.Params))}, false)
		if got := activeNames(f, a); got != c.want {
			t.Errorf("%s: active are %q, want %q\n%s", c.name, got, c.want, f)
		}
	}
}

// TestIndependent holds the parameters that the result does not depend on.
func TestIndependent(t *testing.T) {
	for _, c := range []struct {
		body string
		want []int
	}{
		{"return x[0] * y", nil},
		{"return x[0]", []int{1}},
		{"k := int(y); return x[k]", []int{1}},
		{"if y > 0 { return x[0] }; return x[1]", []int{1}},
		{"x[0] = y; return x[0]", []int{0}},
		{"a := x[0] * y; a = 1; return a", []int{0, 1}},
	} {
		f := srctest.Load(t, "package demo\nfunc F(x []float64, y float64) float64 { "+c.body+" }").Lift(t, "F")
		pass.Tidy(f)
		got, err := New(f.Mod).Independent(f, Request{Wrt: []bool{true, true}, Result: []bool{true}, Param: []bool{false, false}})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: independent of %v, want %v", c.body, got, c.want)
		}
	}
}
