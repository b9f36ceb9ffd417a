package rules

import (
	"math"
	"math/cmplx"

	"github.com/quabla/quabla/rt"
)

// Holomorphic functions of package math/cmplx, as pairs of reals: the argument
// is x+iy, the result r0+i r1. The functions that are not holomorphic, Abs,
// Phase, Polar, Rect and Conj, are differentiated from their source.
//
// The derivative of a holomorphic function is the complex number a+ib with
//
//	[ dr0/dx  dr0/dy ]   [ a  -b ]
//	[ dr1/dx  dr1/dy ] = [ b   a ]
//
// At branch points and poles it is 0.

// holomorphic is the row of a function of one complex argument with the
// derivative a+ib, with the guard g.
func holomorphic(name string, f func(complex128) complex128, g Guard, a, b string, row *Row) *Row {
	row.Name, row.Complex, row.Cost = name, f, Transcendental
	row.Fn = func(x, y float64) (re, im float64) {
		w := f(complex(x, y))
		return real(w), imag(w)
	}
	row.D = partials(g, cauchyRiemann(a, b))
	return row
}

// cauchyRiemann returns the partials of both results.
func cauchyRiemann(a, b string) []string { return []string{a, "-(" + b + ")", b, a} }

// Parts of complex numbers, for the texts of slopes.
const (
	// 1/cos(z)^2 and its like, made of the tangent t and the hyperbolic tangent
	// h, which overflow nowhere: 1/cos(x+iy)^2 = (1+t^2)(1-h^2)/(1-ith)^2.
	tanTh  = "math.Tan(x)*math.Tanh(y)"
	tanAbs = "(1 + math.Tan(x)*math.Tan(x)) * rt.TanhSlope(y, math.Tanh(y)) / (1 + " + tanTh + "*(" + tanTh + ")) / (1 + " + tanTh + "*(" + tanTh + "))"
	thTan  = "math.Tanh(x)*math.Tan(y)"
	thAbs  = "(1 + math.Tan(y)*math.Tan(y)) * rt.TanhSlope(x, math.Tanh(x)) / (1 + " + thTan + "*(" + thTan + ")) / (1 + " + thTan + "*(" + thTan + "))"
	cotAbs = "(1 + math.Tan(x)*math.Tan(x)) * rt.TanhSlope(y, math.Tanh(y))"
	cotRe  = "rt.Atan2Slope(math.Tan(x), math.Tanh(y))"
	cotIm  = "rt.Atan2Slope(math.Tanh(y), math.Tan(x))"
)

// plane are points of the complex plane, one in each quadrant.
func plane(extra ...[]float64) [][]float64 {
	return append(extra, []float64{0.7, 0.4}, []float64{-0.6, 0.8}, []float64{-0.5, -1.2}, []float64{1.3, -0.3})
}

// cslope is the complex derivative a+ib at x+iy as a special point.
func cslope(x, y, a, b float64) Special {
	return Special{At: []float64{x, y}, D: []float64{a, -b, b, a}}
}

