package pass

import (
	"go/types"
	"slices"

	"github.com/quabla/quabla/ssair"
)

// gather undoes what Explode did where nothing came of it: an aggregate that is
// built from all parts of one place, each loaded for that only, is loaded as a
// whole.
func gather(f *ssair.Func) {
	uses := ssair.UsesIn(f.Body)
	var builds []*ssair.Op
	f.Body.Walk(func(o *ssair.Op) bool {
		if o.Kind == ssair.Build {
			builds = append(builds, o)
		}
		return true
	})
	repl := map[*ssair.Value]*ssair.Value{}
	for _, o := range builds {
		p := &parts{build: o, uses: uses}
		if !p.collect(o, nil) || len(p.loads) < 2 || p.written() {
			continue
		}
		l := p.loads[0]
		b := ssair.NewBuilder(o.Parent)
		b.Before, b.Safe, b.Pos = o, l.Safe, l.Pos
		n := 0
		for _, s := range p.path {
			if !s.IsField() {
				n++
			}
		}
		whole := b.Load(l.Base(), p.path, l.Indices()[:n]...)
		whole.Var = o.Result().Var
		repl[o.Result()] = whole
		for _, l := range p.loads {
			l.Safe = true // it panics where the whole does
		}
	}
	f.Body.ReplaceAll(repl)
}

// parts are the loads that an aggregate is built from.
type parts struct {
	build *ssair.Op
	uses  ssair.Uses
	loads []*ssair.Op
	path  []ssair.Step // of the whole
}

// collect adds the loads of the parts of o, which is the part rel of the whole. It
// reports false if one of them is something else.
func (p *parts) collect(o *ssair.Op, rel []int) bool {
	if o.Result() != p.build.Result() && len(p.uses[o.Result()]) != 1 || o.Parent != p.build.Parent {
		return false
	}
	if o.Kind == ssair.Build {
		for i, a := range o.Args {
			if a == nil || a.Def == nil || !p.collect(a.Def, append(rel[:len(rel):len(rel)], i)) {
				return false
			}
		}
		return len(o.Args) > 0
	}
	if o.Kind != ssair.Load || len(o.Path) < len(rel) {
		return false
	}
	at := len(o.Path) - len(rel)
	if len(p.loads) == 0 {
		p.path = o.Path[:at]
		if !types.Identical(ssair.PlaceType(o.Base().Type, p.path), p.build.Result().Type) {
			return false
		}
	}
	if !slices.Equal(o.Path[:at], p.path) || len(p.loads) > 0 && o.Base() != p.loads[0].Base() {
		return false
	}
	k := 0
	for i, s := range o.Path {
		switch {
		case i < at && !s.IsField():
			if len(p.loads) > 0 && o.Indices()[k] != p.loads[0].Indices()[k] {
				return false
			}
			k++
		case i < at:
		case s.IsField():
			if s.Field != rel[i-at] {
				return false
			}
		default:
			if n, ok := ConstInt(o.Indices()[k]); !ok || n != int64(rel[i-at]) {
				return false
			}
			k++
		}
	}
	p.loads = append(p.loads, o)
	return true
}

// written reports whether something may be written between the loads and the build.
func (p *parts) written() bool {
	ops := p.build.Parent.Ops
	from, to := len(ops), indexOfOp(ops, p.build)
	for _, l := range p.loads {
		from = min(from, indexOfOp(ops, l))
	}
	for _, o := range ops[from:to] {
		if len(o.Regions) > 0 || o.Kind.Writes() || o.Kind == ssair.Call || o.Kind == ssair.Opaque {
			return true
		}
	}
	return false
}
