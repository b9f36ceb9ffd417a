package lift

import (
	"go/ast"
	"go/types"

	"github.com/quabla/quabla/rules"
	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// known lifts calls of functions that the IR has ops for.
func (fr *frame) known(e ast.Node, fn *types.Func, targs []types.Type, args []val) ([]val, bool) {
	if fn.Pkg() == nil || fn.Signature().Recv() != nil {
		return nil, false
	}
	switch fn.Pkg().Path() {
	case "math":
		return fr.elementary(e, "math."+fn.Name(), fn, args)
	case "slices", "sort":
		if fn.Name() == "Sort" || fn.Name() == "Float64s" {
			if s, ok := sliceOf(args[0]); ok && !ssair.ReachesScalar(s.Elem()) {
				return fr.opaque(e, fn, targs, args), true
			}
			return fr.sort(args)
		}
		return nil, false
	case "math/cmplx":
		return fr.elementary(e, "cmplx."+fn.Name(), fn, args)
	case rtPath:
		switch fn.Name() {
		case "Stop":
			return []val{{v: fr.b.Op(ssair.Stop, []*ssair.Value{fr.need(e, args[0])}, fr.need(e, args[0]).Type).Result()}}, true
		case "Deriv", "Grad", "JVP":
			return fr.inner(e, fn.Name(), args), true
		}
		return fr.elementary(e, "rt."+fn.Name(), fn, args)
	}
	return nil, false
}

// sliceOf returns the slice type of a value.
func sliceOf(a val) (*types.Slice, bool) {
	if a.v == nil {
		return nil, false
	}
	s, ok := a.v.Type.Underlying().(*types.Slice)
	return s, ok
}

// elementary lifts a call of a function that has a row in package rules.
func (fr *frame) elementary(e ast.Node, name string, fn *types.Func, args []val) ([]val, bool) {
	if rules.Lookup(name) == nil {
		return nil, false
	}
	ops := make([]*ssair.Value, len(args))
	for i, a := range args {
		ops[i] = fr.need(e, a)
	}
	var ts []types.Type
	for i := range fn.Signature().Results().Len() {
		ts = append(ts, fn.Signature().Results().At(i).Type())
	}
	o := fr.b.Apply(name, ts, ops...)
	o.Pos = e.Pos()
	vals := make([]val, len(o.Results))
	for i, r := range o.Results {
		vals[i] = val{v: r}
	}
	return vals, true
}

// plainType returns the type that t is for code that is not lifted, which knows of no
// records.
func (fr *frame) plainType(t types.Type) types.Type {
	t = fr.subst.apply(t)
	if fr.l.holdsRecords(t, nil) {
		return t
	}
	return fr.l.locals.typ(t)
}

// opaque lifts a call of a function whose body is not read. Whether it is
// allowed is decided later, when it is known which operands are active.
func (fr *frame) opaque(e ast.Node, fn *types.Func, targs []types.Type, args []val) []val {
	sig, s := fn.Signature(), substFor(fn.Signature(), targs)
	given := args[len(args)-sig.Params().Len():] // without the receiver
	for i, a := range given {
		if !fr.isFunction(a) {
			fr.public(e, fn, s.apply(sig.Params().At(i).Type()))
		}
	}
	for v := range sig.Results().Variables() {
		fr.public(e, fn, s.apply(v.Type()))
	}
	ops := make([]*ssair.Value, len(args))
	plain := fr.l.plain[fn]
	for i, a := range args {
		if fr.isFunction(a) && isFunc(paramType(fn, i)) {
			plain = plain || fn.Pkg().Path() == rtPath
			if !plain && !fr.handsOver(a.clos, fn, paramType(fn, i)) {
				fr.refuse(e, "write what it does as a loop", "cannot differentiate the call of %s, which takes a function: its body cannot be read from here", fn.FullName())
			}
			ops[i] = fr.funcValue(e, a, fr.plainType(s.apply(paramType(fn, i))))
			if f := ops[i].Def.Callee; f != nil && !plain {
				fr.onlyReads(e, f)
			}
			continue
		}
		ops[i] = fr.need(e, a)
		if !types.IsInterface(ops[i].Type) && (fn.Pkg().Path() != rtPath || fr.l.HoldsOpened(ops[i].Type)) {
			fr.fits(e, ops[i], fr.l.raw(ops[i].Type))
		}
	}
	var ts []types.Type
	for r := range sig.Results().Variables() {
		ts = append(ts, fr.plainType(s.apply(r.Type())))
	}
	o := fr.b.Op(ssair.Opaque, ops, ts...)
	o.Obj = fn
	o.Plain = plain // its value, for rt.As
	for i, v := range ops {
		o.Alters = o.Alters || i != pass.SwapArg(fn) && v.Def != nil && v.Def.Kind == ssair.MakeClosure && pass.Alters(v.Def.Callee)
	}
	fr.checked = fr.checked || o.Plain
	o.Pos = e.Pos()
	vals := make([]val, len(o.Results))
	for i, r := range o.Results {
		vals[i] = val{v: r}
	}
	return vals
}

// public refuses a call of fn, whose body is not read, with values of type t if those are
// something else here.
func (fr *frame) public(e ast.Node, fn *types.Func, t types.Type) {
	if fr.l.replaced(t) {
		fr.refuse(e, "", "cannot differentiate the call of %s: its body cannot be read, and package %s keeps to itself what is in its type %s", fn.FullName(), fn.Pkg().Name(), t)
	}
}

// isFunction reports whether a is a function that is lifted, known statically or not.
func (fr *frame) isFunction(a val) bool {
	return a.clos != nil || a.v != nil && fr.isRecord(a.v)
}

// isRecord reports whether v is the record of a function.
func (fr *frame) isRecord(v *ssair.Value) bool {
	return fr.l.familyOf(v.Type) != nil && !fr.l.replaced(v.Type)
}

// handsOver reports whether fn, which is not lifted, can be given the function c as
// its parameter of type t: no numbers pass through it, and fn does not keep it for
// later if c captures something, whose state it would not follow. c is nil for a record.
func (fr *frame) handsOver(c *closure, fn *types.Func, t types.Type) bool {
	sig, ok := t.Underlying().(*types.Signature)
	if !ok || passesNumbers(sig) || fn.Signature().TypeParams().Len() > 0 {
		return false
	}
	returns := fn.Signature().Recv() == nil && !keeps(fn.Signature())
	switch {
	case c == nil:
		return returns
	case c.lit != nil:
		return returns || len(c.captures()) == 0
	case c.fn == nil || c.method != nil:
		return false
	case c.recv != nil || c.self != nil:
		return returns
	}
	return len(c.targs) == 0
}

// passesNumbers reports whether floats can be reached through what a function of the
// signature sig gets and returns.
func passesNumbers(sig *types.Signature) bool {
	for _, tup := range []*types.Tuple{sig.Params(), sig.Results()} {
		for v := range tup.Variables() {
			if ssair.ReachesScalar(v.Type()) {
				return true
			}
		}
	}
	return false
}

// keeps reports whether what a function of the signature sig returns may hold a
// function that it has been given.
func keeps(sig *types.Signature) bool {
	for v := range sig.Results().Variables() {
		t := v.Type()
		if s, ok := t.Underlying().(*types.Slice); ok {
			t = s.Elem()
		}
		if _, ok := t.Underlying().(*types.Basic); !ok && !ssair.IsErrorType(t) {
			return true
		}
	}
	return false
}

// paramType returns the type of parameter i of fn, where a receiver counts.
func paramType(fn *types.Func, i int) types.Type {
	sig := fn.Signature()
	if r := sig.Recv(); r != nil {
		if i == 0 {
			return r.Type()
		}
		i--
	}
	return sig.Params().At(i).Type()
}

// dynamicCall lifts a call of a function value that is not known statically.
func (fr *frame) dynamicCall(e ast.Expr, f *ssair.Value, sig *types.Signature, args []val) []val {
	if fr.isRecord(f) {
		return fr.callRecord(e, fr.l.familyOf(f.Type), f, args)
	}
	active := false
	for i := range sig.Params().Len() {
		active = active || ssair.ReachesScalar(sig.Params().At(i).Type())
	}
	for i := range sig.Results().Len() {
		active = active || ssair.ReachesScalar(sig.Results().At(i).Type())
	}
	if active {
		fr.l.dynamic(sig)
		fr.foreignFunc(e)
	}
	ops := []*ssair.Value{f}
	for _, a := range args {
		ops = append(ops, fr.need(e, a))
	}
	var ts []types.Type
	for i := range sig.Results().Len() {
		ts = append(ts, sig.Results().At(i).Type())
	}
	o := fr.b.Op(ssair.Opaque, ops, ts...)
	vals := make([]val, len(o.Results))
	for i, r := range o.Results {
		vals[i] = val{v: r}
	}
	return vals
}
