package rt_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/quabla/quabla/rt"
)

type model struct{ w float64 }

func (m *model) Loss(x float64) float64 {
	return rt.Deriv(func(t float64) float64 { return m.w * t * t }, x)
}

func generic[T any](f func(T) float64, x T) T { return rt.Grad(f, x) }

func TestMarkersName(t *testing.T) {
	square := func(x float64) float64 { return x * x }
	tests := []struct {
		name string
		call func()
		want []string
	}{
		{"method", func() { (&model{2}).Loss(1) }, []string{"rt.Deriv works", "//quabla:value above rt_test.model.Loss", "call rt_test.model.LossValue"}},
		{"generic", func() { generic(square, 1) }, []string{"rt.Grad works", "above rt_test.generic,", "call rt_test.genericValue"}},
		{"closure", func() { rt.JVP(square, 1, 1) }, []string{"rt.JVP works", "above rt_test.TestMarkersName,"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			defer func() {
				msg := fmt.Sprint(recover())
				for _, want := range tt.want {
					if !strings.Contains(msg, want) {
						t.Errorf("panic %q does not say %q", msg, want)
					}
				}
			}()
			tt.call()
		})
	}
}

func ExampleStop() {
	x := 1.3
	y := x + rt.Stop(math.Round(x)-x) // the value of Round, the slope of x
	fmt.Println(y)
	// Output: 1
}

func ExampleMul0() {
	// The slope of a logarithm at 0, for a result that nothing depends on.
	slope := 1 / math.Abs(0)
	fmt.Println(0*slope, rt.Mul0(0, slope), rt.Mul0(2, slope))
	// Output: NaN 0 +Inf
}

func ExampleSoftplus() {
	fmt.Printf("%.6g %.6g %.6g\n", rt.Softplus(-20), rt.Softplus(0), rt.Softplus(1000))
	// Output: 2.06115e-09 0.693147 1000
}

func ExampleLogAddExp() {
	fmt.Printf("%.6g\n", rt.LogAddExp(1000, 1000)) // exp(1000) overflows
	// Output: 1000.69
}

func ExampleDigamma() {
	fmt.Printf("%.12f %.12f\n", rt.Digamma(1), rt.Trigamma(1)) // -Euler's constant and pi^2/6
	// Output: -0.577215664902 1.644934066848
}

func ExampleFloorMod() {
	fmt.Println(rt.FloorMod(-5.5, 2), rt.FloorMod(5.5, -2))
	// Output: 0.5 -0.5
}

func ExampleClip() {
	fmt.Println(rt.Clip(-3, -1, 1), rt.Clip(0.5, -1, 1), rt.Clip(4, -1, 1))
	// Output: -1 0.5 1
}
