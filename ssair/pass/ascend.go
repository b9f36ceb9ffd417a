package pass

import (
	"go/constant"
	"go/token"
	"go/types"

	"github.com/quabla/quabla/ssair"
)

// Ascend turns loops of a reverse sweep that count down into loops that count
// up, where the order of the trips does not matter: each adds to memory or to
// sums, and reads nothing that another trip writes.
func Ascend(f *ssair.Func) {
	var al *Aliases
	f.Body.Walk(func(o *ssair.Op) bool {
		if o.Kind != ssair.Loop || !o.Loop.Down {
			return true
		}
		if al == nil {
			al = FindAliases(f)
		}
		c := Counted(o)
		if c == nil || c.Step != -1 || !c.Closed || c.Offset != 0 {
			return true
		}
		if orderFree(f, o, c, al) {
			ascend(o, c)
			o.Loop.Independent = true
		} else if unusedIndex(o, c) {
			ascend(o, c)
		}
		return true
	})
}

// unusedIndex reports whether nothing but the loop itself reads the index: then
// it may as well count up.
func unusedIndex(o *ssair.Op, c *Count) bool {
	if o.Loop.Break || o.BodyRegion().Term().Kind != ssair.Yield || len(ssair.UsesIn(o.Parent.Func.Body)[o.Results[c.Index]]) > 0 {
		return false
	}
	for _, u := range ssair.UsesIn(o.BodyRegion())[o.BodyRegion().Params[c.Index]] {
		if u.Op != o.BodyRegion().Term() {
			return false
		}
	}
	return true
}

// orderFree reports whether the trips of o may run in any order.
func orderFree(f *ssair.Func, o *ssair.Op, c *Count, al *Aliases) bool {
	if o.Loop.Break || o.BodyRegion().Term().Kind != ssair.Yield {
		return false
	}
	uses := ssair.UsesIn(o.BodyRegion())
	for k := range o.Results {
		if k != c.Index && !sumOnly(o, k, uses) {
			return false
		}
	}
	ok := true
	var accums []*ssair.Op
	var reads []*ssair.Op
	o.BodyRegion().Walk(func(x *ssair.Op) bool {
		switch x.Kind {
		case ssair.Accum:
			accums = append(accums, x)
		case ssair.Load:
			reads = append(reads, x)
		default:
			if x.Kind.Writes() || x.Kind.Reads() || x.Kind == ssair.Alloc || x.Kind == ssair.MakeSlice || x.Kind == ssair.MakeMap {
				ok = false
			}
		}
		return ok
	})
	for _, a := range accums {
		for _, l := range reads {
			if al.MayAlias(a.Base(), a.Stored().Type, l.Base(), l.Result().Type) {
				return false
			}
		}
	}
	return ok
}

// sumOnly reports whether carried value k is only added to by loose additions, and
// nothing but the next trip takes the sum: a sum of sums depends on the order.
func sumOnly(o *ssair.Op, k int, uses ssair.Uses) bool {
	p := o.BodyRegion().Params[k]
	if o.Post().Term().Args[k] != o.Post().Params[k] {
		return false
	}
	y := o.BodyRegion().Term().Args[k]
	if y == p {
		return true
	}
	if len(uses[y]) != 1 {
		return false
	}
	d := y.Def
	return d != nil && d.Kind == ssair.Bin && d.Loose && d.Tok == token.ADD && len(uses[p]) == 1 && uses[p][0].Op == d &&
		d.Parent == o.BodyRegion()
}

// ascend rewrites for i := start; i >= end; i-- to for i := end; i <= start;
// i++, spelled with < where the start is a bound minus one.
func ascend(o *ssair.Op, c *Count) {
	start := o.Args[c.Index]
	b := ssair.NewBuilder(o.Parent)
	b.Before, b.Safe, b.Pos = o, true, o.Pos
	end := c.Bound
	if d := end.Def; d != nil && d.Parent == o.Cond() {
		end = b.CloneOp(d, ssair.ValueMap{}).Result()
	}
	t := start.Type
	one := func(b *ssair.Builder) *ssair.Value { return b.Const(constant.MakeInt64(1), t) }
	tok, bound := token.LEQ, start
	if d := start.Def; d != nil && d.Kind == ssair.Bin && d.Tok == token.SUB {
		if n, ok := ConstInt(d.Args[1]); ok && n >= 1 {
			tok = token.LSS
			bound = d.Args[0]
			if n > 1 {
				bound = b.Bin(token.SUB, d.Args[0], b.Const(constant.MakeInt64(n-1), t))
			}
		}
	}
	if n, ok := ConstInt(start); ok && start.Def.Kind == ssair.Const {
		tok, bound = token.LSS, b.Const(constant.MakeInt64(n+1), t)
	}
	o.Args[c.Index] = end
	n := o.Carried()
	cond := o.Cond()
	cond.Ops = nil
	cb := ssair.NewBuilder(cond)
	cb.Yield(cb.Cmp(tok, cond.Params[c.Index], bound))
	post := o.Post()
	y := post.Term()
	pb := ssair.NewBuilder(post)
	pb.Before = y
	y.Args[c.Index] = pb.Bin(token.ADD, post.Params[c.Index], one(pb))
	o.Loop.Down = false
	if len(o.Args) == n && types.Identical(t, ssair.Int) && tok == token.LSS {
		o.Loop.Form = ssair.RangeInt
		o.Args = append(o.Args, bound)
	}
}
