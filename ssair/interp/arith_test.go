package interp_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/interp"
)

type integer interface {
	int | int8 | int16 | int32 | int64 | uint | uint8 | uint16 | uint32 | uint64
}

type float interface{ float32 | float64 }

type complexNumber interface{ complex64 | complex128 }

// compiled parses a function and returns it as a Go function that gives the
// printed results, or the panic.
func compiled(t testing.TB, mod *ssair.Module, text string) func(args ...any) string {
	t.Helper()
	f := parse(t, mod, text)[0]
	m := interp.New(mod)
	return func(args ...any) string {
		results, err := m.Call(f, convert(t, f, args)...)
		return show(f, results, err)
	}
}

// outcome returns what f prints, or its panic.
func outcome(f func() any) (s string) {
	defer func() {
		if r := recover(); r != nil {
			s = "panic: " + fmt.Sprint(r)
		}
	}()
	return fmt.Sprint(f())
}

func randomInt[T integer](r *rand.Rand) T {
	switch r.IntN(4) {
	case 0:
		return T(r.IntN(7)) - 3
	case 1: // the ends of the range
		min := T(1)
		for next := min << 1; next != 0; next <<= 1 {
			min = next
		}
		if r.IntN(2) == 0 {
			return min
		}
		return min - 1
	}
	return T(r.Uint64()) >> r.IntN(20)
}

func testIntegers[T integer](t *testing.T, mod *ssair.Module) {
	name := fmt.Sprintf("%T", T(0))
	r := rand.New(rand.NewPCG(1, 2))
	ops := map[string]func(x, y T) any{
		"bin +": func(x, y T) any { return x + y }, "bin -": func(x, y T) any { return x - y },
		"bin *": func(x, y T) any { return x * y }, "bin /": func(x, y T) any { return x / y },
		"bin %": func(x, y T) any { return x % y }, "bin &": func(x, y T) any { return x & y },
		"bin |": func(x, y T) any { return x | y }, "bin ^": func(x, y T) any { return x ^ y },
		"bin &^": func(x, y T) any { return x &^ y }, "bin <<": func(x, y T) any { return x << y },
		"bin >>": func(x, y T) any { return x >> y },
		"cmp ==": func(x, y T) any { return x == y }, "cmp !=": func(x, y T) any { return x != y },
		"cmp <": func(x, y T) any { return x < y }, "cmp <=": func(x, y T) any { return x <= y },
		"cmp >": func(x, y T) any { return x > y }, "cmp >=": func(x, y T) any { return x >= y },
		"apply min": func(x, y T) any { return min(x, y) }, "apply max": func(x, y T) any { return max(x, y) },
	}
	for op, f := range ops {
		result := name
		if strings.HasPrefix(op, "cmp") {
			result = "bool"
		}
		run := compiled(t, mod, fmt.Sprintf("func F(%%1 %s, %%2 %s) (%s) {\n%%3 %s = %s %%1, %%2\nreturn %%3\n}", name, name, result, result, op))
		for range 300 {
			x, y := randomInt[T](r), randomInt[T](r)
			if got, want := run(x, y), outcome(func() any { return f(x, y) }); got != want {
				t.Errorf("%s: %s %v, %v: got %s, want %s", name, op, x, y, got, want)
			}
		}
	}
	unary := map[string]func(x T) any{
		"un -": func(x T) any { return -x }, "un ^": func(x T) any { return ^x }, "un +": func(x T) any { return +x },
	}
	for op, f := range unary {
		run := compiled(t, mod, fmt.Sprintf("func F(%%1 %s) (%s) {\n%%2 %s = %s %%1\nreturn %%2\n}", name, name, name, op))
		for range 50 {
			x := randomInt[T](r)
			if got, want := run(x), fmt.Sprint(f(x)); got != want {
				t.Errorf("%s: %s %v: got %s, want %s", name, op, x, got, want)
			}
		}
	}
	testConversions[T](t, mod, randomInt[T])
}

