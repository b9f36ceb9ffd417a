package interp_test

import (
	"errors"
	"fmt"
	"go/types"
	"runtime"
	"strings"
	"testing"

	"github.com/quabla/quabla/ssair/interp"
)

// collatz counts the steps to 1, gives up after 1000, and keeps the largest
// number on the way. The carried values are swapped on the way round.
const collatz = `func Collatz(%1:n int) (steps int, top int) {
	%2 int = const 0
	%3 int = const 1
	%4 int = const 2
	%5 int = const 3
	%6 int = const 1000
	%7:n int, %8:steps int, %9:top int = loop while break %1, %2, %1 {
	cond(%10:n int, %11:steps int, %12:top int):
		%13 bool = cmp != %10, %3
		yield %13
	body(%14:n int, %15:steps int, %16:top int):
		%17 int = bin % %14, %4
		%18 bool = cmp == %17, %2
		%19:n int = if %18 {
		then:
			%20 int = bin / %14, %4
			yield %20
		else:
			%21 int = bin * %14, %5
			%22 int = bin + %21, %3
			yield %22
		}
		%23 int = bin + %15, %3
		%24 int = apply max %16, %19
		%25 bool = cmp < %23, %6
		yield %25, %19, %23, %24
	post(%26:n int, %27:steps int, %28:top int):
		yield %26, %27, %28
	}
	return %8, %9
}`

func goCollatz(n int) (steps, top int) {
	top = n
	for n != 1 {
		if n%2 == 0 {
			n /= 2
		} else {
			n = 3*n + 1
		}
		steps++
		top = max(top, n)
		if steps >= 1000 {
			break
		}
	}
	return steps, top
}

func TestLoop(t *testing.T) {
	run := compiled(t, newModule(t), collatz)
	for _, n := range []int{1, 2, 7, 27, 97, 871, -5, 0} {
		steps, top := goCollatz(n)
		if got, want := run(n), fmt.Sprint(steps, top); got != want {
			t.Errorf("%d: got %s, want %s", n, got, want)
		}
	}
}

// TestSwap yields the carried values in another order, from the body and from
// the post region.
func TestSwap(t *testing.T) {
	run := compiled(t, newModule(t), `func F(%1:n int, %2 int, %3 int, %4 int) (int, int, int) {
		%5 int = const 0
		%6 int, %7 int, %8 int, %9 int = loop while %5, %2, %3, %4 {
		cond(%10 int, %11 int, %12 int, %13 int):
			%14 bool = cmp < %10, %1
			yield %14
		body(%15 int, %16 int, %17 int, %18 int):
			yield %15, %17, %18, %16
		post(%19 int, %20 int, %21 int, %22 int):
			%23 int = const 1
			%24 int = bin + %19, %23
			yield %24, %21, %20, %22
		}
		return %7, %8, %9
	}`)
	a, b, c := 1, 2, 3
	for n := range 7 {
		if got, want := run(n, 1, 2, 3), fmt.Sprint(a, b, c); got != want {
			t.Errorf("%d: got %s, want %s", n, got, want)
		}
		a, b, c = b, c, a
		a, b = b, a
	}
}

func TestBreakSkipsPost(t *testing.T) {
	expect(t, "4 3", `func F() (int, int) {
		%1 int = const 0
		%2 int = const 1
		%3 int = const 4
		%4:i int, %5:n int = loop while break %2, %1 {
		cond(%6:i int, %7:n int):
			%8 bool = const true
			yield %8
		body(%9:i int, %10:n int):
			%11 bool = cmp < %9, %3
			%12 int = if %11 {
			then:
				%13 int = bin + %10, %2
				yield %13
			else:
				yield %10
			}
			yield %11, %9, %12
		post(%14:i int, %15:n int):
			%16 int = bin + %14, %2
			yield %16, %15
		}
		return %4, %5
	}`)
}

const mutual = `func Even(%1:n int) (bool, int) {
	%2 int = const 0
	%3 bool = cmp == %1, %2
	%4 bool, %5 int = if %3 {
	then:
		%6 bool = const true
		yield %6, %2
	else:
		%7 int = const 1
		%8 int = bin - %1, %7
		%9 bool, %10 int = call @Odd %8
		%11 int = bin + %10, %1
		yield %9, %11
	}
	return %4, %5
}
func Odd(%1:n int) (bool, int) {
	%2 int = const 0
	%3 bool = cmp == %1, %2
	%4 bool, %5 int = if %3 {
	then:
		%6 bool = const false
		yield %6, %2
	else:
		%7 int = const 1
		%8 int = bin - %1, %7
		%9 bool, %10 int = call @Even %8
		%11 int = bin + %10, %1
		yield %9, %11
	}
	return %4, %5
}`

