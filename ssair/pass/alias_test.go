package pass_test

import (
	"go/types"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// variable returns the value of f that stands for a variable.
func variable(t *testing.T, f *ssair.Func, name string) *ssair.Value {
	t.Helper()
	for _, p := range f.Params {
		if p.Name() == name {
			return p
		}
	}
	var found *ssair.Value
	f.Body.Walk(func(o *ssair.Op) bool {
		for _, v := range o.Results {
			if v.Name() == name {
				found = v
			}
		}
		return true
	})
	if found == nil {
		t.Fatalf("no variable %s in\n%s", name, f)
	}
	return found
}

// TestPointsTo holds what the variable r of a function may point to.
func TestPointsTo(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"a parameter", "%6:r []float64 = slice %1, %3, _, _", "p"},
		{"a choice", "%6:r []float64 = if %4 {\nthen:\nyield %1\nelse:\nyield %2\n}", "p q"},
		{"new memory", "%6:r []float64 = makeslice %3, _", "makeslice"},
		{"an append", "%7 float64 = const 1\n%6:r []float64 = append %1, %7", "append p"},
		{"an element of a parameter", "%6:r *Node = load .1 %5", "n (deep)"},
		{"an element of an element", "%7 *Node = load .1 %5\n%6:r *Node = load .1 %7", "n (deep)"},
		{"what was stored", "%7 **Node = alloc (*Node)\nstore * %7, %5\n%6:r *Node = load * %7", "n"},
		{"what an append holds", "%7 []*Node = zero\n%8 []*Node = append %7, %5\n%6:r *Node = load [] %8, %3", "n"},
		{"a package variable", "%7 *[]float64 = global \"demo\".S\n%6:r []float64 = load * %7", "S"},
		{"nil", "%6:r []float64 = zero", ""},
		{"a box", "%7 any = makeiface %1\n%6:r []float64 = typeassert ([]float64) %7", "p"},
		{"a loop", "%6:r *Node = loop while %5 {\ncond(%7 *Node):\nyield %4\nbody(%8 *Node):\n%9 *Node = load .1 %8\nyield %9\npost(%10 *Node):\nyield %10\n}", "n n (deep)"},
		{"a part of a struct", "%7 struct{A []float64; B []float64} = build %1, %2\n%6:r []float64 = extract .0 %7", "p q"},
	} {
		f := parse(t, "func F(%1:p []float64, %2:q []float64, %3:i int, %4:c bool, %5:n *Node) {\n"+c.body+"\nreturn\n}")
		al := pass.FindAliases(f)
		var got []string
		for r := range al.Pts(variable(t, f, "r")) {
			got = append(got, r.String())
		}
		slices.Sort(got)
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: r points to %q, want %q", c.name, s, c.want)
		}
	}
}

// elem returns the type of what a reference refers to.
func elem(v *ssair.Value) types.Type {
	if t := ssair.Deref(v.Type); t != nil {
		return t
	}
	return ssair.ElemType(v.Type)
}

// TestMayAlias holds pairs of references and what they may share.
func TestMayAlias(t *testing.T) {
	f := parse(t, `func F(%1:p []float64, %2:q []float64, %3:n int, %4:k []int, %5:dp []float64, %6:node *Node) {
		%7:a []float64 = makeslice %3, _
		%8:b []float64 = makeslice %3, _
		%9:c []float64 = slice %7, %3, _, _
		%10:z []float64 = zero
		%11:s *Point = alloc (Point)
		%12:sx *float64 = addr .0 %11
		%13:g *float64 = global "demo".G
		%14:h *float64 = global "demo".H
		return
	}`)
	f.Params[4].Space = 1
	al := pass.FindAliases(f)
	for _, c := range []struct {
		x, y string
		want bool
	}{
		{"p", "q", true}, // the caller may pass one slice twice
		{"p", "p", true},
		{"p", "k", false}, // floats and ints
		{"p", "dp", false},
		{"dp", "dp", true},
		{"p", "a", false},
		{"a", "b", false},
		{"a", "c", true},
		{"a", "z", false}, // nil
		{"s", "sx", true},
		{"p", "node", true}, // an element may be the field of a node
		{"p", "g", true},
		{"g", "h", false},
		{"dp", "g", false},
	} {
		x, y := variable(t, f, c.x), variable(t, f, c.y)
		if got := al.MayAlias(x, elem(x), y, elem(y)); got != c.want {
			t.Errorf("%s and %s: got %v, want %v", c.x, c.y, got, c.want)
		}
		if got := al.MayAlias(y, elem(y), x, elem(x)); got != c.want {
			t.Errorf("%s and %s: got %v, want %v", c.y, c.x, got, c.want)
		}
	}
}

