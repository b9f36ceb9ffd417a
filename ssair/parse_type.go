package ssair

import (
	"go/token"
	"go/types"
	"strconv"
	"strings"
)

// isTypeKeyword reports whether a type can start with the word w although w
// names no type.
func isTypeKeyword(w string) bool {
	switch w {
	case "chan", "func", "interface", "map", "struct", "untyped":
		return true
	}
	return strings.HasPrefix(w, "<-") || strings.HasPrefix(w, "chan<-")
}

// typ reads a type in the form of [types.TypeString].
func (p *parser) typ() types.Type {
	switch {
	case p.accept("*"):
		return types.NewPointer(p.typ())
	case p.accept("[]"):
		return types.NewSlice(p.typ())
	case p.accept("["):
		start := p.pos
		n, err := strconv.ParseInt(p.word(), 10, 64)
		if err != nil {
			p.failAt(start, "expected the length of an array")
		}
		p.expect("]")
		return types.NewArray(p.typ(), n)
	case p.accept("map["):
		key := p.typ()
		p.expect("]")
		return types.NewMap(key, p.typ())
	case p.accept("struct{"):
		return p.structType()
	case p.accept("interface{"):
		return p.interfaceType()
	case p.accept("func("):
		return p.signature()
	case p.accept("<-chan "):
		return types.NewChan(types.RecvOnly, p.typ())
	case p.accept("chan<- "):
		return types.NewChan(types.SendOnly, p.typ())
	case p.accept("chan ("):
		t := types.NewChan(types.SendRecv, p.typ())
		p.expect(")")
		return t
	case p.accept("chan "):
		return types.NewChan(types.SendRecv, p.typ())
	case p.accept("untyped "):
		return p.untyped()
	}
	return p.namedType()
}

func (p *parser) untyped() types.Type {
	start := p.pos
	name := "untyped " + p.word()
	for k := types.UntypedBool; k <= types.UntypedNil; k++ {
		if types.Typ[k].Name() == name {
			return types.Typ[k]
		}
	}
	p.failAt(start, "no type %q", name)
	return nil
}

// namedType reads the name of a type, with its type arguments if it has any.
func (p *parser) namedType() types.Type {
	start := p.pos
	w := p.word()
	if w == "" {
		p.fail("expected a type, found %q", p.upcoming())
	}
	if p.accept("* type parameter */") { // behind a parameter named like a predeclared type
		w = strings.TrimSuffix(w, "/")
	}
	t := p.resolveType(w)
	if t == nil {
		p.failAt(start, "no type %q", w)
	}
	if p.peek() != '[' {
		return t
	}
	p.expect("[")
	var targs []types.Type
	for {
		targs = append(targs, p.typ())
		if !p.accept(", ") {
			break
		}
	}
	p.expect("]")
	if g, ok := t.(interface{ TypeParams() *types.TypeParamList }); !ok || g.TypeParams().Len() != len(targs) {
		p.failAt(start, "%s does not have %d type parameters", w, len(targs))
	}
	inst, err := types.Instantiate(nil, t, targs, false)
	if err != nil {
		p.failAt(start, "%v", err)
	}
	return inst
}

// resolveType returns the type that the possibly qualified name w stands for,
// or nil.
func (p *parser) resolveType(w string) types.Type {
	path, name := splitQualified(w)
	if path == "" {
		if t, ok := p.tparams[name]; ok {
			return t
		}
		for _, t := range p.m.Types {
			if t.Name() == name && (t.Pkg() == nil || t.Pkg() == p.m.Pkg) {
				return t.Type()
			}
		}
	}
	obj := p.lookup(path, name)
	if t, ok := obj.(*types.TypeName); ok {
		return t.Type()
	}
	return nil
}

// lookup returns the package-level (or, for a type, local) object of the given
// name in the package of the given path, "" standing for the module's own
// package and the universe; or nil.
func (p *parser) lookup(path, name string) types.Object {
	if path != "" && (p.m.Pkg == nil || path != p.m.Pkg.Path()) {
		if pkg := findImport(p.m.Pkg, path); pkg != nil {
			return pkg.Scope().Lookup(name)
		}
		return nil
	}
	if p.m.Pkg != nil {
		if o := p.m.Pkg.Scope().Lookup(name); o != nil {
			return o
		}
	}
	if o := types.Universe.Lookup(name); o != nil || p.m.Pkg == nil {
		return o
	}
	if t := localType(p.m.Pkg.Scope(), name); t != nil {
		return t
	}
	return nil
}

// localType returns the first type declared under name in a scope inside s.
func localType(s *types.Scope, name string) *types.TypeName {
	for c := range s.Children() {
		if t, ok := c.Lookup(name).(*types.TypeName); ok {
			return t
		}
		if t := localType(c, name); t != nil {
			return t
		}
	}
	return nil
}

// findImport returns the package of the given path among those that pkg
// imports, directly or not.
func findImport(pkg *types.Package, path string) *types.Package {
	if path == "unsafe" {
		return types.Unsafe
	}
	if pkg == nil {
		return nil
	}
	seen := map[*types.Package]bool{pkg: true}
	for queue := []*types.Package{pkg}; len(queue) > 0; queue = queue[1:] {
		for _, imp := range queue[0].Imports() {
			if imp.Path() == path {
				return imp
			}
			if !seen[imp] {
				seen[imp] = true
				queue = append(queue, imp)
			}
		}
	}
	return nil
}

