package pass_test

import (
	"testing"

	"github.com/quabla/quabla/internal/srctest"
	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// TestPresize holds which slices that grow are made in one piece.
func TestPresize(t *testing.T) {
	const sig = "func F(x []float64, n int, q *[]float64) []float64"
	const loop = `
		for _, v := range x {
			if v > 0 {
				s = append(s, v)
			}
		}
		return s`
	for _, r := range []struct {
		name, body string
		inner      bool
		kept       bool // it grows as before
	}{
		{name: "from nil", body: "var s []float64" + loop},
		{name: "from an empty literal", body: "s := []float64{}" + loop},
		{name: "from a make", body: "s := make([]float64, 0, len(x))" + loop},
		{name: "from a literal", body: "s := []float64{1, 2}" + loop},
		{name: "several at once", body: `var s []float64; for i := range n { s = append(s, x[i], 2) }; return s`},
		{name: "in a nest", body: `var s []float64; for i := range x { for j := range n { s = append(s, x[i]*x[j]) } }; return s`},
		{name: "another slice", body: `var s []float64; for range n { s = append(s, x...) }; return s`},
		{name: "one arm or the other", body: `var s []float64; for i, v := range x { if i > 0 { s = append(s, v) } else { s = append(s, 1) } }; return s`},
		{name: "reads as it grows", body: `s := []float64{1}; for _, v := range x { s = append(s, v*s[len(s)-1]+s[0]) }; return s`},
		{name: "with the capacity of the loop", body: `s := make([]float64, 0, n); for i := range n { s = append(s, x[i], x[0]) }; return s`},

		{name: "stored as a whole", body: `s := []float64{1}; for range n { s = append(s, 2) }; *q = s; return x`},
		{name: "a size that may be negative", kept: true, body: "s := make([]float64, n)" + loop},
		{name: "a capacity that may be less than the size", kept: true, body: "s := make([]float64, 3, len(x))" + loop},
		{name: "rare among many", kept: true, body: `var s []float64; for i := range n { if i%1000 == 0 { s = append(s, 2) } }; return s`},
		{name: "a make of known size", body: "s := make([]float64, len(x))" + loop},
		{name: "another capacity may panic", kept: true, body: "s := make([]float64, 0, n)" + loop},
		{name: "rare in a nest", kept: true, body: `var s []float64; for i := range x { for j := range x { if x[i] > x[j] { s = append(s, x[i]) } } }; return s`},
		{name: "an inner loop of changing length", kept: true, body: `var s []float64; for i := range x { for j := range i { s = append(s, x[j]) } }; return s`},
		{name: "a loop without a count", kept: true, body: `var s []float64; for v := 1.0; v < x[0]; v *= 2 { s = append(s, v) }; return s`},
		{name: "a loop with a break", kept: true, body: `var s []float64; for _, v := range x { if v < 0 { break }; s = append(s, v) }; return s`},
		{name: "started anew", kept: true, body: `var s []float64; for _, v := range x { if v < 0 { s = nil }; s = append(s, v) }; return s`},
		{name: "two from one", kept: true, body: `a := make([]float64, 1, 9); b := append(a, x[0]); c := append(a, x[1]); b[0] = c[1]; return b`},
		{name: "the state before is used", kept: true, body: `s := []float64{1}; for range n { t := s; s = append(s, 2); t[0] = s[1] }; return s`},
		{name: "a view stays", kept: true, body: `s := []float64{1}; var t []float64; for range n { t = s[:1]; s = append(s, 2) }; t[0] = 3; return s`},
		{name: "its capacity counts", kept: true, body: `var s []float64; for range n { s = append(s, 2) }; return s[:cap(s)]`},
		{name: "compared with nil", kept: true, body: `var s []float64; for range n { s = append(s, 2) }; if s == nil { return x }; return s`},
		{name: "elements that are references", kept: true, body: `var s [][]float64; for range n { s = append(s, x) }; return s[0]`},
		{name: "returned to who may append", kept: true, inner: true, body: "var s []float64" + loop},
		{name: "kept where another appends", kept: true, body: `var s []float64; for range n { s = append(s, 2) }; *q = s; *q = append(*q, 1); return s`},
	} {
		t.Run(r.name, func(t *testing.T) {
			f := srctest.Load(t, "package demo\n"+sig+" {\n"+r.body+"\n}").Lift(t, "F")
			pass.Tidy(f)
			pass.Presize(f, r.inner)
			if err := f.Verify(); err != nil {
				t.Fatalf("%v\n%s", err, f)
			}
			kept := false
			f.Body.Walk(func(o *ssair.Op) bool {
				kept = kept || o.Kind == ssair.Append || o.Kind == ssair.AppendSlice
				return true
			})
			if kept != r.kept {
				t.Errorf("it grows: %v, want %v\n%s", kept, r.kept, f)
			}
		})
	}
}
