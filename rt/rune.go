package rt

import "unicode/utf8"

// RuneAt returns the rune that begins at byte i of s and its width in bytes, as
// a range over s would find them: [utf8.RuneError] and 1 for bytes that are no
// UTF-8.
func RuneAt(s string, i int) (r rune, width int) { return utf8.DecodeRuneInString(s[i:]) }
