package pass

import (
	"go/constant"
	"go/token"
	"go/types"

	"github.com/quabla/quabla/ssair"
)

// A Count describes a loop whose trips are counted by a variable that the body
// leaves alone: for v := init; v + Offset < Bound; v += Step. With Closed the
// comparison includes the bound. For a negative Step it is > or >=.
type Count struct {
	Index  int // the carried value that counts
	Step   int64
	Bound  *ssair.Value // defined outside the loop, or a constant
	Offset int64
	Closed bool
}

// Counted returns how the trips of loop o are counted, or nil if they are not.
// A loop with a break is counted too; it may run fewer trips.
func Counted(o *ssair.Op) *Count {
	cond := o.Cond().Term().Args[0]
	d := cond.Def
	if d == nil || d.Kind != ssair.Cmp || d.Parent != o.Cond() || !ssair.IsInteger(d.Args[0].Type) {
		return nil
	}
	x, y, tok := d.Args[0], d.Args[1], d.Tok
	k, off, ok := indexPlus(o, x)
	if !ok {
		if k, off, ok = indexPlus(o, y); !ok {
			return nil
		}
		x, y, tok = y, x, flip(tok)
	}
	bound := y
	if inside(o, bound) && (bound.Def == nil || bound.Def.Kind != ssair.Const) {
		return nil
	}
	body, post := o.BodyRegion().Term(), o.Post().Term()
	if body.Kind != ssair.Yield || post.Kind != ssair.Yield {
		return nil
	}
	first := 0
	if o.Loop.Break {
		first = 1
	}
	step := int64(0)
	switch {
	case body.Args[first+k] == o.BodyRegion().Params[k]:
		if step, ok = increment(post.Args[k], o.Post().Params[k]); !ok {
			return nil
		}
	case post.Args[k] == o.Post().Params[k] && !o.Loop.Break:
		// The increment stands in the body; the body sees the value before.
		if step, ok = increment(body.Args[k], o.BodyRegion().Params[k]); !ok {
			return nil
		}
	default:
		return nil
	}
	if t := o.Results[k].Type; !Wide(t) && (off != 0 || step != 1 && step != -1) {
		return nil // the variable may wrap around
	}
	c := &Count{Index: k, Step: step, Bound: bound, Offset: off}
	switch tok {
	case token.LSS, token.LEQ:
		if step <= 0 {
			return nil
		}
	case token.GTR, token.GEQ:
		if step >= 0 {
			return nil
		}
	default:
		return nil
	}
	c.Closed = tok == token.LEQ || tok == token.GEQ
	return c
}

// Trips builds the number of trips of a loop without breaks that counts from init to bound,
// from which Offset has been taken. It is negative or zero if there are none.
func (c *Count) Trips(b *ssair.Builder, init, bound *ssair.Value) *ssair.Value {
	lo, hi, step := init, bound, c.Step
	if step < 0 {
		lo, hi, step = hi, lo, -step
	}
	if !Wide(lo.Type) {
		lo, hi = b.Conv(lo, ssair.Int), b.Conv(hi, ssair.Int)
	}
	// ceil((hi-lo)/step), or floor of that plus one when the bound is included.
	d := b.Bin(token.SUB, hi, lo)
	k := func(n int64) *ssair.Value { return b.Const(constant.MakeInt64(n), d.Type) }
	if c.Closed {
		d = b.Bin(token.ADD, d, k(step))
	} else {
		d = b.Bin(token.ADD, d, k(step-1))
	}
	return b.Conv(b.Bin(token.QUO, d, k(step)), ssair.Int)
}

// Wide reports whether a type of integers has negative ones and is so wide that
// variables that count do not reach its ends.
func Wide(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && (b.Kind() == types.Int || b.Kind() == types.Int64 || b.Kind() == types.Int32)
}

// indexPlus matches v against a carried value of the condition plus a
// constant.
func indexPlus(o *ssair.Op, v *ssair.Value) (k int, off int64, ok bool) {
	if k = indexOf(o.Cond().Params, v); k >= 0 {
		return k, 0, true
	}
	d := v.Def
	if d == nil || d.Kind != ssair.Bin || d.Tok != token.ADD && d.Tok != token.SUB {
		return 0, 0, false
	}
	c, isConst := ConstInt(d.Args[1])
	if k = indexOf(o.Cond().Params, d.Args[0]); k < 0 || !isConst {
		return 0, 0, false
	}
	if d.Tok == token.SUB {
		c = -c
	}
	return k, c, true
}

// increment matches v against p plus or minus a constant.
func increment(v, p *ssair.Value) (int64, bool) {
	d := v.Def
	if d == nil || d.Kind != ssair.Bin || d.Args[0] != p || d.Tok != token.ADD && d.Tok != token.SUB {
		return 0, false
	}
	c, ok := ConstInt(d.Args[1])
	if d.Tok == token.SUB {
		c = -c
	}
	return c, ok && c != 0
}

func flip(tok token.Token) token.Token {
	switch tok {
	case token.LSS:
		return token.GTR
	case token.LEQ:
		return token.GEQ
	case token.GTR:
		return token.LSS
	case token.GEQ:
		return token.LEQ
	}
	return tok
}

// inside reports whether v is defined in a region of o.
func inside(o *ssair.Op, v *ssair.Value) bool {
	for _, r := range o.Regions {
		if r.Contains(v.Region()) {
			return true
		}
	}
	return false
}
