package emit

import (
	"go/token"
	"strings"

	"github.com/quabla/quabla/ssair"
)

// ifStmt prints an if whose arms come together again.
func (w *writer) ifStmt(o *ssair.Op) {
	arm := func(r *ssair.Region) func() {
		return func() {
			w.statements(r, func() {
				var ms []move
				for k, v := range o.Results {
					if len(w.p.uses[v]) > 0 {
						ms = append(ms, move{w.c.of[v], r.Term().Args[k]})
					}
				}
				w.moves(ms)
			})
		}
	}
	w.choose(o, arm(o.Regions[0]), arm(o.Regions[1]))
}

// captured runs print and returns its text.
func (w *writer) captured(print func()) string {
	old, note := w.b, w.note
	w.b, w.note = strings.Builder{}, ""
	print()
	s := w.b.String()
	w.b, w.note = old, note
	return s
}

// choose prints if c { then } else { els }, leaving out empty parts.
func (w *writer) choose(o *ssair.Op, then, els func()) {
	w.indent++
	a := w.branch(then)
	b := w.branch(els)
	w.joinBranches()
	w.indent--
	w.ifElse(o, a, b)
}

// branch prints an arm that may or may not run.
func (w *writer) branch(print func()) string {
	old := w.zeroed
	w.zeroed = map[*class]bool{}
	for k := range old {
		w.zeroed[k] = true
	}
	s := w.captured(print)
	for k := range old {
		if !w.zeroed[k] {
			w.assigned = append(w.assigned, k)
		}
	}
	w.zeroed = old
	return s
}

// joinBranches forgets the variables that some arm has assigned.
func (w *writer) joinBranches() {
	for _, k := range w.assigned {
		delete(w.zeroed, k)
	}
	w.assigned = nil
}

func (w *writer) ifElse(o *ssair.Op, a, b string) {
	c := w.str(o.Args[0])
	if a == "" && b != "" {
		a, b = b, ""
		c = w.not(o.Args[0])
	}
	if a == "" && b == "" {
		return
	}
	w.linef("if %s {", headed(c))
	w.b.WriteString(a)
	if b == "" {
		w.linef("}")
		return
	}
	// else if
	if strings.HasPrefix(strings.TrimLeft(b, "\t"), "if ") && isOneIf(b, w.indent+1) {
		w.b.WriteString(strings.Repeat("\t", w.indent) + "} else " + dedent(b)[w.indent:])
		return
	}
	w.linef("} else {")
	w.b.WriteString(b)
	w.linef("}")
}

// isOneIf reports whether text is a single if statement at the given depth.
func isOneIf(text string, depth int) bool {
	prefix := strings.Repeat("\t", depth)
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, l := range lines {
		if !strings.HasPrefix(l, prefix) {
			return false
		}
		rest := l[len(prefix):]
		if strings.HasPrefix(rest, "\t") || i == 0 {
			continue
		}
		if !strings.HasPrefix(rest, "}") {
			return false
		}
		if rest == "}" && i != len(lines)-1 {
			return false
		}
	}
	return true
}

func dedent(text string) string {
	lines := strings.SplitAfter(text, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimPrefix(l, "\t")
	}
	return strings.Join(lines, "")
}

// not prints the negation of a condition.
func (w *writer) not(v *ssair.Value) string {
	if e := w.negated(v); e != nil {
		return e.s
	}
	if w.p.inline[v] && v.Def.Kind == ssair.Un && v.Def.Tok == token.NOT {
		return w.str(v.Def.Args[0])
	}
	return "!" + w.value(v).paren(precUnary)
}

// tailIf prints an if at the end of a region. An arm that leaves is indented,
// and the other follows; else both are.
func (w *writer) tailIf(o *ssair.Op, end func()) {
	w.declareFor(o)
	arm := func(i int) func() {
		return func() {
			old := w.alias
			w.alias = old.in(o, o.Regions[i])
			w.facts[o.Args[0]] = i == 0
			w.statements(o.Regions[i], end)
			delete(w.facts, o.Args[0])
			w.alias = old
		}
	}
	w.indent++
	a := w.branch(arm(0))
	w.indent--
	if leaves(a) {
		w.assigned = nil
		w.linef("if %s {", headed(w.str(o.Args[0])))
		w.b.WriteString(a)
		w.linef("}")
		arm(1)()
		return
	}
	w.indent++
	b := w.branch(arm(1))
	w.indent--
	w.joinBranches()
	if leaves(b) {
		w.linef("if %s {", headed(w.not(o.Args[0])))
		w.b.WriteString(b)
		w.linef("}")
		w.b.WriteString(dedent(a))
		return
	}
	w.ifElse(o, a, b)
}

// leaves reports whether text ends by leaving: with return, break, continue or
// panic.
func leaves(text string) bool {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	last := strings.TrimSpace(lines[len(lines)-1])
	for _, p := range []string{"return", "break", "continue", "panic("} {
		if strings.HasPrefix(last, p) {
			return true
		}
	}
	return false
}

// headed prints the expression s for the header of an if or a loop, where a composite
// literal stands in parentheses.
func headed(s string) string {
	if !strings.Contains(s, "{") {
		return s
	}
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case '"', '`', '\'':
			return "(" + s + ")" // it may spell any of these
		case '{':
			if depth == 0 {
				return "(" + s + ")"
			}
		}
	}
	return s
}
