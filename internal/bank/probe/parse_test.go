package probe

import (
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

const sample = `id: demo
source: a test
family: demo
accept: convention
entry: F
imports: math, m math/cmplx, -
modes: grad jvp hess
needs: nothing
standin: deriv=rt.Deriv
rule: vjp G=GRule wrt=a,b; jvp H=HRule
batch: points p1..p2 are one batch
unknown key: ignored
---
// F is here.
func F(x []float64, z complex128, n int) (float64, float64) {
	// @point is no expectation here
	return x[0], math.Abs(x[1])
}

// how: by hand
// @refuse names math.Abs
// @point p1
// @arg x = []float64{1, f(2; 3)} ; active
// @arg z = complex(1, 2) ; active
// @arg n = 3 ; const
// @leaves x[0] , x[1] , Re z , Im z
// @outs r0 , r1 , post x[0]
// @val 1 +Inf NaN
// @jac r0 : 1 0 0 0
// @jac post_x[0] : 1 -Inf 0 1e-3
// @hess r0 : 0 0 0 0 ; 0 0 0 0 ; 0 0 0 0 ; 0 0 0 1
// @allow r0 x[1] -1 Inf
// @allow r1 Re z 0 0
// @rtol 1e-9 relative (see above)
// @check fd h=0.01 vtol=1e-6
// @note NaN is also accepted
// @note second derivative -1/3 is true, 0.5 too: accept either
// @something new
// @point p2
// @arg x = nil ; const
// @arg z = 1 ; active
// @arg n = 0 ; const
// @panics runtime error: index out of range
`

func TestParse(t *testing.T) {
	c := Parse(strings.ReplaceAll(sample, "\n", "\r\n"))
	if c.Err != "" {
		t.Fatal(c.Err)
	}
	if c.Accept != "convention" || c.Entry != "F" || !c.Batch || c.How != "by hand" || !c.Lists("hess") || c.Lists("vjp") {
		t.Errorf("%+v", c)
	}
	equals := func(what string, got, want any) {
		t.Helper()
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	equals("imports", c.Imports, []Import{{"", "math"}, {"m", "math/cmplx"}})
	equals("stand-ins", c.StandIn, []StandIn{{"deriv", "rt.Deriv"}})
	equals("rules", c.Rules, []Rule{{"vjp", "G", "GRule", []string{"a", "b"}}, {"jvp", "H", "HRule", nil}})
	equals("refuse", c.Refuse, []string{"names math.Abs"})
	if !strings.HasPrefix(c.Snippet, "// F is here.\n") || !strings.HasSuffix(c.Snippet, "}\n") || !strings.Contains(c.Snippet, "@point") {
		t.Errorf("snippet %q", c.Snippet)
	}
	if len(c.Points) != 2 {
		t.Fatalf("%d points", len(c.Points))
	}
	p := c.Points[0]
	equals("arg", p.Args[0], Arg{"x", "[]float64{1, f(2; 3)}", true})
	equals("leaves", p.Leaves, []string{"x[0]", "x[1]", "Re_z", "Im_z"})
	equals("outs", p.Outs, []string{"r0", "r1", "post_x[0]"})
	equals("posts", p.Posts(), []string{"x"})
	equals("jac", p.Jac["post_x[0]"], []float64{1, math.Inf(-1), 0, 1e-3})
	equals("hess", p.Hess["r0"][3], []float64{0, 0, 0, 1})
	equals("allow", p.Allow, []Allow{{"r0", "x[1]", -1, math.Inf(1)}, {"r1", "Re_z", 0, 0}})
	equals("tolerances", []float64{p.RTol, p.ValTol}, []float64{1e-9, 1e-6})
	equals("either", p.Either, []float64{-1. / 3, 0.5})
	equals("order", p.MaxOrder(), 2)
	if !p.NaNToo || p.Finite() || p.Val[1] != math.Inf(1) || !math.IsNaN(p.Val[2]) {
		t.Errorf("%+v", p)
	}
	if !c.Points[1].Panics || len(c.Points[1].Active()) != 1 {
		t.Errorf("%+v", c.Points[1])
	}
}

func TestParseHigher(t *testing.T) {
	head := "accept: exact\nentry: F\n---\nfunc F(){}\n\n// @point p\n// @outs r0\n// @val 0\n"
	c := Parse(head + "// @d3 r0 xxy : 2\n// @d3 r0 x ab : 3\n// @leaves x , y , ab\n")
	if c.Err != "" {
		t.Fatal(c.Err)
	}
	want := []High{{"r0", []int{0, 0, 1}, 2, "xxy"}, {"r0", []int{0, 2}, 3, "x ab"}}
	if !reflect.DeepEqual(c.Points[0].High, want) {
		t.Errorf("%v", c.Points[0].High)
	}
	c = Parse(head + "// @leaves x\n// @d3 r0 order 4 : 2\n")
	if c.Err != "" || len(c.Points[0].High[0].By) != 4 {
		t.Errorf("%s %+v", c.Err, c.Points[0].High)
	}
}

// TestParseFaults breaks the sample in one place each.
func TestParseFaults(t *testing.T) {
	for _, r := range [][2]string{
		{"---\n", ""},
		{"entry: F\n", ""},
		{"accept: convention", "accept: perhaps"},
		{"entry: F\n", "entry: F\nno header line\n"},
		{"standin: deriv=rt.Deriv", "standin: deriv"},
		{"vjp G=GRule", "G=GRule"},
		{"// @arg n = 3 ; const", "// @arg n = 3"},
		{"// @arg n = 3 ; const", "// @arg n = 3 ; perhaps"},
		{"// @jac r0 : 1 0 0 0", "// @jac r0 : 1 0 0"},
		{"// @jac r0 : 1 0 0 0", "// @jac r0 : 1 0 0 zero"},
		{"// @jac r0 : 1 0 0 0", "// @jac r9 : 1 0 0 0"},
		{"// @jac r0 : 1 0 0 0", "// @jac r0 1 0 0 0"},
		{"; 0 0 0 1", ""},
		{"// @val 1 +Inf NaN", "// @val 1 +Inf"},
		{"// @allow r0 x[1] -1 Inf", "// @allow r0 x[1] 1 -1"},
		{"// @allow r0 x[1] -1 Inf", "// @allow r0 x[7] -1 1"},
		{"// @allow r0 x[1] -1 Inf", "// @allow r0 -1 1"},
		{"// @rtol 1e-9 relative", "// @rtol about 1e-9"},
		{"// @rtol 1e-9 relative", "// @d3 r0 order 3 : 1"},
		{"// @rtol 1e-9 relative", "// @d3 r0 qq : 1"},
		{"// @point p1\n", ""},
	} {
		text := strings.Replace(sample, r[0], r[1], 1)
		if text == sample {
			t.Errorf("%q does not stand in the sample", r[0])
		}
		if c := Parse(text); c.Err == "" {
			t.Errorf("%q in place of %q is no fault", r[1], r[0])
		}
	}
}

// TestReadBank reads the bank of the project.
func TestReadBank(t *testing.T) {
	cases, err := ReadDir(filepath.Join("..", "..", "..", "testdata", "bank"))
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) < 260 {
		t.Errorf("%d cases", len(cases))
	}
	points := 0
	for _, c := range cases {
		if c.Err != "" {
			t.Errorf("%s: %s", c.ID, c.Err)
		}
		points += len(c.Points)
	}
	if points < 339 {
		t.Errorf("%d points", points)
	}
	if _, err := ReadDir(t.TempDir()); err == nil {
		t.Error("an empty folder is no error")
	}
	if _, err := ReadDir("no such folder"); err == nil {
		t.Error("a missing folder is no error")
	}
}
