package generate

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	for _, c := range []struct{ source, output, check string }{
		{"foo.go", "foo_quabla.go", "foo_quablacheck_test.go"},
		{"foo_bar.go", "foo_bar_quabla.go", "foo_bar_quablacheck_test.go"},
		{"foo_linux.go", "foo_quabla_linux.go", "foo_quablacheck_linux_test.go"},
		{"foo_arm64.go", "foo_quabla_arm64.go", "foo_quablacheck_arm64_test.go"},
		{"foo_linux_arm64.go", "foo_quabla_linux_arm64.go", "foo_quablacheck_linux_arm64_test.go"},
		{"foo_arm64_linux.go", "foo_arm64_quabla_linux.go", "foo_arm64_quablacheck_linux_test.go"},
		{"foo_test.go", "foo_quabla_test.go", "foo_quablacheck_test.go"},
		{"foo_linux_test.go", "foo_quabla_linux_test.go", "foo_quablacheck_linux_test.go"},
		{"linux.go", "linux_quabla.go", "linux_quablacheck_test.go"},
		{"linux_amd64.go", "linux_quabla_amd64.go", "linux_quablacheck_amd64_test.go"},
		{"test.go", "test_quabla.go", "test_quablacheck_test.go"},
		{"foo_unix.go", "foo_unix_quabla.go", "foo_unix_quablacheck_test.go"},
		{"a.b.go", "a.b_quabla.go", "a.b_quablacheck_test.go"},
		{"_linux.go", "_quabla_linux.go", "_quablacheck_linux_test.go"},
	} {
		if got := OutputName(c.source); got != c.output {
			t.Errorf("OutputName(%s) = %s, want %s", c.source, got, c.output)
		}
		if got := CheckName(c.source); got != c.check {
			t.Errorf("CheckName(%s) = %s, want %s", c.source, got, c.check)
		}
	}
}

func TestUnified(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"a\n", "a\n", "--- f\n+++ f\n"},
		{"a\nb\nc\n", "a\nx\nc\n", "--- f\n+++ f\n@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n"},
		{"a\n", "", "--- f\n+++ f\n@@ -1,1 +0,0 @@\n-a\n"},
		{"a", "b\n", "--- f\n+++ f\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+b\n"},
		{
			"1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n", "1\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n",
			"--- f\n+++ f\n@@ -1,5 +1,4 @@\n 1\n-2\n 3\n 4\n 5\n@@ -10,3 +9,4 @@\n 10\n 11\n 12\n+13\n",
		},
	} {
		if got := unified("f", []byte(c.old), []byte(c.new)); got != c.want {
			t.Errorf("from %q to %q:\n%s\nwant:\n%s", c.old, c.new, got, c.want)
		}
	}
	if got := unified("f", nil, []byte("x\n")); !strings.HasPrefix(got, "--- /dev/null\n+++ f\n@@ -0,0 +1,1 @@\n") {
		t.Error(got)
	}
}

// TestEdits applies the edits between random texts, and lets patch(1) do so if it
// is there.
func TestEdits(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	text := func() []string {
		l := make([]string, rng.IntN(30))
		for i := range l {
			l[i] = fmt.Sprintln(rng.IntN(6))
		}
		return l
	}
	patch, _ := exec.LookPath("patch")
	dir := t.TempDir()
	for i := range 2000 {
		a, b := text(), text()
		var from, to []string
		for _, e := range compareLines(a, b) {
			if e.op != '+' {
				from = append(from, e.line)
			}
			if e.op != '-' {
				to = append(to, e.line)
			}
		}
		if strings.Join(from, "") != strings.Join(a, "") || strings.Join(to, "") != strings.Join(b, "") {
			t.Fatalf("edits from %q to %q give %q and %q", a, b, from, to)
		}
		if patch == "" || i%100 != 0 || len(a) == 0 || len(b) == 0 {
			continue
		}
		name := filepath.Join(dir, "f")
		if err := os.WriteFile(name, []byte(strings.Join(a, "")), 0o666); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(patch, "--quiet", name)
		cmd.Stdin = strings.NewReader(unified("f", []byte(strings.Join(a, "")), []byte(strings.Join(b, ""))))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if got, _ := os.ReadFile(name); string(got) != strings.Join(b, "") {
			t.Fatalf("patch gives %q, want %q", got, b)
		}
	}
	// Large texts without a common line do not take for ever.
	big := make([]string, 20000)
	other := make([]string, 20000)
	for i := range big {
		big[i], other[i] = fmt.Sprintln("a", i), fmt.Sprintln("b", i)
	}
	if n := len(compareLines(big, other)); n != 40000 {
		t.Errorf("%d edits", n)
	}
}

func TestGuard(t *testing.T) {
	err := Guard("outer", func() error {
		return Guard("processing F", func() error { panic("boom") })
	})
	var internal *InternalError
	if !errors.As(err, &internal) || internal.Doing != "processing F" || internal.Err.Error() != "boom" || len(internal.Stack) == 0 {
		t.Errorf("%v", err)
	}
	cause := errors.New("cause")
	if err := Guard("processing F", func() error { return cause }); !errors.Is(err, cause) {
		t.Errorf("%v", err)
	}
	if err := Guard("x", func() error { return nil }); err != nil {
		t.Error(err)
	}
}
