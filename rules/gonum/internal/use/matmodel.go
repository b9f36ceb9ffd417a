package use

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// A Layer is a layer of a network.
type Layer struct {
	W    *mat.Dense
	B    *mat.VecDense
	Rate float64
}

// MatNetwork is the loss of a network that is given as a slice of layers.
//
//quabla:grad wrt=layers
//quabla:pullback wrt=layers,x
func MatNetwork(layers []*Layer, x *mat.VecDense) float64 {
	h := mat.VecDenseCopyOf(x)
	for _, l := range layers {
		var y mat.VecDense
		y.MulVec(l.W, h)
		y.AddScaledVec(&y, l.Rate, l.B)
		for i := range y.Len() {
			y.SetVec(i, math.Tanh(y.AtVec(i)))
		}
		h = &y
	}
	return mat.Dot(h, h)
}

// MatSlices takes matrices in a slice and a struct by value.
//
//quabla:grad wrt=ms,l
func MatSlices(ms []*mat.Dense, l Layer) float64 {
	s := 0.0
	for _, m := range ms {
		var p mat.Dense
		p.Mul(m, l.W)
		s += l.Rate * mat.Sum(&p)
	}
	return s
}

// MatChoice has a matrix of which only the run tells what it is.
//
//quabla:grad wrt=a,b
func MatChoice(a, b *mat.Dense) float64 {
	var m mat.Matrix = a
	if a.At(0, 0) > 0.5 {
		m = b.T()
	}
	var c mat.Dense
	c.Mul(m, b)
	return mat.Sum(&c) * m.At(0, 0)
}

// MatOptional has a parameter that may be nil.
//
//quabla:grad wrt=a,b
func MatOptional(a, b *mat.Dense) float64 {
	s := 0.0
	for i, v := range a.RawMatrix().Data {
		s += v * v * float64(i)
	}
	if b != nil {
		s *= mat.Sum(b)
	}
	return s
}

// MatPower calls itself with matrices.
//
//quabla:grad wrt=a
//quabla:jvp wrt=a
func MatPower(a *mat.Dense, n int) float64 {
	if n == 0 {
		return mat.Sum(a)
	}
	var b mat.Dense
	b.Mul(a, a)
	return MatPower(&b, n-1) + math.Sin(a.At(0, 0))
}

// MatMember is a function of one matrix.
//
//quabla:derive MatMembersGrad = vmap(grad(MatMember))
func MatMember(a *mat.Dense) float64 { return mat.Sum(a) * a.Trace() }

// first has a rule of its own.
func first(a *mat.Dense) float64 { return a.At(0, 0) * a.At(0, 0) }

//quabla:custom_vjp first rule=firstVJP
func firstVJP(aBar, a *mat.Dense, bar float64) {
	aBar.Set(0, 0, aBar.At(0, 0)+2*bar*a.At(0, 0))
}

//quabla:grad
func MatRuled(a *mat.Dense) float64 { return first(a) + mat.Sum(a) }

// Loss is a method of what holds matrices.
//
//quabla:grad
func (l *Layer) Loss() float64 { return mat.Norm(l.W, 2) * l.Rate }
