package pass

import (
	"go/token"
	"go/types"

	"github.com/quabla/quabla/ssair"
)

// maxLeaves is the number of parts up to which an aggregate is taken apart.
const maxLeaves = 16

// leaves returns the paths to the parts of t that are no aggregates, or nil
// when there are too many.
func leaves(t types.Type) [][]int {
	var out [][]int
	ok := true
	var visit func(t types.Type, path []int)
	visit = func(t types.Type, path []int) {
		if len(out) > maxLeaves {
			ok = false
			return
		}
		switch u := t.Underlying().(type) {
		case *types.Struct:
			for i := range u.NumFields() {
				if u.Field(i).Name() != "_" {
					visit(u.Field(i).Type(), append(path[:len(path):len(path)], i))
				}
			}
		case *types.Array:
			if u.Len() > maxLeaves {
				ok = false
				return
			}
			for i := range int(u.Len()) {
				visit(u.Elem(), append(path[:len(path):len(path)], i))
			}
		default:
			out = append(out, path)
		}
	}
	visit(t, nil)
	if !ok || len(out) > maxLeaves {
		return nil
	}
	return out
}

// private are packages whose structs have parts that generated code cannot name, or
// that must not be copied, such as locks.
var private = map[string]bool{
	"sync": true, "sync/atomic": true, "time": true, "reflect": true, "math/big": true, "math/rand": true, "math/rand/v2": true,
	"net/netip": true, "strings": true, "bytes": true, "bufio": true,
}

// noCopy reports whether values of type t must not be copied part by part by code of
// the package home: it cannot name all parts, or there is a lock.
func noCopy(home *types.Package, t types.Type) bool {
	found := false
	var visit func(t types.Type)
	visit = func(t types.Type) {
		if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() != nil {
			if private[n.Obj().Pkg().Path()] || home != nil && n.Obj().Pkg() != home && hides(n) {
				found = true
				return
			}
		}
		switch u := t.Underlying().(type) {
		case *types.Struct:
			for i := range u.NumFields() {
				visit(u.Field(i).Type())
			}
		case *types.Array:
			visit(u.Elem())
		}
	}
	visit(t)
	return found
}

// hides reports whether t is a struct with fields that other packages cannot name.
func hides(t *types.Named) bool {
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range s.Fields() {
		if !f.Exported() {
			return true
		}
	}
	return false
}

// placeOf splits a part of an aggregate into steps and constant indices.
func placeOf(b *ssair.Builder, t types.Type, path []int) ([]ssair.Step, []*ssair.Value) {
	var steps []ssair.Step
	var idx []*ssair.Value
	for _, p := range path {
		switch u := t.Underlying().(type) {
		case *types.Struct:
			steps = append(steps, ssair.Field(p))
			t = u.Field(p).Type()
		case *types.Array:
			steps = append(steps, ssair.Elem)
			idx = append(idx, b.Int(p))
			t = u.Elem()
		}
	}
	return steps, idx
}

// Explode takes apart the loads and stores of small aggregates, so that
// variables of struct and array type can be promoted part by part. Blank fields go.
func Explode(f *ssair.Func) bool {
	repl := map[*ssair.Value]*ssair.Value{}
	changed := false
	explodeRegion(f.Mod.Pkg, f.Body, repl, &changed)
	f.Body.ReplaceAll(repl)
	return changed
}

func explodeRegion(home *types.Package, r *ssair.Region, repl map[*ssair.Value]*ssair.Value, changed *bool) {
	ops := r.Ops
	r.Ops = nil
	b := ssair.NewBuilder(r)
	for _, o := range ops {
		for _, n := range o.Regions {
			explodeRegion(home, n, repl, changed)
		}
		b.Pos, b.Stmt, b.Call = o.Pos, o.Stmt, o.Call
		if blank(o) {
			*changed = true
			for _, v := range o.Results {
				repl[v] = b.Zero(v.Type)
			}
			continue
		}
		switch o.Kind {
		case ssair.Load:
			t := o.Result().Type
			if ls := explodable(home, t); ls != nil {
				*changed = true
				b.Safe = o.Safe
				repl[o.Result()] = loadParts(b, o, t, nil)
				b.Safe = false
				continue
			}
		case ssair.Store:
			t := o.Stored().Type
			if ls := explodable(home, t); ls != nil {
				*changed = true
				idx := o.Indices()
				b.Safe = true
				// All parts are read before the first is written.
				parts := make([]*ssair.Value, len(ls))
				for i, l := range ls {
					parts[i] = b.Extract(o.Stored(), l...)
				}
				for i, l := range ls {
					steps, more := placeOf(b, t, l)
					st := b.Store(o.Base(), append(o.Path[:len(o.Path):len(o.Path)], steps...), parts[i],
						append(idx[:len(idx):len(idx)], more...)...)
					st.Safe = o.Safe || i > 0
				}
				b.Safe = false
				continue
			}
		case ssair.Cmp:
			t := o.Args[0].Type
			if ssair.IsAggregate(t) {
				if ls := explodable(home, t); ls != nil && (o.Tok == token.EQL || o.Tok == token.NEQ) {
					*changed = true
					repl[o.Result()] = compareParts(b, o, ls)
					continue
				}
			}
		}
		b.Insert(o)
	}
}

// blank reports whether o is about a blank field, which no code can name. A transform treats
// it like the others.
func blank(o *ssair.Op) bool {
	var t types.Type
	switch o.Kind {
	case ssair.Load, ssair.Store, ssair.Accum:
		if t = ssair.Deref(o.Base().Type); t == nil {
			t = o.Base().Type
		}
	case ssair.Extract:
		t = o.Args[0].Type
	default:
		return false
	}
	for _, s := range o.Path {
		switch u := t.Underlying().(type) {
		case *types.Struct:
			if u.Field(s.Field).Name() == "_" {
				return true
			}
			t = u.Field(s.Field).Type()
		default:
			t = ssair.ElemType(t)
		}
	}
	return false
}

func explodable(home *types.Package, t types.Type) [][]int {
	if !ssair.IsAggregate(t) || noCopy(home, t) {
		return nil
	}
	return leaves(t)
}

func loadParts(b *ssair.Builder, o *ssair.Op, t types.Type, path []int) *ssair.Value {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		parts := make([]*ssair.Value, u.NumFields())
		for i := range parts {
			if f := u.Field(i); f.Name() == "_" {
				parts[i] = b.Zero(f.Type())
			} else {
				parts[i] = loadParts(b, o, f.Type(), append(path[:len(path):len(path)], i))
			}
		}
		return b.Build(t, parts...)
	case *types.Array:
		parts := make([]*ssair.Value, u.Len())
		for i := range parts {
			parts[i] = loadParts(b, o, u.Elem(), append(path[:len(path):len(path)], i))
		}
		return b.Build(t, parts...)
	}
	steps, more := placeOf(b, o.Result().Type, path)
	idx := o.Indices()
	return b.Load(o.Base(), append(o.Path[:len(o.Path):len(o.Path)], steps...), append(idx[:len(idx):len(idx)], more...)...)
}

// compareParts compares two aggregates part by part.
func compareParts(b *ssair.Builder, o *ssair.Op, ls [][]int) *ssair.Value {
	var all *ssair.Value
	for _, l := range ls {
		c := b.Cmp(token.EQL, b.Extract(o.Args[0], l...), b.Extract(o.Args[1], l...))
		if all == nil {
			all = c
		} else {
			all = b.Bin(token.AND, all, c)
		}
	}
	if all == nil {
		all = b.Bool(true)
	}
	if o.Tok == token.NEQ {
		all = b.Un(token.NOT, all)
	}
	return all
}
