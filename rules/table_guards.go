package rules

import "github.com/quabla/quabla/rt"

// The guarded products of derivative code, so that it can be differentiated
// again.
var guards = []*Row{
	{
		// A zero bar hides any coefficient. A zero coefficient hides what comes by the
		// bar, which is infinite where something infinite was left out.
		Name: "rt.Mul0", Fn: rt.Mul0[float64], Cost: Flop,
		D:       append([]Partial{{"y", ZeroBar | ZeroCoef}}, coef("x")...),
		At:      [][]float64{{2, 3}, {-0.5, 0.25}},
		Special: []Special{{At: []float64{0, inf}, D: []float64{inf, 0}, D2: []float64{0, 1, 1, 0}}},
		Domain:  "all finite arguments",
		Note:    "0 at bar = 0 for every coefficient",
	},
	{
		// The value of x with the derivatives of y.
		Name: "rt.As", Fn: rt.As, Cost: Flop,
		D:      plain("0", "1"),
		Given:  []string{"y", ""},
		At:     at(-2, 0.4),
		Domain: "x = y, up to rounding",
	},
	{
		Name: "rt.Switch", Fn: rt.Switch[float64], Cost: Flop,
		D:       append(coef("y"), bar("x")...),
		At:      [][]float64{{2, 1}, {-0.5, 0.25}},
		Special: []Special{{At: []float64{inf, 0}, D: []float64{0, inf}, D2: []float64{0, 1, 1, 0}}},
		Domain:  "all finite arguments",
		Note:    "0 at coef = 0 for every bar",
	},
	{
		Name: "rt.Mul00", Fn: rt.Mul00[float64], Cost: Flop,
		D:      []Partial{{"y", ZeroBar | ZeroCoef}, {"x", ZeroBar | ZeroCoef}},
		At:     [][]float64{{2, 3}, {-0.5, 0.25}},
		Domain: "all finite arguments",
		Note:   "0 where either factor is 0",
	},
	{
		Name: "rt.Div0", Fn: rt.Div0[float64], Cost: Flop,
		D:       []Partial{{"1 / y", ZeroBar}, {"-rt.Div0(r, y)", ZeroBar | ZeroCoef}},
		At:      [][]float64{{2, 3}, {-0.5, 0.25}},
		Special: []Special{{At: []float64{0, 0}, D: []float64{inf, 0}}, {At: []float64{0, 2}, D: []float64{0.5, 0}, D2: []float64{0, -0.25, -0.25, 0}}},
		Domain:  "y != 0",
		Note:    "0 at x = 0 for every y",
	},
}
