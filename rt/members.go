package rt

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Members calls run for pieces lo <= i < hi of 0 <= i < n, which it distributes over
// up to GOMAXPROCS goroutines, and returns when all are done. run must be ready to be
// called by several goroutines at once, on different pieces. If a call panics, the
// pieces in front of it are completed, some behind it may be, and Members panics with
// the same value.
//
// The first members are done one after the other. Only when they took so long that
// goroutines pay off, the others are distributed.
func Members(n int, run func(lo, hi int)) {
	MembersUntil(n, func(lo, hi int) error {
		run(lo, hi)
		return nil
	})
}

// MembersUntil is Members for calls that may fail: it returns the error of the first
// piece that has one. No call begins behind an error.
func MembersUntil(n int, run func(lo, hi int) error) error {
	procs := runtime.GOMAXPROCS(0)
	if procs == 1 || n < 2 {
		return run(0, n)
	}
	lo := 0
	start := time.Now()
	for size := 1; ; size *= 2 {
		hi := min(lo+size, n)
		if err := run(lo, hi); err != nil || hi == n {
			return err
		}
		lo = hi
		if took := time.Since(start); took >= sample {
			each := took / time.Duration(lo)
			if time.Duration(n-lo)*each < worthwhile {
				return run(lo, n)
			}
			break
		}
	}
	procs = min(procs, n-lo)
	g := &gang{run: run, from: lo, to: n, size: max(1, (n-lo)/(procs*pieces))}
	for range procs - 1 {
		g.wait.Go(g.work)
	}
	g.work()
	g.wait.Wait()
	if g.panicked {
		panic(g.value)
	}
	return g.err
}

const (
	// sample is how long members are done one after the other. Starting goroutines
	// and waiting for them takes about a tenth of that.
	sample = 20 * time.Microsecond
	// worthwhile is how long the rest must take at least to be distributed.
	worthwhile = 40 * time.Microsecond
	// pieces is how many pieces each goroutine gets on average: members may take
	// different times.
	pieces = 8
)

// A gang are the goroutines that share the members of a batch.
type gang struct {
	run      func(lo, hi int) error
	from, to int
	size     int // of a piece

	next atomic.Int64 // the number of the next piece
	stop atomic.Bool  // a piece has failed
	wait sync.WaitGroup

	mu       sync.Mutex
	failed   int // the number of the first piece that failed, from 1; 0 if there is none
	err      error
	panicked bool
	value    any
}

// work does pieces until there are none left. They are handed out in order, so those
// in front of one that fails have been begun, and end.
func (g *gang) work() {
	for !g.stop.Load() {
		k := int(g.next.Add(1))
		lo := g.from + (k-1)*g.size
		if lo >= g.to {
			return
		}
		g.piece(k, lo, min(lo+g.size, g.to))
	}
}

// piece does one piece.
func (g *gang) piece(k, lo, hi int) {
	done := false
	defer func() {
		if !done {
			g.fail(k, nil, true, recover())
		}
	}()
	err := g.run(lo, hi)
	done = true
	if err != nil {
		g.fail(k, err, false, nil)
	}
}

func (g *gang) fail(k int, err error, panicked bool, value any) {
	g.stop.Store(true)
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.failed == 0 || k < g.failed {
		g.failed, g.err, g.panicked, g.value = k, err, panicked, value
	}
}
