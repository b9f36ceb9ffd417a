package program

import (
	"fmt"
	"regexp"
	"strings"
)

// A variable is one that the text written next may use.
type variable struct {
	name  string
	t     *typ
	least int       // a slice: it has at least so many elements
	fixed bool      // not to be assigned as a whole: loop variables, slices that a loop indexes
	used  bool      // no use of it need be written
	at    int       // number of lines before the declaration is complete
	own   bool      // a slice that was made here, and never assigned again in pure functions
	below *variable // an integer: less than the length of this slice or array
}

// visible returns the variables that are not shadowed. One without a type only takes a
// name.
func (g *gen) visible() []*variable {
	var out []*variable
	seen := map[string]bool{}
	for i := len(g.scope) - 1; i >= 0; i-- {
		if v := g.scope[i]; !seen[v.name] {
			seen[v.name] = true
			if v.t != nil {
				out = append(out, v)
			}
		}
	}
	return out
}

// names are short, as people choose them, and some are those that generated code
// likes too.
var names = []string{"a", "b", "c", "d", "e", "p", "q", "r", "s", "t", "u", "v", "w", "y", "z", "acc", "sum", "tmp",
	"dx", "dy", "value", "tape", "ws", "xBar", "xDot", "grad", "one", "x1", "t1", "i1", "hv", "ok1", "buf"}

var intNames = []string{"i", "j", "k", "l", "m", "n", "count", "idx"}

// name returns a name for a new variable; now and then it shadows another one.
func (g *gen) name(pool []string) string {
	if g.on(useShadowing) && g.chance(15) {
		for range 5 {
			name := pool[g.rng.IntN(len(pool))]
			if !g.inBlock(name) && !g.reserved[name] {
				return name
			}
		}
	}
	for k := 0; ; k++ {
		name := pool[g.rng.IntN(len(pool))]
		if k > 10 {
			name = fmt.Sprintf("%s%d", name, k)
		}
		free := !g.reserved[name]
		for _, v := range g.scope {
			free = free && v.name != name
		}
		if free {
			return name
		}
	}
}

// inBlock reports whether the innermost block declares name.
func (g *gen) inBlock(name string) bool {
	for _, v := range g.scope[g.blockStart:] {
		if v.name == name {
			return true
		}
	}
	return false
}

func (g *gen) declare(v *variable) *variable {
	v.at = len(g.lines)
	g.scope = append(g.scope, v)
	return v
}

// block writes a block of statements between braces; the variables that open
// declares live in it.
func (g *gen) block(open func(), body func()) {
	start, outer := len(g.scope), g.blockStart
	g.blockStart = start
	if open != nil {
		open()
	}
	g.indent++
	body()
	g.useAll(start)
	g.indent--
	g.scope, g.blockStart = g.scope[:start], outer
}

// useAll writes uses of the variables declared since start that have none.
func (g *gen) useAll(start int) {
	for _, v := range g.scope[start:] {
		if v.t != nil && !v.used && !g.usedSince(v) {
			g.line("_ = %s", v.name)
			v.used = true
		}
	}
}

// assignment matches the left side of an assignment.
var assignment = regexp.MustCompile(`^\t*([^"=]*?) [-+*/]?= `)

// usedSince reports whether the lines since the declaration of v use it for sure.
func (g *gen) usedSince(v *variable) bool {
	word := regexp.MustCompile(`\b` + v.name + `\b`)
	for _, line := range g.lines[v.at:] {
		if left, _, ok := strings.Cut(line, ":="); ok && word.MatchString(left) || strings.HasSuffix(line, "++") || strings.Contains(line, "var "+v.name+" ") || strings.Contains(line, "func("+v.name+" ") {
			return false // perhaps of another variable
		}
		// Assigning to a variable is no use of it.
		if m := assignment.FindStringSubmatch(line); m != nil {
			for _, dst := range strings.Split(m[1], ", ") {
				if dst != v.name && word.MatchString(dst) {
					return true
				}
			}
			line = line[len(m[0]):]
		}
		if word.MatchString(line) {
			return true
		}
	}
	return false
}

