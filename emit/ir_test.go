package emit_test

import (
	"strings"
	"testing"

	"github.com/quabla/quabla/internal/srctest"
	"github.com/quabla/quabla/ssair"
)

// printed prints functions in the printed form of the IR, for what no source
// lifts to. The result must be accepted by the type checker. sig is the
// signature as Go has it, behind which the rows tell the body.
func printed(t *testing.T, decls, params, sig string, rows []row) {
	t.Helper()
	for _, r := range rows {
		t.Run(strings.ReplaceAll(r.name, " ", "_"), func(t *testing.T) {
			p := srctest.Load(t, "package demo\n"+decls)
			f, err := ssair.ParseFunc(p.Mod, "func F"+params+" {\n"+r.in+"\n}")
			if err != nil {
				t.Fatal(err)
			}
			f.Body.Walk(func(o *ssair.Op) bool {
				o.Pos = p.File.Pos()
				return true
			})
			out := source(t, f)
			compare(t, out, sig, r.want)
			srctest.Load(t, out+decls)
		})
	}
}

// TestPin holds constants that the Go compiler would refuse, but which panic only
// where the program comes to them: they are kept in variables.
func TestPin(t *testing.T) {
	printed(t, "", "(%1:x []float64, %2:a *[2]float64, %3:n int, %4:s string) (float64)", "(x []float64, a *[2]float64, n int, s string) float64", []row{
		{"an index in range", "%5 int = const 1\n%6 float64 = load [] %2, %5\nreturn %6", `return a[1]`},
		{"an index out of range", "%5 int = const 2\n%6 float64 = load [] %2, %5\nreturn %6", `index := 2; return a[index]`},
		{"a negative index", "%5 int = const -1\n%6 float64 = load [] %1, %5\nreturn %6", `index := -1; return x[index]`},
		{"a store out of range", "%5 int = const 2\n%6 float64 = const 1\nstore [] %2, %5, %6\nreturn %6", `index := 2; a[index] = 1; return 1`},
		{"an index of a slice", "%5 int = const 2\n%6 float64 = load [] %1, %5\nreturn %6", `return x[2]`},
		{"bounds of an array", "%5 int = const 3\n%6 []float64 = slice %2, _, %5, _\n%7 float64 = load [] %6, %3\nreturn %7", `bound := 3; return a[:bound][n]`},
		{"bounds in the wrong order", "%5 int = const 3\n%6 int = const 1\n%7 []float64 = slice %1, %5, %6, _\n%8 float64 = load [] %7, %3\nreturn %8", `bound := 1; return x[3:bound][n]`},
		{"a negative size", "%5 int = const -3\n%6 []float64 = makeslice %5, _\n%7 float64 = load [] %6, %3\nreturn %7", `size := -3; t := make([]float64, size); return t[n]`},
		{"a capacity below the size", "%5 int = const 3\n%6 int = const 2\n%7 []float64 = makeslice %5, %6\n%8 float64 = load [] %7, %3\nreturn %8", `size := 2; t := make([]float64, 3, size); return t[n]`},
		{"a division by zero", "%5 int = const 0\n%6 int = bin / %3, %5\n%7 float64 = conv %6\nreturn %7", `divisor := 0; return float64(n / divisor)`},
		{"a remainder by zero", "%5 int = zero\n%6 int = bin % %3, %5\n%7 float64 = conv %6\nreturn %7", `divisor := 0; return float64(n % divisor)`},
		{"a negative shift", "%5 int = const -1\n%6 int = bin << %3, %5\n%7 float64 = conv %6\nreturn %7", `count := -1; return float64(n << count)`},
		{"a sum that overflows", "%5 int = const 9223372036854775807\n%6 int = const 1\n%7 int = bin + %5, %6\n%8 float64 = conv %7\nreturn %8", `x1 := 9223372036854775807; return float64(x1 + 1)`},
		{"a conversion that wraps", "%5 int = const 300\n%6 uint8 = conv %5\n%7 float64 = conv %6\nreturn %7", `x1 := 300; return float64(uint8(x1))`},
		{"a conversion that rounds", "%5 float64 = const 3/2\n%6 int = conv %5\n%7 float64 = conv %6\nreturn %7", `x1 := 1.5; return float64(int(x1))`},
	})
}

