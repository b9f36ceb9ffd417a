package deriv_test

import (
	"math"
	"strings"
	"testing"

	"github.com/quabla/quabla/deriv"
	"github.com/quabla/quabla/ssair"
)

// A jet is the value of a function of x and y with its derivatives.
type jet struct{ v, x, y, xx, xy, yy float64 }

// scalars are functions of two floats and their derivatives in closed form.
var scalars = []struct {
	name, body string
	jet        func(x, y float64) jet
}{
	{"sum", `return x + y`, func(x, y float64) jet { return jet{v: x + y, x: 1, y: 1} }},
	{"difference", `return x - y`, func(x, y float64) jet { return jet{v: x - y, x: 1, y: -1} }},
	{"minus", `return -x`, func(x, y float64) jet { return jet{v: -x, x: -1} }},
	{"product", `return x * y`, func(x, y float64) jet { return jet{v: x * y, x: y, y: x, xy: 1} }},
	{"quotient", `return x / y`, func(x, y float64) jet {
		return jet{x / y, 1 / y, -x / (y * y), 0, -1 / (y * y), 2 * x / (y * y * y)}
	}},
	{"square", `return x * x`, func(x, y float64) jet { return jet{v: x * x, x: 2 * x, xx: 2} }},
	{"function", `return math.Sin(x * y)`, func(x, y float64) jet {
		s, c := math.Sincos(x * y)
		return jet{s, y * c, x * c, -y * y * s, c - x*y*s, -x * x * s}
	}},
	{"two results", `s, c := math.Sincos(x); return s * c * y`, func(x, y float64) jet {
		s, c := math.Sincos(x)
		return jet{s * c * y, (c*c - s*s) * y, s * c, -4 * s * c * y, c*c - s*s, 0}
	}},
	{"conversion", `return float64(x*x) * float64(int(y))`, func(x, y float64) jet {
		k := float64(int(y))
		return jet{v: x * x * k, x: 2 * x * k, xx: 2 * k}
	}},
	{"branch", `if x > y { return x * x }; return y * y`, func(x, y float64) jet {
		if x > y {
			return jet{v: x * x, x: 2 * x, xx: 2}
		}
		return jet{v: y * y, y: 2 * y, yy: 2}
	}},
	{"max", `return max(x, y) * y`, func(x, y float64) jet {
		if x > y {
			return jet{v: x * y, x: y, y: x, xy: 1}
		}
		return jet{v: y * y, y: 2 * y, yy: 2}
	}},
	{"tie of abs", `return math.Abs(x-x) + y`, func(x, y float64) jet { return jet{v: y, y: 1} }},
	{"abs times abs", `z := x - x; z += x; z -= x; return math.Abs(z)*math.Abs(z) + y`, func(x, y float64) jet { return jet{v: y, y: 1} }},
	{"loop", `p := 1.0; for i := 0; i < 3; i++ { p *= x }; return p * y`, func(x, y float64) jet {
		return jet{x * x * x * y, 3 * x * x * y, x * x * x, 6 * x * y, 3 * x * x, 0}
	}},
	{"loop of unknown length", `p := y; for p*p < 100 { p *= x }; return p`, func(x, y float64) jet {
		p, n := y, 0.0
		for p*p < 100 {
			p *= x
			n++
		}
		return jet{p, n * p / x, p / y, n * (n - 1) * p / (x * x), n * p / (x * y), 0}
	}},
	{"break", `s := 0.0; for i := 0; ; i++ { if i == 2 { break }; s += x * y }; return s`, func(x, y float64) jet {
		return jet{v: 2 * x * y, x: 2 * y, y: 2 * x, xy: 2}
	}},
	{"overwritten variable", `z := x * x; z = y * z; z *= z; return z`, func(x, y float64) jet {
		return jet{y * y * x * x * x * x, 4 * y * y * x * x * x, 2 * y * x * x * x * x, 12 * y * y * x * x, 8 * y * x * x * x, 2 * x * x * x * x}
	}},
	{"array", `a := [2]float64{x, y}; i := 1; if x > 0 { i = 0 }; a[i] *= a[1-i]; return a[i]`, func(x, y float64) jet {
		return jet{v: x * y, x: y, y: x, xy: 1}
	}},
	{"slice", `s := make([]float64, 0, 1); s = append(s, x); s = append(s, y); s[0] *= s[1]; return s[0]`, func(x, y float64) jet {
		return jet{v: x * y, x: y, y: x, xy: 1}
	}},
	{"pointer", `p := &x; q := p; *q = *p * y; return x`, func(x, y float64) jet { return jet{v: x * y, x: y, y: x, xy: 1} }},
	{"map", `m := map[string]float64{"a": x}; m["b"] = m["a"] * y; return m["b"]`, func(x, y float64) jet {
		return jet{v: x * y, x: y, y: x, xy: 1}
	}},
	{"interface", `var e any = x; v := e.(float64); return v * y`, func(x, y float64) jet { return jet{v: x * y, x: y, y: x, xy: 1} }},
	{"closure", `f := func(a float64) float64 { return a * x }; return f(y)`, func(x, y float64) jet {
		return jet{v: x * y, x: y, y: x, xy: 1}
	}},
	{"recursion", `return power(x, 3) * y`, func(x, y float64) jet {
		return jet{x * x * x * y, 3 * x * x * y, x * x * x, 6 * x * y, 3 * x * x, 0}
	}},
	{"call that writes", `s := []float64{x}; scale(s, y); return s[0]`, func(x, y float64) jet {
		return jet{v: x * y, x: y, y: x, xy: 1}
	}},
	{"stop", `%3 float64 = stop %1
		%4 float64 = bin * %3, %1
		return %4`, func(x, y float64) jet { return jet{v: x * x, x: x} }},
	{"inner gradient", `%3 float64 = grad @inner %2, %1
		return %3`, func(x, y float64) jet {
		return jet{v: 2 * x * y, x: 2 * y, y: 2 * x, xy: 2}
	}},
	{"inner tangent", `%3 float64, %4 float64 = jvp @inner %2, %1, %2
		%5 float64 = bin + %3, %4
		return %5`, func(x, y float64) jet { // x²y + 2xy²
		return jet{v: x*x*y + 2*x*y*y, x: 2*x*y + 2*y*y, y: x*x + 4*x*y, xx: 2 * y, xy: 2*x + 4*y, yy: 4 * x}
	}},
	{"complex", `z := complex(x, y); z *= z; return real(z)`, func(x, y float64) jet {
		return jet{v: x*x - y*y, x: 2 * x, y: -2 * y, xx: 2, yy: -2}
	}},
	{"rounding", `return math.Floor(x) * y`, func(x, y float64) jet { return jet{v: math.Floor(x) * y, y: math.Floor(x)} }},
}

