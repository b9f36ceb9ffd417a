package deriv

import (
	"fmt"
	"os"
	"testing"

	"github.com/quabla/quabla/internal/srctest"
	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

func TestDev(t *testing.T) {
	src := os.Getenv("SRC")
	if src == "" {
		t.Skip()
	}
	b, err := os.ReadFile(src)
	if err != nil {
		t.Fatal(err)
	}
	p := srctest.Load(t, string(b))
	f := p.Lift(t, "F")
	pass.Tidy(f)
	active := make([]bool, len(f.Params))
	for i, q := range f.Params {
		active[i] = ssair.ReachesScalar(q.Type)
	}
	mode := os.Getenv("MODE")
	var g *ssair.Func
	if mode == "jvp" {
		g, err = Forward(f, active, 1, "FJVP")
	} else {
		g, err = Reverse(f, ReverseSpec{Active: active, Result: []bool{true, true, true}[:len(f.Results)], Param: make([]bool, len(f.Params)), Unit: len(f.Results) == 1}, "FGrad")
	}
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("RAW") != "" {
		fmt.Println(g)
	}
	srctest.Verify(t, g)
	pass.Tidy(g)
	srctest.Verify(t, g)
	fmt.Println(g)
}
