package analyze

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
)

// stubFile returns a file with a stub for every request of a package that keep
// accepts, or nil if there are none.
func (p *Package) stubFile(keep func(*Request) bool) (*ast.File, error) {
	var body strings.Builder
	imports := &stubImports{self: p.Types, names: make(map[*types.Package]string)}
	write := func(d *Derived) {
		fmt.Fprintf(&body, "%s { for {} }\n", d.Text(imports.qualify))
	}
	n := 0
	for _, req := range p.all {
		if !keep(req) {
			continue
		}
		n++
		write(req.Derived)
		if req.NewName != "" {
			write(req.Derived.New(req.NewName))
		}
		if req.InName != "" {
			// The work space of a generic function has its type parameters.
			params, args := typeParamText(req.TypeParams(), imports.qualify)
			fmt.Fprintf(&body, "type %s%s struct{}\n", req.WorkName, params)
			work := types.NewNamed(types.NewTypeName(token.NoPos, p.Types, req.WorkName+args, nil), types.NewStruct(nil, nil), nil)
			write(req.Derived.In(req.InName, work))
		}
	}
	if n == 0 {
		return nil, nil
	}
	for _, k := range p.lanes.made {
		if k.Owner != nil && keep(k.Owner) {
			fmt.Fprintf(&body, "type %s %s\n", k.Type.Obj().Name(), types.TypeString(k.Type.Underlying(), imports.qualify))
		}
	}
	text := "package " + p.Types.Name() + "\n" + imports.text() + body.String()
	f, err := parser.ParseFile(p.prog.Fset, stubName(p), text, parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("cannot declare the derived functions of %s: %w", p.Path, err)
	}
	return f, nil
}

// typeParamText spells type parameters as they are declared and as they are used.
func typeParamText(list []*types.TypeParam, q types.Qualifier) (params, args string) {
	if len(list) == 0 {
		return "", ""
	}
	var decl, use []string
	for _, t := range list {
		decl = append(decl, t.Obj().Name()+" "+types.TypeString(t.Constraint(), q))
		use = append(use, t.Obj().Name())
	}
	return "[" + strings.Join(decl, ", ") + "]", "[" + strings.Join(use, ", ") + "]"
}

// stubName is the name of the stub file of p in the file set.
func stubName(p *Package) string { return p.ID + " (derived functions)" }

// stubImports gives the packages that stubs mention names that nothing else has.
type stubImports struct {
	self  *types.Package
	names map[*types.Package]string
	order []*types.Package
}

func (s *stubImports) qualify(pkg *types.Package) string {
	if pkg == s.self || pkg.Path() == s.self.Path() {
		return ""
	}
	name, ok := s.names[pkg]
	if !ok {
		name = fmt.Sprintf("quabla_import_%d", len(s.order)+1)
		s.names[pkg] = name
		s.order = append(s.order, pkg)
	}
	return name
}

func (s *stubImports) text() string {
	var b strings.Builder
	for _, pkg := range s.order {
		fmt.Fprintf(&b, "import %s %q\n", s.names[pkg], pkg.Path())
	}
	return b.String()
}

// inStubs reports whether pos is in the stub file of p.
func (p *Package) inStubs(pos token.Pos) bool {
	return p.stubs != nil && p.stubs.FileStart <= pos && pos <= p.stubs.FileEnd
}

// register records which requests the stubs of a checked package stand for.
func (p *Package) register() {
	for _, req := range p.all {
		for form, name := range map[Form]string{PlainForm: req.Name, NewForm: req.NewName, WorkForm: req.InName} {
			if fn := p.lookup(recvNamed(req.Func), name); fn != nil {
				p.prog.derived[fn] = derivation{req, form}
			}
		}
	}
}

// lookup returns the function, or the method of named, with the given name.
func (p *Package) lookup(named *types.Named, name string) *types.Func {
	if named == nil {
		fn, _ := p.Types.Scope().Lookup(name).(*types.Func)
		return fn
	}
	for m := range named.Methods() {
		if m.Name() == name {
			return m
		}
	}
	return nil
}
