package interp_test

import (
	"bytes"
	"fmt"
	"go/types"
	"math"
	"strings"
	"testing"

	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/interp"
)

// value returns a Go value as a value of the type that typ denotes.
func value(t *testing.T, typ string, x any) (interp.Value, types.Type) {
	t.Helper()
	mod := newModule(t)
	tt := typeOf(t, mod, typ)
	v, err := interp.FromGo(tt, x)
	if err != nil {
		t.Fatal(err)
	}
	return v, tt
}

func TestFlatten(t *testing.T) {
	for _, c := range []struct {
		typ   string
		x     any
		want  []float64
		names string
	}{
		{"float64", 2.5, []float64{2.5}, "v"},
		{"int", 2, nil, ""},
		{"complex128", 1 + 2i, []float64{1, 2}, "Re v,Im v"},
		{"Line", []any{[]any{1, 2}, []any{3, 4}, "n"}, []float64{1, 2, 3, 4}, "v.From.X,v.From.Y,v.To.X,v.To.Y"},
		{"*Line", []any{[]any{1, 2}, []any{3, 4}, "n"}, []float64{1, 2, 3, 4}, "v.From.X,v.From.Y,v.To.X,v.To.Y"},
		{"[][2]float32", [][2]float32{{1, 2}, {3, 4}}, []float64{1, 2, 3, 4}, "v[0][0],v[0][1],v[1][0],v[1][1]"},
		{"map[string]Point", map[string]any{"b": []any{1, 2}, "a": []any{3, 4}}, []float64{3, 4, 1, 2}, "v[a].X,v[a].Y,v[b].X,v[b].Y"},
		{"map[int][]float64", map[int][]float64{7: {1}, -2: {2, 3}}, []float64{2, 3, 1}, "v[-2][0],v[-2][1],v[7][0]"},
		{"any", []float64{5, 6}, []float64{5, 6}, "v[0],v[1]"},
		{"*Tree", []any{1, []any{[]any{2, nil}, nil, []any{3, []any{}}}}, []float64{1, 2, 3}, "v.Val,v.Kids[0].Val,v.Kids[2].Val"},
		{"[]complex64", []complex64{1i}, []float64{0, 1}, "Re v[0],Im v[0]"},
		{"error", nil, nil, ""},
		{"func(float64) float64", math.Sin, nil, ""},
	} {
		v, tt := value(t, c.typ, c.x)
		if got := interp.Flatten(v, tt); fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: got %v, want %v", c.typ, got, c.want)
		}
		if got := strings.Join(interp.LeafNames("v", v, tt), ","); got != c.names {
			t.Errorf("%s: got %s, want %s", c.typ, got, c.names)
		}
		for i, x := range c.want {
			w := interp.Clone(v)
			w = interp.SetLeaf(w, tt, i, 100)
			w = interp.AddLeaf(w, tt, i, 11)
			want := append([]float64(nil), c.want...)
			want[i] = 111
			if got := interp.Flatten(w, tt); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s: got %v, want %v", c.typ, got, want)
			}
			if got := interp.Flatten(v, tt)[i]; got != x {
				t.Errorf("%s: leaf %d of the original is %v", c.typ, i, got)
			}
		}
		z := interp.ZeroLike(v, tt)
		if got := interp.Flatten(z, tt); fmt.Sprint(got) != fmt.Sprint(make([]float64, len(c.want))) && len(c.want) > 0 {
			t.Errorf("%s: got %v", c.typ, got)
		}
		if got := interp.Flatten(v, tt); fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: the original became %v", c.typ, got)
		}
		ts := []types.Type{tt, ssairFloat}
		vs := interp.SetLeaves([]interp.Value{interp.Clone(v), interp.Float(1)}, ts, append(append([]float64(nil), c.want...), 9))
		if got := interp.FlattenAll(vs, ts); fmt.Sprint(got) != fmt.Sprint(append(append([]float64(nil), c.want...), 9)) {
			t.Errorf("%s: got %v", c.typ, got)
		}
	}
}

var ssairFloat = types.Typ[types.Float64]

