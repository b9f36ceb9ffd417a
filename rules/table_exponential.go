package rules

import "math"

// Exponentials and logarithms. Exponentials overflow at finite arguments: in
// 1/(1+math.Exp(-x)) at x = -800 a cotangent of 0 meets an infinite slope.
var exponential = []*Row{
	{
		Name: "math.Exp", Fn: math.Exp, Cost: Transcendental,
		D:       bar("r"),
		At:      at(-3, 0.4, 5),
		Special: []Special{slopes2(-inf, 0, 0), slope(-800, 0), slope(800, inf)},
		Domain:  "all x",
	},
	{
		Name: "math.Exp2", Fn: math.Exp2, Cost: Transcendental,
		D:       bar("r * math.Ln2"),
		At:      at(-3.3, 0.4, 5.5),
		Special: []Special{slopes2(-inf, 0, 0), slope(0, math.Ln2)},
		Domain:  "all x",
	},
	{
		// Not r+1, which cancels for large negative x.
		Name: "math.Expm1", Fn: math.Expm1, Cost: Transcendental,
		D:       bar("math.Exp(x)"),
		At:      at(-3, 1e-3, 0.4, 5),
		Special: []Special{slopes2(0, 1, 1), slopes2(-inf, 0, 0)},
		Domain:  "all x",
	},
	{
		Name: "math.Log", Fn: math.Log, Cost: Transcendental,
		D:       bar("1 / x"),
		At:      at(0.4, 3, 1e6),
		Special: []Special{slope(0, inf), slope(neg0, -inf), slope(-2, -0.5), slope(4, 0.25), slope(inf, 0)},
		Domain:  "x > 0",
		Note:    "1/x everywhere: finite for x < 0, where the value is NaN",
	},
	{
		Name: "math.Log2", Fn: math.Log2, Cost: Transcendental,
		D:       bar("math.Log2E / x"),
		At:      at(0.4, 3, 1e6),
		Special: []Special{slope(0, inf), slope(1, math.Log2E), slope(-2, -math.Log2E/2)},
		Domain:  "x > 0",
		Note:    "as math.Log",
	},
	{
		Name: "math.Log10", Fn: math.Log10, Cost: Transcendental,
		D:       bar("math.Log10E / x"),
		At:      at(0.4, 3, 1e6),
		Special: []Special{slope(0, inf), slope(1, math.Log10E), slope(-2, -math.Log10E/2)},
		Domain:  "x > 0",
		Note:    "as math.Log",
	},
	{
		Name: "math.Log1p", Fn: math.Log1p, Cost: Transcendental,
		D:       bar("1 / (1 + x)"),
		At:      at(-0.5, 1e-3, 0.4, 30),
		Special: []Special{slope(-1, inf), slopes2(0, 1, -1), slope(3, 0.25), slope(-3, -0.5)},
		Domain:  "x > -1",
		Note:    "1/(1+x) everywhere: finite for x < -1, where the value is NaN",
	},
}
