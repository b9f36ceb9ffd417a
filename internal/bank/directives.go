package bank

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quabla/quabla/internal/bank/probe"
)

// A directive is one line above the entry function.
type directive struct {
	text  string
	name  string // of the derived function; "" for a rule
	mode  string // as in reports
	group int

	// extra marks a directive that no mode of the case asks for by itself: if
	// it is not possible, nothing is lost.
	extra bool
}

// valueName is the name of the entry function with its inner derivatives compiled.
const valueName = "QBValue"

// groups divides the points of a case by what is differentiated there.
func groups(c *probe.Case, params []string) []probe.Group {
	var list []probe.Group
	var keys []string
	for i, pt := range c.Points {
		key := fmt.Sprint(pt.Active(), pt.Posts(), pt.HasResults())
		if pt.Panics { // has no outputs: it goes with the others
			key = ""
			for k, other := range c.Points {
				if !other.Panics && slices.Equal(other.Active(), pt.Active()) {
					key = fmt.Sprint(pt.Active(), other.Posts(), c.Points[k].HasResults())
				}
			}
			if key == "" {
				key = fmt.Sprint(pt.Active(), pt.Posts(), true)
			}
		}
		at := slices.Index(keys, key)
		if at < 0 {
			at = len(keys)
			keys = append(keys, key)
			g := probe.Group{Result: pt.Panics || pt.HasResults()}
			for k, a := range pt.Args {
				p := slices.Index(params, a.Name)
				if p < 0 {
					p = k
				}
				if a.Active {
					g.Active = append(g.Active, p)
				}
				if slices.Contains(pt.Posts(), a.Name) {
					g.Posts = append(g.Posts, p)
				}
			}
			slices.Sort(g.Active)
			slices.Sort(g.Posts)
			list = append(list, g)
		}
		list[at].Points = append(list[at].Points, i)
	}
	return list
}

// A planner collects the directives of a case.
type planner struct {
	c    *probe.Case
	list []directive

	batch  bool     // make batched forms
	params []string // of the entry function
	shared []string // those that the members of a batch can share
}

// directives returns the directives for a case whose entry function has the given
// parameters, those for batched forms too if batch is set.
func directives(c *probe.Case, params []string, gs []probe.Group, batch bool) []directive {
	p := &planner{c: c, batch: batch}
	for _, r := range c.Rules {
		text := fmt.Sprintf("//quabla:custom_%s %s rule=%s", r.Kind, r.Func, r.Rule)
		if len(r.Wrt) > 0 {
			text += " wrt=" + strings.Join(r.Wrt, ",")
		}
		p.list = append(p.list, directive{text: text, mode: "rule"})
	}
	if slices.ContainsFunc(c.StandIn, func(s probe.StandIn) bool { return s.Operator != "rt.Stop" }) {
		p.list = append(p.list, directive{text: "//quabla:value name=" + valueName, name: valueName, mode: "value"})
	}
	if len(c.Points) == 0 {
		for _, verb := range []string{"grad", "jvp", "vjp"} {
			p.verb(-1, verb, "", "", false)
		}
	}
	name := func(k int) string {
		if params[k] == "_" {
			return fmt.Sprint("arg", k) // as analyze calls it
		}
		return params[k]
	}
	for i, g := range gs {
		var wrt, posts []string
		for _, k := range g.Active {
			wrt = append(wrt, name(k))
		}
		for _, k := range g.Posts {
			posts = append(posts, name(k))
		}
		p.shared = nil
		p.params = nil
		for k := range params {
			p.params = append(p.params, name(k))
			if p.sharable(g, k) {
				p.shared = append(p.shared, name(k))
			}
		}
		if len(wrt) > 0 {
			p.group(i, g, wrt, posts)
		}
	}
	return p.list
}

// sharable reports whether the members of a batch of all points can share parameter
// k: it is the same at all of them, and no output.
func (p *planner) sharable(g probe.Group, k int) bool {
	if slices.Contains(g.Posts, k) || len(g.Points) < 2 {
		return false
	}
	return !slices.ContainsFunc(g.Points, func(i int) bool { return p.c.Points[i].Args[k].Expr != p.c.Points[g.Points[0]].Args[k].Expr })
}

// batches adds batched forms, in which all points of a group are the members, and
// nests of them with derivatives.
func (p *planner) batches(i int, g probe.Group, wrt []string, of, ofOne string) {
	add := func(mode, name, text string) {
		p.list = append(p.list, directive{
			text: text, name: name + suffix(i), mode: mode, group: i, extra: !p.c.Lists("vmap"),
		})
	}
	derive := func(mode, name, expr string) {
		name = "QBVmap" + name
		add(mode, name, "//quabla:derive "+name+suffix(i)+" = "+expr)
	}
	inner := func(verb, fn, of string) string {
		expr := verb + "(" + fn + ", " + strings.Join(wrt, ", ")
		for o := range strings.SplitSeq(of, ",") {
			if o != "" {
				expr += ", of=" + o
			}
		}
		return expr + ")"
	}
	add("vmap", "QBVmap", "//quabla:vmap name=QBVmap"+suffix(i))
	derive("vmap(vjp)", "Vjp", "vmap("+inner("vjp", p.c.Entry, of)+")")
	derive("vmap(jvp)", "Jvp", "vmap("+inner("jvp", p.c.Entry, of)+")")
	if g.Result {
		derive("vmap(grad)", "Grad", "vmap("+inner("grad", p.c.Entry, ofOne)+")")
	}
	if len(g.Posts) == 0 {
		of = "" // all results
	} else if g.Result {
		return // they have other names
	}
	derive("vjp(vmap)", "ThenVjp", inner("vjp", "vmap("+p.c.Entry+")", of))
	derive("jvp(vmap)", "ThenJvp", inner("jvp", "vmap("+p.c.Entry+")", of))
	if len(p.shared) > 0 && len(p.shared) < len(p.params) {
		some := p.c.Entry
		for _, name := range p.params {
			if !slices.Contains(p.shared, name) {
				some += ", " + name
			}
		}
		derive("vjp(vmap) shared", "SharedVjp", inner("vjp", "vmap("+some+")", of))
		derive("jvp(vmap) shared", "SharedJvp", inner("jvp", "vmap("+some+")", of))
	}
}

