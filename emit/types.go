package emit

import (
	"fmt"
	"go/types"
	"path"
	"sort"
	"strings"
)

// imports collects the packages that a file uses and the names under which it
// knows them.
type imports struct {
	pkg   *types.Package
	names map[string]string // by path
	taken map[string]bool   // names that must not be used for a package

	// generic holds the type arguments of synthesised types that belong to a
	// generic function, by name: they are those of the function.
	generic map[string]string
}

func newImports(pkg *types.Package, taken map[string]bool) *imports {
	return &imports{pkg: pkg, names: map[string]string{}, taken: taken, generic: map[string]string{}}
}

// name returns the name of the package with the given path.
func (im *imports) name(p, base string) string {
	if n, ok := im.names[p]; ok {
		return n
	}
	n := base
	for k := 1; im.taken[n]; k++ {
		n = fmt.Sprintf("%s%d", base, k)
	}
	im.taken[n] = true
	im.names[p] = n
	return n
}

// qualifier names packages in types.
func (im *imports) qualifier(p *types.Package) string {
	if p.Path() == im.pkg.Path() {
		return ""
	}
	return im.name(p.Path(), p.Name())
}

// typ prints a type.
func (im *imports) typ(t types.Type) string {
	s := types.TypeString(t, im.qualifier)
	for name, args := range im.generic {
		s = instantiate(s, name, args)
	}
	return s
}

// instantiate puts type arguments behind the name of a type, wherever it stands in
// the text of a type.
func instantiate(s, name, args string) string {
	var b strings.Builder
	for {
		i := strings.Index(s, name)
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		end := i + len(name)
		b.WriteString(s[:end])
		if (i == 0 || !isIdent(s[i-1]) && s[i-1] != '.') && (end == len(s) || !isIdent(s[end])) {
			b.WriteString(args)
		}
		s = s[end:]
	}
}

// decl prints the import declaration for what body uses.
func (im *imports) decl(body string) string {
	for p, n := range im.names {
		if !uses(body, n) {
			delete(im.names, p) // it was only in text that was given up
		}
	}
	if len(im.names) == 0 {
		return ""
	}
	var paths []string
	for p := range im.names {
		paths = append(paths, p)
	}
	sort.Slice(paths, func(i, j int) bool {
		if a, b := std(paths[i]), std(paths[j]); a != b {
			return a
		}
		return paths[i] < paths[j]
	})
	if p := paths[0]; len(paths) == 1 && im.names[p] == path.Base(p) {
		return fmt.Sprintf("import %q\n", p)
	}
	var b strings.Builder
	b.WriteString("import (\n")
	prev := true
	for i, p := range paths {
		if i > 0 && std(p) != prev {
			b.WriteString("\n")
		}
		prev = std(p)
		n := im.names[p]
		if n != path.Base(p) {
			fmt.Fprintf(&b, "\t%s %q\n", n, p)
		} else {
			fmt.Fprintf(&b, "\t%q\n", p)
		}
	}
	b.WriteString(")\n")
	return b.String()
}

// std reports whether p looks like a path of the standard library.
func std(p string) bool {
	first, _, _ := strings.Cut(p, "/")
	return !strings.Contains(first, ".")
}

// uses reports whether body refers to something in the package called name.
func uses(body, name string) bool {
	for {
		i := strings.Index(body, name+".")
		if i < 0 {
			return false
		}
		if i == 0 || !isIdent(body[i-1]) && body[i-1] != '.' {
			return true
		}
		body = body[i+len(name):]
	}
}

func isIdent(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80
}
