package emit_test

import "testing"

// TestLoops holds the forms of loops.
func TestLoops(t *testing.T) {
	echo(t, "", "(x []float64, n int, p float64) float64", []row{
		{"over ints", `s := 0.0; for i := range n { s += float64(i) }; return s`, ``},
		{"over ints without a variable", `s := 0.0; for range n { s += p }; return s`, ``},
		{"over a slice", `s := 0.0; for i, v := range x { s += v * float64(i) }; return s`, ``},
		{"over values", `s := 0.0; for _, v := range x { s += v }; return s`, ``},
		{"over indices", `for i := range x { x[i] *= p }; return p`, ``},
		{"with a clause", `s := 0.0; for i := 1; i < len(x); i++ { s += x[i] * x[i-1] }; return s`, ``},
		{"by steps", `s := 0.0; for i := 0; i < n; i += 2 { s += x[i] }; return s`, ``},
		{"down", `s := 0.0; for i := n - 1; i >= 0; i-- { s = s*p + x[i] }; return s`, ``},
		{"with a condition", `for p < 10 { p *= p }; return p`, ``},
		{"for ever", `i := 0; for { if x[i] < 0 { break }; i++ }; return x[i]`, `i := 0; for { ok := x[i] < 0; if ok { break }; i++ }; return x[i]`},
		{"continue", `s := 0.0; for _, v := range x { if v < 0 { continue }; s += v }; return s`, `s := 0.0; for _, v := range x { if !(v < 0) { s += v } }; return s`},
		{"nested", `s := 0.0; for i := range n { for j := range i { s += x[j] } }; return s`, ``},
	})
}

// TestIfs holds the forms of ifs.
func TestIfs(t *testing.T) {
	echo(t, "", "(x, y float64, s []float64) float64", []row{
		{"without else", `if x < y { x = y }; return x * x`, ``},
		{"with else", `z := x; if x < y { z = x * y } else { z = x + y }; return z * z`, `var z float64; if x < y { z = x * y } else { z = x + y }; return z * z`},
		{"early return", `if x < y { return x }; return y`, ``},
		{"a chain", `if x < 0 { return 1 } else if x < 1 { return y }; return x`, `if x < 0 { return 1 }; if x < 1 { return y }; return x`},
		{"a panic", `if len(s) == 0 { panic("empty") }; return s[0]`, ``},
		{"a switch", `switch { case x < 0: return 1; case x < 1: return y }; return x`, `if x < 0 { return 1 }; if x < 1 { return y }; return x`},
	})
}

// TestNames holds variables that would hide something.
func TestNames(t *testing.T) {
	echo(t, "", "(x, y float64) float64", []row{
		{"a name that is declared twice", `z := x * y; if z > 0 { z := z + 1; x = z * z }; return x * z`,
			`z := x * y; if z > 0 { z1 := z + 1; x = z1 * z1; return x * z }; return x * z`},
	})
	echo(t, "", "(x []float64, y float64) float64", []row{
		{"the name of a builtin", `len := x[0] * y; return len * len`, `len1 := x[0] * y; return len1 * len1`},
		{"the name of a package", `rt := x[0] * y; return rt * rt`, `rt1 := x[0] * y; return rt1 * rt1`},
		{"the name of a type", `float64 := x[0] * y; return float64 * float64`, `float64_1 := x[0] * y; return float64_1 * float64_1`},
	})
}
