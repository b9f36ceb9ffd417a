package bank

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/quabla/quabla/internal/bank/probe"
)

// Options say what to run.
type Options struct {
	Dir   string // the folder with the cases
	Cases string // patterns of the names of cases, parted by commas; "" means all
	Modes string // pattern of modes to derive; "" means all
	Batch bool   // make batches in all cases, not only in those that ask for them
	Keep  bool   // keep the packages
	Plain bool   // leave out the code that saves everything
	Log   io.Writer

	// Worker returns the command of a process that calls [WorkerMain].
	Worker func(ctx context.Context) *exec.Cmd
	// Race builds the runner with the race detector.
	Race bool
}

// A harness is one run.
type harness struct {
	Options
	root, tree string
	cases      []*probe.Case

	mu     sync.Mutex
	events map[string][]probe.Event // by case
	took   map[string]time.Duration
	begun  map[string]time.Time
}

// Run runs the bank.
func Run(ctx context.Context, o Options) (*Report, error) {
	h := &harness{Options: o, events: map[string][]probe.Event{}, took: map[string]time.Duration{}, begun: map[string]time.Time{}}
	if h.Log == nil {
		h.Log = io.Discard
	}
	all, err := probe.ReadDir(o.Dir)
	if err != nil {
		return nil, err
	}
	for _, c := range all {
		ok := o.Cases == ""
		for _, pattern := range strings.Split(o.Cases, ",") {
			match, err := filepath.Match(pattern, c.ID)
			if err != nil {
				return nil, err
			}
			ok = ok || match
		}
		if ok {
			h.cases = append(h.cases, c)
		}
	}
	if h.root, err = moduleRoot(); err != nil {
		return nil, err
	}
	if h.tree, err = makeTree(h.root); err != nil {
		return nil, err
	}
	if o.Keep {
		fmt.Fprintf(h.Log, "packages kept in %s\n", h.tree)
	} else {
		defer removeTree(h.tree)
	}
	var ids []string
	for _, c := range h.cases {
		if c.Err == "" {
			ids = append(ids, c.ID)
		}
	}
	start := time.Now()
	if err := h.generate(ctx, ids); err != nil {
		return nil, err
	}
	generated := time.Now()
	built, err := h.build(ctx, ids)
	if err != nil {
		return nil, err
	}
	compiled := time.Now()
	if err := h.execute(ctx, built); err != nil {
		return nil, err
	}
	return &Report{
		Outcomes: h.outcomes(),
		Phases: fmt.Sprintf("deriving and interpreting %.1fs, compiling %.1fs, running %.1fs",
			generated.Sub(start).Seconds(), compiled.Sub(generated).Seconds(), time.Since(compiled).Seconds()),
	}, nil
}

// compiled returns the ways in which cases are compiled.
func (h *harness) compiled() []probe.Way {
	if h.Plain {
		return []probe.Way{probe.Generated}
	}
	return []probe.Way{probe.Generated, probe.SaveAll}
}

// handle notes an event.
func (h *harness) handle(e probe.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch key := e.Case + string(e.Way); e.Kind {
	case probe.Begin:
		h.begun[key] = time.Now()
	case probe.Done:
		h.took[e.Case] += time.Since(h.begun[key])
	}
	h.events[e.Case] = append(h.events[e.Case], e)
}

// shards divides names among the processors.
func shards(ids []string) [][]string {
	n := max(1, min(runtime.NumCPU(), 8, (len(ids)+3)/4))
	list := make([][]string, n)
	for i, id := range ids {
		list[i%n] = append(list[i%n], id)
	}
	return list
}

// inParallel runs f for each of the lists.
func inParallel(lists [][]string, f func(ids []string) error) error {
	errs := make(chan error, len(lists))
	for _, l := range lists {
		go func() { errs <- f(l) }()
	}
	var first error
	for range lists {
		if err := <-errs; err != nil && first == nil {
			first = err
		}
	}
	return first
}

// workerEnv is the environment variable that holds the job of a worker.
const workerEnv = "QUABLA_BANK_WORKER"

// WorkerMain does the work of a generating process and reports true, if the
// environment says that this process is one.
func WorkerMain() bool {
	text := os.Getenv(workerEnv)
	if text == "" {
		return false
	}
	var j job
	err := json.Unmarshal([]byte(text), &j)
	var cases []*probe.Case
	if err == nil {
		cases, err = probe.ReadDir(j.Bank)
	}
	if err == nil {
		w := probe.NewWorker(probe.Interp)
		err = j.run(w, cases)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	return true
}

// generate derives all functions and writes the packages.
func (h *harness) generate(ctx context.Context, ids []string) error {
	bank, err := filepath.Abs(h.Dir)
	if err != nil {
		return err
	}
	return inParallel(shards(ids), func(ids []string) error {
		return supervise(ctx, probe.Generated, ids, func(ids []string) *exec.Cmd {
			text, _ := json.Marshal(job{Root: h.root, Tree: h.tree, Bank: bank, IDs: ids, Only: h.Modes, Batch: h.Batch, Plain: h.Plain})
			cmd := h.Worker(ctx)
			cmd.Env = append(cmd.Environ(), workerEnv+"="+string(text))
			return cmd
		}, h.handle)
	})
}

// execute runs the compiled cases.
func (h *harness) execute(ctx context.Context, built map[probe.Way][]string) error {
	var jobs [][]string
	for way, ids := range built {
		for _, part := range shards(ids)[:] {
			if len(part) > 0 {
				jobs = append(jobs, append([]string{string(way)}, part...))
			}
		}
	}
	gate := make(chan bool, runtime.NumCPU())
	return inParallel(jobs, func(ids []string) error {
		gate <- true
		defer func() { <-gate }()
		way := probe.Way(ids[0])
		return supervise(ctx, way, ids[1:], func(ids []string) *exec.Cmd {
			cmd := exec.CommandContext(ctx, filepath.Join(h.tree, runnerName), filepath.Join(h.tree, planFile), string(way))
			cmd.Stdin = strings.NewReader(strings.Join(ids, "\n"))
			return cmd
		}, h.handle)
	})
}
