package rules

import (
	"math"
	"testing"
)

// TestCompose differentiates expressions of several rows, with the chain rule
// and the guards that the package comment describes.
func TestCompose(t *testing.T) {
	big := math.MaxFloat64
	tests := []struct {
		text  string // in x and y
		x, y  float64
		order string
		want  float64
		rtol  float64
	}{
		// Degree one and two through the power function.
		{"math.Pow(x, 1) + 0.5*math.Pow(x, 2)", 0, 0, "x", 1, 0},
		{"math.Pow(x, 1) + 0.5*math.Pow(x, 2)", 0, 0, "xx", 1, 0},
		{"math.Pow(x, 1) + 0.5*math.Pow(x, 2)", 0, 0, "xxx", 0, 0},
		{"math.Pow(x, 1) + 0.5*math.Pow(x, 2)", 0, 0, "xxxx", 0, 0},
		{"math.Pow(x, 1) + 0.5*math.Pow(x, 2)", 1e-200, 0, "xxx", 0, 0},
		{"math.Pow(x, 1) + 0.5*math.Pow(x, 2)", 1, 0, "x", 2, 0},
		{"math.Pow(x, 1) + 0.5*math.Pow(x, 2)", 1, 0, "xxxx", 0, 0},
		{"math.Pow(x, 0) + x", 0, 0, "x", 1, 0},
		{"math.Pow(x, 0) + x", 3.14, 0, "xx", 0, 0},
		{"math.Pow(2, x) + math.Exp2(x)", 1.75, 0, "x", 4.66291983500861779, 1e-15},
		{"math.Pow(2, x) + math.Exp2(x)", 1.75, 0, "xx", 3.23208973681326878, 1e-15},
		{"math.Pow(x, x)", 1.5, 0, "x", 2.5820042746129492, 1e-15},
		{"math.Pow(x, x)", 1.5, 0, "xx", 4.85366178834622, 1e-14},
		{"x * math.Pow(math.Pow(x, 2)+x, -1)", 1.5, 0, "x", -0.16, 1e-14},
		{"math.Pow(math.Pow(x, 2)+x, -1) * x", 1.5, 0, "xx", 0.128, 1e-13},
		{"math.Pow(x-y, 2)", 2, 2, "xx", 2, 0},
		{"math.Pow(x-y, 2)", 2, 2, "xy", -2, 0},

		// Roots and distances at the origin.
		{"math.Sqrt(x*x + y*y)", 0, 0, "x", 0, 0},
		{"math.Sqrt(x*x + y*y)", 0, 0, "xx", 0, 0},
		{"math.Hypot(x, y)*math.Hypot(x, y) + x", 0, 0, "x", 1, 0},
		{"math.Hypot(x, y)*math.Hypot(x, y) + x", 0, 0, "xy", 0, 0},
		{"math.Hypot(x, y)*math.Hypot(x, y) + x", 3, -4, "xx", 2, 1e-14},
		{"math.Hypot(x, y)*math.Hypot(x, y) + x", 0, 0, "xxxy", 0, 0},
		{"math.Hypot(x, y)", 1e150, 2e150, "xx", 0.8 / 2.23606797749979e150, 1e-14},

		// Saturated and dead parts.
		{"1 / (1 + math.Exp(-x))", 0, 0, "x", 0.25, 0},
		{"1 / (1 + math.Exp(-x))", -800, 0, "x", 0, 0},
		{"1 / (1 + math.Exp(-x))", 800, 0, "x", 0, 0},
		{"1 / (1 + math.Exp(-x))", -800, 0, "xx", 0, 0},
		{"math.Log(0*x + y)", 2.5, 0, "x", 0, 0},
		{"math.Log(0*x + y)", 2.5, 0, "y", math.Inf(1), 0},
		{"math.Log(max(x, y))", -1, 0, "x", 0, 0},
		{"math.Log(rt.ReLU(x))", -1, 0, "x", 0, 0},
		{"math.Sqrt(math.Abs(x))", 0, 0, "x", 0, 0},
		{"math.Log(0.5 * math.Erfc(x/math.Sqrt2))", 8, 0, "x", -8.12136811223611268, 1e-13},
		{"math.Log(0.5 * math.Erfc(x/math.Sqrt2))", 8, 0, "xx", -0.98567511655665909, 1e-10},

		// Kinks, and factors that are constant in pieces.
		{"math.Abs(x) * 3", 0, 0, "x", 0, 0},
		{"math.Abs(x) * math.Abs(x)", -1.5, 0, "xx", 2, 0},
		{"math.Floor(x) + x", 2, 0, "x", 1, 0},
		{"math.Floor(x) * x", 1.25, 0, "x", 1, 0},
		{"max(x, x)", 3, 0, "x", 1, 0},
		{"min(x, x)", math.NaN(), 0, "x", 1, 0},
		{"math.Min(math.Max(x, y), 1)", 0.25, 0, "x", 1, 0},
		{"math.Min(math.Max(x, y), 1)", -1.5, 0, "y", 1, 0},
		{"math.Remainder(x, y) * x", 5.5, 2, "xx", 2, 0},
		{"math.Remainder(x, y) * x", 5.5, 2, "xy", -3, 0},
		{"math.Remainder(x, y) * x", 5.5, 2, "yy", 0, 0},
		{"math.FMA(x, x, x)", 0.4, 0, "x", 1.8, 1e-15},

		// Higher orders.
		{"math.Exp(math.Sin(x))", 0.7, 0, "xxxx", -4.512899015657688, 1e-14},
		{"math.Sin(x) * math.Cos(x)", 0.4, 0, "x", 0.6967067093471654, 1e-15},
		{"math.Atan(x)", big, 0, "xxxx", 0, 0},
		{"math.Asinh(x)", math.Inf(1), 0, "xxxx", 0, 0},
		{"math.Atan2(x, y)", 0, 0, "xxyy", 0, 0},
	}
	for _, tt := range tests {
		e, err := parse(tt.text)
		if err != nil {
			t.Fatal(err)
		}
		g := newGraph()
		n := g.build(e, map[string]*node{"x": g.make(node{op: 'v', v: 0}), "y": g.make(node{op: 'v', v: 1})})
		for _, v := range tt.order {
			n = g.diff(n, int(v-'x'))
		}
		got := g.eval(n, []float64{tt.x, tt.y})
		if got != tt.want && !(math.Abs(got-tt.want) <= tt.rtol*math.Abs(tt.want)) {
			t.Errorf("%s at (%v, %v): derivative %s is %v, want %v", tt.text, tt.x, tt.y, tt.order, got, tt.want)
		}
	}
}
