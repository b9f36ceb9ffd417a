package program

import (
	"fmt"
	"strings"
)

// A definition is text that a program starts with, and how it is used.
type definition struct {
	text string
	// call returns a use of it as a float64.
	call func(g *gen, depth int) string
}

var generics = []definition{
	{
		"func blend[T ~float64](a, b T) T {\n\tif a > b {\n\t\treturn a*b + b\n\t}\n\treturn a - 0.5*b\n}\n",
		func(g *gen, d int) string { return "blend(" + g.typed(d) + ", " + g.typed(d) + ")" },
	},
	{
		"type Real float64\n\nfunc twist[T ~float64](a T) T { return a*a + T(math.Sin(float64(a))) }\n",
		func(g *gen, d int) string { return "float64(twist(Real(" + g.float(d) + ")))" },
	},
	{
		"func fold[T, U any](s []T, u U, f func(U, T) U) U {\n\tfor _, t := range s {\n\t\tu = f(u, t)\n\t}\n\treturn u\n}\n",
		func(g *gen, d int) string {
			s, ok := g.read(floats)
			if !ok {
				return g.floatLeaf()
			}
			return "fold(" + s.text + ", " + g.typed(d) + ", func(fa, fb float64) float64 { return fa + " + g.floatLeaf() + "*fb })"
		},
	},
}

var variadics = []definition{
	{
		"func vsum(k float64, xs ...float64) float64 {\n\ts := k\n\tfor i, x := range xs {\n\t\ts += x * x / float64(i+1)\n\t}\n\treturn s\n}\n",
		func(g *gen, d int) string {
			if p, ok := g.read(floats); ok && g.chance(40) {
				return "vsum(" + g.float(d) + ", " + p.text + "...)"
			}
			args := []string{g.float(d)}
			for range g.between(0, 3) {
				args = append(args, g.float(d))
			}
			return "vsum(" + strings.Join(args, ", ") + ")"
		},
	},
}

var globals = []definition{
	{
		"var weight = 1.25\n",
		func(g *gen, d int) string { return "weight" },
	},
	{
		"var table = [3]float64{0.5, -1.5, 2.0}\n",
		func(g *gen, d int) string { return fmt.Sprintf("table[%d]", g.rng.IntN(3)) },
	},
}

// library writes definitions, which float expressions use.
func (g *gen) library() {
	add := func(f feature, from []definition) {
		if g.on(f) {
			d := from[g.rng.IntN(len(from))]
			g.line("%s", d.text)
			g.defs = append(g.defs, d)
		}
	}
	add(useGenerics, generics)
	add(useVariadics, variadics)
	add(useGlobals, globals)
	if g.on(useInterfaces) {
		g.interfaces()
	}
}

// useLibrary returns a use of a definition.
func (g *gen) useLibrary(depth int) (string, bool) {
	if p, ok := g.read(ifaceType); ok && g.chance(60) && g.calls > 0 {
		g.calls--
		return p.text + ".Val(" + g.float(depth-1) + ")", true
	}
	if len(g.defs) == 0 {
		return "", false
	}
	g.work += g.mult * 8
	return g.defs[g.rng.IntN(len(g.defs))].call(g, depth-1), true
}

// typed returns a float expression that is no untyped constant.
func (g *gen) typed(depth int) string { return g.asFloat(g.float(depth)) }

// interfaces writes an interface and two types that implement it.
func (g *gen) interfaces() {
	g.line("type S interface{ Val(t float64) float64 }\n")
	a := &typ{kind: structure, text: "SA", fields: []field{{name: "K", t: floatType}}}
	b := &typ{kind: structure, text: "SB", fields: []field{{name: "X", t: floatType}, {name: "Y", t: floatType}}}
	g.line("%s", a.declaration())
	g.line("%s", b.declaration())
	g.impls = []*typ{a, b}
	g.function(&fn{name: "Val", recv: &variable{t: a}, params: []*variable{{t: floatType}}, results: []*typ{floatType}, pure: true}, g.between(1, 3))
	g.function(&fn{name: "Val", recv: &variable{t: ptrTo(b)}, params: []*variable{{t: floatType}}, results: []*typ{floatType}, pure: true}, g.between(1, 3))
}

// ifaceExpr returns a value of the interface that is not nil.
func (g *gen) ifaceExpr() string {
	if p, ok := g.read(ifaceType); ok && g.chance(40) {
		return p.text
	}
	if g.chance(50) {
		return "S(" + g.literal(g.impls[0]) + ")"
	}
	return "S(&" + g.literal(g.impls[1]) + ")"
}

// typeSwitch writes a switch over the type in an interface.
func (g *gen) typeSwitch() bool {
	p, ok := g.read(ifaceType)
	if !ok {
		return false
	}
	g.calls = 0
	name := g.name(names)
	g.line("switch %s := %s.(type) {", name, p.text)
	for k, t := range []*typ{g.impls[0], ptrTo(g.impls[1])} {
		if k == 1 && g.chance(20) {
			break
		}
		g.line("case %s:", t.text)
		g.block(func() { g.declare(&variable{name: name, t: t}) }, func() {
			g.line("\t_ = %s", name)
			g.some(g.between(1, 2))
		})
	}
	g.line("}")
	return true
}

// complexExpr returns an expression of type complex128 of moderate size.
func (g *gen) complexExpr(depth int) string {
	if p, ok := g.read(cplxType); ok && depth > 0 && g.chance(60) {
		switch g.rng.IntN(4) {
		case 0:
			return p.text + "*" + p.text
		case 1:
			return p.text + " + " + g.complexExpr(depth-1)
		case 2:
			return p.text + "*(" + g.complexExpr(depth-1) + ")"
		}
		return "-" + p.text
	}
	return "complex(" + g.typed(1) + ", " + g.typed(0) + ")"
}

func (g *gen) assignComplex() bool {
	p, ok := g.target(cplxType)
	if !ok {
		return false
	}
	g.line("%s %s %s", p.text, []string{"=", "+=", "-=", "*="}[g.rng.IntN(4)], g.complexExpr(1))
	return true
}

// gotoStmt writes a goto forwards or backwards.
func (g *gen) gotoStmt() bool {
	g.calls = 0
	g.labels++
	if _, ok := g.target(floatType); !ok {
		return false
	}
	if g.chance(50) {
		g.line("if %s {", g.cond(1))
		g.line("\tgoto skip%d", g.labels)
		g.line("}")
		for range g.between(1, 2) {
			g.assign()
		}
		g.line("skip%d:", g.labels)
		g.assign()
		return true
	}
	label := g.labels
	fuel := g.name(intNames)
	g.line("%s := 0", fuel)
	g.declare(&variable{name: fuel, t: intType, fixed: true, used: true})
	g.line("again%d:", label)
	g.line("%s++", fuel)
	mult := g.mult
	g.mult *= 3
	for range g.between(1, 2) {
		g.assign()
	}
	g.mult = mult
	g.line("if %s < %d && %s {", fuel, g.between(2, 4), paren(g.cond(0)))
	g.line("\tgoto again%d", label)
	g.line("}")
	return true
}