const helpers = `
func power(x float64, n int) float64 {
	if n == 0 {
		return 1
	}
	return x * power(x, n-1)
}

func scale(s []float64, k float64) {
	for i := range s {
		s[i] *= k
	}
}
`

// irHelpers are for the rows in the printed form of the IR, which are those that
// would need package rt.
const irHelpers = `func inner(%1:y float64, %2:a float64) (float64) {
	%3 float64 = bin * %2, %2
	%4 float64 = bin * %3, %1
	return %4
}`

var points = [][2]float64{{1.5, 2.25}, {2.5, -0.75}, {3, 3.5}}

// eachScalar derives each function and checks the result at some points.
func eachScalar(t *testing.T, derive func(f *ssair.Func) (*ssair.Func, error), check func(t *testing.T, g *ssair.Func, x, y float64, want jet)) {
	for _, c := range scalars {
		t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
			var f *ssair.Func
			if strings.HasPrefix(c.body, "%") {
				f = parse(t, "func F(%1:x float64, %2:y float64) (float64) {\n"+c.body+"\n}\n"+irHelpers)
			} else {
				f = load(t, helpers+"func F(x, y float64) float64 { "+c.body+" }")
			}
			g, err := derive(f)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range points {
				check(t, g, p[0], p[1], c.jet(p[0], p[1]))
			}
		})
	}
}

