package rules

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
	"testing"
)

// TestPackageMath checks that every exported function of package math has a
// row of the right signature or is refused.
func TestPackageMath(t *testing.T) {
	pkg, err := importer.ForCompiler(token.NewFileSet(), "source", nil).Import("math")
	if err != nil {
		t.Fatal(err)
	}
	known := 0
	for _, name := range pkg.Scope().Names() {
		f, ok := pkg.Scope().Lookup(name).(*types.Func)
		if !ok || !f.Exported() {
			continue
		}
		known++
		r := LookupFunc("math", name)
		_, no := Refused("math." + name)
		if (r == nil) != no {
			t.Errorf("math.%s: has a row: %t, is refused: %t", name, r != nil, no)
		}
		if r == nil {
			continue
		}
		sig := f.Signature()
		var kinds []string
		for v := range sig.Params().Variables() {
			kinds = append(kinds, v.Type().String())
		}
		for i, k := range r.Args() {
			if len(kinds) != r.Arity() || k.String() != kinds[i] {
				t.Errorf("math.%s: arguments %v, want %v", name, r.Args(), kinds)
				break
			}
		}
	}
	for _, r := range All() {
		if r.Package() == "math" && pkg.Scope().Lookup(r.Ident()) == nil {
			t.Errorf("there is no %s", r.Name)
		}
	}
	if known < 60 {
		t.Errorf("only %d functions found in package math", known)
	}
}

// TestPackageCmplx checks that every exported function of package math/cmplx has a row,
// or is not holomorphic, so that it is differentiated from its source.
func TestPackageCmplx(t *testing.T) {
	pkg, err := importer.ForCompiler(token.NewFileSet(), "source", nil).Import("math/cmplx")
	if err != nil {
		t.Fatal(err)
	}
	fromSource := map[string]bool{"Abs": true, "Phase": true, "Polar": true, "Rect": true, "Conj": true, "Inf": true, "NaN": true, "IsInf": true, "IsNaN": true}
	known := 0
	for _, name := range pkg.Scope().Names() {
		f, ok := pkg.Scope().Lookup(name).(*types.Func)
		if !ok || !f.Exported() {
			continue
		}
		known++
		r := LookupFunc("math/cmplx", name)
		if (r == nil) != fromSource[name] {
			t.Errorf("cmplx.%s: has a row: %t", name, r != nil)
		}
		if r != nil && r.Arity() != 2*f.Signature().Params().Len() {
			t.Errorf("cmplx.%s: %d arguments", name, r.Arity())
		}
	}
	if known < 25 {
		t.Errorf("only %d functions found in package math/cmplx", known)
	}
}

// TestPackageRT checks that every exported function of package rt from numbers
// to floats, so that it can be part of differentiated code, has a row.
func TestPackageRT(t *testing.T) {
	files, err := filepath.Glob("../rt/*.go")
	if err != nil {
		t.Fatal(err)
	}
	known := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv != nil || !fn.Name.IsExported() || fn.Type.Results == nil {
				continue
			}
			if !allNumbers(fn, fn.Type.Params) || !allNumbers(fn, fn.Type.Results) || allInts(fn.Type.Results) {
				continue
			}
			known++
			if LookupFunc(RT, fn.Name.Name) == nil {
				t.Errorf("rt.%s has no row", fn.Name.Name)
			}
		}
	}
	if known < 30 {
		t.Errorf("only %d functions found in package rt", known)
	}
}

// allInts reports whether all fields are int: no derivative passes through them.
func allInts(fields *ast.FieldList) bool {
	for _, f := range fields.List {
		if id, ok := f.Type.(*ast.Ident); !ok || id.Name != "int" {
			return false
		}
	}
	return true
}

// allNumbers reports whether there are fields and all are float64, int or a
// type parameter constrained by Float.
func allNumbers(fn *ast.FuncDecl, fields *ast.FieldList) bool {
	number := map[string]bool{"float64": true, "int": true}
	if fn.Type.TypeParams != nil {
		for _, p := range fn.Type.TypeParams.List {
			if id, ok := p.Type.(*ast.Ident); ok && id.Name == "Float" {
				for _, name := range p.Names {
					number[name.Name] = true
				}
			}
		}
	}
	for _, f := range fields.List {
		if id, ok := f.Type.(*ast.Ident); !ok || !number[id.Name] {
			return false
		}
	}
	return len(fields.List) > 0
}
