package compile

import (
	"go/ast"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// notice returns what a file says about the functions of other modules whose source
// its derivatives were made from: where they come from, and the notices of copyright
// and licence that stand there. It is "" if there are none.
func notice(us []*unit) string {
	origins := map[string][]string{} // packages, by notice
	for _, u := range us {
		for _, fn := range u.lifter.Foreign() {
			path := fn.Pkg().Path()
			src, err := u.env.prog.FuncSource(fn)
			if err != nil || u.env.prog.Module(path) == u.env.prog.Module(u.env.pkg.Path) || strings.HasPrefix(path, "github.com/quabla/quabla/") {
				continue
			}
			text := fileNotice(src.File)
			if text == "" {
				text = moduleNotice(filepath.Dir(u.env.prog.Position(src.Decl.Pos()).Filename))
			}
			if !slices.Contains(origins[text], path) {
				origins[text] = append(origins[text], path)
			}
		}
	}
	var texts []string
	for text, paths := range origins {
		slices.Sort(paths)
		texts = append(texts, text)
	}
	slices.SortFunc(texts, func(a, b string) int { return strings.Compare(origins[a][0]+a, origins[b][0]+b) })
	var b strings.Builder
	for _, text := range texts {
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		paths := origins[text]
		b.WriteString("Derived from the source of " + list(paths))
		if text == "" {
			b.WriteString(", whose licence applies.")
			continue
		}
		b.WriteString(":\n")
		for line := range strings.Lines(text) {
			b.WriteString("\n" + strings.TrimRight("\t"+line, " \t\n"))
		}
	}
	return b.String()
}

// fileNotice returns the comments at the head of a file that speak of copyright or
// licence.
func fileNotice(f *ast.File) string {
	var parts []string
	for _, g := range f.Comments {
		if g.Pos() > f.Package {
			break
		}
		text := strings.TrimSpace(g.Text())
		if low := strings.ToLower(text); g != f.Doc && (strings.Contains(low, "copyright") || strings.Contains(low, "licen")) {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, "\n\n")
}

// moduleNotice returns the line of copyright in the licence of the module that a
// directory belongs to.
func moduleNotice(dir string) string {
	for {
		for _, name := range []string{"LICENSE", "LICENSE.txt", "LICENSE.md", "LICENCE", "COPYING"} {
			src, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				continue
			}
			for line := range strings.Lines(string(src)) {
				if low := strings.ToLower(line); strings.HasPrefix(strings.TrimSpace(low), "copyright") {
					return strings.TrimSpace(line) + "\nSee the file " + name + " of its module."
				}
			}
			return "See the file " + name + " of its module."
		}
		up := filepath.Dir(dir)
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil || up == dir {
			return ""
		}
		dir = up
	}
}
