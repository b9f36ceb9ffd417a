package main

import (
	"bytes"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestGradient(t *testing.T) {
	pelts, err := load()
	if err != nil {
		t.Fatal(err)
	}
	start := guess(pelts)
	rng := rand.New(rand.NewPCG(1, 2))
	tape := make([]handStep, 0, len(pelts)*steps)
	theta := make([]float64, len(start))
	got, want := make([]float64, len(start)), make([]float64, len(start))
	for range 3 {
		for i := range theta {
			theta[i] = start[i] + 0.1*rng.NormFloat64()
			got[i] = math.NaN() // to be overwritten
		}
		if e := gradientError(theta, pelts); !(e < 1e-5) {
			t.Errorf("largest difference from central differences %v", e)
		}
		loss := NegLogLikGrad(got, theta, pelts)
		if wantLoss := NegLogLik(theta, pelts); !(math.Abs(loss-wantLoss) <= 1e-12*math.Abs(wantLoss)) {
			t.Errorf("loss %v, of the function itself %v", loss, wantLoss)
		}
		negLogLikHand(tape, want, theta, pelts)
		for i := range got {
			if !(math.Abs(got[i]-want[i]) <= 1e-10*(1+math.Abs(want[i]))) {
				t.Errorf("derivative in parameter %d is %v, by hand %v", i, got[i], want[i])
			}
		}
	}
}

// TestFit asks for the least loss, and for rates near those that are usually
// given for this record; see for instance the fit of the same model with Stan
// by Carpenter (2018).
func TestFit(t *testing.T) {
	pelts, err := load()
	if err != nil {
		t.Fatal(err)
	}
	theta, err := fit(guess(pelts), pelts)
	if err != nil {
		t.Fatal(err)
	}
	if loss := NegLogLik(theta, pelts); !(loss < -42.74) {
		t.Errorf("loss %v, should be below -42.74", loss)
	}
	for i, want := range []float64{0.55, 0.028, 0.80, 0.024, 34, 5.9} {
		if got := math.Exp(theta[i]); !(math.Abs(got-want) < 0.05*want) {
			t.Errorf("parameter %d is %v, should be near %v", i, got, want)
		}
	}
}

func TestRun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "fit.png")
	var out bytes.Buffer
	if err := run(&out, file); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"gradient check", "loss", "birth of hares", "residual", "time per gradient", file} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the output does not mention %q:\n%s", want, &out)
		}
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := png.Decode(f); err != nil {
		t.Error(err)
	}
}

// TestAllocs asks that the gradient allocates nothing once its work space has
// grown.
func TestAllocs(t *testing.T) {
	pelts, err := load()
	if err != nil {
		t.Fatal(err)
	}
	theta := guess(pelts)
	dtheta := make([]float64, len(theta))
	var ws NegLogLikGradWork
	if n := testing.AllocsPerRun(10, func() { NegLogLikGradIn(&ws, dtheta, theta, pelts) }); n != 0 {
		t.Errorf("%v allocations a call", n)
	}
}
