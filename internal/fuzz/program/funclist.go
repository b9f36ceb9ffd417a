package program

// funcList writes a slice of functions that change a variable which they capture, some
// through a function of their own, and calls them.
func (g *gen) funcList() bool {
	p, ok := g.target(floatType)
	if !ok || g.pure || p.v == nil || p.text != p.v.name || g.mult > 20 {
		return false
	}
	list, out := g.declare(&variable{name: g.name(names)}), g.declare(&variable{name: g.name(names)})
	acc := p.text
	if list.name == acc || out.name == acc || list.name == out.name {
		return false
	}
	param := g.name(names)
	for param == acc {
		param += "0"
	}
	g.calls = 0
	g.line("%s := []func(float64) float64{", list.name)
	for range g.between(2, 3) {
		g.line("func(%s float64) float64 {", param)
		g.block(func() {
			g.declare(&variable{name: param, t: floatType, used: true})
		}, func() {
			e := "math.Sin(" + g.float(1) + ")"
			switch g.rng.IntN(4) {
			case 0:
				g.line("%s += %s", acc, e)
				g.line("return %s", acc)
			case 1:
				g.line("get9 := func() float64 { return %s * %s }", acc, g.positive())
				g.line("%s -= %s", acc, e)
				g.line("return get9()")
			case 2:
				g.line("set9 := func(v9 float64) { %s = %s*0.5 + v9 }", acc, acc)
				g.line("set9(%s)", e)
				g.line("return %s", acc)
			default:
				g.line("more9 := []func() float64{func() float64 { return %s }, func() float64 { return %s * %s }}", acc, acc, param)
				g.line("%s = %s*0.5 + %s", acc, acc, e)
				g.line("return more9[1]() - more9[0]()")
			}
		})
		g.line("},")
	}
	g.line("}")
	g.line("%s := 0.0", out.name)
	f := "f9"
	g.line("for i9, %s := range %s {", f, list.name)
	g.line("%s += %s(%s) * float64(i9+1)", out.name, f, g.float(1))
	g.line("}")
	out.t = floatType
	return true
}
