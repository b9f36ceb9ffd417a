package features

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/quabla/quabla/internal/bank"

	// The generated packages import it: a change must not leave a cached result.
	_ "github.com/quabla/quabla/rt"
)

func TestMain(m *testing.M) {
	if bank.WorkerMain() {
		os.Exit(0)
	}
	os.Exit(m.Run())
}

var (
	only = flag.String("case", "", "patterns of names of programs to run, parted by commas")
	keep = flag.Bool("keep", false, "keep the generated packages")
)

// A plan says how each case is run.
type plan struct {
	banks   map[string]string   // cases of the bank, by name
	run     map[string]bool     // cases that programs cover
	missing map[string][]string // their fields that no program has
	tests   map[string][]string // fields left to tests, by case
	reasons map[string]string   // why a case cannot apply
}

// makePlan reads the programs and the list of what cannot apply.
func makePlan(t *testing.T, all []*feature) *plan {
	pl := &plan{banks: map[string]string{}, run: map[string]bool{}, missing: map[string][]string{}, tests: map[string][]string{}, reasons: map[string]string{}}
	programs := readPrograms(t)
	named := map[string]bool{}
	for _, p := range programs {
		for _, id := range p.patterns {
			named[id] = true
		}
	}
	type unit struct {
		id, code string
		pts      []*point
	}
	var units []*unit
	for _, p := range programs {
		list, err := p.of(all, named)
		if err != nil {
			t.Error(err)
		}
		for _, f := range list {
			code, err := p.source(f)
			var s *signature
			var pts []*point
			if err == nil {
				s, err = parse(code)
			}
			if err == nil {
				pts, err = p.points(f, s)
			}
			if err != nil {
				t.Errorf("%s: %s: %v", p.place, f.ID, err)
				continue
			}
			if !pl.run[f.ID] {
				pl.missing[f.ID] = sorted(f.Expect)
			}
			pl.run[f.ID] = true
			pl.tests[f.ID] = append(pl.tests[f.ID], p.tests...)
			pl.missing[f.ID] = slices.DeleteFunc(pl.missing[f.ID], func(field string) bool { return !slices.Contains(p.others, field) })
			at := slices.IndexFunc(units, func(u *unit) bool { return u.code == code })
			if at < 0 {
				at = len(units)
				id := f.ID
				for slices.ContainsFunc(units, func(u *unit) bool { return u.id == id }) {
					id += "+"
				}
				units = append(units, &unit{id: id, code: code})
			}
			units[at].pts = append(units[at].pts, pts...)
		}
	}
	for _, u := range units {
		pl.banks[u.id] = bankCase(u.id, u.code, u.pts)
	}
	text, err := os.ReadFile("testdata/inapplicable.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(text), "\n") {
		if id, reason, ok := strings.Cut(line, ": "); ok && !strings.HasPrefix(line, "#") {
			pl.reasons[id] = reason
		} else if line != "" && !strings.HasPrefix(line, "#") {
			t.Errorf("%q is no line of inapplicable.txt", line)
		}
	}
	return pl
}

// TestComplete checks that each case is run or listed, and that nothing else is.
func TestComplete(t *testing.T) {
	all := readFeatures(t)
	pl := makePlan(t, all)
	count := map[string]int{}
	known := map[string]bool{}
	for _, f := range all {
		known[f.ID] = true
		test, reason := tests[f.ID], pl.reasons[f.ID]
		switch {
		case reason != "" && (pl.run[f.ID] || test != nil):
			t.Errorf("%s is run, and it is listed as one that cannot apply", f.ID)
		case reason != "":
			count["cannot apply"]++
		case pl.run[f.ID] || test != nil:
			count["run"]++
		default:
			t.Errorf("%s is neither run nor listed: %s", f.ID, f.Sketch)
		}
		if len(pl.missing[f.ID]) > 0 {
			t.Errorf("no program for %s has the fields %v", f.ID, pl.missing[f.ID])
		}
		if len(pl.tests[f.ID]) > 0 && test == nil {
			t.Errorf("%s leaves %v to a test that does not exist", f.ID, pl.tests[f.ID])
		}
	}
	for id := range pl.reasons {
		if !known[id] {
			t.Errorf("inapplicable.txt lists %s, which is no case", id)
		}
	}
	for id := range tests {
		if !known[id] {
			t.Errorf("there is a test for %s, which is no case", id)
		}
	}
	if n := count["run"] + count["cannot apply"]; n != len(all) {
		t.Errorf("%d of %d cases are accounted for", n, len(all))
	}
	t.Logf("%d cases: %d are run, %d cannot apply", len(all), count["run"], count["cannot apply"])
}

