package analyze

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/quabla/quabla/diag"
)

// A Directive is a //quabla: comment that parsed.
type Directive struct {
	Verb Verb
	Text string // the comment, from its slashes
	Pos  token.Pos
	File *File

	// What it stands above; all are nil for a directive outside declarations.
	Func  *ast.FuncDecl // also the function around Stmt
	Stmt  ast.Stmt
	Field *ast.Field

	Args  []Word // what is neither key=value nor a flag
	Keys  []Key
	Flags []Word

	expr *exprSyntax // of derive
}

// A Word is a piece of a directive.
type Word struct {
	Text string
	Pos  token.Pos
}

// End returns the position behind the word.
func (w Word) End() token.Pos { return w.Pos + token.Pos(len(w.Text)) }

// A Key is a key=value of a directive.
type Key struct {
	Word        // the key
	Value  Word // the whole value
	Values []Word
}

// Key returns the argument with the given key, or nil.
func (d *Directive) Key(name string) *Key {
	for i := range d.Keys {
		if d.Keys[i].Text == name {
			return &d.Keys[i]
		}
	}
	return nil
}

// values returns the list behind a key, or nil.
func (d *Directive) values(name string) []Word {
	if k := d.Key(name); k != nil {
		return k.Values
	}
	return nil
}

// Flag reports whether the directive has the given flag.
func (d *Directive) Flag(name string) bool {
	return slices.ContainsFunc(d.Flags, func(w Word) bool { return w.Text == name })
}

// verbWord returns the word quabla:verb.
func (d *Directive) verbWord() Word {
	return Word{"quabla:" + string(d.Verb), d.Pos + 2}
}

// A reporter adds diagnostics of one category about a program's source.
type reporter struct {
	fset     *token.FileSet
	list     *diag.List
	category string
}

// quietReporter returns a reporter whose diagnostics nobody sees.
func quietReporter(p *Program) *reporter {
	return &reporter{p.Fset, new(diag.List), "directive"}
}

// errorf reports a problem at w. The hint may be empty.
func (r *reporter) errorf(w Word, hint, format string, args ...any) {
	r.list.Add(diag.Diagnostic{
		Pos: r.fset.Position(w.Pos), Width: len(w.Text), Category: r.category,
		Message: fmt.Sprintf(format, args...), Hint: hint,
	})
}

// parseDirective parses one comment line. It returns nil, after a report, if
// the line has an error, and nil without one if it is no directive.
func parseDirective(r *reporter, slash token.Pos, text string) *Directive {
	text = strings.TrimRight(text, " \t\r\n")
	parsed, ok := ast.ParseDirective(slash, text)
	if !ok || parsed.Tool != "quabla" {
		nearDirective(r, slash, text)
		return nil
	}
	d := &Directive{Verb: Verb(parsed.Name), Text: text, Pos: slash}
	info := d.Verb.info()
	if info == nil {
		r.unknownVerb(d.verbWord(), parsed.Name)
		return nil
	}
	if info.args == exprArg {
		return parseDerive(r, d, parsed.Args, parsed.ArgsPos)
	}
	if info.args == anyArgs {
		if parsed.Args != "" {
			d.Args = []Word{{parsed.Args, parsed.ArgsPos}}
		}
		return d
	}
	words, err := parsed.ParseArgs()
	if err != nil {
		r.errorf(Word{parsed.Args, parsed.ArgsPos}, "", "cannot read the arguments of quabla:%s: %v", d.Verb, err)
		return nil
	}
	for _, a := range words {
		if !d.addWord(r, info, Word{a.Arg, a.Pos}) {
			return nil // what follows may follow from it
		}
	}
	if info.args == someParams && len(d.Args) == 0 {
		r.errorf(d.verbWord(), fmt.Sprintf("write //quabla:%s p for a parameter p", d.Verb), "quabla:%s names no parameter", d.Verb)
		return nil
	}
	return d
}

// unknownVerb reports a verb that is none.
func (r *reporter) unknownVerb(w Word, name string) {
	hint := "the directives are " + strings.Join(allVerbs(), ", ")
	if n := diag.Nearest(name, allVerbs()); n != "" {
		hint = fmt.Sprintf("did you mean quabla:%s?", n)
	}
	r.errorf(w, hint, "unknown directive %s", w.Text)
}

// addWord files a word of a directive under Args, Keys or Flags.
func (d *Directive) addWord(r *reporter, info *verbInfo, w Word) bool {
	key, value, isKey := strings.Cut(w.Text, "=")
	if !isKey {
		return d.addBare(r, info, w)
	}
	k := Key{Word: Word{key, w.Pos}, Value: Word{value, w.Pos + token.Pos(len(key)+1)}}
	switch {
	case key == "":
		r.errorf(w, "write key=value without spaces", "stray = in quabla:%s", d.Verb)
		return false
	case !slices.Contains(info.keys, key):
		if slices.Contains(info.flags, key) {
			r.errorf(w, "write "+key+" alone", "%s takes no value", key)
			return false
		}
		r.errorf(k.Word, keyHint(info, key), "quabla:%s has no option %s", d.Verb, key)
		return false
	case d.Key(key) != nil:
		r.errorf(w, "", "%s= is given twice", key)
		return false
	case value == "":
		r.errorf(w, "write key=value without spaces", "%s= needs a value", key)
		return false
	}
	pos := k.Value.Pos
	good := true
	for part := range strings.SplitSeq(value, ",") {
		v := Word{part, pos}
		pos = v.End() + 1
		switch {
		case part == "":
			r.errorf(k.Value, "write lists without spaces: "+key+"=x,a", "%s= has an empty entry", key)
			return false
		case key != "in" && slices.ContainsFunc(k.Values, func(o Word) bool { return o.Text == part }):
			r.errorf(v, "", "%s= names %s twice", key, part)
			good = false
		default:
			k.Values = append(k.Values, v)
		}
	}
	if len(k.Values) > 1 && !slices.Contains([]string{"wrt", "of", "in"}, key) {
		r.errorf(k.Value, "", "%s= takes one value", key)
		return false
	}
	d.Keys = append(d.Keys, k)
	return good
}

