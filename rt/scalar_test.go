package rt

import (
	"math"
	"testing"
)

var (
	inf  = math.Inf(1)
	nan  = math.NaN()
	neg0 = math.Copysign(0, -1)
)

// same compares bits, but for NaN.
func same(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b
}

func TestGuards(t *testing.T) {
	tests := []struct {
		x, y                      float64
		mul0, sw, mul00, quotient float64
	}{
		{2, 3, 6, 6, 6, 2.0 / 3},
		{0, inf, 0, nan, 0, 0},
		{neg0, nan, 0, nan, 0, 0},
		{inf, 0, nan, 0, 0, inf},
		{nan, 0, nan, 0, 0, nan},
		{nan, 1, nan, nan, nan, nan},
		{0, 0, 0, 0, 0, 0},
		{1, inf, inf, inf, inf, 0},
	}
	for _, tt := range tests {
		got := []float64{Mul0(tt.x, tt.y), Switch(tt.x, tt.y), Mul00(tt.x, tt.y), Div0(tt.x, tt.y)}
		for i, want := range []float64{tt.mul0, tt.sw, tt.mul00, tt.quotient} {
			if !same(got[i], want) {
				t.Errorf("%s(%v, %v) = %v, want %v", []string{"Mul0", "Switch", "Mul00", "Div0"}[i], tt.x, tt.y, got[i], want)
			}
		}
	}
	type metres float32
	if got := Mul0(metres(0), metres(inf)); got != 0 {
		t.Errorf("Mul0 of a named float32 is %v", got)
	}
}

