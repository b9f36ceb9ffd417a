// Package rt is what generated derivative code imports: small functions with
// a fixed meaning, and no state.
//
// The scalar part holds
//
//   - elementary functions that package math lacks and that users call like
//     any other ([Sigmoid], [Softplus], [LogAddExp], [ReLU], [Clip],
//     [FloorMod], [Powi], [Digamma] ...);
//   - slopes: derivatives of elementary functions that a plain formula would
//     get wrong at a singular point, in a tail or at a huge argument
//     ([SqrtSlope], [PowSlopeX], [HypotSlope], [TanhSlope] ...);
//   - guarded products, for coefficients that need not be finite ([Mul0],
//     [Switch], [Mul00], [Div0]);
//   - the type of the tangents in rules for several directions ([Lifted]);
//   - markers that the generator resolves ([Stop], [Deriv], [Grad], [JVP]).
//
// Each scalar function has a row in package rules, its own derivative
// included, so derivatives of every order exist.
//
// Scalar functions return NaN outside their domain and an infinity at a pole,
// as package math does; none panics on a value. They read and write no shared
// memory and may be called from any number of goroutines.
package rt
