package ssair

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
)

// A Builder appends ops to a region.
type Builder struct {
	Region *Region
	Pos    token.Pos // position given to new ops
	Stmt   int
	Call   int
	Safe   bool // whether new ops are marked as unable to panic
	Loose  bool // whether new ops are derivative arithmetic
	// Reverse marks new ops as part of a reverse sweep.
	Reverse bool

	// Replay is the number of the replay that new ops belong to, or 0.
	Replay int

	// Before, when not nil, makes the builder insert in front of that op
	// instead of at the end of the region.
	Before *Op
}

// NewBuilder returns a builder at the end of r.
func NewBuilder(r *Region) *Builder { return &Builder{Region: r} }

// At returns a builder like b at the end of r.
func (b *Builder) At(r *Region) *Builder {
	c := *b
	c.Region, c.Before = r, nil
	return &c
}

// Func returns the function being built.
func (b *Builder) Func() *Func { return b.Region.Func }

// Insert puts o at the builder's place and returns it.
func (b *Builder) Insert(o *Op) *Op {
	o.Parent = b.Region
	if b.Before == nil {
		b.Region.Ops = append(b.Region.Ops, o)
		return o
	}
	for i, x := range b.Region.Ops {
		if x == b.Before {
			b.Region.Ops = append(b.Region.Ops, nil)
			copy(b.Region.Ops[i+1:], b.Region.Ops[i:])
			b.Region.Ops[i] = o
			return o
		}
	}
	panic("ssair: Builder.Before is not in Builder.Region")
}

// Op appends an op of kind k with results of the given types.
func (b *Builder) Op(k Kind, args []*Value, results ...types.Type) *Op {
	o := &Op{Kind: k, Args: args, Pos: b.Pos, Stmt: b.Stmt, Call: b.Call, Safe: b.Safe, Loose: b.Loose, Reverse: b.Reverse, Replay: b.Replay}
	for _, t := range results {
		v := b.Func().NewValue(t, nil)
		v.Def = o
		o.Results = append(o.Results, v)
	}
	return b.Insert(o)
}

func (b *Builder) op1(k Kind, t types.Type, args ...*Value) *Value {
	return b.Op(k, args, t).Results[0]
}

// Const returns a constant of type t.
func (b *Builder) Const(val constant.Value, t types.Type) *Value {
	v := b.op1(Const, t)
	v.Def.Val = val
	return v
}

// Int returns a constant of type int.
func (b *Builder) Int(n int) *Value { return b.Const(constant.MakeInt64(int64(n)), Int) }

// Bool returns a constant of type bool.
func (b *Builder) Bool(x bool) *Value { return b.Const(constant.MakeBool(x), Bool) }

// Float returns a constant of the floating-point type t.
func (b *Builder) Float(x float64, t types.Type) *Value {
	return b.Const(constant.MakeFloat64(x), t)
}

// Zero returns the zero value of t.
func (b *Builder) Zero(t types.Type) *Value { return b.op1(Zero, t) }

// Bin returns x tok y.
func (b *Builder) Bin(tok token.Token, x, y *Value) *Value {
	v := b.op1(Bin, x.Type, x, y)
	v.Def.Tok = tok
	return v
}

// Un returns tok x.
func (b *Builder) Un(tok token.Token, x *Value) *Value {
	v := b.op1(Un, x.Type, x)
	v.Def.Tok = tok
	return v
}

// Cmp returns x tok y as a bool.
func (b *Builder) Cmp(tok token.Token, x, y *Value) *Value {
	v := b.op1(Cmp, Bool, x, y)
	v.Def.Tok = tok
	return v
}

// Conv converts x to t. It returns x itself when the types are identical.
func (b *Builder) Conv(x *Value, t types.Type) *Value {
	if types.Identical(x.Type, t) {
		return x
	}
	return b.op1(Conv, t, x)
}

// Apply applies the elementary function fn of package rules.
func (b *Builder) Apply(fn string, results []types.Type, args ...*Value) *Op {
	o := b.Op(Apply, args, results...)
	o.Fn = fn
	return o
}

// Alloc returns a pointer to a new cell of type t for the variable v.
func (b *Builder) Alloc(t types.Type, v *Var) *Value {
	p := b.op1(Alloc, types.NewPointer(t))
	p.Def.Type = t
	p.Var = v
	return p
}

// MakeSlice returns make(t, n, c).
func (b *Builder) MakeSlice(t types.Type, n, c *Value) *Value { return b.op1(MakeSlice, t, n, c) }

func (b *Builder) place(k Kind, base *Value, path []Step, args []*Value, t types.Type) *Op {
	o := b.Op(k, args)
	o.Path = path
	if t != nil {
		v := b.Func().NewValue(t, nil)
		v.Def = o
		o.Results = []*Value{v}
	}
	return o
}

func placeArgs(base *Value, idx []*Value, rest ...*Value) []*Value {
	args := make([]*Value, 0, 1+len(idx)+len(rest))
	args = append(args, base)
	args = append(args, idx...)
	return append(args, rest...)
}

