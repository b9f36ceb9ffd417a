package program

import "fmt"

// A loop is one around the statement being written.
type loop struct {
	label string
	named *bool // the label is used
}

// trips is how often loops over parameters run at most, about.
const trips = 4

// loopStmt writes a loop.
func (g *gen) loopStmt() bool {
	if g.mult*trips > 70 {
		return false
	}
	g.calls = 0
	at := len(g.lines)
	g.labels++
	used := false
	l := loop{label: fmt.Sprintf("loop%d", g.labels), named: &used}
	mult := g.mult
	g.mult *= trips
	var pinned *variable
	body := func(open func()) {
		g.block(open, func() {
			g.loops = append(g.loops, l)
			g.some(g.between(1, 4))
			g.loops = g.loops[:len(g.loops)-1]
		})
		g.line("}")
	}
	// over pins the length of a slice while an index into it lives.
	over := func(p place) {
		if p.v != nil && !p.v.fixed {
			pinned = p.v
			p.v.fixed = true
		}
	}
	kinds := 7
	if g.on(useWhile) {
		kinds = 11
	}
	switch k := g.rng.IntN(kinds); k {
	case 0:
		i := g.name(intNames)
		g.line("for %s := range %d {", i, g.between(1, 4))
		body(func() { g.declare(&variable{name: i, t: intType, fixed: true}) })
	case 1, 2:
		p, ok := g.read(floats)
		if !ok {
			i := g.name(intNames)
			g.line("for %s := %d; %s >= 0; %s-- {", i, g.between(1, 4), i, i)
			body(func() { g.declare(&variable{name: i, t: intType, fixed: true, used: true}) })
			break
		}
		over(p)
		i := g.name(intNames)
		switch g.rng.IntN(4) {
		case 0:
			g.line("for %s := 0; %s < len(%s); %s++ {", i, i, p.text, i)
		case 1:
			g.line("for %s := len(%s) - 1; %s >= 0; %s-- {", i, p.text, i, i)
		case 2:
			g.line("for %s := 0; %s < len(%s); %s += 2 {", i, i, p.text, i)
		default:
			g.line("for %s := range %s {", i, p.text)
			body(func() { g.declare(&variable{name: i, t: intType, fixed: true, below: p.v}) })
			goto done
		}
		body(func() { g.declare(&variable{name: i, t: intType, fixed: true, used: true, below: p.v}) })
	case 3, 4:
		// Over the elements of a slice or an array.
		t := floats
		if g.on(useStructSlices) && len(g.types) > 0 && g.chance(40) {
			t = sliceOf(g.types[0])
		} else if g.on(useMatrices) && g.chance(40) {
			t = sliceOf(floats)
		} else if g.on(useArrays) && g.chance(40) {
			t = arrayOf(3, floatType)
		}
		p, ok := g.read(t)
		if !ok {
			g.mult = mult
			return false
		}
		over(p)
		v := &variable{name: g.name(names), t: t.elem, least: minLen}
		if g.chance(50) {
			g.line("for _, %s := range %s {", v.name, p.text)
			body(func() { g.declare(v) })
			break
		}
		i := g.name(intNames)
		g.line("for %s, %s := range %s {", i, v.name, p.text)
		body(func() {
			g.declare(&variable{name: i, t: intType, fixed: true, below: p.v})
			g.declare(v)
		})
	case 5:
		i := g.name(intNames)
		g.line("for %s := 1; %s < %d; %s++ {", i, i, g.between(2, 5), i)
		body(func() { g.declare(&variable{name: i, t: intType, fixed: true, used: true}) })
	case 6:
		if p, ok := g.read(intType); ok {
			i := g.name(intNames)
			g.line("for %s := 0; %s < %s%%4; %s++ {", i, i, paren(p.text), i)
			body(func() { g.declare(&variable{name: i, t: intType, fixed: true, used: true}) })
			break
		}
		g.line("for range %d {", g.between(1, 3))
		body(nil)
	case 7:
		// While something floating holds, at most a few times.
		fuel := g.name(intNames)
		g.line("%s := 0", fuel)
		at++
		v := g.declare(&variable{name: fuel, t: intType, fixed: true, used: true})
		g.line("for %s < %d && %s {", fuel, g.between(2, 5), paren(g.cond(0)))
		g.line("\t%s++", v.name)
		body(nil)
	case 8:
		fuel := g.name(intNames)
		g.line("%s := %d", fuel, g.between(2, 5))
		at++
		g.declare(&variable{name: fuel, t: intType, fixed: true, used: true})
		g.line("for {")
		g.line("\t%s--", fuel)
		g.line("\tif %s <= 0 || %s {", fuel, paren(g.cond(0)))
		g.line("\t\tbreak")
		g.line("\t}")
		body(nil)
	case 9:
		// A float as the loop variable.
		x := g.name(names)
		g.line("for %s := 0.25; %s < 1.6; %s += 0.5 {", x, x, x)
		body(func() { g.declare(&variable{name: x, t: floatType, fixed: true, used: true}) })
	default:
		x, fuel := g.name(names), g.name(intNames)
		g.line("for %s, %s := %s, 0; %s < %d; %s, %s = math.Sin(%s)+0.5, %s+1 {", x, fuel, g.asFloat(g.float(1)), fuel, g.between(2, 4), x, fuel, x, fuel)
		body(func() {
			g.declare(&variable{name: x, t: floatType, used: true})
			g.declare(&variable{name: fuel, t: intType, fixed: true, used: true})
		})
	}
done:
	if pinned != nil {
		pinned.fixed = false
	}
	g.mult = mult
	if used {
		g.lines = append(g.lines[:at], append([]string{l.label + ":"}, g.lines[at:]...)...)
	}
	return true
}

