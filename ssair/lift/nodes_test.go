package lift_test

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/quabla/quabla/internal/srctest"
	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/interp"
	"github.com/quabla/quabla/ssair/lift"
)

// A node is a kind of syntax, or a built-in function, with a snippet that has it. F
// of the snippet takes and returns a float64. Either F(3) is want, or the lifter
// refuses the snippet with a message that matches refused.
type node struct {
	kind    string
	src     string
	want    float64
	refused string
}

// body returns a snippet with only F, which has the given statements.
func body(stmts string) string { return "func F(x float64) float64 {\n" + stmts + "\n}" }

// nodes has an entry for every kind of expression and statement in package go/ast.
var nodes = []node{
	// Expressions.
	{kind: "Ident", src: body("y := x; return y + two") + "\nconst two = 2", want: 5},
	{kind: "Ident", src: body("var iota = x; return iota"), want: 3},
	{kind: "Ident", src: body("scale := factor; return scale * x") + "\nvar factor = 4.0", want: 12},
	{kind: "BasicLit", src: body("return x*1e2 + 0x1p-2 + 'a' + 2"), want: 300 + 0.25 + 97 + 2},
	{kind: "BasicLit", src: body("z := complex(x, 1) * 2i; return imag(z)"), want: 6},
	{kind: "FuncLit", src: body("f := func(t float64) float64 { return t * x }; return f(2)"), want: 6},
	{kind: "FuncLit", src: body("return func(t float64) float64 { x += t; return x }(2)"), want: 5},
	{kind: "FuncLit", src: body("fs := []func(float64) float64{func(t float64) float64 { return t }}; return fs[0](x)"), want: 3},
	{kind: "CompositeLit", src: body("s := []float64{x, 5: 2, 7}; return s[0] + s[5]*s[6] + float64(len(s))"), want: 3 + 14 + 7},
	{kind: "CompositeLit", src: body("a := [...]float64{2: x}; return a[2] + float64(len(a))"), want: 6},
	{kind: "CompositeLit", src: "type P struct{ A, B float64 }\n" + body("p := &P{B: x}; q := []P{{1, 2}, {A: x}}; m := map[string]P{`k`: {x, x}}; return p.B + q[1].A + m[`k`].B"), want: 9},
	{kind: "KeyValueExpr", src: "type P struct{ A, B float64 }\n" + body("p := P{B: x, A: 1}; return p.A + p.B"), want: 4},
	{kind: "ParenExpr", src: body("return (x + 1) * (x)"), want: 12},
	{kind: "SelectorExpr", src: "import \"math\"\ntype P struct{ A float64 }\ntype Q struct{ *P }\n" + body("q := Q{&P{x}}; q.A *= 2; return q.A + q.P.A + math.Pi - math.Pi + math.Sqrt(4)"), want: 14},
	{kind: "SelectorExpr", src: "type P struct{ A float64 }\nfunc (p P) Get(t float64) float64 { return p.A * t }\n" +
		body("p := P{x}; f := p.Get; p.A = 100; g := P.Get; return f(2) + g(P{5}, x)"), want: 21},
	{kind: "IndexExpr", src: body("s := []float64{1, x}; a := [2]float64{x, 2}; p := &a; m := map[int]float64{1: x}; return s[1] + a[0] + p[1] + m[1] + m[2] + float64(`ab`[1])"), want: 3 + 3 + 2 + 3 + 98},
	{kind: "IndexExpr", src: "func id[T any](t T) T { return t }\n" + body("return id[float64](x)"), want: 3},
	{kind: "IndexListExpr", src: "func second[A, B any](a A, b B) B { return b }\n" + body("return second[int, float64](1, x)"), want: 3},
	{kind: "SliceExpr", src: body("s := []float64{1, 2, x, 4}; t := s[1:3:3]; a := [3]float64{x, 1, 2}; u := a[:2]; u[1] = x; return t[1] + a[1] + float64(cap(t)) + s[2:][0] + float64(len(`abc`[1:]))"), want: 3 + 3 + 2 + 3 + 2},
	{kind: "TypeAssertExpr", src: "type S interface{ Area() float64 }\ntype P struct{ A float64 }\nfunc (p P) Area() float64 { return p.A }\n" +
		body("var s S = P{x}; p := s.(P); q, ok := s.(interface{ Area() float64 }); if !ok { return 0 }; return p.A + q.Area()"), want: 6},
	{kind: "CallExpr", src: "func two(x float64) (float64, int) { return 2 * x, 1 }\nfunc sum(n int, xs ...float64) float64 { s := float64(n); for _, x := range xs { s += x }; return s }\n" +
		"func flip(a float64, b int) float64 { return a - float64(b) }\n" +
		body("y, n := two(x); return y + float64(n) + sum(1, x, x) + sum(2) + sum(3, []float64{x}...) + flip(two(x))"), want: 6 + 1 + 7 + 2 + 6 + 5},
	{kind: "CallExpr", src: "type Meter float64\n" + body("n := int(x); m := Meter(x); b := []byte(`az`); return float64(n) + float64(m) + float64(b[1]) + float64(float32(x)) + float64(uint8(n+254))"), want: 3 + 3 + 122 + 3 + 1},
	{kind: "CallExpr", src: "func fact(n int, x float64) float64 { if n == 0 { return 1 }; return x * fact(n-1, x) }\n" + body("return fact(3, x)"), want: 27},
	{kind: "StarExpr", src: body("p := &x; *p *= 2; q := &p; return **q"), want: 6},
	{kind: "UnaryExpr", src: body("n := 5; ok := !(x > 4); if ok { return -x + +x + float64(^n) + float64(-n) + *&x }; return 0"), want: -6 - 5 + 3},
	{kind: "UnaryExpr", src: body("c := make(chan float64, 1); c <- x; return <-c"), refused: "channel"},
	{kind: "BinaryExpr", src: body("n := int(x); if x > 2 && x != 4 || n == 0 { return x - 1 + float64(n<<2|1&3^n%2) }; return 0"), want: 2 + 12},
	{kind: "Ellipsis", src: "func last(xs ...float64) float64 { return xs[len(xs)-1] }\n" + body("a := [...]float64{1, x}; return last(1, a[1])"), want: 3},
	{kind: "ArrayType", src: body("var a [2]float64; b := make([][]float64, 2); b[1] = []float64{x}; a[1] = x; return a[1] + b[1][0]"), want: 6},
	{kind: "StructType", src: body("s := struct{ A float64; B struct{ C int } }{A: x}; s.B.C = 2; return s.A * float64(s.B.C)"), want: 6},
	{kind: "FuncType", src: "func apply(f func(float64) float64, x float64) float64 { return f(f(x)) }\n" + body("return apply(func(t float64) float64 { return t + 1 }, x)"), want: 5},
	{kind: "FuncType", src: "func F(x float64) float64 { return G(nil, x) }\nfunc G(f func(float64) float64, x float64) float64 { if f != nil { return f(x) }; return x }", want: 3},
	{kind: "InterfaceType", src: "type P struct{ A float64 }\nfunc (p *P) Area() float64 { return p.A }\n" + body("var s interface{ Area() float64 } = &P{x}; var e any = 2; return s.Area() + float64(e.(int))"), want: 5},
	{kind: "MapType", src: body("var m map[string]float64; m = make(map[string]float64); m[`a`] += x; delete(m, `b`); return m[`a`] + float64(len(m))"), want: 4},
	{kind: "ChanType", src: body("var c chan float64; _ = c; return x"), want: 3},

	// Statements.
	{kind: "DeclStmt", src: body("var a, b = x, 2.0; const c = 4; type T float64; var d T = T(x); var e int; return a*b + c + float64(d) + float64(e)"), want: 6 + 4 + 3},
	{kind: "EmptyStmt", src: body(";;\nfor i := 0; i < 3; i++ { ; }\nreturn x"), want: 3},
	{kind: "LabeledStmt", src: body("outer:\nfor i := range 3 { for j := range 3 { if j > i { continue outer }; if i == 2 { break outer }; x++ } }\nreturn x"), want: 6},
	{kind: "LabeledStmt", src: body("only:\nswitch { default: for { x++; if x > 5 { break only } } }\nreturn x"), want: 6},
	{kind: "ExprStmt", src: "func bump(p *float64) { *p++ }\n" + body("bump(&x); (bump)(&x); return x"), want: 5},
	{kind: "SendStmt", src: body("c := make(chan float64, 1)\nc <- x\nreturn x"), refused: "channel"},
	{kind: "IncDecStmt", src: body("n := 1; x++; n--; n++; s := []float64{x}; s[0]--; return s[0] + float64(n)"), want: 4},
	{kind: "AssignStmt", src: body("a, b := x, 2.0; a, b = b, a; a += 1; b -= 1; a *= 4; b /= 2; n := 13; n %= 8; n <<= 2; n >>= 1; n |= 1; n &= 7; n ^= 2; n &^= 1; return a + b + float64(n)"), want: 12 + 1 + 0},
	{kind: "AssignStmt", src: body("i, s := 0, []float64{1, 2}; i, s[i] = 1, x; m := map[string]int{`a`: 1}; v, ok := m[`a`]; _, no := m[`b`]; if ok && !no { return s[0] + float64(i) + float64(v) }; return 0"), want: 5},
	{kind: "GoStmt", src: body("go func() { x = 1 }(); return x"), refused: "go statement"},
	{kind: "DeferStmt", src: "func F(x float64) (y float64) { defer func() { y *= 2 }(); defer func(t float64) { y += t }(x); x = 100; return 1 }", want: 8},
	{kind: "DeferStmt", src: "func F(x float64) (y float64) { for i := range 3 { defer func() { y = y*x + float64(i) }() }; return 1 }", want: 3*3*(3+2) + 3 + 0},
	{kind: "ReturnStmt", src: "func F(x float64) (y float64) { y = 2; if x > 5 { return }; for { if y > x { return y }; y++ } }", want: 4},
	{kind: "ReturnStmt", src: "func two(x float64) (a, b float64) { a = x; return 1 + a, a }\nfunc F(x float64) float64 { a, b := func() (float64, float64) { return two(x) }(); return a * b }", want: 12},
	{kind: "BranchStmt", src: body("for i := 0; ; i++ { if i == 1 { continue }; if i == 4 { break }; x += float64(i) }; switch { case x > 0: x *= 2; fallthrough; case x < 0: x++ }; goto done\ndone:\nreturn x"), want: 17},
	{kind: "BranchStmt", src: body("i := 0\nagain:\ni++\nx += 1\nif i < 3 { goto again }\nreturn x"), want: 6},
	{kind: "BranchStmt", src: body("n := 0\nif x > 1 { goto inner }\nouter:\nx *= 2\ninner:\nn++\nif n < 3 { goto outer }\nif n < 5 { goto inner }\nreturn x"), refused: "goto"},
	// What is behind a statement that returned on one path does not run, a goto neither.
	{kind: "BranchStmt", src: body("switch { case x > 0: if x > 2 { return 7 } }\ngoto skip\nskip:\nx = 1\nreturn x"), want: 7},
	{kind: "BranchStmt", src: body("for i := range 3 { if i == 1 { return x } }\nagain:\nx++\nif x < 9 { goto again }\nreturn x"), want: 3},
	{kind: "BlockStmt", src: body("{ x := 2 * x; { x += 1 }; x++ }\nreturn x"), want: 3},
	{kind: "IfStmt", src: body("if y := 2 * x; y > 10 { x = 0 } else if z := y; z > 5 { x = z } else { x = 1 }; return x"), want: 6},
	{kind: "CaseClause", src: body("switch n := int(x); n { case 1, 2: x = 0; case 4, 3: x = 7; default: x = 1 }; return x"), want: 7},
	{kind: "CaseClause", src: body("switch { default: x = 5; case x > 10: x = 0 }; return x"), want: 5},
	{kind: "SwitchStmt", src: body("switch x++; { case x > 3 && x < 5: if x > 1 { break }; x = 9; fallthrough; default: x = 100 }; switch `a` + `b` { case `ab`: x *= 2 }; switch y := x + 1; y { case 9: x = 10 }; return x"), want: 10},
	{kind: "TypeSwitchStmt", src: "type P struct{ A float64 }\n" + body("var e any = P{x}; switch v := e.(type) { case nil: return 0; case int, string: return 1; case P: x += v.A; default: return 2 }; switch e.(type) { case P: x++ }; return x"), want: 7},
	{kind: "CommClause", src: body("var c chan float64; select { case y := <-c: return y; default: return x }"), refused: "select"},
	{kind: "SelectStmt", src: body("select { default: }\nreturn x"), refused: "select"},
	{kind: "ForStmt", src: body("for i := 0; i < 3; i++ { x += float64(i) }; for x < 10 { x *= 2 }; for { break }; for ; x > 5; { x -= 3 }; return x"), want: 3},
	{kind: "ForStmt", src: body("s := 0.0; for i, j := 0, 5; i < j; i, j = i+1, j-1 { s += float64(j-i) * x }; return s"), want: 27},
	{kind: "ForStmt", src: body("var fs [3]*float64; for y := x; y < 6; y++ { fs[int(y)-3] = &y }; return *fs[0] + *fs[1]*10"), want: 43},
	{kind: "RangeStmt", src: body("s := []float64{1, x}; t := 0.0; for i, v := range s { t += float64(i) * v; s = nil }; for range 2 { t++ }; for i := range 3 { t += float64(i) }; return t"), want: 3 + 2 + 3},
	{kind: "RangeStmt", src: body("a := [2]float64{1, x}; t := 0.0; for i, v := range a { a[1] = 100; t += v * float64(i) }; for _, v := range &a { t += v }; return t"), want: 3 + 101},
	{kind: "RangeStmt", src: body("m := map[int]float64{1: x, 2: 2 * x}; t := 0.0; for k, v := range m { t += float64(k) * v }; return t"), want: 15},
	{kind: "RangeStmt", src: body("t := 0; for i, c := range `aä` { t += i + int(c) }; return x + float64(t)"), refused: "range over a string"},
	{kind: "RangeStmt", src: "func upto(n int) func(yield func(int) bool) { return func(yield func(int) bool) { for i := range n { if !yield(i) { return } } } }\n" + body("for i := range upto(5) { if i == 3 { break }; x += float64(i) }; return x"), want: 6},
	{kind: "RangeStmt", src: body("var c chan float64; for y := range c { x += y }; return x"), refused: "range over chan"},
	{kind: "RangeStmt", src: body("var i int; s := []float64{0, 0}; for i, s[i] = range []float64{x, 2} { }; return s[0] + 10*s[1] + float64(i)"), want: 3},

	// Built-in functions.
	{kind: "append", src: body("var s []float64; s = append(s, x, 1); t := append(s[:1:1], s...); s[0] = 50; b := append([]byte(`a`), `bc`...); return t[0] + t[1] + float64(len(t)) + float64(len(append(b)))"), want: 3 + 3 + 3 + 3},
	{kind: "cap", src: body("s := make([]float64, 1, 4); var a [2]int; return x + float64(cap(s)) + float64(cap(a)) + float64(cap(s[:2:3]))"), want: 3 + 4 + 2 + 3},
	{kind: "clear", src: body("s, m := []float64{x, x}, map[int]float64{1: x}; clear(s[:1]); clear(m); return s[0] + s[1] + float64(len(m))"), want: 3},
	{kind: "close", src: body("c := make(chan int); close(c); return x"), refused: "channel|close"},
	{kind: "complex", src: body("z := complex(x, 4); return real(z * z)"), want: -7},
	{kind: "copy", src: body("s := []float64{1, 2, x}; n := copy(s, s[1:]); b := make([]byte, 2); n += copy(b, `xyz`); return s[1] + float64(n) + float64(b[1])"), want: 3 + 4 + 121},
	{kind: "delete", src: body("m := map[string]float64{`a`: x, `b`: 2}; delete(m, `b`); delete(m, `c`); return m[`a`] + m[`b`]"), want: 3},
	{kind: "imag", src: body("var z complex128 = complex(1, x); return imag(z)"), want: 3},
	{kind: "len", src: body("var a [4]float64; p := &a; var s []int; return x + float64(len(a)+len(p)+len(s)+len(`äb`)+len(map[int]int{1: 1}))"), want: 3 + 4 + 4 + 0 + 3 + 1},
	{kind: "make", src: body("s := make([]float64, 2); t := make([]float64, int8(1), 5); m := make(map[int]int, 3); s[1] = x; return s[1] + float64(len(t)+cap(t)+len(m))"), want: 3 + 6},
	{kind: "make", src: body("c := make(chan int); _ = c; return x"), refused: "channel"},
	{kind: "max", src: body("n := max(int(x), 2, 7); return max(x, 2.5) + float64(n)"), want: 10},
	{kind: "min", src: body("s := min(`b`, `a`); return min(x, 2.5, 4) + float64(s[0])"), want: 2.5 + 97},
	{kind: "new", src: body("p := new(float64); *p = x; q := new(2 * x); return *p + *q"), want: 9},
	{kind: "panic", src: body("if x > 5 { panic(`large`) }; return x"), want: 3},
	{kind: "print", src: body("print(); return x"), want: 3},
	{kind: "println", src: body("println(); return x"), want: 3},
	{kind: "real", src: body("return real(complex(x, 2) * 1i)"), want: -2},
	{kind: "recover", src: "func F(x float64) (y float64) { defer func() { if recover() != nil { y = x * x } }(); panic(x) }", want: 9},
	{kind: "unsafe.Add", src: "import \"unsafe\"\n" + body("return *(*float64)(unsafe.Add(unsafe.Pointer(&x), 0))"), refused: "unsafe"},
	{kind: "unsafe.Alignof", src: "import \"unsafe\"\n" + body("return x + float64(unsafe.Alignof(x))"), want: 11},
	{kind: "unsafe.Offsetof", src: "import \"unsafe\"\ntype P struct{ A, B float64 }\n" + body("var p P; return x + float64(unsafe.Offsetof(p.B))"), want: 11},
	{kind: "unsafe.Sizeof", src: "import \"unsafe\"\n" + body("return x + float64(unsafe.Sizeof(x))"), want: 11},
	{kind: "unsafe.Slice", src: "import \"unsafe\"\n" + body("return unsafe.Slice(&x, 1)[0]"), refused: "unsafe"},
	{kind: "unsafe.SliceData", src: "import \"unsafe\"\n" + body("s := []float64{x}; return *unsafe.SliceData(s)"), refused: "unsafe"},
	{kind: "unsafe.String", src: "import \"unsafe\"\n" + body("b := []byte(`a`); return x + float64(len(unsafe.String(&b[0], 1)))"), refused: "unsafe"},
	{kind: "unsafe.StringData", src: "import \"unsafe\"\n" + body("return x + float64(*unsafe.StringData(`a`))"), refused: "unsafe"},
	{kind: "unsafe.Pointer", src: "import \"unsafe\"\n" + body("return *(*float64)(unsafe.Pointer(&x))"), refused: "unsafe"},
}

