package pass

import (
	"go/constant"
	"go/token"
	"slices"

	"github.com/quabla/quabla/ssair"
)

func (s *simplifier) cmp(b *ssair.Builder, o *ssair.Op) *ssair.Value {
	x, y := o.Args[0], o.Args[1]
	cx, cy := constVal(x), constVal(y)
	if cx != nil && cy != nil && !ssair.IsFloat(x.Type) && !ssair.IsComplex(x.Type) {
		return b.Bool(constant.Compare(cx, o.Tok, cy))
	}
	if ssair.IsFloat(x.Type) {
		u, okx := ConstFloat(x)
		v, oky := ConstFloat(y)
		if okx && oky {
			return b.Bool(constant.Compare(constant.MakeFloat64(u), o.Tok, constant.MakeFloat64(v)))
		}
	}
	if x == y && ssair.IsInteger(x.Type) {
		return b.Bool(o.Tok == token.EQL || o.Tok == token.LEQ || o.Tok == token.GEQ)
	}
	if ssair.IsRef(x.Type) && y.Def != nil && y.Def.Kind == ssair.Zero {
		isNil, known := s.nils[x]
		if n, ok := nilness(x); ok {
			isNil, known = n, true
		}
		if known && (o.Tok == token.EQL || o.Tok == token.NEQ) {
			return b.Bool(isNil == (o.Tok == token.EQL))
		}
		return s.inArms(x, func(v *ssair.Value) (truth, known bool) {
			isNil, known := nilness(v)
			return isNil == (o.Tok == token.EQL), known
		})
	}
	if cy != nil && ssair.IsInteger(x.Type) && (o.Tok == token.EQL || o.Tok == token.NEQ) {
		return s.inArms(x, func(v *ssair.Value) (truth, known bool) {
			c := constVal(v)
			return c != nil && constant.Compare(c, o.Tok, cy), c != nil
		})
	}
	return nil
}

// nilness reports whether v, a reference, is nil, if that can be seen at once.
func nilness(v *ssair.Value) (isNil, known bool) {
	d := v.Def
	if d == nil {
		return false, false
	}
	switch d.Kind {
	case ssair.Zero:
		return true, true
	case ssair.Alloc, ssair.Addr, ssair.MakeSlice, ssair.MakeMap, ssair.MakeIface:
		return false, true
	case ssair.Conv:
		return nilness(d.Args[0])
	case ssair.Opaque:
		return false, d.Certain || makesError(d)
	}
	return false, false
}

// makesError reports whether o calls a function that always returns an error.
func makesError(o *ssair.Op) bool {
	if o.Obj == nil || o.Obj.Pkg() == nil {
		return false
	}
	name := o.Obj.Pkg().Path() + "." + o.Obj.Name()
	return name == "errors.New" || name == "fmt.Errorf"
}

// A test says whether something holds for a value, if that can be seen at once.
type test func(*ssair.Value) (truth, known bool)

// inArms tests the result v of an if inside its arms. It returns nil unless every arm
// yields a value of which the answer is known, or the result of such an if.
func (s *simplifier) inArms(v *ssair.Value, is test) *ssair.Value {
	if v = s.get(v); v.Def == nil || v.Def.Kind != ssair.If || !s.chosen(v, is) {
		return nil
	}
	return s.tested(v, is)
}

func (s *simplifier) chosen(v *ssair.Value, is test) bool {
	v = s.get(v)
	if _, known := is(v); known {
		return true
	}
	d := v.Def
	if d == nil || d.Kind != ssair.If {
		return false
	}
	k := indexOf(d.Results, v)
	return !slices.ContainsFunc(d.Regions, func(r *ssair.Region) bool {
		t := r.Term()
		return t.Kind == ssair.Yield && !s.chosen(t.Args[k], is)
	})
}

func (s *simplifier) tested(v *ssair.Value, is test) *ssair.Value {
	d := v.Def
	k := indexOf(d.Results, v)
	for _, r := range d.Regions {
		t := r.Term()
		if t.Kind != ssair.Yield {
			continue
		}
		x := s.get(t.Args[k])
		truth, known := is(x)
		if !known {
			t.Args = append(t.Args, s.tested(x, is))
			continue
		}
		b := ssair.NewBuilder(r)
		b.Before = t
		t.Args = append(t.Args, b.Bool(truth))
	}
	return d.AddResult(ssair.Bool, nil)
}

func indexOf(vs []*ssair.Value, v *ssair.Value) int {
	for i, x := range vs {
		if x == v {
			return i
		}
	}
	return -1
}
