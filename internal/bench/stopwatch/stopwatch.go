// Package stopwatch compares the times of two functions on a machine that has
// other things to do.
package stopwatch

import (
	"slices"
	"time"
)

// A Comparison says how long a call of each of two functions takes.
type Comparison struct {
	A, B  time.Duration // medians over the rounds
	Ratio float64       // median over the rounds of the time of b over that of a
}

// Compare times a and b in alternating rounds, so that a slow moment meets both
// alike. It takes about 0.2 s, more where a call lasts longer than 2 ms.
func Compare(a, b func()) Comparison {
	const (
		rounds = 41
		least  = 2 * time.Millisecond // of each function in a round
	)
	b()
	calls := 1
	for run(a, calls) < least {
		calls *= 2
	}
	var as, bs []time.Duration
	var ratios []float64
	for range rounds {
		ta, tb := run(a, calls), run(b, calls)
		as, bs = append(as, ta/time.Duration(calls)), append(bs, tb/time.Duration(calls))
		ratios = append(ratios, float64(tb)/float64(ta))
	}
	return Comparison{median(as), median(bs), median(ratios)}
}

func run(f func(), calls int) time.Duration {
	start := time.Now()
	for range calls {
		f()
	}
	return time.Since(start)
}

func median[T time.Duration | float64](s []T) T {
	slices.Sort(s)
	return s[len(s)/2]
}
