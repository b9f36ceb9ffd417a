package rules

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"strconv"
)

// Call returns the results of the function. Ints are passed and returned as
// floats, bools are returned as 0 or 1. The result of a float32 function is
// rounded to float32. It panics if the number of arguments is wrong.
func (r *Row) Call(args ...float64) []float64 {
	if len(args) != r.Arity() {
		panic(fmt.Sprintf("rules: %s called with %d arguments, want %d", r.Name, len(args), r.Arity()))
	}
	switch f := r.Fn.(type) {
	case func(float64) float64:
		return []float64{f(args[0])}
	case func(x, y float64) float64:
		return []float64{f(args[0], args[1])}
	case func(x, y, z float64) float64:
		return []float64{f(args[0], args[1], args[2])}
	}
	in := make([]any, len(args))
	for i, a := range args {
		in[i] = a
	}
	out := r.CallAny(in...)
	res := make([]float64, len(out))
	for i, o := range out {
		switch v := reflect.ValueOf(o); v.Kind() {
		case reflect.Bool:
			if v.Bool() {
				res[i] = 1
			}
		case reflect.Int:
			res[i] = float64(v.Int())
		default:
			res[i] = v.Float()
		}
	}
	return res
}

// CallAny is Call for arguments of any numeric types, which are converted to
// those of the function, and with the results as the function returns them.
func (r *Row) CallAny(args ...any) []any {
	if len(args) != r.Arity() {
		panic(fmt.Sprintf("rules: %s called with %d arguments, want %d", r.Name, len(args), r.Arity()))
	}
	f := reflect.ValueOf(r.Fn)
	in := make([]reflect.Value, len(args))
	for i, a := range args {
		in[i] = reflect.ValueOf(a).Convert(f.Type().In(i))
	}
	out := f.Call(in)
	res := make([]any, len(out))
	for i, v := range out {
		res[i] = v.Interface()
	}
	return res
}

// Slopes returns the values of the partials of D at a point, from all
// arguments, given ones included, and all results there.
func (r *Row) Slopes(args, results []float64) []float64 {
	r.init()
	if r.bad != nil {
		panic(r.bad)
	}
	env := r.env(args, results)
	d := make([]float64, len(r.exprs))
	for i, e := range r.exprs {
		if e != nil {
			d[i] = evaluate(e, env)
		}
	}
	return d
}

// Complete returns all arguments of a point from the free ones: it inserts the
// given ones. It copies free if there are none.
func (r *Row) Complete(free []float64) []float64 {
	args := make([]float64, 0, r.Arity())
	for i := range r.Arity() {
		if r.given(i) == "" {
			args = append(args, free[0])
			free = free[1:]
		} else {
			args = append(args, 0)
		}
	}
	env := r.env(args, nil)
	for i := range args {
		if text := r.given(i); text != "" {
			e, err := parse(text)
			if err != nil {
				panic(err)
			}
			args[i] = evaluate(e, env)
		}
	}
	return args
}

// given returns the text for a given argument, "" for a free one.
func (r *Row) given(i int) string {
	if r.Given == nil {
		return ""
	}
	return r.Given[i]
}

// env names the arguments and results.
func (r *Row) env(args, results []float64) map[string]float64 {
	env := make(map[string]float64, len(args)+len(results))
	for i, a := range args {
		env[r.Vars()[i]] = a
	}
	for i, v := range results {
		env[r.ResultVars()[i]] = v
	}
	return env
}

// evaluate returns the value of an expression that Check accepts. Ints are
// held as floats.
func evaluate(e ast.Expr, env map[string]float64) float64 {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return evaluate(e.X, env)
	case *ast.BasicLit:
		v, err := strconv.ParseFloat(e.Value, 64)
		if err != nil {
			panic(err)
		}
		return v
	case *ast.Ident:
		v, ok := env[e.Name]
		if !ok {
			panic("rules: unknown variable " + e.Name)
		}
		return v
	case *ast.SelectorExpr:
		v, ok := Const(spelling(e))
		if !ok {
			panic("rules: unknown constant " + spelling(e))
		}
		return v
	case *ast.UnaryExpr:
		return -evaluate(e.X, env)
	case *ast.BinaryExpr:
		x, y := evaluate(e.X, env), evaluate(e.Y, env)
		switch e.Op {
		case token.ADD:
			return x + y
		case token.SUB:
			return x - y
		case token.MUL:
			return x * y
		}
		return x / y
	case *ast.CallExpr:
		args := make([]float64, len(e.Args))
		for i, a := range e.Args {
			args[i] = evaluate(a, env)
		}
		name := spelling(e.Fun)
		if name == "float64" {
			return args[0]
		}
		return Lookup(name).Call(args...)[0]
	}
	panic(fmt.Sprintf("rules: %T in an expression", e))
}

// parse parses the text of a partial or of a given argument.
func parse(text string) (ast.Expr, error) {
	e, err := parser.ParseExpr(text)
	if err != nil {
		return nil, fmt.Errorf("cannot parse %q: %w", text, err)
	}
	return e, nil
}

// spelling returns "f" or "pkg.f" for a name, "" for anything else.
func spelling(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		if x, ok := e.X.(*ast.Ident); ok {
			return x.Name + "." + e.Sel.Name
		}
	}
	return ""
}