func TestRecursion(t *testing.T) {
	expect(t, "true 55", mutual, 10)
	expect(t, "false 66", mutual, 11)
	expect(t, "true 200010000", mutual, 20000)
	expect(t, "Odd: interp: more than 100000 nested calls", mutual, 100001)
}

func TestLimits(t *testing.T) {
	const endless = `func F() {
		loop while {
		cond:
			%1 bool = const true
			yield %1
		body:
			%2 int = const 1000
			%3 []float64 = makeslice %2, _
			yield
		post:
			yield
		}
		return
	}`
	mod := newModule(t)
	f := parse(t, mod, endless)[0]
	m := interp.New(mod)
	m.MaxSteps, m.MaxCells = 1000, 1<<40
	_, err := m.Call(f)
	var limit *interp.LimitError
	if !errors.As(err, &limit) || err.Error() != "F: interp: more than 1000 steps" {
		t.Errorf("got %v", err)
	}
	m = interp.New(mod)
	m.MaxCells = 1e6
	if _, err = m.Call(f); !errors.As(err, &limit) || err.Error() != "F: interp: more than 1000000 cells of memory" {
		t.Errorf("got %v", err)
	}
	if m.Steps() < 5000 || m.Steps() > 7000 {
		t.Errorf("%d steps", m.Steps())
	}
	if _, err := m.Call(f, interp.Int(1)); err == nil || err.Error() != "interp: F takes 0 arguments, not 1" {
		t.Errorf("got %v", err)
	}
	expect(t, "panic: runtime error: makeslice: len out of range", "func F(%1 int) {\n%2 []float64 = makeslice %1, _\nreturn\n}", 1<<46)
	expect(t, "panic: runtime error: makeslice: len out of range", "func F(%1 int) {\n%2 []float64 = makeslice %1, %1\nreturn\n}", -1)
	expect(t, "F: interp: more than 134217728 cells of memory", "func F(%1 int) {\n%2 []float64 = makeslice %1, _\nreturn\n}", 1<<40)
}

func TestPanics(t *testing.T) {
	raise := func(typ, args string) string {
		return "func F(" + args + ") {\n%9 any = makeiface %1\npanic %9\nunreachable\n}"
	}
	expect(t, "panic: 7", raise("int", "%1 int"), 7)
	expect(t, "panic: 1.5", raise("float64", "%1 float64"), 1.5)
	expect(t, "panic: 3", raise("Celsius", "%1 Celsius"), 3)
	expect(t, "panic: {1 2}", raise("Point", "%1 Point"), []any{1, 2})
	expect(t, "panic: &{1 2}", raise("*Point", "%1 *Point"), []any{1, 2})
	expect(t, "panic: boom", raise("error", "%1 error"), errors.New("boom"))
	expect(t, "panic: "+new(runtime.PanicNilError).Error(), raise("any", "%1 any"), nil)
	expect(t, "panic: code 7", `func F(%1 MyErr) {
		%2 any = makeiface %1
		panic %2
		unreachable
	}
	func MyErr.Error(%1:e MyErr) (string) {
		%2 string = const "code "
		%3 int = extract .0 %1
		%4 int = const 48
		%5 int = bin + %3, %4
		%6 string = conv %5
		%7 string = bin + %2, %6
		return %7
	}`, []any{7})

	mod := newModule(t)
	f := parse(t, mod, "func F(%1 []int, %2 int) (int) {\n%3 int = load [] %1, %2\nreturn %3\n}")[0]
	f.Body.Ops[0].Pos = mod.Pkg.Scope().Lookup("Count").Pos()
	_, err := interp.New(mod).Call(f, convert(t, f, []any{[]int{1, 2}, 5})...)
	var p *interp.PanicError
	var re runtime.Error
	if !errors.As(err, &p) || !errors.As(err, &re) || p.Op != f.Body.Ops[0] {
		t.Fatalf("got %#v", err)
	}
	if want := "runtime error: index out of range [5] with length 2"; p.Text != want || re.Error() != want {
		t.Errorf("got %s, %v", p.Text, re)
	}
	if !strings.HasPrefix(err.Error(), "example.com/user:") || !strings.HasSuffix(err.Error(), ": panic: "+p.Text) {
		t.Errorf("got %v", err)
	}
}

