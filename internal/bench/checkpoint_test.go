package bench

import (
	"math"
	"runtime"
	"testing"

	"github.com/quabla/quabla/internal/bench/stopwatch"
)

// allocated returns how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// recurrences are the gradients of the recurrence with a new work space for each
// call, so that all memory that they need is counted.
var recurrences = []struct {
	name  string
	grad  func(x, w float64, n int) (value, dx, dw float64)
	bound uint64  // bytes for ten million trips; 0 for the full tape
	time  float64 // in units of that with a full tape
}{
	{"full tape", func(x, w float64, n int) (float64, float64, float64) {
		return RecurrenceGradIn(new(RecurrenceGradWork), x, w, n)
	}, 0, 1},
	{"blocks", func(x, w float64, n int) (float64, float64, float64) {
		return RecurrenceBlocksGradIn(new(RecurrenceBlocksGradWork), x, w, n)
	}, 256 << 10, 2},
	{"blocks, while", func(x, w float64, n int) (float64, float64, float64) {
		return RecurrenceWhileGradIn(new(RecurrenceWhileGradWork), x, w, n)
	}, 512 << 10, 2},
	{"20 snapshots", func(x, w float64, n int) (float64, float64, float64) {
		return RecurrenceBinomialGradIn(new(RecurrenceBinomialGradWork), x, w, n)
	}, 4 << 10, 6},
}

// TestCheckpointBits compares checkpointed loops with the full tape, bit by bit.
func TestCheckpointBits(t *testing.T) {
	same := math.Float64bits
	for _, n := range []int{0, 1, 4, 8, 15, 16, 17, 64, 101, 1000} {
		for _, x := range []float64{math.Copysign(0, -1), 0.1, 0.5, -1.2} {
			v, dx, dw := RecurrenceGrad(x, 0.8, n)
			for _, r := range recurrences[1:] {
				v2, dx2, dw2 := r.grad(x, 0.8, n)
				if same(v) != same(v2) || same(dx) != same(dx2) || same(dw) != same(dw2) {
					t.Errorf("%s, %d trips from %v: %v %v %v, with a full tape %v %v %v", r.name, n, x, v2, dx2, dw2, v, dx, dw)
				}
			}
		}
		u := []float64{1, 0.5, -0.5, 2, 0.25}
		du, du2 := make([]float64, 5), make([]float64, 5)
		v, dc := HeatGrad(du, u, 0.2, n)
		for name, grad := range map[string]func(du, u []float64, c float64, n int) (float64, float64){
			"blocks": HeatBlocksGrad, "snapshots": HeatBinomialGrad,
		} {
			v2, dc2 := grad(du2, u, 0.2, n)
			bad := same(v) != same(v2) || same(dc) != same(dc2)
			for i := range du {
				bad = bad || same(du[i]) != same(du2[i])
			}
			if bad {
				t.Errorf("heat, %s, %d steps: %v %v %v, with a full tape %v %v %v", name, n, v2, du2, dc2, v, du, dc)
			}
		}
	}
}

// TestCheckpointMemory asks that ten million trips need little memory, and prints
// how much, with that of a full tape for a tenth of them.
func TestCheckpointMemory(t *testing.T) {
	if testing.Short() || race {
		t.Skip("it takes some seconds")
	}
	for _, r := range recurrences {
		n := 10_000_000
		if r.bound == 0 {
			n /= 10
		}
		bytes := allocated(func() { r.grad(0.5, 0.8, n) })
		t.Logf("%s: %d bytes for %d trips", r.name, bytes, n)
		if r.bound > 0 && bytes > r.bound {
			t.Errorf("%s: %d bytes, want at most %d", r.name, bytes, r.bound)
		}
	}
}

// TestCheckpointTime prints how long checkpointed gradients take in units of those
// with a full tape.
func TestCheckpointTime(t *testing.T) {
	if testing.Short() {
		t.Skip("a timing")
	}
	const n = 10_000
	for _, r := range recurrences[1:] {
		full, ws := recurrences[0].grad, r.grad
		c := stopwatch.Compare(func() { full(0.5, 0.8, n) }, func() { ws(0.5, 0.8, n) })
		t.Logf("recurrence, %d trips, %s: %.2f of the full tape (%v, %v)", n, r.name, c.Ratio, c.B, c.A)
		if *targets && c.Ratio > r.time {
			t.Errorf("%s: ratio %.2f above the target %.2f", r.name, c.Ratio, r.time)
		}
	}
	u, du := make([]float64, 1000), make([]float64, 1000)
	for i := range u {
		u[i] = math.Sin(float64(i))
	}
	const steps = 2000
	full, blocks, binomial := new(HeatGradWork), new(HeatBlocksGradWork), new(HeatBinomialGradWork)
	for _, r := range []struct {
		name   string
		grad   func()
		target float64
	}{
		{"blocks", func() { HeatBlocksGradIn(blocks, du, u, 0.2, steps) }, 2.5},
		{"100 snapshots", func() { HeatBinomialGradIn(binomial, du, u, 0.2, steps) }, 3.5},
	} {
		c := stopwatch.Compare(func() { HeatGradIn(full, du, u, 0.2, steps) }, r.grad)
		t.Logf("heat, %d numbers, %d steps, %s: %.2f of the full tape (%v, %v)", len(u), steps, r.name, c.Ratio, c.B, c.A)
		if *targets && c.Ratio > r.target {
			t.Errorf("heat, %s: ratio %.2f above the target %.2f", r.name, c.Ratio, r.target)
		}
	}
}

// TestCheckpointAllocs asks that checkpointed gradients allocate nothing once their
// work space has grown.
func TestCheckpointAllocs(t *testing.T) {
	ws, ws2, ws3 := new(RecurrenceBlocksGradWork), new(RecurrenceWhileGradWork), new(RecurrenceBinomialGradWork)
	for name, f := range map[string]func(){
		"blocks":    func() { RecurrenceBlocksGradIn(ws, 0.5, 0.8, 1000) },
		"while":     func() { RecurrenceWhileGradIn(ws2, 0.5, 0.8, 1000) },
		"snapshots": func() { RecurrenceBinomialGradIn(ws3, 0.5, 0.8, 1000) },
	} {
		if n := testing.AllocsPerRun(10, f); n != 0 {
			t.Errorf("%s: %v allocations a call", name, n)
		}
	}
}
