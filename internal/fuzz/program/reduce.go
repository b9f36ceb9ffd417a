package program

import "fmt"

// reduce writes a loop that does nothing but add up: its trips are independent.
func (g *gen) reduce() bool {
	if g.mult*trips > 70 {
		return false
	}
	first := g.asFloat(g.float(1))
	// The sums have no type until the loop has ended, so that its body does not read them,
	// nor what their names hide.
	total := g.declare(&variable{name: g.name(names)})
	var rest *variable
	if g.chance(30) {
		rest = g.declare(&variable{name: g.name(names)})
	}
	p, ok := g.read(floats)
	if !ok {
		return false
	}
	mult := g.mult
	g.mult *= trips
	g.calls = 0
	sum := total.name
	g.line("%s := %s", sum, first)
	if rest != nil {
		g.line("%s := 0.0", rest.name)
	}
	i, v := g.name(intNames), g.name(names)
	for v == sum || rest != nil && v == rest.name {
		v += "0"
	}
	g.line("for %s, %s := range %s {", i, v, p.text)
	g.block(func() {
		g.declare(&variable{name: i, t: intType, fixed: true, below: p.v})
		g.declare(&variable{name: v, t: floatType, fixed: true})
	}, func() {
		term := func() string { return paren(g.float(2)) + " * " + v }
		add := func(to string) {
			if g.chance(25) {
				g.line("%s -= %s", to, term())
			} else {
				g.line("%s += %s", to, term())
			}
		}
		if g.chance(30) {
			g.line("if %s {", g.cond(1))
			g.indent++
			add(sum)
			g.indent--
			g.line("}")
		} else {
			add(sum)
		}
		if rest != nil {
			add(rest.name)
		}
	})
	g.line("}")
	g.mult = mult
	if rest != nil {
		rest.t = floatType
	}
	// A sum that goes to one place only is one whose adjoint may be known before the loop.
	if !g.chance(60) || !g.sink(sum) || g.chance(30) {
		total.t = floatType
	}
	return true
}

// sink writes a statement that puts the float named v to some place.
func (g *gen) sink(v string) bool {
	kind := g.rng.IntN(3)
	if !g.on(useAppend) {
		kind = 2
	}
	switch kind {
	case 0:
		list := g.name(names)
		if list == v {
			return false
		}
		g.line("%s := append([]float64{}, %s)", list, v)
		g.declare(&variable{name: list, t: floats, least: 1, own: true})
		return true
	case 1:
		p, ok := g.target(floats)
		if !ok || g.mult > 30 || g.pure && !g.local(p.root) || p.v == nil && !g.on(useRebind) {
			return false
		}
		g.line("%s = append(%s, %s*%s)", p.text, p.text, v, g.positive())
		return true
	}
	p, ok := g.target(floatType)
	if !ok || g.pure && !g.local(p.root) {
		return false
	}
	g.line("%s += %s*%s", p.text, v, g.positive())
	return true
}

// clone writes a copy of a slice by way of append.
func (g *gen) clone() bool {
	p, ok := g.read(floats)
	if !ok {
		return false
	}
	name := g.name(names)
	empty := []string{"[]float64(nil)", "[]float64{}", "[]float64{}", fmt.Sprintf("%s[:0:0]", p.text), "make([]float64, 0, 4)"}[g.rng.IntN(5)]
	if g.chance(30) {
		g.line("%s := append(%s, %s)", name, empty, g.float(1)+", "+g.float(1))
		g.declare(&variable{name: name, t: floats, least: 2, own: true})
		return true
	}
	g.line("%s := append(%s, %s...)", name, empty, p.text)
	g.declare(&variable{name: name, t: floats, least: p.least, own: true})
	return true
}
