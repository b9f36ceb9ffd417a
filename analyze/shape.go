package analyze

import (
	"go/types"
	"slices"
	"strings"
)

// A shaper lays out the parameters and results of one verb applied to fn.
type shaper struct {
	*applier
	fn    *Derived
	v     *application
	d     *Derived
	names namer
}

// shape fills the parameters and results of s.d. It reports false after a report.
func (s *shaper) shape() bool {
	switch s.v.verb {
	case Value:
		s.params(nil)
		s.results(nil)
	case Grad:
		derivs := s.adjoints(AdjointName, s.d.Wrt, s.names)
		s.params(nil)
		s.results(derivs)
	case VJP:
		derivs := s.adjoints(CotangentName, s.withOutputs(), s.names)
		s.params(nil)
		s.d.Params = append(s.d.Params, s.cotangents(s.names)...)
		s.results(derivs)
	case Pullback:
		s.params(nil)
		s.pullback()
	case JVP:
		return s.jvp()
	case HVP:
		s.hvp()
	case Jacobian:
		return s.matrix("jac", "Dense")
	case Hessian:
		return s.matrix("h", "SymDense")
	case VMap:
		s.batch()
	}
	return true
}

// params appends the parameters of fn, each followed by what behind gives for it.
// The receiver is not among the parameters, but what follows it is.
func (s *shaper) params(behind func(i int, p Slot) []Slot) {
	for i, p := range s.fn.All() {
		if i > 0 || s.fn.Recv == nil {
			q := p
			q.Role, q.Of, q.OfResult, q.InOut = Primal, i, false, false
			if q.variadic {
				q.variadic = false // its type is a slice already
			}
			s.d.Params = append(s.d.Params, q)
		}
		if behind != nil {
			s.d.Params = append(s.d.Params, behind(i, p)...)
		}
	}
}

// results appends the results of fn, then derivs, with a last error kept last.
func (s *shaper) results(derivs []Slot) {
	for i, r := range s.fn.Results {
		r.Role, r.Of, r.OfResult, r.InOut = Primal, i, true, false
		s.d.Results = append(s.d.Results, r)
	}
	at := len(s.d.Results)
	if at > 0 && isError(s.d.Results[at-1].Type) {
		at--
	}
	s.d.Results = slices.Insert(s.d.Results, at, derivs...)
}

// isOutput reports whether parameter i is among the differentiated outputs.
func (s *shaper) isOutput(i int) bool {
	return slices.Contains(s.d.Of, Output{Param: true, Index: i})
}

