package rules

import (
	"math"

	"github.com/quabla/quabla/rt"
)

// Error, Gamma and Bessel functions.
var special = []*Row{
	{
		// 2/sqrt(pi) = 1.1283791670955126, from x: the value saturates.
		Name: "math.Erf", Fn: math.Erf, Cost: Transcendental,
		D:       plain("1.1283791670955126 * math.Exp(-x*x)"),
		At:      at(-2, 0.4, 1.5),
		Special: []Special{slopes2(0, 1.1283791670955126, 0), slope(inf, 0), slope(1e200, 0)},
		Domain:  "all x",
	},
	{
		Name: "math.Erfc", Fn: math.Erfc, Cost: Transcendental,
		D:       plain("-1.1283791670955126 * math.Exp(-x*x)"),
		At:      at(-2, 0.4, 1.5, 10),
		Special: []Special{slopes2(0, -1.1283791670955126, 0), slope(-inf, 0), slope(1e200, 0)},
		Domain:  "all x",
	},
	{
		// The inverse function: 1/(2/sqrt(pi) exp(-r^2)).
		Name: "math.Erfinv", Fn: math.Erfinv, Cost: Transcendental,
		D:       bar("0.886226925452758 * math.Exp(r*r)"),
		At:      at(-0.7, 0.1, 0.5),
		Special: []Special{slopes2(0, 0.886226925452758, 0), slope(1, inf), slope(-1, inf), slope(1.5, nan)},
		Domain:  "-1 < x < 1",
		Note:    "+Inf at both ends, NaN outside",
	},
	{
		Name: "math.Erfcinv", Fn: math.Erfcinv, Cost: Transcendental,
		D:       bar("-0.886226925452758 * math.Exp(r*r)"),
		At:      at(0.3, 0.9, 1.5),
		Special: []Special{slopes2(1, -0.886226925452758, 0), slope(0, -inf), slope(2, -inf), slope(-0.5, nan)},
		Domain:  "0 < x < 2",
		Note:    "-Inf at both ends, NaN outside",
	},
	{
		Name: "math.Gamma", Fn: math.Gamma, Cost: Transcendental,
		D:       bar("r * rt.Digamma(x)"),
		At:      at(-1.5, 0.4, 2.5, 10),
		Special: []Special{slope(-2, nan), slope(0, -inf), slope(neg0, -inf), slope(200, inf)},
		Domain:  "x no integer below 1",
		Note:    "NaN at the negative integers",
	},
	{
		Name: "math.Lgamma", Fn: math.Lgamma, Cost: Transcendental,
		D:       bar("rt.Digamma(x)"),
		At:      at(-1.5, 0.4, 2.5, 100),
		Special: []Special{slope(-2, nan), slope(0, -inf), slope(neg0, inf), slope(inf, inf)},
		Domain:  "x no integer below 1",
		Note:    "NaN at the negative integers",
	},
	{
		Name: "rt.Digamma", Fn: rt.Digamma, Cost: Transcendental,
		D:       bar("rt.Trigamma(x)"),
		At:      at(-1.5, 0.4, 1.4, 2.5, 100),
		Special: []Special{slope(0, inf), slope(inf, 0)},
		Domain:  "x no integer below 1",
	},
	{
		Name: "rt.Trigamma", Fn: rt.Trigamma, Cost: Transcendental,
		D:       bar("rt.Polygamma(2, x)"),
		At:      at(-1.5, 0.4, 2.5, 100),
		Special: []Special{slope(0, -inf), slope(neg0, inf), slope(inf, 0)},
		Domain:  "x no integer below 1",
	},
	{
		Name: "rt.Polygamma", Fn: rt.Polygamma, Cost: Transcendental,
		D:       bar("rt.Polygamma(n+1, x)"),
		At:      [][]float64{{0, 0.4}, {1, -1.5}, {2, 2.5}, {3, 0.7}, {7, 3}, {14, -0.4}},
		Special: []Special{{At: []float64{1, 0}, D: []float64{-inf}}, {At: []float64{3, inf}, D: []float64{0}}},
		Domain:  "x no integer below 1; 0 <= n <= 170",
		Note:    "NaN for other n",
	},
	{
		Name: "math.J0", Fn: math.J0, Cost: Transcendental,
		D:       plain("-math.J1(x)"),
		At:      at(-2, 0.4, 7),
		Special: []Special{slopes2(0, 0, -0.5)},
		Domain:  "all x",
	},
	{
		Name: "math.J1", Fn: math.J1, Cost: Transcendental,
		D:       plain("0.5 * (math.J0(x) - math.Jn(2, x))"),
		At:      at(-2, 0.4, 7),
		Special: []Special{slopes2(0, 0.5, 0)},
		Domain:  "all x",
	},
	{
		// DLMF 10.6.1, also for n <= 0.
		Name: "math.Jn", Fn: math.Jn, Cost: Transcendental,
		D:       plain("0.5 * (math.Jn(n-1, x) - math.Jn(n+1, x))"),
		At:      [][]float64{{0, 0.4}, {1, -2}, {2, 3}, {5, 7}, {-3, 2}},
		Special: []Special{{At: []float64{1, 0}, D: []float64{0.5}, D2: []float64{0}}},
		Domain:  "all x",
	},
	{
		Name: "math.Y0", Fn: math.Y0, Cost: Transcendental,
		D:       bar("-math.Y1(x)"),
		At:      at(0.4, 2, 7),
		Special: []Special{slope(0, inf), slope(-1, nan)},
		Domain:  "x > 0",
		Note:    "NaN for x < 0",
	},
	{
		Name: "math.Y1", Fn: math.Y1, Cost: Transcendental,
		D:       bar("0.5 * (math.Y0(x) - math.Yn(2, x))"),
		At:      at(0.4, 2, 7),
		Special: []Special{slope(-1, nan)},
		Domain:  "x > 0",
		Note:    "NaN for x <= 0",
	},
	{
		Name: "math.Yn", Fn: math.Yn, Cost: Transcendental,
		D:       bar("0.5 * (math.Yn(n-1, x) - math.Yn(n+1, x))"),
		At:      [][]float64{{0, 0.4}, {1, 2}, {2, 3}, {5, 7}, {-3, 2}},
		Special: []Special{{At: []float64{2, -1}, D: []float64{nan}}},
		Domain:  "x > 0",
		Note:    "NaN for x <= 0",
	},
}