func randomFloat[T float](r *rand.Rand) T {
	special := []float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat32,
		math.SmallestNonzeroFloat32, math.SmallestNonzeroFloat64, math.MaxFloat64, 1 << 24, 1<<24 + 1, 1 << 53}
	if r.IntN(4) == 0 {
		return T(special[r.IntN(len(special))])
	}
	return T(math.Float64frombits(r.Uint64()&^(0x7ff<<52) | uint64(1023-40+r.IntN(80))<<52))
}

func testFloats[T float](t *testing.T, mod *ssair.Module) {
	name := fmt.Sprintf("%T", T(0))
	r := rand.New(rand.NewPCG(1, 2))
	ops := map[string]func(x, y T) any{
		"bin +": func(x, y T) any { return x + y }, "bin -": func(x, y T) any { return x - y },
		"bin *": func(x, y T) any { return x * y }, "bin /": func(x, y T) any { return x / y },
		"cmp ==": func(x, y T) any { return x == y }, "cmp !=": func(x, y T) any { return x != y },
		"cmp <": func(x, y T) any { return x < y }, "cmp <=": func(x, y T) any { return x <= y },
		"cmp >": func(x, y T) any { return x > y }, "cmp >=": func(x, y T) any { return x >= y },
		"apply min": func(x, y T) any { return min(x, y) }, "apply max": func(x, y T) any { return max(x, y) },
	}
	for op, f := range ops {
		result := name
		if strings.HasPrefix(op, "cmp") {
			result = "bool"
		}
		run := compiled(t, mod, fmt.Sprintf("func F(%%1 %s, %%2 %s) (%s) {\n%%3 %s = %s %%1, %%2\nreturn %%3\n}", name, name, result, result, op))
		for range 500 {
			x, y := randomFloat[T](r), randomFloat[T](r)
			if got, want := run(x, y), fmt.Sprint(f(x, y)); got != want {
				t.Errorf("%s: %s %v, %v: got %s, want %s", name, op, x, y, got, want)
			}
		}
	}
	neg := compiled(t, mod, fmt.Sprintf("func F(%%1 %s) (%s) {\n%%2 %s = un - %%1\nreturn %%2\n}", name, name, name))
	for range 50 {
		x := randomFloat[T](r)
		if got, want := neg(x), fmt.Sprint(-x); got != want {
			t.Errorf("-%v: got %s, want %s", x, got, want)
		}
	}
	testConversions[T](t, mod, randomFloat[T])
}

// testConversions compares the conversions of T to all real types with Go's.
func testConversions[T integer | float](t *testing.T, mod *ssair.Module, random func(*rand.Rand) T) {
	convs := map[string]func(x T) any{
		"int": func(x T) any { return int(x) }, "int8": func(x T) any { return int8(x) }, "int16": func(x T) any { return int16(x) },
		"int32": func(x T) any { return int32(x) }, "int64": func(x T) any { return int64(x) },
		"uint": func(x T) any { return uint(x) }, "uint8": func(x T) any { return uint8(x) }, "uint16": func(x T) any { return uint16(x) },
		"uint32": func(x T) any { return uint32(x) }, "uint64": func(x T) any { return uint64(x) },
		"float32": func(x T) any { return float32(x) }, "float64": func(x T) any { return float64(x) },
		"Celsius": func(x T) any { return float64(x) }, "ID": func(x T) any { return int(x) },
	}
	name := fmt.Sprintf("%T", T(0))
	r := rand.New(rand.NewPCG(3, 4))
	for to, f := range convs {
		run := compiled(t, mod, fmt.Sprintf("func F(%%1 %s) (%s) {\n%%2 %s = conv %%1\nreturn %%2\n}", name, to, to))
		for range 100 {
			x := random(r)
			if got, want := run(x), fmt.Sprint(f(x)); got != want {
				t.Errorf("%s(%s(%v)): got %s, want %s", to, name, x, got, want)
			}
		}
	}
}

