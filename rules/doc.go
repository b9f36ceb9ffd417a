// Package rules is the table of elementary functions: for each one its value,
// its partial derivatives, its test points and its conventions, as data.
//
// A function is one [Row]. Forward mode, reverse mode, second order, constant
// folding, the interpreter and the tests all walk the same table, so a new
// function is one new row and nothing else:
//
//	{
//		Name: "math.Log1p", Fn: math.Log1p,
//		D:      bar("1 / (1 + x)"),
//		At:     at(-0.5, 0.4, 30),
//		Domain: "x > -1",
//		...
//	},
//
// # Partial derivatives
//
// A partial is Go expression text over
//
//   - the arguments: the float arguments in order are x, y, z, w, the int
//     arguments n, m, whatever the Go function calls them. In the row of
//     math.Atan2(y, x), therefore, x is the first argument, an ordinate;
//   - the result r or, of a function with several results, r0, r1 ...; a
//     result may be an int;
//   - numeric literals and the constants of package math;
//   - + - * / and unary minus, of floats, and + - and unary minus, of ints;
//   - float64(i) for an int i;
//   - calls of other rows by their Name, with one result.
//
// Arithmetic on two constants is not allowed: the Go compiler would fold it
// exactly and an interpreter would round it. The text "0" is a partial that
// vanishes identically.
//
// Since partials are made of arithmetic and of other rows, derivatives of every
// order are: to differentiate a partial, apply the chain rule to its
// expression, r included. A test does so, to order four, for every row.
//
// # Given arguments
//
// Slopes that reuse a value, such as rt.TanhSlope(x, y) with y = math.Tanh(x),
// say so in [Row.Given]. The partial for a given argument is "0": the function
// is differentiated along the curve that the contract describes, and the whole
// derivative is in the other arguments.
//
// # Guards
//
// A contribution of the chain rule is coefficient times tangent, or cotangent
// times coefficient. [Guard] says where the plain product is wrong because a
// factor can be infinite or NaN.
//
// The table is read-only after initialisation; everything here may be used
// from any number of goroutines.
package rules
