package thirdparty

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/num/quat"
	"gonum.org/v1/gonum/optimize/functions"
	"gonum.org/v1/gonum/spatial/r2"
	"gonum.org/v1/gonum/spatial/r3"
	"gonum.org/v1/gonum/stat/distuv"
)

// differences is the gradient of f at x by central differences.
func differences(f func([]float64) float64, x []float64) []float64 {
	return fd.Gradient(nil, f, x, &fd.Settings{Formula: fd.Central})
}

func same(t *testing.T, what string, got, want []float64, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	for i := range got {
		if !scalar.EqualWithinAbsOrRel(got[i], want[i], tol, tol) {
			t.Errorf("%s: [%d] is %v, want %v", what, i, got[i], want[i])
		}
	}
}

// TestDifferences compares every gradient with central differences of the function of
// gonum itself.
func TestDifferences(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	vec3 := func(x []float64) r3.Vec { return r3.Vec{X: x[0], Y: x[1], Z: x[2]} }
	for k := range 20 {
		shape, rate, times := quablaPointsGammaLogLik(r)
		bx, ba, bb := quablaPointsBetaLogProb(r)
		p, mu, sigma := quablaPointsNormalQuantile(r)
		la, lb := quablaPointsLogBeta(r)
		nodes, at := quablaPointsSimpsons(r)
		samples, dx := quablaPointsRomberg(r)
		v := quat.Number{Imag: r.NormFloat64(), Jmag: r.NormFloat64(), Kmag: r.NormFloat64()}
		bar := quat.Number{Real: 1, Imag: 2, Jmag: -1, Kmag: 0.5}
		list := func(xs ...float64) []float64 { return xs }
		for _, c := range []struct {
			name string
			f    func(x []float64) float64
			grad func(x []float64) []float64
			x    []float64
		}{
			{"Beale", functions.Beale{}.Func, func(x []float64) []float64 {
				d := make([]float64, len(x))
				BealeGrad(d, x)
				return d
			}, uniform(r, 2, -2, 2)},
			{"Watson", functions.Watson{}.Func, func(x []float64) []float64 {
				d := make([]float64, len(x))
				WatsonGrad(d, x)
				return d
			}, uniform(r, 4, -1, 1)},
			{"Surface", functions.NewMinimalSurface(5, 5).Func, func(x []float64) []float64 {
				d := make([]float64, len(x))
				SurfaceGrad(d, x)
				return d
			}, uniform(r, 9, 1, 3)},
			{"GammaLogLik", func(x []float64) float64 {
				sum := 0.0
				for _, t := range times {
					sum += distuv.Gamma{Alpha: x[0], Beta: x[1]}.LogProb(t)
				}
				return sum
			}, func(x []float64) []float64 {
				_, a, b := GammaLogLikGrad(x[0], x[1], times)
				return list(a, b)
			}, list(shape, rate)},
			{"StudentsT", func(x []float64) float64 {
				return distuv.StudentsT{Mu: x[1], Sigma: x[2], Nu: x[3]}.LogProb(x[0])
			}, func(x []float64) []float64 {
				_, a, b, c, d := StudentsTGrad(x[0], x[1], x[2], x[3])
				return list(a, b, c, d)
			}, list(r.NormFloat64(), mu, sigma, shape)},
			{"BetaLogProb", func(x []float64) float64 { return distuv.Beta{Alpha: x[1], Beta: x[2]}.LogProb(x[0]) },
				func(x []float64) []float64 {
					_, a, b, c := BetaLogProbGrad(x[0], x[1], x[2])
					return list(a, b, c)
				}, list(bx, ba, bb)},
			{"NormalQuantile", func(x []float64) float64 { return distuv.Normal{Mu: x[1], Sigma: x[2]}.Quantile(x[0]) },
				func(x []float64) []float64 {
					_, a, b, c := NormalQuantileGrad(x[0], x[1], x[2])
					return list(a, b, c)
				}, list(p, mu, sigma)},
			{"LogBeta", func(x []float64) float64 { return mathext.Lbeta(x[0], x[1]) }, func(x []float64) []float64 {
				_, a, b := LogBetaGrad(x[0], x[1])
				return list(a, b)
			}, list(la, lb)},
			{"Simpsons", func(y []float64) float64 { return Simpsons(nodes, y) }, func(y []float64) []float64 {
				d := make([]float64, len(y))
				SimpsonsGrad(d, nodes, y)
				return d
			}, at},
			{"Romberg", func(x []float64) float64 { return Romberg(x[1:], x[0]) }, func(x []float64) []float64 {
				d := make([]float64, len(x))
				_, d[0] = RombergGrad(d[1:], x[1:], x[0])
				return d
			}, append(list(dx), samples...)},
			{"Turned", func(x []float64) float64 {
				y := Turned(quat.Number{Imag: x[0], Jmag: x[1], Kmag: x[2]}, v)
				return y.Real*bar.Real + y.Imag*bar.Imag + y.Jmag*bar.Jmag + y.Kmag*bar.Kmag
			}, func(x []float64) []float64 {
				_, d := TurnedVJP(quat.Number{Imag: x[0], Jmag: x[1], Kmag: x[2]}, v, bar)
				return list(d.Imag, d.Jmag, d.Kmag)
			}, uniform(r, 3, -2, 2)},
			{"Reach", func(x []float64) float64 {
				return Reach(r2.Vec{X: x[0], Y: x[1]}, x[2], r2.Vec{X: x[3], Y: x[4]})
			}, func(x []float64) []float64 {
				_, dp, da, dc := ReachGrad(r2.Vec{X: x[0], Y: x[1]}, x[2], r2.Vec{X: x[3], Y: x[4]})
				return list(dp.X, dp.Y, da, dc.X, dc.Y)
			}, uniform(r, 5, -2, 2)},
			{"Area", func(x []float64) float64 { return Area(vec3(x), vec3(x[3:]), vec3(x[6:])) },
				func(x []float64) []float64 {
					_, a, b, c := AreaGrad(vec3(x), vec3(x[3:]), vec3(x[6:]))
					return list(a.X, a.Y, a.Z, b.X, b.Y, b.Z, c.X, c.Y, c.Z)
				}, uniform(r, 9, -2, 2)},
		} {
			same(t, fmt.Sprintf("%s, point %d", c.name, k), c.grad(c.x), differences(c.f, c.x), 2e-6)
		}
	}
}

