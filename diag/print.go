package diag

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"
)

// DefaultLimit is the number of diagnostics that people are shown at once.
const DefaultLimit = 50

// Options say how diagnostics are printed. The zero value prints at most
// [DefaultLimit] of them, with file names relative to the current directory and
// source lines read from disk.
type Options struct {
	Dir   string                                // file names are relative to it; "" is the current directory
	Limit int                                   // most diagnostics to print; 0 is DefaultLimit, negative is no limit
	Read  func(filename string) ([]byte, error) // source of a file; nil is os.ReadFile
}

// A printer carries the options and the sources read so far.
type printer struct {
	dir   string
	read  func(string) ([]byte, error)
	lines map[string][][]byte
}

func (o *Options) printer() *printer {
	p := &printer{dir: o.Dir, read: o.Read, lines: make(map[string][][]byte)}
	if p.read == nil {
		p.read = os.ReadFile
	}
	if p.dir == "" {
		p.dir, _ = os.Getwd()
	} else if abs, err := filepath.Abs(p.dir); err == nil {
		p.dir = abs
	}
	return p
}

// Print writes the diagnostics to w in order, each as
//
//	file:line:col: message
//		the source line
//		    ^~~~
//		notes, one a line
//		hint: what to do
//
// and, beyond the limit, how many more there are.
func (l *List) Print(w io.Writer, o Options) error {
	p := o.printer()
	all := l.All()
	limit := o.Limit
	if limit == 0 {
		limit = DefaultLimit
	}
	var b bytes.Buffer
	for i, d := range all {
		if limit > 0 && i == limit {
			fmt.Fprintf(&b, "and %d more\n", len(all)-limit)
			break
		}
		p.text(&b, &d)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// String returns what Print would write without a limit.
func (l *List) String() string {
	var b strings.Builder
	l.Print(&b, Options{Limit: -1})
	return b.String()
}

func (p *printer) text(b *bytes.Buffer, d *Diagnostic) {
	if pos := p.position(d.Pos); pos != "" {
		fmt.Fprintf(b, "%s: ", pos)
	}
	if d.Severity == Warning {
		b.WriteString("warning: ")
	}
	fmt.Fprintf(b, "%s\n", d.Message)
	if line, ok := p.line(d.Pos); ok {
		snippet(b, line, d.Pos.Column, d.Width)
	}
	for _, n := range d.Notes {
		fmt.Fprintf(b, "\t%s\n", strings.ReplaceAll(n, "\n", "\n\t"))
	}
	if d.Hint != "" {
		fmt.Fprintf(b, "\thint: %s\n", strings.ReplaceAll(d.Hint, "\n", "\n\t"))
	}
}

// snippet prints a source line, moved to an indentation of one tab, and below it
// a caret and tildes under width bytes from column col.
func snippet(b *bytes.Buffer, line []byte, col, width int) {
	text := bytes.TrimLeftFunc(line, unicode.IsSpace)
	start := col - 1 - (len(line) - len(text))
	text = bytes.TrimRightFunc(text, unicode.IsSpace)
	if len(text) == 0 || start < 0 || start > len(text) {
		return
	}
	end := min(start+max(width, 1), len(text))
	fmt.Fprintf(b, "\t%s\n\t", text)
	for _, r := range string(text[:start]) {
		if r != '\t' { // tabs are copied, so that the caret lines up
			r = ' '
		}
		b.WriteRune(r)
	}
	b.WriteByte('^')
	if end > start {
		for range utf8.RuneCount(text[start:end]) - 1 {
			b.WriteByte('~')
		}
	}
	b.WriteByte('\n')
}

// line returns the source line of pos, if pos has one and its file can be read.
func (p *printer) line(pos token.Position) ([]byte, bool) {
	if pos.Filename == "" || pos.Line < 1 || pos.Column < 1 {
		return nil, false
	}
	lines, ok := p.lines[pos.Filename]
	if !ok {
		if src, err := p.read(pos.Filename); err == nil {
			lines = bytes.Split(src, []byte("\n"))
		}
		p.lines[pos.Filename] = lines
	}
	if pos.Line > len(lines) {
		return nil, false
	}
	return lines[pos.Line-1], true
}

// position returns pos with a relative file name, or "".
func (p *printer) position(pos token.Position) string {
	if pos.Filename == "" {
		return ""
	}
	pos.Filename = p.rel(pos.Filename)
	return pos.String()
}

// rel returns name relative to the directory of the printer where that is
// possible without leaving the directory by more than it saves.
func (p *printer) rel(name string) string {
	return Rel(p.dir, name)
}

// Rel returns name relative to dir if that is shorter, and name otherwise.
func Rel(dir, name string) string {
	if dir == "" || !filepath.IsAbs(name) {
		return name
	}
	if r, err := filepath.Rel(dir, name); err == nil && len(r) < len(name) {
		return r
	}
	return name
}

// record is the JSON form of a diagnostic. Its field names are stable.
type record struct {
	File     string   `json:"file,omitempty"`
	Line     int      `json:"line,omitempty"`
	Column   int      `json:"column,omitempty"`
	Width    int      `json:"width,omitempty"`
	Severity string   `json:"severity"`
	Category string   `json:"category,omitempty"`
	Message  string   `json:"message"`
	Notes    []string `json:"notes,omitempty"`
	Hint     string   `json:"hint,omitempty"`
}

// PrintJSON writes the diagnostics to w in order, one JSON object a line with
// the fields file, line, column, width, severity, category, message, notes and
// hint; empty ones are left out. There is no limit.
func (l *List) PrintJSON(w io.Writer, o Options) error {
	p := o.printer()
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, d := range l.All() {
		err := enc.Encode(record{
			File: p.rel(d.Pos.Filename), Line: d.Pos.Line, Column: d.Pos.Column, Width: d.Width,
			Severity: d.Severity.String(), Category: d.Category,
			Message: d.Message, Notes: d.Notes, Hint: d.Hint,
		})
		if err != nil {
			return err
		}
	}
	return nil
}
