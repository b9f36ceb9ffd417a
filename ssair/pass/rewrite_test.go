package pass_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/quabla/quabla/ssair"
)

// A row is one rule of a pass: a function in the printed form of the IR and what
// it becomes. An empty want says that the pass must leave the function alone.
//
// What the printed form does not show is said in a comment behind an op: safe and
// loose for these flags, named for a constant that has a name in the source.
type row struct{ name, in, want string }

// rewrite applies run to the functions of rows, which share the signature sig.
func rewrite(t *testing.T, run func(*ssair.Func) bool, sig string, rows []row) {
	t.Helper()
	for _, r := range rows {
		t.Run(strings.ReplaceAll(r.name, " ", "_"), func(t *testing.T) {
			f := parse(t, sig+" {\n"+r.in+"\n}")
			before := spell(f)
			changed := run(f)
			if err := f.Verify(); err != nil {
				t.Fatalf("%v\n%s", err, f)
			}
			want := before
			if r.want != "" {
				want = spell(parse(t, sig+" {\n"+r.want+"\n}"))
			}
			got := spell(f)
			if got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			if changed != (got != before) && r.want == "" {
				t.Errorf("reports a change that it did not make")
			}
			if !changed && got != before {
				t.Errorf("does not report the change")
			}
		})
	}
}

// parse reads a function of package demo.
func parse(t *testing.T, text string) *ssair.Func {
	t.Helper()
	return parseAll(t, text)[0]
}

// parseAll reads functions that may call each other.
func parseAll(t *testing.T, text string) []*ssair.Func {
	t.Helper()
	m := &ssair.Module{Pkg: demo(t)}
	fs, err := ssair.ParseModule(m, text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	var notes []string
	for _, line := range strings.Split(text, "\n") {
		if isOp(line) {
			_, note, _ := strings.Cut(line, "//")
			notes = append(notes, note)
		}
	}
	for _, f := range fs {
		f.Body.Walk(func(o *ssair.Op) bool {
			for _, n := range strings.Fields(notes[0]) {
				mark(t, o, n)
			}
			notes = notes[1:]
			return true
		})
		if err := f.Verify(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	}
	return fs
}

func mark(t *testing.T, o *ssair.Op, note string) {
	switch note {
	case "safe":
		o.Safe = true
	case "loose":
		o.Loose = true
	case "named":
		o.Obj = types.NewConst(token.NoPos, o.Parent.Func.Mod.Pkg, "N", o.Result().Type, o.Val)
	default:
		t.Fatalf("unknown note %q", note)
	}
}

// isOp reports whether a line of the printed form holds an op.
func isOp(line string) bool {
	line, _, _ = strings.Cut(line, "//")
	line = strings.TrimSpace(line)
	return line != "" && line != "}" && !strings.HasSuffix(line, ":") && !strings.HasPrefix(line, "func ")
}

// spell prints f without unused constants, which passes leave to Dead, and with
// the notes on derivative arithmetic and on stores that cannot panic.
func spell(f *ssair.Func) string {
	for {
		uses := ssair.UsesIn(f.Body)
		var unused []*ssair.Op
		f.Body.Walk(func(o *ssair.Op) bool {
			if (o.Kind == ssair.Const || o.Kind == ssair.Zero) && len(uses[o.Result()]) == 0 {
				unused = append(unused, o)
			}
			return true
		})
		if len(unused) == 0 {
			break
		}
		for _, o := range unused {
			o.Remove()
		}
	}
	var ops []*ssair.Op
	f.Body.Walk(func(o *ssair.Op) bool {
		ops = append(ops, o)
		return true
	})
	lines := strings.Split(f.String(), "\n")
	for i, line := range lines {
		if isOp(line) {
			switch o := ops[0]; {
			case o.Loose && o.Kind == ssair.Bin:
				lines[i] += " // loose"
			case o.Safe && o.Kind == ssair.Store:
				lines[i] += " // safe"
			}
			ops = ops[1:]
		}
	}
	return strings.Join(lines, "\n")
}

const demoSource = `package demo

type Point struct{ X, Y float64 }

type Seg struct {
	A, B Point
	N    int
}

type Node struct {
	V    float64
	Next *Node
}

type Vec []float64

var G float64
var H float64
var S []float64

func Known(x float64) float64 { return x }
func Touch(x []float64)       {}
func Join(a, b any)           {}
`

// demo returns the package that functions under test belong to.
func demo(t *testing.T) *types.Package {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "demo.go", demoSource, 0)
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := (&types.Config{}).Check("demo", fset, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return pkg
}