// tests are the cases, or parts of cases, that are no numbers.
var tests = map[string]func(*testing.T){}

// TestBehaviour runs the cases that are no numbers.
func TestBehaviour(t *testing.T) {
	for _, id := range sorted(tests) {
		t.Run(id, tests[id])
	}
}

// TestPrograms runs the programs:
//
//	go test ./internal/features -run TestPrograms -args -case=ew-*
func TestPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("the programs take a minute")
	}
	r := runPrograms(t, makePlan(t, readFeatures(t)).banks, *only)
	for _, o := range r.Outcomes {
		// A batch may be refused where members are memory that F makes.
		o.Extra = slices.DeleteFunc(o.Extra, func(mode string) bool { return strings.Contains(mode, "vmap") })
		switch {
		case o.Status != bank.Passed || len(o.Extra) > 0:
			t.Errorf("%s %v", &o, o.Extra)
			for _, d := range o.Details {
				if testing.Verbose() && !strings.HasPrefix(d, "checked ") {
					t.Log(d)
				}
			}
		case o.Same == 0 && !strings.HasSuffix(o.ID, "-first-error") && !strings.HasSuffix(o.ID, "-singular"):
			t.Errorf("%s: the interpreter was compared in no mode: %v", o.ID, o.Details)
		}
	}
	fmt.Println(r.Summary(), r.Phases)
}

// runPrograms runs cases of the bank whose names match.
func runPrograms(t *testing.T, banks map[string]string, names string) *bank.Report {
	t.Helper()
	dir := t.TempDir()
	for id, text := range banks {
		if err := os.WriteFile(filepath.Join(dir, id+".go-txt"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	r, err := bank.Run(context.Background(), bank.Options{
		Dir: dir, Cases: names, Plain: true, Batch: true, Race: bank.RaceEnabled, Keep: *keep, Log: os.Stdout,
		Worker: func(ctx context.Context) *exec.Cmd { return exec.CommandContext(ctx, os.Args[0]) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestWrong changes what cases state, number by number, and wants each to fail.
func TestWrong(t *testing.T) {
	if testing.Short() {
		t.Skip("the programs take a minute")
	}
	all := makePlan(t, readFeatures(t)).banks
	line := regexp.MustCompile(`^// @(val|jac|hess|d3) .*`)
	number := regexp.MustCompile(`[-+]?(\d[-+.e\d]*|NaN|Inf)`)
	wrong := map[string]string{}
	for _, id := range []string{"ew-val-asin-1p0", "ew-val-round-half-even", "ew-fmod-table", "tr-mixed-partials", "tr-hessian-cubic", "cf-early-return", "cp-fold-bits"} {
		lines := strings.Split(all[id], "\n")
		for i, l := range lines {
			if !line.MatchString(l) {
				continue
			}
			head := 1 + strings.Index(l[3:], " ") + 3
			if k := strings.Index(l, " : "); k > 0 {
				head = k + 3
			}
			for n, at := range number.FindAllStringIndex(l[head:], 3) {
				old := l[head+at[0] : head+at[1]]
				other := "1.5"
				if x, err := strconv.ParseFloat(old, 64); err == nil && x != 0 && !math.IsInf(x, 0) && x == x {
					other = strconv.FormatFloat(x+1e-9*math.Abs(x), 'g', -1, 64)
				}
				if old == "-0" || old == "+0" { // the sign alone
					other = map[string]string{"-0": "+0", "+0": "-0"}[old]
				}
				lines[i] = l[:head+at[0]] + other + l[head+at[1]:]
				wrong[fmt.Sprintf("%s.%d.%d", id, i, n)] = strings.Join(lines, "\n")
				lines[i] = l
			}
		}
	}
	if len(wrong) < 30 {
		t.Errorf("only %d numbers were changed", len(wrong))
	}
	for _, o := range runPrograms(t, wrong, "").Outcomes {
		if o.Status != bank.Failed {
			t.Errorf("%s passes: %s", o.ID, wrong[o.ID])
		}
	}
}

func sorted[V any](m map[string]V) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
