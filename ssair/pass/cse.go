package pass

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"github.com/quabla/quabla/ssair"
)

// CSE merges pure ops that compute the same value, and forwards values through
// memory: a load finds what a store or an earlier load of the same place left
// there, as long as nothing in between can have written to it.
func CSE(f *ssair.Func) bool {
	c := &cse{repl: map[*ssair.Value]*ssair.Value{}, gone: map[*ssair.Op]bool{}, al: FindAliases(f)}
	c.region(f.Body, &scope{pure: map[string]*ssair.Value{}, mem: map[string]*memVal{}})
	f.Body.ReplaceAll(c.repl)
	return len(c.gone) > 0
}

type cse struct {
	repl map[*ssair.Value]*ssair.Value
	gone map[*ssair.Op]bool // have another value in their place
	al   *Aliases
}

// A scope holds the values that are available where ops are visited.
type scope struct {
	outer *scope
	pure  map[string]*ssair.Value
	mem   map[string]*memVal // by place
}

// A memVal is what a place in memory is known to hold.
type memVal struct {
	base  *ssair.Value
	typ   types.Type
	value *ssair.Value
	op    *ssair.Op // the load or store
}

func (s *scope) find(key string) *ssair.Value {
	for ; s != nil; s = s.outer {
		if v, ok := s.pure[key]; ok {
			return v
		}
	}
	return nil
}

func (c *cse) get(v *ssair.Value) *ssair.Value {
	for v != nil {
		n, ok := c.repl[v]
		if !ok {
			break
		}
		v = n
	}
	return v
}

func (c *cse) key(o *ssair.Op) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %d %s", o.Kind, o.Tok, o.Fn)
	if o.Obj != nil {
		fmt.Fprintf(&b, " %p", o.Obj)
	}
	if o.Val != nil {
		b.WriteString(" " + o.Val.ExactString())
	}
	for _, s := range o.Path {
		fmt.Fprintf(&b, ".%d", s.Field)
	}
	if o.Explicit {
		b.WriteString(" x")
	}
	if o.Replay != 0 && len(o.Results) > 0 && ssair.IsScalar(o.Results[0].Type) {
		fmt.Fprintf(&b, " replay %d", o.Replay)
	}
	if o.Kind == ssair.Zero {
		fmt.Fprintf(&b, " %q %p", o.Text, tapeOnly(o))
	}
	for _, a := range o.Args {
		if a == nil {
			b.WriteString(" _")
			continue
		}
		if v := c.get(a); v.Def != nil && v.Def.Kind == ssair.Const {
			// Constants of different spelling are one value.
			fmt.Fprintf(&b, " =%s:%s", v.Def.Val.ExactString(), v.Type)
		} else {
			fmt.Fprintf(&b, " %d", v.ID)
		}
	}
	if o.Type != nil {
		b.WriteString(" " + o.Type.String())
	}
	if len(o.Results) > 0 {
		b.WriteString(" " + o.Results[0].Type.String())
	}
	return b.String()
}

// tapeOnly returns o itself for an empty tape: no two tapes are one.
func tapeOnly(o *ssair.Op) *ssair.Op {
	if o.Text == "" {
		return nil
	}
	return o
}

func (c *cse) placeKey(o *ssair.Op) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d", c.get(o.Base()).ID)
	for _, s := range o.Path {
		fmt.Fprintf(&b, ".%d", s.Field)
	}
	for _, a := range o.Indices() {
		v := c.get(a)
		if n, ok := ConstInt(v); ok {
			fmt.Fprintf(&b, " =%d", n)
		} else {
			fmt.Fprintf(&b, " %d", v.ID)
		}
	}
	return b.String()
}

