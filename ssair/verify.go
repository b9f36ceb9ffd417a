package ssair

import (
	"errors"
	"fmt"
	"go/types"
)

// Verify checks the invariants of f: every operand is defined before its use
// in an enclosing region, regions end in the right terminator, and the types
// of operands, results and yields agree. It returns all faults joined.
func (f *Func) Verify() error {
	v := &verifier{f: f, def: map[*Value]bool{}}
	for _, p := range f.Params {
		v.def[p] = true
	}
	v.region(f.Body, Return)
	return errors.Join(v.errs...)
}

type verifier struct {
	f    *Func
	def  map[*Value]bool // values defined and in scope
	errs []error
}

func (v *verifier) errorf(o *Op, format string, args ...any) {
	if len(v.errs) > 20 {
		return
	}
	where := v.f.Name
	if o != nil {
		where += ": " + o.Kind.String()
		if v.f.Mod.Fset != nil && o.Pos.IsValid() {
			where += " at " + v.f.Mod.Fset.Position(o.Pos).String()
		}
	}
	v.errs = append(v.errs, fmt.Errorf("%s: %s", where, fmt.Sprintf(format, args...)))
}

func (v *verifier) region(r *Region, end Kind) {
	var local []*Value
	add := func(x *Value) {
		if v.def[x] {
			v.errorf(nil, "value %%%d is defined twice", x.ID)
		}
		v.def[x] = true
		local = append(local, x)
	}
	for _, p := range r.Params {
		if p.Home != r {
			v.errorf(r.Parent, "parameter %%%d does not name its region", p.ID)
		}
		add(p)
	}
	for i, o := range r.Ops {
		if o.Parent != r {
			v.errorf(o, "op does not name its region")
		}
		if o.Kind.IsTerm() != (i == len(r.Ops)-1) {
			v.errorf(o, "terminator in the middle of a region, or none at its end")
		}
		for j, a := range o.Args {
			if a == nil {
				if o.Kind != Slice && o.Kind != MakeSlice {
					v.errorf(o, "operand %d is missing", j)
				}
				continue
			}
			if !v.def[a] {
				v.errorf(o, "operand %d (%%%d %s) is not defined here", j, a.ID, a.Name())
			}
		}
		v.op(o)
		for _, x := range o.Results {
			if x.Def != o {
				v.errorf(o, "result does not name its op")
			}
			add(x)
		}
	}
	if len(r.Ops) == 0 {
		v.errorf(r.Parent, "region is empty")
	} else if t := r.Ops[len(r.Ops)-1].Kind; t != end && t != Unreachable {
		v.errorf(r.Ops[len(r.Ops)-1], "region ends in %v, not in %v", t, end)
	}
	for _, x := range local {
		delete(v.def, x)
	}
}

func (v *verifier) same(o *Op, what string, got, want types.Type) {
	if !types.Identical(got, want) {
		v.errorf(o, "%s has type %v, want %v", what, got, want)
	}
}