// TestEdges holds what is neither a value of ordinary size, see
// TestSpecial, nor a derivative, see package rules.
func TestEdges(t *testing.T) {
	tests := []struct {
		name      string
		got, want float64
	}{
		{"Sign(NaN)", Sign(nan), nan},
		{"Sign(-0)", Sign(neg0), 0},
		{"Sign(-Inf)", Sign(-inf), -1},
		{"Step(NaN)", Step(nan), nan},
		{"Step(smallest)", Step(5e-324), 1},
		{"Step(-0)", Step(neg0), 0},
		{"ReLU(-0)", ReLU(neg0), 0},
		{"ReLU(-1)", ReLU(-1), 0},
		{"ReLU(-Inf)", ReLU(-inf), 0},
		{"ReLU(Inf)", ReLU(inf), inf},
		{"ReLU(NaN)", ReLU(nan), nan},
		{"Sigmoid(Inf)", Sigmoid(inf), 1},
		{"Sigmoid(-Inf)", Sigmoid(-inf), 0},
		{"Sigmoid(NaN)", Sigmoid(nan), nan},
		{"SigmoidSlope(Inf)", SigmoidSlope(inf, 1), 0},
		{"Softplus(Inf)", Softplus(inf), inf},
		{"Softplus(-Inf)", Softplus(-inf), 0},
		{"Softplus(NaN)", Softplus(nan), nan},
		{"SiLU(-Inf)", SiLU(-inf), neg0},
		{"SiLU(-1000)", SiLU(-1000), neg0},
		{"SiLU(Inf)", SiLU(inf), inf},
		{"SiLU(0)", SiLU(0), 0},
		{"GELU(-Inf)", GELU(-inf), neg0},
		{"GELU(1e200)", GELU(1e200), 1e200},
		{"GELU(-1e200)", GELU(-1e200), neg0},
		{"GELU(NaN)", GELU(nan), nan},
		{"GELUExact(-Inf)", GELUExact(-inf), neg0},
		{"GELUExact(Inf)", GELUExact(inf), inf},
		{"GELUExact(NaN)", GELUExact(nan), nan},
		{"LogAddExp(Inf, -Inf)", LogAddExp(inf, -inf), inf},
		{"LogAddExp(-Inf, -Inf)", LogAddExp(-inf, -inf), -inf},
		{"LogAddExp(NaN, Inf)", LogAddExp(nan, inf), nan},
		{"TanhSlope(NaN)", TanhSlope(nan, nan), nan},
		{"TanhSlope(Inf)", TanhSlope(inf, 1), 0},
		{"TanhSlope(20)", TanhSlope(20, math.Tanh(20)), 1.6993417021166353e-17},
		{"SqrtSlope(NaN)", SqrtSlope(nan), nan},
		{"AsinhSlope(NaN)", AsinhSlope(nan), nan},
		{"SinAtan(-Inf)", SinAtan(-inf), -1},
		{"HypotSlope(overflow)", HypotSlope(1.5e308, 1.5e308, inf), math.Sqrt2 / 2},
		{"HypotSlope(Inf, -Inf)", HypotSlope(-inf, inf, inf), -math.Sqrt2 / 2},
		{"HypotSlope(NaN)", HypotSlope(nan, 1, nan), nan},
		{"HypotSlope(1, NaN)", HypotSlope(1, nan, nan), nan},
		{"Atan2Slope(NaN)", Atan2Slope(nan, 1), nan},
		{"Atan2Slope(1, NaN)", Atan2Slope(1, nan), nan},
		{"Atan2Slope(Inf, NaN)", Atan2Slope(inf, nan), nan},
		{"Atan2Slope(Inf, 1)", Atan2Slope(inf, 1), 0},
		{"Atan2Slope(max)", Atan2Slope(0x1p1023, 0x1p1023), 0x1p-1024},
		{"Powi(3, 40)", Powi(3, 40), math.Pow(3, 40)},
		{"Powi(NaN, 0)", Powi(nan, 0), 1},
		{"Powi(0, -1)", Powi(0, -1), inf},
		{"Powi(-0, -3)", Powi(neg0, -3), -inf},
		{"Powi(2, MinInt)", Powi(2, math.MinInt), 0},
		{"PowiDeriv(-1)", PowiDeriv(-1, 2, 3), nan},
		{"PowSlopeX(NaN, 1)", PowSlopeX(nan, 3, nan), nan},
		{"PowSlopeX(-8, 1/3)", PowSlopeX(-8, 1.0/3, nan), nan},
		{"PowSlopeX far down", PowSlopeX(1e-150, 2.1, math.Pow(1e-150, 2.1)), 2.1 * math.Pow(1e-150, 1.1)},
		{"PowSlopeX overflow", PowSlopeX(1e200, 1.625, inf), 1.625 * math.Pow(1e200, 0.625)},
		{"PowSlopeP(NaN)", PowSlopeP(nan, 2, nan), nan},
		{"PowSlopeP(-2, 0.5)", PowSlopeP(-2, 0.5, nan), 0},
		{"PowSlopeP(0, -1)", PowSlopeP(0, -1, inf), 0},
		{"PowSlopeP(Inf, -1)", PowSlopeP(inf, -1, 0), 0},
		{"PowDeriv(-1, 0)", PowDeriv(-1, 0, 2, 3), nan},
		{"PowDeriv(0, 0)", PowDeriv(0, 0, 0, -1), inf},
		{"PowDeriv(3, 0, 0, 3)", PowDeriv(3, 0, 0, 3), 6},
		{"PowDeriv(1, 0, 0, NaN)", PowDeriv(1, 0, 0, nan), nan},
		{"PowDeriv(0, 13, e, 1)", PowDeriv(0, 13, math.E, 1), math.E},
		{"Digamma(0)", Digamma(0), -inf},
		{"Digamma(-0)", Digamma(neg0), inf},
		{"Digamma(-3)", Digamma(-3), nan},
		{"Digamma(Inf)", Digamma(inf), inf},
		{"Digamma(-Inf)", Digamma(-inf), nan},
		{"Digamma(NaN)", Digamma(nan), nan},
		{"Trigamma(0)", Trigamma(0), inf},
		{"Trigamma(-3)", Trigamma(-3), inf},
		{"Polygamma(2, 0)", Polygamma(2, 0), -inf},
		{"Polygamma(2, -0)", Polygamma(2, neg0), inf},
		{"Polygamma(2, -3)", Polygamma(2, -3), nan},
		{"Polygamma(1, Inf)", Polygamma(1, inf), 0},
		{"Polygamma(1, -Inf)", Polygamma(1, -inf), nan},
		{"Polygamma(1, NaN)", Polygamma(1, nan), nan},
		{"Polygamma(-1, 1)", Polygamma(-1, 1), nan},
		{"Polygamma(171, 1)", Polygamma(171, 1), nan},
		{"FloorMod(-1e-30, 1)", FloorMod(-1e-30, 1), 1},
		{"FloorMod(6, -2)", FloorMod(6, -2), neg0},
	}
	for _, tt := range tests {
		// Zeros, infinities and NaN exactly, the rest to a few roundings.
		if !same(tt.got, tt.want) && !(tt.want != 0 && math.Abs(tt.got-tt.want) <= 5e-16*math.Abs(tt.want)) {
			t.Errorf("%s = %v, want %v", tt.name, tt.got, tt.want)
		}
	}
}

// TestDigammaRecurrence walks the seams between the methods: the Taylor
// series, the recurrence, the asymptotic series and the reflection.
func TestDigammaRecurrence(t *testing.T) {
	for x := -12.3; x < 14; x += 0.0171 {
		if math.Abs(x) < 1e-6 {
			continue
		}
		for n := range 5 {
			// psi_n(x+1) = psi_n(x) + (-1)^n n!/x^(n+1)
			step := 1 / x
			for i := 1; i <= n; i++ {
				step *= -float64(i) / x
			}
			a, b := Polygamma(n, x), Polygamma(n, x+1)
			if e := math.Abs(a + step - b); e > 4e-14*(math.Abs(a)+math.Abs(step)+math.Abs(b)) {
				t.Fatalf("Polygamma(%d, x+1) at x = %v is off by %g", n, x, e)
			}
		}
	}
}

func TestNoAllocations(t *testing.T) {
	var sink float64
	if n := testing.AllocsPerRun(10, func() {
		sink += PowDeriv(4, 4, 1.5, 2.5) + Polygamma(5, -0.3) + Polygamma(20, -0.3) + GELUExact(-40)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	_ = sink
}
