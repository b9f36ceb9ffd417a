package interp_test

import (
	"testing"

	"github.com/quabla/quabla/ssair"
)

// kindTests has at least one function for each kind of op.
var kindTests = []struct {
	kinds []ssair.Kind
	text  string
	args  []any
	want  string
}{
	{[]ssair.Kind{ssair.Const, ssair.Bin, ssair.Un, ssair.Cmp, ssair.Return}, `func F(%1:x float64) (float64, bool) {
		%2 float64 = const 1/3
		%3 float64 = bin * %1, %2
		%4 float64 = un - %3
		%5 bool = cmp < %4, %2
		return %4, %5
	}`, []any{6}, "-2 true"},
	{[]ssair.Kind{ssair.Zero}, `func F() (Line, []int, string, error, [2]Point) {
		%1 Line = zero
		%2 []int = zero
		%3 string = zero
		%4 error = zero
		%5 [2]Point = zero
		return %1, %2, %3, %4, %5
	}`, nil, "{{0 0} {0 0} } []  <nil> [{0 0} {0 0}]"},
	{[]ssair.Kind{ssair.Global, ssair.Store, ssair.Load}, `func F() (int, Point) {
		%1 *int = global "example.com/user".Count
		%2 int = const 3
		store * %1, %2
		%3 *int = global "example.com/user".Count
		%4 int = load * %3
		%5 *Point = global "example.com/user".Origin
		%6 Point = load * %5
		return %4, %6
	}`, nil, "3 {0 0}"},
	{[]ssair.Kind{ssair.FuncVal, ssair.Opaque}, `func F(%1:s string) (string) {
		%2 func(string, int) string = func "strings".Repeat
		%3 int = const 2
		%4 string = opaque %2, %1, %3
		%5 string = opaque "strings".Repeat %4, %3
		return %5
	}`, []any{"ab"}, "abababab"},
	{[]ssair.Kind{ssair.Conv, ssair.Stop}, `func F(%1:x float64) (int, float32, float32, float64) {
		%2 int = conv %1
		%3 float32 = conv %1
		%4 float32 = stop %3
		%5 float64 = conv explicit %1
		return %2, %3, %4, %5
	}`, []any{-2.7}, "-2 -2.7 -2.7 -2.7"},
	{[]ssair.Kind{ssair.Apply}, `func F(%1:x float64, %2:y float64, %3:n int) (float64, float64, int, float64, int, complex128) {
		%4 float64 = apply math.Sqrt %1
		%5 float64 = apply max %1, %2
		%6 int = apply min %3, %3
		%7 float64, %8 int = apply math.Frexp %1
		%9 complex128 = apply complex %1, %2
		return %4, %5, %6, %7, %8, %9
	}`, []any{9, 2, 7}, "3 9 7 0.5625 4 (9+2i)"},
	{[]ssair.Kind{ssair.Alloc, ssair.Addr, ssair.Accum}, `func F(%1:x float64, %2:i int) (Line, float64, *float64) {
		%3:l *Line = alloc (Line)
		%4 *float64 = addr .1.0 %3
		store * %4, %1
		accum .1.0 %3, %1
		%5 [][3]float64 = makeslice %2, _
		%6 int = const 1
		%7 *float64 = addr [][] %5, %6, %2
		accum [][] %5, %6, %2, %1
		%8 Line = load * %3
		%9 float64 = load [][] %5, %6, %2
		return %8, %9, %7
	}`, []any{2.5, 2}, "{{0 0} {5 0} } 2.5 &2.5"},
	{[]ssair.Kind{ssair.MakeSlice, ssair.Slice, ssair.Len, ssair.Cap}, `func F(%1:n int) (int, int, int, int, string) {
		%2 int = const 1
		%3 int = const 8
		%4 []float64 = makeslice %1, %3
		%5 []float64 = slice %4, %2, _, _
		%6 []float64 = slice %5, _, %2, %1
		%7 int = len %5
		%8 int = cap %5
		%9 int = len %6
		%10 int = cap %6
		%11 string = const "hello"
		%12 string = slice %11, %2, %1, _
		return %7, %8, %9, %10, %12
	}`, []any{4}, "3 7 1 4 ell"},
	{[]ssair.Kind{ssair.Append, ssair.AppendSlice, ssair.Copy, ssair.Clear, ssair.StrIndex}, `func F(%1:s []byte, %2:t string) ([]byte, int, byte) {
		%3 int = const 1
		%4 byte = strindex %2, %3
		%5 []byte = append %1, %4, %4
		%6 []byte = appendslice %5, %2
		%7 []byte = appendslice %6, %5
		%8 int = copy %7, %2
		%9 []byte = slice %7, %8, %8, _
		%10 int = const 5
		%11 []byte = slice %7, %8, %10, _
		clear %11
		return %7, %8, %4
	}`, []any{[]byte("abcde"), "xyz"}, "[120 121 122 0 0 121 121 120 121 122 97 98 99 100 101 121 121] 3 121"},
	{[]ssair.Kind{ssair.MakeMap, ssair.MapSet, ssair.MapGet, ssair.MapDelete, ssair.MapKeys, ssair.MapLen}, `func F(%1:m map[string]float64, %2:x float64) ([]string, float64, bool, float64, int, map[string]float64) {
		%3 string = const "b"
		%4 string = const "a"
		mapset %1, %3, %2
		mapset %1, %4, %2
		mapset %1, %4, %2
		%5 string = const "z"
		mapdelete %1, %5
		mapdelete %1, %5
		%6 []string = mapkeys %1
		%7 float64, %8 bool = mapget %1, %5
		%9 float64 = mapget %1, %4
		%10 int = maplen %1
		%11 map[string]float64 = makemap
		return %6, %7, %8, %9, %10, %11
	}`, []any{map[string]float64{"z": 1, "c": 2}, 2.5}, "[a b c] 0 false 2.5 3 map[]"},
	{[]ssair.Kind{ssair.ZeroLike, ssair.ClearAll}, `func F(%1:x float64) (float64, float64, float64, float64, int, string, float64, float64) {
		%2 int = const 2
		%3 *Line = alloc (Line)
		%4 *Point = addr .1 %3
		%5 [][]*Point = makeslice %2, _
		%7 []*Point = zero
		%6 []*Point = append %7, %4, %4
		%8 int = const 0
		%9 int = const 1
		store [] %5, %8, %6
		store [] %5, %9, %6
		store .1.0 %3, %1
		%10 string = const "name"
		store .2 %3, %10
		%11 any = makeiface %5
		%12 any = zerolike %11
		%13 [][]*Point = typeassert ([][]*Point) %12
		%14 []*Point = load [] %13, %8
		%15 []*Point = load [] %13, %9
		%16 *Point = load [] %14, %9
		%17 *Point = load [] %15, %8
		%18 float64 = load .0 %16
		store .0 %16, %1
		%19 float64 = load .0 %17
		%20 *Line = zerolike %3
		%21 float64 = load .1.0 %20
		%22 any = makeiface %1
		%23 any = zerolike %22
		%24 *float64 = typeassert (*float64) %23
		store * %24, %1
		%25 float64 = load * %24
		clearall %23
		%26 float64 = load * %24
		clearall %11
		%27 float64 = load .1.0 %3
		%28 string = load .2 %3
		%29 string = load .2 %20
		%30 string = bin + %28, %29
		%31 int = len %14
		return %18, %19, %21, %25, %31, %30, %26, %27
	}`, []any{2.5}, "0 2.5 0 2.5 2 name 0 0"},
	{[]ssair.Kind{ssair.Build, ssair.Extract}, `func F(%1:x float64, %2:l Line) (Point, string, float64, [2]Point, float64) {
		%3 Point = build %1, %1
		%4 string = extract .2 %2
		%5 float64 = extract .1.0 %2
		%6 [2]Point = build %3, %3
		%7 float64 = extract .1.1 %6
		return %3, %4, %5, %6, %7
	}`, []any{2, map[string]any{"To": []any{7, 8}, "Name": "l"}}, "{2 2} l 7 [{2 2} {2 2}] 2"},
	{[]ssair.Kind{ssair.MakeIface, ssair.TypeIs, ssair.TypeAssert}, `func F(%1:x Square) (bool, bool, bool, Square, int, bool, Shape, float64) {
		%2 any = makeiface %1
		%3 bool = typeis (Square) %2
		%4 bool = typeis (*Square) %2
		%5 bool = typeis (Shape) %2
		%6 Square = typeassert (Square) %2
		%7 int, %8 bool = typeassert (int) %2
		%9 Shape = typeassert (Shape) %2
		%10 float64 = opaque "example.com/user".Area %9
		return %3, %4, %5, %6, %7, %8, %9, %10
	}
	func Square.Area(%1:s Square) (float64) {
		%2 float64 = extract .0 %1
		%3 float64 = bin * %2, %2
		return %3
	}`, []any{[]any{3}}, "true false true {3} 0 false {3} 9"},
	{[]ssair.Kind{ssair.If, ssair.Loop, ssair.Yield}, `func F(%1:n int) (int, int) {
		%2 int = const 0
		%3 int = const 1
		%4 int, %5:a int, %6:b int = loop int %2, %2, %3 | %1 {
		cond(%7 int, %8:a int, %9:b int):
			%10 bool = cmp < %7, %1
			yield %10
		body(%11 int, %12:a int, %13:b int):
			%14 int = bin + %12, %13
			yield %11, %13, %14
		post(%15 int, %16:a int, %17:b int):
			%18 int = bin + %15, %3
			yield %18, %16, %17
		}
		%19 bool = cmp > %5, %1
		%20 int, %21 int = if %19 {
		then:
			yield %5, %6
		else:
			yield %6, %5
		}
		return %20, %21
	}`, []any{10}, "55 89"},
	{[]ssair.Kind{ssair.Panic, ssair.Unreachable}, `func F(%1:x float64) (float64) {
		%2 float64 = const 0
		%3 bool = cmp < %1, %2
		if %3 {
		then:
			%4 string = const "negative"
			%5 any = makeiface %4
			panic %5
			unreachable
		else:
			yield
		}
		return %1
	}`, []any{-1}, "panic: negative"},
	{[]ssair.Kind{ssair.Call, ssair.MakeClosure}, `func F(%1:x float64) (float64, float64) {
		%2 float64 = call @G %1, %1
		%3 func(float64) float64 = closure @G %2
		%4 float64 = opaque %3, %1
		return %2, %4
	}
	func G(%1:a float64, %2:b float64) (float64) {
		%3 float64 = bin - %1, %2
		%4 float64 = bin + %3, %1
		return %4
	}`, []any{3}, "3 3"},
	{[]ssair.Kind{ssair.Grad}, `func F(%1:x float64) (float64) {
		%2 float64 = grad @F %1
		return %2
	}`, []any{3}, "F: interp: not supported: the derivative of F, which package deriv resolves first"},
	{[]ssair.Kind{ssair.JVP}, `func F(%1:x float64) (float64) {
		%2 float64, %3 float64 = jvp @F %1, %1
		return %3
	}`, []any{3}, "F: interp: not supported: the derivative of F, which package deriv resolves first"},
}

func TestEveryKind(t *testing.T) {
	tested := map[ssair.Kind]bool{}
	for _, c := range kindTests {
		for _, k := range c.kinds {
			tested[k] = true
		}
		expect(t, c.want, c.text, c.args...)
	}
	if len(allKinds()) < 40 {
		t.Errorf("only %d kinds", len(allKinds()))
	}
	for _, k := range allKinds() {
		if !tested[k] {
			t.Errorf("no test of kind %v", k)
		}
	}
}