var complexes = []*Row{
	holomorphic("cmplx.Exp", cmplx.Exp, ZeroBar, "r0", "r1", &Row{
		At: plane(), Special: []Special{cslope(0, 0, 1, 0)}, Domain: "all z"}),
	holomorphic("cmplx.Log", cmplx.Log, ZeroBar, "rt.Atan2Slope(x, y)", "-rt.Atan2Slope(y, x)", &Row{
		At: plane([]float64{-2, 1e-3}), Special: []Special{cslope(0, 0, 0, 0), cslope(2, 0, 0.5, 0), cslope(-2, 0, -0.5, 0), cslope(0, 4, 0, -0.25)},
		Domain: "z not 0 or negative", Note: "1/z also on the cut; 0 at 0"}),
	holomorphic("cmplx.Log10", cmplx.Log10, ZeroBar, "math.Log10E * rt.Atan2Slope(x, y)", "-math.Log10E * rt.Atan2Slope(y, x)", &Row{
		At: plane(), Special: []Special{cslope(0, 0, 0, 0), cslope(2, 0, math.Log10E/2, 0)},
		Domain: "z not 0 or negative", Note: "as cmplx.Log"}),
	holomorphic("cmplx.Sqrt", cmplx.Sqrt, Plain, "0.5 * rt.Atan2Slope(r0, r1)", "-0.5 * rt.Atan2Slope(r1, r0)", &Row{
		At: plane([]float64{-2, 1e-3}), Special: []Special{{At: []float64{0, 0}, D: []float64{0, 0, 0, 0}, D2: make([]float64, 8)},
			cslope(4, 0, 0.25, 0), cslope(-4, 0, 0, -0.25), cslope(-4, neg0, 0, 0.25)},
		Domain: "z not 0 or negative", Note: "every derivative at 0 is 0; that of the value on the cut"}),
	holomorphic("cmplx.Sin", cmplx.Sin, ZeroBar, "math.Cos(x) * math.Cosh(y)", "-math.Sin(x) * math.Sinh(y)", &Row{
		At: plane(), Special: []Special{cslope(0, 0, 1, 0)}, Domain: "all z"}),
	holomorphic("cmplx.Cos", cmplx.Cos, ZeroBar, "-math.Sin(x) * math.Cosh(y)", "-math.Cos(x) * math.Sinh(y)", &Row{
		At: plane(), Special: []Special{cslope(0, 0, 0, 0)}, Domain: "all z"}),
	holomorphic("cmplx.Sinh", cmplx.Sinh, ZeroBar, "math.Cosh(x) * math.Cos(y)", "math.Sinh(x) * math.Sin(y)", &Row{
		At: plane(), Special: []Special{cslope(0, 0, 1, 0)}, Domain: "all z"}),
	holomorphic("cmplx.Cosh", cmplx.Cosh, ZeroBar, "math.Sinh(x) * math.Cos(y)", "math.Cosh(x) * math.Sin(y)", &Row{
		At: plane(), Special: []Special{cslope(0, 0, 0, 0)}, Domain: "all z"}),
	holomorphic("cmplx.Tan", cmplx.Tan, ZeroBar, tanAbs+" * (1 - "+tanTh+"*("+tanTh+"))", tanAbs+" * (2*("+tanTh+"))", &Row{
		At: plane(), Special: []Special{cslope(0, 0, 1, 0), cslope(0, 800, 0, 0)}, Domain: "z not pi/2 + k pi"}),
	holomorphic("cmplx.Tanh", cmplx.Tanh, ZeroBar, thAbs+" * (1 - "+thTan+"*("+thTan+"))", thAbs+" * (-2*("+thTan+"))", &Row{
		At: plane(), Special: []Special{cslope(0, 0, 1, 0), cslope(800, 0, 0, 0)}, Domain: "z not i(pi/2 + k pi)"}),
	holomorphic("cmplx.Cot", cmplx.Cot, ZeroBar, "-("+cotAbs+") * ("+cotRe+"*"+cotRe+" - "+cotIm+"*"+cotIm+")", cotAbs+" * (2*"+cotRe+"*"+cotIm+")", &Row{
		At: plane(), Special: []Special{cslope(0, 0, 0, 0), cslope(0, 800, 0, 0)}, Domain: "z not k pi"}),
	holomorphic("cmplx.Asin", cmplx.Asin, ZeroBar, "rt.RsqrtRe((1-x)*(1+x)+y*y, -2*x*y)", "rt.RsqrtIm((1-x)*(1+x)+y*y, -2*x*y)", &Row{
		At: plane([]float64{2, 0.1}), Special: []Special{cslope(0, 0, 1, 0), cslope(1, 0, 0, 0), cslope(-1, 0, 0, 0), cslope(0.6, 0, 1.25, 0)},
		Domain: "z not real with |z| >= 1", Note: "0 at -1 and 1"}),
	holomorphic("cmplx.Acos", cmplx.Acos, ZeroBar, "-rt.RsqrtRe((1-x)*(1+x)+y*y, -2*x*y)", "-rt.RsqrtIm((1-x)*(1+x)+y*y, -2*x*y)", &Row{
		At: plane([]float64{2, 0.1}), Special: []Special{cslope(0, 0, -1, 0), cslope(1, 0, 0, 0), cslope(-1, 0, 0, 0)},
		Domain: "z not real with |z| >= 1", Note: "0 at -1 and 1"}),
	holomorphic("cmplx.Asinh", cmplx.Asinh, ZeroBar, "rt.RsqrtRe((1-y)*(1+y)+x*x, 2*x*y)", "rt.RsqrtIm((1-y)*(1+y)+x*x, 2*x*y)", &Row{
		At: plane([]float64{0.1, 2}), Special: []Special{cslope(0, 0, 1, 0), cslope(0, 1, 0, 0), cslope(0, -1, 0, 0)},
		Domain: "z not imaginary with |z| >= 1", Note: "0 at -i and i"}),
	// 1/sqrt(z-1)/sqrt(z+1), which has no cut at imaginary z.
	holomorphic("cmplx.Acosh", cmplx.Acosh, Plain,
		"rt.RsqrtRe(x-1, y)*rt.RsqrtRe(x+1, y) - rt.RsqrtIm(x-1, y)*rt.RsqrtIm(x+1, y)",
		"rt.RsqrtRe(x-1, y)*rt.RsqrtIm(x+1, y) + rt.RsqrtIm(x-1, y)*rt.RsqrtRe(x+1, y)", &Row{
			At: plane([]float64{2, 0.1}), Special: []Special{cslope(1, 0, 0, 0), cslope(-1, 0, 0, 0)},
			Domain: "z not real with z <= 1", Note: "0 at -1 and 1"}),
	holomorphic("cmplx.Atan", cmplx.Atan, ZeroBar, "rt.Atan2Slope((1-y)*(1+y)+x*x, 2*x*y)", "-rt.Atan2Slope(2*x*y, (1-y)*(1+y)+x*x)", &Row{
		At: plane([]float64{2, 0.1}), Special: []Special{cslope(0, 0, 1, 0), cslope(0, 1, 0, 0), cslope(1, 0, 0.5, 0)},
		Domain: "z not imaginary with |z| >= 1", Note: "0 at -i and i"}),
	holomorphic("cmplx.Atanh", cmplx.Atanh, ZeroBar, "rt.Atan2Slope((1-x)*(1+x)+y*y, -2*x*y)", "-rt.Atan2Slope(-2*x*y, (1-x)*(1+x)+y*y)", &Row{
		At: plane([]float64{0.1, 2}), Special: []Special{cslope(0, 0, 1, 0), cslope(1, 0, 0, 0), cslope(0.5, 0, 4.0/3, 0)},
		Domain: "z not real with |z| >= 1", Note: "0 at -1 and 1"}),
	{
		// u^v with u = x+iy and v = z+iw: v u^(v-1) in u, u^v log u in v.
		Name: "cmplx.Pow", Complex: cmplx.Pow, Cost: Transcendental,
		Fn: func(x, y, z, w float64) (re, im float64) {
			u := cmplx.Pow(complex(x, y), complex(z, w))
			return real(u), imag(u)
		},
		D:  bar(powPartials("r0", "r1")...),
		At: [][]float64{{0.7, 0.4, 1.5, -0.3}, {-0.6, 0.8, 0.4, 0.9}, {-0.5, -1.2, -0.7, 0.2}, {1.3, -0.3, 2, 0.5}},
		Special: []Special{
			{At: []float64{0, 0, 1, 0}, D: []float64{1, 0, 0, 0, 0, 1, 0, 0}},
			{At: []float64{0, 0, 2, 0}, D: make([]float64, 8)},
			{At: []float64{0, 0, 0.5, 0}, D: make([]float64, 8)},
			{At: []float64{0, 0, 0, 0}, D: make([]float64, 8)},
			{At: []float64{2, 0, 3, 0}, D: []float64{12, 0, 8 * math.Ln2, 0, 0, 12, 0, 8 * math.Ln2}},
		},
		Domain: "base not 0 or negative",
		Note:   "at base 0 the slope in the base is 1 for exponent 1, else 0, and that in the exponent 0",
	},
	{
		Name: "rt.LogHypot", Fn: rt.LogHypot, Cost: Transcendental,
		D:       bar("rt.Atan2Slope(x, y)", "rt.Atan2Slope(y, x)"),
		At:      plane(),
		Special: []Special{{At: []float64{0, 0}, D: []float64{0, 0}}},
		Domain:  "z not 0",
	},
	{
		Name: "rt.RsqrtRe", Fn: rt.RsqrtRe, Cost: Transcendental,
		D:       bar("-0.5 * (r*rt.Atan2Slope(x, y) + rt.RsqrtIm(x, y)*rt.Atan2Slope(y, x))", "0.5 * (rt.RsqrtIm(x, y)*rt.Atan2Slope(x, y) - r*rt.Atan2Slope(y, x))"),
		At:      plane(),
		Special: []Special{{At: []float64{0, 0}, D: []float64{0, 0}}},
		Domain:  "z not 0 or negative",
	},
	{
		Name: "rt.RsqrtIm", Fn: rt.RsqrtIm, Cost: Transcendental,
		D:       bar("-0.5 * (r*rt.Atan2Slope(x, y) - rt.RsqrtRe(x, y)*rt.Atan2Slope(y, x))", "-0.5 * (rt.RsqrtRe(x, y)*rt.Atan2Slope(x, y) + r*rt.Atan2Slope(y, x))"),
		At:      plane(),
		Special: []Special{{At: []float64{0, 0}, D: []float64{0, 0}}},
		Domain:  "z not 0 or negative",
	},
	{
		Name: "rt.PowRe", Fn: rt.PowRe, Cost: Transcendental,
		D:      bar(powPartials("r", "rt.PowIm(x, y, z, w)")[:4]...),
		At:     [][]float64{{0.7, 0.4, 1.5, -0.3}, {-0.6, 0.8, 0.4, 0.9}},
		Domain: "base not 0 or negative",
	},
	{
		Name: "rt.PowIm", Fn: rt.PowIm, Cost: Transcendental,
		D:      bar(powPartials("rt.PowRe(x, y, z, w)", "r")[4:]...),
		At:     [][]float64{{0.7, 0.4, 1.5, -0.3}, {-0.6, 0.8, 0.4, 0.9}},
		Domain: "base not 0 or negative",
	},
}

// powPartials returns the partials of (x+iy)^(z+iw), whose parts are re and im.
func powPartials(re, im string) []string {
	const (
		pr, pi = "rt.PowRe(x, y, z-1, w)", "rt.PowIm(x, y, z-1, w)"
		l, arg = "rt.LogHypot(x, y)", "math.Atan2(y, x)"
	)
	base := cauchyRiemann("z*"+pr+" - w*"+pi, "z*"+pi+" + w*"+pr)
	exponent := cauchyRiemann(re+"*"+l+" - "+im+"*"+arg, re+"*"+arg+" + "+im+"*"+l)
	return []string{base[0], base[1], exponent[0], exponent[1], base[2], base[3], exponent[2], exponent[3]}
}
