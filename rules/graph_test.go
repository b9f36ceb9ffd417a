package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"math"
	"strconv"
)

// A graph holds expressions over rows, with common parts shared, and
// differentiates them. It is an independent, small counterpart of package
// deriv: derivatives of any order from the table alone.
type graph struct {
	nodes  []*node
	byKey  map[string]*node
	diffed map[[2]int]*node
}

// A node is a constant, a variable, arithmetic, a guarded product or one
// result of a row.
type node struct {
	id    int
	op    byte // 'c', 'v', '+', '-', '*', '/', 'n' (negation), 'g', 'f'
	val   float64
	v     int // variable or result
	guard Guard
	row   *Row
	args  []*node
}

func newGraph() *graph {
	return &graph{byKey: map[string]*node{}, diffed: map[[2]int]*node{}}
}

// make returns the node equal to n, new or old.
func (g *graph) make(n node) *node {
	key := fmt.Sprint(string(n.op), " ", math.Float64bits(n.val), " ", n.v, " ", n.guard)
	if n.row != nil {
		key += " " + n.row.Name
	}
	for _, a := range n.args {
		key += " " + strconv.Itoa(a.id)
	}
	if old := g.byKey[key]; old != nil {
		return old
	}
	n.id = len(g.nodes)
	g.nodes = append(g.nodes, &n)
	g.byKey[key] = &n
	return &n
}

func (g *graph) num(v float64) *node { return g.make(node{op: 'c', val: v}) }

func isNum(n *node, v float64) bool { return n.op == 'c' && n.val == v }

// op2 builds arithmetic. Constants, all of them small integers, are folded,
// and so are zero terms and unit factors.
func (g *graph) op2(op byte, a, b *node) *node {
	switch {
	case a.op == 'c' && b.op == 'c' && op != '/':
		return g.num(arith(op, a.val, b.val))
	case op == '+' && isNum(a, 0), op == '*' && isNum(a, 1):
		return b
	case (op == '+' || op == '-') && isNum(b, 0), (op == '*' || op == '/') && isNum(b, 1):
		return a
	case op == '*' && (isNum(a, 0) || isNum(b, 0)), op == '/' && isNum(a, 0):
		return g.num(0)
	}
	return g.make(node{op: op, args: []*node{a, b}})
}

func (g *graph) neg(a *node) *node {
	if a.op == 'c' {
		return g.num(-a.val)
	}
	return g.make(node{op: 'n', args: []*node{a}})
}

// guarded builds the product of a coefficient with a tangent.
func (g *graph) guarded(guard Guard, bar, coef *node) *node {
	if guard == Plain || isNum(bar, 0) || isNum(coef, 0) || isNum(coef, 1) {
		return g.op2('*', coef, bar)
	}
	return g.make(node{op: 'g', guard: guard, args: []*node{bar, coef}})
}

func (g *graph) apply(r *Row, res int, args []*node) *node {
	return g.make(node{op: 'f', row: r, v: res, args: args})
}

// point returns result res of a row as a function of variables 0, 1 ... for
// its free float arguments; the ints are constants taken from the point.
func (g *graph) point(r *Row, res int, free []float64) *node {
	args := g.args(r, free)
	return g.apply(r, res, args)
}

// args returns the arguments of a row: variables, constants and given ones.
func (g *graph) args(r *Row, free []float64) []*node {
	args := make([]*node, r.Arity())
	vars := 0
	for i, k := range r.Args() {
		switch {
		case r.given(i) != "":
			continue
		case isFloat(k):
			args[i] = g.make(node{op: 'v', v: vars})
			vars++
		default:
			args[i] = g.num(free[0])
		}
		free = free[1:]
	}
	env := map[string]*node{}
	for i, a := range args {
		env[r.Vars()[i]] = a
	}
	for i := range args {
		if text := r.given(i); text != "" {
			e, err := parse(text)
			if err != nil {
				panic(err)
			}
			args[i] = g.build(e, env)
		}
	}
	return args
}

// partial builds the partial of a node that is a result of a row.
func (g *graph) partial(n *node, arg int) (*node, Guard) {
	e, guard := n.row.Partial(n.v, arg)
	if e == nil {
		return g.num(0), Plain
	}
	env := map[string]*node{}
	for i, a := range n.args {
		env[n.row.Vars()[i]] = a
	}
	for i, name := range n.row.ResultVars() {
		env[name] = g.apply(n.row, i, n.args)
	}
	return g.build(e, env), guard
}

