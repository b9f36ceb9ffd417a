package emit_test

import (
	"go/format"
	"strings"
	"testing"

	"github.com/quabla/quabla/emit"
	"github.com/quabla/quabla/internal/srctest"
	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// A row is the body of a function and how it is printed. An empty want says that
// it is printed as it stands.
type row struct{ name, in, want string }

// echo lifts functions with the parameters and results sig and compares how they
// are printed. decls are declarations of the package.
func echo(t *testing.T, decls, sig string, rows []row) {
	t.Helper()
	for _, r := range rows {
		t.Run(strings.ReplaceAll(r.name, " ", "_"), func(t *testing.T) {
			p := srctest.Load(t, "package demo\n"+importsOf(decls+r.in)+decls+"\nfunc F"+sig+" {\n"+r.in+"\n}")
			f := p.Lift(t, "F")
			want := r.want
			if want == "" {
				want = r.in
			}
			compare(t, source(t, f), sig, want)
		})
	}
}

// importsOf declares the packages that text uses.
func importsOf(text string) string {
	s := ""
	for _, p := range []string{"math"} {
		if strings.Contains(text, p+".") {
			s += "import \"" + p + "\"\n"
		}
	}
	return s
}

// source prints a file that holds f alone.
func source(t *testing.T, f *ssair.Func) string {
	t.Helper()
	pass.Finish(f)
	file := &emit.File{Pkg: f.Mod.Pkg, Funcs: []*emit.Func{{IR: f, Name: f.Name}}}
	out, err := file.Source()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// compare compares the function that out holds with a body.
func compare(t *testing.T, out, sig, body string) {
	t.Helper()
	want, err := format.Source([]byte("package demo\n\nfunc F" + sig + " {\n" + body + "\n}\n"))
	if err != nil {
		t.Fatal(err)
	}
	_, w, _ := strings.Cut(string(want), "func F")
	_, g, _ := strings.Cut(out, "func F")
	trim := func(s string) string { return strings.Join(strings.Fields(strings.ReplaceAll(s, "\n", " ; ")), " ") }
	if w, g = strings.ReplaceAll(w, "\n\n", "\n"), strings.ReplaceAll(g, "\n\n", "\n"); trim(g) != trim(w) {
		t.Errorf("got\nfunc F%swant\nfunc F%s", g, w)
	}
}
