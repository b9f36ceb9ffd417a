package derivtest

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/quabla/quabla/derivtest/testdata/sample"
	"github.com/quabla/quabla/rt"
)

// checkRule checks rules and returns what was said.
func checkRule(t *testing.T, f RuleFunc) *recorder {
	t.Helper()
	r := new(recorder)
	step := func(run func()) {
		done := make(chan bool)
		go func() {
			defer close(done)
			run()
		}()
		<-done
	}
	c := &ruleChecker{t: r, r: &f}
	var parts []rulePart
	step(func() {
		if c.prepare() {
			parts = c.parts()
		}
	})
	for _, p := range parts {
		step(p.run)
	}
	return r
}

// wave is a function of two numbers with rules of all kinds.
func wave(x, y float64) float64 { return math.Sin(x) * y }

func waveJVP(x, xDot, y, yDot float64) (float64, float64) {
	return math.Sin(x) * y, math.Cos(x)*y*xDot + math.Sin(x)*yDot
}

func waveTangent(x, xDot, y, yDot float64) float64 { return math.Cos(x)*y*xDot + math.Sin(x)*yDot }

func waveVJP(x, y, bar float64) (float64, float64) { return math.Cos(x) * y * bar, math.Sin(x) * bar }

func waveFwd(x, y float64) (float64, [2]float64) {
	s, c := math.Sincos(x)
	return s * y, [2]float64{c * y, s}
}

func waveBwd(r [2]float64, bar float64) (float64, float64) { return r[0] * bar, r[1] * bar }

func waveLifted[L rt.Lifted[float64]](x float64, xDot L, y float64, yDot L) (v float64, d L) {
	s, c := math.Sincos(x)
	for k := range len(d) {
		d[k] = c*y*xDot[k] + s*yDot[k]
	}
	return s * y, d
}

// smooth writes to dst and reads x; it returns new memory.
func smooth(dst, x []float64, z complex128, n int) []float64 {
	for i := range x {
		dst[i] += x[i] * real(z)
	}
	return []float64{imag(z) * dst[0]}
}

func smoothJVP(dst, dstDot, x, xDot []float64, z, zDot complex128, n int) (y, yDot []float64) {
	for i := range x {
		dst[i] += x[i] * real(z)
		dstDot[i] += xDot[i]*real(z) + x[i]*real(zDot)
	}
	return []float64{imag(z) * dst[0]}, []float64{imag(zDot)*dst[0] + imag(z)*dstDot[0]}
}

func smoothLifted[L rt.Lifted[float64], Z rt.Lifted[complex128]](dst []float64, dstDot []L, x []float64, xDot []L, z complex128, zDot Z, n int) (y []float64, yDot []L) {
	yDot = make([]L, 1)
	for k := range len(zDot) {
		for i := range x {
			dstDot[i][k] += xDot[i][k]*real(z) + x[i]*real(zDot[k])
		}
		yDot[0][k] = imag(zDot[k])*(dst[0]+x[0]*real(z)) + imag(z)*dstDot[0][k]
	}
	return smooth(dst, x, z, n), yDot
}

func smoothVJP(xBar, dst, x []float64, z complex128, n int, dstBar, bar []float64) (zBar complex128) {
	re, im := 0.0, bar[0]*(dst[0]+x[0]*real(z))
	dstBar[0] += bar[0] * imag(z)
	for i := range x {
		xBar[i] += dstBar[i] * real(z)
		re += dstBar[i] * x[i]
	}
	return complex(re, im)
}

func smoothPoints(r *rand.Rand) (dst, x []float64, z complex128, n int) {
	for range 1 + r.IntN(3) {
		dst, x = append(dst, r.NormFloat64()), append(x, r.NormFloat64())
	}
	return dst, x, complex(r.NormFloat64(), r.NormFloat64()), 3
}

// saturated has a slope that differences cannot see.
func saturated(x float64) float64 { return math.Tanh(40 + x/100) }

