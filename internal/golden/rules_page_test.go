package golden

import (
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/quabla/quabla/compile"
	"github.com/quabla/quabla/diag"
	"github.com/quabla/quabla/generate"
)

// TestRulesPage generates the derivatives of the examples in docs/rules.md, and runs
// the tests behind them.
func TestRulesPage(t *testing.T) {
	text, err := os.ReadFile("../../docs/rules.md")
	if err != nil {
		t.Fatal(err)
	}
	m := newModule(t)
	all := examples(t, string(text))
	n := 0
	for i, e := range all {
		if e.refused == "" { // the first block: what is differentiated
			t.Errorf("%s has no example", e.title)
			continue
		}
		n++
		dir := fmt.Sprintf("example%d/", i)
		m.write(t, dir+"f.go", file(t, e.refused))
		m.write(t, dir+"f_test.go", file(t, e.instead))
	}
	if n < 9 {
		t.Errorf("only %d examples", n)
	}
	opts := compile.New().Options()
	opts.Dir, opts.Patterns, opts.Env, opts.Tests = m.dir, []string{"./..."}, m.env, true
	result, err := generate.Run(opts)
	if err != nil {
		t.Fatal(err)
	}
	if result.Diags.HasErrors() {
		if err := result.Diags.Print(os.Stderr, diag.Options{Dir: m.dir}); err != nil {
			t.Fatal(err)
		}
		t.Fatal("an example is refused")
	}
	cmd := exec.Command("go", "test", "./...")
	cmd.Dir, cmd.Env = m.dir, m.env
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
