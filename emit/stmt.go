package emit

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// writer prints one function.
type writer struct {
	file   *File
	im     *imports
	p      *plan
	c      *classes
	b      strings.Builder
	indent int

	declared map[*class]bool
	zeroed   map[*class]bool // variables that still hold the zero they were declared with
	headers  map[*ssair.Op]map[int]bool
	loops    map[*ssair.Op]*loopForm
	skip     map[*ssair.Op]bool // ops that were printed with another one
	facts    map[*ssair.Value]bool
	assigned []*class
	reads    map[*class]bool // variables that are read
	dropped  map[*class]bool // variables that are left out

	// spread holds the elements of slices that are written as the last arguments of
	// a variadic call.
	spread map[*ssair.Value][]*ssair.Value

	note       string // a comment for the next line
	noted      string // the last note of an op that was printed
	allReverse bool   // the function is a reverse sweep
	alias      alias  // what results of ifs stand for in the arm being printed
}

func (w *writer) linef(format string, args ...any) {
	w.b.WriteString(strings.Repeat("\t", w.indent))
	text := fmt.Sprintf(format, args...)
	if w.note != "" && !strings.Contains(text, "\n") {
		text += w.note
	}
	w.note = ""
	w.b.WriteString(text)
	w.b.WriteByte('\n')
}

// statements prints the ops of r up to its terminator.
func (w *writer) statements(r *ssair.Region, end func()) {
	ops := r.Ops
	term := ops[len(ops)-1]
	reverse := r.Parent != nil && r.Parent.Reverse || r.Parent == nil && w.allReverse
	for _, o := range ops {
		if o == term {
			break
		}
		if w.skip[o] || len(o.Results) > 0 && w.p.inline[o.Results[0]] && o.Kind != ssair.Loop {
			continue
		}
		if w.p.tail[o] {
			w.tailIf(o, end)
			return
		}
		if w.p.logical(o) {
			if w.kept(o.Result()) {
				w.assign(o.Results, w.condition(o).s)
			}
			continue
		}
		w.declareFor(o)
		if starts := o.Kind == ssair.Loop || o.Kind == ssair.Store || o.Kind == ssair.Accum; o.Reverse && starts {
			// A block of adjoint code begins.
			if !reverse || o.Kind == ssair.Loop {
				w.note = w.position(o)
			}
			reverse = true
		}
		if o.Kind != ssair.Loop { // a loop has its initial values in front
			w.comment(o)
		}
		w.stmt(o)
		if o.Reverse {
			w.noted = ""
		}
	}
	if term.Kind == ssair.Unreachable {
		return
	}
	if end != nil {
		end()
	}
}

// comment prints the note of o above it, unless it has been printed since the last
// adjoint code.
func (w *writer) comment(o *ssair.Op) {
	if o.Note == "" || o.Note == w.noted {
		return
	}
	w.note = ""
	w.linef("// %s", o.Note)
	w.noted = o.Note
}

// declareFor declares the variables that are first assigned inside o but live
// beyond it.
func (w *writer) declareFor(o *ssair.Op) {
	if len(o.Regions) == 0 {
		return
	}
	own := map[*class]bool{}
	if o.Kind == ssair.Loop {
		for _, v := range o.Results {
			own[w.c.of[v]] = true // declared with its initial value
		}
	}
	need := func(v *ssair.Value) {
		k := w.c.of[v]
		if k == nil || own[k] || k.param || k.cell || w.dropped[k] || w.declared[k] || k.scope != o.Parent || k.header != nil {
			return
		}
		w.declared[k] = true
		w.zeroed[k] = true
		w.linef("var %s %s", k.name, w.im.typ(k.typ))
	}
	if o.Kind == ssair.If && !w.p.tail[o] {
		for _, v := range o.Results {
			need(v)
		}
	}
	for _, r := range o.Regions {
		r.Walk(func(x *ssair.Op) bool {
			for _, v := range x.Results {
				if !w.p.inline[v] {
					need(v)
				}
			}
			return true
		})
	}
}

