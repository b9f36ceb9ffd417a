package emit_test

import "testing"

// TestPrecedence holds where parentheses are needed, and where they are not.
func TestPrecedence(t *testing.T) {
	echo(t, "", "(a, b, c float64) float64", []row{
		{"a product of a sum", `return (a + b) * c`, ``},
		{"a sum of a product", `return a*b + c`, ``},
		{"needless ones", `return (a * b) + (c)`, `return a*b + c`},
		{"a difference of a difference", `return a - (b - c)`, ``},
		{"a difference from the left", `return (a - b) - c`, `return a - b - c`},
		{"a sum from the right", `return a + (b + c)`, ``},
		{"a quotient of a product", `return a / (b * c)`, ``},
		{"a quotient from the left", `return a / b * c`, ``},
		{"minus of a sum", `return -(a + b)`, ``},
		{"minus of a product", `return -(a * b)`, ``},
		{"minus in a product", `return -a * b`, ``},
		{"minus of minus", `return -(-a)`, ``},
		{"plus minus", `return a + -b`, `return a - b`},
		{"minus minus", `return a - -b`, `return a + b`},
		{"minus minus a product", `return a - -b*c`, ``},
		{"an explicit conversion", `return float64(a*b) + c`, ``},
		{"min", `return min(a+b, c) * max(a, 2)`, ``},
	})
	echo(t, "", "(a, b, c float64, p, q bool) bool", []row{
		{"and before or", `return a < b && p || q`, ``},
		{"or in and", `return (a < b || p) && q`, ``},
		{"not of and", `return !(p && q)`, ``},
		{"not of a comparison of floats", `return !(a < b)`, ``},
		{"not of equality", `return !(a == b)`, `return a != b`},
		{"a comparison of sums", `return a+b < c*2`, ``},
		{"a comparison of bools", `return p == (a < b)`, ``},
	})
	echo(t, "", "(i, j int, u uint, p *int) int", []row{
		{"a shift of a sum", `return (i + j) << u`, ``},
		{"a sum of a shift", `return i<<u + j`, ``},
		{"a shift by a sum", `return i << (u + 1)`, ``},
		{"and not", `return i &^ (j | 1)`, ``},
		{"not of a comparison of ints", `if !(i < j) { return i }; return j`, `if i >= j { return i }; return j`},
		{"through a pointer", `return *p * -*p`, ``},
		{"a remainder", `return i % (j * 2) % 3`, ``},
		{"a shifted constant", `return 1 << u`, `return int(1) << u`},
	})
	echo(t, "type P struct{ X, Y float64 }", "(p *P, s []P, pp **P, a *[2]float64, i int) float64", []row{
		{"a field through a pointer", `return p.X`, ``},
		{"a field through two", `return (*pp).X`, ``},
		{"a field of an element", `return s[i+1].Y`, ``},
		{"an element through a pointer", `return a[i]`, ``},
		{"a slice of an array", `return a[1:][i]`, ``},
		{"a full slice", `return s[:i:len(s)][0].X`, ``},
	})
}

// TestConstants holds how constants are written.
func TestConstants(t *testing.T) {
	const decls = "const N = 3\nconst Half = 0.5\nconst Typed float64 = 2\ntype Deg float64\n"
	echo(t, decls, "(x float64) float64", []row{
		{"an integer", `return x * 2`, ``},
		{"a decimal", `return x * 0.1`, ``},
		{"a large one", `return x * 1e100`, ``},
		{"a small one", `return x * 1e-07`, ``},
		{"hexadecimal", `return x * 0x1p-3`, ``},
		{"with separators", `return x * 1_000`, ``},
		{"a quotient", `return x * (1.0 / 3)`, ``},
		{"a name", `return x*N + Half`, ``},
		{"a typed name", `return x * Typed`, ``},
		{"a name of another package", `return x * math.Pi`, ``},
		{"negative", `return x * -2`, ``},
		{"of a variable", `s := 1.0; for x < 8 { x *= 2; s += x }; return s`, `s := 1.0; for x < 8 { x *= 2; s += x }; return s`},
		{"zero of a variable", `s := 0.0; for x < 8 { x *= 2; s += x }; return s`, ``},
	})
	echo(t, decls, "(x float32) float32", []row{
		{"float32", `return x * 0.1`, ``},
		{"float32 of a variable", `s := float32(1); for x < 8 { x *= 2; s += x }; return s`, ``},
	})
	echo(t, decls, "(x Deg, c complex128) (Deg, complex128, string)", []row{
		{"a named type", `return x * 2, c * 2i, "a\n\"b\""`, ``},
	})
}

// TestLiterals holds composite literals.
func TestLiterals(t *testing.T) {
	const decls = "type P struct{ X, Y float64 }\n"
	echo(t, decls, "(x, y float64, i int) P", []row{
		{"a struct", `return P{X: x, Y: y}`, ``},
		{"without names", `return P{x, y}`, `return P{X: x, Y: y}`},
		{"what is zero is left out", `return P{Y: y}`, ``},
		{"empty", `return P{}`, ``},
	})
	echo(t, decls, "(x, y float64, i int) float64", []row{
		{"an array", `a := [3]float64{x, y}; return a[i]`, `a := [3]float64{x, y, 0}; return a[i]`},
		{"a slice", `a := []float64{x, y, x * y}; return a[i]`, ``},
		{"a slice with a gap", `a := []float64{1: x, 3: y}; return a[i]`, `a := make([]float64, 4); a[1] = x; a[3] = y; return a[i]`},
		{"elements that read the slice", `a := make([]float64, 2); a[0] = x; a[1] = a[i] + 1; return a[1-i]`, ``},
	})
	echo(t, decls, "(x, y float64, k string) map[string]float64", []row{
		{"a map", `m := map[string]float64{}; m[k] = x; return m`, ``},
	})
}
