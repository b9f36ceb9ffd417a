package emit

import (
	"fmt"
	"go/token"
	"go/types"
	"strings"

	"github.com/quabla/quabla/rules"
	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// Precedences above those of binary operators.
const (
	precUnary   = token.UnaryPrec
	precPrimary = token.HighestPrec
)

// An expr is a printed expression with the precedence of its outermost
// operator.
type expr struct {
	s    string
	prec int
}

func primary(format string, args ...any) expr {
	return expr{fmt.Sprintf(format, args...), precPrimary}
}

// paren returns e as an operand of an operator of precedence prec.
func (e expr) paren(prec int) string {
	if e.prec < prec {
		return "(" + e.s + ")"
	}
	return e.s
}

// value prints v where it is used.
func (w *writer) value(v *ssair.Value) expr {
	v = w.alias.get(v)
	if isCell(v) {
		return expr{"&" + w.name(v), precUnary}
	}
	if !w.p.inline[v] {
		return primary("%s", w.name(v))
	}
	return w.expr(v.Def)
}

func (w *writer) str(v *ssair.Value) string { return w.value(v).s }

// name returns the variable that holds v.
func (w *writer) name(v *ssair.Value) string {
	k := w.c.of[v]
	if k == nil {
		panic(fmt.Sprintf("emit: no variable for %%%d %s of %s", v.ID, v.Name(), w.p.f.Name))
	}
	w.reads[k] = true
	return k.name
}

// expr prints the expression that o computes.
func (w *writer) expr(o *ssair.Op) expr {
	switch o.Kind {
	case ssair.Const:
		return w.constant(o)
	case ssair.Zero:
		return w.zero(o.Result().Type)
	case ssair.Global:
		return expr{"&" + w.object(o.Obj), precUnary}
	case ssair.FuncVal:
		return primary("%s", w.object(o.Obj))
	case ssair.Bin, ssair.Cmp:
		return w.binary(o)
	case ssair.Un:
		x := w.value(o.Args[0])
		if o.Tok == token.NOT {
			if c := w.negated(o.Args[0]); c != nil {
				return *c
			}
		}
		if c, ok := floatConstOp(w, o); ok {
			return w.special(c, o.Result().Type)
		}
		if c, ok := complexConstOp(w, o); ok {
			return w.specialComplex(c, o.Result().Type)
		}
		s := x.paren(precUnary)
		if isUntyped(w, o.Args[0]) && !types.Identical(o.Args[0].Type, ssair.Int) && ssair.IsInteger(o.Args[0].Type) {
			s = w.convert(o.Args[0].Type, x.s) // the operand's type decides
		}
		if o.Tok == token.SUB && strings.HasPrefix(s, "-") {
			s = "(" + s + ")"
		}
		return expr{o.Tok.String() + s, precUnary}
	case ssair.Conv:
		return w.conversion(o)
	case ssair.Apply:
		return w.apply(o)
	case ssair.Len, ssair.Cap:
		return primary("%s(%s)", o.Kind, w.memory(o.Args[0]))
	case ssair.MapLen:
		return primary("len(%s)", w.memory(o.Args[0]))
	case ssair.Load:
		return w.place(o.Base(), o.Path, o.Indices())
	case ssair.Addr:
		p := w.place(o.Base(), o.Path, o.Indices())
		return expr{"&" + p.paren(precPrimary), precUnary}
	case ssair.Slice:
		return w.slice(o)
	case ssair.StrIndex:
		return primary("%s[%s]", w.value(o.Args[0]).paren(precPrimary), w.str(o.Args[1]))
	case ssair.MapGet:
		return primary("%s[%s]", w.memory(o.Args[0]), w.str(o.Args[1]))
	case ssair.Extract:
		return w.extract(o)
	case ssair.Build:
		return w.build(o)
	case ssair.MakeIface:
		return w.boxed(o)
	case ssair.TypeAssert:
		return primary("%s.(%s)", w.memory(o.Args[0]), w.im.typ(o.Type))
	case ssair.If:
		return w.condition(o)
	case ssair.Alloc:
		return w.alloc(o)
	case ssair.MakeSlice:
		return w.makeSlice(o)
	case ssair.MakeMap:
		if _, ok := types.Unalias(o.Result().Type).(*types.Map); !ok {
			return primary("make(%s)", w.im.typ(o.Result().Type)) // an interface tells it from others
		}
		return primary("map[%s]%s{}", w.im.typ(o.Result().Type.Underlying().(*types.Map).Key()), w.im.typ(ssair.ElemType(o.Result().Type)))
	case ssair.Append, ssair.AppendSlice:
		args := []string{w.memory(o.Args[0])}
		for _, a := range o.Args[1:] {
			args = append(args, w.str(a))
		}
		s := strings.Join(args, ", ")
		if o.Kind == ssair.AppendSlice {
			s += "..."
		}
		if FromWork(o) {
			return primary("%s(%s)", o.Text, s)
		}
		return primary("append(%s)", s)
	case ssair.Copy:
		return primary("copy(%s, %s)", w.memory(o.Args[0]), w.memory(o.Args[1]))
	case ssair.MapKeys:
		return w.mapKeys(o)
	case ssair.ZeroLike:
		return primary("%s.ZeroLike[%s](%s)", w.rt(), w.im.typ(o.Result().Type), w.memory(o.Args[0]))
	case ssair.Call, ssair.Opaque:
		return w.call(o)
	case ssair.MakeClosure:
		return w.closure(o)
	case ssair.Stop:
		return w.value(o.Args[0])
	}
	panic(fmt.Sprintf("emit: cannot print %v in %s", o.Kind, w.p.f.Name))
}

// memory prints v, a reference that something is done with: nil gets a type.
func (w *writer) memory(v *ssair.Value) string {
	if isZero(w.alias.get(v)) {
		return w.convert(v.Type, "nil")
	}
	return w.value(v).paren(precPrimary)
}

// typed prints v so that := gives a variable of its type.
func (w *writer) typed(v *ssair.Value) string {
	v = w.alias.get(v)
	e := w.value(v)
	if !w.p.inline[v] {
		return e.s
	}
	return w.typedExpr(v.Def, e)
}

func (w *writer) typedExpr(o *ssair.Op, e expr) string {
	t := o.Results[0].Type
	switch o.Kind {
	case ssair.Const:
		if types.Identical(t, constType(o, e.s)) {
			return e.s
		}
		if types.Identical(t, ssair.Float64) && isDigits(e.s) {
			return e.s + ".0"
		}
		return w.convert(t, e.s)
	case ssair.Zero:
		switch {
		case types.Identical(t, ssair.Float64):
			return "0.0"
		case types.Identical(t, ssair.Int), types.Identical(t, ssair.Bool), types.Identical(t, ssair.String), ssair.IsAggregate(t):
			return e.s
		}
		return w.convert(t, e.s)
	case ssair.MakeIface:
		return w.convert(t, e.s)
	case ssair.Apply:
		constant := o.Fn == "complex" || o.Fn == "real" || o.Fn == "imag"
		for _, a := range o.Args {
			constant = constant && isUntyped(w, a)
		}
		if constant {
			return w.convert(t, e.s)
		}
	}
	if types.Identical(t, ssair.Float64) && isDigits(e.s) { // a constant in disguise
		return e.s + ".0"
	}
	return e.s
}

// convert prints a conversion to t.
func (w *writer) convert(t types.Type, s string) string {
	n := w.im.typ(t)
	if strings.HasPrefix(n, "*") || strings.HasPrefix(n, "func") || strings.HasPrefix(n, "<-") {
		n = "(" + n + ")"
	}
	return n + "(" + s + ")"
}

// object prints the name of a package-level object.
func (w *writer) object(obj types.Object) string {
	if obj.Pkg() == nil || obj.Pkg().Path() == w.im.pkg.Path() {
		return obj.Name()
	}
	return w.im.name(obj.Pkg().Path(), obj.Pkg().Name()) + "." + obj.Name()
}

func (w *writer) binary(o *ssair.Op) expr {
	if o.Kind == ssair.Bin && ssair.IsBool(o.Result().Type) {
		tok := token.LAND
		if o.Tok == token.OR {
			tok = token.LOR
		}
		x, y := w.value(o.Args[0]), w.value(o.Args[1])
		p := tok.Precedence()
		return expr{x.paren(p) + " " + tok.String() + " " + y.paren(p+1), p}
	}
	if c, ok := floatConstOp(w, o); ok {
		// Constant expressions of Go know neither infinities nor minus zero.
		return w.special(c, o.Result().Type)
	}
	if c, ok := complexConstOp(w, o); ok {
		return w.specialComplex(c, o.Result().Type)
	}
	prec := o.Tok.Precedence()
	x, y := w.value(o.Args[0]), w.value(o.Args[1])
	tok := o.Tok
	if rest, ok := strings.CutPrefix(y.s, "-"); ok && y.prec == precUnary && (tok == token.ADD || tok == token.SUB) && !ssair.IsString(o.Result().Type) && !strings.HasPrefix(rest, "-") {
		// x + -y is x - y, to the last bit.
		y = expr{rest, precUnary}
		if d := o.Args[1].Def; d != nil && d.Kind == ssair.Un {
			y = w.value(d.Args[0])
		}
		if tok = token.SUB; o.Tok == token.SUB {
			tok = token.ADD
		}
	}
	xs, ys := x.paren(prec), y.paren(prec+1)
	// Two constants, or a constant shifted by a variable, need a type.
	named := o.Args[0].Def != nil && o.Args[0].Def.Obj != nil && types.Identical(o.Args[0].Type, ssair.Int)
	if !named && isUntyped(w, o.Args[0]) && (isUntyped(w, o.Args[1]) || o.Tok == token.SHL || o.Tok == token.SHR) {
		xs = w.convert(o.Args[0].Type, x.s)
	}
	return expr{xs + " " + tok.String() + " " + ys, prec}
}

var opposite = map[token.Token]token.Token{
	token.EQL: token.NEQ, token.NEQ: token.EQL,
	token.LSS: token.GEQ, token.GEQ: token.LSS, token.GTR: token.LEQ, token.LEQ: token.GTR,
}

// negated prints the negation of a comparison, if that is a comparison too:
// for floats only == and != have one, because of NaN.
func (w *writer) negated(v *ssair.Value) *expr {
	if !w.p.inline[v] {
		return nil
	}
	o := v.Def
	if o.Kind == ssair.Bin && ssair.IsBool(v.Type) { // De Morgan
		x, y := w.negated(o.Args[0]), w.negated(o.Args[1])
		if x == nil || y == nil {
			return nil
		}
		tok := token.LOR
		if o.Tok == token.OR {
			tok = token.LAND
		}
		return &expr{x.paren(tok.Precedence()) + " " + tok.String() + " " + y.paren(tok.Precedence()+1), tok.Precedence()}
	}
	if o.Kind != ssair.Cmp {
		return nil
	}
	if o.Tok != token.EQL && o.Tok != token.NEQ && ssair.IsFloat(o.Args[0].Type) {
		return nil
	}
	c := *o
	c.Tok = opposite[o.Tok]
	e := w.binary(&c)
	return &e
}

func (w *writer) conversion(o *ssair.Op) expr {
	if pass.IsNamed(o.Result()) {
		return primary("%s", w.typed(o.Args[0]))
	}
	s := w.str(o.Args[0])
	if b, ok := o.Args[0].Type.Underlying().(*types.Basic); ok && b.Kind() == types.Float32 && isUntyped(w, o.Args[0]) {
		s = w.convert(o.Args[0].Type, s) // rounded first
	}
	return primary("%s", w.convert(o.Result().Type, s))
}

// apply prints the call of an elementary function.
func (w *writer) apply(o *ssair.Op) expr {
	name := o.Fn
	row := rules.Lookup(o.Fn)
	if pkg, ident, ok := strings.Cut(o.Fn, "."); ok {
		path := pkg
		if row != nil {
			path = row.Package()
		}
		name = w.im.name(path, pkg) + "." + ident
	}
	bare := o.Fn == "min" || o.Fn == "max" // of untyped constants they would be an untyped constant
	for _, a := range o.Args {
		bare = bare && isUntyped(w, a)
	}
	var args []string
	for _, a := range o.Args {
		s := w.str(a)
		if bare {
			s = w.convert(a.Type, s)
		} else if isUntyped(w, a) && (o.Fn == "min" || o.Fn == "max" || strings.HasPrefix(o.Fn, "rt.")) && !types.Identical(a.Type, ssair.Float64) && !types.Identical(a.Type, ssair.Int) {
			s = w.convert(a.Type, s)
		}
		args = append(args, s)
	}
	if name == "min" || name == "max" {
		name = w.builtin(name)
	}
	return primary("%s(%s)", name, strings.Join(args, ", "))
}

// builtin prints the name of a built-in function, or that of its double in package
// rt if the package of the user has another function of that name.
func (w *writer) builtin(name string) string {
	if w.im.pkg.Scope().Lookup(name) == nil {
		return name
	}
	return w.rt() + "." + strings.ToUpper(name[:1]) + name[1:]
}

// rt returns the name of package rt.
func (w *writer) rt() string { return w.im.name("github.com/quabla/quabla/rt", "rt") }

func (w *writer) slice(o *ssair.Op) expr {
	part := func(v *ssair.Value) string {
		if v == nil {
			return ""
		}
		return w.str(v)
	}
	s := w.memory(o.Args[0])
	if isCell(o.Args[0]) {
		s = w.name(o.Args[0]) // x[:] for (&x)[:]
	}
	lo, hi := part(o.Args[1]), part(o.Args[2])
	if o.Args[3] != nil {
		return primary("%s[%s:%s:%s]", s, lo, hi, part(o.Args[3]))
	}
	return primary("%s[%s:%s]", s, lo, hi)
}

func (w *writer) extract(o *ssair.Op) expr {
	s := w.value(o.Args[0]).paren(precPrimary)
	t := o.Args[0].Type
	for _, p := range o.Path {
		switch u := t.Underlying().(type) {
		case *types.Struct:
			s += "." + u.Field(p.Field).Name()
			t = u.Field(p.Field).Type()
		case *types.Array:
			s += fmt.Sprintf("[%d]", p.Field)
			t = u.Elem()
		}
	}
	return primary("%s", s)
}

func (w *writer) build(o *ssair.Op) expr {
	t := o.Result().Type
	var parts []string
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for i, a := range o.Args {
			if isZero(a) {
				continue
			}
			parts = append(parts, u.Field(i).Name()+": "+w.str(a))
		}
	case *types.Array:
		last := len(o.Args)
		for last > 0 && isZero(o.Args[last-1]) {
			last--
		}
		elem := w.im.typ(u.Elem())
		for _, a := range o.Args[:last] {
			part := w.str(a)
			if rest, ok := strings.CutPrefix(part, elem); ok && strings.HasPrefix(rest, "{") {
				part = rest // the type goes without saying
			}
			parts = append(parts, part)
		}
	}
	return primary("%s{%s}", w.im.typ(t), strings.Join(parts, ", "))
}

