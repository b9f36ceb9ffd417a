package interp_test

import (
	"fmt"
	"go/types"
	"math"
	"testing"

	"github.com/quabla/quabla/ssair/interp"
)

func TestStructsAreCopied(t *testing.T) {
	// p points into the array of s; q := *p is a copy.
	expect(t, "{5 2} {1 2} [{5 2} {0 0}] true false", `func F(%1:x float64) (Point, Point, []Point, bool, bool) {
		%2 int = const 2
		%3 int = const 0
		%4 []Point = makeslice %2, _
		%5 float64 = const 1
		%6 float64 = const 2
		%7 Point = build %5, %6
		store [] %4, %3, %7
		%8:p *Point = addr [] %4, %3
		%9:q Point = load * %8
		store .0 %8, %1
		%10 Point = load * %8
		%11 *Point = addr [] %4, %3
		%12 bool = cmp == %8, %11
		%13 bool = cmp == %9, %10
		return %10, %9, %4, %12, %13
	}`, 5)
	// Arrays too, whole and in part; and the address of an element stays good
	// when the whole is overwritten.
	expect(t, "[[1 0] [0 9]] [[0 0] [0 0]] 9", `func F(%1:x float64) ([2][2]float64, [2][2]float64, float64) {
		%2 *[2][2]float64 = alloc ([2][2]float64)
		%3 int = const 1
		%4 int = const 0
		%5 *float64 = addr [][] %2, %3, %3
		%6 [2][2]float64 = load * %2
		%7 float64 = const 1
		%8 [2][2]float64 = zero
		store * %5, %7
		store * %2, %8
		store * %5, %1
		store [][] %2, %4, %4, %7
		%9 [2][2]float64 = load * %2
		%10 float64 = load * %5
		return %9, %6, %10
	}`, 9)
}

func TestAccum(t *testing.T) {
	expect(t, "1.3000001 3.5 (3+3i) 127 ab {3 3 [1 2] 7} ", `func F() (float32, float64, complex128, int8, string, struct{A float64; B float64; C [2]float32; N int}, string) {
		%1 float32 = const 6/5
		%2 float32 = const 1/10
		%3 *float32 = alloc (float32)
		accum * %3, %1
		accum * %3, %2
		%4 float32 = load * %3
		%5 *float64 = alloc (float64)
		%6 float64 = const 7/2
		accum * %5, %6
		%7 float64 = load * %5
		%8 *complex128 = alloc (complex128)
		%9 complex128 = const (1 + 2i)
		%10 complex128 = const (2 + 1i)
		accum * %8, %9
		accum * %8, %10
		%11 complex128 = load * %8
		%12 *int8 = alloc (int8)
		%13 int8 = const -128
		%14 int8 = const -1
		accum * %12, %13
		accum * %12, %14
		%15 int8 = load * %12
		%16 *string = alloc (string)
		%17 string = const "a"
		%18 string = const "b"
		accum * %16, %17
		accum * %16, %18
		%19 string = load * %16
		%20 float64 = const 1
		%21 float64 = const 2
		%22 float32 = const 1/2
		%23 float32 = const 1
		%24 [2]float32 = build %22, %23
		%25 int = const 7
		%26 struct{A float64; B float64; C [2]float32; N int} = build %20, %21, %24, %25
		%27 struct{A float64; B float64; C [2]float32; N int} = build %21, %20, %24, %25
		%28 *struct{A float64; B float64; C [2]float32; N int} = alloc (struct{A float64; B float64; C [2]float32; N int})
		store * %28, %26
		accum * %28, %27
		%29 struct{A float64; B float64; C [2]float32; N int} = load * %28
		%30 string = zero
		return %4, %7, %11, %15, %19, %29, %30
	}`)
}

