package lift_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/quabla/quabla/internal/srctest"
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
	if os.Getenv("RAW") != "" {
		fmt.Println(f)
	}
	for _, g := range p.Mod.Funcs {
		srctest.Verify(t, g)
		pass.Tidy(g)
		srctest.Verify(t, g)
		fmt.Println(g)
	}
}
