package bank

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quabla/quabla/internal/bank/probe"
)

// good are cases that pass.
var good = map[string]string{
	"scalar": `accept: exact
entry: F
imports: -
modes: grad jvp vjp jac hess hvp third
---
func F(x, y float64) float64 { return x*x*x*y + y }

// @point p1
// @arg x = float64(2) ; active
// @arg y = float64(3) ; active
// @leaves x , y
// @outs r0
// @val 27
// @jac r0 : 36 9
// @hess r0 : 36 12 ; 12 0
// @d3 r0 xxx : 18
// @d3 r0 xxy : 12
`,
	"post": `accept: exact
entry: F
imports: -
modes: grad jvp vjp jac hess hvp
---
func F(x []float64, k float64) float64 {
	x[0] *= x[1] * k
	return x[0] + x[1]
}

// @point p1
// @arg x = []float64{2, 3} ; active
// @arg k = float64(5) ; const
// @leaves x[0] , x[1]
// @outs r0 , post x[0] , post x[1]
// @val 33 30 3
// @jac r0 : 15 11
// @jac post_x[0] : 15 10
// @jac post_x[1] : 0 1
// @hess r0 : 0 5 ; 5 0
// @hess post_x[0] : 0 5 ; 5 0
// @hess post_x[1] : 0 0 ; 0 0
`,
	"kink": `accept: convention
entry: F
imports: math
modes: grad jvp vjp jac
---
func F(x float64) float64 { return math.Abs(x) * 3 }

// @point p1
// @arg x = float64(0) ; active
// @leaves x
// @outs r0
// @val 0
// @jac r0 : 1.5
// @allow r0 x -3 3
`,
	"panics": `accept: exact
entry: F
imports: -
modes: grad jvp vjp jac
---
func F(x []float64, i int) float64 { return x[i] * x[i] }

// @point p1
// @arg x = []float64{1, 2} ; active
// @arg i = 1 ; const
// @leaves x[0] , x[1]
// @outs r0
// @val 4
// @jac r0 : 0 4
// @point p2
// @arg x = []float64{1, 2} ; active
// @arg i = 5 ; const
// @panics runtime error: index out of range
`,
	"refuse": `accept: refuse
entry: F
imports: -
modes: -
---
func F(x float64) float64 {
	ch := make(chan float64, 1)
	ch <- x
	return <-ch
}

// @refuse names the channel send or receive
`,
	"nan": `accept: exact
entry: F
imports: math
modes: grad jvp vjp
---
func F(x, y float64) float64 { return 2*x + y }

// @point p1
// @arg x = float64(math.NaN()) ; active
// @arg y = float64(1) ; active
// @leaves x , y
// @outs r0
// @val NaN
// @jac r0 : 2 1
`,
}

