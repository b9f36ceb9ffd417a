package ssair_test

import (
	"slices"
	"testing"

	"github.com/quabla/quabla/ssair"
)

func parseWhole(t *testing.T) *ssair.Func {
	t.Helper()
	f, err := ssair.ParseFunc(testModule(t), whole)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestWalk(t *testing.T) {
	f := parseWhole(t)
	var kinds []string
	f.Body.Walk(func(o *ssair.Op) bool {
		kinds = append(kinds, o.Kind.String())
		return o.Kind != ssair.Loop // what is nested in it is skipped
	})
	want := []string{"load", "addr", "store", "bin", "if", "yield", "unreachable", "loop", "call", "return"}
	if !slices.Equal(kinds, want) {
		t.Errorf("got %v, want %v", kinds, want)
	}
}

func TestUses(t *testing.T) {
	f := parseWhole(t)
	uses := ssair.UsesIn(f.Body)
	n := f.Params[1]
	var got []string
	for _, u := range uses[n] {
		got = append(got, u.Op.Kind.String())
		if u.Op.Args[u.Arg] != n {
			t.Errorf("operand %d of %v is another value", u.Arg, u.Op.Kind)
		}
	}
	if want := []string{"load", "addr", "loop", "cmp", "call"}; !slices.Equal(got, want) {
		t.Errorf("n is used by %v, want %v", got, want)
	}
}

// TestReplaceAll follows chains of replacements into nested regions.
func TestReplaceAll(t *testing.T) {
	f := parseWhole(t)
	x, y, z := op(f, ssair.Load).Result(), op(f, ssair.Bin).Result(), op(f, ssair.Call).Result()
	f.Body.ReplaceAll(map[*ssair.Value]*ssair.Value{y: z, z: x})
	if got := op(f, ssair.Yield).Args[0]; got != x {
		t.Errorf("the arm yields %%%d", got.ID)
	}
	if got := op(f, ssair.Return).Args[0]; got != x {
		t.Errorf("the function returns %%%d", got.ID)
	}
}

func TestContains(t *testing.T) {
	f := parseWhole(t)
	arm, body := op(f, ssair.If).Regions[0], op(f, ssair.Loop).BodyRegion()
	for _, c := range []struct {
		outer, inner *ssair.Region
		want         bool
	}{{f.Body, f.Body, true}, {f.Body, arm, true}, {arm, f.Body, false}, {arm, body, false}, {arm, nil, false}} {
		if got := c.outer.Contains(c.inner); got != c.want {
			t.Errorf("got %v, want %v", got, c.want)
		}
	}
	if f.Body.Depth() != 0 || arm.Depth() != 1 {
		t.Errorf("depths %d and %d", f.Body.Depth(), arm.Depth())
	}
}

// TestCloneFunc changes a copy and looks at what it was copied from.
func TestCloneFunc(t *testing.T) {
	f := parseWhole(t)
	before := f.String()
	g := f.CloneFunc("Whole")
	if err := g.Verify(); err != nil {
		t.Error(err)
	}
	if got := g.String(); got != before {
		t.Errorf("got\n%s\nwant\n%s", got, before)
	}
	op(g, ssair.Loop).Loop.Break = false
	op(g, ssair.Bin).Remove()
	op(g, ssair.Store).Args[1] = nil
	g.Results[0].Name = "s"
	if got := f.String(); got != before {
		t.Errorf("the original became\n%s", got)
	}
}

// TestBuilderBefore inserts in front of an op.
func TestBuilderBefore(t *testing.T) {
	f := parseWhole(t)
	b := ssair.NewBuilder(f.Body)
	b.Before = op(f, ssair.Bin)
	b.Safe, b.Loose = true, true
	first, second := b.Int(1), b.Int(2)
	i := slices.Index(f.Body.Ops, b.Before)
	if f.Body.Ops[i-2] != first.Def || f.Body.Ops[i-1] != second.Def {
		t.Errorf("not in order:\n%s", f)
	}
	if !first.Def.Safe || !first.Def.Loose || first.Def.Parent != f.Body {
		t.Error("the flags of the builder are not those of the op")
	}
}

// TestAddType makes the names of types different.
func TestAddType(t *testing.T) {
	m := testModule(t)
	for _, want := range []string{"tape", "tape2", "tape3"} {
		if got := m.AddType("tape", "is a tape", 0).Obj().Name(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if got := m.AddType("Point", "is none of the package", 0).Obj().Name(); got != "Point2" {
		t.Errorf("got %s, want Point2", got)
	}
}