func TestNumbers(t *testing.T) {
	mod := newModule(t)
	testIntegers[int](t, mod)
	testIntegers[int8](t, mod)
	testIntegers[int16](t, mod)
	testIntegers[int32](t, mod)
	testIntegers[int64](t, mod)
	testIntegers[uint](t, mod)
	testIntegers[uint8](t, mod)
	testIntegers[uint16](t, mod)
	testIntegers[uint32](t, mod)
	testIntegers[uint64](t, mod)
	testFloats[float32](t, mod)
	testFloats[float64](t, mod)
	testComplex[complex64](t, mod, func(r *rand.Rand) complex64 {
		return complex(randomFloat[float32](r), randomFloat[float32](r))
	})
	testComplex[complex128](t, mod, func(r *rand.Rand) complex128 {
		return complex(randomFloat[float64](r), randomFloat[float64](r))
	})
}

func testComplex[T complexNumber](t *testing.T, mod *ssair.Module, random func(*rand.Rand) T) {
	name := fmt.Sprintf("%T", T(0))
	r := rand.New(rand.NewPCG(1, 2))
	for op, f := range map[string]func(x, y T) any{
		"bin +": func(x, y T) any { return x + y }, "bin -": func(x, y T) any { return x - y },
		"bin *": func(x, y T) any { return x * y }, "bin /": func(x, y T) any { return x / y },
		"cmp ==": func(x, y T) any { return x == y }, "cmp !=": func(x, y T) any { return x != y },
	} {
		result := name
		if strings.HasPrefix(op, "cmp") {
			result = "bool"
		}
		run := compiled(t, mod, fmt.Sprintf("func F(%%1 %s, %%2 %s) (%s) {\n%%3 %s = %s %%1, %%2\nreturn %%3\n}", name, name, result, result, op))
		for range 500 {
			x, y := random(r), random(r)
			if got, want := run(x, y), fmt.Sprint(f(x, y)); got != want {
				t.Errorf("%s: %s %v, %v: got %s, want %s", name, op, x, y, got, want)
			}
		}
	}
	part := map[string]string{"complex64": "float32", "complex128": "float64"}[name]
	run := compiled(t, mod, fmt.Sprintf(`func F(%%1 %s) (%s, %s, complex64, complex128, %s, %s) {
		%%2 %s = apply real %%1
		%%3 %s = apply imag %%1
		%%4 complex64 = conv %%1
		%%5 complex128 = conv %%1
		%%6 %s = un - %%1
		%%7 %s = apply complex %%3, %%2
		return %%2, %%3, %%4, %%5, %%6, %%7
	}`, name, part, part, name, name, part, part, name, name))
	for range 50 {
		x := random(r)
		re, im := real(complex128(x)), imag(complex128(x))
		want := fmt.Sprint(re, im)
		if name == "complex64" {
			want = fmt.Sprint(float32(re), float32(im))
		}
		want += " " + fmt.Sprint(complex64(x), complex128(x), -x, T(complex(im, re)))
		if got := run(x); got != want {
			t.Errorf("%v: got %s, want %s", x, got, want)
		}
	}
}

func TestConstantRounding(t *testing.T) {
	// 1 + 2^-24 + 2^-60 is rounded once: to 1 + 2^-23 as a float32, where a
	// detour over float64 would give 1.
	expect(t, "1.0000001 -0.1 255 (0.1+0.2i) 3", `func F() (float32, float64, uint8, complex64, float64) {
		%1 float32 = const 1152921573326323713/1152921504606846976
		%2 float64 = const -1/10
		%3 uint8 = const 255
		%4 complex64 = const (1/10 + 1/5i)
		%5 float64 = const 3
		return %1, %2, %3, %4, %5
	}`)
	expect(t, "F: interp: not supported: the constant 256 of type uint8", `func F() (uint8) {
		%1 uint8 = const 256
		return %1
	}`)
	expect(t, "F: interp: not supported: the constant unknown of type float64", `func F() (float64) {
		%1 float64 = const unknown
		return %1
	}`)
}

