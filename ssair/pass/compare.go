package pass

import (
	"go/constant"
	"go/token"

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
		if x = s.get(x); s.nilChosen(x) {
			return s.cmpNil(x, o.Tok)
		}
	}
	// A value that an if chooses among constants: compare in its arms.
	if cy != nil && ssair.IsInteger(x.Type) && (o.Tok == token.EQL || o.Tok == token.NEQ) {
		if v := s.cmpChosen(x, o.Tok, cy); v != nil {
			return v
		}
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

// nilChosen reports whether v is the result of an if that chooses among values that
// are nil or not as can be seen.
func (s *simplifier) nilChosen(v *ssair.Value) bool {
	d := v.Def
	if d == nil || d.Kind != ssair.If {
		return false
	}
	k := indexOf(d.Results, v)
	for _, r := range d.Regions {
		t := r.Term()
		if t.Kind != ssair.Yield {
			continue
		}
		x := s.get(t.Args[k])
		if _, known := nilness(x); !known && !s.nilChosen(x) {
			return false
		}
	}
	return true
}

// cmpNil compares such a result with nil inside its arms.
func (s *simplifier) cmpNil(v *ssair.Value, tok token.Token) *ssair.Value {
	d := v.Def
	k := indexOf(d.Results, v)
	for _, r := range d.Regions {
		t := r.Term()
		if t.Kind != ssair.Yield {
			continue
		}
		x := s.get(t.Args[k])
		if isNil, known := nilness(x); known {
			b := ssair.NewBuilder(r)
			b.Before = t
			t.Args = append(t.Args, b.Bool(isNil == (tok == token.EQL)))
		} else {
			t.Args = append(t.Args, s.cmpNil(x, tok))
		}
	}
	return d.AddResult(ssair.Bool, nil)
}

// cmpChosen compares the result of an if with a constant inside its arms. It
// returns nil unless every arm yields a constant or such a result.
func (s *simplifier) cmpChosen(x *ssair.Value, tok token.Token, c constant.Value) *ssair.Value {
	x = s.get(x)
	if !s.chosen(x) {
		return nil
	}
	d := x.Def
	if d.Kind == ssair.Const || d.Kind == ssair.Zero {
		b := ssair.NewBuilder(d.Parent)
		b.Before = d
		return b.Bool(constant.Compare(constVal(x), tok, c))
	}
	k := indexOf(d.Results, x)
	for _, r := range d.Regions {
		t := r.Term()
		if t.Kind != ssair.Yield {
			continue
		}
		v := s.cmpChosen(t.Args[k], tok, c)
		if v.Def.Kind == ssair.Const && !r.Contains(v.Def.Parent) {
			b := ssair.NewBuilder(r)
			b.Before = t
			v = b.Bool(isBool(v, true))
		}
		t.Args = append(t.Args, v)
	}
	return d.AddResult(ssair.Bool, nil)
}

// chosen reports whether v is a constant or the result of ifs that choose
// among constants.
func (s *simplifier) chosen(v *ssair.Value) bool {
	v = s.get(v)
	if v.Def == nil {
		return false
	}
	if constVal(v) != nil {
		return true
	}
	if v.Def.Kind != ssair.If {
		return false
	}
	k := indexOf(v.Def.Results, v)
	for _, r := range v.Def.Regions {
		if t := r.Term(); t.Kind == ssair.Yield && !s.chosen(t.Args[k]) {
			return false
		}
	}
	return true
}

func indexOf(vs []*ssair.Value, v *ssair.Value) int {
	for i, x := range vs {
		if x == v {
			return i
		}
	}
	return -1
}
