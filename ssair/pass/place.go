package pass

import (
	"go/token"
	"go/types"

	"github.com/quabla/quabla/ssair"
)

// Apart reports whether the places that two loads, stores or accumulations
// touch, in one run of the region around them, are certainly not the same, even
// if their references are. Go's memory is made of whole objects: two places in
// objects of one type that differ in a field or a constant index are apart
// wherever the objects lie, and so are two elements of one slice whose indices
// differ by a constant.
func Apart(x, y *ssair.Op) bool { return apart(x, y, func(v *ssair.Value) *ssair.Value { return v }) }

func apart(x, y *ssair.Op, get func(*ssair.Value) *ssair.Value) bool {
	tx, px, ix := object(x)
	ty, py, iy := object(y)
	if get(x.Base()) == get(y.Base()) && len(x.Path) > 0 && len(y.Path) > 0 && !x.Path[0].IsField() && !y.Path[0].IsField() {
		v, k := offset(get(x.Indices()[0]), get)
		w, l := offset(get(y.Indices()[0]), get)
		if v == w && k != l {
			return true
		}
	}
	if !types.Identical(tx, ty) {
		return false
	}
	for k := range min(len(px), len(py)) {
		p, q := px[k], py[k]
		if p.IsField() != q.IsField() {
			return false
		}
		if p.IsField() {
			if p != q {
				return true
			}
			continue
		}
		v, a := offset(get(ix[0]), get)
		w, b := offset(get(iy[0]), get)
		if v == w && a != b {
			return true
		}
		ix, iy = ix[1:], iy[1:]
	}
	return false
}

// object returns the type of the whole object that a memory op touches, and the
// path and the indices inside it: an element of a slice, or what a pointer
// points to.
func object(o *ssair.Op) (t types.Type, path []ssair.Step, idx []*ssair.Value) {
	idx = o.Indices()
	if s, ok := o.Base().Type.Underlying().(*types.Slice); ok && len(o.Path) > 0 {
		return s.Elem(), o.Path[1:], idx[1:]
	}
	return ssair.Deref(o.Base().Type), o.Path, idx
}

// offset writes v as w plus a constant; w is nil for a constant.
func offset(v *ssair.Value, get func(*ssair.Value) *ssair.Value) (w *ssair.Value, k int64) {
	if n, ok := ConstInt(v); ok {
		return nil, n
	}
	if d := v.Def; d != nil && d.Kind == ssair.Bin && (d.Tok == token.ADD || d.Tok == token.SUB) && types.Identical(v.Type, ssair.Int) {
		if n, ok := ConstInt(get(d.Args[1])); ok {
			if d.Tok == token.SUB {
				n = -n
			}
			return get(d.Args[0]), n
		}
		if n, ok := ConstInt(get(d.Args[0])); ok && d.Tok == token.ADD {
			return get(d.Args[1]), n
		}
	}
	return v, 0
}
