package rules

import "github.com/quabla/quabla/rt"

// Smooth functions of machine learning, with their slopes.
var activation = []*Row{
	{
		Name: "rt.Sigmoid", Fn: rt.Sigmoid, Cost: Transcendental,
		D:       plain("rt.SigmoidSlope(x, r)"),
		At:      at(-20, -1, 0.4, 3, 20),
		Special: []Special{slopes2(0, 0.25, 0), slope(1000, 0), slope(-1000, 0), slopes2(inf, 0, 0), slopes2(-inf, 0, 0)},
		Domain:  "all x",
	},
	{
		// s' = s(1-s): s'' = s' (1-2s).
		Name: "rt.SigmoidSlope", Fn: rt.SigmoidSlope, Cost: Flop,
		D:      plain("r * (1 - 2*y)", "0"),
		Given:  []string{"", "rt.Sigmoid(x)"},
		At:     at(-20, -1, 0.4, 3, 20),
		Domain: "all x",
	},
	{
		Name: "rt.Softplus", Fn: rt.Softplus, Cost: Transcendental,
		D:       plain("rt.Sigmoid(x)"),
		At:      at(-20, -1, 0.4, 3, 20),
		Special: []Special{slopes2(0, 0.5, 0.25), slope(1000, 1), slope(-1000, 0), slopes2(inf, 1, 0), slopes2(-inf, 0, 0)},
		Domain:  "all x",
	},
	{
		Name: "rt.LogAddExp", Fn: rt.LogAddExp, Cost: Transcendental,
		D:  plain("rt.LogAddExpSlope(x, y)", "rt.LogAddExpSlope(y, x)"),
		At: [][]float64{{1, 3}, {0.5, 0.4}, {2, -5}, {1000, 1001}},
		Special: []Special{
			{At: []float64{2, 2}, D: []float64{0.5, 0.5}, D2: []float64{0.25, -0.25, -0.25, 0.25}},
			{At: []float64{-inf, 0}, D: []float64{0, 1}, D2: []float64{0, 0, 0, 0}},
			{At: []float64{1e30, 0}, D: []float64{1, 0}},
			{At: []float64{-inf, -inf}, D: []float64{0.5, 0.5}},
		},
		Domain: "all x and y",
		Note:   "1/2 and 1/2 for two equal infinities",
	},
	{
		// p = sigmoid(x-y): dp/dx = p(1-p) = -dp/dy.
		Name: "rt.LogAddExpSlope", Fn: rt.LogAddExpSlope, Cost: Transcendental,
		D:      plain("r * rt.LogAddExpSlope(y, x)", "-r * rt.LogAddExpSlope(y, x)"),
		At:     [][]float64{{1, 3}, {0.5, 0.4}, {2, -5}, {1000, 1001}},
		Domain: "all x and y",
	},
	{
		// x s: s + x s(x) s(-x).
		Name: "rt.SiLU", Fn: rt.SiLU, Cost: Transcendental,
		D:       plain("rt.Sigmoid(x) + r*rt.Sigmoid(-x)"),
		At:      at(-20, -1, 0.4, 3),
		Special: []Special{slopes2(0, 0.5, 0.5), slope(-1000, 0), slope(1000, 1)},
		Domain:  "all x",
	},
	{
		// x g(x) with g' = g(x) g(-x) d(2u)/dx.
		Name: "rt.GELU", Fn: rt.GELU, Cost: Transcendental,
		D:       plain("rt.GELUGate(x) + r*rt.GELUGate(-x)*" + geluArg),
		At:      at(-5, -1, 0.4, 3),
		Special: []Special{slopes2(0, 0.5, 1.5957691216057308/2), slope(-1e200, 0), slope(1e200, 1)},
		Domain:  "all x",
	},
	{
		Name: "rt.GELUGate", Fn: rt.GELUGate, Cost: Transcendental,
		D:       plain("r * rt.GELUGate(-x) * " + geluArg),
		At:      at(-5, -1, 0.4, 3),
		Special: []Special{slope(-1e200, 0), slope(1e200, 0)},
		Domain:  "all x",
	},
	{
		// Phi(x) + x phi(x)
		Name: "rt.GELUExact", Fn: rt.GELUExact, Cost: Transcendental,
		D:       plain("0.5*math.Erfc(-x/math.Sqrt2) + x*(0.3989422804014327*math.Exp(-0.5*x*x))"),
		At:      at(-5, -1, 0.4, 3),
		Special: []Special{slope(0, 0.5), slope(-1e200, 0), slope(1e200, 1)},
		Domain:  "all x",
	},
}

// geluArg is d(2u)/dx of rt.GELU. Beyond 32 it meets a factor of exactly 0;
// x is clipped so that the square stays finite there.
const geluArg = "(1.5957691216057308 + 0.21406444881780075*rt.Clip(x, -32, 32)*rt.Clip(x, -32, 32))"
