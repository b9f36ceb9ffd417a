package pass_test

import (
	"testing"

	"github.com/quabla/quabla/ssair/pass"
)

// TestCalleeStores holds what a callee may store where: what the types of the memory
// allow.
func TestCalleeStores(t *testing.T) {
	for _, c := range []struct {
		name, params string
		want         bool // whether the memory of a may refer to that of b
	}{
		{"a list holds lists", "%1:a *Node, %2:b *Node", true},
		{"a pointer may point into a struct", "%1:a **float64, %2:b *Node", true},
		{"a list holds no numbers of others", "%1:a *Node, %2:b *float64", false},
		{"a slice of numbers holds nothing", "%1:a []float64, %2:b []float64", false},
		{"rows hold rows", "%1:a [][]float64, %2:b []float64", true},
		{"a slice is no single variable", "%1:a [][]float64, %2:b *float64", false},
		{"a slice may be of an array", "%1:a [][]float64, %2:b *[4]float64", true},
		{"a pointer to an array may come from a slice", "%1:a **[4]float64, %2:b []float64", true},
		{"an interface holds anything", "%1:a *any, %2:b *float64", true},
		{"maps hold what their elements are", "%1:a map[string]*float64, %2:b *float64", true},
		{"maps hold nothing else", "%1:a map[string]*float64, %2:b *int", false},
	} {
		f := parse(t, "func F("+c.params+") {\nopaque \"demo\".Join %1, %2\nreturn\n}")
		al := pass.FindAliases(f)
		a, b := al.ParamRoot(f.Params[0]), al.ParamRoot(f.Params[1])
		if got := al.Contents(a)[b]; got != c.want {
			t.Errorf("%s: got %t", c.name, got)
		}
	}
}
