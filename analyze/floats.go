package analyze

import (
	"go/token"
	"go/types"
	"slices"

	"github.com/quabla/quabla/ssair"
)

// A Class says where the floats of a type are.
type Class int

const (
	// NoFloats: no float can be reached from a value of the type.
	NoFloats Class = iota
	// ValueLike: floats, arrays and structs of them. Derivatives are results.
	ValueLike
	// ReferenceLike: floats are reached through a slice, map, pointer or
	// interface, or the type holds floats besides what may lead to others, any for
	// instance. Derivatives are destinations.
	ReferenceLike
)

// ClassOf returns the class of t for a function of the package. An interface
// holds floats if a type that implements it, in the package or exported by a
// package that it imports, does; the empty interface does not count.
func (p *Package) ClassOf(t types.Type) Class { return classer{p.Types}.class(t) }

// A classer classifies the types of parameters of functions in a package.
type classer struct{ pkg *types.Package }

func (c classer) class(t types.Type) Class {
	w := &floatWalk{classer: c, seen: make(map[walkKey]bool)}
	w.walk(t, false)
	switch {
	case w.byRef, w.byValue && ssair.RefersToScalar(t):
		return ReferenceLike
	case w.byValue:
		return ValueLike
	}
	return NoFloats
}

// A floatWalk looks for floats in a type.
type floatWalk struct {
	classer
	seen           map[walkKey]bool
	byValue, byRef bool
}

type walkKey struct {
	t   types.Type
	ref bool
}

func (w *floatWalk) walk(t types.Type, ref bool) {
	t = types.Unalias(t)
	if ssair.IsGenerator(t) {
		return
	}
	switch t.(type) {
	case *types.Named, *types.TypeParam:
		if w.seen[walkKey{t, ref}] {
			return
		}
		w.seen[walkKey{t, ref}] = true
	}
	if tp, ok := t.(*types.TypeParam); ok {
		for _, term := range typeSet(tp) {
			w.walk(term, ref)
		}
		return
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Info()&(types.IsFloat|types.IsComplex) != 0 {
			w.byValue = w.byValue || !ref
			w.byRef = w.byRef || ref
		}
	case *types.Array:
		if u.Len() != 0 {
			w.walk(u.Elem(), ref)
		}
	case *types.Struct:
		for f := range u.Fields() {
			w.walk(f.Type(), ref)
		}
	case *types.Pointer:
		w.walk(u.Elem(), true)
	case *types.Slice:
		w.walk(u.Elem(), true)
	case *types.Map:
		w.walk(u.Elem(), true)
	case *types.Interface:
		if t != types.Universe.Lookup("error").Type() && w.implementers(u) {
			w.byRef = true
		}
	}
}

// implementers reports whether a type that implements the interface holds
// floats.
func (w *floatWalk) implementers(iface *types.Interface) bool {
	if iface.NumMethods() == 0 || w.pkg == nil {
		return false
	}
	for _, from := range slices.Concat([]*types.Package{w.pkg}, w.pkg.Imports()) {
		scope := from.Scope()
		for _, name := range scope.Names() {
			if from != w.pkg && !token.IsExported(name) {
				continue
			}
			tn, ok := scope.Lookup(name).(*types.TypeName)
			if !ok || tn.IsAlias() {
				continue
			}
			named, ok := tn.Type().(*types.Named)
			if !ok || named.TypeParams() != nil || types.IsInterface(named) {
				continue
			}
			if !types.Implements(named, iface) && !types.Implements(types.NewPointer(named), iface) {
				continue
			}
			inner := &floatWalk{classer: w.classer, seen: w.seen}
			inner.walk(named, true)
			if inner.byRef {
				return true
			}
		}
	}
	return false
}

// typeSet returns the types that a constraint lists, or nil if it lists none.
func typeSet(tp *types.TypeParam) []types.Type {
	iface, _ := tp.Constraint().Underlying().(*types.Interface)
	if iface == nil {
		return nil
	}
	return ifaceTypes(iface)
}