// wrongs are changes of good cases that must make them fail, each with a part of
// what must be said.
var wrongs = []struct{ name, base, old, new, says string }{
	{"value", "scalar", "@val 27", "@val 27.00001", "value of r0"},
	{"first", "scalar", ": 36 9", ": 36 9.0001", "jac r0 y"},
	{"first-sign", "scalar", ": 36 9", ": -36 9", "jac r0 x"},
	{"first-swapped", "scalar", ": 36 9", ": 9 36", "jac r0 x"},
	{"first-nan", "scalar", ": 36 9", ": NaN 9", "jac r0 x"},
	{"first-inf", "scalar", ": 36 9", ": 36 +Inf", "jac r0 y"},
	{"second", "scalar", "36 12 ; 12 0", "36 12 ; 12 1e-9", "hess r0 y y"},
	{"second-symmetric", "scalar", "36 12 ; 12 0", "36 13 ; 13 0", "hess r0 x y"},
	{"third", "scalar", "xxy : 12", "xxy : 12.001", "r0 x x y"},
	{"post-value", "post", "@val 33 30 3", "@val 33 31 3", "value of post_x[0]"},
	{"post-first", "post", "post_x[0] : 15 10", "post_x[0] : 15 10.5", "jac post_x[0] x[1]"},
	{"post-second", "post", "@hess post_x[0] : 0 5 ; 5 0", "@hess post_x[0] : 0 5 ; 5 1", "hess post_x[0] x[1] x[1]"},
	{"outside-interval", "kink", "-3 3", "1 3", "jac r0 x"},
	{"no-interval", "kink", "// @allow r0 x -3 3\n", "", "jac r0 x"},
	{"no-panic", "panics", "i = 5", "i = 0", "does not panic"},
	{"a-panic", "panics", "i = 1", "i = 7", "index out of range"},
	{"accepted", "refuse", "ch := make(chan float64, 1)\n\tch <- x\n\treturn <-ch", "return x", "accepted"},
	{"names-nothing", "refuse", "names the channel send or receive", "names unsafe", "names none of"},
	{"leaves", "scalar", "@leaves x , y\n", "@leaves x\n", "cannot be read"},
	{"arguments", "scalar", "// @arg y = float64(3) ; active\n", "", "arguments"},
	{"outs", "post", "func F(x []float64, k float64) float64 {", "func F(x []float64, k float64) (float64, float64) {", "not enough return values"},
	{"type-error", "scalar", "x*x*x*y", "x*x*x*z", "undefined: z"},
	{"syntax-error", "scalar", "x*x*x*y", "x*x*x*)", "does not parse"},
	{"no-entry", "scalar", "entry: F", "entry: G", "no function G"},
	{"bad-argument", "scalar", "y = float64(3)", "y = float64(3", "no expression"},
	{"header", "scalar", "---\n", "", "no line with ---"},
	{"hang", "scalar", "{ return x*x*x*y + y }", "{\n\tfor x > 0 {\n\t}\n\treturn x*x*x*y + y\n}", "hangs"},
	{"overflow", "scalar", "{ return x*x*x*y + y }", "{ return F(x+1, y) + 1 }", ""},
	{"nan-value", "nan", ": 2 1", ": 2 NaN", "jac r0 y"},
}

// TestWrong runs good cases and wrong ones in one bank: a harness that cannot fail
// is worthless.
func TestWrong(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	t.Setenv(probe.StepLimitEnv, "2s")
	dir := t.TempDir()
	write := func(id, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, id+probe.Ending), []byte("id: "+id+"\n"+text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for id, text := range good {
		write("good "+id, text) // a blank in the name is fine
	}
	says := map[string]string{}
	for _, w := range wrongs {
		if strings.Count(good[w.base], w.old) != 1 {
			t.Fatalf("%s: %q stands %d times in %s", w.name, w.old, strings.Count(good[w.base], w.old), w.base)
		}
		write(w.name, strings.Replace(good[w.base], w.old, w.new, 1))
		says[w.name] = w.says
	}
	// The path of the folder is irrelevant, and so are other files in it.
	if err := os.WriteFile(filepath.Join(dir, "README.md"), []byte("no case"), 0o666); err != nil {
		t.Fatal(err)
	}
	r, err := Run(context.Background(), options(dir))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Outcomes) != len(good)+len(wrongs) {
		t.Errorf("%d outcomes for %d cases", len(r.Outcomes), len(good)+len(wrongs))
	}
	for _, o := range r.Outcomes {
		if strings.HasPrefix(o.ID, "good ") {
			if o.Status != Passed {
				t.Errorf("%s\n%s", &o, strings.Join(o.Details, "\n"))
			}
			continue
		}
		if o.Status != Failed || !strings.Contains(o.Text, says[o.ID]) && !strings.Contains(strings.Join(o.Details, "\n"), says[o.ID]) {
			t.Errorf("want a failure that says %q: %s\n%s", says[o.ID], &o, strings.Join(o.Details, "\n"))
		}
	}
	if left, _ := filepath.Glob(filepath.Join("testdata", "run*")); len(left) > 0 {
		t.Logf("folders of runs: %v", left)
	}
}
