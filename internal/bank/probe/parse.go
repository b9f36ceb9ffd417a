package probe

import (
	"cmp"
	"errors"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Ending is the ending of the files of a bank.
const Ending = ".go-txt"

// ReadDir reads the cases of a folder, in the order of their names. A file that
// cannot be used gives a case with an Err.
func ReadDir(dir string) ([]*Case, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*"+Ending))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		if _, err := os.Stat(dir); err != nil {
			return nil, err
		}
		return nil, errors.New("no *" + Ending + " files in " + dir)
	}
	slices.Sort(files)
	var cases []*Case
	for _, f := range files {
		text, err := os.ReadFile(f)
		var c *Case
		if err != nil {
			c = &Case{Err: err.Error()}
		} else {
			c = Parse(string(text))
		}
		c.Path = f
		c.ID = strings.TrimSuffix(filepath.Base(f), Ending)
		cases = append(cases, c)
	}
	return cases, nil
}

// Parse reads a case. What is wrong with it is in Err of the result.
//
// A file has header lines "key: value", a line "---", a Go snippet, and behind
// the last line of code comments with the expectations, one "// @key value"
// each. Header keys and expectation keys that are not known are ignored.
func Parse(text string) *Case {
	c := &Case{}
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	at := slices.IndexFunc(lines, func(l string) bool { return strings.TrimSpace(l) == "---" })
	if at < 0 {
		c.fail(1, "no line with --- between header and snippet")
		return c
	}
	for i, l := range lines[:at] {
		c.header(i+1, l)
	}
	end := len(lines)
	for end > at+1 {
		l := strings.TrimSpace(lines[end-1])
		if l != "" && !strings.HasPrefix(l, "//") {
			break
		}
		end--
	}
	c.Snippet = strings.Join(lines[at+1:end], "\n") + "\n"
	if strings.TrimSpace(c.Snippet) == "" {
		c.fail(at+1, "no snippet")
	}
	p := &pointParser{c: c}
	for i := end; i < len(lines); i++ {
		if how, ok := strings.CutPrefix(lines[i], "// how:"); ok {
			c.How = strings.TrimSpace(how)
		}
		if l, ok := strings.CutPrefix(strings.TrimSpace(lines[i]), "// @"); ok {
			key, value, _ := strings.Cut(l, " ")
			p.line(i+1, key, strings.TrimSpace(value))
		}
	}
	p.finish()
	if c.Entry == "" {
		c.fail(1, "no entry")
	}
	switch c.Accept {
	case "exact", "exact-or-refuse", "refuse", "convention", "budget":
	default:
		c.fail(1, "accept is %q", c.Accept)
	}
	if len(c.Points) == 0 && c.Accept != "refuse" {
		c.fail(len(lines), "no points")
	}
	return c
}

// header reads one line of the header.
func (c *Case) header(line int, l string) {
	key, value, ok := strings.Cut(l, ":")
	if !ok {
		if strings.TrimSpace(l) != "" {
			c.fail(line, "%q is no header line", l)
		}
		return
	}
	value = strings.TrimSpace(value)
	switch strings.TrimSpace(key) {
	case "accept":
		c.Accept = value
	case "entry":
		c.Entry = value
	case "batch":
		c.Batch = value != "" && value != "-"
	case "modes":
		if value != "-" {
			c.Modes = strings.Fields(value)
		}
	case "imports":
		for _, s := range strings.Split(value, ",") {
			f := strings.Fields(s)
			switch {
			case len(f) == 0 || len(f) == 1 && f[0] == "-":
			case len(f) == 1:
				c.Imports = append(c.Imports, Import{Path: strings.Trim(f[0], `"`)})
			case len(f) == 2:
				c.Imports = append(c.Imports, Import{Name: f[0], Path: strings.Trim(f[1], `"`)})
			default:
				c.fail(line, "%q is no import", s)
			}
		}
	case "standin":
		for _, s := range strings.Split(value, ";") {
			f, op, ok := strings.Cut(strings.TrimSpace(s), "=")
			if !ok {
				c.fail(line, "%q is no standin", s)
				continue
			}
			c.StandIn = append(c.StandIn, StandIn{strings.TrimSpace(f), strings.TrimSpace(op)})
		}
	case "rule":
		for _, s := range strings.Split(value, ";") {
			c.rule(line, s)
		}
	}
}

// rule reads "vjp F=FRule wrt=a,b".
func (c *Case) rule(line int, s string) {
	f := strings.Fields(s)
	if len(f) < 2 || f[0] != "vjp" && f[0] != "jvp" {
		c.fail(line, "%q is no rule", s)
		return
	}
	fn, rule, ok := strings.Cut(f[1], "=")
	if !ok {
		c.fail(line, "%q is no rule", s)
		return
	}
	r := Rule{Kind: f[0], Func: fn, Rule: rule}
	for _, opt := range f[2:] {
		opt = strings.Trim(opt, "[]")
		if wrt, ok := strings.CutPrefix(opt, "wrt="); ok {
			r.Wrt = strings.Split(wrt, ",")
		}
	}
	c.Rules = append(c.Rules, r)
}

