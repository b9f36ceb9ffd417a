package bench

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/quabla/quabla/internal/bench/stopwatch"
)

var targets = flag.Bool("targets", false, "fail where a ratio is above its target")

// race is set in race_test.go.
var race bool

// A pair is a generated gradient and its twin at one input. Both return the
// value, then the derivative; a slice that they return belongs to the pair.
type pair struct {
	name         string  // of the function
	size         string  // key=value
	target       float64 // for the ratio of the times
	hand, quabla func() (value float64, grad []float64)
}

func pairs() []pair {
	return []pair{rosenbrockPair(100), logRegPair(1000, 50), lotkaVolterraPair(200)}
}

// recursive are pairs whose functions call themselves.
func recursive() []pair { return []pair{simpsonPair(), powerPair(256)} }

func simpsonPair() pair {
	const a, b, p = 0.1, 12, 0.3
	var dp, dp2 [1]float64
	return pair{
		"Simpson", "tol=1e-10", 0,
		func() (value float64, _ []float64) {
			value, dp[0] = simpsonHand(a, b, p, 1e-10, 30)
			return value, dp[:]
		},
		func() (value float64, _ []float64) {
			value, dp2[0] = SimpsonGrad(a, b, p)
			return value, dp2[:]
		},
	}
}

func powerPair(n int) pair {
	x := normal(rand.New(rand.NewPCG(9, 10)), n)
	dx, dx2 := make([]float64, n), make([]float64, n)
	return pair{
		"Power", fmt.Sprintf("n=%d", n), 0,
		func() (float64, []float64) { return powerHand(dx, x), dx },
		func() (float64, []float64) { return PowerGrad(dx2, x), dx2 },
	}
}

func rosenbrockPair(n int) pair {
	rng := rand.New(rand.NewPCG(1, 2))
	x := normal(rng, n)
	dx, dx2 := make([]float64, n), make([]float64, n)
	return pair{
		"Rosenbrock", fmt.Sprintf("n=%d", n), 1.3,
		func() (float64, []float64) { return rosenbrockHand(dx, x), dx },
		func() (float64, []float64) { return RosenbrockGrad(dx2, x), dx2 },
	}
}

func logRegPair(n, d int) pair {
	rng := rand.New(rand.NewPCG(3, 4))
	w := normal(rng, d)
	x := make([][]float64, n)
	y := make([]float64, n)
	for i := range x {
		x[i] = normal(rng, d)
		y[i] = float64(rng.IntN(2))
	}
	dw, dw2 := make([]float64, d), make([]float64, d)
	return pair{
		"LogReg", fmt.Sprintf("n=%d,d=%d", n, d), 1.3,
		func() (float64, []float64) { return logRegHand(dw, w, x, y), dw },
		func() (float64, []float64) { return LogRegGrad(dw2, w, x, y), dw2 },
	}
}

func lotkaVolterraPair(steps int) pair {
	rng := rand.New(rand.NewPCG(5, 6))
	p := [6]float64{0.55, 0.028, 0.80, 0.024, 34, 5.9}
	const h = 0.1
	observed := make([][2]float64, steps)
	for i := range observed {
		observed[i] = [2]float64{30 + 10*rng.NormFloat64(), 20 + 5*rng.NormFloat64()}
	}
	tape := make([]stages, steps)
	var dp, dp2 [6]float64
	return pair{
		"LotkaVolterra", fmt.Sprintf("steps=%d", steps), 1.5,
		func() (value float64, _ []float64) {
			value, dp = lotkaVolterraHand(tape, p, h, observed)
			return value, dp[:]
		},
		func() (value float64, _ []float64) {
			value, dp2 = LotkaVolterraGrad(p, h, observed)
			return value, dp2[:]
		},
	}
}

