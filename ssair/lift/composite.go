package lift

import (
	"go/ast"
	"go/constant"
	"go/types"

	"github.com/quabla/quabla/ssair"
)

// composite lifts a composite literal.
func (fr *frame) composite(e *ast.CompositeLit) *ssair.Value {
	t := fr.typeOf(e)
	switch u := t.Underlying().(type) {
	case *types.Struct:
		parts := make([]*ssair.Value, u.NumFields())
		for i, el := range e.Elts {
			k := i
			x := el
			if kv, ok := el.(*ast.KeyValueExpr); ok {
				k = fieldIndex(u, kv.Key.(*ast.Ident).Name)
				x = kv.Value
			}
			parts[k] = fr.element(x, u.Field(k).Type())
		}
		for k := range parts {
			if parts[k] == nil {
				parts[k] = fr.b.Zero(u.Field(k).Type())
			}
		}
		return fr.b.Build(t, parts...)
	case *types.Array:
		if u.Len() <= maxBuild {
			parts := make([]*ssair.Value, u.Len())
			fr.elements(e, u.Elem(), func(i int, v *ssair.Value) { parts[i] = v })
			for k := range parts {
				if parts[k] == nil {
					parts[k] = fr.b.Zero(u.Elem())
				}
			}
			return fr.b.Build(t, parts...)
		}
		cell := fr.b.Alloc(t, nil)
		fr.fill(e, &place{base: cell, typ: t, safe: true, node: e})
		return fr.b.Load(cell, nil)
	case *types.Slice:
		n := literalLen(e, fr.info)
		size := fr.b.Int(n)
		s := fr.b.MakeSlice(t, size, nil)
		fr.elements(e, u.Elem(), func(i int, v *ssair.Value) {
			o := fr.b.Store(s, []ssair.Step{ssair.Elem}, v, fr.b.Int(i))
			o.Safe = true
		})
		return s
	case *types.Map:
		m := fr.b.Op(ssair.MakeMap, nil, t).Result()
		for _, el := range e.Elts {
			kv := el.(*ast.KeyValueExpr)
			k := fr.element(kv.Key, u.Key())
			v := fr.element(kv.Value, u.Elem())
			fr.b.Op(ssair.MapSet, []*ssair.Value{m, k, v})
		}
		return m
	}
	fr.refuse(e, "", "cannot differentiate a literal of type %s", t)
	return nil
}

// maxBuild is the largest array that is handled as a value rather than in a
// cell when a literal makes it.
const maxBuild = 16

// element lifts an element of a composite literal, whose type may be left out
// when it is itself a literal.
func (fr *frame) element(e ast.Expr, t types.Type) *ssair.Value {
	if lit, ok := ast.Unparen(e).(*ast.CompositeLit); ok && lit.Type == nil {
		if ssair.Deref(t) != nil {
			if _, isPtr := fr.typeOf(lit).Underlying().(*types.Pointer); isPtr {
				return fr.newAt(lit, ssair.Deref(t))
			}
		}
	}
	return fr.operand(e, t)
}

// elements lifts the elements of an array or slice literal.
func (fr *frame) elements(e *ast.CompositeLit, elem types.Type, set func(int, *ssair.Value)) {
	i := 0
	for _, el := range e.Elts {
		x := el
		if kv, ok := el.(*ast.KeyValueExpr); ok {
			n, _ := constant.Int64Val(constant.ToInt(fr.info.Types[kv.Key].Value))
			i, x = int(n), kv.Value
		}
		set(i, fr.element(x, elem))
		i++
	}
}

func literalLen(e *ast.CompositeLit, info *types.Info) int {
	n, i := 0, 0
	for _, el := range e.Elts {
		if kv, ok := el.(*ast.KeyValueExpr); ok {
			k, _ := constant.Int64Val(constant.ToInt(info.Types[kv.Key].Value))
			i = int(k)
		}
		i++
		n = max(n, i)
	}
	return n
}

func fieldIndex(s *types.Struct, name string) int {
	for i := range s.NumFields() {
		if s.Field(i).Name() == name {
			return i
		}
	}
	panic("lift: no field " + name)
}

// newComposite lifts &T{...}.
func (fr *frame) newComposite(e *ast.CompositeLit) *ssair.Value {
	return fr.newAt(e, fr.typeOf(e))
}

func (fr *frame) newAt(e *ast.CompositeLit, t types.Type) *ssair.Value {
	if p := ssair.Deref(t); p != nil {
		t = p
	}
	switch t.Underlying().(type) {
	case *types.Struct, *types.Array:
		cell := fr.b.Alloc(t, nil)
		cell.Def.Explicit = true
		fr.fill(e, &place{base: cell, typ: t, safe: true, node: e})
		return cell
	}
	v := fr.composite(e)
	cell := fr.b.Alloc(t, nil)
	cell.Def.Explicit = true
	fr.b.Store(cell, nil, v)
	return cell
}

// fill stores the elements of a literal into the zeroed place p.
func (fr *frame) fill(e *ast.CompositeLit, p *place) {
	switch u := p.typ.Underlying().(type) {
	case *types.Struct:
		// All elements are evaluated before the first is stored: they may
		// read the memory that is being filled only through calls, and the
		// order of stores does not matter then.
		for i, el := range e.Elts {
			k, x := i, el
			if kv, ok := el.(*ast.KeyValueExpr); ok {
				k, x = fieldIndex(u, kv.Key.(*ast.Ident).Name), kv.Value
			}
			f := p.field(k)
			fr.b.Store(f.base, f.path, fr.element(x, f.typ), f.idx...).Safe = true
		}
	case *types.Array:
		fr.elements(e, u.Elem(), func(i int, v *ssair.Value) {
			q := p.elem(fr.b.Int(i))
			fr.b.Store(q.base, q.path, v, q.idx...).Safe = true
		})
	}
}
