package deriv

import (
	"fmt"
	"go/token"
	"go/types"

	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// A spot is a place in memory: base with path, whose indices are idx.
type spot struct {
	base *ssair.Value
	path []ssair.Step
	idx  []*ssair.Value
}

func (p spot) field(i int) spot {
	return spot{p.base, append(p.path[:len(p.path):len(p.path)], ssair.Field(i)), p.idx}
}

func (p spot) elem(i *ssair.Value) spot {
	return spot{p.base, append(p.path[:len(p.path):len(p.path)], ssair.Elem), append(p.idx[:len(p.idx):len(p.idx)], i)}
}

func (p spot) load(b *ssair.Builder) *ssair.Value     { return b.Load(p.base, p.path, p.idx...) }
func (p spot) store(b *ssair.Builder, v *ssair.Value) { b.Store(p.base, p.path, v, p.idx...) }

// cell puts v in a variable of its own, so that it has a place.
func cell(b *ssair.Builder, v *ssair.Value) spot {
	c := b.Alloc(v.Type, v.Var)
	b.Store(c, nil, v)
	return spot{base: c}
}

// flatLen returns the number of floats in a value of type t if the type alone
// says it.
func flatLen(t types.Type) (int, bool) {
	if ssair.IsScalar(t) {
		return 1, true
	}
	if !ssair.ReachesScalar(t) {
		return 0, true
	}
	switch u := t.Underlying().(type) {
	case *types.Array:
		n, ok := flatLen(u.Elem())
		return n * int(u.Len()), ok
	case *types.Struct:
		sum := 0
		for i := range u.NumFields() {
			n, ok := flatLen(u.Field(i).Type())
			if !ok {
				return 0, false
			}
			sum += n
		}
		return sum, true
	}
	return 0, false
}

// A leafRun is a run of n floats of one type that lie in a row. The k-th of them
// is at(k) and has the number first+k among all.
type leafRun struct {
	n, first *ssair.Value
	at       func(k *ssair.Value) spot
	typ      types.Type
}

// eachLeaf visits the floats at p, which has the primal type t, in order; first
// is the number of the first. It returns the number behind the last. The floats
// themselves may be arrays of lanes.
func eachLeaf(b *ssair.Builder, p spot, t types.Type, first *ssair.Value, visit func(*ssair.Builder, leafRun)) *ssair.Value {
	if ssair.IsScalar(t) {
		visit(b, leafRun{b.Int(1), first, func(*ssair.Value) spot { return p }, t})
		return plus(b, first, b.Int(1))
	}
	if !ssair.ReachesScalar(t) {
		return first
	}
	elems := func(n *ssair.Value, elem types.Type, at func(k *ssair.Value) spot) *ssair.Value {
		if ssair.IsScalar(elem) {
			visit(b, leafRun{n, first, at, elem})
			return plus(b, first, n)
		}
		count := cell(b, first)
		b.Each(n, "i", func(i *ssair.Value) {
			count.store(b, eachLeaf(b, at(i), elem, count.load(b), visit))
		})
		return count.load(b)
	}
	switch u := t.Underlying().(type) {
	case *types.Array:
		return elems(b.Int(int(u.Len())), u.Elem(), p.elem)
	case *types.Slice:
		s := p.load(b)
		return elems(b.Len(s), u.Elem(), spot{base: s}.elem)
	case *types.Struct:
		for i := range u.NumFields() {
			first = eachLeaf(b, p.field(i), u.Field(i).Type(), first, visit)
		}
		return first
	case *types.Signature:
		return first // the numbers that a function captures are none of its value's
	case *types.Pointer:
		q := p.load(b)
		count := cell(b, first)
		op := b.If(b.Cmp(token.NEQ, q, b.Zero(q.Type)))
		in := b.At(op.Regions[0])
		count.store(in, eachLeaf(in, spot{base: q}, u.Elem(), first, visit))
		in.Yield()
		b.At(op.Regions[1]).Yield()
		return count.load(b)
	}
	refuse(token.NoPos, "", "the floats of a value of type %s have no fixed order", t)
	return nil
}

// countLeaves returns the number of floats in v.
func countLeaves(b *ssair.Builder, v *ssair.Value) *ssair.Value {
	if n, ok := flatLen(v.Type); ok {
		return b.Int(n)
	}
	if s, ok := v.Type.Underlying().(*types.Slice); ok {
		if k, ok := flatLen(s.Elem()); ok {
			return b.Bin(token.MUL, b.Len(v), b.Int(k))
		}
	}
	return eachLeaf(b, cell(b, v), v.Type, b.Int(0), func(*ssair.Builder, leafRun) {})
}

// plus builds x + y, folding constants.
func plus(b *ssair.Builder, x, y *ssair.Value) *ssair.Value {
	m, okx := pass.ConstInt(x)
	n, oky := pass.ConstInt(y)
	switch {
	case okx && oky:
		return b.Int(int(m + n))
	case okx && m == 0:
		return y
	case oky && n == 0:
		return x
	}
	return b.Bin(token.ADD, x, y)
}

// A snapshot remembers what is at a place.
type snapshot struct {
	restore func(b *ssair.Builder)
}

// remember copies the memory that v refers to, as deep as it goes, so that it
// can be put back.
func remember(b *ssair.Builder, v *ssair.Value, pos token.Pos) snapshot {
	var parts []snapshot
	t := v.Type
	if !ssair.HoldsRef(t) {
		return snapshot{func(*ssair.Builder) {}}
	}
	cannot := func() {
		refuse(pos, "use jvp, vjp or hvp, which run it once", "a matrix takes several runs of the function, and what it changes through %s, of type %s, cannot be put back", v.Name(), t)
	}
	switch u := t.Underlying().(type) {
	case *types.Slice:
		if ssair.HoldsRef(u.Elem()) {
			if s, ok := u.Elem().Underlying().(*types.Slice); !ok || ssair.HoldsRef(s.Elem()) {
				cannot()
			}
			rows := b.MakeSlice(t, b.Len(v), nil)
			b.Each(b.Len(v), "i", func(i *ssair.Value) {
				row := b.Load(v, []ssair.Step{ssair.Elem}, i)
				kept := b.MakeSlice(u.Elem(), b.Len(row), nil)
				b.Op(ssair.Copy, []*ssair.Value{kept, row}, ssair.Int)
				b.Store(rows, []ssair.Step{ssair.Elem}, kept, i)
			})
			return snapshot{func(b *ssair.Builder) {
				b.Each(b.Len(rows), "i", func(i *ssair.Value) {
					b.Op(ssair.Copy, []*ssair.Value{b.Load(v, []ssair.Step{ssair.Elem}, i), b.Load(rows, []ssair.Step{ssair.Elem}, i)}, ssair.Int)
				})
			}}
		}
		kept := b.MakeSlice(t, b.Len(v), nil)
		kept.Var = &ssair.Var{Name: v.Name() + "0"}
		b.Op(ssair.Copy, []*ssair.Value{kept, v}, ssair.Int)
		return snapshot{func(b *ssair.Builder) { b.Op(ssair.Copy, []*ssair.Value{v, kept}, ssair.Int) }}
	case *types.Pointer:
		kept := b.Load(v, nil)
		kept.Var = &ssair.Var{Name: v.Name() + "0"}
		parts = append(parts, snapshot{func(b *ssair.Builder) { b.Store(v, nil, kept) }})
		parts = append(parts, remember(b, kept, pos))
	case *types.Struct:
		for i := range u.NumFields() {
			if f := u.Field(i); ssair.HoldsRef(f.Type()) {
				x := b.Extract(v, i)
				x.Var = &ssair.Var{Name: fmt.Sprintf("%s%s", v.Name(), f.Name())}
				parts = append(parts, remember(b, x, pos))
			}
		}
	case *types.Array:
		for i := range int(u.Len()) {
			parts = append(parts, remember(b, b.Extract(v, i), pos))
		}
	default:
		cannot()
	}
	return snapshot{func(b *ssair.Builder) {
		for _, p := range parts {
			p.restore(b)
		}
	}}
}
