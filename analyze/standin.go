package analyze

import (
	"go/types"
)

// A StandIn is a type that stands for one of another package, whose fields are its own
// affair, in functions that are differentiated.
type StandIn struct {
	For, Type *types.TypeName
	// Open is a method of For that returns what Type has in its first field, and shares
	// memory with the value; the method Set and its name puts that back. It is nil where
	// values stay inside of functions.
	Open *types.Func
}

// StandIns returns the types that p registers to stand for others.
func (p *Package) StandIns() map[*types.TypeName]*StandIn { return p.standIns }

// resolveStandIn registers the type of a rule directive for a type. It reports false for
// the rule of a function.
func (r *requester) resolveStandIn(d *Directive) bool {
	k, as := d.Key("for"), d.Key("as")
	if k == nil || as == nil {
		return false
	}
	quiet := *r
	quiet.reporter = quietReporter(r.pkg.prog)
	target := quiet.typeName(d.File, k.Value)
	if target == nil {
		return false
	}
	s := &StandIn{For: target, Type: r.typeName(d.File, as.Value)}
	if s.Type == nil {
		r.errorf(as.Value, "", "there is no type %s", as.Value.Text)
		return true
	}
	if open := d.Key("open"); open != nil {
		m, _, _ := types.LookupFieldOrMethod(types.NewPointer(target.Type()), true, target.Pkg(), open.Value.Text)
		st, _ := s.Type.Type().Underlying().(*types.Struct)
		fn, ok := m.(*types.Func)
		if !ok || st == nil || st.NumFields() == 0 || fn.Signature().Results().Len() != 1 ||
			!types.Identical(fn.Signature().Results().At(0).Type(), st.Field(0).Type()) {
			r.errorf(open.Value, "", "%s is no method of %s that returns the first field of %s", open.Value.Text, target.Name(), s.Type.Name())
			return true
		}
		s.Open = fn
	}
	if r.pkg.standIns[target] != nil {
		r.errorf(k.Value, "take one of the rules away", "%s has a rule already", target.Name())
		return true
	}
	r.pkg.standIns[target] = s
	return true
}

// typeName resolves the name of a type, or returns nil.
func (r *requester) typeName(f *File, w Word) *types.TypeName {
	at, ok := r.named(f, w)
	if !ok || len(at.parts) != 1 {
		return nil
	}
	tn, _ := at.scope.Lookup(at.parts[0]).(*types.TypeName)
	return tn
}
