package analyze

import (
	"fmt"
	"go/token"
	"strings"
	"testing"

	"github.com/quabla/quabla/diag"
)

// parseLine parses one directive at position 1 of a file set of its own and
// returns what was said about it.
func parseLine(text string) (*Directive, *diag.List) {
	fset := token.NewFileSet()
	f := fset.AddFile("f.go", 1, len(text)+2)
	list := new(diag.List)
	return parseDirective(&reporter{fset, list, "directive"}, f.Pos(0), text), list
}

// describeDirective writes a directive in a form of its own: the verb, then the
// words, each with its offset in the comment.
func describeDirective(d *Directive) string {
	var b strings.Builder
	at := func(w Word) string { return fmt.Sprintf("%s@%d", w.Text, w.Pos-d.Pos) }
	b.WriteString(string(d.Verb))
	for _, w := range d.Args {
		fmt.Fprintf(&b, " %s", at(w))
	}
	for _, k := range d.Keys {
		fmt.Fprintf(&b, " %s=", at(k.Word))
		for i, v := range k.Values {
			if i > 0 {
				b.WriteString(",")
			}
			b.WriteString(at(v))
		}
	}
	for _, w := range d.Flags {
		fmt.Fprintf(&b, " +%s", at(w))
	}
	var expr func(e *exprSyntax)
	expr = func(e *exprSyntax) {
		fmt.Fprintf(&b, "%s", at(e.word))
		if e.fn == nil {
			return
		}
		b.WriteString("(")
		expr(e.fn)
		for _, w := range e.wrt {
			fmt.Fprintf(&b, " %s", at(w))
		}
		for _, w := range e.of {
			fmt.Fprintf(&b, " of=%s", at(w))
		}
		if e.lanes != 1 {
			fmt.Fprintf(&b, " lanes=%d", e.lanes)
		}
		b.WriteString(")")
	}
	if d.expr != nil {
		b.WriteString(" ")
		expr(d.expr)
	}
	return b.String()
}

func TestParseDirective(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"//quabla:grad", "grad"},
		{"//quabla:grad   wrt=x,a", "grad wrt@16=x@20,a@22"},
		{"//quabla:grad\twrt=x add  name=LossGradient \t", "grad wrt@14=x@18 name@25=LossGradient@30 +add@20"},
		{"//quabla:jvp lanes=4 wrt=θ", "jvp lanes@13=4@19 wrt@21=θ@25"},
		{"//quabla:jacobian of=return.1,dst wrt=x sparse", "jacobian of@18=return.1@21,dst@30 wrt@34=x@38 +sparse@40"},
		{"//quabla:vmap in=x,_,_", "vmap in@14=x@17,_@19,_@21"},
		{"//quabla:custom_vjp F rule=R", "custom_vjp F@20 rule@22=R@27"},
		{"//quabla:custom_vjp F fwd=A bwd=B", "custom_vjp F@20 fwd@22=A@26 bwd@28=B@32"},
		{"//quabla:rule for=pkg.Func jvp=J vjp=V", "rule for@14=pkg.Func@18 jvp@27=J@31 vjp@33=V@37"},
		{"//quabla:nondiff p,q r", "nondiff p@17 q@19 r@21"},
		{"//quabla:inactive", "inactive"},
		{"//quabla:checkpoint", "checkpoint"},
		{"//quabla:parallel", "parallel"},
		{"//quabla:strict", "strict"},
		{"//quabla:shape x = (3, n)", "shape x = (3, n)@15"},
		{"//quabla:value name=FV", "value name@15=FV@20"},
		{"//quabla:derive U_xx = grad(grad(U, x), x)", "derive name@16=U_xx@16 grad@23(grad@28(U@33 x@36) x@40)"},
		{"//quabla:derive U=vmap( grad(grad(U,x),x) , x )", "derive name@16=U@16 vmap@18(grad@24(grad@29(U@34 x@36) x@39) x@44)"},
		{"//quabla:derive J = jvp(grad(F, x), x, lanes=4) add", "derive name@16=J@16 +add@48 jvp@20(grad@24(F@29 x@32) x@36 lanes=4)"},
		{"//quabla:derive J = vjp(F, x, of=return.0, of=y)", "derive name@16=J@16 vjp@20(F@24 x@27 of=return.0@33 of=y@46)"},
	} {
		d, list := parseLine(c.text)
		if d == nil {
			t.Errorf("%s: %s", c.text, list)
			continue
		}
		if got := describeDirective(d); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.text, got, c.want)
		}
	}
	for _, text := range []string{
		"// Loss is the loss.", "//go:noinline", "//nolint:all", "//", "///", "// quabla is a tool",
		"// see quabla:grad", "//line x.go:1", "// quabla: the tool", "//quabla", "//lint:ignore quabla:grad",
		"//\t//quabla:grad wrt=x", "//export quabla", "// TODO: grad", "//quabla.grad",
	} {
		if d, list := parseLine(text); d != nil || list.Len() > 0 {
			t.Errorf("%s: %v %s", text, d, list)
		}
	}
}

// FuzzDirective checks that no comment upsets the parser, that what it does not
// accept it says something about if it has the form of a directive, and that
// words are where they say they are.
func FuzzDirective(f *testing.F) {
	for _, seed := range []string{
		"//quabla:grad wrt=x,a of=return.1 name=F add", "//quabla:derive U = vmap(grad(U, x), x, lanes=4) add",
		"//quabla:vmap in=x,_", "// quabla:grad", "//quabla: grad", "//quabla:derive", "//quabla:grad \"x\" `y`", "//quabla:rule for=a.B",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.ContainsAny(text, "\n\r") || len(text) > 1000 {
			t.Skip()
		}
		d, list := parseLine(text)
		if d == nil {
			if strings.HasPrefix(text, "//quabla:") && strings.TrimSpace(text[9:min(len(text), 10)]) != "" && list.Len() == 0 {
				t.Errorf("%q is ignored in silence", text)
			}
			return
		}
		if list.Len() > 0 {
			t.Errorf("%q is accepted with %s", text, list)
		}
		check := func(w Word) {
			at := int(w.Pos - d.Pos)
			quoted := strings.ContainsAny(text, "\"`")
			if at < 0 || at > len(text) || !quoted && !strings.HasPrefix(text[at:], w.Text) {
				t.Errorf("%q: %q is not at %d", text, w.Text, at)
			}
		}
		for _, w := range append(d.Args, d.Flags...) {
			check(w)
		}
		for _, k := range d.Keys {
			if k.Pos != k.Value.Pos { // not the name of a derive directive
				check(k.Word)
			}
			for _, v := range k.Values {
				check(v)
			}
		}
	})
}
