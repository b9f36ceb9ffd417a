package analyze

import (
	"fmt"
	"go/token"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/quabla/quabla/diag"
)

// A derive directive names an expression in which verbs nest:
//
//	//quabla:derive U_xx = grad(grad(U, x), x)
//
// The innermost name is the function that the directive stands above. Each verb
// takes what it differentiates, then the parameters to differentiate with respect
// to, and may take of=output and lanes=n. Inside a nest a verb contributes only
// its derivatives: they, and not the value that grad returns beside them, are the
// outputs of the function that the verb around it sees. The outermost verb gives
// what it gives in a directive of its own, so that U_xx above has the signature
//
//	func U_xx(t, x float64) (dx, dx2 float64)
//
// where dx is the value of grad(U, x) and dx2 its derivative. The parameters that
// a verb adds, such as dx for a slice x or xDot, are parameters for the verb
// around it: jvp(grad(F, x), x) has dx and its tangent dxDot as outputs.

// An Expr is a function: the one that a directive stands above, or a verb applied
// to another Expr.
type Expr struct {
	Verb Verb     // "" for the function itself
	Fn   *Expr    // what the verb is applied to; nil for the function itself
	Sig  *Derived // the signature; inside a nest without the values, see above
	Word Word     // where it stands in the directive
}

// String spells e as a directive does: grad(grad(F, x), x).
func (e *Expr) String() string {
	if e.Verb == "" {
		return e.Sig.Name
	}
	parts := []string{e.Fn.String()}
	for _, i := range e.Sig.named() {
		parts = append(parts, e.Fn.Sig.All()[i].Name)
	}
	return fmt.Sprintf("%s(%s)", e.Verb, strings.Join(parts, ", "))
}

// exprSyntax is an expression as written.
type exprSyntax struct {
	word    Word
	fn      *exprSyntax // nil for a name
	wrt, of []Word
	lanes   int
	lanesAt Word
}

// parseDerive parses the arguments of a derive directive.
func parseDerive(r *reporter, d *Directive, args string, pos token.Pos) *Directive {
	p := &exprParser{r: r, src: args, pos: pos}
	p.next()
	const usage = "write //quabla:derive Name = grad(grad(F, x), x)"
	if args == "" {
		r.errorf(d.verbWord(), usage, "quabla:derive needs a name and an expression")
		return nil
	}
	name := p.tok
	if !token.IsIdentifier(name.Text) {
		r.errorf(name, usage, "%s is no name for a function", p.describe())
		return nil
	}
	p.next()
	if !p.expect("=", usage) {
		return nil
	}
	e := p.expr()
	if e == nil {
		return nil
	}
	for p.tok.Text != "" {
		if !d.addBare(r, Derive.info(), p.tok) {
			return nil
		}
		p.next()
	}
	d.expr = e
	d.Keys = append(d.Keys, Key{Word: Word{"name", name.Pos}, Value: name, Values: []Word{name}})
	if e.fn == nil {
		r.errorf(e.word, usage, "%s is not a derivative", e.word.Text)
		return nil
	}
	return d
}

// An exprParser reads the tokens of an expression.
type exprParser struct {
	r   *reporter
	src string // what is left
	pos token.Pos
	tok Word // "" at the end
}

// next reads a name, a number, or a single character.
func (p *exprParser) next() {
	trimmed := strings.TrimLeft(p.src, " \t")
	p.pos += token.Pos(len(p.src) - len(trimmed))
	p.src = trimmed
	n := strings.IndexFunc(p.src, func(r rune) bool {
		return r != '_' && r != '.' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	if n < 0 {
		n = len(p.src)
	}
	if n == 0 && p.src != "" {
		_, n = utf8.DecodeRuneInString(p.src)
	}
	p.tok = Word{p.src[:n], p.pos}
	p.src = p.src[n:]
	p.pos += token.Pos(n)
}

func (p *exprParser) describe() string {
	if p.tok.Text == "" {
		return "the end of the line"
	}
	return p.tok.Text
}

func (p *exprParser) expect(want, hint string) bool {
	if p.tok.Text != want {
		p.r.errorf(p.tok, hint, "expected %s, found %s", want, p.describe())
		return false
	}
	p.next()
	return true
}

// expr parses a name or a verb with its arguments.
func (p *exprParser) expr() *exprSyntax {
	e := &exprSyntax{word: p.tok, lanes: 1}
	if !token.IsIdentifier(e.word.Text) {
		p.r.errorf(p.tok, "", "expected a verb or a function, found %s", p.describe())
		return nil
	}
	p.next()
	if p.tok.Text != "(" {
		return e
	}
	if info := Verb(e.word.Text).info(); info == nil || !info.nests {
		nesting := verbNames(func(v *verbInfo) bool { return v.nests })
		hint := "the verbs are " + strings.Join(nesting, ", ")
		if n := diag.Nearest(e.word.Text, nesting); n != "" {
			hint = "did you mean " + n + "?"
		}
		p.r.errorf(e.word, hint, "%s is no verb that can stand in an expression", e.word.Text)
		return nil
	}
	p.next()
	if e.fn = p.expr(); e.fn == nil {
		return nil
	}
	for p.tok.Text == "," {
		p.next()
		w := p.tok
		if !token.IsIdentifier(w.Text) {
			p.r.errorf(w, "", "expected the name of a parameter, found %s", p.describe())
			return nil
		}
		p.next()
		if p.tok.Text != "=" {
			e.wrt = append(e.wrt, w)
			continue
		}
		p.next()
		if !p.option(e, w, p.tok) {
			return nil
		}
		p.next()
	}
	if p.tok.Text != ")" {
		p.r.errorf(p.tok, "", "expected , or ), found %s", p.describe())
		return nil
	}
	p.next()
	return e
}

// option files key=value under e.
func (p *exprParser) option(e *exprSyntax, key, value Word) bool {
	switch {
	case key.Text == "of":
		e.of = append(e.of, value)
	case key.Text == "lanes" && Verb(e.word.Text) == JVP:
		n, ok := parseLanes(p.r, value)
		e.lanes, e.lanesAt = n, value
		return ok
	default:
		hint := "options here are of= and, for jvp, lanes="
		p.r.errorf(key, hint, "%s has no option %s in an expression", e.word.Text, key.Text)
		return false
	}
	return true
}

// maxLanes is the largest number of directions that one jvp may carry.
const maxLanes = 64

func parseLanes(r *reporter, w Word) (int, bool) {
	n, err := strconv.Atoi(w.Text)
	if err != nil || n < 1 || n > maxLanes {
		r.errorf(w, fmt.Sprintf("use a number from 1 to %d", maxLanes), "lanes=%s is no number of directions", w.Text)
		return 0, false
	}
	return n, true
}
