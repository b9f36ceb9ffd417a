package bank

import (
	"go/format"
	"go/types"
	"slices"
	"strings"
	"testing"

	"github.com/quabla/quabla/internal/bank/probe"
)

const nested = `id: nested
accept: exact
entry: F
imports: math, math/cmplx, unused
modes: grad jvp vjp jac hess hvp third vmap
standin: deriv=rt.Deriv
rule: vjp g=gRule wrt=x
---
var table = []float64{1, math.Pi}
var a, b = pair()
var count int

func pair() (int, float64) { return 1, 2 }

// g is a helper.
func g(x float64) float64 { return x * table[0] }
func gRule(x, bar float64) float64 { return bar }

// F is the entry.
func F(x []float64, _ int, more ...float64) float64 {
	count++
	f := func(deriv float64) float64 { return deriv }
	return deriv(g, x[0]) + f(1)
}

// deriv stands for an operator; "cmplx" is used here only.
func deriv(f func(float64) float64, x float64) float64 { return real(cmplx.Sqrt(complex(f(x), 0))) }

// @point p1
// @arg x = []float64{math.Inf(1)} ; active
// @arg n = 3 ; const
// @arg more = nil ; active
// @leaves x[0]
// @outs r0
// @val 1
// @jac r0 : 1
// @hess r0 : 0
// @d3 r0 order 3 : 0
// @point p2
// @arg x = []float64{2} ; active
// @arg n = 3 ; const
// @arg more = []float64{time.Second.Seconds()} ; const
// @leaves x[0]
// @outs r0 , post x[0]
// @val 1 2
// @jac r0 : 1
`

func TestRender(t *testing.T) {
	c := probe.Parse(nested)
	if c.Err != "" {
		t.Fatal(c.Err)
	}
	params := []string{"x", "_", "more"}
	gs := groups(c, params)
	if len(gs) != 2 || !slices.Equal(gs[0].Active, []int{0, 2}) || !slices.Equal(gs[1].Active, []int{0}) || !slices.Equal(gs[1].Posts, []int{0}) {
		t.Fatalf("%+v", gs)
	}
	ds := directives(c, params, gs, true)
	var lines []string
	names := map[string]bool{}
	for _, d := range ds {
		lines = append(lines, d.text)
		if d.name != "" && names[d.name] {
			t.Errorf("two functions %s", d.name)
		}
		names[d.name] = true
	}
	all := strings.Join(lines, "\n")
	for _, want := range []string{
		"//quabla:custom_vjp g rule=gRule wrt=x\n", "//quabla:value name=QBValue\n", "//quabla:grad wrt=x,more name=QBGrad\n",
		"//quabla:jvp wrt=x,more lanes=4 name=QBJvp4\n", "= jvp(vjp(F, x, more), x, more)\n", "= jvp(jvp(grad(F, x, more), x, more), x, more)\n",
		"//quabla:grad wrt=x of=return name=QBGradG1\n", "//quabla:vjp wrt=x of=return,x name=QBVjpG1\n", "//quabla:vmap name=QBVmap\n", "QBVmapVjpG1 = vmap(vjp(F, x, of=return, of=x))\n",
	} {
		if !strings.Contains(all+"\n", want) {
			t.Errorf("no directive %s in\n%s", want, all)
		}
	}
	s, err := render(c, "p", lines)
	if err != nil {
		t.Fatal(err)
	}
	text := string(s.text)
	if _, err := format.Source(s.text); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for _, want := range []string{
		"package p\n", "import  \"math\"\n", "import rt \"github.com/quabla/quabla/rt\"\n", "import  \"time\"\n",
		"// F is the entry.\n//quabla:custom_vjp", "return rt.Deriv(g, x[0]) + f(1)", "func(deriv float64) float64 { return deriv }",
		"func qbArg0_0() []float64 { return []float64{math.Inf(1)} }", "func qbArg0_1() int { return 3 }", "func qbArg0_2() []float64 { return nil }",
		"func qbGlobal0() any { return []float64{1, math.Pi} }", "func qbGlobal1() (any, any) { return pair() }",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	for _, no := range []string{"cmplx", "unused", "func deriv", "stands for an operator"} {
		if strings.Contains(text, no) {
			t.Errorf("%s stands in\n%s", no, text)
		}
	}
	if s.primal || !s.races || len(s.globals) != 2 || len(s.lines) != len(ds) {
		t.Errorf("%+v", s)
	}
	first := strings.Split(text, "\n")
	if got := first[s.from-1]; got != "var table = []float64{1, math.Pi}" {
		t.Errorf("the snippet begins with %q", got)
	}
	if types.Universe.Lookup("any") == nil {
		t.Error("no any")
	}
}

func TestRenderFaults(t *testing.T) {
	for _, r := range [][2]string{
		{"entry: F", "entry: Nobody"}, {"standin: deriv=rt.Deriv", "standin: nobody=rt.Deriv"}, {"rt.Deriv", "os.Exit"},
		{"count++", "count++("}, {"func F(x", "func F[T any](x"}, {"@arg n = 3", "@arg n = 3 +"}, {"// @arg n = 3 ; const\n", ""},
		{"@arg x = []", "@arg y = []"},
	} {
		c := probe.Parse(strings.Replace(nested, r[0], r[1], 1))
		if c.Err != "" {
			t.Errorf("%q in place of %q: %s", r[1], r[0], c.Err)
			continue
		}
		if _, err := render(c, "p", nil); err == nil {
			t.Errorf("%q in place of %q is no fault", r[1], r[0])
		}
	}
}

func TestDirName(t *testing.T) {
	for id, want := range map[string]string{"a-b": "c_a-b", "good one.x/y": "c_good_one_x_y", "é": "c__"} {
		if got := dirName(id); got != want {
			t.Errorf("%s: %s", id, got)
		}
	}
}
