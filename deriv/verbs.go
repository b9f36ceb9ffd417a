package deriv

import (
	"fmt"
	"go/types"

	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// A Role says what a parameter or result of a derivative is.
type Role uint8

const (
	Primal    Role = iota // of the function itself
	Adjoint               // the derivative by a parameter: a destination or a result
	Cotangent             // the seed of a result
	Tangent               // the tangent of a parameter or result
	Direction             // of a Hessian-vector product
	Product               // the Hessian times the direction: a destination or a result
	Matrix                // a Jacobian or Hessian to be filled
	Pullback              // the function that a pullback returns
	Batch                 // the results of all members of a batch: a destination
)

// A Slot says what a parameter or result of a derivative stands for: the
// parameter Of, or the result Of with OfResult, of the function that was
// differentiated.
type Slot struct {
	Role     Role
	Of       int
	OfResult bool
}

// A Derivative is a function with the meaning of its parameters and results.
type Derivative struct {
	Func    *ssair.Func
	Params  []Slot
	Results []Slot
}

// Arrange puts the parameters and results of d into the given order; those
// that are not listed must be results, which are dropped. It panics if a
// parameter is missing.
func (d *Derivative) Arrange(params, results []Slot) {
	f := d.Func
	find := func(list []Slot, s Slot) int {
		for i, x := range list {
			if x == s {
				return i
			}
		}
		return -1
	}
	if len(params) != len(d.Params) {
		panic(fmt.Sprintf("deriv: %s has parameters %v, want %v", f.Name, d.Params, params))
	}
	ps := make([]*ssair.Value, len(params))
	for i, s := range params {
		k := find(d.Params, s)
		if k < 0 {
			panic(fmt.Sprintf("deriv: %s has no parameter %v", f.Name, s))
		}
		ps[i] = f.Params[k]
	}
	t := f.Body.Term()
	rs := make([]ssair.Result, len(results))
	vs := make([]*ssair.Value, len(results))
	for i, s := range results {
		k := find(d.Results, s)
		if k < 0 {
			panic(fmt.Sprintf("deriv: %s has no result %v", f.Name, s))
		}
		rs[i] = f.Results[k]
		if t.Kind == ssair.Return {
			vs[i] = t.Args[k]
		}
	}
	f.Params, f.Results = ps, rs
	if t.Kind == ssair.Return {
		t.Args = vs
	}
	d.Params, d.Results = params, results
}

// A Deriver makes the derivatives that one request asks for. Its zero value is
// not usable; see New.
type Deriver struct {
	t *transforms
}

// New returns a deriver for functions of m.
func New(m *ssair.Module) *Deriver { return &Deriver{newTransforms(m)} }

// SaveAll makes reverse mode save every value that it needs; it is for tests.
func (d *Deriver) SaveAll() { d.t.saveAll = true }

// Check sets what builds the check that x, called xn, has the shape of y, called
// yn, for places where only the transform knows y. With shadow, y is the shadow of what
// is meant.
func (d *Deriver) Check(build func(b *ssair.Builder, x, y *ssair.Value, xn, yn string, shadow bool)) {
	d.t.check = build
}

// Apart sets what builds the checks that destinations of a pullback share no memory
// with one another, nor with others.
func (d *Deriver) Apart(build func(b *ssair.Builder, dests, others []*ssair.Value)) {
	d.t.apart = build
}

// Runtime sets what finds the functions of package rt that derivatives call.
func (d *Deriver) Runtime(find func(name string) *types.Func) { d.t.runtime = find }

// Request says what a verb is applied to.
type Request struct {
	Wrt    []bool // parameters
	Result []bool // outputs
	Param  []bool
	Lanes  int
	Add    bool
	// Bar spells adjoints with Bar behind the name rather than d in front.
	Bar bool
}

func (r Request) spec() ReverseSpec {
	return ReverseSpec{Active: r.Wrt, Result: r.Result, Param: r.Param, Add: r.Add, Bar: r.Bar}
}

// Value returns f itself with its inner derivatives compiled.
func (d *Deriver) Value(f *ssair.Func, name string) (out *Derivative, err error) {
	defer recoverRefusal(&err)
	g := d.t.resolve(f).CloneFunc(name)
	out = &Derivative{Func: g}
	for i := range f.Params {
		out.Params = append(out.Params, Slot{Role: Primal, Of: i})
	}
	for i := range f.Results {
		out.Results = append(out.Results, Slot{Role: Primal, Of: i, OfResult: true})
	}
	return out, nil
}

// Grad returns the gradient of the only scalar output.
func (d *Deriver) Grad(f *ssair.Func, r Request, name string) (out *Derivative, err error) {
	defer recoverRefusal(&err)
	spec := r.spec()
	spec.Unit = true
	return d.reverse(f, spec, name), nil
}

// VJP returns the vector-Jacobian product.
func (d *Deriver) VJP(f *ssair.Func, r Request, name string) (out *Derivative, err error) {
	defer recoverRefusal(&err)
	return d.reverse(f, r.spec(), name), nil
}

func (d *Deriver) reverse(f *ssair.Func, spec ReverseSpec, name string) *Derivative {
	g := d.t.reverse(f, spec, name)
	out := &Derivative{Func: g}
	ref := func(i int) bool {
		t := f.Params[i].Type
		return ssair.RefersToScalar(t)
	}
	for i := range f.Params {
		if (spec.Active[i] || spec.Param[i]) && ref(i) {
			out.Params = append(out.Params, Slot{Role: Adjoint, Of: i})
		}
	}
	for i := range f.Params {
		out.Params = append(out.Params, Slot{Role: Primal, Of: i})
	}
	if !spec.Unit {
		for i := range f.Results {
			if spec.Result[i] {
				out.Params = append(out.Params, Slot{Role: Cotangent, Of: i, OfResult: true})
			}
		}
	}
	for i := range f.Results {
		out.Results = append(out.Results, Slot{Role: Primal, Of: i, OfResult: true})
	}
	for i := range f.Params {
		if spec.Active[i] && !ref(i) {
			out.Results = append(out.Results, Slot{Role: Adjoint, Of: i})
		}
	}
	return out
}

// JVP returns the Jacobian-vector product. An output parameter that is not
// differentiated by has a tangent that is only written.
func (d *Deriver) JVP(f *ssair.Func, r Request, name string) (out *Derivative, err error) {
	defer recoverRefusal(&err)
	return d.forward(f, r, name), nil
}

func (d *Deriver) forward(f *ssair.Func, r Request, name string) *Derivative {
	active := make([]bool, len(f.Params))
	for i := range active {
		active[i] = r.Wrt[i] || r.Param != nil && r.Param[i]
	}
	lanes := max(1, r.Lanes)
	g := d.t.mod.NewFunc(name)
	d.t.forwardSpec(g, d.t.prepare(f), active, r.Wrt, lanes)
	if t := g.Body.Term(); lanes == 1 && t.Kind == ssair.Return {
		b := ssair.NewBuilder(g.Body)
		b.Before, b.Safe = t, true
		j := len(f.Results)
		for i, res := range f.Results {
			if !ssair.ReachesScalar(res.Type) {
				continue
			}
			if ssair.IsAggregate(res.Type) && !ssair.HoldsRef(res.Type) {
				t.Args[j] = withRest(b, t.Args[j], t.Args[i])
			}
			j++
		}
	}
	out := &Derivative{Func: g}
	for i := range f.Params {
		out.Params = append(out.Params, Slot{Role: Primal, Of: i})
		if active[i] {
			out.Params = append(out.Params, Slot{Role: Tangent, Of: i})
		}
	}
	for i := range f.Results {
		out.Results = append(out.Results, Slot{Role: Primal, Of: i, OfResult: true})
	}
	for i, res := range f.Results {
		if ssair.ReachesScalar(res.Type) {
			out.Results = append(out.Results, Slot{Role: Tangent, Of: i, OfResult: true})
		}
	}
	return out
}

// HVP returns the Hessian-vector product of the only scalar output: forward
// mode over reverse mode.
func (d *Deriver) HVP(f *ssair.Func, r Request, name string) (out *Derivative, err error) {
	defer recoverRefusal(&err)
	return d.hvp(f, r, name), nil
}

func (d *Deriver) hvp(f *ssair.Func, r Request, name string) *Derivative {
	spec := r.spec()
	spec.Unit = true
	mark := len(d.t.mod.Funcs)
	grad := d.reverse(f, spec, name+"Grad")
	pass.Tidy(grad.Func)
	// Differentiate by the primal parameters; the destinations of the gradient
	// carry tangents too.
	active := make([]bool, len(grad.Params))
	for i, s := range grad.Params {
		active[i] = s.Role == Adjoint || r.Wrt[s.Of]
	}
	fwd := d.forward(grad.Func, Request{Wrt: active}, name+"Tangent")
	d.t.drop(mark, grad.Func, fwd.Func)

	// The gradient itself goes to scratch memory.
	g := d.t.mod.NewFunc(name)
	g.Obj, g.Pos = f.Obj, f.Pos
	out := &Derivative{Func: g}
	b := ssair.NewBuilder(g.Body)
	b.Safe = true
	prim := map[int]*ssair.Value{}
	var args []*ssair.Value
	dests := map[int]*ssair.Value{}
	add := func(s Slot, name string, t types.Type, space int) *ssair.Value {
		v := g.AddParam(name, t)
		v.Space = space
		out.Params = append(out.Params, s)
		return v
	}
	n := maxSpace(f) + 1
	for i, p := range f.Params {
		if r.Wrt[i] && ssair.RefersToScalar(p.Type) {
			dests[i] = add(Slot{Role: Product, Of: i}, "h"+p.Name(), destType(p.Type), n)
			n++
		}
	}
	dirs := map[int]*ssair.Value{}
	for i, p := range f.Params {
		prim[i] = add(Slot{Role: Primal, Of: i}, p.Name(), p.Type, p.Space)
		if r.Wrt[i] {
			dirs[i] = add(Slot{Role: Direction, Of: i}, "v"+p.Name(), p.Type, n)
		}
	}
	for _, s := range fwd.Params {
		inner := grad.Params[s.Of]
		switch {
		case inner.Role == Adjoint && s.Role == Primal:
			t := destType(f.Params[inner.Of].Type)
			var z *ssair.Value
			if types.Identical(t, f.Params[inner.Of].Type) {
				z = zeroLike(b, prim[inner.Of], 1, needsCap(f), f.Pos)
			} else {
				z = b.Alloc(f.Params[inner.Of].Type, nil)
				b.Store(z, nil, zeroLike(b, prim[inner.Of], 1, needsCap(f), f.Pos))
			}
			args = append(args, z)
		case inner.Role == Adjoint:
			args = append(args, dests[inner.Of])
		case s.Role == Primal:
			args = append(args, prim[inner.Of])
		default:
			args = append(args, dirs[inner.Of])
		}
	}
	var ts []types.Type
	for _, res := range fwd.Func.Results {
		ts = append(ts, res.Type)
	}
	c := b.Op(ssair.Call, args, ts...)
	c.Callee = fwd.Func
	var vs []*ssair.Value
	for k, s := range fwd.Results {
		inner := grad.Results[s.Of]
		switch {
		case inner.Role == Primal && s.Role == Primal:
			out.Results = append(out.Results, inner)
		case inner.Role == Adjoint && s.Role == Tangent:
			out.Results = append(out.Results, Slot{Role: Product, Of: inner.Of})
		default:
			continue
		}
		g.Results = append(g.Results, ssair.Result{Name: fwd.Func.Results[k].Name, Type: fwd.Func.Results[k].Type})
		vs = append(vs, c.Results[k])
	}
	b.Return(vs...)
	pass.Inline(c)
	return out
}

// drop removes functions that serve no more from the module, looking from
// index mark on.
func (t *transforms) drop(mark int, fs ...*ssair.Func) {
	kept := t.mod.Funcs[:mark:mark]
	for _, g := range t.mod.Funcs[mark:] {
		gone := false
		for _, f := range fs {
			gone = gone || f == g
		}
		if !gone {
			kept = append(kept, g)
		}
	}
	t.mod.Funcs = kept
}