// A pointParser reads expectation lines.
type pointParser struct {
	c    *Case
	cur  *Point
	high []func() // what can be read only when the leaves are known
}

// Canonical returns a name as rows have it: with _ for blanks.
func Canonical(name string) string { return strings.ReplaceAll(strings.TrimSpace(name), " ", "_") }

// names splits a list of names with " , " between them.
func names(s string) []string {
	sep := " , "
	s = " " + s + " "
	if !strings.Contains(s, sep) && strings.Count(s, ",") > strings.Count(s, "[") {
		sep = "," // not as the format says, but clear
	}
	var list []string
	for _, n := range strings.Split(s, sep) {
		if n = Canonical(n); n != "" {
			list = append(list, n)
		}
	}
	return list
}

func (p *pointParser) line(line int, key, value string) {
	c := p.c
	switch key {
	case "point":
		p.finish()
		p.cur = &Point{Name: value, Line: line, Jac: map[string][]float64{}, Hess: map[string][][]float64{}}
		c.Points = append(c.Points, p.cur)
		return
	case "refuse":
		c.Refuse = append(c.Refuse, value)
		return
	case "budget":
		return
	}
	cur := p.cur
	if cur == nil {
		if key != "note" && key != "check" {
			c.fail(line, "@%s before the first @point", key)
		}
		return
	}
	out, rest, hasRow := strings.Cut(value, ":")
	out = strings.TrimSpace(out)
	switch key {
	case "arg":
		name, expr, ok := strings.Cut(value, "=")
		at := strings.LastIndex(expr, ";")
		if !ok || at < 0 {
			c.fail(line, "%q is no argument", value)
			return
		}
		kind := strings.TrimSpace(expr[at+1:])
		if kind != "active" && kind != "const" {
			c.fail(line, "an argument is active or const, not %q", kind)
		}
		cur.Args = append(cur.Args, Arg{strings.TrimSpace(name), strings.TrimSpace(expr[:at]), kind == "active"})
	case "leaves":
		cur.Leaves = names(value)
	case "outs":
		cur.Outs = names(value)
	case "val":
		cur.Val = p.numbers(line, value)
		for _, f := range strings.Fields(value) {
			cur.Signs = append(cur.Signs, map[string]int{"+0": 1, "-0": -1}[f])
		}
	case "jac", "hess", "d3":
		if !hasRow {
			c.fail(line, "no : in @%s", key)
			return
		}
		p.row(line, key, out, rest)
	case "allow":
		p.allow(line, value)
	case "within":
		if cur.Within = p.numbers(line, value); len(cur.Within) != 2 {
			c.fail(line, "%q is no pair of tolerances", value)
		}
	case "rtol":
		cur.RTol = p.leading(line, value)
	case "check":
		for _, f := range strings.Fields(value) {
			if v, ok := strings.CutPrefix(f, "vtol="); ok {
				cur.ValTol = p.leading(line, v)
			}
		}
	case "panics":
		cur.Panics = true
	case "note":
		cur.Notes = append(cur.Notes, value)
	}
}

// row reads a row of numbers.
func (p *pointParser) row(line int, key, out, rest string) {
	cur := p.cur
	switch key {
	case "jac":
		cur.Jac[out] = p.numbers(line, rest)
	case "hess":
		var rows [][]float64
		for _, r := range strings.Split(rest, ";") {
			if strings.TrimSpace(rest) == "" {
				break
			}
			rows = append(rows, p.numbers(line, r))
		}
		cur.Hess[out] = rows
	case "d3":
		p.high = append(p.high, func() { p.highRow(line, cur, out, rest) })
	}
}

// highRow reads "r0 xxy : 1.5" or "r0 order 3 : 1.5", once the leaves are known.
func (p *pointParser) highRow(line int, cur *Point, head, rest string) {
	xs := p.numbers(line, rest)
	out, name, _ := strings.Cut(head, " ")
	name = strings.TrimSpace(name)
	h := High{Out: out, Name: name}
	if n, ok := strings.CutPrefix(name, "order"); ok && slices.Index(cur.Leaves, "order") < 0 {
		k, err := strconv.Atoi(strings.TrimSpace(n))
		if err != nil || k < 1 || k > 12 || len(cur.Leaves) != 1 {
			p.c.fail(line, "%q needs one leaf and an order", head)
			return
		}
		h.By = make([]int, k)
	} else {
		h.By = spell(strings.ReplaceAll(name, " ", ""), cur.Leaves)
	}
	if len(xs) != 1 || len(h.By) == 0 {
		p.c.fail(line, "cannot read the derivative %q", head)
		return
	}
	h.Value = xs[0]
	cur.High = append(cur.High, h)
}

