package emit

import (
	"fmt"
	"go/format"
	"go/types"
	"strings"
)

// A File is a generated file.
type File struct {
	Pkg    *types.Package
	Header string // the first line
	Funcs  []*Func
	Types  []*types.TypeName // record types
	Works  []Work
	// reserved holds names that local variables must not have.
	reserved map[string]bool
}

// A Work is the type of a work space.
type Work struct {
	Type *types.TypeName
	For  string // the function that it serves
}

// Source prints the file. On an error of the formatter, which is a fault of
// this package, it returns the unformatted text too.
func (f *File) Source() ([]byte, error) {
	f.reserve()
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
	var body strings.Builder
	for _, tn := range f.Types {
		s := tn.Type().Underlying().(*types.Struct)
		fmt.Fprintf(&body, "\n// %s holds what the reverse sweep needs.\ntype %s struct {\n", tn.Name(), tn.Name())
		for i := range s.NumFields() {
			fmt.Fprintf(&body, "\t%s %s\n", s.Field(i).Name(), im.typ(s.Field(i).Type()))
		}
		body.WriteString("}\n")
	}
	for _, k := range f.Works {
		s := k.Type.Type().Underlying().(*types.Struct)
		fmt.Fprintf(&body, "\n// %s is the work space of %s.\n// Its zero value is ready for use, by one goroutine at a time.\ntype %s struct {\n", k.Type.Name(), k.For, k.Type.Name())
		for i := range s.NumFields() {
			fmt.Fprintf(&body, "\t%s %s\n", s.Field(i).Name(), im.typ(s.Field(i).Type()))
		}
		body.WriteString("}\n")
	}
	for _, fn := range f.Funcs {
		body.WriteString("\n" + f.print(fn, im))
	}
	var b strings.Builder
	if f.Header != "" {
		b.WriteString(f.Header + "\n\n")
	}
	fmt.Fprintf(&b, "package %s\n\n%s%s", f.Pkg.Name(), im.decl(), body.String())
	src, err := format.Source([]byte(b.String()))
	if err != nil {
		return []byte(b.String()), fmt.Errorf("emit: %w", err)
	}
	return src, nil
}

// reserve collects the names that local variables must not hide: those of the
// universe and those that the functions of the file refer to.
func (f *File) reserve() {
	f.reserved = map[string]bool{}
	for _, n := range types.Universe.Names() {
		f.reserved[n] = true
	}
	for _, n := range f.Pkg.Scope().Names() {
		f.reserved[n] = true
	}
	for _, n := range []string{"math", "rt", "slices", "maps", "cmplx"} {
		f.reserved[n] = true
	}
	for _, fn := range f.Funcs {
		f.reserved[fn.Name] = true
	}
}
