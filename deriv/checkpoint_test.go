package deriv_test

import (
	"fmt"
	"go/types"
	"testing"

	"github.com/quabla/quabla/deriv"
	"github.com/quabla/quabla/internal/srctest"
	"github.com/quabla/quabla/rt"
	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/interp"
	"github.com/quabla/quabla/ssair/pass"
)

const recurrence = `package demo
import "math"
import "github.com/quabla/quabla/rt"
var _ = rt.Revolve
func F(x, w float64, n int) float64 {
	for range n {
		x = math.Tanh(w*x + 0.1)
	}
	return x
}`

// checkpointed returns the gradient of F of src, whose outermost loops have the
// given checkpoint.
func checkpointed(t *testing.T, src string, c *ssair.Checkpoint) *ssair.Func {
	t.Helper()
	p := srctest.Load(t, src)
	f := p.Lift(t, "F")
	for _, o := range f.Body.Ops {
		if o.Kind == ssair.Loop {
			o.Loop.Checkpoint = c
		}
	}
	pass.Tidy(f)
	d := deriv.New(f.Mod)
	d.Runtime(func(name string) *types.Func {
		for _, q := range p.Pkg.Imports() {
			if q.Name() == "rt" {
				fn, _ := q.Scope().Lookup(name).(*types.Func)
				return fn
			}
		}
		return nil
	})
	r := request(f)
	r.Wrt[len(r.Wrt)-1] = false
	g, err := function(d.Grad(f, r, "G"))
	if err != nil {
		t.Fatal(err)
	}
	pass.Finish(g)
	srctest.Verify(t, g)
	return g
}

// runs calls g and returns how often it evaluates an elementary function.
func runs(t *testing.T, g *ssair.Func, fn string, args ...any) (results []interp.Value, n int) {
	t.Helper()
	vs := make([]interp.Value, len(args))
	for i, a := range args {
		v, err := interp.FromGo(g.Params[i].Type, a)
		if err != nil {
			t.Fatal(err)
		}
		vs[i] = v
	}
	m := interp.New(g.Mod)
	m.Functions = map[string]func(*interp.Machine, []interp.Value) ([]interp.Value, error){
		"github.com/quabla/quabla/rt.Revolve": func(_ *interp.Machine, args []interp.Value) ([]interp.Value, error) {
			return []interp.Value{interp.Int(int64(rt.Revolve(int(args[0].Int()), int(args[1].Int()))))}, nil
		},
	}
	m.Watch = func(o *ssair.Op, _ []interp.Value) {
		if o.Kind == ssair.Apply && o.Fn == fn {
			n++
		}
	}
	out, err := m.Call(g, vs...)
	if err != nil {
		t.Fatalf("%v\n%s", err, g)
	}
	return out, n
}

// binomial returns the least number of trips that have to run to undo n of them with
// that many snapshots, not counting the run of each when it is undone.
func binomial(n, snapshots int) int {
	best := make([][]int, n+1)
	for l := range best {
		best[l] = make([]int, snapshots+1)
		for c := 1; c <= snapshots; c++ {
			best[l][c] = l * (l - 1) / 2
			for m := 1; c > 1 && m < l; m++ {
				best[l][c] = min(best[l][c], m+best[l-m][c-1]+best[m][c])
			}
		}
	}
	return best[n][snapshots]
}