// TestRuntimeErrors compares messages with Go's.
func TestRuntimeErrors(t *testing.T) {
	var nilMap map[string]int
	var nilPtr *line
	var nilArr *[3]int
	var nilFunc func()
	var empty any
	var stringer fmt.Stringer
	funcs := any([]int{})
	neg, big := -1, uint64(1<<63)
	s := []int{1, 2}
	for _, c := range []struct {
		text string
		args []any
		run  func() any
	}{
		{"func F(%1 []int, %2 int) {\n%3 int = load [] %1, %2\nreturn\n}", []any{s, neg}, func() any { return s[neg] }},
		{"func F(%1 []int, %2 uint64) {\n%3 int = load [] %1, %2\nreturn\n}", []any{s, big}, func() any { return s[big] }},
		{"func F(%1 string, %2 int) {\n%3 byte = strindex %1, %2\nreturn\n}", []any{"ab", 2}, func() any { return "ab"[len(s)] }},
		{"func F(%1 string, %2 int) {\n%3 string = slice %1, _, %2, _\nreturn\n}", []any{"a", 2}, func() any { return "a"[:len(s)] }},
		{"func F(%1 *[3]int, %2 int) {\n%3 []int = slice %1, %2, _, _\nreturn\n}", []any{[]any{1, 2, 3}, 4}, func() any { return new([3]int)[2*len(s):] }},
		{"func F(%1 *[3]int, %2 int) {\n%3 []int = slice %1, _, %2, _\nreturn\n}", []any{[]any{1, 2, 3}, 4}, func() any { return new([3]int)[:2*len(s)] }},
		{"func F(%1 *[3]int, %2 int) {\n%3 []int = slice %1, _, %2, %2\nreturn\n}", []any{[]any{1, 2, 3}, 4}, func() any { return new([3]int)[: 2*len(s) : 2*len(s)] }},
		{"func F(%1 *[3]int, %2 int) {\n%3 int = load [] %1, %2\nreturn\n}", []any{nil, 4}, func() any { return nilArr[len(s)] }},
		{"func F(%1 *[3]int) {\n%2 []int = slice %1, _, _, _\nreturn\n}", []any{nil}, func() any { return nilArr[:] }},
		{"func F(%1 *Line) {\n%2 *string = addr .2 %1\nreturn\n}", []any{nil}, func() any { p := &nilPtr.Name; return *p }},
		{"func F(%1 *Line) {\n%2 Line = load * %1\nreturn\n}", []any{nil}, func() any { return *nilPtr }},
		{"func F(%1 map[string]int, %2 string, %3 int) {\nmapset %1, %2, %3\nreturn\n}", []any{nil, "", 1}, func() any { nilMap[""] = 1; return "" }},
		{"func F(%1 func()) {\nopaque %1\nreturn\n}", []any{nil}, func() any { nilFunc(); return "" }},
		{"func F(%1 any) {\n%2 int = typeassert (int) %1\nreturn\n}", []any{nil}, func() any { return empty.(int) }},
		{"func F(%1 any) {\n%2 int = typeassert (int) %1\nreturn\n}", []any{[]string{"a"}}, func() any { return any([]string{"a"}).(int) }},
		{"func F(%1 any) {\n%2 map[string]*float64 = typeassert (map[string]*float64) %1\nreturn\n}", []any{2.5}, func() any { return any(2.5).(map[string]*float64) }},
		{"func F(%1 error) {\n%2 interface{String() string} = typeassert (interface{String() string}) %1\nreturn\n}", []any{nil}, func() any { return stringer.(interface{ String() string }) }},
		{"func F(%1 any, %2 any) {\n%3 bool = cmp == %1, %2\nreturn\n}", []any{[]int{}, []int{}}, func() any { return funcs == funcs }},
		{"func F(%1 map[any]int, %2 any) {\n%3 int = mapget %1, %2\nreturn\n}", []any{nil, []int{}}, func() any { return map[any]int(nil)[funcs] }},
		{"func F(%1 int, %2 int) {\n%3 int = bin >> %1, %2\nreturn\n}", []any{1, neg}, func() any { return 1 >> neg }},
		{"func F(%1 uint, %2 uint) {\n%3 uint = bin % %1, %2\nreturn\n}", []any{1, 0}, func() any { return 1 % (neg + 1) }},
	} {
		if got, want := evaluate(t, c.text, c.args...), outcome(c.run); got != want {
			t.Errorf("got  %s\nwant %s\nin %s", got, want, c.text)
		}
	}
	expect(t, "panic: interface conversion: interface {} is user.Point, not user.Line", `func F(%1 Point) {
		%2 any = makeiface %1
		%3 Line = typeassert (Line) %2
		return
	}`, []any{1, 2})
	expect(t, "panic: interface conversion: user.Point is not user.Shape: missing method Area", `func F(%1 Point) {
		%2 any = makeiface %1
		%3 Shape = typeassert (Shape) %2
		return
	}`, []any{1, 2})
	expect(t, "panic: runtime error: hash of unhashable type []user.Point", `func F(%1 []Point, %2 map[any]int, %3 int) {
		%4 any = makeiface %1
		mapset %2, %4, %3
		return
	}`, nil, map[any]int{}, 1)
}

