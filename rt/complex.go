package rt

import (
	"math"
	"math/cmplx"
)

// Parts of complex functions, of which the slopes of those of package
// math/cmplx are made. A complex number x+iy is passed as the pair x, y.

// LogHypot returns log|x+iy|, the real part of the logarithm, and 0 at the
// origin. Its slopes are [Atan2Slope](x, y) and Atan2Slope(y, x).
func LogHypot(x, y float64) float64 {
	if x == 0 && y == 0 {
		return 0
	}
	return math.Log(math.Hypot(x, y))
}

// RsqrtRe returns the real part of 1/sqrt(x+iy), and 0 at the origin; see
// [RsqrtIm].
//
// With v = 1/sqrt(u) the derivative of v is -v/(2u).
func RsqrtRe(x, y float64) float64 {
	w := cmplx.Sqrt(complex(x, y))
	return Atan2Slope(real(w), imag(w))
}

// RsqrtIm returns the imaginary part of 1/sqrt(x+iy), and 0 at the origin; see
// [RsqrtRe].
func RsqrtIm(x, y float64) float64 {
	w := cmplx.Sqrt(complex(x, y))
	return -Atan2Slope(imag(w), real(w))
}

// PowRe returns the real part of (x+iy)^(z+iw) as it stands in slopes: at base
// 0 it is 1 for exponent 0 and else 0; see [PowIm].
//
// The derivative of u^v is v u^(v-1) in u and u^v log u in v.
func PowRe(x, y, z, w float64) float64 { return real(powSlope(x, y, z, w)) }

// PowIm returns the imaginary part of (x+iy)^(z+iw) as it stands in slopes; see
// [PowRe].
func PowIm(x, y, z, w float64) float64 { return imag(powSlope(x, y, z, w)) }

func powSlope(x, y, z, w float64) complex128 {
	if x == 0 && y == 0 {
		if z == 0 && w == 0 {
			return 1
		}
		return 0
	}
	return cmplx.Pow(complex(x, y), complex(z, w))
}
