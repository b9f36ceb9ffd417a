package rules

import (
	"math"

	"github.com/quabla/quabla/rt"
)

// Circular and hyperbolic functions and their inverses, with their slopes.
var trigonometric = []*Row{
	{
		Name: "math.Sin", Fn: math.Sin, Cost: Transcendental,
		D:       plain("math.Cos(x)"),
		At:      at(-2, 0.4, 5),
		Special: []Special{slopes2(0, 1, 0), slope(inf, nan)},
		Domain:  "all x",
	},
	{
		Name: "math.Cos", Fn: math.Cos, Cost: Transcendental,
		D:       plain("-math.Sin(x)"),
		At:      at(-2, 0.4, 5),
		Special: []Special{slopes2(0, 0, -1), slope(inf, nan)},
		Domain:  "all x",
	},
	{
		Name: "math.Sincos", Fn: math.Sincos, Cost: Transcendental,
		D:       plain("r1", "-r0"),
		At:      at(-2, 0.4, 5),
		Special: []Special{{At: []float64{0}, D: []float64{1, 0}, D2: []float64{0, -1}}},
		Domain:  "all x",
	},
	{
		Name: "math.Tan", Fn: math.Tan, Cost: Transcendental,
		D:       plain("1 + r*r"),
		At:      at(-1.3, 0.4, 0.7),
		Special: []Special{slopes2(0, 1, 0), slope(inf, nan)},
		Domain:  "x != pi/2 + k pi",
	},
	{
		Name: "math.Asin", Fn: math.Asin, Cost: Transcendental,
		D:  bar("rt.AsinSlope(x)"),
		At: at(-0.7, 0.1, 0.5),
		Special: []Special{slopes2(1, inf, inf), slopes2(-1, inf, -inf), slope(1.5, nan), slope(0, 1),
			slope(1-0x1p-53, 0x1p26)},
		Domain: "-1 < x < 1",
		Note:   "+Inf at both ends, NaN outside",
	},
	{
		Name: "math.Acos", Fn: math.Acos, Cost: Transcendental,
		D:       bar("-rt.AsinSlope(x)"),
		At:      at(-0.7, 0.1, 0.5),
		Special: []Special{slopes2(1, -inf, -inf), slopes2(-1, -inf, inf), slope(-1.5, nan), slope(0, -1)},
		Domain:  "-1 < x < 1",
		Note:    "-Inf at both ends, NaN outside",
	},
	{
		// a = ((1-x)(1+x))^(-1/2): da/dx = x a^3.
		Name: "rt.AsinSlope", Fn: rt.AsinSlope, Cost: Transcendental,
		D:      bar("x * r * r * r"),
		At:     at(-0.7, 0.1, 0.5),
		Domain: "-1 < x < 1",
	},
	{
		Name: "math.Atan", Fn: math.Atan, Cost: Transcendental,
		D:       plain("rt.AtanSlope(x)"),
		At:      at(-30, -0.5, 0.4, 4),
		Special: []Special{slopes2(inf, 0, 0), slopes2(-inf, 0, 0), slopes2(1e200, 0, 0), slopes2(1, 0.5, -0.5), slopes2(0, 1, 0)},
		Domain:  "all x",
	},
	{
		// With c = 1/sqrt(1+x^2) and s = x c: dc/dx = -s c^2, ds/dx = c^3,
		// and d(c^2)/dx = -2 s c c^2.
		Name: "rt.AtanSlope", Fn: rt.AtanSlope, Cost: Flop,
		D:       plain("-2 * rt.SinAtan(x) * rt.AsinhSlope(x) * r"),
		At:      at(-30, -0.5, 0.4, 4),
		Special: []Special{slopes2(inf, 0, 0), slopes2(-1e200, 0, 0), slopes2(0, 0, -2)},
		Domain:  "all x",
	},
	{
		Name: "rt.SinAtan", Fn: rt.SinAtan, Cost: Transcendental,
		D:       plain("rt.AsinhSlope(x) * rt.AsinhSlope(x) * rt.AsinhSlope(x)"),
		At:      at(-30, -0.5, 0.4, 4),
		Special: []Special{slopes2(inf, 0, 0), slopes2(1e200, 0, 0), slopes2(0, 1, 0)},
		Domain:  "all x",
	},
	{
		// d/dy atan2(y, x) = x/(x^2+y^2); here the names are swapped.
		Name: "math.Atan2", Fn: math.Atan2, Cost: Transcendental,
		D:  bar("rt.Atan2Slope(y, x)", "-rt.Atan2Slope(x, y)"),
		At: [][]float64{{1, 2}, {-0.7, 0.3}, {2, -1}, {-1, -3}},
		Special: []Special{
			{At: []float64{0, 0}, D: []float64{0, 0}, D2: []float64{0, 0, 0, 0}},
			{At: []float64{0, 1}, D: []float64{1, 0}, D2: []float64{0, -1, -1, 0}},
			{At: []float64{2, 0}, D: []float64{0, -0.5}, D2: []float64{0, 0.25, 0.25, 0}},
			{At: []float64{-2, 0}, D: []float64{0, 0.5}, D2: []float64{0, 0.25, 0.25, 0}},
			{At: []float64{0x1p600, 0x1p600}, D: []float64{0x1p-601, -0x1p-601}},
			{At: []float64{0x1p-600, -0x1p-600}, D: []float64{-0x1p599, -0x1p599}},
			{At: []float64{inf, inf}, D: []float64{0, 0}, D2: []float64{0, 0, 0, 0}},
		},
		Domain: "(x, y) != (0, 0); the cut, x = +-0 with y < 0 in the names of the row, is smooth on either side",
		Note:   "every derivative at the origin is 0",
	},
	{
		// q = x/(x^2+y^2), p = y/(x^2+y^2): dq/dx = p^2-q^2, dq/dy = -2pq.
		Name: "rt.Atan2Slope", Fn: rt.Atan2Slope, Cost: Flop,
		D:       bar("(rt.Atan2Slope(y, x) - r) * (rt.Atan2Slope(y, x) + r)", "-2 * r * rt.Atan2Slope(y, x)"),
		At:      [][]float64{{1, 2}, {-0.7, 0.3}, {2, -1}, {-1, -3}},
		Special: []Special{{At: []float64{0, 0}, D: []float64{0, 0}, D2: []float64{0, 0, 0, 0}}},
		Domain:  "(x, y) != (0, 0)",
		Note:    "0 with all derivatives at the origin",
	},
	{
		Name: "math.Sinh", Fn: math.Sinh, Cost: Transcendental,
		D:       bar("math.Cosh(x)"),
		At:      at(-3, 0.4, 5),
		Special: []Special{slopes2(0, 1, 0), slope(-800, inf)},
		Domain:  "all x",
	},
	{
		Name: "math.Cosh", Fn: math.Cosh, Cost: Transcendental,
		D:       bar("math.Sinh(x)"),
		At:      at(-3, 0.4, 5),
		Special: []Special{slopes2(0, 0, 1), slope(-800, -inf)},
		Domain:  "all x",
	},
	{
		Name: "math.Tanh", Fn: math.Tanh, Cost: Transcendental,
		D:       plain("rt.TanhSlope(x, r)"),
		At:      at(-3, -0.4, 0.7, 2.5, 8),
		Special: []Special{slopes2(0, 1, 0), slopes2(inf, 0, 0), slopes2(-inf, 0, 0)},
		Domain:  "all x",
	},
	{
		// s = 1/cosh^2: ds/dx = -2 tanh(x) s.
		Name: "rt.TanhSlope", Fn: rt.TanhSlope, Cost: Flop,
		D:      plain("-2 * y * r", "0"),
		Given:  []string{"", "math.Tanh(x)"},
		At:     at(-3, -0.4, 0.7, 2.5, 8),
		Domain: "all x",
	},
	{
		Name: "math.Asinh", Fn: math.Asinh, Cost: Transcendental,
		D:       plain("rt.AsinhSlope(x)"),
		At:      at(-40, -0.5, 0.4, 3),
		Special: []Special{slopes2(1e200, 1e-200, 0), slopes2(-1e300, 1e-300, 0), slopes2(inf, 0, 0), slopes2(-inf, 0, 0), slopes2(0, 1, 0)},
		Domain:  "all x",
	},
	{
		Name: "rt.AsinhSlope", Fn: rt.AsinhSlope, Cost: Transcendental,
		D:       plain("-rt.SinAtan(x) * r * r"),
		At:      at(-40, -0.5, 0.4, 3),
		Special: []Special{slopes2(inf, 0, 0), slopes2(1e200, 0, 0), slopes2(0, 0, -1)},
		Domain:  "all x",
	},
	{
		Name: "math.Acosh", Fn: math.Acosh, Cost: Transcendental,
		D:       bar("rt.AcoshSlope(x)"),
		At:      at(1.5, 3, 100),
		Special: []Special{slopes2(1, inf, -inf), slope(0.5, nan), slopes2(1e200, 1e-200, 0), slope(inf, 0)},
		Domain:  "x > 1",
		Note:    "+Inf at 1, NaN below",
	},
	{
		// a = (x^2-1)^(-1/2): da/dx = -x a^3.
		Name: "rt.AcoshSlope", Fn: rt.AcoshSlope, Cost: Transcendental,
		D:      bar("-x * r * r * r"),
		At:     at(1.5, 3, 100),
		Domain: "x > 1",
	},
	{
		Name: "math.Atanh", Fn: math.Atanh, Cost: Transcendental,
		D:       bar("1 / ((1 - x) * (1 + x))"),
		At:      at(-0.7, 0.1, 0.5),
		Special: []Special{slope(1, inf), slope(-1, inf), slope(2, -1.0/3), slope(1-0x1p-53, 0x1p52), slopes2(0, 1, 0)},
		Domain:  "-1 < x < 1",
		Note:    "+Inf at both ends; the formula is finite outside, where the value is NaN",
	},
}