// sharing has two slices of one array, a pointer to an element, to a struct
// and to its field, a map and a cycle.
const sharing = `func Make(%1:n int) ([]float64, []float64, *float64, *Particle, *float64, map[string]*float64, []Self, *[2]float64, any, func() float64) {
	%2 []float64 = makeslice %1, %1
	%3 int = const 1
	%4 int = const 3
	%5 []float64 = slice %2, _, %4, _
	%6 []float64 = slice %2, %3, _, _
	%7 *float64 = addr [] %5, %4
	%8 *Particle = alloc (Particle)
	store .2 %8, %8
	%9 *float64 = addr .0[] %8, %3
	%10 map[string]*float64 = makemap
	%11 string = const "k"
	mapset %10, %11, %9
	%12 []Self = makeslice %3, _
	%13 int = const 0
	%14 Self = conv %12
	store [] %12, %13, %14
	%15 []float64 = slice %6, _, %4, %4
	%16 *[2]float64 = conv %15
	%17 any = makeiface %16
	%18 func() float64 = closure @Get %8
	return %5, %6, %7, %8, %9, %10, %12, %16, %17, %18
}
func Get(%1:p *Particle) (float64) {
	%2 int = const 1
	%3 float64 = load .0[] %1, %2
	return %3
}`

func TestCloneKeepsSharing(t *testing.T) {
	mod := newModule(t)
	text := strings.Replace(sharing, "addr [] %5, %4", "addr [] %2, %4", 1)
	f := parse(t, mod, text)[0]
	m := interp.New(mod)
	vs, err := m.Call(f, interp.Int(6))
	if err != nil {
		t.Fatal(err)
	}
	var ts []types.Type
	for _, r := range f.Results {
		ts = append(ts, r.Type)
	}
	check := func(what string, vs []interp.Value) {
		t.Helper()
		flat := func(i int) string { return fmt.Sprint(interp.Flatten(vs[i], ts[i])) }
		interp.SetLeaf(vs[2], ts[2], 0, 7) // element 3 of the array
		interp.SetLeaf(vs[4], ts[4], 0, 8) // Pos[1]
		interp.SetLeaf(vs[0], ts[0], 1, 9) // element 1
		if got := flat(0) + flat(1) + flat(3) + flat(5) + flat(7) + flat(8); got != "[0 9 0][9 0 7 0 0][0 8 0][8][9 0][9 0]" {
			t.Errorf("%s: got %s", what, got)
		}
		if got := fmt.Sprint(vs[0].Len(), vs[0].Cap(), vs[1].Len(), vs[1].Cap()); got != "3 6 5 5" {
			t.Errorf("%s: got lengths %s", what, got)
		}
		if p := vs[3].Pointer(); p.Load(ts[3].(*types.Pointer).Elem()).Part(2).Pointer() != p {
			t.Errorf("%s: the cycle is broken", what)
		}
		r, err := m.CallClosure(vs[9].Closure())
		if err != nil || r[0].Float() != 8 {
			t.Errorf("%s: the closure returns %v, %v", what, r, err)
		}
		// The element behind the length of the first slice is shared, too.
		app := parse(t, mod, "func App(%1 []float64, %2 float64) ([]float64) {\n%3 []float64 = append %1, %2\nreturn %3\n}")[0]
		if _, err := m.Call(app, vs[0], interp.Float(5)); err != nil {
			t.Fatal(err)
		}
		if got := flat(1); got != "[9 0 5 0 0]" {
			t.Errorf("%s: after append: %s", what, got)
		}
		mod.Funcs = mod.Funcs[:2]
	}
	clones := interp.CloneAll(vs...)
	zeros := interp.ZeroLikeAll(vs, ts)
	check("original", vs)
	for i, v := range clones {
		for _, x := range interp.Flatten(v, ts[i]) {
			if x != 0 {
				t.Errorf("clone %d: %v", i, x)
			}
		}
	}
	check("clone", clones)
	for i, v := range zeros {
		for _, x := range interp.Flatten(v, ts[i]) {
			if x != 0 {
				t.Errorf("zero %d: %v", i, x)
			}
		}
	}
	check("zero", zeros)
	again := interp.ZeroLikeAll(vs, ts)
	for _, i := range []int{0, 1, 3, 5, 8} {
		for _, x := range interp.Flatten(again[i], ts[i]) {
			if x != 0 {
				t.Errorf("zero %d: %v", i, x)
			}
		}
	}
	check("zero again", again)
}

