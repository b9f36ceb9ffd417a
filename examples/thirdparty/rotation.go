package thirdparty

import (
	"gonum.org/v1/gonum/num/quat"
	"gonum.org/v1/gonum/spatial/r2"
	"gonum.org/v1/gonum/spatial/r3"
)

// Turned is the vector v after the rotation exp(w/2), w being a pure quaternion.
//
//quabla:jvp wrt=w
//quabla:vjp wrt=w
func Turned(w, v quat.Number) quat.Number {
	q := quat.Exp(quat.Scale(0.5, w))
	return quat.Mul(quat.Mul(q, v), quat.Conj(q))
}

// Reach is how far p lies from the origin after a turn by alpha around the centre.
//
//quabla:grad wrt=p,alpha,centre
func Reach(p r2.Vec, alpha float64, centre r2.Vec) float64 {
	return r2.Norm(r2.Rotate(p, alpha, centre))
}

// Area is that of a triangle in space.
//
//quabla:grad wrt=a,b,c
func Area(a, b, c r3.Vec) float64 {
	return r3.Norm(r3.Cross(r3.Sub(b, a), r3.Sub(c, a))) / 2
}
