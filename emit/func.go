package emit

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"github.com/quabla/quabla/ssair"
)

// A Func is a function to be printed.
type Func struct {
	IR         *ssair.Func
	Name       string
	Doc        string // text of the doc comment, without slashes
	Recv       bool   // the first parameter is the receiver
	TypeParams []*types.TypeParam
	// Pool, if not nil, says that the function takes a work space: it is
	// printed under the name In, and a function Name that takes one from a pool
	// is printed in front of it.
	Pool *Pool
	// Fresh, if not nil, is the form that makes its destinations, printed behind the
	// function.
	Fresh *Fresh
	// Params and Results override the names in the IR.
	Params, Results []string
}

// A Pool describes the work space of a function.
type Pool struct {
	Var   string // the variable that holds unused work spaces
	Work  string // the type of the work space
	In    string // the name of the form with a work space
	InDoc string
	Param *ssair.Value // the parameter that is the work space
}

// print prints fn with its doc comment.
func (f *File) print(fn *Func, im *imports) string {
	ir := fn.IR
	pin(ir)
	w := newWriter(f, im)
	late := map[*ssair.Value]bool{}
	for range 4 {
		w.p = newPlan(ir, late)
		w.c = newClasses(w.p)
		more := w.c.lateYields()
		if len(more) == 0 {
			break
		}
		for _, v := range more {
			late[v] = true
		}
	}
	w.forms()
	w.c.place(w.headers)
	params := fn.Params
	if params == nil {
		for _, v := range ir.Params {
			params = append(params, v.Name())
		}
	}
	reserved := Reserved(ir)
	for _, x := range f.Funcs {
		reserved[x.Name] = true
	}
	params = distinct(params, reserved)
	w.c.assignNames(reserved, params, ir.Results, fn.Results)
	w.body(ir)
	// Go refuses variables that nothing reads: what turns out to be one is left
	// out in another attempt.
	for range 8 {
		unread := w.unread()
		if len(unread) == 0 {
			break
		}
		next := newWriter(f, im)
		next.p, next.c, next.dropped = w.p, w.c, w.dropped
		for _, k := range unread {
			next.dropped[k] = true
		}
		w = next
		w.forms()
		w.body(ir)
	}
	body := w.b.String()
	name, doc := fn.Name, fn.Doc
	var b strings.Builder
	if fn.Pool != nil {
		b.WriteString(w.pooled(fn, params))
		name, doc = fn.Pool.In, fn.Pool.InDoc
	}
	b.WriteString(comment(doc))
	b.WriteString(w.signature(fn, name, params, ir.Params))
	b.WriteString(" {\n")
	b.WriteString(body)
	b.WriteString("}\n")
	if fn.Fresh != nil {
		b.WriteString("\n" + w.fresh(fn, params))
	}
	return b.String()
}

func newWriter(f *File, im *imports) *writer {
	return &writer{
		file: f, im: im, declared: map[*class]bool{}, headers: map[*ssair.Op]map[int]bool{},
		loops: map[*ssair.Op]*loopForm{}, skip: map[*ssair.Op]bool{}, facts: map[*ssair.Value]bool{}, zeroed: map[*class]bool{},
		reads: map[*class]bool{}, dropped: map[*class]bool{}, spread: map[*ssair.Value][]*ssair.Value{},
	}
}

// body prints the body of ir.
func (w *writer) body(ir *ssair.Func) {
	for _, k := range w.c.list() {
		if k.result {
			w.declared[k] = true
			w.zeroed[k] = true
		}
	}
	w.indent = 1
	w.allReverse = allReverse(ir.Body)
	w.statements(ir.Body, func() {
		t := ir.Body.Term()
		var vs []string
		for _, v := range t.Args {
			vs = append(vs, w.str(v))
		}
		if len(vs) > 0 {
			w.linef("return %s", strings.Join(vs, ", "))
		}
	})
}

// unread returns the variables that are declared but not read.
func (w *writer) unread() []*class {
	var out []*class
	for k := range w.declared {
		if !w.reads[k] && !k.param && !k.result && !w.dropped[k] {
			out = append(out, k)
		}
	}
	return out
}

// comment prints a doc comment.
func comment(doc string) string {
	if doc == "" {
		return ""
	}
	doc = wrap(doc, 76)
	var b strings.Builder
	for _, l := range strings.Split(strings.TrimSpace(doc), "\n") {
		b.WriteString(strings.TrimRight("// "+l, " ") + "\n")
	}
	return b.String()
}

// signature prints fn up to its results.
func (w *writer) signature(fn *Func, name string, params []string, ps []*ssair.Value) string {
	var b strings.Builder
	b.WriteString("func ")
	if fn.Recv {
		fmt.Fprintf(&b, "(%s %s) ", params[0], w.im.typ(ps[0].Type))
		ps, params = ps[1:], params[1:]
	}
	b.WriteString(name)
	if len(fn.TypeParams) > 0 {
		b.WriteString(typeParams(w.im, fn.TypeParams))
	}
	fmt.Fprintf(&b, "(%s)", w.fields(params, ps))
	b.WriteString(w.resultList(fn))
	return b.String()
}

