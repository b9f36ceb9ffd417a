package deriv

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strconv"

	"github.com/quabla/quabla/rules"
	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// arith builds derivative arithmetic. A nil value is a structural zero: terms
// with it are never built. The ops are marked as loose, and pass.Simplify
// tidies them by algebra.
type arith struct {
	b *ssair.Builder
}

func isConst(v *ssair.Value) bool { return v.Def != nil && v.Def.Kind == ssair.Const }

// loosely runs build with new ops marked as derivative arithmetic.
func (a *arith) loosely(build func() *ssair.Value) *ssair.Value {
	old := a.b.Loose
	a.b.Loose = true
	v := build()
	a.b.Loose = old
	return v
}

func (a *arith) bin(tok token.Token, x, y *ssair.Value) *ssair.Value {
	return a.loosely(func() *ssair.Value { return a.b.Bin(tok, x, y) })
}

// constant returns a constant of type t.
func (a *arith) constant(c float64, t types.Type) *ssair.Value {
	return a.b.Const(constant.ToFloat(constant.MakeFloat64(c)), t)
}

// mul returns x*y.
func (a *arith) mul(x, y *ssair.Value) *ssair.Value {
	switch {
	case x == nil || y == nil:
		return nil
	case isOne(x):
		return y
	case isOne(y):
		return x
	}
	return a.bin(token.MUL, x, y)
}

func isOne(v *ssair.Value) bool {
	if !isConst(v) {
		return false
	}
	re := constant.Real(v.Def.Val)
	f, _ := constant.Float64Val(constant.ToFloat(re))
	im, _ := constant.Float64Val(constant.ToFloat(constant.Imag(v.Def.Val)))
	return f == 1 && im == 0
}

// neg returns -x.
func (a *arith) neg(x *ssair.Value) *ssair.Value {
	if x == nil {
		return nil
	}
	return a.loosely(func() *ssair.Value { return a.b.Un(token.SUB, x) })
}

// add returns x+y.
func (a *arith) add(x, y *ssair.Value) *ssair.Value {
	switch {
	case x == nil:
		return y
	case y == nil:
		return x
	}
	return a.bin(token.ADD, x, y)
}

// sub returns x-y.
func (a *arith) sub(x, y *ssair.Value) *ssair.Value {
	switch {
	case x == nil:
		return a.neg(y)
	case y == nil:
		return x
	}
	return a.bin(token.SUB, x, y)
}

// div returns x/y.
func (a *arith) div(x, y *ssair.Value) *ssair.Value {
	if x == nil {
		return nil
	}
	return a.bin(token.QUO, x, y)
}

// guarded returns bar*coef with the strong zeros that g asks for.
func (a *arith) guarded(bar, coef *ssair.Value, g rules.Guard) *ssair.Value {
	if bar == nil || coef == nil {
		return nil
	}
	if g&rules.ZeroBar != 0 && isConst(bar) {
		g &^= rules.ZeroBar // it is not zero
	}
	if g&rules.ZeroBar != 0 && a.bounded(coef, 6) {
		g &^= rules.ZeroBar
	}
	if isConst(coef) {
		g = rules.Plain
	}
	fn := ""
	switch g {
	case rules.ZeroBar:
		fn = "rt.Mul0"
	case rules.ZeroCoef:
		fn = "rt.Switch"
	case rules.ZeroBar | rules.ZeroCoef:
		fn = "rt.Mul00"
	default:
		return a.mul(bar, coef)
	}
	return a.apply(fn, bar, coef)
}

// generic holds the functions of package rt that keep the type of their
// arguments; the others work on float64.
var generic = map[string]bool{"rt.Mul0": true, "rt.Mul00": true, "rt.Switch": true, "rt.Div0": true, "min": true, "max": true}

// apply applies an elementary function with one float result.
func (a *arith) apply(fn string, args ...*ssair.Value) *ssair.Value {
	t := floatOf(args)
	if generic[fn] {
		return a.b.Apply(fn, []types.Type{t}, args...).Result()
	}
	ops := make([]*ssair.Value, len(args))
	for i, v := range args {
		ops[i] = v
		if ssair.IsFloat(v.Type) {
			ops[i] = a.b.Conv(v, ssair.Float64)
		}
	}
	return a.b.Conv(a.b.Apply(fn, []types.Type{ssair.Float64}, ops...).Result(), t)
}

