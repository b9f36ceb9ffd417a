package ssair

import (
	"fmt"
	"strings"
)

// A parseError is a fault in a text; its message starts with the line.
type parseError string

func (e parseError) Error() string { return string(e) }

// A scanner steps through the text of the printed form. Its methods panic with
// a parseError where the text is not as they expect.
type scanner struct {
	text string
	pos  int
}

func (s *scanner) fail(format string, args ...any) { s.failAt(s.pos, format, args...) }

func (s *scanner) failAt(pos int, format string, args ...any) {
	line := 1 + strings.Count(s.text[:pos], "\n")
	panic(parseError(fmt.Sprintf("line %d: %s", line, fmt.Sprintf(format, args...))))
}

func (s *scanner) atEnd() bool { return s.pos == len(s.text) }

// peek returns the next byte, or 0 at the end.
func (s *scanner) peek() byte {
	if s.atEnd() {
		return 0
	}
	return s.text[s.pos]
}

// accept skips t if it comes next.
func (s *scanner) accept(t string) bool {
	if !strings.HasPrefix(s.text[s.pos:], t) {
		return false
	}
	s.pos += len(t)
	return true
}

func (s *scanner) expect(t string) {
	if !s.accept(t) {
		s.fail("expected %q, found %q", t, s.upcoming())
	}
}

// upcoming returns the next bytes on the line, for messages.
func (s *scanner) upcoming() string {
	t, _, _ := strings.Cut(s.text[s.pos:], "\n")
	if len(t) > 20 {
		t = t[:20] + "..."
	}
	return t
}

// skipSpace skips blanks and tabs.
func (s *scanner) skipSpace() {
	for s.peek() == ' ' || s.peek() == '\t' {
		s.pos++
	}
}

func (s *scanner) atComment() bool { return strings.HasPrefix(s.text[s.pos:], "//") }

// skipBlank skips white space and comments up to the next op or brace.
func (s *scanner) skipBlank() {
	for {
		s.skipSpace()
		switch {
		case s.peek() == '\n' || s.peek() == '\r':
			s.pos++
		case s.atComment():
			s.skipLine()
		default:
			return
		}
	}
}

// skipLine skips what is left of the line, but not its end.
func (s *scanner) skipLine() {
	for !s.atEnd() && s.peek() != '\n' {
		s.pos++
	}
}

// endLine skips the end of a line and the comment in front of it.
func (s *scanner) endLine() {
	s.skipSpace()
	if s.atComment() {
		s.skipLine()
	}
	s.accept("\r")
	if !s.accept("\n") && !s.atEnd() {
		s.fail("expected the end of the line, found %q", s.upcoming())
	}
}

// word reads up to the next byte that cannot be part of a name, be it one
// qualified with the path of its package.
func (s *scanner) word() string {
	start := s.pos
	for !s.atEnd() && !strings.ContainsRune(" \t\r\n,;:()[]{}|\"*%=", rune(s.text[s.pos])) {
		s.pos++
	}
	return s.text[start:s.pos]
}

// name reads up to the next blank, or comma or closing parenthesis, that is
// outside all brackets and quotes: the name of a function may hold type
// arguments or a receiver.
func (s *scanner) name() string {
	start, depth, quoted := s.pos, 0, false
	for ; !s.atEnd() && s.peek() != '\n'; s.pos++ {
		switch c := s.peek(); {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '(' || c == '[' || c == '{':
			depth++
		case depth > 0 && (c == ')' || c == ']' || c == '}'):
			depth--
		case depth == 0 && (c == ' ' || c == '\t' || c == '\r' || c == ')'):
			return s.text[start:s.pos]
		}
	}
	return s.text[start:s.pos]
}

func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z' || c >= 0x80 }