// results compares the results of a derivative.
func results(t *testing.T, f *ssair.Func, want []float64, args ...any) {
	t.Helper()
	var got []float64
	for i, v := range call(t, f, args...) {
		got = append(got, floats(f, i, v)...)
	}
	if !nearAll(got, want) {
		t.Errorf("%s%v = %v, want %v\n%s", f.Name, args, got, want, f)
	}
}

func TestForward(t *testing.T) {
	derive := func(f *ssair.Func) (*ssair.Func, error) { return deriv.Forward(f, all(2), 1, "FJVP") }
	eachScalar(t, derive, func(t *testing.T, g *ssair.Func, x, y float64, want jet) {
		results(t, g, []float64{want.v, 3*want.x - 2*want.y}, x, 3.0, y, -2.0)
	})
}

func TestForwardByOne(t *testing.T) {
	derive := func(f *ssair.Func) (*ssair.Func, error) {
		return deriv.Forward(f, []bool{false, true}, 1, "FJVP")
	}
	eachScalar(t, derive, func(t *testing.T, g *ssair.Func, x, y float64, want jet) {
		results(t, g, []float64{want.v, 0.5 * want.y}, x, y, 0.5)
	})
}

func TestLanes(t *testing.T) {
	derive := func(f *ssair.Func) (*ssair.Func, error) { return deriv.Forward(f, all(2), 3, "FJVP3") }
	eachScalar(t, derive, func(t *testing.T, g *ssair.Func, x, y float64, want jet) {
		results(t, g, []float64{want.v, want.x, want.y, want.x + want.y}, x, [3]float64{1, 0, 1}, y, [3]float64{0, 1, 1})
	})
}

// TestReverse derives with what is computed again as well as with all saved.
func TestReverse(t *testing.T) {
	for _, saveAll := range []bool{false, true} {
		derive := func(f *ssair.Func) (*ssair.Func, error) {
			d := deriv.New(f.Mod)
			if saveAll {
				d.SaveAll()
			}
			return function(d.Grad(f, request(f), "FGrad"))
		}
		eachScalar(t, derive, func(t *testing.T, g *ssair.Func, x, y float64, want jet) {
			results(t, g, []float64{want.v, want.x, want.y}, x, y)
		})
	}
}

// TestVJP seeds the result with a cotangent.
func TestVJP(t *testing.T) {
	derive := func(f *ssair.Func) (*ssair.Func, error) {
		return function(deriv.New(f.Mod).VJP(f, request(f), "FVJP"))
	}
	eachScalar(t, derive, func(t *testing.T, g *ssair.Func, x, y float64, want jet) {
		results(t, g, []float64{want.v, -2 * want.x, -2 * want.y}, x, y, -2.0)
	})
}

func TestHVP(t *testing.T) {
	derive := func(f *ssair.Func) (*ssair.Func, error) {
		return function(deriv.New(f.Mod).HVP(f, request(f), "FHVP"))
	}
	eachScalar(t, derive, func(t *testing.T, g *ssair.Func, x, y float64, want jet) {
		results(t, g, []float64{want.v, 2*want.xx - want.xy, 2*want.xy - want.yy}, x, 2.0, y, -1.0)
	})
}

// TestForwardOverForward applies the transform to its own output.
func TestForwardOverForward(t *testing.T) {
	derive := func(f *ssair.Func) (*ssair.Func, error) {
		g, err := deriv.Forward(f, all(2), 1, "FJVP")
		if err != nil {
			return nil, err
		}
		return deriv.Forward(g, []bool{true, false, true, false}, 1, "FJVPJVP")
	}
	eachScalar(t, derive, func(t *testing.T, g *ssair.Func, x, y float64, want jet) {
		// The derivative in x of the derivative in y.
		results(t, g, []float64{want.v, want.y, want.x, want.xy}, x, 1.0, 0.0, y, 0.0, 1.0)
	})
}
