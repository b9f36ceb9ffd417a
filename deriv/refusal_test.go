package deriv_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/quabla/quabla/deriv"
	"github.com/quabla/quabla/ssair"
)

// TestRefusals holds what cannot be differentiated, with the message.
func TestRefusals(t *testing.T) {
	grad := func(f *ssair.Func) error {
		_, err := deriv.New(f.Mod).Grad(f, request(f), "FGrad")
		return err
	}
	vjp := func(f *ssair.Func) error {
		_, err := deriv.New(f.Mod).VJP(f, request(f), "FVJP")
		return err
	}
	jvp := func(f *ssair.Func) error {
		_, err := deriv.New(f.Mod).JVP(f, request(f), "FJVP")
		return err
	}
	lanes := func(f *ssair.Func) error {
		_, err := deriv.Forward(f, numbers(f), 4, "FJVP4")
		return err
	}
	for _, c := range []struct {
		name, src string
		derive    func(*ssair.Func) error
		want      string // "" where it works
	}{
		{"bits", `func F(x float64) float64 { return math.Float64frombits(math.Float64bits(x)) }`, grad,
			"cannot differentiate the call of math.Float64bits: the bits of a float have no derivative"},
		{"a number as text", `func F(x float64) float64 { y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', -1, 64), 64); return y }`, jvp,
			"cannot differentiate the call of strconv.ParseFloat: its argument was computed from an active value by a function without derivative"},
		{"a function value", "func F(%1:x float64, %2:f func(float64) float64) (float64) {\n%3 float64 = opaque %2, %1\nreturn %3\n}", grad,
			"cannot differentiate the call of the function value: it has no derivative rule and its body cannot be read"},
		{"a function value of a constant", "func F(%1:x float64, %2:f func(float64) float64) (float64) {\n%4 float64 = stop %1\n%3 float64 = opaque %2, %4\nreturn %3\n}", grad, ""},
		{"a function that may write", "func F(%1:x []float64, %2:f func([]float64)) (float64) {\nopaque %2, %1\n%3 int = const 0\n%4 float64 = load [] %1, %3\nreturn %4\n}", grad,
			"cannot differentiate the call of the function value: it may change active memory, and its body cannot be read"},
		{"bits in a loop that no derivative passes through", `func F(x []float64) float64 { s := 0.0; for _, v := range x { s += math.Float64frombits(math.Float64bits(v) + 1) }; return x[0] + s }`, grad,
			"cannot differentiate the call of math.Float64bits: the bits of a float have no derivative"},
		{"a map with active keys", `func F(x float64) float64 { m := map[float64]float64{}; m[x] = x; return m[x] }`, jvp,
			"cannot differentiate a map with float keys and active keys or values"},
		{"lanes in an interface", `type S interface{ Area() float64 }; type Q struct{ A float64 }; func (q *Q) Area() float64 { return q.A };
			func F(s S) float64 { return s.Area() }`, lanes, ""},
		{"one lane in an interface", `type S interface{ Area() float64 }; type Q struct{ A float64 }; func (q *Q) Area() float64 { return q.A };
			func F(s S) float64 { return s.Area() }`, jvp, ""},
		{"a recursive destination", `type N struct { V float64; Next *N }; func F(n *N) float64 { return n.V * n.Next.V }`, grad, ""},
		{"a cotangent of a list", `type N struct { V float64; Next *N }; func F(x float64) *N { return &N{V: x} }`, vjp,
			"cannot take a cotangent for a value of type *demo.N, whose shape the type does not tell"},
		{"a cotangent of an interface", `func F(x float64) any { return x }`, vjp,
			"cannot take a cotangent for a value of type any, whose shape the type does not tell"},
	} {
		var f *ssair.Func
		if strings.HasPrefix(c.src, "func F(%") {
			f = parse(t, c.src)
		} else {
			f = load(t, c.src)
		}
		err := c.derive(f)
		switch {
		case err == nil && c.want == "":
		case err == nil || err.Error() != c.want:
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
		var r *deriv.Refusal
		if err != nil && !errors.As(err, &r) {
			t.Errorf("%s: %v is no refusal", c.name, err)
		}
	}
}