func isZero(v *ssair.Value) bool { return v.Def != nil && v.Def.Kind == ssair.Zero }

// boxed prints a value that becomes an interface: constants keep their type.
func (w *writer) boxed(o *ssair.Op) expr {
	a := o.Args[0]
	if w.p.inline[a] {
		return primary("%s", w.typedExpr(a.Def, w.value(a)))
	}
	return w.value(a)
}

// condition prints x && y or x || y.
func (w *writer) condition(o *ssair.Op) expr {
	t, e := o.Regions[0].Term().Args[0], o.Regions[1].Term().Args[0]
	x := w.value(o.Args[0])
	if isBool(e, false) {
		prec := token.LAND.Precedence()
		return expr{x.paren(prec) + " && " + w.value(t).paren(prec+1), prec}
	}
	prec := token.LOR.Precedence()
	return expr{x.paren(prec) + " || " + w.value(e).paren(prec+1), prec}
}

func isSlice(t types.Type) bool {
	_, ok := t.Underlying().(*types.Slice)
	return ok
}

// place prints the place that a path selects.
func (w *writer) place(base *ssair.Value, path []ssair.Step, idx []*ssair.Value) expr {
	var s string
	t := base.Type
	if elem := ssair.Deref(t); elem != nil {
		t = elem
		switch d := base.Def; {
		case d != nil && d.Kind == ssair.Global && w.p.inline[base]:
			s = w.object(d.Obj)
		case isCell(base):
			s = w.name(base)
		case d != nil && d.Kind == ssair.Addr && w.p.inline[base]:
			s = w.place(d.Base(), d.Path, d.Indices()).paren(precPrimary)
		case len(path) == 0 && w.p.inline[base] && d.Kind == ssair.Conv && isSlice(d.Args[0].Type):
			return primary("%s", w.convert(t, w.str(d.Args[0]))) // [3]T(s) for *(*[3]T)(s)
		case len(path) == 0:
			if isZero(w.alias.get(base)) {
				return expr{"*" + w.convert(base.Type, "nil"), precUnary}
			}
			return expr{"*" + w.value(base).paren(precUnary), precUnary}
		default:
			// Selecting through a pointer dereferences it.
			s = w.memory(base)
		}
	} else {
		s = w.memory(base)
	}
	k := 0
	for _, p := range path {
		if p.IsField() {
			s += "." + t.Underlying().(*types.Struct).Field(p.Field).Name()
		} else {
			s += "[" + w.str(idx[k]) + "]"
			k++
		}
		t = ssair.StepType(t, p)
	}
	return primary("%s", s)
}