// A place is a readable expression; one that can be assigned unless it is fixed.
type place struct {
	text string
	root *variable
	v    *variable // if the place is a variable
	// least is the number of elements that a slice has at least.
	least int
	// noAddr marks a place without an address.
	noAddr bool
}

// places returns the expressions of type t that variables lead to.
func (g *gen) places(t *typ) []place {
	var out []place
	for _, v := range g.visible() {
		g.expand(place{text: v.name, root: v, v: v, least: v.least}, v.t, t, 0, &out)
	}
	return out
}

func (g *gen) expand(p place, has, want *typ, depth int, out *[]place) {
	if has.is(want) {
		*out = append(*out, p)
	}
	if depth > 4 {
		return
	}
	inner := place{root: p.root, least: minLen, noAddr: p.noAddr}
	switch has.kind {
	case slice:
		inner.text = g.index(p, p.least, false)
		g.expand(inner, has.elem, want, depth+1, out)
	case mapping:
		inner.text = g.index(p, 3, true)
		inner.noAddr = true
		g.expand(inner, has.elem, want, depth+1, out)
	case array:
		inner.text = g.index(p, has.n, true)
		g.expand(inner, has.elem, want, depth+1, out)
	case structure:
		for _, f := range has.fields {
			inner.text = p.text + "." + f.name
			g.expand(inner, f.t, want, depth+1, out)
			if f.embedded {
				for _, h := range f.t.fields {
					inner.text = p.text + "." + h.name
					g.expand(inner, h.t, want, depth+2, out)
				}
			}
		}
	case pointer:
		if has.elem.kind == structure {
			for _, f := range has.elem.fields {
				inner.text = p.text + "." + f.name
				g.expand(inner, f.t, want, depth+1, out)
			}
		} else {
			inner.text = "*" + p.text
			g.expand(inner, has.elem, want, 5, out)
		}
	}
}

// index returns an element of p, which has at least least elements, or exactly so
// many if it is an array.
func (g *gen) index(p place, least int, exact bool) string {
	var loop, ints []*variable
	for _, v := range g.visible() {
		if v.t.kind != integer {
			continue
		}
		ints = append(ints, v)
		if v.below != nil && v.below == p.v {
			loop = append(loop, v)
		}
	}
	at := func(index string) string { return p.text + "[" + index + "]" }
	if len(loop) > 0 && g.chance(60) {
		v := loop[g.rng.IntN(len(loop))]
		if !exact && g.chance(15) {
			return at(fmt.Sprintf("len(%s)-1-%s", p.text, v.name))
		}
		return at(v.name)
	}
	size := fmt.Sprintf("len(%s)", p.text)
	if exact {
		size = fmt.Sprint(least)
	}
	switch {
	case g.chance(50) || strings.Contains(p.text, "[") && g.chance(50):
	case len(ints) > 0 && g.chance(70):
		v := ints[g.rng.IntN(len(ints))]
		if g.chance(50) {
			return at(v.name + "%" + size)
		}
		return at(fmt.Sprintf("(%s+%d)%%%s", v.name, g.between(1, 3), size))
	case !exact && g.chance(30):
		return at(size + "-1")
	}
	return at(fmt.Sprint(g.rng.IntN(least)))
}

// read returns a readable place of type t, or false if there is none.
func (g *gen) read(t *typ) (place, bool) {
	ps := g.places(t)
	if len(ps) == 0 {
		return place{}, false
	}
	return ps[g.rng.IntN(len(ps))], true
}

// target returns a place of type t that may be assigned. Assigning to a variable
// is no use of it, but assigning through it is.
func (g *gen) target(t *typ) (place, bool) {
	var ps []place
	for _, p := range g.places(t) {
		if p.v != nil && p.v.fixed || g.pure && !g.local(p.root) {
			continue
		}
		ps = append(ps, p)
	}
	if len(ps) == 0 {
		return place{}, false
	}
	return ps[g.rng.IntN(len(ps))], true
}

// local reports whether v is declared in the function being written and is no
// reference, so that writing to it has no effect outside.
func (g *gen) local(v *variable) bool {
	for _, w := range g.scope[g.funcStart:] {
		if w == v {
			return !v.t.refers() || v.own
		}
	}
	return false
}