// renew writes what a simulation does in each step: a new slice computed from one
// that a variable holds, which then takes its place.
func (g *gen) renew() bool {
	p, ok := g.target(floats)
	if !ok || p.v == nil || p.v.least > minLen || g.pure && !p.v.own || g.mult*trips > 70 {
		return false
	}
	old := *p.v
	if g.chance(40) { // what an earlier step has made
		i := g.name(intNames)
		g.line("for %s := range %s {", i, old.name)
		g.line("\t%s[%s] *= 0.5 + math.Cos(%s[%s])", old.name, i, old.name, i)
		g.line("}")
	}
	name, i := g.name(names), g.name(intNames)
	g.line("%s := make([]float64, len(%s))", name, old.name)
	v := g.declare(&variable{name: name, t: floats, least: old.least, own: true})
	p.v.fixed, v.fixed = true, true
	mult := g.mult
	g.mult *= trips
	g.line("for %s := range %s {", i, name)
	g.block(func() { g.declare(&variable{name: i, t: intType, fixed: true, used: true, below: v}) }, func() {
		g.line("%s[%s] = %s", name, i, g.float(2))
		g.line("%s[%s] += math.Sin(%s[%s])", name, i, old.name, i)
		g.some(g.between(0, 2))
	})
	g.line("}")
	g.mult = mult
	g.some(g.between(0, 2))
	p.v.fixed, v.fixed = old.fixed, false
	g.line("%s = %s", old.name, name)
	return true
}

// leaveLoop writes a break or continue under a condition.
func (g *gen) leaveLoop() bool {
	g.calls = 0
	word := "break"
	if g.chance(50) {
		word = "continue"
	}
	if g.on(useLabels) && g.chance(50) {
		k := g.rng.IntN(len(g.loops))
		*g.loops[k].named = true
		word += " " + g.loops[k].label
	}
	g.line("if %s {", g.cond(1))
	if g.chance(40) {
		g.block(nil, func() { g.assign() })
	}
	g.line("\t%s", word)
	g.line("}")
	return true
}