func normal(rng *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

// check compares the two gradients of p: each entry to 1e-12 of the largest.
func check(tb testing.TB, p pair) {
	tb.Helper()
	// Twice: nothing may stay behind from one call to the next.
	p.quabla()
	p.hand()
	got, dgot := p.quabla()
	want, dwant := p.hand()
	const tol = 1e-12
	if !(math.Abs(got-want) <= tol*math.Abs(want)) {
		tb.Errorf("%s %s: value %v, by hand %v", p.name, p.size, got, want)
	}
	scale := 0.0
	for _, d := range dwant {
		scale = max(scale, math.Abs(d))
	}
	for i := range dwant {
		if !(math.Abs(dgot[i]-dwant[i]) <= tol*scale) {
			tb.Errorf("%s %s: derivative %d is %v, by hand %v", p.name, p.size, i, dgot[i], dwant[i])
		}
	}
}

func TestAgree(t *testing.T) {
	for _, p := range slices.Concat(pairs(), recursive()) {
		check(t, p)
	}
	check(t, rosenbrockPair(1))
	check(t, rosenbrockPair(2))
	check(t, logRegPair(1, 1))
	check(t, lotkaVolterraPair(1))
}

// TestHand compares the twins with central differences, so that a mistake
// common to both gradients does not pass for agreement.
func TestHand(t *testing.T) {
	diff := func(f func() float64, x *float64) float64 {
		x0, h := *x, 1e-5*max(1, math.Abs(*x))
		defer func() { *x = x0 }()
		*x = x0 + h
		up := f()
		*x = x0 - h
		return (up - f()) / (2 * h)
	}
	near := func(name string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) <= 1e-6*max(1, math.Abs(want))) {
			t.Errorf("%s: derivative by hand %v, by differences %v", name, got, want)
		}
	}
	rng := rand.New(rand.NewPCG(7, 8))

	x, dx := normal(rng, 7), make([]float64, 7)
	rosenbrockHand(dx, x)
	for i := range x {
		near("Rosenbrock", dx[i], diff(func() float64 { return Rosenbrock(x) }, &x[i]))
	}

	w, dw := normal(rng, 3), make([]float64, 3)
	rows, y := [][]float64{normal(rng, 3), normal(rng, 3), normal(rng, 3)}, []float64{0, 1, 1}
	logRegHand(dw, w, rows, y)
	for i := range w {
		near("LogReg", dw[i], diff(func() float64 { return LogReg(w, rows, y) }, &w[i]))
	}

	rate := 0.3
	_, drate := simpsonHand(0.1, 12, rate, 1e-10, 30)
	near("Simpson", drate, diff(func() float64 { return Simpson(0.1, 12, rate) }, &rate))

	wave, dwave := normal(rng, 8), make([]float64, 8)
	powerHand(dwave, wave)
	for i := range wave {
		near("Power", dwave[i], diff(func() float64 { return Power(wave) }, &wave[i]))
	}

	p := [6]float64{0.55, 0.028, 0.80, 0.024, 34, 5.9}
	observed := [][2]float64{{30, 5}, {31, 7}, {28, 4}}
	_, dp := lotkaVolterraHand(make([]stages, 3), p, 0.1, observed)
	for i := range p {
		near("LotkaVolterra", dp[i], diff(func() float64 { return LotkaVolterra(p, 0.1, observed) }, &p[i]))
	}
}

// TestAllocs asks that neither gradient allocates once it has been called.
func TestAllocs(t *testing.T) {
	if race {
		t.Skip("sync.Pool forgets at random under the race detector")
	}
	for _, p := range pairs() {
		if n := testing.AllocsPerRun(100, func() { p.hand() }); n != 0 {
			t.Errorf("%s by hand: %v allocations a call", p.name, n)
		}
		if n := testing.AllocsPerRun(100, func() { p.quabla() }); n != 0 {
			t.Errorf("%s: %v allocations a call", p.name, n)
		}
	}
	for _, p := range recursive() { // their twins allocate
		if n := testing.AllocsPerRun(100, func() { p.quabla() }); n != 0 {
			t.Errorf("%s: %v allocations a call", p.name, n)
		}
	}
	x := normal(rand.New(rand.NewPCG(11, 12)), 64)
	hv := make([]float64, len(x))
	if n := testing.AllocsPerRun(100, func() { PowerHVP(hv, x, x) }); n != 0 {
		t.Errorf("PowerHVP: %v allocations a call", n)
	}
}

// TestRatio prints how long each generated gradient takes in units of its
// twin: the median over rounds that time the one, then the other.
func TestRatio(t *testing.T) {
	if testing.Short() {
		t.Skip("a timing")
	}
	for _, p := range pairs() {
		c := stopwatch.Compare(func() { p.hand() }, func() { p.quabla() })
		t.Logf("%s %s quabla/hand %.2f (%v, %v)", p.name, p.size, c.Ratio, c.B, c.A)
		if *targets && c.Ratio > p.target {
			t.Errorf("%s: ratio %.2f above the target %.2f", p.name, c.Ratio, p.target)
		}
	}
}

func BenchmarkRosenbrock(b *testing.B)    { benchmark(b, rosenbrockPair(100)) }
func BenchmarkLogReg(b *testing.B)        { benchmark(b, logRegPair(1000, 50)) }
func BenchmarkSimpson(b *testing.B)       { benchmark(b, simpsonPair()) }
func BenchmarkPower(b *testing.B)         { benchmark(b, powerPair(256)) }
func BenchmarkLotkaVolterra(b *testing.B) { benchmark(b, lotkaVolterraPair(200)) }

func benchmark(b *testing.B, p pair) {
	check(b, p)
	for _, side := range []struct {
		name string
		f    func() (float64, []float64)
	}{{"hand", p.hand}, {"quabla", p.quabla}} {
		b.Run(p.size+"/"+side.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				side.f()
			}
		})
	}
}