// group adds the directives for one group of points.
func (p *planner) group(i int, g probe.Group, wrt, posts []string) {
	of := ""
	if len(posts) > 0 {
		list := posts
		if g.Result {
			list = append([]string{"return"}, posts...)
		}
		of = strings.Join(list, ",")
	}
	ofOne := of // of an operator that takes one scalar output
	results, order := 0, 0
	var higher []int
	for _, k := range g.Points {
		pt := p.c.Points[k]
		n := 0
		for _, o := range pt.Outs {
			if _, post := probe.PostParam(o); !post {
				n++
			}
		}
		results = max(results, n)
		order = max(order, min(2, pt.MaxOrder()))
		for _, h := range pt.High {
			if len(h.By) >= 3 && len(h.By) <= 4 && !slices.Contains(higher, len(h.By)) {
				higher = append(higher, len(h.By))
			}
		}
	}
	switch {
	case results > 1:
		ofOne = "return.0"
	case results == 1 && len(posts) > 0:
		ofOne = "return"
	}
	names := strings.Join(wrt, ",")
	one := g.Result && results <= 1

	if g.Result {
		p.verb(i, "grad", names, ofOne, false)
	}
	p.verb(i, "vjp", names, of, false)
	p.verb(i, "jvp", names, of, false)
	p.verb(i, "jvp lanes=4", names, of, true)
	p.verb(i, "jacobian", names, of, true)
	if strings.Contains(p.c.ID, "pullback") || strings.Contains(p.c.How, "vjp object") {
		p.verb(i, "pullback", names, of, true)
	}
	if p.batch {
		p.batches(i, g, wrt, of, ofOne)
	}
	if order >= 2 {
		if one {
			p.verb(i, "hvp", names, ofOne, false)
			p.verb(i, "hessian", names, ofOne, true)
			p.nest(i, wrt, ofOne, "grad", "vjp")
			p.nest(i, wrt, ofOne, "grad", "grad")
		} else {
			p.nest(i, wrt, of, "vjp", "vjp")
		}
		p.nest(i, wrt, of, "vjp", "jvp")
		p.nest(i, wrt, of, "jvp", "vjp")
		p.nest(i, wrt, of, "jvp", "jvp")
	}
	for _, k := range higher {
		first := "vjp"
		if one {
			first = "grad"
		}
		verbs := slices.Repeat([]string{"jvp"}, k)
		p.nest(i, wrt, of, verbs...)
		p.nest(i, wrt, ofOne, append([]string{first}, verbs[1:]...)...)
		if k == 3 {
			p.nest(i, wrt, ofOne, first, "jvp", "vjp")
		}
		if one {
			p.nest(i, wrt, ofOne, slices.Repeat([]string{"grad"}, k)...)
		}
	}
}

// suffix distinguishes the names of groups.
func suffix(group int) string {
	if group <= 0 {
		return ""
	}
	return fmt.Sprint("G", group)
}

// verb adds a verb of its own.
func (p *planner) verb(group int, verb, wrt, of string, extra bool) {
	word, opt, _ := strings.Cut(verb, " ")
	name := "QB" + strings.ToUpper(word[:1]) + word[1:] + strings.TrimPrefix(opt, "lanes=") + suffix(group)
	text := "//quabla:" + word
	if wrt != "" {
		text += " wrt=" + wrt
	}
	if of != "" {
		text += " of=" + of
	}
	if opt != "" {
		text += " " + opt
	}
	text += " name=" + name
	p.list = append(p.list, directive{text: text, name: name, mode: verb, group: max(group, 0), extra: extra})
}

// nest adds a nest of verbs, the innermost first.
func (p *planner) nest(group int, wrt []string, of string, verbs ...string) {
	expr, mode, name := p.c.Entry, "", "QB"
	for k, v := range verbs {
		expr = v + "(" + expr + ", " + strings.Join(wrt, ", ")
		if k == 0 && of != "" {
			for _, o := range strings.Split(of, ",") {
				expr += ", of=" + o
			}
		}
		expr += ")"
		if mode == "" {
			mode = v
		} else {
			mode = v + "(" + mode + ")"
		}
		name += strings.ToUpper(v[:1]) + v[1:]
	}
	name += suffix(group)
	for _, d := range p.list {
		if d.name == name {
			return
		}
	}
	p.list = append(p.list, directive{
		text: "//quabla:derive " + name + " = " + expr, name: name, mode: mode, group: group, extra: true,
	})
}
