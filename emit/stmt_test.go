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
		{"for ever", `i := 0; for { if x[i] < 0 { break }; i++ }; return x[i]`, `_ = 0`},
		{"continue", `s := 0.0; for _, v := range x { if v < 0 { continue }; s += v }; return s`, `_ = 0`},
		{"return from within", `for _, v := range x { if v < 0 { return v } }; return p`, ``},
		{"nested", `s := 0.0; for i := range n { for j := range i { s += x[j] } }; return s`, ``},
		{"break of the outer one", "s := 0.0\nouter:\nfor i := range n { for j := range n { if x[j] < p { break outer }; s += x[i] } }\nreturn s", `_ = 0`},
	})
}

// TestIfs holds the forms of ifs.
func TestIfs(t *testing.T) {
	echo(t, "", "(x, y float64, s []float64) float64", []row{
		{"without else", `if x < y { x = y }; return x * x`, ``},
		{"with else", `z := x; if x < y { z = x * y } else { z = x + y }; return z * z`, `_ = 0`},
		{"early return", `if x < y { return x }; return y`, ``},
		{"a chain", `if x < 0 { return 1 } else if x < 1 { return y }; return x`, `_ = 0`},
		{"a panic", `if len(s) == 0 { panic("empty") }; return s[0]`, ``},
		{"a switch", `switch { case x < 0: return 1; case x < 1: return y }; return x`, `_ = 0`},
	})
}

// TestNames holds variables that would hide something.
func TestNames(t *testing.T) {
	echo(t, "func t() float64 { return 1 }\n", "(x, y float64) float64", []row{
		{"a name of a function that is called", `t1 := x * y; s := t1 + t(); return s * t1`, `_ = 0`},
		{"a name that is shadowed", `z := x * y; if z > 0 { z := z + 1; x = z * z }; return x * z`, `_ = 0`},
	})
	echo(t, "", "(math, y float64) float64", []row{
		{"a parameter with the name of a package", `return math * y`, `_ = 0`},
	})
	echo(t, "", "(x []float64, y float64) float64", []row{
		{"a variable with the name of a builtin", `len := x[0] * y; return len * len`, `_ = 0`},
	})
}
