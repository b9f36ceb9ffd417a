package bank

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/quabla/quabla/internal/bank/probe"
)

// A Status is what became of a case.
type Status int

const (
	Passed  Status = iota // right, or refused where the case allows it
	Failed                // a wrong number, a crash, a hang, code that does not compile
	Skipped               // refused although the case does not allow it
)

var statusNames = [...]string{"PASS", "FAIL", "SKIP"}

func (s Status) String() string { return statusNames[s] }

// An Outcome is the result of one case.
type Outcome struct {
	ID     string
	Accept string
	Status Status
	// Text says what is wrong or why the case is skipped, in one line; of a case
	// that passed since it may be refused, it is the diagnostic.
	Text    string
	Details []string // all findings
	Extra   []string // modes that are refused, although no mode of the case needs them
	Took    time.Duration
	// Same is the number of modes in which the interpreter gave the same bits as
	// generated code, where the case states tolerances.
	Same int
}

// A Report is the result of a run.
type Report struct {
	Outcomes []Outcome
	Phases   string // how long they took
}

// Count returns the number of cases with a status.
func (r *Report) Count(s Status) int {
	n := 0
	for _, o := range r.Outcomes {
		if o.Status == s {
			n++
		}
	}
	return n
}

// Remarks says what the summary leaves out.
func (r *Report) Remarks() string {
	modes := map[string]int{}
	n := 0
	for _, o := range r.Outcomes {
		for _, m := range o.Extra {
			if o.Status == Passed {
				modes[m]++
				n++
			}
		}
	}
	if n == 0 {
		return ""
	}
	var list []string
	for _, m := range slices.Sorted(maps.Keys(modes)) {
		list = append(list, fmt.Sprintf("%s %d", m, modes[m]))
	}
	return fmt.Sprintf("forms refused in cases that passed without them: %s\n", strings.Join(list, ", "))
}

// Summary returns the last line of a report.
func (r *Report) Summary() string {
	return fmt.Sprintf("%d passed, %d failed, %d skipped", r.Count(Passed), r.Count(Failed), r.Count(Skipped))
}

func (o *Outcome) String() string {
	s := fmt.Sprintf("%s %s", o.Status, o.ID)
	if o.Text != "" {
		s += ": " + o.Text
	}
	return s
}

// outcomes judges all cases.
func (h *harness) outcomes() []Outcome {
	var list []Outcome
	for _, c := range h.cases {
		o := judge(c, h.events[c.ID])
		o.Took = h.took[c.ID]
		list = append(list, o)
	}
	return list
}

// alternatives says which modes of the harness do what a mode of a case asks for.
// One that works is enough, if those that do not are refused: grad of a function
// with several outputs, say.
func alternatives(listed string, all []string) []string {
	order := func(n int) []string {
		var list []string
		for _, m := range all {
			if strings.Count(m, "(") == n-1 && n > 1 && !strings.Contains(m, "vmap") {
				list = append(list, m)
			}
		}
		return list
	}
	switch listed {
	case "grad":
		return []string{"grad", "vjp"}
	case "jvp":
		return []string{"jvp", "jvp lanes=4"}
	case "vjp":
		return []string{"vjp", "pullback"}
	case "jac":
		return []string{"jacobian", "vjp", "jvp"}
	case "hess":
		return append(order(2), "hessian", "hvp")
	case "hvp":
		return append([]string{"hvp"}, order(2)...)
	case "third":
		return order(3)
	case "higher":
		return append(order(3), order(4)...)
	case "vmap":
		return []string{"vmap"}
	case "vmap(grad)":
		return []string{"vmap(grad)", "vmap(vjp)"}
	}
	return nil
}

// inapplicable are messages that say that a verb does not fit the signature, which
// is no refusal: another verb does.
var inapplicable = []string{
	"needs exactly one scalar output", "needs a scalar output", "needs floats in a fixed order",
}

const notYet = "not supported yet"

// fits reports whether a refused verb would fit the signature of the function.
func fits(e probe.Event) bool {
	return !slices.ContainsFunc(inapplicable, func(s string) bool { return strings.Contains(e.Text, s) })
}

