package rt_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/quabla/quabla/rt"
)

// TestFaults compares the values with those of the expressions that they stand for.
func TestFaults(t *testing.T) {
	x := make([]float64, 3, 5)
	s := "abc"
	a := new([3]float64)
	var p *struct{ a, b float64 }
	var m map[string]float64
	one, zero, two, six, neg := 1, 0, 2, 6, -1
	for _, c := range []struct {
		name string
		got  any
		f    func()
	}{
		{"index", rt.IndexFault(six, 3), func() { _ = x[six] }},
		{"negative index", rt.IndexFault(neg, 3), func() { _ = x[neg] }},
		{"slice, high", rt.SliceFault(3, 5, 0, six), func() { _ = x[:six] }},
		{"slice, crossed", rt.SliceFault(3, 5, two, one), func() { _ = x[two:one] }},
		{"slice, low", rt.SliceFault(3, 5, six, 3), func() { _ = x[six:] }},
		{"slice, negative", rt.SliceFault(3, 5, neg, 3), func() { _ = x[neg:] }},
		{"slice, most", rt.SliceFault3(5, 0, two, six), func() { _ = x[0:two:six] }},
		{"slice, below most", rt.SliceFault3(5, 0, two, one), func() { _ = x[0:two:one] }},
		{"slice, crossed below most", rt.SliceFault3(5, two, one, 3), func() { _ = x[two:one:3] }},
		{"string", rt.StringFault(s, 0, six), func() { _ = s[:six] }},
		{"array", rt.ArrayFault(3, 0, six), func() { _ = a[:six] }},
		{"array, crossed", rt.ArrayFault(3, two, one), func() { _ = a[two:one] }},
		{"nil pointer", rt.NilFault(), func() { _ = p.b }},
		{"nil map", rt.MapFault(), func() { m["a"] = 1 }},
		{"division", rt.DivideFault(), func() { _ = one / zero }},
		{"shift", rt.ShiftFault(), func() { _ = one << neg }},
		{"make", rt.MakeFault(neg, neg), func() { _ = make([]float64, neg) }},
		{"make with room", rt.MakeFault(two, one), func() { _ = make([]float64, two, one) }},
		{"nil", rt.NilPanic(), func() { panic(nil) }},
	} {
		want := rt.Fault(c.f)
		if want == nil || c.got == nil {
			t.Fatalf("%s: got %v, want %v", c.name, c.got, want)
		}
		if fmt.Sprintf("%T %v", c.got, c.got) != fmt.Sprintf("%T %v", want, want) {
			t.Errorf("%s: got %v (%T), want %v (%T)", c.name, c.got, c.got, want, want)
		}
		if _, ok := c.got.(runtime.Error); !ok {
			t.Errorf("%s: got a %T", c.name, c.got)
		}
	}
}