// pooled prints the form of fn that takes its work space from a pool.
func (w *writer) pooled(fn *Func, params []string) string {
	ws := ""
	var outer, args []string
	var ps []*ssair.Value
	for i, p := range fn.IR.Params {
		if p == fn.Pool.Param {
			ws = params[i]
			args = append(args, ws)
			continue
		}
		outer = append(outer, params[i])
		ps = append(ps, p)
		if !(fn.Recv && i == 0) {
			args = append(args, params[i])
		}
	}
	var b strings.Builder
	work := fn.Pool.Work + w.im.generic[fn.Pool.Work]
	fresh := "new(" + work + ")"
	if w.im.pkg.Scope().Lookup("new") != nil {
		fresh = "&" + work + "{}"
	}
	generic := work != fn.Pool.Work
	pool := fn.Pool.Var
	if generic {
		pool = "pool"
		for k := 2; slices.Contains(params, pool) || slices.Contains(fn.Results, pool); k++ {
			pool = fmt.Sprintf("pool%d", k)
		}
	} else {
		fmt.Fprintf(&b, "var %s = %s.Pool{New: func() any { return %s }}\n\n", pool, w.im.name("sync", "sync"), fresh)
	}
	b.WriteString(comment(fn.Doc))
	b.WriteString(w.signature(fn, fn.Name, outer, ps) + " {\n")
	if generic {
		fmt.Fprintf(&b, "\t%s := %s.Pool[%s]()\n", pool, w.im.name("github.com/quabla/quabla/rt", "rt"), work)
	}
	fmt.Fprintf(&b, "\t%s := %s.Get().(*%s)\n", ws, pool, work)
	call := fn.Pool.In
	if fn.Recv {
		call = outer[0] + "." + call
	}
	call += "(" + strings.Join(args, ", ") + ")"
	named := fn.Results
	if len(fn.IR.Results) > 0 {
		fmt.Fprintf(&b, "\t%s = %s\n", strings.Join(named, ", "), call)
	} else {
		fmt.Fprintf(&b, "\t%s\n", call)
	}
	fmt.Fprintf(&b, "\t%s.Put(%s)\n", pool, ws)
	if len(named) > 0 {
		fmt.Fprintf(&b, "\treturn %s\n", strings.Join(named, ", "))
	}
	b.WriteString("}\n\n")
	return b.String()
}

// distinct gives names a number that are reserved or stand there already, and
// spells those of unused parameters.
func distinct(names []string, reserved map[string]bool) []string {
	seen := map[string]bool{}
	out := make([]string, len(names))
	for i, n := range names {
		if n == "" || n == "_" {
			out[i] = fmt.Sprintf("p%d", i)
			continue
		}
		base := n
		for k := 2; seen[n] || reserved[n]; k++ {
			n = fmt.Sprintf("%s%d", base, k)
		}
		seen[n] = true
		out[i] = n
	}
	return out
}

func typeParams(im *imports, l []*types.TypeParam) string {
	var ss []string
	for _, p := range l {
		ss = append(ss, p.Obj().Name()+" "+im.typ(p.Constraint()))
	}
	return "[" + strings.Join(ss, ", ") + "]"
}

// fields prints a parameter list, grouping names of one type.
func (w *writer) fields(names []string, vs []*ssair.Value) string {
	var parts []string
	for i := 0; i < len(vs); {
		j := i + 1
		for j < len(vs) && types.Identical(vs[j].Type, vs[i].Type) {
			j++
		}
		parts = append(parts, strings.Join(names[i:j], ", ")+" "+w.im.typ(vs[i].Type))
		i = j
	}
	return strings.Join(parts, ", ")
}

func (w *writer) resultList(fn *Func) string {
	rs := fn.IR.Results
	if len(rs) == 0 {
		return ""
	}
	names := fn.Results
	named := len(names) == len(rs)
	for _, n := range names {
		named = named && n != ""
	}
	if !named {
		var ts []string
		for _, r := range rs {
			ts = append(ts, w.im.typ(r.Type))
		}
		if len(ts) == 1 {
			return " " + ts[0]
		}
		return " (" + strings.Join(ts, ", ") + ")"
	}
	var parts []string
	for i := 0; i < len(rs); {
		j := i + 1
		for j < len(rs) && types.Identical(rs[j].Type, rs[i].Type) {
			j++
		}
		parts = append(parts, strings.Join(names[i:j], ", ")+" "+w.im.typ(rs[i].Type))
		i = j
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// allReverse reports whether all statements of r belong to a reverse sweep.
func allReverse(r *ssair.Region) bool {
	for _, o := range r.Ops {
		if !o.Reverse && (len(o.Regions) > 0 || o.Kind.Writes()) {
			return false
		}
	}
	return true
}

// wrap breaks text into lines of at most width bytes.
func wrap(text string, width int) string {
	var lines []string
	line := ""
	for _, w := range strings.Fields(text) {
		if line != "" && len(line)+1+len(w) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += w
	}
	return strings.Join(append(lines, line), "\n")
}
