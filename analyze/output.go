package analyze

import (
	"errors"
	"fmt"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"strings"
)

// An OutputError is an error of the compiler in generated code.
type OutputError struct {
	Pos  token.Position
	Msg  string
	Line string // the text at Pos if it is in a generated file

	// Import is the path of a package that cannot be imported, if that is the
	// error; then it is the user's module that lacks something.
	Import string
}

func (e *OutputError) Error() string {
	at := e.Pos
	at.Filename = baseName(at.Filename)
	if e.Line == "" {
		return fmt.Sprintf("%s: %s", at, e.Msg)
	}
	return fmt.Sprintf("%s: %s\n\t%s", at, e.Msg, e.Line)
}

// CheckOutput type-checks generated files, given by path, together with the
// user's files of the package. Derived functions of other files are stubs. An
// error in the code is an [*OutputError].
func (p *Package) CheckOutput(files map[string][]byte) error {
	if len(files) == 0 {
		return nil
	}
	given := make(map[string]bool) // sources that the generated files come from
	syntax := p.syntax()
	for _, path := range sortedKeys(files) {
		f, err := parser.ParseFile(p.prog.Fset, path, files[path], parser.SkipObjectResolution)
		var list scanner.ErrorList
		if errors.As(err, &list) {
			return outputError(list[0].Pos, list[0].Msg, files)
		}
		if err != nil {
			return err
		}
		source, _ := GeneratedSource(files[path])
		given[source] = true
		syntax = append(syntax, f)
	}
	stubs, err := p.stubFile(func(r *Request) bool { return !given[r.File.Name] })
	if err != nil {
		return err
	}
	if stubs != nil {
		syntax = append(syntax, stubs)
	}
	var errs typeErrors
	conf := p.config(&errs)
	types.NewChecker(&conf, p.prog.Fset, types.NewPackage(p.Path, p.Name), nil).Files(syntax)
	if len(errs) == 0 {
		return nil
	}
	return outputError(p.prog.Fset.Position(errs[0].Pos), errs[0].Msg, files)
}

// outputError describes an error in a generated file.
func outputError(at token.Position, msg string, files map[string][]byte) error {
	e := &OutputError{Pos: at, Msg: msg}
	if lines := strings.Split(string(files[at.Filename]), "\n"); at.Line >= 1 && at.Line <= len(lines) {
		e.Line = strings.TrimSpace(lines[at.Line-1])
	}
	if rest, ok := strings.CutPrefix(msg, "could not import "); ok {
		e.Import, _, _ = strings.Cut(rest, " ")
	}
	return e
}
