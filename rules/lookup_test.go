package rules_test

import (
	"fmt"
	"go/ast"
	"go/types"
	"reflect"
	"slices"
	"testing"

	"github.com/quabla/quabla/rules"
)

func TestLookup(t *testing.T) {
	tests := []struct{ path, name, row string }{
		{"math", "Sin", "math.Sin"},
		{rules.RT, "Sigmoid", "rt.Sigmoid"},
		{"", "max", "max"},
		{"math", "Foo", ""},
		{"math/cmplx", "Sin", "cmplx.Sin"}, {"math/cmplx", "Abs", ""},
	}
	for _, tt := range tests {
		r := rules.LookupFunc(tt.path, tt.name)
		if (r == nil) != (tt.row == "") || r != rules.Lookup(tt.row) {
			t.Errorf("LookupFunc(%q, %q) is %v, want the row %q", tt.path, tt.name, r, tt.row)
		}
		if r != nil && (r.Package() != tt.path || r.Ident() != tt.name) {
			t.Errorf("%s is %q in %q", r.Name, r.Ident(), r.Package())
		}
	}
	if !slices.Contains(rules.All(), rules.Lookup("math.Sin")) {
		t.Error("All lacks a row")
	}
}

func TestShapes(t *testing.T) {
	tests := []struct {
		name          string
		args, results []reflect.Kind
		vars, resVars []string
		active        bool
	}{
		{"math.Atan2", kinds("ff"), kinds("f"), []string{"x", "y"}, []string{"r"}, true},
		{"math.Jn", kinds("if"), kinds("f"), []string{"n", "x"}, []string{"r"}, true},
		{"math.Frexp", kinds("f"), kinds("fi"), []string{"x"}, []string{"r0", "r1"}, true},
		{"math.IsInf", kinds("fi"), kinds("b"), []string{"x", "n"}, []string{"r"}, false},
		{"math.Nextafter32", kinds("ss"), kinds("s"), []string{"x", "y"}, []string{"r"}, true},
		{"math.Floor", kinds("f"), kinds("f"), []string{"x"}, []string{"r"}, false},
		{"math.NaN", nil, kinds("f"), nil, []string{"r"}, false},
	}
	for _, tt := range tests {
		r := rules.Lookup(tt.name)
		if !slices.Equal(r.Args(), tt.args) || !slices.Equal(r.Results(), tt.results) ||
			!slices.Equal(r.Vars(), tt.vars) || !slices.Equal(r.ResultVars(), tt.resVars) || r.Active() != tt.active {
			t.Errorf("%s: %v %v %v %v, active: %t", tt.name, r.Args(), r.Results(), r.Vars(), r.ResultVars(), r.Active())
		}
	}
}

// kinds spells out f(loat64), s(ingle), i(nt) and b(ool).
func kinds(letters string) []reflect.Kind {
	var ks []reflect.Kind
	for _, l := range letters {
		ks = append(ks, map[rune]reflect.Kind{'f': reflect.Float64, 's': reflect.Float32, 'i': reflect.Int, 'b': reflect.Bool}[l])
	}
	return ks
}

func TestPartial(t *testing.T) {
	tests := []struct {
		name        string
		result, arg int
		want        string // "" for zero
		guard       rules.Guard
	}{
		{"math.Sincos", 1, 0, "-r0", rules.Plain},
		{"math.Pow", 0, 1, "rt.PowSlopeP(x, y, r)", rules.ZeroBar},
		{"math.Jn", 0, 0, "", rules.Plain},      // an int argument
		{"math.Frexp", 1, 0, "", rules.Plain},   // an int result
		{"math.Modf", 0, 0, "", rules.Plain},    // the integer part
		{"rt.TanhSlope", 0, 1, "", rules.Plain}, // given
		{"rt.Mul0", 0, 1, "x", rules.ZeroCoef},
	}
	for _, tt := range tests {
		e, guard := rules.Lookup(tt.name).Partial(tt.result, tt.arg)
		got := ""
		if e != nil {
			got = types.ExprString(e)
		}
		if got != tt.want || guard != tt.guard {
			t.Errorf("%s: partial (%d, %d) is %q with guard %d", tt.name, tt.result, tt.arg, got, guard)
		}
	}
}

func TestCallAny(t *testing.T) {
	out := rules.Lookup("math.Frexp").CallAny(float32(10))
	if len(out) != 2 || out[0] != 0.625 || out[1] != 4 {
		t.Errorf("Frexp(10) = %v", out)
	}
	if out := rules.Lookup("math.IsInf").CallAny(1.5, 0); out[0] != false {
		t.Errorf("IsInf(1.5, 0) = %v", out)
	}
	if got := rules.Lookup("math.Nextafter32").Call(1, 2)[0]; got != 1+0x1p-23 {
		t.Errorf("Nextafter32(1, 2) = %v", got)
	}
}

func TestRefused(t *testing.T) {
	if why, ok := rules.Refused("math.Float64bits"); !ok || why == "" {
		t.Errorf("Float64bits: %q, %t", why, ok)
	}
	if _, ok := rules.Refused("math.Sin"); ok {
		t.Error("Sin is refused")
	}
}

func ExampleRow_Partial() {
	r := rules.Lookup("math.Hypot")
	for i, x := range r.Vars() {
		d, _ := r.Partial(0, i)
		fmt.Printf("d%s/d%s = %s\n", r.Ident(), x, types.ExprString(d))
	}
	// Output:
	// dHypot/dx = rt.HypotSlope(x, y, r)
	// dHypot/dy = rt.HypotSlope(y, x, r)
}

func ExampleRow_Slopes() {
	r := rules.Lookup("math.Pow")
	at := []float64{2, 3}
	fmt.Printf("%.4f\n", r.Slopes(at, r.Call(at...)))
	// Output: [12.0000 5.5452]
}

// BenchmarkParse is the cost of a row at its first use.
func BenchmarkParse(b *testing.B) {
	for b.Loop() {
		for _, r := range rules.All() {
			fresh := rules.Row{Name: r.Name, Fn: r.Fn, D: r.D}
			if fresh.Active() {
				var e ast.Expr
				e, _ = fresh.Partial(0, 0)
				_ = e
			}
		}
	}
}
