package rt

import "testing"

// replays returns how many steps run until all have been undone, not counting the
// run of each when it is undone.
func replays(steps, free int) int {
	n := 0
	for steps > 1 {
		// The state before them is known; the last ones are undone first.
		m := Revolve(steps, free)
		n += m
		if free > 0 && m < steps-1 {
			n += replays(steps-m, free-1)
		}
		if m == steps-1 && free <= 0 {
			// The last one is undone, and the others start anew.
			steps--
			continue
		}
		steps = m
	}
	return n
}

// TestRevolve compares the schedule with the best one of all.
func TestRevolve(t *testing.T) {
	const maxSteps, maxFree = 120, 12
	var best [maxSteps + 1][maxFree + 1]int
	for free := range maxFree + 1 {
		for l := 2; l <= maxSteps; l++ {
			best[l][free] = l * (l - 1) / 2
			for m := 1; free > 0 && m < l; m++ {
				best[l][free] = min(best[l][free], m+best[l-m][free-1]+best[m][free])
			}
			if got := replays(l, free); got != best[l][free] {
				t.Errorf("%d steps, %d free snapshots: %d runs, the best schedule has %d", l, free, got, best[l][free])
			}
		}
	}
}

// TestRevolveFormula compares long runs with the closed form: with c states and
// r runs of a step, l = β(c,r) steps take r*l - β(c+1,r-1) runs.
func TestRevolveFormula(t *testing.T) {
	binomial := func(n, k int) int {
		x := 1
		for i := 1; i <= k; i++ {
			x = x * (n - k + i) / i
		}
		return x
	}
	for _, c := range []int{3, 8, 20} {
		for r := 1; r <= 4; r++ {
			l := binomial(c+r, c)
			want := r*l - binomial(c+r, c+1)
			if got := replays(l, c-1); got != want {
				t.Errorf("%d steps, %d states: %d runs, want %d", l, c, got, want)
			}
		}
	}
}

func TestRevolveEdges(t *testing.T) {
	for _, c := range []struct{ steps, free, want int }{
		{1, 0, 1}, {1, -1, 1}, {1, 5, 1}, {2, 0, 1}, {2, 5, 1}, {7, 0, 6}, {7, -1, 6}, {4, 100, 1},
	} {
		if got := Revolve(c.steps, c.free); got != c.want {
			t.Errorf("Revolve(%d, %d) = %d, want %d", c.steps, c.free, got, c.want)
		}
	}
	for steps := 1; steps < 1<<40; steps *= 3 {
		for _, free := range []int{1, 2, 50, 1000} {
			if m := Revolve(steps, free); m < 1 || m >= max(steps, 2) {
				t.Errorf("Revolve(%d, %d) = %d", steps, free, m)
			}
		}
	}
}
