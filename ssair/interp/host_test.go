package interp_test

import (
	"errors"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/quabla/quabla/ssair/interp"
)

func TestStandardLibrary(t *testing.T) {
	expect(t, "12 <nil> 0 strconv.Atoi: parsing \"x\": invalid syntax true 3.50", `func F(%1:x float64) (int, error, int, error, bool, string) {
		%2 string = const "12"
		%3 int, %4 error = opaque "strconv".Atoi %2
		%5 string = const "x"
		%6 int, %7 error = opaque "strconv".Atoi %5
		%8 error = zero
		%9 bool = cmp != %7, %8
		%10 uint8 = const 102
		%11 int = const 2
		%12 int = const 64
		%13 string = opaque "strconv".FormatFloat %1, %10, %11, %12
		return %3, %4, %6, %7, %9, %13
	}`, 3.5)
	expect(t, "(1+2i)", `func F(%1:z complex128) (complex128) {
		%2 complex128 = opaque "math/cmplx".Sqrt %1
		return %2
	}`, -3+4i)
	expect(t, "panic: strings: negative Repeat count", `func F(%1:n int) (string) {
		%2 string = const "x"
		%3 string = opaque "strings".Repeat %2, %1
		return %3
	}`, -1)
	expect(t, "[1 2 3] [3 2 1] 3 1 [3 2 1 0]", `func F(%1:x []float64) ([]float64, []float64, float64, int, []float64) {
		%2 []float64 = opaque "slices".Clone %1
		%3 float64 = const 2
		%4 int = opaque "slices".Index %1, %3
		opaque "slices".Sort %2
		%5 float64 = opaque "slices".Max %1
		%6 []float64 = opaque "slices".Clone %2
		opaque "slices".Reverse %6
		%7 float64 = const 0
		%8 []float64 = append %6, %7
		return %2, %6, %5, %4, %8
	}`, []float64{3, 2, 1})
	// sort.Float64s writes into the memory of the program.
	expect(t, "[1 9 9 8]", `func F(%1:x []float64) ([]float64) {
		%2 int = const 1
		%3 int = const 3
		%4 []float64 = slice %1, %2, %3, _
		opaque "sort".Float64s %4
		return %1
	}`, []float64{1, 9, 9, 8})
	expect(t, "HELLO [a b]", `func F(%1:s string) (string, []string) {
		%2 func(int32) int32 = closure @Upper
		%3 string = opaque "strings".Map %2, %1
		%4 string = const "a,b"
		%5 string = const ","
		%6 []string = opaque "strings".Split %4, %5
		return %3, %6
	}
	func Upper(%1:r int32) (int32) {
		%2 int32 = const 32
		%3 int32 = bin - %1, %2
		return %3
	}`, "hello")
}

func TestErrors(t *testing.T) {
	const text = `func F(%1:e MyErr) (string, bool, bool, bool, error) {
		%2 string = const "plain"
		%3 error = opaque "errors".New %2
		%4 error = opaque "errors".New %2
		%5 error = makeiface %1
		%6 string = const "wrap: %w"
		%7 any = makeiface %5
		%8 int = const 1
		%9 []any = makeslice %8, _
		%10 int = const 0
		store [] %9, %10, %7
		%11 error = opaque "fmt".Errorf %6, %9
		%12 string = opaque Error %11
		%13 bool = opaque "errors".Is %11, %5
		%14 bool = opaque "errors".Is %11, %3
		%15 bool = cmp == %3, %4
		%16 bool = typeis (MyErr) %11
		return %12, %13, %14, %15, %11
	}
	func MyErr.Error(%1:e MyErr) (string) {
		%2 string = const "mine"
		return %2
	}`
	expect(t, "wrap: mine true false false wrap: mine", text, []any{3})
	mod := newModule(t)
	f := parse(t, mod, "func F() (error, bool) {\n%1 *error = global \"io\".EOF\n%2 error = load * %1\n%3 *error = global \"io\".EOF\n%4 error = load * %3\n%5 bool = cmp == %2, %4\nreturn %2, %5\n}")[0]
	r, err := interp.New(mod).Call(f)
	if got := show(f, r, err); got != "EOF true" {
		t.Errorf("got %s", got)
	}
	// The value of a panic is the error itself.
	f = parse(t, mod, "func F2(%1 error) {\n%2 any = makeiface %1\npanic %2\nunreachable\n}")[0]
	boom := errors.New("boom")
	if _, err := interp.New(mod).Call(f, convert(t, f, []any{boom})...); !errors.Is(err, boom) {
		t.Errorf("got %v", err)
	}
}

func TestUnwrap(t *testing.T) {
	expect(t, "true false", `func F(%1:w Wrapper, %2:other error) (bool, bool) {
		%3 error = makeiface %1
		%4 error = extract .0 %1
		%5 bool = opaque "errors".Is %3, %4
		%6 bool = opaque "errors".Is %3, %2
		return %5, %6
	}
	func Wrapper.Error(%1:w Wrapper) (string) {
		%2 string = const "wrapped"
		return %2
	}
	func Wrapper.Unwrap(%1:w Wrapper) (error) {
		%2 error = extract .0 %1
		return %2
	}`, []any{errors.New("a")}, errors.New("b"))
}

