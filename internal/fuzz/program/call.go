package program

import (
	"fmt"
	"strings"
)

// A fn is a function of the program.
type fn struct {
	name    string
	recv    *variable // of a method
	params  []*variable
	results []*typ
	pure    bool // writes to nothing that others see
	depth   bool // recursive: its first parameter bounds the depth
	partner *fn  // the function that it calls with less depth, if not itself
	work    int
}

// helpers writes n functions that F, and each other's successors, may call.
func (g *gen) helpers(n int) {
	for k := range n {
		f := &fn{name: fmt.Sprintf("%s%d", []string{"helper", "step", "Grad", "mix"}[g.rng.IntN(4)], k), pure: !g.on(useEffects) || g.chance(50)}
		if g.on(useRecursion) && g.chance(40) {
			f.depth = true
			f.params = append(f.params, &variable{name: "depth", t: intType, fixed: true})
		}
		if !f.depth && len(g.types) > 0 && g.chance(30) {
			t := g.types[g.rng.IntN(len(g.types))]
			if g.on(usePointers) && g.chance(50) {
				t = ptrTo(t)
			}
			f.recv = &variable{t: t}
		}
		for range g.between(1, 3) {
			f.params = append(f.params, &variable{t: g.paramType()})
		}
		if g.on(useClosures) && g.chance(20) && !f.depth {
			f.params = append(f.params, &variable{t: funcType})
		}
		m := 1
		if g.on(useMultiResults) && g.chance(40) {
			m = 2
		}
		for range m {
			f.results = append(f.results, g.resultType())
		}
		if !f.pure && g.chance(30) {
			f.results = nil
		}
		if f.depth && g.chance(30) && f.recv == nil {
			// Two functions that call each other.
			o := &fn{name: f.name + "b", pure: f.pure, depth: true, results: f.results, partner: f}
			for _, v := range f.params {
				o.params = append(o.params, &variable{name: v.name, t: v.t, fixed: v.fixed})
			}
			f.partner = o
			g.function(f, g.between(2, 5))
			g.function(o, g.between(2, 5))
			f.work = 3 * (f.work + o.work)
			o.work = f.work
			g.funcs = append(g.funcs, f, o)
			continue
		}
		g.function(f, g.between(2, 6))
		if f.depth {
			f.work *= 4
		}
		g.funcs = append(g.funcs, f)
	}
}

// function writes a function of about size statements.
func (g *gen) function(f *fn, size int) {
	g.cur, g.results, g.named = f, f.results, nil
	g.scope, g.funcStart, g.blockStart, g.loops = nil, 0, 0, nil
	g.mult, g.work, g.left = 1, 0, size
	g.pure = f.pure
	var params []string
	add := func(v *variable) string {
		if v.name == "" {
			pool := names
			if v.t.kind == integer {
				pool = intNames
			}
			for v.name = g.name(pool); g.inBlock(v.name); {
				v.name = g.name(pool)
			}
		}
		v.least, v.used = minLen, true
		g.declare(v)
		return v.name + " " + v.t.text
	}
	recv := ""
	if f.recv != nil {
		recv = "(" + add(f.recv) + ") "
	}
	for _, v := range f.params {
		params = append(params, add(v))
	}
	if !g.on(useMutatedParams) && f.name == "F" {
		g.pure = true
	}
	var results []string
	if g.on(useNamedResults) && g.chance(60) && len(f.results) > 0 {
		for _, t := range f.results {
			v := &variable{t: t, used: true}
			results = append(results, add(v))
			g.named = append(g.named, v.name)
			if t.refers() {
				// It is nil until the end.
				g.scope = g.scope[:len(g.scope)-1]
				g.reserved[v.name] = true
			}
		}
	} else {
		for _, t := range f.results {
			results = append(results, t.text)
		}
	}
	sig := "(" + strings.Join(params, ", ") + ")"
	switch {
	case len(results) == 1 && g.named == nil:
		sig += " " + results[0]
	case len(results) > 0:
		sig += " (" + strings.Join(results, ", ") + ")"
	}
	g.line("func %s%s%s {", recv, f.name, sig)
	start := len(g.scope)
	g.blockStart = 0
	g.indent++
	if f.depth {
		g.line("if depth <= 0 {")
		g.indent++
		g.returnStmt()
		g.indent--
		g.line("}")
	}
	if g.named != nil && g.on(useDefer) && g.chance(50) {
		for i, t := range f.results {
			if t.kind == float {
				g.line("defer func() { %s += %s * %s }()", g.named[i], g.constant(), g.named[i])
				break
			}
		}
	}
	g.stmts()
	if f.depth {
		g.selfCall(f)
	}
	g.useAll(start)
	g.returnStmt()
	g.indent--
	g.line("}")
	g.line("")
	f.work = g.work
	for _, n := range g.named {
		delete(g.reserved, n)
	}
}

