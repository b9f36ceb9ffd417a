package diag

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"
	"sync"
)

// A Severity says whether a diagnostic stops generation.
type Severity int

const (
	// Error is a problem: nothing is written for its package.
	Error Severity = iota
	// Warning is a finding that stops nothing.
	Warning
)

func (s Severity) String() string {
	if s == Warning {
		return "warning"
	}
	return "error"
}

// A Diagnostic is one problem at one place of the user's source.
type Diagnostic struct {
	Pos      token.Position // where; the file name is absolute or as the caller knows it
	Width    int            // bytes of source meant, from Pos; 0 and 1 give a lone caret
	Severity Severity
	Message  string   // what is wrong, in the user's words, without a full stop
	Notes    []string // why it matters: what needs the offending place
	Hint     string   // what to do, without the word "hint"
	Category string   // a stable word for programs, such as "directive" or "compile"
}

// A List collects diagnostics. The zero value is an empty list. Its methods may
// be called from several goroutines.
type List struct {
	mu    sync.Mutex
	items []Diagnostic
}

// Add adds d. A diagnostic with the place and the message of an earlier one is
// the same cause seen again: only its new notes are kept.
func (l *List) Add(d Diagnostic) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.items {
		old := &l.items[i]
		if !sameCause(old, &d) {
			continue
		}
		for _, n := range d.Notes {
			if !slices.Contains(old.Notes, n) {
				old.Notes = append(old.Notes, n)
			}
		}
		old.Width = max(old.Width, d.Width)
		if old.Hint == "" {
			old.Hint = d.Hint
		}
		old.Severity = min(old.Severity, d.Severity)
		return
	}
	d.Notes = slices.Clone(d.Notes)
	l.items = append(l.items, d)
}

func sameCause(a, b *Diagnostic) bool {
	return a.Message == b.Message && a.Pos.Line == b.Pos.Line &&
		a.Pos.Column == b.Pos.Column && a.Pos.Filename == b.Pos.Filename
}

// Errorf adds an error of the given category without notes or a hint.
func (l *List) Errorf(pos token.Position, width int, category, format string, args ...any) {
	l.Add(Diagnostic{Pos: pos, Width: width, Category: category, Message: fmt.Sprintf(format, args...)})
}

// AddAll adds all diagnostics of m.
func (l *List) AddAll(m *List) {
	for _, d := range m.All() {
		l.Add(d)
	}
}

// Len returns the number of diagnostics.
func (l *List) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.items)
}

// HasErrors reports whether the list has a diagnostic that is not a warning.
func (l *List) HasErrors() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.ContainsFunc(l.items, func(d Diagnostic) bool { return d.Severity == Error })
}

// All returns the diagnostics in order of file, line, column and message.
// Diagnostics without a place come first.
func (l *List) All() []Diagnostic {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := slices.Clone(l.items)
	slices.SortStableFunc(s, func(a, b Diagnostic) int {
		return cmp.Or(
			cmp.Compare(a.Pos.Filename, b.Pos.Filename),
			cmp.Compare(a.Pos.Line, b.Pos.Line),
			cmp.Compare(a.Pos.Column, b.Pos.Column),
			cmp.Compare(a.Message, b.Message),
		)
	})
	return s
}
