package stopwatch

import (
	"testing"
	"time"
)

func TestCompare(t *testing.T) {
	wait := func(d time.Duration) func() {
		return func() {
			for start := time.Now(); time.Since(start) < d; {
			}
		}
	}
	c := Compare(wait(10*time.Microsecond), wait(30*time.Microsecond))
	if c.Ratio < 2 || c.Ratio > 4 || c.A < 10*time.Microsecond || c.B < 30*time.Microsecond {
		t.Errorf("a wait of 30 µs against one of 10 µs: %+v", c)
	}
}
