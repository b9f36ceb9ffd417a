package bank

import (
	"fmt"
	"go/scanner"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/quabla/quabla/internal/bank/probe"
)

// What a @refuse line asks for is written in English. The harness takes from it the
// words that a good diagnostic repeats:
//
//   - names with a dot, such as strconv.FormatFloat, also by what is behind the dot;
//   - identifiers that occur in the snippet, are longer than one letter, and are not
//     the entry function or mere English words; and words with a capital letter
//     inside, such as ParseFloat;
//   - words for constructs: the keys of the table below, each of which is also
//     satisfied by its synonyms.
//
// One of them in the message, the hint or the notes is enough, since such lines
// offer alternatives. A line without any such word asks for nothing more than a
// diagnostic. What stands behind a semicolon explains and asks for nothing.
var constructs = map[string][]string{
	"go statement": {"go statement", "goroutine"}, "goroutine": {"goroutine", "go statement"},
	"select": {"select"}, "channel": {"channel", "chan"}, "send": {"send"}, "receive": {"receive"},
	"unsafe": {"unsafe"}, "recover": {"recover"}, "defer": {"defer"}, "goto": {"goto"}, "cgo": {"cgo"},
	"reflect": {"reflect"}, "atomic": {"atomic"}, "interface": {"interface"}, "map": {"map"},
	"float key": {"float key", "key"}, "recursive": {"recursive"}, "conversion": {"conversion", "convert"},
	"no differentiable result": {"no differentiable result", "no result that can be differentiated", "no float"},
	"closure":                  {"closure"}, "function type": {"function type"}, "ragged": {"ragged", "length"}, "assembly": {"assembly"},
	"pointer": {"pointer"}, "panic": {"panic"}, "type parameter": {"type parameter"}, "labelled": {"label"},
	"function value": {"function value"}, "package variable": {"package variable", "package-level"},
}

var dotted = regexp.MustCompile(`[\pL_][\pL\pN_]*(\.[\pL_][\pL\pN_]*)+`)

// asked returns the words that a diagnostic must have one of.
func asked(c *probe.Case) []string {
	found := map[string]bool{}
	idents := identifiers(c.Snippet)
	for _, line := range c.Refuse {
		line, _, _ = strings.Cut(line, ";")
		line = strings.TrimPrefix(line, "if refused,")
		for _, name := range dotted.FindAllString(line, -1) {
			found[name] = true
			found[name[strings.LastIndex(name, ".")+1:]] = true
		}
		for word, same := range constructs {
			if hasWord(strings.ToLower(line), word) {
				for _, s := range same {
					found[s] = true
				}
			}
		}
		for _, w := range strings.FieldsFunc(line, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }) {
			inner := strings.ContainsFunc(w, unicode.IsLower) && strings.ContainsFunc(w[1:], unicode.IsUpper)
			if (idents[w] || inner) && w != c.Entry && len(w) > 1 {
				found[w] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// english are words that stand in @refuse lines for themselves, although a snippet
// may use them as identifiers.
var english = map[string]bool{
	"names": true, "name": true, "the": true, "or": true, "and": true, "if": true, "its": true, "line": true, "value": true,
	"is": true, "of": true, "for": true, "with": true, "type": true, "func": true, "range": true, "result": true, "key": true,
}

// identifiers returns the identifiers of a snippet.
func identifiers(snippet string) map[string]bool {
	var s scanner.Scanner
	text := []byte(snippet)
	s.Init(token.NewFileSet().AddFile("", -1, len(text)), text, func(token.Position, string) {}, 0)
	found := map[string]bool{}
	for {
		_, tok, lit := s.Scan()
		if tok == token.EOF {
			return found
		}
		if tok == token.IDENT && !english[lit] {
			found[lit] = true
		}
	}
}

// hasWord reports whether word stands in text, not as a part of longer words at its
// beginning. Plurals and other endings are fine.
func hasWord(text, word string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], word)
		if i < 0 {
			return false
		}
		i += at
		if i == 0 || !isLetter(text[i-1]) {
			return true
		}
		at = i + 1
	}
}

func isLetter(b byte) bool {
	return b == '_' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80
}

// mentions reports whether a text has one of the words, or there are none.
func mentions(text string, words []string) bool {
	if len(words) == 0 {
		return true
	}
	low := strings.ToLower(text)
	return slices.ContainsFunc(words, func(w string) bool { return hasWord(low, strings.ToLower(w)) })
}

// judgeRefusal judges a case for which only a refusal is right.
func judgeRefusal(c *probe.Case, o Outcome, refused map[string][]probe.Event, checked map[string]bool, events []probe.Event) Outcome {
	o.Status = Failed
	if len(refused) == 0 {
		o.Text = "is accepted, where only a refusal is right"
		if len(events) == 0 {
			o.Text = "nothing was done"
		}
		return o
	}
	for _, m := range []string{"grad", "jvp", "vjp"} {
		if len(refused[m]) == 0 {
			o.Text = m + " is accepted, where only a refusal is right"
			return o
		}
	}
	words := asked(c)
	for _, m := range slices.Sorted(maps.Keys(refused)) {
		e := refused[m][0]
		switch {
		case e.Place == probe.Elsewhere:
			o.Text = fmt.Sprintf("%s is refused without a place in the snippet: %s", m, e.Text)
			return o
		case !mentions(e.Text, words):
			o.Text = fmt.Sprintf("%s is refused, but the diagnostic names none of %s: %s", m, strings.Join(words, ", "), e.Text)
			return o
		}
		o.Text = "refused: " + e.Text
	}
	o.Status = Passed
	return o
}

// allowedRefusal judges the refusals of a case that allows them. The text says why
// it is or is not.
func allowedRefusal(c *probe.Case, refused map[string][]probe.Event) (string, bool) {
	words := asked(c)
	text := ""
	for _, m := range slices.Sorted(maps.Keys(refused)) {
		for _, e := range refused[m] {
			if !fits(e) {
				continue
			}
			if strings.Contains(e.Text, notYet) && e.Place != probe.InSnippet {
				continue
			}
			switch {
			case e.Place != probe.InSnippet:
				return fmt.Sprintf("%s is refused without a place in the snippet: %s", m, e.Text), false
			case len(c.Refuse) > 0 && !mentions(e.Text, words):
				return fmt.Sprintf("%s is refused, but the diagnostic names none of %s: %s", m, strings.Join(words, ", "), e.Text), false
			}
			text = "refused: " + e.Text
		}
	}
	return text, text != ""
}
