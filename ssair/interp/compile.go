package interp

import (
	"go/types"

	"github.com/quabla/quabla/ssair"
)

// A compiler turns the ops of a function into Go closures that work on the
// slots of a frame. Constants are in the frame from the start.
type compiler struct {
	m     *Machine
	fn    *function
	slots map[*ssair.Value]int
}

func compile(m *Machine, f *ssair.Func) *function {
	c := &compiler{m: m, fn: &function{f: f}, slots: map[*ssair.Value]int{}}
	for _, p := range f.Params {
		c.fn.params = append(c.fn.params, c.slot(p))
	}
	c.fn.body = c.block(f.Body)
	if t := f.Body.Term(); t != nil && t.Kind == ssair.Return {
		c.fn.ret = c.slotsOf(t.Args)
	}
	return c.fn
}

// slot returns the slot of v, a new one when v has none yet.
func (c *compiler) slot(v *ssair.Value) int {
	s, ok := c.slots[v]
	if !ok {
		s = c.newSlot()
		c.slots[v] = s
	}
	return s
}

func (c *compiler) newSlot() int {
	c.fn.proto = append(c.fn.proto, Value{})
	return len(c.fn.proto) - 1
}

func (c *compiler) slotsOf(vs []*ssair.Value) []int {
	s := make([]int, len(vs))
	for i, v := range vs {
		s[i] = c.slot(v)
	}
	return s
}

func (c *compiler) typ(v *ssair.Value) *typ { return c.m.types.of(v.Type) }

// block compiles the ops of r up to its terminator.
func (c *compiler) block(r *ssair.Region) *block {
	b := &block{steps: int64(len(r.Ops))}
	if len(r.Ops) > 0 {
		b.first = r.Ops[0]
	}
	for _, o := range r.Ops {
		if o.Kind == ssair.Yield || o.Kind == ssair.Return {
			continue
		}
		run := c.op(o)
		if c.m.Watch != nil {
			run = c.watch(o, run)
		}
		if run != nil {
			b.code = append(b.code, run)
		}
	}
	return b
}

func (c *compiler) watch(o *ssair.Op, run code) code {
	results := c.slotsOf(o.Results)
	return func(fr *frame) {
		if run != nil {
			run(fr)
		}
		vs := make([]Value, len(results))
		for i, s := range results {
			vs[i] = fr.s[s]
		}
		fr.m.Watch(o, vs)
	}
}

// unsupported is the code of an op that the machine cannot do.
func (c *compiler) unsupported(o *ssair.Op, what string) code {
	return func(fr *frame) { fr.m.unsupported(o, "%s", what) }
}

// op compiles one op. Nil stands for no code.
func (c *compiler) op(o *ssair.Op) code {
	for _, vs := range [][]*ssair.Value{o.Args, o.Results} {
		for _, v := range vs {
			if v == nil {
				continue
			}
			if p, ok := types.Unalias(v.Type).(*types.TypeParam); ok && c.typ(v).kind == kindOther {
				return c.unsupported(o, "the type parameter "+p.Obj().Name()+", which has no type argument")
			}
		}
	}
	switch o.Kind {
	case ssair.Const:
		v, ok := constantValue(o.Val, c.typ(o.Result()))
		if !ok {
			return c.unsupported(o, "the constant "+o.Val.ExactString()+" of type "+o.Result().Type.String())
		}
		c.fn.proto[c.slot(o.Result())] = v
		return nil
	case ssair.Zero:
		c.fn.proto[c.slot(o.Result())] = c.typ(o.Result()).zero()
		return nil
	case ssair.Global:
		return c.global(o)
	case ssair.FuncVal:
		return c.funcVal(o)
	case ssair.Bin:
		return c.bin(o)
	case ssair.Un:
		return c.un(o)
	case ssair.Cmp:
		return c.cmp(o)
	case ssair.Conv:
		return c.conv(o)
	case ssair.Apply:
		return c.apply(o)
	case ssair.Stop:
		return c.unary(o, func(v Value) Value { return v })
	case ssair.Alloc:
		return c.alloc(o)
	case ssair.MakeSlice:
		return c.makeSlice(o)
	case ssair.MakeMap:
		r := c.slot(o.Result())
		return func(fr *frame) { fr.s[r] = Value{r: newMap()} }
	case ssair.Addr:
		return c.addr(o)
	case ssair.Load:
		return c.load(o)
	case ssair.Store:
		return c.store(o)
	case ssair.Accum:
		return c.accum(o)
	case ssair.Slice:
		return c.slice(o)
	case ssair.Len, ssair.MapLen:
		return c.length(o)
	case ssair.Cap:
		return c.capacity(o)
	case ssair.Append:
		return c.append(o)
	case ssair.AppendSlice:
		return c.appendSlice(o)
	case ssair.Copy:
		return c.copy(o)
	case ssair.Clear:
		return c.clear(o)
	case ssair.ZeroLike:
		return c.zeroLike(o)
	case ssair.ClearAll:
		return c.clearAll(o)
	case ssair.MapGet:
		return c.mapGet(o)
	case ssair.MapSet:
		return c.mapSet(o)
	case ssair.MapDelete:
		return c.mapDelete(o)
	case ssair.MapKeys:
		return c.mapKeys(o)
	case ssair.StrIndex:
		return c.strIndex(o)
	case ssair.Build:
		return c.build(o)
	case ssair.Extract:
		return c.extract(o)
	case ssair.MakeIface:
		return c.makeIface(o)
	case ssair.TypeIs:
		return c.typeIs(o)
	case ssair.TypeAssert:
		return c.typeAssert(o)
	case ssair.If:
		return c.ifElse(o)
	case ssair.Loop:
		return c.loop(o)
	case ssair.Panic:
		return c.panic(o)
	case ssair.Unreachable:
		return func(fr *frame) { fr.m.unsupported(o, "an unreachable op was reached") }
	case ssair.Call:
		return c.call(o)
	case ssair.Opaque:
		return c.opaque(o)
	case ssair.MakeClosure:
		return c.makeClosure(o)
	case ssair.JVP, ssair.Grad:
		return c.unsupported(o, "the derivative of "+o.Callee.Name+", which package deriv resolves first")
	}
	return c.unsupported(o, "an op of kind "+o.Kind.String())
}

// unary compiles an op of one operand and one result.
func (c *compiler) unary(o *ssair.Op, f func(Value) Value) code {
	r, x := c.slot(o.Result()), c.slot(o.Args[0])
	return func(fr *frame) { fr.s[r] = f(fr.s[x]) }
}
