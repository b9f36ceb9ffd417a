package program

import (
	"fmt"
	"strings"
)

// stmts writes the statements that are left, or some of them inside a nested
// block.
func (g *gen) stmts() {
	for g.left > 0 {
		g.stmt()
	}
}

// some writes up to n statements.
func (g *gen) some(n int) {
	for range n {
		if g.left <= 0 {
			// Blocks are not empty.
			g.assign()
			return
		}
		g.stmt()
	}
}

func (g *gen) stmt() {
	g.left--
	g.calls = 1
	g.work += g.mult
	type choice struct {
		weight int
		f      func() bool
	}
	list := []choice{{16, g.declareFloat}, {30, g.assign}, {3, g.declareInt}, {3, g.assignInt}, {2, g.declareBool}, {10, g.ifStmt}, {2, g.inner}}
	add := func(f feature, weight int, do func() bool) {
		if g.on(f) {
			list = append(list, choice{weight, do})
		}
	}
	add(useLoops, 16, g.loopStmt)
	add(useSlices, 8, g.declareSlice)
	if g.on(useSlices) {
		add(useLoops, 5, g.reduce)
	}
	add(useAppend, 4, g.clone)
	add(useSubslices, 5, g.subslice)
	add(useSubslices, 3, g.copyStmt)
	add(useAppend, 6, g.appendStmt)
	add(useArrays, 5, func() bool { return g.declareOf(arrayOf(g.between(2, 3), floatType)) })
	add(useMatrices, 3, func() bool { return g.declareOf(sliceOf(floats)) })
	add(useStructs, 6, func() bool { return g.declareOf(g.types[g.rng.IntN(len(g.types))]) })
	add(useStructs, 4, g.assignWhole)
	add(useArrays, 4, g.assignWhole)
	add(useSlices, 2, g.assignWhole)
	add(usePointers, 6, g.declarePointer)
	add(usePointers, 2, g.assignWhole)
	add(useCalls, 12, g.someCall)
	add(useClosures, 6, g.closure)
	add(useClosures, 5, g.act)
	add(useFuncLists, 5, g.funcList)
	add(useMaps, 4, g.declareMap)
	add(useSwitch, 6, g.switchStmt)
	add(useReturn, 3, g.earlyReturn)
	add(useInterfaces, 4, func() bool { return g.declareOf(ifaceType) })
	add(useInterfaces, 3, g.typeSwitch)
	add(useComplex, 4, func() bool { return g.declareOf(cplxType) })
	add(useComplex, 4, g.assignComplex)
	add(useGoto, 4, g.gotoStmt)
	if len(g.loops) > 0 {
		add(useBreak, 7, g.leaveLoop)
		add(useSlices, 6, g.renew)
	}
	if g.on(useStructSlices) && len(g.types) > 0 {
		list = append(list, choice{3, func() bool { return g.declareOf(sliceOf(g.types[0])) }})
	}
	total := 0
	for _, c := range list {
		total += c.weight
	}
	n := g.rng.IntN(total)
	for _, c := range list {
		if n -= c.weight; n < 0 {
			if !c.f() {
				g.assign()
			}
			return
		}
	}
}

func (g *gen) declareFloat() bool {
	name := g.name(names)
	if g.chance(15) && len(g.visible()) > 1 {
		other := g.name(names)
		if other != name {
			g.line("%s, %s := %s, %s", name, other, g.float(2), g.float(1))
			g.declare(&variable{name: name, t: floatType})
			g.declare(&variable{name: other, t: floatType})
			return true
		}
	}
	switch g.rng.IntN(5) {
	case 0:
		g.line("var %s float64", name)
	case 1:
		g.line("var %s = float64(%s)", name, g.float(2))
	default:
		g.line("%s := %s", name, g.asFloat(g.float(2)))
	}
	g.declare(&variable{name: name, t: floatType})
	return true
}

// asFloat makes sure that an expression is of type float64 and no untyped
// constant.
func (g *gen) asFloat(e string) string {
	for _, v := range g.visible() {
		if strings.Contains(e, v.name) {
			return e
		}
	}
	return "float64(" + e + ")"
}

// assign writes an assignment to floats.
func (g *gen) assign() bool {
	p, ok := g.target(floatType)
	if !ok {
		name := g.name(names)
		g.line("%s := %s", name, g.asFloat(g.float(2)))
		g.declare(&variable{name: name, t: floatType})
		return true
	}
	switch g.rng.IntN(12) {
	case 0, 1, 2, 3:
		g.line("%s = %s", p.text, g.float(2))
	case 4, 5, 6:
		g.line("%s += %s", p.text, g.float(2))
	case 7:
		g.line("%s -= %s", p.text, g.float(2))
	case 8:
		g.line("%s *= math.Sin(%s)", p.text, g.float(1))
	case 9:
		d := paren(g.floatLeaf())
		g.line("%s /= %s + %s*%s", p.text, g.positive(), d, d)
	case 10:
		q, ok := g.target(floatType)
		if !ok || q.text == p.text || p.noAddr || q.noAddr {
			g.line("%s = %s", p.text, g.float(3))
			break
		}
		if g.chance(50) {
			g.line("%s, %s = %s, %s", p.text, q.text, q.text, p.text)
		} else {
			g.line("%s, %s = %s, %s", p.text, q.text, g.float(1), g.float(1))
		}
	default:
		g.line("%s++", p.text)
	}
	return true
}