// selfCall writes the one recursive call of f.
func (g *gen) selfCall(f *fn) {
	to := f
	if f.partner != nil {
		to = f.partner
	}
	g.callStmt(to, "depth-1")
}

// args returns arguments for a call of f, whose first is depth if f is recursive.
func (g *gen) args(f *fn, depth string) string {
	var args []string
	for i, v := range f.params {
		if i == 0 && f.depth {
			args = append(args, depth)
			continue
		}
		e, _ := g.expr(v.t)
		args = append(args, e)
	}
	return "(" + strings.Join(args, ", ") + ")"
}

// callee returns the text in front of the arguments, or false if a method has no
// receiver.
func (g *gen) callee(f *fn) (string, bool) {
	if f.recv == nil {
		return f.name, true
	}
	p, ok := g.read(f.recv.t)
	if !ok && f.recv.t.kind == pointer {
		p, ok = g.target(f.recv.t.elem)
		ok = ok && !p.noAddr
		if ok {
		}
	}
	return p.text + "." + f.name, ok
}

// callExpr returns a call of a function with one float result and no effects.
func (g *gen) callExpr() (string, bool) {
	var fs []*fn
	for _, f := range g.funcs {
		if f.pure && len(f.results) == 1 && f.results[0].kind == float && g.work+g.mult*f.work < maxWork {
			fs = append(fs, f)
		}
	}
	if len(fs) == 0 || g.calls <= 0 {
		return "", false
	}
	g.calls--
	f := fs[g.rng.IntN(len(fs))]
	head, ok := g.callee(f)
	if !ok {
		return "", false
	}
	g.work += g.mult * f.work
	return head + g.args(f, fmt.Sprint(g.between(0, 3))), true
}

// callStmt writes a statement that calls f.
func (g *gen) callStmt(f *fn, depth string) bool {
	if g.pure && !f.pure {
		return false
	}
	head, ok := g.callee(f)
	if !ok {
		return false
	}
	g.work += g.mult * f.work
	calls := g.calls
	g.calls = 0
	call := head + g.args(f, depth)
	g.calls = calls
	switch {
	case len(f.results) == 0:
		g.line("%s", call)
	case g.chance(25):
		// Into what is there.
		var dst []string
		for _, t := range f.results {
			p, ok := g.target(t)
			if !ok || t.refers() || g.chance(15) {
				p.text = "_"
			}
			dst = append(dst, p.text)
		}
		if len(dst) == 2 && dst[0] == dst[1] {
			dst[1] = "_"
		}
		g.line("%s = %s", strings.Join(dst, ", "), call)
	case g.chance(10):
		g.line("%s", call)
	default:
		var dst []string
		var vs []*variable
		for _, t := range f.results {
			v := &variable{name: g.name(names), t: t, least: minLen}
			for _, d := range dst {
				if d == v.name {
					v.name = "_"
				}
			}
			dst = append(dst, v.name)
			if v.name != "_" {
				vs = append(vs, v)
			}
		}
		g.line("%s := %s", strings.Join(dst, ", "), call)
		for _, v := range vs {
			g.declare(v)
		}
	}
	return true
}

// returnStmt writes a return statement.
func (g *gen) returnStmt() {
	if len(g.results) == 0 {
		g.line("return")
		return
	}
	if g.named != nil && g.chance(50) {
		ok := true
		for _, t := range g.results {
			ok = ok && !t.refers()
		}
		// Shadowed results may not be returned nakedly.
		vis := g.visible()
		for _, n := range g.named {
			for _, v := range vis {
				if v.name == n {
					ok = ok && v.used && g.isResult(v)
				}
			}
		}
		if ok {
			for i, t := range g.results {
				if t.kind == float {
					g.line("%s += %s", g.named[i], g.sum())
				}
			}
			g.line("return")
			return
		}
	}
	var es []string
	for _, t := range g.results {
		if t.kind == float {
			es = append(es, g.sum())
		} else {
			e, _ := g.expr(t)
			es = append(es, e)
		}
	}
	g.line("return %s", strings.Join(es, ", "))
}

// isResult reports whether v is a named result and not a variable that shadows
// one.
func (g *gen) isResult(v *variable) bool {
	for _, w := range g.scope[:min(len(g.scope), len(g.cur.params)+len(g.results)+1)] {
		if w == v {
			return true
		}
	}
	return false
}

// sum returns a sum of several places, so that what was computed matters.
func (g *gen) sum() string {
	parts := []string{g.float(1)}
	for range g.between(1, 3) {
		parts = append(parts, paren(g.floatLeaf()))
	}
	return strings.Join(parts, " + ")
}
