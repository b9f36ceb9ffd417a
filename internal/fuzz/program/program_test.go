package program

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"testing"
)

// TestCompile type-checks programs, and checks that the seed determines them.
func TestCompile(t *testing.T) {
	fset := token.NewFileSet()
	imp := importer.ForCompiler(fset, "source", nil)
	lines := 0
	for seed := range uint64(1000) {
		p := New(seed, 12)
		if q := New(seed, 12); q.Text != p.Text {
			t.Fatalf("seed %d gives two programs:\n%s\n%s", seed, p.Text, q.Text)
		}
		f, err := parser.ParseFile(fset, fmt.Sprintf("p%d.go", seed), p.Text, 0)
		if err != nil {
			t.Fatalf("%v\n%s", err, p.Text)
		}
		if _, err := (&types.Config{Importer: imp}).Check("p", fset, []*ast.File{f}, nil); err != nil {
			t.Errorf("%v\n%s", err, p.Text)
		}
		lines += fset.Position(f.End()).Line
	}
	if lines < 1000*15 {
		t.Errorf("%d lines in all: the programs are too small to find anything", lines)
	}
}
