package use

import "gonum.org/v1/gonum/floats"

// FloatsReduce goes through everything that adds up.
//
//quabla:grad wrt=x,y
//quabla:jvp wrt=x,y lanes=3
//quabla:hvp wrt=x,y
func FloatsReduce(x, y []float64) float64 {
	return floats.Sum(x)*floats.Dot(x, y) + floats.Norm(x, 2)*floats.Distance(x, y, 2) + floats.LogSumExp(x)
}

// FloatsNorms goes through the other norms.
//
//quabla:grad wrt=x,y
//quabla:hvp wrt=x,y
func FloatsNorms(x, y []float64) float64 {
	return floats.Norm(x, 1)*floats.Distance(x, y, 3) + floats.Norm(x, 3)*floats.Distance(x, y, 1) + floats.Prod(x)*floats.Max(y)
}

// FloatsInPlace goes through what changes its first argument.
//
//quabla:vjp of=dst wrt=dst,x,c
//quabla:jvp of=dst wrt=dst,x,c lanes=2
func FloatsInPlace(dst, x []float64, c float64) {
	floats.Add(dst, x)
	floats.Mul(dst, x)
	floats.AddConst(c, dst)
	floats.AddScaled(dst, c, x)
	floats.Scale(c, dst)
	floats.Sub(dst, x)
	floats.Div(dst, x)
}

// FloatsTo goes through what writes to a destination, which is an argument too.
//
//quabla:grad wrt=x,y,c
//quabla:jvp wrt=x,y,c lanes=4
//quabla:hvp wrt=x,y,c
func FloatsTo(x, y []float64, c float64) float64 {
	z := make([]float64, len(x))
	floats.AddTo(z, x, y)
	floats.MulTo(z, z, x)
	floats.SubTo(z, z, y)
	floats.AddScaledTo(z, z, c, x)
	floats.ScaleTo(z, c, z)
	floats.DivTo(z, z, y)
	floats.CumSum(z, z)
	floats.CumProd(z, z)
	return floats.Dot(z, z)
}

// FloatsOrder sorts, and uses the order.
//
//quabla:grad
//quabla:hvp
func FloatsOrder(x []float64) float64 {
	s, t := append([]float64(nil), x...), append([]float64(nil), x...)
	inds := make([]int, len(x))
	floats.Argsort(s, inds)
	floats.ArgsortStable(t, inds)
	sum := 0.0
	for i, k := range inds {
		sum += float64(i) * s[i] * t[i] * x[k]
	}
	return sum
}
