package ssair

import (
	"fmt"
	"go/token"
	"go/types"
	"strconv"
	"strings"
)

// ParseFunc reads a function in the form that [Func.String] prints and adds it
// to m. Types are resolved in the scope of m.Pkg, among m.Types and in the
// packages that m.Pkg imports. Calls are resolved among the functions of m and
// the function itself. Lines that hold nothing but a comment are skipped, and
// so is a comment behind an op.
//
// The printed form does not show everything: the parsed function has no Obj,
// Doc or positions, its values with equal variable names share one [Var], and
// named constants are plain ones. What it shows comes back exactly.
//
// When the text has a fault, m is left as it was and the error starts with
// "line N: ", counted from 1.
func ParseFunc(m *Module, text string) (*Func, error) {
	fs, err := parse(m, text)
	if err == nil && len(fs) != 1 {
		m.Funcs = m.Funcs[:len(m.Funcs)-len(fs)]
		err = fmt.Errorf("line 1: the text holds %d functions, want one", len(fs))
	}
	if err != nil {
		return nil, err
	}
	return fs[0], nil
}

// ParseModule reads any number of functions, which may call each other in any
// order, and adds them to m. See [ParseFunc].
func ParseModule(m *Module, text string) ([]*Func, error) { return parse(m, text) }

// parse reads all functions of text.
func parse(m *Module, text string) (fs []*Func, err error) {
	p := &parser{scanner: scanner{text: text}, m: m}
	before := len(m.Funcs)
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(parseError)
			if !ok {
				panic(r)
			}
			m.Funcs = m.Funcs[:before]
			fs, err = nil, e
		}
	}()
	for p.skipBlank(); !p.atEnd(); p.skipBlank() {
		p.function()
	}
	fs = m.Funcs[before:len(m.Funcs):len(m.Funcs)]
	for _, c := range p.callees {
		c.op.Callee = lookupFunc(fs, c.name)
		if c.op.Callee == nil {
			c.op.Callee = lookupFunc(m.Funcs[:before], c.name)
		}
		if c.op.Callee == nil {
			p.failAt(c.pos, "no function %s", c.name)
		}
	}
	return fs, nil
}

func lookupFunc(fs []*Func, name string) *Func {
	for _, f := range fs {
		if f.Name == name {
			return f
		}
	}
	return nil
}

type parser struct {
	scanner
	m       *Module
	callees []calleeRef

	// Of the function being read:
	f       *Func
	vals    map[int]*Value
	vars    map[string]*Var
	tparams map[string]*types.TypeParam
}

// A calleeRef is an op whose callee is resolved when all functions are read.
type calleeRef struct {
	op   *Op
	name string
	pos  int
}

// function reads one function.
func (p *parser) function() {
	p.expect("func ")
	p.f = p.m.NewFunc(p.funcName())
	p.vals, p.vars = map[int]*Value{}, map[string]*Var{}
	p.tparams = typeParamsOf(p.m, p.f.Name)
	p.f.Params = p.params(p.f.Body)
	if p.accept(" (") {
		for first := true; !p.accept(")"); first = false {
			if !first {
				p.expect(", ")
			}
			p.f.Results = append(p.f.Results, p.result())
		}
	}
	p.expect(" {")
	p.endLine()
	for p.skipBlank(); p.peek() != '}'; p.skipBlank() {
		p.op(p.f.Body)
	}
	p.expect("}")
	p.endLine()
}

// funcName reads up to the parenthesis that opens the parameters.
func (p *parser) funcName() string {
	depth := 0
	for i := p.pos; i+1 < len(p.text) && p.text[i] != '\n'; i++ {
		switch p.text[i] {
		case '[':
			depth++
		case ']':
			depth--
		case '(':
			if next := p.text[i+1]; depth == 0 && (next == '%' || next == ')') {
				name := p.text[p.pos:i]
				p.pos = i
				if name == "" {
					p.fail("a function needs a name")
				}
				return name
			}
		}
	}
	p.fail("no parameter list")
	return ""
}

