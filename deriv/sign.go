package deriv

import (
	"go/token"

	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// nonzero reports whether the primal value v is known not to be zero, so that
// dividing by it needs no guard.
func (a *arith) nonzero(v *ssair.Value) bool {
	if c, ok := pass.ConstFloat(v); ok {
		return c != 0
	}
	return positive(v, 8)
}

// positive reports whether v is known to be above zero (or NaN). Products are
// not: they may underflow.
func positive(v *ssair.Value, depth int) bool {
	if c, ok := pass.ConstFloat(v); ok {
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
	if c, ok := pass.ConstFloat(v); ok {
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
