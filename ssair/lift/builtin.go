package lift

import (
	"go/ast"
	"go/types"

	"github.com/quabla/quabla/ssair"
)

// isPanic reports whether e is a call of the built-in panic.
func (fr *frame) isPanic(e *ast.CallExpr) bool {
	id, ok := ast.Unparen(e.Fun).(*ast.Ident)
	if !ok {
		return false
	}
	b, ok := fr.info.Uses[id].(*types.Builtin)
	return ok && b.Name() == "panic"
}

func one(v *ssair.Value) []val { return []val{{v: v}} }

// builtin lifts a call of a predeclared function.
func (fr *frame) builtin(e *ast.CallExpr) []val {
	name := ""
	switch f := ast.Unparen(e.Fun).(type) {
	case *ast.Ident:
		name = fr.info.Uses[f].(*types.Builtin).Name()
	case *ast.SelectorExpr:
		fr.refuse(e, "keep the values in float slices", "cannot differentiate unsafe.%s", f.Sel.Name)
	}
	switch name {
	case "append", "copy", "clear", "delete", "make":
		fr.opaqueElems(e.Args[0], name+" of")
		if last := e.Args[len(e.Args)-1]; name == "copy" || e.Ellipsis.IsValid() {
			fr.opaqueElems(last, name+" of")
		}
	}
	switch name {
	case "len", "cap":
		return one(fr.lenCap(e, name))
	case "append":
		return one(fr.appendCall(e))
	case "copy":
		dst, src := fr.value(e.Args[0]), fr.value(e.Args[1])
		return one(fr.b.Op(ssair.Copy, []*ssair.Value{dst, src}, ssair.Int).Result())
	case "clear":
		fr.b.Op(ssair.Clear, []*ssair.Value{fr.value(e.Args[0])})
		return nil
	case "delete":
		m := fr.value(e.Args[0])
		k := fr.operand(e.Args[1], m.Type.Underlying().(*types.Map).Key())
		fr.b.Op(ssair.MapDelete, []*ssair.Value{m, k})
		return nil
	case "make":
		return one(fr.makeCall(e))
	case "new":
		t := fr.typeOf(e)
		if tv := fr.info.Types[e.Args[0]]; !tv.IsType() { // new(expr), Go 1.26
			v := fr.operand(e.Args[0], ssair.Deref(t))
			cell := fr.b.Alloc(v.Type, nil)
			cell.Def.Explicit = true
			fr.b.Store(cell, nil, v)
			return one(cell)
		}
		cell := fr.b.Alloc(ssair.Deref(t), nil)
		cell.Def.Explicit = true
		return one(cell)
	case "min", "max":
		t := fr.typeOf(e)
		v := fr.operand(e.Args[0], t)
		for _, a := range e.Args[1:] {
			w := fr.operand(a, t)
			v = fr.b.Apply(name, []types.Type{t}, v, w).Result()
		}
		return one(v)
	case "panic":
		v := fr.operand(e.Args[0], ssair.Any)
		fr.b.Op(ssair.Panic, []*ssair.Value{v})
		return nil
	case "print", "println":
		for _, a := range e.Args {
			fr.value(a)
		}
		return nil
	case "recover":
		return one(fr.recovered(e))
	case "complex", "real", "imag":
		var ops []*ssair.Value
		t := fr.typeOf(e)
		for _, a := range e.Args {
			at := fr.typeOf(a)
			if name == "complex" {
				at = realOf(t)
			}
			ops = append(ops, fr.operand(a, at))
		}
		return one(fr.b.Apply(name, []types.Type{t}, ops...).Result())
	}
	fr.refuse(e, "compute it outside and pass the result as a parameter", "cannot differentiate the built-in %s", name)
	return nil
}

// realOf returns the type of the parts of a complex type.
func realOf(t types.Type) types.Type {
	if b, ok := t.Underlying().(*types.Basic); ok && b.Kind() == types.Complex64 {
		return types.Typ[types.Float32]
	}
	return ssair.Float64
}

func (fr *frame) lenCap(e *ast.CallExpr, name string) *ssair.Value {
	x := e.Args[0]
	t := fr.typeOf(x)
	if ptr := ssair.Deref(t); ptr != nil {
		t = ptr
	}
	if a, ok := t.Underlying().(*types.Array); ok {
		fr.value(x) // for its effects
		return fr.b.Int(int(a.Len()))
	}
	v := fr.value(x)
	if name == "cap" {
		return fr.b.Cap(v)
	}
	if _, ok := v.Type.Underlying().(*types.Map); ok {
		return fr.b.Op(ssair.MapLen, []*ssair.Value{v}, ssair.Int).Result()
	}
	return fr.b.Len(v)
}

func (fr *frame) appendCall(e *ast.CallExpr) *ssair.Value {
	t := fr.typeOf(e)
	s := fr.operand(e.Args[0], t)
	if len(e.Args) == 1 {
		return s
	}
	if e.Ellipsis.IsValid() {
		if fr.info.Types[e.Args[1]].IsNil() {
			return s
		}
		x := fr.value(e.Args[1])
		return fr.b.Op(ssair.AppendSlice, []*ssair.Value{s, x}, t).Result()
	}
	ops := []*ssair.Value{s}
	for _, a := range e.Args[1:] {
		ops = append(ops, fr.operand(a, ssair.ElemType(t)))
	}
	return fr.b.Op(ssair.Append, ops, t).Result()
}

func (fr *frame) makeCall(e *ast.CallExpr) *ssair.Value {
	t := fr.typeOf(e)
	switch t.Underlying().(type) {
	case *types.Slice:
		n := fr.b.Conv(fr.index(e.Args[1]), ssair.Int)
		var c *ssair.Value
		if len(e.Args) > 2 {
			c = fr.b.Conv(fr.index(e.Args[2]), ssair.Int)
		}
		return fr.b.MakeSlice(t, n, c)
	case *types.Map:
		return fr.b.Op(ssair.MakeMap, nil, t).Result()
	}
	fr.refuse(e, "keep the values in a variable or a slice", "cannot differentiate a channel")
	return nil
}