func TestUnsupported(t *testing.T) {
	const text = `func F(%1:x float64) (float64) {
		%2 float64 = const 0
		%3 bool = cmp > %1, %2
		%4 float64 = if %3 {
		then:
			%5 float64 = opaque "example.com/user".Outside %1
			yield %5
		else:
			yield %1
		}
		return %4
	}`
	expect(t, "-1", text, -1) // no harm where it is not reached
	expect(t, "F: interp: not supported: a call of example.com/user.Outside, which has no body here", text, 1)

	mod := newModule(t)
	f := parse(t, mod, text)[0]
	m := interp.New(mod)
	m.Functions = map[string]func(*interp.Machine, []interp.Value) ([]interp.Value, error){
		"example.com/user.Outside": func(_ *interp.Machine, args []interp.Value) ([]interp.Value, error) {
			if x := args[0].Float(); x < 5 {
				return []interp.Value{interp.Float(10 * x)}, nil
			}
			return nil, errors.New("too large")
		},
	}
	if r, err := m.Call(f, interp.Float(2)); err != nil || r[0].Float() != 20 {
		t.Errorf("got %v, %v", r, err)
	}
	if _, err := m.Call(f, interp.Float(7)); err == nil || err.Error() != "too large" {
		t.Errorf("got %v", err)
	}
	f = parse(t, mod, "func Generic(%1:x T) (T) {\n%2 T = bin + %1, %1\nreturn %2\n}")[0]
	_, err := interp.New(mod).Call(f, interp.Float(1))
	if got := show(f, nil, err); got != "Generic: interp: not supported: the type parameter T, which has no type argument" {
		t.Errorf("got %s", got)
	}
	for typ, want := range map[string]float64{"float64": 0.2, "float32": float64(float32(0.2))} {
		m = interp.New(mod)
		m.TypeArgs = map[*types.TypeParam]types.Type{f.Params[0].Type.(*types.TypeParam): typeOf(t, mod, typ)}
		x := want / 2
		if r, err := m.Call(f, interp.Float(x)); err != nil || r[0].Float() != want {
			t.Errorf("%s: got %v, %v", typ, r, err)
		}
	}
}

// TestParallel runs one module on several machines at once.
func TestParallel(t *testing.T) {
	mod := newModule(t)
	even, f := parse(t, mod, mutual)[0], parse(t, mod, collatz)[0]
	for i := range 4 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			m := interp.New(mod)
			for n := range 200 {
				steps, top := goCollatz(n + 1)
				r, err := m.Call(f, interp.Int(int64(n+1)))
				if got, want := show(f, r, err), fmt.Sprint(steps, top); got != want {
					t.Errorf("got %s, want %s", got, want)
				}
				if r, err := m.Call(even, interp.Int(int64(n))); err != nil || r[0].Bool() != (n%2 == 0) {
					t.Errorf("got %v, %v", r, err)
				}
			}
		})
	}
}

func BenchmarkLoop(b *testing.B) {
	mod := newModule(b)
	f := parse(b, mod, collatz)[0]
	m := interp.New(mod)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := m.Call(f, interp.Int(97)); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(m.Steps()), "ns/step")
}

func BenchmarkCall(b *testing.B) {
	mod := newModule(b)
	f := parse(b, mod, mutual)[0]
	m := interp.New(mod)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := m.Call(f, interp.Int(100)); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(m.Steps()), "ns/step")
}