func TestFormatting(t *testing.T) {
	mod := newModule(t)
	f := parse(t, mod, `func F(%1:w *strings.Builder, %2:a any, %3:b any, %4:p Point) (string, string, int) {
		%5 string = const "%v|%5.2f|%s|%v"
		%6 int = const 4
		%7 []any = makeslice %6, _
		%8 int = const 0
		store [] %7, %8, %2
		%9 int = const 1
		store [] %7, %9, %3
		%10 any = makeiface %4
		%11 int = const 2
		store [] %7, %11, %10
		%12 int = const 3
		%13 Square = zero
		%14 any = makeiface %13
		store [] %7, %12, %14
		%15 string = opaque "fmt".Sprintf %5, %7
		%16 io.Writer = makeiface %1
		%17 int, %18 error = opaque "fmt".Fprintf %16, %5, %7
		%19 int, %20 error = opaque "fmt".Println %7
		%21 string = opaque "strings".(*Builder).String %1
		%22 io.Writer = zero
		%23 int, %24 error = opaque "fmt".Fprintf %22, %5, %7
		%25 string = const "method"
		%26 int, %27 error = opaque "strings".(*Builder).WriteString %1, %25
		%28 string = opaque "strings".(*Builder).String %1
		return %15, %28, %17
	}
	func Point.String(%1:p Point) (string) {
		%2 string = const "a point"
		return %2
	}`)[0]
	var out strings.Builder
	m := interp.New(mod)
	m.Stdout = &out
	b := new(strings.Builder)
	r, err := m.Call(f, convert(t, f, []any{b, []float64{1, 2}, 2.5, []any{1, 2}})...)
	want := "[1 2]| 2.50|a point|{0}"
	if got := show(f, r, err); got != want+" "+want+"method "+fmt.Sprint(len(want)) {
		t.Errorf("got %s", got)
	}
	if got := out.String(); got != "[1 2] 2.5 a point {0}\n" {
		t.Errorf("printed %q", got)
	}
	if got := b.String(); got != want+"method" {
		t.Errorf("wrote %q", got)
	}
}

func TestTimeRandSync(t *testing.T) {
	expect(t, "false true 1 3", `func F(%1:l *Loop) (bool, bool, int32, int32) {
		%2 *sync.Mutex = addr .0 %1
		opaque "sync".(*Mutex).Lock %2
		%3 time.Time = opaque "time".Now
		store .2 %1, %3
		%4 time.Time = load .2 %1
		%5 time.Duration = opaque "time".(Time).Sub %4, %3
		%6 float64 = opaque "time".(Duration).Seconds %5
		%7 float64 = const 0
		%8 bool = cmp == %6, %7
		%9 bool = opaque "time".(Time).IsZero %4
		opaque "sync".(*Mutex).Unlock %2
		%10 *sync.Once = addr .1 %1
		%11 func() = closure @Inc %1
		opaque "sync".(*Once).Do %10, %11
		opaque "sync".(*Once).Do %10, %11
		%12 int32 = load .3 %1
		%13 *int32 = addr .3 %1
		%14 int32 = const 2
		%15 int32 = opaque "sync/atomic".AddInt32 %13, %14
		return %9, %8, %12, %15
	}
	func Inc(%1:l *Loop) {
		%2 int32 = const 1
		accum .3 %1, %2
		return
	}`, map[string]any{})
	r := rand.New(rand.NewSource(42))
	r.Float64()
	expect(t, fmt.Sprint(r.Float64()), `func F(%1:seed int64) (float64) {
		%2 math/rand.Source = opaque "math/rand".NewSource %1
		%3 *math/rand.Rand = opaque "math/rand".New %2
		%4 float64 = opaque "math/rand".(*Rand).Float64 %3
		%5 float64 = opaque "math/rand".(*Rand).Float64 %3
		return %5
	}`, 42)
}

func TestSortCallbacks(t *testing.T) {
	expect(t, "[{1 9} {2 8} {3 7}] [{3 7} {2 8} {1 9}]", `func F(%1:p []Point, %2:q ByX) (ByX, []Point) {
		%3 any = makeiface %1
		%4 func(int, int) bool = closure @Greater %1
		opaque "sort".Slice %3, %4
		%5 sort.Interface = makeiface %2
		opaque "sort".Sort %5
		return %2, %1
	}
	func Greater(%1:p []Point, %2:i int, %3:j int) (bool) {
		%4 float64 = load [].0 %1, %2
		%5 float64 = load [].0 %1, %3
		%6 bool = cmp > %4, %5
		return %6
	}
	func ByX.Len(%1:b ByX) (int) {
		%2 int = len %1
		return %2
	}
	func ByX.Less(%1:b ByX, %2:i int, %3:j int) (bool) {
		%4 float64 = load [].0 %1, %2
		%5 float64 = load [].0 %1, %3
		%6 bool = cmp < %4, %5
		return %6
	}
	func ByX.Swap(%1:b ByX, %2:i int, %3:j int) {
		%4 Point = load [] %1, %2
		%5 Point = load [] %1, %3
		store [] %1, %2, %5
		store [] %1, %3, %4
		return
	}`, []any{[]any{2, 8}, []any{3, 7}, []any{1, 9}}, []any{[]any{2, 8}, []any{3, 7}, []any{1, 9}})
	// A panic inside a callback comes through.
	expect(t, "panic: runtime error: index out of range [5] with length 1", `func F(%1:s []int) (string) {
		%2 func(int32) int32 = closure @Bad %1
		%3 string = const "x"
		%4 string = opaque "strings".Map %2, %3
		return %4
	}
	func Bad(%1:s []int, %2:r int32) (int32) {
		%3 int = const 5
		%4 int = load [] %1, %3
		return %2
	}`, []int{1})
}