// floatOf returns the floating-point type that an application to args yields.
func floatOf(args []*ssair.Value) types.Type {
	for _, v := range args {
		if ssair.IsFloat(v.Type) {
			return v.Type
		}
	}
	return ssair.Float64
}

// partial builds the partial derivative of result k of an Apply in argument i,
// from the text of its row. args and results are the values of the primal. It
// returns nil where the derivative is zero.
func (a *arith) partial(o *ssair.Op, k, i int, args, results []*ssair.Value) (*ssair.Value, rules.Guard) {
	row := rules.Lookup(o.Fn)
	e, g := row.Partial(k, i)
	if e == nil {
		return nil, rules.Plain
	}
	env := map[string]*ssair.Value{}
	for j, name := range row.Vars() {
		env[name] = args[j]
	}
	for j, name := range row.ResultVars() {
		env[name] = results[j]
	}
	return a.expr(e, env), g
}

// expr builds the expression e of a rule.
func (a *arith) expr(e ast.Expr, env map[string]*ssair.Value) *ssair.Value {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return a.expr(e.X, env)
	case *ast.BasicLit:
		c, err := strconv.ParseFloat(e.Value, 64)
		if err != nil {
			panic(fmt.Sprintf("deriv: literal %s in a rule", e.Value))
		}
		if c == 0 {
			return nil
		}
		return a.constant(c, ssair.Float64)
	case *ast.Ident:
		return env[e.Name]
	case *ast.SelectorExpr:
		name := e.X.(*ast.Ident).Name + "." + e.Sel.Name
		c, ok := rules.Const(name)
		if !ok {
			panic(fmt.Sprintf("deriv: constant %s in a rule", name))
		}
		return a.constant(c, ssair.Float64)
	case *ast.UnaryExpr:
		return a.neg(a.expr(e.X, env))
	case *ast.BinaryExpr:
		x, y := a.expr(e.X, env), a.expr(e.Y, env)
		x, y = a.sameType(x, y)
		switch e.Op {
		case token.ADD:
			return a.add(x, y)
		case token.SUB:
			return a.sub(x, y)
		case token.MUL:
			return a.mul(x, y)
		case token.QUO:
			return a.div(x, y)
		}
	case *ast.CallExpr:
		return a.callExpr(e, env)
	}
	panic(fmt.Sprintf("deriv: %T in a rule", e))
}

// sameType converts constants of rules, which are float64, to the type of the
// other operand.
func (a *arith) sameType(x, y *ssair.Value) (*ssair.Value, *ssair.Value) {
	if x == nil || y == nil || types.Identical(x.Type, y.Type) {
		return x, y
	}
	if c, ok := pass.ConstFloat(x); ok && ssair.IsFloat(y.Type) {
		return a.constant(c, y.Type), y
	}
	if c, ok := pass.ConstFloat(y); ok && ssair.IsFloat(x.Type) {
		return x, a.constant(c, x.Type)
	}
	if ssair.IsInteger(x.Type) {
		return a.b.Conv(x, y.Type), y
	}
	if ssair.IsInteger(y.Type) {
		return x, a.b.Conv(y, x.Type)
	}
	return a.b.Conv(x, ssair.Float64), a.b.Conv(y, ssair.Float64)
}

func (a *arith) callExpr(e *ast.CallExpr, env map[string]*ssair.Value) *ssair.Value {
	name := ""
	switch f := e.Fun.(type) {
	case *ast.SelectorExpr:
		name = f.X.(*ast.Ident).Name + "." + f.Sel.Name
	case *ast.Ident:
		name = f.Name
	}
	row := rules.Lookup(name)
	if row == nil {
		panic(fmt.Sprintf("deriv: %s in a rule", name))
	}
	args := make([]*ssair.Value, len(e.Args))
	for i, x := range e.Args {
		args[i] = a.expr(x, env)
		if args[i] == nil { // a literal 0
			args[i] = a.b.Const(constant.MakeInt64(0), ssair.Float64)
		}
		if row.Args()[i].String() == "int" {
			args[i] = a.toInt(args[i])
		}
	}
	return a.apply(name, args...)
}

// toInt turns the integer constants of rules into ints.
func (a *arith) toInt(v *ssair.Value) *ssair.Value {
	if c, ok := pass.ConstFloat(v); ok {
		return a.b.Int(int(c))
	}
	return v
}