func (w *writer) alloc(o *ssair.Op) expr {
	if FromWork(o) {
		return primary("%s()", o.Text)
	}
	return primary("new(%s)", w.im.typ(o.Type))
}

func (w *writer) makeSlice(o *ssair.Op) expr {
	if FromWork(o) {
		x := fmt.Sprintf("%s(%s)", o.Text, w.str(o.Args[0]))
		if o.Args[1] != nil {
			x = fmt.Sprintf("%s(%s)[:%s]", o.Text, w.str(o.Args[1]), w.str(o.Args[0]))
		}
		if w.intoInterface(o.Parent.Func, o.Result().Type) {
			return primary("%s(%s)", w.im.typ(o.Result().Type), x)
		}
		return primary("%s", x)
	}
	t := w.im.typ(o.Result().Type)
	if o.Args[1] != nil {
		return primary("make(%s, %s, %s)", t, w.str(o.Args[0]), w.str(o.Args[1]))
	}
	return primary("make(%s, %s)", t, w.str(o.Args[0]))
}

// intoInterface reports whether f puts values of the named type t into interfaces, which tell
// it from the type that it is made of.
func (w *writer) intoInterface(f *ssair.Func, t types.Type) bool {
	if _, ok := types.Unalias(t).(*types.Named); !ok {
		return false
	}
	found := false
	f.Body.Walk(func(o *ssair.Op) bool {
		found = found || o.Kind == ssair.MakeIface && types.Identical(o.Args[0].Type, t)
		return !found
	})
	return found
}

func (w *writer) mapKeys(o *ssair.Op) expr {
	key := o.Args[0].Type.Underlying().(*types.Map).Key()
	m := w.str(o.Args[0])
	if b, ok := key.Underlying().(*types.Basic); ok && b.Info()&types.IsOrdered != 0 {
		return primary("%s.Sorted(%s.Keys(%s))", w.im.name("slices", "slices"), w.im.name("maps", "maps"), m)
	}
	return primary("%s.Collect(%s.Keys(%s))", w.im.name("slices", "slices"), w.im.name("maps", "maps"), m)
}
