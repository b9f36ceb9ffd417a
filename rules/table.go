package rules

import "math"

// Shorthands for the rows.

// plain are partials whose coefficient is finite at finite arguments.
func plain(exprs ...string) []Partial { return partials(Plain, exprs) }

// bar are partials with the strong zero.
func bar(exprs ...string) []Partial { return partials(ZeroBar, exprs) }

// coef are partials that act as a switch.
func coef(exprs ...string) []Partial { return partials(ZeroCoef, exprs) }

func partials(g Guard, exprs []string) []Partial {
	d := make([]Partial, len(exprs))
	for i, e := range exprs {
		d[i].Expr = e
		if e != "0" {
			d[i].Guard = g
		}
	}
	return d
}

// at are test points of a function of one free argument.
func at(xs ...float64) [][]float64 {
	points := make([][]float64, len(xs))
	for i, x := range xs {
		points[i] = []float64{x}
	}
	return points
}

// slope is the derivative d at x, as a special point.
func slope(x, d float64) Special { return Special{At: []float64{x}, D: []float64{d}} }

// slopes2 is slope with the second derivative d2.
func slopes2(x, d, d2 float64) Special {
	return Special{At: []float64{x}, D: []float64{d}, D2: []float64{d2}}
}

var (
	inf  = math.Inf(1)
	nan  = math.NaN()
	zero = 0.0
	neg0 = -zero
)
