package analyze

import (
	"go/ast"
	"strconv"
)

// A Schedule is what a checkpoint directive asks for. Without numbers the distance
// between the states that are kept is chosen when the loop runs.
type Schedule struct {
	Every     int // trips between two states, or 0
	Snapshots int // states of a binomial schedule, or 0
}

// maxTripsBetween bounds the numbers of a checkpoint directive.
const maxTripsBetween = 1 << 30

// checkpoint reads the options of a checkpoint directive. After a report it
// returns false.
func (d *Directive) checkpoint(r *reporter) (c Schedule, ok bool) {
	every, snapshots := d.Key("every"), d.Key("snapshots")
	if every != nil && snapshots != nil {
		r.errorf(snapshots.Word, "leave out one of them", "quabla:checkpoint takes every= or snapshots=, not both")
		return c, false
	}
	for _, k := range []*Key{every, snapshots} {
		if k == nil {
			continue
		}
		if d.Stmt == nil {
			r.errorf(k.Word, "leave it out, or put the directive on the line above a loop",
				"%s= is for a loop; a function is computed again as a whole", k.Text)
			return c, false
		}
		n, err := strconv.Atoi(k.Value.Text)
		if err != nil || n < 1 || n > maxTripsBetween {
			r.errorf(k.Value, "write a number such as "+k.Text+"=20", "%s= needs a whole number from 1 to %d", k.Text, maxTripsBetween)
			return c, false
		}
		if k == every {
			c.Every = n
		} else {
			c.Snapshots = n
		}
	}
	return c, true
}

// Checkpoints returns what the checkpoint directives in the file of s ask for, by the
// function declaration or the loop that each stands above. Wrong directives are
// reported elsewhere.
func (p *Program) Checkpoints(s *Source) map[ast.Node]Schedule {
	if found, ok := p.checkpoints[s.File]; ok {
		return found
	}
	found := map[ast.Node]Schedule{}
	r := quietReporter(p)
	for _, d := range scanDirectives(r, &File{Syntax: s.File}) {
		if d.Verb != Checkpoint {
			continue
		}
		if c, ok := d.checkpoint(r); ok {
			found[d.above()] = c
		}
	}
	p.checkpoints[s.File] = found
	return found
}

// above returns the loop or the function declaration below d.
func (d *Directive) above() ast.Node {
	if d.Stmt != nil {
		return d.Stmt
	}
	return d.Func
}
