package main

import "math"

//go:generate go tool quablagen

// rates are those of the Lotka-Volterra equations, in 1/year and 1/(year and
// thousand pelts).
type rates struct {
	birth, eaten, death, fed float64
}

// A state is the number of hares and lynxes, in thousands of pelts.
type state struct {
	hare, lynx float64
}

// slope returns the time derivative of s.
func (r rates) slope(s state) state {
	return state{
		hare: (r.birth - r.eaten*s.lynx) * s.hare,
		lynx: (r.fed*s.hare - r.death) * s.lynx,
	}
}

// along returns s + h k.
func (s state) along(h float64, k state) state {
	return state{s.hare + h*k.hare, s.lynx + h*k.lynx}
}

// step returns the state a time h after s, by the classical method of Runge
// and Kutta.
func (r rates) step(s state, h float64) state {
	k1 := r.slope(s)
	k2 := r.slope(s.along(h/2, k1))
	k3 := r.slope(s.along(h/2, k2))
	k4 := r.slope(s.along(h, k3))
	return state{
		hare: s.hare + h/6*(k1.hare+2*k2.hare+2*k3.hare+k4.hare),
		lynx: s.lynx + h/6*(k1.lynx+2*k2.lynx+2*k3.lynx+k4.lynx),
	}
}

// steps is the number of Runge-Kutta steps a year.
const steps = 50

// NegLogLik is the negative log likelihood of the yearly pelts of hare and
// lynx if they follow the Lotka-Volterra equations with log-normal errors. The
// logarithms of the parameters, which are all positive, are in theta: four
// rates, the state in the first year, and the deviation of the errors of
// either species.
//
//quabla:grad wrt=theta
func NegLogLik(theta []float64, pelts [][2]float64) float64 {
	r := rates{math.Exp(theta[0]), math.Exp(theta[1]), math.Exp(theta[2]), math.Exp(theta[3])}
	s := state{math.Exp(theta[4]), math.Exp(theta[5])}
	devHare, devLynx := math.Exp(theta[6]), math.Exp(theta[7])
	var loss float64
	for year, p := range pelts {
		if year > 0 {
			for range steps {
				s = r.step(s, 1.0/steps)
			}
		}
		hare := math.Log(p[0]/s.hare) / devHare
		lynx := math.Log(p[1]/s.lynx) / devLynx
		loss += 0.5*(hare*hare+lynx*lynx) + theta[6] + theta[7]
	}
	return loss
}