// impossible are the nodes that no program has that compiles.
var impossible = []string{"BadExpr", "BadStmt"}

// TestNodes lifts a snippet for every kind of syntax and every built-in function,
// and runs it.
func TestNodes(t *testing.T) {
	for _, n := range nodes {
		t.Run(n.kind, func(t *testing.T) {
			p := srctest.Load(t, "package demo\n"+n.src)
			if strings.ToUpper(n.kind[:1]) == n.kind[:1] && !has(p.File, n.kind) {
				t.Fatalf("the snippet has no %s", n.kind)
			}
			f := lift.New(p.Mod, p).Func(p.Pkg.Scope().Lookup("F").(*types.Func), nil)
			if n.refused != "" {
				refused(t, p, n.refused, f)
				return
			}
			for _, r := range p.Refusals {
				t.Fatalf("%s: %s", p.Fset.Position(r.Pos), r.Message)
			}
			for _, g := range p.Mod.Funcs {
				srctest.Verify(t, g)
			}
			m := interp.New(p.Mod)
			m.Globals = globals(p)
			got, err := m.Call(f, interp.Float(3))
			if err != nil {
				t.Fatalf("%v\n%s", err, f)
			}
			if got[0].Float() != n.want {
				t.Errorf("F(3) = %v, want %v\n%s", got[0].Float(), n.want, f)
			}
		})
	}
}

