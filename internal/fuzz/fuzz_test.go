package fuzz

import (
	"flag"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"
)

var (
	count     = flag.Int("n", 60, "number of programs")
	span      = flag.Duration("for", 0, "begin no more batches after so long, instead of counting programs")
	seed      = flag.Uint64("seed", 1, "seed of the first program")
	size      = flag.Int("size", 8, "statements of a program, about")
	batchSize = flag.Int("batch", 120, "programs that are compiled together")
	only      = flag.String("only", "", "make only programs smaller whose fault has this text")
	all       = flag.Bool("all", false, "print all faults, not only one of each kind")
	keep      = flag.Bool("keep", false, "keep the packages of the last batch")
	reduce    = flag.Int("reduce", 3, "faults to print with a program made smaller, one of each kind")
)

// TestPrograms derives random programs.
func TestPrograms(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	refusals, skipped, faults := map[string]int{}, map[string]int{}, map[string]int{}
	derived, refused, compared := 0, 0, 0
	begin, total := time.Now(), *count
	if *span > 0 {
		total, *batchSize = math.MaxInt, min(*batchSize, 24)
	}
	made := 0
	for start := 0; start < total && (*span == 0 || time.Since(begin) < *span); start += *batchSize {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			t.Fatal(err)
		}
		dir, err := os.MkdirTemp("testdata", "tmp")
		if err != nil {
			t.Fatal(err)
		}
		abs, err := filepath.Abs(dir)
		if err != nil {
			t.Fatal(err)
		}
		b := &Batch{Root: root, Dir: abs, Interpret: true, SaveAll: true, Compile: true}
		for i := start; i < min(start+*batchSize, total); i++ {
			b.Cases = append(b.Cases, NewCase(*seed+uint64(i), *size))
		}
		made += len(b.Cases)
		err = b.Run()
		if !*keep {
			os.RemoveAll(dir)
		}
		if err != nil {
			t.Fatal(err)
		}
		for why, n := range b.Refusals {
			refusals[why] += n
		}
		for why, n := range b.Skipped {
			skipped[why] += n
		}
		derived, refused, compared = derived+b.Derived, refused+b.Refused, compared+b.Compared
		for _, f := range b.Faults {
			faults[f.class()]++
			if faults[f.class()] > 1 {
				if *all {
					t.Logf("%v", f)
				}
				continue
			}
			t.Errorf("%v", f)
			if *only != "" && !strings.Contains(f.Text, *only) {
				continue
			}
			if len(faults) > *reduce {
				continue
			}
			for _, c := range b.Cases {
				if c.ID == f.ID {
					r := &Reducer{Root: root, Temp: TempIn("testdata"), Rounds: 30}
					c, g := r.Reduce(c, f)
					t.Logf("%v\n%s", g, c.Text)
				}
			}
		}
	}
	tally(t, "faults", faults)
	t.Logf("%d programs, %d functions derived, %d refused, %d numbers compared", made, derived, refused, compared)
	tally(t, "refused", refusals)
	tally(t, "points left out", skipped)
	if compared < 20*made {
		t.Errorf("only %d numbers compared: the programs test too little", compared)
	}
}

func tally(t *testing.T, what string, m map[string]int) {
	keys := slices.Collect(maps.Keys(m))
	sort.Slice(keys, func(i, j int) bool { return m[keys[i]] > m[keys[j]] || m[keys[i]] == m[keys[j]] && keys[i] < keys[j] })
	for _, k := range keys {
		t.Logf("%s: %4d %s", what, m[k], k)
	}
}
