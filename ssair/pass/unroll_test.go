package pass_test

import (
	"testing"

	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// unrolled is Unroll without the constants of the indices.
func unrolled(f *ssair.Func) bool {
	changed := pass.Unroll(f)
	if changed {
		simplify(f)
	}
	return changed
}

// TestUnroll holds loops that keep a small array from being taken apart.
func TestUnroll(t *testing.T) {
	// loopOf is a loop over i from lo while i op hi that sums a[i]; the index
	// steps by one.
	loopOf := func(hi, tok, index string) string {
		return `
		%3:a *[4]float64 = alloc ([4]float64)
		%4 int = const 0
		%5 int = ` + hi + `
		%6:i int, %7 float64 = loop while %4, %1 {
		cond(%8:i int, %9 float64):
			%10 bool = cmp ` + tok + ` %8, %5
			yield %10
		body(%11:i int, %12 float64):
			%13 float64 = load [] %3, ` + index + `
			%14 float64 = bin + %12, %13
			yield %11, %14
		post(%15:i int, %16 float64):
			%17 int = const 1
			%18 int = bin + %15, %17
			yield %18, %16
		}
		return %7`
	}
	rewrite(t, unrolled, "func F(%1:x float64, %2:n int) (float64)", []row{
		{"two trips", loopOf("const 2", "<", "%11"), `
		%3:a *[4]float64 = alloc ([4]float64)
		%4 int = const 0
		%5 float64 = load [] %3, %4
		%6 float64 = bin + %1, %5
		%7 int = const 1
		%8 float64 = load [] %3, %7
		%9 float64 = bin + %6, %8
		return %9`},
		{"up to the bound", loopOf("const 1", "<=", "%11"), `
		%3:a *[4]float64 = alloc ([4]float64)
		%4 int = const 0
		%5 float64 = load [] %3, %4
		%6 float64 = bin + %1, %5
		%7 int = const 1
		%8 float64 = load [] %3, %7
		%9 float64 = bin + %6, %8
		return %9`},
		{"no trip", loopOf("const -1", "<", "%11"), `
		return %1`},
		{"five trips", loopOf("const 5", "<", "%11"), ``},
		{"a bound that is not known", loopOf("bin + %2, %4", "<", "%11"), ``},
		{"an index that is not that of the loop", loopOf("const 2", "<", "%2"), ``},
	})
}

// TestCounted holds what is recognised as counting.
func TestCounted(t *testing.T) {
	for _, c := range []struct {
		name, cond, body, post string
		want                   *pass.Count // without Bound
	}{
		{"up", "%9 bool = cmp < %8, %1\nyield %9", "yield %11", "%13 int = const 1\n%14 int = bin + %12, %13\nyield %14", &pass.Count{Step: 1}},
		{"up to and with", "%9 bool = cmp <= %8, %1\nyield %9", "yield %11", "%13 int = const 2\n%14 int = bin + %12, %13\nyield %14", &pass.Count{Step: 2, Closed: true}},
		{"down", "%9 bool = cmp > %8, %1\nyield %9", "yield %11", "%13 int = const 1\n%14 int = bin - %12, %13\nyield %14", &pass.Count{Step: -1}},
		{"the bound on the left", "%9 bool = cmp > %1, %8\nyield %9", "yield %11", "%13 int = const 1\n%14 int = bin + %12, %13\nyield %14", &pass.Count{Step: 1}},
		{"with an offset", "%20 int = const 1\n%21 int = bin + %8, %20\n%9 bool = cmp < %21, %1\nyield %9", "yield %11", "%13 int = const 1\n%14 int = bin + %12, %13\nyield %14", &pass.Count{Step: 1, Offset: 1}},
		{"in the body", "%9 bool = cmp < %8, %1\nyield %9", "%13 int = const 1\n%14 int = bin + %11, %13\nyield %14", "yield %12", &pass.Count{Step: 1}},
		{"away from the bound", "%9 bool = cmp < %8, %1\nyield %9", "yield %11", "%13 int = const 1\n%14 int = bin - %12, %13\nyield %14", nil},
		{"until it is met", "%9 bool = cmp != %8, %1\nyield %9", "yield %11", "%13 int = const 1\n%14 int = bin + %12, %13\nyield %14", nil},
		{"twice", "%9 bool = cmp < %8, %1\nyield %9", "%20 int = const 1\n%21 int = bin + %11, %20\nyield %21", "%13 int = const 1\n%14 int = bin + %12, %13\nyield %14", nil},
		{"by a variable", "%9 bool = cmp < %8, %1\nyield %9", "yield %11", "%14 int = bin + %12, %2\nyield %14", nil},
		{"by factors", "%9 bool = cmp < %8, %1\nyield %9", "yield %11", "%13 int = const 2\n%14 int = bin * %12, %13\nyield %14", nil},
		{"a bound that moves", "%20 int = len %3\n%9 bool = cmp < %8, %20\nyield %9", "yield %11", "%13 int = const 1\n%14 int = bin + %12, %13\nyield %14", nil},
		{"not at all", "%9 bool = cmp < %8, %1\nyield %9", "yield %11", "yield %12", nil},
	} {
		f := parse(t, "func F(%1:n int, %2:k int, %3:s []float64) (int) {\n%6:i int = loop while %2 {\ncond(%8:i int):\n"+c.cond+
			"\nbody(%11:i int):\n"+c.body+"\npost(%12:i int):\n"+c.post+"\n}\nreturn %6\n}")
		got := pass.Counted(f.Body.Ops[0])
		if got != nil && c.want != nil {
			if got.Bound != f.Params[0] {
				t.Errorf("%s: wrong bound", c.name)
			}
			got.Bound = nil
		}
		if (got == nil) != (c.want == nil) || got != nil && *got != *c.want {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
}