// withOutputs returns the indices of the parameters that are differentiated with
// respect to or are outputs, in order.
func (s *shaper) withOutputs() []int {
	list := slices.Clone(s.d.Wrt)
	for _, o := range s.d.Of {
		if o.Param {
			list = append(list, o.Index)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// adjoints appends destinations for the reference-like ones of the given
// parameters to s.d and returns results for the value-like ones.
func (s *shaper) adjoints(name func(string) string, which []int, names namer) []Slot {
	dests, derivs := s.adjointSlots(name, which, names)
	s.d.Params = append(s.d.Params, dests...)
	return derivs
}

func (s *shaper) adjointSlots(name func(string) string, which []int, names namer) (dests, derivs []Slot) {
	for _, i := range which {
		p := s.fn.All()[i]
		slot := Slot{Name: names.pick(name(p.Name)), Type: p.Type, Role: Adjoint, Of: i}
		if s.class(p.Type) == ReferenceLike {
			slot.Type = destType(p.Type)
			slot.boxed = p.boxed || slot.Type != p.Type
			slot.InOut = s.isOutput(i)
			dests = append(dests, slot)
		} else {
			derivs = append(derivs, slot)
		}
	}
	return dests, derivs
}

// destType returns the type of the destination for a parameter of type t.
func destType(t types.Type) types.Type {
	switch coreType(t).(type) {
	case *types.Struct, *types.Array:
		return types.NewPointer(t)
	}
	return t
}

// cotangents returns an argument for each output that is a result. A parameter
// that is an output has its Bar among the destinations.
func (s *shaper) cotangents(names namer) []Slot {
	var bars []Slot
	for _, o := range s.d.Of {
		if !o.Param {
			r := s.fn.Results[o.Index]
			bars = append(bars, Slot{Name: names.pick(CotangentName(r.Name)), Type: r.Type, Role: Cotangent, Of: o.Index, OfResult: true})
		}
	}
	return bars
}

func (s *shaper) pullback() {
	inner := make(namer)
	dests, derivs := s.adjointSlots(CotangentName, s.withOutputs(), inner)
	pb := Slot{Name: s.names.pick("pullback"), Role: PullbackFunc, Of: -1}
	pb.Params = append(dests, s.cotangents(inner)...)
	pb.Results = derivs
	pb.Type = (&Derived{Params: pb.Params, Results: pb.Results}).Signature(s.pkg)
	s.results([]Slot{pb})
}

func (s *shaper) jvp() bool {
	good := true
	tangentType := func(t types.Type, name string) types.Type {
		if s.v.lanes == 1 {
			return t
		}
		l, err := s.lanes.typ(t, s.v.lanes)
		if err != nil && good {
			s.errorf(s.v.lanesAt, "leave out lanes, or pass its floats as slices or arrays",
				"%s of %s cannot have %d lanes: %s", name, s.fn.title, s.v.lanes, err)
			good = false
		}
		return l
	}
	s.params(func(i int, p Slot) []Slot {
		isWrt := slices.Contains(s.d.Wrt, i)
		if !isWrt && !s.isOutput(i) {
			return nil
		}
		return []Slot{{
			Name: s.names.pick(TangentName(p.Name)), Type: tangentType(p.Type, p.Name),
			Role: Tangent, Of: i, InOut: isWrt && s.isOutput(i), boxed: p.boxed,
		}}
	})
	var derivs []Slot
	for _, o := range s.d.Of {
		if !o.Param {
			r := s.fn.Results[o.Index]
			derivs = append(derivs, Slot{
				Name: s.names.pick(TangentName(r.Name)), Type: tangentType(r.Type, r.Name),
				Role: Tangent, Of: o.Index, OfResult: true,
			})
		}
	}
	s.results(derivs)
	return good
}

func (s *shaper) hvp() {
	one := len(s.d.Wrt) == 1
	name := func(kind, param string) string {
		if one {
			return s.names.pick(map[string]string{"h": "hv", "v": "v"}[kind])
		}
		return s.names.pick(kind + param)
	}
	var derivs []Slot
	for _, i := range s.d.Wrt {
		p := s.fn.All()[i]
		hv := Slot{Name: name("h", p.Name), Type: p.Type, Role: Product, Of: i}
		if s.class(p.Type) == ReferenceLike {
			hv.Type = destType(p.Type)
			hv.boxed = p.boxed || hv.Type != p.Type
			s.d.Params = append(s.d.Params, hv)
		} else {
			derivs = append(derivs, hv)
		}
	}
	s.params(func(i int, p Slot) []Slot {
		if !slices.Contains(s.d.Wrt, i) {
			return nil
		}
		return []Slot{{Name: name("v", p.Name), Type: p.Type, Role: Direction, Of: i}}
	})
	s.results(derivs)
}

// gonumMat is the package with the matrix types of jacobian and hessian.
const gonumMat = "gonum.org/v1/gonum/mat"

func (s *shaper) matrix(name, typ string) bool {
	for _, i := range s.d.Wrt {
		if !s.checkFlat(s.fn.All()[i], "parameter") {
			return false
		}
	}
	for _, o := range s.d.Of {
		if !s.checkFlat(s.fn.slot(o), "output") {
			return false
		}
	}
	mat, err := s.imp(gonumMat)
	if err != nil {
		s.errorf(s.v.word, "run go get gonum.org/v1/gonum", "%s needs the package %s: %s", s.v.verb, gonumMat, firstLine(err.Error()))
		return false
	}
	obj := mat.Scope().Lookup(typ)
	if obj == nil {
		s.errorf(s.v.word, "update gonum.org/v1/gonum", "%s has no type %s", gonumMat, typ)
		return false
	}
	s.d.Params = append(s.d.Params, Slot{Name: s.names.pick(name), Type: types.NewPointer(obj.Type()), Role: Matrix, Of: -1})
	s.params(nil)
	s.results(nil)
	return true
}

func (s *shaper) checkFlat(p Slot, kind string) bool {
	if s.flat(p.Type, nil) {
		return true
	}
	hint := "use vjp, which keeps the types of the parameters"
	if isComplex(p.Type) {
		hint = "use jvp or vjp, or take the real and the imaginary part apart"
	}
	s.errorf(s.v.word, hint, "%s needs floats in a fixed order, but %s %s of %s has type %s",
		s.v.verb, kind, p.Name, s.fn.title, s.typeString(p.Type))
	return false
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return strings.TrimSuffix(s, ":")
}

// contribution returns d as the function that a verb around it differentiates:
// its values are dropped, its derivatives are the outputs.
func contribution(d *Derived) *Derived {
	c := *d
	if d.Verb == VMap {
		return &c // has no values beside what it computes
	}
	c.Results, c.Outputs, c.dropped = nil, nil, slices.Clone(d.dropped)
	for i, p := range d.All() {
		written := p.Role == Adjoint || p.Role == Product || p.Role == Matrix
		if p.Role == Tangent {
			written = slices.Contains(d.Of, Output{Param: true, Index: p.Of})
		}
		if written {
			c.Outputs = append(c.Outputs, Output{Param: true, Index: i})
		}
	}
	for i, r := range d.Results {
		switch {
		case r.Role != Primal:
			c.Outputs = append(c.Outputs, Output{Index: len(c.Results)})
		case i != len(d.Results)-1 || !isError(r.Type):
			c.dropped = append(c.dropped, r.Name)
			continue
		}
		c.Results = append(c.Results, r)
	}
	return &c
}
