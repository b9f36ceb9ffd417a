package golden

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/quabla/quabla/compile"
	"github.com/quabla/quabla/diag"
	"github.com/quabla/quabla/generate"
)

const limitations = "../../docs/limitations.md"

// An example is one of the page of limitations: what is refused, the message, and
// what to write instead.
type example struct {
	title         string
	refused, says string
	instead       string
	from, to      int // where the message stands in the page
}

// block matches a block of code or text in the page.
var block = regexp.MustCompile("(?ms)^### (.*?)$|^```(go|text)\n(.*?)^```$")

// examples reads the page.
func examples(t *testing.T, page string) []*example {
	var all []*example
	for _, m := range block.FindAllStringSubmatchIndex(page, -1) {
		if m[2] >= 0 {
			all = append(all, &example{title: page[m[2]:m[3]]})
			continue
		}
		if len(all) == 0 {
			t.Fatal("a block in front of the first title")
		}
		e := all[len(all)-1]
		switch text := page[m[6]:m[7]]; {
		case page[m[4]:m[5]] == "text":
			e.says, e.from, e.to = text, m[6], m[7]
		case e.refused == "":
			e.refused = text
		default:
			e.instead = text
		}
	}
	return all
}

// TestLimitations holds the page of limitations to what the command says: what it
// calls refused is, with the message that stands there, and what it recommends
// works.
func TestLimitations(t *testing.T) {
	text, err := os.ReadFile(limitations)
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	all := examples(t, page)
	m := newModule(t)
	for i, e := range all {
		if e.refused == "" || e.instead == "" || e.to == 0 {
			t.Fatalf("%s: not three blocks", e.title)
		}
		m.write(t, fmt.Sprintf("refused%d/f.go", i), file(t, e.refused))
		m.write(t, fmt.Sprintf("instead%d/f.go", i), file(t, e.instead))
		if strings.Contains(e.instead, "//go:linkname") { // the compiler allows no body beside assembly only
			m.write(t, fmt.Sprintf("refused%d/f.s", i), nil)
			m.write(t, fmt.Sprintf("instead%d/f.s", i), nil)
		}
	}
	opts := compile.New().Options()
	opts.Dir, opts.Patterns, opts.Env = m.dir, []string{"./..."}, m.env
	result, err := generate.Run(opts)
	if err != nil {
		t.Fatal(err)
	}
	says := func(dir string) string {
		var own diag.List
		for _, d := range result.Diags.All() {
			if filepath.Base(filepath.Dir(d.Pos.Filename)) == dir {
				own.Add(d)
			}
		}
		var b strings.Builder
		if err := own.Print(&b, diag.Options{Dir: filepath.Join(m.dir, dir)}); err != nil {
			t.Fatal(err)
		}
		return lines.ReplaceAllStringFunc(b.String(), func(s string) string {
			n, _ := strconv.Atoi(s[len("f.go:"):])
			return fmt.Sprintf("f.go:%d", n-1)
		})
	}
	for i, e := range slices.Backward(all) {
		got := says(fmt.Sprintf("refused%d", i))
		if got == "" {
			t.Errorf("%s: not refused", e.title)
		}
		if *update {
			page = page[:e.from] + got + page[e.to:]
		} else if got != e.says {
			t.Errorf("%s: got\n%s\nwant\n%s", e.title, got, e.says)
		}
		if got := says(fmt.Sprintf("instead%d", i)); got != "" {
			t.Errorf("%s: what is recommended is refused: %s", e.title, got)
		}
		if _, err := os.Stat(filepath.Join(m.dir, fmt.Sprintf("instead%d", i), "f_quabla.go")); err != nil {
			t.Errorf("%s: %v", e.title, err)
		}
	}
	vet := exec.Command("go", "vet", "-unsafeptr=false", "./...")
	vet.Dir, vet.Env = m.dir, m.env
	if out, err := vet.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if *update && !bytes.Equal([]byte(page), text) {
		if err := os.WriteFile(limitations, []byte(page), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

var lines = regexp.MustCompile(`f\.go:[0-9]+`)

// file makes a source file of an example, with what it imports in the first line.
func file(t *testing.T, text string) []byte {
	f, err := parser.ParseFile(token.NewFileSet(), "f.go", "package p;"+text, 0)
	if err != nil {
		t.Fatal(err)
	}
	imports := ""
	if strings.Contains(text, "//go:linkname") {
		imports = `import _ "unsafe"; `
	}
	for _, p := range []string{"cmp", "container/ring", "fmt", "math", "math/rand", "reflect", "slices", "sort", "strconv", "sync", "sync/atomic", "unsafe", "github.com/quabla/quabla/rt", "gonum.org/v1/gonum/mat"} {
		if slices.ContainsFunc(f.Unresolved, func(id *ast.Ident) bool { return id.Name == path.Base(p) }) {
			imports += fmt.Sprintf("import %q; ", p)
		}
	}
	return []byte("package p; " + imports + "\n" + text)
}
