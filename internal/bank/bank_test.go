package bank

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	// The generated packages import it: a change must not leave a cached result.
	_ "github.com/quabla/quabla/rt"
)

var (
	bankDir   = flag.String("bank", defaultBank, "folder with the cases of the bank")
	bankCase  = flag.String("case", "", "patterns of the names of the cases to run, parted by commas")
	bankModes = flag.String("mode", "", "pattern of the modes to derive, as in reports")
	bankBatch = flag.Bool("batch", false, "make batches of the points of all cases")
	bankKeep  = flag.Bool("keep", false, "keep the generated packages")
	bankOwn   = flag.Bool("own", false, "run the cases of our own")
)

var defaultBank = filepath.Join("..", "..", "testdata", "bank")

// floor is how many cases of the default bank must pass.
const floor = 205

func TestMain(m *testing.M) {
	if WorkerMain() {
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// options returns what to run on a folder.
func options(dir string) Options {
	return Options{
		Dir: dir, Race: RaceEnabled,
		Worker: func(ctx context.Context) *exec.Cmd { return exec.CommandContext(ctx, os.Args[0]) },
	}
}

// folder returns a folder given on the command line, which is relative to that of
// this package, or to that of the module, where the command is typed.
func folder(t *testing.T, dir string) string {
	t.Helper()
	if _, err := os.Stat(dir); err == nil || filepath.IsAbs(dir) {
		return dir
	}
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(root, dir)
}

// TestBank runs the conformance bank, or the cases of another folder:
//
//	go test ./internal/bank -run TestBank -args -bank=DIR
//
// It prints a line for each case that fails or is skipped; with -v it prints one for
// each case, and what the harness found.
func TestBank(t *testing.T) {
	r := runBank(t, *bankDir)
	if full := *bankCase == "" && *bankModes == ""; full && strings.HasSuffix(filepath.Clean(*bankDir), defaultBank) && r.Count(Passed) < floor {
		t.Errorf("only %d cases passed, want at least %d", r.Count(Passed), floor)
	}
}

// TestOwn runs the programs of our own:
//
//	go test ./internal/bank -run TestOwn -args -own
func TestOwn(t *testing.T) {
	if !*bankOwn {
		t.Skip("the other bank is enough, unless -own asks for this one")
	}
	runBank(t, "../../testdata/own")
}

// runBank runs the cases in a folder and reports those that fail.
func runBank(t *testing.T, dir string) *Report {
	if testing.Short() {
		t.Skip("a bank takes minutes")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	o := options(folder(t, dir))
	o.Cases, o.Modes, o.Batch, o.Keep, o.Log = *bankCase, *bankModes, *bankBatch, *bankKeep, os.Stdout
	start := time.Now()
	r, err := Run(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, out := range r.Outcomes {
		if testing.Verbose() {
			fmt.Printf("%s (%.2fs)\n", &out, out.Took.Seconds())
			for _, d := range out.Details {
				fmt.Printf("    %s\n", d)
			}
		} else if out.Status != Passed {
			fmt.Println(&out)
		}
	}
	fmt.Printf("%s%s\n%.1fs: %s\n", r.Remarks(), r.Summary(), time.Since(start).Seconds(), r.Phases)
	if n := r.Count(Failed); n > 0 {
		t.Errorf("%d cases failed", n)
	}
	return r
}