// build turns an expression into nodes.
func (g *graph) build(e ast.Expr, env map[string]*node) *node {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return g.build(e.X, env)
	case *ast.BasicLit, *ast.SelectorExpr:
		return g.num(evaluate(e, nil))
	case *ast.Ident:
		return env[e.Name]
	case *ast.UnaryExpr:
		return g.neg(g.build(e.X, env))
	case *ast.BinaryExpr:
		op := map[token.Token]byte{token.ADD: '+', token.SUB: '-', token.MUL: '*', token.QUO: '/'}[e.Op]
		return g.op2(op, g.build(e.X, env), g.build(e.Y, env))
	case *ast.CallExpr:
		args := make([]*node, len(e.Args))
		for i, a := range e.Args {
			args[i] = g.build(a, env)
		}
		if name := spelling(e.Fun); name != "float64" {
			return g.apply(Lookup(name), 0, args)
		}
		return args[0]
	}
	panic(fmt.Sprintf("%T", e))
}

// diff returns the derivative of n in variable v, by the chain rule.
func (g *graph) diff(n *node, v int) *node {
	key := [2]int{n.id, v}
	if d := g.diffed[key]; d != nil {
		return d
	}
	d := g.num(0)
	if n.op == 'v' && n.v == v {
		d = g.num(1)
	}
	da := make([]*node, len(n.args))
	for i, a := range n.args {
		da[i] = g.diff(a, v)
	}
	switch n.op {
	case '+', '-':
		d = g.op2(n.op, da[0], da[1])
	case '*':
		d = g.op2('+', g.op2('*', da[0], n.args[1]), g.op2('*', n.args[0], da[1]))
	case '/':
		// (da - y db)/b. Where the denominator overflows the quotient y is 0
		// and db may be infinite; where it is 0, da and db may be 0.
		if d = g.op2('-', da[0], g.guarded(ZeroBar|ZeroCoef, da[1], n)); !isNum(d, 0) {
			d = g.apply(Lookup("rt.Div0"), 0, []*node{d, n.args[1]})
		}
	case 'n':
		d = g.neg(da[0])
	case 'g': // what rows rt.Mul0, rt.Switch and rt.Mul00 say
		name := map[Guard]string{ZeroBar: "rt.Mul0", ZeroCoef: "rt.Switch", ZeroBar | ZeroCoef: "rt.Mul00"}[n.guard]
		d = g.diff(g.apply(Lookup(name), 0, n.args), v)
	case 'f':
		for i := range n.args {
			if isNum(da[i], 0) {
				continue
			}
			p, guard := g.partial(n, i)
			d = g.op2('+', d, g.guarded(guard, da[i], p))
		}
	}
	g.diffed[key] = d
	return d
}

// eval returns the value of n at a point.
func (g *graph) eval(n *node, vars []float64) float64 {
	vals := make([]float64, len(g.nodes))
	done := make([]bool, len(g.nodes))
	var walk func(n *node) float64
	walk = func(n *node) float64 {
		if done[n.id] {
			return vals[n.id]
		}
		args := make([]float64, len(n.args))
		for i, a := range n.args {
			args[i] = walk(a)
		}
		var x float64
		switch n.op {
		case 'c':
			x = n.val
		case 'v':
			x = vars[n.v]
		case 'n':
			x = -args[0]
		case 'g':
			bar, coef := args[0], args[1]
			if n.guard&ZeroBar == 0 || bar != 0 {
				if n.guard&ZeroCoef == 0 || coef != 0 {
					x = bar * coef
				}
			}
		case 'f':
			x = n.row.Call(args...)[n.v]
		default:
			x = arith(n.op, args[0], args[1])
		}
		vals[n.id], done[n.id] = x, true
		return x
	}
	return walk(n)
}

func arith(op byte, a, b float64) float64 {
	switch op {
	case '+':
		return a + b
	case '-':
		return a - b
	case '*':
		return a * b
	}
	return a / b
}

// freeVars returns the free float arguments of a point.
func freeVars(r *Row, free []float64) []float64 {
	var vars []float64
	for i, k := range r.Args() {
		if r.given(i) == "" {
			if isFloat(k) {
				vars = append(vars, free[0])
			}
			free = free[1:]
		}
	}
	return vars
}

// ridders returns the derivative of f at x by central differences with step h
// and less, extrapolated to step 0 (Ridders 1982), and an estimate of the
// error.
func ridders(f func(float64) float64, x, h float64) (d, err float64) {
	const con, tabs = 1.4, 14
	var a [tabs][tabs]float64
	err = math.Inf(1)
	for i := range tabs {
		lo, hi := x-h, x+h
		a[0][i] = (f(hi) - f(lo)) / (hi - lo)
		if i == 0 {
			d = a[0][0]
		}
		fac := con * con
		for j := 1; j <= i; j++ {
			a[j][i] = (a[j-1][i]*fac - a[j-1][i-1]) / (fac - 1)
			fac *= con * con
			if e := math.Max(math.Abs(a[j][i]-a[j-1][i]), math.Abs(a[j][i]-a[j-1][i-1])); e < err {
				err, d = e, a[j][i]
			}
		}
		h /= con
	}
	return d, err
}
