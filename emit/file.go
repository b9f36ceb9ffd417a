package emit

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/quabla/quabla/ssair"
)

// A File is a generated file.
type File struct {
	Pkg    *types.Package
	Header string // the first line
	Notice string // where the functions of other packages in it come from
	Funcs  []*Func
	Types  []Type // synthesised types
	Works  []Work
}

// A Type is a type that is declared in the file. Doc is a sentence about it
// without its subject.
type Type struct {
	Name   *types.TypeName
	Doc    string
	Params []*types.TypeParam // of the generic function that it belongs to
}

// A Work is the type of a work space.
type Work struct {
	Type *types.TypeName
	For  string // the function that it serves

	Params []*types.TypeParam // of that function, if it is generic
}

// Source prints the file. On an error of the formatter, which is a fault of
// this package, it returns the unformatted text too.
func (f *File) Source() ([]byte, error) {
	taken := map[string]bool{}
	for _, n := range f.Pkg.Scope().Names() {
		taken[n] = true
	}
	for _, fn := range f.Funcs {
		for _, n := range append(append([]string{}, fn.Params...), fn.Results...) {
			taken[n] = true
		}
	}
	im := newImports(f.Pkg, taken)
	for _, t := range f.Types {
		im.declareGeneric(t.Name, t.Params)
	}
	for _, k := range f.Works {
		im.declareGeneric(k.Type, k.Params)
	}
	var body strings.Builder
	for _, t := range f.Types {
		body.WriteString(typeDecl(im, t.Name, t.Params, t.Doc))
	}
	for _, k := range f.Works {
		body.WriteString(typeDecl(im, k.Type, k.Params, fmt.Sprintf("is the work space of %s. Its zero value is ready for use, by one goroutine at a time.", k.For)))
	}
	for _, fn := range f.Funcs {
		body.WriteString("\n" + f.print(fn, im))
	}
	var b strings.Builder
	if f.Header != "" {
		b.WriteString(f.Header + "\n\n")
	}
	if f.Notice != "" {
		for line := range strings.Lines(f.Notice) {
			if !strings.HasPrefix(line, "\t") {
				line = " " + line
			}
			b.WriteString("//" + strings.TrimRight(line, " \t\n") + "\n")
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "package %s\n\n%s%s", f.Pkg.Name(), im.decl(body.String()), body.String())
	src, err := format.Source([]byte(b.String()))
	if err != nil {
		return []byte(b.String()), fmt.Errorf("emit: %w", err)
	}
	return src, nil
}

// declareGeneric makes references to a type carry the type parameters of the
// function that it belongs to.
func (im *imports) declareGeneric(tn *types.TypeName, params []*types.TypeParam) {
	if len(params) > 0 {
		im.generic[tn.Name()] = typeArgs(params)
	}
}

// typeArgs spells type parameters as type arguments.
func typeArgs(params []*types.TypeParam) string {
	var names []string
	for _, p := range params {
		names = append(names, p.Obj().Name())
	}
	return "[" + strings.Join(names, ", ") + "]"
}

// typeDecl prints the declaration of a type with a doc comment.
func typeDecl(im *imports, tn *types.TypeName, params []*types.TypeParam, doc string) string {
	var b strings.Builder
	name := tn.Name()
	if len(params) > 0 {
		name += typeParams(im, params)
	}
	fmt.Fprintf(&b, "\n%stype %s ", comment(tn.Name()+" "+doc), name)
	s, ok := tn.Type().Underlying().(*types.Struct)
	if !ok {
		b.WriteString(im.typ(tn.Type().Underlying()) + "\n")
		return b.String()
	}
	b.WriteString("struct {\n")
	for f := range s.Fields() {
		if f.Embedded() {
			fmt.Fprintf(&b, "\t%s\n", im.typ(f.Type()))
			continue
		}
		fmt.Fprintf(&b, "\t%s %s\n", f.Name(), im.typ(f.Type()))
	}
	b.WriteString("}\n")
	return b.String()
}

// Reserved returns the names that parameters, results and variables of f must not
// hide: those that its body may refer to.
func Reserved(f *ssair.Func) map[string]bool {
	names := map[string]bool{}
	for _, n := range types.Universe.Names() {
		names[n] = true
	}
	for _, n := range []string{"math", "rt", "slices", "maps", "cmplx"} {
		names[n] = true
	}
	for k := token.BREAK; k <= token.VAR; k++ {
		names[k.String()] = true
	}
	object := func(obj types.Object) {
		names[obj.Name()] = true
		if p := obj.Pkg(); p != nil {
			names[p.Name()] = true
		}
	}
	for _, p := range f.Params {
		namesIn(p.Type, object)
	}
	f.Body.Walk(func(o *ssair.Op) bool {
		if o.Obj != nil {
			object(o.Obj)
		}
		if o.Callee != nil {
			names[o.Callee.Name] = true
			for _, t := range o.Callee.TypeArgs {
				namesIn(t, object)
			}
			if o.Callee.Obj != nil {
				object(o.Callee.Obj)
			}
		}
		if o.Type != nil {
			namesIn(o.Type, object)
		}
		for _, v := range o.Results {
			namesIn(v.Type, object)
		}
		if o.Kind == ssair.Const && o.Text != "" {
			// A constant as the source spells it.
			if x, err := parser.ParseExpr(o.Text); err == nil {
				ast.Inspect(x, func(n ast.Node) bool {
					if id, ok := n.(*ast.Ident); ok {
						names[id.Name] = true
					}
					return true
				})
			}
		}
		return true
	})
	return names
}

// namesIn calls object for the names in the spelling of t.
func namesIn(t types.Type, object func(types.Object)) {
	all := func(t *types.Tuple) {
		for v := range t.Variables() {
			namesIn(v.Type(), object)
		}
	}
	switch t := t.(type) {
	case *types.Alias:
		object(t.Obj())
		namesIn(types.Unalias(t), object)
	case *types.Named:
		object(t.Obj())
		for a := range t.TypeArgs().Types() {
			namesIn(a, object)
		}
	case *types.TypeParam:
		object(t.Obj())
	case *types.Pointer:
		namesIn(t.Elem(), object)
	case *types.Slice:
		namesIn(t.Elem(), object)
	case *types.Array:
		namesIn(t.Elem(), object)
	case *types.Chan:
		namesIn(t.Elem(), object)
	case *types.Map:
		namesIn(t.Key(), object)
		namesIn(t.Elem(), object)
	case *types.Struct:
		for f := range t.Fields() {
			namesIn(f.Type(), object)
		}
	case *types.Signature:
		all(t.Params())
		all(t.Results())
	}
}

// printed reports whether fn is a function of the file.
func (f *File) printed(fn *ssair.Func) bool {
	for _, x := range f.Funcs {
		if x.IR == fn {
			return true
		}
	}
	return false
}

// paramsOf returns the parameters with which fn is called by its name: a work space
// comes from a pool.
func (f *File) paramsOf(fn *ssair.Func) []*ssair.Value {
	for _, x := range f.Funcs {
		if x.IR == fn && x.Pool != nil {
			return slices.DeleteFunc(slices.Clone(fn.Params), func(p *ssair.Value) bool { return p == x.Pool.Param })
		}
	}
	return fn.Params
}

// nameOf returns the name under which fn is printed.
func (f *File) nameOf(fn *ssair.Func) string {
	for _, x := range f.Funcs {
		if x.IR == fn {
			if len(x.TypeParams) > 0 {
				return x.Name + typeArgs(x.TypeParams)
			}
			return x.Name
		}
	}
	return fn.Name
}
