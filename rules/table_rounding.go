package rules

import (
	"math"

	"github.com/quabla/quabla/rt"
)

// Functions with derivative zero everywhere, jumps and infinities included,
// and functions that have no float result or argument and so no derivative.
var rounding = []*Row{
	step("math.Ceil", math.Ceil),
	step("math.Floor", math.Floor),
	step("math.Round", math.Round),
	step("math.RoundToEven", math.RoundToEven),
	step("math.Trunc", math.Trunc),
	step("math.Logb", math.Logb),
	step("rt.Sign", rt.Sign),
	step("rt.Step", rt.Step),
	{
		Name: "rt.FirstWins", Fn: rt.FirstWins, Cost: Flop,
		D:      plain("0", "0", "0"),
		At:     [][]float64{{2, 3, 3}, {3, 2, 3}},
		Domain: "x != y",
	},
	{Name: "math.Ilogb", Fn: math.Ilogb, Cost: Flop, At: at(10), Domain: "no derivative"},
	{Name: "math.Signbit", Fn: math.Signbit, Cost: Flop, At: at(-2), Domain: "no derivative"},
	{Name: "math.IsNaN", Fn: math.IsNaN, Cost: Flop, At: at(-2), Domain: "no derivative"},
	{Name: "math.IsInf", Fn: math.IsInf, Cost: Flop, At: [][]float64{{-2, 1}}, Domain: "no derivative"},
	{Name: "math.Inf", Fn: math.Inf, Cost: Flop, At: at(1), Domain: "a constant"},
	{Name: "math.NaN", Fn: math.NaN, Cost: Flop, At: [][]float64{{}}, Domain: "a constant"},
	{Name: "math.Pow10", Fn: math.Pow10, Cost: Flop, At: at(2), Domain: "a constant"},
}

// step is the row of a step function.
func step(name string, fn func(float64) float64) *Row {
	return &Row{
		Name: name, Fn: fn, Cost: Flop,
		D:       plain("0"),
		At:      at(-1.3, 2.6),
		Special: []Special{slopes2(0, 0, 0), slopes2(2, 0, 0), slopes2(2.5, 0, 0), slopes2(inf, 0, 0)},
		Domain:  "between the jumps",
		Note:    "0 at the jumps too",
	}
}