func TestRightRules(t *testing.T) {
	for _, f := range []RuleFunc{
		{Name: "wave", Func: wave, JVP: waveJVP, VJP: waveVJP, Lifted: []any{waveLifted[[1]float64], waveLifted[[2]float64], waveLifted[[3]float64]}},
		{Name: "wave without its value", Func: wave, JVP: waveTangent, Fwd: waveFwd, Bwd: waveBwd},
		{
			Name: "smooth", Func: smooth, JVP: smoothJVP, VJP: smoothVJP, Points: smoothPoints,
			Lifted: []any{smoothLifted[[1]float64, [1]complex128], smoothLifted[[2]float64, [2]complex128], smoothLifted[[3]float64, [3]complex128]},
		},
		{Name: "smooth, found out", Func: smooth, JVP: smoothJVP, VJP: smoothVJP, Wrt: []int{0, 1, 2}, Writes: []int{0}},
		{Name: "half of wave", Func: wave, Wrt: []int{1}, JVP: func(x, y, yDot float64) float64 { return math.Sin(x) * yDot }, VJP: func(x, y, bar float64) float64 { return math.Sin(x) * bar }},
		{Name: "saturated", Func: saturated, VJP: func(x, bar float64) float64 { return 0 }},
		{Name: "straight through", Func: math.Round, JVP: func(x, xDot float64) float64 { return xDot }, Surrogate: true},
	} {
		r := checkRule(t, f)
		for _, e := range append(r.errors, r.fatal...) {
			t.Errorf("%s: %s", f.Name, e)
		}
		if len(r.skips) > 0 {
			t.Errorf("%s: %s", f.Name, r.skips)
		}
		if !f.Surrogate && len(r.logs) == 0 {
			t.Errorf("%s: nothing was said", f.Name)
		}
	}
}

// TestKink checks that a rule about which differences say nothing is not passed
// silently.
func TestKink(t *testing.T) {
	r := checkRule(t, RuleFunc{Name: "kinks", Func: sample.Kinks, JVP: func(x, xDot float64) float64 { return 5 * xDot }})
	if len(r.errors) > 0 || len(r.skips) != 1 || !strings.Contains(r.skips[0], "nothing could be compared") {
		t.Errorf("%q %q", r.errors, r.skips)
	}
}

