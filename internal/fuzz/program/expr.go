package program

import (
	"fmt"
	"strconv"
	"strings"
)

// constant returns a literal of moderate size.
func (g *gen) constant() string {
	return literal(float64(g.between(-8, 8))/4 + 0.125*float64(g.rng.IntN(2)))
}

// positive returns a literal above zero and below 2.
func (g *gen) positive() string {
	return literal(float64(g.between(1, 7)) / 4)
}

// literal spells x with a point, so that it is a float in every context.
func literal(x float64) string {
	s := strconv.FormatFloat(x, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

// paren puts an expression between parentheses unless it is a name, a literal
// or a call.
func paren(e string) string {
	depth := 0
	for i, r := range e {
		switch {
		case r == '(' || r == '[':
			depth++
		case r == ')' || r == ']':
			depth--
		case depth == 0 && strings.ContainsRune("+-*/%<>=&|!", r) && !(i > 0 && r == '.'):
			return "(" + e + ")"
		}
	}
	return e
}

// float returns an expression of type float64.
func (g *gen) float(depth int) string {
	if depth <= 0 || g.chance(20) {
		return g.floatLeaf()
	}
	x := func() string { return g.float(depth - 1) }
	switch g.rng.IntN(19) {
	case 17:
		if e, ok := g.useLibrary(depth); ok {
			return e
		}
	case 18:
		if p, ok := g.read(cplxType); ok {
			return []string{"real(", "imag("}[g.rng.IntN(2)] + p.text + ")"
		}
	case 0, 1, 2:
		return x() + " + " + paren(x())
	case 3, 4:
		return x() + " - " + paren(x())
	case 5, 6, 7, 8:
		return paren(x()) + "*" + paren(x())
	case 9:
		d := paren(g.floatLeaf())
		return paren(x()) + "/(" + g.positive() + " + " + d + "*" + d + ")"
	case 10, 11:
		return g.elementary(x())
	case 12:
		return "-" + paren(x())
	case 13:
		if e, ok := g.callExpr(); ok {
			return e
		}
	case 14:
		if p, ok := g.read(funcType); ok && g.calls > 0 {
			g.calls--
			return p.text + "(" + x() + ")"
		}
	case 15:
		if g.on(useKinks) {
			f := []string{"max", "min", "math.Max", "math.Min"}[g.rng.IntN(4)]
			return f + "(" + x() + ", " + x() + ")"
		}
	case 16:
		return "(" + x() + ")"
	}
	return g.floatLeaf()
}

// elementary applies an elementary function that is smooth everywhere and does
// not grow fast.
func (g *gen) elementary(x string) string {
	switch g.rng.IntN(11) {
	case 0:
		return "math.Sin(" + x + ")"
	case 1:
		return "math.Cos(" + x + ")"
	case 2:
		return "math.Tanh(" + x + ")"
	case 3:
		return "math.Exp(math.Sin(" + x + "))"
	case 4:
		p := paren(x)
		return "math.Exp(-" + p + "*" + p + ")"
	case 5:
		p := paren(x)
		return "math.Log(" + g.positive() + " + " + p + "*" + p + ")"
	case 6:
		p := paren(x)
		return "math.Sqrt(" + g.positive() + " + " + p + "*" + p + ")"
	case 7:
		return "math.Atan(" + x + ")"
	case 8:
		if g.on(useKinks) {
			return "math.Abs(" + x + ")"
		}
		return "math.Hypot(" + x + ", " + g.positive() + ")"
	case 9:
		p := paren(g.floatLeaf())
		return "math.Pow(" + g.positive() + " + " + p + "*" + p + ", math.Sin(" + x + "))"
	}
	return "math.Sinh(math.Cos(" + x + "))"
}

func (g *gen) floatLeaf() string {
	switch {
	case g.chance(80):
		if p, ok := g.read(floatType); ok {
			return p.text
		}
	case g.chance(40):
		return "float64(" + g.int() + ")"
	}
	return g.constant()
}

// int returns an expression of type int that is neither negative nor large.
func (g *gen) int() string {
	if g.chance(65) {
		if p, ok := g.read(intType); ok {
			switch g.rng.IntN(4) {
			case 0:
				return p.text + "%" + fmt.Sprint(g.between(2, 4))
			case 1:
				return fmt.Sprintf("(%s*%d+1)%%%d", paren(p.text), g.between(2, 3), g.between(2, 5))
			}
			return p.text
		}
	}
	if g.chance(30) {
		if p, ok := g.read(floats); ok {
			return "len(" + p.text + ")"
		}
	}
	return fmt.Sprint(g.rng.IntN(4))
}

// cond returns an expression of type bool.
func (g *gen) cond(depth int) string {
	if depth > 0 && g.chance(30) {
		a, b := g.cond(depth-1), g.cond(depth-1)
		if g.chance(50) {
			return paren(a) + " && " + paren(b)
		}
		return paren(a) + " || " + paren(b)
	}
	switch g.rng.IntN(6) {
	case 0:
		if p, ok := g.read(boolType); ok {
			if g.chance(30) {
				return "!" + p.text
			}
			return p.text
		}
	case 1, 2:
		op := []string{"<", ">", "==", "!=", "<=", ">="}[g.rng.IntN(6)]
		return g.int() + " " + op + " " + g.int()
	}
	op := []string{"<", ">", "<=", ">="}[g.rng.IntN(4)]
	return g.float(1) + " " + op + " " + g.float(1)
}

// expr returns an expression of type t, and the least length of a slice.
func (g *gen) expr(t *typ) (string, int) {
	switch t.kind {
	case float:
		return g.float(2), 0
	case integer:
		return g.int(), 0
	case boolean:
		return g.cond(1), 0
	case slice:
		return g.sliceExpr(t)
	case pointer:
		return g.pointerExpr(t), 0
	case function:
		if p, ok := g.read(funcType); ok {
			return p.text, 0
		}
		return "math.Sin", 0
	case iface:
		return g.ifaceExpr(), 0
	case complexNumber:
		return g.complexExpr(1), 0
	}
	if p, ok := g.read(t); ok && g.chance(50) {
		return p.text, 0
	}
	return g.literal(t), 0
}

// literal returns a composite literal of an array or a struct.
func (g *gen) literal(t *typ) string {
	var parts []string
	if t.kind == array {
		for range t.n {
			e, _ := g.shallow(t.elem)
			parts = append(parts, e)
		}
		if g.chance(20) {
			return fmt.Sprintf("%s{%d: %s}", t.text, t.n-1, parts[0])
		}
		return t.text + "{" + strings.Join(parts, ", ") + "}"
	}
	for _, f := range t.fields {
		if !f.t.refers() && g.chance(20) {
			continue
		}
		e, _ := g.shallow(f.t)
		parts = append(parts, f.name+": "+e)
	}
	return t.text + "{" + strings.Join(parts, ", ") + "}"
}

func (g *gen) shallow(t *typ) (string, int) {
	if t.kind == float {
		return g.float(1), 0
	}
	return g.expr(t)
}

// sliceExpr returns a slice with at least minLen elements.
func (g *gen) sliceExpr(t *typ) (string, int) {
	if p, ok := g.read(t); ok && p.least >= minLen && g.chance(45) {
		return p.text, p.least
	}
	if t.elem.kind == float && g.on(useSubslices) && g.chance(50) {
		if p, ok := g.read(t); ok && p.least > minLen {
			return p.text + "[1:]", p.least - 1
		}
		for _, v := range g.visible() {
			if v.t.kind == array && v.t.elem.is(t.elem) && v.t.n >= minLen && g.chance(50) {
				return v.name + "[:]", v.t.n
			}
		}
	}
	if t.elem.kind == float && g.chance(40) {
		n := g.between(minLen, 4)
		return fmt.Sprintf("make([]float64, %d)", n), n
	}
	n := g.between(minLen, 3)
	var parts []string
	for range n {
		e, _ := g.shallow(t.elem)
		parts = append(parts, e)
	}
	return t.text + "{" + strings.Join(parts, ", ") + "}", n
}

// pointerExpr returns a pointer that is not nil.
func (g *gen) pointerExpr(t *typ) string {
	if p, ok := g.read(t); ok && g.chance(40) {
		return p.text
	}
	if p, ok := g.target(t.elem); ok && !p.noAddr && g.chance(85) {
		if strings.HasPrefix(p.text, "*") {
			return p.text[1:]
		}
		return "&" + p.text
	}
	if t.elem.kind == structure {
		return "&" + g.literal(t.elem)
	}
	return "new(" + t.elem.text + ")"
}
