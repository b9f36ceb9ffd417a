package deriv

import (
	"go/token"
	"strings"

	"github.com/quabla/quabla/rules"
	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// nonzero reports whether the primal value v is known not to be zero, so that
// dividing by it needs no guard.
func (a *arith) nonzero(v *ssair.Value) bool {
	if c, ok := known(v); ok {
		return c != 0
	}
	return positive(v, 8)
}

// known returns the value of a constant, also of one that is kept under a
// name.
func known(v *ssair.Value) (float64, bool) {
	if pass.IsNamed(v) {
		v = v.Def.Args[0]
	}
	return pass.ConstFloat(v)
}

// positive reports whether v is known to be above zero (or NaN). Products are
// not: they may underflow.
func positive(v *ssair.Value, depth int) bool {
	if c, ok := known(v); ok {
		return c > 0
	}
	d := v.Def
	if d == nil || depth == 0 {
		return false
	}
	switch {
	case d.Kind == ssair.Bin && d.Tok == token.ADD:
		x, y := d.Args[0], d.Args[1]
		return positive(x, depth-1) && nonnegative(y, depth-1) || positive(y, depth-1) && nonnegative(x, depth-1)
	case d.Kind == ssair.Apply:
		switch d.Fn {
		case "math.Cosh":
			return true
		case "math.Sqrt":
			return positive(d.Args[0], depth-1)
		}
	}
	return false
}

// nonnegative reports whether v is known to be zero or above (or NaN).
func nonnegative(v *ssair.Value, depth int) bool {
	if c, ok := known(v); ok {
		return c >= 0
	}
	d := v.Def
	if d == nil || depth == 0 {
		return false
	}
	switch d.Kind {
	case ssair.Bin:
		x, y := d.Args[0], d.Args[1]
		switch d.Tok {
		case token.MUL:
			return x == y || nonnegative(x, depth-1) && nonnegative(y, depth-1)
		case token.ADD, token.QUO:
			return nonnegative(x, depth-1) && nonnegative(y, depth-1)
		}
	case ssair.Apply:
		switch d.Fn {
		case "math.Exp", "math.Exp2", "math.Abs", "math.Sqrt", "math.Hypot", "math.Cosh", "math.Erfc":
			return true
		}
	}
	return positive(v, depth)
}

// under returns what is known of x from the ifs around the region that is being
// built: that it is not negative, or that it is not positive.
func (a *arith) under(x *ssair.Value) (nonneg, nonpos bool) {
	for r := a.b.Region; r != nil && r.Parent != nil; r = r.Parent.Parent {
		o := r.Parent
		if o.Kind != ssair.If {
			continue
		}
		d := o.Args[0].Def
		if d == nil || d.Kind != ssair.Cmp {
			continue
		}
		c, ok := pass.ConstFloat(d.Args[1])
		if d.Args[0] != x || !ok {
			continue
		}
		then := r == o.Regions[0]
		switch {
		case (d.Tok == token.GTR || d.Tok == token.GEQ) && then && c >= 0, (d.Tok == token.LSS || d.Tok == token.LEQ) && !then && c >= 0:
			nonneg = true
		case (d.Tok == token.LSS || d.Tok == token.LEQ) && then && c <= 0, (d.Tok == token.GTR || d.Tok == token.GEQ) && !then && c <= 0:
			nonpos = true
		}
	}
	return nonneg, nonpos
}

// hot reports whether v and its tangent may overflow together, because it comes
// from a function that grows faster than any power.
func (a *arith) hot(v *ssair.Value, depth int) bool {
	d := v.Def
	if d == nil || depth == 0 || ssair.IsComplex(v.Type) {
		return false
	}
	switch d.Kind {
	case ssair.Apply:
		switch d.Fn {
		case "math.Exp", "math.Exp2", "math.Expm1", "math.Sinh", "math.Cosh", "math.Pow", "math.Pow10", "math.Gamma":
			return true
		}
	case ssair.Bin, ssair.Un, ssair.Conv:
		for _, x := range d.Args {
			if a.hot(x, depth-1) {
				return true
			}
		}
	case ssair.If, ssair.Loop:
		// What its regions yield for it.
		for k, r := range d.Results {
			if r != v {
				continue
			}
			for _, g := range d.Regions {
				t := g.Term()
				if t.Kind != ssair.Yield || len(t.Args) < len(d.Results) {
					continue
				}
				if a.hot(t.Args[len(t.Args)-len(d.Results)+k], depth-1) {
					return true
				}
			}
		}
	}
	return false
}

// bounded reports whether v, a coefficient, is finite for all operands that are
// numbers, so that a zero in front of it needs no guard.
func (a *arith) bounded(v *ssair.Value, depth int) bool {
	if _, ok := pass.ConstFloat(v); ok {
		return true
	}
	d := v.Def
	if d == nil || depth == 0 {
		return false
	}
	switch d.Kind {
	case ssair.Un:
		return a.bounded(d.Args[0], depth-1)
	case ssair.Bin:
		switch d.Tok {
		case token.MUL:
			return a.bounded(d.Args[0], depth-1) && a.bounded(d.Args[1], depth-1)
		case token.QUO:
			return a.bounded(d.Args[0], depth-1) && atLeastOne(d.Args[1], depth-1)
		}
	case ssair.Apply:
		switch d.Fn {
		case "math.Exp", "math.Exp2":
			x := d.Args[0]
			if _, nonpos := a.under(x); nonpos {
				return true
			}
			y := negation(x)
			nonneg, _ := a.under(y)
			return nonneg || nonnegative(y, depth-1)
		case "math.Sin", "math.Cos", "math.Tanh", "math.Erf", "rt.Sign", "rt.FirstWins", "rt.Sigmoid":
			return true
		}
	}
	return false
}

// negation returns x if v is -x, and otherwise a value of which nothing is
// known.
func negation(v *ssair.Value) *ssair.Value {
	if d := v.Def; d != nil && d.Kind == ssair.Un && d.Tok == token.SUB {
		return d.Args[0]
	}
	return &ssair.Value{Type: v.Type}
}

// atLeastOne reports whether v is known to be 1 or more (or NaN).
func atLeastOne(v *ssair.Value, depth int) bool {
	if c, ok := pass.ConstFloat(v); ok {
		return c >= 1
	}
	d := v.Def
	if d == nil || depth == 0 {
		return false
	}
	if d.Kind == ssair.Bin && d.Tok == token.ADD {
		x, y := d.Args[0], d.Args[1]
		return atLeastOne(x, depth-1) && nonnegative(y, depth-1) || atLeastOne(y, depth-1) && nonnegative(x, depth-1)
	}
	return d.Kind == ssair.Apply && d.Fn == "math.Cosh"
}

// singular reports whether v is computed by something that can be infinite or NaN
// where its operands are finite.
func singular(v *ssair.Value, depth int) bool {
	d := v.Def
	if d == nil || depth == 0 {
		return false
	}
	switch d.Kind {
	case ssair.Apply:
		switch d.Fn {
		case "rt.Mul0", "rt.Mul00", "rt.Div0":
			return true // has a guard because of that
		}
		return ends(rules.Lookup(d.Fn))
	case ssair.Bin, ssair.Un, ssair.Conv:
		if d.Kind == ssair.Bin && d.Tok == token.QUO {
			return true
		}
		for _, x := range d.Args {
			if singular(x, depth-1) {
				return true
			}
		}
	}
	return false
}

// ends reports whether the function may be infinite or NaN, or its slope, at a finite
// argument.
func ends(row *rules.Row) bool {
	return row != nil && row.Cost == rules.Transcendental && !strings.HasPrefix(row.Domain, "all")
}

// endless reports whether v is spelled as an infinity or NaN.
func endless(v *ssair.Value) bool {
	d := v.Def
	switch {
	case d == nil:
		return false
	case d.Kind == ssair.Apply:
		return d.Fn == "math.Inf" || d.Fn == "math.NaN"
	case d.Kind == ssair.Un || d.Kind == ssair.Conv:
		return endless(d.Args[0])
	}
	return false
}

// selected reports whether v is exactly zero in one of the arms of an if, as the
// cotangent of what the arm does not use is.
func selected(v *ssair.Value) bool {
	d := v.Def
	if d == nil || d.Kind != ssair.If || !ssair.IsFloat(v.Type) {
		return false
	}
	for i, r := range d.Results {
		if r != v {
			continue
		}
		for _, arm := range d.Regions {
			t := arm.Term()
			if t.Kind != ssair.Yield {
				continue
			}
			if x := t.Args[i].Def; x != nil && x.Kind == ssair.Zero {
				return true
			}
			if c, ok := pass.ConstFloat(t.Args[i]); ok && c == 0 {
				return true
			}
		}
	}
	return false
}
