package analyze

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"github.com/quabla/quabla/ssair"
)

// A LaneType is a struct of generated code that holds several lanes for each float
// of another struct: PointLanes4 for Point. Signatures name it.
type LaneType struct {
	Of    *types.Named
	N     int
	Type  *types.Named
	Owner *Request // the file of its directive declares the type

	parts []*LaneType
	open  bool // while its fields are found
}

// laneTypes makes the lane types of a package.
type laneTypes struct {
	pkg  *Package
	made []*LaneType
	used []*LaneType // by the request that is being built
}

// typ returns t with n lanes in place of each float, or an error that says why
// there is no such type.
func (l *laneTypes) typ(t types.Type, n int) (types.Type, error) {
	var err error
	lanes := func(t types.Type) types.Type { return types.NewArray(t, int64(n)) }
	u := ssair.MapScalars(t, lanes, func(t *types.Named, s *types.Struct) types.Type {
		var k *LaneType
		if k, err = l.structType(t, s, n); err != nil {
			return nil
		}
		return k.Type
	}, nil)
	if err == nil && u == nil {
		err = fmt.Errorf("no type holds %d lanes for each float of %s", n, types.TypeString(t, types.RelativeTo(l.pkg.Types)))
	}
	return u, err
}

// structType returns the lane type of a struct. In the first check of a package
// it is made; in the second it comes from the stubs.
func (l *laneTypes) structType(t *types.Named, s *types.Struct, n int) (*LaneType, error) {
	self := types.TypeString(t, types.RelativeTo(l.pkg.Types))
	for _, k := range l.made {
		if k.N == n && types.Identical(k.Of, t) {
			if k.open {
				return nil, fmt.Errorf("%s refers to itself", self)
			}
			l.use(k)
			return k, nil
		}
	}
	if t.TypeArgs().Len() > 0 {
		return nil, fmt.Errorf("the generic type %s has no type with %d lanes", self, n)
	}
	name := fmt.Sprintf("%sLanes%d", t.Obj().Name(), n)
	for _, k := range l.made {
		if k.Type.Obj().Name() == name {
			return nil, fmt.Errorf("the type with %d lanes of %s is called %s, like that of another type", n, self, name)
		}
	}
	if obj := l.pkg.declared(nil, name, true); obj != nil {
		return nil, fmt.Errorf("the type with %d lanes of %s is called %s, which %s declares as something else", n, self, name, (&reporter{fset: l.pkg.prog.Fset}).position(obj.Pos()))
	}
	for f := range s.Fields() {
		if !f.Exported() && f.Pkg().Path() != l.pkg.Path {
			return nil, fmt.Errorf("a struct with %d lanes for %s would need its field %s, which package %s keeps to itself", n, self, f.Name(), f.Pkg().Name())
		}
	}
	k := &LaneType{Of: t, N: n, open: true}
	tn, declared := l.pkg.Types.Scope().Lookup(name).(*types.TypeName)
	if declared {
		k.Type = tn.Type().(*types.Named)
	} else {
		k.Type = types.NewNamed(types.NewTypeName(t.Obj().Pos(), l.pkg.Types, name, nil), nil, nil)
	}
	around, before := l.used, len(l.made)
	l.made, l.used = append(l.made, k), nil
	fields := make([]*types.Var, s.NumFields())
	for i := range fields {
		f := s.Field(i)
		ft, err := l.typ(f.Type(), n)
		if err != nil {
			l.made, l.used = l.made[:before], around
			return nil, err
		}
		fields[i] = types.NewField(f.Pos(), l.pkg.Types, f.Name(), ft, false)
	}
	k.open = false
	k.parts, l.used = l.used, around
	l.use(k)
	if !declared {
		k.Type.SetUnderlying(types.NewStruct(fields, nil))
	}
	return k, nil
}

// use notes that the request that is being built needs k and what k holds.
func (l *laneTypes) use(k *LaneType) {
	if !slices.Contains(l.used, k) {
		l.used = append(l.used, k)
		for _, part := range k.parts {
			l.use(part)
		}
	}
}

// claim gives the types of a request that is accepted a file that declares them:
// one that every build of the package has, if there is one.
func (l *laneTypes) claim(req *Request) {
	everywhere := func(f *File) bool {
		return !f.Test && f.Constraint == "" && !strings.Contains(f.Name, "_") // which may name a platform
	}
	for _, k := range l.used {
		if k.Owner == nil || !everywhere(k.Owner.File) && everywhere(req.File) {
			k.Owner = req
		}
	}
}

// LaneTypes returns the lane types that the generated file of a source file
// declares.
func (p *Package) LaneTypes(file string) []*LaneType {
	var list []*LaneType
	for _, k := range p.lanes.made {
		if k.Owner != nil && k.Owner.File.Name == file {
			list = append(list, k)
		}
	}
	return list
}

// AllLaneTypes returns those of the whole package.
func (p *Package) AllLaneTypes() []*LaneType { return p.lanes.made }