// TestReplays counts the runs of the trips of a checkpointed loop.
func TestReplays(t *testing.T) {
	for _, n := range []int{0, 1, 4, 8, 15, 16, 17, 64, 101} {
		full, count := runs(t, checkpointed(t, recurrence, nil), "math.Tanh", 0.5, 0.8, n)
		if count != n {
			t.Errorf("%d trips with a full tape run %d times", n, count)
		}
		for _, c := range []ssair.Checkpoint{{}, {Every: 1}, {Every: 5}, {Every: 1000}, {Snapshots: 1}, {Snapshots: 3}, {Snapshots: 20}} {
			// All trips run once in the forward sweep and once when they are undone.
			want := 2 * n
			if c.Snapshots > 0 && n > 0 {
				want += binomial(n, c.Snapshots) - (n - 1) // the forward sweep has reached the last one
			}
			got, count := runs(t, checkpointed(t, recurrence, &c), "math.Tanh", 0.5, 0.8, n)
			if count != want {
				t.Errorf("%v: %d trips run %d times, want %d", &c, n, count, want)
			}
			for i := range full {
				if got[i].Float() != full[i].Float() {
					t.Errorf("%v: %d trips: result %d is %v, with a full tape %v", &c, n, i, got[i].Float(), full[i].Float())
				}
			}
		}
	}
}

// TestRecompute counts the runs of the body of a function that is computed again:
// passes must not merge them.
func TestRecompute(t *testing.T) {
	const body = `package demo
import "math"
func F(x float64, n int) float64 {
	y := 0.0
	for i := 0; i < 1; i++ {
		y = math.Sin(math.Exp(x/2)) * x
		break
	}
	return y
}`
	for _, c := range []*ssair.Checkpoint{nil, {Once: true}} {
		want := 1
		if c != nil {
			want = 2
		}
		g := checkpointed(t, body, c)
		if _, n := runs(t, g, "math.Exp", 0.7, 0); n != want {
			t.Errorf("%v: the body runs %d times, want %d\n%s", c, n, want, g)
		}
	}
}

// TestRecomputeForward takes a function that is computed again through forward mode, where
// nothing is.
func TestRecomputeForward(t *testing.T) {
	p := srctest.Load(t, `package demo
import "math"
func F(x float64) float64 {
	for i := 0; i < 1; i++ {
		x = math.Exp(x) * x
	}
	return x
}`)
	f := p.Lift(t, "F")
	f.Body.Walk(func(o *ssair.Op) bool {
		if o.Kind == ssair.Loop {
			o.Loop.Checkpoint = &ssair.Checkpoint{Once: true}
		}
		return true
	})
	pass.Tidy(f)
	g, err := function(deriv.New(f.Mod).JVP(f, request(f), "J"))
	if err != nil {
		t.Fatal(err)
	}
	pass.Finish(g)
	if _, n := runs(t, g, "math.Exp", 0.7, 1.0); n != 1 {
		t.Errorf("the body runs %d times\n%s", n, g)
	}
	g.Body.Walk(func(o *ssair.Op) bool {
		if o.Kind == ssair.Loop {
			t.Errorf("a loop is left\n%s", g)
		}
		return true
	})
}

// TestSnapshots counts the snapshots of a loop whose number of trips is not known:
// about as many as there are trips between two of them.
func TestSnapshots(t *testing.T) {
	const src = `package demo
import "math"
func F(x, w float64, n int) float64 {
	k := 0
	for k < n && x < 2 {
		x = math.Tanh(w*x + 0.1)
		k++
	}
	return x
}`
	g := checkpointed(t, src, &ssair.Checkpoint{})
	for n, want := range map[int]int{64: 20, 512: 48, 4096: 128} {
		most, every := 0, 0
		m := interp.New(g.Mod)
		m.Watch = func(o *ssair.Op, results []interp.Value) {
			if o.Kind == ssair.Append && o.Result().Name() == "snaps" {
				most = max(most, results[0].Len())
			}
			if o.Kind == ssair.Bin && o.Result().Name() == "every" {
				every = int(results[0].Int())
			}
		}
		args := []interp.Value{interp.Float(0.5), interp.Float(0.8), interp.Int(int64(n))}
		if _, err := m.Call(g, args...); err != nil {
			t.Fatal(err)
		}
		last := (n + max(every, 16) - 1) / max(every, 16)
		if got := last + max(every, 16); got != want || most > 2*max(every, 16) {
			t.Errorf("%d trips: %s", n, fmt.Sprint(got, most, every, want))
		}
	}
}
