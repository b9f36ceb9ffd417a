package pass

import (
	"go/token"

	"github.com/quabla/quabla/ssair"
)

// Conjoin turns conditions a && b and a || b, where b may as well be evaluated in any case,
// into one op, which reverse mode can compute anew from its operands.
func Conjoin(f *ssair.Func) {
	repl := map[*ssair.Value]*ssair.Value{}
	var region func(r *ssair.Region)
	region = func(r *ssair.Region) {
		for _, o := range append([]*ssair.Op(nil), r.Ops...) {
			for _, n := range o.Regions {
				region(n)
			}
			tok, arm := connective(o)
			if arm == nil {
				continue
			}
			b := ssair.NewBuilder(r)
			b.Before, b.Pos, b.Stmt, b.Call = o, o.Pos, o.Stmt, o.Call
			for _, x := range arm.Ops[:len(arm.Ops)-1] {
				b.Insert(x)
			}
			v := b.Bin(tok, o.Args[0], arm.Term().Args[0])
			v.Var = o.Result().Var
			repl[o.Result()] = v
			o.Remove()
		}
	}
	region(f.Body)
	f.Body.ReplaceAll(repl)
}

// connective returns the operator that o stands for, and the arm with its right operand, or
// nil.
func connective(o *ssair.Op) (token.Token, *ssair.Region) {
	if o.Kind != ssair.If || len(o.Results) != 1 || o.Result().Type != ssair.Bool {
		return 0, nil
	}
	for i, tok := range []token.Token{token.AND, token.OR} {
		arm, other := o.Regions[i], o.Regions[1-i]
		if arm.Term().Kind != ssair.Yield || other.Term().Kind != ssair.Yield || len(other.Ops) > 2 || !eager(arm) {
			continue
		}
		if c, ok := boolConst(other.Term().Args[0]); ok && c == (tok == token.OR) {
			return tok, arm
		}
	}
	return 0, nil
}

// eager reports whether what r computes is cheap and cannot panic.
func eager(r *ssair.Region) bool {
	if len(r.Ops) > 6 {
		return false
	}
	for _, o := range r.Ops[:len(r.Ops)-1] {
		switch o.Kind {
		case ssair.Const, ssair.Len, ssair.Un:
		case ssair.Cmp:
			if !ssair.IsInteger(o.Args[0].Type) && !ssair.IsFloat(o.Args[0].Type) {
				return false
			}
		case ssair.Bin:
			switch o.Tok {
			case token.ADD, token.SUB, token.MUL, token.AND, token.OR:
			default:
				return false
			}
		default:
			return false
		}
	}
	return true
}
