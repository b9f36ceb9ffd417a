package ssair

import (
	"go/types"
	"slices"
)

// Frequently used types.
var (
	Int     = types.Typ[types.Int]
	Bool    = types.Typ[types.Bool]
	Float64 = types.Typ[types.Float64]
	Any     = types.Universe.Lookup("any").Type()
	String  = types.Typ[types.String]
)

// Under returns the underlying type of t; for a type parameter whose type set
// has one underlying kind of float it is that parameter's constraint core.
func Under(t types.Type) types.Type { return t.Underlying() }

// IsFloat reports whether t is a real floating-point type, a named one, or a
// type parameter that only floats satisfy.
func IsFloat(t types.Type) bool { return every(t, types.IsFloat) }

// IsComplex reports whether t is a complex type.
func IsComplex(t types.Type) bool { return every(t, types.IsComplex) }

// IsScalar reports whether t is a float or complex type: the leaves that have
// derivatives.
func IsScalar(t types.Type) bool { return IsFloat(t) || IsComplex(t) }

// IsInteger reports whether t is an integer type.
func IsInteger(t types.Type) bool { return every(t, types.IsInteger) }

// IsBool reports whether t is a boolean type.
func IsBool(t types.Type) bool { return every(t, types.IsBoolean) }

// IsString reports whether t is a string type.
func IsString(t types.Type) bool { return every(t, types.IsString) }

// every reports whether all basic types in the type set of t have one of the
// properties of info, and there is at least one.
func every(t types.Type, info types.BasicInfo) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&info != 0
	case *types.Interface:
		if _, ok := types.Unalias(t).(*types.TypeParam); !ok {
			return false
		}
		n := 0
		for i := range u.NumEmbeddeds() {
			switch e := types.Unalias(u.EmbeddedType(i)).(type) {
			case *types.Union:
				for j := range e.Len() {
					n++
					if !every(e.Term(j).Type(), info) {
						return false
					}
				}
			default:
				if iface, ok := e.Underlying().(*types.Interface); ok {
					// A named constraint: look at its own union.
					if iface.NumEmbeddeds() == 0 {
						continue
					}
					n++
					if !everyIface(iface, info) {
						return false
					}
					continue
				}
				n++
				if !every(e, info) {
					return false
				}
			}
		}
		return n > 0
	}
	return false
}

func everyIface(u *types.Interface, info types.BasicInfo) bool {
	n := 0
	for i := range u.NumEmbeddeds() {
		switch e := types.Unalias(u.EmbeddedType(i)).(type) {
		case *types.Union:
			for j := range e.Len() {
				n++
				if !every(e.Term(j).Type(), info) {
					return false
				}
			}
		default:
			n++
			if iface, ok := e.Underlying().(*types.Interface); ok {
				if !everyIface(iface, info) {
					return false
				}
			} else if !every(e, info) {
				return false
			}
		}
	}
	return n > 0
}

// IsRef reports whether values of type t refer to memory that others may
// share: slices, pointers, maps, functions and interfaces. Channels and
// unsafe pointers count too, although nothing active may pass through them.
func IsRef(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Slice, *types.Pointer, *types.Map, *types.Signature, *types.Chan:
		return true
	case *types.Interface:
		_, param := types.Unalias(t).(*types.TypeParam)
		return !param
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	}
	return false
}

// IsAggregate reports whether t is a struct or an array.
func IsAggregate(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Struct, *types.Array:
		return true
	}
	return false
}

// HoldsScalar reports whether a value of type t is or contains, without
// following a reference, a float or complex number.
func HoldsScalar(t types.Type) bool {
	return holds(t, IsScalar)
}

// HoldsRef reports whether a value of type t is or contains, without
// following it, a reference.
func HoldsRef(t types.Type) bool {
	return holds(t, IsRef)
}

func holds(t types.Type, leaf func(types.Type) bool) bool {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for i := range u.NumFields() {
			if holds(u.Field(i).Type(), leaf) {
				return true
			}
		}
		return false
	case *types.Array:
		return u.Len() > 0 && holds(u.Elem(), leaf)
	}
	return leaf(t)
}

// ReachesScalar reports whether a float or complex number can be reached from
// a value of type t, through references of any kind. An interface may hold
// anything, and a function may capture anything.
//
// An error carries no derivative from one function to another, and counts as holding
// nothing.
func ReachesScalar(t types.Type) bool { return reaches(t, false, map[types.Type]bool{}) }

// MayReachScalar is [ReachesScalar], but for an error, which may hold anything as well.
func MayReachScalar(t types.Type) bool { return reaches(t, true, map[types.Type]bool{}) }

