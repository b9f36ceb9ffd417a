package interp

import (
	"errors"
	"fmt"
	"go/types"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/quabla/quabla/ssair"
)

// TestTypeStrings compares the spelling of types with that of the runtime, on
// types that are made of Go types.
func TestTypeStrings(t *testing.T) {
	for _, x := range []any{
		1, int8(1), byte(1), rune(1), "s", 1i, complex64(1), []any{}, [3][]string{}, map[string]*int{}, func() {}, func(int, ...string) error { return nil },
		func(func(int) bool) (int, error) { return 0, nil }, []error{}, uintptr(0),
	} {
		rt := reflect.TypeOf(x)
		tt := typeFor(rt)
		if tt == nil {
			t.Errorf("no type for %v", rt)
			continue
		}
		if got := goTypeString(tt); got != rt.String() {
			t.Errorf("got %s, want %v", got, rt)
		}
		back, err := goType(newTypeTable(nil).of(tt))
		if rt.Kind() == reflect.Func {
			if err == nil {
				t.Errorf("%v has the Go type %v", rt, back)
			}
		} else if back != rt {
			t.Errorf("got %v, %v, want %v", back, err, rt)
		}
	}
	field := func(name string, typ types.Type, embedded bool) *types.Var {
		return types.NewField(0, nil, name, typ, embedded)
	}
	st := types.NewStruct([]*types.Var{field("A", ssair.Int, false), field("string", ssair.String, true)}, []string{"", "x"})
	if got, want := goTypeString(st), `struct { A int; string "x" }`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	it := types.NewInterfaceType([]*types.Func{types.NewFunc(0, nil, "M", types.NewSignatureType(nil, nil, nil, nil, nil, false))}, nil).Complete()
	if got, want := goTypeString(it), reflect.TypeFor[interface{ M() }]().String(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if typeFor(reflect.TypeFor[time.Time]()) != nil || typeFor(reflect.TypeFor[[]time.Time]()) != nil || typeFor(reflect.TypeFor[func(time.Time)]()) != nil {
		t.Error("a named Go type has a type")
	}
}

// TestMap compares random changes of a map with Go's map.
func TestMap(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	m, want := newMap(), map[int64]float64{}
	key := newTypeTable(nil).of(ssair.Int)
	for range 20000 {
		k := int64(r.IntN(200))
		if r.IntN(3) > 0 == (len(want) < 150) {
			x := r.Float64()
			m.set(uint64(k), Int(k), Float(x))
			want[k] = x
		} else {
			m.delete(uint64(k))
			delete(want, k)
		}
		if m.Len() != len(want) || len(m.order) > 2*len(want)+17 {
			t.Fatalf("length %d of %d, want %d", m.Len(), len(m.order), len(want))
		}
	}
	es := m.entries(key)
	for i, e := range es {
		if x, ok := want[e.key.Int()]; !ok || x != e.val.Float() || i > 0 && es[i-1].key.Int() >= e.key.Int() {
			t.Errorf("entry %d: %v", i, e)
		}
		if j, ok := m.index[e.key.n]; !ok || &m.order[j] != e {
			t.Errorf("entry %d is not found", i)
		}
	}
	if len(es) != len(want) {
		t.Errorf("%d entries, want %d", len(es), len(want))
	}
}

func TestCells(t *testing.T) {
	at := types.NewArray(ssair.Float64, 2)
	if got := Format(Zero(at), at); got != "[0 0]" {
		t.Errorf("got %s", got)
	}
	c := NewCell(at, Value{r: agg{Float(1), Float(2)}})
	v := Pointer(c)
	pt := types.NewPointer(at)
	w := Clone(v)
	SetLeaf(v, pt, 1, 5)
	if got := Format(v, pt) + Format(w, pt); got != "&[1 5]&[1 2]" {
		t.Errorf("got %s", got)
	}
	if Pointer(nil).Pointer() != nil || !Pointer(nil).IsNil() || Uint(3).Uint() != 3 || String("ab").Len() != 2 {
		t.Error("wrong accessors")
	}
	s := Value{r: c.kids}
	if s.Len() != 2 || s.Part(1).Pointer().Load(ssair.Float64).Float() != 5 || c.Load(at).Part(1).Float() != 5 || c.Load(at).Len() != 2 {
		t.Error("wrong parts")
	}
	defer func() {
		if recover() == nil {
			t.Error("a number has parts")
		}
	}()
	Int(1).Part(0)
}

func TestGoFunctions(t *testing.T) {
	m := New(&ssair.Module{})
	call := func(f any, args ...Value) string {
		v, err := FromGo(typeFor(reflect.TypeOf(f)), f)
		if err != nil {
			return err.Error()
		}
		r, err := m.CallClosure(v.Closure(), args...)
		if err != nil {
			return err.Error()
		}
		sig := typeFor(reflect.TypeOf(f)).(*types.Signature)
		s := ""
		for i, x := range r {
			s += Format(x, sig.Results().At(i).Type()) + " "
		}
		return s
	}
	ints := func(ns ...int64) Value {
		var cells []Cell
		for _, n := range ns {
			cells = append(cells, Cell{v: Int(n)})
		}
		return Value{r: cells[:len(cells):len(cells)]}
	}
	if got := call(func(x float64, s string) (float64, error) { return 2 * x, errors.New(s) }, Float(3), String("no")); got != "6 no " {
		t.Errorf("got %s", got)
	}
	if got := call(func(xs ...int) int { return len(xs) }, ints(1, 2, 3)); got != "3 " {
		t.Errorf("got %s", got)
	}
	if got := call(func() { panic("boom") }); got != "panic: boom" {
		t.Errorf("got %s", got)
	}
	if _, err := m.CallClosure(nil); err == nil || err.Error() != "panic: "+nilDereference {
		t.Errorf("got %v", err)
	}
	// What a Go function writes arrives in the memory of the program.
	c := NewCell(ssair.Int, Int(7))
	xs := ints(1, 2)
	m2 := newMap()
	m2.set(uint64(1), Int(1), Int(1))
	got := call(func(p *int, xs []int, m map[int]int, ys []*int) int {
		*p++
		xs[1] = *p
		*ys[0] *= 10
		return len(m)
	}, Pointer(c), xs, Value{r: m2}, Value{r: []Cell{{v: Pointer(c)}}})
	if got != "1 " || c.v.Int() != 80 || xs.cells()[1].v.Int() != 8 {
		t.Errorf("got %s, %d, %d", got, c.v.Int(), xs.cells()[1].v.Int())
	}
}

func TestHostValues(t *testing.T) {
	// A time in a cell is copied with the cell, and compares as in Go.
	now := time.Now()
	tt := &typ{t: ssair.Int, kind: kindHost, host: reflect.TypeFor[time.Time]()}
	c := new(Cell)
	initCell(c, tt)
	store(c, tt, Value{r: hostValue{reflect.ValueOf(now)}})
	d := Clone(Pointer(c)).Pointer()
	store(c, tt, tt.zero())
	if got := load(d, tt).r.(hostValue).v.Interface(); got != now {
		t.Errorf("got %v", got)
	}
	m := New(&ssair.Module{})
	if m.equal(nil, tt, load(c, tt), load(d, tt)) || !m.equal(nil, tt, load(c, tt), tt.zero()) {
		t.Error("wrong equality")
	}
	ptr := &typ{t: types.NewPointer(ssair.Int), kind: kindPtr, elem: tt}
	for _, c := range []struct {
		x    any
		t    *typ
		want bool
	}{
		{now, tt, true}, {&now, tt, false}, {&now, ptr, true}, {now, newTypeTable(nil).of(ssair.Int), false},
		{errors.New("x"), newTypeTable(nil).of(types.Universe.Lookup("error").Type()), true},
		{now, newTypeTable(nil).of(types.Universe.Lookup("error").Type()), false},
	} {
		if hostIs(c.x, c.t) != c.want {
			t.Errorf("%v is %v: want %v", c.x, c.t, c.want)
		}
	}
	if got := fmt.Sprintf("%d %v", opaqueText("a"), opaqueText("b")); got != "a b" {
		t.Errorf("got %s", got)
	}
}
