package emit

import (
	"fmt"
	"go/types"
	"strings"

	"github.com/quabla/quabla/ssair"
)

// A Func is a function to be printed.
type Func struct {
	IR   *ssair.Func
	Name string
	Doc  string // text of the doc comment, without slashes
	Recv bool   // the first parameter is the receiver
	// TypeParams is the list of type parameters with brackets, or "".
	TypeParams *types.TypeParamList
	// Params and Results override the names in the IR.
	Params, Results []string
}

// print prints fn with its doc comment.
func (f *File) print(fn *Func, im *imports) string {
	ir := fn.IR
	w := &writer{
		file: f, im: im, declared: map[*class]bool{}, headers: map[*ssair.Op]map[int]bool{},
		loops: map[*ssair.Op]*loopForm{}, skip: map[*ssair.Op]bool{}, facts: map[*ssair.Value]bool{}, zeroed: map[*class]bool{},
	}
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
	reserved := map[string]bool{}
	for n := range f.reserved {
		reserved[n] = true
	}
	params = distinct(params, reserved)
	w.c.assignNames(reserved, params, ir.Results, fn.Results)
	for _, k := range w.c.list() {
		if k.result {
			w.declared[k] = true
			w.zeroed[k] = true
		}
	}
	w.indent = 1
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
	body := w.b.String()
	var b strings.Builder
	for _, l := range strings.Split(strings.TrimSpace(fn.Doc), "\n") {
		if l = strings.TrimRight(l, " "); l == "" && fn.Doc == "" {
			continue
		}
		b.WriteString(strings.TrimRight("// "+l, " ") + "\n")
	}
	b.WriteString("func ")
	ps := ir.Params
	if fn.Recv {
		fmt.Fprintf(&b, "(%s %s) ", params[0], im.typ(ps[0].Type))
		ps, params = ps[1:], params[1:]
	}
	b.WriteString(fn.Name)
	if fn.TypeParams.Len() > 0 {
		b.WriteString(typeParams(im, fn.TypeParams))
	}
	fmt.Fprintf(&b, "(%s)", w.fields(params, ps))
	b.WriteString(w.resultList(fn))
	b.WriteString(" {\n")
	b.WriteString(body)
	b.WriteString("}\n")
	return b.String()
}

// distinct makes parameter names unique.
func distinct(names []string, reserved map[string]bool) []string {
	seen := map[string]bool{}
	out := make([]string, len(names))
	for i, n := range names {
		if n == "" || n == "_" {
			n = "_"
			out[i] = fmt.Sprintf("p%d", i)
			continue
		}
		base := n
		for k := 2; seen[n]; k++ {
			n = fmt.Sprintf("%s%d", base, k)
		}
		seen[n] = true
		out[i] = n
	}
	return out
}

func typeParams(im *imports, l *types.TypeParamList) string {
	var ss []string
	for i := range l.Len() {
		p := l.At(i)
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

// adjointNote marks the start of derivative code with its source line.
func (w *writer) adjointNote(o *ssair.Op) string { return "" }

// funcName returns the name of a function of the file.
func (w *writer) funcName(f *ssair.Func) string {
	for _, g := range w.file.Funcs {
		if g.IR == f {
			return g.Name
		}
	}
	return f.Name
}
