package pass_test

import (
	"go/types"
	"testing"

	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// TestShrinkRecords holds which fields of a record with three floats stay.
func TestShrinkRecords(t *testing.T) {
	for _, c := range []struct {
		name, body, want string
		lanes            bool
	}{
		{"a field that is only written", `
			store [].0 %1, %2, %3
			store [].1 %1, %2, %3
			store [].2 %1, %2, %3
			%4 float64 = load [].0 %1, %2
			%5 float64 = load [].2 %1, %2`, "a c", false},
		{"a field that is added to", `
			accum [].1 %1, %2, %3
			%4 float64 = load [].0 %1, %2`, "a b", false},
		{"a field whose address is taken", `
			%4 *float64 = addr [].2 %1, %2
			%5 float64 = load [].0 %1, %2`, "a c", false},
		{"a record that is built", `
			%4 rec = build %3, %3, %3
			%5 float64 = extract .1 %4`, "b", false},
		{"a record that is copied", `
			%4 rec = load [] %1, %2
			%5 float64 = extract .1 %4`, "a b c", false},
		{"a record that is compared", `
			%4 rec = build %3, %3, %3
			%5 bool = cmp == %4, %4
			%6 float64 = extract .1 %4`, "a b c", false},
		{"nothing is read", `
			store [].0 %1, %2, %3`, "a b c", false},
		{"lanes mirror another struct", `
			%4 float64 = load [].0 %1, %2`, "a b c", true},
	} {
		m := &ssair.Module{Pkg: demo(t)}
		n := m.AddType("rec", "is a record", 0)
		var fields []*types.Var
		for _, name := range []string{"a", "b", "c"} {
			fields = append(fields, types.NewField(0, m.Pkg, name, ssair.Float64, false))
		}
		n.SetUnderlying(types.NewStruct(fields, nil))
		if c.lanes {
			m.Lanes = map[string]*types.Named{"rec": n}
		}
		f, err := ssair.ParseFunc(m, "func F(%1:tape []rec, %2:i int, %3:x float64) {"+c.body+"\nreturn\n}")
		if err != nil {
			t.Fatal(c.name, err)
		}
		pass.ShrinkRecords(m, m.Funcs)
		if err := f.Verify(); err != nil {
			t.Errorf("%s: %v\n%s", c.name, err, f)
		}
		got := ""
		for v := range n.Underlying().(*types.Struct).Fields() {
			got += " " + v.Name()
		}
		if got != " "+c.want {
			t.Errorf("%s: got%s, want %s", c.name, got, c.want)
		}
	}
}
