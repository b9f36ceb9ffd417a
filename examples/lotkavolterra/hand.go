package main

import "math"

// handStep holds the states at which a Runge-Kutta step evaluates the slope.
type handStep struct {
	h1, l1, h2, l2, h3, l3, h4, l4 float64
}

// negLogLikHand is what NegLogLikGrad is measured against: the same gradient,
// written by hand with speed in mind. The tape has room for all steps.
func negLogLikHand(tape []handStep, dtheta, theta []float64, pelts [][2]float64) (loss float64) {
	const (
		t  = 1.0 / steps
		t2 = t / 2
		t3 = t / 3
		t6 = t / 6
	)
	birth, eaten, death, fed := math.Exp(theta[0]), math.Exp(theta[1]), math.Exp(theta[2]), math.Exp(theta[3])
	hare0, lynx0 := math.Exp(theta[4]), math.Exp(theta[5])
	devHare, devLynx := math.Exp(theta[6]), math.Exp(theta[7])
	tape = tape[:0]

	hare, lynx := hare0, lynx0
	for year, p := range pelts {
		if year > 0 {
			for range steps {
				h1, l1 := hare, lynx
				kh, kl := (birth-eaten*l1)*h1, (fed*h1-death)*l1
				sh, sl := kh, kl
				h2, l2 := hare+t2*kh, lynx+t2*kl
				kh, kl = (birth-eaten*l2)*h2, (fed*h2-death)*l2
				sh, sl = sh+2*kh, sl+2*kl
				h3, l3 := hare+t2*kh, lynx+t2*kl
				kh, kl = (birth-eaten*l3)*h3, (fed*h3-death)*l3
				sh, sl = sh+2*kh, sl+2*kl
				h4, l4 := hare+t*kh, lynx+t*kl
				kh, kl = (birth-eaten*l4)*h4, (fed*h4-death)*l4
				hare, lynx = hare+t6*(sh+kh), lynx+t6*(sl+kl)
				tape = append(tape, handStep{h1, l1, h2, l2, h3, l3, h4, l4})
			}
		}
		eh := math.Log(p[0]/hare) / devHare
		el := math.Log(p[1]/lynx) / devLynx
		loss += 0.5*(eh*eh+el*el) + theta[6] + theta[7]
	}

	var dhare, dlynx, dbirth, deaten, ddeath, dfed float64
	// The slope at (h, l), with adjoint (kh, kl), adds (birth-eaten l)kh + fed l kl
	// to the adjoint of h and (fed h-death)kl - eaten h kh to that of l.
	n := float64(len(pelts))
	dtheta[6], dtheta[7] = n, n
	top := len(tape)
	for year := len(pelts) - 1; year >= 0; year-- {
		p := pelts[year]
		eh := math.Log(p[0]/hare) / devHare
		el := math.Log(p[1]/lynx) / devLynx
		dhare -= eh / devHare / hare
		dlynx -= el / devLynx / lynx
		dtheta[6] -= eh * eh
		dtheta[7] -= el * el
		if year == 0 {
			break
		}
		for i := top - 1; i >= top-steps; i-- {
			s := &tape[i]
			kh, kl := t6*dhare, t6*dlynx
			bh, bl := s.h4*kh, s.l4*kl
			dbirth, deaten, ddeath, dfed = dbirth+bh, deaten-s.l4*bh, ddeath-bl, dfed+s.h4*bl
			sh, sl := (birth-eaten*s.l4)*kh+fed*bl, (fed*s.h4-death)*kl-eaten*bh
			nh, nl := dhare+sh, dlynx+sl

			kh, kl = t3*dhare+t*sh, t3*dlynx+t*sl
			bh, bl = s.h3*kh, s.l3*kl
			dbirth, deaten, ddeath, dfed = dbirth+bh, deaten-s.l3*bh, ddeath-bl, dfed+s.h3*bl
			sh, sl = (birth-eaten*s.l3)*kh+fed*bl, (fed*s.h3-death)*kl-eaten*bh
			nh, nl = nh+sh, nl+sl

			kh, kl = t3*dhare+t2*sh, t3*dlynx+t2*sl
			bh, bl = s.h2*kh, s.l2*kl
			dbirth, deaten, ddeath, dfed = dbirth+bh, deaten-s.l2*bh, ddeath-bl, dfed+s.h2*bl
			sh, sl = (birth-eaten*s.l2)*kh+fed*bl, (fed*s.h2-death)*kl-eaten*bh
			nh, nl = nh+sh, nl+sl

			kh, kl = t6*dhare+t2*sh, t6*dlynx+t2*sl
			bh, bl = s.h1*kh, s.l1*kl
			dbirth, deaten, ddeath, dfed = dbirth+bh, deaten-s.l1*bh, ddeath-bl, dfed+s.h1*bl
			dhare = nh + (birth-eaten*s.l1)*kh + fed*bl
			dlynx = nl + (fed*s.h1-death)*kl - eaten*bh
		}
		top -= steps
		hare, lynx = tape[top].h1, tape[top].l1
	}
	dtheta[0], dtheta[1], dtheta[2], dtheta[3] = birth*dbirth, eaten*deaten, death*ddeath, fed*dfed
	dtheta[4], dtheta[5] = hare0*dhare, lynx0*dlynx
	return loss
}