func (c *cse) region(r *ssair.Region, s *scope) {
	for _, o := range r.Ops {
		switch {
		case o.Kind == ssair.Load:
			c.load(o, s)
		case o.Kind == ssair.Store:
			c.kill(o.Base(), o.Stored().Type, s, o)
			s.mem[c.placeKey(o)] = &memVal{o.Base(), o.Stored().Type, o.Stored(), o}
		case o.Kind == ssair.Accum:
			c.kill(o.Base(), o.Stored().Type, s, o)
		case o.Kind == ssair.If:
			// Each arm starts from what is known here; afterwards only what
			// neither arm can have written to is still known.
			for _, n := range o.Regions {
				c.region(n, &scope{outer: s, pure: map[string]*ssair.Value{}, mem: cloneMem(s.mem)})
			}
			c.killRegion(o, s)
		case o.Kind == ssair.Loop:
			c.killRegion(o, s)
			for _, n := range o.Regions {
				c.region(n, &scope{outer: s, pure: map[string]*ssair.Value{}, mem: cloneMem(s.mem)})
			}
		case o.Kind.Writes():
			c.killOp(o, s)
		case o.Kind.IsPure() && len(o.Results) > 0 && o.Kind != ssair.Const && !copies(o):
			k := c.key(o)
			if v := s.find(k); v != nil {
				for i, x := range o.Results {
					w := v.Def.Results[i]
					if w.Var == nil && w.Def.Loose == o.Loose {
						w.Var = x.Var
					}
					c.repl[x] = w
					w.Def.Loose = w.Def.Loose && o.Loose // primal values keep their bits
				}
				c.gone[o] = true
				continue
			}
			s.pure[k] = o.Results[0]
		}
	}
	r.Ops = slices.DeleteFunc(r.Ops, func(o *ssair.Op) bool { return c.gone[o] })
}

// copies reports whether o converts between a string and a slice, which makes
// new memory or reads it.
func copies(o *ssair.Op) bool {
	return o.Kind == ssair.Conv && ssair.IsString(o.Args[0].Type) != ssair.IsString(o.Result().Type)
}

func cloneMem(m map[string]*memVal) map[string]*memVal {
	n := make(map[string]*memVal, len(m))
	for k, v := range m {
		n[k] = v
	}
	return n
}

func (c *cse) load(o *ssair.Op, s *scope) {
	k := c.placeKey(o)
	if m, ok := s.mem[k]; ok && types.Identical(m.value.Type, o.Result().Type) {
		v := c.get(m.value)
		if v.Var == nil && v.Def != nil && v.Def.Kind == ssair.Load {
			v.Var = o.Result().Var
		}
		c.repl[o.Result()] = v
		c.gone[o] = true
		return
	}
	s.mem[k] = &memVal{o.Base(), o.Result().Type, o.Result(), o}
}

// kill forgets the places that a write of type t through base may change; o is
// the store, if it is one.
func (c *cse) kill(base *ssair.Value, t types.Type, s *scope, o *ssair.Op) {
	for k, m := range s.mem {
		if o != nil && apart(o, m.op, c.get) {
			continue
		}
		if c.al.MayAlias(c.get(base), t, c.get(m.base), m.typ) {
			delete(s.mem, k)
		}
	}
}

func (c *cse) killRegion(o *ssair.Op, s *scope) {
	for _, n := range o.Regions {
		n.Walk(func(x *ssair.Op) bool {
			c.killOp(x, s)
			return true
		})
	}
}

func (c *cse) killOp(o *ssair.Op, s *scope) {
	switch o.Kind {
	case ssair.Store, ssair.Accum:
		c.kill(o.Base(), o.Stored().Type, s, o)
	case ssair.Append, ssair.AppendSlice:
		c.kill(o.Args[0], ssair.ElemType(o.Args[0].Type), s, nil)
	case ssair.Copy, ssair.Clear:
		c.kill(o.Args[0], ssair.ElemType(o.Args[0].Type), s, nil)
	case ssair.MapSet, ssair.MapDelete, ssair.Panic:
		// Maps are not tracked, and a panic leaves.
	case ssair.Call, ssair.Opaque, ssair.JVP, ssair.Grad, ssair.ClearAll:
		if o.Reads() {
			return
		}
		args := RootSet{}
		for _, a := range o.Args {
			args.addAll(c.al.Pts(c.get(a)))
		}
		reach := c.al.Reach(args)
		if o.Plain && !o.Alters {
			reach = reach.Made()
		}
		for k, m := range s.mem {
			for r := range c.al.Pts(c.get(m.base)) {
				if reach[r] || !r.Local() {
					delete(s.mem, k)
					break
				}
			}
		}
	}
}
