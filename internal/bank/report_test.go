package bank

import (
	"strings"
	"testing"

	"github.com/quabla/quabla/internal/bank/probe"
)

func TestBlame(t *testing.T) {
	a, b, c := unit{probe.Generated, "a"}, unit{probe.SaveAll, "b"}, unit{probe.Generated, "c"}
	units := map[string]unit{"x/run0/plain/c_a": a, "x/run0/saveall/c_b": b, "x/run0/plain/c_c": c}
	out := `# m/x/run0/plain/c_a
x/run0/plain/c_a/case_quabla.go:12:3: declared and not used: t
x/run0/plain/c_a/case_quabla.go:14:3: another
# m/x/run0/saveall/c_b
x/run0/saveall/c_b/case_quabla.go:7: too many errors
# m/x/run0/plain/c_c
internal compiler error: a fault
`
	got := blame(out, units)
	want := map[unit]string{a: "line 12: declared and not used: t", b: "line 7: too many errors", c: "internal compiler error: a fault"}
	if len(got) != len(want) {
		t.Error(got)
	}
	for u, text := range want {
		if got[u] != text {
			t.Errorf("%v: %q, want %q", u, got[u], text)
		}
	}
	if got := blame("go: no such tool\n", units); len(got) != 0 {
		t.Error(got)
	}
}

func TestAsked(t *testing.T) {
	const snippet = "import \"strconv\"\n\ntype Kernel interface{ At(x float64) float64 }\nvar calls, names []float64\nfunc F(x float64) bool { return x > 1 }\n"
	for _, r := range []struct {
		refuse, message string
		good            bool
	}{
		{"names the channel send or receive and its line; a silent 1 is wrong", "cannot differentiate a channel send", true},
		{"names the channel send or receive and its line", "cannot differentiate a go statement", false},
		{"names the go statement and its line", "cannot differentiate a go statement", true},
		{"names the go statement and its line", "cannot differentiate a goto", false},
		{"names strconv.FormatFloat or ParseFloat", "the call of strconv.ParseFloat has no rule", true},
		{"names strconv.FormatFloat or ParseFloat", "the call of strconv.Itoa has no rule", false},
		{"names the variable calls", "a write to the package-level variable calls", true},
		{"names the variable calls", "a write to a package-level variable", false},
		{"names the interface Kernel or asks for another", "no implementation of Kernel is known", true},
		{"names the interface Kernel or asks for another", "something is wrong with x", false},
		{"says that F has no differentiable result", "F has no differentiable result", true},
		{"says that F has no differentiable result", "F cannot be read", false},
		{"if refused, names sync.Mutex", "a Mutex cannot be copied", true},
		{"if refused, name the map type with a float key", "a map with float64 keys", true},
		{"accepted or refused; the clock is read once", "whatever", true},
		{"names select", "a select statement", true},
		{"names select", "a deselection", false},
	} {
		c := &probe.Case{Entry: "F", Snippet: snippet, Refuse: []string{r.refuse}}
		if words := asked(c); mentions(r.message, words) != r.good {
			t.Errorf("%q answers %q (%s): %t", r.message, r.refuse, strings.Join(words, ", "), !r.good)
		}
	}
}