// judge says what became of a case.
func judge(c *probe.Case, events []probe.Event) Outcome {
	o := Outcome{ID: c.ID, Accept: c.Accept}
	if c.Err != "" {
		o.Status, o.Text = Failed, "the case cannot be read: "+c.Err
		return o
	}
	var fails []probe.Event
	refused := map[string][]probe.Event{} // in the compiled way, by mode
	checked := map[string]bool{}
	var modes []string
	for _, e := range events {
		switch e.Kind {
		case probe.Fail:
			fails = append(fails, e)
		case probe.Refused:
			if e.Way != probe.SaveAll {
				refused[e.Mode] = append(refused[e.Mode], e)
				modes = append(modes, e.Mode)
			}
		case probe.Checked:
			if e.Way == probe.Generated {
				checked[e.Mode] = true
			}
			modes = append(modes, e.Mode)
		}
		if e.Kind != probe.Begin && e.Kind != probe.Done {
			d := strings.TrimSpace(fmt.Sprintf("%s %s (%s): %s", e.Kind, e.Mode, e.Way, e.Text))
			if !slices.Contains(o.Details, d) {
				o.Details = append(o.Details, d)
			}
		}
	}
	var other []probe.Event
	o.Same, other = compareBits(c, events)
	fails = append(fails, other...)
	if len(fails) > 0 {
		o.Status = Failed
		o.Text = describe(fails)
		return o
	}
	if c.Accept == "refuse" {
		return judgeRefusal(c, o, refused, checked, events)
	}
	var missing []string
	worst := map[string]bool{}
	for _, listed := range c.Modes {
		if !expects(c, listed) {
			continue
		}
		alts := alternatives(listed, modes)
		if slices.ContainsFunc(alts, func(m string) bool { return checked[m] }) {
			continue
		}
		missing = append(missing, listed)
		for _, m := range alts {
			for _, e := range refused[m] {
				if fits(e) && !strings.Contains(e.Text, notYet) {
					worst[e.Text] = true
				}
			}
		}
	}
	for _, m := range slices.Sorted(maps.Keys(refused)) {
		if e := refused[m][0]; fits(e) && !strings.Contains(e.Text, notYet) {
			o.Extra = append(o.Extra, m)
		}
	}
	if len(missing) == 0 {
		return o
	}
	why := strings.Join(slices.Sorted(maps.Keys(worst)), "; ")
	if why == "" {
		why = "nothing was checked"
	}
	if c.Accept == "exact-or-refuse" {
		if text, ok := allowedRefusal(c, refused); ok {
			o.Text = text
			return o
		} else if text != "" {
			why = text
		}
	}
	o.Status = Skipped
	o.Text = fmt.Sprintf("%s: %s", strings.Join(missing, " "), why)
	return o
}

// compareBits finds the modes in which the interpreter gives other bits than
// generated code, and counts the others. Code that saves everything may round differently, since algebra finds other
// terms to join there. Only cases that state tolerances are held to
// that: others may add up a map, which has no order.
func compareBits(c *probe.Case, events []probe.Event) (same int, fails []probe.Event) {
	if !slices.ContainsFunc(c.Points, func(pt *probe.Point) bool { return pt.Within != nil }) {
		return 0, nil
	}
	generated := map[string]string{}
	for _, e := range events {
		if e.Kind == probe.Unchecked && e.Way == probe.Interp {
			return 0, nil // it did not get everywhere
		}
		if e.Kind == probe.Checked && e.Way == probe.Generated {
			generated[e.Mode] = e.Bits
		}
	}
	for _, e := range events {
		want := generated[e.Mode]
		if e.Kind != probe.Checked || e.Way != probe.Interp || want == "" {
			continue
		}
		if e.Bits == want {
			same++
			continue
		}
		fails = append(fails, probe.Event{Kind: probe.Fail, Mode: e.Mode, Way: e.Way,
			Text: fmt.Sprintf("gives %s, generated code %s", e.Bits, want)})
	}
	return same, fails
}

// describe says in one line what fails: the first finding, those in generated code
// before others, and where the rest is.
func describe(fails []probe.Event) string {
	rank := map[probe.Way]int{probe.Generated: 0, probe.Interp: 1, probe.SaveAll: 2}
	slices.SortStableFunc(fails, func(a, b probe.Event) int { return rank[a.Way] - rank[b.Way] })
	text := fmt.Sprintf("%s (%s): %s", fails[0].Mode, fails[0].Way, fails[0].Text)
	ways := map[string]string{}
	var modes []string
	for _, f := range fails {
		letter := map[probe.Way]string{probe.Generated: "g", probe.Interp: "i", probe.SaveAll: "s"}[f.Way]
		if ways[f.Mode] == "" {
			modes = append(modes, f.Mode)
		}
		if !strings.Contains(ways[f.Mode], letter) {
			ways[f.Mode] += letter
		}
	}
	if len(fails) == 1 {
		return text
	}
	for i, m := range modes {
		modes[i] = m + ":" + ways[m]
	}
	return fmt.Sprintf("%s [%d findings, in %s]", text, len(fails), strings.Join(modes, " "))
}

// expects reports whether the case states something for a mode.
func expects(c *probe.Case, mode string) bool {
	order, ok := map[string]int{
		"grad": 1, "jvp": 1, "vjp": 1, "jac": 1, "vmap": 1, "vmap(grad)": 1, "hess": 2, "hvp": 2, "third": 3, "higher": 3,
	}[mode]
	if !ok {
		return false // a mode that the harness does not know
	}
	return slices.ContainsFunc(c.Points, func(pt *probe.Point) bool {
		if pt.Panics {
			return order == 1
		}
		return len(pt.Active()) > 0 && pt.MaxOrder() >= order
	})
}