func (v *verifier) op(o *Op) {
	switch o.Kind {
	case Bin:
		if len(o.Args) != 2 || len(o.Results) != 1 {
			v.errorf(o, "wrong arity")
			return
		}
		v.same(o, "result", o.Result().Type, o.Args[0].Type)
		if !isShift(o.Tok.String()) {
			v.same(o, "right operand", o.Args[1].Type, o.Args[0].Type)
		}
	case Load, Store, Accum, Addr:
		t := PlaceType(o.Base().Type, o.Path)
		if t == nil {
			v.errorf(o, "path %s does not fit %v", pathString(o.Path), o.Base().Type)
			return
		}
		want := 1
		for _, s := range o.Path {
			if !s.IsField() {
				want++
			}
		}
		switch o.Kind {
		case Load:
			v.same(o, "result", o.Result().Type, t)
		case Addr:
			v.same(o, "result", o.Result().Type, types.NewPointer(t))
		default:
			want++
			v.same(o, "stored value", o.Stored().Type, t)
		}
		if len(o.Args) != want {
			v.errorf(o, "%d operands, want %d", len(o.Args), want)
		}
	case If:
		v.same(o, "condition", o.Args[0].Type.Underlying(), Bool)
		for _, r := range o.Regions {
			v.region(r, Yield)
			v.yields(o, r, resultTypes(o))
		}
	case Loop:
		v.loop(o)
	case Return:
		if len(o.Args) != len(v.f.Results) {
			v.errorf(o, "%d results, want %d", len(o.Args), len(v.f.Results))
			return
		}
		for i, a := range o.Args {
			v.same(o, fmt.Sprintf("result %d", i), a.Type, v.f.Results[i].Type)
		}
	case Call:
		if o.Callee == nil {
			v.errorf(o, "no callee")
			return
		}
		if len(o.Args) != len(o.Callee.Params) || len(o.Results) != len(o.Callee.Results) {
			v.errorf(o, "call of %s with %d operands and %d results, want %d and %d", o.Callee.Name,
				len(o.Args), len(o.Results), len(o.Callee.Params), len(o.Callee.Results))
			return
		}
		for i, a := range o.Args {
			v.same(o, fmt.Sprintf("operand %d of %s", i, o.Callee.Name), a.Type, o.Callee.Params[i].Type)
		}
	case JVP, Grad:
		v.inner(o)
	}
}

// inner checks a derivative inside of the source: see the kinds JVP and Grad.
func (v *verifier) inner(o *Op) {
	if o.Callee == nil || len(o.Callee.Params) == 0 || len(o.Callee.Results) != 1 {
		v.errorf(o, "a callee with parameters and one result is needed")
		return
	}
	want := append([]*Value{}, o.Callee.Params...)
	x := want[len(want)-1]
	results := []types.Type{x.Type}
	if o.Kind == JVP {
		want = append(want, x)
		results = []types.Type{o.Callee.Results[0].Type, o.Callee.Results[0].Type}
	}
	if len(o.Args) != len(want) || len(o.Results) != len(results) {
		v.errorf(o, "%d operands and %d results, want %d and %d", len(o.Args), len(o.Results), len(want), len(results))
		return
	}
	for i, a := range o.Args {
		v.same(o, fmt.Sprintf("operand %d of %s", i, o.Callee.Name), a.Type, want[i].Type)
	}
	for i, r := range o.Results {
		v.same(o, fmt.Sprintf("result %d", i), r.Type, results[i])
	}
}

func isShift(tok string) bool { return tok == "<<" || tok == ">>" }

func resultTypes(o *Op) []types.Type {
	ts := make([]types.Type, len(o.Results))
	for i, r := range o.Results {
		ts[i] = r.Type
	}
	return ts
}

func (v *verifier) yields(o *Op, r *Region, want []types.Type) {
	t := r.Term()
	if t == nil || t.Kind != Yield {
		return
	}
	if len(t.Args) != len(want) {
		v.errorf(o, "a region yields %d values, want %d", len(t.Args), len(want))
		return
	}
	for i, a := range t.Args {
		if a != nil {
			v.same(o, fmt.Sprintf("yielded value %d", i), a.Type, want[i])
		}
	}
}

func (v *verifier) loop(o *Op) {
	if len(o.Regions) != 3 || o.Loop == nil || len(o.Args) < len(o.Results) {
		v.errorf(o, "a loop needs three regions, its form and initial values")
		return
	}
	carried := resultTypes(o)
	for i, t := range carried {
		v.same(o, fmt.Sprintf("initial value %d", i), o.Args[i].Type, t)
	}
	for _, r := range o.Regions {
		if len(r.Params) != len(carried) {
			v.errorf(o, "a region has %d parameters, want %d", len(r.Params), len(carried))
			return
		}
		for i, p := range r.Params {
			v.same(o, fmt.Sprintf("parameter %d", i), p.Type, carried[i])
		}
		v.region(r, Yield)
	}
	v.yields(o, o.Cond(), []types.Type{Bool})
	body := carried
	if o.Loop.Break {
		body = append([]types.Type{Bool}, carried...)
	}
	v.yields(o, o.BodyRegion(), body)
	v.yields(o, o.Post(), carried)
}
