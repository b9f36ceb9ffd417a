package diag

import (
	"errors"
	"go/token"
	"strings"
	"testing"
)

func at(file string, line, col int) token.Position {
	return token.Position{Filename: file, Line: line, Column: col}
}

// source stands for the files of the tests.
func source(name string) ([]byte, error) {
	if name != "/m/model.go" && name != "/m/sub/x.go" {
		return nil, errors.New("no such file")
	}
	return []byte("package m\n" +
		"func Loss(w []float64) {\n" +
		"\t\ty += r.Float64() * w[i]\n" +
		"\ts := \"héé\"\t+ name // ψ\n" +
		"}\r\n"), nil
}

func TestPrint(t *testing.T) {
	var l List
	l.Add(Diagnostic{
		Pos: at("/m/model.go", 3, 8), Width: 9, Category: "rule",
		Message: "cannot differentiate call to (*rand.Rand).Float64: no derivative rule",
		Notes:   []string{"needed for the gradient of Loss with respect to w (model.go:30)"},
		Hint:    "mark it inactive with //quabla:inactive, or give a rule with //quabla:rule",
	})
	l.Add(Diagnostic{Pos: at("/m/model.go", 4, 17), Width: 100, Message: "past the end of the line"})
	l.Add(Diagnostic{Pos: at("/m/model.go", 4, 2), Message: "no width", Severity: Warning})
	l.Add(Diagnostic{Pos: at("/m/sub/x.go", 5, 1), Width: 1, Message: "carriage return"})
	l.Add(Diagnostic{Pos: at("/m/model.go", 99, 1), Width: 3, Message: "no such line"})
	l.Add(Diagnostic{Pos: at("/m/model.go", 1, 99), Width: 3, Message: "no such column"})
	l.Add(Diagnostic{Pos: at("/gone/away.go", 1, 1), Width: 3, Message: "no such file"})
	l.Add(Diagnostic{Pos: token.Position{Filename: "/m/model.go"}, Message: "a file as a whole"})
	l.Add(Diagnostic{Message: "no place", Hint: "two\nlines"})
	// The same cause again: its new notes are kept.
	l.Add(Diagnostic{
		Pos: at("/m/model.go", 3, 8), Width: 9,
		Message: "cannot differentiate call to (*rand.Rand).Float64: no derivative rule",
		Notes:   []string{"needed for the gradient of Loss with respect to w (model.go:30)", "needed for Other"},
	})
	const want = `no place
	hint: two
	lines
/gone/away.go:1:1: no such file
model.go: a file as a whole
model.go:1:99: no such column
model.go:3:8: cannot differentiate call to (*rand.Rand).Float64: no derivative rule
	y += r.Float64() * w[i]
	     ^~~~~~~~~
	needed for the gradient of Loss with respect to w (model.go:30)
	needed for Other
	hint: mark it inactive with //quabla:inactive, or give a rule with //quabla:rule
model.go:4:2: warning: no width
	s := "héé"	+ name // ψ
	^
model.go:4:17: past the end of the line
	s := "héé"	+ name // ψ
	          	  ^~~~~~~~~
model.go:99:1: no such line
sub/x.go:5:1: carriage return
	}
	^
`
	var b strings.Builder
	if err := l.Print(&b, Options{Dir: "/m", Read: source}); err != nil {
		t.Fatal(err)
	}
	if b.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", b.String(), want)
	}
}

func TestJSON(t *testing.T) {
	var l List
	l.Add(Diagnostic{Pos: at("/m/b.go", 3, 7), Width: 9, Message: "x < y & z", Notes: []string{"n"}, Hint: "h", Category: "c"})
	l.Add(Diagnostic{Message: "no place", Severity: Warning})
	const want = `{"severity":"warning","message":"no place"}
{"file":"b.go","line":3,"column":7,"width":9,"severity":"error","category":"c","message":"x < y & z","notes":["n"],"hint":"h"}
`
	var b strings.Builder
	if err := l.PrintJSON(&b, Options{Dir: "/m"}); err != nil {
		t.Fatal(err)
	}
	if b.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", b.String(), want)
	}
}

func TestLimit(t *testing.T) {
	var l List
	for i := range 60 {
		l.Errorf(at("/m/x.go", i+1, 1), 1, "c", "problem %d", i)
	}
	for limit, want := range map[int]int{0: 51, 7: 8, 60: 60, -1: 60} {
		var b strings.Builder
		l.Print(&b, Options{Limit: limit})
		if got := strings.Count(b.String(), "\n"); got != want {
			t.Errorf("limit %d: %d lines, want %d", limit, got, want)
		}
		if more := strings.HasSuffix(b.String(), "more\n"); more != (want < 60) {
			t.Errorf("limit %d: and more = %t", limit, more)
		}
	}
	if l.Len() != 60 || !l.HasErrors() {
		t.Error("wrong count")
	}
	var w List
	w.Add(Diagnostic{Severity: Warning})
	if w.HasErrors() {
		t.Error("a warning is an error")
	}
}

func TestNearest(t *testing.T) {
	verbs := strings.Fields("grad jvp vjp pullback jacobian hessian hvp derive value")
	for _, c := range []struct{ name, want string }{
		{"gard", "grad"}, {"graad", "grad"}, {"grd", "grad"}, {"Grad", "grad"}, {"gradient", ""},
		{"jacobain", "jacobian"}, {"jakobian", "jacobian"}, {"jvpp", "jvp"}, {"jpv", "jvp"}, {"hesian", "hessian"},
		{"hv", "hvp"}, {"frobnicate", ""}, {"x", ""}, {"", ""}, {"grad", ""},
	} {
		if got := Nearest(c.name, verbs); got != c.want {
			t.Errorf("Nearest(%q) = %q, want %q", c.name, got, c.want)
		}
	}
	if got := Nearest("ab", []string{"ac", "aa"}); got != "aa" {
		t.Errorf("ties go to %q", got)
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "abc", 0}, {"abc", "acb", 1},
		{"kitten", "sitting", 3}, {"ab", "ba", 1}, {"abcd", "badc", 2}, {"θω", "ωθ", 1},
	} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