// RefersToScalar reports whether a float or complex number can be reached from a value
// of type t through a reference: then it has a shadow. In a struct of a number and a
// slice of ints the number is reached, but not through a reference.
func RefersToScalar(t types.Type) bool { return refers(t, false) }

// MayReferToScalar is [RefersToScalar], but for an error, which may hold anything as well.
func MayReferToScalar(t types.Type) bool { return refers(t, true) }

func refers(t types.Type, errors bool) bool {
	if IsGenerator(t) {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for f := range u.Fields() {
			if refers(f.Type(), errors) {
				return true
			}
		}
		return false
	case *types.Array:
		return u.Len() > 0 && refers(u.Elem(), errors)
	}
	return IsRef(t) && reaches(t, errors, map[types.Type]bool{})
}

func reaches(t types.Type, errors bool, seen map[types.Type]bool) bool {
	t = types.Unalias(t)
	if seen[t] || IsGenerator(t) {
		return false
	}
	seen[t] = true
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for i := range u.NumFields() {
			if reaches(u.Field(i).Type(), errors, seen) {
				return true
			}
		}
		return false
	case *types.Array:
		return reaches(u.Elem(), errors, seen)
	case *types.Slice:
		return reaches(u.Elem(), errors, seen)
	case *types.Pointer:
		return reaches(u.Elem(), errors, seen)
	case *types.Map:
		return reaches(u.Key(), errors, seen) || reaches(u.Elem(), errors, seen)
	case *types.Interface:
		if _, ok := t.(*types.TypeParam); ok {
			return IsScalar(t)
		}
		return errors || !isErrorIface(t)
	case *types.Signature:
		return true
	}
	return IsScalar(t)
}

// IsGenerator reports whether t is a type of package math/rand or math/rand/v2: what
// it holds is the state of a generator, which has no derivative although some of it is
// in floats.
func IsGenerator(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return false
	}
	switch n.Obj().Pkg().Path() {
	case "math/rand", "math/rand/v2":
		return true
	}
	return false
}

func isErrorIface(t types.Type) bool {
	return types.Identical(t, types.Universe.Lookup("error").Type())
}

// IsErrorType reports whether t is the predeclared type error.
func IsErrorType(t types.Type) bool { return isErrorIface(t) }

// Irregular reports whether the memory behind values of type t has no shape that
// the type tells: t is recursive, or there is an interface. Loops cannot walk through
// it; package rt does, with one map for what it has met.
func Irregular(t types.Type) bool { return findIrregular(t, nil) }

func findIrregular(t types.Type, open []types.Type) bool {
	if !ReachesScalar(t) {
		return false
	}
	if slices.ContainsFunc(open, func(o types.Type) bool { return types.Identical(o, t) }) {
		return true
	}
	open = append(open[:len(open):len(open)], t)
	switch u := t.Underlying().(type) {
	case *types.Interface:
		_, param := types.Unalias(t).(*types.TypeParam)
		return !param
	case *types.Struct:
		for f := range u.Fields() {
			if findIrregular(f.Type(), open) {
				return true
			}
		}
	case *types.Slice, *types.Array, *types.Pointer, *types.Map:
		return findIrregular(u.(interface{ Elem() types.Type }).Elem(), open)
	}
	return false
}

// StepType returns the type of the place one step inside a place of type t.
func StepType(t types.Type, s Step) types.Type {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		if s.IsField() && s.Field < u.NumFields() {
			return u.Field(s.Field).Type()
		}
	case *types.Array:
		if !s.IsField() {
			return u.Elem()
		}
	case *types.Slice:
		if !s.IsField() {
			return u.Elem()
		}
	}
	return nil
}

// PlaceType returns the type of the place that path selects from a reference
// of type ref (a pointer or a slice), or nil when the path does not fit.
func PlaceType(ref types.Type, path []Step) types.Type {
	var t types.Type
	switch u := ref.Underlying().(type) {
	case *types.Pointer:
		t = u.Elem()
	case *types.Slice:
		if len(path) == 0 {
			return nil
		}
		t = ref
	default:
		return nil
	}
	for _, s := range path {
		// Only the first step may go through the base slice itself.
		if _, ok := t.Underlying().(*types.Slice); ok && t != ref {
			return nil
		}
		if t = StepType(t, s); t == nil {
			return nil
		}
	}
	return t
}

// ElemType returns the element type of a slice, array, pointer to array or
// map, or nil.
func ElemType(t types.Type) types.Type {
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return u.Elem()
	case *types.Array:
		return u.Elem()
	case *types.Map:
		return u.Elem()
	case *types.Pointer:
		if a, ok := u.Elem().Underlying().(*types.Array); ok {
			return a.Elem()
		}
	}
	return nil
}

// Deref returns the type that a pointer type points to, or nil.
func Deref(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return nil
}
