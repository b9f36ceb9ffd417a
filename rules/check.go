package rules

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"reflect"
	"slices"
	"strings"
)

// Check reports what is wrong with the form of a row: partials that are
// missing, do not parse or use more than the package comment allows, no test
// point, no domain. It does not check the mathematics.
func (r *Row) Check() error {
	r.init()
	if r.bad != nil {
		return r.bad
	}
	c := checker{r: r, vars: map[string]reflect.Kind{}}
	for i, v := range r.vars {
		c.vars[v] = r.args[i]
	}
	free := r.Arity()
	if r.Given != nil {
		if len(r.Given) != r.Arity() {
			return fmt.Errorf("%s: Given has %d entries, want %d", r.Name, len(r.Given), r.Arity())
		}
		for i, text := range r.Given {
			if text != "" {
				free--
				c.given(i, text)
			}
		}
	}
	for i, v := range r.resVars {
		c.vars[v] = r.results[i]
	}
	for _, e := range r.exprs {
		if e != nil {
			c.float(e)
		}
	}
	for _, p := range r.D {
		if p.Expr == "0" && p.Guard != Plain {
			c.errorf("a zero partial needs no guard")
		}
	}
	if len(r.At) == 0 {
		c.errorf("no test point")
	}
	for _, at := range r.At {
		if len(at) != free {
			c.errorf("test point %v has %d arguments, want %d", at, len(at), free)
		}
	}
	for _, s := range r.Special {
		n := len(r.D) - (r.Arity()-free)*floats(r.results)
		if len(s.At) != free || len(s.D) != n || s.D2 != nil && len(s.D2) != n*r.freeFloats() {
			c.errorf("special point %v has the wrong number of entries", s.At)
		}
	}
	if r.Domain == "" {
		c.errorf("no domain")
	}
	return errors.Join(c.errs...)
}

// freeFloats counts the free float arguments.
func (r *Row) freeFloats() int {
	n := 0
	for i, k := range r.args {
		if isFloat(k) && r.given(i) == "" {
			n++
		}
	}
	return n
}

// A checker checks the expressions of one row.
type checker struct {
	r    *Row
	vars map[string]reflect.Kind
	errs []error
}

func (c *checker) errorf(format string, args ...any) {
	c.errs = append(c.errs, fmt.Errorf(c.r.Name+": "+format, args...))
}

// given checks the text of a given argument: an expression in free arguments,
// with partials of zero.
func (c *checker) given(arg int, text string) {
	e, err := parse(text)
	if err != nil {
		c.errorf("%v", err)
		return
	}
	c.float(e)
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if i := slices.Index(c.r.vars, id.Name); i >= 0 && c.r.given(i) != "" {
				c.errorf("the given argument %s depends on a given one", c.r.vars[arg])
			}
		}
		return true
	})
	for res, k := range c.r.results {
		if isFloat(k) && c.r.D[c.r.partial(res, arg)].Expr != "0" {
			c.errorf("the partial for the given argument %s is not 0", c.r.vars[arg])
		}
	}
}

// float checks that e is a float expression.
func (c *checker) float(e ast.Expr) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		c.float(e.X)
	case *ast.BasicLit:
		if e.Kind != token.INT && e.Kind != token.FLOAT {
			c.errorf("literal %s", e.Value)
		}
	case *ast.Ident:
		if k, ok := c.vars[e.Name]; !ok || !isFloat(k) {
			c.errorf("%s is no float variable", e.Name)
		}
	case *ast.SelectorExpr:
		if _, ok := Const(spelling(e)); !ok {
			c.errorf("unknown constant %s", spelling(e))
		}
	case *ast.UnaryExpr:
		if e.Op != token.SUB {
			c.errorf("operator %v", e.Op)
		}
		c.float(e.X)
	case *ast.BinaryExpr:
		switch e.Op {
		case token.ADD, token.SUB, token.MUL, token.QUO:
		default:
			c.errorf("operator %v", e.Op)
		}
		if constant(e.X) && constant(e.Y) {
			c.errorf("arithmetic on constants: write the value")
		}
		c.float(e.X)
		c.float(e.Y)
	case *ast.CallExpr:
		c.call(e)
	default:
		c.errorf("%T in an expression", e)
	}
}

// call checks a call of a row, or of the conversion to float64.
func (c *checker) call(e *ast.CallExpr) {
	name := spelling(e.Fun)
	if name == "float64" && len(e.Args) == 1 {
		c.int(e.Args[0])
		return
	}
	f := Lookup(name)
	if f == nil {
		c.errorf("call of %s, which has no row", name)
		return
	}
	f.init()
	if len(e.Args) != f.Arity() || len(f.results) != 1 || f.results[0] != reflect.Float64 {
		c.errorf("call of %s needs %d arguments and one float64 result", name, f.Arity())
		return
	}
	for i, a := range e.Args {
		if isFloat(f.args[i]) {
			c.float(a)
		} else {
			c.int(a)
		}
	}
}

// int checks that e is an int expression.
func (c *checker) int(e ast.Expr) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		c.int(e.X)
		return
	case *ast.BasicLit:
		if e.Kind == token.INT && !strings.ContainsAny(e.Value, "xXbBoO_") {
			return
		}
	case *ast.Ident:
		if c.vars[e.Name] == reflect.Int {
			return
		}
	case *ast.UnaryExpr:
		if e.Op == token.SUB {
			c.int(e.X)
			return
		}
	case *ast.BinaryExpr:
		if (e.Op == token.ADD || e.Op == token.SUB) && !(constant(e.X) && constant(e.Y)) {
			c.int(e.X)
			c.int(e.Y)
			return
		}
	}
	c.errorf("no int expression: %T", e)
}

// constant reports whether e is made of literals and constants only.
func constant(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return constant(e.X)
	case *ast.UnaryExpr:
		return constant(e.X)
	case *ast.BasicLit, *ast.SelectorExpr:
		return true
	}
	return false
}
