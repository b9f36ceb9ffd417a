package analyze

import (
	"go/ast"
	"go/types"
	"maps"
	"runtime"
	"slices"
	"testing"
)

// checkUniverse fails the test if a type in the source of a function belongs to
// a package that is not the one with its path.
func checkUniverse(t *testing.T, p *Program, s *Source) {
	t.Helper()
	if s.Decl.Body == nil {
		return
	}
	known := make(map[string]*types.Package)
	for path, pkg := range p.loader.imports {
		known[path] = pkg
	}
	for _, n := range p.loader.nodes {
		if n.Types != nil && n.ID == n.Path {
			known[n.Path] = n.Types
		}
	}
	ast.Inspect(s.Decl, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		if !ok {
			return true
		}
		tv, ok := s.Info.Types[e]
		if !ok {
			if id, isID := n.(*ast.Ident); isID && s.Info.ObjectOf(id) != nil {
				tv.Type = s.Info.ObjectOf(id).Type()
			}
		}
		if tv.Type == nil || tv.IsVoid() {
			return true
		}
		if id, ok := e.(*ast.Ident); ok {
			switch s.Info.ObjectOf(id).(type) {
			case *types.PkgName, *types.Label, *types.Builtin, *types.Nil:
				return true
			}
		}
		anyType(tv.Type, func(typ types.Type) bool {
			if typ == types.Typ[types.Invalid] {
				t.Errorf("%s: %s: invalid type", s.Func.FullName(), p.Position(e.Pos()))
			}
			named, ok := typ.(*types.Named)
			if ok && named.Obj().Pkg() != nil && known[named.Obj().Pkg().Path()] != named.Obj().Pkg() {
				t.Errorf("%s: %s: %s is of another universe", s.Func.FullName(), p.Position(e.Pos()), named)
			}
			return false
		})
		return true
	})
}

// TestFuncSource loads the source of functions of dependencies.
func TestFuncSource(t *testing.T) {
	p := loadText(t, `
-- m.go --
package m

import (
	"bytes"
	"container/list"
	"fmt"
	"math"
	"math/big"
	"math/cmplx"
	"net/http"
	"slices"
	"sort"
	"strings"
	"sync/atomic"
	"text/template"

	"example.com/m/dep"
)

var use = []any{
	slices.Sort[[]float64], slices.SortFunc[[]float64], slices.Max[[]float64], slices.BinarySearch[[]float64],
	sort.Float64s, sort.Sort, sort.Float64Slice.Len, math.Sin, math.Floor, math.Sqrt, math.Gamma,
	cmplx.Abs, cmplx.Sqrt, strings.NewReader, (*strings.Builder).WriteString, fmt.Sprintf,
	(*bytes.Buffer).ReadFrom, (*list.List).PushBack, (*big.Float).Add, http.Get,
	(*template.Template).Execute, (*atomic.Pointer[int]).Load,
	dep.F, dep.T.Get, (*dep.T).Set, dep.New, dep.Gen[int], (*dep.Box[int]).Get, dep.Alias.Get,
}

//quabla:grad
func F(x float64) float64 { return x }
-- dep/dep.go --
package dep

import "example.com/m/dep/inner"

const A, b, C = iota, iota + 10, "c"

const (
	D = iota + b
	e
	G
)

var X, y = pair()

var table = []T{{1, nil}, {2, &hidden{v: 3}}}

func pair() (float64, hidden) { return 1, hidden{} }

type T struct {
	V float64
	h *hidden
}

type Alias = T

type hidden struct {
	v float64
	t *T
}

type follows T

type more hidden

func (h *hidden) get() float64 { return h.v + float64(b+e) + y.v }

func (t T) Get() float64 { return t.h.get() + t.V + F(t.V) }

func (t *T) Set(v float64) { t.V = v; t.h = &hidden{v: v}; _ = follows(*t).V; var m more; _ = m.t.h.v }

func New(x float64) *T {
	local := struct{ *T }{&T{x, nil}}
	type loc struct{ t T }
	l := loc{T{h: &hidden{}}}
	return &T{local.V + l.t.h.v + inner.Const, nil}
}

func F(x float64) float64 { return helper(x) + table[0].V }

func helper(x float64) float64 { return x * inner.Twice(x) }

type Number interface{ ~int | ~float64 }

func Gen[N Number](xs ...N) (sum N) {
	for _, x := range xs {
		sum += twice(x)
	}
	return sum
}

func twice[N Number](x N) N { return 2 * x }

type Box[N Number] struct{ v N }

func (b *Box[N]) Get() N { return twice(b.v) }

func init() { println("init") }

func _() {}
-- dep/inner/inner.go --
package inner

const Const = 2

func Twice(x float64) float64 { return 2 * x }
`)
	clean(t, p)
	pkg := p.Packages[0]
	names := make(map[string]*Source)
	for _, obj := range pkg.Info.Uses {
		fn, ok := obj.(*types.Func)
		if !ok {
			continue
		}
		s, err := p.FuncSource(fn)
		if err != nil {
			t.Error(err)
			continue
		}
		names[fn.FullName()] = s
		checkUniverse(t, p, s)
		if s.Decl.Name.Name != fn.Name() {
			t.Errorf("source of %s is of %s", fn.Name(), s.Decl.Name.Name)
		}
		if !types.Identical(s.Sig, fn.Signature()) && fn.Signature().TypeParams() == nil && fn.Signature().RecvTypeParams() == nil {
			t.Errorf("%s has type %s in its source", fn, s.Sig)
		}
		if got := s.Info.Defs[s.Decl.Name]; got != fn.Origin() {
			t.Errorf("%s is defined as %v", fn, got)
		}
	}
	if len(names) < 28 {
		t.Errorf("found only %d functions: %v", len(names), slices.Sorted(maps.Keys(names)))
	}
	if names["math.Sqrt"].Decl.Body == nil || names["math.Floor"].Decl.Body == nil {
		t.Error("no body")
	}
	// Callees of callees, to an assembly function and to unexported ones.
	follow := func(s *Source, want string) *Source {
		t.Helper()
		var next *Source
		ast.Inspect(s.Decl, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && next == nil {
				if fn, ok := s.Info.Uses[id].(*types.Func); ok && fn.Name() == want {
					var err error
					if next, err = p.FuncSource(fn); err != nil {
						t.Fatal(err)
					}
					checkUniverse(t, p, next)
				}
			}
			return true
		})
		if next == nil {
			t.Fatalf("no call of %s in %s", want, s.Func.FullName())
		}
		return next
	}
	if follow(names["math.Floor"], "archFloor").Decl.Body == nil {
		t.Log("math.archFloor is in assembly")
	}
	if runtime.GOARCH == "amd64" && follow(names["math.Floor"], "archFloor").Decl.Body != nil {
		t.Error("math.archFloor has a body")
	}
	twice := follow(follow(names["example.com/m/dep.F"], "helper"), "Twice")
	if twice.Pkg.Path() != "example.com/m/dep/inner" {
		t.Errorf("Twice is in %s", twice.Pkg.Path())
	}
	follow(names["(example.com/m/dep.T).Get"], "get")
	follow(names["slices.Sort"], "pdqsortOrdered")
	follow(names["sort.Sort"], "pdqsort")
	// A selection of an unexported field.
	get := names["(example.com/m/dep.T).Get"]
	fields := 0
	for sel, s := range get.Info.Selections {
		if sel.Pos() >= get.Decl.Pos() && sel.End() <= get.Decl.End() && s.Kind() == types.FieldVal {
			fields++
		}
	}
	if fields != 3 {
		t.Errorf("T.Get has %d field selections, want 3", fields)
	}
}