func TestMaps(t *testing.T) {
	mod := newModule(t)
	run := func(keyType, key2 string, args ...any) string {
		f := parse(t, mod, `func F(%1:a `+keyType+`, %2:b `+keyType+`) (int, []`+keyType+`, float64, bool) {
			%3 map[`+keyType+`]float64 = makemap
			%4 float64 = const 1
			%5 float64 = const 2
			mapset %3, %1, %4
			mapset %3, %2, %5
			%6 int = len %3
			%7 []`+keyType+` = mapkeys %3
			%8 float64, %9 bool = mapget %3, %1
			mapdelete %3, %2
			return %6, %7, %8, %9
		}`)[0]
		r, err := interp.New(mod).Call(f, convert(t, f, args)...)
		return show(f, r, err)
	}
	nan, negZero := math.NaN(), math.Copysign(0, -1)
	for _, c := range []struct {
		key  string
		a, b any
		want string
	}{
		{"int", 2, 1, "2 [1 2] 1 true"},
		{"uint8", 200, 200, "1 [200] 2 true"},
		{"string", "b", "a", "2 [a b] 1 true"},
		{"float64", 0.0, negZero, "1 [-0] 2 true"},
		{"float64", nan, nan, "2 [NaN NaN] 0 false"},
		{"float64", 1, nan, "2 [NaN 1] 1 true"},
		{"bool", true, false, "2 [true false] 1 true"},
		{"complex128", 1i, 1i, "1 [(0+1i)] 2 true"},
		{"Point", []any{1, 2}, []any{1, 2}, "1 [{1 2}] 2 true"},
		{"[2]Point", []any{[]any{1, 2}, []any{1, nan}}, []any{[]any{1, 2}, []any{1, nan}}, "2 [[{1 2} {1 NaN}] [{1 2} {1 NaN}]] 0 false"},
		{"any", 1, 1, "1 [1] 2 true"},
		{"any", 1, uint(1), "2 [1 1] 1 true"},
		{"any", "1", nil, "2 [1 <nil>] 1 true"},
		{"any", [2]int{1, 2}, [2]int{1, 2}, "1 [[1 2]] 2 true"},
		{"*float64", 1, 1, "2 [&1 &1] 1 true"},
	} {
		if got := run(c.key, "", c.a, c.b); got != c.want {
			t.Errorf("%s %v %v: got %s, want %s", c.key, c.a, c.b, got, c.want)
		}
	}
	// Keys in an interface differ if their types do, named ones included.
	expect(t, "3 2 true", `func F(%1:m map[any]int, %2:x float64) (int, int, bool) {
		%3 any = makeiface %2
		%4 Celsius = conv %2
		%5 any = makeiface %4
		%6 int = const 1
		%7 int = const 2
		%8 int = const 3
		%9 error = zero
		%10 any = makeiface %9
		mapset %1, %3, %6
		mapset %1, %5, %7
		mapset %1, %10, %8
		%11 int = len %1
		%12 int, %13 bool = mapget %1, %5
		return %11, %12, %13
	}`, map[any]int{}, 1)
	// Many insertions and deletions.
	expect(t, "500 [499 500] 0 0", `func F(%1:m map[int]int, %2:n int) (int, []int, int, int) {
		%3 int = const 0
		%4 int = const 1
		%5 int = const 2
		%6 int = loop int %3 | %2 {
		cond(%7 int):
			%8 bool = cmp < %7, %2
			yield %8
		body(%9 int):
			mapset %1, %9, %9
			%10 int = bin / %9, %5
			mapdelete %1, %10
			yield %9
		post(%11 int):
			%12 int = bin + %11, %4
			yield %12
		}
		%13 int = len %1
		%14 []int = mapkeys %1
		%15 []int = slice %14, _, %5, _
		%16 int = load [] %15, %3
		%17 int = bin - %16, %4
		%18 int = bin - %16, %16
		clear %1
		%19 int = len %1
		%20 []int = append %15
		store [] %20, %3, %17
		store [] %20, %4, %16
		return %13, %20, %18, %19
	}`, map[int]int{}, 1000)
	expect(t, "0 false 0 []", `func F(%1:m map[int]Point) (float64, bool, int, []int) {
		%2 int = const 3
		%3 Point, %4 bool = mapget %1, %2
		mapdelete %1, %2
		%5 float64 = extract .0 %3
		%6 int = len %1
		%7 []int = mapkeys %1
		clear %1
		return %5, %4, %6, %7
	}`, nil)
}

