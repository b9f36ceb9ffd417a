package rules

import (
	"math"

	"github.com/quabla/quabla/rt"
)

// Roots, powers and distances, with their slopes.
var power = []*Row{
	{
		Name: "math.Sqrt", Fn: math.Sqrt, Cost: Transcendental,
		D:       bar("rt.SqrtSlope(r)"),
		At:      at(0.3, 4, 1e10),
		Special: []Special{slopes2(0, 0, 0), slopes2(neg0, 0, 0), slope(-1, nan), slope(-inf, nan), slope(inf, 0), slopes2(4, 0.25, -0.03125)},
		Domain:  "x > 0",
		Note:    "every derivative at 0 is 0, so that norms have gradient 0 at the origin; NaN for x < 0",
	},
	{
		// s(r) = 1/(2r): ds/dr = -1/(2r^2) = -2 s^2, also where s is 0.
		Name: "rt.SqrtSlope", Fn: rt.SqrtSlope, Cost: Flop,
		D:       bar("-2 * r * r"),
		At:      at(0.3, 2, 1e5),
		Special: []Special{slopes2(0, 0, 0), slopes2(neg0, 0, 0)},
		Domain:  "x != 0",
		Note:    "0 with all derivatives at 0",
	},
	{
		Name: "math.Cbrt", Fn: math.Cbrt, Cost: Transcendental,
		D:       bar("1 / (3 * r * r)"),
		At:      at(-8, 0.3, 27),
		Special: []Special{slope(0, inf), slope(neg0, inf), slope(inf, 0), slope(-inf, 0), slope(8, 1.0/12)},
		Domain:  "x != 0",
		Note:    "+Inf at 0",
	},
	{
		Name: "math.Pow", Fn: math.Pow, Cost: Transcendental,
		D:  bar("rt.PowSlopeX(x, y, r)", "rt.PowSlopeP(x, y, r)"),
		At: [][]float64{{1.5, 2.5}, {0.5, -1.5}, {2.25, 0.7}, {3, 2}, {30, -0.2}},
		Special: []Special{
			{At: []float64{0, 1}, D: []float64{1, 0}, D2: []float64{0, 0, 0, 0}},
			{At: []float64{0, 2}, D: []float64{0, 0}, D2: []float64{2, 0, 0, 0}},
			{At: []float64{0, 3}, D: []float64{0, 0}, D2: []float64{0, 0, 0, 0}},
			{At: []float64{neg0, 2}, D: []float64{0, 0}, D2: []float64{2, 0, 0, 0}},
			{At: []float64{0, 0.5}, D: []float64{0, 0}, D2: []float64{0, 0, 0, 0}},
			{At: []float64{0, 1.625}, D: []float64{0, 0}, D2: []float64{0, 0, 0, 0}},
			{At: []float64{0, 0}, D: []float64{0, 0}, D2: []float64{0, 0, 0, 0}},
			{At: []float64{0, -1}, D: []float64{0, 0}, D2: []float64{0, 0, 0, 0}},
			{At: []float64{0, nan}, D: []float64{nan, 0}},
			{At: []float64{-2, 3}, D: []float64{12, 0}, D2: []float64{-12, 0, 0, 0}},
			{At: []float64{-2, 0}, D: []float64{0, 0}, D2: []float64{0, 0, 0, 0}},
			{At: []float64{-2, 0.5}, D: []float64{nan, 0}},
			{At: []float64{1e-200, 0}, D: []float64{0, math.Log(1e-200)}},
			{At: []float64{1e-200, 1}, D: []float64{1, 1e-200 * math.Log(1e-200)}},
			{At: []float64{inf, -0.5}, D: []float64{0, 0}},
		},
		Domain: "x > 0; for whole y also x < 0, as a function of x",
		Note: "slope in x at x = 0: the limit for y >= 1, so 1 for y = 1, and 0 for y < 1; " +
			"slope in y: exactly 0 for every x <= 0; mixed derivatives are symmetric",
	},
	{
		Name: "rt.PowSlopeX", Fn: rt.PowSlopeX, Cost: Flop,
		D:      bar("rt.PowDeriv(2, 0, x, y)", "rt.PowDeriv(1, 1, x, y)", "0"),
		Given:  []string{"", "", "math.Pow(x, y)"},
		At:     [][]float64{{1.5, 2.5}, {0.5, -1.5}, {3, 2}},
		Domain: "as math.Pow",
		Note:   "as math.Pow",
	},
	{
		Name: "rt.PowSlopeP", Fn: rt.PowSlopeP, Cost: Transcendental,
		D:      bar("rt.PowDeriv(1, 1, x, y)", "rt.PowDeriv(0, 2, x, y)", "0"),
		Given:  []string{"", "", "math.Pow(x, y)"},
		At:     [][]float64{{1.5, 2.5}, {0.5, -1.5}, {3, 2}},
		Domain: "as math.Pow",
		Note:   "as math.Pow",
	},
	{
		// n and m count the derivatives in x and in y.
		Name: "rt.PowDeriv", Fn: rt.PowDeriv, Cost: Transcendental,
		D:  bar("rt.PowDeriv(n + 1, m, x, y)", "rt.PowDeriv(n, m + 1, x, y)"),
		At: [][]float64{{0, 0, 1.5, 2.5}, {1, 0, 0.5, -1.5}, {0, 1, 3, 2}, {2, 1, 1.5, 2.5}, {1, 3, 0.7, 1.2}},
		Special: []Special{
			{At: []float64{1, 0, 0, 1}, D: []float64{0, 0}, D2: []float64{0, 0, 0, 0}},
			{At: []float64{1, 0, 0, 2}, D: []float64{2, 0}, D2: []float64{0, 0, 0, 0}},
			{At: []float64{1, 0, 1e-200, 1}, D: []float64{0, math.Log(1e-200) + 1}},
		},
		Domain: "as math.Pow",
		Note:   "as math.Pow",
	},
	{
		Name: "rt.Powi", Fn: rt.Powi, Cost: Transcendental,
		D:       bar("rt.PowiDeriv(1, n, x)"),
		At:      [][]float64{{1.5, 3}, {-0.7, -2}, {2, 1}, {2, 0}, {1.1, 13}},
		Special: []Special{powi(0, 0, 0, 0), powi(0, 1, 1, 0), powi(0, 2, 0, 2), powi(0, 3, 0, 0), powi(-1.25, 3, 4.6875, -7.5)},
		Domain:  "all x; x != 0 for n < 0",
		Note:    "n = 0 has slope 0 and n = 1 has slope 1, at 0 too",
	},
	{
		// n counts the derivatives, m is the exponent.
		Name: "rt.PowiDeriv", Fn: rt.PowiDeriv, Cost: Transcendental,
		D:       bar("rt.PowiDeriv(n + 1, m, x)"),
		At:      [][]float64{{1, 3, 1.5}, {1, -2, -0.7}, {2, 1, 2}, {0, 0, 2}, {3, 13, 1.1}},
		Special: []Special{{At: []float64{1, 2, 0}, D: []float64{2}, D2: []float64{0}}, {At: []float64{1, 0, 1e-200}, D: []float64{0}, D2: []float64{0}}},
		Domain:  "all x; x != 0 for m < 0",
		Note:    "exactly 0 above the degree",
	},
	{
		Name: "math.Hypot", Fn: math.Hypot, Cost: Transcendental,
		D:  plain("rt.HypotSlope(x, y, r)", "rt.HypotSlope(y, x, r)"),
		At: [][]float64{{3, -4}, {0.2, 1e-3}, {1e-3, 7}, {-2, 0.5}},
		Special: []Special{
			{At: []float64{0, 0}, D: []float64{0, 0}, D2: []float64{0, 0, 0, 0}},
			{At: []float64{3e200, 4e200}, D: []float64{0.6, 0.8}},
			{At: []float64{3e-200, 4e-200}, D: []float64{0.6, 0.8}},
			{At: []float64{0, -2}, D: []float64{0, -1}, D2: []float64{0.5, 0, 0, 0}},
			{At: []float64{inf, 1}, D: []float64{1, 0}},
			{At: []float64{1, -inf}, D: []float64{0, -1}},
		},
		Domain: "(x, y) != (0, 0)",
		Note:   "every derivative at the origin is 0",
	},
	{
		// c = x/h and s = y/h: dc/dx = s^2/h, dc/dy = -cs/h.
		Name: "rt.HypotSlope", Fn: rt.HypotSlope, Cost: Flop,
		D: append(bar("rt.Div0(rt.HypotSlope(y, x, z)*rt.HypotSlope(y, x, z), z)",
			"-rt.Div0(r*rt.HypotSlope(y, x, z), z)"), Partial{Expr: "0"}),
		Given:   []string{"", "", "math.Hypot(x, y)"},
		At:      [][]float64{{3, -4}, {0.2, 1e-3}, {1e-3, 7}},
		Special: []Special{{At: []float64{0, 0}, D: []float64{0, 0}, D2: []float64{0, 0, 0, 0}}},
		Domain:  "(x, y) != (0, 0)",
		Note:    "0 with all derivatives at the origin",
	},
}

// powi is a special point of rt.Powi.
func powi(x, n, d, d2 float64) Special {
	return Special{At: []float64{x, n}, D: []float64{d}, D2: []float64{d2}}
}
