package ssair_test

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/quabla/quabla/ssair"
)

// packages type-checks sources, in order, each given as path and text, and
// returns the last one.
func packages(t testing.TB, sources ...string) *types.Package {
	t.Helper()
	fset := token.NewFileSet()
	known := imports{}
	var last *types.Package
	for i := 0; i < len(sources); i += 2 {
		f, err := parser.ParseFile(fset, sources[i], sources[i+1], 0)
		if err != nil {
			t.Fatal(err)
		}
		conf := types.Config{Importer: known}
		last, err = conf.Check(sources[i], fset, []*ast.File{f}, nil)
		if err != nil {
			t.Fatal(err)
		}
		known[sources[i]] = last
	}
	return last
}

type imports map[string]*types.Package

func (m imports) Import(path string) (*types.Package, error) {
	if p := m[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("no package %s", path)
}

func testModule(t testing.TB) *ssair.Module {
	return &ssair.Module{Pkg: packages(t,
		"math/rand", `package rand
			type Rand struct{ n int }
			func (r *Rand) Float64() float64 { return 0 }
			func Float64() float64 { return 0 }`,
		"example.com/geo.d/vec-2", `package vec
			type V struct{ X, Y float64 }
			type Of[T any] struct{ Elems []T }
			type Pair[K comparable, T any] struct { Key K; Val T }
			func (v V) Norm() float64 { return 0 }`,
		"example.com/user", `package user
			import ("example.com/geo.d/vec-2"; "math/rand")
			type Point struct { Pos vec.V; Mass float64; Tags map[string]int }
			type Shape interface { Area() float64 }
			type Real interface { ~float32 | ~float64 }
			type Grid = [2][3]float64
			type ID int
			var Count int
			var Rng *rand.Rand
			func Log(format string, args ...any) {}
			func (p *Point) Move(d float64) {}
			func Sum[T Real](xs []T) (s T) { return }
			func local() { type inner struct { A int }; var _ inner }`,
	)}
}

// checkRoundTrip checks that text is what its function prints, and that it
// passes the verifier.
func checkRoundTrip(t *testing.T, m *ssair.Module, text string) *ssair.Func {
	t.Helper()
	f, err := ssair.ParseFunc(m, text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if got := f.String(); got != text {
		t.Errorf("got\n%s\nwant\n%s", got, text)
	}
	if err := f.Verify(); err != nil {
		t.Error(err)
	}
	return f
}

// kindTexts holds functions in printed form that together use every kind.
var kindTexts = []string{
	`func Loop(%1:x []float64, %2:n int) (s float64) {
  %3 int = len %1
  %4 int = const 0
  %5 float64 = const 0
  %6:i int, %7:s float64 = loop slice break independent down %4, %5 | %3, %1 {
  cond(%8:i int, %9:s float64):
    %10 bool = cmp < %8, %3
    yield %10
  body(%11:i int, %12:s float64):
    %13 float64 = load [] %1, %11
    %14:s float64 = bin + %12, %13
    %15 bool = cmp >= %14, %5
    yield %15, %11, %14
  post(%16:i int, %17:s float64):
    %18 int = const 1
    %19:i int = bin + %16, %18
    yield %19, %17
  }
  return %7
}
`,
	`func Branch(%1:x float64) (float64) {
  %2 float64 = const 1/3
  %3 bool = cmp != %1, %2
  %4:y float64 = if %3 {
  then:
    %5 float64 = un - %1
    %6 float64 = conv explicit %5
    yield %6
  else:
    %7 float64 = apply sin %1
    %8 float64 = stop %7
    yield %8
  }
  loop while {
  cond:
    %9 bool = const false
    yield %9
  body:
    yield
  post:
    yield
  }
  return %4
}
`,
	`func Memory(%1:p *Point, %2:xs [][3]example.com/geo.d/vec-2.V, %3:v float64, %4:m map[string]int, %5:k string) {
  %6:q *Point = alloc (Point)
  %7 int = const 7
  %8 []float64 = makeslice %7, _
  %9 []float64 = makeslice %7, %7
  %10 map[string]int = makemap
  %11 *float64 = addr [][].1 %2, %7, %7
  store * %11, %3
  %12 float64 = load .0.1 %1
  accum .1 %6, %12
  %13 []float64 = slice %8, _, %7, %7
  %14 []float64 = slice %13, %7, _, _
  %15 int = cap %14
  %16 []float64 = append %14, %3, %12
  %17 []float64 = appendslice %16, %8
  %18 int = copy %17, %8
  clear %17
  %19 int, %20 bool = mapget %4, %5
  mapset %4, %5, %15
  mapdelete %4, %5
  %21 []string = mapkeys %4
  %22 int = maplen %4
  %23 uint8 = strindex %5, %18
  %24 *Point = zerolike %1
  clearall %24
  return
}
`,
	`func Aggregates(%1:v example.com/geo.d/vec-2.V, %2:e any) (a Grid, err error) {
  %3 float64 = extract .1 %1
  %4 [3]float64 = build %3, %3, %3
  %5 Grid = build %4, %4
  %6 Shape = zero
  %7 any = makeiface %1
  %8 bool = typeis (*Point) %7
  %9 Point, %10 bool = typeassert (Point) %2
  %11 *int = global "example.com/user".Count
  %12 func(format string, args ...any) = func "example.com/user".Log
  %13 error = zero
  return %5, %13
}
`,
	`func Calls(%1:p *Point, %2:r *math/rand.Rand, %3:err error, %4:v example.com/geo.d/vec-2.V) {
  %5 []any = zero
  %6 string = const "a \"quoted\" // string %1\n"
  opaque "example.com/user".Log %6, %5
  %7 float64 = opaque "math/rand".Float64 %2
  %8 float64 = opaque "math/rand".Float64
  %9 string = opaque Error %3
  opaque println %6
  %10 float64 = opaque "example.com/geo.d/vec-2".Norm %4
  opaque "example.com/user".Move %1, %10
  %11 func(x float64) (y float64, err error) = closure @Calls %1
  %12 float64, %13 error = opaque %11, %10
  call @Calls %1, %2, %3, %4
  panic %13
  unreachable
}
`,
	`func Inner(%1:a float64, %2:x float64) (float64) {
  %3 float64 = grad @Inner %1, %2
  %4 float64, %5 float64 = jvp @Inner %1, %3, %2
  return %5
}
`,
}

func TestParseEveryKind(t *testing.T) {
	used := map[ssair.Kind]bool{}
	for _, text := range kindTexts {
		f := checkRoundTrip(t, testModule(t), text)
		f.Body.Walk(func(o *ssair.Op) bool {
			used[o.Kind] = true
			return true
		})
	}
	for k := ssair.Const; k < ssair.NumKinds; k++ {
		if !used[k] {
			t.Errorf("no text uses kind %v", k)
		}
	}
}

func TestParseObjects(t *testing.T) {
	f := checkRoundTrip(t, testModule(t), kindTexts[4])
	var got []string
	f.Body.Walk(func(o *ssair.Op) bool {
		switch obj := o.Obj.(type) {
		case *types.Func:
			got = append(got, obj.FullName())
		case types.Object:
			got = append(got, obj.Name())
		}
		return true
	})
	want := "example.com/user.Log, (*math/rand.Rand).Float64, math/rand.Float64, (error).Error, println, " +
		"(example.com/geo.d/vec-2.V).Norm, (*example.com/user.Point).Move"
	if s := strings.Join(got, ", "); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}

	f, err := ssair.ParseFunc(testModule(t), "func F(%1 *Point, %2 float64, %3 *math/rand.Rand) {\n"+
		"opaque \"example.com/user\".(*Point).Move %1, %2\n%4 float64 = opaque \"math/rand\".(*Rand).Float64 %3\nreturn\n}")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"(*example.com/user.Point).Move", "(*math/rand.Rand).Float64"} {
		if got := f.Body.Ops[i].Obj.(*types.Func).FullName(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestParseTypes(t *testing.T) {
	for _, typ := range []string{
		"int", "byte", "rune", "error", "any", "string", "complex64", "uintptr", "unsafe.Pointer",
		"Point", "*Point", "**Point", "[]Point", "[4][2]*Grid", "[][]float32", "ID",
		"map[string][]float64", "map[[2]int]struct{}", "map[any]map[ID]bool",
		"struct{}", "struct{A int; b []float64}", `struct{A int "json:\"a; }\""; Point; *ID; T any "x"}`,
		"struct{example.com/geo.d/vec-2.V; W float64}", "struct{F func(); G interface{M()}}",
		"example.com/geo.d/vec-2.V", "*example.com/geo.d/vec-2.Of[float64]",
		"example.com/geo.d/vec-2.Pair[ID, example.com/geo.d/vec-2.Of[[]int]]",
		"struct{example.com/geo.d/vec-2.Of[int]}",
		"func()", "func(int)", "func(int, string) bool", "func(x int, y float64) (z float64, err error)",
		"func(args ...any)", "func(string, ...float64) []float64", "func(func(float64) float64) func() error",
		"func(x chan int, y <-chan int) (chan<- bool, error)", "func() (r *Point)", "func(struct{A int}) struct{B int}",
		"chan int", "<-chan struct{}", "chan<- func()", "chan (<-chan int)", "chan chan<- float64",
		"interface{}", "interface{M(x int) float64; N()}", "interface{Area() float64; error}",
		"interface{Shape}", "inner", "[]func(x []inner) inner",
		"T", "[]T", "func(x T) []T", "untyped nil",
	} {
		text := fmt.Sprintf("func Sum(%%1:x %s, %%2 %s, %%3: []%s) (a %s, b %s) {\n  unreachable\n}\n", typ, typ, typ, typ, typ)
		checkRoundTrip(t, testModule(t), text)
		text = fmt.Sprintf("func Sum(%%1:x %s) (%s, error) {\n  %%2 *%s = alloc (%s)\n  %%3 bool = typeis (%s) %%2\n  unreachable\n}\n", typ, typ, typ, typ, typ)
		checkRoundTrip(t, testModule(t), text)
	}
}

// TestParseConstraint reads a constraint, which only the underlying type of a
// type parameter or an embedded element can be.
func TestParseConstraint(t *testing.T) {
	for _, typ := range []string{"interface{~float32 | ~float64}", "interface{comparable}", "interface{M(); ~int | string}", "interface{int | ~string; Real}"} {
		checkRoundTrip(t, testModule(t), "func F(%1 "+typ+") {\n  return\n}\n")
	}
}

func TestParseSynthesisedType(t *testing.T) {
	m := testModule(t)
	name := types.NewTypeName(0, m.Pkg, "sumTape", nil)
	types.NewNamed(name, types.NewStruct([]*types.Var{types.NewField(0, m.Pkg, "s", ssair.Float64, false)}, nil), nil)
	m.Types = append(m.Types, name)
	f := checkRoundTrip(t, m, "func F(%1:t *sumTape) (float64) {\n  %2 float64 = load .0 %1\n  return %2\n}\n")
	if got := f.Params[0].Type.(*types.Pointer).Elem(); got != name.Type() {
		t.Errorf("got %v", got)
	}
}

func TestParseConstants(t *testing.T) {
	third := constant.BinaryOp(constant.MakeInt64(1), token.QUO, constant.MakeInt64(-3))
	huge := constant.MakeFromLiteral("123456789012345678901234567890", token.INT, 0)
	for _, c := range []struct {
		val constant.Value
		typ types.Type
	}{
		{constant.MakeInt64(-7), ssair.Int},
		{constant.MakeUint64(math.MaxUint64), types.Typ[types.Uint64]},
		{huge, ssair.Float64},
		{third, ssair.Float64},
		{constant.MakeFloat64(math.Pi), ssair.Float64},
		{constant.MakeFloat64(-math.MaxFloat64), ssair.Float64},
		{constant.MakeFloat64(math.SmallestNonzeroFloat64), types.Typ[types.Float32]},
		{constant.MakeFloat64(2), ssair.Float64},
		{constant.MakeInt64(2), ssair.Float64},
		{constant.MakeFromLiteral("1e-3000", token.FLOAT, 0), ssair.Float64},
		{constant.MakeFromLiteral("1e-30000", token.FLOAT, 0), ssair.Float64},
		{constant.UnaryOp(token.SUB, constant.MakeFromLiteral("0x1.8p12345", token.FLOAT, 0), 0), ssair.Float64},
		{constant.Make(big.NewRat(-355, 113)), ssair.Float64},
		{constant.MakeBool(true), ssair.Bool},
		{constant.MakeBool(false), types.Typ[types.UntypedBool]},
		{constant.MakeString("a\x00b // \"c\" \xff %1 é\n"), ssair.String},
		{constant.MakeString(""), ssair.String},
		{constant.MakeString(strings.Repeat("long ", 100)), ssair.String},
		{constant.MakeImag(constant.MakeInt64(-2)), types.Typ[types.Complex128]},
		{constant.BinaryOp(constant.MakeFloat64(-0.1), token.ADD, constant.MakeImag(third)), types.Typ[types.Complex64]},
		{constant.ToComplex(constant.MakeInt64(3)), types.Typ[types.Complex128]},
		{constant.MakeUnknown(), ssair.Float64},
	} {
		m := testModule(t)
		f := m.NewFunc("F")
		b := ssair.NewBuilder(f.Body)
		f.Results = []ssair.Result{{Type: c.typ}}
		b.Return(b.Const(c.val, c.typ))
		g, err := ssair.ParseFunc(m, f.String())
		if err != nil {
			t.Errorf("%v: %v", c.val, err)
			continue
		}
		got := g.Body.Ops[0].Val
		if got.ExactString() != c.val.ExactString() || f.String() != g.String() {
			t.Errorf("got %s, want %s", got.ExactString(), c.val.ExactString())
		}
		if c.val.Kind() != constant.Unknown && !constant.Compare(got, token.EQL, c.val) {
			t.Errorf("got %v, want %v", got, c.val)
		}
	}
}

func TestParseModule(t *testing.T) {
	const text = `// Two functions that call each other, out of order.

func Even(%1:n int) (bool) {
	%2 int = const 0  // zero
	%9 bool = cmp == %1, %2
	%3 bool = if %9 {   // done?
	then:
		%4 bool = const true // yes
		yield %4
	else:
		// one less
		%5 int = const 1
		%6 int = bin - %1, %5
		%7 bool = call @(*T[int, []float64]).Odd %6
		yield %7
	}
	return %3
}

func (*T[int, []float64]).Odd(%1:n int) (bool) {
	%2 bool = call @Even %1
	%3 bool = un ! %2
	%4 func() bool = closure @known %3
	return %3
}
`
	m := testModule(t)
	known := m.NewFunc("known")
	fs, err := ssair.ParseModule(m, text)
	if err != nil {
		t.Fatal(err)
	}
	if len(fs) != 2 || len(m.Funcs) != 3 {
		t.Fatalf("got %d functions, module has %d", len(fs), len(m.Funcs))
	}
	if err := fs[0].Verify(); err != nil {
		t.Error(err)
	}
	if got := fs[1].Body.Ops[0].Callee; got != fs[0] {
		t.Errorf("Odd calls %v", got)
	}
	if got := fs[1].Body.Ops[2].Callee; got != known {
		t.Errorf("the closure calls %v", got)
	}
	again, err := ssair.ParseModule(testModule(t), fs[0].String()+fs[1].String()+"func known() {\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range fs {
		if again[i].String() != f.String() {
			t.Errorf("got\n%s\nwant\n%s", again[i], f)
		}
	}
	// Variables with one name are one variable.
	f, err := ssair.ParseFunc(m, "func F(%1:a int, %2:b int) (int) {\n%3:a int = bin + %1, %2\nreturn %3\n}")
	if err != nil {
		t.Fatal(err)
	}
	if a := f.Body.Ops[0].Result(); a.Var != f.Params[0].Var || a.Var == f.Params[1].Var {
		t.Error("variables are not shared by name")
	}
}

func TestParseErrors(t *testing.T) {
	const head = "func F(%1:x float64) (float64) {\n"
	for _, c := range []struct{ text, want string }{
		{"", "line 1: the text holds 0 functions, want one"},
		{"\n\nfunk F() {\n}", `line 3: expected "func ", found "funk F() {"`},
		{"func F {\n}", "line 1: no parameter list"},
		{"func F(%1:x float65) {\n}", `line 1: no type "float65"`},
		{"func F(%1:x lost.T) {\n}", `line 1: no type "lost.T"`},
		{"func F(%1:x []) {\n}", `line 1: expected a type, found ") {"`},
		{"func F(%1:x [n]int) {\n}", "line 1: expected the length of an array"},
		{"func F(%1:x [3]int, %1:y int) {\n}", "line 1: value %1 is defined twice"},
		{"func F(%1:x Point[int]) {\n}", "line 1: Point does not have 1 type parameters"},
		{head + "  return %2\n}", "line 2: value %2 is not defined"},
		{head + "  %2 float64 = sine %1\n  return %2\n}", `line 2: unknown kind of op "sine"`},
		{head + "\n  %2 float64 = bin add %1, %1\n}", "line 3: expected an operator"},
		{head + "  %2 float64 = bin + %1 %1\n}", `line 2: expected the end of the line, found "%1"`},
		{head + "  %2 float64 = const 1.5x\n}", `line 2: cannot read the constant "1.5x"`},
		{head + "  %2 float64 = const 1/0\n}", "line 2: cannot read the constant"},
		{head + "  %2 string = const \"abc\n}", "line 2: expected a quoted string"},
		{head + "  const 1\n}", "line 2: a constant has one result"},
		{head + "  %2 float64 = load 3 %1\n}", "line 2: expected a path"},
		{head + "  %2 float64 = load .x %1\n}", "line 2: expected the index of a field"},
		{head + "  %2 float64 = call @G %1\n}", "line 2: no function G"},
		{head + "  %2 float64 = opaque \"fmt\".Println %1\n}", `line 2: no object "fmt".Println`},
		{head + "  loop forever {\n}\n}", `line 2: unknown form of loop "forever"`},
		{head + "  loop while up {\n}\n}", `line 2: unknown flag of a loop "up"`},
		{head + "  loop while | %1 {\n  cond:\n  body:\n  }\n}", `line 5: expected "post", found "}"`},
		{head + "  %2 int = loop while | %1 {\n", "line 2: 0 initial values for 1 results"},
		{head + "  if %1 {\n  else:\n  }\n}", `line 3: expected "then", found "else:"`},
		{head + "  return %1\n", `line 3: unknown kind of op ""`},
		{head + "  return %x\n}", "line 2: expected the number of a value"},
	} {
		m := testModule(t)
		before := m.NewFunc("Before")
		f, err := ssair.ParseFunc(m, c.text)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: got %v, want %s", c.text, err, c.want)
		}
		if f != nil || len(m.Funcs) != 1 || m.Funcs[0] != before {
			t.Errorf("%q: the module was changed", c.text)
		}
	}
}

func TestNumbers(t *testing.T) {
	for _, text := range kindTexts {
		f, err := ssair.ParseFunc(testModule(t), text)
		if err != nil {
			t.Fatal(err)
		}
		num := f.Numbers()
		check := func(v *ssair.Value) {
			if s := fmt.Sprintf("%%%d", num[v]); num[v] != v.ID || !strings.Contains(text, s) {
				t.Errorf("%s: value %d has number %s", f.Name, v.ID, s)
			}
		}
		for _, p := range f.Params {
			check(p)
		}
		f.Body.Walk(func(o *ssair.Op) bool {
			for _, v := range o.Results {
				check(v)
			}
			return true
		})
	}
}

// FuzzParse checks that no text makes the parser panic, and that what it
// accepts is printed in a form that stays the same when it is read again.
func FuzzParse(f *testing.F) {
	for _, text := range kindTexts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m := testModule(t)
		fs, err := ssair.ParseModule(m, text)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "line ") {
				t.Errorf("no line in %q", err)
			}
			return
		}
		for _, g := range fs {
			s := g.String()
			again, err := ssair.ParseFunc(m, s)
			if err != nil {
				t.Fatalf("%v in\n%s", err, s)
			}
			if got := again.String(); got != s {
				t.Errorf("got\n%s\nwant\n%s", got, s)
			}
		}
	})
}