func TestInterfaces(t *testing.T) {
	// Equality looks at the dynamic types; pointers are equal if they point to
	// the same thing.
	expect(t, "true false true true false true", `func F(%1:p *Point, %2:q *Point, %3:x float64) (bool, bool, bool, bool, bool, bool) {
		%4 any = makeiface %1
		%5 any = makeiface %2
		%6 any = makeiface %1
		%7 bool = cmp == %4, %6
		%8 bool = cmp == %4, %5
		%9 Point = load * %1
		%10 Point = load * %2
		%11 any = makeiface %9
		%12 any = makeiface %10
		%13 bool = cmp == %11, %12
		%14 bool = cmp == %11, %9
		%15 Celsius = conv %3
		%16 any = makeiface %3
		%17 bool = cmp == %16, %15
		%18 untyped nil = zero
		%19 bool = cmp != %4, %18
		return %7, %8, %13, %14, %17, %19
	}`, []any{1, 2}, []any{1, 2}, 1)
	// Methods of pointers, of embedded pointers and of embedded interfaces.
	const area = `
	func Square.Area(%1:s Square) (float64) {
		%2 float64 = extract .0 %1
		%3 float64 = bin * %2, %2
		return %3
	}`
	expect(t, "4 9 16 16", `func F(%1:a Square, %2:b *Square, %3:c Named, %4:d *Holder) (float64, float64, float64, float64) {
		%5 Shape = makeiface %1
		%6 Shape = makeiface %2
		%7 Shape = makeiface %3
		store .0 %4, %7
		%8 Shape = makeiface %4
		%9 float64 = opaque "example.com/user".Area %5
		%10 float64 = opaque "example.com/user".Area %6
		%11 float64 = opaque "example.com/user".Area %7
		%12 float64 = opaque "example.com/user".Area %8
		return %9, %10, %11, %12
	}`+area, []any{2}, []any{3}, []any{[]any{4}, "n"}, []any{nil})
	expect(t, "panic: runtime error: invalid memory address or nil pointer dereference", `func F(%1:s Shape) (float64) {
		%2 float64 = opaque "example.com/user".Area %1
		return %2
	}`+area, nil)
	expect(t, "panic: value method example.com/user.Square.Area called using nil *Square pointer", `func F(%1:s *Square) (float64) {
		%2 Shape = makeiface %1
		%3 float64 = opaque "example.com/user".Area %2
		return %3
	}`+area, nil)
}

func TestClosures(t *testing.T) {
	// A counter: the closure holds a pointer to its variable.
	expect(t, "3 10 13 true", `func F(%1:n int) (int, int, int, bool) {
		%2 *int = alloc (int)
		%3 func(int) int = closure @Add %2
		%4 int = const 3
		%5 int = opaque %3, %4
		%6 int = load * %2
		%7 int = opaque %3, %1
		%8 int = load * %2
		%9 int = bin - %8, %6
		%10 untyped nil = zero
		%11 bool = cmp != %3, %10
		return %6, %9, %8, %11
	}
	func Add(%1:c *int, %2:d int) (int) {
		accum * %1, %2
		%3 int = load * %1
		return %3
	}`, 10)
}

func TestGlobals(t *testing.T) {
	mod := newModule(t)
	f := parse(t, mod, `func F(%1:d int) (int) {
		%2 *int = global "example.com/user".Count
		accum * %2, %1
		%3 int = load * %2
		return %3
	}`)[0]
	count := mod.Pkg.Scope().Lookup("Count")
	m := interp.New(mod)
	m.Globals = map[types.Object]interp.Value{count: interp.Int(100)}
	for want := int64(103); want < 110; want += 3 {
		if r, err := m.Call(f, interp.Int(3)); err != nil || r[0].Int() != want {
			t.Errorf("got %v, %v, want %d", r, err, want)
		}
	}
	if got := m.Global(count).Load(count.Type()).Int(); got != 109 {
		t.Errorf("got %d", got)
	}
	m.Global(count).Store(count.Type(), interp.Int(0))
	if r, err := m.Call(f, interp.Int(3)); err != nil || r[0].Int() != 3 {
		t.Errorf("got %v, %v", r, err)
	}
}

