package rules

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
)

// number is a float that JSON can also hold as a string: "NaN", "+Inf", "-0".
type number float64

func (n *number) UnmarshalJSON(b []byte) error {
	v, err := strconv.ParseFloat(strings.Trim(string(b), `"`), 64)
	*n = number(v)
	return err
}

// lines decodes a file of JSON lines.
func lines[T any](t *testing.T, file string) []T {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []T
	for s := bufio.NewScanner(f); s.Scan(); {
		var v T
		if err := json.Unmarshal(s.Bytes(), &v); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all = append(all, v)
	}
	return all
}

func toFloats(ns []number) []float64 {
	fs := make([]float64, len(ns))
	for i, n := range ns {
		fs[i] = float64(n)
	}
	return fs
}

// derivative returns a derivative of a result of a row, in the variables that
// the letters of order name, or the value if there are none.
func derivative(r *Row, res int, at []float64, order string) float64 {
	g := newGraph()
	n := g.point(r, res, at)
	for _, v := range order {
		n = g.diff(n, int(v-'x'))
	}
	return g.eval(n, freeVars(r, at))
}

// TestCases checks values and derivatives that were written down for the
// project before the table: conventions, poles, limits and accuracy.
func TestCases(t *testing.T) {
	type testCase struct {
		ID    string
		Row   string
		Res   int
		Order string
		At    [][]number
		Want  []number
		Rtol  float64
	}
	for _, c := range lines[testCase](t, "testdata/cases.jsonl") {
		r := Lookup(c.Row)
		if r == nil {
			t.Errorf("%s: no row %s", c.ID, c.Row)
			continue
		}
		for i, at := range c.At {
			got, want := derivative(r, c.Res, toFloats(at), c.Order), float64(c.Want[i])
			same := got == want || math.IsNaN(got) && math.IsNaN(want) || math.Abs(got-want) <= c.Rtol*math.Abs(want)
			if c.Order == "" && want == 0 { // values keep the sign of zero
				same = math.Float64bits(got) == math.Float64bits(want)
			}
			if !same {
				t.Errorf("%s: %s %s at %v is %v, want %v (rtol %g)", c.ID, c.Row, c.Order, at, got, want, c.Rtol)
			}
		}
	}
}

// TestOrders checks derivatives up to the fourth order against those that
// testdata/orders.py computed with 80 digits.
func TestOrders(t *testing.T) {
	type line struct {
		Row string
		At  []float64
		Res int
		D   map[string]float64
	}
	// The slope of a sum has its accuracy relative to the terms.
	slack := map[string]float64{"rt.GELUExact": 1e-16}
	tol := [...]float64{1: 3e-14, 2: 2e-13, 3: 2e-12, 4: 2e-11}
	for _, l := range lines[line](t, "testdata/orders.jsonl") {
		r := Lookup(l.Row)
		// The sizes of the derivatives of one order are compared together: a
		// mixed derivative may vanish next to the others.
		var size [5]float64
		for order, d := range l.D {
			size[len(order)] = math.Max(size[len(order)], math.Abs(d))
		}
		for order, want := range l.D {
			got, k := derivative(r, l.Res, l.At, order), len(order)
			scale := math.Abs(want)
			if r.freeFloats() > 1 {
				scale = math.Max(scale, 1e-3*size[k])
			}
			if !(math.Abs(got-want) <= tol[k]*scale+slack[l.Row]) {
				t.Errorf("%s %s at %v is %v, want %v: relative error %.1g", l.Row, order, l.At, got, want, math.Abs(got-want)/scale)
			}
		}
	}
}
