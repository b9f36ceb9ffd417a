package deriv

import (
	"go/token"
	"go/types"

	"github.com/quabla/quabla/ssair"
)

// A function may replace references inside of its parameters: swap the rows of a
// matrix, append to a slice in a struct. The shadow follows it, so that it cannot
// be the destination itself, whose parts must stay where the caller finds them.
// It is a shell then: new memory for what holds references, around the numbers of
// the destination.

// A shell is the copy of a destination.
type shell struct {
	value *ssair.Value
	// finish stores the numbers that lie beside references, and so in the copy,
	// in the destination.
	finish func(b *ssair.Builder)
}

// newShell builds the shell of d, a destination for a parameter of type t.
func newShell(b *ssair.Builder, d *ssair.Value, t types.Type, f *ssair.Func, seen []types.Type) shell {
	same := shell{d, func(*ssair.Builder) {}}
	if !ssair.RefersToScalar(t) {
		return same
	}
	cannot := func() {
		refuse(f.Pos, "copy the numbers instead", "%s replaces references inside of a parameter through the type %s, and its derivative cannot follow", f.Name, t)
	}
	for _, s := range seen {
		if types.Identical(s, t) {
			cannot()
		}
	}
	seen = append(seen[:len(seen):len(seen)], t)
	switch u := t.Underlying().(type) {
	case *types.Slice:
		if !ssair.RefersToScalar(u.Elem()) {
			return same
		}
		n := b.MakeSlice(d.Type, b.Len(d), b.Cap(d))
		var inner func(b *ssair.Builder, i *ssair.Value)
		b.Each(b.Len(d), "i", func(i *ssair.Value) {
			s := newShell(b, b.Load(d, elem(), i), u.Elem(), f, seen)
			b.Store(n, elem(), s.value, i)
		})
		if ssair.HoldsScalar(u.Elem()) || deeper(u.Elem()) {
			inner = func(b *ssair.Builder, i *ssair.Value) {
				finishPlace(b, spot{base: d}.elem(i), spot{base: n}.elem(i), u.Elem(), f)
			}
		}
		return shell{n, func(b *ssair.Builder) {
			if inner != nil {
				b.Each(b.Len(d), "i", func(i *ssair.Value) { inner(b, i) })
			}
		}}
	case *types.Pointer:
		if !ssair.RefersToScalar(u.Elem()) {
			return same
		}
		op := b.If(b.Cmp(token.EQL, d, b.Zero(d.Type)))
		in := b.At(op.Regions[0])
		in.Yield(in.Zero(d.Type))
		in = b.At(op.Regions[1])
		n := in.Alloc(ssair.Deref(d.Type), nil)
		s := newShell(in, in.Load(d, nil), u.Elem(), f, seen)
		in.Store(n, nil, s.value)
		in.Yield(n)
		y := op.AddResult(d.Type, nil)
		return shell{y, func(b *ssair.Builder) {
			when(b, b.Cmp(token.NEQ, d, b.Zero(d.Type)), func(b *ssair.Builder) {
				finishPlace(b, spot{base: d}, spot{base: y}, u.Elem(), f)
			})
		}}
	case *types.Struct:
		parts := make([]*ssair.Value, u.NumFields())
		var finish []func(*ssair.Builder)
		for i := range parts {
			s := newShell(b, b.Extract(d, i), u.Field(i).Type(), f, seen)
			parts[i] = s.value
			finish = append(finish, s.finish)
		}
		return shell{b.Build(d.Type, parts...), func(b *ssair.Builder) {
			for _, fin := range finish {
				fin(b)
			}
		}}
	case *types.Array:
		parts := make([]*ssair.Value, u.Len())
		var finish []func(*ssair.Builder)
		for i := range parts {
			s := newShell(b, b.Extract(d, i), u.Elem(), f, seen)
			parts[i] = s.value
			finish = append(finish, s.finish)
		}
		return shell{b.Build(d.Type, parts...), func(b *ssair.Builder) {
			for _, fin := range finish {
				fin(b)
			}
		}}
	}
	cannot()
	return same
}

// deeper reports whether values of type t refer to memory that holds references
// to numbers in turn, so that their shells are new memory with numbers in it.
func deeper(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return ssair.RefersToScalar(u.Elem())
	case *types.Pointer:
		return ssair.RefersToScalar(u.Elem())
	case *types.Struct:
		for i := range u.NumFields() {
			if deeper(u.Field(i).Type()) {
				return true
			}
		}
	case *types.Array:
		return deeper(u.Elem())
	}
	return false
}

// finishPlace brings the numbers of the shell at from back to the destination at
// to. It refuses references below which there are shells with numbers: their
// places may have been exchanged.
func finishPlace(b *ssair.Builder, to, from spot, t types.Type, f *ssair.Func) {
	if deeper(t) {
		refuse(f.Pos, "copy the numbers instead", "%s replaces references inside of a parameter, below the type %s, and its derivative cannot follow", f.Name, t)
	}
	eachNumber(b, t, func(b *ssair.Builder, p []ssair.Step, idx []*ssair.Value) {
		v := b.Load(from.base, join(from.path, p), joinV(from.idx, idx)...)
		b.Store(to.base, join(to.path, p), v, joinV(to.idx, idx)...)
	})
}