// TestArgumentsAreUsed checks that a function works on the memory of its
// arguments.
func TestArgumentsAreUsed(t *testing.T) {
	mod := newModule(t)
	f := parse(t, mod, `func Scale(%1:x []float64, %2:p *Particle, %3:c float64) {
		%4 int = const 1
		%5 float64 = load [] %1, %4
		%6 float64 = bin * %5, %3
		store [] %1, %4, %6
		store .1 %2, %6
		return
	}`)[0]
	args := convert(t, f, []any{[]float64{1, 2, 3}, map[string]any{"Pos": []any{4, 5}, "Mass": 6}, 10})
	if _, err := interp.New(mod).Call(f, args...); err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(interp.Flatten(args[0], f.Params[0].Type), interp.Flatten(args[1], f.Params[1].Type))
	if want := "[1 20 3] [4 5 20]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestLengths(t *testing.T) {
	expect(t, "3 3 2 3 0 0 2", `func F(%1:p *[3]int, %2:a [3]int, %3:m map[int]int, %4:s string) (int, int, int, int, int, int, int) {
		%5 int = len %1
		%6 int = cap %2
		%7 int = len %3
		%8 int = len %4
		%9 []int = zero
		%10 int = len %9
		%11 int = cap %9
		%12 [2][]int = zero
		%13 int = len %12
		return %5, %6, %7, %8, %10, %11, %13
	}`, nil, []any{1, 2, 3}, map[int]int{1: 1, 2: 2}, "abc")
}

// TestBodies calls a function of the module by its object: the instance that
// fits, and not a function that was made of it.
func TestBodies(t *testing.T) {
	mod := newModule(t)
	fs := parse(t, mod, `func F(%1:x float64, %2:y float32) (float64, float32, float64) {
		%3 float64 = opaque "example.com/user".Generic %1
		%4 float32 = opaque "example.com/user".Generic %2
		%5 func(float64) float64 = func "example.com/user".Outside
		%6 float64 = opaque %5, %1
		return %3, %4, %6
	}
	func Generic(%1:x float32) (float32) {
		%2 float32 = bin + %1, %1
		return %2
	}
	func Generic2(%1:x float64) (float64) {
		%2 float64 = bin * %1, %1
		return %2
	}
	func OutsideJVP(%1:x float64, %2:dx float64) (float64, float64) {
		return %1, %2
	}
	func Outside(%1:x float64) (float64) {
		%2 float64 = un - %1
		return %2
	}`)
	for i, name := range []string{"", "Generic", "Generic", "Outside", "Outside"} {
		if name != "" {
			fs[i].Obj = mod.Pkg.Scope().Lookup(name).(*types.Func)
		}
	}
	r, err := interp.New(mod).Call(fs[0], interp.Float(3), interp.Float(5))
	if got := show(fs[0], r, err); got != "9 10 -3" {
		t.Errorf("got %s", got)
	}
}

func TestConversionsOfReferences(t *testing.T) {
	expect(t, "[1 2] {1 2} true <nil> 3 [1 2]", `func F(%1:x []float64, %2:p Point, %3:f func(float64) float64) ([]float64, struct{X float64; Y float64}, bool, error, any, interface{}) {
		%4 []float64 = conv %1
		%5 struct{X float64; Y float64} = conv %2
		%6 func(x float64) (y float64) = conv %3
		%7 untyped nil = zero
		%8 bool = cmp == %6, %7
		%9 error = conv %7
		%10 int = const 3
		%11 any = conv %10
		%12 any = makeiface %4
		%13 interface{} = conv %12
		return %4, %5, %8, %9, %11, %13
	}`, []float64{1, 2}, []any{1, 2}, nil)
	expect(t, "F: interp: not supported: a conversion of []float64 to int", "func F(%1 []float64) (int) {\n%2 int = conv %1\nreturn %2\n}", nil)
	expect(t, "F: interp: not supported: the operator + of bool", "func F(%1 bool) (bool) {\n%2 bool = bin + %1, %1\nreturn %2\n}", true)
	expect(t, "F: interp: not supported: the operator ! of int", "func F(%1 int) (int) {\n%2 int = un ! %1\nreturn %2\n}", 1)
	expect(t, "F: interp: not supported: the elementary function math.Nope", "func F(%1 float64) (float64) {\n%2 float64 = apply math.Nope %1\nreturn %2\n}", 1)
	expect(t, "F: interp: not supported: a comparison of chan int", "func F(%1 chan int) (bool) {\n%2 bool = cmp == %1, %1\nreturn %2\n}", interp.Value{})
}