// position returns a comment that names the source line of o.
func (w *writer) position(o *ssair.Op) string {
	fset := w.p.f.Mod.Fset
	if fset == nil || !o.Pos.IsValid() {
		return ""
	}
	p := fset.Position(o.Pos)
	if dirOf(p.Filename) != dirOf(fset.Position(w.p.f.Pos).Filename) {
		return "" // another package changes without this one
	}
	name := p.Filename[strings.LastIndexAny(p.Filename, `/\`)+1:]
	return fmt.Sprintf(" // %s:%d", name, p.Line)
}

func dirOf(file string) string { return file[:strings.LastIndexAny(file, `/\`)+1] }

func (w *writer) stmt(o *ssair.Op) {
	switch o.Kind {
	case ssair.If:
		w.ifStmt(o)
	case ssair.Loop:
		w.loop(o)
	case ssair.Store:
		w.store(o)
	case ssair.Accum:
		w.accum(o)
	case ssair.Clear:
		w.linef("%s(%s)", w.builtin("clear"), w.str(o.Args[0]))
	case ssair.ClearAll:
		w.linef("%s.ClearAll(%s)", w.rt(), w.str(o.Args[0]))
	case ssair.MapSet:
		w.linef("%s[%s] = %s", w.memory(o.Args[0]), w.str(o.Args[1]), w.str(o.Args[2]))
	case ssair.MapDelete:
		w.linef("delete(%s, %s)", w.str(o.Args[0]), w.str(o.Args[1]))
	case ssair.Panic:
		if len(o.Args) == 2 {
			w.linef("panic(%s.UnknownType(%s, %s))", w.rt(), w.str(o.Args[0]), w.str(o.Args[1]))
			return
		}
		x := o.Args[0]
		if d := x.Def; d != nil && d.Kind == ssair.MakeIface && w.p.inline[x] && types.IsInterface(d.Args[0].Type) {
			x = d.Args[0] // panic converts it
		}
		w.linef("panic(%s)", w.str(x))
	case ssair.MakeSlice:
		if w.exists(o.Result()) || len(w.p.uses[o.Result()]) == 0 || !w.literal(o) {
			w.define(o)
		}
	case ssair.Alloc:
		if (!w.exists(o.Result()) || o.Explicit) && w.literal(o) || !w.kept(o.Result()) {
			return
		}
		if !o.Explicit {
			w.declared[w.c.of[o.Result()]] = true
			w.linef("var %s %s", w.c.of[o.Result()].name, w.im.typ(o.Type))
			return
		}
		w.assign(o.Results, w.expr(o).s)
	case ssair.MapGet:
		w.mapGet(o)
	case ssair.TypeIs:
		w.typeIs(o)
	default:
		if len(o.Results) == 0 {
			w.linef("%s", w.expr(o).s)
			return
		}
		w.define(o)
	}
}

// define prints the assignment of the results of o.
func (w *writer) define(o *ssair.Op) {
	used := false
	for _, v := range o.Results {
		used = used || w.kept(v)
	}
	if !used {
		switch {
		case o.Kind == ssair.Call || o.Kind == ssair.Opaque || o.Kind == ssair.Copy:
			w.linef("%s", w.expr(o).s)
		case o.Safe || w.dropped[w.c.of[o.Results[0]]] && pass.Removable(o):
		default:
			w.linef("_ = %s", w.expr(o).s)
		}
		return
	}
	if len(o.Results) == 1 {
		v := o.Result()
		k := w.c.of[v]
		if w.declared[k] || k.param {
			if s, ok := w.opAssign(k, o); ok {
				delete(w.zeroed, k)
				w.linef("%s", s)
				return
			}
		}
		w.assign(o.Results, w.typedExpr(o, w.expr(o)))
		return
	}
	w.assign(o.Results, w.expr(o).s)
}

// exists reports whether the variable of v is declared already.
func (w *writer) exists(v *ssair.Value) bool {
	k := w.c.of[v]
	return w.declared[k] || k != nil && k.param
}

// kept reports whether v has a variable that is read.
func (w *writer) kept(v *ssair.Value) bool { return len(w.p.uses[v]) > 0 && !w.dropped[w.c.of[v]] }

// opAssign prints x = x op y as x op= y.
func (w *writer) opAssign(k *class, o *ssair.Op) (string, bool) {
	if o.Kind != ssair.Bin || w.c.of[o.Args[0]] != k && w.c.of[o.Args[1]] != k {
		return "", false
	}
	x, y := o.Args[0], o.Args[1]
	if w.p.inline[x] || w.c.of[x] != k {
		if o.Tok != token.ADD && o.Tok != token.MUL || ssair.IsString(o.Result().Type) || w.p.inline[y] {
			return "", false
		}
		x, y = y, x
	}
	return w.updated(k.name, o.Tok, y), true
}

// updated prints place op= y, with ++ and -- for one.
func (w *writer) updated(place string, tok token.Token, y *ssair.Value) string {
	s := w.str(y)
	if s == "1" && ssair.IsInteger(y.Type) && (tok == token.ADD || tok == token.SUB) {
		return place + tok.String() + tok.String()
	}
	if tok == token.ADD {
		if neg, ok := w.negative(y); ok {
			return place + " -= " + neg
		}
	}
	return place + " " + tok.String() + "= " + s
}

// negative returns x if v prints as -x.
func (w *writer) negative(v *ssair.Value) (string, bool) {
	if !w.p.inline[v] || !ssair.IsScalar(v.Type) {
		return "", false
	}
	switch d := v.Def; {
	case d.Kind == ssair.Un && d.Tok == token.SUB:
		return w.str(d.Args[0]), true
	case d.Kind == ssair.Bin && (d.Tok == token.MUL || d.Tok == token.QUO) && d.Loose:
		// -c * x
		if s := w.str(v); strings.HasPrefix(s, "-") && !strings.ContainsAny(s, "()") {
			return s[1:], true
		}
	}
	return "", false
}

// assign prints vs := e or vs = e; unused ones are blank.
func (w *writer) assign(vs []*ssair.Value, e string) {
	for _, v := range vs {
		delete(w.zeroed, w.c.of[v])
	}
	names := make([]string, len(vs))
	fresh := false
	for i, v := range vs {
		if !w.kept(v) {
			names[i] = "_"
			continue
		}
		k := w.c.of[v]
		names[i] = k.name
		if !w.declared[k] && !k.param {
			if k.scope != v.Def.Parent {
				panic(fmt.Sprintf("emit: %s of %s is not declared", k.name, w.p.f.Name))
			}
			fresh = true
		}
	}
	if fresh {
		// With := all new variables must belong to this scope.
		for i, v := range vs {
			k := w.c.of[v]
			if names[i] == "_" || k.param || w.declared[k] {
				if names[i] != "_" && k.scope != v.Def.Parent {
					w.separately(vs, names, e)
					return
				}
			}
		}
		for i, v := range vs {
			if names[i] != "_" {
				w.declared[w.c.of[v]] = true
			}
		}
		w.linef("%s := %s", strings.Join(names, ", "), e)
		return
	}
	w.linef("%s = %s", strings.Join(names, ", "), e)
}

// separately declares the new variables first and then assigns all.
func (w *writer) separately(vs []*ssair.Value, names []string, e string) {
	for i, v := range vs {
		k := w.c.of[v]
		if names[i] != "_" && !k.param && !w.declared[k] {
			w.declared[k] = true
			w.linef("var %s %s", k.name, w.im.typ(k.typ))
		}
	}
	w.linef("%s = %s", strings.Join(names, ", "), e)
}

func (w *writer) mapGet(o *ssair.Op) {
	e := w.expr(o).s
	if !w.kept(o.Results[1]) {
		w.assign(o.Results[:1], e)
		return
	}
	w.assign(o.Results, e)
}

func (w *writer) typeIs(o *ssair.Op) {
	w.assign2("_", o.Result(), fmt.Sprintf("%s.(%s)", w.memory(o.Args[0]), w.im.typ(o.Type)))
}

// assign2 prints first, v := e.
func (w *writer) assign2(first string, v *ssair.Value, e string) {
	k := w.c.of[v]
	if w.dropped[k] {
		return
	}
	op := "="
	if !w.declared[k] && !k.param {
		w.declared[k] = true
		op = ":="
	}
	w.linef("%s, %s %s %s", first, k.name, op, e)
}

func (w *writer) store(o *ssair.Op) {
	p := w.place(o.Base(), o.Path, o.Indices()).s
	v := o.Stored()
	// x[i] = x[i] op y
	if w.p.inline[v] && v.Def.Kind == ssair.Bin {
		d := v.Def
		if l := d.Args[0]; w.p.inline[l] && l.Def.Kind == ssair.Load && w.str(l) == p {
			w.linef("%s", w.updated(p, d.Tok, d.Args[1]))
			return
		}
	}
	w.linef("%s = %s", p, w.str(v))
}

func (w *writer) accum(o *ssair.Op) {
	p := w.place(o.Base(), o.Path, o.Indices()).s
	w.linef("%s", w.updated(p, token.ADD, o.Stored()))
}

// A move is the assignment of a value to a variable at the end of a region.
type move struct {
	to  *class
	src *ssair.Value
}

// moves prints assignments that happen together.
func (w *writer) moves(ms []move) {
	var todo []move
	for _, m := range ms {
		m.src = w.alias.get(m.src)
		if m.to == nil || w.dropped[m.to] || !w.p.inline[m.src] && w.c.of[m.src] == m.to {
			continue
		}
		if w.zeroed[m.to] && isZeroValue(m.src) {
			continue
		}
		todo = append(todo, m)
	}
	if len(todo) == 0 {
		return
	}
	// One after another, as long as none reads what an earlier one assigns.
	reads := func(v *ssair.Value, k *class) bool {
		found := false
		w.c.leaves(v, w.alias, func(x *ssair.Value) { found = found || w.c.of[x] == k })
		return found
	}
	for len(todo) > 0 {
		next := -1
		for i, m := range todo {
			ok := true
			for j, n := range todo {
				if j != i && reads(n.src, m.to) {
					ok = false
				}
			}
			if ok {
				next = i
				break
			}
		}
		if next < 0 {
			break
		}
		m := todo[next]
		todo = append(todo[:next:next], todo[next+1:]...)
		w.move(m)
	}
	if len(todo) == 0 {
		return
	}
	var to, from []string
	for _, m := range todo {
		delete(w.zeroed, m.to)
		to = append(to, m.to.name)
		from = append(from, w.str(m.src))
	}
	w.linef("%s = %s", strings.Join(to, ", "), strings.Join(from, ", "))
}

// isZeroValue reports whether v is the zero of its type.
func isZeroValue(v *ssair.Value) bool {
	if isZero(v) {
		return true
	}
	if v.Def == nil || v.Def.Kind != ssair.Const {
		return false
	}
	switch c := v.Def.Val; c.Kind() {
	case constant.Int, constant.Float:
		return constant.Sign(c) == 0
	case constant.Bool:
		return !constant.BoolVal(c)
	}
	return false
}

func (w *writer) move(m move) {
	delete(w.zeroed, m.to)
	if w.p.inline[m.src] {
		if s, ok := w.opAssign(m.to, m.src.Def); ok {
			w.linef("%s", s)
			return
		}
	}
	w.linef("%s = %s", m.to.name, w.str(m.src))
}
