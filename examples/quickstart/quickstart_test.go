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
	train, _, err := load()
	if err != nil {
		t.Fatal(err)
	}
	if e := gradientError(train); !(e < 1e-6) {
		t.Errorf("largest difference from central differences %v", e)
	}

	rng := rand.New(rand.NewPCG(1, 2))
	n := len(train.x[0])
	w, got, want := make([]float64, n), make([]float64, n), make([]float64, n)
	for range 3 {
		for j := range w {
			w[j] = rng.NormFloat64()
			got[j] = math.NaN() // to be overwritten
		}
		loss := NegLogLikGrad(got, w, train.x, train.y)
		if wantLoss := NegLogLik(w, train.x, train.y); !(math.Abs(loss-wantLoss) <= 1e-12*wantLoss) {
			t.Errorf("loss %v, of the function itself %v", loss, wantLoss)
		}
		negLogLikHand(want, w, train.x, train.y)
		for j := range got {
			if !(math.Abs(got[j]-want[j]) <= 1e-10*(1+math.Abs(want[j]))) {
				t.Errorf("derivative in weight %d is %v, by hand %v", j, got[j], want[j])
			}
		}
	}
}

func TestFit(t *testing.T) {
	train, heldOut, err := load()
	if err != nil {
		t.Fatal(err)
	}
	weights, err := fit(make([]float64, len(train.x[0])), train)
	if err != nil {
		t.Fatal(err)
	}
	if loss := NegLogLik(weights, train.x, train.y); !(loss < 33) {
		t.Errorf("loss %v, should be below 33", loss)
	}
	if a := accuracy(weights, heldOut); a < 0.97 {
		t.Errorf("accuracy on the cases held out %v, should be above 0.97", a)
	}
}

func TestRun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "fit.png")
	var out bytes.Buffer
	if err := run(&out, file); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"gradient check", "loss", "accuracy", "time per gradient", file} {
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

// TestAllocs asks that the gradient allocates nothing, as the function does.
func TestAllocs(t *testing.T) {
	train, _, err := load()
	if err != nil {
		t.Fatal(err)
	}
	w, dw := make([]float64, len(train.x[0])), make([]float64, len(train.x[0]))
	if n := testing.AllocsPerRun(10, func() { NegLogLikGrad(dw, w, train.x, train.y) }); n != 0 {
		t.Errorf("%v allocations a call", n)
	}
}