func TestWrongRules(t *testing.T) {
	for _, c := range []struct {
		name string
		f    RuleFunc
		want []string // messages hold these
	}{
		{
			"sign", RuleFunc{Func: math.Abs, JVP: func(x, xDot float64) float64 { return xDot }},
			[]string{"JVP of sign: differences", "the tangent of the result is ", ", by differences "},
		},
		{
			"copysign", RuleFunc{Func: math.Copysign, VJP: func(x, y, bar float64) (float64, float64) { return bar, 0 }},
			[]string{"VJP of copysign: differences", "the derivative by parameter 0 is "},
		},
		{
			"small", RuleFunc{Func: wave, VJP: func(x, y, bar float64) (float64, float64) {
				a, b := waveVJP(x, y, bar)
				return a, b * (1 + 1e-5)
			}},
			[]string{"differences", "the derivative by parameter 1 is "},
		},
		{
			"modes", RuleFunc{Func: wave, Surrogate: true, JVP: waveTangent, VJP: func(x, y, bar float64) (float64, float64) {
				a, b := waveVJP(x, y, bar)
				return b, a
			}},
			[]string{"VJP of modes: dot test", "u'(Jv) is "},
		},
		{
			"value", RuleFunc{Func: wave, JVP: func(x, xDot, y, yDot float64) (float64, float64) { return x*x + 100, waveTangent(x, xDot, y, yDot) }},
			[]string{"values", "the result is "},
		},
		{
			"forward half", RuleFunc{Func: wave, Bwd: waveBwd, Fwd: func(x, y float64) (float64, [2]float64) {
				v, r := waveFwd(x, y)
				return v + 1, r
			}},
			[]string{"FwdBwd of forward half: values", "the result is "},
		},
		{
			"nothing written", RuleFunc{Func: smooth, Points: smoothPoints, JVP: func(dst, dstDot, x, xDot []float64, z, zDot complex128, n int) (y, yDot []float64) {
				return smoothJVP(append([]float64(nil), dst...), dstDot, x, xDot, z, zDot, n)
			}},
			[]string{"JVP of nothing written: state", "parameter 0[0] is "},
		},
		{
			"too much written", RuleFunc{Func: wave2, JVP: func(x, xDot []float64) float64 {
				d := x[0] * xDot[0] * 2
				x[0] = 7
				return d
			}},
			[]string{"state", "parameter 0[0] is 7, want "},
		},
		{
			"tangent written", RuleFunc{Func: wave2, JVP: func(x, xDot []float64) float64 {
				d := x[0] * xDot[0] * 2
				xDot[0] = 0
				return d
			}},
			[]string{"state", "the tangent of parameter 0 is changed, although the function does not write there"},
		},
		{
			"memory", RuleFunc{Func: func(x []float64) []float64 { return append([]float64(nil), x...) }, JVP: func(x, xDot []float64) []float64 { return xDot }},
			[]string{"shared memory", "the tangent of the result is memory of the tangent of parameter 0"},
		},
		{
			"constant", RuleFunc{Func: wave, Surrogate: true, JVP: func(x, xDot, y, yDot float64) float64 { return math.Cos(x) }},
			[]string{"linearity", "with the direction times -2 the tangent of the result is "},
		},
		{
			"not added", RuleFunc{Func: wave2, VJP: func(dx, x []float64, bar float64) { dx[0] = 2 * x[0] * bar }},
			[]string{"destinations", "the derivative by parameter 0[0] is not added to what the destination holds"},
		},
		{
			"cotangent written", RuleFunc{Func: func(x []float64) []float64 { return []float64{x[0]} }, VJP: func(dx, x, bar []float64) {
				dx[0] += bar[0]
				bar[0] = 0
			}},
			[]string{"state", "the rule changes the cotangent of the result[0] is 0, want "},
		},
		{
			"in and out", RuleFunc{Func: func(v []float64, c float64) { v[0] *= c }, VJP: func(v []float64, c float64, bar []float64) float64 { return v[0] * bar[0] }},
			[]string{"differences", "the derivative by parameter 0[0] is "},
		},
		{
			"lane", RuleFunc{Func: wave, JVP: waveTangent, Lifted: []any{waveLifted[[1]float64], func(x float64, xDot [2]float64, y float64, yDot [2]float64) [2]float64 {
				return [2]float64{waveTangent(x, xDot[0], y, yDot[0]), waveTangent(x, xDot[0], y, yDot[1])}
			}}},
			[]string{"2 lanes of lane: differences", "the tangent of the result in lane 1 is ", "lanes, ", "in lane 1 of 2 the tangent of the result is "},
		},
		{
			"signature", RuleFunc{Func: wave, JVP: func(x, xDot float64) float64 { return 0 }, VJP: func(x, bar float64) float64 { return 0 }},
			[]string{"JVP of signature: call", "it has 2 parameters, not 4", "which does not fit the function"},
		},
		{
			"panic", RuleFunc{Func: wave, JVP: func(x, xDot, y, yDot float64) float64 { panic("no") }},
			[]string{"call", "panic: no"},
		},
		{
			"no points", RuleFunc{Func: func(x float64) float64 { panic("never") }, JVP: func(x, xDot float64) float64 { return 0 }},
			[]string{"no points: no arguments were found for which it works (the last ones: panic: never)"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.f.Name = c.name
			r := checkRule(t, c.f)
			said := strings.Join(append(r.errors, r.fatal...), "\n")
			for _, w := range c.want {
				if !strings.Contains(said, w) {
					t.Errorf("no %q in:\n%s", w, said)
				}
			}
		})
	}
}

func wave2(x []float64) float64 {
	if len(x) == 0 {
		panic("empty")
	}
	return x[0] * x[0]
}
