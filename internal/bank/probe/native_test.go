package probe

import (
	"reflect"
	"strings"
	"testing"

	"github.com/quabla/quabla/internal/leaves"
)

type part struct {
	name string
	x    float64
	list []float64
	next *part
	dict map[string]float64
	any  any
	z    complex128
	grid [2][]float32
}

func demo() *part {
	p := &part{
		name: "n", x: 1, list: append(make([]float64, 0, 4), 2, 3), dict: map[string]float64{"b": 5, "a": 4},
		any: 6.0, z: complex(7, 8), grid: [2][]float32{{9}, {10, 11}},
	}
	p.next = p
	return p
}

func TestNativeLeaves(t *testing.T) {
	n := Native{}
	v := reflect.ValueOf(demo())
	if got := n.Leaves(v); !equal(got, []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}) {
		t.Error(got)
	}
	want := "p.x p.list[0] p.list[1] p.dict[a] p.dict[b] p.any Re p.z Im p.z p.grid[0][0] p.grid[1][0] p.grid[1][1]"
	if got := strings.Join(n.Names("p", v), " "); got != want {
		t.Error(got)
	}
	z := n.ZeroLike([]Val{v, v})
	a, b := z[0].(reflect.Value).Interface().(*part), z[1].(reflect.Value).Interface().(*part)
	if a != b || a.next != a || a == v.Interface() || a.name != "n" || cap(a.list) != 4 || a.grid[1] == nil {
		t.Error("the copy has another shape")
	}
	if got := n.Leaves(z[0]); !equal(got, make([]float64, 11)) {
		t.Error(got)
	}
	state := n.State(v)
	n.SetLeaves(z[0], []float64{11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1})
	if got := n.Leaves(z[0]); !equal(got, []float64{11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1}) {
		t.Error(got)
	}
	if n.State(v) != state {
		t.Error("the original has changed")
	}
	n.SetLeaves(z[0], n.Leaves(v))
	if got := n.State(z[0]); got != state {
		t.Errorf("%s\n%s", got, state)
	}
	// A value that is not a reference is not changed in place.
	x := reflect.ValueOf([2]float64{1, 2})
	y := n.SetLeaves(x, []float64{3, 4}).(reflect.Value)
	if x.Interface() != [2]float64{1, 2} || y.Interface() != [2]float64{3, 4} {
		t.Error(x, y)
	}
}

func TestNativeCalls(t *testing.T) {
	var r Registry
	r.Func("dest", func(d *[2]float64, x []float64) { d[0] = x[0]; panic("after " + "all") })
	r.Func("lanes", func(x []float64, xDot [][3]float64, z [3]complex128) float64 { return xDot[1][2] + imag(z[1]) })
	r.Args(func() float64 { return 1 }, func() []int { return nil })
	n := Native{&r}
	args, err := n.Args(0)
	if err != nil || len(args) != 2 {
		t.Fatal(args, err)
	}
	if _, err := n.Args(1); err == nil {
		t.Error("no error")
	}
	d, err := n.Fit("dest", 0, reflect.ValueOf([2]float64{}))
	if err != nil {
		t.Fatal(err)
	}
	x := reflect.ValueOf([]float64{5, 6})
	_, err = n.Call("dest", []Val{d, x})
	if p, ok := err.(*PanicError); !ok || p.Text != "after all" || !equal(n.Leaves(d), []float64{5, 0}) {
		t.Error(err, d)
	}
	if _, err := n.Fit("dest", 0, x); err == nil {
		t.Error("fits")
	}
	if _, err := n.Call("dest", []Val{x, x}); err == nil {
		t.Error("no error")
	}
	lanes := [][]float64{{1, 2}, {3, 4}, {5, 6}}
	xDot, err := n.Lanes("lanes", 1, x, lanes)
	if err != nil {
		t.Fatal(err)
	}
	z, err := n.Lanes("lanes", 2, reflect.ValueOf(complex(0, 0)), lanes)
	if err != nil {
		t.Fatal(err)
	}
	out, err := n.Call("lanes", []Val{x, xDot, z})
	if err != nil || !equal(n.Leaves(out[0]), []float64{6 + 4}) {
		t.Error(out, err)
	}
	order := leaves.LaneOrder(n.Names("", z), 3)
	if got := pick(n.Leaves(z), order); !equal(got, []float64{1, 3, 5, 2, 4, 6}) {
		t.Error(got)
	}
	if got := pick(n.Leaves(xDot), leaves.LaneOrder(n.Names("", xDot), 3)); !equal(got, []float64{1, 3, 5, 2, 4, 6}) {
		t.Error(got)
	}
}
