package ssair_test

import (
	"strings"
	"testing"

	"github.com/quabla/quabla/ssair"
)

// whole is a function with everything that the verifier looks at.
const whole = `func Whole(%1:x []float64, %2:n int, %3:c bool, %4:p *Point) (float64) {
  %5 float64 = load [] %1, %2
  %6 *float64 = addr [] %1, %2
  store .1 %4, %5
  %7 float64 = bin * %5, %5
  %8 float64 = if %3 {
  then:
    yield %7
  else:
    unreachable
  }
  %9:i int, %10:s float64 = loop while break %2, %8 {
  cond(%11:i int, %12:s float64):
    %13 bool = cmp < %11, %2
    yield %13
  body(%14:i int, %15:s float64):
    yield %3, %14, %15
  post(%16:i int, %17:s float64):
    yield %16, %17
  }
  %18 float64 = call @Whole %1, %2, %3, %4
  return %18
}
`

// op returns the first op of a kind.
func op(f *ssair.Func, k ssair.Kind) *ssair.Op {
	var found *ssair.Op
	f.Body.Walk(func(o *ssair.Op) bool {
		if found == nil && o.Kind == k {
			found = o
		}
		return true
	})
	return found
}

// TestVerify breaks each invariant of a function.
func TestVerify(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(f *ssair.Func)
		want  string // part of the message; "" if nothing is wrong
	}{
		{"nothing", func(f *ssair.Func) {}, ""},
		{"an operand of an arm outside of it", func(f *ssair.Func) {
			b := ssair.NewBuilder(op(f, ssair.If).Regions[0])
			b.Before = b.Region.Ops[0]
			v := b.Float(1, ssair.Float64)
			op(f, ssair.Call).Parent.Term().Args[0] = v
		}, "Whole: return: operand 0 (%19 ) is not defined here"},
		{"an operand before its definition", func(f *ssair.Func) { op(f, ssair.Bin).Args[0] = op(f, ssair.Bin).Result() },
			"Whole: bin: operand 0 (%7 ) is not defined here"},
		{"an operand of another function", func(f *ssair.Func) {
			op(f, ssair.Load).Args[1] = f.Mod.NewFunc("Other").AddParam("k", ssair.Int)
		}, "operand 1 (%1 k) is not defined here"},
		{"a missing operand", func(f *ssair.Func) { op(f, ssair.Load).Args[1] = nil }, "Whole: load: operand 1 is missing"},
		{"a value that is defined twice", func(f *ssair.Func) { op(f, ssair.Load).Results[0] = f.Params[2] }, "value %3 is defined twice"},
		{"an op in another region", func(f *ssair.Func) { op(f, ssair.Load).Parent = op(f, ssair.If).Regions[0] }, "Whole: load: op does not name its region"},
		{"a result of another op", func(f *ssair.Func) { op(f, ssair.Load).Result().Def = op(f, ssair.Bin) }, "Whole: load: result does not name its op"},
		{"a parameter of another region", func(f *ssair.Func) { op(f, ssair.Loop).Cond().Params[0].Home = f.Body }, "parameter %11 does not name its region"},
		{"no terminator", func(f *ssair.Func) { f.Body.Ops = f.Body.Ops[:len(f.Body.Ops)-1] }, "terminator in the middle of a region, or none at its end"},
		{"a terminator in the middle", func(f *ssair.Func) {
			o := op(f, ssair.If).Regions[1]
			o.Ops = append(o.Ops, ssair.NewBuilder(o).Yield())
		}, "terminator in the middle of a region"},
		{"an empty region", func(f *ssair.Func) { op(f, ssair.If).Regions[1].Ops = nil }, "Whole: if: region is empty"},
		{"a return from an arm", func(f *ssair.Func) { op(f, ssair.Yield).Kind = ssair.Return }, "region ends in return, not in yield"},
		{"a yield of a body", func(f *ssair.Func) { op(f, ssair.Return).Kind = ssair.Yield }, "region ends in yield, not in return"},
		{"operands of two types", func(f *ssair.Func) { op(f, ssair.Bin).Args[1] = f.Params[1] }, "right operand has type int, want float64"},
		{"a result of another type", func(f *ssair.Func) { op(f, ssair.Bin).Result().Type = ssair.Int }, "result has type int, want float64"},
		{"one operand", func(f *ssair.Func) { op(f, ssair.Bin).Args = op(f, ssair.Bin).Args[:1] }, "Whole: bin: wrong arity"},
		{"a path that does not fit", func(f *ssair.Func) { op(f, ssair.Load).Path = []ssair.Step{ssair.Field(0)} }, "path .0 does not fit []float64"},
		{"an index too many", func(f *ssair.Func) { op(f, ssair.Load).Args = append(op(f, ssair.Load).Args, f.Params[1]) }, "3 operands, want 2"},
		{"a load of another type", func(f *ssair.Func) { op(f, ssair.Load).Result().Type = ssair.Int }, "load: result has type int, want float64"},
		{"a store of another type", func(f *ssair.Func) { op(f, ssair.Store).Args[1] = f.Params[1] }, "stored value has type int, want float64"},
		{"an address of another type", func(f *ssair.Func) { op(f, ssair.Addr).Result().Type = ssair.Float64 }, "want *float64"},
		{"a condition that is no bool", func(f *ssair.Func) { op(f, ssair.If).Args[0] = f.Params[1] }, "condition has type int, want bool"},
		{"a yield too few", func(f *ssair.Func) { op(f, ssair.Yield).Args = nil }, "if: a region yields 0 values, want 1"},
		{"a yield of another type", func(f *ssair.Func) { op(f, ssair.Yield).Args[0] = f.Params[1] }, "yielded value 0 has type int, want float64"},
		{"a loop with two regions", func(f *ssair.Func) { op(f, ssair.Loop).Regions = op(f, ssair.Loop).Regions[:2] }, "a loop needs three regions"},
		{"a loop without form", func(f *ssair.Func) { op(f, ssair.Loop).Loop = nil }, "a loop needs three regions, its form and initial values"},
		{"an initial value of another type", func(f *ssair.Func) { op(f, ssair.Loop).Args[0] = f.Params[2] }, "initial value 0 has type bool, want int"},
		{"a region with a parameter too few", func(f *ssair.Func) {
			r := op(f, ssair.Loop).Post()
			r.Params = r.Params[:1]
		}, "a region has 1 parameters, want 2"},
		{"a parameter of another type", func(f *ssair.Func) { op(f, ssair.Loop).BodyRegion().Params[1].Type = ssair.Int }, "parameter 1 has type int, want float64"},
		{"a break that is not yielded", func(f *ssair.Func) { op(f, ssair.Loop).Loop.Break = false }, "a region yields 3 values, want 2"},
		{"a condition that yields an int", func(f *ssair.Func) { op(f, ssair.Loop).Cond().Term().Args[0] = f.Params[1] }, "yielded value 0 has type int, want bool"},
		{"a post part that yields nothing", func(f *ssair.Func) { op(f, ssair.Loop).Post().Term().Args = nil }, "a region yields 0 values, want 2"},
		{"a result too few", func(f *ssair.Func) { op(f, ssair.Return).Args = nil }, "return: 0 results, want 1"},
		{"a result of the function of another type", func(f *ssair.Func) { op(f, ssair.Return).Args[0] = f.Params[1] }, "result 0 has type int, want float64"},
		{"no callee", func(f *ssair.Func) { op(f, ssair.Call).Callee = nil }, "call: no callee"},
		{"an argument too few", func(f *ssair.Func) { op(f, ssair.Call).Args = op(f, ssair.Call).Args[1:] }, "call of Whole with 3 operands and 1 results, want 4 and 1"},
		{"an argument of another type", func(f *ssair.Func) { op(f, ssair.Call).Args[1] = f.Params[2] }, "operand 1 of Whole has type bool, want int"},
	} {
		f, err := ssair.ParseFunc(testModule(t), whole)
		if err != nil {
			t.Fatal(err)
		}
		c.spoil(f)
		err = f.Verify()
		switch {
		case err == nil && c.want == "":
		case err == nil:
			t.Errorf("%s: accepted, want %s", c.name, c.want)
		case c.want == "" || !strings.Contains(err.Error(), c.want):
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
}

// TestVerifyShift allows a count of another type.
func TestVerifyShift(t *testing.T) {
	f, err := ssair.ParseFunc(testModule(t), "func F(%1:n int, %2:k uint) (int) {\n%3 int = bin << %1, %2\nreturn %3\n}")
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Verify(); err != nil {
		t.Error(err)
	}
}