// TestGonum compares gradients with those that gonum has written by hand.
func TestGonum(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		x, got, want := uniform(r, 2, -2, 2), make([]float64, 2), make([]float64, 2)
		if value := BealeGrad(got, x); value != (functions.Beale{}).Func(x) {
			t.Errorf("the value of Beale is %v", value)
		}
		functions.Beale{}.Grad(want, x)
		same(t, "Beale", got, want, 1e-12)

		x, got, want = uniform(r, 5, -1, 1), make([]float64, 5), make([]float64, 5)
		WatsonGrad(got, x)
		functions.Watson{}.Grad(want, x)
		same(t, "Watson", got, want, 1e-12)

		x, got, want = uniform(r, 9, 1, 3), make([]float64, 9), make([]float64, 9)
		SurfaceGrad(got, x)
		functions.NewMinimalSurface(5, 5).Grad(want, x)
		same(t, "Surface", got, want, 1e-12)
	}
}

// TestQuantile compares with what is known of the inverse of a function.
func TestQuantile(t *testing.T) {
	for _, p := range []float64{1e-6, 0.1, 0.5, 0.7, 1 - 1e-9} {
		d := distuv.Normal{Mu: 2, Sigma: 3}
		value, dp, dmu, dsigma := NormalQuantileGrad(p, 2, 3)
		z := (value - 2) / 3
		same(t, fmt.Sprintf("p = %v", p), []float64{dp, dmu, dsigma}, []float64{1 / math.Exp(d.LogProb(value)), 1, z}, 1e-9)
	}
}