// spell splits a word into names of leaves, longest first, or returns nil.
func spell(word string, leaves []string) []int {
	var by []int
	for word != "" {
		best := -1
		for i, l := range leaves {
			if strings.HasPrefix(word, l) && (best < 0 || len(l) > len(leaves[best])) {
				best = i
			}
		}
		if best < 0 {
			return nil
		}
		by = append(by, best)
		word = word[len(leaves[best]):]
	}
	return by
}

// allow reads "out leaf lo hi".
func (p *pointParser) allow(line int, value string) {
	f := strings.Fields(value)
	if len(f) < 4 {
		p.c.fail(line, "%q is no interval", value)
		return
	}
	n := len(f)
	lo, err1 := strconv.ParseFloat(f[n-2], 64)
	hi, err2 := strconv.ParseFloat(f[n-1], 64)
	if cmp.Or(err1, err2) != nil || lo > hi {
		p.c.fail(line, "%q is no interval", value)
		return
	}
	p.cur.Allow = append(p.cur.Allow, Allow{f[0], strings.Join(f[1:n-2], "_"), lo, hi})
}

func (p *pointParser) numbers(line int, s string) []float64 {
	xs := []float64{}
	for _, f := range strings.Fields(s) {
		x, err := strconv.ParseFloat(f, 64)
		if f == "?" {
			x, err = Unstated, nil
		}
		if err != nil {
			p.c.fail(line, "%q is no number", f)
		}
		xs = append(xs, x)
	}
	return xs
}

var number = regexp.MustCompile(`[-+]?\d+(\.\d*)?([eE][-+]?\d+)?(/\d+)?`)

// leading reads the number that a text begins with.
func (p *pointParser) leading(line int, s string) float64 {
	at := number.FindStringIndex(s)
	if at == nil || at[0] != 0 {
		p.c.fail(line, "%q does not begin with a number", s)
		return 0
	}
	x, _ := fraction(s[:at[1]])
	return x
}

// fraction parses 1.5 or -1/3.
func fraction(s string) (float64, bool) {
	a, b, ok := strings.Cut(s, "/")
	x, err := strconv.ParseFloat(a, 64)
	if ok && err == nil {
		var y float64
		y, err = strconv.ParseFloat(b, 64)
		x /= y
	}
	return x, err == nil
}

// finish checks the current point.
func (p *pointParser) finish() {
	for _, f := range p.high {
		f()
	}
	p.high = nil
	cur, c := p.cur, p.c
	p.cur = nil
	if cur == nil {
		return
	}
	for _, n := range cur.Notes {
		low := strings.ToLower(n)
		if strings.Contains(low, "nan is also accepted") || strings.Contains(low, "nan is accepted") {
			cur.NaNToo = true
		}
		if strings.Contains(low, "accept either") {
			for _, s := range number.FindAllString(n, -1) {
				if x, ok := fraction(s); ok {
					cur.Either = append(cur.Either, x)
				}
			}
		}
	}
	if cur.ValTol == 0 {
		cur.ValTol = 1e-12
	}
	if cur.RTol == 0 {
		cur.RTol = 1e-12
	}
	if cur.Panics {
		return
	}
	n := len(cur.Leaves)
	if len(cur.Val) != len(cur.Outs) {
		c.fail(cur.Line, "%d values for %d outputs", len(cur.Val), len(cur.Outs))
	}
	known := func(out string) {
		if !slices.Contains(cur.Outs, out) {
			c.fail(cur.Line, "no output %s", out)
		}
	}
	for _, out := range slices.Sorted(maps.Keys(cur.Jac)) {
		known(out)
		if row := cur.Jac[out]; len(row) != n {
			c.fail(cur.Line, "@jac %s has %d entries for %d leaves", out, len(row), n)
		}
	}
	for _, out := range slices.Sorted(maps.Keys(cur.Hess)) {
		known(out)
		rows := cur.Hess[out]
		if len(rows) != n || slices.ContainsFunc(rows, func(r []float64) bool { return len(r) != n }) {
			c.fail(cur.Line, "@hess %s is not %d times %d", out, n, n)
		}
	}
	for _, h := range cur.High {
		known(h.Out)
	}
	for _, a := range cur.Allow {
		known(a.Out)
		if !slices.Contains(cur.Leaves, a.Leaf) || math.IsNaN(a.Lo) || math.IsNaN(a.Hi) {
			c.fail(cur.Line, "@allow names the leaf %q", a.Leaf)
		}
	}
}