// splitQualified splits path.Name; the path may hold dots of its own.
func splitQualified(w string) (path, name string) {
	i := strings.LastIndexByte(w, '.')
	if i < 0 {
		return "", w
	}
	return w[:i], w[i+1:]
}

func (p *parser) structType() types.Type {
	var fields []*types.Var
	var tags []string
	for first := true; !p.accept("}"); first = false {
		if !first {
			p.expect("; ")
		}
		start := p.pos
		name, embedded := p.word(), false
		if rest := p.text[p.pos:]; name == "" || !strings.HasPrefix(rest, " ") || strings.HasPrefix(rest, ` "`) {
			p.pos, embedded = start, true
		} else {
			p.expect(" ")
		}
		t := p.typ()
		if embedded {
			name = embeddedName(t)
			if name == "" {
				p.failAt(start, "cannot embed %v", t)
			}
		}
		fields = append(fields, types.NewField(token.NoPos, p.m.Pkg, name, t, embedded))
		tag := ""
		if p.accept(" ") {
			tag = p.quoted()
		}
		tags = append(tags, tag)
	}
	return types.NewStruct(fields, tags)
}

// embeddedName returns the name of the field that embeds t.
func embeddedName(t types.Type) string {
	if ptr, ok := t.(*types.Pointer); ok {
		t = ptr.Elem()
	}
	switch t := t.(type) {
	case *types.Named:
		return t.Obj().Name()
	case *types.Alias:
		return t.Obj().Name()
	case *types.Basic:
		return t.Name()
	}
	return ""
}

// quoted reads a quoted string.
func (p *parser) quoted() string {
	q, err := strconv.QuotedPrefix(p.text[p.pos:])
	if err != nil {
		p.fail("expected a quoted string")
	}
	s, _ := strconv.Unquote(q)
	p.pos += len(q)
	return s
}

func (p *parser) interfaceType() types.Type {
	var methods []*types.Func
	var embedded []types.Type
	for first := true; !p.accept("}"); first = false {
		if !first {
			p.expect("; ")
		}
		start := p.pos
		if name := p.word(); name != "" && p.accept("(") {
			methods = append(methods, types.NewFunc(token.NoPos, p.m.Pkg, name, p.signature()))
			continue
		}
		p.pos = start
		embedded = append(embedded, p.union())
	}
	return types.NewInterfaceType(methods, embedded).Complete()
}

// union reads terms parted by bars; a single one without a tilde is a type.
func (p *parser) union() types.Type {
	var terms []*types.Term
	for {
		tilde := p.accept("~")
		terms = append(terms, types.NewTerm(tilde, p.typ()))
		if !p.accept(" | ") {
			break
		}
	}
	if len(terms) == 1 && !terms[0].Tilde() {
		return terms[0].Type()
	}
	return types.NewUnion(terms)
}

// signature reads a signature behind the parenthesis that opens it.
func (p *parser) signature() *types.Signature {
	params, variadic := p.tuple()
	var results *types.Tuple
	if start := p.pos; p.accept(" (") {
		results, _ = p.tuple()
	} else if p.accept(" ") {
		// A single result without a name, unless something else follows.
		if c := p.peek(); isLetter(c) || c == '*' || c == '[' || c == '<' {
			results = types.NewTuple(types.NewParam(token.NoPos, p.m.Pkg, "", p.typ()))
		} else {
			p.pos = start
		}
	}
	return types.NewSignatureType(nil, nil, nil, params, results, variadic)
}

// tuple reads parameters or results up to the closing parenthesis.
func (p *parser) tuple() (t *types.Tuple, variadic bool) {
	var vars []*types.Var
	for first := true; !p.accept(")"); first = false {
		if !first {
			p.expect(", ")
		}
		start := p.pos
		name := p.word()
		if name == "" || isTypeKeyword(name) || !p.accept(" ") {
			name, p.pos = "", start
		}
		if p.accept("...") {
			variadic = true
			vars = append(vars, types.NewParam(token.NoPos, p.m.Pkg, name, types.NewSlice(p.typ())))
			continue
		}
		vars = append(vars, types.NewParam(token.NoPos, p.m.Pkg, name, p.typ()))
	}
	return types.NewTuple(vars...), variadic
}

// typeParamsOf returns the type parameters that may occur in the function of
// the given name: those of the source function or of the receiver's type, and
// those that functions of m use already.
func typeParamsOf(m *Module, name string) map[string]*types.TypeParam {
	found := map[string]*types.TypeParam{}
	add := func(l *types.TypeParamList) {
		for t := range l.TypeParams() {
			if found[t.Obj().Name()] == nil {
				found[t.Obj().Name()] = t
			}
		}
	}
	of := func(f *types.Func) {
		add(f.Signature().TypeParams())
		add(f.Signature().RecvTypeParams())
	}
	for _, f := range m.Funcs {
		if f.Name == name && f.Obj != nil {
			of(f.Obj)
		}
	}
	if m.Pkg != nil {
		if f, ok := m.Pkg.Scope().Lookup(name).(*types.Func); ok {
			of(f)
		}
	}
	for _, f := range m.Funcs {
		if f.Obj != nil {
			of(f.Obj)
		}
	}
	return found
}
