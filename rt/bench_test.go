package rt

import (
	"math"
	"testing"
)

// Slopes against the formulas that they replace.

var sink float64

func BenchmarkTanhSlope(b *testing.B) {
	for _, c := range []struct {
		name string
		x    float64
	}{{"x=0.7", 0.7}, {"x=3", 3}} {
		y := math.Tanh(c.x)
		b.Run("form=TanhSlope/"+c.name, func(b *testing.B) {
			x := c.x
			for b.Loop() {
				sink += TanhSlope(x, y)
			}
		})
		b.Run("form=1-yy/"+c.name, func(b *testing.B) {
			for b.Loop() {
				sink += 1 - y*y
			}
		})
		b.Run("form=cosh/"+c.name, func(b *testing.B) {
			x := c.x
			for b.Loop() {
				h := math.Cosh(x)
				sink += 1 / (h * h)
			}
		})
	}
}

func BenchmarkPowSlopeX(b *testing.B) {
	x, y := 1.5, 2.7
	r := math.Pow(x, y)
	b.Run("form=PowSlopeX", func(b *testing.B) {
		for b.Loop() {
			sink += PowSlopeX(x, y, r)
		}
	})
	b.Run("form=Pow", func(b *testing.B) {
		for b.Loop() {
			sink += y * math.Pow(x, y-1)
		}
	})
}

func BenchmarkMul0(b *testing.B) {
	x, y := 1.5, 2.7
	b.Run("form=Mul0", func(b *testing.B) {
		for b.Loop() {
			sink += Mul0(x, y)
		}
	})
	b.Run("form=product", func(b *testing.B) {
		for b.Loop() {
			sink += x * y
		}
	})
}
