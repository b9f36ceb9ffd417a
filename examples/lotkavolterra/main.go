// Lotkavolterra fits the Lotka-Volterra equations to the pelts of hare and
// lynx that the Hudson's Bay Company took in from 1900 to 1920. The equations
// are solved by plain Go loops in model.go; quablagen derived the gradient of
// the likelihood, NegLogLikGrad in model_quabla.go, straight through them.
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
	out := flag.String("o", "lotkavolterra.png", "write the plot to this `file`")
	flag.Parse()
	if err := run(os.Stdout, *out); err != nil {
		log.Fatal(err)
	}
}

func run(w io.Writer, plotFile string) error {
	pelts, err := load()
	if err != nil {
		return err
	}
	start := guess(pelts)
	fmt.Fprintf(w, "%d years of pelts, %d parameters\n", len(pelts), len(start))
	fmt.Fprintf(w, "gradient check    largest difference from central differences %.1e\n",
		gradientError(start, pelts))

	theta, err := fit(start, pelts)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "loss              %.2f at the start, %.2f fitted\n",
		NegLogLik(start, pelts), NegLogLik(theta, pelts))
	fmt.Fprintln(w, "fitted parameters")
	for i, name := range []string{
		"birth of hares", "hares eaten by a lynx", "death of lynxes", "lynxes fed by a hare",
		"hares in 1900", "lynxes in 1900", "residual of log hares", "residual of log lynxes",
	} {
		fmt.Fprintf(w, "    %-22s %8.4f\n", name, math.Exp(theta[i]))
	}

	tape := make([]handStep, 0, len(pelts)*steps)
	dtheta := make([]float64, len(theta))
	t := stopwatch.Compare(
		func() { negLogLikHand(tape, dtheta, theta, pelts) },
		func() { NegLogLikGrad(dtheta, theta, pelts) },
	)
	fmt.Fprintf(w, "time per gradient %v generated, %v by hand, ratio %.2f\n", t.B, t.A, t.Ratio)

	if err := plotFit(plotFile, theta, pelts); err != nil {
		return err
	}
	fmt.Fprintf(w, "plot              %s\n", plotFile)
	return nil
}

// guess returns parameters that give cycles of ten years around the mean of
// the pelts, from the numbers of the first year.
func guess(pelts [][2]float64) []float64 {
	var hare, lynx float64
	for _, p := range pelts {
		hare += p[0] / float64(len(pelts))
		lynx += p[1] / float64(len(pelts))
	}
	const rate = 2 * math.Pi / 10
	theta := []float64{rate, rate / lynx, rate, rate / hare, pelts[0][0], pelts[0][1], 0.5, 0.5}
	for i, v := range theta {
		theta[i] = math.Log(v)
	}
	return theta
}

// fit returns the parameters with the least loss.
func fit(start []float64, pelts [][2]float64) ([]float64, error) {
	problem := optimize.Problem{
		Func: func(theta []float64) float64 { return NegLogLik(theta, pelts) },
		Grad: func(dtheta, theta []float64) { NegLogLikGrad(dtheta, theta, pelts) },
	}
	settings := &optimize.Settings{GradientThreshold: 1e-4}
	result, err := optimize.Minimize(problem, start, settings, &optimize.LBFGS{})
	if err != nil {
		return nil, err
	}
	return result.X, nil
}

// gradientError returns the largest difference at theta of the generated
// gradient from central differences.
func gradientError(theta []float64, pelts [][2]float64) float64 {
	dtheta := make([]float64, len(theta))
	NegLogLikGrad(dtheta, theta, pelts)
	loss := func(theta []float64) float64 { return NegLogLik(theta, pelts) }
	approx := fd.Gradient(nil, loss, theta, &fd.Settings{Formula: fd.Central})
	return floats.Distance(dtheta, approx, math.Inf(1))
}
