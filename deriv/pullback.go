package deriv

import (
	"go/types"

	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// Pullback returns the function that runs f and returns its results and a
// function: the reverse sweep, which can be called any number of times. That
// function has the given parameters and results: destinations and cotangents,
// and the adjoints of parameters that are values. What it needs of the run is
// in a record of its own, the adjoints of memory are in shadows of its own.
func (d *Deriver) Pullback(f *ssair.Func, r Request, params, results []Slot, sig types.Type, name string) (out *Derivative, err error) {
	defer recoverRefusal(&err)
	t := d.t
	t.repeat = true
	spec := r.spec()
	spec.Bar = true
	spec.Active = make([]bool, len(f.Params))
	for i := range spec.Active {
		spec.Active[i] = r.Wrt[i] || r.Param[i]
	}
	spec.Param = spec.Active
	p := t.newPair(f, spec, nil, name, "")

	// The public function.
	g := t.mod.NewFunc(name)
	g.Obj, g.Pos = f.Obj, f.Pos
	out = &Derivative{Func: g}
	b := ssair.NewBuilder(g.Body)
	b.Safe = true
	b.Pos = f.Pos
	var args []*ssair.Value
	for i, q := range f.Params {
		v := g.AddParam(q.Name(), q.Type)
		v.Space = q.Space
		args = append(args, v)
		out.Params = append(out.Params, Slot{Role: Primal, Of: i})
	}
	shadows := map[int]*ssair.Value{} // of parameters
	relinked := pass.Relinked(f)
	for i, q := range f.Params {
		if shadowParam(q.Type, spec.Active[i]) {
			if relinked[i] {
				refuse(f.Pos, "copy the numbers instead", "%s replaces references inside of its parameter %s, and its pullback cannot follow", f.Name, q.Name())
			}
			shadows[i] = zeroLike(b, args[i], 1, needsCap(f), f.Pos)
			shadows[i].Var = &ssair.Var{Name: "d" + q.Name()}
			args = append(args, shadows[i])
		}
	}
	var ts []types.Type
	for _, res := range p.aug.Results {
		ts = append(ts, res.Type)
	}
	c := b.Op(ssair.Call, args, ts...)
	c.Callee = p.aug
	vs := append([]*ssair.Value(nil), c.Results[:len(f.Results)]...)
	rest := c.Results[len(f.Results):]
	resultShadows := map[int]*ssair.Value{}
	for i, res := range f.Results {
		if shadowParam(res.Type, true) {
			if spec.Result[i] {
				resultShadows[i] = rest[0]
				rest[0].Var = &ssair.Var{Name: "d" + resultName(f, i)}
			}
			rest = rest[1:]
		}
		out.Results = append(out.Results, Slot{Role: Primal, Of: i, OfResult: true})
		g.Results = append(g.Results, res)
	}
	rec := rest[0]
	rec.Var = &ssair.Var{Name: "rec"}

	back, bound := d.pullbackBody(f, p, r, spec, args[:len(f.Params)], shadows, resultShadows, rec, params, results, name)
	cl := b.Op(ssair.MakeClosure, bound, sig)
	cl.Callee = back
	out.Results = append(out.Results, Slot{Role: Pullback, Of: -1})
	g.Results = append(g.Results, ssair.Result{Name: "pullback", Type: sig})
	b.Return(append(vs, cl.Result())...)
	return out, nil
}

// pullbackBody makes the function behind the closure, whose first parameters are
// bound to the returned values of the public function.
func (d *Deriver) pullbackBody(f *ssair.Func, p *pair, r Request, spec ReverseSpec, prim []*ssair.Value, shadows, resultShadows map[int]*ssair.Value, rec *ssair.Value, params, results []Slot, name string) (back *ssair.Func, bound []*ssair.Value) {
	back = d.t.mod.NewFunc(name + "Back")
	back.Obj, back.Pos = f.Obj, f.Pos
	b := ssair.NewBuilder(back.Body)
	b.Safe = true
	b.Pos = f.Pos
	b.Reverse = true
	space := 0
	param := func(name string, t types.Type) *ssair.Value {
		v := back.AddParam(name, t)
		v.Space = space
		space++
		return v
	}
	bind := func(v *ssair.Value) *ssair.Value {
		bound = append(bound, v)
		return param(v.Name(), v.Type)
	}
	record := bind(rec)
	fields := recorded(p.aug)
	// A shadow is in the record, or nothing flows through it.
	shadow := func(v, inside *ssair.Value) *ssair.Value {
		if path, ok := fields[inside]; ok {
			return b.Load(record, path)
		}
		return bind(v)
	}
	sh := map[int]*ssair.Value{}
	k := len(f.Params)
	for i := range f.Params {
		if v := shadows[i]; v != nil {
			sh[i] = shadow(v, p.aug.Params[k])
			k++
		}
	}
	rsh := map[int]*ssair.Value{}
	k = len(f.Results)
	for i, res := range f.Results {
		if v := resultShadows[i]; v != nil {
			rsh[i] = shadow(v, p.aug.Body.Term().Args[k])
		}
		if shadowParam(res.Type, true) {
			k++
		}
	}
	rest := map[int]*ssair.Value{} // parameters whose parts besides numbers go into results
	for _, s := range results {
		if hasRest(f.Params[s.Of].Type) {
			rest[s.Of] = bind(prim[s.Of])
		}
	}
	dests := map[int]*ssair.Value{}
	seeds := map[int]*ssair.Value{}
	var filled, read []*ssair.Value
	for _, s := range params {
		if s.OfResult {
			seeds[s.Of] = param(resultName(f, s.Of)+"Bar", f.Results[s.Of].Type)
			read = append(read, seeds[s.Of])
		} else {
			dests[s.Of] = param(f.Params[s.Of].Name()+"Bar", destType(f.Params[s.Of].Type))
			filled = append(filled, dests[s.Of])
		}
	}
	if len(back.Body.Ops) > 0 {
		b.Before = back.Body.Ops[0] // so that what is loaded from the record is known behind the checks
	}
	d.t.apart(b, filled, read)
	b.Before = nil
	for i, q := range f.Params {
		if dests[i] != nil {
			d.t.check(b, dests[i], sh[i], dests[i].Name(), q.Name(), true)
		}
	}
	for i := range f.Results {
		if rsh[i] != nil {
			d.t.check(b, seeds[i], rsh[i], seeds[i].Name(), resultName(f, i), true)
		}
	}
	// Cotangents go in.
	for i, q := range f.Params {
		switch {
		case sh[i] == nil:
		case r.Param[i]:
			carry(b, sh[i], content(b, dests[i], q.Type), q.Type, false, f.Pos)
		default:
			clearReach(b, sh[i], f.Pos)
		}
	}
	args := []*ssair.Value{record}
	for i, res := range f.Results {
		if rsh[i] != nil {
			addInto(b, rsh[i], seeds[i], res.Type, f.Pos)
		}
		if ssair.HoldsScalar(res.Type) && spec.Result[i] {
			args = append(args, seeds[i])
		}
	}
	var ts []types.Type
	for _, res := range p.pull.Results {
		ts = append(ts, res.Type)
	}
	c := b.Op(ssair.Call, args, ts...)
	c.Callee = p.pull
	// Adjoints come out.
	bars := map[int]*ssair.Value{}
	k = 0
	for i, q := range f.Params {
		if spec.Active[i] && ssair.HoldsScalar(q.Type) {
			bars[i] = c.Results[k]
			k++
		}
		if dests[i] == nil {
			continue
		}
		add := r.Add && !r.Param[i]
		if ssair.IsAggregate(q.Type) {
			deliver(b, dests[i], bars[i], sh[i], q.Type, add, f.Pos)
		} else {
			carry(b, dests[i], sh[i], q.Type, add, f.Pos)
		}
	}
	var vs []*ssair.Value
	for _, s := range results {
		back.Results = append(back.Results, ssair.Result{Name: f.Params[s.Of].Name() + "Bar", Type: f.Params[s.Of].Type})
		bar := bars[s.Of]
		if x := rest[s.Of]; x != nil {
			bar = withRest(b, bar, x)
		}
		vs = append(vs, bar)
	}
	b.Return(vs...)
	pass.Inline(c)
	d.t.drop(0, p.pull)
	return back, bound
}

// recorded returns the fields of the record that aug returns, by the values that
// they hold.
func recorded(aug *ssair.Func) map[*ssair.Value][]ssair.Step {
	fields := map[*ssair.Value][]ssair.Step{}
	t := aug.Body.Term()
	if t.Kind != ssair.Return {
		return fields
	}
	rec := t.Args[len(t.Args)-1]
	for _, o := range aug.Body.Ops {
		if o.Kind == ssair.Store && o.Base() == rec {
			fields[o.Stored()] = o.Path
		}
	}
	return fields
}

func resultName(f *ssair.Func, i int) string {
	switch n := f.Results[i].Name; {
	case n != "" && n != "_":
		return n
	case len(f.Results) > 1:
		return "value" + string(rune('0'+i))
	}
	return "value"
}

// content returns the value at a destination.
func content(b *ssair.Builder, dest *ssair.Value, t types.Type) *ssair.Value {
	if ssair.IsAggregate(t) {
		return b.Load(dest, nil)
	}
	return dest
}
