package rt

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"testing"
)

// TestSpecial compares with values of 60 digits, see testdata/special.py.
func TestSpecial(t *testing.T) {
	fns := map[string]struct {
		f    func(x []float64) float64
		rtol float64
		atol float64
	}{
		"Digamma":      {func(x []float64) float64 { return Digamma(x[0]) }, 3e-15, 0},
		"Trigamma":     {func(x []float64) float64 { return Trigamma(x[0]) }, 3e-15, 0},
		"Polygamma":    {func(x []float64) float64 { return Polygamma(int(x[0]), x[1]) }, 3e-14, 0},
		"Sigmoid":      {func(x []float64) float64 { return Sigmoid(x[0]) }, 5e-16, 5e-324},
		"SigmoidSlope": {func(x []float64) float64 { return SigmoidSlope(x[0], Sigmoid(x[0])) }, 2e-15, 5e-324},
		"Softplus":     {func(x []float64) float64 { return Softplus(x[0]) }, 5e-16, 5e-324},
		"TanhSlope":    {func(x []float64) float64 { return TanhSlope(x[0], math.Tanh(x[0])) }, 2e-14, 0},
		"GELU":         {func(x []float64) float64 { return GELU(x[0]) }, 1e-13, 0},
		"GELUExact":    {func(x []float64) float64 { return GELUExact(x[0]) }, 2e-13, 0},
	}
	f, err := os.Open("testdata/special.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		var c struct {
			Fn   string
			Args []float64
			Want float64
		}
		if err := json.Unmarshal(s.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		fn := fns[c.Fn]
		got := fn.f(c.Args)
		if e := math.Abs(got - c.Want); !(e <= fn.rtol*math.Abs(c.Want)+fn.atol) {
			t.Errorf("%s(%v) = %v, want %v: relative error %.1g", c.Fn, c.Args, got, c.Want, e/math.Abs(c.Want))
		}
	}
}