// Load returns what the place holds.
func (b *Builder) Load(base *Value, path []Step, idx ...*Value) *Value {
	t := PlaceType(base.Type, path)
	if t == nil {
		panic(fmt.Sprintf("ssair: no place %v in %v", path, base.Type))
	}
	return b.place(Load, base, path, placeArgs(base, idx), t).Results[0]
}

// Store writes v to the place.
func (b *Builder) Store(base *Value, path []Step, v *Value, idx ...*Value) *Op {
	return b.place(Store, base, path, placeArgs(base, idx, v), nil)
}

// Accum adds v to the place.
func (b *Builder) Accum(base *Value, path []Step, v *Value, idx ...*Value) *Op {
	return b.place(Accum, base, path, placeArgs(base, idx, v), nil)
}

// Addr returns the address of the place.
func (b *Builder) Addr(base *Value, path []Step, idx ...*Value) *Value {
	t := PlaceType(base.Type, path)
	if t == nil {
		panic(fmt.Sprintf("ssair: no place %v in %v", path, base.Type))
	}
	return b.place(Addr, base, path, placeArgs(base, idx), types.NewPointer(t)).Results[0]
}

// Slice returns x[lo:hi:max]; nil operands are left out. x is a slice, a
// string or a pointer to an array.
func (b *Builder) Slice(x, lo, hi, max *Value) *Value {
	t := x.Type
	if e := Deref(t); e != nil {
		t = types.NewSlice(ElemType(e))
	}
	return b.op1(Slice, t, x, lo, hi, max)
}

// Len returns len(x).
func (b *Builder) Len(x *Value) *Value { return b.op1(Len, Int, x) }

// Cap returns cap(x).
func (b *Builder) Cap(x *Value) *Value { return b.op1(Cap, Int, x) }

// Extract returns the part of the aggregate x at path; elements are constant
// indices, given in the same path as Step{Field: index} would be for fields.
func (b *Builder) Extract(x *Value, path ...int) *Value {
	t := x.Type
	steps := make([]Step, len(path))
	for i, p := range path {
		steps[i] = Field(p)
		switch u := t.Underlying().(type) {
		case *types.Struct:
			t = u.Field(p).Type()
		case *types.Array:
			t = u.Elem()
		default:
			panic(fmt.Sprintf("ssair: cannot extract from %v", t))
		}
	}
	v := b.op1(Extract, t, x)
	v.Def.Path = steps
	return v
}

// Build returns an aggregate of type t made of parts.
func (b *Builder) Build(t types.Type, parts ...*Value) *Value { return b.op1(Build, t, parts...) }

// If appends an if with two empty regions and no results yet.
func (b *Builder) If(cond *Value) *Op {
	o := b.Op(If, []*Value{cond})
	o.AddRegion()
	o.AddRegion()
	return o
}

// Loop appends a loop with three regions that carry values of the types of
// inits.
func (b *Builder) Loop(inits ...*Value) *Op {
	ts := make([]types.Type, len(inits))
	for i, v := range inits {
		ts[i] = v.Type
	}
	o := b.Op(Loop, append([]*Value(nil), inits...), ts...)
	o.Loop = &LoopInfo{}
	for range 3 {
		r := o.AddRegion()
		for _, v := range inits {
			r.AddParam(v.Type, v.Var)
		}
	}
	return o
}

// AddRegion adds an empty region to o.
func (o *Op) AddRegion() *Region {
	r := &Region{Parent: o, Func: o.Parent.Func}
	o.Regions = append(o.Regions, r)
	return r
}

// AddResult adds a result to o.
func (o *Op) AddResult(t types.Type, v *Var) *Value {
	r := o.Parent.Func.NewValue(t, v)
	r.Def = o
	o.Results = append(o.Results, r)
	return r
}

// Yield ends a region.
func (b *Builder) Yield(vs ...*Value) *Op { return b.Op(Yield, append([]*Value(nil), vs...)) }

// Return ends a body.
func (b *Builder) Return(vs ...*Value) *Op { return b.Op(Return, append([]*Value(nil), vs...)) }

// Each builds a loop over 0 <= i < n that carries nothing but i, whose variable is
// called name. The body is built by b itself.
func (b *Builder) Each(n *Value, name string, body func(i *Value)) *Op {
	op := b.Every(n, 1, name, body)
	op.Loop.Form = RangeInt
	op.Args = append(op.Args, n)
	return op
}

// Every is Each in steps: 0, step, 2*step and so on.
func (b *Builder) Every(n *Value, step int, name string, body func(i *Value)) *Op {
	op := b.Loop(b.Int(0))
	v := &Var{Name: name}
	op.Results[0].Var = v
	for _, r := range op.Regions {
		r.Params[0].Var = v
	}
	region, before := b.Region, b.Before
	b.Before = nil
	b.Region = op.Cond()
	b.Yield(b.Cmp(token.LSS, op.Cond().Params[0], n))
	b.Region = op.BodyRegion()
	body(op.BodyRegion().Params[0])
	b.Yield(op.BodyRegion().Params[0])
	b.Region = op.Post()
	b.Yield(b.Bin(token.ADD, op.Post().Params[0], b.Int(step)))
	b.Region, b.Before = region, before
	return op
}