// TestApart holds pairs of loads, the first and the last of a function.
func TestApart(t *testing.T) {
	const params = "func F(%1:i int, %2:j int, %3:p []float64, %4:q []float64, %5:s []Seg, %6:a *[4]float64, %7:t *Seg, %8:pp *Point) {\n"
	for _, c := range []struct {
		name, ops string
		want      bool
	}{
		{"one element", "%10 float64 = load [] %3, %1\n%11 float64 = load [] %3, %1", false},
		{"elements of two variables", "%10 float64 = load [] %3, %1\n%11 float64 = load [] %3, %2", false},
		{"the next element", "%10 float64 = load [] %3, %1\n%12 int = const 1\n%13 int = bin + %1, %12\n%11 float64 = load [] %3, %13", true},
		{"the next element of another slice", "%10 float64 = load [] %3, %1\n%12 int = const 1\n%13 int = bin + %1, %12\n%11 float64 = load [] %4, %13", false},
		{"one element, spelled twice", "%12 int = const 1\n%14 int = bin - %1, %12\n%10 float64 = load [] %3, %14\n%13 int = const -1\n%15 int = bin + %1, %13\n%11 float64 = load [] %3, %15", false},
		{"two constants in an array", "%12 int = const 1\n%10 float64 = load [] %6, %12\n%13 int = const 2\n%11 float64 = load [] %6, %13", true},
		{"two fields", "%10 float64 = load [].0.0 %5, %1\n%11 float64 = load [].1.0 %5, %1", true},
		{"two fields of any two elements", "%10 float64 = load [].0.0 %5, %1\n%11 float64 = load [].0.1 %5, %2", true},
		{"a field and the whole", "%10 Point = load [].0 %5, %1\n%11 float64 = load [].0.1 %5, %1", false},
		{"two fields of any two objects", "%10 Point = load .0 %7\n%11 Point = load [].1 %5, %1", true},
		{"a point and the point of a segment", "%10 float64 = load .0 %8\n%11 float64 = load .0.1 %7", false},
	} {
		f := parse(t, params+c.ops+"\nreturn\n}")
		ops := f.Body.Ops
		var loads []*ssair.Op
		for _, o := range ops {
			if o.Kind == ssair.Load {
				loads = append(loads, o)
			}
		}
		if got := pass.Apart(loads[0], loads[1]); got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

// TestWritten holds which parameters of F are written through, which get new
// references to numbers, and which are changed in what a load of q[i] reads.
func TestWritten(t *testing.T) {
	const callee = "func Set(%1:p []float64, %2:x float64) {\n%3 int = const 0\nstore [] %1, %3, %2\nreturn\n}\n" +
		"func Again(%1:p []float64, %2:q []float64, %3:x float64) {\ncall @Set %1, %3\ncall @Again %2, %1, %3\nreturn\n}\n"
	const params = "func F(%1:p []float64, %2:q []float64, %3:i int, %4:x float64, %5:n *Node, %6:k []int, %7:m map[string]float64, %8:rows [][]float64, %9:key string) {\n"
	for _, c := range []struct{ name, body, written, relinked, changed string }{
		{"nothing", "%10 float64 = load [] %1, %3", "", "", ""},
		{"a store", "store [] %1, %3, %4", "p", "", "p"},
		{"an accumulation", "accum [] %1, %3, %4", "p", "", "p"},
		{"a part of a parameter", "%10 []float64 = slice %1, %3, _, _\nclear %10", "p", "", "p"},
		{"a store of an int", "store [] %6, %3, %3", "k", "", ""},
		{"a copy writes its first operand", "%10 int = copy %1, %2", "p", "", "p"},
		{"an append may", "%10 []float64 = append %1, %4", "p", "", "p"},
		{"a map", "mapset %7, %9, %4", "m", "", ""},
		{"a field of a node", "store .0 %5, %4", "n", "", "n"},
		{"a node behind it", "%10 *Node = load .1 %5\nstore .0 %10, %4", "n", "", "n"},
		{"the link of a node", "store .1 %5, %5", "n", "n", ""},
		{"a row", "store [] %8, %3, %1", "rows", "rows", ""},
		{"new memory", "%10 []float64 = makeslice %3, _\nstore [] %10, %3, %4", "", "", ""},
		{"a call", "call @Set %2, %4", "q", "", "q"},
		{"calls in turn", "call @Again %1, %2, %4", "p q", "", "p q"},
	} {
		fs := parseAll(t, callee+params+c.body+"\n%30 float64 = load [] %2, %3\nreturn\n}")
		f := fs[len(fs)-1]
		read := f.Body.Ops[len(f.Body.Ops)-2]
		for _, w := range []struct {
			what string
			got  map[int]bool
			want string
		}{{"written", pass.Written(f), c.written}, {"relinked", pass.Relinked(f), c.relinked}, {"changed", pass.Changed(f, read), c.changed}} {
			var names []string
			for _, i := range slices.Sorted(maps.Keys(w.got)) {
				names = append(names, f.Params[i].Name())
			}
			if s := strings.Join(names, " "); s != w.want {
				t.Errorf("%s: %s %q, want %q", c.name, w.what, s, w.want)
			}
		}
	}
}