func ifaceTypes(iface *types.Interface) []types.Type {
	var set []types.Type
	for e := range iface.EmbeddedTypes() {
		var terms []types.Type
		switch e := types.Unalias(e).(type) {
		case *types.Union:
			for term := range e.Terms() {
				if inner, ok := term.Type().Underlying().(*types.Interface); ok {
					terms = append(terms, ifaceTypes(inner)...)
				} else {
					terms = append(terms, term.Type())
				}
			}
		default:
			if inner, ok := e.Underlying().(*types.Interface); ok {
				terms = ifaceTypes(inner)
			} else {
				terms = []types.Type{e}
			}
		}
		if len(terms) == 0 {
			continue // methods only
		}
		if set == nil {
			set = terms
			continue
		}
		set = slices.DeleteFunc(set, func(t types.Type) bool {
			return !slices.ContainsFunc(terms, func(o types.Type) bool { return types.Identical(t.Underlying(), o.Underlying()) })
		})
	}
	return set
}

// coreType returns the underlying type of t; for a type parameter the one
// underlying type that all types in its type set have, or nil.
func coreType(t types.Type) types.Type {
	tp, ok := types.Unalias(t).(*types.TypeParam)
	if !ok {
		return t.Underlying()
	}
	var core types.Type
	for _, term := range typeSet(tp) {
		if core != nil && !types.Identical(core, term.Underlying()) {
			return nil
		}
		core = term.Underlying()
	}
	return core
}

// basicSet reports whether t is a basic type with one of the properties, or a
// type parameter whose type set has only such types.
func basicSet(t types.Type, info types.BasicInfo) bool {
	if tp, ok := types.Unalias(t).(*types.TypeParam); ok {
		set := typeSet(tp)
		return len(set) > 0 && !slices.ContainsFunc(set, func(t types.Type) bool { return !basicSet(t, info) })
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&info != 0
}

func isFloat(t types.Type) bool   { return basicSet(t, types.IsFloat) }
func isComplex(t types.Type) bool { return basicSet(t, types.IsComplex) }
func isError(t types.Type) bool {
	return types.Identical(t, types.Universe.Lookup("error").Type())
}

// holdsLock reports whether a value of type t must not be copied because it
// holds, by value, a type whose pointer has the methods Lock and Unlock.
func holdsLock(t types.Type, seen []types.Type) bool {
	t = types.Unalias(t)
	if named, ok := t.(*types.Named); ok {
		if slices.Contains(seen, types.Type(named)) {
			return false
		}
		seen = append(seen, named)
		if !types.IsInterface(named) && pointerMethod(named, "Lock") && pointerMethod(named, "Unlock") {
			return true
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Array:
		return holdsLock(u.Elem(), seen)
	case *types.Struct:
		for f := range u.Fields() {
			if holdsLock(f.Type(), seen) {
				return true
			}
		}
	}
	return false
}

// pointerMethod reports whether t declares a method of that name with a pointer
// receiver.
func pointerMethod(t *types.Named, name string) bool {
	for m := range t.Methods() {
		if m.Name() == name {
			_, ptr := types.Unalias(m.Signature().Recv().Type()).(*types.Pointer)
			return ptr
		}
	}
	return false
}

// flat reports whether the floats of t can be laid out in a row of real numbers,
// as the rows and columns of a matrix are.
func (c classer) flat(t types.Type, seen []types.Type) bool {
	t = types.Unalias(t)
	if isFloat(t) {
		return true
	}
	if slices.Contains(seen, t) {
		return false
	}
	seen = append(seen, t)
	switch u := coreType(t).(type) {
	case *types.Array:
		return c.flat(u.Elem(), seen)
	case *types.Slice:
		return c.flat(u.Elem(), seen)
	case *types.Pointer:
		return c.flat(u.Elem(), seen)
	case *types.Struct:
		for f := range u.Fields() {
			if c.class(f.Type()) != NoFloats && !c.flat(f.Type(), seen) {
				return false
			}
		}
		return true
	}
	return false
}