func TestFromGoToGo(t *testing.T) {
	shared := []float64{1, 2, 3}
	ptr := &shared[0]
	for _, c := range []struct {
		typ  string
		x    any
		want string
	}{
		{"[]float64", shared, "[]float64 [1 2 3]"},
		{"[]float64", []any{1, 2.5, int8(3)}, "[]float64 [1 2.5 3]"},
		{"[2][]int", [2][]int{{1}, nil}, "[2][]int [[1] []]"},
		{"float32", 0.1, "float32 0.1"},
		{"Celsius", 3, "float64 3"},
		{"ID", 3, "int 3"},
		{"Point", map[string]any{"Y": 2}, "struct { X float64; Y float64 } {0 2}"},
		{"map[string]ID", map[string]int{"a": 1}, "map[string]int map[a:1]"},
		{"[]any", []any{1, "a", nil, 2.5}, "[]interface {} [1 a <nil> 2.5]"},
		{"any", nil, "<nil> <nil>"},
		{"error", nil, "<nil> <nil>"},
		{"time.Duration", 5, "time.Duration 5ns"},
		{"complex64", 2, "complex64 (2+0i)"},
		{"uint8", 200, "uint8 200"},
		{"string", "s", "string s"},
		{"[]float64", nil, "[]float64 []"},
	} {
		v, tt := value(t, c.typ, c.x)
		back, err := interp.ToGo(tt, v)
		if got := fmt.Sprintf("%T %v", back, back); err != nil || got != c.want {
			t.Errorf("%s: got %s, %v, want %s", c.typ, got, err, c.want)
		}
	}
	for _, c := range []struct {
		typ string
		x   any
	}{
		{"uint8", 256}, {"uint8", -1}, {"int", 1.5}, {"int", "1"}, {"float64", "x"}, {"[2]int", []int{1}}, {"Point", []any{1}},
		{"Point", map[string]any{"Z": 1}}, {"string", 1}, {"map[string]int", 3}, {"float64", nil}, {"int64", uint64(1 << 63)}, {"bool", 1},
	} {
		if v, err := interp.FromGo(typeOf(t, newModule(t), c.typ), c.x); err == nil {
			t.Errorf("%s(%v): got %v", c.typ, c.x, v)
		}
	}
	// What is one thing in Go stays one.
	v, tt := value(t, "struct{A []float64; B []float64; P *float64; Q *float64}", struct {
		A, B []float64
		P, Q *float64
	}{shared, shared[:2], ptr, ptr})
	interp.SetLeaf(v, tt, 1, 10)
	interp.SetLeaf(v, tt, 5, 20)
	if got := fmt.Sprint(interp.Flatten(v, tt)); got != "[1 10 3 1 10 20 20]" {
		t.Errorf("got %s", got)
	}
	if _, err := interp.ToGo(typeOf(t, newModule(t), "*Tree"), interp.Value{}); err == nil {
		t.Error("a recursive type has a Go type")
	}
}

func TestTrace(t *testing.T) {
	mod := newModule(t)
	f := parse(t, mod, `func F(%1:x float64) (y float64) {
		%2 float64 = const 1
		%3 bool = cmp > %1, %2
		%4:y float64 = if %3 {
		then:
			%5:y float64 = call @G %1
			yield %5
		else:
			yield %1
		}
		return %4
	}
	func G(%1:x float64) (float64) {
		%2 float64 = apply math.Sqrt %1
		%3 float64 = un - %2
		return %3
	}`)[0]
	var out bytes.Buffer
	m := interp.New(mod)
	m.Trace(&out)
	if _, err := m.Call(f, interp.Float(4)); err != nil {
		t.Fatal(err)
	}
	want := `F: %2 = 1   const
F: %3 = true   cmp > %1:x, %2
G: %2 = 2   apply math.Sqrt %1:x
G: %3 = -2   un - %2
  F: %5:y = -2   call @G %1:x
F: %4:y = -2   if %3
`
	if got := out.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	m = interp.New(mod)
	bad, err := m.FirstNonFinite(f, interp.Float(math.Inf(1)))
	if err != nil || bad == nil || bad.Op.Fn != "math.Sqrt" || !math.IsInf(bad.Value, 1) {
		t.Errorf("got %v, %v", bad, err)
	}
	if bad, err := interp.New(mod).FirstNonFinite(f, interp.Float(9)); bad != nil || err != nil {
		t.Errorf("got %v, %v", bad, err)
	}
}

func TestWatchSeesEveryOp(t *testing.T) {
	for _, c := range kindTests {
		mod := newModule(t)
		f := parse(t, mod, c.text)[0]
		m := interp.New(mod)
		seen := 0
		m.Watch = func(o *ssair.Op, results []interp.Value) {
			seen++
			for i, r := range results {
				interp.Format(r, o.Results[i].Type)
			}
		}
		r, err := m.Call(f, convert(t, f, c.args)...)
		if got := show(f, r, err); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
		if seen == 0 && err == nil {
			t.Error("nothing watched")
		}
	}
}