// addBare files a word without an equals sign.
func (d *Directive) addBare(r *reporter, info *verbInfo, w Word) bool {
	switch {
	case slices.Contains(info.flags, w.Text):
		if d.Flag(w.Text) {
			r.errorf(w, "", "%s is given twice", w.Text)
			return false
		}
		d.Flags = append(d.Flags, w)
		return true
	case info.args == funcArg && len(d.Args) == 0:
		d.Args = append(d.Args, w)
		return true
	case info.args == someParams || info.args == optParams:
		pos := w.Pos
		for part := range strings.SplitSeq(w.Text, ",") {
			if part != "" {
				d.Args = append(d.Args, Word{part, pos})
			}
			pos += token.Pos(len(part) + 1)
		}
		return true
	}
	hint := keyHint(info, w.Text)
	switch {
	case slices.Contains(info.keys, w.Text):
		hint = fmt.Sprintf("write %s=... without spaces", w.Text)
	case strings.HasPrefix(w.Text, "//"):
		hint = "put the remark on a line of its own; a directive takes the whole line"
	case slices.Contains(info.keys, "wrt") && token.IsIdentifier(strings.Trim(w.Text, ",")) && diag.Nearest(w.Text, info.words()) == "":
		hint = fmt.Sprintf("did you mean wrt=%s? (lists are written without spaces: wrt=x,a)", strings.Trim(w.Text, ","))
	}
	r.errorf(w, hint, "unexpected %s in quabla:%s", w.Text, d.Verb)
	return false
}

// words returns the keys and flags of a verb.
func (v *verbInfo) words() []string { return slices.Concat(v.keys, v.flags) }

// keyHint suggests an option of a verb for a word that is none.
func keyHint(info *verbInfo, word string) string {
	show := func(k string) string {
		if slices.Contains(info.keys, k) {
			return k + "="
		}
		return k
	}
	if n := diag.Nearest(word, info.words()); n != "" {
		return fmt.Sprintf("did you mean %s?", show(n))
	}
	if len(info.words()) == 0 {
		return fmt.Sprintf("quabla:%s has no options", info.verb)
	}
	if slices.Contains(allKeys(), word) {
		for i := range verbTable {
			if slices.Contains(verbTable[i].words(), word) {
				return fmt.Sprintf("%s is an option of quabla:%s", show2(&verbTable[i], word), verbTable[i].verb)
			}
		}
	}
	var opts []string
	for _, k := range info.words() {
		opts = append(opts, show(k))
	}
	return fmt.Sprintf("the options of quabla:%s are %s", info.verb, strings.Join(opts, ", "))
}

func show2(info *verbInfo, k string) string {
	if slices.Contains(info.keys, k) {
		return k + "="
	}
	return k
}

// nearDirective reports a comment that is almost a directive and would be
// ignored in silence: with a space behind the slashes or the colon, with a
// capital, or with a letter wrong in the word quabla.
func nearDirective(r *reporter, slash token.Pos, text string) {
	body, ok := strings.CutPrefix(text, "//")
	if !ok {
		if body, ok = strings.CutPrefix(text, "/*"); ok && strings.HasPrefix(strings.TrimSpace(body), "quabla:") {
			r.errorf(Word{text[:min(len(text), 2)], slash}, "write //quabla:...", "a directive must be a // comment")
		}
		return
	}
	tool, rest, ok := strings.Cut(body, ":")
	if !ok {
		return
	}
	name := strings.TrimSpace(tool)
	lower := strings.ToLower(name)
	letters := func(r rune) bool { return 'a' <= r && r <= 'z' }
	if strings.TrimFunc(lower, letters) != "" || (lower != "quabla" && diag.Nearest(lower, []string{"quabla"}) == "") {
		return
	}
	if strings.HasPrefix(tool, " ") && strings.HasPrefix(rest, " ") {
		return // prose
	}
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		if tool == "quabla" {
			r.errorf(Word{text, slash}, "the directives are "+strings.Join(allVerbs(), ", "), "//quabla: names no directive")
		}
		return
	}
	// In prose ("quabla: see the guide") the next word is no verb.
	verb := strings.ToLower(fields[0])
	if Verb(verb).info() == nil {
		near := diag.Nearest(verb, allVerbs())
		if near == "" && tool == "quabla" && strings.HasPrefix(rest, fields[0]) {
			r.unknownVerb(Word{"quabla:" + fields[0], slash + 2}, fields[0])
			return
		}
		if near == "" || tool != "quabla" && strings.HasPrefix(rest, " ") {
			return
		}
		verb = near
	}
	fixed := strings.Join(append([]string{"//quabla:" + verb}, fields[1:]...), " ")
	r.errorf(Word{text, slash}, "write "+fixed, "this comment looks like a directive but is none")
}
