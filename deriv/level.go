package deriv

import (
	"go/token"

	"github.com/quabla/quabla/rules"
	"github.com/quabla/quabla/ssair"
)

// A number that stands for "left out" is often an infinity: the logit of a masked
// entry, a distance out of reach. What takes it in the end levels off there: exp(-Inf)
// is 0, and so is its slope. Times a scale that is differentiated by, as in exp(z/T),
// that zero meets an infinite coefficient, and it wins.

// masked reports whether v may be such a number: a difference, as of an entry and the
// largest one, or, where it is divided by the scale, an element of memory. Products with
// elements are left alone: weights are finite.
func masked(v *ssair.Value, divided bool) bool {
	d := v.Def
	if d == nil || !ssair.IsFloat(v.Type) {
		return false
	}
	switch d.Kind {
	case ssair.Load:
		return divided
	case ssair.Bin:
		return d.Tok == token.SUB
	case ssair.Un, ssair.Conv:
		return masked(d.Args[0], divided)
	}
	return false
}

// steep reports whether the tangent of v may be infinite where v is: farOff, or it holds a
// quotient by what may be zero, as in 1/(1+exp(-x/w)) for a step of width w, or a function
// with an end, as in exp(p*log(x)). In reverse mode the zero comes first, and stays.
func (s *sweep) steep(v *ssair.Value, depth int) bool {
	d := v.Def
	if d == nil || depth == 0 || !s.act.value(v) {
		return false
	}
	switch d.Kind {
	case ssair.Apply:
		return ends(rules.Lookup(d.Fn))
	case ssair.Un, ssair.Conv:
		return s.steep(d.Args[0], depth-1)
	case ssair.Bin:
		return s.farOff(v, depth) || d.Tok == token.QUO && !s.a.nonzero(d.Args[1]) ||
			s.steep(d.Args[0], depth-1) || s.steep(d.Args[1], depth-1)
	}
	return false
}

// farOff reports whether the tangent of v may be infinite because v is: it holds the
// product of a masked number and an active one, or the quotient.
func (s *sweep) farOff(v *ssair.Value, depth int) bool {
	d := v.Def
	if d == nil || depth == 0 {
		return false
	}
	switch d.Kind {
	case ssair.Un, ssair.Conv:
		return s.farOff(d.Args[0], depth-1)
	case ssair.Bin:
		x, y := d.Args[0], d.Args[1]
		switch d.Tok {
		case token.ADD, token.SUB:
			return s.farOff(x, depth-1) || s.farOff(y, depth-1)
		case token.MUL:
			return x != y && ((masked(x, false) || endless(x)) && s.act.value(y) || (masked(y, false) || endless(y)) && s.act.value(x))
		case token.QUO:
			return masked(x, true) && s.act.value(y)
		}
	}
	return false
}

// levelled reports whether v goes, as it is or in a sum, to a function that levels off.
func (s *reverseSweep) levelled(v *ssair.Value, depth int) bool {
	if depth == 0 {
		return false
	}
	for _, u := range s.uses[v] {
		switch o := u.Op; o.Kind {
		case ssair.Apply:
			if row := rules.Lookup(o.Fn); row != nil && row.LevelsOff() {
				return true
			}
		case ssair.Un, ssair.Conv:
			if s.levelled(o.Result(), depth-1) {
				return true
			}
		case ssair.Bin:
			if (o.Tok == token.ADD || o.Tok == token.SUB) && s.levelled(o.Result(), depth-1) {
				return true
			}
		}
	}
	return false
}