func TestFloat32Sum(t *testing.T) {
	mod := newModule(t)
	f := parse(t, mod, `func Sum(%1:x []float32) (s float32) {
		%2 int = const 0
		%3 float32 = const 0
		%4 int = len %1
		%5 int = const 1
		%6:i int, %7:s float32 = loop slice %2, %3 | %4, %1 {
		cond(%8:i int, %9:s float32):
			%10 bool = cmp < %8, %4
			yield %10
		body(%11:i int, %12:s float32):
			%13 float32 = load [] %1, %11
			%14 float32 = bin * %13, %13
			%15:s float32 = bin + %12, %14
			yield %11, %15
		post(%16:i int, %17:s float32):
			%18:i int = bin + %16, %5
			yield %18, %17
		}
		return %7
	}`)[0]
	x := make([]float32, 1000)
	var want float32
	for i := range x {
		x[i] = float32(math.Sin(float64(i))) * 1e3
		want += float32(x[i] * x[i])
	}
	results, err := interp.New(mod).Call(f, convert(t, f, []any{x})...)
	if err != nil || float32(results[0].Float()) != want {
		t.Errorf("got %v, %v, want %v", results, err, want)
	}
}

func TestStringsAndBools(t *testing.T) {
	expect(t, "aé true false true true false true false", `func F(%1:s string, %2:t string) (string, bool, bool, bool, bool, bool, bool, bool) {
		%3 string = bin + %1, %2
		%4 bool = cmp < %1, %2
		%5 bool = cmp >= %1, %2
		%6 bool = cmp <= %1, %1
		%7 bool = cmp != %1, %2
		%8 bool = cmp > %1, %2
		%9 bool = bin | %4, %5
		%10 bool = un ! %9
		return %3, %4, %5, %6, %7, %8, %9, %10
	}`, "a", "é")
	expect(t, "[97 195 169] [97 233] aé é � � a", `func F(%1:s string) ([]byte, []rune, string, string, string, string, string) {
		%2 []byte = conv %1
		%3 []rune = conv %1
		%4 string = conv %2
		%5 int = const 1
		%6 int32 = load [] %3, %5
		%7 string = conv %6
		%8 int = const -1
		%9 string = conv %8
		%10 uint64 = const 4294967361
		%11 string = conv %10
		%12 []rune = slice %3, _, %5, _
		%13 string = conv %12
		return %2, %3, %4, %7, %9, %11, %13
	}`, "aé")
	expect(t, "0 false", `func F() (int, bool) {
		%1 string = const ""
		%2 []byte = conv %1
		%3 int = len %2
		%4 untyped nil = zero
		%5 bool = cmp == %2, %4
		return %3, %5
	}`)
}

func TestSliceConversions(t *testing.T) {
	const text = `func F(%1:s []float64) ([3]float64, *[2]float64, float64, bool, int) {
		%2 [3]float64 = conv %1
		%3 *[2]float64 = conv %1
		%4 int = const 1
		%5 float64 = const 7
		store [] %3, %4, %5
		%6 float64 = load [] %1, %4
		%7 *[2]float64 = conv %1
		%8 bool = cmp == %3, %7
		%9 []float64 = slice %3, _, _, _
		%10 int = cap %9
		return %2, %3, %6, %8, %10
	}`
	expect(t, "[1 2 3] &[1 7] 7 true 2", text, []float64{1, 2, 3, 4})
	expect(t, "panic: runtime error: cannot convert slice with length 2 to array or pointer to array with length 3", text, []float64{1, 2})
	expect(t, "<nil> &[]", `func F(%1:s []float64, %2:t []float64) (*[0]float64, *[0]float64) {
		%3 *[0]float64 = conv %1
		%4 *[0]float64 = conv %2
		return %3, %4
	}`, nil, []float64{})
}
