package features

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"testing"
)

// A feature is one case of testdata/cases.jsonl.
type feature struct {
	ID        string
	Group     string
	Sketch    string `json:"go_sketch"`
	Inputs    map[string]any
	Expect    map[string]any
	Tolerance any
	Why       string
}

// groups are the groups that the programs and tests here cover.
var groups = []string{"elementwise", "go-math-rules", "transforms", "structs-pytrees", "control-flow", "compiler"}

// readFeatures reads all cases of the groups.
func readFeatures(t *testing.T) []*feature {
	t.Helper()
	file, err := os.Open("testdata/cases.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var list []*feature
	for s := bufio.NewScanner(file); s.Scan(); {
		f := new(feature)
		if err := json.Unmarshal(s.Bytes(), f); err != nil {
			t.Fatal(err)
		}
		for _, g := range groups {
			if f.Group == g {
				list = append(list, f)
			}
		}
	}
	return list
}

// featureOf returns a case by its name.
func featureOf(t *testing.T, id string) *feature {
	t.Helper()
	for _, f := range readFeatures(t) {
		if f.ID == id {
			return f
		}
	}
	t.Fatalf("no case %s", id)
	return nil
}

// within returns the relative and absolute tolerance of the numbers of a case.
func (f *feature) within() (rel, abs float64, err error) {
	switch tol := f.Tolerance.(type) {
	case string:
		if tol == "exact" {
			return 0, 0, nil
		}
	case map[string]any:
		rel, _ = tol["rtol"].(float64)
		abs, _ = tol["atol"].(float64)
		return rel, abs, nil
	}
	return 0, 0, fmt.Errorf("the tolerance is %v, which is none of numbers", f.Tolerance)
}

// A number of a case is a JSON number or one of these strings.
var spelled = map[string]string{
	"NaN": "math.NaN()", "+Inf": "math.Inf(1)", "-Inf": "math.Inf(-1)", "-0": "math.Copysign(0, -1)", "+0": "0",
}

// expected spells a number as an expectation of the bank.
func expected(v any) (string, bool) {
	switch v := v.(type) {
	case bool:
		if v {
			return "1", true
		}
		return "0", true
	case float64:
		if v == 0 {
			return "0", true // of either sign
		}
		return strconv.FormatFloat(v, 'g', -1, 64), true
	case string:
		_, ok := spelled[v]
		return v, ok
	}
	return "", false
}

// literal spells a number as a Go expression.
func literal(v any) (string, bool) {
	switch v := v.(type) {
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64), true
	case string:
		s, ok := spelled[v]
		return s, ok
	}
	return "", false
}