// TestJudge judges made-up findings.
func TestJudge(t *testing.T) {
	point := &probe.Point{Args: []probe.Arg{{Active: true}}, Jac: map[string][]float64{"r0": {1}}, Hess: map[string][][]float64{"r0": {{1}}}}
	ok := func(mode string) probe.Event {
		return probe.Event{Kind: probe.Checked, Way: probe.Generated, Mode: mode}
	}
	no := func(mode, text string) probe.Event {
		return probe.Event{Kind: probe.Refused, Way: probe.Generated, Mode: mode, Text: text, Place: probe.InSnippet}
	}
	bad := func(way probe.Way, mode string) probe.Event {
		return probe.Event{Kind: probe.Fail, Way: way, Mode: mode, Text: "off"}
	}
	first := []probe.Event{ok("grad"), ok("vjp"), ok("jvp")}
	second := append(first, ok("hvp"), ok("jvp(vjp)"))
	for _, c := range []struct {
		name, accept, modes string
		events              []probe.Event
		status              Status
		says                string
	}{
		{"all", "exact", "grad jvp vjp jac hess hvp", second, Passed, ""},
		{"nothing", "exact", "grad jvp", nil, Skipped, "nothing was checked"},
		{"wrong", "exact", "grad", append(second, bad(probe.SaveAll, "hvp"), bad(probe.Interp, "vjp")), Failed, "vjp (interpreter): off"},
		{"no hess", "exact", "grad hess", append(first, no("hvp", "cannot"), no("jvp(vjp)", "cannot differentiate recover")), Skipped, "recover"},
		{"another nest", "exact", "hess", append(first, no("vjp(vjp)", "cannot"), ok("jvp(vjp)")), Passed, ""},
		{"grad does not fit", "exact", "grad", append(first[1:], no("grad", "grad needs a scalar output, but")), Passed, ""},
		{"jacobian not yet", "exact", "jac", append(first, no("jacobian", "jacobian is not supported yet")), Passed, ""},
		{"no batch", "exact", "vmap jac", append(first, no("vmap", "the members share x")), Skipped, "the members share x"},
		{"a batch may be refused", "exact-or-refuse", "vmap jac", append(first, no("vmap", "the members share x (recover)")), Passed, ""},
		{"a batch of gradients", "exact", "vmap(grad)", append(first, no("vmap(grad)", "needs a scalar output"), ok("vmap(vjp)")), Passed, ""},
		{"no batch of gradients", "exact", "vmap(grad)", append(first, ok("vmap"), ok("vjp(vmap)")), Skipped, "nothing was checked"},
		{"unknown mode", "exact", "grad sparse", first, Passed, ""},
		{"allowed", "exact-or-refuse", "grad", []probe.Event{no("grad", "cannot differentiate recover")}, Passed, "recover"},
		{"allowed, wrong", "exact-or-refuse", "grad", []probe.Event{no("vjp", "x"), bad(probe.Generated, "grad")}, Failed, "off"},
		{"refused", "refuse", "-", []probe.Event{no("grad", "recover"), no("jvp", "recover"), no("vjp", "recover")}, Passed, "recover"},
		{"half refused", "refuse", "-", []probe.Event{no("grad", "recover"), no("jvp", "recover"), ok("vjp")}, Failed, "vjp is accepted"},
		{"badly refused", "refuse", "-", []probe.Event{no("grad", "x"), no("jvp", "recover"), no("vjp", "recover")}, Failed, "names none of recover"},
		{"accepted", "refuse", "-", nil, Failed, "nothing was done"},
	} {
		pc := &probe.Case{ID: c.name, Accept: c.accept, Entry: "F", Points: []*probe.Point{point}, Refuse: []string{"names recover"}}
		pc.Modes = strings.Fields(strings.ReplaceAll(c.modes, "-", ""))
		o := judge(pc, c.events)
		if o.Status != c.status || !strings.Contains(o.Text, c.says) {
			t.Errorf("%s: want %s and %q", &o, c.status, c.says)
		}
	}
	// A place outside the snippet is none.
	e := no("grad", "cannot differentiate recover")
	e.Place = probe.OnDirective
	pc := &probe.Case{Accept: "exact-or-refuse", Entry: "F", Points: []*probe.Point{point}, Modes: []string{"grad"}}
	if o := judge(pc, []probe.Event{e}); o.Status != Skipped {
		t.Errorf("%s", &o)
	}
	if o := judge(&probe.Case{Err: "line 1: bad"}, nil); o.Status != Failed {
		t.Errorf("%s", &o)
	}
}
