package bench

import "math"

// Simpson integrates exp(-p*x)*sin(x) from a to b with Simpson's rule, halving
// intervals until two estimates agree.
//
//quabla:grad wrt=p
func Simpson(a, b, p float64) float64 { return simpson(a, b, p, 1e-10, 30) }

func simpson(a, b, p, tol float64, depth int) float64 {
	m := (a + b) / 2
	fa, fm, fb := wave(a, p), wave(m, p), wave(b, p)
	whole := (b - a) / 6 * (fa + 4*fm + fb)
	left := (m - a) / 6 * (fa + 4*wave((a+m)/2, p) + fm)
	right := (b - m) / 6 * (fm + 4*wave((m+b)/2, p) + fb)
	if depth == 0 || math.Abs(left+right-whole) < 15*tol {
		return left + right + (left+right-whole)/15
	}
	return simpson(a, m, p, tol/2, depth-1) + simpson(m, b, p, tol/2, depth-1)
}

func wave(x, p float64) float64 { return math.Exp(-p*x) * math.Sin(x) }

// simpsonHand is SimpsonGrad by hand: the value and its derivative.
func simpsonHand(a, b, p, tol float64, depth int) (value, dp float64) {
	m := (a + b) / 2
	l, r := (a+m)/2, (m+b)/2
	fa, fl, fm, fr, fb := wave(a, p), wave(l, p), wave(m, p), wave(r, p), wave(b, p)
	whole := (b - a) / 6 * (fa + 4*fm + fb)
	left := (m - a) / 6 * (fa + 4*fl + fm)
	right := (b - m) / 6 * (fm + 4*fr + fb)
	if depth == 0 || math.Abs(left+right-whole) < 15*tol {
		dwhole := -(b - a) / 6 * (a*fa + 4*m*fm + b*fb)
		dleft := -(m - a) / 6 * (a*fa + 4*l*fl + m*fm)
		dright := -(b - m) / 6 * (m*fm + 4*r*fr + b*fb)
		return left + right + (left+right-whole)/15, dleft + dright + (dleft+dright-dwhole)/15
	}
	v, dv := simpsonHand(a, m, p, tol/2, depth-1)
	w, dw := simpsonHand(m, b, p, tol/2, depth-1)
	return v + w, dv + dw
}

// Power is half of the sum of the squares of the discrete Fourier transform of x,
// weighted with the frequency. The length of x is a power of two.
//
//quabla:grad wrt=x
//quabla:hvp wrt=x
func Power(x []float64) float64 {
	re, im := fourier(x, make([]float64, len(x)), 1)
	s := 0.0
	for k := range re {
		s += float64(k) * (re[k]*re[k] + im[k]*im[k])
	}
	return s / 2
}

// fourier returns the transform of re + i im, with exp(-2πi sign/n) as the root of
// unity.
func fourier(re, im []float64, sign float64) ([]float64, []float64) {
	n := len(re)
	if n == 1 {
		return re, im
	}
	h := n / 2
	evenRe, evenIm := make([]float64, h), make([]float64, h)
	oddRe, oddIm := make([]float64, h), make([]float64, h)
	for k := range h {
		evenRe[k], evenIm[k] = re[2*k], im[2*k]
		oddRe[k], oddIm[k] = re[2*k+1], im[2*k+1]
	}
	evenRe, evenIm = fourier(evenRe, evenIm, sign)
	oddRe, oddIm = fourier(oddRe, oddIm, sign)
	toRe, toIm := make([]float64, n), make([]float64, n)
	for k := range h {
		s, c := math.Sincos(-2 * math.Pi * sign * float64(k) / float64(n))
		tr, ti := c*oddRe[k]-s*oddIm[k], c*oddIm[k]+s*oddRe[k]
		toRe[k], toIm[k] = evenRe[k]+tr, evenIm[k]+ti
		toRe[k+h], toIm[k+h] = evenRe[k]-tr, evenIm[k]-ti
	}
	return toRe, toIm
}

// powerHand is PowerGrad by hand: the adjoint of the transform is the transform with
// the other sign.
func powerHand(dx, x []float64) float64 {
	re, im := fourier(x, make([]float64, len(x)), 1)
	s := 0.0
	for k := range re {
		w := float64(k)
		s += w * (re[k]*re[k] + im[k]*im[k])
		re[k] *= w
		im[k] *= w
	}
	dre, _ := fourier(re, im, -1)
	copy(dx, dre)
	return s / 2
}
