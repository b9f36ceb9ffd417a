// Quickstart fits a logistic regression to the Breast Cancer Wisconsin data
// with a gradient that quablagen derived from the loss: NegLogLik in model.go
// is the loss, NegLogLikGrad in model_quabla.go is its gradient.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"os"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/optimize"

	"github.com/quabla/quabla/internal/bench/stopwatch"
)

func main() {
	out := flag.String("o", "quickstart.png", "write the plot to this `file`")
	flag.Parse()
	if err := run(os.Stdout, *out); err != nil {
		log.Fatal(err)
	}
}

func run(w io.Writer, plotFile string) error {
	train, heldOut, err := load()
	if err != nil {
		return err
	}
	start := make([]float64, len(train.x[0]))
	fmt.Fprintf(w, "%d cases to train on, %d held out, %d weights\n",
		len(train.x), len(heldOut.x), len(start))
	fmt.Fprintf(w, "gradient check    largest difference from central differences %.1e\n",
		gradientError(train))

	weights, err := fit(start, train)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "loss              %.2f at the start, %.2f fitted\n",
		NegLogLik(start, train.x, train.y), NegLogLik(weights, train.x, train.y))
	fmt.Fprintf(w, "accuracy          %.1f %% of the training cases, %.1f %% of those held out\n",
		100*accuracy(weights, train), 100*accuracy(weights, heldOut))

	dw := make([]float64, len(weights))
	t := stopwatch.Compare(
		func() { negLogLikHand(dw, weights, train.x, train.y) },
		func() { NegLogLikGrad(dw, weights, train.x, train.y) },
	)
	fmt.Fprintf(w, "time per gradient %v generated, %v by hand, ratio %.2f\n", t.B, t.A, t.Ratio)

	if err := plotFit(plotFile, weights, heldOut); err != nil {
		return err
	}
	fmt.Fprintf(w, "plot              %s\n", plotFile)
	return nil
}

// fit returns the weights with the least loss.
func fit(start []float64, c cases) ([]float64, error) {
	problem := optimize.Problem{
		Func: func(w []float64) float64 { return NegLogLik(w, c.x, c.y) },
		Grad: func(dw, w []float64) { NegLogLikGrad(dw, w, c.x, c.y) },
	}
	settings := &optimize.Settings{GradientThreshold: 1e-4}
	result, err := optimize.Minimize(problem, start, settings, &optimize.LBFGS{})
	if err != nil {
		return nil, err
	}
	return result.X, nil
}

// gradientError returns the largest difference of the generated gradient from
// central differences, at weights away from any symmetry.
func gradientError(c cases) float64 {
	w, dw := make([]float64, len(c.x[0])), make([]float64, len(c.x[0]))
	for j := range w {
		w[j] = math.Sin(float64(j + 1))
	}
	NegLogLikGrad(dw, w, c.x, c.y)
	loss := func(w []float64) float64 { return NegLogLik(w, c.x, c.y) }
	approx := fd.Gradient(nil, loss, w, &fd.Settings{Formula: fd.Central})
	return floats.Distance(dw, approx, math.Inf(1))
}

// accuracy returns the share of cases on whose side of 0 the score lies.
func accuracy(w []float64, c cases) float64 {
	right := 0
	for i, row := range c.x {
		if (dot(w, row) > 0) == (c.y[i] == 1) {
			right++
		}
	}
	return float64(right) / float64(len(c.x))
}
