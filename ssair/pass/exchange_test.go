package pass_test

import (
	"testing"

	"github.com/quabla/quabla/internal/srctest"
	"github.com/quabla/quabla/ssair/pass"
)

// TestExchanges holds which methods Swap undo themselves.
func TestExchanges(t *testing.T) {
	const decls = `package demo
import "fmt"
var _ = fmt.Print
type item struct { key, v float64; index int }
type list []item
type table struct { rows []*item; cols [][]float64; l list; moves int; log []int; last int; dirty bool }
func F(s *table, i, j int) {
`
	for _, r := range []struct {
		body string
		want bool
	}{
		{"s.l[i], s.l[j] = s.l[j], s.l[i]", true},
		{"t := s.l[i]; s.l[i] = s.l[j]; s.l[j] = t", true},
		{"if i != j { s.l[i], s.l[j] = s.l[j], s.l[i] }", true},
		{"s.rows[i], s.rows[j] = s.rows[j], s.rows[i]; s.rows[i].index = i; s.rows[j].index = j", true},
		{"for k := range s.cols { s.cols[k][i], s.cols[k][j] = s.cols[k][j], s.cols[k][i] }", true},
		{"s.l[i], s.l[j] = s.l[j], s.l[i]; s.cols[0][i], s.cols[0][j] = s.cols[0][j], s.cols[0][i]", true},
		{"s.l[i].key, s.l[j].key = s.l[j].key, s.l[i].key; s.dirty = true", true},

		{"s.l[i], s.l[j] = s.l[j], s.l[i]; s.moves++", false},
		{"s.l[i], s.l[j] = s.l[j], s.l[i]; s.l[i].v *= 2", false},
		{"s.l[i], s.l[j] = s.l[j], s.l[i]; s.l[i].index = i", false},
		{"s.l[i], s.l[j] = s.l[j], s.l[i]; s.last = i", false},
		{"s.l[i], s.l[j] = s.l[j], s.l[i]; s.log = append(s.log, i)", false},
		{"s.l[i], s.l[j] = s.l[j], s.l[i]; fmt.Print(i)", false},
		{"s.l[i] = s.l[j]", false},
		{"s.l[i], s.l[j] = s.l[j], s.l[0]", false},
		{"s.l[i].key, s.l[j].v = s.l[j].v, s.l[i].key", false},
		{"s.l[i] = s.l[j]; s.l[j] = s.l[i]", false},
		{"if s.l[i].key < s.l[j].key { s.l[i], s.l[j] = s.l[j], s.l[i] }", false},
		{"if s.moves == 0 { s.l[i], s.l[j] = s.l[j], s.l[i] }", false},
	} {
		f := srctest.Load(t, decls+r.body+"\n}").Lift(t, "F")
		if _, ok := pass.Exchanges(f); ok != r.want {
			t.Errorf("%s: %v, want %v\n%s", r.body, ok, r.want, f)
		}
	}
}
