// Package strings holds rules for those functions of the standard library's package
// strings that return iterators: loops over them are differentiated, so that their
// source has to be at hand.
package strings

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

//quabla:rule for=strings.Lines as=lines
func lines(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for len(s) > 0 {
			line := s
			if i := strings.IndexByte(s, '\n'); i >= 0 {
				line = s[:i+1]
			}
			s = s[len(line):]
			if !yield(line) {
				return
			}
		}
	}
}

//quabla:rule for=strings.SplitSeq as=splitSeq
func splitSeq(s, sep string) iter.Seq[string] { return split(s, sep, 0) }

//quabla:rule for=strings.SplitAfterSeq as=splitAfterSeq
func splitAfterSeq(s, sep string) iter.Seq[string] { return split(s, sep, len(sep)) }

// split keeps so many bytes of each separator.
func split(s, sep string, keep int) iter.Seq[string] {
	return func(yield func(string) bool) {
		if sep == "" {
			for len(s) > 0 {
				_, size := utf8.DecodeRuneInString(s)
				if !yield(s[:size]) {
					return
				}
				s = s[size:]
			}
			return
		}
		for {
			i := strings.Index(s, sep)
			if i < 0 {
				break
			}
			if !yield(s[:i+keep]) {
				return
			}
			s = s[i+len(sep):]
		}
		yield(s)
	}
}

//quabla:rule for=strings.FieldsSeq as=fieldsSeq
func fieldsSeq(s string) iter.Seq[string] { return fieldsFuncSeq(s, unicode.IsSpace) }

//quabla:rule for=strings.FieldsFuncSeq as=fieldsFuncSeq
func fieldsFuncSeq(s string, f func(rune) bool) iter.Seq[string] {
	return func(yield func(string) bool) {
		start := -1
		for i, r := range s {
			switch {
			case !f(r):
				if start < 0 {
					start = i
				}
			case start >= 0:
				if !yield(s[start:i]) {
					return
				}
				start = -1
			}
		}
		if start >= 0 {
			yield(s[start:])
		}
	}
}
