package deriv

import (
	"go/token"
	"go/types"
	"slices"

	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// A MatrixForm says how a matrix is filled.
type MatrixForm struct {
	Type types.Type // of the parameter
	// Resize builds the check that m is empty or rows times cols.
	Resize func(b *ssair.Builder, m, rows, cols *ssair.Value)
	Set    func(b *ssair.Builder, m, i, j, v *ssair.Value)
}

// Jacobian returns the function that fills the matrix of the derivatives of
// the outputs, one row for each of their floats, by the floats of the
// parameters, one column each. It runs forward mode with several lanes for a
// few columns at a time.
func (d *Deriver) Jacobian(f *ssair.Func, r Request, m MatrixForm, name string) (out *Derivative, err error) {
	defer recoverRefusal(&err)
	lanes := chunk(f, r)
	relinked := pass.Relinked(f)
	for i, p := range f.Params {
		if relinked[i] && r.Param[i] {
			refuse(f.Pos, "copy the numbers instead, or leave it out of the outputs",
				"%s replaces references inside of its parameter %s, which is an output: it has no fixed number of rows", f.Name, p.Name())
		}
	}
	mark := len(d.t.mod.Funcs)
	fwd := d.lanes(func(n int) *Derivative {
		return d.forward(f, Request{Wrt: r.Wrt, Param: r.Param, Lanes: n}, name+"JVP")
	}, &lanes)
	d.t.drop(mark, fwd.Func)
	b := newMatrixBuilder(d, f, r, m, name, lanes)
	b.fwd = fwd
	for _, s := range fwd.Params {
		switch {
		case s.Role == Primal:
			b.args = append(b.args, matrixArg{kind: argPrimal, of: s.Of})
		case r.Wrt[s.Of]:
			b.args = append(b.args, matrixArg{kind: argSeed, of: s.Of, row: r.Param[s.Of]})
		default:
			b.args = append(b.args, matrixArg{kind: argRow, of: s.Of, row: true})
		}
	}
	for _, s := range fwd.Results {
		b.results = append(b.results, matrixResult{value: s.Role == Primal, row: s.Role == Tangent && r.Result[s.Of], of: s.Of})
	}
	return b.build(), nil
}

// Hessian returns the function that fills the symmetric matrix of second
// derivatives of the only scalar output: forward mode over reverse mode, with
// several lanes for a few columns at a time.
func (d *Deriver) Hessian(f *ssair.Func, r Request, m MatrixForm, name string) (out *Derivative, err error) {
	defer recoverRefusal(&err)
	lanes := chunk(f, r)
	spec := r.spec()
	spec.Unit = true
	mark := len(d.t.mod.Funcs)
	grad := d.reverse(f, spec, name+"Grad")
	pass.Tidy(grad.Func)
	active := make([]bool, len(grad.Params))
	for i, s := range grad.Params {
		active[i] = s.Role == Adjoint || r.Wrt[s.Of]
	}
	fwd := d.lanes(func(n int) *Derivative {
		return d.forward(grad.Func, Request{Wrt: active, Lanes: n}, name+"Tangent")
	}, &lanes)
	d.t.drop(mark, grad.Func, fwd.Func)
	b := newMatrixBuilder(d, f, r, m, name, lanes)
	b.symmetric = true
	b.fwd = fwd
	for _, s := range fwd.Params {
		inner := grad.Params[s.Of]
		switch {
		case inner.Role == Adjoint && s.Role == Primal:
			b.args = append(b.args, matrixArg{kind: argScratch, of: inner.Of})
		case inner.Role == Adjoint:
			b.args = append(b.args, matrixArg{kind: argRow, of: inner.Of, row: true})
		case s.Role == Primal:
			b.args = append(b.args, matrixArg{kind: argPrimal, of: inner.Of})
		default:
			b.args = append(b.args, matrixArg{kind: argSeed, of: inner.Of})
		}
	}
	for _, s := range fwd.Results {
		inner := grad.Results[s.Of]
		b.results = append(b.results, matrixResult{
			value: inner.Role == Primal && s.Role == Primal,
			row:   inner.Role == Adjoint && s.Role == Tangent, of: inner.Of,
		})
	}
	return b.build(), nil
}

// chunk returns the number of columns to compute at a time.
func chunk(f *ssair.Func, r Request) int {
	sum := 0
	for i, p := range f.Params {
		if r.Wrt[i] {
			n, ok := flatLen(p.Type)
			if !ok {
				return 4
			}
			sum += n
		}
	}
	switch {
	case sum > 8:
		return 4
	case sum < 1:
		return 1
	}
	return sum
}

// lanes makes a derivative with n lanes, or with one if its types do not allow
// more.
func (d *Deriver) lanes(make func(n int) *Derivative, n *int) (out *Derivative) {
	if *n > 1 && d.carries(make, *n, &out) {
		return out
	}
	*n = 1
	return make(1)
}

func (d *Deriver) carries(make func(n int) *Derivative, n int, out **Derivative) (ok bool) {
	var err error
	func() {
		defer recoverRefusal(&err)
		*out = make(n)
	}()
	return err == nil
}

// The kinds of arguments of the function that a matrix is built from.
const (
	argPrimal  = iota // the parameter itself
	argSeed           // the tangent of a parameter: the directions
	argRow            // memory for the tangent of an output
	argScratch        // memory for the gradient itself
)

type matrixArg struct {
	kind, of int
	row      bool // what comes back through it is a row of the matrix
}

type matrixResult struct {
	value, row bool
	of         int
}

// A matrixBuilder builds the loop over the columns.
type matrixBuilder struct {
	d         *Deriver
	f, g      *ssair.Func
	r         Request
	form      MatrixForm
	lanes     int
	symmetric bool
	fwd       *Derivative
	args      []matrixArg
	results   []matrixResult

	b    *ssair.Builder
	out  *Derivative
	mat  *ssair.Value
	prim []*ssair.Value
}

func newMatrixBuilder(d *Deriver, f *ssair.Func, r Request, m MatrixForm, name string, lanes int) *matrixBuilder {
	x := &matrixBuilder{d: d, f: f, g: d.t.mod.NewFunc(name), r: r, form: m, lanes: lanes, out: &Derivative{}}
	x.g.Obj, x.g.Pos = f.Obj, f.Pos
	x.out.Func = x.g
	x.b = ssair.NewBuilder(x.g.Body)
	x.b.Safe = true
	x.b.Pos = f.Pos
	x.mat = x.g.AddParam("m", m.Type)
	x.mat.Space = maxSpace(f) + 1
	x.out.Params = append(x.out.Params, Slot{Role: Matrix, Of: -1})
	for i, p := range f.Params {
		q := x.g.AddParam(p.Name(), p.Type)
		q.Space = p.Space
		x.prim = append(x.prim, q)
		x.out.Params = append(x.out.Params, Slot{Role: Primal, Of: i})
	}
	return x
}

func (x *matrixBuilder) build() *Derivative {
	b := x.b
	// The number of columns.
	n := b.Int(0)
	static := 0
	for i, p := range x.prim {
		if !x.r.Wrt[i] {
			continue
		}
		n = plus(b, n, countLeaves(b, p))
		if k, ok := flatLen(p.Type); ok && static >= 0 {
			static += k
		} else {
			static = -1
		}
	}
	n.Var = &ssair.Var{Name: "n"}
	once := static >= 0 && static <= x.lanes
	if op := repeatable(x.f); op != nil && !once {
		what := "a function value"
		if op.Obj != nil {
			what = qualified(op.Obj)
		}
		refuse(op.Pos, "use jvp, vjp or hvp, which run it once", "a matrix takes several runs of %s, and its call of %s must not be repeated", x.f.Name, what)
	}

	// Memory for tangents, and for what the function changes.
	cells := make([]spot, len(x.args)) // of seeds and rows
	for k, a := range x.args {
		if a.kind == argSeed || a.kind == argRow {
			z := zeroLike(b, x.prim[a.of], x.lanes, needsCap(x.f), x.f.Pos)
			t := x.fwd.Func.Params[k].Type
			if !types.Identical(z.Type, t) { // the destination of an aggregate
				p := b.Alloc(z.Type, nil)
				b.Store(p, nil, z)
				z = p
			}
			z.Var = x.fwd.Func.Params[k].Var
			cells[k] = cell(b, z)
		}
	}
	var kept []snapshot
	if !once {
		for i := range x.prim {
			if pass.Written(x.f)[i] {
				kept = append(kept, remember(b, x.prim[i], x.f.Pos))
			}
		}
	}
	rows, early := x.rows()
	if early {
		x.form.Resize(b, x.mat, rows, n)
	}
	values := map[int]spot{} // results of the function itself
	for k, r := range x.results {
		if r.value {
			res := x.fwd.Func.Results[k]
			c := b.Alloc(res.Type, nil)
			if res.Name != "" {
				c.Var = &ssair.Var{Name: res.Name}
			}
			values[k] = spot{base: c}
		}
	}
	var c *ssair.Op // the call, to be inlined when all is built around it
	sweep := func(j *ssair.Value) {
		x.seed(cells, n, j)
		c = x.call(cells)
		for k, v := range values {
			v.store(b, c.Results[k])
		}
		if !early {
			total := rows
			for k, r := range x.results {
				if r.row {
					total = plus(b, total, countLeaves(b, x.valueOf(k, c)))
				}
			}
			when(b, b.Cmp(token.EQL, j, b.Int(0)), func(b *ssair.Builder) { x.form.Resize(b, x.mat, total, n) })
		}
		x.fill(cells, c, n, j)
	}
	if once {
		sweep(b.Int(0))
	} else {
		trips := n
		if static <= 0 {
			trips = b.Apply("max", []types.Type{ssair.Int}, n, b.Int(1)).Result()
			trips.Var = &ssair.Var{Name: "cols"} // without columns the function still runs
		}
		x.chunks(trips, func(j *ssair.Value) {
			if len(kept) > 0 {
				when(b, b.Cmp(token.GTR, j, b.Int(0)), func(b *ssair.Builder) {
					for _, s := range kept {
						s.restore(b)
					}
				})
			}
			sweep(j)
		})
	}
	var vs []*ssair.Value
	for i := range x.f.Results {
		for k, r := range x.results {
			if r.value && r.of == i {
				vs = append(vs, values[k].load(b))
				x.g.Results = append(x.g.Results, x.fwd.Func.Results[k])
				x.out.Results = append(x.out.Results, Slot{Role: Primal, Of: i, OfResult: true})
			}
		}
	}
	b.Return(vs...)
	pass.Inline(c)
	return x.out
}

// chunks builds the loop for j := 0; j < n; j += lanes.
func (x *matrixBuilder) chunks(n *ssair.Value, body func(j *ssair.Value)) {
	x.b.Every(n, x.lanes, "j", body)
}

// rows returns the number of rows, as far as it is known before the function
// runs, and whether that is all.
func (x *matrixBuilder) rows() (n *ssair.Value, all bool) {
	b := x.b
	n, all = b.Int(0), true
	for _, a := range x.args {
		if a.row {
			n = plus(b, n, countLeaves(b, x.prim[a.of]))
		}
	}
	for k, r := range x.results {
		if !r.row {
			continue
		}
		t := x.primalType(k)
		if m, ok := flatLen(t); ok {
			n = plus(b, n, b.Int(m))
		} else {
			all = false
		}
	}
	if !all {
		n = b.Int(0)
		for _, a := range x.args {
			if a.row {
				n = plus(b, n, countLeaves(b, x.prim[a.of]))
			}
		}
	}
	return n, all
}

// primalType returns the type, without lanes, of the result k of the call.
func (x *matrixBuilder) primalType(k int) types.Type {
	if x.symmetric {
		return x.f.Params[x.results[k].of].Type
	}
	return x.f.Results[x.results[k].of].Type
}

// valueOf returns the value of the output whose tangent is the result k.
func (x *matrixBuilder) valueOf(k int, c *ssair.Op) *ssair.Value {
	if x.symmetric {
		return x.prim[x.results[k].of]
	}
	for i, r := range x.results {
		if r.value && r.of == x.results[k].of {
			return c.Results[i]
		}
	}
	panic("deriv: a Jacobian without the value of its output")
}

// seed sets the directions of the columns from j on.
func (x *matrixBuilder) seed(cells []spot, n, j *ssair.Value) {
	b := x.b
	sole := x.sole()
	first := b.Int(0)
	for k, a := range x.args {
		if a.kind != argSeed {
			continue // what is only written is cleared by the function itself
		}
		if v := cells[k].load(b); ssair.HoldsRef(v.Type) {
			clearPlace(b, cells[k].base, nil, nil, v.Type, x.f.Pos)
		} else {
			cells[k].store(b, b.Zero(v.Type))
		}
		first = eachLeaf(b, cells[k], x.f.Params[a.of].Type, first, func(b *ssair.Builder, run leafRun) {
			x.lane(b, n, j, func(lane *ssair.Value) {
				i := b.Bin(token.SUB, plus(b, j, orZero(b, lane)), run.first)
				set := func(b *ssair.Builder) {
					p := run.at(i)
					if lane != nil {
						p = p.elem(lane)
					}
					p.store(b, b.Float(1, run.typ))
				}
				if sole {
					set(b)
					return
				}
				below := func(b *ssair.Builder) { when(b, b.Cmp(token.LSS, i, run.n), set) }
				if c, ok := pass.ConstInt(run.first); ok && c == 0 {
					below(b)
				} else {
					when(b, b.Cmp(token.GEQ, i, b.Int(0)), below)
				}
			})
		})
	}
}

// sole reports whether the columns are the elements of one slice or array.
func (x *matrixBuilder) sole() bool {
	n := 0
	for i, p := range x.prim {
		if !x.r.Wrt[i] {
			continue
		}
		n++
		switch u := p.Type.Underlying().(type) {
		case *types.Slice:
			if !ssair.IsScalar(u.Elem()) {
				return false
			}
		case *types.Array:
			if !ssair.IsScalar(u.Elem()) {
				return false
			}
		default:
			return false
		}
	}
	return n == 1
}

// when builds an if without else.
func when(b *ssair.Builder, cond *ssair.Value, then func(b *ssair.Builder)) {
	op := b.If(cond)
	in := b.At(op.Regions[0])
	then(in)
	in.Yield()
	b.At(op.Regions[1]).Yield()
}

func orZero(b *ssair.Builder, v *ssair.Value) *ssair.Value {
	if v == nil {
		return b.Int(0)
	}
	return v
}

// lane builds a loop over the lanes that are in use for the columns from j on;
// with one lane there is none, and lane is nil.
func (x *matrixBuilder) lane(b *ssair.Builder, n, j *ssair.Value, body func(lane *ssair.Value)) {
	if x.lanes == 1 {
		body(nil)
		return
	}
	width := b.Int(x.lanes)
	if k, ok := pass.ConstInt(n); !ok || k%int64(x.lanes) != 0 {
		width = b.Apply("min", []types.Type{ssair.Int}, width, b.Bin(token.SUB, n, j)).Result()
		width.Var = &ssair.Var{Name: "width"}
	}
	b.Each(width, "k", body)
}

// call runs the function with tangents.
func (x *matrixBuilder) call(cells []spot) *ssair.Op {
	b := x.b
	var args []*ssair.Value
	for k, a := range x.args {
		switch a.kind {
		case argPrimal:
			args = append(args, x.prim[a.of])
		case argScratch:
			z := zeroLike(b, x.prim[a.of], 1, needsCap(x.f), x.f.Pos)
			if t := x.fwd.Func.Params[k].Type; !types.Identical(z.Type, t) {
				p := b.Alloc(z.Type, nil)
				b.Store(p, nil, z)
				z = p
			}
			args = append(args, z)
		default:
			args = append(args, cells[k].load(b))
		}
	}
	var ts []types.Type
	for _, res := range x.fwd.Func.Results {
		ts = append(ts, res.Type)
	}
	c := b.Op(ssair.Call, args, ts...)
	c.Callee = x.fwd.Func
	return c
}

// fill stores the columns from j on.
func (x *matrixBuilder) fill(cells []spot, c *ssair.Op, n, j *ssair.Value) {
	b := x.b
	row := b.Int(0)
	store := func(p spot, t types.Type) {
		row = eachLeaf(b, p, t, row, func(b *ssair.Builder, run leafRun) {
			one := func(i *ssair.Value) {
				x.lane(b, n, j, func(lane *ssair.Value) {
					r, col := plus(b, run.first, i), plus(b, j, orZero(b, lane))
					p := run.at(i)
					if lane != nil {
						p = p.elem(lane)
					}
					x.set(b, p, r, col)
				})
			}
			if k, ok := pass.ConstInt(run.n); ok && k == 1 {
				one(b.Int(0))
			} else {
				b.Each(run.n, "i", one)
			}
		})
	}
	type source struct {
		of    int
		store func()
	}
	var sources []source
	for k, a := range x.args {
		if a.row {
			sources = append(sources, source{a.of, func() {
				t := x.f.Params[a.of].Type
				p := cells[k]
				if !types.Identical(shadowType(x.g.Mod, t, x.lanes), x.fwd.Func.Params[k].Type) {
					p = spot{base: p.load(b)}
				}
				store(p, t)
			}})
		}
	}
	for k, r := range x.results {
		if r.row {
			sources = append(sources, source{r.of, func() { store(cell(b, c.Results[k]), x.primalType(k)) }})
		}
	}
	if x.symmetric {
		// The rows stand in the order of the columns.
		slices.SortStableFunc(sources, func(a, b source) int { return a.of - b.of })
	}
	for _, s := range sources {
		s.store()
	}
}

// set stores the number at p, in row r and column col; of a symmetric matrix it
// stores the upper triangle.
func (x *matrixBuilder) set(b *ssair.Builder, p spot, r, col *ssair.Value) {
	put := func(b *ssair.Builder) {
		v := p.load(b)
		if !types.Identical(v.Type, ssair.Float64) {
			v = b.Conv(v, ssair.Float64)
		}
		x.form.Set(b, x.mat, r, col, v)
	}
	if x.symmetric {
		when(b, b.Cmp(token.LEQ, r, col), put)
	} else {
		put(b)
	}
}
