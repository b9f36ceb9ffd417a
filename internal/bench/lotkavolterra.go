package bench

// LotkaVolterra integrates the predator-prey equations
//
//	u' = (α - β v) u,  v' = (δ u - γ) v,  p = α, β, γ, δ, u(0), v(0)
//
// by steps of the classical Runge-Kutta method of length h, and returns the
// sum of the squared distances of its path, after each step, from the path
// observed.
//
//quabla:grad wrt=p
func LotkaVolterra(p [6]float64, h float64, observed [][2]float64) float64 {
	s := [2]float64{p[4], p[5]}
	var sum float64
	for _, o := range observed {
		s = rk4(s, p, h)
		du, dv := s[0]-o[0], s[1]-o[1]
		sum += du*du + dv*dv
	}
	return sum
}

// rk4 returns the state one step of length h after s.
func rk4(s [2]float64, p [6]float64, h float64) [2]float64 {
	k1 := slope(s, p)
	k2 := slope(along(s, h/2, k1), p)
	k3 := slope(along(s, h/2, k2), p)
	k4 := slope(along(s, h, k3), p)
	for i := range s {
		s[i] += h / 6 * (k1[i] + 2*k2[i] + 2*k3[i] + k4[i])
	}
	return s
}

// slope returns the right-hand side of the equations at s.
func slope(s [2]float64, p [6]float64) [2]float64 {
	u, v := s[0], s[1]
	return [2]float64{(p[0] - p[1]*v) * u, (p[3]*u - p[2]) * v}
}

// along returns s + h k.
func along(s [2]float64, h float64, k [2]float64) [2]float64 {
	return [2]float64{s[0] + h*k[0], s[1] + h*k[1]}
}

// stages are the four states at which a step evaluates the slope, and the
// distance of its end from the path observed.
type stages struct {
	u1, v1, u2, v2, u3, v3, u4, v4 float64
	du, dv                         float64
}

// lotkaVolterraHand is LotkaVolterraGrad by hand, with everything in scalars.
// The caller owns the tape, which has a record for each step.
func lotkaVolterraHand(tape []stages, p [6]float64, h float64, observed [][2]float64) (value float64, dp [6]float64) {
	tape = tape[:len(observed)]
	a, b, c, d := p[0], p[1], p[2], p[3]
	h2, h3, h6 := h/2, h/3, h/6

	u, v := p[4], p[5]
	for i, o := range observed {
		t := &tape[i]
		ku, kv := (a-b*v)*u, (d*u-c)*v
		su, sv := ku, kv
		t.u1, t.v1 = u, v
		u2, v2 := u+h2*ku, v+h2*kv
		ku, kv = (a-b*v2)*u2, (d*u2-c)*v2
		su, sv = su+2*ku, sv+2*kv
		t.u2, t.v2 = u2, v2
		u3, v3 := u+h2*ku, v+h2*kv
		ku, kv = (a-b*v3)*u3, (d*u3-c)*v3
		su, sv = su+2*ku, sv+2*kv
		t.u3, t.v3 = u3, v3
		u4, v4 := u+h*ku, v+h*kv
		ku, kv = (a-b*v4)*u4, (d*u4-c)*v4
		t.u4, t.v4 = u4, v4
		u += h6 * (su + ku)
		v += h6 * (sv + kv)
		t.du, t.dv = u-o[0], v-o[1]
		value += t.du*t.du + t.dv*t.dv
	}

	var gu, gv float64         // adjoint of the state
	var ga, gb, gc, gd float64 // and of the parameters
	for i := len(tape) - 1; i >= 0; i-- {
		t := &tape[i]
		gu += 2 * t.du
		gv += 2 * t.dv
		// The slope k = ((a-bv)u, (du-c)v) with adjoint (ku, kv) adds
		// (a-bv)ku + dv kv to the adjoint of u and (du-c)kv - bu ku to that of v.
		ku, kv := h6*gu, h6*gv
		bu, bv := t.u4*ku, t.v4*kv
		ga, gb, gc, gd = ga+bu, gb-t.v4*bu, gc-bv, gd+t.u4*bv
		su, sv := (a-b*t.v4)*ku+d*bv, (d*t.u4-c)*kv-b*bu
		nu, nv := gu+su, gv+sv

		ku, kv = h3*gu+h*su, h3*gv+h*sv
		bu, bv = t.u3*ku, t.v3*kv
		ga, gb, gc, gd = ga+bu, gb-t.v3*bu, gc-bv, gd+t.u3*bv
		su, sv = (a-b*t.v3)*ku+d*bv, (d*t.u3-c)*kv-b*bu
		nu, nv = nu+su, nv+sv

		ku, kv = h3*gu+h2*su, h3*gv+h2*sv
		bu, bv = t.u2*ku, t.v2*kv
		ga, gb, gc, gd = ga+bu, gb-t.v2*bu, gc-bv, gd+t.u2*bv
		su, sv = (a-b*t.v2)*ku+d*bv, (d*t.u2-c)*kv-b*bu
		nu, nv = nu+su, nv+sv

		ku, kv = h6*gu+h2*su, h6*gv+h2*sv
		bu, bv = t.u1*ku, t.v1*kv
		ga, gb, gc, gd = ga+bu, gb-t.v1*bu, gc-bv, gd+t.u1*bv
		gu = nu + (a-b*t.v1)*ku + d*bv
		gv = nv + (d*t.u1-c)*kv - b*bu
	}
	return value, [6]float64{ga, gb, gc, gd, gu, gv}
}
