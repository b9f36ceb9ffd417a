package compile

import (
	"go/types"
	"strings"

	"github.com/quabla/quabla/ssair"
)

// Private implements lift.Env. A type that another package keeps to itself, or whose
// fields it does, is declared anew for generated code, if values of it stay inside of
// functions that are lifted: it is made of numbers, strings, slices, arrays, pointers
// and structs, and no declaration of the package mentions it.
func (e *env) Private(t *types.Named) bool {
	if ok, seen := e.shared.types[t]; seen {
		return ok
	}
	e.shared.types[t] = false
	ok := e.StandsFor(t) != nil || e.closed(t) && e.plain(t, nil) && !e.mentioned(t) && !offered(t)
	e.shared.types[t] = ok
	return ok
}

// offered reports whether the package of t exports a variable of type t: values come
// from there.
func offered(t *types.Named) bool {
	scope := t.Obj().Pkg().Scope()
	for _, name := range scope.Names() {
		if v, ok := scope.Lookup(name).(*types.Var); ok && v.Exported() {
			x := types.Unalias(v.Type())
			if p := ssair.Deref(x); p != nil {
				x = types.Unalias(p)
			}
			if x == t {
				return true
			}
		}
	}
	return false
}

// closed reports whether generated code cannot name t, or not all of its parts.
func (e *env) closed(t *types.Named) bool {
	obj := t.Obj()
	if obj.Pkg() == nil || obj.Pkg() == e.pkg.Types || obj.Parent() != obj.Pkg().Scope() || t.TypeParams().Len() > 0 || !e.lifts(obj.Pkg()) {
		return false
	}
	if !obj.Exported() || internalPath(obj.Pkg().Path()) {
		return true
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range s.Fields() {
		if !f.Exported() {
			return true
		}
		ft := types.Unalias(f.Type())
		if n, ok := ft.(*types.Named); ok && n != t && e.closed(n) {
			return true
		}
	}
	return false
}

// plain reports whether a value of type t is data and nothing else.
func (e *env) plain(t types.Type, seen []types.Type) bool {
	for _, s := range seen {
		if s == t {
			return true
		}
	}
	seen = append(seen[:len(seen):len(seen)], t)
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() != types.UnsafePointer
	case *types.Slice:
		return e.plain(u.Elem(), seen)
	case *types.Array:
		return e.plain(u.Elem(), seen)
	case *types.Pointer:
		return e.plain(u.Elem(), seen)
	case *types.Struct:
		for f := range u.Fields() {
			if !e.plain(f.Type(), seen) {
				return false
			}
		}
		return true
	}
	return false
}

// mentioned reports whether a declaration of the package holds the type t.
func (e *env) mentioned(t *types.Named) bool {
	seen := map[types.Type]bool{}
	var in func(x types.Type) bool
	in = func(x types.Type) bool {
		x = types.Unalias(x)
		if x == t {
			return true
		}
		if seen[x] {
			return false
		}
		seen[x] = true
		switch x := x.(type) {
		case *types.Named:
			for a := range x.TypeArgs().Types() {
				if in(a) {
					return true
				}
			}
			if x.Obj().Pkg() != e.pkg.Types && !e.closed(x) {
				return false
			}
			for m := range x.Methods() {
				if x.Obj().Pkg() == e.pkg.Types && in(m.Type()) {
					return true
				}
			}
			return in(x.Underlying())
		case *types.Pointer:
			return in(x.Elem())
		case *types.Slice:
			return in(x.Elem())
		case *types.Array:
			return in(x.Elem())
		case *types.Chan:
			return in(x.Elem())
		case *types.Map:
			return in(x.Key()) || in(x.Elem())
		case *types.Tuple:
			for v := range x.Variables() {
				if in(v.Type()) {
					return true
				}
			}
		case *types.Signature:
			return in(x.Params()) || in(x.Results())
		case *types.Struct:
			for f := range x.Fields() {
				if in(f.Type()) {
					return true
				}
			}
		}
		return false
	}
	scope := e.pkg.Types.Scope()
	for _, name := range scope.Names() {
		if in(scope.Lookup(name).Type()) {
			return true
		}
	}
	return false
}

// owner returns the type of a package that declares a field, or nil.
func (e *env) owner(field *types.Var) *types.Named {
	pkg := field.Pkg()
	owners, ok := e.shared.owners[pkg]
	if !ok {
		owners = map[*types.Var]*types.Named{}
		scope := pkg.Scope()
		for _, name := range scope.Names() {
			tn, ok := scope.Lookup(name).(*types.TypeName)
			if !ok || tn.IsAlias() {
				continue
			}
			n, ok := tn.Type().(*types.Named)
			if !ok {
				continue
			}
			if s, ok := n.Underlying().(*types.Struct); ok {
				for f := range s.Fields() {
					owners[f] = n
				}
			}
		}
		e.shared.owners[pkg] = owners
	}
	return owners[field]
}

func internalPath(path string) bool {
	return strings.HasPrefix(path, "internal/") || strings.Contains(path, "/internal/")
}