// globals returns the initial values of the variables of a snippet, which are
// constants.
func globals(p *srctest.Program) map[types.Object]interp.Value {
	out := map[types.Object]interp.Value{}
	for _, name := range p.Pkg.Scope().Names() {
		if v, ok := p.Pkg.Scope().Lookup(name).(*types.Var); ok {
			init, info := p.Initial(v)
			x, _ := constant.Float64Val(info.Types[init].Value)
			out[v] = interp.Float(x)
		}
	}
	return out
}

// refused checks that the snippet is refused for the right reason, at a place in
// it, and with a way out.
func refused(t *testing.T, p *srctest.Program, reason string, f *ssair.Func) {
	t.Helper()
	if f != nil || len(p.Refusals) == 0 {
		t.Fatal("the snippet is not refused")
	}
	found := false
	for _, r := range p.Refusals {
		at := p.Fset.Position(r.Pos)
		if r.Pos < p.File.FileStart || r.Pos >= p.File.FileEnd {
			t.Errorf("%q is not at a place in the snippet: %v", r.Message, at)
		}
		if r.Hint == "" {
			t.Errorf("%q, at %v, says no way out", r.Message, at)
		}
		if strings.Contains(r.Message, "*ast.") {
			t.Errorf("%q, at %v, speaks of package ast", r.Message, at)
		}
		found = found || regexp.MustCompile(reason).MatchString(r.Message)
	}
	if !found {
		t.Errorf("no refusal speaks of %q: %q", reason, p.Refusals[0].Message)
	}
}