func (g *gen) declareInt() bool {
	name := g.name(intNames)
	if g.chance(30) {
		if p, ok := g.read(floatType); ok {
			g.line("%s := int(math.Abs(%s)*3) %% 4", name, p.text)
			g.declare(&variable{name: name, t: intType})
			return true
		}
	}
	g.line("%s := %s", name, g.int())
	g.declare(&variable{name: name, t: intType})
	return true
}

func (g *gen) assignInt() bool {
	p, ok := g.target(intType)
	if !ok {
		return g.declareInt()
	}
	if g.chance(30) {
		g.line("%s++", p.text)
	} else {
		g.line("%s = (%s + %d) %% %d", p.text, g.int(), g.between(0, 2), g.between(3, 6))
	}
	return true
}

func (g *gen) declareBool() bool {
	name := g.name(names)
	g.line("%s := %s", name, g.cond(1))
	g.declare(&variable{name: name, t: boolType})
	return true
}

// declareOf declares a variable of type t.
func (g *gen) declareOf(t *typ) bool {
	name := g.name(names)
	if !t.refers() && t.kind != iface && g.chance(20) {
		g.line("var %s %s", name, t.text)
		g.declare(&variable{name: name, t: t})
		return true
	}
	e, least := g.expr(t)
	g.line("%s := %s", name, e)
	g.declare(&variable{name: name, t: t, least: least})
	return true
}

func (g *gen) declareSlice() bool {
	name := g.name(names)
	if g.chance(25) {
		if p, ok := g.read(floats); ok && p.least >= minLen {
			g.line("%s := make([]float64, len(%s))", name, p.text)
			g.declare(&variable{name: name, t: floats, least: p.least, own: true})
			return true
		}
	}
	e, least := g.expr(floats)
	g.line("%s := %s", name, e)
	g.declare(&variable{name: name, t: floats, least: least, own: strings.HasPrefix(e, "make") || strings.HasSuffix(e, "}")})
	return true
}

func (g *gen) subslice() bool {
	p, ok := g.read(floats)
	if !ok || p.least < minLen {
		return false
	}
	name := g.name(names)
	least := p.least - 1
	switch g.rng.IntN(5) {
	case 0:
		g.line("%s := %s[1:]", name, p.text)
	case 1:
		g.line("%s := %s[:len(%s)-1]", name, p.text, p.text)
	case 2:
		g.line("%s := %s[:%d]", name, p.text, p.least-1)
	case 3:
		g.line("%s := %s[1:%d]", name, p.text, p.least)
	default:
		least = p.least
		g.line("%s := %s[0:%d:%d]", name, p.text, p.least, p.least)
	}
	g.declare(&variable{name: name, t: floats, least: least})
	return true
}

func (g *gen) copyStmt() bool {
	p, ok := g.read(floats)
	if !ok || g.pure && (p.v == nil || !g.local(p.v)) {
		return false
	}
	q, _ := g.read(floats)
	switch g.rng.IntN(5) {
	case 0:
		if p.least >= 1 {
			g.line("copy(%s[1:], %s)", p.text, p.text)
			return true
		}
	case 1:
		if p.least >= 1 {
			g.line("copy(%s, %s[1:])", p.text, p.text)
			return true
		}
	case 2:
		if g.chance(30) {
			g.line("clear(%s)", p.text)
			return true
		}
	}
	g.line("copy(%s, %s)", p.text, q.text)
	return true
}

func (g *gen) appendStmt() bool {
	p, ok := g.target(floats)
	if !ok || g.mult > 30 {
		return false
	}
	if g.pure && !g.local(p.root) || p.v == nil && !g.on(useRebind) {
		return false
	}
	e := g.float(1)
	if g.chance(25) {
		if q, ok := g.read(floats); ok && g.mult == 1 {
			e = q.text + "..."
		}
	} else if g.chance(20) {
		e += ", " + g.float(1)
	}
	if p.v != nil && g.chance(40) && !p.v.fixed {
		name := g.name(names)
		g.line("%s := append(%s, %s)", name, p.text, e)
		g.declare(&variable{name: name, t: floats, least: p.least})
		return true
	}
	g.line("%s = append(%s, %s)", p.text, p.text, e)
	return true
}

