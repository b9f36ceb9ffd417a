package lift_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quabla/quabla/internal/srctest"
	"github.com/quabla/quabla/ssair/pass"
)

func TestBankDev(t *testing.T) {
	dir := os.Getenv("BANKDIR")
	if dir == "" {
		t.Skip()
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*.go-txt"))
	for _, f := range files {
		b, _ := os.ReadFile(f)
		head, rest, _ := strings.Cut(string(b), "\n---\n")
		entry, imports := "", ""
		for _, l := range strings.Split(head, "\n") {
			if s, ok := strings.CutPrefix(l, "entry: "); ok {
				entry = s
			}
			if s, ok := strings.CutPrefix(l, "imports: "); ok && s != "-" {
				for _, i := range strings.Split(s, ",") {
					imports += fmt.Sprintf("import %q\n", strings.TrimSpace(i))
				}
			}
		}
		t.Run(filepath.Base(f), func(t *testing.T) {
			p := srctest.Load(t, "package demo\n"+imports+rest)
			p.Lift(t, entry)
			for _, g := range p.Mod.Funcs {
				srctest.Verify(t, g)
				pass.Tidy(g)
				srctest.Verify(t, g)
			}
		})
	}
}
