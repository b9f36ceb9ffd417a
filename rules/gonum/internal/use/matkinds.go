package use

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// MatSymmetric goes through the symmetric matrices. The gradient by one is that by its upper
// triangle.
//
//quabla:grad wrt=s,x
//quabla:jvp wrt=s,x
func MatSymmetric(s *mat.SymDense, x *mat.VecDense) float64 {
	n := s.SymmetricDim()
	var a, b mat.SymDense
	a.SymRankOne(s, 0.5, x)
	b.AddSym(&a, s)
	b.ScaleSym(2, &b)
	b.RankTwo(&b, 0.25, x, x)
	var d mat.Dense
	d.Mul(&b, s.T())
	var o, k mat.SymDense
	o.SymOuterK(0.5, &d)
	k.SymRankK(&o, 2, d.T())
	a.CopySym(mat.NewDiagDense(n, nil))
	a.SetSym(0, n-1, k.At(n-1, 0))
	return mat.Norm(&k, 1) + k.Trace() + a.At(n-1, 0) + mat.Inner(x, &o, x) + mat.Min(&b) + o.Norm(2)
}

// MatCholesky goes through what a Cholesky decomposition gives.
//
//quabla:grad wrt=s,b
func MatCholesky(s *mat.SymDense, b *mat.Dense) float64 {
	var f, g mat.Cholesky
	if !f.Factorize(s) || f.Cond() > 1e6 {
		return math.Inf(1)
	}
	var x mat.Dense
	if err := f.SolveTo(&x, b); err != nil {
		return math.NaN()
	}
	var inv, sym mat.SymDense
	if err := f.InverseTo(&inv); err != nil {
		return math.NaN()
	}
	var l, u mat.TriDense
	f.LTo(&l)
	f.UTo(&u)
	g.SetFromU(l.TTri())
	g.ToSym(&sym)
	var p mat.Dense
	p.Mul(&l, &u)
	p.Sub(&p, &sym)
	return mat.Sum(&x) + mat.Sum(&inv) + mat.Norm(&p, 1) + f.Det() + l.At(0, 0)*u.Trace()
}

// MatTriangular goes through triangular and diagonal matrices.
//
//quabla:grad wrt=t,b
//quabla:jvp wrt=t,b
func MatTriangular(t *mat.TriDense, b *mat.Dense) float64 {
	n, _ := t.Dims()
	var x, y mat.Dense
	if err := x.Solve(t, b); err != nil {
		return math.NaN()
	}
	if err := t.SolveTo(&y, true, b); err != nil {
		return math.NaN()
	}
	var z mat.Dense
	if err := z.Solve(t.T(), b); err != nil {
		return math.NaN()
	}
	z.Sub(&z, &y)
	d := mat.NewDiagDense(n, nil)
	for i := range n {
		d.SetDiag(i, t.At(i, i)*x.At(i, 0))
	}
	v := mat.NewTriDense(n, mat.Lower, nil)
	v.SetTri(n-1, 0, mat.Trace(d))
	var p mat.Dense
	p.Mul(d, v)
	p.Add(&p, t)
	var w mat.TriDense
	w.ScaleTri(3, t)
	return mat.Sum(&p) + mat.Sum(&y) + mat.Max(&z) + mat.Norm(d, 2) + mat.Norm(&w, math.Inf(1))
}

// MatParts reads and writes parts of matrices.
//
//quabla:grad wrt=a,x
//quabla:jvp wrt=a,x
func MatParts(a *mat.Dense, x []float64) float64 {
	n := len(x)
	b := mat.DenseCopyOf(a.T())
	b.SetRow(0, x)
	b.SetCol(n-1, x)
	b.Slice(0, n, 0, 1).(*mat.Dense).Set(0, 0, x[0]*x[0])
	for j := range x {
		b.RawRowView(n - 1)[j] *= x[j]
	}
	var st, au, k, o, r, e mat.Dense
	st.Stack(a, b)
	au.Augment(a, b)
	k.Kronecker(b, mat.NewVecDense(n, x))
	o.Outer(0.5, b.RowView(0), b.ColView(n-1))
	r.RankOne(&o, 2, b.ColView(0), b.RowView(n-1))
	e.DivElem(&r, mat.NewDense(n, n, ones(n*n)))
	e.Pow(&e, 2)
	e.Copy(b.T())
	var c mat.Dense
	c.CloneFrom(&e)
	c.Zero()
	return mat.Sum(&st) + mat.Norm(&au, 2) + mat.Sum(&k) + mat.Trace(&e) + mat.Sum(&r) + mat.Sum(&c)
}

func ones(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = 1 + float64(i)
	}
	return x
}

// MatVectors goes through the methods of vectors.
//
//quabla:grad wrt=x,y
//quabla:jvp wrt=x,y
func MatVectors(x, y *mat.VecDense) float64 {
	n := x.Len()
	var a, b, c, d mat.VecDense
	a.SubVec(x, y)
	b.MulElemVec(&a, y)
	c.DivElemVec(&b, y)
	d.ScaleVec(2, &c)
	d.CopyVec(x)
	d.SetVec(0, d.AtVec(0)*y.At(0, 0))
	e := mat.VecDenseCopyOf(&d)
	e.AddVec(e, &b)
	f := mat.NewVecDense(n, mat.Col(nil, 0, e))
	g := mat.NewVecDense(n, mat.Row(nil, 0, e.T()))
	f.AddScaledVec(f, 0.5, g.SliceVec(0, n))
	var h mat.VecDense
	h.CloneFromVec(f)
	return f.Norm(2) + mat.Norm(y.T(), 1) + mat.Dot(f, x) + h.Norm(math.Inf(1))
}

// MatLU goes through what an LU decomposition gives.
//
//quabla:grad wrt=a,b
//quabla:jvp wrt=a,b
func MatLU(a, b *mat.Dense) float64 {
	var f mat.LU
	f.Factorize(a)
	var x, y mat.Dense
	if err := f.SolveTo(&x, false, b); err != nil {
		return math.NaN()
	}
	if err := f.SolveTo(&y, true, b); err != nil {
		return math.NaN()
	}
	var l, u mat.TriDense
	f.LTo(&l)
	f.UTo(&u)
	log, sign := f.LogDet()
	return mat.Sum(&x) + mat.Sum(&y) + mat.Sum(&l) + mat.Norm(&u, 2) + log*sign + f.Det()
}

// MatLeastSquares solves with more equations than unknowns, or fewer.
//
//quabla:grad wrt=a,b
//quabla:jvp wrt=a,b
//quabla:hvp wrt=a
func MatLeastSquares(a, b *mat.Dense) float64 {
	var x mat.Dense
	if err := x.Solve(a, b); err != nil {
		return math.NaN()
	}
	return mat.Norm(&x, 2)
}

// MatSingular is the determinant of a matrix without full rank, which has a slope.
//
//quabla:grad
func MatSingular(a *mat.Dense) float64 { return mat.Det(a) }

// MatInPlace changes its parameter.
//
//quabla:vjp of=a wrt=a,b
//quabla:jvp of=a wrt=a,b
func MatInPlace(a, b *mat.Dense) {
	for i := range 2 {
		a.Set(i, i, a.At(i, i)*b.At(0, i))
	}
}
