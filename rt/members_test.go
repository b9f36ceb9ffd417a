package rt

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync/atomic"
	"testing"
)

// burn takes some time.
func burn(x float64) float64 {
	for range 200 {
		x = math.Sin(x) + 1
	}
	return x
}

// TestMembers checks that each member is done once, whatever their number, and that
// goroutines are used where they pay off.
func TestMembers(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	for _, n := range []int{0, 1, 2, 3, 7, 64, 1000, 5000} {
		done := make([]int32, n)
		y := make([]float64, n)
		var calls atomic.Int32
		Members(n, func(lo, hi int) {
			calls.Add(1)
			for i := lo; i < hi; i++ {
				atomic.AddInt32(&done[i], 1)
				y[i] = burn(float64(i))
			}
		})
		for i, k := range done {
			if k != 1 {
				t.Fatalf("n = %d: member %d is done %d times", n, i, k)
			}
			if y[i] != burn(float64(i)) {
				t.Fatalf("n = %d: member %d is %v", n, i, y[i])
			}
		}
		if n == 5000 && calls.Load() < 4*pieces {
			t.Errorf("only %d pieces", calls.Load())
		}
	}
}

// TestMembersCheap checks that members which take no time stay in one goroutine.
func TestMembersCheap(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	last := 0
	Members(100, func(lo, hi int) {
		if lo != last { // a race if this were called by several goroutines
			t.Errorf("piece %d to %d behind %d", lo, hi, last)
		}
		last = hi
	})
	if last != 100 {
		t.Errorf("ends at %d", last)
	}
}

// TestMembersFailure checks that the first failure counts, that what is in front of it
// is done, and that panics arrive in the caller.
func TestMembersFailure(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	const n = 4000
	for _, bad := range []int{0, 1, 17, 1500, n - 1} {
		for _, panics := range []bool{false, true} {
			done := make([]bool, n)
			run := func(lo, hi int) error {
				for i := lo; i < hi; i++ {
					if burn(1); i >= bad { // all behind it fail as well
						err := fmt.Errorf("member %d", i)
						if panics {
							panic(err)
						}
						return err
					}
					done[i] = true
				}
				return nil
			}
			err := func() (err error) {
				defer func() {
					if e := recover(); e != nil {
						err = e.(error)
					}
				}()
				return MembersUntil(n, run)
			}()
			if err == nil || err.Error() != fmt.Sprintf("member %d", bad) {
				t.Fatalf("%d: %v", bad, err)
			}
			for i, d := range done {
				if d != (i < bad) {
					t.Fatalf("%d: member %d: done is %t", bad, i, d)
				}
			}
		}
	}
	if err := MembersUntil(3, func(lo, hi int) error { return errors.New("no") }); err == nil {
		t.Error("no error")
	}
}

// BenchmarkMembers compares batches in goroutines with batches in one.
func BenchmarkMembers(b *testing.B) {
	for _, n := range []int{10, 100, 1000, 10000} {
		y := make([]float64, n)
		run := func(lo, hi int) {
			for i := lo; i < hi; i++ {
				y[i] = burn(float64(i))
			}
		}
		b.Run(fmt.Sprint(n, "/serial"), func(b *testing.B) {
			for b.Loop() {
				run(0, n)
			}
		})
		b.Run(fmt.Sprint(n, "/members"), func(b *testing.B) {
			for b.Loop() {
				Members(n, run)
			}
		})
	}
}

// BenchmarkMembersStart measures what starting goroutines and waiting for them costs.
func BenchmarkMembersStart(b *testing.B) {
	for b.Loop() {
		g := &gang{run: func(lo, hi int) error { return nil }, to: 16, size: 1}
		for range runtime.GOMAXPROCS(0) - 1 {
			g.wait.Go(g.work)
		}
		g.work()
		g.wait.Wait()
	}
}
