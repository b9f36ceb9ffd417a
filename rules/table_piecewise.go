package rules

import (
	"math"

	"github.com/quabla/quabla/rt"
)

// Functions that are linear, or linear in pieces.
var piecewise = []*Row{
	{
		Name: "math.FMA", Fn: math.FMA, Cost: Flop,
		D:      plain("y", "x", "1"),
		At:     [][]float64{{2, -3, 0.5}},
		Domain: "all arguments",
	},
	{
		Name: "math.Abs", Fn: math.Abs, Cost: Flop,
		D:       coef("rt.Sign(x)"),
		At:      at(-2, 0.4),
		Special: []Special{slopes2(0, 0, 0), slopes2(neg0, 0, 0), slope(-inf, -1), slope(nan, nan)},
		Domain:  "x != 0",
		Note:    "0 at both zeros",
	},
	{
		// |x| with the sign of y.
		Name: "math.Copysign", Fn: math.Copysign, Cost: Flop,
		D:  coef("rt.Sign(x) * math.Copysign(1, y)", "0"),
		At: [][]float64{{3, -2}, {-3, -2}, {-3, 2}, {3, 2}},
		Special: []Special{{At: []float64{3, -2}, D: []float64{-1, 0}}, {At: []float64{-3, -2}, D: []float64{1, 0}},
			{At: []float64{3, neg0}, D: []float64{-1, 0}}, {At: []float64{0, -2}, D: []float64{0, 0}}},
		Domain: "x != 0, y != 0",
		Note:   "sign(x) times the sign bit of y in x, 0 at x = 0; 0 in y",
	},
	{
		// max(x-y, 0); the result tells which.
		Name: "math.Dim", Fn: math.Dim, Cost: Flop,
		D:       coef("rt.Step(r)", "-rt.Step(r)"),
		At:      [][]float64{{5, 3}, {2, 3}},
		Special: []Special{{At: []float64{2, 2}, D: []float64{0, 0}, D2: []float64{0, 0, 0, 0}}, {At: []float64{nan, 1}, D: []float64{nan, nan}}},
		Domain:  "x != y",
		Note:    "0 at x = y",
	},
	{
		Name: "math.Max", Fn: math.Max, Cost: Flop,
		D:       coef("rt.FirstWins(x, y, r)", "1 - rt.FirstWins(x, y, r)"),
		At:      [][]float64{{2, 3}, {3, 2}},
		Special: append(ties, pick(inf, nan, 1, 0), pick(nan, inf, 0, 1), pick(nan, 2, 1, 0), pick(2, nan, 0, 1), pick(5e-324, 0, 1, 0)),
		Domain:  "x != y",
		Note:    note,
	},
	{
		Name: "math.Min", Fn: math.Min, Cost: Flop,
		D:       coef("rt.FirstWins(x, y, r)", "1 - rt.FirstWins(x, y, r)"),
		At:      [][]float64{{2, 3}, {3, 2}},
		Special: append(ties, pick(-inf, nan, 1, 0), pick(nan, -inf, 0, 1), pick(nan, 2, 1, 0), pick(2, nan, 0, 1)),
		Domain:  "x != y",
		Note:    note,
	},
	{
		Name: "max", Fn: func(x, y float64) float64 { return max(x, y) }, Cost: Flop,
		D:       coef("rt.FirstWins(x, y, r)", "1 - rt.FirstWins(x, y, r)"),
		At:      [][]float64{{2, 3}, {3, 2}},
		Special: append(ties, pick(inf, nan, 0, 1), pick(nan, inf, 1, 0), pick(5e-324, 0, 1, 0)),
		Domain:  "x != y",
		Note:    note,
	},
	{
		Name: "min", Fn: func(x, y float64) float64 { return min(x, y) }, Cost: Flop,
		D:       coef("rt.FirstWins(x, y, r)", "1 - rt.FirstWins(x, y, r)"),
		At:      [][]float64{{2, 3}, {3, 2}},
		Special: append(ties, pick(-inf, nan, 0, 1), pick(nan, -inf, 1, 0)),
		Domain:  "x != y",
		Note:    note,
	},
	{
		// x - y trunc(x/y), the quotient from the exact remainder.
		Name: "math.Mod", Fn: math.Mod, Cost: Transcendental,
		D:  append(plain("1"), bar("-math.Round((x - r) / y)")...),
		At: [][]float64{{7.25, 2.5}, {-11.5, 2.25}, {7.25, -2.5}},
		Special: []Special{{At: []float64{0.3, 0.1}, D: []float64{1, -2}}, {At: []float64{-5.5, 2}, D: []float64{1, 2}},
			{At: []float64{1e-30, 1}, D: []float64{1, 0}}, {At: []float64{7, -3}, D: []float64{1, 2}, D2: []float64{0, 0, 0, 0}}},
		Domain: "x/y no integer",
		Note:   "1 and -trunc(x/y), at the jumps too",
	},
	{
		Name: "math.Remainder", Fn: math.Remainder, Cost: Transcendental,
		D:       append(plain("1"), bar("-math.Round((x - r) / y)")...),
		At:      [][]float64{{5.5, 2}, {-7, 2.5}},
		Special: []Special{{At: []float64{7.5, 2}, D: []float64{1, -4}, D2: []float64{0, 0, 0, 0}}, {At: []float64{3, 2}, D: []float64{1, -2}}},
		Domain:  "x/y no integer plus 1/2",
		Note:    "1 and minus the quotient that the remainder used, at the jumps too",
	},
	{
		Name: "rt.FloorMod", Fn: rt.FloorMod, Cost: Transcendental,
		D:       append(plain("1"), bar("-math.Round((x - r) / y)")...),
		At:      [][]float64{{5.5, 2}, {-5.5, 2}, {7, -3}, {-7.25, -3}},
		Special: []Special{{At: []float64{-5.5, 2}, D: []float64{1, 3}}, {At: []float64{7, -3}, D: []float64{1, 3}}, {At: []float64{0.3, 0.1}, D: []float64{1, -2}}},
		Domain:  "x/y no integer",
		Note:    "1 and -floor(x/y), at the jumps too",
	},
	{
		Name: "math.Modf", Fn: math.Modf, Cost: Flop,
		D:       plain("0", "1"),
		At:      at(2.75, -1.5),
		Special: []Special{{At: []float64{3}, D: []float64{0, 1}, D2: []float64{0, 0}}},
		Domain:  "x no integer",
		Note:    "0 and 1, at the integers too",
	},
	{
		// x = r0 2^r1
		Name: "math.Frexp", Fn: math.Frexp, Cost: Flop,
		D:       bar("math.Ldexp(1, -r1)"),
		At:      at(10, -0.3),
		Special: []Special{slopes2(12, 0.0625, 0), slopes2(0, 1, 0)},
		Domain:  "x no power of 2 and not 0",
		Note:    "2^-exp, at the jumps too; 1 at 0",
	},
	{
		Name: "math.Ldexp", Fn: math.Ldexp, Cost: Flop,
		D:       bar("math.Ldexp(1, n)"),
		At:      [][]float64{{1.5, 3}, {-0.7, -2}},
		Special: []Special{{At: []float64{0, 4}, D: []float64{16}, D2: []float64{0}}},
		Domain:  "all x",
	},
	{
		Name: "math.Nextafter", Fn: math.Nextafter, Cost: Flop,
		D:       plain("1", "0"),
		At:      [][]float64{{1.5, 3}},
		Special: []Special{{At: []float64{0, 1}, D: []float64{1, 0}}},
		Domain:  "all x",
		Note:    "counts as the identity in x and as constant in y",
	},
	{
		Name: "math.Nextafter32", Fn: math.Nextafter32, Cost: Flop,
		D:      plain("1", "0"),
		At:     [][]float64{{1.5, 3}},
		Domain: "all x",
		Note:   "as math.Nextafter",
	},
	{
		Name: "rt.ReLU", Fn: rt.ReLU, Cost: Flop,
		D:       coef("rt.Step(x)"),
		At:      at(-2, 0.4),
		Special: []Special{slopes2(0, 0, 0), slope(5e-324, 1), slope(-5e-324, 0), slope(nan, nan)},
		Domain:  "x != 0",
		Note:    "0 at 0",
	},
	{
		// x wins against lo, then the larger of them against hi.
		Name: "rt.Clip", Fn: rt.Clip, Cost: Flop,
		D: coef("rt.FirstWins(max(x, y), z, r) * rt.FirstWins(x, y, max(x, y))",
			"rt.FirstWins(max(x, y), z, r) * (1 - rt.FirstWins(x, y, max(x, y)))",
			"1 - rt.FirstWins(max(x, y), z, r)"),
		At: [][]float64{{0.25, -1, 1}, {-2, -1, 1}, {4, -1, 1}, {0, 2, -1}},
		Special: []Special{{At: []float64{-1, -1, 1}, D: []float64{0, 1, 0}}, {At: []float64{1, -1, 1}, D: []float64{0, 0, 1}},
			{At: []float64{0, 2, -1}, D: []float64{0, 0, 1}}, {At: []float64{nan, 0, 1}, D: []float64{1, 0, 0}}, {At: []float64{0.5, nan, 1}, D: []float64{0, 1, 0}}},
		Domain: "x != lo, x != hi, lo != hi",
		Note:   "at a bound the derivative belongs to the bound",
	},
}

const note = "a tie, of +0 and -0 too, gives the whole derivative to the second operand; " +
	"a NaN result gives it to the operand that is NaN, the second if both are"

// ties are the points where the second of two operands has the derivative.
var ties = []Special{pick(3, 3, 0, 1), pick(0, neg0, 0, 1), pick(neg0, 0, 0, 1), pick(inf, inf, 0, 1), pick(nan, nan, 0, 1)}[:5:5]

// pick is a special point of a maximum or minimum.
func pick(x, y, dx, dy float64) Special {
	return Special{At: []float64{x, y}, D: []float64{dx, dy}, D2: []float64{0, 0, 0, 0}}
}