// params reads the parameters of a function or a region in parentheses.
func (p *parser) params(home *Region) []*Value {
	var vs []*Value
	p.expect("(")
	for first := true; !p.accept(")"); first = false {
		if !first {
			p.expect(", ")
		}
		v := p.decl()
		v.Home = home
		vs = append(vs, v)
	}
	return vs
}

func (p *parser) result() Result {
	start := p.pos
	if w := p.word(); w != "" && !isTypeKeyword(w) && p.accept(" ") {
		return Result{Name: w, Type: p.typ()}
	}
	p.pos = start
	return Result{Type: p.typ()}
}

// decl reads the definition of a value: %3:name type.
func (p *parser) decl() *Value {
	start := p.pos
	n := p.valueNumber()
	if p.vals[n] != nil {
		p.failAt(start, "value %%%d is defined twice", n)
	}
	var v *Var
	if p.accept(":") {
		v = p.variable(p.name())
	}
	p.expect(" ")
	val := p.f.NewValue(p.typ(), v)
	p.vals[n] = val
	return val
}

// variable returns the Var of a name; a nameless one is never shared.
func (p *parser) variable(name string) *Var {
	if name == "" {
		return &Var{}
	}
	if p.vars[name] == nil {
		p.vars[name] = &Var{Name: name}
	}
	return p.vars[name]
}

func (p *parser) valueNumber() int {
	p.expect("%")
	start := p.pos
	for isDigit(p.peek()) {
		p.pos++
	}
	n, err := strconv.Atoi(p.text[start:p.pos])
	if err != nil {
		p.failAt(start, "expected the number of a value")
	}
	return n
}

// args reads a list of operands, which may be empty.
func (p *parser) args() []*Value {
	var vs []*Value
	if p.peek() != '%' && p.peek() != '_' {
		return nil
	}
	for {
		if p.accept("_") {
			vs = append(vs, nil)
		} else {
			start := p.pos
			n := p.valueNumber()
			v := p.vals[n]
			if v == nil {
				p.failAt(start, "value %%%d is not defined", n)
			}
			vs = append(vs, v)
		}
		if !p.accept(", ") {
			return vs
		}
	}
}

var kindNames = func() map[string]Kind {
	m := make(map[string]Kind, numKinds)
	for k := Invalid + 1; k < numKinds; k++ {
		m[k.String()] = k
	}
	return m
}()

var tokens = func() map[string]token.Token {
	m := make(map[string]token.Token)
	for t := token.ADD; t <= token.TILDE; t++ {
		if t.IsOperator() {
			m[t.String()] = t
		}
	}
	return m
}()

// op reads one op with its regions and appends it to r.
func (p *parser) op(r *Region) {
	o := &Op{Parent: r}
	if p.peek() == '%' {
		for {
			o.Results = append(o.Results, p.decl())
			if !p.accept(", ") {
				break
			}
		}
		p.expect(" = ")
	}
	start := p.pos
	name := p.word()
	kind, ok := kindNames[name]
	if !ok {
		p.failAt(start, "unknown kind of op %q", name)
	}
	o.Kind = kind
	for _, v := range o.Results {
		v.Def = o
	}
	r.Ops = append(r.Ops, o)
	p.skipSpace()
	object := p.attrs(o)
	p.skipSpace()
	o.Args = p.args()
	p.skipSpace()
	if p.accept("|") {
		if kind != Loop || len(o.Args) != len(o.Results) {
			p.fail("%d initial values for %d results", len(o.Args), len(o.Results))
		}
		p.skipSpace()
		o.Args = append(o.Args, p.args()...)
		p.skipSpace()
	}
	if object != "" {
		o.Obj = p.object(o, object, start)
	}
	if names := regionNames[kind]; names != nil {
		p.expect("{")
		p.endLine()
		for _, n := range names {
			p.region(o, n)
		}
		p.skipBlank()
		p.expect("}")
	}
	p.endLine()
}

// region reads the next region of o, which has the given name.
func (p *parser) region(o *Op, name string) {
	p.skipBlank()
	p.expect(name)
	r := o.AddRegion()
	if p.peek() == '(' {
		r.Params = p.params(r)
	}
	p.expect(":")
	p.endLine()
	for p.skipBlank(); p.peek() != '}' && !p.atLabel(o.Kind); p.skipBlank() {
		p.op(r)
	}
}

