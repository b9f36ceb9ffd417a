package use

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// MatProducts multiplies, adds and reduces matrices that it makes.
//
//quabla:grad wrt=x,y
//quabla:jvp wrt=x,y lanes=2
func MatProducts(x, y []float64) float64 {
	n := len(x)
	a := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			a.Set(i, j, math.Sin(x[i]*y[j]))
		}
	}
	u, v := mat.NewVecDense(n, x), mat.NewVecDense(n, y)
	var b, c, d mat.Dense
	b.Mul(a, a.T())
	c.Outer(2, u, v)
	d.Add(&b, &c)
	d.MulElem(&d, a)
	d.Scale(0.5, d.T())
	d.Apply(func(i, j int, v float64) float64 { return v + float64(i-j)*v*v }, &d)
	var w mat.VecDense
	w.MulVec(d.T(), u)
	w.AddScaledVec(&w, 3, v)
	return mat.Dot(&w, v) + mat.Trace(&d) + mat.Norm(&b, 2) + mat.Sum(a) + mat.Inner(u, &c, v) + mat.Max(&d) + mat.Norm(a, 1)
}

// MatLinear is a linear layer with the squares of its outputs.
//
//quabla:grad wrt=w,b
//quabla:jvp wrt=w,b,x
//quabla:hvp wrt=w
func MatLinear(w *mat.Dense, b, x *mat.VecDense) float64 {
	var y mat.VecDense
	y.MulVec(w, x)
	y.AddVec(&y, b)
	return mat.Dot(&y, &y)
}

// MatNLL is the negative logarithm of the likelihood of a Gaussian process.
//
//quabla:grad wrt=theta,y
//quabla:hessian wrt=theta
func MatNLL(theta []float64, y *mat.VecDense) float64 {
	n := y.Len()
	k := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			d := float64(i - j)
			k.SetSym(i, j, theta[0]*math.Exp(-d*d*theta[1]))
		}
		k.SetSym(i, i, k.At(i, i)+theta[2])
	}
	var chol mat.Cholesky
	if ok := chol.Factorize(k); !ok {
		return math.Inf(1)
	}
	var a mat.VecDense
	if err := chol.SolveVecTo(&a, y); err != nil {
		return math.NaN()
	}
	return 0.5*mat.Dot(&a, y) + 0.5*chol.LogDet()
}

// MatSolve solves in all ways that a dense matrix allows.
//
//quabla:grad wrt=a,b
//quabla:jvp wrt=a,b
//quabla:hvp wrt=a
func MatSolve(a *mat.Dense, b *mat.VecDense) float64 {
	var x mat.VecDense
	if err := x.SolveVec(a, b); err != nil {
		return math.NaN()
	}
	var inv mat.Dense
	if err := inv.Inverse(a); err != nil {
		return math.NaN()
	}
	log, sign := mat.LogDet(a)
	return mat.Dot(&x, b) + mat.Norm(&inv, 2) + mat.Det(a) + sign*log
}

// MatProduct returns a matrix.
//
//quabla:vjp
//quabla:jvp
//quabla:jacobian
func MatProduct(a, b *mat.Dense) *mat.Dense {
	var c mat.Dense
	c.Mul(a, b.T())
	return &c
}
