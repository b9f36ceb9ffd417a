package lift

import (
	"go/ast"
	"go/types"

	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// funcValue turns the function a, known statically or a record, into a value that a plain
// call gets: the function of a rule calls what it stands for, with a comparison say. No
// derivative passes through it.
func (fr *frame) funcValue(e ast.Node, a val, t types.Type) *ssair.Value {
	var f *ssair.Func
	var bound []*ssair.Value
	c := a.clos
	if c != nil && c.self != nil {
		c = fr.boundToRecord(e, c)
	}
	switch {
	case c == nil && a.v.Def != nil && a.v.Def.Kind == ssair.Zero:
		return fr.b.Zero(t)
	case c == nil:
		fam := fr.l.familyOf(a.v.Type)
		f, bound = fr.dispatcher(e, fam), []*ssair.Value{fr.b.Conv(a.v, fr.l.recordOf(fam.sig))}
	case c.yield != nil || c.method != nil:
		return fr.noValue(e)
	case c.lit != nil:
		f, bound = fr.litValue(e, c)
	case c.recv != nil:
		if x := boxed(c.recv); x != nil { // a method of an interface whose dynamic type is known
			m, index, _ := types.LookupFieldOrMethod(fr.l.raw(x.Type), true, c.fn.Pkg(), c.fn.Name())
			if len(index) > 1 {
				f, bound = fr.dispatching(e, c.fn, c.recv), []*ssair.Value{c.recv}
				break
			}
			c = &closure{fn: m.(*types.Func).Origin(), targs: fr.l.typeArgsOf(x.Type), recv: x}
			if _, ptr := c.fn.Signature().Recv().Type().Underlying().(*types.Pointer); !ptr && ssair.Deref(x.Type) != nil {
				c.recv = fr.b.Load(x, nil)
			}
		}
		if isInterface(c.recv.Type) {
			f, bound = fr.dispatching(e, c.fn, c.recv), []*ssair.Value{c.recv}
			break
		}
		src := fr.l.Env.Source(c.fn)
		if src == nil {
			return fr.noValue(e)
		}
		fr.l.enters(c.fn, src.Decl, e)
		key := fr.l.key(c.fn, c.targs)
		var ok bool
		if f, ok = fr.l.funcs[key]; !ok {
			f = fr.l.separate(key, c.fn, src, c.targs, false)
		}
		bound = []*ssair.Value{c.recv}
	default:
		o := fr.b.Op(ssair.FuncVal, nil, t)
		o.Obj = c.fn
		return o.Result()
	}
	if f == nil {
		fr.root.failed = true
		panic(refusal{})
	}
	if len(f.Results) > 0 {
		fr.onlyReads(e, f)
	}
	o := fr.b.Op(ssair.MakeClosure, bound, t)
	o.Callee = f
	return o.Result()
}

// litValue returns the function of the module that a function literal becomes, and what
// is bound to it: the variables that it captures, or their values where it only reads them.
func (fr *frame) litValue(e ast.Node, c *closure) (f *ssair.Func, bound []*ssair.Value) {
	// One that calls itself passes on where its variables are.
	alone := !fr.selfCalling(c)
	f, capt := fr.separateClosure(e, c, nil, alone)
	bound = fr.operands(capt)
	values, ok := fr.l.values[f]
	if !ok {
		values = make([]bool, len(capt))
		written := pass.Written(f)
		for i, v := range capt {
			values[i] = alone && v.clos == nil && !changes(f, written, i) && byValue(f, i)
		}
		fr.l.values[f] = values
	}
	for i := range bound {
		if values[i] {
			bound[i] = fr.b.Load(bound[i], nil)
		}
	}
	return f, bound
}

// changes reports whether f, which writes to some of its parameters, may change what its
// parameter i points to.
func changes(f *ssair.Func, written map[int]bool, i int) bool {
	for j := range written {
		if pass.TypesReach(f.Params[j].Type, ssair.Deref(f.Params[i].Type)) {
			return true
		}
	}
	return false
}

// onlyReads refuses f, which a call without derivative is given, if it changes numbers.
func (fr *frame) onlyReads(e ast.Node, f *ssair.Func) {
	fr.l.pending = append(fr.l.pending, func() bool {
		if len(pass.WrittenNumbers(f)) > 0 {
			fr.l.refuse(Refusal{Pos: e.Pos(), End: e.End(), Message: "cannot differentiate a call with a function that changes numbers while it decides", Hint: "let the function only read"})
			return false
		}
		return true
	})
}

// noValue refuses a function that no plain call can be given.
func (fr *frame) noValue(e ast.Node) *ssair.Value {
	fr.refuse(e, "pass a function literal or a declared function", "cannot differentiate a call that is given this function: its body cannot be read from here")
	return nil
}

// boxed returns the value that an interface value holds, if that is known.
func boxed(v *ssair.Value) *ssair.Value {
	if v.Def != nil && v.Def.Kind == ssair.MakeIface {
		return v.Def.Args[0]
	}
	return nil
}

// byValue makes parameter i of f, which points to a captured variable, the value of that
// variable if f only reads it as a whole. It reports whether it has.
func byValue(f *ssair.Func, i int) bool {
	p := f.Params[i]
	loads := map[*ssair.Value]*ssair.Value{}
	var ops []*ssair.Op
	only := true
	v := f.NewValue(ssair.Deref(p.Type), p.Var)
	v.Home = p.Home
	f.Body.Walk(func(o *ssair.Op) bool {
		for k, a := range o.Args {
			if a != p {
				continue
			}
			if o.Kind != ssair.Load || k != 0 {
				only = false
				continue
			}
			if len(o.Path) == 0 {
				loads[o.Result()] = v
				ops = append(ops, o)
			} else {
				only = false
			}
		}
		return true
	})
	if !only {
		return false
	}
	for _, o := range ops {
		o.Remove()
	}
	f.Body.ReplaceAll(loads)
	f.Params[i] = v
	return true
}
