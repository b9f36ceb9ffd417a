package deriv_test

import (
	"go/types"
	"strings"
	"testing"

	"github.com/quabla/quabla/deriv"
	"github.com/quabla/quabla/internal/srctest"
	"github.com/quabla/quabla/ssair/lift"
	"github.com/quabla/quabla/ssair/pass"
)

// ruled is a function with rules that claim slopes of 10 in a and 100 in b, so
// that it shows when they are used.
const ruled = `package demo

func g(a, b float64) float64 { return a * b }

func gJVP(a, aDot, b, bDot float64) (float64, float64) { return a * b, 10*aDot + 100*bDot }

func gVJP(a, b, bar float64) (float64, float64) { return 10 * bar, 100 * bar }

func gFwd(a, b float64) (float64, float64) { return a * b, 3 }

func gBwd(residual, bar float64) (float64, float64) { return residual * bar, 100 * bar }

func aJVP(a, aDot, b float64) (float64, float64) { return a * b, 10 * aDot }

func aVJP(a, b, bar float64) float64 { return 10 * bar }

func F(x, y float64) float64 { return g(x, y) * x }

func G(x, y float64) float64 { return g(x, 3) * y }

func set(p []float64, v float64) { p[0] = v }

func setJVP(p, pDot []float64, v, vDot float64) { p[0], pDot[0] = v, 5*vDot }

func H(x, y float64) float64 { p := []float64{x}; set(p, y); return p[0] }
`

// rulesEnv gives one function rules.
type rulesEnv struct {
	*srctest.Program
	fn   string
	rule lift.RuleSource
}

func (e *rulesEnv) Rule(fn *types.Func) *lift.RuleSource {
	if fn.Name() != e.fn {
		return nil
	}
	return &e.rule
}

// TestCustomRules differentiates calls of a function with rules in both modes:
// the rule of the mode is called, and where there is none the Jacobian is built
// up from the other.
func TestCustomRules(t *testing.T) {
	for _, c := range []struct {
		name                string
		f, of               string
		jvp, vjp, fwd, bwd  string
		wrt                 []int
		dx, dy              float64 // at x = 2, y = 3, if it is not refused
		forwards, backwards string  // refusals
	}{
		{"both", "F", "g", "gJVP", "gVJP", "", "", nil, 10*2 + 6, 200, "", ""},
		{"forward only", "F", "g", "gJVP", "", "", "", nil, 10*2 + 6, 200, "", ""},
		{"reverse only", "F", "g", "", "gVJP", "", "", nil, 10*2 + 6, 200, "", ""},
		{"in two sweeps", "F", "g", "", "", "gFwd", "gBwd", nil, 3*2 + 6, 200, "", ""},
		{"one parameter", "G", "g", "aJVP", "aVJP", "", "", []int{0}, 30, 6, "", ""},
		{"one parameter of two that are active", "F", "g", "aJVP", "aVJP", "", "", []int{0}, 0, 0,
			"the rule of g does not cover its parameter b, which is active here",
			"the rule of g does not cover its parameter b, which is active here"},
		{"a forward rule that writes", "H", "set", "setJVP", "", "", "", nil, 0, 5, "", ""},
	} {
		t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
			p := srctest.Load(t, ruled)
			fn := func(name string) *types.Func {
				f, _ := p.Pkg.Scope().Lookup(name).(*types.Func)
				return f
			}
			env := &rulesEnv{p, c.of, lift.RuleSource{JVP: fn(c.jvp), VJP: fn(c.vjp), Fwd: fn(c.fwd), Bwd: fn(c.bwd), Wrt: c.wrt}}
			f := lift.New(p.Mod, env).Func(fn(c.f), nil)
			if f == nil {
				t.Fatal(p.Refusals)
			}
			pass.Tidy(f)
			value := call(t, f, 2.0, 3.0)[0].Float()
			fwd, err := deriv.Forward(f, all(2), 1, "FJVP")
			if text := message(err); text != c.forwards {
				t.Errorf("forward: %q, want %q", text, c.forwards)
			}
			if err == nil {
				results(t, fwd, []float64{value, c.dx - 2*c.dy}, 2.0, 1.0, 3.0, -2.0)
			}
			rev, err := deriv.New(f.Mod).Grad(f, request(f), "FGrad")
			if text := message(err); text != c.backwards {
				t.Errorf("reverse: %q, want %q", text, c.backwards)
			}
			if err == nil {
				results(t, rev.Func, []float64{value, c.dx, c.dy}, 2.0, 3.0)
			}
		})
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