// has reports whether a file has a node of a kind.
func has(f *ast.File, kind string) bool {
	found := false
	ast.Inspect(f, func(n ast.Node) bool {
		if n != nil && reflect.TypeOf(n).Elem().Name() == kind {
			found = true
		}
		return true
	})
	return found
}

// TestNodesAreAll compares the table with package go/ast and the built-in
// functions of the language.
func TestNodesAreAll(t *testing.T) {
	have := map[string]bool{}
	for _, n := range nodes {
		have[n.kind] = true
	}
	want := map[string]bool{}
	for _, kind := range astKinds(t) {
		want[kind] = true
	}
	for _, kind := range impossible {
		delete(want, kind)
	}
	for _, name := range types.Universe.Names() {
		if _, ok := types.Universe.Lookup(name).(*types.Builtin); ok {
			want[name] = true
		}
	}
	for _, name := range types.Unsafe.Scope().Names() {
		want["unsafe."+name] = true
	}
	for _, kind := range slices.Sorted(maps.Keys(want)) {
		if !have[kind] {
			t.Errorf("no snippet for %s", kind)
		}
	}
	for kind := range have {
		if !want[kind] {
			t.Errorf("%s is no kind of expression or statement, and no built-in", kind)
		}
	}
}

// astKinds lists the types of package go/ast that are expressions or statements:
// those with a method exprNode or stmtNode.
func astKinds(t *testing.T) []string {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(strings.TrimSpace(string(root)), "src", "go", "ast", "ast.go"), nil, 0)
	if err != nil {
		t.Skipf("the source of package go/ast is not there: %v", err)
	}
	var kinds []string
	for _, d := range file.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Recv == nil || fn.Name.Name != "exprNode" && fn.Name.Name != "stmtNode" {
			continue
		}
		kinds = append(kinds, fn.Recv.List[0].Type.(*ast.StarExpr).X.(*ast.Ident).Name)
	}
	if len(kinds) < 40 {
		t.Errorf("package go/ast seems to have only %d kinds of expressions and statements", len(kinds))
	}
	return kinds
}
