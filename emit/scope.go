package emit

import (
	"cmp"
	"fmt"
	"go/token"
	"go/types"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// placer finds the scope of each variable: the innermost region that holds all
// its definitions and uses.
type placer struct {
	c *classes
	// headers holds, for each loop, the carried values that its clause
	// declares.
	headers map[*ssair.Op]map[int]bool
}

func (c *classes) place(headers map[*ssair.Op]map[int]bool) {
	p := &placer{c, headers}
	p.region(c.p.f.Body, c.p.f.Body.Term().Args, nil)
}

func (p *placer) touch(v *ssair.Value, r *ssair.Region) {
	k := p.c.of[v]
	if k == nil || k.param {
		return
	}
	if k.scope == nil {
		k.scope = r
		return
	}
	for !k.scope.Contains(r) {
		k.scope = k.scope.Parent.Parent
	}
}

// region visits the ops of r; out is what its terminator reads.
func (p *placer) region(r *ssair.Region, out []*ssair.Value, a alias) {
	tail := p.c.p.tailOf(r)
	for _, o := range r.Ops {
		if len(o.Results) > 0 && p.c.p.inline[o.Results[0]] || o.Kind == ssair.Yield || o.Kind == ssair.Return {
			continue
		}
		if o.Kind == ssair.Loop {
			p.loop(o, r)
			continue
		}
		if o != tail {
			for _, v := range o.Results {
				p.touch(v, r)
			}
		}
		if o.Kind != ssair.If {
			p.c.operands(o, nil, func(v *ssair.Value) { p.touch(v, r) })
		} else {
			p.c.leaves(o.Args[0], nil, func(v *ssair.Value) { p.touch(v, r) })
			for _, g := range o.Regions {
				switch t := g.Term(); {
				case t.Kind != ssair.Yield:
					p.region(g, nil, nil)
				case o == tail:
					p.region(g, out, a.in(o, g))
				default:
					p.region(g, t.Args, nil)
				}
			}
		}
	}
	if tail == nil {
		for _, v := range out {
			p.c.leaves(v, a, func(x *ssair.Value) { p.touch(x, r) })
		}
	}
}

func (p *placer) loop(o *ssair.Op, r *ssair.Region) {
	for k, v := range o.Results {
		if p.headers[o][k] {
			p.touch(v, o.BodyRegion())
			p.c.of[v].header = o
		} else {
			p.touch(v, r)
		}
	}
	for _, a := range o.Args {
		p.c.leaves(a, nil, func(v *ssair.Value) { p.touch(v, r) })
	}
	for i, g := range o.Regions {
		if p.inClause(o, i) {
			// What the clause reads counts as read by the loop as a whole.
			p.clause(g, o.BodyRegion(), r)
			continue
		}
		var out []*ssair.Value
		if t := g.Term(); t.Kind == ssair.Yield {
			out = t.Args
		}
		p.region(g, out, nil)
	}
}

// inClause reports whether region i of a loop is printed in its clause.
func (p *placer) inClause(o *ssair.Op, i int) bool { return i != 1 }

// clause visits a region that is an expression in the clause of a loop.
func (p *placer) clause(g, body, around *ssair.Region) {
	visit := func(v *ssair.Value) {
		if k := p.c.of[v]; k != nil && k.header != nil {
			p.touch(v, body)
			return
		}
		p.touch(v, around)
	}
	for _, o := range g.Ops {
		if len(o.Results) > 0 && !p.c.p.inline[o.Results[0]] {
			for _, v := range o.Results {
				p.touch(v, around)
			}
		}
		p.c.operands(o, nil, visit)
	}
}

// assignNames gives every variable a name that is free in its scope. A
// variable that is returned as a named result is that result.
func (c *classes) assignNames(reserved map[string]bool, params []string, results []ssair.Result, names []string) {
	type taken struct {
		k     *class
		scope *ssair.Region
	}
	byName := map[string][]taken{}
	i := 0
	for _, v := range c.p.f.Params {
		c.of[v].name = params[i]
		i++
		byName[c.of[v].name] = append(byName[c.of[v].name], taken{c.of[v], c.p.f.Body})
	}
	if t := c.p.f.Body.Term(); t.Kind == ssair.Return {
		for i, n := range names {
			if n == "" || n == "_" {
				continue
			}
			if k := c.returned(t.Args[i], results[i].Type, n); k != nil {
				k.name, k.result, k.scope = n, true, c.p.f.Body
			}
			byName[n] = append(byName[n], taken{nil, c.p.f.Body})
		}
	}
	free := func(name string, k *class) bool {
		if reserved[name] || name == "_" {
			return false
		}
		for _, t := range byName[name] {
			if t.scope.Contains(k.scope) || k.scope.Contains(t.scope) {
				return false
			}
		}
		return true
	}
	// Variables that loops carry come first: they keep the names of the source,
	// their initial values get a number.
	list := c.list()
	slices.SortStableFunc(list, func(a, b *class) int { return cmp.Compare(carried(b), carried(a)) })
	for _, k := range list {
		if k.name != "" || c.unread(k) {
			continue
		}
		if k.scope == nil {
			k.scope = c.p.f.Body
		}
		base := c.baseName(k)
		name := base
		for n := 1; !free(name, k); n++ {
			name = fmt.Sprintf("%s%d", base, n)
			if c := base[len(base)-1]; c >= '0' && c <= '9' {
				name = fmt.Sprintf("%s_%d", base, n)
			}
		}
		k.name = name
		byName[name] = append(byName[name], taken{k, k.scope})
	}
}

// carried is 1 for the variable of a loop's state, 0 for others.
func carried(k *class) int {
	if k.header != nil {
		return 0
	}
	for _, v := range k.members {
		if loopState(v) {
			return 1
		}
	}
	return 0
}

// unread reports whether k is a result that nothing reads: it needs no name.
func (c *classes) unread(k *class) bool {
	v := k.members[0]
	return len(k.members) == 1 && len(c.p.uses[v]) == 0 && v.Def != nil && v.Def.Kind != ssair.Loop && v.Def.Kind != ssair.If
}

// returned returns the variable that holds v, a result called name, if it is
// called so too.
func (c *classes) returned(v *ssair.Value, t types.Type, name string) *class {
	var found *class
	c.returns(v, func(x *ssair.Value) {
		k := c.of[x]
		if k == nil || k.param || k.cell || k.header != nil || k.name != "" || named(k) && c.baseName(k) != name || !types.Identical(k.typ, t) {
			return
		}
		found = k
	})
	return found
}

// named reports whether a member of k has a name in the source.
func named(k *class) bool {
	for _, v := range k.members {
		if v.Var != nil {
			return true
		}
	}
	return false
}

// returns calls visit for the variables that v, a result, may be at the end of
// the function.
func (c *classes) returns(v *ssair.Value, visit func(*ssair.Value)) {
	if d := v.Def; d != nil && c.p.tail[d] {
		for k, r := range d.Results {
			if r == v {
				for _, g := range d.Regions {
					if t := g.Term(); t.Kind == ssair.Yield {
						c.returns(t.Args[k], visit)
					}
				}
			}
		}
		return
	}
	if !c.p.inline[v] {
		visit(v)
	}
}

// baseName proposes a name: the one of the source, or a short one that says
// what the value is.
func (c *classes) baseName(k *class) string {
	for _, v := range k.members {
		if v.Var != nil && v.Var.Name != "" && v.Var.Name != "_" {
			return v.Var.Name
		}
	}
	for _, v := range k.members {
		if v.Def == nil {
			continue
		}
		if n := c.describe(v.Def); n != "" {
			return n
		}
	}
	switch {
	case ssair.IsInteger(k.typ):
		return "k"
	case ssair.IsBool(k.typ) && slices.ContainsFunc(k.members, c.goesOn):
		return "more"
	case ssair.IsBool(k.typ):
		return "ok"
	}
	return "t"
}

// goesOn reports whether v says if a loop goes on.
func (c *classes) goesOn(v *ssair.Value) bool {
	for _, u := range c.p.uses[v] {
		r := u.Op.Parent
		if u.Op.Kind == ssair.Yield && u.Arg == 0 && r.Parent != nil && r.Parent.Kind == ssair.Loop && r.Parent.Loop.Break && r == r.Parent.BodyRegion() {
			return true
		}
	}
	return false
}

// describe names the result of an op after what it computes.
func (c *classes) describe(o *ssair.Op) string {
	switch o.Kind {
	case ssair.Load:
		// x[i] becomes xi, p.W becomes pW.
		base := c.nameOf(o.Base())
		if base == "" {
			return ""
		}
		if n := len(o.Path); n == 1 && o.Path[0].IsField() {
			if s, ok := ssair.Deref(o.Base().Type).Underlying().(*types.Struct); ok {
				return base + upperFirst(s.Field(o.Path[0].Field).Name())
			}
		}
		if n := len(o.Path); n > 0 && o.Path[n-1].IsField() {
			return ""
		}
		idx := o.Indices()
		if len(idx) != 1 {
			return base
		}
		if i := c.nameOf(idx[0]); len(i) == 1 {
			return base + i
		}
		if d := idx[0].Def; d != nil && d.Kind == ssair.Const {
			return base + d.Val.String()
		}
		return base + "i"
	case ssair.Bin:
		// h/6 becomes h6.
		if n, ok := pass.ConstFloat(o.Args[1]); ok && o.Tok == token.QUO && n == math.Trunc(n) && n > 1 && n < 100 {
			if base := c.nameOf(o.Args[0]); base != "" {
				return fmt.Sprintf("%s%.0f", base, n)
			}
		}
		return ""
	case ssair.Apply:
		n := o.Fn[strings.LastIndex(o.Fn, ".")+1:]
		switch o.Fn {
		case "rt.Mul0", "rt.Mul00", "rt.Div0", "rt.Switch":
			return "" // guarded products
		}
		r := []rune(n)
		r[0] = unicode.ToLower(r[0])
		return string(r)
	case ssair.Slice:
		// x[1:] becomes x1.
		base := c.nameOf(o.Args[0])
		if lo := o.Args[1]; base != "" && lo != nil && lo.Def != nil && lo.Def.Kind == ssair.Const && o.Args[2] == nil {
			return base + lo.Def.Val.String()
		}
		return base
	case ssair.Len:
		return "n"
	case ssair.MakeIface, ssair.Call, ssair.Opaque:
		return ""
	}
	return ""
}

func (c *classes) nameOf(v *ssair.Value) string {
	if n := v.Name(); n != "" {
		return n
	}
	if k := c.of[v]; k != nil {
		for _, m := range k.members {
			if m.Var != nil {
				return m.Var.Name
			}
		}
	}
	return ""
}

func upperFirst(s string) string {
	r := []rune(s)
	r[0] = unicode.ToUpper(r[0])
	return string(r)
}