// TestSpecial holds values that constant expressions of Go cannot have.
func TestSpecial(t *testing.T) {
	printed(t, "", "(%1:x float64) (float64)", "(x float64) float64", []row{
		{"infinity", "%2 float64 = const 1\n%3 float64 = const 0\n%4 float64 = bin / %2, %3\nreturn %4", `return math.Inf(1)`},
		{"minus infinity", "%2 float64 = const -1\n%3 float64 = const 0\n%4 float64 = bin / %2, %3\n%5 float64 = bin * %1, %4\nreturn %5", `return x * math.Inf(-1)`},
		{"not a number", "%3 float64 = const 0\n%4 float64 = bin / %3, %3\nreturn %4", `return math.NaN()`},
		{"minus zero", "%3 float64 = const 0\n%4 float64 = un - %3\nreturn %4", `return math.Copysign(0, -1)`},
		{"a constant that is rounded", "%3 float64 = const 1/3\n%4 float64 = bin * %1, %3\nreturn %4", `return x * 0.3333333333333333`},
		{"a large integer", "%3 float64 = const 1000000000000000\n%4 float64 = bin * %1, %3\nreturn %4", `return x * 1e+15`},
	})
}

// TestCalls holds calls of functions of the package.
func TestCalls(t *testing.T) {
	const decls = "\nfunc each(x ...float64) {}\nfunc use(x []float64, k ...int) {}\n"
	printed(t, decls, "(%1:x float64, %2:s []float64)", "(x float64, s []float64)", []row{
		{"variadic arguments", "%3 int = const 2\n%4 []float64 = makeslice %3, _\n%5 int = const 0\n%6 int = const 1\nstore [] %4, %5, %1\nstore [] %4, %6, %1\nopaque \"demo\".each %4\nreturn", `each(x, x)`},
		{"a slice as variadic arguments", "opaque \"demo\".each %2\nreturn", `each(s...)`},
		{"no variadic arguments", "%3 []float64 = zero\nopaque \"demo\".each %3\nreturn", `each()`},
		{"an argument and none", "%3 []int = zero\nopaque \"demo\".use %2, %3\nreturn", `use(s)`},
		{"nil as an argument", "%3 []int = zero\n%4 []float64 = zero\nopaque \"demo\".use %4, %3\nreturn", `use(nil)`},
	})
}

// TestImports holds the import declaration.
func TestImports(t *testing.T) {
	const f = "func F(%1:x float64, %2:m map[string]float64) (float64) {\n%3 float64 = apply math.Sin %1\n%4 float64 = apply rt.Mul0 %3, %1\n"
	for _, c := range []struct{ name, decls, text, want string }{
		{"one of the standard library", "", "func F(%1:x float64) (float64) {\n%2 float64 = apply math.Sin %1\nreturn %2\n}", "import \"math\"\n"},
		{"none", "", "func F(%1:x float64) (float64) {\n%2 float64 = bin * %1, %1\nreturn %2\n}", ""},
		{"the standard library first", "", f + "return %4\n}", "import (\n\t\"math\"\n\n\t\"github.com/quabla/quabla/rt\"\n)\n"},
		{"a name that is taken", "var math int", "func F(%1:x float64) (float64) {\n%2 float64 = apply math.Sin %1\nreturn %2\n}", "import (\n\tmath1 \"math\"\n)\n"},
	} {
		p := srctest.Load(t, "package demo\n"+c.decls)
		fn, err := ssair.ParseFunc(p.Mod, c.text)
		if err != nil {
			t.Fatal(err)
		}
		out := source(t, fn)
		_, rest, _ := strings.Cut(out, "package demo\n\n")
		got, _, _ := strings.Cut("\n"+rest, "\nfunc F")
		got = strings.TrimPrefix(got, "\n")
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}