// atLabel reports whether the name of a region of k comes next.
func (p *parser) atLabel(k Kind) bool {
	for _, n := range regionNames[k] {
		if rest, ok := strings.CutPrefix(p.text[p.pos:], n); ok && rest != "" && (rest[0] == ':' || rest[0] == '(') {
			return true
		}
	}
	return false
}

// attrs reads the attributes of o. An object is returned by its spelling and
// resolved when the operands are known.
func (p *parser) attrs(o *Op) (object string) {
	switch o.Kind {
	case Const:
		if len(o.Results) != 1 {
			p.fail("a constant has one result")
		}
		o.Val = p.constant(o.Result().Type)
	case Global, FuncVal, Opaque:
		if c := p.peek(); c != '%' && c != '_' && c != '\n' && !p.atComment() {
			object = p.name()
			if object == "caught" { // of a function value
				o.Caught = true
				return ""
			}
			o.Plain, o.Alters, o.Caught, o.Certain = p.accept("plain"), p.accept("alters"), p.accept("caught"), p.accept("certain")
			return object
		}
	case Bin, Un, Cmp:
		start := p.pos
		tok, ok := tokens[p.name()]
		if !ok {
			p.failAt(start, "expected an operator")
		}
		o.Tok = tok
	case Conv:
		o.Explicit = p.accept("explicit")
	case Apply:
		o.Fn = p.name()
	case Addr, Load, Store, Accum, Extract:
		o.Path = p.path()
	case Alloc, TypeIs, TypeAssert:
		p.expect("(")
		o.Type = p.typ()
		p.expect(")")
	case Loop:
		o.Loop = p.loopInfo()
	case Call, JVP, Grad, MakeClosure:
		start := p.pos
		p.expect("@")
		p.callees = append(p.callees, calleeRef{o, p.name(), start})
	}
	return ""
}

func (p *parser) loopInfo() *LoopInfo {
	l := &LoopInfo{}
	start := p.pos
	switch w := p.word(); w {
	case "while":
		l.Form = While
	case "int":
		l.Form = RangeInt
	case "slice":
		l.Form = RangeSlice
	default:
		p.failAt(start, "unknown form of loop %q", w)
	}
	for p.skipSpace(); isLetter(p.peek()); p.skipSpace() {
		start := p.pos
		switch w := p.word(); w {
		case "break":
			l.Break = true
		case "independent":
			l.Independent = true
		case "down":
			l.Down = true
		case "checkpoint":
			l.Checkpoint = &Checkpoint{}
		case "once", "every", "snapshots":
			if l.Checkpoint == nil {
				p.failAt(start, "%s without checkpoint", w)
			}
			switch w {
			case "once":
				l.Checkpoint.Once = true
			case "every":
				l.Checkpoint.Every = p.option()
			default:
				l.Checkpoint.Snapshots = p.option()
			}
		default:
			p.failAt(start, "unknown flag of a loop %q", w)
		}
	}
	return l
}

// option reads the number of an option: =20.
func (p *parser) option() int {
	p.expect("=")
	start := p.pos
	for isDigit(p.peek()) {
		p.pos++
	}
	n, err := strconv.Atoi(p.text[start:p.pos])
	if err != nil {
		p.failAt(start, "expected a number")
	}
	return n
}

// path reads a path: * or steps like .2 and [].
func (p *parser) path() []Step {
	if p.accept("*") {
		return nil
	}
	var path []Step
	for {
		switch {
		case p.accept("[]"):
			path = append(path, Elem)
		case p.accept("."):
			start := p.pos
			for isDigit(p.peek()) {
				p.pos++
			}
			n, err := strconv.Atoi(p.text[start:p.pos])
			if err != nil {
				p.failAt(start, "expected the index of a field")
			}
			path = append(path, Field(n))
		default:
			if len(path) == 0 {
				p.fail("expected a path")
			}
			return path
		}
	}
}
