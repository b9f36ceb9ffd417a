package pass_test

import (
	"testing"

	"github.com/quabla/quabla/internal/srctest"
	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// TestConjoin holds which conditions are evaluated as a whole.
func TestConjoin(t *testing.T) {
	for _, r := range []struct {
		cond string
		ifs  int // ifs that remain beside the one of the statement
	}{
		{"i < 0 || i >= n", 0},
		{"i > 0 && x > 1 && n != i", 0},
		{"i > 0 && (x > 1 || n == i)", 0},
		{"i < n && p[0] > 1", 1},   // the index may be out of range
		{"n != 0 && i/n > 1", 1},   // n may be zero
		{"q == nil || q.v > 1", 1}, // q may be nil
	} {
		f := srctest.Load(t, `package demo
type node struct { v float64 }
func F(i, n int, x float64, p []float64, q *node) float64 { if `+r.cond+` { return x }; return 2 }`).Lift(t, "F")
		pass.Tidy(f)
		pass.Conjoin(f)
		if err := f.Verify(); err != nil {
			t.Fatalf("%s: %v\n%s", r.cond, err, f)
		}
		ifs := -1
		f.Body.Walk(func(o *ssair.Op) bool {
			if o.Kind == ssair.If {
				ifs++
			}
			return true
		})
		if ifs != r.ifs {
			t.Errorf("%s: %d ifs remain, want %d\n%s", r.cond, ifs, r.ifs, f)
		}
	}
}
