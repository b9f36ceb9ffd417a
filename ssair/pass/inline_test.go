package pass_test

import (
	"testing"

	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// TestInline holds calls that are replaced by the body of their callee.
func TestInline(t *testing.T) {
	const callees = `
func Swap(%1:a float64, %2:b float64) (float64, float64) {
	return %2, %1
}
func Square(%1:a float64, %2:b float64) (float64) {
	%3 float64 = bin * %1, %1
	return %3
}
func Fail(%1:a float64, %2:b float64) (float64) {
	%3 string = const "no"
	panic %3
	unreachable
}
`
	const params = "func F(%1:x float64, %2:y float64) (float64) {\n"
	for _, c := range []struct{ name, in, want string }{
		{"parameters become results", `
			%3 float64, %4 float64 = call @Swap %1, %2
			%5 float64 = bin - %3, %4
			return %5`, `
			%5 float64 = bin - %2, %1
			return %5`},
		{"a result takes the name of its variable", `
			%3:s float64 = call @Square %1, %2
			return %3`, `
			%3:s float64 = bin * %1, %1
			return %3`},
		{"nothing runs behind a panic", `
			%3 float64 = call @Fail %1, %2
			%4 float64 = un - %3
			return %4`, `
			%3 string = const "no"
			panic %3
			unreachable`},
	} {
		fs := parseAll(t, callees+params+c.in+"\n}")
		f := fs[len(fs)-1]
		for _, o := range f.Body.Ops {
			if o.Kind == ssair.Call {
				pass.Inline(o)
				break
			}
		}
		if err := f.Verify(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if got, want := f.String(), parse(t, params+c.want+"\n}").String(); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, want)
		}
	}
}
