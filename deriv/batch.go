package deriv

import (
	"go/token"
	"go/types"
	"slices"

	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// A BatchForm says how the batched form of a function is called.
type BatchForm struct {
	// Types are those of the parameters of the batched form: []T for a parameter
	// of type T with a batch axis, or of type *T if T is to be filled.
	Types []types.Type
	// Batched says which parameters have a batch axis.
	Batched []bool
	// Names are those of the destinations of results.
	Names []string
	// Error is whether the last result is an error, which ends the loop.
	Error bool
	// Call keeps the call of the function a call.
	Call bool

	// Split, if it is not nil, makes the loop a function of its own, which gets the
	// range of the members, and builds a call of what distributes the members: run is
	// a function value that takes a range. It returns the error, if there is one.
	Split func(b *ssair.Builder, n, run *ssair.Value) *ssair.Value

	// Unequal builds a panic if the lengths m and n of the batches of two
	// parameters differ.
	Unequal func(b *ssair.Builder, m, n *ssair.Value, x, y string)
	// Wrap returns the error of member i with its number.
	Wrap func(b *ssair.Builder, i, err *ssair.Value) *ssair.Value
}

// VMap returns the batched form of f: a loop that calls f for each member of the
// batch. It is an ordinary function, so every transform applies to it.
func (d *Deriver) VMap(f *ssair.Func, form BatchForm, name string) (out *Derivative, err error) {
	defer recoverRefusal(&err)
	written := pass.Written(f)
	for i, p := range f.Params {
		if !form.Batched[i] && written[i] {
			refuse(f.Pos, "give it a batch axis, so that each member has its own", "%s writes to %s, which the members of the batch would share", f.Name, p.Name())
		}
	}
	if o := opaque(f, unordered); form.Split != nil && o != nil {
		what := "a function value"
		if fn, ok := o.Obj.(*types.Func); ok {
			what = fn.FullName()
		}
		refuse(o.Pos, "leave out parallel", "%s calls %s, which may notice in which order the members run", f.Name, what)
	}
	return d.batch(f, form, written, name), nil
}

// unordered reports whether an opaque call does the same in whatever order members
// run: it is pure, or fills the matrix of its member.
func unordered(o *ssair.Op) bool {
	if o.Obj != nil && o.Obj.Pkg() != nil && o.Obj.Pkg().Path() == "gonum.org/v1/gonum/mat" {
		return o.Obj.Name() == "Set" || o.Obj.Name() == "SetSym"
	}
	return pureCall(o)
}

// A batcher builds the batched form of one function.
type batcher struct {
	f     *ssair.Func
	form  BatchForm
	args  []*ssair.Value // parameters
	dests []*ssair.Value // of results
	n     *ssair.Value   // the number of members
	lo    *ssair.Value   // the first member, if it is not 0
	first *ssair.Value   // the parameter whose length that is
	call  *ssair.Op      // of f
}

func (d *Deriver) batch(f *ssair.Func, form BatchForm, written map[int]bool, name string) *Derivative {
	g := d.t.mod.NewFunc(name)
	g.Obj, g.Pos = f.Obj, f.Pos
	out := &Derivative{Func: g}
	b := ssair.NewBuilder(g.Body)
	b.Pos = f.Pos
	m := &batcher{f: f, form: form}
	results := f.Results
	if form.Error {
		results = results[:len(results)-1]
	}
	// What the members write is separate from what they read.
	space := maxSpace(f) + 1
	for j, r := range results {
		v := g.AddParam(form.Names[j], types.NewSlice(r.Type))
		v.Space = space
		space++
		m.dests = append(m.dests, v)
		out.Params = append(out.Params, Slot{Role: Batch, Of: j, OfResult: true})
	}
	for i, p := range f.Params {
		v := g.AddParam(p.Name(), form.Types[i])
		v.Space = p.Space
		if written[i] && v.Space == 0 {
			v.Space = space
			space++
		}
		m.args = append(m.args, v)
		out.Params = append(out.Params, Slot{Role: Primal, Of: i})
	}
	m.lengths(b)
	if form.Error {
		g.Results = f.Results[len(results):]
		out.Results = []Slot{{Role: Primal, Of: len(results), OfResult: true}}
	}
	if form.Split == nil {
		m.members(b)
		return out
	}
	span := m.span(d.t.mod.NewFunc(name+"Span"), g)
	sig := types.NewSignatureType(nil, nil, nil, intPair, resultTuple(g), false)
	run := b.Op(ssair.MakeClosure, g.Params, sig)
	run.Callee = span
	if err := form.Split(b, m.n, run.Result()); err != nil {
		b.Return(err)
	} else {
		b.Return()
	}
	return out
}

var intPair = types.NewTuple(types.NewParam(0, nil, "lo", ssair.Int), types.NewParam(0, nil, "hi", ssair.Int))

func resultTuple(f *ssair.Func) *types.Tuple {
	var vars []*types.Var
	for _, r := range f.Results {
		vars = append(vars, types.NewParam(0, nil, "", r.Type))
	}
	return types.NewTuple(vars...)
}

// span makes the function that does the members lo <= i < hi of g.
func (m *batcher) span(span, g *ssair.Func) *ssair.Func {
	span.Obj, span.Pos, span.Results = g.Obj, g.Pos, g.Results
	in := *m
	in.args, in.dests = nil, nil
	for i, p := range g.Params {
		v := span.AddParam(p.Name(), p.Type)
		v.Space = p.Space
		if i < len(m.dests) {
			in.dests = append(in.dests, v)
		} else {
			in.args = append(in.args, v)
		}
	}
	in.lo, in.n = span.AddParam("lo", ssair.Int), span.AddParam("hi", ssair.Int)
	b := ssair.NewBuilder(span.Body)
	b.Pos = g.Pos
	in.members(b)
	return span
}

// members builds the loop over the members and the return behind it.
func (m *batcher) members(b *ssair.Builder) {
	if m.form.Error {
		b.Return(m.untilError(b))
	} else {
		op := b.Each(m.n, "i", func(i *ssair.Value) { m.member(b, i) })
		m.over(op)
		b.Return()
	}
	if !m.form.Call {
		pass.Inline(m.call)
	}
}

// lengths finds the number of members and builds the checks that all batches have
// it.
func (m *batcher) lengths(b *ssair.Builder) {
	for i, x := range m.args {
		if m.form.Batched[i] && (m.first == nil || m.first.Space != 0 && x.Space == 0) {
			m.first = x // preferably one that is read
		}
	}
	m.n = b.Len(m.first)
	for i, x := range slices.Concat(m.dests, m.args) {
		if k := i - len(m.dests); x != m.first && (k < 0 || m.form.Batched[k]) {
			m.form.Unequal(b, b.Len(x), m.n, x.Name(), m.first.Name())
		}
	}
}

// over says that the loop runs over the first batch, or from lo on.
func (m *batcher) over(op *ssair.Op) {
	if m.lo != nil {
		op.Loop.Form = ssair.While
		op.Args = op.Args[:op.Carried()]
		op.Args[0] = m.lo
		return
	}
	op.Loop.Form = ssair.RangeSlice
	op.Args = append(op.Args[:op.Carried()], m.n, m.first)
}

// untilError builds the loop over members of a function that may return an error:
// the first one ends it. It returns that error, or nil.
func (m *batcher) untilError(b *ssair.Builder) *ssair.Value {
	last := len(m.f.Results) - 1
	t := m.f.Results[last].Type
	op := b.Loop(b.Int(0), b.Zero(t))
	op.Loop.Break = true
	m.over(op)
	for k, v := range []*ssair.Var{{Name: "i"}, {Name: m.f.Results[last].Name}} {
		op.Results[k].Var = v
		for _, r := range op.Regions {
			r.Params[k].Var = v
		}
	}
	i := op.BodyRegion().Params[0]
	cond := b.At(op.Cond())
	cond.Yield(cond.Cmp(token.LSS, op.Cond().Params[0], m.n))
	body := b.At(op.BodyRegion())
	m.member(body, i)
	err := m.call.Results[last]
	failed := body.Cmp(token.NEQ, err, body.Zero(t))
	which := body.If(failed)
	in := body.At(which.Regions[0])
	in.Yield(m.form.Wrap(in, i, err))
	in = body.At(which.Regions[1])
	in.Yield(op.BodyRegion().Params[1])
	body.Yield(body.Un(token.NOT, failed), i, which.AddResult(t, op.Results[1].Var))
	post := b.At(op.Post())
	post.Yield(post.Bin(token.ADD, op.Post().Params[0], post.Int(1)), op.Post().Params[1])
	return op.Results[1]
}

// member builds the call for member i, and stores the results but for the error.
func (m *batcher) member(b *ssair.Builder, i *ssair.Value) {
	own := make([]*ssair.Value, len(m.args))
	in := *b
	in.Safe = true // all batches have the same length
	for k, x := range m.args {
		switch {
		case !m.form.Batched[k]:
			own[k] = x
		case types.Identical(ssair.ElemType(x.Type), m.f.Params[k].Type):
			own[k] = in.Load(x, elem(), i)
		default:
			own[k] = in.Addr(x, elem(), i)
		}
	}
	ts := make([]types.Type, len(m.f.Results))
	for j, r := range m.f.Results {
		ts[j] = r.Type
	}
	m.call = b.Op(ssair.Call, own, ts...)
	m.call.Callee = m.f
	for j, r := range m.f.Results {
		if len(m.f.Results) > 1 && r.Name != "" {
			m.call.Results[j].Var = &ssair.Var{Name: r.Name}
		}
	}
	for j, dst := range m.dests {
		in.Store(dst, elem(), m.call.Results[j], i)
	}
}