// assignWhole assigns a struct, an array, a slice or a pointer.
func (g *gen) assignWhole() bool {
	var ts []*typ
	for _, v := range g.visible() {
		switch v.t.kind {
		case structure, array, pointer:
			ts = append(ts, v.t)
			if v.t.kind == pointer && v.t.elem.kind == structure {
				ts = append(ts, v.t.elem)
			}
		case slice:
			ts = append(ts, v.t)
			if v.t.elem.kind != float {
				ts = append(ts, v.t.elem)
			}
		}
	}
	if len(ts) == 0 {
		return false
	}
	t := ts[g.rng.IntN(len(ts))]
	p, ok := g.target(t)
	if !ok || g.pure && t.refers() || t.refers() && p.v == nil && !g.on(useRebind) {
		return false
	}
	if p.v != nil && t.kind == slice && p.v.least > minLen {
		return false
	}
	e, least := g.expr(t)
	if t.kind == slice && least < p.least {
		return false
	}
	g.line("%s = %s", p.text, e)
	return true
}

func (g *gen) declarePointer() bool {
	var ts []*typ
	ts = append(ts, floatType)
	ts = append(ts, g.types...)
	t := ptrTo(ts[g.rng.IntN(len(ts))])
	name := g.name(names)
	if g.pure && t.elem.refers() {
		return false
	}
	e := g.pointerExpr(t)
	g.line("%s := %s", name, e)
	g.declare(&variable{name: name, t: t})
	return true
}

func (g *gen) declareMap() bool {
	name := g.name(names)
	g.line("%s := map[int]float64{0: %s, 1: %s}", name, g.float(1), g.float(1))
	g.declare(&variable{name: name, t: mapType})
	return true
}

func (g *gen) someCall() bool {
	var fs []*fn
	for _, f := range g.funcs {
		if g.work+g.mult*f.work < maxWork && (f.pure || !g.pure) {
			fs = append(fs, f)
		}
	}
	if len(fs) == 0 {
		return false
	}
	return g.callStmt(fs[g.rng.IntN(len(fs))], fmt.Sprint(g.between(0, 3)))
}

// closure declares a function literal: one that computes a float, or one that
// changes what it captures.
func (g *gen) closure() bool {
	name := g.name(names)
	param := g.name(names)
	pure, mult, work, results, named, loops := g.pure, g.mult, g.work, g.results, g.named, g.loops
	start := g.funcStart
	act := g.chance(40)
	if act && pure {
		act = false
	}
	g.loops, g.named = nil, nil
	if act {
		g.line("%s := func(%s float64) {", name, param)
		g.results = nil
	} else {
		g.line("%s := func(%s float64) float64 {", name, param)
		g.results, g.pure = []*typ{floatType}, true
	}
	g.block(func() {
		if !act {
			g.funcStart = len(g.scope)
		}
		g.declare(&variable{name: param, t: floatType, used: true})
	}, func() {
		g.some(g.between(1, 3))
		if !act {
			g.calls = 0
			g.useAll(g.blockStart)
			g.returnStmt()
		}
	})
	g.line("}")
	g.pure, g.mult, g.work, g.results, g.named, g.loops = pure, mult, 2*g.work-work, results, named, loops
	g.funcStart = start
	t := funcType
	if act {
		t = actType
	}
	g.declare(&variable{name: name, t: t, fixed: true})
	return true
}

// act calls a closure that has effects.
func (g *gen) act() bool {
	p, ok := g.read(actType)
	if !ok || g.pure {
		return false
	}
	g.line("%s(%s)", p.text, g.float(1))
	return true
}

func (g *gen) ifStmt() bool {
	g.calls = 0
	g.line("if %s {", g.cond(1))
	g.block(nil, func() { g.some(g.between(1, 3)) })
	for g.chance(25) {
		g.calls = 0
		g.line("} else if %s {", g.cond(1))
		g.block(nil, func() { g.some(g.between(1, 2)) })
	}
	if g.chance(45) {
		g.line("} else {")
		g.block(nil, func() { g.some(g.between(1, 3)) })
	}
	g.line("}")
	return true
}

func (g *gen) inner() bool {
	g.line("{")
	g.block(nil, func() { g.some(g.between(1, 3)) })
	g.line("}")
	return true
}

func (g *gen) switchStmt() bool {
	g.calls = 0
	tagged := g.chance(50)
	if tagged {
		g.line("switch %s {", g.int())
	} else {
		g.line("switch {")
	}
	n := g.between(1, 3)
	for k := range n {
		if tagged {
			if k == 0 && g.chance(30) {
				g.line("case %d, %d:", k, k+5)
			} else {
				g.line("case %d:", k)
			}
		} else {
			g.line("case %s:", g.cond(1))
		}
		g.block(nil, func() {
			g.some(g.between(1, 2))
			if g.on(useBreak) && g.chance(20) {
				g.line("if %s {", g.cond(0))
				g.line("\tbreak")
				g.line("}")
				g.some(1)
			}
			if k+1 < n && g.chance(15) {
				g.useAll(g.blockStart)
				g.line("fallthrough")
			}
		})
	}
	if g.chance(50) {
		g.line("default:")
		g.block(nil, func() { g.some(g.between(1, 2)) })
	}
	g.line("}")
	return true
}

func (g *gen) earlyReturn() bool {
	g.calls = 0
	g.line("if %s {", g.cond(1))
	g.indent++
	g.returnStmt()
	g.indent--
	g.line("}")
	return true
}
